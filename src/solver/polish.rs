//! The last digits of a quadratic program.
//!
//! In: the weights and duals of an interior point, near the optimum. Out: both again, exact. Once it
//! is known which columns have a weight and which rows are at the threshold, below or above it, the
//! weights 2 q x = Mᵀ d − g follow from the duals, and those of the rows at the threshold from their
//! margins: M x = t. These are linear equations; whether their solution is better is up to the gap.

use faer::Mat;

use super::cholesky::Cholesky;
use super::rows::{add_scaled, dot};
use super::task::Task;
use crate::error::Result;
use crate::workers::Workers;

/// Rows at the threshold beyond which the equations are too many.
const MOST_ROWS: usize = 1500;
/// What makes equations solvable whose rows depend on each other, and rounds that take it back.
const RIDGE: f64 = 1e-12;
const REFINEMENTS: usize = 4;
/// How far beyond its bounds rounding may take a number, as a part of the largest.
const ROUNDING: f64 = 1e-11;

/// Exact weights and duals, if these are near; nothing for other programs, or if they are not.
pub(super) fn polish(
    task: &Task,
    x: &[f64],
    duals: &[f64],
    workers: &Workers,
) -> Result<Option<(Vec<f64>, Vec<f64>)>> {
    let Some(threshold) = task.threshold else { return Ok(None) };
    let (kinks, others): (Vec<usize>, Vec<usize>) =
        (0..duals.len()).partition(|&i| duals[i] > 0.0 && duals[i] < task.prices[i]);
    if kinks.is_empty() || kinks.len() > MOST_ROWS || task.squares.contains(&0.0) {
        return Ok(None);
    }
    let mut exact = vec![0.0; duals.len()];
    for &row in &others {
        exact[row] = duals[row];
    }
    let pull = task.rows.transposed_times(&exact, workers)?;
    let used: Vec<usize> = (0..x.len()).filter(|&j| x[j] > 0.0).collect();
    // What a unit of edge is worth in weight, as a square root on either side of the equations.
    let root: Vec<f64> = used.iter().map(|&j| (0.5 / task.squares[j]).sqrt()).collect();
    let base: Vec<f64> =
        used.iter().zip(&root).map(|(&j, root)| root * (pull[j] - task.costs[j])).collect();
    let cells: Vec<Vec<f64>> = kinks
        .iter()
        .map(|&i| used.iter().zip(&root).map(|(&j, root)| root * task.rows.row(i)[j]).collect())
        .collect();
    let missing: Vec<f64> = cells.iter().map(|row| threshold - dot(row, &base)).collect();
    let Some(found) = solve_normal(&cells, &missing) else { return Ok(None) };
    let mut scaled = base;
    for (row, dual) in cells.iter().zip(&found) {
        add_scaled(&mut scaled, *dual, row);
    }
    let mut weights = vec![0.0; x.len()];
    for ((&j, root), value) in used.iter().zip(&root).zip(&scaled) {
        weights[j] = root * value;
    }
    let most = weights.iter().copied().fold(0.0, f64::max);
    let is_inside = kinks.iter().zip(&found).all(|(&i, dual)| {
        let slip = ROUNDING * task.prices[i];
        *dual >= -slip && *dual <= task.prices[i] + slip
    });
    if !is_inside || weights.iter().any(|weight| *weight < -ROUNDING * most) {
        return Ok(None);
    }
    for weight in &mut weights {
        *weight = weight.max(0.0);
    }
    for (&row, dual) in kinks.iter().zip(found) {
        exact[row] = dual.clamp(0.0, task.prices[row]);
    }
    Ok(Some((weights, exact)))
}

/// d with A Aᵀ d = v, A given by its rows; of many solutions one that is short.
fn solve_normal(rows: &[Vec<f64>], v: &[f64]) -> Option<Vec<f64>> {
    let n = rows.len();
    let mut gram = Mat::from_fn(n, n, |i, j| if i >= j { dot(&rows[i], &rows[j]) } else { 0.0 });
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
