//! Real AdaBoost (A3): hypotheses answer with any number.
//!
//! Minimises Σ exp(−y H). Round: α = argmin Σ w exp(−α y h) by line search, or α = 1
//! (`step = "unit"`, Friedman et al. 2000); w ∝ w exp(−α y h). Where the answers are half log-odds
//! of a partition the exact minimiser is α = 1. Cost per round: that of discrete AdaBoost, because
//! the line search runs over parts. Nock & Nielsen 2007, equations 2 and 5.
//!
//! GentleBoost (Friedman, Hastie & Tibshirani 2000) is the same with α = 1 and answers that fit the
//! labels by weighted least squares, (W⁺−W⁻)/(W⁺+W⁻) for a partition. These are Newton steps on the
//! same loss, none longer than 1; where a part answers h the loss of its rows changes by the factor
//! cosh h − h sinh h ≤ 1.

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::line_search::best_weight;
use super::target::{edge, error, exponential_loss, largest_answer};
use super::{Booster, Feedback, Judgement, NO_EDGE, RowWeights, Start, Verdict, WEIGHT_CAP};
use crate::combiner::MarginLoss;
use crate::demand::{Demand, Needs};
use crate::error::Result;
use crate::model::StopReason;
use crate::workers::Workers;

/// How α is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepRule {
    /// The minimiser of the exponential loss.
    LineSearch,
    /// Always 1.
    Unit,
}

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RealSettings {
    /// How α is chosen.
    pub step: StepRule,
}

impl RealSettings {
    #[allow(clippy::unnecessary_wraps)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        Ok(Box::new(Real {
            step: self.step,
            learning_rate: start.learning_rate,
            weights: RowWeights::start(start.rows, start.target.clone()),
        }))
    }

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
        monotone: true,
        resample: true,
        may_shard: true,
    };
}

/// GentleBoost has nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GentleSettings {}

impl GentleSettings {
    #[allow(clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        RealSettings { step: StepRule::Unit }.start(start)
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Shares,
        combines: Combines::Sum,
        is_binary: true,
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        loss: Some(MarginLoss::Exponential),
        costs: false,
        label_sets: false,
        monotone: true,
        resample: true,
        may_shard: true,
    };
}

struct Real {
    step: StepRule,
    learning_rate: f64,
    weights: RowWeights,
}

impl Booster for Real {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let largest = largest_answer(feedback.atoms);
        let weight = match self.step {
            StepRule::Unit => 1.0,
            StepRule::LineSearch if largest == 0.0 => 0.0,
            StepRule::LineSearch => best_weight(feedback.atoms, WEIGHT_CAP / largest),
        };
        let z = exponential_loss(feedback.atoms, weight);
        let separates = self.step == StepRule::LineSearch
            && (feedback.atoms.iter().all(|atom| atom.margin > 0.0)
                || feedback.atoms.iter().all(|atom| atom.margin < 0.0));
        let verdict = if separates {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else if z >= 1.0 - NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else {
            Verdict::Keep
        };
        Ok(Judgement {
            weight: self.learning_rate * weight,
            edge: edge(feedback.atoms),
            error: error(feedback.atoms),
            verdict,
        })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        self.weights.update_exponentially(feedback, weight, workers)
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
