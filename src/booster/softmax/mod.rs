//! Soft-max boosting, sm-boost (B4): minimises the expected cost itself.
//!
//! The model is a distribution over the classes, g(k|x) = exp(ψ(x,k)) / Σ exp(ψ(x,·)), and the risk
//! is Σ uᵢ Σₖ g(k|xᵢ) cᵢ(k). Its gradient at the pair (i,k) is uᵢ g(k|xᵢ) Δcᵢ(k), where
//! Δcᵢ(k) = cᵢ(k) − Σ g(z|xᵢ) cᵢ(z) tells how much dearer than average the answer k is.
//!
//! Round: draw M pairs (i,k) ~ u g (or take them all); for each class find a hypothesis fₖ whose
//! target is +1 where Δc < 0, under weights |Δc|; R = mean of −Δc f over the draws; ψ ← ψ + R f.
//! With `theory` steps R is ⟨∇,f⟩/‖f‖² over all pairs, with which the risk cannot rise. Cost per
//! round: K searches over M rows in all, and O(rows · K). Geist 2015, algorithm 2 and section 5.1.

mod draws;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::costs::expected;
use super::row_weights::to_fixed;
use super::tries::Tries;
use super::{Costs, Found, Judgement, NO_EDGE, RoundJudgement, Scores, Team, TeamStart, Verdict};
use crate::combiner::Combiner;
use crate::demand::{Demand, Needs, OwnedDemand, Question, Stretch};
use crate::error::{Error, Result};
use crate::hypothesis::RowNumbers;
use crate::model::StopReason;
use crate::reduce::ExactSum;
use crate::workers::Workers;
use draws::{Pair, Sampler};

/// How long a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SoftmaxStep {
    /// The mean over the draws, which does not shrink as classes get more.
    Paper,
    /// The projection of the gradient on the hypothesis.
    Theory,
}

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SoftmaxSettings {
    /// The cost of every answer by class; 0 for the class itself and 1 for all others if `None`.
    pub cost: Option<Vec<Vec<f64>>>,
    /// How many pairs are drawn in a round: 0 for as many as seems right, `None` for all pairs.
    pub n_draws: Option<u64>,
    /// How long a step is.
    pub step: SoftmaxStep,
}

impl SoftmaxSettings {
    /// The cost of every answer by class.
    pub(super) fn cost_matrix(&self, n_classes: usize) -> Vec<Vec<f64>> {
        let plain = |class: usize| {
            (0..n_classes).map(move |answer| f64::from(u8::from(class != answer))).collect()
        };
        self.cost.clone().unwrap_or_else(|| (0..n_classes).map(plain).collect())
    }

    pub(super) fn start(&self, start: &TeamStart) -> Result<Box<dyn Team>> {
        let Some(costs) = &start.costs else {
            return Err(Error::internal("soft-max boosting was started without costs"));
        };
        if costs.unit() <= 0.0 {
            let got = "the same cost for all answers";
            return Err(Error::parameter("cost", got, "answers that differ in cost"));
        }
        let n_classes = start.n_classes;
        let sampler = self.n_draws.map(|n_draws| {
            Sampler::new(start.rows, (n_draws, n_classes), start.seed, start.workers)
        });
        Ok(Box::new(Softmax {
            step: self.step,
            learning_rate: start.learning_rate,
            combiner: Combiner::by_class(n_classes),
            costs: costs.clone(),
            copies: start.rows.copies().map(<[u32]>::to_vec),
            lightest: start.rows.lightest(|_| true),
            sampler: sampler.transpose()?,
            pairs: Vec::new(),
            totals: Vec::new(),
            asked: OwnedDemand::default(),
            tries: Tries::new(start.resample),
            round: 0,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::UnitAnswers,
        combines: Combines::Sum,
        is_binary: false,
        loss: None,
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: true,
        label_sets: true,
        monotone: false,
        resample: true,
        may_shard: true,
    };
}

struct Softmax {
    step: SoftmaxStep,
    learning_rate: f64,
    combiner: Combiner,
    costs: Arc<Costs>,
    copies: Option<Vec<u32>>,
    lightest: f64,
    /// Draws pairs; without it all are taken.
    sampler: Option<Sampler>,
    /// The pairs of this round by class.
    pairs: Vec<Vec<Pair>>,
    /// By class Σ |value| over the pairs of all shards.
    totals: Vec<f64>,
    asked: OwnedDemand,
    tries: Tries,
    round: u64,
}

impl Softmax {
    /// All pairs with their share of the gradient.
    fn gradient(&self, scores: &Scores, workers: &Workers) -> Result<Vec<Vec<Pair>>> {
        draws::collect(scores, self.combiner.n_classes(), workers, |_, block, pairs| {
            scores.for_each_softened(
                block,
                |_| true,
                |row, shares| {
                    let costs = self.costs.of(row, block.run);
                    let mean = expected(costs, shares);
                    let weight = scores.share_of_one(row);
                    for (class, (cost, share)) in costs.iter().zip(shares).enumerate() {
                        pairs[class].push(Pair::new(row, weight * share * (cost - mean)));
                    }
                },
            );
        })
    }

    /// Takes over the pairs of a round.
    fn set_pairs(
        &mut self,
        pairs: Vec<Vec<Pair>>,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<()> {
        let mut sums = Vec::with_capacity(pairs.len());
        for of_class in &pairs {
            let mut sum = ExactSum::default();
            for pair in of_class {
                sum.add_times(pair.value.abs(), scores.copies(pair.row as usize));
            }
            sums.push(sum);
        }
        ExactSum::reduce(&mut sums, workers.reduce())?;
        self.totals = sums.iter().map(ExactSum::number).collect();
        self.pairs = pairs;
        Ok(())
    }

    /// Σ −value f over pairs.
    fn project(
        pairs: &[Vec<Pair>],
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<f64> {
        let mut sum = ExactSum::default();
        for (class, numbers) in numbers {
            for pair in &pairs[*class] {
                let row = pair.row as usize;
                sum.add_times(-pair.value * numbers.of(row), scores.copies(row));
            }
        }
        sum.over_shards(workers.reduce())
    }

    /// ⟨∇,f⟩/‖f‖² with the sign that lowers the risk; `mean` is the projection of this round's pairs.
    fn theory_step(
        &self,
        mean: f64,
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<f64> {
        let projection = match self.sampler {
            Some(_) => Self::project(&self.gradient(scores, workers)?, numbers, scores, workers)?,
            None => mean, // the pairs are the whole gradient
        };
        let mut norm = ExactSum::default();
        for (_, numbers) in numbers {
            for row in 0..scores.n_rows() {
                let square = scores.share_of_one(row) * numbers.of(row).powi(2);
                norm.add_times(square, scores.copies(row));
            }
        }
        let norm = norm.over_shards(workers.reduce())?;
        Ok(if norm > 0.0 { projection / norm } else { 0.0 })
    }
}

/// Sorts the pairs of a class by side, whose values come to `total` in all.
fn ask(pairs: &[Pair], total: f64, copies: Option<&[u32]>) -> OwnedDemand {
    let (mut rows, mut weights, mut stretches) = (Vec::new(), Vec::new(), Vec::new());
    for kind in 0..2 {
        // Side 1 is where the answer is cheaper than average.
        let side =
            pairs.iter().filter(|pair| pair.value != 0.0 && (pair.value < 0.0) == (kind == 1));
        for pair in side {
            rows.push(pair.row);
            let times = copies.map_or(1, |copies| u64::from(copies[pair.row as usize]));
            weights.push(to_fixed(pair.value.abs() / total) * times);
        }
        stretches.push(Stretch { kind, end: rows.len() });
    }
    let asked = OwnedDemand { rows: Some(rows), weights, copies: None, stretches };
    asked.with_copies(copies)
}

impl Team for Softmax {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        Question::Side
    }

    fn n_searches(&self) -> usize {
        self.combiner.n_classes()
    }

    fn n_weights(&self) -> usize {
        1
    }

    fn demand(
        &mut self,
        search: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        if search == 0 {
            let pairs = match &self.sampler {
                Some(sampler) => sampler.draw(&self.costs, scores, self.round, workers)?,
                None => self.gradient(scores, workers)?,
            };
            self.set_pairs(pairs, scores, workers)?;
        }
        let total = self.totals[search];
        // Without any weight there is nothing to find.
        if total <= 0.0 {
            return Ok(None);
        }
        self.asked = ask(&self.pairs[search], total, self.copies.as_deref());
        Ok(Some(self.asked.lend(Question::Side, self.lightest)))
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        if self.pairs.is_empty() {
            // Rounds of an earlier run come without their draws.
            self.set_pairs(self.gradient(scores, workers)?, scores, workers)?;
        }
        let numbers: Vec<(usize, RowNumbers)> =
            found.iter().map(|found| (found.search, found.answers.numbers(0))).collect();
        let mean = Self::project(&self.pairs, &numbers, scores, workers)?;
        let total: f64 = self.totals.iter().sum();
        let edge = if total > 0.0 { mean / total } else { 0.0 };
        let step = match self.step {
            SoftmaxStep::Paper => mean,
            SoftmaxStep::Theory => self.theory_step(mean, &numbers, scores, workers)?,
        };
        let is_flat = found.is_empty() || (self.sampler.is_none() && edge <= NO_EDGE);
        let verdict =
            if is_flat { Verdict::DropAndStop(StopReason::NoEdge) } else { Verdict::Keep };
        let verdict = self.tries.review(verdict);
        let (weight, error) = (self.learning_rate * step, 0.5 * (1.0 - edge));
        Ok(RoundJudgement::on_all(Judgement { weight, edge, error, verdict }))
    }

    fn update(&mut self, _: &[Found], _: &[Option<f64>], _: &Workers) -> Result<()> {
        self.round += 1;
        self.pairs = Vec::new();
        Ok(())
    }

    /// How much of the gradient is each row's, or the start weight where there is no gradient left.
    fn row_weights(&self, scores: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        let mut weights = vec![0.0; scores.n_rows()];
        for pair in self.gradient(scores, workers)?.iter().flatten() {
            let row = pair.row as usize;
            weights[row] += pair.value.abs() * scores.copies(row) as f64;
        }
        scores.by_input_row(weights, workers)
    }
}
