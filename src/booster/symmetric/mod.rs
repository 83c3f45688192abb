//! SFBoost: symmetric functions grown by boosting (A8).
//!
//! Hypotheses answer 0 or 1, a row sits in the bucket Σ h(x), and its score is that of its bucket:
//! v = ½ ln(U⁺/U⁻), where U are the start weights of the classes there, or ln of each class's share
//! for more classes. Each round adds the hypothesis that lowers B = Σⱼ 2√(U⁺ⱼ U⁻ⱼ) most, or raises it
//! least; Z = B/B₋₁ is the factor by which the exponential loss Σ u exp(−y H) changes, so the product
//! of all Z is the loss. Smoothing adds s · Π Z₋₁ to both weights of a bucket, which is what adding s
//! does in the update by row weights. A partition of the rows is used once: again, or the other way
//! round, it would only shift buckets. Of tests that are as good as each other one is drawn by seed; the
//! run is over when no new partition is left. No row weight is needed for any of this: a wrong label counts
//! as one row of its bucket for ever, and never gains weight.
//!
//! B falls by chance: among many tests some make small buckets pure. By description length tests are
//! chosen instead that shorten −Σ U ln(share), the shares being those of the buckets with a row of each
//! class more; every further literal of a rule costs twice the nats that name it, and pruning keeps the
//! rounds up to the one after which classes and tests together have the shortest description, or all
//! if they tell the classes of all rows.
//!
//! Cost per round: one pass over all codes, with the rows of a bucket together, and O(rows). Nock &
//! Lefaucheur 2002.

mod buckets;
mod passes;
mod problems;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::{Found, Judgement, RoundJudgement, Scores, Team, TeamStart, Verdict, check_unshrunk};
use crate::combiner::{Buckets, Combiner, MarginLoss, description};
use crate::data::{ABSENT, Rows};
use crate::demand::{Demand, Needs, OwnedDemand, Partitions, Question};
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::workers::Workers;
use buckets::{Kinds, StartWeights, Step, loss};
use problems::SymmetricProblems;

/// A loss below this is none, and so is a difference between losses.
const NO_LOSS: f64 = 1e-12;

/// What tests are chosen by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SymmetricCriterion {
    /// The description length if nothing is said of pruning and smoothing, otherwise B as in the
    /// paper.
    #[default]
    Auto,
    /// The description length.
    Mdl,
    /// B.
    Z,
}

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SymmetricSettings {
    /// Whether only the rounds up to the best one are kept, as they are by default.
    pub prune: Option<bool>,
    /// The share of the weight that is added to every class in every bucket; by default that of the
    /// lightest row.
    pub smoothing: Option<f64>,
    /// What tests are chosen by.
    #[serde(default)]
    pub criterion: SymmetricCriterion,
}

impl SymmetricSettings {
    fn prunes(&self) -> bool {
        self.prune.unwrap_or(true)
    }

    /// One table for all classes, or one for each of the two-class problems they are made of.
    pub(super) fn start(&self, start: &TeamStart) -> Result<Box<dyn Team>> {
        check_unshrunk(start.learning_rate, "hypotheses are counted, not weighed")?;
        if start.decomposition.is_some() {
            return Ok(Box::new(SymmetricProblems::start(self, start)?));
        }
        let all = Place { output: 0, kinds: Kinds::classes(start.n_classes) };
        let mut team = self.start_at(start, all)?;
        if self.prunes() {
            let standing = team.standing();
            team.best = team.combiner.buckets().map(|table| (table.clone(), standing));
        }
        Ok(Box::new(team))
    }

    fn start_at(&self, start: &TeamStart, place: Place) -> Result<Symmetric> {
        let Place { output, kinds } = place;
        let is_plain = self.prune.is_none() && self.smoothing.is_none();
        let by_length = match self.criterion {
            SymmetricCriterion::Auto => is_plain,
            SymmetricCriterion::Mdl => true,
            SymmetricCriterion::Z => false,
        };
        let n_rows = start.rows.n_effective(|class| kinds.of(class).is_some());
        let lightest = start.rows.lightest(|class| kinds.of(class).is_some());
        let smooth = match self.smoothing {
            Some(share) if !(share.is_finite() && share >= 0.0) => {
                return Err(Error::parameter("smoothing", share, "None or a number >= 0"));
            }
            share => share.unwrap_or(lightest),
        };
        let class_ends = start.rows.class_ends().to_vec();
        let reduce = start.workers.reduce();
        let weights = StartWeights::new(start.rows, &kinds, reduce)?;
        let (whole, counts) = weights.by_kind(&kinds, &class_ends, reduce)?;
        let mut table = Buckets { n_classes: kinds.n_kinds, ..Buckets::default() };
        let mut first = Step::new(whole.clone(), kinds.n_kinds, smooth);
        // Problems that draw do not draw alike.
        let mut partitions = Partitions::new(start.seed.wrapping_add(output as u64));
        if by_length {
            partitions = partitions.by_length((weights.total / n_rows) as u64);
        }
        first.counts = counts;
        first.add_to(&mut table);
        Ok(Symmetric {
            best: None,
            smooth,
            has_classes: whole.iter().filter(|weight| **weight > 0.0).count() > 1,
            combiner: Combiner::Buckets(table),
            weights,
            lightest,
            keys: keys(start.rows, &kinds),
            class_ends,
            kinds,
            output,
            partitions: Arc::new(partitions),
            n_rows: by_length.then_some(n_rows),
            length_of_tests: 0.0,
            asked: OwnedDemand::default(),
            next: None,
        })
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Buckets,
        is_binary: true,
        loss: Some(MarginLoss::Exponential),
        rounds: RoundsParameter::NEstimators,
        learning_rate: false,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: false,
        may_shard: true,
    };
}

/// The exponential loss after the last round.
fn last_loss(table: &Buckets) -> f64 {
    table.losses.last().copied().unwrap_or(f64::INFINITY)
}

/// Whether every bucket has rows of one class only.
fn are_pure(weights: &[f64], n_classes: usize) -> bool {
    let is_pure = |bucket: &[f64]| bucket.iter().filter(|weight| **weight > NO_LOSS).count() < 2;
    weights.chunks_exact(n_classes).all(is_pure)
}

/// Which output holds the buckets, and what they tell apart.
struct Place {
    output: usize,
    kinds: Kinds,
}

/// By place: the sum of the keys of its input rows, whether they share it or not; 0 for rows that do
/// not take part.
fn keys(rows: &Rows, kinds: &Kinds) -> Vec<u64> {
    let mut keys = vec![0u64; rows.len()];
    let numbered = rows.places().iter().zip(rows.pieces().numbers());
    for (&place, number) in numbered.filter(|(place, _)| **place != ABSENT) {
        let key = &mut keys[place as usize];
        *key = key.wrapping_add(Partitions::key(number));
    }
    let mut kept = vec![0u64; rows.len()];
    for (_, places) in kinds.runs(rows.class_ends()) {
        kept[places.clone()].copy_from_slice(&keys[places]);
    }
    kept
}

struct Symmetric {
    /// The table after the best round so far, and how good it was, if later ones are dropped.
    best: Option<(Buckets, f64)>,
    /// How many rows there are, if tests are chosen by description length.
    n_rows: Option<f64>,
    /// The nats that it takes to name all tests so far.
    length_of_tests: f64,
    smooth: f64,
    /// Whether rows of two classes take part.
    has_classes: bool,
    combiner: Combiner,
    weights: StartWeights,
    lightest: f64,
    class_ends: Vec<usize>,
    kinds: Kinds,
    /// The output that holds the buckets.
    output: usize,
    asked: OwnedDemand,
    /// By place.
    keys: Vec<u64>,
    /// Those that the hypotheses so far have made.
    partitions: Arc<Partitions>,
    /// What the hypothesis that was judged last would make of the buckets.
    next: Option<Step>,
}

impl Symmetric {
    fn n_kinds(&self) -> usize {
        self.kinds.n_kinds
    }

    fn n_buckets(&self) -> usize {
        self.combiner.buckets().map_or(0, |table| table.stages.len())
    }

    fn loss(&self) -> f64 {
        self.combiner.buckets().map_or(1.0, last_loss)
    }

    /// What the best round has least of: the loss, or the nats by row that describe classes and tests.
    fn standing(&self) -> f64 {
        let Some(n_rows) = self.n_rows else { return self.loss() };
        let weights = self.combiner.buckets().map_or(&[][..], |table| &table.weights);
        // Fewer tests would not tell the classes apart.
        if are_pure(weights, self.n_kinds()) {
            return 0.0;
        }
        let buckets = weights.chunks_exact(self.n_kinds());
        let classes: f64 =
            buckets.map(|bucket| description(bucket.iter().copied(), 1.0 / n_rows)).sum();
        classes + self.length_of_tests / n_rows
    }

    /// What a hypothesis is worth, if one was found.
    fn judge_one(
        &mut self,
        found: Option<&Found>,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Judgement> {
        let reason = if self.n_buckets() > 1 { StopReason::NoNewTest } else { StopReason::NoEdge };
        let verdict = Verdict::DropAndStop(reason);
        let no_edge = Judgement { weight: 0.0, edge: 0.0, error: 0.5, verdict };
        let Some(found) = found else { return Ok(no_edge) };
        let sides = self.add_up(found, scores, workers)?;
        if sides.iter().any(|side| side.iter().all(|(weight, _)| *weight == 0)) {
            return Ok(no_edge);
        }
        let error = self.error(&sides);
        let [stay, moves] = &sides;
        let n_kinds = self.n_kinds();
        let mut moved = stay.clone();
        moved.resize(stay.len() + n_kinds, (0, 0));
        for (to, from) in moved[n_kinds..].iter_mut().zip(moves) {
            *to = (to.0 + from.0, to.1 + from.1);
        }
        let weights = moved.iter().map(|(weight, _)| *weight as f64 / self.weights.total).collect();
        let mut step = Step::new(weights, n_kinds, self.smooth * self.loss());
        step.counts = moved.iter().map(|(_, count)| *count).collect();
        let verdict = if are_pure(&step.weights, n_kinds) {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else {
            Verdict::Keep
        };
        self.next = Some(step);
        Ok(Judgement { weight: 1.0, edge: 1.0 - 2.0 * error, error, verdict })
    }

    /// Moves the rows on which the hypothesis fires that was judged last.
    fn take(&mut self, found: &Found, workers: &Workers) -> Result<()> {
        self.length_of_tests += found.length;
        let (side, all) = self.sums_of_keys(found, workers)?;
        Arc::make_mut(&mut self.partitions).take(side, all);
        if let (Some(step), Combiner::Buckets(table)) = (self.next.take(), &mut self.combiner) {
            step.add_to(table);
        }
        Ok(())
    }

    /// Lets a round pass.
    fn pass(&mut self) {
        self.next = None;
        if let Combiner::Buckets(table) = &mut self.combiner {
            Step::idle(table).add_to(table);
        }
    }
}

impl Team for Symmetric {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        Question::Buckets { n_classes: self.n_kinds(), n_buckets: self.n_buckets() }
    }

    fn n_searches(&self) -> usize {
        1
    }

    fn n_weights(&self) -> usize {
        1
    }

    fn demand(
        &mut self,
        _: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        if !self.has_classes {
            return Ok(None);
        }
        self.asked = self.ask(scores.output(self.output), workers)?;
        let asked = self.asked.lend(self.question(), self.lightest);
        Ok(Some(Demand { partitions: Some(&self.partitions), ..asked }))
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        self.judge_one(found.first(), scores, workers).map(RoundJudgement::on_all)
    }

    fn update(&mut self, found: &[Found], _: &[Option<f64>], workers: &Workers) -> Result<()> {
        if let [found] = found {
            self.take(found, workers)?;
        }
        let standing = self.standing();
        if let (Some((best, least)), Combiner::Buckets(table)) = (&mut self.best, &self.combiner)
            && standing < *least - NO_LOSS
        {
            best.clone_from(table);
            *least = standing;
        }
        Ok(())
    }

    fn finish(&mut self, _: &Workers) -> Result<()> {
        if let Some((best, _)) = &self.best {
            self.combiner = Combiner::Buckets(best.clone());
        }
        Ok(())
    }

    fn row_weights(&self, scores: &Scores, _: &Workers) -> Result<(Vec<f64>, f64)> {
        let Some(table) = self.combiner.buckets() else { return Ok((Vec::new(), 1.0)) };
        let by_bucket = table.stage(usize::MAX);
        let width = by_bucket.len() / self.n_buckets();
        let mut weights = vec![0.0; scores.n_rows()];
        // Where no loss is left, all rows have their start weights.
        let is_over = self.loss() <= 0.0;
        for (kind, places) in self.kinds.runs(&self.class_ends) {
            for place in places {
                let bucket = scores.output(self.output)[place] as usize;
                // Of one input row, and so the same whether rows share a place or not.
                let own = self.weights.fixed[place] / self.weights.copies(place);
                let loss =
                    if is_over { 1.0 } else { loss(kind, &by_bucket[bucket * width..][..width]) };
                weights[place] = own as f64 / self.weights.total * loss;
            }
        }
        Ok((weights, if is_over { 1.0 } else { self.loss() }))
    }

    fn n_kept(&self) -> Option<usize> {
        self.best.as_ref().map(|(best, _)| best.n_rounds())
    }
}
