//! Rows that Python reads tile by tile: files, and what Polars makes of them.
//!
//! In: an object with `head()`, a frame without rows, `n_rows`, and `tiles()`, an iterator over frames.
//! Out: tables, of which one at a time is there. Python reads on the thread that called for the fit.
//! If `parquet_files` names files that hold just these columns, the core reads them itself, with
//! `check_unchanged()` before and after.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::frame::Chunks;
use super::guard::{Caller, catch};
use crate::data::{Feature, ParquetColumns, Table, TakePiece, Tiles};
use crate::error::{Error, Result};
use crate::workers::Workers;

/// A reader of tiles.
pub(super) struct FrameTiles {
    object: Arc<Py<PyAny>>,
    head: Chunks,
    n_rows: usize,
    /// Files whose columns can be read as they stand, if these are all.
    parquet_files: Option<Vec<PathBuf>>,
    /// The way to Python, known once the fit has begun.
    caller: OnceLock<Caller>,
}

impl FrameTiles {
    pub(super) fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let head = catch(|| Chunks::read(&[object.call_method0("head")?], true))?;
        Ok(Self {
            object: Arc::new(object.to_owned().unbind()),
            head,
            n_rows: object.getattr("n_rows")?.extract()?,
            parquet_files: object.getattr("parquet_files")?.extract()?,
            caller: OnceLock::new(),
        })
    }

    /// Tells the way to Python.
    pub(super) fn read_through(&self, caller: &Caller) {
        self.caller.get_or_init(|| caller.clone());
    }

    fn caller(&self) -> Result<&Caller> {
        let too_early = || Error::internal("tiles were asked for before the fit");
        self.caller.get().ok_or_else(too_early)
    }

    /// Lets Python see whether the files are as they were.
    fn check_unchanged(&self) -> Result<()> {
        let object = self.object.clone();
        self.caller()?.ask(move |py| object.call_method0(py, "check_unchanged").map(|_| ()))
    }
}

/// The next frame of an iterator; `None` after the last one.
fn next_tile(py: Python<'_>, tiles: &Py<PyIterator>) -> PyResult<Option<Chunks>> {
    let tile = tiles.bind(py).clone().next().transpose()?;
    tile.map(|tile| catch(|| Chunks::read(&[tile], true))).transpose()
}

impl Tiles for FrameTiles {
    fn head(&self) -> Result<Table<'_>> {
        self.head.table()
    }

    fn n_columns(&self) -> usize {
        self.head.n_columns()
    }

    fn n_rows(&self) -> usize {
        self.n_rows
    }

    fn read(&self, take: &mut dyn FnMut(&Table) -> Result<()>) -> Result<()> {
        let caller = self.caller()?;
        let object = self.object.clone();
        let begin = move |py: Python<'_>| {
            let tiles = object.call_method0(py, "tiles")?;
            tiles.bind(py).try_iter().map(Bound::unbind)
        };
        let tiles = Arc::new(caller.ask(begin)?);
        loop {
            let coming = tiles.clone();
            let Some(chunks) = caller.ask(move |py| next_tile(py, &coming))? else {
                return Ok(());
            };
            take(&chunks.table()?)?;
        }
    }

    fn read_columns(
        &self,
        features: &[Feature],
        workers: &Workers,
        take: &TakePiece,
    ) -> Result<bool> {
        let Some(files) = &self.parquet_files else { return Ok(false) };
        // The order of declared values is not in the columns of a file but in its description.
        if self.head()?.columns().iter().any(|column| column.declared) {
            return Ok(false);
        }
        self.check_unchanged()?;
        let Some(columns) = ParquetColumns::open(files, features, self.n_rows)? else {
            return Ok(false);
        };
        columns.read(features, workers, take)?;
        self.check_unchanged()?;
        Ok(true)
    }
}
