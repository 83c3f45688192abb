//! The distribution over the training rows and its multiplicative update.
//!
//! In: answers and a factor per (class, answer). Out: new weights, as doubles for the booster and as
//! fixed-point integers for the learner. Sums go over parts, not rows: [`Atom`]s.

use super::Told;
use crate::data::Rows;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::learner::{Demand, FULL_WEIGHT};
use crate::workers::{RunBlock, Workers, run_blocks, split_along};

/// Tables that sums are spread over.
const TABLES: usize = 4;

/// All rows of one class that got one answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Atom {
    /// The class, −1 or +1.
    pub label: f64,
    /// The answer.
    pub answer: f64,
    /// Their share of the weight.
    pub weight: f64,
}

impl Atom {
    /// Label times answer: positive where the answer is right.
    #[must_use]
    pub fn margin(&self) -> f64 {
        self.label * self.answer
    }

    /// Whether the sign of the answer is wrong (an answer of 0 means +1).
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        (self.answer >= 0.0) != (self.label > 0.0)
    }
}

/// The edge Σ w y h.
#[must_use]
pub fn edge(atoms: &[Atom]) -> f64 {
    atoms.iter().map(|atom| atom.weight * atom.margin()).sum()
}

/// The weighted error of the answers' signs.
#[must_use]
pub fn error(atoms: &[Atom]) -> f64 {
    // A sum of nothing would be −0.
    atoms.iter().filter(|atom| atom.is_wrong()).fold(0.0, |sum, atom| sum + atom.weight)
}

/// The largest absolute answer.
#[must_use]
pub fn largest_answer(atoms: &[Atom]) -> f64 {
    atoms.iter().map(|atom| atom.answer.abs()).fold(0.0, f64::max)
}

/// −1 for the first class, +1 for the second.
pub(super) fn label(class: usize) -> f64 {
    if class == 0 { -1.0 } else { 1.0 }
}

/// A distribution over class-ordered rows of two classes.
#[derive(Debug, Clone)]
pub struct RowWeights {
    /// The weight of one row at each place.
    weights: Vec<f64>,
    /// The weight of all rows that share a place.
    fixed: Vec<u64>,
    copies: Option<Vec<u32>>,
    class_ends: Vec<usize>,
    blocks: Vec<RunBlock>,
}

pub(super) fn to_fixed(weight: f64) -> u64 {
    (weight * FULL_WEIGHT) as i64 as u64
}

/// The weight of `copies` rows, exactly what adding them one by one would give.
pub(super) fn to_fixed_copies(weight: f64, copies: u32) -> u64 {
    to_fixed(weight) * u64::from(copies)
}

impl RowWeights {
    /// The start distribution.
    #[must_use]
    pub fn start(rows: &Rows) -> Self {
        let weights = rows
            .start_weights()
            .unwrap_or_else(|| vec![1.0 / rows.n_taking_part() as f64; rows.len()]);
        let fixed = match rows.copies() {
            Some(copies) => {
                weights.iter().zip(copies).map(|(&w, &n)| to_fixed_copies(w, n)).collect()
            }
            None => weights.iter().map(|&w| to_fixed(w)).collect(),
        };
        Self {
            weights,
            fixed,
            copies: rows.copies().map(<[u32]>::to_vec),
            class_ends: rows.class_ends().to_vec(),
            blocks: run_blocks(rows.class_ends()),
        }
    }

    /// The weights as a learner wants them.
    #[must_use]
    pub fn demand(&self) -> Demand<'_> {
        Demand {
            weights: &self.fixed,
            channel_ends: &self.class_ends,
            copies: self.copies.as_deref(),
        }
    }

    /// The weight of one row at each place, in class order.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of all rows together, near 1.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.fixed.iter().sum::<u64>() as f64 / FULL_WEIGHT
    }

    /// The shares of weight by class and answer; what has no weight is left out.
    pub fn atoms(&self, answers: &Answers, workers: &Workers) -> Result<Vec<Atom>> {
        match answers {
            Answers::Parts { part, values } => self.atoms_of_parts(part, values, workers),
            Answers::Each(numbers) => {
                let total = self.fixed.iter().sum::<u64>() as f64;
                let rows = self
                    .blocks
                    .iter()
                    .flat_map(|block| block.rows.clone().map(|row| (label(block.run), row)));
                let atoms = rows.filter(|&(_, row)| self.fixed[row] > 0).map(|(label, row)| Atom {
                    label,
                    answer: numbers[row],
                    weight: self.fixed[row] as f64 / total,
                });
                Ok(atoms.collect())
            }
        }
    }

    fn atoms_of_parts(&self, part: &[u16], values: &[f64], workers: &Workers) -> Result<Vec<Atom>> {
        let n_parts = values.len();
        let partial = workers.map(self.fixed.len(), self.blocks.iter().collect(), |block| {
            // Neighbours add to different tables, so that no addition waits for the one before.
            let mut tables = vec![0u64; TABLES * n_parts];
            let part = &part[block.rows.clone()];
            let weights = &self.fixed[block.rows.clone()];
            for (row, (&part, &weight)) in part.iter().zip(weights).enumerate() {
                tables[row % TABLES * n_parts + usize::from(part)] += weight;
            }
            let sums: Vec<u64> =
                (0..n_parts).map(|part| tables[part..].iter().step_by(n_parts).sum()).collect();
            Ok((block.run, sums))
        })?;
        let mut sums = vec![vec![0u64; n_parts]; self.class_ends.len()];
        for (class, block) in partial {
            for (total, sum) in sums[class].iter_mut().zip(block) {
                *total += sum;
            }
        }
        let total = sums.iter().flatten().sum::<u64>() as f64;
        let mut atoms = Vec::with_capacity(2 * n_parts);
        for (class, sums) in sums.iter().enumerate() {
            for (&sum, &answer) in sums.iter().zip(values) {
                if sum > 0 {
                    atoms.push(Atom { label: label(class), answer, weight: sum as f64 / total });
                }
            }
        }
        Ok(atoms)
    }

    /// Multiplies the weight of each row by `factor(y · h)`.
    pub fn multiply(
        &mut self,
        answers: &Answers,
        factor: impl Fn(f64) -> f64 + Sync,
        workers: &Workers,
    ) -> Result<()> {
        let n_rows = self.weights.len();
        let lengths = || self.blocks.iter().map(|block| block.rows.len());
        let weights = split_along(&mut self.weights, lengths());
        let fixed = split_along(&mut self.fixed, lengths());
        let copies = self.copies.as_deref();
        let blocks = self.blocks.iter().zip(weights).zip(fixed).map(|((block, weights), fixed)| {
            let copies = copies.map(|copies| &copies[block.rows.clone()]);
            (block, WeightBlock { weights, fixed, copies })
        });
        // Parts are few, so their factors are worked out before the rows are walked.
        let factors: Vec<Vec<f64>> = match answers {
            Answers::Parts { values, .. } => (0..self.class_ends.len())
                .map(|class| values.iter().map(|h| factor(label(class) * h)).collect())
                .collect(),
            Answers::Each(_) => Vec::new(),
        };
        workers.map(n_rows, blocks.collect(), |(block, rows)| {
            match answers {
                Answers::Parts { part, .. } => {
                    let factors = factors[block.run].as_slice();
                    let part = part[block.rows.clone()].iter();
                    rows.multiply(part.map(|&part| factors[usize::from(part)]));
                }
                Answers::Each(numbers) => {
                    let numbers = numbers[block.rows.clone()].iter();
                    rows.multiply(numbers.map(|h| factor(label(block.run) * h)));
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    /// The update of the exponential loss, w ∝ w exp(−α y h).
    pub fn update_exponentially(
        &mut self,
        told: &Told,
        weight: f64,
        workers: &Workers,
    ) -> Result<()> {
        let loss = |margin: f64| (-weight * margin).exp();
        let z: f64 = told.atoms.iter().map(|atom| atom.weight * loss(atom.margin())).sum();
        self.multiply(told.answers, |margin| loss(margin) / z, workers)
    }
}

/// The weights of some rows, in both forms.
struct WeightBlock<'a> {
    weights: &'a mut [f64],
    fixed: &'a mut [u64],
    copies: Option<&'a [u32]>,
}

impl WeightBlock<'_> {
    fn multiply(self, factors: impl Iterator<Item = f64>) {
        let rows = self.weights.iter_mut().zip(self.fixed).zip(factors);
        match self.copies {
            None => {
                for ((weight, fixed), factor) in rows {
                    *weight *= factor;
                    *fixed = to_fixed(*weight);
                }
            }
            Some(copies) => {
                for (((weight, fixed), factor), &copies) in rows.zip(copies) {
                    *weight *= factor;
                    *fixed = to_fixed_copies(*weight, copies);
                }
            }
        }
    }
}
