//! The forests of a fit: how many trees they have, and the candidates that are made of them.
//!
//! In: the rows of a fit. Out: forests with their shares out of bag, candidates, and how much rows are
//! trusted.

use super::blend::{Blend, Candidate, Place};
use super::forest::{Forest, ForestRule, Judging};
use super::link::soften;
use super::plan::{
    FEW_TREES, FEWEST_TREES, FORESTS, LAMBDAS, LARGE, MANY, MOST_NUMBERS, MOST_TREES, TREE_ROWS,
    judging_rule,
};
use super::random_tree::{GrowthRule, ROW};
use super::stack::single_factor;
use super::{Fit, Truth};
use crate::error::Result;
use crate::hypothesis::MOST_LEAVES;
use crate::sampling::Sampling;

impl Fit<'_> {
    /// The forests that suit the number of rows.
    pub(super) fn forest_kinds(&self) -> Vec<usize> {
        let n_rows = self.rows.len();
        let suits = |at: &usize| n_rows <= MANY || !FORESTS[*at].by_trust;
        if n_rows > LARGE { Vec::new() } else { (0..FORESTS.len()).filter(suits).collect() }
    }

    /// Trees of each forest: fewer where they are large.
    pub(super) fn n_trees(&self, share: f64) -> usize {
        if let Some(n_trees) = self.pool.n_trees {
            return n_trees;
        }
        let most = if self.rows.len() > MANY { FEW_TREES } else { MOST_TREES };
        let n_numbers = self.leaves_of_a_tree(share) * self.rows.n_classes;
        most.min((MOST_NUMBERS / n_numbers).max(FEWEST_TREES))
    }

    /// About how many leaves a tree has: nearly every second row of a sample has one of its own.
    pub(super) fn leaves_of_a_tree(&self, share: f64) -> usize {
        (0.4 * share * self.rows.len() as f64).ceil() as usize
    }

    /// One of the forests, with these factors of row weights.
    pub(super) fn forest(
        &self,
        at: usize,
        factors: Option<Vec<f64>>,
        judging: &Judging,
    ) -> Result<Forest> {
        let n_columns = self.rows.data.n_columns();
        let kind = &FORESTS[at];
        let n_rows = self.rows.len();
        let share = match kind.share {
            _ if n_rows > MANY => TREE_ROWS / n_rows as f64,
            Some(share) => share,
            None => judging_rule(self.rows.n_classes).share,
        };
        let with_replacement = kind.with_replacement && n_rows <= MANY;
        let rule = ForestRule {
            n_trees: self.n_trees(share),
            growth: GrowthRule {
                max_features: match self.pool.max_features {
                    Some(most) => most.of(n_columns)?,
                    None => n_columns,
                },
                min_leaf: kind.leaf_rows * ROW,
                max_leaves: MOST_LEAVES,
            },
            sampling: Sampling { share, with_replacement, seed: self.seed() },
            first: (at as u64) << 32,
            factors,
            deadline: self.deadline(0.2 * (at + 1) as f64),
        };
        Forest::grow(self.rows, rule, judging, self.workers)
    }

    /// The candidates that shrinkage makes of a forest.
    pub(super) fn candidates(
        &self,
        kind: usize,
        forest: &Forest,
        truth: &Truth,
    ) -> Result<Vec<Candidate>> {
        let n_classes = self.rows.n_classes;
        let steps = truth.classes.len() * n_classes * LAMBDAS.len() * 20;
        self.workers.map(steps, (0..LAMBDAS.len()).collect(), |at| {
            let place = Place { at, n: LAMBDAS.len(), kind, expected: FORESTS[kind].expected[at] };
            Ok(Candidate::new(&forest.out_of_bag, place, n_classes, truth))
        })
    }

    /// What rows weigh in later forests: by the probabilities of their labels, or the roots of these
    /// for more than two classes; 1 on average.
    pub(super) fn trust(&self, candidates: &[Candidate], truth: &Truth) -> Vec<f64> {
        let scores = Blend::new(candidates).scores(candidates);
        let factor = single_factor(&scores, truth, self.rows.n_classes);
        let mut trust: Vec<f64> = scores
            .chunks(self.rows.n_classes)
            .zip(&truth.classes)
            .map(|(scores, &class)| {
                let mut scores: Vec<f64> = scores.iter().map(|score| factor * score).collect();
                soften(&mut scores, class as usize);
                let p = scores[class as usize];
                if scores.len() == 2 { p } else { p.sqrt() }
            })
            .collect();
        let mean = trust.iter().sum::<f64>() / trust.len() as f64;
        for trust in &mut trust {
            *trust /= mean;
        }
        trust
    }
}
