//! The step with the least loss.
//!
//! In: the answers of a round and the scores before it. Out: how often the answers are taken.

use super::super::Scores;
use super::Logit;
use crate::combiner::Combiner;
use crate::error::Result;
use crate::hypothesis::RowNumbers;
use crate::portable::{exp_of_negative, ln, ln_1p};
use crate::reduce::ExactSum;
use crate::workers::{RunBlock, Workers};

/// The longest step.
const LONGEST_STEP: f64 = 100.0;
/// Steps of the search.
const SEARCH_STEPS: usize = 60;
/// The search ends when its interval is this small.
const SEARCH_TOLERANCE: f64 = 1e-9;

impl Logit {
    /// The loss Σ u ln(1/p) if so much of the answers is added, and its derivative.
    fn loss(
        &self,
        length: f64,
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<(f64, f64)> {
        let n_outputs = self.combiner.n_outputs();
        let is_sign = self.combiner == Combiner::Sign;
        let blocks = scores.blocks().iter().collect();
        let sums = workers.map(scores.n_rows() * n_outputs, blocks, |block: &RunBlock| {
            let mut sums = [ExactSum::default(), ExactSum::default()];
            let (mut answers, mut values) = (vec![0.0; n_outputs], vec![0.0; n_outputs]);
            for row in block.rows.clone() {
                answers.fill(0.0);
                for (output, numbers) in numbers {
                    answers[*output] = numbers.of(row);
                }
                for (output, (value, answer)) in values.iter_mut().zip(&answers).enumerate() {
                    *value = scores.output(output)[row] + length * answer;
                }
                let (row_loss, row_slope) = if is_sign {
                    let side = if block.run == 1 { 2.0 } else { -2.0 };
                    let margin = side * values[0];
                    let small = exp_of_negative(-margin.abs());
                    let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
                    (ln_1p(small) + (-margin).max(0.0), -side * answers[0] * wrong)
                } else {
                    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let terms = || values.iter().map(|value| exp_of_negative(value - highest));
                    let sum: f64 = terms().sum();
                    let mean = terms().zip(&answers).map(|(term, h)| term * h).sum::<f64>() / sum;
                    (ln(sum) + highest - values[block.run], mean - answers[block.run])
                };
                let (share, copies) = (scores.share_of_one(row), scores.copies(row));
                sums[0].add_times(share * row_loss, copies);
                sums[1].add_times(share * row_slope, copies);
            }
            Ok(sums)
        })?;
        let mut sums = [0, 1].map(|at| ExactSum::of_parts(sums.iter().map(|sums| &sums[at])));
        ExactSum::reduce(&mut sums, workers.reduce())?;
        let [loss, slope] = sums.map(|sum| sum.number());
        Ok((loss, slope))
    }

    /// The step with the least loss, by bisection of its slope.
    pub(super) fn best_step(
        &self,
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<f64> {
        let slope = |length: f64| Ok(self.loss(length, numbers, scores, workers)?.1);
        let (mut low, mut high) = (0.0, 1.0);
        while slope(high)? < 0.0 {
            if high >= LONGEST_STEP {
                return Ok(LONGEST_STEP);
            }
            (low, high) = (high, (2.0 * high).min(LONGEST_STEP));
        }
        for _ in 0..SEARCH_STEPS {
            if high - low <= SEARCH_TOLERANCE * high {
                break;
            }
            let middle = 0.5 * (low + high);
            if slope(middle)? < 0.0 { low = middle } else { high = middle }
        }
        // The loss is convex, so it falls all the way to the lower end.
        Ok(low)
    }
}
