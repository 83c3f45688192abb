//! A learner of the caller's: any scikit-learn classifier that takes sample weights (C5), or any at
//! all where demands are samples.
//!
//! In: the caller's own rows and a demand. Out: whatever the caller fits to them. Weights are handed
//! over with mean 1, the scale on which classifiers expect them.

use serde::{Deserialize, Serialize};

use super::{Learner, Start};
use crate::data::{ExternalDemand, ExternalQuestion, View};
use crate::demand::{Demand, Question};
use crate::error::{Error, Result};
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
        let asked = match start.question {
            Question::Side if start.needs.wants_votes() => ExternalQuestion::Vote,
            Question::Side => ExternalQuestion::Real,
            Question::Class(_) => ExternalQuestion::Class,
            Question::Buckets { .. } => return Err(super::no_buckets("a scikit-learn classifier")),
            Question::Newton(_) => return Err(super::no_newton("a scikit-learn classifier")),
            Question::EachClass(_) => {
                return Err(Error::parameter(
                    "estimator",
                    "a scikit-learn classifier with shared=True",
                    "Stump(), Rule() or Tree(), or shared=False",
                ));
            }
        };
        let learns_labels = start.learns_labels;
        Ok(Box::new(ExternalLearner { asked, learns_labels, round: start.found_before }))
    }
}

struct ExternalLearner {
    asked: ExternalQuestion,
    learns_labels: bool,
    round: usize,
}

impl Learner for ExternalLearner {
    fn fit(&mut self, view: &View, demand: &Demand, _: &Workers) -> Result<Hypothesis> {
        let frame = view.frame()?;
        let (targets, weights) = demand.sides_by_row(frame.n_rows());
        let targets = (!self.learns_labels).then_some(targets);
        let object = frame.fit(ExternalDemand { weights, targets, round: self.round })?;
        self.round += 1;
        Ok(Hypothesis::External(External { object, asked: self.asked }))
    }
}
