//! A fitted model: features, hypotheses, their weights, and how the run went.
//!
//! `scorer` chooses how rows are scored: `folded` turns stumps into one step function per column,
//! `blockwise` looks at rules and trees block by block. `contributions` divides scores among
//! columns, `staged` walks round by round, `parquet_scores` scores files tile by tile, `file` reads
//! and writes JSON. All of it is written once for all combiners, such as the additive H = Σ α h, of
//! one score or of many, whatever booster filled them.

mod blockwise;
mod checks;
mod contributions;
mod feature_fields;
mod file;
mod folded;
mod history;
mod importances;
mod older_files;
#[cfg(feature = "parquet")]
mod parquet_scores;
mod runs;
mod scorer;
mod staged;
mod step_functions;

pub use contributions::{Contributions, Errors, Orders};
#[cfg(feature = "train")]
pub(crate) use feature_fields::feature_text;
pub use file::FORMAT_VERSION;
pub use folded::Folded;
pub use history::{History, StopReason, Tally};
#[cfg(feature = "parquet")]
pub use parquet_scores::ParquetScores;
#[cfg(feature = "train")]
pub(crate) use runs::HypothesisRuns;
pub use staged::Staged;
pub use step_functions::StepFunctions;

use std::sync::{Arc, OnceLock};

use scorer::Scorer;

use crate::combiner::{Combiner, Weighted};
use crate::data::{Binned, ExternalRows, Frame, Numbers, Schema, Table, View, ViewKind};
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;
use crate::workers::Workers;

/// Rows that are scored together: their codes stay in the cache.
const BATCH_ROWS: usize = 1 << 11;

/// A hypothesis and its part in the model.
#[derive(Debug, Clone)]
pub struct Member {
    /// The hypothesis.
    pub hypothesis: Hypothesis,
    /// Its weight α.
    pub weight: f64,
    /// The output that it adds to, if it does not add to all.
    pub output: usize,
    /// The round in which it was found.
    pub round: usize,
}

impl Member {
    /// The output that it adds to, and its weight.
    #[must_use]
    pub fn weighted(&self) -> Weighted {
        Weighted { output: self.output, weight: self.weight }
    }
}

/// A weighted sum of hypotheses over binned features.
#[derive(Debug)]
pub struct Model {
    /// The columns, and what its hypotheses read of them.
    pub schema: Schema,
    /// The scores that its hypotheses add to, and what they tell of the classes.
    pub combiner: Combiner,
    /// The weak hypotheses, in round order.
    pub members: Vec<Member>,
    /// How each round went.
    pub history: History,
    /// Why the run ended.
    pub stop_reason: StopReason,
    /// Made on first use.
    scorer: OnceLock<Scorer>,
}

/// The hypotheses of every round, which may have none.
pub fn by_round(members: &[Member], n_rounds: usize) -> impl Iterator<Item = (usize, &[Member])> {
    let mut later = members;
    (0..n_rounds).map(move |round| {
        let n_members = later.iter().take_while(|member| member.round == round).count();
        let (now, rest) = later.split_at(n_members);
        later = rest;
        (round, now)
    })
}

/// Whether any of these hypotheses looks at each column.
#[must_use]
pub fn tested_columns(members: &[Member], n_columns: usize) -> Vec<bool> {
    let mut tested = vec![false; n_columns];
    for column in members.iter().flat_map(|member| member.hypothesis.columns()) {
        tested[column] = true;
    }
    tested
}

/// Rows to be scored.
#[derive(Clone)]
pub struct Given<'a> {
    /// The columns.
    pub table: Table<'a>,
    /// The same rows for external hypotheses.
    pub external: Option<Arc<dyn ExternalRows>>,
}

impl Model {
    /// A model from its parts.
    #[must_use]
    pub fn new(
        schema: Schema,
        combiner: Combiner,
        members: Vec<Member>,
        history: History,
        stop_reason: StopReason,
    ) -> Self {
        let scorer = OnceLock::new();
        Self { schema, combiner, members, history, stop_reason, scorer }
    }

    /// The weight that a hypothesis had in its run, whatever it has now.
    #[must_use]
    pub fn boosted_weight(&self, member: &Member) -> f64 {
        let n_weights = self.history.n_weights();
        let at = member.round * n_weights + if n_weights == 1 { 0 } else { member.output };
        self.history.boosted.get(at).copied().unwrap_or(member.weight)
    }

    /// What the model tells of every row, row by row: one score, or one for each class.
    pub fn decision_function(
        self: &Arc<Self>,
        given: &Given,
        workers: &Workers,
    ) -> Result<Vec<f64>> {
        if self.schema.view != ViewKind::Codes {
            return self.staged(given, workers)?.finish(workers);
        }
        let columns = given.table.align(&self.schema)?;
        let scorer = self.scorer();
        scorer.score(self, given.table.n_rows(), workers, &|feature, start, codes| {
            scorer.encode(self, (feature, &columns[feature]), start, codes);
        })
    }

    fn scorer(&self) -> &Scorer {
        self.scorer.get_or_init(|| Scorer::new(self))
    }

    /// The same after each round, computed round by round.
    pub fn staged(self: &Arc<Self>, given: &Given, workers: &Workers) -> Result<Staged> {
        let columns = given.table.align(&self.schema)?;
        let n_rows = given.table.n_rows();
        let view = match self.schema.view {
            ViewKind::Codes => {
                View::Codes(Binned::encode(&columns, &self.schema.bins(), None, n_rows, workers)?)
            }
            ViewKind::Numbers => {
                let scalings = self.schema.scalings()?;
                View::Numbers(Numbers::encode(&columns, &scalings, None, n_rows, workers)?)
            }
            ViewKind::Frame => match &given.external {
                Some(external) => View::Frame(Frame::new(external.clone())),
                None => {
                    return Err(Error::internal(
                        "an external model was scored without the caller's frame",
                    ));
                }
            },
        };
        Ok(Staged::new(self, view, n_rows))
    }
}
