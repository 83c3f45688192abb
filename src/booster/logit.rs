//! LogitBoost (A10): Newton steps on the logistic loss.
//!
//! Minimises −Σ uᵢ ln p(yᵢ|xᵢ). Two classes: p = 1/(1+e^(−2F)); a row has the gradient
//! g = u (I[y = 1] − p) and the curvature q = u p (1−p), and a part of a hypothesis answers
//! ½ G/(Q+λ), G and Q being the sums over its rows. More classes: p = soft-max F, a hypothesis for each
//! class, whose parts answer (K−1)/K · G/(Q+λ). F ← F + ν f, and the first hypotheses add the
//! logarithms of the class shares besides, so that rare classes need no rounds to become rare. λ is
//! measured in rows: that many rows of the least weight. Cost per round: a search for each class, and
//! O(rows · K). Friedman, Hastie & Tibshirani 2000.

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
use crate::portable::{exp, exp_of_negative, ln, ln_1p};
use crate::workers::{RunBlock, Workers, by_block, split_along};

/// The longest step of a line search.
const LONGEST_STEP: f64 = 100.0;
/// Steps of a line search.
const SEARCH_STEPS: usize = 60;
/// A line search ends when its interval is this small.
const SEARCH_TOLERANCE: f64 = 1e-9;

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
        let newton = Newton {
            lambda: lambda * lightest * FULL_WEIGHT,
            count_bits: Newton::bits_for(start.rows.n_input_rows()),
            factor: (n_classes - 1.0) / n_classes,
            offset: 0.0,
        };
        let n_places = start.rows.len();
        Ok(Box::new(Logit {
            step: self.step,
            learning_rate: start.learning_rate,
            gradients: vec![vec![0; 2 * n_places]; combiner.n_outputs()],
            combiner,
            newton,
            lightest,
            start_weights: start.rows.all_start_weights(),
            copies: start.rows.copies().map(<[u32]>::to_vec),
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
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: true,
    };
}

struct Logit {
    step: StepRule,
    learning_rate: f64,
    combiner: Combiner,
    newton: Newton,
    lightest: f64,
    /// The start weight of one input row at each place.
    start_weights: Vec<f64>,
    copies: Option<Vec<u32>>,
    stretches: Vec<Stretch>,
    /// By output: the gradient of every place, then the curvature.
    gradients: Vec<Vec<u64>>,
    /// What every output has before the first round, by output.
    prior: Vec<f64>,
    /// Whether the gradients are those of this round.
    is_prepared: bool,
    round: usize,
}

/// The gradients and curvatures of a block of rows, by output.
type Piece<'a> = (&'a mut [u64], &'a mut [u64]);

/// Turns numbers of one input row into fixed-point numbers of all rows at its place.
#[derive(Clone, Copy)]
struct Fixing<'a> {
    newton: Newton,
    start_weights: &'a [f64],
    copies: Option<&'a [u32]>,
}

impl Fixing<'_> {
    /// The gradient, as the bits of an unsigned number, and the curvature with its count.
    #[inline]
    fn fix(&self, row: usize, gradient: f64, curvature: f64) -> (u64, u64) {
        let weight = self.start_weights[row];
        let gradient = (gradient * weight * FULL_WEIGHT) as i64;
        let packed = self.newton.pack(curvature * weight, 1);
        match self.copies {
            None => (gradient as u64, packed),
            Some(copies) => {
                let n = copies[row];
                ((gradient * i64::from(n)) as u64, packed * u64::from(n))
            }
        }
    }
}

impl Logit {
    /// Works out the gradients and curvatures of this round.
    fn prepare(&mut self, scores: &Scores, workers: &Workers) -> Result<()> {
        if self.is_prepared {
            return Ok(());
        }
        self.prior = self.prior(scores);
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
            copies: self.copies.as_deref(),
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
    fn prior(&self, scores: &Scores) -> Vec<f64> {
        let n_outputs = self.combiner.n_outputs();
        if self.round > 0 || self.step == StepRule::LineSearch {
            return vec![0.0; n_outputs];
        }
        // A class without rows is as rare as half of the lightest row.
        let shares = scores.class_shares().into_iter();
        let logs: Vec<f64> = shares.map(|share| ln(share.max(0.5 * self.lightest))).collect();
        if self.combiner == Combiner::Sign {
            return vec![0.5 * (logs[1] - logs[0])];
        }
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        logs.iter().map(|log| log - mean).collect()
    }

    /// Σ g f and Σ |g| over all rows and outputs; sums by part are exact.
    fn project(
        &self,
        numbers: &[(usize, RowNumbers)],
        blocks: &[RunBlock],
        workers: &Workers,
    ) -> Result<(f64, f64)> {
        let n_rows = self.stretches[0].end;
        let (mut projection, mut total) = (0.0, 0u64);
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
            for (at, value) in values.iter().enumerate() {
                let sum: i64 = sums.iter().map(|(by_part, _)| by_part[at]).sum();
                projection += sum as f64 * value;
            }
        }
        Ok((projection / FULL_WEIGHT, total as f64 / FULL_WEIGHT))
    }

    /// The loss Σ u ln(1/p) if so much of the answers is added, and its derivative.
    fn loss(
        &self,
        length: f64,
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<(f64, f64)> {
        let n_outputs = self.combiner.n_outputs();
        let is_sign = self.combiner == Combiner::Sign;
        let blocks = scores.blocks().iter().collect();
        let sums = workers.map(scores.n_rows() * n_outputs, blocks, |block: &RunBlock| {
            let (mut loss, mut slope) = (0.0, 0.0);
            let (mut answers, mut values) = (vec![0.0; n_outputs], vec![0.0; n_outputs]);
            for row in block.rows.clone() {
                answers.fill(0.0);
                for (output, numbers) in numbers {
                    answers[*output] = numbers.of(row);
                }
                for (output, (value, answer)) in values.iter_mut().zip(&answers).enumerate() {
                    *value = scores.output(output)[row] + length * answer;
                }
                let (row_loss, row_slope) = if is_sign {
                    let side = if block.run == 1 { 2.0 } else { -2.0 };
                    let margin = side * values[0];
                    let small = exp_of_negative(-margin.abs());
                    let wrong = if margin >= 0.0 { small } else { 1.0 } / (1.0 + small);
                    (ln_1p(small) + (-margin).max(0.0), -side * answers[0] * wrong)
                } else {
                    let highest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                    let terms = || values.iter().map(|value| exp_of_negative(value - highest));
                    let sum: f64 = terms().sum();
                    let mean = terms().zip(&answers).map(|(term, h)| term * h).sum::<f64>() / sum;
                    (ln(sum) + highest - values[block.run], mean - answers[block.run])
                };
                let share = scores.start_share(row);
                loss += share * row_loss;
                slope += share * row_slope;
            }
            Ok((loss, slope))
        })?;
        Ok(sums.iter().fold((0.0, 0.0), |sum, term| (sum.0 + term.0, sum.1 + term.1)))
    }

    /// The step with the least loss, by bisection of its slope.
    fn best_step(
        &self,
        numbers: &[(usize, RowNumbers)],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<f64> {
        let slope = |length: f64| Ok(self.loss(length, numbers, scores, workers)?.1);
        let (mut low, mut high) = (0.0, 1.0);
        while slope(high)? < 0.0 {
            if high >= LONGEST_STEP {
                return Ok(LONGEST_STEP);
            }
            (low, high) = (high, (2.0 * high).min(LONGEST_STEP));
        }
        for _ in 0..SEARCH_STEPS {
            if high - low <= SEARCH_TOLERANCE * high {
                break;
            }
            let middle = 0.5 * (low + high);
            if slope(middle)? < 0.0 { low = middle } else { high = middle }
        }
        // The loss is convex, so it falls all the way to the lower end.
        Ok(low)
    }
}

/// What two classes have: one score, whose double is the logarithm of the odds.
fn of_two_classes(
    (scores, prior): (&Scores, f64),
    block: &RunBlock,
    (gradients, curvatures): &mut Piece,
    fixing: Fixing,
) {
    let side = if block.run == 1 { 1.0 } else { -1.0 };
    let rows = block.rows.clone();
    let values = &scores.output(0)[rows.clone()];
    for (at, (row, value)) in rows.zip(values).enumerate() {
        let value = value + prior;
        let small = exp_of_negative(-2.0 * value.abs());
        let likely = 1.0 / (1.0 + small);
        // The probability of the wrong class.
        let wrong = if side * value >= 0.0 { small * likely } else { likely };
        (gradients[at], curvatures[at]) = fixing.fix(row, side * wrong, small * likely * likely);
    }
}

/// What several classes have: a score for each.
fn of_classes(
    (scores, prior): (&Scores, &[f64]),
    block: &RunBlock,
    outputs: &mut [Piece],
    fixing: Fixing,
) {
    let first = block.rows.start;
    // Soft-max of scores and prior: shares are multiplied by exp(prior) and made to sum to 1.
    let odds: Vec<f64> = prior.iter().map(|&prior| exp(prior)).collect();
    let is_plain = prior.iter().all(|prior| *prior == 0.0);
    scores.for_each_softened(
        block,
        |_| true,
        |row, shares| {
            let total: f64 =
                if is_plain { 1.0 } else { shares.iter().zip(&odds).map(|(p, o)| p * o).sum() };
            for (class, ((gradients, curvatures), p)) in outputs.iter_mut().zip(shares).enumerate()
            {
                let p = if is_plain { *p } else { p * odds[class] / total };
                let truth = if class == block.run { 1.0 } else { 0.0 };
                (gradients[row - first], curvatures[row - first]) =
                    fixing.fix(row, truth - p, p * (1.0 - p));
            }
        },
    );
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
            copies: self.copies.as_deref(),
            lightest: self.lightest,
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
        let (projection, total) = self.project(&numbers, scores.blocks(), workers)?;
        let largest = largest_answer(&numbers);
        let edge = if total * largest > 0.0 { projection / (total * largest) } else { 0.0 };
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
        let mut weights: Vec<f64> =
            (0..scores.n_rows()).map(|row| gradient(row) as f64 / FULL_WEIGHT).collect();
        let mut total: f64 = weights.iter().sum();
        if total <= 0.0 {
            weights = (0..scores.n_rows()).map(|row| scores.start_share(row)).collect();
            total = weights.iter().sum();
        }
        if let Some(copies) = &self.copies {
            // A place has the weight of one of its rows.
            for (weight, &n) in weights.iter_mut().zip(copies) {
                *weight /= f64::from(n);
            }
        }
        Ok((weights, total))
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
