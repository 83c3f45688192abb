//! How a run went: numbers by round, and why it ended.
//!
//! In: what each round brought. Out: a history that the model keeps, and whether rounds still help.

use serde::{Deserialize, Serialize};

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All rounds were run.
    NEstimators,
    /// No hypothesis has an edge any more.
    NoEdge,
    /// Every partition of the rows that a hypothesis could make was made before.
    NoNewTest,
    /// A hypothesis makes no error at all.
    Perfect,
    /// The loss falls however much a hypothesis weighs.
    Unbounded,
    /// No hypothesis can raise the objective by more than the tolerance.
    Optimal,
    /// The time is up.
    TimeLimit,
    /// The solver failed on the program of the votes found.
    SolverFailed,
    /// Weights of rows or scores would leave the range of numbers.
    OutOfRange,
    /// The validation score stopped rising.
    EarlyStopping,
    /// A callback asked for it.
    Callback,
}

/// How good the scores are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tally {
    /// The share of the start weight that is classified right.
    pub right: f64,
    /// The expected cost in the user's units, where answers have a price.
    pub cost: Option<f64>,
}

/// One entry per round; where hypotheses are weighed one by one, one for each score column.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    /// Weights α; 0 where a column got no hypothesis.
    pub weights: Vec<f64>,
    /// The weights of the run, if a program has replaced them; empty otherwise.
    pub boosted: Vec<f64>,
    /// Edges under the row weights of the round.
    pub edges: Vec<f64>,
    /// Weighted errors.
    pub errors: Vec<f64>,
    /// Share of training weight classified right after the round.
    pub train_scores: Vec<f64>,
    /// The same for validation rows; empty without them.
    pub validation_scores: Vec<f64>,
    /// The expected cost for training rows after the round; empty if answers have no price.
    pub train_costs: Vec<f64>,
    /// The same for validation rows.
    pub validation_costs: Vec<f64>,
}

impl History {
    /// The number of rounds.
    #[must_use]
    pub fn n_rounds(&self) -> usize {
        self.train_scores.len()
    }

    /// Adds how good the scores of the training rows are after a round.
    pub fn note_train(&mut self, tally: Tally) {
        self.train_scores.push(tally.right);
        self.train_costs.extend(tally.cost);
    }

    /// Adds how good the scores of the validation rows are after a round.
    pub fn note_validation(&mut self, tally: Tally) {
        self.validation_scores.push(tally.right);
        self.validation_costs.extend(tally.cost);
    }

    /// Forgets how good the scores were.
    pub fn forget_scores(&mut self) {
        for scores in [
            &mut self.train_scores,
            &mut self.validation_scores,
            &mut self.train_costs,
            &mut self.validation_costs,
        ] {
            scores.clear();
        }
    }

    /// All numbers, as files call them.
    #[must_use]
    pub fn numbers(&self) -> [(&'static str, &[f64]); 8] {
        [
            ("weights", &self.weights),
            ("boosted", &self.boosted),
            ("edges", &self.edges),
            ("errors", &self.errors),
            ("train_scores", &self.train_scores),
            ("validation_scores", &self.validation_scores),
            ("train_costs", &self.train_costs),
            ("validation_costs", &self.validation_costs),
        ]
    }

    /// Keeps only these rounds.
    pub fn keep_rounds(&mut self, rounds: &[usize]) {
        let n_rounds = self.n_rounds().max(1);
        for numbers in [
            &mut self.weights,
            &mut self.boosted,
            &mut self.edges,
            &mut self.errors,
            &mut self.train_scores,
            &mut self.validation_scores,
            &mut self.train_costs,
            &mut self.validation_costs,
        ] {
            let width = numbers.len() / n_rounds;
            let kept = rounds.iter().flat_map(|round| &numbers[round * width..][..width]);
            *numbers = kept.copied().collect();
        }
    }

    /// How many weights each round has.
    #[must_use]
    pub fn n_weights(&self) -> usize {
        if self.weights.is_empty() { 1 } else { self.weights.len() / self.n_rounds().max(1) }
    }
}
