//! What a fit keeps in files while it runs.
//!
//! In: paths of the caller's. Out: files. `cells` keeps codes in one that is mapped into memory,
//! `whole_file` writes checkpoints.

mod cells;
mod mapping;
#[cfg(feature = "train")]
mod whole_file;

pub use cells::Cells;
pub(crate) use cells::Room;
pub(crate) use mapping::Mapping;
#[cfg(feature = "train")]
pub(crate) use whole_file::{check_folder, check_writable, read_if_there, write_whole};

use std::io;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// What a fit keeps in files while it runs.
#[derive(Debug, Clone, Default)]
pub struct Storage {
    /// From where a fit that was ended goes on.
    pub checkpoint: Option<Checkpoint>,
    /// The folder for a file of codes, where these are more than memory holds.
    pub codes_dir: Option<PathBuf>,
}

/// A file from which a fit that was ended goes on.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// The file.
    pub path: PathBuf,
    /// After so many rounds it is written anew.
    pub every: usize,
}

/// The error of a file that the system refuses.
pub(crate) fn file_error(deed: &'static str, path: &Path, error: &io::Error) -> Error {
    let text = error.to_string();
    let reason = text.split(" (os error").next().unwrap_or_default().to_owned();
    Error::File { deed, path: path.display().to_string(), reason }
}
