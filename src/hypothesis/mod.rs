//! What a weak learner returns: something small that answers every row.
//!
//! One file per kind. A hypothesis sees codes only, in training and in prediction alike, and
//! answers with a partition of the rows and a value per part ([`Answers`]).

mod answers;
mod stump;

pub use answers::Answers;
pub use stump::{Stump, Test};

use crate::data::Binned;
use crate::error::Result;
use crate::workers::Workers;

/// Any weak hypothesis.
#[derive(Debug, Clone, PartialEq)]
pub enum Hypothesis {
    /// One test on one column.
    Stump(Stump),
}

impl Hypothesis {
    /// Writes the answers for all rows of `data`.
    pub fn answer(&self, data: &Binned, workers: &Workers, answers: &mut Answers) -> Result<()> {
        match self {
            Self::Stump(stump) => stump.answer(data, workers, answers),
        }
    }

    /// The columns it looks at.
    #[must_use]
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Self::Stump(stump) => vec![stump.column],
        }
    }
}
