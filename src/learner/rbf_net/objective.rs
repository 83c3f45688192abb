//! The error E that a net is fitted by, its best output weights and its gradient.
//!
//! In: a position, which is all centres and the logarithms of all widths. Out: the output weights v
//! that solve `(GᵀWG + λ/l I) v = GᵀWy` there, E for them, and ∂E/∂position. Since v is optimal, the
//! gradient needs no term for how v changes. Rows of G are multiplied by √w, which is all that is
//! ever seen of the weights.

use super::clusters::WIDTHS;
use super::sample::{Block, Sample};
use crate::error::{Error, Result};
use crate::hypothesis::{RbfNet, Units};
use crate::linear_algebra::{Cholesky, SymmetricMatrix, gram_of_rows};
use crate::portable::{exp, ln};
use crate::vectors::{add_scaled, dot, squared_distance};
use crate::workers::Workers;

/// How often, and how much at a time, the ridge may be raised until the normal equations can be
/// solved; together more than any double needs.
const MAX_RAISES: usize = 64;
const RAISE: f64 = 1e10;

/// E as a function of centres and widths.
pub(super) struct Objective<'a> {
    sample: &'a Sample<'a>,
    n_centers: usize,
    /// λ / l.
    ridge: f64,
    workers: &'a Workers,
    /// √w · gₖ(xᵢ), row after row, of the position tried last.
    activations: Vec<f64>,
}

/// A position with its best output weights and its error.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Point {
    /// All centres, then the logarithm of each width.
    pub position: Vec<f64>,
    pub outputs: Vec<f64>,
    /// E; infinite where the position is out of bounds.
    pub error: f64,
}

impl<'a> Objective<'a> {
    pub fn new(sample: &'a Sample<'a>, n_centers: usize, ridge: f64, workers: &'a Workers) -> Self {
        let activations = vec![0.0; sample.n_rows() * n_centers];
        let ridge = ridge / sample.n_rows() as f64;
        Self { sample, n_centers, ridge, workers, activations }
    }

    pub fn start(&mut self, centers: Vec<f64>, widths: &[f64]) -> Result<Point> {
        let mut position = centers;
        position.extend(widths.iter().map(|width| ln(*width)));
        self.at(position)
    }

    pub fn net(&self, point: Point, votes: bool) -> RbfNet {
        let (centers, logarithms) = self.split(&point.position);
        let widths = logarithms.iter().map(|width| exp(*width)).collect();
        RbfNet { centers: centers.to_vec(), widths, outputs: point.outputs, votes }
    }

    fn split<'p>(&self, position: &'p [f64]) -> (&'p [f64], &'p [f64]) {
        position.split_at(self.n_centers * self.sample.n_columns)
    }

    fn units<'p>(&self, position: &'p [f64]) -> Units<'p> {
        let (centers, logarithms) = self.split(position);
        Units::new(centers, self.sample.n_columns, logarithms.iter().map(|width| exp(*width)))
    }

    fn is_in_bounds(&self, position: &[f64]) -> bool {
        // Twice the range that widths start in: a little beyond it they may well go.
        let (low, high) = (2.0 * ln(*WIDTHS.start()), 2.0 * ln(*WIDTHS.end()));
        let (centers, logarithms) = self.split(position);
        centers.iter().all(|x| x.is_finite()) && logarithms.iter().all(|x| (low..=high).contains(x))
    }

    /// What a task costs, in the units of [`Workers::map`].
    fn steps(&self) -> usize {
        self.activations.len()
    }

    /// The best output weights and the error at a position.
    pub fn at(&mut self, position: Vec<f64>) -> Result<Point> {
        if !self.is_in_bounds(&position) {
            return Ok(Point { position, outputs: Vec::new(), error: f64::INFINITY });
        }
        let (gram, moments) = self.normal_equations(&position)?;
        let outputs = solve_ridge(&gram, &moments, self.ridge)?;
        // E from the residuals, not from the sums at hand: those cancel where v is large.
        let rows = self.sample.block_rows() * self.n_centers;
        let tasks = self.sample.blocks().zip(self.activations.chunks(rows)).collect();
        let squares = self.workers.map(self.steps(), tasks, |(block, activations)| {
            let rows = activations.chunks_exact(self.n_centers).zip(block.targets);
            Ok(rows.map(|(row, target)| (target - dot(row, &outputs)).powi(2)).sum::<f64>())
        })?;
        let error = 0.5 * squares.iter().sum::<f64>() + 0.5 * self.ridge * dot(&outputs, &outputs);
        Ok(Point { position, outputs, error })
    }

    /// Computes all activations, and from them `GᵀWG` and `GᵀWy`.
    fn normal_equations(&mut self, position: &[f64]) -> Result<(SymmetricMatrix, Vec<f64>)> {
        let (n_centers, steps, units) = (self.n_centers, self.steps(), self.units(position));
        let rows = self.sample.block_rows() * n_centers;
        let tasks = self.sample.blocks().zip(self.activations.chunks_mut(rows)).collect();
        let sums = self.workers.map(steps, tasks, |(block, activations)| {
            let mut moments = vec![0.0; n_centers];
            let places = activations.chunks_exact_mut(n_centers).zip(block.roots);
            for ((row, (to, root)), target) in block.rows().zip(places).zip(block.targets) {
                units.activate(row, to);
                for (activation, moment) in to.iter_mut().zip(&mut moments) {
                    *activation *= root;
                    *moment += *activation * target;
                }
            }
            Ok((gram_of_rows(activations, n_centers), moments))
        })?;
        let mut all = (SymmetricMatrix::zeros(n_centers), vec![0.0; n_centers]);
        for (gram, moments) in sums {
            all.0 += &gram;
            add_scaled(&mut all.1, 1.0, &moments);
        }
        Ok(all)
    }

    /// ∂E/∂position at a point, for its output weights.
    pub fn gradient(&self, point: &Point) -> Result<Vec<f64>> {
        let tasks = self.sample.blocks().collect();
        let parts = self
            .workers
            .map(self.steps(), tasks, |block| Ok(self.block_gradient(&block, point)))?;
        let mut gradient = vec![0.0; point.position.len()];
        for part in parts {
            add_scaled(&mut gradient, 1.0, &part);
        }
        let (_, logarithms) = self.split(&point.position);
        let (centers, widths) = gradient.split_at_mut(self.n_centers * self.sample.n_columns);
        // ∂f/∂μ = v g (x − μ) / σ² and ∂f/∂ ln σ = v g ‖x − μ‖² / σ².
        for (k, (output, logarithm)) in point.outputs.iter().zip(logarithms).enumerate() {
            let factor = output / exp(2.0 * logarithm);
            let columns = k * self.sample.n_columns..(k + 1) * self.sample.n_columns;
            centers[columns].iter_mut().for_each(|x| *x *= factor);
            widths[k] *= factor;
        }
        Ok(gradient)
    }

    /// Σᵢ wᵢ (f(xᵢ) − yᵢ) gₖ(xᵢ) × (xᵢ − μₖ, ‖xᵢ − μₖ‖²) over the rows of a block.
    fn block_gradient(&self, block: &Block, point: &Point) -> Vec<f64> {
        let n_columns = self.sample.n_columns;
        let units = self.units(&point.position);
        let (centers, _) = self.split(&point.position);
        let mut sums = vec![0.0; point.position.len()];
        let (center_sums, width_sums) = sums.split_at_mut(centers.len());
        let mut activations = vec![0.0; self.n_centers];
        for ((row, root), target) in block.rows().zip(block.roots).zip(block.targets) {
            units.activate(row, &mut activations);
            let residual = root * (root * dot(&activations, &point.outputs) - target);
            for (k, activation) in activations.iter().enumerate() {
                let share = residual * activation;
                if share == 0.0 {
                    continue;
                }
                let columns = k * n_columns..(k + 1) * n_columns;
                let center = &centers[columns.clone()];
                for ((sum, x), mu) in center_sums[columns].iter_mut().zip(row).zip(center) {
                    *sum += share * (x - mu);
                }
                width_sums[k] += share * squared_distance(row, center);
            }
        }
        sums
    }
}

/// Solves (A + ridge · I) v = b by Cholesky's method. The ridge is no less than what rounding may
/// have taken from A, and is raised further where that does not do; E is then taken for the v that
/// comes out, so that it stays true.
fn solve_ridge(gram: &SymmetricMatrix, moments: &[f64], ridge: f64) -> Result<Vec<f64>> {
    let n = moments.len();
    let mut raised = ridge.max(f64::EPSILON * (0..n).map(|k| gram[(k, k)]).sum::<f64>());
    for _ in 0..MAX_RAISES {
        let mut matrix = gram.clone();
        for k in 0..n {
            matrix[(k, k)] += raised;
        }
        let outputs = Cholesky::new(matrix).map(|factor| factor.solve(moments));
        // Weights whose squares overflow are as bad as none.
        if let Some(outputs) = outputs.filter(|outputs| dot(outputs, outputs).is_finite()) {
            return Ok(outputs);
        }
        raised *= RAISE;
    }
    Err(Error::internal("the output weights of a net could not be found"))
}
