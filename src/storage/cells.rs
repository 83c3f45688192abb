//! Many small numbers, in memory or in a file that is mapped into it.
//!
//! In: a folder, or none. Out: slices of numbers. A file has no name once it is open, so that nothing
//! of it is left whatever ends the process; its whole size is taken from the disk at once.

use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::Arc;

use super::Mapping;
use crate::error::Result;

/// Numbers side by side.
pub struct Cells<T> {
    first: NonNull<T>,
    len: usize,
    /// What they are in, if that is a file.
    mapping: Option<Arc<Mapping>>,
}

// SAFETY: they are owned, or in a mapping that nobody else writes to.
unsafe impl<T: Send + Sync> Send for Cells<T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Cells<T> {}

impl<T> Cells<T> {
    /// All of them, to be filled while nobody else has them.
    pub(crate) fn fill(&mut self) -> &mut [T] {
        // SAFETY: `first` and `len` are those of a slice that lives as long as `self`; of a mapping,
        // each `Cells` has a part of its own, which is not cloned before it is filled.
        unsafe { std::slice::from_raw_parts_mut(self.first.as_ptr(), self.len) }
    }
}

impl<T> Deref for Cells<T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: `first` and `len` are those of a slice that lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> From<Vec<T>> for Cells<T> {
    fn from(numbers: Vec<T>) -> Self {
        let len = numbers.len();
        let first = NonNull::from(Box::leak(numbers.into_boxed_slice())).cast();
        Self { first, len, mapping: None }
    }
}

impl<T> Drop for Cells<T> {
    fn drop(&mut self) {
        if self.mapping.is_none() {
            let slice = std::ptr::slice_from_raw_parts_mut(self.first.as_ptr(), self.len);
            // SAFETY: it came of a box that was leaked for this.
            drop(unsafe { Box::from_raw(slice) });
        }
    }
}

impl<T: Clone> Clone for Cells<T> {
    /// Numbers in a file are shared.
    fn clone(&self) -> Self {
        match &self.mapping {
            Some(mapping) => {
                Self { first: self.first, len: self.len, mapping: Some(mapping.clone()) }
            }
            None => self.to_vec().into(),
        }
    }
}

impl<T: PartialEq> PartialEq for Cells<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: fmt::Debug> fmt::Debug for Cells<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(formatter)
    }
}

/// Where the parts of a mapping begin: far enough apart for numbers of any kind.
const ALIGNED: usize = 64;

/// Room for several columns, all of them 0, in one file.
#[derive(Debug)]
pub(crate) struct Room {
    mapping: Option<Arc<Mapping>>,
    used: usize,
}

impl Room {
    /// Room for columns of so many bytes each, in a file in a folder; in memory without one.
    pub fn new(folder: Option<&Path>, sizes: impl Iterator<Item = usize>) -> Result<Self> {
        let mapping = match folder {
            Some(folder) => {
                let size = sizes.map(|size| size.next_multiple_of(ALIGNED)).sum();
                Some(Arc::new(Mapping::new(folder, size)?))
            }
            None => None,
        };
        Ok(Self { mapping, used: 0 })
    }

    /// The next column, of so many numbers, that are bytes or have two.
    pub fn take<T: Copy + Default>(&mut self, len: usize) -> Cells<T> {
        let size = (len * size_of::<T>()).next_multiple_of(ALIGNED);
        let start = self.used;
        match &self.mapping {
            Some(mapping) if start + size <= mapping.len() => {
                self.used += size;
                // SAFETY: it is inside of the mapping.
                let first = unsafe { mapping.first().add(start) }.cast();
                Cells { first, len, mapping: Some(mapping.clone()) }
            }
            // Sizes that were announced fit.
            _ => vec![T::default(); len].into(),
        }
    }
}
