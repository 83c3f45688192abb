//! The test of a stump and of a tree's split: a cut or a subset, with a side for missing values.
//!
//! In: codes of one column. Out: inside or outside.

use super::CodeSet;

/// A test on one column; a missing value has a side of its own, chosen when it was fitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Test {
    /// The column that is looked at.
    pub column: usize,
    /// The codes that pass.
    pub passes: Passes,
    /// Whether a missing value counts as inside.
    pub missing_inside: bool,
}

/// The codes of present values that pass a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Passes {
    /// The code is at most this: `x ≤ cuts[code]`, or any value if it is the last bin.
    AtMost(u16),
    /// The code is one of these (ascending).
    OneOf(Vec<u16>),
}

impl Test {
    /// The codes inside; the missing code is the last of `n_codes`.
    #[must_use]
    pub fn inside(&self, n_codes: usize) -> CodeSet {
        let missing = (n_codes - 1) as u16;
        match &self.passes {
            Passes::AtMost(last) => {
                let also = if self.missing_inside { missing } else { 0 };
                CodeSet::Span { first: 0, last: *last, also, inverted: false }
            }
            Passes::OneOf(codes) => {
                let mut inside = vec![false; n_codes];
                for &code in codes {
                    inside[usize::from(code)] = true;
                }
                inside[n_codes - 1] = self.missing_inside;
                CodeSet::Listed(inside)
            }
        }
    }
}
