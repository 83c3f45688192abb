//! A file without a name that is mapped into memory.
//!
//! In: a folder and a size. Out: that many bytes of zero, which the system may keep on disk. All of
//! the size is taken from the disk at once where systems can do that, so that a full disk is an error
//! here and not the end of the process later.

use std::path::Path;
use std::ptr::NonNull;

#[cfg(not(unix))]
use crate::error::Error;
use crate::error::Result;

/// Bytes of a file.
#[derive(Debug)]
pub(crate) struct Mapping {
    first: NonNull<u8>,
    len: usize,
}

// SAFETY: it is memory like any other, which `Cells` hand out.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    pub fn first(&self) -> NonNull<u8> {
        self.first
    }

    pub fn len(&self) -> usize {
        self.len
    }
}

#[cfg(unix)]
mod system {
    use std::fs::{File, OpenOptions, remove_file};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::{Mapping, NonNull, Path, Result};
    use crate::storage::file_error;

    static NUMBER: AtomicU64 = AtomicU64::new(0);

    impl Mapping {
        /// So many bytes in a folder.
        pub fn new(folder: &Path, size: usize) -> Result<Self> {
            map(folder, size.max(1)).map_err(|error| file_error("keep codes in", folder, &error))
        }
    }

    fn map(folder: &Path, len: usize) -> io::Result<Mapping> {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!(".weakforce-codes-{}-{number}", std::process::id()));
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path)?;
        // The file stays as long as it is open or mapped, and no longer.
        remove_file(&path)?;
        allocate(&file, len)?;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let null = std::ptr::null_mut();
        // SAFETY: a new mapping of a file that is open and has this length.
        let first = unsafe { libc::mmap(null, len, access, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        match NonNull::new(first.cast()) {
            Some(first) if first.as_ptr() != libc::MAP_FAILED.cast() => Ok(Mapping { first, len }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Takes the whole size from the disk.
    #[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
    fn allocate(file: &File, len: usize) -> io::Result<()> {
        let size = libc::off_t::try_from(len).map_err(io::Error::other)?;
        loop {
            // SAFETY: the file is open.
            match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, size) } {
                0 => return Ok(()),
                libc::EINTR => {}
                // A file system that cannot promise room.
                libc::EOPNOTSUPP | libc::EINVAL => return file.set_len(len as u64),
                error => return Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    #[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
    fn allocate(file: &File, len: usize) -> io::Result<()> {
        file.set_len(len as u64)
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: it is what was mapped, and nobody has it any more.
            unsafe { libc::munmap(self.first.as_ptr().cast(), self.len) };
        }
    }
}

#[cfg(not(unix))]
impl Mapping {
    /// No file can be mapped here.
    pub fn new(folder: &Path, _: usize) -> Result<Self> {
        let got = format!("'{}'", folder.display());
        Err(Error::parameter("codes_dir", got, "None on this system"))
    }
}
