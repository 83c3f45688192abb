//! Decision trees grown best-first (C3).
//!
//! In: codes and a demand. Out: a tree of at most `max_leaf_nodes` leaves with their answers; `grower`
//! finds the splits. Cost: one pass over all codes for the root and at most half a pass per level
//! below it.

mod grower;

use serde::{Deserialize, Serialize};

use super::channel_sums::ChannelSums;
use super::criterion::{
    AnswerMaker, AnswerName, CriterionName, ErrorCriterion, GiniCriterion, ZCriterion,
};
use super::{Demand, Learner, Start};
use crate::data::View;
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Leaf, MOST_LEAVES, Tree};
use crate::workers::Workers;
use grower::{Ground, Grower};

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TreeSettings {
    /// The most leaves.
    pub max_leaf_nodes: usize,
    /// The most tests on the way to a leaf.
    pub max_depth: Option<usize>,
    /// The fewest rows of a leaf.
    pub min_samples_leaf: u64,
    /// The least share of the total weight of a leaf.
    pub min_weight_leaf: f64,
    /// How tests are scored.
    pub criterion: CriterionName,
    /// How leaves answer.
    pub answer: AnswerName,
    /// As for stumps.
    pub smoothing: Option<f64>,
}

impl TreeSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        if !(2..=MOST_LEAVES).contains(&self.max_leaf_nodes) {
            let expected = format!("an integer in 2..{MOST_LEAVES}");
            return Err(Error::parameter("max_leaf_nodes", self.max_leaf_nodes, &expected));
        }
        if self.max_depth == Some(0) {
            return Err(Error::parameter("max_depth", 0, "None or an integer >= 1"));
        }
        if self.min_samples_leaf < 1 {
            return Err(Error::parameter("min_samples_leaf", 0, "an integer >= 1"));
        }
        if !(self.min_weight_leaf >= 0.0 && self.min_weight_leaf <= 0.5) {
            let expected = "a number in 0..0.5, a share of the total weight";
            return Err(Error::parameter("min_weight_leaf", self.min_weight_leaf, expected));
        }
        let rule = self.answer.resolve(start.votes_needed);
        let maker = AnswerMaker::new(rule, self.smoothing, start.lightest)?;
        let grower = Grower::new(self, start.view.codes()?, start.workers)?;
        Ok(Box::new(TreeLearner { criterion: self.criterion, maker, grower }))
    }
}

struct TreeLearner {
    criterion: CriterionName,
    maker: AnswerMaker,
    grower: Grower,
}

impl Learner for TreeLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let ground = Ground { data: view.codes()?, demand, workers };
        let grown = match self.criterion {
            CriterionName::Error => self.grower.grow::<[u64; 2], ErrorCriterion>(&ground),
            CriterionName::Z => self.grower.grow::<[u64; 2], ZCriterion>(&ground),
            CriterionName::Gini => self.grower.grow::<[u64; 2], GiniCriterion>(&ground),
        }?;
        let whole = grown.total.weight();
        let leaves = grown.leaves.iter().map(|leaf| Leaf {
            answer: self.maker.answer(leaf.sums, whole),
            rows: leaf.rows,
            weight: leaf.sums.weight() as f64 / whole as f64,
        });
        Ok(Hypothesis::Tree(Tree { leaves: leaves.collect(), splits: grown.splits }))
    }
}

#[cfg(test)]
mod tests;
