//! The combined scores H = Σ α h of the rounds so far, on one set of class-ordered rows.
//!
//! In: each round's answers and weights. Out: the share of weight classified right and, where
//! answers have a price, the expected cost. Sums are exact, so they depend neither on the number of
//! threads nor on the shards that the rows are in.

use std::sync::Arc;

use super::costs::{Costs, expected};
use super::row_weights::to_fixed_places;
use crate::combiner::{Addition, Combiner, ScoreStep, Weighted};
use crate::data::Rows;
use crate::error::Result;
use crate::hypothesis::{Answers, RowNumbers};
use crate::model::Tally;
use crate::portable::{exp_of_negative, ln, ln_1p};
use crate::reduce::ExactSum;
use crate::workers::{RunBlock, Workers, by_block, row_blocks, run_blocks, split_along};

/// Rows whose probabilities are worked out together.
const PIECE_ROWS: usize = 256;

/// Scores of class-ordered rows.
#[derive(Debug, Clone)]
pub struct Scores {
    combiner: Combiner,
    outputs: Vec<Vec<f64>>,
    /// The start weight of all input rows at a place: fixed-point, or counts if all weigh the same.
    start_weights: Option<Vec<u64>>,
    /// How many input rows share each place; `None` if every row has its own.
    copies: Option<Vec<u32>>,
    /// The start weight of the rows of all shards.
    total: u64,
    blocks: Vec<RunBlock>,
    /// Where the rows of each class end.
    class_ends: Vec<usize>,
    costs: Option<Arc<Costs>>,
}

impl Scores {
    /// Before the first round.
    pub fn start(
        rows: &Rows,
        combiner: &Combiner,
        costs: Option<Arc<Costs>>,
        workers: &Workers,
    ) -> Result<Self> {
        let start_weights: Option<Vec<u64>> = match (rows.start_weights(), rows.copies()) {
            (Some(weights), copies) => Some(to_fixed_places(&weights, copies)),
            (None, Some(copies)) => Some(copies.iter().map(|&n| u64::from(n)).collect()),
            (None, None) => None,
        };
        let total = match &start_weights {
            Some(weights) if rows.is_weighted() => workers.reduce().total(weights.iter().sum())?,
            _ => rows.n_input_rows() as u64,
        };
        Ok(Self {
            outputs: (0..combiner.n_outputs())
                .map(|output| vec![combiner.first_value(output); rows.len()])
                .collect(),
            combiner: combiner.clone(),
            total,
            start_weights,
            copies: rows.copies().map(<[u32]>::to_vec),
            blocks: run_blocks(rows.class_ends()),
            class_ends: rows.class_ends().to_vec(),
            costs,
        })
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.outputs[0].len()
    }

    /// The number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.combiner.n_classes()
    }

    /// One of the outputs, by row.
    #[must_use]
    pub fn output(&self, output: usize) -> &[f64] {
        &self.outputs[output]
    }

    /// Lets the outputs mean something else from now on.
    pub fn set_combiner(&mut self, combiner: &Combiner) {
        self.combiner = combiner.clone();
    }

    /// Blocks of rows of one class.
    #[must_use]
    pub fn blocks(&self) -> &[RunBlock] {
        &self.blocks
    }

    /// The share of the input rows at a place in the start weight.
    #[must_use]
    pub fn start_share(&self, row: usize) -> f64 {
        self.weight(row) as f64 / self.total as f64
    }

    /// How many input rows share a place.
    #[must_use]
    pub fn copies(&self, row: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[row]))
    }

    /// The share of one of the input rows at a place in the start weight.
    #[must_use]
    pub fn share_of_one(&self, row: usize) -> f64 {
        (self.weight(row) / self.copies(row)) as f64 / self.total as f64
    }

    /// Turns the weight of all input rows at each place, or the start weight where there is none left,
    /// into that of one of them; returns it with the weight of all together.
    pub(super) fn by_input_row(
        &self,
        mut weights: Vec<f64>,
        workers: &Workers,
    ) -> Result<(Vec<f64>, f64)> {
        let reduce = workers.reduce();
        let mut total = ExactSum::of(weights.iter().copied()).over_shards(reduce)?;
        if total <= 0.0 {
            weights = (0..self.n_rows()).map(|row| self.start_share(row)).collect();
            total = ExactSum::of(weights.iter().copied()).over_shards(reduce)?;
        }
        for (weight, &n) in weights.iter_mut().zip(self.copies.iter().flatten()) {
            *weight /= f64::from(n);
        }
        Ok((weights, total))
    }

    /// The share of each class in the start weight.
    pub fn class_shares(&self, workers: &Workers) -> Result<Vec<f64>> {
        let mut sums = vec![0u64; self.combiner.n_classes()];
        for block in &self.blocks {
            sums[block.run] += block.rows.clone().map(|row| self.weight(row)).sum::<u64>();
        }
        workers.reduce().sum_if_split(&mut sums)?;
        Ok(sums.iter().map(|&sum| sum as f64 / self.total as f64).collect())
    }

    fn weight(&self, row: usize) -> u64 {
        self.start_weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Calls `see` with the number and the soft-max probabilities exp(ψ) / Σ exp(ψ) of the wanted
    /// rows of a block.
    pub(super) fn for_each_softened(
        &self,
        block: &RunBlock,
        wanted: impl Fn(usize) -> bool,
        mut see: impl FnMut(usize, &[f64]),
    ) {
        // Column by output over a few rows at a time, which compilers turn into wide instructions.
        let mut terms = vec![[0.0; PIECE_ROWS]; self.outputs.len()];
        let mut shares = vec![0.0; self.outputs.len()];
        for start in block.rows.clone().step_by(PIECE_ROWS) {
            let rows = start..(start + PIECE_ROWS).min(block.rows.end);
            let mut highest = [f64::NEG_INFINITY; PIECE_ROWS];
            for output in &self.outputs {
                for (highest, score) in highest.iter_mut().zip(&output[rows.clone()]) {
                    *highest = highest.max(*score);
                }
            }
            let mut sums = [0.0; PIECE_ROWS];
            for (terms, output) in terms.iter_mut().zip(&self.outputs) {
                let scores = output[rows.clone()].iter().zip(&highest);
                for ((term, sum), (score, highest)) in terms.iter_mut().zip(&mut sums).zip(scores) {
                    *term = exp_of_negative(score - highest);
                    *sum += *term;
                }
            }
            for (at, row) in rows.enumerate().filter(|(_, row)| wanted(*row)) {
                for (share, terms) in shares.iter_mut().zip(&terms) {
                    *share = terms[at] / sums[at];
                }
                see(row, &shares);
            }
        }
    }

    /// Adds the hypotheses of a round, each to its output and with its weight.
    pub fn add(
        &mut self,
        round: usize,
        members: &[(&Answers, usize, f64)],
        workers: &Workers,
    ) -> Result<Tally> {
        if let ([(answers, _, weight)], true) = (members, self.combiner == Combiner::Sign) {
            let right = self.add_to_sign(&answers.numbers(0), *weight, workers)?;
            return Ok(Tally { right, cost: None });
        }
        let steps = self.n_rows() * self.combiner.n_outputs();
        // Not block by block: of many classes each has a few rows only.
        let rows = row_blocks(self.n_rows());
        let lengths: Vec<usize> = rows.iter().map(ExactSizeIterator::len).collect();
        let pieces = self.outputs.iter_mut().map(|output| split_along(output, lengths.clone()));
        let blocks = rows.into_iter().zip(by_block(pieces)).collect();
        let steps_of_round =
            self.combiner.steps(round, members.iter().map(|(_, output, _)| *output));
        let additions: Vec<Addition> = steps_of_round
            .into_iter()
            .map(|step| match step {
                ScoreStep::Hypothesis(at) => {
                    let (answers, output, weight) = members[at];
                    self.combiner.addition(answers, Weighted { output, weight })
                }
                ScoreStep::Pass(output) => Addition::Pass(output),
            })
            .collect();
        workers.map(steps, blocks, |(rows, mut outputs)| {
            for addition in &additions {
                addition.apply(rows.clone(), &mut outputs);
            }
            Ok(())
        })?;
        self.tally(workers)
    }

    /// The log loss of the probabilities that the scores stand for, under the start weights.
    pub fn log_loss(&self, workers: &Workers) -> Result<f64> {
        let steps = self.n_rows() * self.combiner.n_outputs();
        let n_scores = self.combiner.n_scores();
        let sums = workers.map(steps, self.blocks.iter().collect(), |block| {
            let outputs: Vec<&[f64]> =
                self.outputs.iter().map(|output| &output[block.rows.clone()]).collect();
            let mut scores = vec![0.0; block.rows.len() * n_scores];
            self.combiner.write_scores(&outputs, &mut scores);
            let mut sum = ExactSum::default();
            for (row, scores) in block.rows.clone().zip(scores.chunks(n_scores)) {
                let loss = self.share_of_one(row) * lost(scores, block.run);
                sum.add_times(loss, self.copies(row));
            }
            Ok(sum)
        })?;
        ExactSum::of_parts(&sums).over_shards(workers.reduce())
    }

    /// How good the scores are now.
    fn tally(&self, workers: &Workers) -> Result<Tally> {
        let steps = self.n_rows() * self.combiner.n_outputs();
        let counted = workers.map(steps, row_blocks(self.n_rows()), |rows| {
            let outputs: Vec<&[f64]> =
                self.outputs.iter().map(|output| &output[rows.clone()]).collect();
            let mut right = 0;
            self.combiner.for_classes(&outputs, |at, answers| {
                right += self.weight_right_of_any(rows.start + at, answers);
            });
            Ok(right)
        })?;
        let right = workers.reduce().total(counted.iter().sum::<u64>())? as f64 / self.total as f64;
        let Some(costs) = &self.costs else { return Ok(Tally { right, cost: None }) };
        let priced = workers.map(steps, self.blocks.iter().collect(), |block| {
            let mut cost = ExactSum::default();
            self.for_each_softened(
                block,
                |_| true,
                |row, shares| {
                    let expected = expected(costs.of(row, block.run), shares);
                    let weight = (self.weight(row) / self.copies(row)) as f64;
                    cost.add_times(weight * expected, self.copies(row));
                },
            );
            Ok(cost)
        })?;
        let cost = ExactSum::of_parts(&priced).over_shards(workers.reduce())?;
        Ok(Tally { right, cost: Some(costs.unit() * cost / self.total as f64) })
    }

    /// The weight of the rows from `first` on that are answered right.
    fn weight_right_of_any(&self, first: usize, answers: &[u64]) -> u64 {
        let (mut at, mut right) = (first, 0);
        let last = first + answers.len();
        let mut class = self.class_ends.partition_point(|&end| end <= first);
        while at < last {
            let end = self.class_ends[class].min(last);
            right += self.weight_right(class, at, &answers[at - first..end - first]);
            (at, class) = (end, class + 1);
        }
        right
    }

    /// The weight of the rows from `first` on, all of one class, that are answered right.
    fn weight_right(&self, class: usize, first: usize, answers: &[u64]) -> u64 {
        let rows = (first..).zip(answers);
        match (&self.costs, &self.start_weights) {
            (None, None) => answers.iter().map(|&a| u64::from(a == class as u64)).sum(),
            (None, Some(weights)) => {
                let rows = rows.filter(|(_, answer)| **answer == class as u64);
                rows.map(|(row, _)| weights[row]).sum()
            }
            (Some(costs), _) => {
                let is_right =
                    |(row, answer): &(usize, &u64)| costs.is_right(*row, class, **answer as usize);
                rows.filter(is_right).map(|(row, _)| self.weight(row)).sum()
            }
        }
    }

    /// Adds to the one score of two classes; returns the share that is now classified right.
    fn add_to_sign(&mut self, numbers: &RowNumbers, weight: f64, workers: &Workers) -> Result<f64> {
        let n_rows = self.n_rows();
        let start_weights = self.start_weights.as_deref();
        let values =
            split_along(&mut self.outputs[0], self.blocks.iter().map(|block| block.rows.len()));
        let steps: Vec<f64> = match numbers {
            RowNumbers::Parts { values, .. } => values.iter().map(|h| weight * h).collect(),
            RowNumbers::Each(_) => Vec::new(),
        };
        let right =
            workers.map(n_rows, self.blocks.iter().zip(values).collect(), |(block, values)| {
                let rows = block.rows.clone();
                let weights = start_weights.map(|weights| &weights[rows.clone()]);
                let positive = block.run == 1;
                Ok(match numbers {
                    RowNumbers::Parts { part, .. } => {
                        let steps = part[rows].iter().map(|&part| steps[usize::from(part)]);
                        advance(values, steps, weights, positive)
                    }
                    RowNumbers::Each(numbers) => {
                        let steps = numbers[rows].iter().map(|h| weight * h);
                        advance(values, steps, weights, positive)
                    }
                })
            })?;
        let right = workers.reduce().total(right.iter().sum::<u64>())?;
        Ok(right as f64 / self.total as f64)
    }
}

/// ln(1/p) of a class under the scores of a row.
fn lost(scores: &[f64], class: usize) -> f64 {
    if let [score] = scores {
        let margin = if class == 1 { 2.0 * score } else { -2.0 * score };
        return ln_1p(exp_of_negative(-margin.abs())) + (-margin).max(0.0);
    }
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| exp_of_negative(score - highest)).sum();
    ln(sum) + highest - scores[class]
}

/// Adds a step to each score of one class; returns the weight that is now on the right side.
fn advance(
    values: &mut [f64],
    steps: impl Iterator<Item = f64>,
    weights: Option<&[u64]>,
    positive: bool,
) -> u64 {
    let moved = values.iter_mut().zip(steps).map(|(value, step)| {
        *value += step;
        (*value >= 0.0) == positive
    });
    match weights {
        None => moved.map(u64::from).sum(),
        Some(weights) => moved.zip(weights).map(|(right, &w)| if right { w } else { 0 }).sum(),
    }
}
