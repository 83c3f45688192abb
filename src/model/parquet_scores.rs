//! What a model tells of the rows of a Parquet file, tile by tile.
//!
//! In: a model that reads codes, and a file of any size. Out: the same scores that the rows would get
//! in memory, of which a tile at a time is there.

use std::path::Path;
use std::sync::Arc;

use super::{Model, tested_columns};
use crate::data::{Column, ParquetFile, Tile, ViewKind};
use crate::error::Result;
use crate::workers::Workers;

/// A file and who scores it.
pub struct ParquetScores {
    model: Arc<Model>,
    file: ParquetFile,
}

impl ParquetScores {
    /// `None` if rows have to come in another way: because the model reads more than codes, or
    /// because of the file. A tile has about so many cells.
    #[must_use]
    pub fn open(model: &Arc<Model>, path: &Path, tile_cells: usize) -> Option<Self> {
        if model.schema.view != ViewKind::Codes || !model.schema.named {
            return None;
        }
        let wanted = tested_columns(&model.members, model.schema.features.len());
        let file = ParquetFile::open(path, &model.schema.features, &wanted, tile_cells)?;
        Some(Self { model: model.clone(), file })
    }

    /// The scores of the next rows, row by row; `None` after the last one.
    pub fn next(&mut self, workers: &Workers) -> Result<Option<Vec<f64>>> {
        let (model, scorer) = (&*self.model, self.model.scorer());
        let encode = |feature: usize, column: &Column, start: usize, codes: &mut [u16]| {
            scorer.encode(model, (feature, column), start, codes);
        };
        let Some(Tile { n_rows, codes }) = self.file.read_tile(workers, &encode)? else {
            return Ok(None);
        };
        let copy = |feature: usize, start: usize, out: &mut [u16]| {
            out.copy_from_slice(&codes[feature][start..][..out.len()]);
        };
        scorer.score(model, n_rows, workers, &copy).map(Some)
    }
}
