//! The best test on one column for given sums: what stumps and trees look for.
//!
//! In: the sums of a column by channel and code. Out: the cut, or subset of categories, with the
//! smallest impurity summed over its two sides; missing values go to the better side. Ties (scores
//! equal within 10⁻¹² of the total weight) go to the lowest cut. Categories are sorted by their share
//! of a channel; for two channels the best subset under all criteria is a prefix of that order
//! (Breiman et al. 1984), for more every channel's order is tried.

use super::Histogram;
use super::channel_sums::ChannelSums;
use super::criterion::{Criterion, TIE};
use crate::data::Binned;
use crate::error::Result;
use crate::hypothesis::{Passes, Test};
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
    /// The least number of rows of a side, and the rows by column and code.
    pub min_rows: Option<(u64, &'a Histogram)>,
}

impl Limits<'_> {
    /// A side must have some weight.
    pub fn none(total: u64) -> Self {
        Self { tie: TIE * total as f64, min_weight: 1, min_rows: None }
    }
}

/// The best test of all columns; ties go to the lowest column.
pub(super) fn best_test<S: ChannelSums, C: Criterion>(
    data: &Binned,
    histogram: &Histogram,
    limits: &Limits,
    workers: &Workers,
) -> Result<Option<Candidate<S>>> {
    let steps = (0..data.n_columns()).map(|c| data.n_codes(c)).sum::<usize>();
    let columns = (0..data.n_columns()).collect();
    let candidates = workers.map(steps, columns, |column| {
        let sums = ColumnSums::<S>::new(data, histogram, limits, column);
        Ok(if data.is_categorical(column) { sums.best_subset::<C>() } else { sums.best_cut::<C>() })
    })?;
    let mut best: Option<Candidate<S>> = None;
    for candidate in candidates.into_iter().flatten() {
        if best.as_ref().is_none_or(|best| candidate.score < best.score - limits.tie) {
            best = Some(candidate);
        }
    }
    Ok(best)
}

/// The sums of all rows.
pub(super) fn total<S: ChannelSums>(data: &Binned, histogram: &Histogram) -> S {
    let limits = Limits { tie: 0.0, min_weight: 0, min_rows: None };
    ColumnSums::<S>::new(data, histogram, &limits, 0).total
}

/// The sums of one column by code.
struct ColumnSums<'a, S> {
    column: usize,
    channels: Vec<&'a [u64]>,
    rows: Option<(u64, &'a [u64])>,
    min_weight: u64,
    tie: f64,
    missing: usize,
    total: S,
}

/// A side of a test: its sums and, if rows are counted, their number.
#[derive(Clone)]
struct Side<S> {
    sums: S,
    rows: u64,
}

impl<'a, S: ChannelSums> ColumnSums<'a, S> {
    fn new(data: &Binned, histogram: &'a Histogram, limits: &Limits<'a>, column: usize) -> Self {
        let n_codes = data.n_codes(column);
        let sums =
            |histogram: &'a Histogram, channel| &histogram.channel(column, channel)[..n_codes];
        let n_channels = histogram.n_channels();
        let mut sums = Self {
            column,
            channels: (0..n_channels).map(|channel| sums(histogram, channel)).collect(),
            rows: limits.min_rows.map(|(least, counts)| (least, sums(counts, 0))),
            min_weight: limits.min_weight.max(1),
            tie: limits.tie,
            missing: n_codes - 1,
            total: S::zero(n_channels),
        };
        let mut total = S::zero(n_channels);
        for code in 0..n_codes {
            total.add(&sums.at(code));
        }
        sums.total = total;
        sums
    }

    fn at(&self, code: usize) -> S {
        S::at(&self.channels, code)
    }

    fn side(&self, code: usize) -> Side<S> {
        Side { sums: self.at(code), rows: self.rows.map_or(0, |(_, rows)| rows[code]) }
    }

    /// The impurity of a test with these rows inside, if both sides hold enough.
    #[inline]
    fn score<C: Criterion>(&self, inside: &Side<S>, all_rows: u64) -> Option<f64> {
        let outside = self.total.minus(&inside.sums);
        if inside.sums.weight() < self.min_weight || outside.weight() < self.min_weight {
            return None;
        }
        if let Some((least, _)) = self.rows
            && inside.rows.min(all_rows - inside.rows) < least
        {
            return None;
        }
        Some(inside.sums.impurity::<C>() + outside.impurity::<C>())
    }

    fn all_rows(&self) -> u64 {
        self.rows.map_or(0, |(_, rows)| rows.iter().sum())
    }

    /// The best `x ≤ cut`, with missing values on the better side. The last bin is a cut too when
    /// values are missing: it tells present from missing.
    fn best_cut<C: Criterion>(&self) -> Option<Candidate<S>> {
        let (all_rows, missing) = (self.all_rows(), self.side(self.missing));
        let has_missing = missing.sums.weight() > 0;
        let n_cuts = if has_missing { self.missing } else { self.missing.saturating_sub(1) };
        let mut best: Option<(f64, usize, bool, S)> = None;
        let mut below = Side { sums: S::zero(self.channels.len()), rows: 0 };
        for cut in 0..n_cuts {
            below.sums.add(&self.at(cut));
            below.rows += self.rows.map_or(0, |(_, rows)| rows[cut]);
            let mut consider = |inside: &Side<S>, missing_inside: bool| {
                let Some(score) = self.score::<C>(inside, all_rows) else { return };
                if best.as_ref().is_none_or(|best| score < best.0 - self.tie) {
                    best = Some((score, cut, missing_inside, inside.sums.clone()));
                }
            };
            if has_missing && cut + 1 < self.missing {
                let rows = below.rows + missing.rows;
                consider(&Side { sums: below.sums.plus(&missing.sums), rows }, true);
            }
            consider(&below, false);
        }
        best.map(|(score, cut, missing_inside, inside)| {
            let outside = self.total.minus(&inside);
            let heavier = inside.weight() >= outside.weight();
            let test = Test {
                column: self.column,
                passes: Passes::AtMost(cut as u16),
                missing_inside: if has_missing { missing_inside } else { heavier },
            };
            Candidate { score, test, inside, outside }
        })
    }

    /// The best subset of categories, missing values being one of them. Categories without weight
    /// go to the heavier side.
    fn best_subset<C: Criterion>(&self) -> Option<Candidate<S>> {
        let n_channels = self.channels.len();
        // Of two channels each has the other's order backwards.
        let orders = if n_channels == 2 { 1..2 } else { 0..n_channels };
        let mut best: Option<(f64, Vec<usize>, S)> = None;
        for channel in orders {
            let order = self.by_share(channel);
            let mut found = None;
            let mut inside = Side { sums: S::zero(n_channels), rows: 0 };
            let all_rows = self.all_rows();
            for taken in 1..order.len() {
                let next = self.side(order[taken - 1]);
                inside.sums.add(&next.sums);
                inside.rows += next.rows;
                let Some(score) = self.score::<C>(&inside, all_rows) else { continue };
                let bar = found
                    .as_ref()
                    .map_or(best.as_ref().map(|best| best.0), |f: &(f64, usize, S)| Some(f.0));
                if bar.is_none_or(|bar| score < bar - self.tie) {
                    found = Some((score, taken, inside.sums.clone()));
                }
            }
            if let Some((score, taken, inside)) = found {
                best = Some((score, order[..taken].to_vec(), inside));
            }
        }
        best.map(|(score, taken, inside)| {
            let outside = self.total.minus(&inside);
            let heavier = inside.weight() >= outside.weight();
            let is_inside = |code: usize| {
                if self.at(code).weight() > 0 { taken.contains(&code) } else { heavier }
            };
            let codes = (0..self.missing).filter(|&code| is_inside(code));
            let test = Test {
                column: self.column,
                passes: Passes::OneOf(codes.map(|code| code as u16).collect()),
                missing_inside: is_inside(self.missing),
            };
            Candidate { score, test, inside, outside }
        })
    }

    /// The codes with weight, by their share of one channel.
    fn by_share(&self, channel: usize) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = (0..=self.missing)
            .map(|code| (self.at(code), code))
            .filter(|(sums, _)| sums.weight() > 0)
            .map(|(sums, code)| (sums.channel(channel) as f64 / sums.weight() as f64, code))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, code)| code).collect()
    }
}
