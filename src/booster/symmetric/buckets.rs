//! What is in the buckets, and what a round makes of it.
//!
//! In: the start weights of the rows, and how they are shared out over buckets and classes. Out: the
//! scores of all buckets and the exponential loss.

use std::ops::Range;
use std::sync::Arc;

use crate::booster::row_weights::to_fixed_places;
use crate::combiner::Buckets;
use crate::data::Rows;
use crate::portable::exp;

/// The start weights of all input rows at each place.
pub(super) struct StartWeights {
    pub fixed: Vec<u64>,
    pub total: f64,
    pub copies: Option<Vec<u32>>,
}

impl StartWeights {
    pub fn new(rows: &Rows) -> Self {
        let fixed = to_fixed_places(&rows.all_start_weights(), rows.copies());
        let total = fixed.iter().sum::<u64>() as f64;
        Self { fixed, total, copies: rows.copies().map(<[u32]>::to_vec) }
    }

    pub fn copies(&self, place: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[place]))
    }

    pub fn by_class(&self, class_ends: &[usize]) -> Vec<f64> {
        let sums = runs(class_ends).map(|places| self.fixed[places].iter().sum::<u64>());
        sums.map(|sum| sum as f64 / self.total).collect()
    }

    pub fn counts_by_class(&self, class_ends: &[usize]) -> Vec<u64> {
        runs(class_ends).map(|places| places.map(|place| self.copies(place)).sum()).collect()
    }
}

/// The places of every class.
pub(super) fn runs(class_ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let starts = std::iter::once(0).chain(class_ends.iter().copied());
    starts.zip(class_ends).map(|(start, &end)| start..end)
}

/// What a round makes of the buckets.
pub(super) struct Step {
    /// Shares of the start weight by bucket and class.
    pub weights: Vec<f64>,
    /// Input rows likewise.
    pub counts: Vec<u64>,
    scores: Vec<f64>,
    loss: f64,
}

impl Step {
    pub fn new(weights: Vec<f64>, n_classes: usize, smooth: f64) -> Self {
        let scores = Buckets::scores_of(&weights, n_classes, smooth);
        let width = scores.len() / (weights.len() / n_classes);
        let buckets = weights.chunks_exact(n_classes).zip(scores.chunks_exact(width));
        let losses = buckets.flat_map(|(weights, scores)| {
            let classes = weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
            classes.map(|(class, weight)| weight * loss(class, scores))
        });
        let loss = losses.sum();
        Self { weights, counts: Vec::new(), scores, loss }
    }

    pub fn add_to(self, table: &mut Buckets) {
        table.stages.push(Arc::from(self.scores));
        table.losses.push(self.loss);
        table.weights = self.weights;
        table.counts = self.counts;
    }
}

/// exp(−y H) for a row of a class, or Σ exp(½ (Hₗ − H)) over all other classes l.
pub(super) fn loss(class: usize, scores: &[f64]) -> f64 {
    match scores {
        [score] => exp(if class == 0 { *score } else { -score }),
        scores => {
            let others = scores.iter().enumerate().filter(|(other, _)| *other != class);
            others.map(|(_, other)| exp(0.5 * (other - scores[class]))).sum()
        }
    }
}
