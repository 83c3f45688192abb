//! Small dense matrices: products of a matrix with itself, Cholesky's factor.
//!
//! In: rows of numbers. Out: Gram matrices and solutions of linear equations.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::{factor, solve};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatMut, MatRef, Par};

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
