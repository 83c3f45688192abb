//! The entropy programs of ERLPBoost and SoftBoost, by Newton's method in the weights.
//!
//! In: margins, a cap and a centre for each row, and weights to start from; out: the weights, the
//! distribution d over rows that answers them, and the value. For given weights the best d under the
//! caps is found by sorting, and what remains is smooth and concave in the weights: its gradient is
//! Mᵀ d, and its curvature comes from the rows below their caps. A step costs O(rows · columns in
//! use²). No exponential cones.

use super::active_set::Model;
use super::capped::{Capped, capped};
use super::margins::Margins;
use crate::error::{Error, Result};
use crate::linear_algebra::{SymmetricMatrix, gram_of_columns};
use crate::portable::ln;
use crate::vectors::{add_scaled, dot};
use crate::workers::Workers;

/// Newton steps at one temperature.
const MAX_STEPS: usize = 60;
/// Columns that may come into use in one step.
const MAX_NEW: usize = 30;
/// The part of its slope at the start that a step may have at its end.
const FLAT: f64 = 0.2;
/// How much farther than possible a distribution must seem to be for a proof that there is none.
const BEYOND: f64 = 1e-10;

/// The data of an entropy program.
#[derive(Debug, Clone, Copy)]
pub struct EntropyProblem<'a> {
    /// The margins of all hypotheses on all rows.
    pub margins: &'a Margins,
    /// What no row's dual may exceed.
    pub cap: &'a [f64],
    /// u: what the entropy is relative to.
    pub centre: &'a [f64],
    /// Weights near the optimum, if any are known; they may be fewer than there are columns.
    pub start: Option<&'a [f64]>,
    /// The gap that is aimed at: how far edges may be from those of the optimum.
    pub accuracy: f64,
}

/// The optimum of an entropy program.
#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    /// The weights of the hypotheses.
    pub weights: Vec<f64>,
    /// The distribution over the rows that answers them.
    pub duals: Vec<f64>,
    /// The value of the program.
    pub value: f64,
    /// How far the edges may be from those of the optimum: next to nothing, unless rounding has ended
    /// the search early.
    pub gap: f64,
}

/// ERLPBoost's program: the maximum over weights w ≥ 0, Σ w = 1, of the minimum over distributions
/// d ≤ cap of d·(M w) + Δ(d, centre)/η. By duality also the minimum over d of the largest edge plus
/// Δ(d, centre)/η.
pub fn entropy_game(problem: &EntropyProblem, eta: f64, workers: &Workers) -> Result<Game> {
    problem.check()?;
    if !(eta.is_finite() && eta > 0.0) {
        return Err(Error::parameter("eta", eta, "a positive finite number"));
    }
    let n = problem.margins.n_columns();
    let mut weights = problem.weights();
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 {
        for weight in &mut weights {
            *weight /= sum;
        }
    } else {
        weights.fill(1.0 / n as f64);
    }
    let mut climb = Climb { problem, eta, bound: None, workers };
    if problem.start.is_none() {
        // From afar, cool down slowly.
        let mut warm = eta.min(10.0);
        while warm < eta / 3.0 {
            climb.eta = warm;
            weights = climb.climb(weights, 1e-4)?.weights;
            warm *= 3.0;
        }
        climb.eta = eta;
    }
    let top = climb.climb(weights, problem.accuracy)?;
    let gap = climb.gap(&top);
    Ok(Game { weights: top.weights, duals: top.answer.duals, value: top.value / eta, gap })
}

/// SoftBoost's program: the distribution d ≤ cap nearest to the centre, by Δ(d, centre), under which
/// no hypothesis has an edge above `bound`. The weights are the duals of the edges and sum to
/// anything. Nothing if there is no such distribution.
pub fn nearest_below(
    problem: &EntropyProblem,
    bound: f64,
    workers: &Workers,
) -> Result<Option<Game>> {
    problem.check()?;
    if !bound.is_finite() {
        return Err(Error::parameter("bound", bound, "a finite number"));
    }
    let climb = Climb { problem, eta: 1.0, bound: Some(bound), workers };
    let top = climb.climb(problem.weights(), problem.accuracy)?;
    // No distribution under the caps is farther from the centre than this.
    if top.value > climb.farthest() + BEYOND {
        return Ok(None);
    }
    let gap = climb.gap(&top);
    if gap > problem.accuracy && top.weights.iter().sum::<f64>() > 1e6 {
        // The weights run away, too slowly for a proof: no distribution is near the bound.
        return Ok(None);
    }
    Ok(Some(Game { weights: top.weights, duals: top.answer.duals, value: top.value, gap }))
}

impl EntropyProblem<'_> {
    fn check(&self) -> Result<()> {
        let (rows, columns) = (self.margins.n_rows(), self.margins.n_columns());
        let lengths = self.cap.len() == rows
            && self.centre.len() == rows
            && self.start.is_none_or(|start| start.len() <= columns);
        let fine = |value: &f64| *value >= 0.0 && value.is_finite();
        let values = self.cap.iter().chain(self.centre).chain(self.start.unwrap_or(&[])).all(fine);
        if lengths && values {
            Ok(())
        } else {
            Err(Error::internal("caps, centre or start of an entropy program are unusable"))
        }
    }

    fn weights(&self) -> Vec<f64> {
        let mut weights = self.start.unwrap_or(&[]).to_vec();
        weights.resize(self.margins.n_columns(), 0.0);
        weights
    }
}

/// A function of the weights that is to be maximised: the value of the best d for η, times η, over
/// the simplex; or, with a bound, minus bound · Σ w, over w ≥ 0.
struct Climb<'a> {
    problem: &'a EntropyProblem<'a>,
    eta: f64,
    bound: Option<f64>,
    workers: &'a Workers,
}

/// A point of the climb.
struct Point {
    weights: Vec<f64>,
    /// M w.
    combined: Vec<f64>,
    answer: Capped,
    /// η times the function.
    value: f64,
    /// Its gradient, divided by η.
    gradient: Vec<f64>,
}

impl Climb<'_> {
    fn climb(&self, weights: Vec<f64>, aim: f64) -> Result<Point> {
        let mut combined = vec![0.0; self.problem.margins.n_rows()];
        self.combine(&mut combined, &weights);
        let mut at = self.point_at(weights, combined)?;
        let mut is_wary = true;
        for _ in 0..MAX_STEPS {
            self.workers.check()?;
            at.gradient = self.gradient(&at.answer.duals)?;
            let is_beyond = self.bound.is_some() && at.value > self.farthest() + BEYOND;
            if is_beyond || self.gap(&at) <= aim {
                break;
            }
            match self.advance(&at, is_wary)? {
                Some((next, part)) => {
                    at = next;
                    is_wary = part < 0.5;
                }
                None if is_wary => break,
                None => is_wary = true,
            }
        }
        Ok(at)
    }

    /// The largest entropy that a distribution under the caps can have.
    fn farthest(&self) -> f64 {
        let pairs = self.problem.cap.iter().zip(self.problem.centre);
        let ratios = pairs.filter(|(cap, u)| **cap > 0.0 && **u > 0.0).map(|(cap, u)| cap / u);
        ln(ratios.fold(f64::NEG_INFINITY, f64::max)).max(0.0)
    }

    /// How far the weights may be from the best ones.
    fn gap(&self, at: &Point) -> f64 {
        let most = at.gradient.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let earned = dot(&at.gradient, &at.weights);
        match self.bound {
            None => most - earned,
            Some(_) => most.max(earned.abs()),
        }
    }

    fn combine(&self, sum: &mut [f64], weights: &[f64]) {
        for (column, &weight) in self.problem.margins.columns().iter().zip(weights) {
            if weight != 0.0 {
                add_scaled(sum, weight, column);
            }
        }
    }

    fn point_at(&self, weights: Vec<f64>, combined: Vec<f64>) -> Result<Point> {
        let answer = capped(&combined, self.eta, self.problem.cap, self.problem.centre)?;
        let paid = self.bound.map_or(0.0, |bound| bound * weights.iter().sum::<f64>());
        let value = answer.value - self.eta * paid;
        Ok(Point { weights, combined, answer, value, gradient: Vec::new() })
    }

    fn gradient(&self, duals: &[f64]) -> Result<Vec<f64>> {
        let columns: Vec<&Vec<f64>> = self.problem.margins.columns().iter().collect();
        let bound = self.bound.unwrap_or(0.0);
        let steps = columns.len() * duals.len();
        self.workers.map(steps, columns, |column| Ok(dot(column, duals) - bound))
    }

    /// A Newton step on the columns in use and those that want to be, shortened until it climbs;
    /// nothing if it does not.
    fn advance(&self, at: &Point, is_wary: bool) -> Result<Option<(Point, f64)>> {
        let columns = self.columns_to_use(at);
        let of = |values: &[f64]| -> Vec<f64> { columns.iter().map(|&j| values[j]).collect() };
        let curvature = self.curvature(at, &columns, is_wary);
        let keeps_sum = self.bound.is_none();
        let model = Model { curvature, gradient: of(&at.gradient), keeps_sum };
        let best = model.maximise(&of(&at.weights));
        let mut step = vec![0.0; at.weights.len()];
        for (&j, best) in columns.iter().zip(&best) {
            step[j] = best - at.weights[j];
        }
        let slope = dot(&step, &at.gradient);
        if slope.is_nan() || slope <= 0.0 {
            return Ok(None);
        }
        let mut change = vec![0.0; at.combined.len()];
        self.combine(&mut change, &step);
        let paid = self.bound.unwrap_or(0.0) * step.iter().sum::<f64>();
        // The slope falls along the step; find where it is small. Values could not tell so finely.
        let (mut low, mut high) = ((0.0, slope), None);
        let mut part = 1.0;
        for attempt in 0..60 {
            let mut combined = at.combined.clone();
            add_scaled(&mut combined, part, &change);
            let mut weights = at.weights.clone();
            add_scaled(&mut weights, part, &step);
            if part == 1.0 {
                columns.iter().zip(&best).for_each(|(&j, best)| weights[j] = *best);
            }
            let next = self.point_at(weights, combined)?;
            let here = dot(&next.answer.duals, &change) - paid;
            if here.abs() <= FLAT * slope || (here > 0.0 && part == 1.0) {
                return Ok(Some((next, part)));
            }
            if here > 0.0 {
                low = (part, here);
            } else {
                high = Some((part, here));
            }
            let Some((far, down)) = high else { return Ok(Some((next, part))) };
            // Where a straight line would cross zero, but well inside.
            let (near, up) = low;
            let straight = if attempt % 2 == 0 { up / (up - down) } else { 0.5 };
            part = near + (far - near) * straight.clamp(0.05, 0.95);
        }
        Ok(None)
    }

    fn columns_to_use(&self, at: &Point) -> Vec<usize> {
        let price = if self.bound.is_some() { 0.0 } else { dot(&at.gradient, &at.weights) };
        let (mut columns, others): (Vec<usize>, Vec<usize>) =
            (0..at.weights.len()).partition(|&j| at.weights[j] > 0.0);
        let mut wanting: Vec<usize> =
            others.into_iter().filter(|&j| at.gradient[j] > price).collect();
        wanting.sort_by(|&a, &b| at.gradient[b].total_cmp(&at.gradient[a]));
        columns.extend(wanting.into_iter().take(MAX_NEW));
        columns
    }

    /// −1/η times the second derivative: the covariance of columns over the rows below their caps,
    /// times η. The wary count rows at their caps too, the less the harder they press, because they
    /// may come off them.
    fn curvature(&self, at: &Point, columns: &[usize], is_wary: bool) -> SymmetricMatrix {
        let Capped { duals, uncapped, .. } = &at.answer;
        let weigh = |i: usize| match (duals[i], uncapped[i]) {
            (dual, own) if own <= dual => dual,
            (dual, own) if is_wary => dual * (dual / own),
            _ => 0.0,
        };
        let weights: Vec<f64> = (0..duals.len()).map(weigh).collect();
        let most = weights.iter().copied().fold(0.0, f64::max);
        let rows: Vec<usize> = (0..duals.len()).filter(|&i| weights[i] > 1e-12 * most).collect();
        let mass: f64 = rows.iter().map(|&i| weights[i]).sum();
        let roots: Vec<f64> = rows.iter().map(|&i| (self.eta * weights[i]).sqrt()).collect();
        let mut cells = Vec::with_capacity(rows.len() * columns.len());
        for &j in columns {
            let column = &self.problem.margins.columns()[j];
            let sum: f64 = rows.iter().map(|&i| weights[i] * column[i]).sum();
            let mean = if mass > 0.0 { sum / mass } else { 0.0 };
            cells.extend(rows.iter().zip(&roots).map(|(&i, root)| root * (column[i] - mean)));
        }
        gram_of_columns(&cells, columns.len())
    }
}
