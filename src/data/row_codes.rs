//! The codes once more, row by row: four byte-wide columns in one word.
//!
//! In: codes by column. Out: a word per row and group of columns, so that rows scattered over a big
//! frame cost one read for four codes. Only learners that look at parts of the rows keep them.

use std::ops::Range;

use super::binned::{Binned, Codes};
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// Byte-wide columns that are read together.
pub const GROUP: usize = 4;

/// Neighbouring columns that are read together: up to four byte-wide ones, or a single wide one.
#[must_use]
pub fn column_groups(data: &Binned) -> Vec<Range<usize>> {
    let is_narrow = |column: usize| matches!(data.codes(column), Codes::Narrow(_));
    let mut groups: Vec<Range<usize>> = Vec::new();
    for column in 0..data.n_columns() {
        match groups.last_mut() {
            Some(group) if group.len() < GROUP && is_narrow(group.start) && is_narrow(column) => {
                group.end += 1;
            }
            _ => groups.push(column..column + 1),
        }
    }
    groups
}

/// Words by group of columns; groups of a single wide column have none.
#[derive(Debug, Clone)]
pub struct RowCodes {
    words: Vec<Vec<u32>>,
}

impl RowCodes {
    /// Packs the codes.
    pub(super) fn new(data: &Binned, workers: &Workers) -> Result<Self> {
        let steps = data.n_rows() * data.n_columns();
        let words = workers.map(steps, column_groups(data), |columns| {
            let codes: Vec<&[u8]> = columns
                .filter_map(|column| match data.codes(column) {
                    Codes::Narrow(codes) => Some(codes.as_slice()),
                    Codes::Wide(_) => None,
                })
                .collect();
            if codes.is_empty() {
                return Ok(Vec::new());
            }
            let mut words = vec![0u32; data.n_rows()];
            for (block, words) in words.chunks_mut(BLOCK_ROWS).enumerate() {
                workers.check()?;
                for (place, codes) in codes.iter().enumerate() {
                    let codes = &codes[block * BLOCK_ROWS..][..words.len()];
                    for (word, &code) in words.iter_mut().zip(codes) {
                        *word |= u32::from(code) << (8 * place);
                    }
                }
            }
            Ok(words)
        })?;
        Ok(Self { words })
    }

    /// The words of a group.
    #[must_use]
    pub fn words(&self, group: usize) -> &[u32] {
        &self.words[group]
    }
}
