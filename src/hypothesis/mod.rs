//! What a weak learner returns: something small that answers every row.
//!
//! One file per kind. Stumps, rules and trees see codes only, in training and in prediction alike,
//! and answer with a partition of the rows and a value per part; RBF nets see numbers, external
//! hypotheses the caller's own rows, and both answer each row with a number of its own.

mod answers;
mod code_set;
mod external;
mod monotone;
mod rbf_net;
mod rule;
mod stump;
mod test;
mod tree;
mod walk;

pub use answers::{AnswerKind, Answers, PartAnswers, RowNumbers, largest_absolute};
pub use code_set::{Block, CodeSet};
pub use external::External;
pub use monotone::make_monotone;
pub use rbf_net::RbfNet;
#[cfg(feature = "train")]
pub(crate) use rbf_net::Units;
pub use rule::{Literal, Rule, Wants};
pub use stump::Stump;
pub use test::{Passes, Test};
pub use tree::{Leaf, MOST_LEAVES, Split, Tree};
pub use walk::{Walk, code_of};

use std::ops::Range;

use crate::data::{Binned, ExternalQuestion, View, ViewKind};
use crate::error::Result;
use crate::workers::{Workers, row_blocks, split_along};

/// Rows whose parts are found together: their codes and marks stay in the first-level cache.
const PIECE_ROWS: usize = 1 << 12;

/// Leaves from which walking through a tree row by row is quicker than a pass for each split.
const WALK_FROM: usize = 64;

/// Rows from which a pass for each split is quicker than a walk for each row.
const PASS_FROM: usize = 8;

/// Any weak hypothesis.
#[derive(Debug, Clone)]
pub enum Hypothesis {
    /// One test on one column.
    Stump(Stump),
    /// A conjunction of literals.
    Rule(Rule),
    /// A decision tree.
    Tree(Tree),
    /// A net of radial basis functions.
    RbfNet(RbfNet),
    /// A classifier of the caller's.
    External(External),
}

impl Hypothesis {
    /// The tests that it is made of; 0 if it is made of something else.
    #[must_use]
    pub fn n_tests(&self) -> usize {
        match self {
            Self::Stump(_) => 1,
            Self::Rule(rule) => rule.literals.len(),
            Self::Tree(tree) => tree.splits.len(),
            Self::RbfNet(_) | Self::External(_) => 0,
        }
    }

    /// Writes the answers for all rows of `view`.
    pub fn answer(&self, view: &View, workers: &Workers, answers: &mut Answers) -> Result<()> {
        match self {
            Self::RbfNet(net) => {
                let numbers = net.answer(view.numbers()?, workers)?;
                *answers = Answers::Each { says: AnswerKind::Number, numbers };
                Ok(())
            }
            Self::External(external) => {
                let numbers = view.frame()?.answer(&external.object, external.asked)?;
                let says = match external.asked {
                    ExternalQuestion::Vote | ExternalQuestion::Real => AnswerKind::Number,
                    ExternalQuestion::Class => AnswerKind::Class,
                };
                *answers = Answers::Each { says, numbers };
                Ok(())
            }
            Self::Stump(Stump { answers: by_part, .. })
            | Self::Rule(Rule { answers: by_part, .. })
            | Self::Tree(Tree { answers: by_part, .. }) => {
                let data = view.codes()?;
                let part = answers.start_parts(data.n_rows(), by_part);
                let blocks = row_blocks(data.n_rows());
                let pieces = split_along(part, blocks.iter().map(Range::len));
                workers.map(
                    data.n_rows(),
                    blocks.into_iter().zip(pieces).collect(),
                    |(rows, part)| {
                        self.find_parts(data, rows, part);
                        Ok(())
                    },
                )?;
                Ok(())
            }
        }
    }

    /// The part of each of these rows, for hypotheses that read codes.
    pub fn find_parts(&self, data: &Binned, rows: Range<usize>, part: &mut [u16]) {
        if let Self::Tree(tree) = self
            && (tree.leaves.len() > WALK_FROM || part.len() < PASS_FROM)
        {
            return tree.walk(data).find_leaves(data, rows, part);
        }
        let mut narrow = [0u8; PIECE_ROWS];
        for (piece, part) in part.chunks_mut(PIECE_ROWS).enumerate() {
            let narrow = &mut narrow[..part.len()];
            let start = rows.start + piece * PIECE_ROWS;
            let rows = start..start + part.len();
            match self {
                Self::Stump(stump) => stump.find_parts(data, rows, narrow),
                Self::Rule(rule) => rule.find_parts(data, rows, narrow),
                Self::Tree(tree) => tree.find_leaves(data, rows, narrow),
                Self::RbfNet(_) | Self::External(_) => {} // have no parts
            }
            for (part, &number) in part.iter_mut().zip(narrow.iter()) {
                *part = u16::from(number);
            }
        }
    }

    /// The answer of each part, for hypotheses that have parts.
    #[must_use]
    pub fn part_answers(&self) -> Option<&PartAnswers> {
        match self {
            Self::Stump(stump) => Some(&stump.answers),
            Self::Rule(rule) => Some(&rule.answers),
            Self::Tree(tree) => Some(&tree.answers),
            Self::RbfNet(_) | Self::External(_) => None,
        }
    }

    /// What its answers mean.
    #[must_use]
    pub fn answer_kind(&self) -> AnswerKind {
        match self {
            Self::External(External { asked: ExternalQuestion::Class, .. }) => AnswerKind::Class,
            _ => self.part_answers().map_or(AnswerKind::Number, |answers| answers.says),
        }
    }

    /// What it reads.
    #[must_use]
    pub fn view_kind(&self) -> ViewKind {
        match self {
            Self::Stump(_) | Self::Rule(_) | Self::Tree(_) => ViewKind::Codes,
            Self::RbfNet(_) => ViewKind::Numbers,
            Self::External(_) => ViewKind::Frame,
        }
    }

    /// The column of each test that it makes, or each column that it measures.
    #[must_use]
    pub fn columns(&self) -> Vec<usize> {
        match self {
            Self::Stump(stump) => vec![stump.test.column],
            Self::Rule(rule) => rule.literals.iter().map(|literal| literal.column).collect(),
            Self::Tree(tree) => tree.splits.iter().map(|split| split.test.column).collect(),
            Self::RbfNet(net) => (0..net.n_columns()).collect(),
            Self::External(_) => Vec::new(),
        }
    }
}
