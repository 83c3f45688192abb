//! The best test on one column for given sums: what stumps and trees look for.
//!
//! In: the sums of a column by channel and code. Out: the cut, or subset of categories, with the
//! smallest impurity summed over its two sides; missing values go to the better side. Ties (scores
//! equal within 10⁻¹² of the total weight) go to the lowest cut. Categories are sorted by their share
//! of a channel; for two channels the best subset under all criteria is a prefix of that order
//! (Breiman et al. 1984), for more every channel's order is tried.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::Histogram;
use super::channel_sums::ChannelSums;
use super::criterion::Criterion;
use super::cuts::{CUTS, Cuts};
use crate::data::Binned;
use crate::demand::Demand;
use crate::error::Result;
use crate::hypothesis::{Passes, Test};
use crate::sampling::hashed;
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
struct Cut {
    column: usize,
    code: usize,
    missing_inside: bool,
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

/// A number for a set of categories.
fn number_of(codes: &[usize]) -> u64 {
    codes.iter().map(|&code| hashed(0, 1, code as u64)).fold(0, u64::wrapping_add)
}

/// The sums of one column by code.
struct ColumnSums<'a, S> {
    column: usize,
    channels: Vec<&'a [u64]>,
    rows: Option<&'a [u64]>,
    min_rows: u64,
    min_weight: u64,
    tie: f64,
    draw: Option<u64>,
    missing: usize,
    total: &'a S,
    /// All of the total.
    weight: u64,
}

/// A side of a test: its sums, all of them together and, if rows are counted, their number.
#[derive(Clone)]
struct Side<S> {
    sums: S,
    weight: u64,
    rows: u64,
}

impl<S: ChannelSums> Side<S> {
    fn empty(whole: &S) -> Self {
        Self { sums: whole.empty(), weight: 0, rows: 0 }
    }
}

impl<'a, S: ChannelSums> ColumnSums<'a, S> {
    fn new(
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

    fn at(&self, code: usize) -> S {
        self.total.at(&self.channels, code)
    }

    fn side(&self, code: usize) -> Side<S> {
        let sums = self.at(code);
        let rows = self.rows.map_or(0, |rows| rows[code]);
        Side { weight: sums.weight(), sums, rows }
    }

    /// Whether both sides hold enough if this weight and so many of all rows are inside.
    #[inline]
    fn both_hold_enough(&self, weight: u64, (rows, all_rows): (u64, u64)) -> bool {
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

    fn all_rows(&self) -> u64 {
        self.rows.map_or(0, |rows| rows.iter().sum())
    }

    /// The best `x ≤ cut`, with missing values on the better side. The last bin is a cut too when
    /// values are missing: it tells present from missing.
    fn best_cut<C: Criterion>(&self) -> Option<(f64, Cut)> {
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
    fn best_ordered_cut<C: Criterion>(&self, sign: f64, smooth: f64) -> Option<(f64, Cut)> {
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
    fn cut(&self, score: f64, Cut { column, code, missing_inside }: Cut) -> Candidate<S> {
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

    /// The best subset of categories, missing values being one of them. Categories without weight
    /// go to the heavier side.
    fn best_subset<C: Criterion>(&self) -> Option<Candidate<S>> {
        let n_channels = self.total.n_shares(self.channels.len());
        // Of two channels each has the other's order backwards.
        let channels = if n_channels == 2 { 1..2 } else { 0..n_channels };
        let orders: Vec<Vec<usize>> = match self.draw {
            None => channels.map(|channel| self.by_share(channel)).collect(),
            Some(draw) => vec![self.shuffled(draw)],
        };
        let all_rows = self.all_rows();
        let mut best: Option<(f64, Vec<usize>, S)> = None;
        for order in orders {
            let mut found = None;
            let mut inside = Side::empty(self.total);
            // Of a shuffled order half is taken, of any other as much as is best.
            let half = self.draw.map(|_| order.len() / 2);
            for taken in 1..order.len() {
                let next = self.side(order[taken - 1]);
                inside.sums.add(&next.sums);
                inside.weight += next.weight;
                inside.rows += next.rows;
                if half.is_some_and(|half| half != taken) {
                    continue;
                }
                if !self.both_hold_enough(inside.weight, (inside.rows, all_rows)) {
                    continue;
                }
                let luck = self.total.luck(self.column, || number_of(&order[..taken]));
                let score = inside.sums.split_impurity::<C>(self.total) + luck;
                let bar = found
                    .as_ref()
                    .map_or(best.as_ref().map(|best| best.0), |f: &(f64, usize, S)| Some(f.0));
                if score < bar.map_or(f64::INFINITY, |bar| bar - self.tie) {
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
            let mut is_inside: Vec<bool> =
                (0..=self.missing).map(|code| heavier && self.at(code).weight() == 0).collect();
            for code in taken {
                is_inside[code] = true;
            }
            let codes = (0..self.missing).filter(|&code| is_inside[code]);
            let test = Test {
                column: self.column,
                passes: Passes::OneOf(codes.map(|code| code as u16).collect()),
                missing_inside: is_inside[self.missing],
            };
            Candidate { score, test, inside, outside }
        })
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

    /// The codes with weight in random order.
    fn shuffled(&self, draw: u64) -> Vec<usize> {
        let has_weight = |code: &usize| self.at(*code).weight() > 0;
        let mut order: Vec<usize> = (0..=self.missing).filter(has_weight).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(draw));
        order
    }

    /// The codes with weight, by their share of one channel.
    fn by_share(&self, channel: usize) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = (0..=self.missing)
            .map(|code| (self.at(code), code))
            .filter(|(sums, _)| sums.weight() > 0)
            .map(|(sums, code)| (sums.share(channel), code))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, code)| code).collect()
    }
}
