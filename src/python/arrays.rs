//! Numbers of a model as NumPy arrays.
//!
//! In: numbers row by row, tables, codes. Out: arrays of one or two dimensions.

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray2};
use pyo3::prelude::*;

use super::guard::to_py_err;
use crate::combiner::{Buckets, Code};
use crate::error::Error;
use crate::memory::{self, Need};

/// Numbers row by row as a NumPy array of one dimension, or of two if rows have several.
pub(super) fn by_row(
    py: Python<'_>,
    numbers: Vec<f64>,
    width: usize,
) -> PyResult<Bound<'_, PyAny>> {
    if width == 1 {
        return Ok(numbers.into_pyarray(py).into_any());
    }
    let shape = (numbers.len() / width, width);
    let array = Array2::from_shape_vec(shape, numbers)
        .map_err(|e| to_py_err(Error::internal(format!("scores by row: {e}"))))?;
    Ok(array.into_pyarray(py).into_any())
}

/// The scores of the buckets after so many rounds, or after all there are.
pub(super) fn scores_by_bucket<'py>(
    py: Python<'py>,
    table: &Buckets,
    n_rounds: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let width = if table.n_classes == 2 { 1 } else { table.n_classes };
    by_row(py, table.stage(n_rounds).to_vec(), width)
}

/// A code matrix by class and problem.
pub(super) fn code_matrix<'py>(py: Python<'py>, code: &Code) -> PyResult<Bound<'py, PyArray2<i8>>> {
    let shape = (code.n_classes(), code.n_problems());
    memory::check(&[Need::numbers("the code matrix", &[shape.0, shape.1], 1)])
        .map_err(to_py_err)?;
    let entries = (0..code.n_classes()).flat_map(|class| code.row(class)).collect();
    let matrix = Array2::from_shape_vec(shape, entries)
        .map_err(|e| to_py_err(Error::internal(format!("a code matrix: {e}"))))?;
    Ok(matrix.into_pyarray(py))
}
