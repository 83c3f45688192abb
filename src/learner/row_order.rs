//! The places of a demand, ordered so that those of every node of a tree stand together.
//!
//! In: a stretch of places and a set of codes. Out: the same stretch with the places inside first,
//! then those outside, both ascending, so that each channel stays one run. The buffers live as long
//! as the learner does.

use std::ops::Range;

use crate::data::{Binned, Codes};
use crate::demand::Demand;
use crate::error::Result;
use crate::hypothesis::CodeSet;
use crate::workers::{BLOCK_ROWS, Workers, split_along};

/// What fetching something of a scattered row costs, in elementary steps.
pub(super) const FETCH_STEPS: usize = 4;

/// An order of the places.
#[derive(Debug, Default)]
pub(super) struct RowOrder {
    places: Vec<u32>,
    scratch: Vec<u32>,
}

impl RowOrder {
    /// Back to ascending order.
    pub fn reset(&mut self, n_places: usize, workers: &Workers) -> Result<()> {
        self.places.resize(n_places, 0);
        self.scratch.resize(n_places, 0);
        let blocks = self.places.chunks_mut(BLOCK_ROWS).enumerate().collect();
        workers.map(n_places, blocks, |(block, places)| {
            for (place, number) in places.iter_mut().zip(block * BLOCK_ROWS..) {
                *place = number as u32;
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The places of a stretch.
    pub fn places(&self, stretch: Range<usize>) -> &[u32] {
        &self.places[stretch]
    }

    /// How many input rows a stretch holds.
    pub fn count(&self, stretch: Range<usize>, demand: &Demand) -> u64 {
        match demand.copies {
            Some(copies) => {
                self.places[stretch].iter().map(|&place| u64::from(copies[place as usize])).sum()
            }
            None => stretch.len() as u64,
        }
    }

    /// Brings the places whose codes in `column` are in `set` to the front of a stretch; returns
    /// where the others begin.
    pub fn split(
        &mut self,
        stretch: Range<usize>,
        (data, demand): (&Binned, &Demand),
        column: usize,
        set: &CodeSet,
        workers: &Workers,
    ) -> Result<usize> {
        // A table over all codes, so that no row waits for a branch.
        let inside: Vec<u8> =
            (0..data.n_codes(column)).map(|code| u8::from(set.has(code as u16))).collect();
        let start = stretch.start;
        let n_inside = match data.codes(column) {
            Codes::Narrow(codes) => {
                let mut table = [0; 256];
                table[..inside.len()].copy_from_slice(&inside);
                let inside = |row: u32| table[usize::from(codes[row as usize])];
                self.split_rows(stretch, demand.rows, inside, workers)
            }
            Codes::Wide(codes) => {
                let inside = |row: u32| inside[usize::from(codes[row as usize])];
                self.split_rows(stretch, demand.rows, inside, workers)
            }
        }?;
        Ok(start + n_inside)
    }

    fn split_rows(
        &mut self,
        stretch: Range<usize>,
        rows: Option<&[u32]>,
        inside: impl Fn(u32) -> u8 + Sync,
        workers: &Workers,
    ) -> Result<usize> {
        match rows {
            None => self.split_by(stretch, inside, workers),
            Some(rows) => self.split_by(stretch, |place| inside(rows[place as usize]), workers),
        }
    }

    fn split_by(
        &mut self,
        stretch: Range<usize>,
        inside: impl Fn(u32) -> u8 + Sync,
        workers: &Workers,
    ) -> Result<usize> {
        let n_rows = stretch.len();
        let rows = &mut self.places[stretch];
        let scratch = &mut self.scratch[..n_rows];
        let blocks = rows.chunks(BLOCK_ROWS).zip(scratch.chunks_mut(BLOCK_ROWS)).collect();
        let steps = n_rows * FETCH_STEPS;
        let counts = workers.map(steps, blocks, |(rows, to)| Ok(split_block(rows, to, &inside)))?;
        let blocks = || self.scratch[..n_rows].chunks(BLOCK_ROWS).zip(&counts);
        let firsts = blocks().map(|(block, &n_inside)| &block[..n_inside]);
        let lasts = blocks().map(|(block, &n_inside)| &block[n_inside..]);
        let lengths = firsts.clone().chain(lasts.clone()).map(<[u32]>::len);
        let pieces = split_along(rows, lengths);
        let n_blocks = counts.len();
        let moves = firsts.chain(lasts).zip(pieces).enumerate().collect();
        workers.map(steps, moves, |(at, (from, to))| {
            if at < n_blocks {
                to.copy_from_slice(from);
            } else {
                // Those outside were written from the end.
                for (to, from) in to.iter_mut().zip(from.iter().rev()) {
                    *to = *from;
                }
            }
            Ok(())
        })?;
        Ok(counts.iter().sum())
    }
}

/// Writes the rows inside from the front and the others from the end; returns how many are inside.
fn split_block(rows: &[u32], to: &mut [u32], inside: impl Fn(u32) -> u8) -> usize {
    let (mut n_inside, mut n_outside) = (0, 0);
    let last = to.len().wrapping_sub(1);
    for &row in rows {
        let is_inside = usize::from(inside(row));
        // Both places are written and only one end moves: no branch to mispredict.
        to[n_inside] = row;
        to[last - n_outside] = row;
        n_inside += is_inside;
        n_outside += 1 - is_inside;
    }
    n_inside
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_split_keeps_the_order_on_both_sides_on_any_number_of_threads() {
        let n_rows = 2 * BLOCK_ROWS + 77;
        for threads in [1, 3] {
            let workers = Workers::new(Some(threads)).unwrap();
            let mut order = RowOrder::default();
            order.reset(n_rows, &workers).unwrap();
            let inside = |row: u32| u8::from(row % 7 < 3);
            let middle = order.split_by(0..n_rows, inside, &workers).unwrap();
            let (within, without) = (order.places(0..middle), order.places(middle..n_rows));
            assert!(within.is_sorted() && within.iter().all(|&row| row % 7 < 3));
            assert!(without.is_sorted() && without.iter().all(|&row| row % 7 >= 3));
            assert_eq!(within.len() + without.len(), n_rows);
            let again = order.split_by(middle..n_rows, |row| u8::from(row % 7 == 5), &workers);
            let end = middle + again.unwrap();
            assert!(order.places(middle..end).iter().all(|&row| row % 7 == 5));
            assert!(order.places(end..n_rows).is_sorted());
        }
    }

    #[test]
    fn nothing_is_split_into_nothing() {
        let workers = Workers::new(Some(1)).unwrap();
        let mut order = RowOrder::default();
        order.reset(3, &workers).unwrap();
        assert_eq!(order.split_by(1..1, |_| 1, &workers).unwrap(), 0);
        assert_eq!(order.split_by(0..3, |_| 0, &workers).unwrap(), 0);
        assert_eq!(order.places(0..3), [0, 1, 2]);
    }
}
