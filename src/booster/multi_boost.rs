//! MultiBoosting (A11; Webb 2000): committees of AdaBoost, each from weights drawn anew.
//!
//! T votes are divided among ⌈√T⌉ committees: the i-th ends with vote ⌈iT/⌈√T⌉⌉. Each starts from
//! wagged weights: the start weights times numbers of the exponential distribution of mean 1; the
//! first one from the weights as they are if users want that. Within a committee votes have the weights of
//! AdaBoost, or of SAMME for more than two classes, and all votes are added. A vote without an edge
//! ends its committee and is dropped, one without an error ends it and stays. Cost per round: that
//! of AdaBoost.

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::discrete::Discrete;
use super::row_draws::RowDraws;
use super::{Booster, Feedback, Judgement, RowWeights, Start, Verdict};
use crate::demand::{Demand, Needs};
use crate::draws::TRIES;
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::workers::Workers;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MultiBoostSettings {
    /// The votes of a committee; as many as make the number of committees ⌈√T⌉ if `None`.
    pub committee_size: Option<usize>,
    /// Whether the first committee starts from wagged weights too.
    pub wag_first: bool,
}

impl MultiBoostSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        if self.committee_size == Some(0) {
            return Err(Error::parameter("committee_size", 0, "None or an integer >= 1"));
        }
        let boosted = Discrete::of_votes(start);
        let mut team = MultiBoost {
            ends: Ends::new(self.committee_size, start.n_rounds),
            draws: RowDraws::new(start.rows, start.seed, start.workers)?,
            first: boosted.weights.as_slice().to_vec(),
            boosted,
            n_rounds: start.n_rounds,
            round: 0,
            dropped: 0,
        };
        if self.wag_first {
            team.wag(start.workers)?;
        }
        Ok(Box::new(team))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: false,
        rounds: RoundsParameter::NEstimators,
        learning_rate: true,
        is_corrective: false,
        loss: None,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };
}

/// After how many votes committees end.
#[derive(Debug, Clone, Copy)]
enum Ends {
    /// After every so many.
    Every(usize),
    /// After ⌈i votes/committees⌉, i = 1, 2, ….
    Evenly { n_votes: u64, n_committees: u64 },
}

impl Ends {
    fn new(committee_size: Option<usize>, n_rounds: usize) -> Self {
        let n_votes = n_rounds.max(1) as u64;
        let root = n_votes.isqrt();
        match committee_size {
            Some(size) => Self::Every(size),
            None => Self::Evenly {
                n_votes,
                n_committees: if root * root == n_votes { root } else { root + 1 },
            },
        }
    }

    fn has(self, votes: usize) -> bool {
        match self {
            Self::Every(size) => votes.is_multiple_of(size),
            Self::Evenly { n_votes, n_committees } => {
                // The last committee that could end here does, or none.
                let last = votes as u64 * n_committees / n_votes;
                last > 0 && (last * n_votes).div_ceil(n_committees) == votes as u64
            }
        }
    }
}

struct MultiBoost {
    ends: Ends,
    draws: RowDraws,
    /// The start weights.
    first: Vec<f64>,
    /// The committee of now.
    boosted: Discrete,
    n_rounds: usize,
    round: usize,
    /// Votes without an edge since the last one that was kept.
    dropped: usize,
}

impl MultiBoost {
    /// Begins a new committee.
    fn wag(&mut self, workers: &Workers) -> Result<()> {
        let draw = (self.round * TRIES + self.dropped) as u64;
        self.boosted.weights.set(self.draws.wagged(draw, &self.first), workers)?;
        Ok(())
    }
}

impl Booster for MultiBoost {
    fn demand(&mut self, workers: &Workers) -> Result<Demand<'_>> {
        self.boosted.demand(workers)
    }

    fn judge(&mut self, feedback: &Feedback, workers: &Workers) -> Result<Judgement> {
        let mut judged = self.boosted.judge(feedback, workers)?;
        judged.verdict = match judged.verdict {
            Verdict::KeepAndStop(_) => Verdict::Keep,
            Verdict::DropAndStop(StopReason::NoEdge) if self.dropped + 1 < TRIES => {
                self.dropped += 1;
                self.wag(workers)?;
                Verdict::Retry
            }
            verdict => verdict,
        };
        Ok(judged)
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        self.round += 1;
        self.dropped = 0;
        let is_perfect = feedback.atoms.iter().all(|atom| !atom.is_wrong);
        // After the last vote the weights stay those of its committee.
        if self.round < self.n_rounds && (is_perfect || self.ends.has(self.round)) {
            return self.wag(workers);
        }
        self.boosted.update(feedback, weight, workers)
    }

    fn row_weights(&self) -> &RowWeights {
        &self.boosted.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(size: Option<usize>, n_votes: usize) -> Vec<usize> {
        let ends = Ends::new(size, n_votes);
        (1..=n_votes).filter(|&votes| ends.has(votes)).collect()
    }

    #[test]
    fn committees_end_where_webb_lets_them_end() {
        assert_eq!(ends(None, 10), [3, 5, 8, 10]);
        assert_eq!(ends(None, 9), [3, 6, 9]);
        assert_eq!(ends(None, 1), [1]);
        assert_eq!(ends(None, 100), (1..=10).map(|i| 10 * i).collect::<Vec<_>>());
        assert_eq!(ends(Some(4), 10), [4, 8]);
        for n_votes in 1..200 {
            let n_committees = (n_votes as f64).sqrt().ceil() as usize;
            let expected: Vec<usize> =
                (1..=n_committees).map(|i| (i * n_votes).div_ceil(n_committees)).collect();
            assert_eq!(ends(None, n_votes), expected);
        }
    }
}
