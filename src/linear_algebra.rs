//! Dense linear algebra in small pieces: sums over slices, products of a matrix with itself,
//! Cholesky's factor.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Σ aᵢ bᵢ, in four interleaved sums.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    four_sums(a, b, |x, y| x * y)
}

/// Σ (aᵢ − bᵢ)², in the same way.
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    four_sums(a, b, |x, y| (x - y) * (x - y))
}

fn four_sums(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sums = [0.0; 4];
    let (fours_a, rest_a) = a.as_chunks::<4>();
    let (fours_b, rest_b) = b.as_chunks::<4>();
    for (x, y) in fours_a.iter().zip(fours_b) {
        for lane in 0..4 {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    let rest: f64 = rest_a.iter().zip(rest_b).map(|(x, y)| term(*x, *y)).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// sums += factor · terms.
pub(crate) fn add_scaled(sums: &mut [f64], factor: f64, terms: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(terms) {
        *sum += factor * term;
    }
}

/// The lower triangle of `AᵀA`, A given row after row.
pub(crate) fn gram(rows: &[f64], n_columns: usize) -> Mat<f64> {
    let matrix = MatRef::from_row_major_slice(rows, rows.len() / n_columns, n_columns);
    let mut gram = Mat::zeros(n_columns, n_columns);
    matmul(
        gram.as_mut(),
        BlockStructure::TriangularLower,
        Accum::Replace,
        matrix.transpose(),
        BlockStructure::Rectangular,
        matrix,
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    gram
}

/// L with L Lᵀ = A.
pub(crate) struct Cholesky {
    factor: Mat<f64>,
}

impl Cholesky {
    /// Factors a matrix given by its lower triangle; nothing if it is not positive definite.
    pub fn new(mut matrix: Mat<f64>) -> Option<Self> {
        let n = matrix.nrows();
        let needed = factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, faer::Spec::default());
        let mut memory = MemBuffer::new(needed);
        factor::cholesky_in_place(
            matrix.as_mut(),
            factor::LltRegularization::default(),
            Par::Seq,
            MemStack::new(&mut memory),
            faer::Spec::default(),
        )
        .ok()?;
        Some(Self { factor: matrix })
    }

    /// A⁻¹ v.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        let mut solution = v.to_vec();
        let right = MatMut::from_column_major_slice_mut(&mut solution, v.len(), 1);
        solve::solve_in_place(self.factor.as_ref(), right, Par::Seq, MemStack::new(&mut []));
        solution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_reach_every_element() {
        let a: Vec<f64> = (0..11).map(f64::from).collect();
        for n in 0..a.len() {
            let squares: f64 = a[..n].iter().map(|x| x * x).sum();
            assert_eq!(dot(&a[..n], &a[..n]), squares);
            assert_eq!(squared_distance(&a[..n], &vec![0.0; n]), squares);
        }
    }
}
