//! A learner of the caller's: any scikit-learn classifier that takes sample weights (C5).
//!
//! In: the caller's own rows and a demand. Out: whatever the caller fits to them. Weights are handed
//! over with mean 1, the scale on which classifiers expect them.

use serde::{Deserialize, Serialize};

use super::{Demand, Learner, Start};
use crate::data::View;
use crate::error::Result;
use crate::hypothesis::{External, Hypothesis};
use crate::workers::Workers;

/// Which answers are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExternalAnswer {
    /// Votes for boosters that need them, else confidences.
    Auto,
}

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExternalSettings {
    /// Which answers are asked for.
    pub answer: ExternalAnswer,
}

impl ExternalSettings {
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        Ok(Box::new(ExternalLearner { real: !start.votes_needed, round: start.rounds_before }))
    }
}

struct ExternalLearner {
    real: bool,
    round: usize,
}

impl Learner for ExternalLearner {
    fn fit(&mut self, view: &View, demand: &Demand, _: &Workers) -> Result<Hypothesis> {
        let object = view.frame()?.fit(&demand.mean_one(), self.round)?;
        self.round += 1;
        Ok(Hypothesis::External(External { object, real: self.real }))
    }
}
