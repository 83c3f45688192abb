//! What is in the buckets, and what a round makes of it.
//!
//! In: the start weights of the rows, and how they are shared out over buckets and classes. Out: the
//! scores of all buckets and the exponential loss.

use std::ops::Range;
use std::sync::Arc;

use crate::booster::row_weights::to_fixed_places;
use crate::combiner::Buckets;
use crate::data::Rows;
use crate::error::Result;
use crate::portable::exp;
use crate::reduce::Reduce;

/// The start weights of all input rows at each place.
pub(super) struct StartWeights {
    pub fixed: Vec<u64>,
    pub total: f64,
    pub copies: Option<Vec<u32>>,
}

impl StartWeights {
    pub fn new(rows: &Rows, kinds: &Kinds, reduce: &dyn Reduce) -> Result<Self> {
        let fixed = to_fixed_places(&rows.all_start_weights(), rows.copies());
        let taking_part = kinds.runs(rows.class_ends()).map(|(_, places)| places);
        let total = taking_part.map(|places| fixed[places].iter().sum::<u64>()).sum::<u64>();
        let total = reduce.total(total)? as f64;
        Ok(Self { fixed, total, copies: rows.copies().map(<[u32]>::to_vec) })
    }

    pub fn copies(&self, place: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[place]))
    }

    /// By kind the share of the start weight and the number of input rows, in all shards.
    pub fn by_kind(
        &self,
        kinds: &Kinds,
        class_ends: &[usize],
        reduce: &dyn Reduce,
    ) -> Result<(Vec<f64>, Vec<u64>)> {
        let mut sums = vec![0u64; 2 * kinds.n_kinds];
        for (kind, places) in kinds.runs(class_ends) {
            sums[kind] += self.fixed[places.clone()].iter().sum::<u64>();
            sums[kinds.n_kinds + kind] += places.map(|place| self.copies(place)).sum::<u64>();
        }
        reduce.sum_if_split(&mut sums)?;
        let counts = sums.split_off(kinds.n_kinds);
        Ok((sums.into_iter().map(|sum| sum as f64 / self.total).collect(), counts))
    }
}

/// What is told apart: the classes themselves, or two sides that are made of them.
#[derive(Debug, Clone)]
pub(super) struct Kinds {
    /// By class; `None` if its rows do not take part.
    of_class: Vec<Option<usize>>,
    pub n_kinds: usize,
}

impl Kinds {
    pub fn classes(n_classes: usize) -> Self {
        Self { of_class: (0..n_classes).map(Some).collect(), n_kinds: n_classes }
    }

    pub fn sides(sides: &[i8]) -> Self {
        let kind = |side: &i8| (*side != 0).then_some(usize::from(*side > 0));
        Self { of_class: sides.iter().map(kind).collect(), n_kinds: 2 }
    }

    pub fn of(&self, class: usize) -> Option<usize> {
        self.of_class[class]
    }

    /// The kind and the places of every class that takes part.
    pub fn runs(&self, class_ends: &[usize]) -> impl Iterator<Item = (usize, Range<usize>)> {
        let starts = std::iter::once(0).chain(class_ends.iter().copied());
        let places = starts.zip(class_ends).map(|(start, &end)| start..end);
        self.of_class.iter().zip(places).filter_map(|(kind, places)| Some(((*kind)?, places)))
    }
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

    /// What a round does to a table that is finished: there is one more bucket, which no row is in.
    pub fn idle(table: &Buckets) -> Self {
        let mut scores = table.stage(usize::MAX).to_vec();
        scores.extend(scores.last().copied());
        let n_entries = table.weights.len() + table.n_classes;
        let (mut weights, mut counts) = (table.weights.clone(), table.counts.clone());
        weights.resize(n_entries, 0.0);
        counts.resize(n_entries, 0);
        Self { weights, counts, scores, loss: table.losses.last().copied().unwrap_or(1.0) }
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
