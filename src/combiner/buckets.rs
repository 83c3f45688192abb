//! Symmetric functions: the score of a row depends on how many hypotheses fire on it, its bucket.
//!
//! In: the weights of the classes in every bucket. Out: a score for every bucket, or one for every
//! bucket and class; the same for every round before.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::combine::Combine;
use super::{Combiner, Fault, Placed, Rounds, Weighted};
use crate::hypothesis::{AnswerKind, PartAnswers};
use crate::portable::ln;

/// The largest score of two classes, half the log-odds of a share that no double can tell from 1.
const SCORE_CAP: f64 = 18.0;

/// What it takes to tell the classes of the rows of a bucket by their shares in it, to which a row of
/// each class is added that weighs `row`: −Σ U ln(share), in nats times the weight of a row.
pub fn description(weights: impl Iterator<Item = f64> + Clone, row: f64) -> f64 {
    let total: f64 = weights.clone().map(|weight| weight + row).sum();
    weights.filter(|weight| *weight > 0.0).map(|weight| weight * ln(total / (weight + row))).sum()
}

/// The scores of every bucket, by round.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buckets {
    /// The number of classes.
    pub n_classes: usize,
    /// After 0, 1, … rounds: the scores of bucket 0, 1, …; one for each, or one for each class.
    pub stages: Vec<Arc<[f64]>>,
    /// The exponential loss after as many rounds.
    pub losses: Vec<f64>,
    /// The share of the training weight by bucket and class, after the last round.
    pub weights: Vec<f64>,
    /// The training rows, likewise.
    pub counts: Vec<u64>,
}

impl Buckets {
    /// The scores of all buckets, one for each if there are two classes: ½ ln(W⁺/W⁻), or else the
    /// logarithm of every class's share. `smooth` is added to all weights. Buckets without weight
    /// are between their neighbours.
    #[must_use]
    pub fn scores_of(weights: &[f64], n_classes: usize, smooth: f64) -> Vec<f64> {
        let of_bucket = |weights: &[f64]| -> Option<Vec<f64>> {
            if weights.iter().all(|weight| *weight <= 0.0) {
                return None;
            }
            let smoothed = weights.iter().map(|weight| weight + smooth);
            Some(if let [negative, positive] = weights {
                let odds = (positive + smooth) / (negative + smooth);
                vec![(0.5 * ln(odds)).clamp(-SCORE_CAP, SCORE_CAP)]
            } else {
                let total: f64 = smoothed.clone().sum();
                smoothed.map(|weight| ln(weight / total).max(-2.0 * SCORE_CAP)).collect()
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

    /// How much a round has lowered the loss: rounds share evenly how far it falls below the least one
    /// so far with those before them that did not lower it, without which they could not have.
    #[must_use]
    pub fn lowered_by(&self, round: usize) -> f64 {
        let mut before = 0;
        for (after, loss) in self.losses.iter().enumerate().skip(1) {
            let fall = self.losses[before] - loss;
            if fall > 0.0 {
                if after > round {
                    return if before <= round { fall / (after - before) as f64 } else { 0.0 };
                }
                before = after;
            }
        }
        0.0
    }

    /// The scores after so many rounds, or after all there are.
    #[must_use]
    pub fn stage(&self, n_rounds: usize) -> &[f64] {
        self.stages.get(n_rounds.min(self.n_rounds())).map_or(&[], |stage| stage)
    }
}

impl Combine for Buckets {
    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn n_scores(&self) -> usize {
        if self.n_classes == 2 { 1 } else { self.n_classes }
    }

    fn scores(&self, n_rounds: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        let (stage, n_scores) = (self.stage(n_rounds), self.n_scores());
        let of_score = |at: usize| -> Vec<f64> {
            outputs[0].iter().map(|&bucket| stage[bucket as usize * n_scores + at]).collect()
        };
        Some((0..n_scores).map(of_score).collect())
    }

    fn sides(&self) -> Vec<Vec<i8>> {
        Vec::new()
    }

    fn is_sum(&self) -> bool {
        false
    }

    fn strength(&self, round: usize, _: Weighted) -> f64 {
        self.lowered_by(round)
    }

    /// Whatever the scores are.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Buckets(other) if self.n_classes == other.n_classes)
    }

    /// Every round has room for its buckets, and there are nothing but numbers.
    fn fault(&self) -> Option<&'static str> {
        let (n_buckets, n_scores) = (self.stages.len(), self.n_scores());
        let fits = |(round, stage): (usize, &Arc<[f64]>)| {
            stage.len() == (round + 1) * n_scores && stage.iter().all(|score| score.is_finite())
        };
        let numbers = self.losses.iter().chain(&self.weights);
        let is_sound = n_buckets > 0
            && self.stages.iter().enumerate().all(fits)
            && self.losses.len() == n_buckets
            && Some(self.weights.len()) == n_buckets.checked_mul(self.n_classes)
            && self.counts.len() == self.weights.len()
            && numbers.into_iter().all(|number| number.is_finite());
        (!is_sound).then_some("the table does not fit the buckets and the classes")
    }

    fn takes(&self, hypothesis: &Placed) -> bool {
        let counts = |answers: &PartAnswers| answers.numbers.iter().all(|h| *h == 0.0 || *h == 1.0);
        hypothesis.says == AnswerKind::Number
            && hypothesis.output == 0
            && hypothesis.answers.is_some_and(counts)
    }

    fn rounds_fault(&self, rounds: &Rounds) -> Option<Fault> {
        if self.n_rounds() != rounds.n_rounds {
            let reason = format!("{} entries, expected {}", self.n_rounds(), rounds.n_rounds);
            return Some(("combiner.buckets.stages", reason));
        }
        let is_counted = rounds.weights.iter().all(|weight| *weight == 1.0);
        (!is_counted)
            .then(|| ("weights", "hypotheses that are counted have a weight of 1".to_owned()))
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
        let scores = Buckets::scores_of(&weights, 2, 0.0);
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{scores:?}");
    }

    #[test]
    fn scores_of_many_classes_are_the_logarithms_of_their_shares() {
        let scores = Buckets::scores_of(&[1.0, 1.0, 2.0, 0.0, 0.0, 4.0], 3, 0.0);
        let expected = [0.25f64.ln(), 0.25f64.ln(), 0.5f64.ln(), -36.0, -36.0, 0.0];
        assert!(scores.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{scores:?}");
        let smoothed = Buckets::scores_of(&[1.0, 1.0, 2.0], 3, 1.0);
        assert!((smoothed[2] - (3.0f64 / 7.0).ln()).abs() < 1e-15);
    }

    #[test]
    fn a_fall_of_the_loss_is_shared_with_the_rounds_that_led_to_it() {
        let table = Buckets { losses: vec![1.0, 0.9, 0.9, 0.95, 0.6, 0.7], ..Buckets::default() };
        let credit: Vec<f64> = (0..5).map(|round| table.lowered_by(round)).collect();
        let expected = [0.1, 0.1, 0.1, 0.1, 0.0];
        assert!(credit.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{credit:?}");
    }

    #[test]
    fn a_description_is_the_entropy_with_a_row_of_each_class_more() {
        let expected = -(3.0 * (4.0f64 / 6.0).ln() + (2.0f64 / 6.0).ln());
        assert!((description([3.0, 1.0].into_iter(), 1.0) - expected).abs() < 1e-12);
        assert!((2.0 * description([1.5, 0.5].into_iter(), 0.5) - expected).abs() < 1e-12);
        let pure = -5.0 * (6.0f64 / 8.0).ln();
        assert!((description([0.0, 5.0, 0.0].into_iter(), 1.0) - pure).abs() < 1e-12);
    }

    #[test]
    fn every_round_has_a_table_of_its_own() {
        let stages = vec![Arc::from([0.5]), Arc::from([-1.0, 2.0])];
        let table = Buckets { n_classes: 2, stages, ..Buckets::default() };
        assert_eq!(table.scores(0, &[&[0.0, 0.0]]), Some(vec![vec![0.5, 0.5]]));
        assert_eq!(table.scores(7, &[&[1.0, 0.0]]), Some(vec![vec![2.0, -1.0]]));
    }
}
