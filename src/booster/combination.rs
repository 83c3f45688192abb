//! The best combination of votes that a totally corrective booster has found.
//!
//! In: what programs come to. Out: weights for all votes, whatever becomes of the programs.

use crate::solver::{Margins, Solution, soft_margin_value};

/// The best combination so far.
#[derive(Default)]
pub(super) struct Found {
    /// Of the votes; they sum to 1.
    pub weights: Vec<f64>,
    /// The same on the scale of the program that found them, which starts there next time.
    pub start: Vec<f64>,
    /// Of the combination; none without votes.
    pub objective: Option<f64>,
    /// Of the linear program, if it was solved.
    pub solution: Option<Solution>,
}

impl Found {
    /// What a linear program came to.
    pub fn of_program(solution: Solution) -> Self {
        Self {
            weights: solution.weights.clone(),
            start: solution.weights.clone(),
            objective: Some(solution.objective),
            solution: Some(solution),
        }
    }

    /// Takes in the newest vote where no program was solved: without any weight, or with all of it if
    /// there is no other. `duals` is a distribution over the rows that a program may have.
    pub fn add_idle_vote(
        &mut self,
        margins: &Margins,
        (importance, nu): (&[f64], f64),
        duals: Vec<f64>,
    ) {
        self.weights.resize(margins.n_columns(), 0.0);
        if self.objective.is_none() {
            self.weights.fill(1.0 / margins.n_columns() as f64);
        }
        let combined = margins.combine(&self.weights);
        let (objective, rho) = soft_margin_value(&combined, importance, nu);
        self.objective = Some(objective);
        if self.solution.is_some() {
            return;
        }
        let edge =
            |column: &Vec<f64>| -> f64 { column.iter().zip(&duals).map(|(m, d)| m * d).sum() };
        let dual_objective = margins.columns().iter().map(edge).fold(f64::NEG_INFINITY, f64::max);
        self.solution = Some(Solution {
            weights: self.weights.clone(),
            rho: Some(rho),
            slack: combined.iter().map(|margin| (rho - margin).max(0.0)).collect(),
            duals,
            objective,
            dual_objective,
            gap: (dual_objective - objective).abs(),
            iterations: 0,
            rows_used: 0,
            almost: true,
            seconds: 0.0,
        });
    }
}

/// The same weights with the sum 1.
pub(super) fn shares(weights: &[f64]) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_vote_has_all_weight_and_a_later_one_none_if_no_program_was_solved() {
        let mut margins = Margins::new(4, vec![vec![1.0, 1.0, 1.0, -1.0]]).unwrap();
        let (importance, duals) = (vec![1.0; 4], vec![0.25; 4]);
        let mut found = Found::default();
        found.add_idle_vote(&margins, (&importance, 0.5), duals.clone());
        assert_eq!(found.weights, [1.0]);
        assert_eq!(found.objective, Some(0.0)); // 1 − 2/4 · 2 for the row that is wrong
        let gap = found.solution.as_ref().map(|solution| solution.gap);
        assert_eq!(gap, Some(0.5)); // the edge under even weights is ½
        margins.push(vec![-1.0, 1.0, 1.0, 1.0]).unwrap();
        found.add_idle_vote(&margins, (&importance, 0.5), duals);
        assert_eq!((found.weights, found.objective), (vec![1.0, 0.0], Some(0.0)));
    }
}
