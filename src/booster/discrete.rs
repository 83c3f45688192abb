//! Discrete AdaBoost and the ATA(φ) family (A1).
//!
//! Minimises Σ exp(−y H) one vote at a time. Round: ε = weighted error; stop if ε ≥ φ;
//! b = ln(φ(1−ε) / (ε(1−φ))), α = b/2; w ∝ w exp(−α y h). φ = ½ is AdaBoost; smaller φ drive all
//! margins towards 1−2φ. Cost per round: O(rows) besides the search. Rätsch et al. 2001; Zhou & Yu
//! 2009. With `resample` the learner sees a bootstrap sample drawn by w instead of w itself.
//!
//! SAMME and AdaBoost.M1 (B1) are the same with votes for one of K classes: y h is +1 for a right
//! vote and −1 for a wrong one. SAMME is ATA(1 − 1/K), because then b = ln((1−ε)/ε) + ln(K−1) and
//! ε ≥ 1 − 1/K is no better than chance; M1 is AdaBoost. A vote adds b to the score of its class.

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::target::{edge, error};
use super::{
    Booster, Feedback, Judgement, NO_EDGE, RowWeights, Start, Target, Verdict, WEIGHT_CAP,
};
use crate::combiner::MarginLoss;
use crate::demand::{Demand, FULL_WEIGHT, Needs};
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::portable::ln;
use crate::random::{ByWeight, stream};
use crate::workers::Workers;

/// Fresh samples that are drawn for one round before it is given up.
const TRIES: usize = 10;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiscreteSettings {
    /// The error that is no better than chance.
    pub phi: f64,
    /// Whether learners see samples instead of weights.
    pub resample: bool,
}

impl DiscreteSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        if !(self.phi > 0.0 && self.phi < 1.0) {
            return Err(Error::parameter("phi", self.phi, "a number in the open interval (0, 1)"));
        }
        Ok(Discrete::start(self.phi, self.resample, start))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: true,
        loss: Some(MarginLoss::Exponential),
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
    };
}

/// SAMME and AdaBoost.M1 have nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VotesSettings {}

impl VotesSettings {
    /// AdaBoost with votes for classes.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start_m1(&self, start: &Start) -> Result<Box<dyn Booster>> {
        Ok(Discrete::start(0.5, false, start))
    }

    /// SAMME.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start_samme(&self, start: &Start) -> Result<Box<dyn Booster>> {
        let phi = match start.target {
            Target::Sides(_) => 0.5,
            Target::Classes(n_classes) => 1.0 - 1.0 / n_classes as f64,
        };
        Ok(Discrete::start(phi, false, start))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: false,
        loss: None,
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
    };
}

struct Discrete {
    phi: f64,
    learning_rate: f64,
    weights: RowWeights,
    sampler: Option<Sampler>,
    /// What share of b a vote adds to a score: half of it to the one score of two sides, whose
    /// margin it moves both ways, all of it to the score of a class.
    share: f64,
}

impl Discrete {
    fn start(phi: f64, resample: bool, start: &Start) -> Box<dyn Booster> {
        let weights = RowWeights::start(start.rows, start.target.clone());
        Box::new(Self {
            phi,
            sampler: resample.then(|| Sampler::new(start.seed, weights.as_slice().len())),
            learning_rate: start.learning_rate,
            share: if matches!(start.target, Target::Sides(_)) { 0.5 } else { 1.0 },
            weights,
        })
    }
}

impl Booster for Discrete {
    fn demand(&mut self) -> Demand<'_> {
        match &mut self.sampler {
            None => self.weights.demand(),
            Some(sampler) => {
                Demand { weights: sampler.draw(&self.weights), ..self.weights.demand() }
            }
        }
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        let odds = (self.phi / (1.0 - self.phi)) * ((1.0 - error) / error);
        let weight = (self.share * ln(odds)).min(2.0 * self.share * WEIGHT_CAP);
        let tries_left = self.sampler.as_mut().is_some_and(Sampler::may_try_again);
        let verdict = if error >= self.phi - NO_EDGE {
            if tries_left { Verdict::Retry } else { Verdict::DropAndStop(StopReason::NoEdge) }
        } else if error == 0.0 {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else {
            Verdict::Keep
        };
        Ok(Judgement { weight: self.learning_rate * weight, edge, error, verdict })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        if let Some(sampler) = &mut self.sampler {
            sampler.next_round();
        }
        self.weights.update_exponentially(feedback, 0.5 * weight / self.share, workers)
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}

/// Draws bootstrap samples; each round has a random stream of its own.
struct Sampler {
    seed: u64,
    round: u64,
    tries: usize,
    counts: Vec<u64>,
}

impl Sampler {
    fn new(seed: u64, n_places: usize) -> Self {
        Self { seed, round: 0, tries: 0, counts: vec![0; n_places] }
    }

    fn next_round(&mut self) {
        self.round += 1;
        self.tries = 0;
    }

    fn may_try_again(&mut self) -> bool {
        self.tries < TRIES
    }

    /// As many independent draws by weight as there are rows; a row's demand is its count.
    fn draw(&mut self, weights: &RowWeights) -> &[u64] {
        let number = self.round * TRIES as u64 + self.tries as u64 + 1;
        let mut generator = stream(self.seed, number);
        self.tries += 1;
        let by_weight = ByWeight::new(weights.as_slice().iter().copied());
        let n = self.counts.len();
        self.counts.fill(0);
        for _ in 0..n {
            self.counts[by_weight.draw(&mut generator)] += 1;
        }
        let unit = (FULL_WEIGHT / n as f64) as u64;
        for count in &mut self.counts {
            *count *= unit;
        }
        &self.counts
    }
}
