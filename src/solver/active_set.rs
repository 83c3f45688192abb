//! Small convex quadratic programs over the simplex or the orthant, by a primal active set.
//!
//! In: a gradient and a curvature at a feasible point; out: the maximiser of the quadratic model.
//! Warm starts are what it is for: few weights change between one Newton step and the next.

use crate::linear_algebra::{Cholesky, SymmetricMatrix};

/// The part of the largest curvature that is added to all, and by how much that grows if it does
/// not do.
const RIDGE: f64 = 1e-13;
const RAISE: f64 = 100.0;

/// max g·(v − w) − ½ (v − w)' H (v − w) over v ≥ 0, and Σ v = Σ w if `keeps_sum`.
pub(super) struct Model {
    /// H.
    pub curvature: SymmetricMatrix,
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
            let Some(step) = self.step(&free, &left, &v) else { break };
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

    /// The step of the free weights to the maximum of the model. Where the sum is kept, the largest
    /// weight gives what the others take.
    fn step(&self, free: &[usize], left: &[f64], v: &[f64]) -> Option<Vec<f64>> {
        let largest = free.iter().copied().max_by(|&a, &b| v[a].total_cmp(&v[b]));
        let giver = largest.filter(|_| self.keeps_sum);
        let takers: Vec<usize> = free.iter().copied().filter(|&j| Some(j) != giver).collect();
        let h = |i: usize, j: usize| self.curvature[(i, j)];
        let curvature = |a: usize, b: usize| match (takers[a], takers[b], giver) {
            (i, j, Some(r)) => h(i, j) - h(i, r) - h(r, j) + h(r, r),
            (i, j, None) => h(i, j),
        };
        let price = giver.map_or(0.0, |giver| left[giver]);
        let right: Vec<f64> = takers.iter().map(|&j| left[j] - price).collect();
        let k = takers.len();
        let most = (0..k).map(|a| curvature(a, a)).fold(f64::MIN_POSITIVE / RIDGE, f64::max);
        let mut ridge = most * RIDGE;
        while ridge.is_finite() {
            let cell = |a, b| curvature(a, b) + if a == b { ridge } else { 0.0 };
            let matrix = SymmetricMatrix::from_fn(k, cell);
            ridge *= RAISE;
            let Some(cholesky) = Cholesky::new(matrix) else { continue };
            let taken = cholesky.solve(&right);
            if taken.iter().all(|step| step.is_finite()) {
                let given = -taken.iter().sum::<f64>();
                let mut taken = taken.into_iter();
                let share = |&j: &usize| if Some(j) == giver { Some(given) } else { taken.next() };
                return free.iter().map(share).collect();
            }
        }
        None
    }
}
