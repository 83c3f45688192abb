//! Which rows of a frame take part, in class order, and with what weight.
//!
//! In: class codes, weights and a choice of rows. Out: for every input row its place among those
//! chosen. Rows are ordered by class, then as they came, so that each class is one contiguous run;
//! rows of weight zero are absent. Rows that nothing tells apart may share a place.

use std::sync::Arc;

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::{Error, Result};

/// The place of a row that does not take part.
pub const ABSENT: u32 = u32::MAX;

/// Rows from which quantile cuts are taken; beyond that many rows a sample of this size.
const SAMPLE_ROWS: usize = 131_072;

/// The rows of one frame that take part.
#[derive(Debug, Clone)]
pub struct Rows {
    place: Vec<u32>,
    class_ends: Vec<usize>,
    weights: Option<Vec<f64>>,
    /// How many input rows share each place; `None` if every row has its own.
    copies: Option<Vec<u32>>,
    /// By place: a key of what its row holds, for boosters that draw rows.
    contents: Option<Arc<[u64]>>,
}

impl Rows {
    /// Chooses the rows of positive weight for which `chosen` holds; `weights` of `None` are all 1.
    pub fn select(
        classes: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let n = classes.len();
        if n >= ABSENT as usize {
            return Err(Error::Shape {
                what: "X".into(),
                got: format!("{n} rows"),
                expected: format!("fewer than {ABSENT} rows"),
            });
        }
        check_weights(weights, n)?;
        let takes_part = |row: usize| weights.is_none_or(|w| w[row] > 0.0) && chosen(row);
        let mut class_ends = vec![0; n_classes];
        for (row, &class) in classes.iter().enumerate() {
            let count = class_ends.get_mut(class as usize).ok_or_else(|| {
                Error::internal(format!("class code {class} of {n_classes} classes"))
            })?;
            *count += usize::from(takes_part(row));
        }
        let mut next = Vec::with_capacity(n_classes);
        let mut sum = 0;
        for end in &mut class_ends {
            next.push(sum as u32);
            sum += *end;
            *end = sum;
        }
        let mut place = vec![ABSENT; n];
        for (row, &class) in classes.iter().enumerate() {
            if takes_part(row) {
                place[row] = next[class as usize];
                next[class as usize] += 1;
            }
        }
        Ok(Self { place, class_ends, weights: weights.map(scale), copies: None, contents: None })
    }

    /// Whether a row takes part.
    #[must_use]
    pub fn has(&self, row: usize) -> bool {
        self.place[row] != ABSENT
    }

    /// Whether weights were given.
    #[must_use]
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The weight of a row up to a common factor; zero if it does not take part.
    #[must_use]
    pub fn given_weight(&self, row: usize) -> f64 {
        if self.has(row) { self.weights.as_ref().map_or(1.0, |w| w[row]) } else { 0.0 }
    }

    /// Where each input row stands among those chosen, or [`ABSENT`].
    #[must_use]
    pub fn places(&self) -> &[u32] {
        &self.place
    }

    /// The input row at each place; of those that share one the last.
    #[must_use]
    pub fn numbers(&self) -> Vec<u32> {
        let mut numbers = vec![0; self.len()];
        for (number, &place) in self.place.iter().enumerate() {
            if let Some(to) = numbers.get_mut(place as usize) {
                *to = number as u32;
            }
        }
        numbers
    }

    /// Where the run of each class ends.
    #[must_use]
    pub fn class_ends(&self) -> &[usize] {
        &self.class_ends
    }

    /// The number of places.
    #[must_use]
    pub fn len(&self) -> usize {
        self.class_ends.last().copied().unwrap_or(0)
    }

    /// The start weight of one input row at each place, also if all weigh the same.
    #[must_use]
    pub fn all_start_weights(&self) -> Vec<f64> {
        let even = || vec![1.0 / self.n_input_rows() as f64; self.len()];
        self.start_weights().unwrap_or_else(even)
    }

    /// The number of input rows that take part.
    #[must_use]
    pub fn n_input_rows(&self) -> usize {
        match &self.copies {
            Some(copies) => copies.iter().map(|&n| n as usize).sum(),
            None => self.len(),
        }
    }

    /// Whether no row takes part.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many input rows share each place; `None` if every row has its own.
    #[must_use]
    pub fn copies(&self) -> Option<&[u32]> {
        self.copies.as_deref()
    }

    /// By place: a key of what its row holds, where that is known.
    #[must_use]
    pub fn contents(&self) -> Option<&[u64]> {
        self.contents.as_deref()
    }

    /// The same rows, of which it is known what they hold.
    #[must_use]
    pub fn with_contents(self, keys: Arc<[u64]>) -> Self {
        Self { contents: Some(keys), ..self }
    }

    /// Lets rows share places: `shared[place]` is the new place, and the runs of the classes end at
    /// `class_ends`.
    #[must_use]
    pub fn merged(mut self, shared: &[u32], class_ends: Vec<usize>) -> Self {
        let mut copies = vec![0; class_ends.last().copied().unwrap_or(0)];
        for place in self.place.iter_mut().filter(|place| **place != ABSENT) {
            *place = shared[*place as usize];
            copies[*place as usize] += 1;
        }
        Self { class_ends, copies: Some(copies), ..self }
    }

    /// The mean weight of the rows at each place, such that all rows together weigh 1; `None` if all
    /// are equal.
    #[must_use]
    pub fn start_weights(&self) -> Option<Vec<f64>> {
        let mut means = self.mean_given_weights()?;
        let total = self.total_given_weight();
        for w in &mut means {
            *w /= total;
        }
        Some(means)
    }

    /// The sum of the given weights, which does not depend on who shares a place.
    fn total_given_weight(&self) -> f64 {
        (0..self.place.len()).map(|row| self.given_weight(row)).sum()
    }

    /// The mean given weight by place.
    fn mean_given_weights(&self) -> Option<Vec<f64>> {
        let weights = self.weights.as_ref()?;
        let mut first = vec![0.0; self.len()];
        // Deviations from the first are summed, so that the mean of equal weights is exactly that.
        let mut deviations = vec![0.0; if self.copies.is_some() { self.len() } else { 0 }];
        for (&place, &weight) in self.place.iter().zip(weights) {
            if place == ABSENT {
                continue;
            }
            let place = place as usize;
            if first[place] == 0.0 {
                first[place] = weight;
            } else {
                deviations[place] += weight - first[place];
            }
        }
        if let Some(copies) = &self.copies {
            for ((first, deviation), &n) in first.iter_mut().zip(deviations).zip(copies) {
                *first += deviation / f64::from(n);
            }
        }
        Some(first)
    }

    /// How many rows each class has; rows of different weights count as the fewer rows of equal
    /// weight that would tell as much, (Σw)² / Σw² in all (Kish 1965). Sums of integers depend neither
    /// on the order of the rows nor on who shares a place.
    #[must_use]
    pub fn class_rows(&self) -> Vec<f64> {
        const UNIT: f64 = (1u64 << 52) as f64;
        let (mut sums, mut squares) = (vec![0u128; self.class_ends.len()], 0u128);
        for (row, &place) in self.place.iter().enumerate().filter(|(_, place)| **place != ABSENT) {
            let class = self.class_ends.partition_point(|&end| end <= place as usize);
            let weight = self.given_weight(row);
            sums[class] += (UNIT * weight) as u128;
            squares += (UNIT * weight * weight) as u128;
        }
        let total = sums.iter().sum::<u128>() as f64;
        sums.iter().map(|&sum| sum as f64 * (total / UNIT) / squares as f64).collect()
    }

    /// How many rows of equal weight would tell as much as those of some classes: as many as they
    /// stand for (see [`Rows::repeats`]), or else (Σw)² / Σw² (Kish 1965).
    #[must_use]
    pub fn n_effective(&self, has_class: impl Fn(usize) -> bool) -> f64 {
        let class = |place: u32| self.class_ends.partition_point(|&end| end <= place as usize);
        let counted: Vec<bool> = (0..self.class_ends.len()).map(has_class).collect();
        let taking_part = || {
            self.place
                .iter()
                .enumerate()
                .filter(|(_, place)| **place != ABSENT && counted[class(**place)])
        };
        if let Some(repeats) = self.repeats() {
            let places = 0..self.len() as u32;
            let repeats =
                places.filter(|&place| counted[class(place)]).map(|p| repeats[p as usize]);
            return repeats.map(f64::from).sum();
        }
        let (mut sum, mut squares) = (0.0, 0.0);
        for (row, _) in taking_part() {
            let weight = self.given_weight(row);
            sum += weight;
            squares += weight * weight;
        }
        sum * sum / squares
    }

    /// Spreads weights by place, of so much in all, over the input rows as shares of the total, in
    /// the proportions of their given weights; rows that do not take part get 0.
    #[must_use]
    pub fn spread(&self, by_place: &[f64], total: f64) -> Vec<f64> {
        let means = if self.copies.is_some() { self.mean_given_weights() } else { None };
        let weight = |(row, &place): (usize, &u32)| {
            if place == ABSENT {
                return 0.0;
            }
            let weight = by_place[place as usize] / total;
            match &means {
                // Weights that are next to nothing beside others may come to nothing.
                Some(means) if means[place as usize] > 0.0 => {
                    weight * (self.given_weight(row) / means[place as usize])
                }
                _ => weight,
            }
        };
        self.place.iter().enumerate().map(weight).collect()
    }

    /// Numbers by place as numbers of the input rows; 0 for rows that do not take part.
    #[must_use]
    pub fn by_input_row(&self, by_place: &[f64]) -> Vec<f64> {
        let number = |&place: &u32| if place == ABSENT { 0.0 } else { by_place[place as usize] };
        self.place.iter().map(number).collect()
    }

    /// Numbers of the input rows as numbers by place; of rows that share one that of the last.
    #[must_use]
    pub fn at_places(&self, by_input_row: &[f64]) -> Vec<f64> {
        self.numbers().into_iter().map(|number| by_input_row[number as usize]).collect()
    }

    /// The share of the lightest row of all in the weight of some classes; 1/m for m rows of equal
    /// weight.
    #[must_use]
    pub fn lightest(&self, has_class: impl Fn(usize) -> bool) -> f64 {
        if self.weights.is_none() && self.copies.is_none() {
            let starts = std::iter::once(0).chain(self.class_ends.iter().copied());
            let counts = self.class_ends.iter().zip(starts).map(|(end, start)| end - start);
            let counted = counts.enumerate().filter(|(class, _)| has_class(*class));
            return 1.0 / counted.map(|(_, count)| count).sum::<usize>() as f64;
        }
        let class = |place: u32| self.class_ends.partition_point(|&end| end <= place as usize);
        let counted: Vec<bool> = (0..self.class_ends.len()).map(has_class).collect();
        let (mut lightest, mut total) = (f64::INFINITY, 0.0);
        for (row, &place) in self.place.iter().enumerate().filter(|(_, place)| **place != ABSENT) {
            let weight = self.given_weight(row);
            lightest = f64::min(lightest, weight);
            total += if counted[class(place)] { weight } else { 0.0 };
        }
        lightest / total
    }

    /// The rows from which quantiles are taken, ascending: all, or one from each of many equal
    /// stretches of the frame. No choice of the user's enters, so equal frames get equal cuts.
    #[must_use]
    pub fn sample(&self) -> Vec<u32> {
        let n = self.place.len();
        let has = |row: &u32| self.has(*row as usize);
        if self.len() <= SAMPLE_ROWS {
            return (0..n as u32).filter(has).collect();
        }
        let mut generator = ChaCha8Rng::seed_from_u64(0);
        let at = |stretch: usize| (stretch as u64 * n as u64 / SAMPLE_ROWS as u64) as u32;
        (0..SAMPLE_ROWS)
            .map(|stretch| generator.random_range(at(stretch)..at(stretch + 1)))
            .filter(has)
            .collect()
    }
}

/// Marks a share of each class's rows (of positive weight) for validation, at random but at least
/// one where a class has two.
#[must_use]
pub fn hold_back(
    classes: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
    share: f64,
    seed: u64,
) -> Vec<bool> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut held = vec![false; classes.len()];
    for class in 0..n_classes as u32 {
        let mut rows: Vec<u32> = (0..classes.len())
            .filter(|&row| classes[row] == class && weights.is_none_or(|w| w[row] > 0.0))
            .map(|row| row as u32)
            .collect();
        let wanted = (rows.len() as f64 * share).round() as usize;
        let wanted = wanted.max(1).min(rows.len().saturating_sub(1));
        rows.shuffle(&mut generator);
        for &row in &rows[..wanted] {
            held[row as usize] = true;
        }
    }
    held
}

/// Brings the largest weight near 1 by a power of two, which rounds nothing, so that no sum of
/// weights can overflow.
fn scale(weights: &[f64]) -> Vec<f64> {
    let largest = weights.iter().copied().fold(0.0, f64::max);
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    // In two steps, because 2^1023 times 2 is not a double.
    let (half, rest) = (2f64.powi(-exponent / 2), 2f64.powi(-exponent - (-exponent / 2)));
    weights.iter().map(|w| w * half * rest).collect()
}

fn check_weights(weights: Option<&[f64]>, n: usize) -> Result<()> {
    let Some(weights) = weights else { return Ok(()) };
    let fail = |reason: String| Err(Error::Weights { reason });
    if weights.len() != n {
        return fail(format!("got {} weights, expected one for each of {n} rows", weights.len()));
    }
    if let Some(row) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        let got = weights[row];
        return fail(format!("row {row} has weight {got}, expected a finite number >= 0"));
    }
    if weights.iter().all(|&w| w == 0.0) {
        return fail("all weights are zero, expected at least one positive weight".into());
    }
    Ok(())
}
