//! How the demand evolves: what each algorithm makes of a hypothesis' answers.
//!
//! One file per algorithm. A booster never sees the data, only answers; it says what the next
//! hypothesis should attend to (`demand`), what the last one is worth (`judge`), and takes it into
//! account (`update`). The registry below is the only place that knows them all.

mod adaboost_r;
mod arc_gv;
mod discrete;
mod line_search;
mod real;
mod row_weights;
mod scores;

pub use adaboost_r::AdaBoostRSettings;
pub use arc_gv::ArcGvSettings;
pub use discrete::DiscreteSettings;
pub use real::{RealSettings, StepRule};
pub use row_weights::{Atom, RowWeights};
pub use scores::Scores;

use serde::{Deserialize, Serialize};

use crate::data::Rows;
use crate::error::{Error, Result};
use crate::hypothesis::Answers;
use crate::learner::{Demand, LearnerSettings};
use crate::workers::Workers;

/// The largest weight of a hypothesis whose answers reach ±1: half the log-odds of an error that no
/// double can tell from zero.
pub const WEIGHT_CAP: f64 = 18.0;

/// An edge below this is none.
pub const NO_EDGE: f64 = 1e-12;

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All rounds were run.
    NEstimators,
    /// No hypothesis has an edge any more.
    NoEdge,
    /// A hypothesis makes no error at all.
    Perfect,
    /// The validation score stopped rising.
    EarlyStopping,
    /// A callback asked for it.
    Callback,
}

/// What becomes of the run after a hypothesis was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Keep it and go on.
    Keep,
    /// Keep it and stop.
    KeepAndStop(StopReason),
    /// Drop it and stop.
    DropAndStop(StopReason),
    /// Drop it and ask again.
    Retry,
}

/// The judgement on one hypothesis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Judgement {
    /// Its weight in the sum (α).
    pub weight: f64,
    /// Its edge under the row weights (γ or μ).
    pub edge: f64,
    /// Its weighted error.
    pub error: f64,
    /// What to do with it.
    pub verdict: Verdict,
}

/// The answers of a hypothesis to the training rows, row by row and added up.
pub struct Told<'a> {
    /// Row by row.
    pub answers: &'a Answers,
    /// Added up under the current weights.
    pub atoms: &'a [Atom],
}

/// A boosting algorithm at work.
pub trait Booster: Send {
    /// What the next hypothesis should attend to.
    fn demand(&mut self) -> Demand<'_>;
    /// What a hypothesis with these answers is worth; `scores` are those of the rounds before.
    fn judge(&mut self, atoms: &[Atom], scores: &Scores, workers: &Workers) -> Result<Judgement>;
    /// Takes a hypothesis of this weight into account.
    fn update(&mut self, told: &Told, weight: f64, workers: &Workers) -> Result<()>;
    /// The current distribution over the training rows.
    fn row_weights(&self) -> &RowWeights;
}

/// What every booster needs to start.
pub struct Start<'a> {
    /// The training rows.
    pub rows: &'a Rows,
    /// Shrinks every weight before the update.
    pub learning_rate: f64,
    /// For boosters that draw.
    pub seed: u64,
}

/// The registry of boosters: one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BoosterSettings {
    /// AdaBoost and the ATA(φ) family.
    Discrete(DiscreteSettings),
    /// arc-gv.
    ArcGv(ArcGvSettings),
    /// Real AdaBoost.
    Real(RealSettings),
    /// `AdaBoost_R`.
    AdaboostR(AdaBoostRSettings),
}

impl BoosterSettings {
    /// Checks the settings and returns the complete first state.
    pub fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        match self {
            Self::Discrete(settings) => settings.start(start),
            Self::ArcGv(settings) => settings.start(start),
            Self::Real(settings) => settings.start(start),
            Self::AdaboostR(settings) => settings.start(start),
        }
    }

    /// Whether hypotheses must answer −1 or +1.
    #[must_use]
    pub fn needs_votes(&self) -> bool {
        matches!(self, Self::Discrete(_) | Self::ArcGv(_))
    }

    /// Whether identical rows may be treated as one: not if rows are drawn one by one.
    #[must_use]
    pub fn may_merge_rows(&self) -> bool {
        !matches!(self, Self::Discrete(settings) if settings.resample)
    }

    /// Refuses a learner whose answers the booster cannot use.
    pub fn check_learner(&self, learner: &LearnerSettings) -> Result<()> {
        if self.needs_votes()
            && let Some(got) = learner.answer_that_is_no_vote()
        {
            let expected = "answer='vote', because this booster needs answers of -1 or +1";
            return Err(Error::parameter("estimator", format!("answer='{got}'"), expected));
        }
        Ok(())
    }
}
