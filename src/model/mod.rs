//! A fitted model: features, hypotheses, their weights, and how the run went.
//!
//! `folded` turns stumps into one step function per column for scoring, `staged` walks round by
//! round, `file` reads and writes JSON. All of it is written once for the additive combiner
//! H = Σ α h, whatever booster filled it.

mod file;
mod folded;
mod staged;

pub use file::{FORMAT_VERSION, write_atomically};
pub use folded::Folded;
pub use staged::Staged;

use std::sync::OnceLock;

use crate::booster::StopReason;
use crate::data::{Bins, Feature, Table};
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::workers::Workers;

/// One entry per round.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Edges under the row weights of the round.
    pub edges: Vec<f64>,
    /// Weighted errors.
    pub errors: Vec<f64>,
    /// Share of training weight classified right after the round.
    pub train_scores: Vec<f64>,
    /// The same for validation rows; empty without them.
    pub validation_scores: Vec<f64>,
}

/// A weighted sum of hypotheses over binned features.
#[derive(Debug)]
pub struct Model {
    /// The columns, in fitted order.
    pub features: Vec<Feature>,
    /// Whether the columns had names.
    pub named: bool,
    /// The weak hypotheses, in round order.
    pub hypotheses: Vec<Hypothesis>,
    /// Their weights α.
    pub weights: Vec<f64>,
    /// How each round went.
    pub history: History,
    /// Why the run ended.
    pub stop_reason: StopReason,
    /// Folded on first use.
    folded: OnceLock<Folded>,
}

impl Model {
    /// A model from its parts.
    #[must_use]
    pub fn new(
        features: Vec<Feature>,
        named: bool,
        members: (Vec<Hypothesis>, Vec<f64>),
        history: History,
        stop_reason: StopReason,
    ) -> Self {
        let (hypotheses, weights) = members;
        Self { features, named, hypotheses, weights, history, stop_reason, folded: OnceLock::new() }
    }

    /// The bins of all features.
    #[must_use]
    pub fn bins(&self) -> Vec<&Bins> {
        self.features.iter().map(|feature| &feature.bins).collect()
    }

    /// H(x) for every row.
    pub fn decision_function(&self, table: &Table, workers: &Workers) -> Result<Vec<f64>> {
        self.folded.get_or_init(|| Folded::new(self)).score(self, table, workers)
    }

    /// H(x) for every row after each round, computed round by round.
    pub fn staged(self: &std::sync::Arc<Self>, table: &Table, workers: &Workers) -> Result<Staged> {
        Staged::new(self, table, workers)
    }

    /// The share of Σ|α| of the hypotheses that look at each column; all zero without hypotheses.
    #[must_use]
    pub fn importances(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.features.len()];
        for (hypothesis, weight) in self.hypotheses.iter().zip(&self.weights) {
            let columns = hypothesis.columns();
            for &column in &columns {
                shares[column] += weight.abs() / columns.len() as f64;
            }
        }
        let total: f64 = shares.iter().sum();
        if total > 0.0 {
            for share in &mut shares {
                *share /= total;
            }
        }
        shares
    }
}
