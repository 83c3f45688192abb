//! Trees in a model file.

use serde::{Deserialize, Serialize};

use super::test_fields::{Tests, store};
use super::{Reader, SaysField};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Leaf, MOST_LEAVES, PartAnswers, Split, Tree};

/// `splits` says how many entries of `leaf` … `missing_inside` belong to each tree; it has one more
/// entry of `answers`, `rows` and `weights`. Tests are written as for stumps.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct TreeFields {
    /// What the answers mean.
    #[serde(default, skip_serializing_if = "SaysField::is_number")]
    pub(super) says: SaysField,
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
    pub(super) fn new(says: SaysField) -> Self {
        Self { says, ..Self::default() }
    }

    pub(super) fn push(&mut self, tree: &Tree) {
        self.splits.push(tree.splits.len());
        for Split { leaf, test } in &tree.splits {
            self.leaf.push(*leaf);
            self.column.push(test.column);
            self.test.push(store(&test.passes, &mut self.subsets));
            self.missing_inside.push(test.missing_inside);
        }
        self.answers.extend_from_slice(&tree.answers.numbers);
        for leaf in &tree.leaves {
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
        reader.check_rows("rows", &self.rows, n_leaves)?;
        let says = self.says.read(reader)?;
        let width = says.width();
        reader.check_numbers("answers", &self.answers, n_leaves.saturating_mul(width))?;
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
            let leaves = next_leaf..=next_leaf + count;
            let numbers = self.answers[next_leaf * width..(next_leaf + count + 1) * width].to_vec();
            let answers = PartAnswers { says, numbers };
            let leaves =
                leaves.map(|at| Leaf { rows: self.rows[at], weight: self.weights[at] }).collect();
            hypotheses.push(Hypothesis::Tree(Tree::new(splits, leaves, answers)));
            next += count;
            next_leaf += count + 1;
        }
        Ok(())
    }
}
