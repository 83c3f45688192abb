//! A fitted model: features, hypotheses, their weights, and how the run went.
//!
//! `folded` turns stumps into one step function per column for scoring, `blockwise` scores rules and
//! trees block by block, `staged` walks round by round, `file` reads and writes JSON. All of it is
//! written once for the additive combiner H = Σ α h, whatever booster filled it.

mod blockwise;
mod file;
mod folded;
mod runs;
mod staged;

pub use file::{FORMAT_VERSION, write_atomically};
pub use folded::Folded;
pub use staged::Staged;

use std::sync::{Arc, OnceLock};

use blockwise::Blockwise;

use crate::booster::StopReason;
use crate::data::{Binned, Bins, Feature, Frame, Numbers, Outside, Sight, Table, View, scalings};
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;
use crate::workers::{BLOCK_ROWS, Workers};

/// Rows that are scored together: their codes stay in the cache.
const BATCH_ROWS: usize = 1 << 11;

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
    /// What its hypotheses read.
    pub sight: Sight,
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
    /// Made on first use.
    scorer: OnceLock<Scorer>,
}

/// How codes are scored.
#[derive(Debug)]
enum Scorer {
    Folded(Folded),
    Blockwise(Blockwise),
}

/// Rows to be scored.
#[derive(Clone)]
pub struct Given<'a> {
    /// The columns.
    pub table: Table<'a>,
    /// The same rows for hypotheses that live outside.
    pub outside: Option<Arc<dyn Outside>>,
}

impl Model {
    /// A model from its parts: what is read of which columns and whether these have names, the
    /// hypotheses with their weights, and how the run went.
    #[must_use]
    pub fn new(
        frame: (Sight, Vec<Feature>, bool),
        members: (Vec<Hypothesis>, Vec<f64>),
        history: History,
        stop_reason: StopReason,
    ) -> Self {
        let (sight, features, named) = frame;
        let (hypotheses, weights) = members;
        let scorer = OnceLock::new();
        Self { sight, features, named, hypotheses, weights, history, stop_reason, scorer }
    }

    /// The bins of all features.
    #[must_use]
    pub fn bins(&self) -> Vec<&Bins> {
        self.features.iter().map(|feature| &feature.bins).collect()
    }

    /// H(x) for every row.
    pub fn decision_function(
        self: &Arc<Self>,
        given: &Given,
        workers: &Workers,
    ) -> Result<Vec<f64>> {
        if self.sight != Sight::Codes {
            return self.staged(given, workers)?.finish(workers);
        }
        let scorer = self.scorer.get_or_init(|| match Folded::new(self) {
            Some(folded) => Scorer::Folded(folded),
            None => Scorer::Blockwise(Blockwise::new(self)),
        });
        match scorer {
            Scorer::Folded(folded) => folded.score(self, &given.table, workers),
            Scorer::Blockwise(blockwise) => blockwise.score(self, &given.table, workers),
        }
    }

    /// H(x) for every row after each round, computed round by round.
    pub fn staged(self: &Arc<Self>, given: &Given, workers: &Workers) -> Result<Staged> {
        let columns = given.table.align(&self.features, self.named)?;
        let n_rows = given.table.n_rows();
        let view = match self.sight {
            Sight::Codes => {
                View::Codes(Binned::encode(&columns, &self.bins(), None, n_rows, workers)?)
            }
            Sight::Numbers => {
                let scalings = scalings(&self.features)?;
                View::Numbers(Numbers::encode(&columns, &scalings, None, n_rows, workers)?)
            }
            Sight::Frame => match &given.outside {
                Some(outside) => View::Frame(Frame::new(outside.clone())),
                None => return Err(Error::internal("rows came without the caller's frame")),
            },
        };
        Ok(Staged::new(self, view, n_rows))
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

/// Scores all rows, a batch at a time: `add(start, scores)` adds to the scores of the rows from
/// `start` on, at a cost of so many steps for each.
fn score_batches(
    n_rows: usize,
    steps_per_row: usize,
    workers: &Workers,
    add: impl Fn(usize, &mut [f64]) + Sync,
) -> Result<Vec<f64>> {
    let mut scores = vec![0.0; n_rows];
    let blocks = scores.chunks_mut(BLOCK_ROWS).enumerate().collect();
    workers.map(n_rows * steps_per_row, blocks, |(block, scores)| {
        for (batch, scores) in scores.chunks_mut(BATCH_ROWS).enumerate() {
            workers.check()?;
            add(block * BLOCK_ROWS + batch * BATCH_ROWS, scores);
        }
        Ok(())
    })?;
    Ok(scores)
}
