//! Everything a user can set for a fit, read from JSON and checked.
//!
//! In: JSON from the Python estimators. Out: settings whose values are in range; errors name the
//! parameter, what came and what was expected.

mod wording;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::booster::{BoosterSettings, Decode, Decomposition, check_time_limit};
use crate::combiner::MarginLoss;
use crate::data::ViewKind;
use crate::demand::Needs;
use crate::error::{Error, Result};
use crate::learner::{LearnerSettings, MaxFeatures};
use crate::sampling::Sampling;
use crate::solver::Program;
use wording::explain;
pub(crate) use wording::in_python;

/// Everything the user sets; the Python estimators fill it from their parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(clippy::struct_excessive_bools)] // each is a parameter of its own
#[allow(missing_docs)] // the fields are the estimators' parameters, documented there
pub struct Settings {
    pub booster: BoosterSettings,
    pub estimator: LearnerSettings,
    /// For boosters that do not count layers.
    #[serde(default)]
    pub n_estimators: usize,
    pub learning_rate: f64,
    pub max_bins: usize,
    pub categorical_features: Vec<usize>,
    pub early_stopping: bool,
    pub validation_fraction: f64,
    pub n_iter_no_change: Option<usize>,
    /// What early stopping watches.
    #[serde(default)]
    pub scoring: Scoring,
    /// The share of the rows that every hypothesis learns from, and whether they are drawn with
    /// replacement.
    #[serde(default = "one")]
    pub subsample: f64,
    #[serde(default)]
    pub replace: bool,
    /// Whether learners see samples drawn by the weights instead of these.
    #[serde(default)]
    pub resample: bool,
    pub tol: f64,
    pub random_state: u64,
    pub n_jobs: Option<i64>,
    /// By column: +1 if the score must not fall along it, −1 if it must not rise, 0 for any order;
    /// empty if no column has an order.
    #[serde(default)]
    pub monotonic_cst: Vec<i8>,
    /// The number of classes.
    pub n_classes: usize,
    /// How boosters that tell two sides apart learn more classes.
    #[serde(default)]
    pub decomposition: Option<Decomposition>,
    /// How the scores of its problems make one for each class.
    #[serde(default)]
    pub decode: Decode,
    /// The program whose solution replaces the weights when the run is over.
    #[serde(default)]
    pub program: Option<ProgramSettings>,
    /// The forests beside the booster, for a model that is made of both.
    #[serde(default)]
    pub pool: Option<PoolSettings>,
    /// Whether identical rows may be treated as one; only tests say no.
    #[serde(default = "yes")]
    pub merge_rows: bool,
}

fn yes() -> bool {
    true
}

fn one() -> f64 {
    1.0
}

/// What early stopping watches on validation rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scoring {
    /// The log loss, or the expected cost where answers have a price.
    #[default]
    Loss,
    /// The share of rows that are classified right.
    Accuracy,
}

impl Settings {
    /// Reads settings from JSON; errors name the parameter, what came and what was expected.
    pub fn from_json(json: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(json)
            .map_err(|e| Error::internal(format!("settings are not JSON: {e}")))?;
        serde_path_to_error::deserialize(&value).map_err(|e| explain(&value, &e))
    }

    /// The largest number of rounds, and the parameter that sets it.
    #[must_use]
    pub fn n_rounds(&self) -> (&'static str, usize) {
        let layers = self.booster.n_layers().map(|n_layers| ("n_layers", n_layers));
        layers.unwrap_or(("n_estimators", self.n_estimators))
    }

    /// The loss of a margin that two-class problems can be decoded by: that of the booster, or of the
    /// slack in programs.
    #[must_use]
    pub fn loss(&self) -> Option<MarginLoss> {
        match self.program {
            Some(_) => Some(MarginLoss::Hinge),
            None => self.booster.capabilities().loss,
        }
    }

    /// How every hypothesis draws its rows; `None` if it sees all of them.
    #[must_use]
    pub fn sampling(&self) -> Option<Sampling> {
        let sampling = Sampling {
            share: self.subsample,
            with_replacement: self.replace,
            seed: self.random_state,
        };
        (self.subsample < 1.0 || self.replace).then_some(sampling)
    }

    /// Rounds without progress after which early stopping ends a run of so many rounds: by default
    /// a fifth of them, and at least ten.
    #[must_use]
    pub fn patience(&self, n_rounds: usize) -> usize {
        self.n_iter_no_change.unwrap_or_else(|| (n_rounds / 5).max(10))
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        let (name, n_rounds) = self.n_rounds();
        if n_rounds < 1 {
            return Err(Error::parameter(name, n_rounds, "an integer >= 1"));
        }
        if !positive(self.learning_rate) {
            return Err(Error::parameter("learning_rate", self.learning_rate, "a number > 0"));
        }
        if !(2..=65_535).contains(&self.max_bins) {
            return Err(Error::parameter("max_bins", self.max_bins, "an integer in 2..65535"));
        }
        if !(self.validation_fraction > 0.0 && self.validation_fraction < 1.0) {
            let expected = "a number in the open interval (0, 1)";
            return Err(Error::parameter(
                "validation_fraction",
                self.validation_fraction,
                expected,
            ));
        }
        if self.n_iter_no_change == Some(0) {
            return Err(Error::parameter("n_iter_no_change", 0, "None or an integer >= 1"));
        }
        if !(self.subsample > 0.0 && self.subsample <= 1.0) {
            return Err(Error::parameter("subsample", self.subsample, "a number in (0, 1]"));
        }
        if !(self.tol.is_finite() && self.tol >= 0.0) {
            return Err(Error::parameter("tol", self.tol, "a number >= 0"));
        }
        if self.n_classes < 2 {
            return Err(Error::internal(format!("{} classes", self.n_classes)));
        }
        if let Some(program) = &self.program {
            program.check()?;
        }
        if let Some(pool) = &self.pool {
            pool.check()?;
        }
        if self.resample && !self.booster.capabilities().resample {
            let expected = "False, because learners of this booster see no weights that rows could \
                            be drawn by";
            return Err(Error::parameter("resample", "True", expected));
        }
        self.check_order()?;
        self.check_answers()
    }

    /// Refuses what cannot be fitted to rows that are spread over several shards.
    pub fn check_shardable(&self) -> Result<()> {
        let refuse = |name: &str, got: &str, expected: &str| {
            Err(Error::parameter(name, got, &format!("{expected}: rows are spread over shards")))
        };
        if self.pool.is_some() {
            return refuse("model", "WeakForceClassifier", "a booster without forests");
        }
        if self.program.is_some() {
            return refuse("reweight", "a program over all margins", "None");
        }
        if self.estimator.view_kind() != ViewKind::Codes {
            let got = format!("a learner that reads {}", self.estimator.view_kind().describe());
            return refuse("estimator", &got, "Stump(), Rule() or Tree()");
        }
        if self.resample {
            return refuse("resample", "True", "False");
        }
        if !self.booster.capabilities().may_shard {
            let named = BoosterSettings::all().into_iter().filter(|(_, can)| can.may_shard);
            let named: Vec<&str> = named.map(|(name, _)| name).collect();
            let expected = format!("one of {}", named.join(", "));
            return refuse("booster", &wire_name_of(&self.booster), &expected);
        }
        Ok(())
    }

    /// Refuses an order of scores along columns where it cannot be kept.
    fn check_order(&self) -> Result<()> {
        if self.monotonic_cst.is_empty() {
            return Ok(());
        }
        let refused = |expected: &str| {
            Err(Error::parameter("monotonic_cst", "an order along columns", expected))
        };
        if !self.booster.capabilities().monotone {
            return refused(
                "None: only LogitBoostClassifier, RealAdaBoostClassifier, GentleBoostClassifier and \
                 WeakForceClassifier keep it",
            );
        }
        if !matches!(self.estimator, LearnerSettings::Stump(_) | LearnerSettings::Tree(_)) {
            return refused("None, or Stump() or Tree() as the estimator");
        }
        if self.n_classes > 2 {
            return refused("None, because there are more than two classes");
        }
        Ok(())
    }

    /// Refuses a learner whose answers the booster cannot use.
    fn check_answers(&self) -> Result<()> {
        let needs = self.booster.capabilities().needs;
        let Some(got) = self.estimator.answer_beyond(needs) else { return Ok(()) };
        let expected = match needs {
            Needs::Votes => "answer='vote', because this booster needs answers of -1 or +1",
            Needs::OwnSteps => "answer='auto', because this booster makes Newton steps",
            _ => {
                "answer='vote' or answer='gentle', because this booster needs answers from -1 to +1"
            }
        };
        Err(Error::parameter("estimator", format!("answer='{got}'"), expected))
    }
}

/// What can be set of the forests beside a booster, and of both together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PoolSettings {
    /// Trees of each forest; as many as suit the rows if `None`.
    pub n_trees: Option<usize>,
    /// Columns that are tried at a node of a forest's tree.
    pub max_features: Option<MaxFeatures>,
    /// Seconds that a fit may take, about.
    pub time_limit: Option<f64>,
    /// Whether the most boosted rounds are those that suit the rows.
    pub auto_rounds: bool,
}

impl PoolSettings {
    /// Refuses values out of range.
    pub fn check(&self) -> Result<()> {
        if self.n_trees == Some(0) {
            return Err(Error::parameter("n_trees", 0, "None or an integer >= 1"));
        }
        match self.time_limit {
            Some(limit) if limit.is_nan() || limit <= 0.0 => {
                Err(Error::parameter("time_limit", limit, "None or a number of seconds > 0"))
            }
            _ => Ok(()),
        }
    }
}

/// Which program replaces the weights of hypotheses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgramSettings {
    /// What is to be solved.
    pub method: Method,
    /// What slack costs.
    #[serde(rename = "C")]
    pub c: Option<f64>,
    /// Whether hypotheses of no weight are dropped.
    pub prune: bool,
    /// Seconds that the solver may take.
    pub time_limit: Option<f64>,
    /// Whether weights stay as they are, but for their sum, where no weights give every row a
    /// positive margin.
    #[serde(default)]
    pub keep_inseparable: bool,
}

/// The programs by the names users give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The hard margin.
    Lp,
    /// The soft margin.
    LpReg,
    /// Slack and the sum of squares.
    QpReg,
    /// Slack and the sum.
    L1,
}

impl ProgramSettings {
    fn check(&self) -> Result<()> {
        let refuse = |got: String, expected: &str| Err(Error::parameter("C", got, expected));
        match (self.method, self.c) {
            (Method::Lp, None) => {}
            (Method::Lp, Some(c)) => {
                return refuse(
                    c.to_string(),
                    "None, because the hard margin ('lp') knows no slack",
                );
            }
            (method, None) => {
                let least = if method == Method::LpReg { "a number >= 1" } else { "a number > 0" };
                return refuse("None".into(), least);
            }
            (Method::LpReg, Some(c)) if !(c.is_finite() && c >= 1.0) => {
                return refuse(c.to_string(), "a number >= 1 (C = 1/nu)");
            }
            (_, Some(c)) if !(c.is_finite() && c > 0.0) => {
                return refuse(c.to_string(), "a number > 0");
            }
            _ => {}
        }
        check_time_limit(self.time_limit)
    }

    /// The program for the solver, if it is given fewer rows than the user gave: so many have been
    /// made one on average.
    #[must_use]
    pub fn program(&self, rows_per_place: f64) -> Program {
        let c = self.c.unwrap_or(0.0);
        match self.method {
            Method::Lp => Program::HardMargin,
            Method::LpReg => Program::SoftMargin { c },
            Method::QpReg => Program::Quadratic { c },
            Method::L1 => Program::OneNorm { c: c * rows_per_place },
        }
    }

    /// What the sum of all duals is multiplied by to give ν, the mean share of the duals in the most
    /// that they may be.
    #[must_use]
    pub fn nu_per_dual(&self, n_rows: usize) -> f64 {
        let c = self.c.unwrap_or(f64::INFINITY);
        match self.method {
            Method::Lp => 0.0,
            Method::LpReg | Method::QpReg => 1.0 / c,
            Method::L1 => 1.0 / (c * n_rows as f64),
        }
    }
}

/// The name of a booster in settings.
fn wire_name_of(booster: &BoosterSettings) -> String {
    let value = serde_json::to_value(booster).unwrap_or_default();
    let name = value.as_object().and_then(|fields| fields.keys().next().cloned());
    name.unwrap_or_default()
}
