//! Whether weights stay in the range of numbers.
//!
//! In: answers and factors, before weights are multiplied by them. Out: an error if weights would
//! overflow, or if rows that had next to no weight would get more than all. Most rounds are told by
//! their factors alone.

use super::RowWeights;
use crate::error::{Error, Result};
use crate::hypothesis::RowNumbers;
use crate::reduce::ExactSum;
use crate::workers::Workers;

/// Factors up to this multiply no weight that the fixed-point sums miss (below 2⁻⁶²) into one that
/// matters, and overflow nothing.
const MODEST: f64 = (1u64 << 20) as f64;

/// The largest sum of weights after an update. Those that the sums have seen come to 1.
const MOST: f64 = 2.0;

impl RowWeights {
    /// Refuses factors, by margin, after which weights would no longer sum to about 1.
    pub(super) fn check_range(
        &self,
        numbers: &RowNumbers,
        factor: &(impl Fn(f64) -> f64 + Sync),
        workers: &Workers,
    ) -> Result<()> {
        let of_answer = |run: usize, h: f64| factor(self.target.margin(self.runs[run].class, h));
        let is_modest = match numbers {
            RowNumbers::Parts { values, .. } => (0..self.runs.len())
                .all(|run| values.iter().all(|&h| (0.0..=MODEST).contains(&of_answer(run, h)))),
            RowNumbers::Each(_) => false,
        };
        if is_modest {
            return Ok(());
        }
        let sums = workers.map(self.weights.len(), self.blocks.iter().collect(), |block| {
            let mut sum = ExactSum::default();
            for (place, row) in block.rows.clone().zip(self.rows_of(block)) {
                let product = self.weights[place] * of_answer(block.run, numbers.of(row));
                sum.add_times(product, self.copies_of(place));
            }
            Ok(sum)
        })?;
        let total = ExactSum::of_parts(&sums).over_shards(workers.reduce())?;
        let total = self.scale * total;
        if total > 0.0 && total <= MOST { Ok(()) } else { Err(Error::OutOfRange) }
    }

    /// Whether all answers to the rows of this shard have the sign of `weight` times the label, but for
    /// rows that are `absent`.
    pub(in crate::booster) fn are_all_right(
        &self,
        numbers: &RowNumbers,
        weight: f64,
        is_absent: impl Fn(usize) -> bool,
    ) -> bool {
        self.blocks.iter().all(|block| {
            let class = self.runs[block.run].class;
            self.rows_of(block).all(|row| {
                weight * self.target.margin(class, numbers.of(row)) > 0.0 || is_absent(row)
            })
        })
    }
}
