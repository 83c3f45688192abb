//! How the demand evolves: what each algorithm makes of a hypothesis' answers.
//!
//! One file per algorithm. A booster never sees the data, only answers. A [`Booster`] goes through
//! one hypothesis at a time: it says what the next one should attend to (`demand`), what it is worth
//! (`judge`), and takes it into account (`update`). A [`Team`] does the same for a whole round, in
//! which several hypotheses may be wanted: one for each class, or for each column of a code. The
//! registry is the only place that knows them all.

mod adaboost_r;
mod arc_gv;
mod arc_x4;
mod bagging;
mod capabilities;
mod combination;
mod corrective;
mod costs;
mod discrete;
mod line_search;
mod logit;
mod martingale;
mod multi_boost;
mod pairs;
mod real;
mod registry;
mod regularized;
mod row_draws;
mod row_weights;
mod run_report;
mod scores;
mod separate;
mod softmax;
mod symmetric;
mod target;
mod team;
mod tries;

pub use adaboost_r::AdaBoostRSettings;
pub use arc_gv::ArcGvSettings;
pub use arc_x4::ArcX4Settings;
pub use bagging::BaggingSettings;
pub use capabilities::{Capabilities, Combines, RoundsParameter};
pub use corrective::CorrectiveSettings;
pub(crate) use corrective::check_time_limit;
pub use costs::Costs;
pub use discrete::{DiscreteSettings, VotesSettings};
pub use logit::LogitSettings;
pub use martingale::MartingaleSettings;
pub use multi_boost::MultiBoostSettings;
pub use pairs::PairsSettings;
pub use real::{GentleSettings, RealSettings, StepRule};
pub use registry::BoosterSettings;
pub use regularized::RegularizedSettings;
pub use row_weights::RowWeights;
pub use run_report::RunReport;
pub use scores::Scores;
pub use softmax::{SoftmaxSettings, SoftmaxStep};
pub use symmetric::SymmetricSettings;
pub use target::{Atom, Target};
pub use team::{Decode, Decomposition, Found, RoundJudgement, SideBySide, Team, TeamStart};

use crate::data::Rows;
use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::hypothesis::RowNumbers;
use crate::model::StopReason;
use crate::workers::Workers;

/// The largest weight of a hypothesis whose answers reach ±1: half the log-odds of an error that no
/// double can tell from zero.
pub const WEIGHT_CAP: f64 = 18.0;

/// An edge below this is none.
pub const NO_EDGE: f64 = 1e-12;

/// Refuses a learning rate other than 1 for a booster that has no use for it.
fn check_unshrunk(learning_rate: f64, because: &str) -> Result<()> {
    #[allow(clippy::float_cmp)] // the default and nothing else
    if learning_rate == 1.0 {
        return Ok(());
    }
    Err(Error::parameter("learning_rate", learning_rate, &format!("1, because {because}")))
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
pub struct Feedback<'a> {
    /// Row by row.
    pub numbers: &'a RowNumbers<'a>,
    /// Added up under the current weights.
    pub atoms: &'a [Atom],
}

/// A boosting algorithm that goes through one hypothesis at a time.
pub trait Booster: Send {
    /// What the next hypothesis should attend to.
    fn demand(&mut self, workers: &Workers) -> Result<Demand<'_>>;
    /// What a hypothesis with these answers is worth.
    fn judge(&mut self, feedback: &Feedback, workers: &Workers) -> Result<Judgement>;
    /// Takes a hypothesis of this weight into account.
    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()>;
    /// The current distribution over the training rows of the shard.
    fn row_weights(&self) -> &RowWeights;
    /// The weights of all hypotheses so far, in order, if they change with every new one.
    fn corrected(&self) -> Option<&[f64]> {
        None
    }
    /// Called when the run is over, before the last look at the weights.
    fn finish(&mut self, _: &Workers) -> Result<()> {
        Ok(())
    }
    /// What else there is to tell when the run is over.
    fn report(&self) -> RunReport {
        RunReport::default()
    }
    /// The same, for boosters that tell more of several classes.
    fn reports(&self) -> Vec<RunReport> {
        vec![self.report()]
    }
}

/// What every booster needs to start.
pub struct Start<'a> {
    /// The training rows.
    pub rows: &'a Rows,
    /// What hypotheses are to find out.
    pub target: Target,
    /// How much each row is mistrusted, for boosters that take it.
    pub mistrust: Option<&'a [f64]>,
    /// Shrinks every weight before the update.
    pub learning_rate: f64,
    /// How near to the optimum is near enough.
    pub tol: f64,
    /// For boosters that draw.
    pub seed: u64,
    /// Whether learners see samples instead of weights.
    pub resample: bool,
    /// The largest number of rounds.
    pub n_rounds: usize,
    /// Who works, and the way to the shards that hold other rows.
    pub workers: &'a Workers,
}
