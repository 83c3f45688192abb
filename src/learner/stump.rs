//! The best decision stump for a demand (C1).
//!
//! In: codes and a demand. Out: the best test of all columns and the answers of its sides. Cost: one pass over the codes, or over those of the rows whose weights have changed, and O(bins) per column.

use serde::{Deserialize, Serialize};

use super::any_search::{AnySearch, search};
use super::channel_sums::{ChannelSums, answer_parts};
use super::criterion::{AnswerMaker, AnswerName, Criterion, CriterionName};
use super::kept_sums::KeptSums;
use super::search_input::SearchInput;
use super::test_search::{Candidate, Limits, Order, best_test, total};
use super::{Histogram, Learner, Start};
use crate::data::{Binned, View};
use crate::demand::Demand;
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Passes, Stump, Test};
use crate::workers::Workers;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StumpSettings {
    /// How tests are scored.
    pub criterion: CriterionName,
    /// How sides answer.
    pub answer: AnswerName,
    /// Share of the total weight added to both class weights of a side; by default that of the
    /// lightest row, which is 1/m for m rows of equal weight.
    pub smoothing: Option<f64>,
}

impl StumpSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        let rule = self.answer.resolve(start.needs);
        let maker = AnswerMaker::new(rule, self.smoothing)?;
        let sums = KeptSums::checked(start)?;
        Ok(Box::new(StumpLearner {
            criterion: self.criterion,
            maker,
            signs: start.signs.to_vec(),
            smoothing: self.smoothing,
            sums,
        }))
    }
}

struct StumpLearner {
    criterion: CriterionName,
    maker: AnswerMaker,
    /// The order of answers along columns.
    signs: Vec<i8>,
    smoothing: Option<f64>,
    sums: KeptSums,
}

impl Learner for StumpLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let data = view.codes()?;
        let Self { criterion, maker, signs, smoothing, sums } = self;
        let histogram = sums.of(data, demand, workers)?;
        let input = SearchInput { data, demand, workers };
        let stump = StumpSearch { maker, signs, smoothing: *smoothing, histogram, input };
        search(demand.question, *criterion, stump).map(Hypothesis::Stump)
    }
}

/// The search over the sums at hand.
struct StumpSearch<'a> {
    maker: &'a AnswerMaker,
    signs: &'a [i8],
    smoothing: Option<f64>,
    histogram: &'a Histogram,
    input: SearchInput<'a>,
}

impl AnySearch for StumpSearch<'_> {
    type Found = Stump;

    const TWO_PARTS: bool = true;

    fn run<S: ChannelSums, C: Criterion>(self) -> Result<Stump> {
        let Self { maker, signs, smoothing, histogram, input } = self;
        let SearchInput { data, demand, workers } = input;
        let total: S = total(data, histogram, demand);
        let lightest = demand.lightest;
        let smooth = smoothing.unwrap_or(lightest) * total.weight() as f64;
        let order = (!signs.is_empty()).then_some(Order { signs, smooth });
        let limits = Limits { order, ..Limits::none(&total) };
        let best = best_test::<S, C>(data, histogram, &total, &limits, workers)?;
        let best = best.unwrap_or_else(|| constant(data, total.clone()));
        let answers = answer_parts(maker, lightest, &total, [&best.outside, &best.inside]);
        Ok(Stump { test: best.test, answers })
    }
}

/// The stump that has every row inside, for frames without a single cut.
fn constant<S: ChannelSums>(data: &Binned, total: S) -> Candidate<S> {
    let n_present = data.n_codes(0) - 1;
    let passes = if data.is_categorical(0) {
        Passes::OneOf((0..n_present as u16).collect())
    } else {
        Passes::AtMost(n_present.saturating_sub(1) as u16)
    };
    let test = Test { column: 0, passes, missing_inside: true };
    Candidate { score: 0.0, test, outside: total.minus(&total), inside: total }
}
