//! The rows of a Parquet file as codes, a tile of rows at a time.
//!
//! In: a path and the features of a model. Out: for every tile the codes of the columns that are
//! wanted. A page is decoded and coded while it is in the cache, column by column, so a tile takes
//! two bytes a cell, and the numbers themselves are never all in memory. Row groups that are small
//! enough are read whole; of larger ones, every column keeps its page open from tile to tile.

mod column_reader;
mod columns;
mod damage;
mod footer;
mod schema;
mod shared_file;

use std::path::Path;

use column_reader::ColumnReader;
pub use columns::ParquetColumns;
use damage::attempt;
pub use footer::{group_rows, parquet_bytes_fault, parquet_file_fault};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use schema::Source;
use shared_file::SharedFile;

use super::column::Column;
use super::schema::Feature;
use crate::error::Result;
use crate::workers::{Workers, split_along};

/// The most rows of a tile, however few columns are wanted.
const MOST_ROWS: usize = 1 << 20;
/// A row group of so many tiles is still read whole.
const MOST_TILES: usize = 4;

/// Makes codes of a column at a place among the features, from a row on.
pub trait Encode: Fn(usize, &Column, usize, &mut [u16]) + Sync {}
impl<F: Fn(usize, &Column, usize, &mut [u16]) + Sync> Encode for F {}

/// A Parquet file on the way from its first row to its last.
pub struct ParquetFile {
    opened: Opened,
    /// Rows of a tile, more or less.
    tile_rows: usize,
    /// The row groups that have rows.
    groups: Vec<Group>,
    /// Which of them is read next.
    next_group: usize,
    /// The one before that, if some of its rows are still to come.
    begun: Option<Begun>,
    /// The codes of the last tile.
    codes: Vec<Vec<u16>>,
}

/// Some rows of a file.
pub struct Tile<'a> {
    /// How many they are.
    pub n_rows: usize,
    /// Their codes by feature; columns that are not wanted have none.
    pub codes: &'a [Vec<u16>],
}

/// What all readers of a file share.
struct Opened {
    file: SharedFile,
    metadata: ArrowReaderMetadata,
    /// The columns that are wanted, by place.
    sources: Vec<Source>,
}

/// A row group by its number.
#[derive(Clone, Copy)]
struct Group {
    number: usize,
    n_rows: usize,
}

/// A row group that is too large for one tile.
struct Begun {
    readers: Vec<ColumnReader>,
    rows_left: usize,
}

impl ParquetFile {
    /// `None` if the file has no rows or is none that this reader knows: it is damaged, its columns
    /// are not all there or of types or compressions that have to be left to others. Of the columns,
    /// those that are wanted are read; a tile has about so many cells.
    #[must_use]
    pub fn open(
        path: &Path,
        features: &[Feature],
        wanted: &[bool],
        tile_cells: usize,
    ) -> Option<Self> {
        let (opened, groups) = Opened::find(path, features, wanted)?;
        if groups.is_empty() {
            return None;
        }
        let tile_rows = (tile_cells / opened.sources.len().max(1)).clamp(1, MOST_ROWS);
        Some(Self {
            opened,
            tile_rows,
            groups,
            next_group: 0,
            begun: None,
            codes: vec![Vec::new(); features.len()],
        })
    }

    /// Reads the next rows; `None` if there are none left.
    pub fn read_tile(
        &mut self,
        workers: &Workers,
        encode: &impl Encode,
    ) -> Result<Option<Tile<'_>>> {
        let n_rows = if let Some(begun) = &mut self.begun {
            let n_rows = begun.rows_left.min(self.tile_rows);
            let codes = make_room(&mut self.codes, &self.opened.sources, n_rows);
            begun.read(codes, n_rows, workers, encode)?;
            n_rows
        } else {
            let groups = groups_of_tile(&self.groups[self.next_group..], self.tile_rows);
            let Some(first) = groups.first() else { return Ok(None) };
            self.next_group += groups.len();
            if first.n_rows > self.tile_rows * MOST_TILES {
                self.begun = Some(self.opened.begin(*first)?);
                return self.read_tile(workers, encode);
            }
            let n_rows = groups.iter().map(|group| group.n_rows).sum();
            let codes = make_room(&mut self.codes, &self.opened.sources, n_rows);
            self.opened.read_whole(groups, codes, workers, encode)?;
            n_rows
        };
        self.begun.take_if(|begun| begun.rows_left == 0);
        Ok(Some(Tile { n_rows, codes: &self.codes }))
    }
}

/// The row groups of the next tile: the first one, and those after it that fit in as well.
fn groups_of_tile(groups: &[Group], tile_rows: usize) -> &[Group] {
    let sums = groups.iter().scan(0, |sum, group| {
        *sum += group.n_rows;
        Some(*sum)
    });
    let n_fitting = sums.take_while(|&sum| sum <= tile_rows).count();
    &groups[..n_fitting.max(1).min(groups.len())]
}

/// Memory for the codes of so many rows, by source.
fn make_room<'a>(
    codes: &'a mut [Vec<u16>],
    sources: &[Source],
    n_rows: usize,
) -> Vec<&'a mut [u16]> {
    let mut sources = sources.iter().peekable();
    let wanted = codes.iter_mut().enumerate().filter_map(|(place, codes)| {
        sources.next_if(|source| source.place == place)?;
        codes.resize(n_rows, 0);
        Some(codes.as_mut_slice())
    });
    wanted.collect()
}

impl Opened {
    /// A file and those of its row groups that have rows; `None` if this reader does not know it.
    fn find(path: &Path, features: &[Feature], wanted: &[bool]) -> Option<(Self, Vec<Group>)> {
        let file = SharedFile::open(path)?;
        let found = attempt(|| schema::find(&file, features, wanted));
        let (metadata, sources) = found.ok().flatten()?;
        let groups = metadata.metadata().row_groups().iter().enumerate();
        let groups = groups.map(|(number, group)| {
            usize::try_from(group.num_rows()).ok().map(|n_rows| Group { number, n_rows })
        });
        let mut groups: Vec<Group> = groups.collect::<Option<_>>()?;
        groups.retain(|group| group.n_rows > 0);
        Some((Self { file, metadata, sources }, groups))
    }

    /// Reads row groups into the codes of each source.
    fn read_whole(
        &self,
        groups: &[Group],
        codes: Vec<&mut [u16]>,
        workers: &Workers,
        encode: &impl Encode,
    ) -> Result<()> {
        let tasks = codes.into_iter().zip(&self.sources).flat_map(|(codes, source)| {
            let pieces = split_along(codes, groups.iter().map(|group| group.n_rows));
            groups.iter().zip(pieces).map(move |(group, codes)| (source, group, codes))
        });
        let tasks: Vec<_> = tasks.collect();
        let steps = tasks.iter().map(|(_, _, codes)| codes.len()).sum();
        workers.map(steps, tasks, |(source, group, codes)| {
            self.reader(source, *group)?.read(codes, workers, encode)
        })?;
        Ok(())
    }

    fn begin(&self, group: Group) -> Result<Begun> {
        let readers = self.sources.iter().map(|source| self.reader(source, group));
        Ok(Begun { readers: readers.collect::<Result<_>>()?, rows_left: group.n_rows })
    }

    fn reader(&self, source: &Source, group: Group) -> Result<ColumnReader> {
        ColumnReader::new(self.file.clone(), &self.metadata, source, group.number)
    }
}

impl Begun {
    /// Reads the next rows into the codes of each source.
    fn read(
        &mut self,
        codes: Vec<&mut [u16]>,
        n_rows: usize,
        workers: &Workers,
        encode: &impl Encode,
    ) -> Result<()> {
        let tasks: Vec<_> = self.readers.iter_mut().zip(codes).collect();
        workers.map(tasks.len() * n_rows, tasks, |(reader, codes)| {
            reader.read(codes, workers, encode)
        })?;
        self.rows_left -= n_rows;
        Ok(())
    }
}
