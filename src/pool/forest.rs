//! Forests of random-cut trees, and what they say of rows that they have not seen.
//!
//! In: training rows and a rule. Out: trees, and for every row and λ the mean of the shrunk class
//! shares over the trees whose sample does not hold the row (out of bag). Trees are grown side by
//! side, one on a thread; their shares are added up in order, so that nothing depends on the threads.

use std::time::Instant;

use super::random_tree::{GrowthRule, ROW, Sample, grow};
use super::shrinkage::shrunk_shares;
use crate::data::Binned;
use crate::error::Result;
use crate::hypothesis::{Split, Walk, code_of};
use crate::random::stream;
use crate::sampling::Sampling;
use crate::workers::{BLOCK_ROWS, Workers};

/// Trees that are grown before their shares are added up.
const BATCH: usize = 16;

/// What the pool knows of the training rows, by place.
pub(super) struct PoolRows<'a> {
    pub data: &'a Binned,
    pub classes: Vec<u32>,
    /// The number of each row in the caller's frame.
    pub numbers: Vec<u32>,
    /// Weights whose mean is 1.
    pub weights: Vec<f64>,
    pub n_classes: usize,
}

impl PoolRows<'_> {
    /// The number of rows.
    pub fn len(&self) -> usize {
        self.classes.len()
    }
}

/// How a forest is grown.
#[derive(Clone)]
pub(super) struct ForestRule {
    pub n_trees: usize,
    pub growth: GrowthRule,
    pub sampling: Sampling,
    /// The number of the first tree, which no other forest has.
    pub first: u64,
    /// What row weights are multiplied with.
    pub factors: Option<Vec<f64>>,
    /// No tree is begun after this.
    pub deadline: Option<Instant>,
}

impl ForestRule {
    /// The sample of a tree.
    fn sample(&self, rows: &PoolRows, tree: u64) -> Sample {
        let mut sample = Sample::default();
        for (place, &number) in rows.numbers.iter().enumerate() {
            let times = self.sampling.times(tree, u64::from(number));
            let factor = self.factors.as_ref().map_or(1.0, |factors| factors[place]);
            let weight = (f64::from(times) * rows.weights[place] * factor * ROW as f64) as u64;
            if weight > 0 {
                sample.rows.push(place as u32);
                sample.classes.push(rows.classes[place]);
                sample.weights.push(weight);
            }
        }
        sample
    }
}

/// A tree and its number.
pub(super) struct GrownTree {
    pub number: u64,
    pub splits: Vec<Split>,
}

impl GrownTree {
    pub fn walk(&self, data: &Binned) -> Walk {
        Walk::new(&self.splits, |column| data.n_codes(column))
    }

    /// The class weights of the sample in every leaf, and the number of its rows.
    pub fn leaf_weights(&self, rows: &PoolRows, rule: &ForestRule, walk: &Walk) -> LeafWeights {
        let n_leaves = self.splits.len() + 1;
        let mut leaves =
            LeafWeights { weights: vec![0; n_leaves * rows.n_classes], rows: vec![0; n_leaves] };
        let sample = rule.sample(rows, self.number);
        for ((place, class), weight) in sample.rows.iter().zip(&sample.classes).zip(&sample.weights)
        {
            let leaf = walk.leaf(|column| code_of(rows.data, column, *place as usize));
            leaves.weights[leaf * rows.n_classes + *class as usize] += weight;
            leaves.rows[leaf] += 1;
        }
        leaves
    }
}

/// What the rows of a sample make of the leaves of a tree.
pub(super) struct LeafWeights {
    /// Leaf after leaf, class after class.
    pub weights: Vec<u64>,
    pub rows: Vec<u64>,
}

/// Sums over the trees that have not seen a row, so many for each of some rows.
struct RowSums<'a> {
    places: &'a [u32],
    width: usize,
    sums: Vec<f64>,
    /// How many trees have added to each row.
    counts: Vec<u32>,
}

impl<'a> RowSums<'a> {
    fn new(places: &'a [u32], width: usize) -> Self {
        let n_rows = places.len();
        Self { places, width, sums: vec![0.0; n_rows * width], counts: vec![0; n_rows] }
    }

    /// Adds the values of leaves to all rows that the trees have not seen.
    fn add(
        &mut self,
        rows: &PoolRows,
        rule: &ForestRule,
        trees: &[(&GrownTree, &Walk, &[f64])],
        workers: &Workers,
    ) -> Result<()> {
        let width = self.width;
        let sums = self.sums.chunks_mut(BLOCK_ROWS * width);
        let places = self.places.chunks(BLOCK_ROWS);
        let blocks = places.zip(sums).zip(self.counts.chunks_mut(BLOCK_ROWS)).collect();
        workers.map(self.places.len() * trees.len(), blocks, |((places, sums), counts)| {
            for (tree, walk, values) in trees {
                workers.check()?;
                let each = places.iter().zip(sums.chunks_mut(width)).zip(counts.iter_mut());
                for ((&place, sums), count) in each {
                    let place = place as usize;
                    let number = u64::from(rows.numbers[place]);
                    if rule.sampling.times(tree.number, number) > 0 {
                        continue;
                    }
                    let leaf = walk.leaf(|column| code_of(rows.data, column, place));
                    *count += 1;
                    for (sum, value) in sums.iter_mut().zip(&values[leaf * width..][..width]) {
                        *sum += value;
                    }
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The means by row, or what `otherwise` says of rows that all trees have seen.
    fn means(&self, otherwise: impl Fn(usize) -> f64) -> Vec<f64> {
        let each = self.sums.chunks(self.width).zip(&self.counts);
        each.flat_map(|(sums, &count)| {
            let otherwise = &otherwise;
            sums.iter().enumerate().map(move |(at, sum)| {
                if count == 0 { otherwise(at) } else { sum / f64::from(count) }
            })
        })
        .collect()
    }
}

/// A forest and its shares out of bag.
pub(super) struct Forest {
    pub rule: ForestRule,
    pub trees: Vec<GrownTree>,
    /// By row that is judged: for each λ the share of each class.
    pub out_of_bag: Vec<f64>,
}

/// Which rows are judged out of bag, under which λ, and the class shares for rows that all trees saw.
pub(super) struct Judging<'a> {
    pub places: &'a [u32],
    pub lambdas: &'a [f64],
    pub prior: &'a [f64],
}

impl Forest {
    /// Grows a forest.
    pub fn grow(
        rows: &PoolRows,
        rule: ForestRule,
        judging: &Judging,
        workers: &Workers,
    ) -> Result<Self> {
        let width = judging.lambdas.len() * rows.n_classes;
        let mut sums = RowSums::new(judging.places, width);
        let mut trees = Vec::with_capacity(rule.n_trees);
        let numbers: Vec<u64> = (0..rule.n_trees as u64).map(|at| rule.first + at).collect();
        for batch in numbers.chunks(BATCH) {
            if !trees.is_empty() && rule.deadline.is_some_and(|end| Instant::now() > end) {
                break;
            }
            let steps = batch.len() * rows.len() * rule.growth.max_features;
            let grown = workers.map(steps, batch.to_vec(), |number| {
                let mut generator = stream(rule.sampling.seed, number);
                let sample = rule.sample(rows, number);
                let splits = grow(rows.data, rows.n_classes, sample, &rule.growth, &mut generator);
                let tree = GrownTree { number, splits };
                let walk = tree.walk(rows.data);
                let leaves = tree.leaf_weights(rows, &rule, &walk);
                let values =
                    shrunk_shares(&tree.splits, &leaves.weights, rows.n_classes, judging.lambdas);
                Ok((tree, walk, values))
            })?;
            let lent: Vec<_> =
                grown.iter().map(|(tree, walk, values)| (tree, walk, values.as_slice())).collect();
            sums.add(rows, &rule, &lent, workers)?;
            trees.extend(grown.into_iter().map(|(tree, _, _)| tree));
        }
        let out_of_bag = sums.means(|at| judging.prior[at % rows.n_classes]);
        Ok(Self { rule, trees, out_of_bag })
    }

    /// The trees with the answers of their leaves: for each λ so much of its shares, which are
    /// averaged over the trees.
    pub fn answered(
        &self,
        rows: &PoolRows,
        lambdas: &[f64],
        factors: &[f64],
        workers: &Workers,
    ) -> Result<Vec<AnsweredTree>> {
        let n_trees = self.trees.len() as f64;
        let n_classes = rows.n_classes;
        let steps = self.trees.len() * rows.len();
        workers.map(steps, self.trees.iter().collect(), |tree: &GrownTree| {
            let walk = tree.walk(rows.data);
            let leaves = tree.leaf_weights(rows, &self.rule, &walk);
            let shares = shrunk_shares(&tree.splits, &leaves.weights, n_classes, lambdas);
            let mut values = vec![0.0; leaves.rows.len() * n_classes];
            let by_leaf = shares.chunks(lambdas.len() * n_classes);
            for (to, shares) in values.chunks_mut(n_classes).zip(by_leaf) {
                for (factor, shares) in factors.iter().zip(shares.chunks(n_classes)) {
                    for (to, share) in to.iter_mut().zip(shares) {
                        *to += factor / n_trees * share;
                    }
                }
            }
            Ok(AnsweredTree { splits: tree.splits.clone(), values, leaves })
        })
    }
}

/// A tree with what its leaves answer for each class.
pub(super) struct AnsweredTree {
    pub splits: Vec<Split>,
    /// Leaf after leaf, class after class.
    pub values: Vec<f64>,
    pub leaves: LeafWeights,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bins, NumberBins};

    /// Rows of two columns and three classes, and the codes of their columns.
    fn rows(data: &Binned) -> PoolRows<'_> {
        let n_rows = data.n_rows();
        PoolRows {
            data,
            classes: (0..n_rows as u32).map(|row| row * 3 / n_rows as u32).collect(),
            numbers: (0..n_rows as u32).rev().collect(),
            weights: vec![1.0; n_rows],
            n_classes: 3,
        }
    }

    fn data(n_rows: usize) -> Binned {
        let bins = Bins::Numbers(NumberBins { cuts: (0..8).map(f64::from).collect() });
        Binned::block(&[&bins; 2], n_rows, &[true; 2], |column, codes| {
            for (row, code) in codes.iter_mut().enumerate() {
                *code = ((row * (3 + 4 * column)) % 7 + row * 2 / n_rows) as u16;
            }
        })
    }

    fn rule(with_replacement: bool) -> ForestRule {
        ForestRule {
            n_trees: 19,
            growth: GrowthRule { max_features: 1, min_leaf: ROW, max_leaves: 1 << 16 },
            sampling: Sampling { share: 0.8, with_replacement, seed: 7 },
            first: 1 << 32,
            factors: None,
            deadline: None,
        }
    }

    #[test]
    fn shares_out_of_bag_are_those_of_an_explicit_loop() {
        let data = data(90);
        let rows = rows(&data);
        let places: Vec<u32> = (0..90).collect();
        let lambdas = [0.0, 10.0];
        let prior = [1.0 / 3.0; 3];
        let judging = Judging { places: &places, lambdas: &lambdas, prior: &prior };
        for with_replacement in [true, false] {
            let rule = rule(with_replacement);
            let workers = Workers::new(Some(1)).unwrap();
            let forest = Forest::grow(&rows, rule.clone(), &judging, &workers).unwrap();
            for place in 0..90 {
                let (mut sums, mut count) = ([0.0; 6], 0);
                for tree in &forest.trees {
                    if rule.sampling.times(tree.number, rows.numbers[place].into()) > 0 {
                        continue;
                    }
                    // Split by split: rows outside leave for the new leaf.
                    let mut leaf = 0;
                    for (at, split) in tree.splits.iter().enumerate() {
                        let column = split.test.column;
                        let inside = split.test.inside(data.n_codes(column));
                        let code = code_of(&data, column, place);
                        if usize::from(split.leaf) == leaf && !inside.has(code) {
                            leaf = at + 1;
                        }
                    }
                    let leaves = tree.leaf_weights(&rows, &rule, &tree.walk(&data));
                    let shares = shrunk_shares(&tree.splits, &leaves.weights, 3, &lambdas);
                    for (sum, share) in sums.iter_mut().zip(&shares[leaf * 6..]) {
                        *sum += share;
                    }
                    count += 1;
                }
                for (at, sum) in sums.iter().enumerate() {
                    let expected = if count == 0 { 1.0 / 3.0 } else { sum / f64::from(count) };
                    assert!((forest.out_of_bag[place * 6 + at] - expected).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn forests_do_not_depend_on_the_number_of_threads() {
        let data = data(9000);
        let rows = rows(&data);
        let places: Vec<u32> = (0..9000).collect();
        let judging = Judging { places: &places, lambdas: &[3.0], prior: &[0.0; 3] };
        let [one, three] = [1, 3].map(|threads| {
            let workers = Workers::new(Some(threads)).unwrap();
            Forest::grow(&rows, rule(true), &judging, &workers).unwrap()
        });
        assert_eq!(one.out_of_bag, three.out_of_bag);
        for (one, three) in one.trees.iter().zip(&three.trees) {
            assert_eq!(one.splits, three.splits);
        }
    }

    #[test]
    fn leaves_keep_their_least_weight() {
        let data = data(300);
        let rows = rows(&data);
        let judging = Judging { places: &[], lambdas: &[0.0], prior: &[0.0; 3] };
        let mut rule = rule(false);
        rule.growth.min_leaf = 5 * ROW;
        let workers = Workers::new(Some(1)).unwrap();
        let forest = Forest::grow(&rows, rule.clone(), &judging, &workers).unwrap();
        assert!(forest.trees.iter().any(|tree| !tree.splits.is_empty()));
        for tree in &forest.trees {
            let leaves = tree.leaf_weights(&rows, &rule, &tree.walk(&data));
            assert!(leaves.rows.iter().all(|&n| n >= 5), "{:?}", leaves.rows);
        }
    }
}
