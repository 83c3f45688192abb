//! A file that many read at once, each at its own place.
//!
//! In: a path. Out: bytes from anywhere in the file. Parquet's own reader of files moves a place that
//! all readers of a file share, so two threads would read each other's bytes.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

/// What is read ahead for the header of a page; its data is read in one go.
const HEADER_BYTES: usize = 512;

/// An open file and its length.
#[derive(Debug, Clone)]
pub(super) struct SharedFile {
    file: Arc<File>,
    length: u64,
}

impl SharedFile {
    /// `None` if the path names no file that can be read anywhere.
    pub fn open(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let known = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some(Self { file: Arc::new(file), length: known.len() })
    }

    fn read_at(&self, bytes: &mut [u8], start: u64) -> io::Result<usize> {
        #[cfg(unix)]
        return std::os::unix::fs::FileExt::read_at(&*self.file, bytes, start);
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&*self.file, bytes, start);
    }
}

impl Length for SharedFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for SharedFile {
    type T = BufReader<Place>;

    fn get_read(&self, start: u64) -> Result<Self::T> {
        let place = Place { file: self.clone(), start };
        Ok(BufReader::with_capacity(HEADER_BYTES, place))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let within = start.checked_add(length as u64).is_some_and(|end| end <= self.length);
        if !within {
            // A damaged file may ask for more memory than there is.
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
        }
        let mut bytes = vec![0; length];
        Place { file: self.clone(), start }.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

/// A place in a file from which one reader goes on.
#[derive(Debug)]
pub(super) struct Place {
    file: SharedFile,
    start: u64,
}

impl Read for Place {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n_read = self.file.read_at(bytes, self.start)?;
        self.start += n_read as u64;
        Ok(n_read)
    }
}
