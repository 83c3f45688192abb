//! Small convex quadratic programs over the simplex or the orthant, by a primal active set.
//!
//! In: a gradient and a curvature at a feasible point; out: the maximiser of the quadratic model.
//! Warm starts are what it is for: few weights change between one Newton step and the next.

use faer::Mat;

use super::cholesky::Cholesky;

/// The part of the largest curvature that is added to all, and how much is added in the end.
const RIDGE: f64 = 1e-13;
const RAISE: f64 = 100.0;

/// max g·(v − w) − ½ (v − w)' H (v − w) over v ≥ 0, and Σ v = Σ w if `keeps_sum`.
pub(super) struct Model {
    /// H, both triangles.
    pub curvature: Mat<f64>,
    pub gradient: Vec<f64>,
    pub keeps_sum: bool,
}

impl Model {
    /// The maximiser; if the active set has not settled after a while, a better point than `w`.
    pub fn maximise(&self, w: &[f64]) -> Vec<f64> {
        let mut v = w.to_vec();
        let mut free: Vec<usize> = (0..v.len()).filter(|&j| v[j] > 0.0).collect();
        let largest = self.gradient.iter().fold(0.0, |most: f64, g| most.max(g.abs()));
        for _ in 0..3 * v.len() + 20 {
            let left = self.gradient_at(&v, w);
            let Some(step) = self.step(&free, &left) else { break };
            let blocking = free
                .iter()
                .zip(&step)
                .filter(|(_, step)| **step < 0.0)
                .map(|(&j, step)| (-v[j] / step, j))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .filter(|(reach, _)| *reach < 1.0);
            let reach = blocking.map_or(1.0, |(reach, _)| reach);
            for (&j, step) in free.iter().zip(&step) {
                v[j] = (v[j] + reach * step).max(0.0);
            }
            if let Some((_, blocking)) = blocking {
                v[blocking] = 0.0;
                free.retain(|&j| j != blocking);
                continue;
            }
            let left = self.gradient_at(&v, w);
            let price = self.price(&free, &left);
            let enter = (0..v.len())
                .filter(|j| !free.contains(j) && left[*j] > price + 1e-13 * largest)
                .max_by(|&a, &b| left[a].total_cmp(&left[b]));
            match enter {
                Some(enter) => free.push(enter),
                None => break,
            }
        }
        v
    }

    fn gradient_at(&self, v: &[f64], w: &[f64]) -> Vec<f64> {
        let n = v.len();
        let mut left = self.gradient.clone();
        for j in (0..n).filter(|&j| v[j] != w[j]) {
            let moved = v[j] - w[j];
            for (i, left) in left.iter_mut().enumerate() {
                *left -= self.curvature[(i, j)] * moved;
            }
        }
        left
    }

    /// What a unit of weight must earn: the mean gradient of the free ones where the sum is kept.
    fn price(&self, free: &[usize], left: &[f64]) -> f64 {
        if !self.keeps_sum || free.is_empty() {
            return 0.0;
        }
        free.iter().map(|&j| left[j]).sum::<f64>() / free.len() as f64
    }

    /// The step of the free weights to the maximum of the model.
    fn step(&self, free: &[usize], left: &[f64]) -> Option<Vec<f64>> {
        let k = free.len();
        let most = (0..self.gradient.len()).map(|j| self.curvature[(j, j)]).fold(0.0, f64::max);
        let mut ridge = most.max(f64::MIN_POSITIVE / RIDGE) * RIDGE;
        while ridge.is_finite() {
            let matrix = Mat::from_fn(k, k, |i, j| {
                self.curvature[(free[i], free[j])] + if i == j { ridge } else { 0.0 }
            });
            ridge *= RAISE;
            let Some(cholesky) = Cholesky::new(matrix) else { continue };
            let right: Vec<f64> = free.iter().map(|&j| left[j]).collect();
            let mut step = cholesky.solve(&right);
            if self.keeps_sum {
                let ones = cholesky.solve(&vec![1.0; k]);
                let price = step.iter().sum::<f64>() / ones.iter().sum::<f64>();
                for (step, one) in step.iter_mut().zip(&ones) {
                    *step -= price * one;
                }
            }
            if step.iter().all(|step| step.is_finite()) {
                return Some(step);
            }
        }
        None
    }
}
