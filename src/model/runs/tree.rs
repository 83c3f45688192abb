//! Trees in a model file.

use serde::{Deserialize, Serialize};

use super::Reader;
use super::test_fields::{Tests, store};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Leaf, MOST_LEAVES, Split, Tree};

/// `splits` says how many entries of `leaf` … `missing_inside` belong to each tree; it has one more
/// entry of `answers`, `rows` and `weights`. Tests are written as for stumps.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct TreeFields {
    splits: Vec<usize>,
    leaf: Vec<u16>,
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    answers: Vec<f64>,
    rows: Vec<u64>,
    weights: Vec<f64>,
}

impl TreeFields {
    pub(super) fn push(&mut self, tree: &Tree) {
        self.splits.push(tree.splits.len());
        for Split { leaf, test } in &tree.splits {
            self.leaf.push(*leaf);
            self.column.push(test.column);
            self.test.push(store(&test.passes, &mut self.subsets));
            self.missing_inside.push(test.missing_inside);
        }
        for leaf in &tree.leaves {
            self.answers.push(leaf.answer);
            self.rows.push(leaf.rows);
            self.weights.push(leaf.weight);
        }
    }

    pub(super) fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let tests = Tests {
            column: &self.column,
            test: &self.test,
            subsets: &self.subsets,
            missing_inside: &self.missing_inside,
        };
        tests.check_lengths(reader)?;
        reader.check_counts("splits", &self.splits, self.column.len())?;
        reader.check_length("leaf", self.leaf.len(), self.column.len())?;
        let n_leaves = self.column.len() + self.splits.len();
        reader.check_length("rows", self.rows.len(), n_leaves)?;
        reader.check_numbers("answers", &self.answers, n_leaves)?;
        reader.check_numbers("weights", &self.weights, n_leaves)?;
        let (mut next, mut next_leaf) = (0, 0);
        for (at, &count) in self.splits.iter().enumerate() {
            reader.check_below("splits", at, count, MOST_LEAVES)?;
            let mut splits = Vec::with_capacity(count);
            for number in 0..count {
                let at = next + number;
                reader.check_below("leaf", at, self.leaf[at].into(), number + 1)?;
                splits.push(Split { leaf: self.leaf[at], test: tests.read(reader, at)? });
            }
            let leaves = (next_leaf..=next_leaf + count).map(|at| Leaf {
                answer: self.answers[at],
                rows: self.rows[at],
                weight: self.weights[at],
            });
            hypotheses.push(Hypothesis::Tree(Tree { splits, leaves: leaves.collect() }));
            next += count;
            next_leaf += count + 1;
        }
        Ok(())
    }
}
