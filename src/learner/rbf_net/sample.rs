//! The rows that a net is fitted to: those of positive weight, with weights of mean 1.
//!
//! In: examples. Out: row-major values, targets and weights, and the fixed blocks in which all sums
//! over rows are taken, so that they do not depend on the number of threads.

use std::borrow::Cow;

use super::Examples;
use crate::error::{Error, Result};

/// Rows per block at least; fewer are not worth a task.
const MIN_BLOCK_ROWS: usize = 1024;

/// Blocks at most, because each may hold sums as large as the matrix of the normal equations.
const MAX_BLOCKS: usize = 64;

/// Rows of positive weight.
pub(super) struct Sample<'a> {
    values: Cow<'a, [f64]>,
    /// The number of columns.
    pub n_columns: usize,
    /// Weights of mean 1.
    pub weights: Vec<f64>,
    /// Their square roots: what turns weighted least squares into plain ones.
    pub roots: Vec<f64>,
    /// √w · y.
    pub targets: Vec<f64>,
}

/// A stretch of rows.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    /// The number of its first row.
    pub first: usize,
    pub values: &'a [f64],
    pub weights: &'a [f64],
    pub roots: &'a [f64],
    pub targets: &'a [f64],
    n_columns: usize,
}

impl<'a> Sample<'a> {
    pub fn new(examples: &Examples<'a>) -> Result<Self> {
        let (labels, numbers) = (examples.labels, examples.numbers);
        let kept: Vec<usize> =
            (0..numbers.n_rows()).filter(|&row| examples.weights[row] > 0.0).collect();
        if kept.is_empty() {
            return Err(Error::internal("a net cannot be fitted to zero rows"));
        }
        let values = if kept.len() == numbers.n_rows() {
            Cow::Borrowed(numbers.values())
        } else {
            Cow::Owned(kept.iter().flat_map(|&row| numbers.row(row)).copied().collect())
        };
        let total: f64 = kept.iter().map(|&row| examples.weights[row]).sum();
        let mean = total / kept.len() as f64;
        let weights: Vec<f64> = kept.iter().map(|&row| examples.weights[row] / mean).collect();
        let roots: Vec<f64> = weights.iter().map(|weight| weight.sqrt()).collect();
        let targets = kept.iter().zip(&roots).map(|(&row, root)| root * labels[row]).collect();
        Ok(Self { values, n_columns: numbers.n_columns(), weights, roots, targets })
    }

    pub fn n_rows(&self) -> usize {
        self.weights.len()
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_columns..][..self.n_columns]
    }

    /// Rows per block; all but the last have as many.
    pub fn block_rows(&self) -> usize {
        self.n_rows().div_ceil(MAX_BLOCKS).max(MIN_BLOCK_ROWS)
    }

    pub fn blocks(&self) -> impl Iterator<Item = Block<'_>> {
        let size = self.block_rows();
        (0..self.n_rows()).step_by(size).map(move |first| {
            let rows = first..(first + size).min(self.n_rows());
            Block {
                first,
                values: &self.values[first * self.n_columns..rows.end * self.n_columns],
                weights: &self.weights[rows.clone()],
                roots: &self.roots[rows.clone()],
                targets: &self.targets[rows],
                n_columns: self.n_columns,
            }
        })
    }
}

impl<'a> Block<'a> {
    pub fn rows(&self) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        self.values.chunks_exact(self.n_columns.max(1))
    }
}
