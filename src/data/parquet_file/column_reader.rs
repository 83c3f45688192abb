//! One column of one row group, from its first row to its last.
//!
//! In: the place of a column in a file. Out: codes, made of batches that are small enough to stay in
//! the cache.

use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};

use super::Encode;
use super::damage::attempt;
use super::schema::Source;
use super::shared_file::SharedFile;
use crate::data::column::{Column, Kind};
use crate::error::{Error, Result};
use crate::workers::{BLOCK_ROWS, Workers};

/// Rows that are coded together.
const STEP_ROWS: usize = 1 << 11;

/// A column of a row group, and how far it has been read.
pub(super) struct ColumnReader {
    place: usize,
    name: String,
    kind: Kind,
    batches: ParquetRecordBatchReader,
    /// A batch of which some rows are still to be coded, and the first of them.
    rest: Option<(Column<'static>, usize)>,
}

impl ColumnReader {
    pub fn new(
        file: SharedFile,
        metadata: &ArrowReaderMetadata,
        source: &Source,
        group: usize,
    ) -> Result<Self> {
        let mask = ProjectionMask::leaves(metadata.parquet_schema(), [source.leaf]);
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
            .with_projection(mask)
            .with_row_groups(vec![group])
            .with_batch_size(BLOCK_ROWS);
        let batches =
            attempt(|| builder.build()).map_err(|reason| unreadable(&source.name, reason))?;
        let (place, name, kind) = (source.place, source.name.clone(), source.kind);
        Ok(Self { place, name, kind, batches, rest: None })
    }

    /// Fills the codes with those of the next rows.
    pub fn read(
        &mut self,
        mut codes: &mut [u16],
        workers: &Workers,
        encode: &impl Encode,
    ) -> Result<()> {
        while !codes.is_empty() {
            workers.check()?;
            let (column, start) = match self.rest.take() {
                Some(rest) => rest,
                None => (self.next_batch()?, 0),
            };
            let n_rows = STEP_ROWS.min(column.len() - start).min(codes.len());
            let (now, later) = codes.split_at_mut(n_rows);
            encode(self.place, &column, start, now);
            codes = later;
            if start + n_rows < column.len() {
                self.rest = Some((column, start + n_rows));
            }
        }
        Ok(())
    }

    /// The next rows, of which there must be some.
    pub fn next_batch(&mut self) -> Result<Column<'static>> {
        let batch = attempt(|| self.batches.next().transpose());
        let batch = batch.and_then(|batch| batch.ok_or("it ends before its row group does".into()));
        let batch = batch.map_err(|reason| unreadable(&self.name, reason))?;
        let array = batch.column(0).clone();
        let mut column =
            Column::from_chunks(self.name.clone(), &array.data_type().clone(), vec![array])?;
        column.kind = self.kind;
        Ok(column)
    }
}

fn unreadable(column: &str, reason: String) -> Error {
    Error::Unreadable { column: column.to_owned(), reason }
}
