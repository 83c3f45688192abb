//! A decision stump: one test on one column, an answer inside and one outside.
//!
//! In: codes. Out: part 1 for rows inside the test, part 0 for those outside.

use std::ops::Range;

use super::{Block, Test};
use crate::data::Binned;

/// `test` passed → `inside`, else → `outside`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stump {
    /// The test.
    pub test: Test,
    /// The answer to rows that pass.
    pub inside: f64,
    /// The answer to all others.
    pub outside: f64,
}

impl Stump {
    pub(super) fn find_parts(&self, data: &Binned, rows: Range<usize>, part: &mut [u8]) {
        let column = self.test.column;
        self.test.inside(data.n_codes(column)).mark(Block::new(data.codes(column), rows), part);
    }
}
