//! The best test over all columns for given sums: what stumps and trees look for.
//!
//! In: sums by column, channel and code. Out: the cut, or subset of categories, with the
//! smallest impurity summed over its two sides; missing values go to the better side. Ties (scores
//! equal within 10⁻¹² of the total weight) go to the lowest column. `column_sums` goes through the
//! cuts of one column, `subset_search` through subsets of its categories.

use super::Histogram;
use super::channel_sums::ChannelSums;
use super::column_sums::ColumnSums;
use super::criterion::Criterion;
use crate::data::Binned;
use crate::demand::Demand;
use crate::error::Result;
use crate::hypothesis::Test;
use crate::workers::Workers;

/// A test under consideration.
#[derive(Debug, Clone)]
pub(super) struct Candidate<S> {
    /// The impurity of both sides.
    pub score: f64,
    pub test: Test,
    pub inside: S,
    pub outside: S,
}

/// What both sides of a test must hold.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    /// Scores closer than this are equal.
    pub tie: f64,
    /// The least weight of a side.
    pub min_weight: u64,
    /// The least number of rows of a side.
    pub min_rows: u64,
    /// The rows by column and code, if there must be several and the weights do not tell.
    pub counts: Option<&'a Histogram>,
    /// A random number for each column, if of each only one test is tried, drawn with it.
    pub draws: Option<&'a [u64]>,
    /// The columns that are tried, ascending; all if `None`.
    pub columns: Option<&'a [usize]>,
    /// In which order answers must be along columns.
    pub order: Option<Order<'a>>,
}

/// In which order answers must be along columns.
#[derive(Clone, Copy)]
pub(super) struct Order<'a> {
    /// By column: +1 if answers must not fall, −1 if they must not rise, 0 for any order.
    pub signs: &'a [i8],
    /// What is added to the weights of both sides before they answer.
    pub smooth: f64,
}

impl Order<'_> {
    /// The sign of a column, if it has one.
    fn sign(&self, column: usize) -> Option<f64> {
        self.signs.get(column).filter(|sign| **sign != 0).map(|sign| f64::from(*sign))
    }
}

impl Limits<'_> {
    /// A side must have some weight.
    pub fn none(total: &impl ChannelSums) -> Self {
        Self {
            tie: total.tie(),
            min_weight: 1,
            min_rows: 1,
            counts: None,
            draws: None,
            columns: None,
            order: None,
        }
    }
}

/// The best test of all columns; ties go to the lowest column.
pub(super) fn best_test<S: ChannelSums, C: Criterion>(
    data: &Binned,
    histogram: &Histogram,
    total: &S,
    limits: &Limits,
    workers: &Workers,
) -> Result<Option<Candidate<S>>> {
    let space = SearchSpace { data, n_channels: histogram.n_channels(), columns: limits.columns };
    let sums = |column| ColumnSums::new(data, histogram, (total, limits), column);
    let best = best_of_columns(space, limits.tie, workers, |column| {
        if data.is_categorical(column) {
            let subset = sums(column).best_subset::<C>();
            subset.map(|subset| (subset.score, Best::Subset(subset)))
        } else if let Some((order, sign)) =
            limits.order.and_then(|order| Some((order, order.sign(column)?)))
        {
            let cut = sums(column).best_ordered_cut::<C>(sign, order.smooth);
            cut.map(|(score, cut)| (score, Best::Cut(score, cut)))
        } else {
            let cut = sums(column).best_cut::<C>();
            cut.map(|(score, cut)| (score, Best::Cut(score, cut)))
        }
    })?;
    Ok(best.map(|best| match best {
        Best::Subset(candidate) => candidate,
        Best::Cut(score, cut) => sums(cut.column).cut(score, cut),
    }))
}

/// The best test of a column: the sums of cuts are only worked out for the best column.
enum Best<S> {
    Cut(f64, Cut),
    Subset(Candidate<S>),
}

/// The test `x ≤ cut` as such.
pub(super) struct Cut {
    pub column: usize,
    pub code: usize,
    pub missing_inside: bool,
}

/// Where a test is searched for.
pub(super) struct SearchSpace<'a> {
    pub data: &'a Binned,
    pub n_channels: usize,
    /// The columns that are tried, ascending; all if `None`.
    pub columns: Option<&'a [usize]>,
}

/// What has the lowest score over all columns; scores that differ by no more than `tie` are equal
/// and go to the lowest column.
pub(super) fn best_of_columns<T: Send>(
    space: SearchSpace,
    tie: f64,
    workers: &Workers,
    search: impl Fn(usize) -> Option<(f64, T)> + Sync,
) -> Result<Option<T>> {
    let SearchSpace { data, n_channels, columns } = space;
    let columns = columns.map_or_else(|| (0..data.n_columns()).collect(), <[usize]>::to_vec);
    let codes = columns.iter().map(|&c| data.n_codes(c)).sum::<usize>();
    // Every code has two sides to be judged, by all channels, and a judgement takes a division.
    let steps = 4 * n_channels * codes;
    let found = workers.map(steps, columns, |column| Ok(search(column)))?;
    let mut best: Option<(f64, T)> = None;
    for (score, candidate) in found.into_iter().flatten() {
        if best.as_ref().is_none_or(|best| score < best.0 - tie) {
            best = Some((score, candidate));
        }
    }
    Ok(best.map(|(_, candidate)| candidate))
}

/// The sums of all rows.
pub(super) fn total<S: ChannelSums>(data: &Binned, histogram: &Histogram, demand: &Demand) -> S {
    let channels: Vec<&[u64]> =
        (0..histogram.n_channels()).map(|c| histogram.channel(0, c)).collect();
    let mut total = S::zero(demand.question);
    for code in 0..data.n_codes(0) {
        total.add_at(&channels, code);
    }
    total.of_demand(demand)
}
