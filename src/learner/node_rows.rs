//! The training rows that reached a node of a tree, or on which a rule fires.
//!
//! In: rows and a set of codes. Out: the rows inside and those outside, in ascending order, so that
//! each channel stays one run. The root holds all rows and needs no list.

use crate::data::{Binned, Codes};
use crate::error::Result;
use crate::hypothesis::CodeSet;
use crate::workers::{Workers, row_blocks};

use super::Demand;

/// Some rows, ascending.
#[derive(Debug, Clone)]
pub(super) enum NodeRows {
    /// All rows there are.
    All(usize),
    /// These rows.
    Some(Vec<u32>),
}

impl NodeRows {
    /// The number of rows.
    pub fn len(&self) -> usize {
        match self {
            Self::All(n_rows) => *n_rows,
            Self::Some(rows) => rows.len(),
        }
    }

    /// How many input rows these are.
    pub fn count(&self, demand: &Demand) -> u64 {
        match self {
            Self::All(n_rows) => demand.count(0..*n_rows as u32),
            Self::Some(rows) => demand.count(rows.iter().copied()),
        }
    }

    /// The rows whose codes in `column` are in `set`, and the others.
    pub fn split(
        &self,
        data: &Binned,
        column: usize,
        set: &CodeSet,
        workers: &Workers,
    ) -> Result<(Self, Self)> {
        // A table over all codes, so that no row waits for a branch.
        let inside: Vec<u8> =
            (0..data.n_codes(column)).map(|code| u8::from(set.has(code as u16))).collect();
        let parts = match data.codes(column) {
            Codes::Narrow(codes) => {
                let mut table = [0; 256];
                table[..inside.len()].copy_from_slice(&inside);
                self.split_by(|row| table[usize::from(codes[row as usize])], workers)
            }
            Codes::Wide(codes) => {
                self.split_by(|row| inside[usize::from(codes[row as usize])], workers)
            }
        }?;
        let (within, without): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Ok((Self::Some(within.concat()), Self::Some(without.concat())))
    }

    /// Blocks of rows inside and outside.
    fn split_by(
        &self,
        inside: impl Fn(u32) -> u8 + Sync,
        workers: &Workers,
    ) -> Result<Vec<(Vec<u32>, Vec<u32>)>> {
        workers.map(self.len(), row_blocks(self.len()), |block| {
            Ok(match self {
                Self::All(_) => split_block(block.start as u32..block.end as u32, &inside),
                Self::Some(rows) => split_block(rows[block].iter().copied(), &inside),
            })
        })
    }
}

fn split_block(
    rows: impl ExactSizeIterator<Item = u32>,
    inside: impl Fn(u32) -> u8,
) -> (Vec<u32>, Vec<u32>) {
    let mut within = vec![0; rows.len()];
    let mut without = vec![0; rows.len()];
    let (mut n_within, mut n_without) = (0, 0);
    for row in rows {
        let is_inside = usize::from(inside(row));
        // Both are written, and only one end moves: no branch to mispredict.
        within[n_within] = row;
        without[n_without] = row;
        n_within += is_inside;
        n_without += 1 - is_inside;
    }
    within.truncate(n_within);
    without.truncate(n_without);
    (within, without)
}
