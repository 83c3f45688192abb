//! The RBF net with adaptive centres that suits a demand best (C4; Rätsch et al. 2001, appendix D).
//!
//! In: standardised rows, labels ±1 and weights. Out: a net f of K Gaussian bumps whose centres μ,
//! widths σ and output weights v make E = ½ Σ wᵢ (yᵢ − f(xᵢ))² + (λ/2l) Σ vₖ² small, the
//! weights of the l rows having mean 1. `clusters` finds where to start, `objective` knows E, its
//! best v and its gradient, `descent` goes downhill. Cost: O(rows · K · (columns + K)) per trial.

mod clusters;
mod descent;
mod objective;
mod sample;

use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use super::{Learner, Start, no_buckets, no_newton};
use crate::data::{Numbers, View};
use crate::demand::{Demand, Question};
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, Hypothesis, RbfNet};
use crate::random::stream;
use crate::workers::Workers;
use objective::Objective;
use sample::Sample;

/// Nets that are tried before one without an edge is let go.
const TRIES: usize = 10;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RbfNetSettings {
    /// K, the number of centres; of fewer distinct rows each becomes one.
    pub n_centers: usize,
    /// Steps of conjugate gradients that move centres and widths, at most.
    pub n_steps: usize,
    /// λ, the price of large output weights.
    pub ridge: f64,
    /// How the net answers.
    pub answer: NetAnswer,
}

/// How a net answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetAnswer {
    /// As the booster needs it.
    Auto,
    /// With the sign of f.
    Vote,
    /// With f clipped to [−1, 1].
    Clipped,
}

struct RbfNetLearner {
    settings: RbfNetSettings,
    votes: bool,
    seed: u64,
    round: u64,
}

impl Learner for RbfNetLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let numbers = view.numbers()?;
        let (labels, weights) = demand.sides_by_row(numbers.n_rows());
        let examples = Examples { numbers, labels: &labels, weights: &weights };
        let mut generator = stream(self.seed, self.round);
        self.round += 1;
        let mut answers = Answers::default();
        for tried in 1.. {
            let net = fit_net(&examples, &self.settings, &mut generator, self.votes, workers)?;
            let net = Hypothesis::RbfNet(net);
            net.answer(view, workers, &mut answers)?;
            // Where descent ends depends on the centres drawn at the start: one bad draw should not
            // end the run.
            if tried == TRIES || examples.edge(&answers) > 0.0 {
                return Ok(net);
            }
        }
        Err(Error::internal("no net was fitted"))
    }
}

/// What a net learns from: rows in place order, with a label and a weight each.
#[derive(Debug, Clone, Copy)]
struct Examples<'a> {
    /// Standardised values.
    pub numbers: &'a Numbers,
    /// −1 or +1.
    pub labels: &'a [f64],
    /// Weights up to a common factor; rows of weight zero have no say.
    pub weights: &'a [f64],
}

impl Examples<'_> {
    /// How much more weight is answered right than wrong.
    fn edge(&self, answers: &Answers) -> f64 {
        let numbers = answers.numbers(0);
        let rows = self.labels.iter().zip(self.weights).enumerate();
        rows.map(|(row, (label, weight))| weight * label * numbers.of(row)).sum()
    }
}

impl RbfNetSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        self.check()?;
        if matches!(start.question, Question::Newton(_)) {
            return Err(no_newton("RBFNet"));
        }
        if matches!(start.question, Question::Buckets { .. }) {
            return Err(no_buckets("RBFNet"));
        }
        if start.question != Question::Side {
            return Err(Error::parameter(
                "estimator",
                "RBFNet, which tells two classes apart",
                "a learner that answers all classes at once, or AdaBoostMHClassifier, \
                 SoftmaxBoostClassifier or a booster with multi_class='ovr'",
            ));
        }
        let votes = match self.answer {
            NetAnswer::Auto => start.needs.wants_votes(),
            NetAnswer::Vote => true,
            NetAnswer::Clipped => false,
        };
        let round = start.found_before as u64;
        Ok(Box::new(RbfNetLearner { settings: self.clone(), votes, seed: start.seed, round }))
    }

    /// Refuses values out of range.
    fn check(&self) -> Result<()> {
        if self.n_centers < 1 {
            return Err(Error::parameter("n_centers", self.n_centers, "an integer >= 1"));
        }
        if !(self.ridge.is_finite() && self.ridge > 0.0) {
            return Err(Error::parameter("ridge", self.ridge, "a number > 0"));
        }
        Ok(())
    }
}

/// Fits a net: centres by k-means, widths from their distances, then conjugate gradients.
fn fit_net(
    examples: &Examples,
    settings: &RbfNetSettings,
    generator: &mut ChaCha8Rng,
    votes: bool,
    workers: &Workers,
) -> Result<RbfNet> {
    let sample = Sample::new(examples)?;
    let centers = clusters::find_centers(&sample, settings.n_centers, generator, workers)?;
    let widths = clusters::find_widths(&sample, &centers);
    let mut objective = Objective::new(&sample, widths.len(), settings.ridge, workers);
    let start = objective.start(centers, &widths)?;
    let point = descent::descend(&mut objective, start, settings.n_steps)?;
    Ok(objective.net(point, votes))
}

#[cfg(test)]
mod tests;
