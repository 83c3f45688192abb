//! A net of radial basis functions: f(x) = Σ vₖ exp(−‖x − μₖ‖² / 2σₖ²).
//!
//! In: standardised numbers. Out: per row the sign of f, or f clipped to [−1, 1]. [`Units`] is the
//! hidden layer, which training evaluates in just the same way.

use crate::data::Numbers;
use crate::error::Result;
use crate::portable::exp_of_negative;
use crate::vectors::{dot, squared_distance};
use crate::workers::Workers;

/// Rows that one task answers.
const TASK_ROWS: usize = 1024;

/// Centres, widths and output weights.
#[derive(Debug, Clone, PartialEq)]
pub struct RbfNet {
    /// μ, centre after centre, in standardised units.
    pub centers: Vec<f64>,
    /// σ, one per centre, in standardised units.
    pub widths: Vec<f64>,
    /// v, one per centre.
    pub outputs: Vec<f64>,
    /// Whether it answers with the sign of f rather than with f.
    pub votes: bool,
}

impl RbfNet {
    /// The number of columns that it measures.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.centers.len().checked_div(self.widths.len()).unwrap_or(0)
    }

    /// The answers to all rows of `data`.
    pub fn answer(&self, data: &Numbers, workers: &Workers) -> Result<Vec<f64>> {
        let n_columns = data.n_columns();
        let units = Units::new(&self.centers, n_columns, self.widths.iter().copied());
        let mut answers = vec![0.0; data.n_rows()];
        let rows = data.values().chunks(TASK_ROWS * n_columns.max(1));
        let tasks = answers.chunks_mut(TASK_ROWS).zip(rows).collect();
        workers.map(data.n_rows() * self.outputs.len(), tasks, |(answers, rows)| {
            let mut activations = vec![0.0; self.outputs.len()];
            for (answer, row) in answers.iter_mut().zip(rows.chunks_exact(n_columns.max(1))) {
                units.activate(row, &mut activations);
                *answer = self.judge(dot(&activations, &self.outputs));
            }
            Ok(())
        })?;
        Ok(answers)
    }

    fn judge(&self, value: f64) -> f64 {
        match self.votes {
            true if value < 0.0 => -1.0,
            true => 1.0,
            false => value.clamp(-1.0, 1.0),
        }
    }
}

/// The hidden layer: a Gaussian bump around each centre.
#[derive(Debug)]
pub(crate) struct Units<'a> {
    centers: &'a [f64],
    n_columns: usize,
    /// −1 / 2σ² of each centre.
    factors: Vec<f64>,
}

impl<'a> Units<'a> {
    /// Centres of `n_columns` values each, and as many widths.
    pub(crate) fn new(
        centers: &'a [f64],
        n_columns: usize,
        widths: impl Iterator<Item = f64>,
    ) -> Self {
        let factors = widths.map(|width| -0.5 / (width * width)).collect();
        Self { centers, n_columns, factors }
    }

    /// Writes the activation of each unit for one row.
    pub(crate) fn activate(&self, row: &[f64], activations: &mut [f64]) {
        let centers = self.centers.chunks_exact(self.n_columns.max(1));
        for ((to, center), factor) in activations.iter_mut().zip(centers).zip(&self.factors) {
            *to = factor * squared_distance(row, center);
        }
        // Apart, which makes wide instructions.
        for activation in activations {
            *activation = exp_of_negative(*activation);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn net(votes: bool) -> RbfNet {
        RbfNet {
            centers: vec![0.0, 0.0, 3.0, 4.0],
            widths: vec![1.0, 5.0],
            outputs: vec![2.0, -1.0],
            votes,
        }
    }

    #[test]
    fn the_answer_is_the_weighted_sum_of_bumps_clipped_or_its_sign() {
        let workers = Workers::new(Some(1)).unwrap();
        let data = Numbers::from_rows(&[[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]]);
        let clipped = net(false).answer(&data, &workers).unwrap();
        assert_eq!(clipped[0], 1.0);
        let expected =
            [2.0 * (-12.5f64).exp() - 1.0, 2.0 * (-1.0f64).exp() - (-13.0f64 / 50.0).exp()];
        assert!(clipped[1..].iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(net(true).answer(&data, &workers).unwrap(), [1.0, -1.0, -1.0]);
    }

    #[test]
    fn the_sign_of_zero_is_positive() {
        let workers = Workers::new(Some(1)).unwrap();
        let silent = RbfNet { outputs: vec![0.0, -0.0], ..net(true) };
        assert_eq!(silent.answer(&Numbers::from_rows(&[[9.0, 9.0]]), &workers).unwrap(), [1.0]);
    }

    #[test]
    fn answers_do_not_depend_on_the_number_of_threads() {
        let rows: Vec<[f64; 2]> =
            (0..40_000).map(|i| [f64::from(i % 97) / 20.0, f64::from(i % 89) / 20.0]).collect();
        let data = Numbers::from_rows(&rows);
        let [one, two] =
            [1, 2].map(|n| net(false).answer(&data, &Workers::new(Some(n)).unwrap()).unwrap());
        assert_eq!(one, two);
    }
}
