//! Whether the footer of a Parquet file agrees with itself on the number of its rows, and what it says.
//!
//! In: a path, or the bytes of a file. Out: numbers of rows, or what is wrong. Readers believe one of these numbers and
//! do not look at the others, so that a damaged one would lose rows without a word.

use std::path::Path;

use bytes::Bytes;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::ChunkReader;

use super::damage::attempt;
use super::shared_file::SharedFile;

/// What is wrong with the numbers of rows of a file; `None` also if its footer cannot be read.
#[must_use]
pub fn parquet_file_fault(path: &Path) -> Option<String> {
    fault_in(&SharedFile::open(path)?)
}

/// The same of a file in memory.
#[must_use]
pub fn parquet_bytes_fault(bytes: &[u8]) -> Option<String> {
    fault_in(&Bytes::copy_from_slice(bytes))
}

/// The rows of each row group of a file; `None` if its footer cannot be read.
#[must_use]
pub fn group_rows(path: &Path) -> Option<Vec<u64>> {
    let file = SharedFile::open(path)?;
    let metadata = attempt(|| ParquetMetaDataReader::new().parse_and_finish(&file)).ok()?;
    let rows = metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).ok());
    rows.collect()
}

fn fault_in(reader: &impl ChunkReader) -> Option<String> {
    let metadata = attempt(|| ParquetMetaDataReader::new().parse_and_finish(reader)).ok()?;
    attempt(|| Ok::<_, String>(row_fault(&metadata))).ok()?
}

fn row_fault(metadata: &ParquetMetaData) -> Option<String> {
    let stated = metadata.file_metadata().num_rows();
    let groups = metadata.row_groups();
    let in_groups = groups.iter().fold(0_i64, |sum, group| sum.saturating_add(group.num_rows()));
    if stated != in_groups {
        return Some(format!("it states {stated} rows, but its row groups hold {in_groups}"));
    }
    groups.iter().enumerate().find_map(|(number, group)| group_fault(number, group))
}

/// A column that is not nested has a value, or a null, for every row of its group.
fn group_fault(number: usize, group: &RowGroupMetaData) -> Option<String> {
    let n_rows = group.num_rows();
    let mut flat =
        group.columns().iter().filter(|column| column.column_descr().max_rep_level() == 0);
    let wrong = flat.find(|column| column.num_values() != n_rows)?;
    let (name, n_values) = (wrong.column_path().string(), wrong.num_values());
    Some(format!("row group {number} has {n_rows} rows, but its column '{name}' {n_values} values"))
}
