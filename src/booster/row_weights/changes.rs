//! An update of the weights, with a list of what it changes.
//!
//! In: a step, and the part or the number of every row. Out: new weights in both forms and, where
//! most weights stay as they are, the places of the others with the differences. From these a
//! learner can bring its sums up to date.

use super::step::Step;
use super::{RowWeights, Run, to_fixed};
use crate::demand::ChangedPlaces;
use crate::error::Result;
use crate::hypothesis::RowNumbers;
use crate::workers::{Workers, split_along};

/// The share of rows beyond which changes are not listed: adding all weights up anew costs less.
const LISTED: f64 = 0.7;

impl RowWeights {
    /// Multiplies the weights of each part by the factors of a step for this distribution; `n_left`
    /// input rows are those of the common factor.
    pub(super) fn take(
        &mut self,
        step: &Step,
        at: usize,
        (part, n_left): (&[u16], u64),
        workers: &Workers,
    ) -> Result<()> {
        let n_rows = self.n_input_rows() as f64;
        let is_listed =
            self.lists_changes && step.leaves_most && n_rows - n_left as f64 <= LISTED * n_rows;
        self.start_revision();
        let mut changes = std::mem::take(&mut self.changes);
        changes.resize(self.blocks.len(), ChangedPlaces::default());
        let factors = &step.factors[at];
        let stretches: Vec<usize> = self.runs.iter().map(|run| run.stretch).collect();
        let rows: Vec<_> = self.blocks.iter().map(|block| self.rows_of(block)).collect();
        let n_places = self.weights.len();
        let blocks = self.split().zip(&mut changes).zip(rows).collect();
        workers.map(n_places, blocks, |(((block, weights), changed), rows)| {
            let (part, factors) = (&part[rows], factors[block.0].as_slice());
            if is_listed {
                (changed.stretch, changed.first) = (stretches[block.0], block.1);
                weights.multiply_some(part, factors, changed);
            } else {
                weights.multiply(part.iter().map(|&part| factors[usize::from(part)]));
            }
            Ok(())
        })?;
        self.changes = changes;
        self.scale = step.scale;
        self.is_listed = is_listed;
        Ok(())
    }

    /// Multiplies the weight of each row by the factor of its own margin.
    pub(super) fn multiply_each(
        &mut self,
        numbers: &RowNumbers,
        factor: impl Fn(f64) -> f64 + Sync,
        workers: &Workers,
    ) -> Result<()> {
        let scale = std::mem::replace(&mut self.scale, 1.0);
        self.start_revision();
        let classes: Vec<usize> = self.runs.iter().map(|run: &Run| run.class).collect();
        let (target, n_places) = (self.target.clone(), self.weights.len());
        let rows: Vec<_> = self.blocks.iter().map(|block| self.rows_of(block)).collect();
        workers.map(n_places, self.split().zip(rows).collect(), |((block, weights), rows)| {
            let class = classes[block.0];
            let factors = rows.map(|row| scale * factor(target.margin(class, numbers.of(row))));
            weights.multiply(factors);
            Ok(())
        })?;
        Ok(())
    }

    /// The weights block by block, each with its run and its first place.
    fn split(&mut self) -> impl Iterator<Item = ((usize, usize), WeightBlock<'_>)> {
        let lengths = || self.blocks.iter().map(|block| block.rows.len());
        let weights = split_along(&mut self.weights, lengths());
        let fixed = split_along(&mut self.fixed, lengths());
        let copies = self.copies.as_deref();
        self.blocks.iter().zip(weights).zip(fixed).map(move |((block, weights), fixed)| {
            let copies = copies.map(|copies| &copies[block.rows.clone()]);
            ((block.run, block.rows.start), WeightBlock { weights, fixed, copies })
        })
    }
}

/// The weights of some rows, in both forms.
pub(super) struct WeightBlock<'a> {
    pub weights: &'a mut [f64],
    pub fixed: &'a mut [u64],
    pub copies: Option<&'a [u32]>,
}

impl WeightBlock<'_> {
    /// Multiplies all of them.
    pub fn multiply(self, factors: impl Iterator<Item = f64>) {
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
                    *fixed = to_fixed(*weight) * u64::from(copies);
                }
            }
        }
    }

    /// Multiplies those whose part has another factor than 1, and lists them.
    fn multiply_some(self, part: &[u16], factors: &[f64], changed: &mut ChangedPlaces) {
        let changes: Vec<u8> = factors.iter().map(|&factor| u8::from(factor != 1.0)).collect();
        // The number of every place is written and only the end moves: no branch to mispredict.
        let mut places = vec![0; part.len()];
        let mut n_changed = 0;
        for (place, &part) in part.iter().enumerate() {
            places[n_changed] = place as u16;
            n_changed += usize::from(changes[usize::from(part)]);
        }
        let places = &places[..n_changed];
        changed.places.clear();
        changed.differences.clear();
        // Lists are about as long in every round, so room for twice as many would be wasted.
        changed.places.reserve_exact(n_changed);
        changed.differences.reserve_exact(n_changed);
        changed.places.extend_from_slice(places);
        changed.differences.extend(places.iter().map(|&place| {
            let at = usize::from(place);
            let weight = self.weights[at] * factors[usize::from(part[at])];
            let copies = self.copies.map_or(1, |copies| u64::from(copies[at]));
            let fixed = to_fixed(weight) * copies;
            self.weights[at] = weight;
            fixed.wrapping_sub(std::mem::replace(&mut self.fixed[at], fixed))
        }));
    }
}
