//! A frame that is at hand as a whole, or rows that come tile by tile, as often as they are asked for.
//!
//! In: a table, or somebody who reads tiles of one. Out: tables of rows that follow each other, each
//! with the number of its first row.

use std::sync::Arc;

use super::bins::Bins;
use super::column::Column;
use super::schema::{Feature, Schema};
use super::table::Table;
use super::view::ViewKind;
use crate::error::{Error, Result};
use crate::workers::Workers;

/// Takes the next rows of a frame; the number is that of the first one.
type TakeTile<'a> = dyn FnMut(usize, &Table) -> Result<()> + 'a;

/// Takes some rows of the feature at a place, the first of which has this number. The rows of a
/// feature come in their order; those of several features may come side by side.
pub type TakePiece<'a> = dyn Fn(usize, &Column, usize) -> Result<()> + Sync + 'a;

/// Reads the rows of a frame that is too large to be held.
pub trait Tiles: Send + Sync {
    /// The columns, without rows.
    fn head(&self) -> Result<Table<'_>>;

    /// The number of columns.
    fn n_columns(&self) -> usize;

    /// The number of rows.
    fn n_rows(&self) -> usize;

    /// Hands out all rows in their order.
    fn read(&self, take: &mut dyn FnMut(&Table) -> Result<()>) -> Result<()>;

    /// Hands out all rows feature by feature, which takes less memory and time. Whether that can be
    /// done; if not, nothing was handed out.
    fn read_columns(
        &self,
        features: &[Feature],
        workers: &Workers,
        take: &TakePiece,
    ) -> Result<bool>;
}

/// Where the rows of a frame come from.
#[derive(Clone)]
pub enum FrameSource<'a> {
    /// They are at hand.
    Table(Table<'a>),
    /// They are read whenever they are needed.
    Tiles(Arc<dyn Tiles>),
}

impl FrameSource<'_> {
    /// The columns for a view, of which nothing has been learned yet; those at some places are
    /// declared to be categories. Refuses a frame that nothing can be learned from; a shard of several
    /// may be without rows.
    pub fn blank_schema(
        &self,
        view: ViewKind,
        categorical: &[usize],
        is_shard: bool,
    ) -> Result<Schema> {
        let n_rows = if is_shard { 1 } else { self.n_rows() };
        match self {
            Self::Table(table) => blank_schema(table.clone(), n_rows, view, categorical),
            Self::Tiles(tiles) => blank_schema(tiles.head()?, n_rows, view, categorical),
        }
    }

    /// The number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        match self {
            Self::Table(table) => table.columns().len(),
            Self::Tiles(tiles) => tiles.n_columns(),
        }
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        match self {
            Self::Table(table) => table.n_rows(),
            Self::Tiles(tiles) => tiles.n_rows(),
        }
    }

    /// Hands out all rows in their order.
    fn for_each_tile(&self, take: &mut TakeTile) -> Result<()> {
        let tiles = match self {
            Self::Table(table) => return take(0, table),
            Self::Tiles(tiles) => tiles,
        };
        let (mut n_read, expected) = (0, tiles.n_rows());
        tiles.read(&mut |table| {
            let first = n_read;
            n_read += table.n_rows();
            if n_read > expected {
                return Err(changed(n_read, expected));
            }
            take(first, table)
        })?;
        if n_read < expected { Err(changed(n_read, expected)) } else { Ok(()) }
    }

    /// Hands out all rows feature by feature, straight from files where that can be done.
    pub fn for_each_column(
        &self,
        schema: &Schema,
        workers: &Workers,
        take: &TakePiece,
    ) -> Result<()> {
        if let Self::Tiles(tiles) = self
            && tiles.read_columns(&schema.features, workers, take)?
        {
            return Ok(());
        }
        self.for_each_tile(&mut |first, tile| {
            let columns = tile.align(schema)?;
            let steps = tile.n_rows() * columns.len();
            let places = columns.iter().enumerate().collect();
            workers.map(steps, places, |(place, column)| take(place, column, first))?;
            Ok(())
        })
    }
}

/// The error if a frame has another number of rows than before.
pub(super) fn changed(n_rows: usize, expected: usize) -> Error {
    Error::Shape {
        what: "X".into(),
        got: format!("{n_rows} rows when it was read again"),
        expected: format!("{expected}, as before"),
    }
}

fn blank_schema(
    mut head: Table,
    n_rows: usize,
    view: ViewKind,
    categorical: &[usize],
) -> Result<Schema> {
    head.check_trainable(n_rows)?;
    head.declare_categories(categorical)?;
    let features = head.columns().iter().map(|column| Feature {
        name: column.name.clone(),
        kind: column.kind,
        bins: Bins::blank(column.kind),
        scaling: None,
        rows: None,
    });
    Ok(Schema { view, features: features.collect(), named: head.named() })
}
