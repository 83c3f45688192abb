//! Boosters over pairs of a row and a class: AdaBoost.MH (B2) and AdaBoost.M2 (B3).
//!
//! Every pair has a weight, and its target is +1 if the row is of that class, else −1. A round has a
//! hypothesis for each class, or one whose parts answer all classes (`shared`).
//! γ = Σ w target h over all pairs, α = ½ ln((1+γ)/(1−γ)).
//!
//! MH minimises the Hamming loss: w(i,k) ∝ w(i,k) exp(−α target h). Schapire & Singer 1999; Geist
//! 2015, algorithm 3. M2 minimises the ranking loss: half of the weight belongs to the mislabels
//! k ≠ y, and w(i,k) ∝ w(i,k) exp(−α (h(i,y) − h(i,k))/2); the pair (i,y) weighs as much as all
//! mislabels of row i. Then (1−γ)/2 is the pseudo-loss of Freund & Schapire 1997 for (1+h)/2, and
//! α = ½ ln(1/β). Cost per round: K searches and O(rows · K).

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::row_weights::RowWeights;
use super::target::{Atom, Target, edge, error, exponential_loss};
use super::{
    Found, Judgement, NO_EDGE, RoundJudgement, Scores, Team, TeamStart, Verdict, WEIGHT_CAP,
    tries::Tries,
};
use crate::combiner::Combiner;
use crate::demand::{Demand, FULL_WEIGHT, Needs, Question, Stretch};
use crate::error::{Error, Result};
use crate::hypothesis::RowNumbers;
use crate::model::StopReason;
use crate::portable::{exp, ln};
use crate::reduce::ExactSum;
use crate::workers::{RunBlock, Workers, by_block, run_blocks};

/// The largest step by which ranks change weights: beyond it, weights that the fixed-point sums miss
/// could become all that there is.
const MOST_STEP: f64 = 2.0 * WEIGHT_CAP;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PairsSettings {
    /// Whether one hypothesis answers all classes.
    pub shared: bool,
}

/// What is minimised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// The Hamming loss: AdaBoost.MH.
    Hamming,
    /// The ranking loss: AdaBoost.M2.
    Ranking,
}

impl PairsSettings {
    fn weights_of(&self, target: Target, start: &TeamStart) -> RowWeights {
        let weights = RowWeights::start(start.rows, target);
        if self.shared { weights.without_lists() } else { weights }
    }

    pub(super) fn start(&self, rule: Rule, start: &TeamStart) -> Box<dyn Team> {
        let n_classes = start.n_classes;
        let class_ends = start.rows.class_ends();
        let blocks = run_blocks(class_ends);
        let combiner = Combiner::by_class(n_classes);
        let targets = Target::of_problems(&combiner).into_iter();
        let mut by_class: Vec<RowWeights> =
            targets.map(|target| self.weights_of(target, start)).collect();
        for (class, weights) in by_class.iter_mut().enumerate() {
            for (block, weights) in blocks.iter().zip(weights.split_blocks()) {
                let share = match rule {
                    Rule::Hamming => 1.0 / n_classes as f64,
                    Rule::Ranking if block.run == class => 0.5,
                    Rule::Ranking => 0.5 / (n_classes - 1) as f64,
                };
                for weight in weights {
                    *weight *= share;
                }
            }
            weights.rescale(1.0);
        }
        let ends = class_ends.iter().enumerate();
        Box::new(Pairs {
            rule,
            shared: self.shared,
            learning_rate: start.learning_rate,
            combiner,
            layers: Vec::new(),
            stretches: ends.map(|(kind, &end)| Stretch { kind, end }).collect(),
            by_class,
            blocks,
            atoms: Vec::new(),
            tries: Tries::new(start.resample),
        })
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
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };
}

struct Pairs {
    rule: Rule,
    shared: bool,
    learning_rate: f64,
    combiner: Combiner,
    /// The weights of all pairs of one class each; all classes together weigh 1.
    by_class: Vec<RowWeights>,
    /// The same in one piece, for hypotheses that answer all classes.
    layers: Vec<u64>,
    stretches: Vec<Stretch>,
    /// Blocks of rows of one class.
    blocks: Vec<RunBlock>,
    /// The answers of the last round, added up by class.
    atoms: Vec<Atom>,
    tries: Tries,
}

impl Pairs {
    /// What was found out about each class.
    fn numbers<'a>(&self, found: &'a [Found]) -> Vec<RowNumbers<'a>> {
        let by_class = 0..self.by_class.len();
        if self.shared {
            return by_class.map(|class| found[0].answers.numbers(class)).collect();
        }
        by_class.map(|class| found[class].answers.numbers(0)).collect()
    }

    /// Lets the weights of mislabels follow how much higher the right class is ranked.
    fn update_ranks(
        &mut self,
        numbers: &[RowNumbers],
        weight: f64,
        workers: &Workers,
    ) -> Result<()> {
        // Answers reach from −1 to 1, and so do the margins between two of them.
        if weight > MOST_STEP {
            return Err(Error::OutOfRange);
        }
        let n_rows = self.by_class[0].as_slice().len();
        let n_classes = self.by_class.len();
        let pieces = self.by_class.iter_mut().map(RowWeights::split_blocks);
        let blocks = self.blocks.iter().zip(by_block(pieces)).collect();
        workers.map(n_rows * n_classes, blocks, |(block, by_class)| {
            let (own, first) = (block.run, block.rows.start);
            let mut sums = vec![0.0; by_class[0].len()];
            let mut by_class: Vec<_> = by_class.into_iter().enumerate().collect();
            for (class, weights) in by_class.iter_mut().filter(|(class, _)| *class != own) {
                for (at, mislabel) in weights.iter_mut().enumerate() {
                    let row = first + at;
                    let margin = 0.5 * (numbers[own].of(row) - numbers[*class].of(row));
                    *mislabel *= exp(-weight * margin);
                    sums[at] += *mislabel;
                }
            }
            by_class[own].1.copy_from_slice(&sums);
            Ok(())
        })?;
        let mut total = ExactSum::default();
        for weights in &self.by_class {
            total.merge(&weights.sum(workers)?);
        }
        let total = total.over_shards(workers.reduce())?;
        for weights in &mut self.by_class {
            weights.rescale(1.0 / total);
        }
        Ok(())
    }
}

impl Team for Pairs {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        if self.shared { Question::EachClass(self.by_class.len()) } else { Question::Side }
    }

    fn n_searches(&self) -> usize {
        if self.shared { 1 } else { self.by_class.len() }
    }

    fn n_weights(&self) -> usize {
        1
    }

    fn demand(&mut self, search: usize, _: &Scores, _: &Workers) -> Result<Option<Demand<'_>>> {
        if !self.shared {
            return Ok(Some(self.by_class[search].demand()));
        }
        self.layers.clear();
        for weights in &self.by_class {
            self.layers.extend_from_slice(weights.demand().weights);
        }
        Ok(Some(Demand {
            question: self.question(),
            weights: &self.layers,
            stretches: &self.stretches,
            revision: None,
            ..self.by_class[0].demand()
        }))
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        let numbers = self.numbers(found);
        let atoms = RowWeights::atoms_of_all(&self.by_class, &numbers, workers)?;
        self.atoms = atoms.into_iter().flatten().collect();
        let (edge, error) = (edge(&self.atoms), error(&self.atoms));
        let is_perfect = self.atoms.iter().all(|atom| atom.margin == 1.0);
        let never_had_weight = |row: usize| scores.start_share(row) == 0.0;
        let is_right = |(weights, numbers): (&RowWeights, &RowNumbers)| {
            weights.are_all_right(numbers, 1.0, never_had_weight)
        };
        let are_right =
            is_perfect && workers.reduce().all(self.by_class.iter().zip(&numbers).all(is_right))?;
        let verdict = if are_right {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else if is_perfect {
            Verdict::DropAndStop(StopReason::OutOfRange)
        } else if edge <= NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else {
            Verdict::Keep
        };
        let weight = (0.5 * ln((1.0 + edge) / (1.0 - edge))).min(WEIGHT_CAP);
        let weight = if is_perfect { WEIGHT_CAP } else { weight };
        let weight = self.learning_rate * weight;
        let verdict = self.tries.review(verdict);
        Ok(RoundJudgement::on_all(Judgement { weight, edge, error, verdict }))
    }

    fn update(
        &mut self,
        found: &[Found],
        weights: &[Option<f64>],
        workers: &Workers,
    ) -> Result<()> {
        let Some(weight) = weights[0] else { return Ok(()) };
        let numbers = self.numbers(found);
        match self.rule {
            Rule::Hamming => {
                let z = exponential_loss(&self.atoms, weight);
                let factor = |margin: f64| exp(-weight * margin) / z;
                RowWeights::multiply_all(&mut self.by_class, &numbers, factor, workers)
            }
            Rule::Ranking => self.update_ranks(&numbers, weight, workers),
        }
    }

    fn row_weights(&self, _: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        let mut sums = vec![0.0; self.by_class[0].as_slice().len()];
        for weights in &self.by_class {
            for (sum, weight) in sums.iter_mut().zip(weights.as_slice()) {
                *sum += weight;
            }
        }
        let mut total = 0;
        for weights in &self.by_class {
            total += weights.total(workers)?;
        }
        Ok((sums, total as f64 / FULL_WEIGHT))
    }
}
