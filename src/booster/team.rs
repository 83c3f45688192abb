//! What goes through a whole round, in which several hypotheses may be wanted.
//!
//! In: scores and the answers of the hypotheses of a round. Out: demands, judgements, and what the
//! scores mean.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Costs, Judgement, RunReport, Scores, Verdict};
use crate::combiner::{Combiner, MarginLoss};
use crate::data::Rows;
use crate::demand::{Demand, OwnedDemand, Question};
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::Workers;

/// A hypothesis that a team has asked for.
pub struct Found<'a> {
    /// The search that found it.
    pub search: usize,
    /// What it says of the training rows.
    pub answers: &'a Answers,
    /// The nats that it takes to name its tests, where these are chosen among so many.
    pub length: f64,
}

/// The judgement on the hypotheses of a round: together, or search by search.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundJudgement {
    /// Their weight in the sum (α), or one for each search; `None` for those that are dropped.
    pub weights: Vec<Option<f64>>,
    /// Their edges.
    pub edges: Vec<f64>,
    /// Their weighted errors.
    pub errors: Vec<f64>,
    /// What becomes of the run.
    pub verdict: Verdict,
}

impl RoundJudgement {
    /// One judgement on all.
    #[must_use]
    pub fn on_all(judgement: Judgement) -> Self {
        Self {
            weights: vec![Some(judgement.weight)],
            edges: vec![judgement.edge],
            errors: vec![judgement.error],
            verdict: judgement.verdict,
        }
    }
}

/// What goes through a whole round.
pub trait Team: Send {
    /// The scores that hypotheses add to.
    fn combiner(&self) -> &Combiner;
    /// What is asked of every hypothesis.
    fn question(&self) -> Question;
    /// How many hypotheses a round has at most.
    fn n_searches(&self) -> usize;
    /// How many weights a round has: one, or one for each search.
    fn n_weights(&self) -> usize;
    /// What the hypothesis of one search should attend to; `None` if there is nothing to find.
    /// Searches are asked for in ascending order; `scores` are those of the rounds before.
    fn demand(
        &mut self,
        search: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>>;
    /// What the searches of a round ask for, if they need not wait for each other.
    fn side_by_side(&self) -> Option<&dyn SideBySide> {
        None
    }
    /// What the hypotheses of a round are worth.
    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement>;
    /// Takes the hypotheses into account, with these weights.
    fn update(&mut self, found: &[Found], weights: &[Option<f64>], workers: &Workers)
    -> Result<()>;
    /// The current weight of the input rows at each place of the shard, in class order, and of all together.
    fn row_weights(&self, scores: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)>;
    /// The weights of all hypotheses so far, by search, if they change with every new one.
    fn corrected(&self) -> Option<Vec<Vec<f64>>> {
        None
    }
    /// Called when the run is over, before the last look at the weights.
    fn finish(&mut self, _: &Workers) -> Result<()> {
        Ok(())
    }
    /// How many rounds the model is to have; `None` for all that were run.
    fn n_kept(&self) -> Option<usize> {
        None
    }
    /// What else there is to tell when the run is over, by search; about rows, by place.
    fn reports(&self) -> Vec<RunReport> {
        Vec::new()
    }
}

/// The searches of a round that can be made at the same time.
pub trait SideBySide: Sync {
    /// What the hypothesis of one search should attend to; `None` if there is nothing to find.
    fn ask(&self, search: usize, scores: &Scores, workers: &Workers)
    -> Result<Option<OwnedDemand>>;
    /// The share of the lightest row in the start weight of a search.
    fn lightest(&self, search: usize) -> f64;
    /// A number that no other search of any round has.
    fn number(&self, search: usize) -> usize;
}

/// What a team needs to start.
pub struct TeamStart<'a> {
    /// The training rows.
    pub rows: &'a Rows,
    /// The number of classes.
    pub n_classes: usize,
    /// How boosters that tell two sides apart learn more classes.
    pub decomposition: Option<&'a Decomposition>,
    /// How their scores make one for each class.
    pub decode: Decode,
    /// The loss of a margin under the weights that the model will have.
    pub loss: Option<MarginLoss>,
    /// What answers cost.
    pub costs: Option<Arc<Costs>>,
    /// How much each row is mistrusted, for boosters that take it.
    pub mistrust: Option<&'a [f64]>,
    /// Shrinks every weight before the update.
    pub learning_rate: f64,
    /// How near to the optimum is near enough.
    pub tol: f64,
    /// For boosters that draw.
    pub seed: u64,
    /// Whether learners see samples instead of weights, so that one without an edge may be followed
    /// by a better one.
    pub resample: bool,
    /// The largest number of rounds.
    pub n_rounds: usize,
    /// Who works, and the way to the shards that hold other rows.
    pub workers: &'a Workers,
}

/// How scores of two-class problems make one for each class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decode {
    /// The sum of the scores by the signs of the class.
    #[default]
    Score,
    /// The least loss.
    Loss,
    /// The fewest scores on the wrong side.
    Hamming,
    /// The most pairs won.
    Vote,
    /// The probability that agrees best with those of all pairs.
    Coupling,
}

/// How many classes become two-class problems.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decomposition {
    /// Every class against all others.
    OneVsRest,
    /// Every class against every other one.
    OneVsOne,
    /// −1, 0 (does not take part) or +1 for every class and problem.
    Code(Vec<Vec<i8>>),
}

impl Decomposition {
    /// The number of two-class problems.
    #[must_use]
    pub fn n_problems(&self, n_classes: usize) -> usize {
        match self {
            Self::OneVsRest => n_classes,
            Self::OneVsOne => n_classes * (n_classes - 1) / 2,
            Self::Code(code) => code.first().map_or(0, Vec::len),
        }
    }
}
