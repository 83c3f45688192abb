//! Trees for two channels and for three, with and without memory of their sums.

#![allow(clippy::unwrap_used)] // a failure here is a failed test

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::data::{Bins, NumberBins};
use crate::demand::{FULL_WEIGHT, Needs, Question, Stretch};
use crate::learner::criterion::{Criterion, GiniCriterion, ZCriterion};
use grower::Grown;

const N_CODES: u16 = 9;

/// Random codes and weights of rows that stand in class order.
struct Sample {
    data: crate::data::Binned,
    codes: Vec<Vec<u16>>,
    weights: Vec<u64>,
    ends: Vec<usize>,
}

impl Sample {
    fn draw(ends: &[usize], seed: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let n_rows = ends[ends.len() - 1];
        let class = |row: usize| ends.iter().take_while(|&&end| row >= end).count() as u16;
        let mut codes = vec![Vec::new(); 5];
        for row in 0..n_rows {
            for column in &mut codes {
                let drawn = generator.random_range(0..N_CODES - 2);
                column.push(drawn.max(class(row)));
            }
        }
        let bins = Bins::Numbers(NumberBins { cuts: (0..N_CODES - 2).map(f64::from).collect() });
        let data = crate::data::Binned::block(&[&bins; 5], n_rows, &[true; 5], |column, to| {
            to.copy_from_slice(&codes[column]);
        });
        let unit = FULL_WEIGHT / n_rows as f64 / 2.0;
        let weights = (0..n_rows).map(|_| (unit * generator.random_range(0.1..2.0)) as u64);
        Self { weights: weights.collect(), data, codes, ends: ends.to_vec() }
    }

    fn grow<S: ChannelSums, C: Criterion>(&self, keep_bytes: usize) -> Grown<S> {
        let settings = TreeSettings {
            max_leaf_nodes: 14,
            max_depth: None,
            min_samples_leaf: 1,
            min_weight_leaf: 0.0,
            criterion: CriterionName::Gini,
            answer: AnswerName::Vote,
            smoothing: None,
            max_features: None,
            splitter: Splitter::Best,
        };
        let workers = Workers::new(Some(1)).unwrap();
        let stretches: Vec<Stretch> =
            self.ends.iter().enumerate().map(|(kind, &end)| Stretch { kind, end }).collect();
        let demand = Demand {
            question: Question::Class(self.ends.len()),
            weights: &self.weights,
            stretches: &stretches,
            rows: None,
            copies: None,
            lightest: 0.0,
            partitions: None,
            revision: None,
        };
        let start = Start {
            view: &View::Codes(self.data.clone()),
            question: demand.question,
            learns_labels: true,
            needs: Needs::Votes,
            found_before: 0,
            most_rows: 1000,
            seed: 0,
            signs: &[],
        };
        let mut grower = Grower::new(&settings, &start).unwrap();
        grower.keep_bytes = keep_bytes;
        let input = SearchInput { data: &self.data, demand: &demand, workers: &workers };
        grower.grow::<S, C>(&input).unwrap()
    }

    /// The class weights of every leaf, from scratch.
    fn leaf_weights(&self, splits: &[crate::hypothesis::Split]) -> Vec<Vec<u64>> {
        let mut sums = vec![vec![0; self.ends.len()]; splits.len() + 1];
        for (row, weight) in self.weights.iter().enumerate() {
            let mut leaf = 0;
            for (at, split) in splits.iter().enumerate() {
                let code = self.codes[split.test.column][row];
                let inside = split.test.inside(N_CODES.into()).has(code);
                if leaf == usize::from(split.leaf) && !inside {
                    leaf = at + 1;
                }
            }
            let class = self.ends.iter().take_while(|&&end| row >= end).count();
            sums[leaf][class] += weight;
        }
        sums
    }
}

#[test]
fn a_vector_of_two_channels_grows_the_same_tree_as_a_pair() {
    for seed in 0..20 {
        let sample = Sample::draw(&[150, 320], seed);
        let pair = sample.grow::<[u64; 2], GiniCriterion>(usize::MAX);
        let vector = sample.grow::<Vec<u64>, GiniCriterion>(usize::MAX);
        assert_eq!(pair.splits, vector.splits);
        for (pair, vector) in pair.leaves.iter().zip(&vector.leaves) {
            assert_eq!(pair.sums.to_vec(), vector.sums);
        }
    }
}

#[test]
fn three_channels_are_summed_by_leaf_and_every_split_helps() {
    for seed in 0..20 {
        let sample = Sample::draw(&[100, 180, 330], seed);
        let grown = sample.grow::<Vec<u64>, GiniCriterion>(usize::MAX);
        assert_eq!(grown.leaves.len(), 14);
        let sums: Vec<Vec<u64>> = grown.leaves.iter().map(|leaf| leaf.sums.clone()).collect();
        assert_eq!(sums, sample.leaf_weights(&grown.splits));
        let impurity = |n_splits: usize| -> f64 {
            let leaves = sample.leaf_weights(&grown.splits[..n_splits]);
            leaves.iter().map(|sums| GiniCriterion::of_many(sums)).sum()
        };
        let path: Vec<f64> = (0..=grown.splits.len()).map(impurity).collect();
        assert!(path.is_sorted_by(|before, after| after < before), "{path:?}");
    }
}

#[test]
fn a_tree_is_the_same_without_any_memory_of_sums() {
    for seed in 0..10 {
        let sample = Sample::draw(&[150, 320], seed);
        let kept = sample.grow::<[u64; 2], ZCriterion>(usize::MAX);
        let forgot = sample.grow::<[u64; 2], ZCriterion>(0);
        assert_eq!(kept.splits, forgot.splits);
    }
}
