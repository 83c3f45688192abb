//! An iterator over the rounds of a model for Python.
//!
//! In: a walk through the rounds. Out: NumPy arrays, one after the other.

use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

use super::arrays::by_row;
use super::guard::to_py_err;
use crate::model::Staged;
use crate::workers::Workers;

/// Scores round by round.
#[pyclass(module = "weakforce._core")]
pub(super) struct StagedScores {
    pub staged: Staged,
    pub workers: Workers,
    /// What a classifier of the caller's raised.
    pub raised: Arc<Mutex<Option<PyErr>>>,
    /// Scores by row.
    pub n_scores: usize,
}

#[pymethods]
impl StagedScores {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self { staged, workers, raised, n_scores } = self;
        let scores = py.detach(|| staged.advance(workers)).map_err(|error| {
            let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
            raised.unwrap_or_else(|| to_py_err(error))
        })?;
        scores.map(|scores| by_row(py, scores.to_vec(), *n_scores)).transpose()
    }
}
