//! What it costs to answer a row with each class: by its own class, or row by row.
//!
//! In: prices in the user's units. Out: costs divided by the largest difference that an answer can
//! make, so that they lie in an interval of length 1 whatever the units, and the expected cost under
//! soft-max probabilities.

use crate::data::{ABSENT, Rows};
use crate::error::{Error, Result};
use crate::reduce::{Reduce, agree};

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
        Self::checked(matrix.concat(), n_classes, false).map(Self::divided)
    }

    /// Costs of their own for every row: `given` holds all answers of the first input row, then of
    /// the second, and so on.
    pub fn by_row(
        given: &[f64],
        n_classes: usize,
        rows: &Rows,
        reduce: &dyn Reduce,
    ) -> Result<Self> {
        let mut costs = agree(reduce, Self::of_rows(given, n_classes, rows))?;
        costs.unit = reduce.largest_of(costs.unit)?;
        Ok(costs.divided())
    }

    /// The same in the user's units.
    fn of_rows(given: &[f64], n_classes: usize, rows: &Rows) -> Result<Self> {
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
        Self::checked(entries, n_classes, true)
    }

    fn checked(entries: Vec<f64>, n_classes: usize, by_row: bool) -> Result<Self> {
        if let Some(bad) = entries.iter().find(|cost| !(cost.is_finite() && **cost >= 0.0)) {
            return Err(Error::parameter("cost", bad, "finite numbers >= 0"));
        }
        let spread = |costs: &[f64]| {
            let highest = costs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            highest - costs.iter().copied().fold(f64::INFINITY, f64::min)
        };
        let unit = entries.chunks_exact(n_classes).map(spread).fold(0.0, f64::max);
        Ok(Self { n_classes, entries, by_row, unit })
    }

    /// Divides costs by the unit.
    fn divided(mut self) -> Self {
        let unit = self.unit;
        for cost in self.entries.iter_mut().filter(|_| unit > 0.0) {
            *cost /= unit;
        }
        self
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

/// The mean cost under some probabilities.
pub(super) fn expected(costs: &[f64], probabilities: &[f64]) -> f64 {
    costs.iter().zip(probabilities).map(|(cost, share)| cost * share).sum()
}
