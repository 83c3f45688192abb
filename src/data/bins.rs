//! How a column's values become small codes: cut points for numbers, a map for categories.
//!
//! In: a column and the rows that train. Out: [`Bins`], which also encode. Codes run from 0 to
//! `len() − 1`; `len()` itself is the code of a missing value. A number's code is the count of cuts
//! below it, so `code ≤ c` says the same as `x ≤ cuts[c]`.

use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

use super::categories::CategoryBins;
use super::column::{Column, Kind};
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
        let steps = columns.len() * rows.places().len();
        workers.map(steps, columns.iter().collect(), |column| {
            if column.kind.is_category() {
                CategoryBins::fit(column, rows, max_bins, workers).map(Self::Categories)
            } else {
                NumberBins::fit(column, rows, &picks, max_bins, workers).map(Self::Numbers)
            }
        })
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

impl NumberBins {
    fn fit(
        column: &Column,
        rows: &Rows,
        picks: &[u32],
        max_bins: usize,
        workers: &Workers,
    ) -> Result<Self> {
        let distinct = match few_distinct(column, rows, max_bins, workers)? {
            Some(values) => values.into_iter().map(|key| (key, 1.0)).collect(),
            None => sample_distinct(column, rows, picks, workers)?,
        };
        let mut cuts = cut_evenly(&distinct, max_bins, column.kind);
        // Only −∞ beside the lowest finite number has no finite cut: they share a bin.
        cuts.retain(|cut| cut.is_finite());
        Ok(Self { cuts })
    }
}

/// All distinct values in order, unless there are more than `most`.
fn few_distinct(
    column: &Column,
    rows: &Rows,
    most: usize,
    workers: &Workers,
) -> Result<Option<Vec<i64>>> {
    let mut seen: HashSet<i64> = HashSet::new();
    let mut numbers = vec![0.0; BLOCK_ROWS.min(column.len())];
    let mut last = f64::NAN;
    for block in row_blocks(column.len()) {
        workers.check()?;
        let numbers = &mut numbers[..block.len()];
        column.read_numbers(block.start, numbers);
        for (row, &x) in block.zip(numbers.iter()) {
            if x == last || x.is_nan() || !rows.has(row) {
                continue;
            }
            last = x;
            if seen.insert(sortable(x)) && seen.len() > most {
                return Ok(None);
            }
        }
    }
    let mut values: Vec<i64> = seen.into_iter().collect();
    values.sort_unstable();
    Ok(Some(values))
}

/// The distinct values among the sampled rows, ascending, with their weights.
fn sample_distinct(
    column: &Column,
    rows: &Rows,
    picks: &[u32],
    workers: &Workers,
) -> Result<Vec<(i64, f64)>> {
    let mut keys = Vec::with_capacity(picks.len());
    let mut weights = Vec::new();
    let mut picks = picks.iter().map(|&row| row as usize).peekable();
    let mut numbers = vec![0.0; BLOCK_ROWS.min(column.len())];
    for block in row_blocks(column.len()) {
        workers.check()?;
        let numbers = &mut numbers[..block.len()];
        column.read_numbers(block.start, numbers);
        while let Some(row) = picks.next_if(|&row| row < block.end) {
            let x = numbers[row - block.start];
            if !x.is_nan() {
                keys.push(sortable(x));
                if rows.is_weighted() {
                    weights.push(rows.given_weight(row));
                }
            }
        }
    }
    Ok(if rows.is_weighted() {
        let mut pairs: Vec<(i64, f64)> = keys.into_iter().zip(weights).collect();
        pairs.sort_unstable_by_key(|&(key, _)| key);
        add_up_equal(pairs)
    } else {
        keys.sort_unstable();
        add_up_equal(keys.into_iter().map(|key| (key, 1.0)))
    })
}

/// Adds up the weights of equal neighbours.
fn add_up_equal(sorted: impl IntoIterator<Item = (i64, f64)>) -> Vec<(i64, f64)> {
    let mut distinct: Vec<(i64, f64)> = Vec::new();
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
