//! The way to the other shards of a fit, as Python goes it.
//!
//! In: an object with `rank`, `size`, `pieces`, `validation_pieces`, `sum(array)` and `gather(bytes)`.
//! Out: a [`Reduce`]. Python is called on the thread that called for the fit; what it raises ends the fit.

use std::sync::Arc;

use numpy::{PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::guard::Caller;
use crate::error::Result;
use crate::reduce::Reduce;

/// The pieces of a frame that a shard holds, each by the number of its first row and of its rows.
type GivenPieces = Vec<(u64, u64)>;

/// An object of Python's, before the fit has begun.
pub(super) struct Reducer {
    object: Arc<Py<PyAny>>,
    rank: usize,
    size: usize,
    pieces: GivenPieces,
    validation_pieces: GivenPieces,
}

impl FromPyObject<'_, '_> for Reducer {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (rank, size) = (object.getattr("rank")?.extract()?, object.getattr("size")?.extract()?);
        if rank >= size {
            let message = format!("parameter 'reducer.rank': got {rank}, expected 0 to {size} - 1");
            return Err(PyValueError::new_err(message));
        }
        Ok(Self {
            rank,
            size,
            pieces: object.getattr("pieces")?.extract()?,
            validation_pieces: object.getattr("validation_pieces")?.extract()?,
            object: Arc::new(object.to_owned().unbind()),
        })
    }
}

impl Reducer {
    /// The pieces of the training rows.
    pub(super) fn pieces(&self) -> GivenPieces {
        self.pieces.clone()
    }

    /// The pieces of the validation rows.
    pub(super) fn validation_pieces(&self) -> GivenPieces {
        self.validation_pieces.clone()
    }

    /// Ready to be called.
    pub(super) fn through(&self, caller: &Caller) -> Arc<dyn Reduce> {
        let object = self.object.clone();
        Arc::new(PyReduce { object, rank: self.rank, size: self.size, caller: caller.clone() })
    }
}

struct PyReduce {
    object: Arc<Py<PyAny>>,
    rank: usize,
    size: usize,
    caller: Caller,
}

impl Reduce for PyReduce {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<()> {
        let (object, own) = (self.object.clone(), numbers.to_vec());
        let sums = self.caller.ask(move |py| {
            let sums = object.call_method1(py, "sum", (own.to_pyarray(py),))?;
            let sums: PyReadonlyArray1<u64> = sums.extract(py)?;
            let (got, expected) = (sums.as_array().len(), own.len());
            if got != expected {
                let message = format!("reducer.sum: got {got} numbers, expected {expected}");
                return Err(PyValueError::new_err(message));
            }
            Ok(sums.as_array().to_vec())
        })?;
        numbers.copy_from_slice(&sums);
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let (object, own, size) = (self.object.clone(), bytes.to_vec(), self.size);
        self.caller.ask(move |py| {
            let gathered = object.call_method1(py, "gather", (PyBytes::new(py, &own),))?;
            // As byte strings: a list of numbers would be read number by number.
            let gathered: Vec<PyBackedBytes> = gathered.extract(py)?;
            if gathered.len() != size {
                let got = gathered.len();
                let message = format!("reducer.gather: got {got} byte strings, expected {size}");
                return Err(PyValueError::new_err(message));
            }
            Ok(gathered.iter().map(|bytes| bytes.to_vec()).collect())
        })
    }
}
