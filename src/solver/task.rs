//! A program in the one form that is solved: rows and columns merged, numbers near one.
//!
//! min Σⱼ (qⱼ xⱼ² + gⱼ xⱼ) + Σᵢ pᵢ (t − Mᵢ x)₊ over x ≥ 0, where the threshold t is fixed, or where
//! it is the free ρ that is paid for with −ρ while Σ x = 1. Hard margins have infinite prices p. In:
//! a problem; out: its task, and the solution of the one as a solution of the other.

use super::merge::Merged;
use super::polish::polish;
use super::rows::Rows;
use super::sorting::soft_minimum;
use super::{Problem, Program, Solution};
use crate::error::Result;
use crate::vectors::dot;
use crate::workers::Workers;

/// The gap, as a part of the objective, above which a solution is "almost" one.
const ALMOST: f64 = 1e-6;

/// How far from the threshold a row is clearly above or below, as a part of the largest margin; and
/// how small its dual, or what that lacks of the price, then is at most, as a part of the price; and
/// how much of the objective the bound may lose by saying so.
const NEAR: f64 = 1e-6;
const SMALL: f64 = 1e-4;
const SETTLED: f64 = 1e-7;

/// A program in standard form.
pub(super) struct Task {
    pub rows: Rows,
    /// pᵢ: the price of falling below the threshold; infinite where that is forbidden.
    pub prices: Vec<f64>,
    /// qⱼ.
    pub squares: Vec<f64>,
    /// gⱼ.
    pub costs: Vec<f64>,
    /// t, or nothing where it is ρ.
    pub threshold: Option<f64>,
    /// Weights to start from, and which columns are new then.
    pub start: Option<(Vec<f64>, Vec<bool>)>,
    merged: Places,
    units: Units,
}

/// Where rows and columns went.
struct Places {
    rows: Vec<Option<usize>>,
    columns: Vec<usize>,
    /// How many columns share a weight.
    sharers: Vec<usize>,
    importance: Vec<f64>,
}

/// What one unit of the task's numbers is in the problem's.
struct Units {
    weight: f64,
    margin: f64,
    dual: f64,
    objective: f64,
}

/// What was found for a task.
pub(super) struct Found {
    pub x: Vec<f64>,
    pub duals: Vec<f64>,
    pub iterations: usize,
    pub rows_used: usize,
    pub almost: bool,
}

/// What weights achieve.
pub(super) struct Primal {
    pub objective: f64,
    /// t or the best ρ.
    pub threshold: f64,
    /// M x.
    pub margins: Vec<f64>,
}

/// What duals prove.
pub(super) struct Dual {
    pub objective: f64,
    /// The duals, made feasible.
    pub duals: Vec<f64>,
    /// Mᵀ d, before that.
    pub edges: Vec<f64>,
}

impl Task {
    pub fn new(problem: &Problem, workers: &Workers) -> Result<Self> {
        let Merged { rows, scale, row_places, column_places, copies } =
            Merged::new(problem.margins, problem.importance, workers)?;
        let mut importance = vec![0.0; rows.n_rows()];
        for (place, value) in row_places.iter().zip(problem.importance) {
            if let Some(place) = place {
                importance[*place] += value;
            }
        }
        let (l, n) = (problem.importance.len() as f64, copies.len());
        let price = match problem.program {
            Program::HardMargin => f64::INFINITY,
            Program::SoftMargin { c } | Program::Quadratic { c } => c / l,
            Program::OneNorm { c } => c,
        };
        let mut prices: Vec<f64> = importance.iter().map(|value| price * value).collect();
        let mut units = Units { weight: 1.0, margin: scale, dual: 1.0, objective: scale };
        let (mut squares, mut costs, mut threshold) = (vec![0.0; n], vec![0.0; n], None);
        let quadratic = matches!(problem.program, Program::Quadratic { .. });
        if quadratic || matches!(problem.program, Program::OneNorm { .. }) {
            // Prices sum to one; weights are measured in `unit`, in which none exceeds one where
            // the penalty is so large that all rows stay below the margin.
            let total: f64 = prices.iter().sum();
            for price in &mut prices {
                *price /= total;
            }
            let mut unit = 1.0;
            if quadratic {
                squares =
                    copies.iter().map(|&k| 1.0 / (k as f64 * scale * scale * total)).collect();
                let least = squares.iter().copied().fold(f64::INFINITY, f64::min);
                unit = (0.5 / least).min(1.0);
                for square in &mut squares {
                    *square *= unit;
                }
            } else {
                costs.fill(1.0 / (scale * total));
            }
            threshold = Some(1.0 / unit);
            units =
                Units { weight: unit / scale, margin: unit, dual: total, objective: total * unit };
        }
        let sharers = if quadratic { copies } else { vec![1; n] };
        let merged = Places { rows: row_places, columns: column_places, sharers, importance };
        let mut task = Self { rows, prices, squares, costs, threshold, start: None, merged, units };
        task.start = problem.start.map(|start| task.merge_weights(start));
        Ok(task)
    }

    fn merge_weights(&self, weights: &[f64]) -> (Vec<f64>, Vec<bool>) {
        let n = self.rows.n_columns();
        let (mut x, mut is_new) = (vec![0.0; n], vec![true; n]);
        for (&place, weight) in self.merged.columns.iter().zip(weights) {
            x[place] += weight / self.units.weight;
            is_new[place] = false;
        }
        (x, is_new)
    }

    /// Whether prices are infinite.
    pub fn is_hard(&self) -> bool {
        self.prices.iter().any(|price| price.is_infinite())
    }

    /// The objective at x, with the best ρ if that is free. Then x must sum to one.
    pub fn primal(&self, x: &[f64], workers: &Workers) -> Result<Primal> {
        let margins = self.rows.times(x, workers)?;
        let Some(threshold) = self.threshold else {
            let (value, threshold) = soft_minimum(&margins, &self.prices);
            return Ok(Primal { objective: -value, threshold, margins });
        };
        let below = margins.iter().zip(&self.prices);
        let penalty: f64 = below.map(|(margin, p)| p * (threshold - margin).max(0.0)).sum();
        let squares: f64 = x.iter().zip(&self.squares).map(|(x, q)| q * x * x).sum();
        Ok(Primal { objective: penalty + squares + dot(x, &self.costs), threshold, margins })
    }

    /// The bound that duals give, once they are made feasible.
    pub fn dual(&self, mut duals: Vec<f64>, workers: &Workers) -> Result<Dual> {
        for (dual, &price) in duals.iter_mut().zip(&self.prices) {
            *dual = dual.clamp(0.0, price);
        }
        let Some(threshold) = self.threshold else {
            make_sum_one(&mut duals, &self.prices);
            let edges = self.rows.transposed_times(&duals, workers)?;
            let most = edges.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            return Ok(Dual { objective: -most, duals, edges });
        };
        let edges = self.rows.transposed_times(&duals, workers)?;
        // A column without a square bounds its edge by its cost; shrink the duals until all obey.
        let linear = edges.iter().zip(&self.costs).zip(&self.squares).filter(|(_, q)| **q == 0.0);
        let excess = linear.map(|((edge, cost), _)| edge / cost).fold(1.0, f64::max);
        if excess > 1.0 {
            for dual in &mut duals {
                *dual /= excess;
            }
        }
        let squares = edges.iter().zip(&self.squares).filter(|(_, q)| **q > 0.0);
        let loss: f64 = squares.map(|(edge, q)| edge.max(0.0).powi(2) / (4.0 * q)).sum();
        Ok(Dual { objective: threshold * duals.iter().sum::<f64>() - loss, duals, edges })
    }

    /// Duals as the optimum has them: zero for rows clearly above the threshold, the price for those
    /// clearly below. Interior points only come near; theirs stay if the bound would suffer.
    fn settle(&self, primal: &Primal, duals: Vec<f64>, workers: &Workers) -> Result<Dual> {
        let target = primal.threshold;
        let near = NEAR * primal.margins.iter().map(|m| m.abs()).fold(target.abs(), f64::max);
        let settled = duals.iter().zip(&primal.margins).zip(&self.prices);
        let settled = settled.map(|((&dual, margin), &price)| {
            let share = dual / if price.is_finite() { price } else { 1.0 };
            if *margin > target + near && share < SMALL {
                0.0
            } else if *margin < target - near && share > 1.0 - SMALL && price.is_finite() {
                price
            } else {
                dual
            }
        });
        let settled = self.dual(settled.collect(), workers)?;
        let given = self.dual(duals, workers)?;
        let loss = given.objective - settled.objective;
        Ok(if loss <= SETTLED * primal.objective.abs().max(0.1) { settled } else { given })
    }

    /// The solution of the problem that the task was made of.
    pub fn expand(
        self,
        problem: &Problem,
        mut found: Found,
        workers: &Workers,
    ) -> Result<Solution> {
        let mut primal = self.primal(&found.x, workers)?;
        let mut dual = self.settle(&primal, std::mem::take(&mut found.duals), workers)?;
        if let Some((x, duals)) = polish(&self, &found.x, &dual.duals, workers)? {
            let (exact, proof) = (self.primal(&x, workers)?, self.dual(duals, workers)?);
            let gap = |primal: &Primal, dual: &Dual| (primal.objective - dual.objective).abs();
            if gap(&exact, &proof) <= gap(&primal, &dual) {
                (found.x, primal, dual) = (x, exact, proof);
            }
        }
        let Self { merged, units, threshold, .. } = self;
        let mut is_first = vec![true; found.x.len()];
        let weights = merged.columns.iter().map(|&place| {
            let first = std::mem::replace(&mut is_first[place], false);
            let sharers = merged.sharers[place];
            if first || sharers > 1 { found.x[place] * units.weight / sharers as f64 } else { 0.0 }
        });
        let weights: Vec<f64> = weights.collect();
        let rho = threshold.is_none().then_some(primal.threshold * units.margin);
        let target = rho.unwrap_or(1.0);
        let places = merged.rows.iter().zip(problem.importance);
        let duals = places.map(|(place, value)| {
            place.map_or(0.0, |at| dual.duals[at] * units.dual * value / merged.importance[at])
        });
        let duals = duals.collect();
        let slack_of = |(row, place): (usize, &Option<usize>)| {
            let margin = match place {
                Some(at) => primal.margins[*at] * units.margin,
                None => problem.margins.combine_row(row, &weights),
            };
            // What a product of floating point numbers loses is no slack.
            let slack = target - margin;
            if slack > 1e-12 * target.abs() { slack } else { 0.0 }
        };
        let slack = merged.rows.iter().enumerate().map(slack_of).collect();
        let sign = if rho.is_some() { -1.0 } else { 1.0 };
        let objective = sign * primal.objective * units.objective;
        let dual_objective = sign * dual.objective * units.objective;
        let gap = (objective - dual_objective).abs();
        Ok(Solution {
            weights,
            rho,
            slack,
            duals,
            objective,
            dual_objective,
            gap,
            iterations: found.iterations,
            rows_used: found.rows_used,
            almost: found.almost || gap > ALMOST * objective.abs().max(0.1 * units.objective),
            seconds: 0.0,
        })
    }
}

/// Makes duals sum to one, from zero to their prices, which sum to at least one: by those strictly in
/// between, if they can do it.
fn make_sum_one(duals: &mut [f64], prices: &[f64]) {
    let excess = duals.iter().sum::<f64>() - 1.0;
    let is_free = |dual: f64, price: f64| dual > 0.0 && dual < price;
    let pairs = || duals.iter().zip(prices).filter(|(dual, price)| is_free(**dual, **price));
    let free: f64 = pairs().map(|(dual, _)| dual).sum();
    let room: f64 = pairs().map(|(dual, price)| price - dual).sum();
    if excess >= 0.0 && free > excess {
        let factor = 1.0 - excess / free;
        for (dual, &price) in duals.iter_mut().zip(prices) {
            if is_free(*dual, price) {
                *dual *= factor;
            }
        }
    } else if excess < 0.0 && room > -excess {
        let part = -excess / room;
        for (dual, &price) in duals.iter_mut().zip(prices) {
            if is_free(*dual, price) {
                *dual = if room.is_finite() {
                    *dual + part * (price - *dual)
                } else {
                    *dual * (1.0 - excess / free)
                };
            }
        }
    } else if excess >= 0.0 {
        for dual in duals {
            *dual /= 1.0 + excess;
        }
    } else {
        let total: f64 = prices.iter().sum();
        let part = (-excess / (total - 1.0 - excess)).min(1.0);
        let share = -excess / duals.len() as f64;
        for (dual, price) in duals.iter_mut().zip(prices) {
            *dual += if total.is_finite() { part * (price - *dual) } else { share };
        }
    }
}
