//! Bagging and wagging (A11): votes that learn from weights drawn anew, all equal.
//!
//! Bagging (Breiman 1996): every vote learns from a bootstrap sample, in which a row is as often as
//! a Poisson number of mean 1 says. Wagging (Bauer & Kohavi 1999, as Webb 2000 draws it): every vote
//! learns from the start weights times numbers of the exponential distribution of mean 1. Nothing
//! depends on earlier votes, so no vote is dropped and no run ends early. Votes are judged by the
//! start weights. Cost per round: O(rows) besides the search.

use serde::{Deserialize, Serialize};

use super::capabilities::Capabilities;
use super::row_draws::RowDraws;
use super::target::{edge, error};
use super::{Booster, Feedback, Judgement, RowWeights, Start, Verdict, check_unshrunk};
use crate::demand::Demand;
use crate::error::Result;
use crate::workers::Workers;

/// Nothing to set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaggingSettings {}

/// What votes learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Bootstrap samples.
    Counts,
    /// Random weights.
    Weights,
}

impl BaggingSettings {
    #[allow(clippy::unused_self)] // the registry's calls look alike
    pub(super) fn start(&self, rule: Rule, start: &Start) -> Result<Box<dyn Booster>> {
        check_unshrunk(start.learning_rate, "all votes are equal")?;
        let weights = RowWeights::start(start.rows, start.target.clone());
        Ok(Box::new(Bagging {
            rule,
            draws: RowDraws::new(start.rows, start.seed),
            // A sample that is drawn by the weights is a bootstrap sample already.
            is_drawn_later: rule == Rule::Counts && start.resample,
            round: 0,
            counts: Vec::new(),
            drawn: weights.clone(),
            weights,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities::EQUAL_VOTES;
}

struct Bagging {
    rule: Rule,
    draws: RowDraws,
    /// Whether samples are drawn by the start weights, on the way to the learner.
    is_drawn_later: bool,
    round: u64,
    /// The start weights.
    weights: RowWeights,
    /// Those of the round.
    drawn: RowWeights,
    /// How often each row is in the sample of the round.
    counts: Vec<u32>,
}

impl Booster for Bagging {
    fn demand(&mut self) -> Demand<'_> {
        if self.is_drawn_later {
            return self.weights.demand();
        }
        let first = self.weights.as_slice();
        match self.rule {
            Rule::Weights => {
                self.drawn.set(self.draws.wagged(self.round, first));
                self.drawn.demand()
            }
            Rule::Counts => {
                self.counts = self.draws.counts(self.round);
                if self.counts.iter().all(|count| *count == 0) {
                    return self.weights.demand(); // of a few rows none may be drawn
                }
                let rows = self.counts.iter().zip(first);
                self.drawn.set(rows.map(|(&count, weight)| f64::from(count) * weight).collect());
                Demand { copies: Some(&self.counts), ..self.drawn.demand() }
            }
        }
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        Ok(Judgement { weight: 1.0, edge, error, verdict: Verdict::Keep })
    }

    fn update(&mut self, _: &Feedback, _: f64, _: &Workers) -> Result<()> {
        self.round += 1;
        Ok(())
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }
}
