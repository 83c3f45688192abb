//! arc-gv (A2): AdaBoost that maximises the smallest margin.
//!
//! α = ½ ln((1+γ)/(1−γ)) − ½ ln((1+ϱ)/(1−ϱ)) with ϱ the smallest normalised margin reached so far
//! and the weight update of AdaBoost. Stops when no hypothesis has an edge above ϱ: then the margin
//! is the best there is. Cost per round: one more pass over the scores than AdaBoost. Zhou & Yu
//! 2009, after Breiman 1999.
//!
//! After one round the combination is a single vote, whose smallest margin is −1 unless it is
//! perfect, and the formula would give the second vote an infinite weight. ϱ is therefore the
//! running maximum of the smallest margin, which starts at 0.

use serde::{Deserialize, Serialize};

use super::capabilities::Capabilities;
use super::target::{edge, error};
use super::{Booster, Feedback, Judgement, NO_EDGE, RowWeights, Start, Verdict, WEIGHT_CAP};
use crate::demand::Demand;
use crate::error::Result;
use crate::model::StopReason;
use crate::portable::ln;
use crate::workers::Workers;

/// Nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcGvSettings {}

impl ArcGvSettings {
    #[allow(clippy::unnecessary_wraps, clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        let weights = RowWeights::start(start.rows, start.target.clone());
        Ok(Box::new(ArcGv {
            learning_rate: start.learning_rate,
            margins: vec![0.0; weights.as_slice().len()],
            weight_sum: 0.0,
            best_margin: 0.0,
            weights,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities::TWO_SIDED_VOTES;
}

struct ArcGv {
    learning_rate: f64,
    weights: RowWeights,
    /// y H by place, before it is normalised.
    margins: Vec<f64>,
    weight_sum: f64,
    best_margin: f64,
}

impl Booster for ArcGv {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        let half_log_odds = |x: f64| 0.5 * ln((1.0 + x) / (1.0 - x));
        let weight = (half_log_odds(edge) - half_log_odds(self.best_margin)).min(WEIGHT_CAP);
        let verdict = if error == 0.0 {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else if edge <= self.best_margin + NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else {
            Verdict::Keep
        };
        let weight = if error == 0.0 { WEIGHT_CAP } else { weight };
        Ok(Judgement { weight: self.learning_rate * weight, edge, error, verdict })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        self.weight_sum += weight.abs();
        let smallest =
            self.weights.add_margins(feedback.numbers, weight, &mut self.margins, workers)?;
        if self.weight_sum > 0.0 {
            self.best_margin = self.best_margin.max(smallest / self.weight_sum);
        }
        self.weights.update_exponentially(feedback, weight, workers)
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
