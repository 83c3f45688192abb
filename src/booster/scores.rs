//! The combined score H = Σ α h of the rounds so far, on one set of class-ordered rows.
//!
//! In: each round's answers and weight. Out: the share of weight classified right, and the smallest
//! margin. Sums go over fixed blocks in order, so they do not depend on the number of threads.

use super::row_weights::label;
use crate::data::Rows;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::{RunBlock, Workers, run_blocks, split_along};

/// Scores of class-ordered rows.
#[derive(Debug, Clone)]
pub struct Scores {
    values: Vec<f64>,
    start_weights: Option<Vec<f64>>,
    blocks: Vec<RunBlock>,
    weight_sum: f64,
}

impl Scores {
    /// All zero.
    #[must_use]
    pub fn start(rows: &Rows) -> Self {
        Self {
            values: vec![0.0; rows.len()],
            start_weights: rows.start_weights(),
            blocks: run_blocks(rows.class_ends()),
            weight_sum: 0.0,
        }
    }

    /// Adds a hypothesis; returns the share of the start weight that is now classified right.
    pub fn add(&mut self, answers: &Answers, weight: f64, workers: &Workers) -> Result<f64> {
        let n = self.values.len();
        let start_weights = self.start_weights.as_deref();
        let values =
            split_along(&mut self.values, self.blocks.iter().map(|block| block.rows.len()));
        let items = self.blocks.iter().zip(values).collect();
        let steps: Vec<f64> = answers.values.iter().map(|h| weight * h).collect();
        let right = workers.map(n, items, |(block, values)| {
            let positive = block.run == 1;
            let part = &answers.part[block.rows.clone()];
            let advance = |value: &mut f64, part: u16| {
                *value += steps[usize::from(part)];
                (*value >= 0.0) == positive
            };
            Ok(match start_weights {
                None => {
                    let moved = values.iter_mut().zip(part);
                    moved.map(|(v, &p)| usize::from(advance(v, p))).sum::<usize>() as f64
                }
                Some(weights) => {
                    let moved = values.iter_mut().zip(part).zip(&weights[block.rows.clone()]);
                    moved.map(|((v, &p), &w)| if advance(v, p) { w } else { 0.0 }).sum()
                }
            })
        })?;
        self.weight_sum += weight.abs();
        // Counts are whole numbers, so that a faultless score is exactly 1.
        let right: f64 = right.iter().sum();
        Ok(if self.start_weights.is_some() { right.min(1.0) } else { right / n as f64 })
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
