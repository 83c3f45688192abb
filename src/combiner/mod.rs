//! How hypotheses make a score: from the outputs that they add to, to a score for every class.
//!
//! In: the values of every output, row by row. Out: the scores of every row, or its class. One file
//! for each way to combine; the registry below is the only place that knows them all. `steps` is what
//! a hypothesis does to the outputs, `decoding` is how two-class problems make scores of classes, and
//! `classes` finds the class with the highest score.

mod buckets;
mod by_class;
mod classes;
mod code;
mod coded;
mod combine;
mod coupling;
mod decoding;
mod grid;
mod margin_loss;
mod pair_sums;
mod sign;
mod steps;
mod tables;

pub use buckets::{Buckets, description};
pub use by_class::ByClass;
pub use classes::best_class;
pub use code::Code;
pub use coded::Coded;
pub use combine::{Fault, Placed, Rounds};
pub use coupling::Coupling;
pub use decoding::Decoding;
pub use grid::{Grid, Layer, pass_on, shares};
pub use margin_loss::MarginLoss;
pub use steps::{Addition, PartSteps, ScoreStep, Weighted};
pub use tables::Tables;

use serde::{Deserialize, Serialize};

use crate::hypothesis::{Answers, PartAnswers};
use classes::{PIECE_ROWS, find_classes};
use combine::Combine;
use sign::Sign;

/// The registry of combiners: one line each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Combiner {
    /// One sum, whose sign separates two classes.
    Sign,
    /// A sum for every class.
    ByClass(ByClass),
    /// A sum for every two-class problem of a code matrix.
    Coded(Coded),
    /// A count of the hypotheses that fire, and a table of scores by count.
    Buckets(Buckets),
    /// A grid for every two-class problem, through which rows move.
    Grid(Grid),
    /// A count and a table for every two-class problem.
    Tables(Tables),
}

impl Combiner {
    fn rule(&self) -> &dyn Combine {
        match self {
            Self::Sign => &Sign,
            Self::ByClass(by_class) => by_class,
            Self::Coded(coded) => coded,
            Self::Buckets(buckets) => buckets,
            Self::Grid(grid) => grid,
            Self::Tables(tables) => tables,
        }
    }

    /// A sum for every class, which is its score.
    #[must_use]
    pub fn by_class(n_classes: usize) -> Self {
        Self::one_vs_rest(n_classes, Decoding::Score)
    }

    /// A sum for every class against all others.
    #[must_use]
    pub fn one_vs_rest(n_classes: usize, decoding: Decoding) -> Self {
        Self::ByClass(ByClass { n_classes, decoding })
    }

    /// A sum for every two-class problem of a code matrix.
    #[must_use]
    pub fn coded(code: Code, decoding: Decoding) -> Self {
        Self::Coded(Coded { code, decoding })
    }

    /// The same, but for the loss by which it decodes, if it does.
    #[must_use]
    pub fn with_loss(self, loss: MarginLoss) -> Self {
        match self {
            Self::ByClass(ByClass { n_classes, decoding }) => {
                Self::one_vs_rest(n_classes, decoding.with_loss(loss))
            }
            Self::Coded(Coded { code, decoding }) => Self::coded(code, decoding.with_loss(loss)),
            Self::Sign | Self::Buckets(_) | Self::Grid(_) | Self::Tables(_) => self,
        }
    }

    /// How scores are made of two-class problems, if they are.
    #[must_use]
    pub fn decoding(&self) -> Option<&Decoding> {
        self.rule().decoding()
    }

    /// Whether scores are sums of weighted answers.
    #[must_use]
    pub fn scores_are_sums(&self) -> bool {
        self.is_sum() && self.decoding().is_none_or(Decoding::is_sum)
    }

    /// The same two-class problems, each with a grid of so many layers.
    #[must_use]
    pub fn with_grid(self, n_layers: usize) -> Self {
        Self::Grid(Grid::new(self, n_layers))
    }

    /// The code matrix, if there is one.
    #[must_use]
    pub fn code(&self) -> Option<&Code> {
        match self {
            Self::Coded(coded) => Some(&coded.code),
            Self::Grid(grid) => grid.problems.code(),
            Self::Tables(tables) => tables.problems.code(),
            Self::Sign | Self::ByClass(_) | Self::Buckets(_) => None,
        }
    }

    /// The table of buckets, if there is one.
    #[must_use]
    pub fn buckets(&self) -> Option<&Buckets> {
        match self {
            Self::Buckets(buckets) => Some(buckets),
            Self::Sign | Self::ByClass(_) | Self::Coded(_) | Self::Grid(_) | Self::Tables(_) => {
                None
            }
        }
    }

    /// What the tables of several two-class problems tell of the classes, if there are several.
    #[must_use]
    pub fn problems_of_tables(&self) -> Option<&Self> {
        match self {
            Self::Tables(tables) => Some(&tables.problems),
            Self::Sign | Self::ByClass(_) | Self::Coded(_) | Self::Buckets(_) | Self::Grid(_) => {
                None
            }
        }
    }

    /// The grid, if there is one.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match self {
            Self::Grid(grid) => Some(grid),
            Self::Sign | Self::ByClass(_) | Self::Coded(_) | Self::Buckets(_) | Self::Tables(_) => {
                None
            }
        }
    }

    /// All tables of buckets: one, or one for each two-class problem.
    #[must_use]
    pub fn all_tables(&self) -> &[Buckets] {
        match self {
            Self::Buckets(buckets) => std::slice::from_ref(buckets),
            Self::Tables(tables) => &tables.tables,
            Self::Sign | Self::ByClass(_) | Self::Coded(_) | Self::Grid(_) => &[],
        }
    }

    /// Its name, as in files.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Sign => "sign",
            Self::ByClass(_) => "by_class",
            Self::Coded(_) => "coded",
            Self::Buckets(_) => "buckets",
            Self::Grid(_) => "grid",
            Self::Tables(_) => "tables",
        }
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.rule().n_classes()
    }

    /// The number of outputs.
    #[must_use]
    pub fn n_outputs(&self) -> usize {
        self.rule().n_outputs()
    }

    /// The number of scores of a row: one for two classes where its sign decides, else one a class.
    #[must_use]
    pub fn n_scores(&self) -> usize {
        self.rule().n_scores()
    }

    /// The outputs of each two-class problem: one, or those of its grid.
    #[must_use]
    pub fn outputs_by_problem(&self) -> usize {
        self.rule().outputs_by_problem()
    }

    /// The number of outputs, or of grids.
    #[must_use]
    pub fn n_problems(&self) -> usize {
        self.n_outputs() / self.outputs_by_problem()
    }

    /// The side of every class in each two-class problem: −1, +1, or 0 if its rows do not take part.
    #[must_use]
    pub fn sides(&self) -> Vec<Vec<i8>> {
        self.rule().sides()
    }

    /// Whether outputs are sums of weighted answers.
    #[must_use]
    pub fn is_sum(&self) -> bool {
        self.rule().is_sum()
    }

    /// Whether rounds may have any number of hypotheses, none included.
    #[must_use]
    pub fn has_layers(&self) -> bool {
        self.rule().has_layers()
    }

    /// Whether rounds of a model of the other combiner can be followed by rounds of this one: equal
    /// but for what rounds change.
    #[must_use]
    pub fn continues(&self, other: &Self) -> bool {
        self.rule().continues(other)
    }

    /// What an output holds for every row before the first round.
    #[must_use]
    pub fn first_value(&self, output: usize) -> f64 {
        self.rule().first_value(output)
    }

    /// What is done to the outputs in a round, in order. The hypotheses of the round add to these
    /// outputs, which ascend.
    #[must_use]
    pub fn steps(&self, round: usize, outputs: impl Iterator<Item = usize>) -> Vec<ScoreStep> {
        self.rule().steps(round, &outputs.collect::<Vec<_>>())
    }

    /// What the parts of a hypothesis do to the outputs.
    #[must_use]
    pub fn part_steps(&self, answers: &PartAnswers, to: Weighted) -> PartSteps {
        self.rule().part_steps(answers, to)
    }

    /// What answers to many rows do to the outputs.
    #[must_use]
    pub fn addition<'a>(&self, answers: &'a Answers, to: Weighted) -> Addition<'a> {
        self.rule().addition(answers, to)
    }

    /// How much a hypothesis counts in the importance of the columns that it tests.
    #[must_use]
    pub fn strength(&self, round: usize, to: Weighted) -> f64 {
        self.rule().strength(round, to)
    }

    /// Writes the scores of some rows, row by row, from their outputs.
    pub fn write_scores(&self, outputs: &[&[f64]], scores: &mut [f64]) {
        self.write_scores_after(usize::MAX, outputs, scores);
    }

    /// The same after so many rounds, or after all there are.
    pub fn write_scores_after(&self, n_rounds: usize, outputs: &[&[f64]], scores: &mut [f64]) {
        let n_scores = self.n_scores();
        self.with_scores(n_rounds, outputs, |by_score| {
            for (at, values) in by_score.iter().enumerate() {
                for (to, value) in scores.iter_mut().skip(at).step_by(n_scores).zip(*values) {
                    *to = *value;
                }
            }
        });
    }

    /// Calls `read` with the scores of some rows after so many rounds, score by score.
    fn with_scores(&self, n_rounds: usize, outputs: &[&[f64]], read: impl FnOnce(&[&[f64]])) {
        with_slices(self.rule().scores(n_rounds, outputs), outputs, read);
    }

    /// Calls `read` with the classes of the highest scores, a few rows at a time and the first of
    /// them by its number.
    pub fn for_classes(&self, outputs: &[&[f64]], mut read: impl FnMut(usize, &[u64])) {
        let n_rows = outputs.first().map_or(0, |output| output.len());
        for start in (0..n_rows).step_by(PIECE_ROWS) {
            let rows = start..(start + PIECE_ROWS).min(n_rows);
            let piece: Vec<&[f64]> = outputs.iter().map(|output| &output[rows.clone()]).collect();
            let mut classes = [0; PIECE_ROWS];
            let classes = &mut classes[..rows.len()];
            let scores = self.rule().scores_for_classes(&piece);
            with_slices(scores, &piece, |scores| find_classes(scores, classes));
            read(start, classes);
        }
    }

    /// What is wrong with a combiner that was read from a file.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        if self.n_classes() < 2 {
            return Some("expected at least two classes");
        }
        self.rule().fault()
    }

    /// Whether it can use the answers of a hypothesis, at its output.
    #[must_use]
    pub fn takes(&self, hypothesis: &Placed) -> bool {
        self.rule().takes(hypothesis)
    }

    /// What is wrong with rounds that were read from a file.
    #[must_use]
    pub fn rounds_fault(&self, rounds: &Rounds) -> Option<Fault> {
        self.rule().rounds_fault(rounds)
    }
}

/// Calls `read` with scores, or with the outputs if these are the scores.
fn with_slices(scores: Option<Vec<Vec<f64>>>, outputs: &[&[f64]], read: impl FnOnce(&[&[f64]])) {
    match scores {
        None => read(outputs),
        Some(scores) => read(&scores.iter().map(Vec::as_slice).collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combiners_are_called_what_files_call_them() {
        let code = Code::new(&[vec![1], vec![-1]]).unwrap();
        let coded = Combiner::coded(code, Decoding::Score);
        for combiner in [
            Combiner::Sign,
            Combiner::by_class(3),
            coded.clone(),
            Combiner::Buckets(Buckets::default()),
            coded.clone().with_grid(2),
            Combiner::Tables(Tables { problems: Box::new(coded), tables: Vec::new() }),
        ] {
            let json = serde_json::to_value(&combiner).unwrap();
            let key = json.as_object().and_then(|fields| fields.keys().next());
            assert_eq!(key.map_or(json.as_str(), |key| Some(key.as_str())), Some(combiner.name()));
        }
    }
}
