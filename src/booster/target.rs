//! What hypotheses are to find out, and how right their answers are.
//!
//! In: the class of a row and an answer. Out: a margin, positive where the answer is right. All rows
//! of one class with one answer are an [`Atom`], of which edges, errors and losses are made.

use crate::combiner::Combiner;
use crate::demand::Question;
use crate::portable::exp;

/// What hypotheses are to find out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// On which side a row is: −1 or +1 for every class, or 0 if its rows do not take part.
    Sides(Vec<i8>),
    /// The class of a row, of so many.
    Classes(usize),
}

impl Target {
    /// What hypotheses are to find out in each two-class problem.
    #[must_use]
    pub fn of_problems(combiner: &Combiner) -> Vec<Self> {
        combiner.sides().into_iter().map(Self::Sides).collect()
    }

    /// What is asked of a learner.
    #[must_use]
    pub fn question(&self) -> Question {
        match self {
            Self::Sides(_) => Question::Side,
            Self::Classes(n_classes) => Question::Class(*n_classes),
        }
    }

    /// Whether the rows of a class take part.
    pub(super) fn has(&self, class: usize) -> bool {
        !matches!(self, Self::Sides(sides) if sides[class] == 0)
    }

    /// The kind of the rows of a class.
    pub(super) fn kind(&self, class: usize) -> usize {
        match self {
            Self::Sides(sides) => usize::from(sides[class] > 0),
            Self::Classes(_) => class,
        }
    }

    /// How right an answer to a row of a class is: positive if it is.
    #[inline]
    pub(super) fn margin(&self, class: usize, answer: f64) -> f64 {
        match self {
            Self::Sides(sides) => f64::from(sides[class]) * answer,
            Self::Classes(_) if answer == class as f64 => 1.0,
            Self::Classes(_) => -1.0,
        }
    }

    /// Whether an answer is wrong (a number of 0 means +1).
    pub(super) fn is_wrong(&self, class: usize, answer: f64) -> bool {
        match self {
            Self::Sides(sides) => (answer >= 0.0) != (sides[class] > 0),
            Self::Classes(_) => answer != class as f64,
        }
    }
}

/// All rows of one class that got one answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// Label times answer: positive where the answer is right.
    pub margin: f64,
    /// Whether the answer is wrong.
    pub is_wrong: bool,
    /// Their share of the weight.
    pub weight: f64,
}

/// The edge Σ w y h.
#[must_use]
pub fn edge(atoms: &[Atom]) -> f64 {
    atoms.iter().map(|atom| atom.weight * atom.margin).sum()
}

/// The weighted error of the answers' signs.
#[must_use]
pub fn error(atoms: &[Atom]) -> f64 {
    // A sum of nothing would be −0.
    atoms.iter().filter(|atom| atom.is_wrong).fold(0.0, |sum, atom| sum + atom.weight)
}

/// The largest absolute answer.
#[must_use]
pub fn largest_answer(atoms: &[Atom]) -> f64 {
    atoms.iter().map(|atom| atom.margin.abs()).fold(0.0, f64::max)
}

/// The factor by which the exponential loss grows when this is added with some weight.
#[must_use]
pub fn exponential_loss(atoms: &[Atom], weight: f64) -> f64 {
    atoms.iter().map(|atom| atom.weight * exp(-weight * atom.margin)).sum()
}
