//! What a booster can do and what it needs, whatever its parameters are.
//!
//! In: nothing. Out: a value that every booster states in full, for the settings, for Python and for
//! tests that run over all boosters.

use serde::Serialize;

use crate::combiner::MarginLoss;
use crate::demand::Needs;

/// What a booster can do. There is no default, so that a new booster has to state all of it; a
/// constant below serves those of which all of it is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub struct Capabilities {
    /// Which answers of weak hypotheses it can use.
    pub needs: Needs,
    /// How it combines its hypotheses.
    pub combines: Combines,
    /// Whether it separates two classes, so that more of them become two-class problems.
    pub is_binary: bool,
    /// The loss of a margin that it lowers, by which two-class problems can be decoded; `None` if it
    /// takes any number of classes at once.
    pub loss: Option<MarginLoss>,
    /// Which parameter sets the number of rounds.
    pub rounds: RoundsParameter,
    /// Whether a learning rate other than 1 makes sense.
    pub learning_rate: bool,
    /// Whether the weights of earlier hypotheses change in every round.
    pub is_corrective: bool,
    /// Whether answers have costs, which the user can set.
    pub costs: bool,
    /// Whether rows may have several labels.
    pub label_sets: bool,
    /// Whether scores of two classes can be kept in order along columns.
    pub monotone: bool,
    /// Whether learners may see samples that are drawn by the weights, instead of these.
    pub resample: bool,
    /// Whether the rows may be spread over several shards, each in a process of its own.
    pub may_shard: bool,
}

impl Capabilities {
    /// Boosters of votes for one of two sides, added with weights of their own.
    pub(super) const TWO_SIDED_VOTES: Self = Self {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: true,
        loss: Some(MarginLoss::Exponential),
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };

    /// Committees of votes for classes that all count the same.
    pub(super) const EQUAL_VOTES: Self = Self {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: false,
        loss: None,
        rounds: RoundsParameter::NEstimators,
        learning_rate: false,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };
}

/// How hypotheses make a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Combines {
    /// Weighted answers are added.
    Sum,
    /// Hypotheses that fire are counted.
    Buckets,
    /// Hypotheses move rows through a grid.
    Grid,
}

/// The parameter that sets the number of rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundsParameter {
    /// `n_estimators`.
    NEstimators,
    /// `n_layers`.
    NLayers,
}
