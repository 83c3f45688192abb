//! Long columns of numbers for Python, as Arrow arrays without a copy.
//!
//! In: a list of doubles. Out: an object with `__arrow_c_array__`, which Polars and others take over
//! as it is.

use arrow_array::{Array, Float64Array, ffi};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use super::guard::to_py_err;
use crate::error::Error;

/// A column of doubles that speaks Arrow.
#[pyclass(module = "weakforce._core", frozen)]
pub(super) struct Numbers {
    array: Float64Array,
}

impl Numbers {
    pub(super) fn new(numbers: Vec<f64>) -> Self {
        Self { array: numbers.into() }
    }
}

#[pymethods]
impl Numbers {
    /// The column by Arrow's C data interface: its schema and its data.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        drop(requested_schema); // a wish, which producers are free to pass over
        let (array, schema) = ffi::to_ffi(&self.array.to_data())
            .map_err(|e| to_py_err(Error::internal(format!("a column for Arrow: {e}"))))?;
        let schema = PyCapsule::new_with_value(py, schema, c"arrow_schema")?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema, array))
    }

    fn __len__(&self) -> usize {
        self.array.len()
    }
}
