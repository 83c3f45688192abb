//! Files that are written whole or not at all, and what is checked of paths before a fit begins.
//!
//! In: paths and bytes. Out: files. A file is written beside its place under another name, brought to
//! disk and then renamed, so that whoever reads it sees the old one or the new one.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::file_error;
use crate::error::Result;

/// The name of a file while it is written.
fn partial(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".partial");
    path.with_file_name(name)
}

/// Refuses a place where no file can be written.
pub(crate) fn check_writable(path: &Path) -> Result<()> {
    let refuse = |error: &io::Error| file_error("write", path, error);
    if path.file_name().is_none() || path.is_dir() {
        return Err(refuse(&io::Error::other("it is a folder")));
    }
    let made = partial(path);
    File::create(&made).and_then(|_| fs::remove_file(&made)).map_err(|error| refuse(&error))
}

/// Refuses a folder that is none.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    let found = fs::metadata(path).and_then(|found| {
        if found.is_dir() { Ok(()) } else { Err(io::Error::other("it is not a folder")) }
    });
    found.map_err(|error| file_error("keep codes in", path, &error))
}

/// Writes a file, all of it or nothing.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let made = partial(path);
    let written = write(&made, bytes).and_then(|()| fs::rename(&made, path));
    written.map_err(|error| {
        // What went wrong is told; that there may be nothing to remove is not worth a word.
        let _ = fs::remove_file(&made);
        file_error("write", path, &error)
    })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The content of a file; `None` if there is none.
pub(crate) fn read_if_there(path: &Path) -> Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error("read", path, &error)),
    }
}
