//! What a run reports besides the model.

use super::RowWeights;
use crate::solver::Solution;

/// What a booster reports of a run besides the model, by name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunReport {
    /// About the run: single numbers, or one for each round.
    pub numbers: Vec<(&'static str, Vec<f64>)>,
    /// About the training rows: a number for each.
    pub rows: Vec<(&'static str, Vec<f64>)>,
    /// The same, where a row of twice the weight has twice the share; at a place of several input
    /// rows, the mean.
    pub shares: Vec<(&'static str, Vec<f64>)>,
}

impl RunReport {
    /// The report of a program over the margins of hypotheses, by place; all is `NAN` or zero if there
    /// was none.
    #[must_use]
    pub fn of_program(weights: &RowWeights, solution: Option<&Solution>) -> Self {
        let none = vec![0.0; weights.n_places()];
        let (slack, duals) = solution.map_or((&none, &none), |s| (&s.slack, &s.duals));
        let of = |number: fn(&Solution) -> f64| vec![solution.map_or(f64::NAN, number)];
        Self {
            numbers: vec![
                ("objective", of(|solution| solution.objective)),
                ("duality_gap", of(|solution| solution.gap)),
            ],
            rows: vec![("slack", slack.clone())],
            shares: vec![("duals", weights.per_input_row(duals))],
        }
    }

    /// Turns numbers by place of these weights into numbers by row.
    #[must_use]
    pub fn by_row(mut self, weights: &RowWeights, n_rows: usize) -> Self {
        for (_, numbers) in self.rows.iter_mut().chain(&mut self.shares) {
            *numbers = weights.by_row(numbers, n_rows);
        }
        self
    }
}
