//! What tells rows from other rows: a number for the values of each column, for the labels, weights
//! and whatever else there is by row.
//!
//! In: rows before any of them share a place, and what a learner reads of them. Out: sums of hashed
//! cells, each with the number of its row in the whole frame, so that it does not matter which shard
//! holds which rows.

use serde::{Deserialize, Serialize};

use super::binned::Codes;
use super::rows::Rows;
use super::view::View;
use crate::error::Result;
use crate::sampling::mixed;
use crate::workers::Workers;

/// What tells rows from others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// How many rows take part.
    pub n_rows: u64,
    /// Of the labels.
    pub labels: u64,
    /// Of the weights.
    pub weights: u64,
    /// Of numbers by row, in the order in which they were given; 0 if there are none.
    pub extras: Vec<u64>,
    /// Of the values of each column, as a learner reads them.
    pub columns: Vec<u64>,
}

/// Some numbers for each input row.
pub type ByRow<'a> = Option<&'a [f64]>;

/// A number for a cell, of the key of its row.
fn cell(key: u64, value: u64) -> u64 {
    mixed(key ^ value.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

fn sum(cells: impl Iterator<Item = u64>) -> u64 {
    cells.fold(0, u64::wrapping_add)
}

impl Fingerprint {
    /// Of rows that have a place of their own each.
    pub fn new(rows: &Rows, view: &View, extras: &[ByRow], workers: &Workers) -> Result<Self> {
        let numbers = rows.numbers();
        let keys: Vec<u64> = rows.whole_numbers().into_iter().map(|n| mixed(!n)).collect();
        let class = |place: usize| rows.class_ends().partition_point(|&end| end <= place) as u64;
        let weights = rows.all_start_weights();
        let mut sums = vec![
            keys.len() as u64,
            sum(keys.iter().enumerate().map(|(place, &key)| cell(key, class(place)))),
            sum(keys.iter().zip(&weights).map(|(&key, weight)| cell(key, weight.to_bits()))),
        ];
        for by_row in extras {
            let Some(by_row) = by_row else {
                sums.push(0);
                continue;
            };
            let width = by_row.len() / rows.places().len().max(1);
            let of_row = |(&key, &number): (&u64, &u32)| {
                let given = &by_row[number as usize * width..][..width];
                given.iter().fold(key, |key, number| cell(key, number.to_bits()))
            };
            sums.push(sum(keys.iter().zip(&numbers).map(of_row)));
        }
        let n_before = sums.len();
        sums.extend(columns(view, &keys, workers)?);
        workers.reduce().sum_if_split(&mut sums)?;
        let columns = sums.split_off(n_before);
        let extras = sums.split_off(3);
        Ok(Self { n_rows: sums[0], labels: sums[1], weights: sums[2], extras, columns })
    }
}

/// A number for each column of the rows of the shard.
fn columns(view: &View, keys: &[u64], workers: &Workers) -> Result<Vec<u64>> {
    match view {
        View::Codes(data) => {
            let columns = (0..data.n_columns()).collect();
            workers.map(keys.len() * data.n_columns(), columns, |column| {
                Ok(match data.codes(column) {
                    Codes::Narrow(codes) => sum(keys
                        .iter()
                        .zip(codes.iter())
                        .map(|(&key, &code)| cell(key, code.into()))),
                    Codes::Wide(codes) => sum(keys
                        .iter()
                        .zip(codes.iter())
                        .map(|(&key, &code)| cell(key, code.into()))),
                })
            })
        }
        View::Numbers(numbers) => {
            let mut sums = vec![0u64; numbers.n_columns()];
            for (place, &key) in keys.iter().enumerate() {
                for (sum, number) in sums.iter_mut().zip(numbers.row(place)) {
                    *sum = sum.wrapping_add(cell(key, number.to_bits()));
                }
            }
            Ok(sums)
        }
        // The caller's own rows are not looked into.
        View::Frame(_) => Ok(Vec::new()),
    }
}
