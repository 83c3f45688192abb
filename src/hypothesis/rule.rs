//! A rule (monomial): a conjunction of literals, an answer where it fires and one elsewhere.
//!
//! In: codes. Out: part 1 for rows on which every literal holds, part 0 for all others. As in SQL, a
//! literal other than "is null" does not hold for a missing value.

use std::ops::Range;

use super::{Block, CodeSet, PIECE_ROWS, PartAnswers};
use crate::data::Binned;

/// All `literals` hold for part 1, not all for part 0.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// The literals, in the order in which they were found; without any the rule always fires.
    pub literals: Vec<Literal>,
    /// For each literal: of the training rows on which those before it hold, the share on which it
    /// holds as well. Empty if they were not counted.
    pub shares: Vec<f64>,
    /// The answer where it does not fire, and where it does.
    pub answers: PartAnswers,
    /// Training rows on which it fires.
    pub rows_inside: u64,
    /// Their share of the weight when it was learned.
    pub weight_inside: f64,
}

/// One condition on one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Literal {
    /// The column.
    pub column: usize,
    /// What its code must be.
    pub wants: Wants,
}

/// What a literal wants of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wants {
    /// `x ≤ cuts[code]`.
    AtMost(u16),
    /// `x > cuts[code]`.
    Above(u16),
    /// The category has this code.
    Is(u16),
    /// The category has another code.
    IsNot(u16),
    /// No value.
    Missing,
    /// Any value.
    Present,
}

impl Wants {
    /// A number that no other has.
    #[must_use]
    pub fn number(self) -> u64 {
        let (kind, code) = match self {
            Self::AtMost(code) => (0, code),
            Self::Above(code) => (1, code),
            Self::Is(code) => (2, code),
            Self::IsNot(code) => (3, code),
            Self::Missing => (4, 0),
            Self::Present => (5, 0),
        };
        (kind << 16) | u64::from(code)
    }
}

impl Literal {
    /// The codes for which it holds; the missing code is the last of `n_codes`.
    #[must_use]
    pub fn inside(&self, n_codes: usize) -> CodeSet {
        let missing = (n_codes - 1) as u16;
        match self.wants {
            Wants::AtMost(last) => CodeSet::span(0, last),
            Wants::Above(cut) => CodeSet::span(cut + 1, missing - 1),
            Wants::Is(code) => CodeSet::span(code, code),
            Wants::IsNot(code) => {
                CodeSet::Span { first: code, last: code, also: missing, inverted: true }
            }
            Wants::Missing => CodeSet::span(missing, missing),
            Wants::Present => {
                CodeSet::Span { first: missing, last: missing, also: missing, inverted: true }
            }
        }
    }

    /// Whether `other` holds wherever this literal does.
    #[must_use]
    pub fn implies(&self, other: &Self) -> bool {
        self.column == other.column
            && match (self.wants, other.wants) {
                (Wants::AtMost(this), Wants::AtMost(other)) => this <= other,
                (Wants::Above(this), Wants::Above(other)) => this >= other,
                (Wants::Is(this), Wants::IsNot(other)) => this != other,
                (Wants::Missing, _) => other.wants == Wants::Missing,
                (_, Wants::Present) => true,
                (this, other) => this == other,
            }
    }
}

impl Rule {
    /// How many of these rows come past no literal, the first one, the first two and so on; `copies` says
    /// how often each row counts.
    #[must_use]
    pub fn count_steps(&self, data: &Binned, copies: Option<&[u32]>) -> Vec<u64> {
        let mut counts = vec![0; self.literals.len() + 1];
        let mut marks = [0; PIECE_ROWS];
        for start in (0..data.n_rows()).step_by(PIECE_ROWS) {
            let rows = start..(start + PIECE_ROWS).min(data.n_rows());
            let mut fired = [1u8; PIECE_ROWS];
            let (fired, marks) = (&mut fired[..rows.len()], &mut marks[..rows.len()]);
            counts[0] += count(fired, copies, rows.start);
            for (literal, sum) in self.literals.iter().zip(&mut counts[1..]) {
                let inside = literal.inside(data.n_codes(literal.column));
                inside.mark(Block::new(data.codes(literal.column), rows.clone()), marks);
                for (fired, mark) in fired.iter_mut().zip(&*marks) {
                    *fired &= mark;
                }
                *sum += count(fired, copies, rows.start);
            }
        }
        counts
    }

    /// Notes the shares that come past each literal, by how many come past those before.
    pub fn set_shares(&mut self, counts: &[u64]) {
        let share = |pair: &[u64]| if pair[0] == 0 { 0.5 } else { pair[1] as f64 / pair[0] as f64 };
        self.shares = counts.windows(2).map(share).collect();
    }

    pub(super) fn find_parts(&self, data: &Binned, rows: Range<usize>, part: &mut [u8]) {
        part.fill(1);
        let mut marks = vec![0; part.len()];
        for literal in &self.literals {
            let inside = literal.inside(data.n_codes(literal.column));
            inside.mark(Block::new(data.codes(literal.column), rows.clone()), &mut marks);
            for (part, mark) in part.iter_mut().zip(&marks) {
                *part &= mark;
            }
        }
    }
}

/// How many of the rows from `start` on are marked, with all their copies.
fn count(marks: &[u8], copies: Option<&[u32]>, start: usize) -> u64 {
    match copies {
        None => marks.iter().map(|&mark| u64::from(mark)).sum(),
        Some(copies) => {
            let marked = marks.iter().zip(&copies[start..]);
            marked.map(|(&mark, &copies)| u64::from(copies & u32::from(mark).wrapping_neg())).sum()
        }
    }
}
