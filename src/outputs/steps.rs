//! What hypotheses add to the score columns, or move from one to the next.
//!
//! In: the answers of a hypothesis and its weight. Out: steps by part, or row by row.

use std::ops::Range;

use super::grid::{move_shares, pass_on, shares};
use crate::hypothesis::{Answers, PartAnswers, Says};

/// What the parts of a hypothesis add to the columns.
#[derive(Debug)]
pub enum Steps {
    /// To one column, by part.
    One {
        /// Which column.
        column: usize,
        /// How much.
        by_part: Vec<f64>,
    },
    /// A vote to the column of a class.
    Vote {
        /// How much a vote counts.
        weight: f64,
        /// The class, by part.
        by_part: Vec<u16>,
    },
    /// To all columns.
    All {
        /// How much: for each column, by part.
        by_column: Vec<Vec<f64>>,
    },
    /// From a column to the next one.
    Move {
        /// The first column.
        column: usize,
        /// Which share of what it holds, by part.
        by_part: Vec<f64>,
    },
}

/// The share that an answer moves.
fn share_of(answer: f64, shares: [f64; 2]) -> f64 {
    shares[usize::from(answer >= 0.0)]
}

impl Steps {
    /// What these answers add with a weight; numbers go to one column.
    #[must_use]
    pub fn of(answers: &PartAnswers, (column, weight): (usize, f64)) -> Self {
        let PartAnswers { says, numbers } = answers;
        match says {
            Says::Number => Self::One {
                column,
                by_part: numbers.iter().map(|number| weight * number).collect(),
            },
            Says::Class => {
                Self::Vote { weight, by_part: numbers.iter().map(|&class| class as u16).collect() }
            }
            Says::Scores(width) => {
                let of = |column: usize| numbers.iter().skip(column).step_by(*width);
                let by_column = (0..*width).map(|column| of(column).map(|h| weight * h).collect());
                Self::All { by_column: by_column.collect() }
            }
        }
    }

    /// What these answers move if they are +1 with this probability.
    #[must_use]
    pub fn moving(answers: &PartAnswers, (column, right): (usize, f64)) -> Self {
        let shares = shares(right);
        let by_part = answers.numbers.iter().map(|&answer| share_of(answer, shares)).collect();
        Self::Move { column, by_part }
    }

    /// Adds to the columns of some rows, whose parts are these.
    pub fn add(&self, part: &[u16], columns: &mut [&mut [f64]]) {
        let add = |steps: &[f64], column: &mut [f64]| {
            for (score, &part) in column.iter_mut().zip(part) {
                *score += steps[usize::from(part)];
            }
        };
        match self {
            Self::One { column, by_part } => add(by_part, columns[*column]),
            Self::Vote { weight, by_part } => {
                for (row, &part) in part.iter().enumerate() {
                    columns[usize::from(by_part[usize::from(part)])][row] += weight;
                }
            }
            Self::All { by_column } => {
                for (steps, column) in by_column.iter().zip(columns) {
                    add(steps, column);
                }
            }
            Self::Move { column, by_part } => {
                move_shares(*column, part.iter().map(|&part| by_part[usize::from(part)]), columns);
            }
        }
    }
}

/// The weighted answers of a hypothesis to many rows.
pub enum Addition<'a> {
    /// By part.
    Parts {
        /// The part of each row.
        part: &'a [u16],
        /// What parts add.
        steps: Steps,
    },
    /// Row by row.
    Each {
        /// Whether the numbers are classes that get a vote.
        votes: bool,
        /// A number per row.
        numbers: &'a [f64],
        /// Where numbers go, and what they are multiplied by.
        to: (usize, f64),
    },
    /// Row by row, from a column to the next one.
    Move {
        /// A number per row.
        numbers: &'a [f64],
        /// The first column.
        column: usize,
        /// The share that moves for answers of −1 and of +1.
        shares: [f64; 2],
    },
    /// All that a column holds, to the next one.
    Pass(usize),
}

impl<'a> Addition<'a> {
    /// These answers with a weight; numbers go to one column.
    #[must_use]
    pub fn of(answers: &'a Answers, to: (usize, f64)) -> Self {
        match answers {
            Answers::Parts { part, answers } => Self::Parts { part, steps: Steps::of(answers, to) },
            Answers::Each { says, numbers } => {
                Self::Each { votes: *says == Says::Class, numbers, to }
            }
        }
    }

    /// What these answers move if they are +1 with this probability.
    #[must_use]
    pub fn moving(answers: &'a Answers, to: (usize, f64)) -> Self {
        match answers {
            Answers::Parts { part, answers } => {
                Self::Parts { part, steps: Steps::moving(answers, to) }
            }
            Answers::Each { numbers, .. } => {
                let (column, right) = to;
                Self::Move { numbers, column, shares: shares(right) }
            }
        }
    }

    /// Adds to the columns of these rows.
    pub fn add(&self, rows: Range<usize>, columns: &mut [&mut [f64]]) {
        match self {
            Self::Parts { part, steps } => steps.add(&part[rows], columns),
            Self::Each { votes: true, numbers, to: (_, weight) } => {
                for (row, &class) in numbers[rows].iter().enumerate() {
                    columns[class as usize][row] += weight;
                }
            }
            Self::Each { votes: false, numbers, to: (column, weight) } => {
                for (score, h) in columns[*column].iter_mut().zip(&numbers[rows]) {
                    *score += weight * h;
                }
            }
            Self::Move { numbers, column, shares } => {
                let moved = numbers[rows].iter().map(|&answer| share_of(answer, *shares));
                move_shares(*column, moved, columns);
            }
            Self::Pass(column) => pass_on(*column, columns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_go_to_the_column_of_their_class() {
        let answers = PartAnswers { says: Says::Class, numbers: vec![2.0, 0.0] };
        let answers = Answers::Parts { part: vec![0, 1, 0], answers };
        let mut columns = vec![vec![0.0; 2]; 3];
        let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        Addition::of(&answers, (0, 0.5)).add(1..3, &mut slices);
        assert_eq!(columns, [[0.5, 0.0], [0.0, 0.0], [0.0, 0.5]]);
    }
}
