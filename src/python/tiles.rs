//! Rows that Python reads tile by tile: files, and what Polars makes of them.
//!
//! In: an object with `head()`, a frame without rows, `n_rows`, and `tiles()`, an iterator over frames.
//! Out: tables, of which one at a time is there. Python reads on the thread that called for the fit.

use std::sync::{Arc, OnceLock};

use pyo3::prelude::*;
use pyo3::types::PyIterator;

use super::frame::Chunks;
use super::guard::{Caller, catch};
use crate::data::{Table, Tiles};
use crate::error::{Error, Result};

/// A reader of tiles.
pub(super) struct FrameTiles {
    object: Arc<Py<PyAny>>,
    head: Chunks,
    n_rows: usize,
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
            caller: OnceLock::new(),
        })
    }

    /// Tells the way to Python.
    pub(super) fn read_through(&self, caller: &Caller) {
        self.caller.get_or_init(|| caller.clone());
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
        let Some(caller) = self.caller.get() else {
            return Err(Error::internal("tiles were asked for before the fit"));
        };
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
}
