//! How a column's values become small codes: cut points for numbers, a map for categories.
//!
//! In: a column and the rows that train. Out: [`Bins`], which also encode. Codes run from 0 to
//! `len() − 1`; `len()` itself is the code of a missing value. A number's code is the count of cuts
//! below it, so `code ≤ c` says the same as `x ≤ cuts[c]`.

use std::ops::AddAssign;

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::categories::{CategoryBins, CategoryLearner};
use super::column::{Column, Kind};
use super::radix_sort::sort;
use super::round_cut::round_cut;
use super::rows::Rows;
use super::search::Search;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers, row_blocks};

/// The codes of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Bins {
    /// Ordered values, told apart by cuts.
    Numbers(NumberBins),
    /// Unordered values.
    Categories(CategoryBins),
}

/// Ascending finite cuts; bin `c` holds `cuts[c − 1] < x ≤ cuts[c]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NumberBins {
    /// The cut points.
    pub cuts: Vec<f64>,
}

impl Bins {
    /// Learns the bins of every column from the rows that train.
    pub fn fit(
        columns: &[Column],
        rows: &Rows,
        max_bins: usize,
        workers: &Workers,
    ) -> Result<Vec<Self>> {
        let picks = rows.sample();
        let sampled = SampledRows { rows, picks: &picks };
        let steps = columns.len() * rows.places().len();
        let see = |column: &Column| {
            let mut learner = BinLearner::new(column.kind, max_bins);
            learner.see((column, 0), &sampled, workers)?;
            Ok(learner)
        };
        if workers.reduce().is_split() {
            let learners = workers.map(steps, columns.iter().collect(), see);
            return BinLearner::finish_all(learners, workers);
        }
        workers.map(steps, columns.iter().collect(), |column| see(column)?.finish(workers))
    }

    /// The bins of a column that no test looks at: a single one, or none for categories.
    #[must_use]
    pub fn blank(kind: Kind) -> Self {
        if kind.is_category() {
            Self::Categories(CategoryBins::default())
        } else {
            Self::Numbers(NumberBins { cuts: Vec::new() })
        }
    }

    /// The number of bins for values that are present.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(bins) => bins.cuts.len() + 1,
            Self::Categories(bins) => bins.len(),
        }
    }

    /// Whether no value has a bin (a category column of nothing but missing values).
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a missing value, which is the largest code.
    #[must_use]
    pub fn missing(&self) -> usize {
        self.len()
    }

    /// Writes the codes of the rows from `start` on.
    pub fn encode(&self, column: &Column, start: usize, codes: &mut [u16]) {
        match self {
            Self::Numbers(bins) => search_codes(&Search::new(&bins.cuts), column, start, codes),
            Self::Categories(bins) => {
                let mut ids = vec![0; codes.len()];
                let missing = bins.len() as u32;
                column.read_texts(start, &mut ids, &mut |text| bins.code(text).unwrap_or(missing));
                for (code, id) in codes.iter_mut().zip(ids) {
                    *code = id.min(missing) as u16;
                }
            }
        }
    }
}

/// Writes the codes of the numbers from row `start` on, with cuts that were made ready before.
pub fn search_codes(search: &Search, column: &Column, start: usize, codes: &mut [u16]) {
    let mut numbers = vec![0.0; codes.len()];
    column.read_numbers(start, &mut numbers);
    search.run(&numbers, codes);
}

/// Maps floats onto integers of the same order (−0 = +0), which sort faster.
pub(super) fn sortable(x: f64) -> i64 {
    let bits = (x + 0.0).to_bits() as i64;
    bits ^ (((bits >> 63) as u64) >> 1) as i64
}

fn unsortable(key: i64) -> f64 {
    f64::from_bits((key ^ (((key >> 63) as u64) >> 1) as i64) as u64)
}

/// The rows that train, and those of them from which quantiles are taken.
#[derive(Clone, Copy)]
pub struct SampledRows<'a> {
    /// The rows that train.
    pub rows: &'a Rows,
    /// Row numbers, ascending: see [`Rows::sample`].
    pub picks: &'a [u32],
}

/// Learns the bins of one column, whose rows may come in tiles.
pub enum BinLearner {
    /// Ordered values.
    Numbers(NumberLearner),
    /// Unordered values.
    Categories(CategoryLearner),
}

impl BinLearner {
    /// For columns of a kind.
    #[must_use]
    pub fn new(kind: Kind, max_bins: usize) -> Self {
        if kind.is_category() {
            Self::Categories(CategoryLearner::new(kind, max_bins))
        } else {
            Self::Numbers(NumberLearner::new(kind, max_bins))
        }
    }

    /// Looks at some rows, the first of which has this number; rows come in their order.
    pub fn see(
        &mut self,
        (column, first): (&Column, usize),
        sampled: &SampledRows,
        workers: &Workers,
    ) -> Result<()> {
        match self {
            Self::Numbers(learner) => learner.see((column, first), sampled, workers),
            Self::Categories(learner) => learner.see((column, first), sampled.rows, workers),
        }
    }

    /// The bins of what was seen.
    pub fn finish(self, workers: &Workers) -> Result<Bins> {
        match self {
            Self::Numbers(learner) => Ok(Bins::Numbers(learner.finish())),
            Self::Categories(learner) => learner.finish(workers).map(Bins::Categories),
        }
    }
}

/// Learns cuts between numbers: all that differ if they are few, else those of a sample.
pub struct NumberLearner {
    kind: Kind,
    pub(super) max_bins: usize,
    /// All distinct values, unless there are more than bins.
    pub(super) few: Option<HashSet<i64>>,
    /// The last value, as neighbours are often equal.
    last: f64,
    /// The values of the sampled rows.
    pub(super) keys: Vec<i64>,
    /// Their weights in fixed point, unless each counts once.
    pub(super) weights: Vec<u128>,
}

/// The weight 1 in fixed point; sums of given weights depend on no order.
const UNIT: f64 = (1u128 << 80) as f64;

/// A given weight in fixed point: above zero if it is.
pub(super) fn fixed_weight(weight: f64) -> u128 {
    ((UNIT * weight) as u128).max(u128::from(weight > 0.0))
}

impl NumberLearner {
    fn new(kind: Kind, max_bins: usize) -> Self {
        let (few, keys, weights) = (Some(HashSet::new()), Vec::new(), Vec::new());
        Self { kind, max_bins, few, last: f64::NAN, keys, weights }
    }

    fn see(
        &mut self,
        (column, first): (&Column, usize),
        &SampledRows { rows, picks }: &SampledRows,
        workers: &Workers,
    ) -> Result<()> {
        let picked = picks.partition_point(|&row| (row as usize) < first);
        let mut picks = picks[picked..].iter().map(|&row| row as usize - first).peekable();
        if self.keys.is_empty() {
            self.keys.reserve(picks.len());
        }
        let mut numbers = vec![0.0; BLOCK_ROWS.min(column.len())];
        for block in row_blocks(column.len()) {
            workers.check()?;
            let numbers = &mut numbers[..block.len()];
            column.read_numbers(block.start, numbers);
            self.see_all(numbers, first + block.start, rows);
            while let Some(row) = picks.next_if(|&row| row < block.end) {
                let x = numbers[row - block.start];
                if !x.is_nan() {
                    self.keys.push(sortable(x));
                    if rows.is_weighted() {
                        self.weights.push(fixed_weight(rows.given_weight(first + row)));
                    }
                }
            }
        }
        Ok(())
    }

    /// Collects distinct values until there are too many.
    fn see_all(&mut self, numbers: &[f64], first: usize, rows: &Rows) {
        let Some(few) = &mut self.few else { return };
        for (at, &x) in numbers.iter().enumerate() {
            if x == self.last || x.is_nan() || !rows.has(first + at) {
                continue;
            }
            self.last = x;
            if few.insert(sortable(x)) && few.len() > self.max_bins {
                self.few = None;
                return;
            }
        }
    }

    fn finish(self) -> NumberBins {
        let distinct: Vec<(i64, f64)> = if let Some(few) = self.few {
            let mut values: Vec<i64> = few.into_iter().collect();
            values.sort_unstable();
            values.into_iter().map(|key| (key, 1.0)).collect()
        } else if self.weights.is_empty() {
            counted(self.keys, 1.0)
        } else {
            let distinct = with_weights(self.keys, self.weights).into_iter();
            distinct.map(|(key, weight)| (key, weight as f64)).collect()
        };
        let mut cuts = cut_evenly(&distinct, self.max_bins, self.kind);
        // Only −∞ beside the lowest finite number has no finite cut: they share a bin.
        cuts.retain(|cut| cut.is_finite());
        NumberBins { cuts }
    }
}

/// The distinct values, ascending, with their weights; without weights each value counts once.
pub(super) fn with_weights(keys: Vec<i64>, weights: Vec<u128>) -> Vec<(i64, u128)> {
    if weights.is_empty() {
        return counted(keys, 1);
    }
    let mut pairs: Vec<(i64, u128)> = keys.into_iter().zip(weights).collect();
    // Those of shards come sorted one after the other, which a stable sort takes as runs.
    pairs.sort_by_key(|&(key, _)| key);
    add_up_equal(pairs)
}

/// The distinct values, ascending, with how many of them there are.
fn counted<W: AddAssign + Copy>(keys: Vec<i64>, one: W) -> Vec<(i64, W)> {
    add_up_equal(sort(keys).into_iter().map(|key| (key, one)))
}

/// Adds up the weights of equal neighbours.
fn add_up_equal<W: AddAssign>(sorted: impl IntoIterator<Item = (i64, W)>) -> Vec<(i64, W)> {
    let mut distinct: Vec<(i64, W)> = Vec::new();
    for (key, weight) in sorted {
        match distinct.last_mut() {
            Some(last) if last.0 == key => last.1 += weight,
            _ => distinct.push((key, weight)),
        }
    }
    distinct
}

/// Cuts an ascending list of weighted values into at most `max_bins` bins of similar weight; a value
/// heavier than the mean bin gets one of its own.
fn cut_evenly(distinct: &[(i64, f64)], max_bins: usize, kind: Kind) -> Vec<f64> {
    let cut =
        |at: usize| round_cut(unsortable(distinct[at].0), unsortable(distinct[at + 1].0), kind);
    if distinct.len() <= max_bins {
        return (0..distinct.len().saturating_sub(1)).map(cut).collect();
    }
    // Values heavier than the mean bin are counted out first, so that the others share evenly what
    // is left.
    let total: f64 = distinct.iter().map(|d| d.1).sum();
    let weight = |at: usize| distinct[at].1;
    let is_heavy = |at: usize| weight(at) >= total / max_bins as f64 * (1.0 - 1e-12);
    let heavy: Vec<f64> = (0..distinct.len()).filter(|&at| is_heavy(at)).map(weight).collect();
    let mut rest = total - heavy.iter().sum::<f64>();
    let mut bins_left = max_bins.saturating_sub(heavy.len());
    let mut cuts = Vec::with_capacity(max_bins);
    let mut filled = 0.0;
    for at in 0..distinct.len() - 1 {
        if cuts.len() + 1 == max_bins {
            break;
        }
        if !is_heavy(at) {
            filled += weight(at);
            let mean = rest / bins_left.max(1) as f64 * (1.0 - 1e-12);
            if filled < mean && !is_heavy(at + 1) {
                continue;
            }
            rest -= filled;
            filled = 0.0;
            bins_left = bins_left.saturating_sub(1);
        }
        cuts.push(cut(at));
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array1;
    use proptest::prelude::*;

    use crate::data::NumberArray;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn rows_in_tiles_have_the_bins_of_all_rows_at_once(
            seed in 1u64..1000,
            n_values in prop_oneof![Just(5u64), Just(90), Just(1 << 40)],
            is_category: bool,
            is_weighted: bool,
            ends in prop::collection::vec(0usize..150_000, 0..4),
        ) {
            let n_rows = 150_000; // more than the sample
            let number = |row: u64| (row * row + seed * row) % 1_000_003 * 7919 % n_values;
            let values: Array1<f64> = (0..n_rows as u64).map(|row| number(row) as f64).collect();
            let weights: Vec<f64> = (0..n_rows).map(|row| (row % 4) as f64 * 0.3).collect();
            let classes: Vec<u32> = (0..n_rows as u32).map(|row| row % 2).collect();
            let weights = is_weighted.then_some(weights.as_slice());
            let rows = Rows::select(&classes, 2, weights, |row| row % 11 > 0).unwrap();
            let workers = Workers::new(Some(1)).unwrap();
            let column = |from: usize, to: usize| {
                let values = values.slice(ndarray::s![from..to]);
                let mut column = Column::from_array("x".into(), NumberArray::F64(values));
                column.kind = if is_category { Kind::NumberedCategory } else { Kind::Number };
                column
            };
            let max_bins = if n_values > 90 { 255 } else { 50 };
            let whole = Bins::fit(&[column(0, n_rows)], &rows, max_bins, &workers).unwrap();
            let mut ends = ends;
            ends.push(n_rows);
            ends.sort_unstable();
            let picks = rows.sample();
            let sampled = SampledRows { rows: &rows, picks: &picks };
            let mut learner = BinLearner::new(column(0, 0).kind, max_bins);
            let mut first = 0;
            for end in ends {
                learner.see((&column(first, end), first), &sampled, &workers).unwrap();
                first = end;
            }
            prop_assert_eq!(learner.finish(&workers).unwrap(), whole[0].clone());
        }
    }
}
