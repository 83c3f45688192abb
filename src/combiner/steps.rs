//! What hypotheses add to the outputs, or move from one output to the next.
//!
//! In: the answers of a hypothesis and its weight. Out: steps by part, or row by row.

use std::ops::Range;

use super::grid::{move_shares, pass_on, shares};
use crate::hypothesis::{AnswerKind, Answers, PartAnswers};

/// Something that is done to the outputs in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScoreStep {
    /// What the hypothesis with this number among those of the round does.
    Hypothesis(usize),
    /// All mass of this output goes to the next one.
    Pass(usize),
}

/// The output that a hypothesis adds to, if it does not add to all, and its weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighted {
    /// The output.
    pub output: usize,
    /// The factor of the answers; in a grid, the probability that the answer is +1.
    pub weight: f64,
}

/// What the parts of a hypothesis do to the outputs.
#[derive(Debug)]
pub enum PartSteps {
    /// Adds to one output, by part.
    One {
        /// Which output.
        output: usize,
        /// How much.
        by_part: Vec<f64>,
    },
    /// Adds a vote to the output of a class.
    Vote {
        /// How much a vote counts.
        weight: f64,
        /// The class, by part.
        by_part: Vec<u16>,
    },
    /// Adds to all outputs.
    All {
        /// How much: for each output, by part.
        by_output: Vec<Vec<f64>>,
    },
    /// Moves from an output to the next one.
    Move {
        /// The first output.
        output: usize,
        /// Which share of what it holds, by part.
        by_part: Vec<f64>,
    },
}

/// The share that an answer moves.
fn share_of(answer: f64, shares: [f64; 2]) -> f64 {
    shares[usize::from(answer >= 0.0)]
}

impl PartSteps {
    /// Adds answers with a weight; numbers go to one output.
    #[must_use]
    pub fn adding(answers: &PartAnswers, to: Weighted) -> Self {
        let PartAnswers { says, numbers } = answers;
        let Weighted { output, weight } = to;
        match says {
            AnswerKind::Number => Self::One {
                output,
                by_part: numbers.iter().map(|number| weight * number).collect(),
            },
            AnswerKind::Class => {
                Self::Vote { weight, by_part: numbers.iter().map(|&class| class as u16).collect() }
            }
            AnswerKind::Scores(width) => {
                let of = |output: usize| numbers.iter().skip(output).step_by(*width);
                let by_output = (0..*width).map(|output| of(output).map(|h| weight * h).collect());
                Self::All { by_output: by_output.collect() }
            }
        }
    }

    /// Moves mass where the answer is +1 with the probability that is the weight.
    #[must_use]
    pub fn moving(answers: &PartAnswers, to: Weighted) -> Self {
        let shares = shares(to.weight);
        let by_part = answers.numbers.iter().map(|&answer| share_of(answer, shares)).collect();
        Self::Move { output: to.output, by_part }
    }

    /// Changes the outputs of some rows, whose parts are these.
    pub fn apply<T: AsMut<[f64]>>(&self, part: &[u16], outputs: &mut [T]) {
        let add = |steps: &[f64], output: &mut T| {
            for (score, &part) in output.as_mut().iter_mut().zip(part) {
                *score += steps[usize::from(part)];
            }
        };
        match self {
            Self::One { output, by_part } => add(by_part, &mut outputs[*output]),
            Self::Vote { weight, by_part } => {
                for (row, &part) in part.iter().enumerate() {
                    outputs[usize::from(by_part[usize::from(part)])].as_mut()[row] += weight;
                }
            }
            Self::All { by_output } => {
                for (steps, output) in by_output.iter().zip(outputs) {
                    add(steps, output);
                }
            }
            Self::Move { output, by_part } => {
                move_shares(*output, part.iter().map(|&part| by_part[usize::from(part)]), outputs);
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
        steps: PartSteps,
    },
    /// Row by row.
    Each {
        /// Whether the numbers are classes that get a vote.
        votes: bool,
        /// A number per row.
        numbers: &'a [f64],
        /// Where numbers go, and what they are multiplied by.
        to: Weighted,
    },
    /// Row by row, from an output to the next one.
    Move {
        /// A number per row.
        numbers: &'a [f64],
        /// The first output.
        output: usize,
        /// The share that moves for answers of −1 and of +1.
        shares: [f64; 2],
    },
    /// All that an output holds, to the next one.
    Pass(usize),
}

impl<'a> Addition<'a> {
    /// Adds answers with a weight; numbers go to one output.
    #[must_use]
    pub fn adding(answers: &'a Answers, to: Weighted) -> Self {
        match answers {
            Answers::Parts { part, answers } => {
                Self::Parts { part, steps: PartSteps::adding(answers, to) }
            }
            Answers::Each { says, numbers } => {
                Self::Each { votes: *says == AnswerKind::Class, numbers, to }
            }
        }
    }

    /// Moves mass where the answer is +1 with the probability that is the weight.
    #[must_use]
    pub fn moving(answers: &'a Answers, to: Weighted) -> Self {
        match answers {
            Answers::Parts { part, answers } => {
                Self::Parts { part, steps: PartSteps::moving(answers, to) }
            }
            Answers::Each { numbers, .. } => {
                Self::Move { numbers, output: to.output, shares: shares(to.weight) }
            }
        }
    }

    /// Changes the outputs of these rows.
    pub fn apply(&self, rows: Range<usize>, outputs: &mut [&mut [f64]]) {
        match self {
            Self::Parts { part, steps } => steps.apply(&part[rows], outputs),
            Self::Each { votes: true, numbers, to } => {
                for (row, &class) in numbers[rows].iter().enumerate() {
                    outputs[class as usize][row] += to.weight;
                }
            }
            Self::Each { votes: false, numbers, to } => {
                for (score, h) in outputs[to.output].iter_mut().zip(&numbers[rows]) {
                    *score += to.weight * h;
                }
            }
            Self::Move { numbers, output, shares } => {
                let moved = numbers[rows].iter().map(|&answer| share_of(answer, *shares));
                move_shares(*output, moved, outputs);
            }
            Self::Pass(output) => pass_on(*output, outputs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn votes_go_to_the_output_of_their_class() {
        let answers = PartAnswers { says: AnswerKind::Class, numbers: vec![2.0, 0.0] };
        let answers = Answers::Parts { part: vec![0, 1, 0], answers };
        let mut outputs = vec![vec![0.0; 2]; 3];
        let mut slices: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        Addition::adding(&answers, Weighted { output: 0, weight: 0.5 }).apply(1..3, &mut slices);
        assert_eq!(outputs, [[0.5, 0.0], [0.0, 0.0], [0.0, 0.5]]);
    }
}
