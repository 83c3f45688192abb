//! The sums of one column by code, and the best cut of it.
//!
//! In: the histogram of a column and what both sides of a test must hold. Out: the cut with the
//! smallest impurity; equal scores go to the lowest cut. With a random number only the cut that is
//! drawn with it is tried.

use super::Histogram;
use super::channel_sums::ChannelSums;
use super::criterion::Criterion;
use super::cuts::{CUTS, Cuts};
use super::test_search::{Candidate, Cut, Limits};
use crate::data::Binned;
use crate::hypothesis::{Passes, Test};

/// The sums of one column by code.
pub(super) struct ColumnSums<'a, S> {
    pub column: usize,
    pub channels: Vec<&'a [u64]>,
    rows: Option<&'a [u64]>,
    min_rows: u64,
    min_weight: u64,
    pub tie: f64,
    /// A random number, if only the test drawn with it is tried.
    pub draw: Option<u64>,
    /// The code of missing values, the last one.
    pub missing: usize,
    pub total: &'a S,
    /// All of the total.
    weight: u64,
}

/// A side of a test: its sums, all of them together and, if rows are counted, their number.
#[derive(Clone)]
pub(super) struct Side<S> {
    pub sums: S,
    pub weight: u64,
    pub rows: u64,
}

impl<S: ChannelSums> Side<S> {
    pub(super) fn empty(whole: &S) -> Self {
        Self { sums: whole.empty(), weight: 0, rows: 0 }
    }
}

impl<'a, S: ChannelSums> ColumnSums<'a, S> {
    pub(super) fn new(
        data: &Binned,
        histogram: &'a Histogram,
        (total, limits): (&'a S, &Limits<'a>),
        column: usize,
    ) -> Self {
        let n_codes = data.n_codes(column);
        let sums =
            |histogram: &'a Histogram, channel| &histogram.channel(column, channel)[..n_codes];
        Self {
            column,
            channels: (0..histogram.n_channels()).map(|channel| sums(histogram, channel)).collect(),
            rows: limits.counts.map(|counts| sums(counts, 0)),
            min_rows: limits.min_rows,
            min_weight: limits.min_weight.max(1),
            tie: limits.tie,
            draw: limits.draws.map(|draws| draws[column]),
            missing: n_codes - 1,
            weight: total.weight(),
            total,
        }
    }

    pub(super) fn at(&self, code: usize) -> S {
        self.total.at(&self.channels, code)
    }

    pub(super) fn side(&self, code: usize) -> Side<S> {
        let sums = self.at(code);
        let rows = self.rows.map_or(0, |rows| rows[code]);
        Side { weight: sums.weight(), sums, rows }
    }

    /// Whether both sides hold enough if this weight and so many of all rows are inside.
    #[inline]
    pub(super) fn both_hold_enough(&self, weight: u64, (rows, all_rows): (u64, u64)) -> bool {
        if weight.min(self.weight - weight) < self.min_weight {
            return false;
        }
        let in_total = |weight| self.total.rows(weight).unwrap_or(u64::MAX);
        match self.rows {
            _ if self.min_rows <= 1 => true,
            Some(_) => rows.min(all_rows - rows) >= self.min_rows,
            None => in_total(weight).min(in_total(self.weight - weight)) >= self.min_rows,
        }
    }

    pub(super) fn all_rows(&self) -> u64 {
        self.rows.map_or(0, |rows| rows.iter().sum())
    }

    /// The best `x ≤ cut`, with missing values on the better side. The last bin is a cut too when
    /// values are missing: it tells present from missing.
    pub(super) fn best_cut<C: Criterion>(&self) -> Option<(f64, Cut)> {
        let missing = self.side(self.missing);
        let has_missing = missing.weight > 0;
        let tried = self.tried_cuts(has_missing);
        let all_rows = self.all_rows();
        let mut below = self.below(tried.start);
        let mut with_missing = has_missing.then(|| missing.sums.plus(&below.sums));
        let [mut plain, mut others] = [Cuts::default(), Cuts::default()];
        let mut best: Option<(f64, Cut)> = None;
        for start in tried.clone().step_by(CUTS) {
            let cuts = start..tried.end.min(start + CUTS);
            below.sums.add_cuts::<C>(&self.channels, cuts.clone(), self.total, &mut plain);
            if let Some(sums) = &mut with_missing {
                sums.add_cuts::<C>(&self.channels, cuts.clone(), self.total, &mut others);
            }
            for (at, code) in cuts.enumerate() {
                // A bin without weight makes the same two sides as the cut before, if there is one.
                let is_new = plain.weights[at] > below.weight || (has_missing && code == 0);
                below.weight = plain.weights[at];
                below.rows += self.rows.map_or(0, |rows| rows[code]);
                if !is_new && self.rows.is_none() && self.draw.is_none() {
                    continue;
                }
                let mut consider = |cuts: &Cuts, rows: u64, missing_inside: bool| {
                    let test = || 2 * code as u64 + u64::from(missing_inside);
                    let score = cuts.impurities[at] + self.total.luck(self.column, test);
                    if score < best.as_ref().map_or(f64::INFINITY, |best| best.0 - self.tie)
                        && self.both_hold_enough(cuts.weights[at], (rows, all_rows))
                    {
                        best = Some((score, Cut { column: self.column, code, missing_inside }));
                    }
                };
                if has_missing && code + 1 < self.missing {
                    consider(&others, below.rows + missing.rows, true);
                }
                consider(&plain, below.rows, false);
            }
        }
        best
    }

    /// The best cut whose sides are in order: one by one, because their sums are needed.
    pub(super) fn best_ordered_cut<C: Criterion>(
        &self,
        sign: f64,
        smooth: f64,
    ) -> Option<(f64, Cut)> {
        let missing = self.side(self.missing);
        let has_missing = missing.weight > 0;
        let tried = self.tried_cuts(has_missing);
        let all_rows = self.all_rows();
        let mut below = self.below(tried.start);
        let mut best: Option<(f64, Cut)> = None;
        for code in tried {
            below.weight += below.sums.add_at(&self.channels, code);
            below.rows += self.rows.map_or(0, |rows| rows[code]);
            let is_last = code + 1 >= self.missing;
            for missing_inside in [true, false] {
                if missing_inside && (!has_missing || is_last) {
                    continue;
                }
                let (inside, rows) = if missing_inside {
                    (below.sums.plus(&missing.sums), below.rows + missing.rows)
                } else {
                    (below.sums.clone(), below.rows)
                };
                if !self.both_hold_enough(inside.weight(), (rows, all_rows)) {
                    continue;
                }
                let outside = self.total.minus(&inside);
                // The last bin tells present from missing values, which have no order.
                if !is_last && sign * (outside.value(smooth) - inside.value(smooth)) < 0.0 {
                    continue;
                }
                let score = inside.split_impurity::<C>(self.total);
                if best.as_ref().is_none_or(|best| score < best.0 - self.tie) {
                    best = Some((score, Cut { column: self.column, code, missing_inside }));
                }
            }
        }
        best
    }

    /// The cuts that are tried: all, or the one that is drawn.
    fn tried_cuts(&self, has_missing: bool) -> std::ops::Range<usize> {
        let n_cuts = if has_missing { self.missing } else { self.missing.saturating_sub(1) };
        match self.draw {
            Some(draw) => {
                let cut = self.draw_cut(draw);
                cut..n_cuts.min(cut + 1)
            }
            None => 0..n_cuts,
        }
    }

    /// What is below a code.
    fn below(&self, end: usize) -> Side<S> {
        let mut below = Side::empty(self.total);
        for code in 0..end {
            below.weight += below.sums.add_at(&self.channels, code);
            below.rows += self.rows.map_or(0, |rows| rows[code]);
        }
        below
    }

    /// A cut with the sums of its sides.
    pub(super) fn cut(
        &self,
        score: f64,
        Cut { column, code, missing_inside }: Cut,
    ) -> Candidate<S> {
        let missing = self.side(self.missing);
        let mut inside = self.below(code + 1).sums;
        if missing_inside {
            inside.add(&missing.sums);
        }
        let outside = self.total.minus(&inside);
        let heavier = inside.weight() >= outside.weight();
        let test = Test {
            column,
            passes: Passes::AtMost(code as u16),
            missing_inside: if missing.weight > 0 { missing_inside } else { heavier },
        };
        Candidate { score, test, inside, outside }
    }

    /// A cut between the lowest and the highest value that have weight.
    fn draw_cut(&self, draw: u64) -> usize {
        let has_weight = |code: &usize| self.at(*code).weight() > 0;
        let lowest = (0..self.missing).find(has_weight).unwrap_or(0);
        let highest = (0..self.missing).rfind(has_weight).unwrap_or(0);
        // The upper half of the product of two 64-bit numbers: uniform below the second.
        let step = (u128::from(draw) * (highest - lowest) as u128) >> 64;
        lowest + step as usize
    }
}
