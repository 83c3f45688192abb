//! Rows as rows of equal weight, numbered by what they hold.
//!
//! In: rows and their codes. Out: how many rows of the lightest weight each row stands for, and
//! numbers for all of these, by which boosters draw. A row of weight 2 and two equal rows have the
//! same numbers, and neither the order of rows and columns nor the names of classes matter. What
//! cannot be told apart is numbered in the order in which it came.

use std::ops::Range;
use std::sync::Arc;

use super::binned::{Binned, Codes};
use super::rows::Rows;
use crate::error::{Error, Result};
use crate::reduce::Reduce;
use crate::sampling::hashed;
use crate::workers::{Workers, row_blocks};

/// Numbers from 0 on for all rows of all shards, of which a place has as many as it stands for.
pub struct UnitNumbers {
    /// By place.
    first: Vec<u32>,
    repeats: Option<Vec<u32>>,
    total: u32,
    /// By number, if rows have weights that are no numbers of rows.
    start_weights: Option<Vec<f64>>,
}

/// What a row is ordered by, and how many numbers it has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    /// What it holds, and the bits of its weight; nothing where it is not known what rows hold.
    content: (u64, u64),
    /// Its number in the whole frame.
    number: u64,
    /// The bits of its weight.
    weight: u64,
    times: u32,
    rank: u32,
}

impl Entry {
    /// As bytes for other shards.
    fn bytes(&self) -> impl Iterator<Item = u8> {
        let content = [self.content.0, self.content.1];
        let other = [self.number, self.weight, u64::from(self.times)];
        let numbers = [content.as_slice(), other.as_slice()].concat();
        numbers.into_iter().flat_map(u64::to_le_bytes)
    }

    /// All that another shard has sent.
    fn read(bytes: &[u8], rank: u32) -> impl Iterator<Item = Self> {
        bytes.as_chunks::<40>().0.iter().map(move |entry| {
            let numbers = entry.as_chunks().0;
            let [key, bits, number, weight, times] =
                [0, 1, 2, 3, 4].map(|at| u64::from_le_bytes(numbers[at]));
            Self { content: (key, bits), number, weight, times: times as u32, rank }
        })
    }
}

impl UnitNumbers {
    /// Numbers all rows that take part. All shards tell each other of each of their rows.
    pub fn new(rows: &Rows, reduce: &dyn Reduce) -> Result<Self> {
        let repeats = rows.repeats();
        let rank = reduce.rank() as u32;
        let numbers = rows.numbers();
        let entry = |place: usize| {
            let row = numbers[place] as usize;
            let weight = rows.given_weight(row).to_bits();
            Entry {
                content: rows.contents().map_or((0, 0), |keys| (keys[place], weight)),
                number: rows.pieces().number(row),
                weight,
                times: repeats.as_ref().map_or(1, |repeats| repeats[place]),
                rank,
            }
        };
        let mut entries: Vec<(Entry, u32)> =
            (0..rows.len()).map(|place| (entry(place), place as u32)).collect();
        entries.sort_unstable();
        let (mut entries, places): (Vec<Entry>, Vec<u32>) = entries.into_iter().unzip();
        let start_weights = rows.is_weighted() && repeats.is_none();
        if reduce.is_split() {
            let own: Vec<u8> = entries.iter().flat_map(Entry::bytes).collect();
            let shards = reduce.gather(&own)?;
            entries = shards.iter().zip(0..).flat_map(|(b, rank)| Entry::read(b, rank)).collect();
            entries.sort_unstable();
        }
        let mut first = vec![0; rows.len()];
        let (mut own, mut total) = (places.into_iter(), 0u64);
        for entry in &entries {
            if entry.rank == rank
                && let Some(place) = own.next()
            {
                first[place as usize] = total as u32;
            }
            total += u64::from(entry.times);
        }
        let total = u32::try_from(total).map_err(|_| Error::Shape {
            what: "X".into(),
            got: format!("{total} rows"),
            expected: "fewer than 2^32 rows for a booster that draws rows".into(),
        })?;
        let total_weight = rows.given_total();
        let start_weight = |entry: &Entry| f64::from_bits(entry.weight) / total_weight;
        let start_weights = start_weights.then(|| entries.iter().map(start_weight).collect());
        Ok(Self { first, repeats, total, start_weights })
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total as usize
    }

    /// The numbers of a place.
    #[inline]
    #[must_use]
    pub fn at(&self, place: usize) -> Range<u32> {
        let first = self.first[place];
        first..first + self.repeats.as_ref().map_or(1, |repeats| repeats[place])
    }

    /// The numbers of each place.
    pub fn by_place(&self) -> impl Iterator<Item = Range<u32>> + '_ {
        (0..self.first.len()).map(|place| self.at(place))
    }

    /// The start weight of each number, unless all have the same.
    #[must_use]
    pub fn start_weights(&self) -> Option<&[f64]> {
        self.start_weights.as_deref()
    }
}

/// A key for each row, by its codes and class: equal for rows that hold the same, and else as good
/// as never.
///
/// Columns and classes are known by the rows that they have, not by their places or names. So a row
/// is first hashed without regard to which code is of which column, then columns are hashed by their
/// codes and these rows, and then rows by columns and codes.
pub fn content_keys(data: &Binned, rows: &Rows, workers: &Workers) -> Result<Arc<[u64]>> {
    let repeats = rows.repeats();
    let times = |place: usize| repeats.as_ref().map_or(1, |repeats| u64::from(repeats[place]));
    let columns: Vec<usize> = (0..data.n_columns()).collect();
    let of_code = |_: usize, code: u16| hashed(0, 0, u64::from(code));
    let mixed = row_sums(data, (rows.len(), workers), of_code)?;
    let mut class_keys = Vec::with_capacity(rows.class_ends().len());
    let mut start = 0;
    for &end in rows.class_ends() {
        class_keys.push((start..end).fold(0u64, |sum, place| {
            sum.wrapping_add(times(place).wrapping_mul(hashed(1, 0, mixed[place])))
        }));
        start = end;
    }
    workers.reduce().sum_if_split(&mut class_keys)?;
    let mut classes = Vec::with_capacity(rows.len());
    for (&end, key) in rows.class_ends().iter().zip(class_keys) {
        classes.resize(end, key);
    }
    let mut column_keys = workers.map(rows.len() * columns.len(), columns, |column| {
        let of_row = |place: usize, code: u16| {
            times(place).wrapping_mul(hashed(classes[place], u64::from(code), mixed[place]))
        };
        let sum = |codes: &mut dyn Iterator<Item = u16>| {
            codes.enumerate().fold(0u64, |sum, (place, code)| sum.wrapping_add(of_row(place, code)))
        };
        Ok(match data.codes(column) {
            Codes::Narrow(codes) => sum(&mut codes.iter().map(|&code| u16::from(code))),
            Codes::Wide(codes) => sum(&mut codes.iter().copied()),
        })
    })?;
    workers.reduce().sum_if_split(&mut column_keys)?;
    let of_code = |column: usize, code: u16| hashed(2, column_keys[column], u64::from(code));
    let keys = row_sums(data, (rows.len(), workers), of_code)?;
    Ok(keys.iter().zip(&classes).map(|(key, class)| hashed(3, *class, *key)).collect())
}

/// The sum of what `of_code` makes of the codes of each row.
fn row_sums(
    data: &Binned,
    (n_rows, workers): (usize, &Workers),
    of_code: impl Fn(usize, u16) -> u64 + Sync,
) -> Result<Vec<u64>> {
    let sums = workers.map(n_rows * data.n_columns(), row_blocks(n_rows), |rows| {
        let mut sums = vec![0u64; rows.len()];
        for column in 0..data.n_columns() {
            match data.codes(column) {
                Codes::Narrow(codes) => {
                    let table: Vec<u64> =
                        (0..=u16::from(u8::MAX)).map(|code| of_code(column, code)).collect();
                    for (sum, &code) in sums.iter_mut().zip(&codes[rows.clone()]) {
                        *sum = sum.wrapping_add(table[usize::from(code)]);
                    }
                }
                Codes::Wide(codes) => {
                    for (sum, &code) in sums.iter_mut().zip(&codes[rows.clone()]) {
                        *sum = sum.wrapping_add(of_code(column, code));
                    }
                }
            }
        }
        Ok(sums)
    })?;
    Ok(sums.concat())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::reduce::Alone;

    fn rows(classes: &[u32], weights: Option<&[f64]>) -> Rows {
        Rows::select(classes, 2, weights, |_| true).unwrap()
    }

    #[test]
    fn weights_are_numbers_of_rows_if_all_are_whole_multiples_of_the_lightest() {
        let repeats = |weights: &[f64]| rows(&[0, 1, 0, 1], Some(weights)).repeats();
        // By place: class 0 first.
        assert_eq!(repeats(&[1.0, 3.0, 2.0, 0.0]), Some(vec![1, 2, 3]));
        assert_eq!(repeats(&[0.7, 2.1, 1.4, 0.7]), Some(vec![1, 2, 3, 1]));
        assert_eq!(repeats(&[0.3, 0.3, 0.3, 0.3]), None);
        assert_eq!(repeats(&[1.0, 2.5, 2.0, 1.0]), None);
        assert_eq!(repeats(&[1.0, 300.0, 1.0, 1.0]), None);
        // Beside the largest, the smallest number above zero is none.
        assert_eq!(repeats(&[5e-324, 2.5, 0.1, 5e-324]), None);
        assert_eq!(repeats(&[5e-324, 1e300, 5e-324, 5e-324]), None);
        assert_eq!(rows(&[0, 1], None).repeats(), None);
    }

    #[test]
    fn a_row_of_weight_two_has_the_numbers_of_two_equal_rows() {
        let numbered = |classes: &[u32], weights: Option<&[f64]>, contents: &[u64]| {
            let rows = rows(classes, weights).with_contents(Arc::from(contents));
            let numbers = UnitNumbers::new(&rows, &Alone).unwrap();
            numbers.by_place().collect::<Vec<_>>()
        };
        let weighted = numbered(&[0, 0, 1], Some(&[2.0, 1.0, 3.0]), &[50, 7, 20]);
        assert_eq!(weighted, [4..6, 0..1, 1..4]);
        let repeated = numbered(&[1, 0, 1, 0, 0, 1], None, &[50, 50, 7, 20, 20, 20]);
        assert_eq!(repeated, [4..5, 5..6, 0..1, 1..2, 2..3, 3..4]);
    }

    #[test]
    fn rows_of_which_nothing_is_known_are_numbered_as_they_came() {
        let numbers = UnitNumbers::new(&rows(&[1, 0, 1], None), &Alone).unwrap();
        assert_eq!(numbers.by_place().collect::<Vec<_>>(), [1..2, 0..1, 2..3]);
    }
}
