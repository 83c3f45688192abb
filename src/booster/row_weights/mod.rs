//! The distribution over the training rows and its multiplicative update.
//!
//! In: answers and a factor per (class, answer). Out: new weights, as doubles for the booster and as
//! fixed-point integers for the learner. Sums go over parts, not rows: [`Atom`]s. What a row is
//! worth depends on the [`Target`]: the classes themselves, or two sides that are made of them.
//!
//! Weights are kept up to a common factor, so that an update leaves those of most rows as they are
//! (`step`), and learners are told which it did change (`changes`).

mod atoms;
mod changes;
mod places;
mod range;
mod step;

use super::Feedback;
use super::target::{Target, exponential_loss};
use crate::data::Rows;
use crate::demand::{ChangedPlaces, Demand, FULL_WEIGHT, Revision, Stretch};
use crate::error::Result;
use crate::hypothesis::RowNumbers;
use crate::portable::exp;
use crate::reduce::ExactSum;
use crate::workers::{RunBlock, Workers, run_blocks, split_along};
use changes::WeightBlock;
use step::{Factors, Step, add_up, commonest};

/// Tables that sums are spread over.
const TABLES: usize = 4;

/// The rows of one class.
#[derive(Debug, Clone, Copy)]
struct Run {
    class: usize,
    /// The row at place `p` of the run is `p + shift`, in wrapping arithmetic.
    shift: usize,
    /// The stretch that learners find it in.
    stretch: usize,
}

/// A distribution over rows in class order, or over those of some classes.
#[derive(Debug, Clone)]
pub struct RowWeights {
    target: Target,
    /// The weight of one row at each place, up to a common factor.
    weights: Vec<f64>,
    /// What the weights are to be multiplied with to sum up to 1.
    scale: f64,
    /// The weight of all input rows that share each place, up to the same factor.
    fixed: Vec<u64>,
    /// Tells these weights from all others.
    number: u64,
    /// The number of those before the last update.
    before: Option<u64>,
    /// What the last update has changed, by block.
    changes: Vec<ChangedPlaces>,
    /// Whether these are all of its changes.
    is_listed: bool,
    /// Whether updates list their changes at all.
    lists_changes: bool,
    /// The row at each place, if not all rows take part.
    rows: Option<Vec<u32>>,
    copies: Option<Vec<u32>>,
    runs: Vec<Run>,
    stretches: Vec<Stretch>,
    blocks: Vec<RunBlock>,
    lightest: f64,
    /// The number of input rows in all shards.
    n_input_rows: usize,
    /// Whether any shard has rows of at least two kinds.
    has_both_sides: bool,
}

pub(super) fn to_fixed(weight: f64) -> u64 {
    (weight * FULL_WEIGHT) as i64 as u64
}

/// The weights of all input rows at each place, exactly what adding them one by one would give.
pub(super) fn to_fixed_places(weights: &[f64], copies: Option<&[u32]>) -> Vec<u64> {
    match copies {
        Some(copies) => {
            weights.iter().zip(copies).map(|(&w, &n)| to_fixed(w) * u64::from(n)).collect()
        }
        None => weights.iter().map(|&w| to_fixed(w)).collect(),
    }
}

impl RowWeights {
    /// The start distribution over the rows that the target is about.
    #[must_use]
    pub fn start(rows: &Rows, target: Target) -> Self {
        let class_ends = rows.class_ends();
        let mut listed: Vec<u32> = Vec::new();
        let (mut runs, mut ends) = (Vec::new(), Vec::new());
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut first = 0usize;
        for (class, &end) in class_ends.iter().enumerate() {
            if target.has(class) {
                let shift = first.wrapping_sub(listed.len());
                listed.extend(first as u32..end as u32);
                ends.push(listed.len());
                let stretch = Stretch { kind: target.kind(class), end: listed.len() };
                // Classes of one kind that follow each other are one: learners take time for each.
                match stretches.last_mut() {
                    Some(last) if last.kind == stretch.kind => *last = stretch,
                    _ => stretches.push(stretch),
                }
                runs.push(Run { class, shift, stretch: stretches.len() - 1 });
            }
            first = end;
        }
        let all = listed.len() == rows.len();
        let pick = |by_row: &[u32]| listed.iter().map(|&row| by_row[row as usize]).collect();
        let copies: Option<Vec<u32>> = rows.copies().map(pick);
        let by_class: Vec<u64> =
            (0..class_ends.len()).map(|class| rows.n_rows_of(|other| other == class)).collect();
        let mut kinds: Vec<usize> = (0..class_ends.len())
            .filter(|&class| target.has(class) && by_class[class] > 0)
            .map(|class| target.kind(class))
            .collect();
        kinds.sort_unstable();
        kinds.dedup();
        let n_input_rows = rows.n_rows_of(|class| target.has(class));
        let weights = match rows.weights_among(|class| target.has(class)) {
            None => vec![1.0 / n_input_rows as f64; listed.len()],
            Some(weights) if all => weights,
            Some(weights) => listed.iter().map(|&row| weights[row as usize]).collect(),
        };
        Self {
            fixed: to_fixed_places(&weights, copies.as_deref()),
            lightest: rows.lightest(|class| target.has(class)),
            n_input_rows: n_input_rows as usize,
            has_both_sides: kinds.len() > 1,
            weights,
            scale: 1.0,
            number: Revision::next_number(),
            before: None,
            changes: Vec::new(),
            is_listed: false,
            lists_changes: true,
            rows: (!all).then_some(listed),
            copies,
            runs,
            stretches,
            blocks: run_blocks(&ends),
            target,
        }
    }

    /// The same for learners that see the weights as one of several layers, which have no revision:
    /// a list of changes is of no use to them.
    pub(super) fn without_lists(self) -> Self {
        Self { lists_changes: false, ..self }
    }

    /// The weights as a learner wants them.
    #[must_use]
    pub fn demand(&self) -> Demand<'_> {
        Demand {
            question: self.target.question(),
            weights: &self.fixed,
            stretches: &self.stretches,
            rows: self.rows.as_deref(),
            copies: self.copies.as_deref(),
            lightest: self.lightest,
            partitions: None,
            revision: Some(Revision {
                number: self.number,
                before: self.before,
                changes: self.is_listed.then_some(&self.changes),
            }),
        }
    }

    /// What hypotheses are to find out.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The weight of one input row at each place; as [`RowWeights::total`], up to a common factor once
    /// they have been multiplied.
    #[must_use]
    pub fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    /// The weight of all input rows of the shard, also of those that [`RowWeights::split_blocks`] has
    /// changed.
    pub(super) fn sum(&self, workers: &Workers) -> Result<ExactSum> {
        let parts = workers.map(self.weights.len(), self.blocks.iter().collect(), |block| {
            let weights = &self.weights[block.rows.clone()];
            let mut sum = ExactSum::default();
            match &self.copies {
                None => weights.iter().for_each(|&weight| sum.add(weight)),
                Some(copies) => {
                    for (&weight, &n) in weights.iter().zip(&copies[block.rows.clone()]) {
                        sum.add_times(weight, u64::from(n));
                    }
                }
            }
            Ok(sum)
        })?;
        Ok(ExactSum::of_parts(&parts))
    }

    /// The weight of all rows together in fixed point, up to the common factor.
    pub fn total(&self, workers: &Workers) -> Result<u64> {
        workers.reduce().total(self.fixed.iter().sum::<u64>())
    }

    /// Replaces the weight of one input row at each place; they are scaled to sum to 1. Whether that
    /// can be done; otherwise they stay as they are.
    pub(super) fn set(&mut self, weights: Vec<f64>, workers: &Workers) -> Result<bool> {
        let before = std::mem::replace(&mut self.weights, weights);
        let sum = self.sum(workers)?.over_shards(workers.reduce())?;
        let can_be_scaled = sum.is_finite() && (1.0 / sum).is_finite();
        if can_be_scaled {
            self.scale = 1.0;
            self.rescale(1.0 / sum);
        } else {
            self.weights = before;
        }
        Ok(can_be_scaled)
    }

    /// The rows of a block of places.
    fn rows_of(&self, block: &RunBlock) -> std::ops::Range<usize> {
        let shift = self.runs[block.run].shift;
        block.rows.start.wrapping_add(shift)..block.rows.end.wrapping_add(shift)
    }

    /// Numbers by place, of every run, added up by part; the places are counted if there are none.
    fn sums_by_part<T: Copy + Into<u64> + Sync>(
        &self,
        (part, n_parts): (&[u16], usize),
        numbers: Option<&[T]>,
        workers: &Workers,
    ) -> Result<Vec<Vec<u64>>> {
        let partial = workers.map(part.len(), self.blocks.iter().collect(), |block| {
            let part = &part[self.rows_of(block)];
            let numbers = numbers.map(|numbers| &numbers[block.rows.clone()]);
            Ok((block.run, add_by_part(part, n_parts, numbers)))
        })?;
        let mut sums = vec![vec![0u64; n_parts]; self.runs.len()];
        for (run, block) in partial {
            for (total, sum) in sums[run].iter_mut().zip(block) {
                *total += sum;
            }
        }
        Ok(sums)
    }

    /// Multiplies the weight of each row by `factor(margin)`; they must sum up to 1 afterwards.
    pub fn multiply(
        &mut self,
        numbers: &RowNumbers,
        factor: impl Fn(f64) -> f64 + Sync,
        workers: &Workers,
    ) -> Result<()> {
        Self::multiply_all(
            std::slice::from_mut(self),
            std::slice::from_ref(numbers),
            factor,
            workers,
        )
    }

    /// The same for several distributions that sum up to 1 together.
    pub(super) fn multiply_all(
        all: &mut [Self],
        numbers: &[RowNumbers],
        factor: impl Fn(f64) -> f64 + Sync,
        workers: &Workers,
    ) -> Result<()> {
        for (weights, numbers) in all.iter().zip(numbers) {
            weights.check_range(numbers, &factor, workers)?;
        }
        // Parts are few, so their factors are worked out before the rows are walked.
        let mut factors: Vec<Factors> = Vec::with_capacity(all.len());
        let mut parts: Vec<&[u16]> = Vec::with_capacity(all.len());
        for (weights, numbers) in all.iter().zip(numbers) {
            let RowNumbers::Parts { part, values } = numbers else { continue };
            let factor = |run: &Run, h: f64| factor(weights.target.margin(run.class, h));
            let of_run = |run| values.iter().map(|&h| factor(run, h)).collect();
            factors.push(weights.runs.iter().map(of_run).collect());
            parts.push(part);
        }
        if parts.len() < all.len() {
            for (weights, numbers) in all.iter_mut().zip(numbers) {
                weights.multiply_each(numbers, &factor, workers)?;
            }
            return Ok(());
        }
        let mut counted: Vec<Vec<Vec<u64>>> = Vec::with_capacity(all.len());
        for (at, (weights, factors)) in all.iter().zip(&factors).enumerate() {
            // One hypothesis for all distributions has the same parts in each of them. Without rows, all
            // have the same.
            let is_counted = at > 0
                && !parts[at].is_empty()
                && std::ptr::eq(parts[at - 1], parts[at])
                && weights.rows.is_none();
            counted.push(if is_counted {
                counted[at - 1].clone()
            } else {
                weights.count_by_part(parts[at], factors, workers)?
            });
        }
        let mut flat: Vec<u64> = counted.into_iter().flatten().flatten().collect();
        workers.reduce().sum_if_split(&mut flat)?;
        let mut rest = flat.into_iter();
        let counts: Vec<Vec<(f64, u64)>> =
            factors.iter().map(|of| add_up(of.iter().flatten().copied().zip(&mut rest))).collect();
        let common = commonest(counts.iter().flatten().copied());
        let Some(scale) = all.first().map(|weights| weights.scale) else { return Ok(()) };
        let step = Step::new(factors, common, scale);
        for (at, weights) in all.iter_mut().enumerate() {
            let of_common = counts[at].iter().filter(|(factor, _)| *factor == common);
            let n_left: u64 = of_common.map(|(_, count)| count).sum();
            weights.take(&step, at, (parts[at], n_left), workers)?;
        }
        Ok(())
    }

    /// The number of input rows of each run and part, as there are factors for them.
    fn count_by_part(
        &self,
        part: &[u16],
        factors: &Factors,
        workers: &Workers,
    ) -> Result<Vec<Vec<u64>>> {
        let n_parts = factors.first().map_or(0, Vec::len);
        self.sums_by_part((part, n_parts), self.copies.as_deref(), workers)
    }

    /// The update of the exponential loss, w ∝ w exp(−α y h).
    pub fn update_exponentially(
        &mut self,
        feedback: &Feedback,
        weight: f64,
        workers: &Workers,
    ) -> Result<()> {
        let z = exponential_loss(feedback.atoms, weight);
        self.multiply(feedback.numbers, |margin| exp(-weight * margin) / z, workers)
    }

    /// The weights as blocks of rows of one class.
    pub(super) fn split_blocks(&mut self) -> Vec<&mut [f64]> {
        split_along(&mut self.weights, self.blocks.iter().map(|block| block.rows.len()))
    }

    /// Multiplies all weights, also those that [`RowWeights::split_blocks`] has changed.
    pub(super) fn rescale(&mut self, factor: f64) {
        let factor = factor * std::mem::replace(&mut self.scale, 1.0);
        WeightBlock {
            weights: &mut self.weights,
            fixed: &mut self.fixed,
            copies: self.copies.as_deref(),
        }
        .multiply(std::iter::repeat(factor));
        self.start_revision();
    }

    /// Gives the weights another number; what changes is not listed yet.
    fn start_revision(&mut self) {
        self.before = Some(std::mem::replace(&mut self.number, Revision::next_number()));
        self.is_listed = false;
    }
}

/// Numbers of rows added up by part; the rows are counted if there are none.
fn add_by_part<T: Copy + Into<u64>>(
    part: &[u16],
    n_parts: usize,
    numbers: Option<&[T]>,
) -> Vec<u64> {
    if n_parts == 2 {
        let (all, second) = match numbers {
            None => (part.len() as u64, part.iter().map(|&part| u64::from(part)).sum()),
            Some(numbers) => sum_of_second(part, numbers),
        };
        return vec![all - second, second];
    }
    // Neighbours add to different tables, so that no addition waits for the one before.
    let mut tables = vec![0u64; TABLES * n_parts];
    let mut add = |row: usize, part: u16, number: u64| {
        tables[row % TABLES * n_parts + usize::from(part)] += number;
    };
    match numbers {
        Some(numbers) => {
            for (row, (&part, &number)) in part.iter().zip(numbers).enumerate() {
                add(row, part, number.into());
            }
        }
        None => {
            for (row, &part) in part.iter().enumerate() {
                add(row, part, 1);
            }
        }
    }
    (0..n_parts).map(|part| tables[part..].iter().step_by(n_parts).sum()).collect()
}

/// The sum of all numbers, and of those in the second of two parts: without tables, so that several
/// rows are added up at once.
fn sum_of_second<T: Copy + Into<u64>>(part: &[u16], numbers: &[T]) -> (u64, u64) {
    let (mut all, mut second) = (0u64, 0u64);
    for (&part, &number) in part.iter().zip(numbers) {
        let number: u64 = number.into();
        all += number;
        second += number & u64::from(part).wrapping_neg();
    }
    (all, second)
}

#[cfg(test)]
mod tests;
