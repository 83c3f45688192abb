//! A tree as the list of its splits, in the order in which they were made.
//!
//! In: codes. Out: the leaf of each row. Split `s` cuts one of the leaves there are so far: rows
//! inside its test keep the leaf's number, all others move to the new leaf `s + 1`. Evaluating a
//! tree is thus one pass over a block of rows per split, without branches or recursion.

use std::ops::Range;
use std::sync::OnceLock;

use super::{Block, PartAnswers, Test, Walk};
use crate::data::{Binned, Code};

/// Splits, and an answer for each leaf.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The splits, in order.
    pub splits: Vec<Split>,
    /// The leaves by number, one more than there are splits.
    pub leaves: Vec<Leaf>,
    /// The answer of each leaf.
    pub answers: PartAnswers,
    /// Made on first use.
    walk: OnceLock<Walk>,
}

impl PartialEq for Tree {
    fn eq(&self, other: &Self) -> bool {
        (&self.splits, &self.leaves, &self.answers)
            == (&other.splits, &other.leaves, &other.answers)
    }
}

/// Rows of `leaf` that do not pass `test` leave it for a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// The leaf that is cut.
    pub leaf: u16,
    /// The test.
    pub test: Test,
}

/// A leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Leaf {
    /// Training rows in it.
    pub rows: u64,
    /// Their share of the weight when the tree was learned.
    pub weight: f64,
}

/// The most leaves a tree may have: their numbers fill 16 bits.
pub const MOST_LEAVES: usize = 1 << 16;

impl Tree {
    /// A tree from its parts.
    #[must_use]
    pub fn new(splits: Vec<Split>, leaves: Vec<Leaf>, answers: PartAnswers) -> Self {
        Self { splits, leaves, answers, walk: OnceLock::new() }
    }

    /// The way through the tree, row by row.
    pub(super) fn walk(&self, data: &Binned) -> &Walk {
        self.walk.get_or_init(|| Walk::new(&self.splits, |column| data.n_codes(column)))
    }

    #[allow(clippy::needless_bitwise_bool)] // a lazy operator would be a branch for every row
    pub(super) fn find_leaves<L: Code>(&self, data: &Binned, rows: Range<usize>, leaf: &mut [L]) {
        leaf.fill(L::default());
        let mut marks = vec![0; leaf.len()];
        for (at, split) in self.splits.iter().enumerate() {
            let column = split.test.column;
            let inside = split.test.inside(data.n_codes(column));
            inside.mark(Block::new(data.codes(column), rows.clone()), &mut marks);
            let (cut, new) = (L::from_u16(split.leaf), L::from_u16(at as u16 + 1));
            for (leaf, &mark) in leaf.iter_mut().zip(&marks) {
                *leaf = if (*leaf == cut) & (mark == 0) { new } else { *leaf };
            }
        }
    }
}
