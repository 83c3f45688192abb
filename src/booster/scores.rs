//! The combined score H = Σ α h of the rounds so far, on one set of class-ordered rows.
//!
//! In: each round's answers and weight. Out: the share of weight classified right, and the smallest
//! margin. Sums are integers, so they do not depend on the number of threads.

use super::row_weights::{label, to_fixed, to_fixed_copies};
use crate::data::Rows;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::{RunBlock, Workers, run_blocks, split_along};

/// Scores of class-ordered rows.
#[derive(Debug, Clone)]
pub struct Scores {
    values: Vec<f64>,
    /// The start weight of all rows at a place: fixed-point, or counts if all weigh the same.
    start_weights: Option<Vec<u64>>,
    total: u64,
    blocks: Vec<RunBlock>,
    weight_sum: f64,
}

impl Scores {
    /// All zero.
    #[must_use]
    pub fn start(rows: &Rows) -> Self {
        let start_weights: Option<Vec<u64>> = match (rows.start_weights(), rows.copies()) {
            (Some(weights), Some(copies)) => {
                Some(weights.iter().zip(copies).map(|(&w, &n)| to_fixed_copies(w, n)).collect())
            }
            (Some(weights), None) => Some(weights.iter().map(|&w| to_fixed(w)).collect()),
            (None, Some(copies)) => Some(copies.iter().map(|&n| u64::from(n)).collect()),
            (None, None) => None,
        };
        Self {
            values: vec![0.0; rows.len()],
            total: start_weights.as_ref().map_or(rows.len() as u64, |w| w.iter().sum()),
            start_weights,
            blocks: run_blocks(rows.class_ends()),
            weight_sum: 0.0,
        }
    }

    /// Adds a hypothesis; returns the share of the start weight that is now classified right.
    pub fn add(&mut self, answers: &Answers, weight: f64, workers: &Workers) -> Result<f64> {
        self.weight_sum += weight.abs();
        let n_rows = self.values.len();
        let start_weights = self.start_weights.as_deref();
        let values =
            split_along(&mut self.values, self.blocks.iter().map(|block| block.rows.len()));
        let steps: Vec<f64> = match answers {
            Answers::Parts { values, .. } => values.iter().map(|h| weight * h).collect(),
            Answers::Each(_) => Vec::new(),
        };
        let right =
            workers.map(n_rows, self.blocks.iter().zip(values).collect(), |(block, values)| {
                let rows = block.rows.clone();
                let weights = start_weights.map(|weights| &weights[rows.clone()]);
                let positive = block.run == 1;
                Ok(match answers {
                    Answers::Parts { part, .. } => {
                        let steps = part[rows].iter().map(|&part| steps[usize::from(part)]);
                        advance(values, steps, weights, positive)
                    }
                    Answers::Each(numbers) => {
                        let steps = numbers[rows].iter().map(|h| weight * h);
                        advance(values, steps, weights, positive)
                    }
                })
            })?;
        Ok(right.iter().sum::<u64>() as f64 / self.total as f64)
    }

    /// The smallest normalised margin y H / Σ|α|; 0 before the first round.
    pub fn smallest_margin(&self, workers: &Workers) -> Result<f64> {
        if self.weight_sum == 0.0 {
            return Ok(0.0);
        }
        let smallest = workers.map(self.values.len(), self.blocks.iter().collect(), |block| {
            let values = &self.values[block.rows.clone()];
            Ok(values.iter().map(|v| v * label(block.run)).fold(f64::INFINITY, f64::min))
        })?;
        Ok(smallest.into_iter().fold(f64::INFINITY, f64::min) / self.weight_sum)
    }
}

/// Adds a step to each score of one class; returns the weight that is now on the right side.
fn advance(
    values: &mut [f64],
    steps: impl Iterator<Item = f64>,
    weights: Option<&[u64]>,
    positive: bool,
) -> u64 {
    let moved = values.iter_mut().zip(steps).map(|(value, step)| {
        *value += step;
        (*value >= 0.0) == positive
    });
    match weights {
        None => moved.map(u64::from).sum(),
        Some(weights) => moved.zip(weights).map(|(right, &w)| if right { w } else { 0 }).sum(),
    }
}
