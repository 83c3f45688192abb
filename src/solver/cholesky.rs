//! Cholesky's factor of a small dense matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::{Mat, MatMut, Par};

/// L with L Lᵀ = A.
pub(super) struct Cholesky {
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
