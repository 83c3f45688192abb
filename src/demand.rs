//! What a booster asks of a learner: a question, and a weight and a channel for every row.
//!
//! Weights are fixed-point integers, about [`FULL_WEIGHT`] in all. Integer sums are exact, so
//! histograms come out the same whatever the order of rows, blocks and threads.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use crate::sampling::hashed;

/// The integer that stands for the total weight 1. Rounding errors of a sum stay below
/// rows × 2⁻⁶², and no sum of a subset can overflow.
pub const FULL_WEIGHT: f64 = (1u64 << 62) as f64;

/// A sum of weights as a double. No sum fills 63 bits, and signed integers are converted faster.
#[inline]
pub(crate) fn number(weight: u64) -> f64 {
    weight as i64 as f64
}

/// What a hypothesis is to say of a row.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Question {
    /// On which of two sides it is: channel 0 means −1, channel 1 means +1.
    Side,
    /// Of which class it is, of so many; each has a channel.
    Class(usize),
    /// For each of so many classes, whether it is of that class. Every row has a weight for each
    /// class `k`, which falls into channel 2k (it is not) or 2k+1 (it is).
    EachClass(usize),
    /// Whether it is to move to the next of so many buckets, which hold rows of so many classes. The
    /// rows of class k in bucket j have the kind and the channel j · classes + k. The last channel
    /// adds up the keys of rows, by which [`Partitions`] are known.
    Buckets {
        /// The number of classes.
        n_classes: usize,
        /// The number of buckets.
        n_buckets: usize,
    },
    /// By how much its score is to change: a Newton step. Every row has a gradient, which is signed,
    /// and a curvature with a count; see [`Newton`].
    Newton(Newton),
}

/// How a Newton step G/(Q + λ) is made of the sums of gradients and curvatures of some rows.
///
/// A gradient is a signed fixed-point number, as the bits of an `u64`; its sums wrap around. A
/// curvature has the number of input rows in its lowest bits, so that rows are counted by the same
/// addition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Newton {
    /// λ, as a fixed-point number.
    pub lambda: f64,
    /// How many of the lowest bits of a curvature are the number of rows.
    pub count_bits: u32,
    /// What a step is multiplied by.
    pub factor: f64,
    /// What is added to every answer.
    pub offset: f64,
}

impl Newton {
    /// The largest step, before it is multiplied.
    const LONGEST: f64 = 4.0;

    /// The bits that it takes to count so many rows.
    #[must_use]
    pub fn bits_for(n_rows: usize) -> u32 {
        usize::BITS - n_rows.leading_zeros()
    }

    /// The curvature of a place and the number of its rows, in one number.
    #[inline]
    #[must_use]
    pub fn pack(&self, curvature: f64, n_rows: u32) -> u64 {
        let fixed = (curvature * FULL_WEIGHT) as i64 as u64;
        (fixed >> self.count_bits << self.count_bits) | u64::from(n_rows)
    }

    /// The number of rows in a sum.
    #[inline]
    #[must_use]
    pub fn rows(&self, packed: u64) -> u64 {
        packed & ((1 << self.count_bits) - 1)
    }

    /// By how much the loss falls, up to a factor, where rows of these sums get their best step.
    #[inline]
    #[must_use]
    pub fn gain(&self, gradient: i64, packed: u64) -> f64 {
        let gradient = gradient as f64;
        gradient * gradient / self.denominator(packed)
    }

    /// The answer to rows of these sums.
    #[must_use]
    pub fn answer(&self, gradient: i64, packed: u64) -> f64 {
        let step = gradient as f64 / self.denominator(packed);
        self.offset + self.factor * step.clamp(-Self::LONGEST, Self::LONGEST)
    }

    /// Q, without the number of rows.
    #[inline]
    #[must_use]
    pub fn curvature(&self, packed: u64) -> f64 {
        number(packed >> self.count_bits << self.count_bits)
    }

    /// Q + λ; the tiny term only matters when both are zero.
    #[inline]
    fn denominator(&self, packed: u64) -> f64 {
        self.curvature(packed) + self.lambda + f64::MIN_POSITIVE
    }
}

impl Question {
    /// How many sums are kept apart.
    #[must_use]
    pub fn n_channels(self) -> usize {
        match self {
            Self::Side | Self::Newton(_) => 2,
            Self::Class(n_classes) => n_classes,
            Self::EachClass(n_classes) => 2 * n_classes,
            Self::Buckets { n_classes, n_buckets } => n_classes * n_buckets + 1,
        }
    }

    /// How many weights a row has.
    #[must_use]
    pub fn n_layers(self) -> usize {
        match self {
            Self::Side | Self::Class(_) => 1,
            Self::EachClass(n_classes) => n_classes,
            Self::Buckets { .. } | Self::Newton(_) => 2,
        }
    }
}

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

    /// The key of a row.
    #[must_use]
    pub fn key(row: usize) -> u64 {
        hashed(0, 0, row as u64)
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

/// A stretch of rows of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stretch {
    /// Their side (0 or 1), their class, or their bucket and class.
    pub kind: usize,
    /// The place at which the next stretch begins.
    pub end: usize,
}

/// The rows to learn from, place by place, and what they weigh.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    /// What is asked.
    pub question: Question,
    /// A fixed-point weight per place, or of all equal rows that share it; layer after layer.
    pub weights: &'a [u64],
    /// Which places hold rows of which kind.
    pub stretches: &'a [Stretch],
    /// The row at each place, ascending within a stretch; `None` if place and row are the same.
    pub rows: Option<&'a [u32]>,
    /// How many input rows share each place; `None` if every row has its own.
    pub copies: Option<&'a [u32]>,
    /// The share of the lightest row in the start weight.
    pub lightest: f64,
    /// Which partitions are no candidates, for questions about buckets.
    pub partitions: Option<&'a Arc<Partitions>>,
}

impl Demand<'_> {
    /// The number of places.
    #[must_use]
    pub fn n_places(&self) -> usize {
        self.stretches.last().map_or(0, |stretch| stretch.end)
    }

    /// The row at a place.
    #[must_use]
    pub fn row(&self, place: usize) -> usize {
        self.rows.map_or(place, |rows| rows[place] as usize)
    }

    /// The channel into which the weights of one layer and stretch fall.
    pub(crate) fn channel(&self, layer: usize, stretch: usize) -> usize {
        let kind = self.stretches[stretch].kind;
        match self.question {
            Question::Buckets { .. } if layer == 1 => self.question.n_channels() - 1,
            Question::Side | Question::Class(_) | Question::Buckets { .. } => kind,
            Question::EachClass(_) => 2 * layer + usize::from(kind == layer),
            Question::Newton(_) => layer,
        }
    }

    /// The kind of each place.
    fn kinds(&self) -> impl Iterator<Item = usize> {
        let mut start = 0;
        self.stretches.iter().flat_map(move |stretch| {
            let places = start..stretch.end;
            start = stretch.end;
            places.map(move |_| stretch.kind)
        })
    }

    /// The weights by place as numbers whose mean is 1.
    fn mean_one(&self) -> Vec<f64> {
        let total = self.weights.iter().sum::<u64>() as f64;
        let factor = self.weights.len() as f64 / total;
        self.weights.iter().map(|&weight| weight as f64 * factor).collect()
    }

    /// The side (−1 or +1) and the weight of every row; zeros for rows that do not take part. The
    /// weights of the others have mean 1.
    pub(crate) fn sides_by_row<T: Clone + From<i8>>(&self, n_rows: usize) -> (Vec<T>, Vec<f64>) {
        let mut sides = vec![T::from(0i8); n_rows];
        let mut weights = vec![0.0; n_rows];
        for ((place, kind), weight) in self.kinds().enumerate().zip(self.mean_one()) {
            let row = self.row(place);
            sides[row] = T::from(if kind == 0 { -1i8 } else { 1i8 });
            weights[row] = weight;
        }
        (sides, weights)
    }
}

/// The rows that a search is to attend to, with their weights.
#[derive(Debug, Default)]
pub struct OwnedDemand {
    /// The row at each place, ascending within a stretch; `None` if place and row are the same.
    pub rows: Option<Vec<u32>>,
    /// The fixed-point weight of all input rows at each place.
    pub weights: Vec<u64>,
    /// How many input rows share each place; `None` if every row has its own.
    pub copies: Option<Vec<u32>>,
    /// Which places hold rows of which kind.
    pub stretches: Vec<Stretch>,
}

impl OwnedDemand {
    /// Looks up how many input rows share each place, given that by row.
    #[must_use]
    pub fn with_copies(mut self, by_row: Option<&[u32]>) -> Self {
        self.copies = by_row.map(|by_row| match &self.rows {
            Some(rows) => rows.iter().map(|&row| by_row[row as usize]).collect(),
            None => by_row.to_vec(),
        });
        self
    }

    /// The demand for a learner; `lightest` is the share of the lightest row in the start weight.
    #[must_use]
    pub fn lend(&self, question: Question, lightest: f64) -> Demand<'_> {
        Demand {
            question,
            weights: &self.weights,
            stretches: &self.stretches,
            rows: self.rows.as_deref(),
            copies: self.copies.as_deref(),
            lightest,
            partitions: None,
        }
    }
}

/// What a booster needs of answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Needs {
    /// −1 or +1.
    Votes,
    /// Numbers from −1 to +1; votes unless it is told otherwise.
    UnitAnswers,
    /// Numbers from −1 to +1; differences of class shares unless it is told otherwise.
    Shares,
    /// Any number will do.
    Nothing,
    /// Steps that it defines itself, so that learners answer as they are told.
    OwnSteps,
}

impl Needs {
    /// Whether learners vote unless they are told otherwise.
    #[must_use]
    pub fn wants_votes(self) -> bool {
        match self {
            Self::Votes | Self::UnitAnswers | Self::OwnSteps => true,
            Self::Shares | Self::Nothing => false,
        }
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
