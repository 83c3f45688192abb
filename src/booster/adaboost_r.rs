//! `AdaBoost_R` (A4): real answers, no exponential in the loop.
//!
//! Round: h* = max |h|; μ = Σ w y h / h*; w ← w (1 − μ y h/h*) / (1 − μ²);
//! α = ln((1+μ)/(1−μ)) / (2h*). Equals discrete AdaBoost when the answers are ±1; otherwise rows
//! that are right but less so than average gain weight. The weights sum to 1 without
//! normalisation. A learning rate η moves μ to tanh(η artanh μ), the same as scaling α. Cost per
//! round: O(rows) besides the search. Nock & Nielsen 2007, equations 6–8.

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::target::{edge, error, largest_answer};
use super::{Booster, Feedback, Judgement, NO_EDGE, RowWeights, Start, Verdict, WEIGHT_CAP};
use crate::combiner::MarginLoss;
use crate::demand::{Demand, Needs};
use crate::error::Result;
use crate::model::StopReason;
use crate::portable::{ln, tanh};
use crate::workers::Workers;

/// Nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AdaBoostRSettings {}

impl AdaBoostRSettings {
    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Nothing,
        combines: Combines::Sum,
        is_binary: true,
        loss: Some(MarginLoss::Exponential),
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };

    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        Ok(Box::new(AdaBoostR {
            learning_rate: start.learning_rate,
            weights: RowWeights::start(start.rows, start.target.clone()),
        }))
    }
}

struct AdaBoostR {
    learning_rate: f64,
    weights: RowWeights,
}

impl Booster for AdaBoostR {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let largest = largest_answer(feedback.atoms);
        let edge = if largest > 0.0 { edge(feedback.atoms) / largest } else { 0.0 };
        let verdict = if edge.abs() <= NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else if feedback.atoms.iter().all(|atom| atom.margin.abs() == largest)
            && (feedback.atoms.iter().all(|atom| atom.margin > 0.0)
                || feedback.atoms.iter().all(|atom| atom.margin < 0.0))
        {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else {
            Verdict::Keep
        };
        let half_log_odds = if verdict == Verdict::KeepAndStop(StopReason::Perfect) {
            WEIGHT_CAP.copysign(edge)
        } else {
            (0.5 * ln((1.0 + edge) / (1.0 - edge))).clamp(-WEIGHT_CAP, WEIGHT_CAP)
        };
        let weight = if largest > 0.0 { half_log_odds / largest } else { 0.0 };
        Ok(Judgement {
            weight: self.learning_rate * weight,
            edge,
            error: error(feedback.atoms),
            verdict,
        })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        let largest = largest_answer(feedback.atoms);
        if largest == 0.0 {
            return Ok(());
        }
        let edge = edge(feedback.atoms) / largest;
        let step = tanh(weight * largest);
        let normaliser = 1.0 - step * edge;
        if normaliser <= f64::EPSILON {
            return Ok(()); // |μ| = 1: 0/0 counts as 1 and leaves the weights alone
        }
        self.weights.multiply(
            feedback.numbers,
            |margin| (1.0 - step * margin / largest) / normaliser,
            workers,
        )
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
