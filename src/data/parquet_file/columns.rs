//! All rows of some Parquet files, column by column: what a fit learns bins of and encodes.
//!
//! In: paths and features. Out: pieces of columns, row group after row group; the columns of a row group
//! are read on several threads. Of a column, a page at a time is in memory.

use std::path::{Path, PathBuf};

use super::{Group, Opened};
use crate::data::schema::Feature;
use crate::data::tiles::{TakePiece, changed};
use crate::error::{Error, Result};
use crate::workers::Workers;

/// Parquet files whose rows follow each other.
#[derive(Debug)]
pub struct ParquetColumns {
    paths: Vec<PathBuf>,
    n_rows: usize,
}

impl ParquetColumns {
    /// Files of so many rows in all; `None` if any of them is none that this reader knows, or has not
    /// all of these features.
    pub fn open(paths: &[PathBuf], features: &[Feature], n_rows: usize) -> Result<Option<Self>> {
        let mut n_found = 0;
        for path in paths {
            let Some((_, groups)) = open(path, features) else { return Ok(None) };
            n_found += groups.iter().map(|group| group.n_rows).sum::<usize>();
        }
        if n_found == n_rows {
            Ok(Some(Self { paths: paths.to_vec(), n_rows }))
        } else {
            Err(changed(n_found, n_rows))
        }
    }

    /// Hands out all rows of all features.
    pub fn read(&self, features: &[Feature], workers: &Workers, take: &TakePiece) -> Result<()> {
        let mut first = 0;
        for path in &self.paths {
            let Some((opened, groups)) = open(path, features) else {
                return Err(Error::Shape {
                    what: format!("the file '{}'", path.display()),
                    got: "other columns than before, or none that can be read".into(),
                    expected: "a file at rest".into(),
                });
            };
            for group in groups {
                workers.check()?;
                if first + group.n_rows > self.n_rows {
                    return Err(changed(first + group.n_rows, self.n_rows));
                }
                let steps = group.n_rows * features.len();
                workers.map(steps, opened.sources.iter().collect(), |source| {
                    let mut reader = opened.reader(source, group)?;
                    let mut n_read = 0;
                    while n_read < group.n_rows {
                        workers.check()?;
                        let piece = reader.next_batch()?;
                        take(source.place, &piece, first + n_read)?;
                        n_read += piece.len();
                    }
                    Ok(())
                })?;
                first += group.n_rows;
            }
        }
        if first < self.n_rows { Err(changed(first, self.n_rows)) } else { Ok(()) }
    }
}

fn open(path: &Path, features: &[Feature]) -> Option<(Opened, Vec<Group>)> {
    Opened::find(path, features, &vec![true; features.len()])
}
