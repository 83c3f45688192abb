//! What a combiner has to define.
//!
//! In: answers of hypotheses, values of outputs, parts of a file. Out: steps, scores, faults. The
//! defaults are those of sums of weighted answers.

use super::{Addition, Combiner, Decoding, PartSteps, ScoreStep, Weighted};
use crate::hypothesis::{AnswerKind, Answers, PartAnswers};

/// A hypothesis of a file, which may not fit.
pub struct Placed<'a> {
    /// What kind of answers it gives.
    pub says: AnswerKind,
    /// Its answers, if they are known.
    pub answers: Option<&'a PartAnswers>,
    /// The output that it adds to.
    pub output: usize,
}

/// The rounds of a file, which may not fit.
pub struct Rounds<'a> {
    /// How many there are.
    pub n_rounds: usize,
    /// The weights, round after round.
    pub weights: &'a [f64],
    /// The round and the output of each hypothesis.
    pub positions: &'a [(usize, usize)],
}

/// What is wrong with a combiner or its hypotheses: the field of the file, and why.
pub type Fault = (&'static str, String);

/// What a combiner has to define. The defaults are those of sums of weighted answers.
pub(super) trait Combine {
    /// The number of classes.
    fn n_classes(&self) -> usize;

    /// The number of outputs.
    fn n_outputs(&self) -> usize;

    /// The number of scores of a row: one for two classes where its sign decides, else one a class.
    fn n_scores(&self) -> usize {
        self.n_classes()
    }

    /// The scores of some rows after so many rounds, or after all there are; `None` if the outputs
    /// are the scores.
    fn scores(&self, _n_rounds: usize, _outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        None
    }

    /// Scores whose best class is the same, where they are found faster.
    fn scores_for_classes(&self, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        self.scores(usize::MAX, outputs)
    }

    /// How the scores of classes are made of two-class problems, if they are.
    fn decoding(&self) -> Option<&Decoding> {
        None
    }

    /// The side of every class in each two-class problem: −1, +1, or 0 if its rows do not take part.
    /// Empty if outputs are not learned as two-class problems.
    fn sides(&self) -> Vec<Vec<i8>>;

    /// Whether outputs are sums of weighted answers.
    fn is_sum(&self) -> bool {
        true
    }

    /// The outputs of each two-class problem.
    fn outputs_by_problem(&self) -> usize {
        1
    }

    /// Whether a model of the other combiner can get more rounds under this one: the same but for
    /// what rounds change.
    fn continues(&self, other: &Combiner) -> bool;

    /// What an output holds for every row before the first round.
    fn first_value(&self, _output: usize) -> f64 {
        0.0
    }

    /// What is done to the outputs in a round, in order, by hypotheses of these outputs.
    fn steps(&self, _round: usize, outputs: &[usize]) -> Vec<ScoreStep> {
        (0..outputs.len()).map(ScoreStep::Hypothesis).collect()
    }

    /// What the parts of a hypothesis do to the outputs.
    fn part_steps(&self, answers: &PartAnswers, to: Weighted) -> PartSteps {
        PartSteps::adding(answers, to)
    }

    /// What answers to many rows do to the outputs.
    fn addition<'a>(&self, answers: &'a Answers, to: Weighted) -> Addition<'a> {
        Addition::adding(answers, to)
    }

    /// How much a hypothesis counts in the importance of the columns that it tests.
    fn strength(&self, _round: usize, to: Weighted) -> f64 {
        to.weight.abs()
    }

    /// Whether a round may have any number of hypotheses, none included.
    fn has_layers(&self) -> bool {
        false
    }

    /// What is wrong with the combiner itself, as read from a file.
    fn fault(&self) -> Option<&'static str> {
        None
    }

    /// Whether it can use the answers of a hypothesis.
    fn takes(&self, hypothesis: &Placed) -> bool {
        match hypothesis.says {
            AnswerKind::Number => hypothesis.output < self.n_outputs(),
            AnswerKind::Class | AnswerKind::Scores(_) => false,
        }
    }

    /// What is wrong with so many rounds, as read from a file.
    fn rounds_fault(&self, _rounds: &Rounds) -> Option<Fault> {
        None
    }
}
