//! Decision trees grown best-first (C3).
//!
//! In: codes and a demand. Out: a tree of at most `max_leaf_nodes` leaves with their answers; `grower`
//! finds the splits. Cost: one pass over all codes for the root and at most half a pass per level
//! below it.

mod grower;

use serde::{Deserialize, Serialize};

use super::any_search::{AnySearch, search};
use super::channel_sums::{ChannelSums, answer_parts};
use super::criterion::{AnswerMaker, AnswerName, Criterion, CriterionName};
use super::search_input::SearchInput;
use super::{Learner, Start};
use crate::data::View;
use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Leaf, MOST_LEAVES, Tree, make_monotone};
use crate::workers::Workers;
use grower::Grower;

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
    /// Which tests are tried.
    #[serde(default)]
    pub splitter: Splitter,
    /// How many columns are tried at a leaf; all if `None`.
    #[serde(default)]
    pub max_features: Option<MaxFeatures>,
}

/// How many columns are tried at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(untagged, expecting = "None, 'sqrt', an integer >= 1 or a share in (0, 1]")]
pub enum MaxFeatures {
    /// So many.
    Count(usize),
    /// A share of them.
    Share(f64),
    /// By name.
    Named(NamedFeatures),
}

/// Numbers of columns that have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NamedFeatures {
    /// The square root of their number.
    Sqrt,
}

impl MaxFeatures {
    /// The number that is meant of so many columns.
    pub fn of(self, n_columns: usize) -> Result<usize> {
        let expected = "None, 'sqrt', an integer >= 1 or a share in (0, 1]";
        let count = match self {
            Self::Count(0) => return Err(Error::parameter("max_features", 0, expected)),
            Self::Count(count) => count,
            Self::Share(share) if share > 0.0 && share <= 1.0 => {
                (share * n_columns as f64) as usize
            }
            Self::Share(share) => return Err(Error::parameter("max_features", share, expected)),
            Self::Named(NamedFeatures::Sqrt) => (n_columns as f64).sqrt() as usize,
        };
        Ok(count.clamp(1, n_columns.max(1)))
    }
}

/// Which tests of a column are tried at a leaf.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Splitter {
    /// All of them.
    #[default]
    Best,
    /// One that is drawn.
    Random,
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
        let rule = self.answer.resolve(start.needs);
        let maker = AnswerMaker::new(rule, self.smoothing)?;
        Ok(Box::new(TreeLearner {
            criterion: self.criterion,
            maker,
            signs: start.signs.to_vec(),
            grower: Grower::new(self, start)?,
        }))
    }
}

struct TreeLearner {
    criterion: CriterionName,
    maker: AnswerMaker,
    /// The order of answers along columns.
    signs: Vec<i8>,
    grower: Grower,
}

impl Learner for TreeLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let input = SearchInput { data: view.codes()?, demand, workers };
        let tree = TreeSearch { grower: &mut self.grower, maker: &self.maker, input };
        let mut tree = search(demand.question, self.criterion, tree)?;
        if !self.signs.is_empty() {
            let n_codes = |column| input.data.n_codes(column);
            let weights: Vec<f64> = tree.leaves.iter().map(|leaf| leaf.weight).collect();
            let Tree { splits, answers, .. } = &mut tree;
            make_monotone(splits, &weights, &mut answers.numbers, (&self.signs, &n_codes));
        }
        Ok(Hypothesis::Tree(tree))
    }
}

struct TreeSearch<'a> {
    grower: &'a mut Grower,
    maker: &'a AnswerMaker,
    input: SearchInput<'a>,
}

impl AnySearch for TreeSearch<'_> {
    type Found = Tree;

    const TWO_PARTS: bool = false;

    fn run<S: ChannelSums, C: Criterion>(self) -> Result<Tree> {
        let grown = self.grower.grow::<S, C>(&self.input)?;
        let parts = grown.leaves.iter().map(|leaf| &leaf.sums);
        let answers = answer_parts(self.maker, self.input.demand.lightest, &grown.total, parts);
        let whole = grown.total.weight().max(1);
        let leaves = grown
            .leaves
            .iter()
            .map(|leaf| Leaf { rows: leaf.rows, weight: leaf.sums.weight() as f64 / whole as f64 });
        Ok(Tree::new(grown.splits, leaves.collect(), answers))
    }
}

#[cfg(test)]
mod tests;
