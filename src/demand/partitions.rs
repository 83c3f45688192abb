//! Which partitions of the rows are no candidates any more, and which chance the others have.

use std::collections::BTreeSet;

use super::number;
use crate::sampling::hashed;

/// Partitions of the rows in two that are no candidates any more, and by which chance ties between
/// the others are broken. A partition is known by the sum of the random keys of the rows on one of
/// its sides, so that it does not matter which test makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitions {
    taken: BTreeSet<u64>,
    seed: u64,
    /// The fixed-point weight of a row, if candidates are judged by description length.
    row: Option<u64>,
}

impl Partitions {
    /// None are taken.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { taken: BTreeSet::new(), seed, row: None }
    }

    /// Candidates are judged by description length, in rows of this fixed-point weight.
    #[must_use]
    pub fn by_length(self, row: u64) -> Self {
        Self { row: Some(row), ..self }
    }

    /// The weight of a row, if candidates are judged by description length.
    #[must_use]
    pub fn row(&self) -> Option<f64> {
        self.row.map(number)
    }

    /// The key of a row, by its number in the whole frame.
    #[must_use]
    pub fn key(row: u64) -> u64 {
        hashed(0, 0, row)
    }

    /// Takes the partition with these keys on one side, of all there are.
    pub fn take(&mut self, side: u64, all: u64) {
        self.taken.insert(Self::known_by(side, all));
    }

    /// Whether it is taken, be it with the sides exchanged.
    #[must_use]
    pub fn is_taken(&self, side: u64, all: u64) -> bool {
        self.taken.contains(&Self::known_by(side, all))
    }

    /// A number from 0 to 1 for every test on a column, which stands for its luck in this round. It
    /// depends on no row, so neither the order of rows nor their weights change it.
    #[must_use]
    pub fn luck(&self, column: usize, test: u64) -> f64 {
        let round = hashed(self.seed, self.taken.len() as u64, 0);
        (hashed(round, column as u64, test) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn known_by(side: u64, all: u64) -> u64 {
        side.min(all.wrapping_sub(side))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_taken_whichever_side_is_asked_for() {
        let keys: Vec<u64> = (0..9).map(Partitions::key).collect();
        let sum = |rows: &[usize]| rows.iter().fold(0u64, |sum, &row| sum.wrapping_add(keys[row]));
        let all = sum(&[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let mut partitions = Partitions::new(1);
        partitions.take(sum(&[1, 4, 7]), all);
        assert!(partitions.is_taken(sum(&[1, 4, 7]), all));
        assert!(partitions.is_taken(sum(&[0, 2, 3, 5, 6, 8]), all));
        assert!(!partitions.is_taken(sum(&[1, 4]), all));
        assert!(!partitions.is_taken(sum(&[1, 4, 8]), all));
    }

    #[test]
    fn luck_differs_by_test_round_and_seed() {
        let mut partitions = Partitions::new(1);
        let first = partitions.luck(3, 5);
        assert!((0.0..1.0).contains(&first));
        assert_ne!(first, partitions.luck(3, 6));
        assert_ne!(first, partitions.luck(4, 5));
        assert_ne!(first, Partitions::new(2).luck(3, 5));
        partitions.take(7, 9);
        assert_ne!(first, partitions.luck(3, 5));
    }

    #[test]
    fn luck_is_spread_evenly() {
        let partitions = Partitions::new(0);
        let low = (0..4000).filter(|&test| partitions.luck(1, test) < 0.25).count();
        assert!((850..1150).contains(&low), "{low}");
    }
}
