//! Discrete AdaBoost and the ATA(φ) family (A1).
//!
//! Minimises Σ exp(−y H) one vote at a time. Round: ε = weighted error; stop if ε ≥ φ;
//! b = ln(φ(1−ε) / (ε(1−φ))), α = b/2; w ∝ w exp(−α y h). φ = ½ is AdaBoost; smaller φ drive all
//! margins towards 1−2φ. Cost per round: O(rows) besides the search. Rätsch et al. 2001; Zhou & Yu
//! 2009.
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
use crate::demand::{Demand, Needs};
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::portable::ln;
use crate::workers::Workers;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiscreteSettings {
    /// The error that is no better than chance.
    pub phi: f64,
}

impl DiscreteSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        if !(self.phi > 0.0 && self.phi < 1.0) {
            return Err(Error::parameter("phi", self.phi, "a number in the open interval (0, 1)"));
        }
        Ok(Box::new(Discrete::start(self.phi, start)))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities::TWO_SIDED_VOTES;
}

/// SAMME and AdaBoost.M1 have nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VotesSettings {}

impl VotesSettings {
    /// AdaBoost with votes for classes.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start_m1(&self, start: &Start) -> Result<Box<dyn Booster>> {
        Ok(Box::new(Discrete::start(0.5, start)))
    }

    /// SAMME.
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start_samme(&self, start: &Start) -> Result<Box<dyn Booster>> {
        Ok(Box::new(Discrete::of_votes(start)))
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
        resample: true,
        may_shard: true,
    };
}

pub(super) struct Discrete {
    phi: f64,
    learning_rate: f64,
    pub weights: RowWeights,
    /// What share of b a vote adds to a score: half of it to the one score of two sides, whose
    /// margin it moves both ways, all of it to the score of a class.
    share: f64,
}

impl Discrete {
    /// AdaBoost for two sides, SAMME for classes.
    pub fn of_votes(start: &Start) -> Self {
        let phi = match start.target {
            Target::Sides(_) => 0.5,
            Target::Classes(n_classes) => 1.0 - 1.0 / n_classes as f64,
        };
        Self::start(phi, start)
    }

    fn start(phi: f64, start: &Start) -> Self {
        let weights = RowWeights::start(start.rows, start.target.clone());
        Self {
            phi,
            learning_rate: start.learning_rate,
            share: if matches!(start.target, Target::Sides(_)) { 0.5 } else { 1.0 },
            weights,
        }
    }
}

impl Booster for Discrete {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        let odds = (self.phi / (1.0 - self.phi)) * ((1.0 - error) / error);
        let weight = (self.share * ln(odds)).min(2.0 * self.share * WEIGHT_CAP);
        let verdict = if error >= self.phi - NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else if error == 0.0 {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else {
            Verdict::Keep
        };
        Ok(Judgement { weight: self.learning_rate * weight, edge, error, verdict })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        self.weights.update_exponentially(feedback, 0.5 * weight / self.share, workers)
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
