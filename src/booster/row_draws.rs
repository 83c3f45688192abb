//! Numbers that are drawn for every row by seed and the number of the row.
//!
//! In: a seed and the number of a draw. Out: by place, how often a bootstrap sample has a row, or a
//! random weight. Neither the order of rows nor the number of threads changes them.

use crate::data::Rows;
use crate::sampling::{Sampling, exponential, hashed};

/// Draws for all rows.
pub(super) struct RowDraws {
    seed: u64,
    /// By place.
    numbers: Vec<u32>,
}

impl RowDraws {
    pub fn new(rows: &Rows, seed: u64) -> Self {
        // Apart from the draws of `subsample`.
        Self { seed: hashed(seed, u64::MAX, 0), numbers: rows.numbers() }
    }

    /// How often each row is in a bootstrap sample: a Poisson number of mean 1.
    pub fn counts(&self, draw: u64) -> Vec<u32> {
        let sampling = Sampling { share: 1.0, with_replacement: true, seed: self.seed };
        self.numbers.iter().map(|&row| sampling.times(draw, u64::from(row))).collect()
    }

    /// Start weights times numbers above zero from the exponential distribution of mean 1.
    pub fn wagged(&self, draw: u64, first: &[f64]) -> Vec<f64> {
        let rows = self.numbers.iter().zip(first);
        rows.map(|(&row, weight)| weight * exponential(self.seed, draw, u64::from(row))).collect()
    }
}
