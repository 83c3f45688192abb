//! The best decision stump for a demand (C1).
//!
//! In: a histogram of two channels (class −1, class +1). Out: the cut, or subset of categories, with
//! the smallest impurity summed over its two sides. Cost: one pass over the codes and O(bins) per
//! column. Ties (scores equal within 10⁻¹² of the total weight) go to the lowest column, then the
//! lowest cut. Categories are sorted by their share of class +1; for two classes the best subset
//! under all three criteria is a prefix of that order (Breiman et al. 1984).

use serde::{Deserialize, Serialize};

use super::criterion::{
    AnswerRule, Criterion, CriterionName, ErrorCriterion, GiniCriterion, ZCriterion,
};
use super::{Demand, Histogram, Learner};
use crate::data::Binned;
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Stump, Test};
use crate::workers::Workers;

/// Scores that differ by less than this share of the total weight are equal.
const TIE: f64 = 1e-12;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StumpSettings {
    /// How tests are scored.
    pub criterion: CriterionName,
    /// How sides answer.
    pub answer: AnswerRule,
    /// Share of the total weight added to both class weights of a side; by default that of the
    /// lightest row, which is 1/m for m rows of equal weight.
    pub smoothing: Option<f64>,
}

impl StumpSettings {
    pub(super) fn start(&self, data: &Binned, lightest: f64) -> Result<Box<dyn Learner>> {
        let smoothing = self.smoothing.unwrap_or(lightest);
        if !(smoothing.is_finite() && smoothing >= 0.0) {
            return Err(Error::parameter("smoothing", smoothing, "None or a number >= 0"));
        }
        let histogram = Histogram::new(data, 2);
        Ok(Box::new(StumpLearner { settings: self.clone(), smoothing, histogram }))
    }
}

struct StumpLearner {
    settings: StumpSettings,
    smoothing: f64,
    histogram: Histogram,
}

/// The class weights of one side.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    negative: u64,
    positive: u64,
}

impl Side {
    fn plus(self, other: Self) -> Self {
        Self { negative: self.negative + other.negative, positive: self.positive + other.positive }
    }

    fn minus(self, other: Self) -> Self {
        Self { negative: self.negative - other.negative, positive: self.positive - other.positive }
    }

    fn weight(self) -> u64 {
        self.negative + self.positive
    }

    fn impurity<C: Criterion>(self) -> f64 {
        C::impurity(self.negative as f64, self.positive as f64)
    }
}

/// A test under consideration.
#[derive(Debug, Clone)]
struct Candidate {
    score: f64,
    column: usize,
    test: Test,
    missing_inside: bool,
    inside: Side,
    outside: Side,
}

impl Learner for StumpLearner {
    fn fit(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        self.histogram.fill(data, demand, workers)?;
        let best = match self.settings.criterion {
            CriterionName::Error => self.search::<ErrorCriterion>(data, workers),
            CriterionName::Z => self.search::<ZCriterion>(data, workers),
            CriterionName::Gini => self.search::<GiniCriterion>(data, workers),
        }?;
        let total = best.inside.plus(best.outside).weight() as f64;
        let answer = |side: Side| {
            let (negative, positive) = (side.negative as f64, side.positive as f64);
            self.settings.answer.answer(negative, positive, self.smoothing * total, TIE * total)
        };
        Ok(Hypothesis::Stump(Stump {
            column: best.column,
            inside: answer(best.inside),
            outside: answer(best.outside),
            test: best.test,
            missing_inside: best.missing_inside,
        }))
    }
}

impl StumpLearner {
    fn search<C: Criterion>(&self, data: &Binned, workers: &Workers) -> Result<Candidate> {
        let steps = (0..data.n_columns()).map(|c| data.n_codes(c)).sum::<usize>();
        let columns = (0..data.n_columns()).collect();
        let candidates = workers.map(steps, columns, |column| {
            let sums = ColumnSums::new(&self.histogram, column, data.n_codes(column));
            Ok(if data.is_categorical(column) {
                sums.best_subset::<C>(column)
            } else {
                sums.best_cut::<C>(column)
            })
        })?;
        let mut best: Option<Candidate> = None;
        for candidate in candidates.into_iter().flatten() {
            let tie = TIE * candidate.inside.plus(candidate.outside).weight() as f64;
            if best.as_ref().is_none_or(|best| candidate.score < best.score - tie) {
                best = Some(candidate);
            }
        }
        Ok(best.unwrap_or_else(|| self.constant(data)))
    }

    /// The stump that has every row inside, for frames without a single cut.
    fn constant(&self, data: &Binned) -> Candidate {
        let sums = ColumnSums::new(&self.histogram, 0, data.n_codes(0));
        let test = if data.is_categorical(0) {
            Test::OneOf((0..sums.missing as u16).collect())
        } else {
            Test::AtMost(sums.missing.saturating_sub(1) as u16)
        };
        Candidate {
            score: 0.0,
            column: 0,
            test,
            missing_inside: true,
            inside: sums.total(),
            outside: Side::default(),
        }
    }
}

/// The class weights of one column by code.
struct ColumnSums<'a> {
    negative: &'a [u64],
    positive: &'a [u64],
    missing: usize,
}

impl<'a> ColumnSums<'a> {
    fn new(histogram: &'a Histogram, column: usize, n_codes: usize) -> Self {
        Self {
            negative: &histogram.channel(column, 0)[..n_codes],
            positive: &histogram.channel(column, 1)[..n_codes],
            missing: n_codes - 1,
        }
    }

    fn side(&self, code: usize) -> Side {
        Side { negative: self.negative[code], positive: self.positive[code] }
    }

    fn total(&self) -> Side {
        (0..=self.missing).fold(Side::default(), |sum, code| sum.plus(self.side(code)))
    }

    /// The best `x ≤ cut`, with missing values on the better side. The last bin is a cut too when
    /// values are missing: it tells present from missing.
    fn best_cut<C: Criterion>(&self, column: usize) -> Option<Candidate> {
        let (total, missing) = (self.total(), self.side(self.missing));
        let tie = TIE * total.weight() as f64;
        let has_missing = missing.weight() > 0;
        let n_cuts = if has_missing { self.missing } else { self.missing.saturating_sub(1) };
        let mut best: Option<(f64, usize, bool, Side)> = None;
        let mut below = Side::default();
        for cut in 0..n_cuts {
            below = below.plus(self.side(cut));
            let mut consider = |inside: Side, missing_inside: bool| {
                if inside.weight() == 0 || inside.weight() == total.weight() {
                    return; // a side that no row supports has nothing to say
                }
                let score = inside.impurity::<C>() + total.minus(inside).impurity::<C>();
                if best.is_none_or(|best| score < best.0 - tie) {
                    best = Some((score, cut, missing_inside, inside));
                }
            };
            if has_missing {
                if cut + 1 < self.missing {
                    consider(below.plus(missing), true);
                }
                consider(below, false);
            } else {
                consider(below, false);
            }
        }
        best.map(|(score, cut, missing_inside, inside)| {
            let outside = total.minus(inside);
            Candidate {
                score,
                column,
                test: Test::AtMost(cut as u16),
                missing_inside: if has_missing {
                    missing_inside
                } else {
                    inside.weight() >= outside.weight()
                },
                inside,
                outside,
            }
        })
    }

    /// The best subset of categories, missing values being one of them. Categories without weight
    /// go to the heavier side.
    fn best_subset<C: Criterion>(&self, column: usize) -> Option<Candidate> {
        let total = self.total();
        let tie = TIE * total.weight() as f64;
        let mut order: Vec<(f64, usize)> = (0..=self.missing)
            .filter(|&code| self.side(code).weight() > 0)
            .map(|code| {
                let side = self.side(code);
                (side.positive as f64 / side.weight() as f64, code)
            })
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, usize, Side)> = None;
        let mut inside = Side::default();
        for taken in 1..order.len() {
            inside = inside.plus(self.side(order[taken - 1].1));
            let score = inside.impurity::<C>() + total.minus(inside).impurity::<C>();
            if best.is_none_or(|best| score < best.0 - tie) {
                best = Some((score, taken, inside));
            }
        }
        best.map(|(score, taken, inside)| {
            let outside = total.minus(inside);
            let mut is_inside = vec![inside.weight() >= outside.weight(); self.missing + 1];
            for (at, &(_, code)) in order.iter().enumerate() {
                is_inside[code] = at < taken;
            }
            let codes = (0..self.missing).filter(|&code| is_inside[code]);
            Candidate {
                score,
                column,
                test: Test::OneOf(codes.map(|code| code as u16).collect()),
                missing_inside: is_inside[self.missing],
                inside,
                outside,
            }
        })
    }
}
