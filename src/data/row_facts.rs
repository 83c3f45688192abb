//! What is known of all rows that take part, of which a shard may hold some.
//!
//! In: the places and weights of the rows of a shard. Out: numbers of rows and sums of weights by class
//! over all shards. The sums are exact, so that they depend neither on the order of rows nor on who
//! shares a place or a shard.

use super::rows::ABSENT;
use crate::error::Result;
use crate::reduce::{ExactSum, Reduce};

/// Weights are numbers of rows if these are not more than so many for each row.
const MOST_REPEATS: f64 = 64.0;
/// How far from a whole number a ratio of weights may be by rounding, as a share of it.
const ROUNDING: f64 = 1e-9;

/// Sums over the rows of all shards, by class.
#[derive(Debug, Clone)]
pub(super) struct RowFacts {
    /// How many rows take part.
    pub n_rows: Vec<u64>,
    /// If rows have weights.
    pub weights: Option<WeightFacts>,
}

/// What is known of given weights.
#[derive(Debug, Clone)]
pub(super) struct WeightFacts {
    sums: Vec<ExactSum>,
    squares: Vec<ExactSum>,
    /// The smallest of all.
    pub lightest: f64,
    /// How many rows of the lightest weight the rows of each class stand for; `None` if all weights are
    /// equal, or if some are no whole multiples of the lightest one.
    pub repeats: Option<Vec<u64>>,
}

/// How many rows of the lightest weight a row stands for, if that is a whole number.
pub(super) fn repeats_of(weight: f64, lightest: f64) -> Option<u32> {
    let ratio = weight / lightest;
    let times = ratio.round();
    // Ratios of weights that underflow are no numbers, which this comparison refuses.
    let is_whole = (ratio - times).abs() <= ROUNDING * times && times <= f64::from(u32::MAX);
    is_whole.then_some(times as u32)
}

impl RowFacts {
    /// Adds up over the rows that have a place, in classes whose runs end at `class_ends`.
    pub fn new(
        place: &[u32],
        class_ends: &[usize],
        weights: Option<&[f64]>,
        reduce: &dyn Reduce,
    ) -> Result<Self> {
        let starts = std::iter::once(0).chain(class_ends.iter().copied());
        let mut n_rows: Vec<u64> =
            class_ends.iter().zip(starts).map(|(end, start)| (end - start) as u64).collect();
        reduce.sum_if_split(&mut n_rows)?;
        let weights = match weights {
            None => None,
            Some(weights) => {
                let rows = place.iter().zip(weights).filter(|(place, _)| **place != ABSENT);
                let class = |place: u32| class_ends.partition_point(|&end| end <= place as usize);
                let rows = rows.map(|(&place, &weight)| (class(place), weight));
                Some(WeightFacts::new(rows, &n_rows, reduce)?)
            }
        };
        Ok(Self { n_rows, weights })
    }

    /// How many rows take part in some classes.
    pub fn count(&self, has_class: impl Fn(usize) -> bool) -> u64 {
        let counts = self.n_rows.iter().enumerate().filter(|(class, _)| has_class(*class));
        counts.map(|(_, count)| count).sum()
    }

    /// The given weight of some classes.
    pub fn weight(&self, has_class: impl Fn(usize) -> bool) -> f64 {
        match &self.weights {
            None => self.count(has_class) as f64,
            Some(weights) => add_up(&weights.sums, has_class),
        }
    }

    /// How many rows of equal weight would tell as much as those of some classes.
    pub fn n_effective(&self, has_class: impl Fn(usize) -> bool) -> f64 {
        match &self.weights {
            None => self.count(has_class) as f64,
            Some(WeightFacts { repeats: Some(repeats), .. }) => {
                let repeats = repeats.iter().enumerate().filter(|(class, _)| has_class(*class));
                repeats.map(|(_, times)| times).sum::<u64>() as f64
            }
            Some(weights) => {
                let sum = add_up(&weights.sums, &has_class);
                sum * sum / add_up(&weights.squares, &has_class)
            }
        }
    }

    /// How many rows each class has; rows of different weights count as fewer (Kish 1965).
    pub fn class_rows(&self) -> Vec<f64> {
        let Some(weights) = &self.weights else {
            return self.n_rows.iter().map(|&count| count as f64).collect();
        };
        let (total, squares) =
            (add_up(&weights.sums, |_| true), add_up(&weights.squares, |_| true));
        weights.sums.iter().map(|sum| sum.number() * total / squares).collect()
    }
}

/// The sum of some classes.
fn add_up(sums: &[ExactSum], has_class: impl Fn(usize) -> bool) -> f64 {
    let sums = sums.iter().enumerate().filter(|(class, _)| has_class(*class));
    ExactSum::of_parts(sums.map(|(_, sum)| sum)).number()
}

impl WeightFacts {
    /// Adds up the weights of rows, each given with its class.
    fn new(
        rows: impl Iterator<Item = (usize, f64)> + Clone,
        n_rows: &[u64],
        reduce: &dyn Reduce,
    ) -> Result<Self> {
        let n_classes = n_rows.len();
        let mut sums = vec![ExactSum::default(); 2 * n_classes];
        let mut lightest = f64::INFINITY;
        for (class, weight) in rows.clone() {
            sums[class].add(weight);
            sums[n_classes + class].add(weight * weight);
            lightest = lightest.min(weight);
        }
        ExactSum::reduce(&mut sums, reduce)?;
        let squares = sums.split_off(n_classes);
        let lightest = -reduce.largest_of(-lightest)?;
        let repeats = count_repeats(rows, n_rows, lightest, reduce)?;
        Ok(Self { sums, squares, lightest, repeats })
    }
}

/// How many rows of the lightest weight the rows of each class stand for, see [`WeightFacts`].
fn count_repeats(
    rows: impl Iterator<Item = (usize, f64)>,
    n_rows: &[u64],
    lightest: f64,
    reduce: &dyn Reduce,
) -> Result<Option<Vec<u64>>> {
    // By class, then the number of rows that count several times, and of those that do not count.
    let n_classes = n_rows.len();
    let mut counts = vec![0u64; n_classes + 2];
    for (class, weight) in rows {
        let Some(times) = repeats_of(weight, lightest) else {
            counts[n_classes + 1] += 1;
            break;
        };
        counts[class] += u64::from(times);
        counts[n_classes] += u64::from(times > 1);
    }
    reduce.sum_if_split(&mut counts)?;
    let (several, none) = (counts[n_classes], counts[n_classes + 1]);
    counts.truncate(n_classes);
    let most = (MOST_REPEATS * n_rows.iter().sum::<u64>() as f64).min(f64::from(u32::MAX));
    let is_few = counts.iter().sum::<u64>() as f64 <= most;
    Ok((none == 0 && several > 0 && is_few).then_some(counts))
}
