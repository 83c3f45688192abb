//! A dense matrix of margins, row by row, and the three products that all programs need.
//!
//! Large products run in parallel over fixed blocks of rows whose results are added in order, so
//! that no bit depends on the number of threads.

use crate::error::Result;
use crate::linear_algebra::{SymmetricMatrix, gram_of_rows};
use crate::vectors::{add_scaled, dot};
use crate::workers::Workers;

/// Rows in a block.
const BLOCK: usize = 1 << 10;

/// The matrix.
#[derive(Debug, Clone)]
pub(super) struct Rows {
    n_columns: usize,
    cells: Vec<f64>,
}

impl Rows {
    /// From all cells, row after row.
    pub fn new(n_columns: usize, cells: Vec<f64>) -> Self {
        Self { n_columns, cells }
    }

    pub fn n_rows(&self) -> usize {
        self.cells.len() / self.n_columns
    }

    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    pub fn row(&self, i: usize) -> &[f64] {
        &self.cells[i * self.n_columns..(i + 1) * self.n_columns]
    }

    /// M x.
    pub fn times(&self, x: &[f64], workers: &Workers) -> Result<Vec<f64>> {
        let blocks = self.cells.chunks(BLOCK * self.n_columns).collect();
        let parts = workers.map(self.cells.len(), blocks, |cells: &[f64]| {
            Ok(cells.chunks_exact(self.n_columns).map(|row| dot(row, x)).collect::<Vec<f64>>())
        })?;
        Ok(parts.concat())
    }

    /// Mᵀ d.
    pub fn transposed_times(&self, d: &[f64], workers: &Workers) -> Result<Vec<f64>> {
        let cells = self.cells.chunks(BLOCK * self.n_columns);
        let blocks = cells.zip(d.chunks(BLOCK)).collect();
        let parts = workers.map(self.cells.len(), blocks, |(cells, d): (&[f64], &[f64])| {
            let mut sum = vec![0.0; self.n_columns];
            for (row, &weight) in cells.chunks_exact(self.n_columns).zip(d) {
                if weight != 0.0 {
                    add_scaled(&mut sum, weight, row);
                }
            }
            Ok(sum)
        })?;
        let mut all = vec![0.0; self.n_columns];
        for part in parts {
            add_scaled(&mut all, 1.0, &part);
        }
        Ok(all)
    }

    /// Mᵀ diag(weights) M; no weight is negative.
    pub fn gram(&self, weights: &[f64], workers: &Workers) -> Result<SymmetricMatrix> {
        let n = self.n_columns;
        let cells = self.cells.chunks(BLOCK * n);
        let blocks = cells.zip(weights.chunks(BLOCK)).collect();
        let steps = self.cells.len() * n;
        let parts = workers.map(steps, blocks, |(cells, weights): (&[f64], &[f64])| {
            let mut scaled = Vec::with_capacity(cells.len());
            for (row, &weight) in cells.chunks_exact(n).zip(weights) {
                if weight > 0.0 {
                    let root = weight.sqrt();
                    scaled.extend(row.iter().map(|cell| cell * root));
                }
            }
            Ok(gram_of_rows(&scaled, n))
        })?;
        let mut all = SymmetricMatrix::zeros(n);
        for part in &parts {
            all += part;
        }
        Ok(all)
    }
}
