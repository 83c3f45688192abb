//! A decision stump: one test on one column, an answer inside and one outside.
//!
//! In: codes. Out: part 1 for rows inside the test, part 0 for those outside.

use std::ops::Range;

use super::{Block, PartAnswers, Test};
use crate::data::Binned;

/// Part 1 passes `test`, part 0 does not.
#[derive(Debug, Clone, PartialEq)]
pub struct Stump {
    /// The test.
    pub test: Test,
    /// The answer to rows that do not pass, and to those that do.
    pub answers: PartAnswers,
}

impl Stump {
    pub(super) fn find_parts(&self, data: &Binned, rows: Range<usize>, part: &mut [u8]) {
        let column = self.test.column;
        self.test.inside(data.n_codes(column)).mark(Block::new(data.codes(column), rows), part);
    }
}
