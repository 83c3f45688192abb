//! How to search for a weak hypothesis: a demand comes in, the best hypothesis goes out.
//!
//! `demand` is what a booster asks for, `histogram` adds it up by code, `criterion` scores a test
//! from the sums on its two sides; then one file per learner. The registry below is the only place
//! that knows them all.

mod criterion;
mod demand;
mod histogram;
mod stump;

pub use criterion::{AnswerRule, CriterionName};
pub use demand::{Demand, FULL_WEIGHT};
pub use histogram::Histogram;
pub use stump::StumpSettings;

use serde::{Deserialize, Serialize};

use crate::data::Binned;
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::workers::Workers;

/// A weak learner at work; it keeps its scratch memory between rounds.
pub trait Learner: Send {
    /// The best hypothesis for this demand.
    fn fit(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<Hypothesis>;
}

/// The registry of weak learners: one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnerSettings {
    /// Decision stumps.
    Stump(StumpSettings),
}

impl LearnerSettings {
    /// Checks the settings and makes the learner ready for `data`, whose lightest row has the share
    /// `lightest` of the start weight.
    pub fn start(&self, data: &Binned, lightest: f64) -> Result<Box<dyn Learner>> {
        match self {
            Self::Stump(settings) => settings.start(data, lightest),
        }
    }

    /// How the learner's answers are made.
    #[must_use]
    pub fn answer(&self) -> AnswerRule {
        match self {
            Self::Stump(settings) => settings.answer,
        }
    }
}
