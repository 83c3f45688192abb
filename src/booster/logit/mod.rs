//! LogitBoost (A10): Newton steps on the logistic loss.
//!
//! Minimises −Σ uᵢ ln p(yᵢ|xᵢ). Two classes: p = 1/(1+e^(−2F)); a row has the gradient
//! g = u (I[y = 1] − p) and the curvature q = u p (1−p), and a part of a hypothesis answers
//! ½ G/(Q+λ), G and Q being the sums over its rows. More classes: p = soft-max F, a hypothesis for each
//! class, whose parts answer (K−1)/K · G/(Q+λ). F ← F + ν f, and the first hypotheses add the
//! logarithms of the class shares besides, so that rare classes need no rounds to become rare. λ is
//! measured in rows: that many rows of the least weight. Cost per round: a search for each class, and
//! O(rows · K). Friedman, Hastie & Tibshirani 2000.

mod gradients;
mod line_search;

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::{
    Found, Judgement, NO_EDGE, RoundJudgement, Scores, StepRule, Team, TeamStart, Verdict,
};
use crate::combiner::Combiner;
use crate::demand::{Demand, FULL_WEIGHT, Needs, Newton, Question, Stretch};
use crate::error::{Error, Result};
use crate::hypothesis::RowNumbers;
use crate::model::StopReason;
use crate::portable::ln;
use crate::workers::{RunBlock, Workers, by_block, split_along};
use gradients::{Fixing, of_classes, of_two_classes};

/// Answers from which on sums of them may overflow.
const HUGE: f64 = 1e200;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LogitSettings {
    /// λ, in rows.
    pub l2_regularization: f64,
    /// How long a step is: that of Newton, or the one with the least loss.
    pub step: StepRule,
}

impl LogitSettings {
    pub(super) fn start(&self, start: &TeamStart) -> Result<Box<dyn Team>> {
        let lambda = self.l2_regularization;
        if !(lambda.is_finite() && lambda >= 0.0) {
            return Err(Error::parameter("l2_regularization", lambda, "a number >= 0"));
        }
        let combiner = match start.n_classes {
            2 => Combiner::Sign,
            n_classes => Combiner::by_class(n_classes),
        };
        let lightest = start.rows.lightest(|_| true);
        let n_classes = start.n_classes as f64;
        let n_places = start.rows.len();
        // Rows of weight 2 are two rows, also where rows are counted.
        let repeats = start.rows.repeats();
        let n_rows = start.rows.n_repeats().map_or(start.rows.n_input_rows(), |n| n as usize);
        let start_weights = match &repeats {
            Some(_) => vec![1.0 / n_rows as f64; n_places],
            None => start.rows.all_start_weights(),
        };
        let newton = Newton {
            lambda: lambda * lightest * FULL_WEIGHT,
            count_bits: Newton::bits_for(n_rows),
            factor: (n_classes - 1.0) / n_classes,
            offset: 0.0,
        };
        Ok(Box::new(Logit {
            step: self.step,
            learning_rate: start.learning_rate,
            gradients: vec![vec![0; 2 * n_places]; combiner.n_outputs()],
            combiner,
            newton,
            lightest,
            start_weights,
            repeats: repeats.or_else(|| start.rows.copies().map(<[u32]>::to_vec)),
            stretches: vec![Stretch { kind: 0, end: n_places }],
            prior: Vec::new(),
            is_prepared: false,
            round: 0,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::OwnSteps,
        combines: Combines::Sum,
        is_binary: false,
        loss: None,
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: true,
        resample: false,
        may_shard: true,
    };
}

struct Logit {
    step: StepRule,
    learning_rate: f64,
    combiner: Combiner,
    newton: Newton,
    lightest: f64,
    /// The start weight of one of the rows that each place stands for.
    start_weights: Vec<f64>,
    /// For how many rows each place stands.
    repeats: Option<Vec<u32>>,
    stretches: Vec<Stretch>,
    /// By output: the gradient of every place, then the curvature.
    gradients: Vec<Vec<u64>>,
    /// What every output has before the first round, by output.
    prior: Vec<f64>,
    /// Whether the gradients are those of this round.
    is_prepared: bool,
    round: usize,
}

impl Logit {
    /// Works out the gradients and curvatures of this round.
    fn prepare(&mut self, scores: &Scores, workers: &Workers) -> Result<()> {
        if self.is_prepared {
            return Ok(());
        }
        self.prior = self.prior(scores, workers)?;
        let mut gradients = std::mem::take(&mut self.gradients);
        self.write_gradients(&mut gradients, (scores, &self.prior), workers)?;
        (self.gradients, self.is_prepared) = (gradients, true);
        Ok(())
    }

    /// Writes the gradients and curvatures of all rows.
    fn write_gradients(
        &self,
        gradients: &mut [Vec<u64>],
        (scores, prior): (&Scores, &[f64]),
        workers: &Workers,
    ) -> Result<()> {
        let n_rows = scores.n_rows();
        let lengths: Vec<usize> = scores.blocks().iter().map(|block| block.rows.len()).collect();
        let pieces = gradients.iter_mut().map(|layers| {
            let (gradients, curvatures) = layers.split_at_mut(n_rows);
            let gradients = split_along(gradients, lengths.iter().copied());
            gradients.into_iter().zip(split_along(curvatures, lengths.iter().copied())).collect()
        });
        let blocks = scores.blocks().iter().zip(by_block(pieces)).collect();
        let fixing = Fixing {
            newton: self.newton,
            start_weights: &self.start_weights,
            repeats: self.repeats.as_deref(),
        };
        let is_sign = self.combiner == Combiner::Sign;
        workers.map(n_rows * self.combiner.n_outputs(), blocks, |(block, mut outputs)| {
            match &mut outputs[..] {
                [output] if is_sign => of_two_classes((scores, prior[0]), block, output, fixing),
                outputs => of_classes((scores, prior), block, outputs, fixing),
            }
            Ok(())
        })?;
        Ok(())
    }

    /// What scores begin with: the logarithms of the class shares, which the answers of the first
    /// hypotheses have besides their steps. A line search begins with nothing: it would shorten them.
    fn prior(&self, scores: &Scores, workers: &Workers) -> Result<Vec<f64>> {
        let n_outputs = self.combiner.n_outputs();
        if self.round > 0 || self.step == StepRule::LineSearch {
            return Ok(vec![0.0; n_outputs]);
        }
        // A class without rows is as rare as half of the lightest row.
        let shares = scores.class_shares(workers)?.into_iter();
        let logs: Vec<f64> = shares.map(|share| ln(share.max(0.5 * self.lightest))).collect();
        if self.combiner == Combiner::Sign {
            return Ok(vec![0.5 * (logs[1] - logs[0])]);
        }
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        Ok(logs.iter().map(|log| log - mean).collect())
    }

    /// Σ g f/unit and Σ |g| over all rows and outputs; sums by part are exact.
    fn project(
        &self,
        numbers: &[(usize, RowNumbers)],
        unit: f64,
        blocks: &[RunBlock],
        workers: &Workers,
    ) -> Result<(f64, f64)> {
        let n_rows = self.stretches[0].end;
        // By output and part the gradient; then the sum of all that is not signed.
        let mut sums_of_all: Vec<u64> = Vec::new();
        let mut total = 0u64;
        for (output, numbers) in numbers {
            let gradient = |row: usize| self.gradients[*output][row] as i64;
            let (part, values) = match numbers {
                RowNumbers::Parts { part, values } => (*part, values),
                RowNumbers::Each(_) => {
                    return Err(Error::internal("Newton steps come from hypotheses with parts"));
                }
            };
            let sums = workers.map(n_rows, blocks.iter().collect(), |block: &RunBlock| {
                let mut by_part = vec![0i64; values.len()];
                let mut total = 0;
                for row in block.rows.clone() {
                    by_part[usize::from(part[row])] += gradient(row);
                    total += gradient(row).unsigned_abs();
                }
                Ok((by_part, total))
            })?;
            total += sums.iter().map(|(_, total)| total).sum::<u64>();
            let of_part = |at: usize| sums.iter().map(|(by_part, _)| by_part[at]).sum::<i64>();
            sums_of_all.extend((0..values.len()).map(|at| of_part(at) as u64));
        }
        sums_of_all.push(total);
        workers.reduce().sum_if_split(&mut sums_of_all)?;
        let total = sums_of_all.pop().unwrap_or(0);
        let values = numbers.iter().flat_map(|(_, numbers)| match numbers {
            RowNumbers::Parts { values, .. } => values.as_slice(),
            RowNumbers::Each(_) => &[],
        });
        let products = sums_of_all.iter().zip(values);
        let projection: f64 =
            products.map(|(&sum, value)| sum as i64 as f64 * (value / unit)).sum();
        Ok((projection / FULL_WEIGHT, total as f64 / FULL_WEIGHT))
    }
}

impl Team for Logit {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        Question::Newton(self.newton)
    }

    fn n_searches(&self) -> usize {
        self.combiner.n_outputs()
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
            self.prepare(scores, workers)?;
        }
        let offset = self.prior[search] / self.learning_rate;
        let newton = Newton { offset, ..self.newton };
        Ok(Some(Demand {
            question: Question::Newton(newton),
            weights: &self.gradients[search],
            stretches: &self.stretches,
            rows: None,
            copies: self.repeats.as_deref(),
            lightest: self.lightest,
            partitions: None,
            revision: None,
        }))
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        // Rounds of an earlier run come without a demand.
        self.prepare(scores, workers)?;
        let numbers: Vec<(usize, RowNumbers)> =
            found.iter().map(|found| (found.search, found.answers.numbers(0))).collect();
        let largest = largest_answer(&numbers);
        // With tiny learning rates, answers are so large that sums of them would overflow.
        let unit = if largest > HUGE { largest } else { 1.0 };
        let (projection, total) = self.project(&numbers, unit, scores.blocks(), workers)?;
        let most = total * (largest / unit);
        let edge = if most > 0.0 { projection / most } else { 0.0 };
        let step = match self.step {
            StepRule::Unit => 1.0,
            StepRule::LineSearch => self.best_step(&numbers, scores, workers)?,
        };
        let is_over = self.round > 0 && (edge <= NO_EDGE || step <= 0.0);
        let verdict =
            if is_over { Verdict::DropAndStop(StopReason::NoEdge) } else { Verdict::Keep };
        let (weight, error) = (self.learning_rate * step, 0.5 * (1.0 - edge));
        Ok(RoundJudgement::on_all(Judgement { weight, edge, error, verdict }))
    }

    fn update(&mut self, _: &[Found], _: &[Option<f64>], _: &Workers) -> Result<()> {
        self.round += 1;
        self.is_prepared = false;
        Ok(())
    }

    /// How much of the gradient is each row's.
    fn row_weights(&self, scores: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        let mut gradients = self.gradients.clone();
        let prior = vec![0.0; gradients.len()];
        self.write_gradients(&mut gradients, (scores, &prior), workers)?;
        let gradient = |row: usize| -> u64 {
            gradients.iter().map(|layers| (layers[row] as i64).unsigned_abs()).sum()
        };
        let weights: Vec<f64> =
            (0..scores.n_rows()).map(|row| gradient(row) as f64 / FULL_WEIGHT).collect();
        scores.by_input_row(weights, workers)
    }
}

/// The largest absolute answer.
fn largest_answer(numbers: &[(usize, RowNumbers)]) -> f64 {
    let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |most: f64, h| most.max(h.abs()));
    let each = numbers.iter().map(|(_, numbers)| match numbers {
        RowNumbers::Parts { values, .. } => largest(values),
        RowNumbers::Each(numbers) => largest(numbers),
    });
    each.fold(0.0, f64::max)
}
