//! arc-x4 (A11; Breiman 1998): equal votes, which learn from weights that grow with mistakes.
//!
//! w ∝ u (1 + m⁴), where m is how many of the votes so far are wrong on a row and u its start weight.
//! Weights never run away as those of an exponential loss do: after t votes none is above t⁴ + 1.
//! No vote is dropped and no run ends early. Cost per round: O(rows) besides the search.

use serde::{Deserialize, Serialize};

use super::capabilities::Capabilities;
use super::target::{edge, error};
use super::{Booster, Feedback, Judgement, RowWeights, Start, Verdict, check_unshrunk};
use crate::demand::Demand;
use crate::error::Result;
use crate::workers::Workers;

/// Nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArcX4Settings {}

impl ArcX4Settings {
    #[allow(clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        check_unshrunk(start.learning_rate, "all votes are equal")?;
        let weights = RowWeights::start(start.rows, start.target.clone());
        Ok(Box::new(ArcX4 {
            first: weights.as_slice().to_vec(),
            mistakes: vec![0.0; weights.n_places()],
            weights,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities::EQUAL_VOTES;
}

struct ArcX4 {
    weights: RowWeights,
    /// The start weights.
    first: Vec<f64>,
    /// By place, the number of wrong votes.
    mistakes: Vec<f64>,
}

impl Booster for ArcX4 {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        Ok(Judgement { weight: 1.0, edge, error, verdict: Verdict::Keep })
    }

    fn update(&mut self, feedback: &Feedback, _: f64, workers: &Workers) -> Result<()> {
        for (mistakes, margin) in
            self.mistakes.iter_mut().zip(self.weights.margins(feedback.numbers))
        {
            *mistakes += f64::from(u8::from(margin < 0.0));
        }
        let rows = self.first.iter().zip(&self.mistakes);
        let weight = |(first, mistakes): (&f64, &f64)| first * (1.0 + mistakes.powi(4));
        self.weights.set(rows.map(weight).collect(), workers)?;
        Ok(())
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
