//! Hierarchical shrinkage: the class shares of a leaf, drawn towards those of the nodes above it.
//!
//! In: the splits of a tree and the class weights of its leaves. Out: for every leaf and every λ the
//! shrunk shares: val(child) = val(parent) + (v(child) − v(parent)) / (1 + λ/n(parent)), where v are
//! the class shares of the rows of a node and n is their number. λ = 0 gives the shares themselves.
//! Leaf arithmetic after growth: the tree stays as it is. Agarwal and others 2022.

use super::random_tree::ROW;
use crate::hypothesis::Split;

/// The shrunk shares of every leaf: leaf after leaf, for each λ the share of each class.
pub(super) fn shrunk_shares(
    splits: &[Split],
    leaf_weights: &[u64],
    n_classes: usize,
    lambdas: &[f64],
) -> Vec<f64> {
    let width = lambdas.len() * n_classes;
    // From the last split to the first, the weights of its two sides; then those of both together.
    let mut weights = leaf_weights.to_vec();
    let mut sides: Vec<[Vec<u64>; 2]> = Vec::with_capacity(splits.len());
    for (at, split) in splits.iter().enumerate().rev() {
        let (inside, outside) = (usize::from(split.leaf) * n_classes, (at + 1) * n_classes);
        let pair = [inside, outside].map(|from| weights[from..from + n_classes].to_vec());
        for (class, weight) in pair[1].iter().enumerate() {
            weights[inside + class] += weight;
        }
        sides.push(pair);
    }
    let mut values = vec![0.0; (splits.len() + 1) * width];
    let whole = shares(&weights[..n_classes]);
    for of_lambda in values[..width].chunks_mut(n_classes) {
        of_lambda.copy_from_slice(&whole);
    }
    for (at, (split, pair)) in splits.iter().zip(sides.iter().rev()).enumerate() {
        let parent: Vec<u64> = pair[0].iter().zip(&pair[1]).map(|(a, b)| a + b).collect();
        let n_rows = parent.iter().sum::<u64>() as f64 / ROW as f64;
        let parent = shares(&parent);
        let first = usize::from(split.leaf) * width;
        let before = values[first..first + width].to_vec();
        for (side, start) in pair.iter().zip([first, (at + 1) * width]) {
            let own = shares(side);
            for (number, lambda) in lambdas.iter().enumerate() {
                let pull = if n_rows > 0.0 { 1.0 / (1.0 + lambda / n_rows) } else { 0.0 };
                for class in 0..n_classes {
                    let place = number * n_classes + class;
                    values[start + place] = before[place] + (own[class] - parent[class]) * pull;
                }
            }
        }
    }
    values
}

/// The shares of class weights; even ones if there is no weight.
fn shares(weights: &[u64]) -> Vec<f64> {
    let total = weights.iter().sum::<u64>();
    if total == 0 {
        return vec![1.0 / weights.len() as f64; weights.len()];
    }
    weights.iter().map(|&weight| weight as f64 / total as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::{Passes, Test};

    fn split(leaf: u16) -> Split {
        let test = Test { column: 0, passes: Passes::AtMost(0), missing_inside: false };
        Split { leaf, test }
    }

    #[test]
    fn values_follow_the_formula_by_hand() {
        // The root (10 rows, 6 of class 1) is cut into leaf 0 and leaf 1; leaf 1 into 1 and 2.
        let splits = [split(0), split(1)];
        let counts = [4, 0, 0, 3, 0, 3].map(|count: u64| count * ROW);
        let leaf_weights = [counts[0], counts[1], counts[2], counts[3], counts[4], counts[5]];
        let values = shrunk_shares(&splits, &leaf_weights, 2, &[0.0, 10.0]);
        // λ = 0: the shares of the leaves.
        for (leaf, share) in [(0, 0.0), (1, 1.0), (2, 1.0)] {
            assert!((values[leaf * 4 + 1] - share).abs() < 1e-12);
        }
        // λ = 10: half of every step from the root, whose shares are 0.4 and 0.6.
        assert!((values[3] - (0.6 - 0.5 * 0.6)).abs() < 1e-12);
        let middle = 0.6 + 0.5 * 0.4;
        // The second split changes nothing: both of its sides are pure.
        assert!((values[4 + 3] - middle).abs() < 1e-12);
        assert!((values[8 + 3] - middle).abs() < 1e-12);
    }
}
