//! How to search for a weak hypothesis: a demand comes in, the best hypothesis goes out.
//!
//! `histogram` adds the weights of a demand up by code, `kept_sums` keeps that for the next demand,
//! `criterion` scores a test from the sums on
//! its two sides; then one file per learner. The registry below is the only place
//! that knows them all.

mod adder;
mod any_search;
mod bucket_sums;
mod channel_sums;
mod class_pairs;
mod column_sums;
mod criterion;
mod cuts;
mod external;
mod group_sums;
mod histogram;
mod kept_sums;
mod kernels;
mod newton_sums;
mod rbf_net;
mod row_order;
mod rule;
mod search_input;
mod stump;
mod subset_search;
mod test_search;
mod tree;

pub use criterion::{AnswerName, AnswerRule, CriterionName};
pub use external::{ExternalAnswer, ExternalSettings};
pub use histogram::Histogram;
pub use rbf_net::{NetAnswer, RbfNetSettings};
pub use rule::RuleSettings;
pub use stump::StumpSettings;
pub use tree::{MaxFeatures, NamedFeatures, Splitter, TreeSettings};

use serde::{Deserialize, Serialize};

use crate::data::{View, ViewKind};
use crate::demand::{Demand, Needs, Question};
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;
use crate::wire::wire_name;
use crate::workers::Workers;

/// A weak learner at work; it keeps its scratch memory between rounds.
pub trait Learner: Send {
    /// The best hypothesis for this demand.
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis>;
}

/// What a learner needs to begin.
#[derive(Clone, Copy)]
pub struct Start<'a> {
    /// The training rows.
    pub view: &'a View,
    /// What all demands will ask.
    pub question: Question,
    /// Whether the kinds of rows are the classes as the caller knows them.
    pub learns_labels: bool,
    /// Which answers the booster can use.
    pub needs: Needs,
    /// Hypotheses that were found before (warm start).
    pub found_before: usize,
    /// The most rows that any shard has, by which all of them decide what they keep.
    pub most_rows: usize,
    /// The user's seed.
    pub seed: u64,
    /// By column: +1 if answers must not fall along it, −1 if they must not rise, 0 for any order;
    /// empty if no column has an order.
    pub signs: &'a [i8],
}

/// The registry of weak learners: one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LearnerSettings {
    /// Decision stumps.
    Stump(StumpSettings),
    /// Conjunctions of literals.
    Rule(RuleSettings),
    /// Decision trees.
    Tree(TreeSettings),
    /// Nets of radial basis functions.
    RbfNet(RbfNetSettings),
    /// A classifier of the caller's.
    External(ExternalSettings),
}

impl LearnerSettings {
    /// Checks the settings and makes the learner ready.
    pub fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        let learner = match self {
            Self::Stump(settings) => settings.start(start),
            Self::Rule(settings) => settings.start(start),
            Self::Tree(settings) => settings.start(start),
            Self::RbfNet(settings) => settings.start(start),
            Self::External(settings) => settings.start(start),
        };
        learner.map_err(Error::of_estimator)
    }

    /// What the learner reads.
    #[must_use]
    pub fn view_kind(&self) -> ViewKind {
        match self {
            Self::Stump(_) | Self::Rule(_) | Self::Tree(_) => ViewKind::Codes,
            Self::RbfNet(_) => ViewKind::Numbers,
            Self::External(_) => ViewKind::Frame,
        }
    }

    /// The kind of answer, if it is one that a booster with such needs cannot use.
    #[must_use]
    pub fn answer_beyond(&self, needs: Needs) -> Option<String> {
        let answer = match self {
            Self::RbfNet(_) | Self::External(_) if needs == Needs::OwnSteps => return None, // refused as such
            Self::Stump(settings) => settings.answer,
            Self::Rule(settings) => settings.answer,
            Self::Tree(settings) => settings.answer,
            Self::RbfNet(settings) => {
                let too_much = settings.answer == NetAnswer::Clipped && needs == Needs::Votes;
                return too_much.then(|| "clipped".to_owned());
            }
            Self::External(_) => return None,
        };
        let rule = answer.resolve(needs);
        let fits = match needs {
            Needs::OwnSteps => answer == AnswerName::Auto,
            Needs::Votes => rule == AnswerRule::Vote,
            Needs::UnitAnswers | Needs::Shares => rule != AnswerRule::Logistic,
            Needs::Nothing => true,
        };
        (!fits).then(|| wire_name(&rule))
    }
}

/// Refuses a learner that cannot look into buckets.
fn no_buckets(learner: &str) -> Error {
    let expected = "Stump(), Rule() or Tree(), which can look at all buckets at once";
    Error::parameter("estimator", learner, expected)
}

/// Refuses a learner that cannot make Newton steps.
fn no_newton(learner: &str) -> Error {
    let expected = "Stump(), Rule() or Tree(), whose parts can answer with Newton steps";
    Error::parameter("estimator", learner, expected)
}
