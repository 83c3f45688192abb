//! Scores of a Parquet file for Python, tile by tile.
//!
//! In: a model and a path. Out: NumPy arrays, one after the other.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;

use super::arrays::by_row;
use super::guard::{run, to_py_err};
use super::model::Model;
use crate::data::{group_rows, parquet_bytes_fault, parquet_file_fault};
use crate::model::ParquetScores as CoreScores;
use crate::workers::Workers;

/// An iterator over the scores of a Parquet file.
#[pyclass(module = "weakforce._core")]
pub(super) struct ParquetScores {
    /// Locked only because readers of columns must not be shared; Python lends this to one thread.
    scores: Mutex<CoreScores>,
    workers: Workers,
    /// Scores by row.
    n_scores: usize,
}

#[pymethods]
impl ParquetScores {
    /// `None` if the rows of the file have to come in another way; a tile has about so many cells.
    #[staticmethod]
    fn open(
        py: Python<'_>,
        model: &Model,
        path: PathBuf,
        n_jobs: Option<i64>,
        tile_cells: usize,
    ) -> PyResult<Option<Self>> {
        let workers = Workers::new(n_jobs).map_err(to_py_err)?;
        let core = model.core();
        let opened = run(py, &workers, |_| Ok(CoreScores::open(core, &path, tile_cells)))?;
        let n_scores = core.combiner.n_scores();
        Ok(opened.map(|scores| Self { scores: Mutex::new(scores), workers, n_scores }))
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Self { scores, workers, n_scores } = self;
        let scores = scores.get_mut().unwrap_or_else(PoisonError::into_inner);
        let found = run(py, workers, |_| scores.next(workers))?;
        found.map(|scores| by_row(py, scores, *n_scores)).transpose()
    }
}

/// What is wrong with the numbers of rows in the footer of a Parquet file, of which there is a path
/// or the content; `None` if nothing is, and if the footer cannot be read.
#[pyfunction]
#[pyo3(signature = (path, content=None))]
pub(super) fn parquet_fault(
    py: Python<'_>,
    path: PathBuf,
    content: Option<&[u8]>,
) -> Option<String> {
    match content {
        Some(bytes) => parquet_bytes_fault(bytes),
        None => py.detach(|| parquet_file_fault(&path)),
    }
}

/// The rows of each row group of a Parquet file; `None` if its footer cannot be read.
#[pyfunction]
pub(super) fn parquet_group_rows(py: Python<'_>, path: PathBuf) -> Option<Vec<u64>> {
    py.detach(|| group_rows(&path))
}

/// Asks the allocator to keep the memory that is freed, for programs that take and free large pieces
/// all the time: to get each from the system anew can take longer than to fill it. Only the C library
/// of GNU has to be asked.
#[pyfunction]
pub(super) fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: both parameters are known to mallopt, which may be called at any time.
    unsafe {
        // The largest piece that may come from the heap, and what may lie idle at its end.
        libc::mallopt(libc::M_MMAP_THRESHOLD, 32 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 128 << 20);
    }
}
