//! How much a model looks at each column.
//!
//! In: a model. Out: shares of columns, which add up to 1: of the hypotheses that test them, or of the
//! variance of the scores that their splits explain.

use super::{Member, Model};
use crate::hypothesis::{Hypothesis, Tree};

impl Model {
    /// The share of Σ|α| of the hypotheses that look at each column, or of the mass that reaches
    /// them, or of the loss that they took away; all zero without hypotheses.
    #[must_use]
    pub fn importances(&self) -> Vec<f64> {
        let shares =
            self.shares_of(|member| self.combiner.strength(member.round, member.weighted()));
        if self.combiner.is_sum() || shares.iter().any(|share| *share > 0.0) {
            return normalised(shares);
        }
        // Hypotheses that took nothing away are all alike.
        normalised(self.shares_of(|_| 1.0))
    }

    /// The strength of hypotheses, shared evenly by the columns that they look at.
    fn shares_of(&self, strength: impl Fn(&Member) -> f64) -> Vec<f64> {
        let mut shares = vec![0.0; self.schema.features.len()];
        for member in &self.members {
            let columns = member.hypothesis.columns();
            let strength = strength(member);
            for &column in &columns {
                shares[column] += strength / columns.len() as f64;
            }
        }
        shares
    }

    /// The share of each column in the variance of answers that splits of trees explain, under the
    /// training rows of their leaves; all zero without trees.
    #[must_use]
    pub fn explained(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.schema.features.len()];
        for member in &self.members {
            if let Hypothesis::Tree(tree) = &member.hypothesis {
                add_explained(tree, member.weight, &mut shares);
            }
        }
        normalised(shares)
    }
}

/// Adds what each split explains: from the last one to the first, how far the mean answers of its two
/// sides are apart.
fn add_explained(tree: &Tree, weight: f64, shares: &mut [f64]) {
    let width = tree.answers.says.width();
    let mut means = tree.answers.numbers.clone();
    let mut rows: Vec<f64> = tree.leaves.iter().map(|leaf| leaf.rows as f64).collect();
    let total: f64 = rows.iter().sum::<f64>().max(1.0);
    for (at, split) in tree.splits.iter().enumerate().rev() {
        let (inside, outside) = (usize::from(split.leaf), at + 1);
        let both = rows[inside] + rows[outside];
        if both > 0.0 {
            let mut apart = 0.0;
            for number in 0..width {
                let pair = [means[inside * width + number], means[outside * width + number]];
                apart += (pair[0] - pair[1]) * (pair[0] - pair[1]);
                means[inside * width + number] =
                    (rows[inside] * pair[0] + rows[outside] * pair[1]) / both;
            }
            let variance = rows[inside] * rows[outside] / both * apart / total;
            shares[split.test.column] += weight * weight * variance;
        }
        rows[inside] = both;
    }
}

fn normalised(mut shares: Vec<f64>) -> Vec<f64> {
    let total: f64 = shares.iter().sum();
    if total > 0.0 {
        for share in &mut shares {
            *share /= total;
        }
    }
    shares
}
