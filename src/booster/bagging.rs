//! Bagging and wagging (A11): votes that learn from weights drawn anew, all equal.
//!
//! Bagging (Breiman 1996): every vote learns from a bootstrap sample, in which a row is as often as
//! a Poisson number of mean 1 says; what it says of the rows that are not in its sample is kept, class
//! by class. Wagging (Bauer & Kohavi 1999, as Webb 2000 draws it): every vote
//! learns from the start weights times numbers of the exponential distribution of mean 1. Nothing
//! depends on earlier votes, so no vote is dropped and no run ends early. Votes are judged by the
//! start weights. Cost per round: O(rows) besides the search.

use serde::{Deserialize, Serialize};

use super::capabilities::Capabilities;
use super::row_draws::RowDraws;
use super::target::{edge, error};
use super::{
    Booster, Feedback, Judgement, RowWeights, RunReport, Start, Target, Verdict, check_unshrunk,
};
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
            draws: RowDraws::new(start.rows, start.seed, start.workers)?,
            // A sample that is drawn by the weights is a bootstrap sample already.
            is_drawn_later: rule == Rule::Counts && start.resample,
            out_of_bag: match &start.target {
                Target::Classes(n_classes) if rule == Rule::Counts => {
                    vec![vec![0.0; weights.n_places()]; *n_classes]
                }
                Target::Sides(_) if rule == Rule::Counts => vec![vec![0.0; weights.n_places()]; 2],
                _ => Vec::new(),
            },
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
    /// By class and place: the votes of hypotheses that have not seen the row; empty without samples.
    out_of_bag: Vec<Vec<f64>>,
}

impl Bagging {
    /// How often each row is in the sample of the round; `None` if the sample has no row at all.
    fn sample(&self, workers: &Workers) -> Result<Option<Vec<u32>>> {
        let counts = self.draws.counts(self.round);
        // Of a few rows none may be drawn.
        let has_rows = workers.reduce().any(counts.iter().any(|count| *count > 0))?;
        Ok(has_rows.then_some(counts))
    }

    /// Counts the votes on rows that are not in the sample of the round.
    fn count_votes(&mut self, feedback: &Feedback, workers: &Workers) -> Result<()> {
        // Rounds that were run before are gone through without a demand, so this draws again.
        let Some(counts) = self.sample(workers)? else { return Ok(()) };
        let n_classes = self.out_of_bag.len();
        for (place, _) in counts.iter().enumerate().filter(|(_, count)| **count == 0) {
            let answer = feedback.numbers.of(self.weights.row_at(place));
            // Two classes are sides, and a number of 0 means +1.
            let class = if n_classes == 2 { usize::from(answer >= 0.0) } else { answer as usize };
            self.out_of_bag[class][place] += 1.0;
        }
        Ok(())
    }
}

impl Booster for Bagging {
    fn demand(&mut self, workers: &Workers) -> Result<Demand<'_>> {
        if self.is_drawn_later {
            return Ok(self.weights.demand());
        }
        let first = self.weights.as_slice();
        match self.rule {
            Rule::Weights => {
                self.drawn.set(self.draws.wagged(self.round, first), workers)?;
                Ok(self.drawn.demand())
            }
            Rule::Counts => {
                let Some(counts) = self.sample(workers)? else { return Ok(self.weights.demand()) };
                self.counts = counts;
                self.drawn.set(self.draws.sampled(&self.counts, first), workers)?;
                Ok(Demand { copies: Some(&self.counts), ..self.drawn.demand() })
            }
        }
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        Ok(Judgement { weight: 1.0, edge, error, verdict: Verdict::Keep })
    }

    fn update(&mut self, feedback: &Feedback, _: f64, workers: &Workers) -> Result<()> {
        if self.rule == Rule::Counts && !self.is_drawn_later {
            self.count_votes(feedback, workers)?;
        }
        self.round += 1;
        Ok(())
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }

    /// A report for each class.
    fn reports(&self) -> Vec<RunReport> {
        let of_class = |votes: &Vec<f64>| RunReport {
            rows: vec![("oob_votes", votes.clone())],
            ..RunReport::default()
        };
        self.out_of_bag.iter().map(of_class).collect()
    }
}
