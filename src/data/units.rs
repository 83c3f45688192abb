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
use crate::error::Result;
use crate::sampling::hashed;
use crate::workers::{Workers, row_blocks};

impl Rows {
    /// All places in the order of what they hold, as far as that is known, then as they came.
    fn places_by_content(&self) -> Vec<u32> {
        let numbers = self.numbers();
        let mut places: Vec<u32> = (0..self.len() as u32).collect();
        match self.contents() {
            None => places.sort_unstable_by_key(|&place| numbers[place as usize]),
            Some(keys) => places.sort_unstable_by_key(|&place| {
                let number = numbers[place as usize];
                let weight = self.given_weight(number as usize);
                (keys[place as usize], weight.to_bits(), number)
            }),
        }
        places
    }
}

/// Numbers from 0 on for all rows, of which a place has as many as it stands for.
pub struct UnitNumbers {
    /// By place.
    first: Vec<u32>,
    repeats: Option<Vec<u32>>,
    total: u32,
}

impl UnitNumbers {
    /// Numbers all rows that take part.
    #[must_use]
    pub fn new(rows: &Rows) -> Self {
        let repeats = rows.repeats();
        let (mut first, mut total) = (vec![0; rows.len()], 0u32);
        for place in rows.places_by_content() {
            first[place as usize] = total;
            total += repeats.as_ref().map_or(1, |repeats| repeats[place as usize]);
        }
        Self { first, repeats, total }
    }

    /// How many there are.
    #[must_use]
    pub fn total(&self) -> usize {
        self.total as usize
    }

    /// Whether places have as many numbers as their weights say, so that all numbers weigh the same.
    #[must_use]
    pub fn are_even(&self) -> bool {
        self.repeats.is_some()
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

    /// The place of each number.
    #[must_use]
    pub fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.total()];
        for (place, numbers) in self.by_place().enumerate() {
            places[numbers.start as usize..numbers.end as usize].fill(place as u32);
        }
        places
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
    let mut classes = Vec::with_capacity(rows.len());
    let mut start = 0;
    for &end in rows.class_ends() {
        let key = (start..end).fold(0u64, |sum, place| {
            sum.wrapping_add(times(place).wrapping_mul(hashed(1, 0, mixed[place])))
        });
        classes.resize(end, key);
        start = end;
    }
    let column_keys = workers.map(rows.len() * columns.len(), columns, |column| {
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
            let numbers = UnitNumbers::new(&rows);
            (numbers.by_place().collect::<Vec<_>>(), numbers.places())
        };
        let weighted = numbered(&[0, 0, 1], Some(&[2.0, 1.0, 3.0]), &[50, 7, 20]);
        assert_eq!(weighted, (vec![4..6, 0..1, 1..4], vec![1, 2, 2, 2, 0, 0]));
        let repeated = numbered(&[1, 0, 1, 0, 0, 1], None, &[50, 50, 7, 20, 20, 20]);
        assert_eq!(repeated.0, [4..5, 5..6, 0..1, 1..2, 2..3, 3..4]);
    }

    #[test]
    fn rows_of_which_nothing_is_known_are_numbered_as_they_came() {
        let numbers = UnitNumbers::new(&rows(&[1, 0, 1], None));
        assert_eq!(numbers.by_place().collect::<Vec<_>>(), [1..2, 0..1, 2..3]);
    }
}
