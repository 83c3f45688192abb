//! The last digits of a quadratic program.
//!
//! In: the weights and duals of an interior point, near the optimum. Out: both again, exact. Once it
//! is known which columns have a weight and which rows are at the threshold, below or above it, the
//! weights 2 q x = Mᵀ d − g follow from the duals, and those of the rows at the threshold from their
//! margins: M x = t. These are linear equations. Rows and columns that prove to be on the wrong side
//! change it, a few times; whether the outcome is better than what came is up to the gap.

use super::task::Task;
use crate::error::Result;
use crate::linear_algebra::{Cholesky, SymmetricMatrix};
use crate::vectors::{add_scaled, dot};
use crate::workers::Workers;

/// Rows at the threshold beyond which the equations are too many.
const MOST_ROWS: usize = 1500;
/// What makes equations solvable whose rows depend on each other, and rounds that take it back.
const RIDGE: f64 = 1e-12;
const REFINEMENTS: usize = 4;
/// How far beyond its bounds rounding may take a number, as a part of the largest.
const ROUNDING: f64 = 1e-10;
/// How often rows and columns may change sides.
const MOST_CHANGES: usize = 30;

/// Exact weights and duals, if these are near; nothing for other programs, or if they are not.
pub(super) fn polish(
    task: &Task,
    x: &[f64],
    duals: &[f64],
    workers: &Workers,
) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    let Some(threshold) = task.threshold.filter(|_| !task.squares.contains(&0.0)) else {
        return Ok(None);
    };
    let mut sides = Sides {
        task,
        threshold,
        is_kink: (0..duals.len()).map(|i| duals[i] > 0.0 && duals[i] < task.prices[i]).collect(),
        is_used: x.iter().map(|x| *x > 0.0).collect(),
        x: x.to_vec(),
        duals: duals.to_vec(),
    };
    for _ in 0..MOST_CHANGES {
        workers.check()?;
        if !sides.solve(workers)? {
            return Ok(None);
        }
        if !sides.drop_outliers() && !sides.take_in(workers)? {
            break;
        }
    }
    for (dual, price) in sides.duals.iter_mut().zip(&task.prices) {
        *dual = dual.clamp(0.0, *price);
    }
    for x in &mut sides.x {
        *x = x.max(0.0);
    }
    Ok(Some((sides.x, sides.duals)))
}

/// Which rows are at the threshold and which columns have a weight, as far as is known.
struct Sides<'a> {
    task: &'a Task,
    threshold: f64,
    is_kink: Vec<bool>,
    is_used: Vec<bool>,
    x: Vec<f64>,
    duals: Vec<f64>,
}

impl Sides<'_> {
    /// Solves the equations for the weights of the columns in use and the duals of the rows at the
    /// threshold; whether they could be solved.
    fn solve(&mut self, workers: &Workers) -> Result<bool> {
        let task = self.task;
        let kinks: Vec<usize> = (0..self.is_kink.len()).filter(|&i| self.is_kink[i]).collect();
        let used: Vec<usize> = (0..self.is_used.len()).filter(|&j| self.is_used[j]).collect();
        if kinks.len() > MOST_ROWS {
            return Ok(false);
        }
        for &row in &kinks {
            self.duals[row] = 0.0;
        }
        let pull = task.rows.transposed_times(&self.duals, workers)?;
        // What a unit of edge is worth in weight, as a square root on either side of the equations.
        let root: Vec<f64> = used.iter().map(|&j| (0.5 / task.squares[j]).sqrt()).collect();
        let base = used.iter().zip(&root).map(|(&j, root)| root * (pull[j] - task.costs[j]));
        let mut scaled: Vec<f64> = base.collect();
        let scale = |row: &[f64]| used.iter().zip(&root).map(|(&j, root)| root * row[j]).collect();
        let cells: Vec<Vec<f64>> = kinks.iter().map(|&i| scale(task.rows.row(i))).collect();
        let missing: Vec<f64> =
            cells.iter().map(|row| self.threshold - dot(row, &scaled)).collect();
        let Some(found) = solve_normal(&cells, &missing) else { return Ok(false) };
        for (row, dual) in cells.iter().zip(&found) {
            add_scaled(&mut scaled, *dual, row);
        }
        self.x.fill(0.0);
        for ((&j, root), value) in used.iter().zip(&root).zip(&scaled) {
            self.x[j] = root * value;
        }
        for (&row, dual) in kinks.iter().zip(found) {
            self.duals[row] = dual;
        }
        Ok(true)
    }

    /// Lets go of rows whose duals are beyond their bounds and of columns of negative weight; whether
    /// there were any.
    fn drop_outliers(&mut self) -> bool {
        let mut any = false;
        for (row, &price) in self.task.prices.iter().enumerate() {
            let slip = ROUNDING * price;
            let dual = self.duals[row];
            if self.is_kink[row] && (dual < -slip || dual > price + slip) {
                self.is_kink[row] = false;
                self.duals[row] = dual.clamp(0.0, price);
                any = true;
            }
        }
        let most = self.x.iter().copied().fold(0.0, f64::max);
        for (x, is_used) in self.x.iter_mut().zip(&mut self.is_used) {
            if *is_used && *x < -ROUNDING * most {
                (*is_used, *x) = (false, 0.0);
                any = true;
            }
        }
        any
    }

    /// Takes in rows on the wrong side of the threshold and columns whose edge is worth a weight;
    /// whether there were any.
    fn take_in(&mut self, workers: &Workers) -> Result<bool> {
        let task = self.task;
        let mut any = false;
        let margins = task.rows.times(&self.x, workers)?;
        let slip = ROUNDING * margins.iter().map(|m| m.abs()).fold(self.threshold, f64::max);
        for (row, margin) in margins.iter().enumerate() {
            let beyond = margin - self.threshold;
            let is_above = self.duals[row] == 0.0;
            let is_wrong = if is_above { beyond < -slip } else { beyond > slip };
            if !self.is_kink[row] && is_wrong {
                self.is_kink[row] = true;
                any = true;
            }
        }
        let edges = task.rows.transposed_times(&self.duals, workers)?;
        let slip = ROUNDING * edges.iter().map(|edge| edge.abs()).fold(0.0, f64::max);
        for (column, edge) in edges.iter().enumerate() {
            if !self.is_used[column] && edge - task.costs[column] > slip {
                self.is_used[column] = true;
                any = true;
            }
        }
        Ok(any)
    }
}

/// d with A Aᵀ d = v, A given by its rows; of many solutions one that is short.
fn solve_normal(rows: &[Vec<f64>], v: &[f64]) -> Option<Vec<f64>> {
    let n = rows.len();
    if n == 0 {
        return Some(Vec::new());
    }
    let mut gram = SymmetricMatrix::from_fn(n, |i, j| dot(&rows[i], &rows[j]));
    let most = (0..n).map(|i| gram[(i, i)]).fold(f64::MIN_POSITIVE, f64::max);
    for i in 0..n {
        gram[(i, i)] += RIDGE * most;
    }
    let factor = Cholesky::new(gram)?;
    let mut solution = vec![0.0; n];
    for _ in 0..REFINEMENTS {
        let mut combined = vec![0.0; rows[0].len()];
        for (row, dual) in rows.iter().zip(&solution) {
            add_scaled(&mut combined, *dual, row);
        }
        let residual: Vec<f64> =
            rows.iter().zip(v).map(|(row, v)| v - dot(row, &combined)).collect();
        add_scaled(&mut solution, 1.0, &factor.solve(&residual));
    }
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}
