//! Decision trees grown best-first (C3).
//!
//! In: codes and a demand. Out: a tree of at most `max_leaf_nodes` leaves. Round after round the leaf
//! whose best test lowers the impurity most is split (ties: the leaf that was made first). Of its two
//! children only the one with fewer rows is added up; the other's sums are the parent's less those.
//! Cost: one pass over all codes for the root and at most half a pass per level below it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::channel_sums::ChannelSums;
use super::criterion::{
    AnswerMaker, AnswerName, Criterion, CriterionName, ErrorCriterion, GiniCriterion, TIE,
    ZCriterion,
};
use super::row_codes::RowCodes;
use super::row_order::RowOrder;
use super::test_search::{Candidate, Limits, best_test, total};
use super::{Demand, Histogram, Learner, Start};
use crate::data::{Binned, View};
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Leaf, MOST_LEAVES, Split, Test, Tree};
use crate::workers::Workers;

/// Histograms of open leaves are kept up to this many bytes; beyond that they are added up anew.
const KEEP_BYTES: usize = 1 << 28;

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
        Ok(Box::new(TreeLearner {
            settings: self.clone(),
            maker,
            codes: RowCodes::new(start.view.codes()?, start.workers)?,
            order: RowOrder::default(),
            weights: Vec::new(),
            spare: Vec::new(),
        }))
    }
}

struct TreeLearner {
    settings: TreeSettings,
    maker: AnswerMaker,
    codes: RowCodes,
    /// The rows of every leaf stand together.
    order: RowOrder,
    weights: Vec<u64>,
    /// Histograms of earlier leaves, to be filled again.
    spare: Vec<Histogram>,
}

impl Learner for TreeLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let grown = match self.settings.criterion {
            CriterionName::Error => self.grow::<[u64; 2], ErrorCriterion>(view, demand, workers),
            CriterionName::Z => self.grow::<[u64; 2], ZCriterion>(view, demand, workers),
            CriterionName::Gini => self.grow::<[u64; 2], GiniCriterion>(view, demand, workers),
        }?;
        let whole = grown.total.weight();
        let leaves = grown.leaves.iter().map(|leaf| Leaf {
            answer: self.maker.answer(leaf.sums, whole),
            rows: self.order.count(leaf.rows.clone(), demand),
            weight: leaf.sums.weight() as f64 / whole as f64,
        });
        Ok(Hypothesis::Tree(Tree { leaves: leaves.collect(), splits: grown.splits }))
    }
}

/// A leaf that may be split yet.
struct OpenLeaf<S> {
    /// A stretch of the order.
    rows: Range<usize>,
    sums: S,
    depth: usize,
    /// Leaves are numbered as they are made.
    born: usize,
    histogram: Option<Histogram>,
    /// The best test and how much it lowers the impurity.
    next: Option<Candidate<S>>,
    gain: f64,
}

/// A tree without answers.
struct Grown<S> {
    splits: Vec<Split>,
    leaves: Vec<OpenLeaf<S>>,
    total: S,
}

impl TreeLearner {
    /// Grows a tree for any number of channels.
    fn grow<S: ChannelSums, C: Criterion>(
        &mut self,
        view: &View,
        demand: &Demand,
        workers: &Workers,
    ) -> Result<Grown<S>> {
        let data = view.codes()?;
        let mut root = self.take_histogram(data, demand.channel_ends.len());
        root.fill(data, demand, workers)?;
        let total: S = total(data, &root);
        let grower = Grower {
            data,
            demand,
            workers,
            counts: row_counts(self.settings.min_samples_leaf, demand),
            tie: TIE * total.weight() as f64,
            min_weight: (self.settings.min_weight_leaf * total.weight() as f64).ceil() as u64,
            max_depth: self.settings.max_depth.unwrap_or(usize::MAX),
        };
        self.order.reset(data.n_rows(), workers)?;
        let mut leaves = vec![OpenLeaf {
            rows: 0..data.n_rows(),
            sums: total.clone(),
            depth: 0,
            born: 0,
            histogram: Some(root),
            next: None,
            gain: 0.0,
        }];
        self.search::<S, C>(&mut leaves[0], &grower)?;
        let mut splits = Vec::new();
        while leaves.len() < self.settings.max_leaf_nodes {
            workers.check()?;
            let Some((at, test)) = grower.choose(&leaves) else { break };
            let is_last = leaves.len() + 1 == self.settings.max_leaf_nodes;
            let mut new = grower.split(&mut leaves[at], 2 * splits.len(), &mut self.order)?;
            if !is_last {
                self.add_up(&mut leaves[at], &mut new, &grower)?;
                self.search::<S, C>(&mut leaves[at], &grower)?;
                self.search::<S, C>(&mut new, &grower)?;
            }
            leaves.push(new);
            splits.push(Split { leaf: at as u16, test });
            self.keep_within_bounds(&mut leaves);
        }
        for leaf in &mut leaves {
            self.spare.extend(leaf.histogram.take());
        }
        Ok(Grown { splits, leaves, total })
    }

    fn take_histogram(&mut self, data: &Binned, n_channels: usize) -> Histogram {
        self.spare.pop().unwrap_or_else(|| Histogram::new(data, n_channels))
    }

    /// Adds up the smaller of two children and takes it away from their parent, whose sums are still
    /// those of `old`.
    fn add_up<S: ChannelSums>(
        &mut self,
        old: &mut OpenLeaf<S>,
        new: &mut OpenLeaf<S>,
        grower: &Grower,
    ) -> Result<()> {
        let parent = old.histogram.take();
        let wanted = [&*old, &*new].map(|leaf| grower.may_split(leaf));
        if wanted == [false, false] {
            self.spare.extend(parent);
            return Ok(());
        }
        let (small, large) = if old.rows.len() <= new.rows.len() { (old, new) } else { (new, old) };
        let small_sums = self.fill(small, grower)?;
        large.histogram = Some(match parent {
            Some(mut rest) => {
                rest.subtract(&small_sums);
                rest
            }
            None => self.fill(large, grower)?,
        });
        small.histogram = Some(small_sums);
        Ok(())
    }

    fn fill<S>(&mut self, leaf: &OpenLeaf<S>, grower: &Grower) -> Result<Histogram> {
        let Grower { data, demand, workers, .. } = grower;
        let mut sums = self.take_histogram(data, demand.channel_ends.len());
        let rows = self.order.rows(leaf.rows.clone());
        sums.fill_rows((data, &self.codes), demand, rows, &mut self.weights, workers)?;
        Ok(sums)
    }

    /// Finds the best test of a leaf, unless it is pure.
    fn search<S: ChannelSums, C: Criterion>(
        &mut self,
        leaf: &mut OpenLeaf<S>,
        grower: &Grower,
    ) -> Result<()> {
        let impurity = leaf.sums.impurity::<C>();
        if !grower.may_split(leaf) || impurity <= grower.tie {
            return Ok(());
        }
        let Some(histogram) = &leaf.histogram else { return Ok(()) };
        let Grower { data, workers, .. } = grower;
        let counts = match &grower.counts {
            None => None,
            Some(counts) => {
                let n_rows = [data.n_rows()];
                let demand = Demand { weights: counts, channel_ends: &n_rows, copies: None };
                let rows = self.order.rows(leaf.rows.clone());
                let mut sums = Histogram::new(data, 1);
                let codes = (*data, &self.codes);
                sums.fill_rows(codes, &demand, rows, &mut self.weights, workers)?;
                Some(sums)
            }
        };
        let limits = Limits {
            tie: grower.tie,
            min_weight: grower.min_weight,
            min_rows: counts.as_ref().map(|counts| (self.settings.min_samples_leaf, counts)),
        };
        leaf.next = best_test::<S, C>(data, histogram, &limits, workers)?;
        leaf.gain = leaf.next.as_ref().map_or(0.0, |next| impurity - next.score);
        Ok(())
    }

    /// Lets go of histograms when there are too many.
    fn keep_within_bounds<S>(&mut self, leaves: &mut [OpenLeaf<S>]) {
        for leaf in leaves.iter_mut().filter(|leaf| leaf.next.is_none()) {
            self.spare.extend(leaf.histogram.take());
        }
        let held = leaves.iter().filter_map(|leaf| leaf.histogram.as_ref());
        if held.map(Histogram::size).sum::<usize>() > KEEP_BYTES
            && let Some(leaf) = leaves.iter_mut().rev().find(|leaf| leaf.histogram.is_some())
        {
            self.spare.extend(leaf.histogram.take());
        }
    }
}

/// The number of input rows at each place, if anybody wants to know.
fn row_counts(least: u64, demand: &Demand) -> Option<Vec<u64>> {
    let count = |place: usize| demand.copies.map_or(1, |copies| u64::from(copies[place]));
    (least > 1).then(|| (0..demand.weights.len()).map(count).collect())
}

/// What stays the same while a tree grows.
struct Grower<'a> {
    data: &'a Binned,
    demand: &'a Demand<'a>,
    workers: &'a Workers,
    counts: Option<Vec<u64>>,
    tie: f64,
    min_weight: u64,
    max_depth: usize,
}

impl Grower<'_> {
    fn may_split<S: ChannelSums>(&self, leaf: &OpenLeaf<S>) -> bool {
        leaf.depth < self.max_depth
            && leaf.rows.len() > 1
            && leaf.sums.weight() / 2 >= self.min_weight
    }

    /// Splits a leaf by its best test: it keeps the rows inside, the others are a new leaf.
    fn split<S: ChannelSums>(
        &self,
        leaf: &mut OpenLeaf<S>,
        n_born: usize,
        order: &mut RowOrder,
    ) -> Result<OpenLeaf<S>> {
        let Some(Candidate { test, inside, outside, .. }) = leaf.next.take() else {
            return Err(Error::internal("a leaf without a test was to be split"));
        };
        let set = test.inside(self.data.n_codes(test.column));
        let Range { start, end } = leaf.rows;
        let middle = order.split(start..end, self.data, test.column, &set, self.workers)?;
        leaf.rows = start..middle;
        leaf.sums = inside;
        leaf.depth += 1;
        leaf.born = n_born + 1;
        Ok(OpenLeaf {
            rows: middle..end,
            sums: outside,
            depth: leaf.depth,
            born: n_born + 2,
            histogram: None,
            next: None,
            gain: 0.0,
        })
    }

    /// The leaf whose test gains most, and that test.
    fn choose<S>(&self, leaves: &[OpenLeaf<S>]) -> Option<(usize, Test)> {
        let gains = || leaves.iter().enumerate().filter(|(_, leaf)| leaf.next.is_some());
        let best = gains().map(|(_, leaf)| leaf.gain).fold(f64::NEG_INFINITY, f64::max);
        let (at, leaf) = gains()
            .filter(|(_, leaf)| leaf.gain >= best - self.tie)
            .min_by_key(|(_, leaf)| leaf.born)?;
        leaf.next.as_ref().map(|next| (at, next.test.clone()))
    }
}
