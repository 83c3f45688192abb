//! A demand that is made for one search, as a value of its own.
//!
//! In: rows and weights as a booster picks them. Out: a [`Demand`] that is lent to a learner.

use crate::learner::{Demand, Question, Stretch};

/// The rows that a search is to attend to, with their weights.
#[derive(Debug, Default)]
pub struct Asked {
    /// The row at each place, ascending within a stretch; `None` if place and row are the same.
    pub rows: Option<Vec<u32>>,
    /// The fixed-point weight of all input rows at each place.
    pub weights: Vec<u64>,
    /// How many input rows share each place; `None` if every row has its own.
    pub copies: Option<Vec<u32>>,
    /// Which places hold rows of which kind.
    pub stretches: Vec<Stretch>,
}

impl Asked {
    /// Looks up how many input rows share each place, given that by row.
    #[must_use]
    pub fn with_copies(mut self, by_row: Option<&[u32]>) -> Self {
        self.copies = by_row.map(|by_row| match &self.rows {
            Some(rows) => rows.iter().map(|&row| by_row[row as usize]).collect(),
            None => by_row.to_vec(),
        });
        self
    }

    /// The demand for a learner; `lightest` is the share of the lightest row in the start weight.
    #[must_use]
    pub fn lend(&self, question: Question, lightest: f64) -> Demand<'_> {
        Demand {
            question,
            weights: &self.weights,
            stretches: &self.stretches,
            rows: self.rows.as_deref(),
            copies: self.copies.as_deref(),
            lightest,
        }
    }
}
