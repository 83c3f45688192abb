//! The best decision stump for a demand (C1).
//!
//! In: a histogram of two channels (class −1, class +1). Out: the best test of all columns and the
//! answers of its sides. Cost: one pass over the codes and O(bins) per column.

use serde::{Deserialize, Serialize};

use super::channel_sums::ChannelSums;
use super::criterion::{
    AnswerMaker, AnswerName, Criterion, CriterionName, ErrorCriterion, GiniCriterion, ZCriterion,
};
use super::test_search::{Candidate, Limits, best_test, total};
use super::{Demand, Histogram, Learner, Start};
use crate::data::{Binned, View};
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
        let rule = self.answer.resolve(start.votes_needed);
        let maker = AnswerMaker::new(rule, self.smoothing, start.lightest)?;
        let histogram = Histogram::new(start.view.codes()?, 2);
        Ok(Box::new(StumpLearner { criterion: self.criterion, maker, histogram }))
    }
}

struct StumpLearner {
    criterion: CriterionName,
    maker: AnswerMaker,
    histogram: Histogram,
}

impl Learner for StumpLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let data = view.codes()?;
        self.histogram.fill(data, demand, workers)?;
        let best = match self.criterion {
            CriterionName::Error => self.search::<ErrorCriterion>(data, workers),
            CriterionName::Z => self.search::<ZCriterion>(data, workers),
            CriterionName::Gini => self.search::<GiniCriterion>(data, workers),
        }?;
        let total = best.inside.plus(&best.outside).weight();
        Ok(Hypothesis::Stump(Stump {
            test: best.test,
            inside: self.maker.answer(best.inside, total),
            outside: self.maker.answer(best.outside, total),
        }))
    }
}

impl StumpLearner {
    fn search<C: Criterion>(
        &self,
        data: &Binned,
        workers: &Workers,
    ) -> Result<Candidate<[u64; 2]>> {
        let total: [u64; 2] = total(data, &self.histogram);
        let limits = Limits::none(total.weight());
        let best = best_test::<_, C>(data, &self.histogram, &limits, workers)?;
        Ok(best.unwrap_or_else(|| constant(data, total)))
    }
}

/// The stump that has every row inside, for frames without a single cut.
fn constant(data: &Binned, total: [u64; 2]) -> Candidate<[u64; 2]> {
    let n_present = data.n_codes(0) - 1;
    let passes = if data.is_categorical(0) {
        Passes::OneOf((0..n_present as u16).collect())
    } else {
        Passes::AtMost(n_present.saturating_sub(1) as u16)
    };
    let test = Test { column: 0, passes, missing_inside: true };
    Candidate { score: 0.0, test, inside: total, outside: [0; 2] }
}
