//! Symmetric functions: what is told of a row depends on how many hypotheses fire on it.
//!
//! In: the weights of the classes in every bucket. Out: a score for every bucket, or one for every
//! bucket and class; the same for every round before.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The largest score of two classes, half the log-odds of a share that no double can tell from 1.
const SCORE_CAP: f64 = 18.0;

/// What is told of each bucket.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketTable {
    /// After 0, 1, … rounds: the scores of bucket 0, 1, …; one for each, or one for each class.
    pub stages: Vec<Arc<[f64]>>,
    /// The exponential loss after as many rounds.
    pub losses: Vec<f64>,
    /// The share of the training weight by bucket and class, after the last round.
    pub weights: Vec<f64>,
    /// The training rows, likewise.
    pub counts: Vec<u64>,
}

impl BucketTable {
    /// The scores of all buckets, one for each if there are two classes: ½ ln(W⁺/W⁻), or else the
    /// logarithm of every class's share. `smooth` is added to all weights. Buckets without weight
    /// are between their neighbours.
    #[must_use]
    pub fn scores(weights: &[f64], n_classes: usize, smooth: f64) -> Vec<f64> {
        let of_bucket = |weights: &[f64]| -> Option<Vec<f64>> {
            if weights.iter().all(|weight| *weight <= 0.0) {
                return None;
            }
            let smoothed = weights.iter().map(|weight| weight + smooth);
            Some(if let [negative, positive] = weights {
                let odds = (positive + smooth) / (negative + smooth);
                vec![(0.5 * odds.ln()).clamp(-SCORE_CAP, SCORE_CAP)]
            } else {
                let total: f64 = smoothed.clone().sum();
                smoothed.map(|weight| (weight / total).ln().max(-2.0 * SCORE_CAP)).collect()
            })
        };
        let known: Vec<Option<Vec<f64>>> = weights.chunks_exact(n_classes).map(of_bucket).collect();
        (0..known.len()).flat_map(|bucket| between(&known, bucket)).collect()
    }

    /// The rounds that it knows of.
    #[must_use]
    pub fn n_rounds(&self) -> usize {
        self.stages.len().saturating_sub(1)
    }

    /// Whether it has room for the buckets of all rounds, and nothing but numbers.
    #[must_use]
    pub fn is_sound(&self, n_classes: usize, n_told: usize) -> bool {
        let n_buckets = self.stages.len();
        let fits = |(round, stage): (usize, &Arc<[f64]>)| {
            stage.len() == (round + 1) * n_told && stage.iter().all(|score| score.is_finite())
        };
        let numbers = self.losses.iter().chain(&self.weights);
        n_buckets > 0
            && self.stages.iter().enumerate().all(fits)
            && self.losses.len() == n_buckets
            && self.weights.len() == n_buckets * n_classes
            && self.counts.len() == n_buckets * n_classes
            && numbers.into_iter().all(|number| number.is_finite())
    }

    /// The scores after so many rounds, or after all there are.
    #[must_use]
    pub fn stage(&self, n_rounds: usize) -> &[f64] {
        self.stages.get(n_rounds.min(self.n_rounds())).map_or(&[], |stage| stage)
    }

    /// What is told of rows whose buckets these are, column by column.
    pub(super) fn tell_after(
        &self,
        n_rounds: usize,
        buckets: &[f64],
        width: usize,
    ) -> Vec<Vec<f64>> {
        let stage = self.stage(n_rounds);
        let tell = |at: usize| -> Vec<f64> {
            buckets.iter().map(|&bucket| stage[bucket as usize * width + at]).collect()
        };
        (0..width).map(tell).collect()
    }
}

/// The scores of a bucket; if nothing is known of it, what is on the line between the nearest ones of
/// which something is, or what the only nearest one has.
fn between(known: &[Option<Vec<f64>>], bucket: usize) -> Vec<f64> {
    let below = (0..=bucket).rev().find_map(|at| Some((at, known[at].as_ref()?)));
    let above = (bucket..known.len()).find_map(|at| Some((at, known[at].as_ref()?)));
    match (below, above) {
        (Some((low, scores)), Some((high, others))) if low < high => {
            let part = (bucket - low) as f64 / (high - low) as f64;
            scores.iter().zip(others).map(|(a, b)| a + part * (b - a)).collect()
        }
        (Some((_, scores)), _) | (None, Some((_, scores))) => scores.clone(),
        (None, None) => vec![0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_half_the_log_odds_and_empty_buckets_lie_between_their_neighbours() {
        let weights = [0.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 0.0, 8.0, 1.0, 0.0, 0.0];
        let (low, high) = (0.5 * 3f64.ln(), 0.5 * (1.0f64 / 8.0).ln());
        let third = (high - low) / 3.0;
        let expected = [low, low, low + third, low + 2.0 * third, high, high];
        let scores = BucketTable::scores(&weights, 2, 0.0);
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{scores:?}");
    }

    #[test]
    fn scores_of_many_classes_are_the_logarithms_of_their_shares() {
        let scores = BucketTable::scores(&[1.0, 1.0, 2.0, 0.0, 0.0, 4.0], 3, 0.0);
        let expected = [0.25f64.ln(), 0.25f64.ln(), 0.5f64.ln(), -36.0, -36.0, 0.0];
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{scores:?}");
        let smoothed = BucketTable::scores(&[1.0, 1.0, 2.0], 3, 1.0);
        assert!((smoothed[2] - (3.0f64 / 7.0).ln()).abs() < 1e-15);
    }

    #[test]
    fn every_round_has_a_table_of_its_own() {
        let stages = vec![Arc::from([0.5]), Arc::from([-1.0, 2.0])];
        let table = BucketTable { stages, ..BucketTable::default() };
        assert_eq!(table.tell_after(0, &[0.0, 0.0], 1), [[0.5, 0.5]]);
        assert_eq!(table.tell_after(7, &[1.0, 0.0], 1), [[2.0, -1.0]]);
    }
}
