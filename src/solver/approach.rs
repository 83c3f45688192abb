//! Near the optimum of a task in a few dozen cheap steps: an interior point method on all rows.
//!
//! Mehrotra's predictor and corrector. Every row's slack, dual and price are eliminated, so that a
//! step solves one dense system with as many unknowns as there are columns (and ρ); on dense margins
//! this is an order of magnitude faster than a sparse factorisation of the whole program. It stops
//! where it is clear which rows lie above the threshold, below it and at it. In: a task; out: x and
//! all slacks and duals. Only where Clarabel fails is that taken for a solution, with the gap that it has.

use super::conic::Clock;
use super::task::Task;
use crate::error::Result;
use crate::linear_algebra::Cholesky;
use crate::vectors::{add_scaled, dot};

/// The gap that is near enough, as a part of the gap that is allowed in the end.
const NEAR: f64 = 0.3;
const MAX_STEPS: usize = 60;
/// Unknowns from which on a factorisation takes longer than a moment.
const LARGE: usize = 1 << 10;
/// How much of the way to the nearest bound is gone.
const STEP_BACK: f64 = 0.99;

/// A point strictly inside all bounds, and a step from it.
#[derive(Debug, Clone)]
pub(super) struct Interior {
    /// The weights, and the duals of x ≥ 0.
    pub x: Vec<f64>,
    pub z: Vec<f64>,
    /// How far each row is above the threshold, and the duals d of the rows.
    pub over: Vec<f64>,
    pub duals: Vec<f64>,
    /// How far each row is below, and the duals e = p − d of that; empty for hard margins.
    pub under: Vec<f64>,
    pub spare: Vec<f64>,
    /// t or ρ.
    pub threshold: f64,
    /// The dual of Σ x = 1.
    lambda: f64,
}

/// How far a point is from satisfying all equations.
struct Residuals {
    gradient: Vec<f64>,
    rows: Vec<f64>,
    mass: f64,
    sum: f64,
}

/// The matrix of a step, factored.
struct Factored {
    cholesky: Cholesky,
    /// 1 / (ξ/e + s/d) for each row.
    curvature: Vec<f64>,
    /// A⁻¹ (1, …, 1, 0), where Σ x = 1.
    ones: Option<Vec<f64>>,
}

impl Factored {
    /// The step for a right side, and the step of λ that makes the weights move by −`sum` together.
    fn solve(&self, right: &[f64], sum: f64) -> (Vec<f64>, f64) {
        let mut solved = self.cholesky.solve(right);
        let Some(ones) = &self.ones else { return (solved, 0.0) };
        let total = |v: &[f64]| v[..v.len() - 1].iter().sum::<f64>();
        let lambda = (total(&solved) + sum) / total(ones);
        add_scaled(&mut solved, -lambda, ones);
        (solved, lambda)
    }
}

/// Comes near the optimum.
pub(super) fn approach(task: &Task, clock: &Clock) -> Result<Interior> {
    let mut at = Interior::new(task, clock)?;
    for _ in 0..MAX_STEPS {
        clock.seconds_left()?;
        let residuals = at.residuals(task, clock)?;
        if at.is_near(task, &residuals, NEAR * clock.limits.tolerance) {
            break;
        }
        let Some(factored) = at.factor(task, clock)? else { break };
        let mu = at.complementarity() / at.pairs();
        let predictor = at.step(task, &residuals, &factored, (0.0, None), clock)?;
        let (primal, dual) = at.reach(&predictor, 1.0, task);
        let mut trial = at.clone();
        trial.advance(&predictor, primal, dual);
        let sigma = (trial.complementarity() / (at.pairs() * mu)).clamp(0.0, 1.0).powi(3);
        let target = (sigma * mu, Some(&predictor));
        let corrector = at.step(task, &residuals, &factored, target, clock)?;
        let (primal, dual) = at.reach(&corrector, STEP_BACK, task);
        if !corrector.is_finite() || primal.max(dual) < 1e-8 {
            break;
        }
        at.advance(&corrector, primal, dual);
    }
    Ok(at)
}

impl Interior {
    fn new(task: &Task, clock: &Clock) -> Result<Self> {
        let n = task.rows.n_columns();
        let total: f64 = task.prices.iter().sum();
        let share = if task.threshold.is_some() { 0.5 } else { (1.0 / total).min(0.9) };
        let each = 1.0 / task.prices.len() as f64;
        let hard = task.is_hard();
        let duals: Vec<f64> = if hard {
            vec![each; task.prices.len()]
        } else {
            task.prices.iter().map(|price| share * price).collect()
        };
        let x = vec![1.0 / n as f64; n];
        let margins = task.rows.times(&x, clock.workers)?;
        let threshold = task.threshold.unwrap_or_else(|| margins.iter().sum::<f64>() * each);
        let spread: f64 = margins.iter().map(|m| (m - threshold).abs()).sum::<f64>() * each;
        let offset = spread.max(0.1);
        let over: Vec<f64> = margins.iter().map(|m| (m - threshold).max(0.0) + offset).collect();
        let under = margins.iter().map(|m| (threshold - m).max(0.0) + offset);
        let under: Vec<f64> = if hard { Vec::new() } else { under.collect() };
        let spare = if hard {
            Vec::new()
        } else {
            task.prices.iter().zip(&duals).map(|(price, dual)| price - dual).collect()
        };
        let edges = task.rows.transposed_times(&duals, clock.workers)?;
        let most = edges.iter().copied().fold(0.0, |most: f64, edge| most.max(edge.abs()));
        let lambda = if task.threshold.is_none() { most } else { 0.0 };
        let wanted = |j: usize| 2.0 * task.squares[j] * x[j] + task.costs[j] + lambda - edges[j];
        let z = (0..n).map(|j| wanted(j).max(0.1 * most).max(1e-3)).collect();
        Ok(Self { x, z, over, duals, under, spare, threshold, lambda })
    }

    fn residuals(&self, task: &Task, clock: &Clock) -> Result<Residuals> {
        let free = task.threshold.is_none();
        let lambda = if free { self.lambda } else { 0.0 };
        let mut gradient = task.rows.transposed_times(&self.duals, clock.workers)?;
        for (j, value) in gradient.iter_mut().enumerate() {
            let own = 2.0 * task.squares[j] * self.x[j] + task.costs[j];
            *value = own - *value - self.z[j] + lambda;
        }
        let mut rows = task.rows.times(&self.x, clock.workers)?;
        for (row, over) in rows.iter_mut().zip(&self.over) {
            *row -= self.threshold + over;
        }
        rows.iter_mut().zip(&self.under).for_each(|(row, under)| *row += under);
        let mass = if free { self.duals.iter().sum::<f64>() - 1.0 } else { 0.0 };
        let sum = if free { self.x.iter().sum::<f64>() - 1.0 } else { 0.0 };
        Ok(Residuals { gradient, rows, mass, sum })
    }

    fn complementarity(&self) -> f64 {
        dot(&self.x, &self.z) + dot(&self.over, &self.duals) + dot(&self.under, &self.spare)
    }

    fn pairs(&self) -> f64 {
        (self.x.len() + self.over.len() + self.under.len()) as f64
    }

    fn is_near(&self, task: &Task, residuals: &Residuals, near: f64) -> bool {
        let penalty = if self.under.is_empty() { 0.0 } else { dot(&self.under, &task.prices) };
        let squares: f64 = self.x.iter().zip(&task.squares).map(|(x, q)| q * x * x).sum();
        let base = squares + dot(&self.x, &task.costs) + penalty;
        let free = task.threshold.is_none();
        let size = if free { (base - self.threshold).abs().max(1e-3) } else { base };
        let most = |values: &[f64]| values.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        let x = most(&self.x).max(1e-300);
        self.complementarity() <= near * size
            && most(&residuals.gradient) * x <= near * size
            && most(&residuals.rows) <= near * self.threshold.abs().max(1e-2)
            && residuals.mass.abs().max(residuals.sum.abs()) <= near
    }

    /// The matrix of a step; nothing if rounding has made it useless.
    fn factor(&self, task: &Task, clock: &Clock) -> Result<Option<Factored>> {
        let (n, free) = (self.x.len(), task.threshold.is_none());
        let mut curvature: Vec<f64> =
            self.over.iter().zip(&self.duals).map(|(s, d)| s / d).collect();
        for (i, (under, spare)) in self.under.iter().zip(&self.spare).enumerate() {
            curvature[i] += under / spare;
        }
        for value in &mut curvature {
            *value = value.recip();
        }
        let mut matrix = task.rows.gram(&curvature, clock.workers)?;
        for j in 0..n {
            matrix[(j, j)] += 2.0 * task.squares[j] + self.z[j] / self.x[j];
        }
        if free {
            matrix.extend();
            let pulls = task.rows.transposed_times(&curvature, clock.workers)?;
            for (j, pull) in pulls.iter().enumerate() {
                matrix[(n, j)] = -pull;
            }
            matrix[(n, n)] = curvature.iter().sum::<f64>() * (1.0 + 1e-14);
        }
        let cholesky = if n < LARGE {
            Cholesky::new(matrix)
        } else {
            clock.workers.detached(move || Cholesky::new(matrix))?
        };
        let Some(cholesky) = cholesky else { return Ok(None) };
        let ones = free.then(|| {
            let mut ones = vec![1.0; n + 1];
            ones[n] = 0.0;
            cholesky.solve(&ones)
        });
        Ok(Some(Factored { cholesky, curvature, ones }))
    }

    /// The step towards products of `target` in all pairs, corrected for what a predictor would make
    /// of them.
    fn step(
        &self,
        task: &Task,
        residuals: &Residuals,
        factored: &Factored,
        (target, predictor): (f64, Option<&Self>),
        clock: &Clock,
    ) -> Result<Self> {
        let aim = |a: &[f64], b: &[f64], steps: Option<(&[f64], &[f64])>| -> Vec<f64> {
            let mut aims: Vec<f64> = a.iter().zip(b).map(|(a, b)| target - a * b).collect();
            if let Some((da, db)) = steps {
                for (aim, (da, db)) in aims.iter_mut().zip(da.iter().zip(db)) {
                    *aim -= da * db;
                }
            }
            aims
        };
        let aim_x = aim(&self.x, &self.z, predictor.map(|p| (&*p.x, &*p.z)));
        let aim_over = aim(&self.over, &self.duals, predictor.map(|p| (&*p.over, &*p.duals)));
        let aim_under = aim(&self.under, &self.spare, predictor.map(|p| (&*p.under, &*p.spare)));

        let n = self.x.len();
        let mut pushes: Vec<f64> =
            (0..self.over.len()).map(|i| aim_over[i] / self.duals[i] - residuals.rows[i]).collect();
        for (i, aim) in aim_under.iter().enumerate() {
            pushes[i] -= aim / self.spare[i];
        }
        let weighted: Vec<f64> =
            pushes.iter().zip(&factored.curvature).map(|(push, w)| push * w).collect();
        let mut right = task.rows.transposed_times(&weighted, clock.workers)?;
        for j in 0..n {
            right[j] += aim_x[j] / self.x[j] - residuals.gradient[j];
        }
        if factored.ones.is_some() {
            right.push(-residuals.mass - weighted.iter().sum::<f64>());
        }
        let (mut solved, mut lambda) = factored.solve(&right, residuals.sum);
        // Near the optimum the matrix is ill-conditioned: solve for what the first try left over.
        let mut left = self.product(task, factored, &solved, clock)?;
        for (j, (left, right)) in left.iter_mut().zip(&right).enumerate() {
            *left = right - *left - if j < n { lambda } else { 0.0 };
        }
        let sum = solved[..n].iter().sum::<f64>() + residuals.sum;
        let (more, more_lambda) = factored.solve(&left, sum);
        add_scaled(&mut solved, 1.0, &more);
        lambda += more_lambda;
        let threshold = if factored.ones.is_some() { solved[n] } else { 0.0 };
        solved.truncate(n);
        let x = solved;
        let moved = task.rows.times(&x, clock.workers)?;
        let duals: Vec<f64> = (0..pushes.len())
            .map(|i| factored.curvature[i] * (pushes[i] - moved[i] + threshold))
            .collect();
        let over = (0..duals.len())
            .map(|i| (aim_over[i] - self.over[i] * duals[i]) / self.duals[i])
            .collect();
        let under = (0..self.under.len())
            .map(|i| (aim_under[i] + self.under[i] * duals[i]) / self.spare[i])
            .collect();
        let spare = duals[..self.spare.len()].iter().map(|dual| -dual).collect();
        let z = (0..n).map(|j| (aim_x[j] - self.z[j] * x[j]) / self.x[j]).collect();
        Ok(Self { x, z, over, duals, under, spare, threshold, lambda })
    }

    /// The matrix of a step times a vector.
    fn product(
        &self,
        task: &Task,
        factored: &Factored,
        v: &[f64],
        clock: &Clock,
    ) -> Result<Vec<f64>> {
        let n = self.x.len();
        let mut moved = task.rows.times(&v[..n], clock.workers)?;
        let threshold = v.get(n).copied().unwrap_or(0.0);
        for (moved, curvature) in moved.iter_mut().zip(&factored.curvature) {
            *moved = (*moved - threshold) * curvature;
        }
        let mut product = task.rows.transposed_times(&moved, clock.workers)?;
        for (j, value) in product.iter_mut().enumerate() {
            *value += (2.0 * task.squares[j] + self.z[j] / self.x[j]) * v[j];
        }
        if v.len() > n {
            product.push(-moved.iter().sum::<f64>());
        }
        Ok(product)
    }

    /// How far a step may go, at most 1, in weights and slacks and in duals.
    fn reach(&self, step: &Self, part: f64, task: &Task) -> (f64, f64) {
        let bound = |values: &[f64], steps: &[f64]| {
            let falling = values.iter().zip(steps).filter(|(_, step)| **step < 0.0);
            falling.map(|(value, step)| -part * value / step).fold(1.0, f64::min)
        };
        let primal = bound(&self.x, &step.x)
            .min(bound(&self.over, &step.over))
            .min(bound(&self.under, &step.under));
        let dual = bound(&self.z, &step.z)
            .min(bound(&self.duals, &step.duals))
            .min(bound(&self.spare, &step.spare));
        // With squares, the gradient couples both.
        let coupled = task.squares.iter().any(|square| *square > 0.0);
        if coupled { (primal.min(dual), primal.min(dual)) } else { (primal, dual) }
    }

    fn advance(&mut self, step: &Self, primal: f64, dual: f64) {
        add_scaled(&mut self.x, primal, &step.x);
        add_scaled(&mut self.over, primal, &step.over);
        add_scaled(&mut self.under, primal, &step.under);
        self.threshold += primal * step.threshold;
        add_scaled(&mut self.z, dual, &step.z);
        add_scaled(&mut self.duals, dual, &step.duals);
        add_scaled(&mut self.spare, dual, &step.spare);
        self.lambda += dual * step.lambda;
    }

    fn is_finite(&self) -> bool {
        let parts = [&self.x, &self.z, &self.over, &self.duals, &self.under];
        parts.iter().all(|part| part.iter().all(|value| value.is_finite()))
    }
}
