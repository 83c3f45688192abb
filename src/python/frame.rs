//! From a Python object to a [`Table`], without copying the data.
//!
//! In: anything with `__arrow_c_stream__`, a list of such pieces, one whose columns have no names
//! of the user's, a two-dimensional NumPy array, or a reader of tiles. Out: a table that borrows the
//! buffers, which the [`Frame`] keeps alive.

use std::sync::Arc;

use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use numpy::{PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyException, PyMemoryError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};

use super::guard::{catch, to_py_err};
use super::tiles::FrameTiles;
use crate::data::{Column, FrameSource, NumberArray, Table};
use crate::error::{Error, Result};

/// A frame that came from Python.
pub(super) enum Frame<'py> {
    Arrow(Chunks),
    Numpy(Numbers<'py>),
    Tiles(Arc<FrameTiles>),
}

/// Arrow columns by chunk.
pub(super) struct Chunks {
    schema: SchemaRef,
    columns: Vec<Vec<ArrayRef>>,
    /// Whether the names of the columns are the user's.
    named: bool,
    n_rows: usize,
}

/// A borrowed NumPy array of any number type.
pub(super) enum Numbers<'py> {
    Bool(PyReadonlyArray2<'py, bool>),
    I8(PyReadonlyArray2<'py, i8>),
    I16(PyReadonlyArray2<'py, i16>),
    I32(PyReadonlyArray2<'py, i32>),
    I64(PyReadonlyArray2<'py, i64>),
    U8(PyReadonlyArray2<'py, u8>),
    U16(PyReadonlyArray2<'py, u16>),
    U32(PyReadonlyArray2<'py, u32>),
    U64(PyReadonlyArray2<'py, u64>),
    F32(PyReadonlyArray2<'py, f32>),
    F64(PyReadonlyArray2<'py, f64>),
}

impl<'py> FromPyObject<'_, 'py> for Frame<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if object.cast::<PyUntypedArray>().is_ok() {
            return Numbers::extract(object).map(Self::Numpy);
        }
        if object.get_type().hasattr("_comes_in_tiles")? {
            return FrameTiles::extract(object).map(|tiles| Self::Tiles(Arc::new(tiles)));
        }
        let pieces = match object.cast::<PyList>() {
            Ok(pieces) => pieces.iter().collect(),
            Err(_) => vec![object.to_owned()],
        };
        // The type says so, because an object may have an attribute for each of its columns.
        let named = !object.get_type().hasattr("_has_no_names")?;
        catch(|| Chunks::read(&pieces, named)).map(Self::Arrow)
    }
}

impl Frame<'_> {
    /// The frame as a table.
    pub(super) fn table(&self) -> Result<Table<'_>> {
        match self {
            Self::Arrow(chunks) => chunks.table(),
            Self::Numpy(numbers) => numbers.table(),
            Self::Tiles(_) => Err(Error::internal("tiles came where a table is wanted")),
        }
    }

    /// Where the rows come from.
    pub(super) fn source(&self) -> Result<FrameSource<'_>> {
        match self {
            Self::Tiles(tiles) => Ok(FrameSource::Tiles(tiles.clone())),
            _ => self.table().map(FrameSource::Table),
        }
    }

    /// The reader of tiles, if it is one.
    pub(super) fn tiles(&self) -> Option<Arc<FrameTiles>> {
        match self {
            Self::Tiles(tiles) => Some(tiles.clone()),
            _ => None,
        }
    }
}

/// One arm per element type, so that the list stands in one place.
macro_rules! for_each_type {
    ($self:expr, $array:ident, $variant:ident => $body:expr) => {
        match $self {
            Numbers::Bool($array) => for_each_type!(@ $variant Bool $body),
            Numbers::I8($array) => for_each_type!(@ $variant I8 $body),
            Numbers::I16($array) => for_each_type!(@ $variant I16 $body),
            Numbers::I32($array) => for_each_type!(@ $variant I32 $body),
            Numbers::I64($array) => for_each_type!(@ $variant I64 $body),
            Numbers::U8($array) => for_each_type!(@ $variant U8 $body),
            Numbers::U16($array) => for_each_type!(@ $variant U16 $body),
            Numbers::U32($array) => for_each_type!(@ $variant U32 $body),
            Numbers::U64($array) => for_each_type!(@ $variant U64 $body),
            Numbers::F32($array) => for_each_type!(@ $variant F32 $body),
            Numbers::F64($array) => for_each_type!(@ $variant F64 $body),
        }
    };
    (@ $variant:ident $name:ident $body:expr) => {{
        #[allow(clippy::redundant_closure_call)]
        { use NumberArray::$name as $variant; $body }
    }};
}

impl<'py> Numbers<'py> {
    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        macro_rules! try_types {
            ($($variant:ident),*) => {
                $(if let Ok(array) = object.extract() { return Ok(Self::$variant(array)); })*
            };
        }
        try_types!(F64, F32, I64, I32, U8, Bool, I8, I16, U16, U32, U64);
        let array = object.cast::<PyUntypedArray>()?;
        Err(PyTypeError::new_err(format!(
            "X is a {}-dimensional NumPy array of {}, expected a 2-dimensional array of numbers",
            array.ndim(),
            array.dtype()
        )))
    }

    fn table(&self) -> Result<Table<'_>> {
        for_each_type!(self, array, Variant => {
            let array = array.as_array();
            let columns = (0..array.ncols())
                .map(|at| {
                    let column = array.index_axis_move(ndarray::Axis(1), at);
                    Column::from_array(format!("x{at}"), Variant(column))
                })
                .collect();
            Table::new(columns, false, array.nrows())
        })
    }
}

impl Chunks {
    /// Reads objects with `__arrow_c_stream__`, at least one, whose rows follow each other.
    pub(super) fn read(pieces: &[Bound<'_, PyAny>], named: bool) -> PyResult<Self> {
        let mut chunks: Option<Self> = None;
        for piece in pieces {
            let capsule = piece
                .call_method0("__arrow_c_stream__")
                .map_err(|error| not_handed_over(piece.py(), error))?;
            let reader = read_stream(capsule.cast::<PyCapsule>()?)?;
            let schema = reader.schema();
            let chunks = chunks.get_or_insert_with(|| {
                let columns = vec![Vec::new(); schema.fields().len()];
                Self { schema, columns, named, n_rows: 0 }
            });
            for batch in reader {
                chunks.add(&batch.map_err(not_arrow)?);
            }
        }
        chunks.ok_or_else(|| to_py_err(Error::internal("a frame without any chunk")))
    }

    pub(super) fn n_columns(&self) -> usize {
        self.columns.len()
    }

    fn add(&mut self, batch: &RecordBatch) {
        self.n_rows += batch.num_rows();
        for (chunks, array) in self.columns.iter_mut().zip(batch.columns()) {
            if !array.is_empty() {
                chunks.push(array.clone());
            }
        }
    }

    pub(super) fn table(&self) -> Result<Table<'_>> {
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut refused = Vec::new();
        for (field, chunks) in self.schema.fields().iter().zip(&self.columns) {
            let (name, data_type) = (field.name().clone(), field.data_type());
            let mut column = match Column::from_chunks(name.clone(), data_type, chunks.clone()) {
                Ok(column) => column,
                Err(error) => {
                    refused.push((name, error));
                    continue;
                }
            };
            let is_enum = field.metadata().keys().any(|key| key.starts_with("_PL_ENUM_VALUES"));
            column.declared = is_enum || field.dict_is_ordered() == Some(true);
            columns.push(column);
        }
        Ok(Table::new(columns, self.named, self.n_rows)?.with_refused(refused))
    }
}

fn read_stream(capsule: &Bound<'_, PyCapsule>) -> PyResult<RecordBatchStreamReader> {
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of that name holds a pointer to an initialised ArrowArrayStream (the Arrow
    // PyCapsule interface); moving out of it marks it released, so its owner will not free it.
    let reader = unsafe { RecordBatchStreamReader::from_raw(pointer.as_ptr().cast()) };
    reader.map_err(not_arrow)
}

/// What a container raises that has a column it cannot hand over, as an exception of ours.
fn not_handed_over(py: Python<'_>, error: PyErr) -> PyErr {
    if !error.is_instance_of::<PyException>(py) || error.is_instance_of::<PyMemoryError>(py) {
        return error;
    }
    let reason = format!("X cannot be read as Arrow columns: {}", error.value(py));
    if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(reason)
    } else {
        PyTypeError::new_err(reason)
    }
}

fn not_arrow(error: ArrowError) -> PyErr {
    to_py_err(Error::Arrow { reason: error.to_string() })
}
