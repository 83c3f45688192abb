//! Which rows of a frame take part, in class order, and with what weight.
//!
//! In: class codes, weights and a choice of rows. Out: for every input row its place among those
//! chosen. Rows are ordered by class, then as they came, so that each class is one contiguous run;
//! rows of weight zero are absent. Rows that nothing tells apart may share a place. Places, copies and
//! lengths are those of one shard; numbers of rows, shares and weights are those among the rows of all.

use std::sync::Arc;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::given_rows::{GivenRows, equal_weights, scale};
use super::pieces::Pieces;
use super::row_facts::{RowFacts, repeats_of};
use crate::error::Result;
use crate::reduce::{Alone, Reduce, agree};

/// The place of a row that does not take part.
pub const ABSENT: u32 = u32::MAX;

/// Rows from which quantile cuts are taken; beyond that many rows a sample of this size.
const SAMPLE_ROWS: usize = 131_072;

/// The rows of one frame that take part, or those of them that one shard holds.
#[derive(Debug, Clone)]
pub struct Rows {
    place: Vec<u32>,
    class_ends: Vec<usize>,
    weights: Option<Vec<f64>>,
    /// How many input rows share each place; `None` if every row has its own.
    copies: Option<Vec<u32>>,
    /// By place: a key of what its row holds, for boosters that draw rows.
    contents: Option<Arc<[u64]>>,
    pieces: Pieces,
    facts: Arc<RowFacts>,
}

impl Rows {
    /// Chooses the rows of positive weight for which `chosen` holds; `weights` of `None` are all 1.
    pub fn select(
        classes: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let given = GivenRows { classes, n_classes, weights };
        Self::of_shard(given, &Pieces::whole(classes.len()), &Alone, chosen)
    }

    /// The same of the rows of a shard.
    pub fn of_shard(
        given: GivenRows,
        pieces: &Pieces,
        reduce: &dyn Reduce,
        chosen: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        let GivenRows { classes, n_classes, weights } = given;
        agree(reduce, given.check())?;
        let takes_part = |row: usize| given.weights.is_none_or(|w| w[row] > 0.0) && chosen(row);
        let weights = weights.map(|weights| scale(weights, takes_part, reduce)).transpose()?;
        let mut class_ends = vec![0; n_classes];
        for (row, &class) in classes.iter().enumerate() {
            class_ends[class as usize] += usize::from(takes_part(row));
        }
        let mut next = Vec::with_capacity(n_classes);
        let mut sum = 0;
        for end in &mut class_ends {
            next.push(sum as u32);
            sum += *end;
            *end = sum;
        }
        let mut place = vec![ABSENT; classes.len()];
        for (row, &class) in classes.iter().enumerate() {
            if takes_part(row) {
                place[row] = next[class as usize];
                next[class as usize] += 1;
            }
        }
        let are_equal = |weights: &Vec<f64>| equal_weights(&place, weights, reduce);
        // Equal weights are none, also to the last bit.
        let weights = match weights {
            Some(weights) if are_equal(&weights)? => None,
            weights => weights,
        };
        let facts = RowFacts::new(&place, &class_ends, weights.as_deref(), reduce)?;
        let (pieces, facts) = (pieces.clone(), Arc::new(facts));
        Ok(Self { place, class_ends, weights, copies: None, contents: None, pieces, facts })
    }

    /// Whether a row takes part.
    #[must_use]
    pub fn has(&self, row: usize) -> bool {
        self.place[row] != ABSENT
    }

    /// Whether weights were given that are not all equal.
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

    /// The number in the whole frame of the input row at each place; of those that share one the last.
    #[must_use]
    pub fn whole_numbers(&self) -> Vec<u64> {
        let numbers = self.numbers();
        numbers.into_iter().map(|number| self.pieces.number(number as usize)).collect()
    }

    /// The number of each input row in the whole frame.
    #[must_use]
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
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

    /// The number of input rows that take part, in all shards.
    #[must_use]
    pub fn n_input_rows(&self) -> usize {
        self.facts.count(|_| true) as usize
    }

    /// The same of some classes.
    #[must_use]
    pub fn n_rows_of(&self, has_class: impl Fn(usize) -> bool) -> u64 {
        self.facts.count(has_class)
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

    /// The weight of one row at each place, such that all rows together weigh 1; `None` if all are
    /// equal.
    #[must_use]
    pub fn start_weights(&self) -> Option<Vec<f64>> {
        self.weights_among(|_| true)
    }

    /// The same, such that the rows of some classes together weigh 1.
    #[must_use]
    pub fn weights_among(&self, has_class: impl Fn(usize) -> bool) -> Option<Vec<f64>> {
        let weights = self.weights.as_ref()?;
        let total = self.facts.weight(has_class);
        let mut by_place = vec![0.0; self.len()];
        // Rows share a place only if they weigh the same.
        for (&place, &weight) in self.place.iter().zip(weights).filter(|(p, _)| **p != ABSENT) {
            by_place[place as usize] = weight / total;
        }
        Some(by_place)
    }

    /// The sum of the given weights of all rows, up to a common factor.
    #[must_use]
    pub fn given_total(&self) -> f64 {
        self.facts.weight(|_| true)
    }

    /// How many rows each class has; rows of different weights count as the fewer rows of equal
    /// weight that would tell as much, (Σw)² / Σw² in all (Kish 1965).
    #[must_use]
    pub fn class_rows(&self) -> Vec<f64> {
        self.facts.class_rows()
    }

    /// How many rows of equal weight would tell as much as those of some classes: as many as they
    /// stand for (see [`Rows::repeats`]), or else (Σw)² / Σw² (Kish 1965).
    #[must_use]
    pub fn n_effective(&self, has_class: impl Fn(usize) -> bool) -> f64 {
        self.facts.n_effective(has_class)
    }

    /// How many rows of the lightest weight each place stands for; `None` if all weights are equal,
    /// or if some are no whole multiples of the lightest one.
    #[must_use]
    pub fn repeats(&self) -> Option<Vec<u32>> {
        let facts = self.facts.weights.as_ref()?;
        facts.repeats.as_ref()?;
        let mut repeats = vec![0; self.len()];
        for (row, &place) in self.place.iter().enumerate().filter(|(_, place)| **place != ABSENT) {
            repeats[place as usize] += repeats_of(self.given_weight(row), facts.lightest)?;
        }
        Some(repeats)
    }

    /// For how many rows of the lightest weight all rows stand, in all shards.
    #[must_use]
    pub fn n_repeats(&self) -> Option<u64> {
        self.facts.weights.as_ref()?.repeats.as_ref().map(|repeats| repeats.iter().sum())
    }

    /// Spreads weights by place, of so much in all, over the input rows as shares of the total; rows
    /// that do not take part get 0.
    #[must_use]
    pub fn spread(&self, mut by_place: Vec<f64>, total: f64) -> Vec<f64> {
        // Places may be far fewer than rows.
        for weight in &mut by_place {
            *weight /= total;
        }
        self.by_input_row(&by_place)
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
        let lightest = self.facts.weights.as_ref().map_or(1.0, |weights| weights.lightest);
        lightest / self.facts.weight(has_class)
    }

    /// The rows of the shard from which quantiles are taken, ascending: all, or one from each of many
    /// equal stretches of the whole frame. No choice of the user's enters, so equal frames get equal cuts.
    #[must_use]
    pub fn sample(&self) -> Vec<u32> {
        let has = |row: &u32| self.has(*row as usize);
        if self.n_input_rows() <= SAMPLE_ROWS {
            return (0..self.place.len() as u32).filter(has).collect();
        }
        let n = self.pieces.n_all();
        let mut generator = ChaCha8Rng::seed_from_u64(0);
        let at = |stretch: usize| (stretch as u128 * u128::from(n) / SAMPLE_ROWS as u128) as u64;
        let numbers = (0..SAMPLE_ROWS).map(|stretch| {
            let (start, end) = (at(stretch), at(stretch + 1));
            if u32::try_from(n).is_ok() {
                u64::from(generator.random_range(start as u32..end as u32))
            } else {
                generator.random_range(start..end)
            }
        });
        let own = numbers.filter_map(|number| self.pieces.find(number));
        let mut rows: Vec<u32> = own.map(|row| row as u32).filter(has).collect();
        rows.sort_unstable();
        rows
    }
}
