//! Memory for long columns that several threads fill, piece by piece.
//!
//! In: a length. Out: memory that has not been touched yet, on big pages where the system offers them,
//! and slices of it. Most of the time that it takes to write a column goes into pages that are touched
//! for the first time, so they are touched once, by the thread that writes them.

use std::mem::MaybeUninit;

/// A column that is being written.
#[derive(Debug, Default)]
pub(super) struct ColumnBuffer {
    numbers: Vec<f64>,
    length: usize,
}

/// A part of a column that has not been written yet.
pub(super) type Piece<'a> = &'a mut [MaybeUninit<f64>];

impl ColumnBuffer {
    /// Memory for so many numbers.
    pub fn new(length: usize) -> Self {
        let mut numbers = Vec::with_capacity(length);
        ask_for_big_pages(&mut numbers);
        Self { numbers, length }
    }

    /// The pieces of so many numbers each, of which the last may be shorter.
    pub fn pieces(&mut self, length: usize) -> impl Iterator<Item = Piece<'_>> {
        self.numbers.spare_capacity_mut()[..self.length].chunks_mut(length)
    }

    /// The numbers, once all pieces are written.
    ///
    /// # Safety
    ///
    /// Every number of every piece must have been written, as [`filled`] does.
    pub unsafe fn finish(mut self) -> Vec<f64> {
        // SAFETY: the capacity is that of `new`, and the caller has written all of it.
        unsafe { self.numbers.set_len(self.length) };
        self.numbers
    }
}

/// Writes a number into every place of a piece and returns it as numbers.
pub(super) fn filled(piece: &mut [MaybeUninit<f64>], number: impl Fn(usize) -> f64) -> &mut [f64] {
    for (at, to) in piece.iter_mut().enumerate() {
        to.write(number(at));
    }
    // SAFETY: all of it has just been written, and both types have the same layout.
    unsafe { std::slice::from_raw_parts_mut(piece.as_mut_ptr().cast(), piece.len()) }
}

/// Columns below this many bytes are not worth a call.
#[cfg(target_os = "linux")]
const BIG: usize = 1 << 22;

/// Asks for big pages, which make the first touch of much memory cheap. The answer does not matter.
#[cfg(target_os = "linux")]
fn ask_for_big_pages(numbers: &mut Vec<f64>) {
    let bytes = numbers.capacity() * size_of::<f64>();
    if bytes < BIG {
        return;
    }
    let page = 1 << 12;
    let start = numbers.as_mut_ptr() as usize;
    let first = start.next_multiple_of(page);
    // SAFETY: the range lies within the vector's own memory, and advice changes no content.
    unsafe {
        libc::madvise(
            numbers.as_mut_ptr().byte_add(first - start).cast(),
            (start + bytes - first) & !(page - 1),
            libc::MADV_HUGEPAGE,
        );
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_big_pages(_: &mut Vec<f64>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_piece_by_piece_is_read_as_one_column() {
        for length in [0, 1, 10, 1_000_003] {
            let mut room = ColumnBuffer::new(length);
            for (at, piece) in room.pieces(7).enumerate() {
                for (place, number) in filled(piece, |_| 0.0).iter_mut().enumerate() {
                    assert_eq!(*number, 0.0);
                    *number = (at * 7 + place) as f64;
                }
            }
            // SAFETY: the loop above has written all pieces.
            let numbers = unsafe { room.finish() };
            assert_eq!(numbers.len(), length);
            assert!(numbers.iter().enumerate().all(|(at, number)| *number == at as f64));
        }
    }
}
