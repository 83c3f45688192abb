//! Numbers that are drawn for every row by seed and the number of the row.
//!
//! In: a seed and the number of a draw. Out: by place, how often a bootstrap sample has a row, or a
//! random weight. A row of weight 2 draws for two rows of weight 1, and rows are numbered by what they
//! hold (see [`UnitNumbers`]), so that it does not matter whether equal rows are repeated or weighted,
//! nor in which order rows come. Nor does the number of threads.

use crate::data::{Rows, UnitNumbers};
use crate::error::Result;
use crate::sampling::{Sampling, exponential, hashed};
use crate::workers::Workers;

/// Draws for all rows.
pub(super) struct RowDraws {
    seed: u64,
    numbers: UnitNumbers,
}

impl RowDraws {
    pub fn new(rows: &Rows, seed: u64, workers: &Workers) -> Result<Self> {
        let numbers = UnitNumbers::new(rows, workers.reduce())?;
        // Apart from the draws of `subsample`.
        Ok(Self { seed: hashed(seed, u64::MAX, 0), numbers })
    }

    /// How often each row is in a bootstrap sample: Poisson numbers of mean 1, one for each row that
    /// it stands for.
    pub fn counts(&self, draw: u64) -> Vec<u32> {
        let sampling = Sampling { share: 1.0, with_replacement: true, seed: self.seed };
        let count = |number: u32| sampling.times(draw, u64::from(number));
        self.numbers.by_place().map(|numbers| numbers.map(count).sum()).collect()
    }

    /// The weights of a bootstrap sample, of which `counts` says how often each row is in it.
    pub fn sampled(&self, counts: &[u32], first: &[f64]) -> Vec<f64> {
        let places = self.numbers.by_place().zip(counts).zip(first);
        places
            .map(|((numbers, &count), weight)| f64::from(count) * (weight / numbers.len() as f64))
            .collect()
    }

    /// Start weights times numbers above zero from the exponential distribution of mean 1.
    pub fn wagged(&self, draw: u64, first: &[f64]) -> Vec<f64> {
        let number = |number: u32| exponential(self.seed, draw, u64::from(number));
        let places = self.numbers.by_place().zip(first);
        places
            .map(|(numbers, weight)| match numbers.len() {
                1 => weight * number(numbers.start),
                n => weight / n as f64 * numbers.map(number).sum::<f64>(),
            })
            .collect()
    }
}
