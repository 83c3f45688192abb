//! What it costs to answer a row with each class: by its own class, or row by row.
//!
//! In: prices in the user's units. Out: costs divided by the largest difference that an answer can
//! make, so that they lie in an interval of length 1 whatever the units, and the expected cost under
//! soft-max probabilities.

use crate::data::{ABSENT, Rows};
use crate::error::{Error, Result};

/// The costs of all answers to the rows of a set.
#[derive(Debug, Clone, PartialEq)]
pub struct Costs {
    n_classes: usize,
    /// For every class or row the costs of all answers.
    entries: Vec<f64>,
    by_row: bool,
    /// What a cost of 1 is worth in the user's units; 0 if all answers cost the same.
    unit: f64,
}

impl Costs {
    /// Costs that depend on the class of a row: a matrix of class by answer.
    pub fn by_class(matrix: &[Vec<f64>], n_classes: usize) -> Result<Self> {
        let is_short = |row: &Vec<f64>| row.len() != n_classes;
        if matrix.len() != n_classes || matrix.iter().any(is_short) {
            return Err(Error::Shape {
                what: "cost".into(),
                got: format!("a matrix of {} rows", matrix.len()),
                expected: format!("{n_classes} rows of {n_classes} costs, one for each class"),
            });
        }
        Self::new(matrix.concat(), n_classes, false)
    }

    /// Costs of their own for every row: `given` holds all answers of the first input row, then of
    /// the second, and so on.
    pub fn by_row(given: &[f64], n_classes: usize, rows: &Rows) -> Result<Self> {
        let n_given = rows.places().len();
        if given.len() != n_given * n_classes {
            return Err(Error::Shape {
                what: "cost".into(),
                got: format!("{} costs", given.len()),
                expected: format!("{n_classes} for each of {n_given} rows"),
            });
        }
        let mut entries = vec![0.0; rows.len() * n_classes];
        for (&place, costs) in rows.places().iter().zip(given.chunks_exact(n_classes)) {
            if place != ABSENT {
                entries[place as usize * n_classes..][..n_classes].copy_from_slice(costs);
            }
        }
        Self::new(entries, n_classes, true)
    }

    fn new(mut entries: Vec<f64>, n_classes: usize, by_row: bool) -> Result<Self> {
        if let Some(bad) = entries.iter().find(|cost| !(cost.is_finite() && **cost >= 0.0)) {
            return Err(Error::parameter("cost", bad, "finite numbers >= 0"));
        }
        let spread = |costs: &[f64]| {
            let highest = costs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            highest - costs.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let unit = entries.chunks_exact(n_classes).map(spread).fold(0.0, f64::max);
        for cost in entries.iter_mut().filter(|_| unit > 0.0) {
            *cost /= unit;
        }
        Ok(Self { n_classes, entries, by_row, unit })
    }

    /// What a cost of 1 is worth in the user's units; 0 if all answers cost the same.
    #[must_use]
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// Whether rows have costs of their own.
    #[must_use]
    pub fn differ_by_row(&self) -> bool {
        self.by_row
    }

    /// The costs of all answers to a row of a class.
    #[must_use]
    pub fn of(&self, row: usize, class: usize) -> &[f64] {
        let entry = if self.by_row { row } else { class };
        &self.entries[entry * self.n_classes..][..self.n_classes]
    }

    /// Whether an answer is right: the class itself, or where rows have costs of their own one of
    /// the cheapest.
    #[must_use]
    pub fn is_right(&self, row: usize, class: usize, answer: usize) -> bool {
        if !self.by_row {
            return answer == class;
        }
        let costs = self.of(row, class);
        costs.iter().all(|cost| costs[answer] <= *cost)
    }
}

/// exp(x) for x ≤ 0, to a relative error of 10⁻¹⁵. The system's exponential differs in the last bit
/// from machine to machine; this one is made of sums and products, which do not.
#[inline]
pub(super) fn exp_of_negative(x: f64) -> f64 {
    // ln 2 in two parts: products of the first with small integers are exact.
    const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
    /// Adding this rounds to an integer, which then stands in the last bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// The logarithm of a number that is just normal.
    const LOWEST: f64 = -708.0;
    /// 1/k!, from the highest power down to the first.
    const TERMS: [f64; 13] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    // Below this the result would be no normal number; zero is as good for a probability.
    let is_normal = x >= LOWEST;
    let x = x.max(LOWEST);
    let halvings = x * std::f64::consts::LOG2_E + ROUNDER;
    let n = halvings - ROUNDER;
    let rest = (x - n * LN_2[0]) - n * LN_2[1];
    let series = TERMS.iter().fold(0.0, |sum, term| sum * rest + term) * rest + 1.0;
    // Times 2ⁿ: n stands in the last bits of `halvings` and is added to the exponent.
    let scaled = f64::from_bits(series.to_bits().wrapping_add(halvings.to_bits() << 52));
    if is_normal { scaled } else { 0.0 }
}

/// The mean cost under some probabilities.
pub(super) fn expected(costs: &[f64], probabilities: &[f64]) -> f64 {
    costs.iter().zip(probabilities).map(|(cost, share)| cost * share).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponential_is_as_good_as_the_systems() {
        for step in 0..=700_000 {
            let x = -f64::from(step) * 1e-3;
            let (ours, theirs) = (exp_of_negative(x), x.exp());
            assert!((ours - theirs).abs() <= 1e-15 * theirs, "exp({x}): {ours} {theirs}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-800.0), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
    }
}
