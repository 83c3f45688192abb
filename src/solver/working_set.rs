//! The rows that decide: a task is solved on the rows near the threshold.
//!
//! In: a task. Out: its optimum over all rows.

use super::conic::{Answer, Clock, Reduced};
use super::task::{Found, Task};
use crate::error::Result;

/// Solves a task.
pub(super) fn solve(task: &Task, _whole_up_to: usize, clock: &Clock) -> Result<Found> {
    let kinks: Vec<usize> = (0..task.rows.n_rows()).collect();
    let columns: Vec<usize> = (0..task.rows.n_columns()).collect();
    let pull = vec![0.0; columns.len()];
    let reduced = Reduced { task, kinks: &kinks, columns: &columns, pull: &pull, below: 0.0 };
    let answer = reduced.solve(clock)?;
    let x = clean(task, &answer);
    let Answer { duals, iterations, almost, .. } = answer;
    Ok(Found { x, duals, iterations, rows_used: kinks.len(), almost })
}

/// Clarabel's weights with exact zeros, summing to one where they should.
fn clean(task: &Task, answer: &Answer) -> Vec<f64> {
    let most = answer.x.iter().copied().fold(0.0, f64::max);
    let weigh = |(&x, &z): (&f64, &f64)| if x <= 1e-6 * most && x <= z { 0.0 } else { x.max(0.0) };
    let mut x: Vec<f64> = answer.x.iter().zip(&answer.z).map(weigh).collect();
    if task.threshold.is_none() {
        let sum: f64 = x.iter().sum();
        x.iter_mut().for_each(|x| *x /= sum);
    }
    x
}
