//! Candidates of different capacity, and how much of each is taken.
//!
//! In: the class shares of rows out of bag, by candidate. Out: their scores under the link, and a
//! weight for each candidate: w ∝ w₀ exp(−½ (d/s)²), where w₀ is what is expected of it, d is how much
//! larger its mean squared error of the probabilities (Brier score) is than that of the best one, and s
//! the standard error of that difference. Candidates that rows cannot tell from the best one count as
//! much as it does.

use super::Truth;
use super::link::{Link, LinkProblem, soften};
use super::plan::{BIAS_RIDGE, judging_rule};
use crate::portable::exp;

/// Where a candidate stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Its number among the candidates of its forest, and their number.
    pub at: usize,
    pub n: usize,
    /// The kind of its forest.
    pub kind: usize,
    /// How much it is expected to count.
    pub expected: f64,
}

/// A forest under one strength of shrinkage.
pub(super) struct Candidate {
    pub place: Place,
    pub link: Link,
    /// c (P − 1/K) + b, row after row.
    scores: Vec<f64>,
    /// The squared error of the probabilities of each row.
    errors: Vec<f64>,
    weights: Vec<f64>,
}

impl Candidate {
    /// The candidate at a place in the shares of rows out of bag.
    pub fn new(shares: &[f64], place: Place, n_classes: usize, truth: &Truth) -> Self {
        let Place { at, n, .. } = place;
        let even = 1.0 / n_classes as f64;
        let of_row = shares.chunks(n * n_classes);
        let centred: Vec<f64> = of_row
            .flat_map(|shares| shares[at * n_classes..][..n_classes].iter().map(|p| p - even))
            .collect();
        let problem = LinkProblem {
            members: vec![&centred],
            classes: &truth.classes,
            weights: &truth.weights,
            n_classes,
            expected: vec![n_classes as f64],
            spread: judging_rule(n_classes).factor_spread,
            bias_ridge: Some(BIAS_RIDGE),
        };
        let link = problem.solve();
        let mut scores = centred;
        for row in scores.chunks_mut(n_classes) {
            for (score, bias) in row.iter_mut().zip(&link.bias) {
                *score = link.factors[0] * *score + bias;
            }
        }
        let errors = scores.chunks(n_classes).zip(&truth.classes).map(|(scores, &class)| {
            let mut shares = scores.to_vec();
            soften(&mut shares, class as usize);
            shares[class as usize] -= 1.0;
            shares.iter().map(|share| share * share).sum()
        });
        Self { errors: errors.collect(), place, scores, link, weights: truth.weights.clone() }
    }

    /// The mean of the squared errors.
    pub fn mean_loss(&self) -> f64 {
        weighted_mean(self.errors.iter().copied(), &self.weights)
    }
}

fn weighted_mean(numbers: impl Iterator<Item = f64>, weights: &[f64]) -> f64 {
    let sum: f64 = numbers.zip(weights).map(|(number, weight)| number * weight).sum();
    sum / weights.iter().sum::<f64>()
}

/// How much of each candidate is taken.
pub(super) struct Blend {
    pub weights: Vec<f64>,
}

impl Blend {
    pub fn new(candidates: &[Candidate]) -> Self {
        let losses: Vec<f64> = candidates.iter().map(Candidate::mean_loss).collect();
        let best = losses.iter().copied().fold(f64::INFINITY, f64::min);
        let Some(at) = losses.iter().position(|loss| *loss <= best) else {
            return Self { weights: Vec::new() };
        };
        let best = &candidates[at];
        let mut weights: Vec<f64> = candidates
            .iter()
            .map(|candidate| {
                let differences = || candidate.errors.iter().zip(&best.errors).map(|(a, b)| a - b);
                let mean = weighted_mean(differences(), &best.weights);
                let squares = differences().map(|d| (d - mean) * (d - mean));
                let variance = weighted_mean(squares, &best.weights);
                let error = (variance / best.errors.len() as f64).sqrt() + 1e-12;
                candidate.place.expected * exp(-0.5 * (mean / error) * (mean / error))
            })
            .collect();
        weights[at] = best.place.expected;
        let total: f64 = weights.iter().sum();
        for weight in &mut weights {
            *weight /= total;
        }
        Self { weights }
    }

    /// The blended scores, row after row.
    pub fn scores(&self, candidates: &[Candidate]) -> Vec<f64> {
        let Some(first) = candidates.first() else { return Vec::new() };
        let mut scores = vec![0.0; first.scores.len()];
        for (candidate, weight) in candidates.iter().zip(&self.weights) {
            crate::vectors::add_scaled(&mut scores, *weight, &candidate.scores);
        }
        scores
    }

    /// The biases of the blend, with what makes up for shares that are not centred.
    pub fn bias(&self, candidates: &[Candidate], n_classes: usize) -> Vec<f64> {
        let mut bias = vec![0.0; n_classes];
        for (candidate, weight) in candidates.iter().zip(&self.weights) {
            let centre = candidate.link.factors[0] / n_classes as f64;
            for (to, own) in bias.iter_mut().zip(&candidate.link.bias) {
                *to += weight * (own - centre);
            }
        }
        bias
    }
}

/// The mean log loss of some rows.
pub(super) fn log_loss(
    scores: &[f64],
    truth: &Truth,
    n_classes: usize,
    counts: impl Fn(usize) -> bool,
) -> f64 {
    let (mut loss, mut total) = (0.0, 0.0);
    for (row, scores) in scores.chunks(n_classes).enumerate().filter(|(row, _)| counts(*row)) {
        loss += truth.weights[row] * soften(&mut scores.to_vec(), truth.classes[row] as usize);
        total += truth.weights[row];
    }
    loss / total
}

/// The share of the rows with scores whose own class has the highest one.
pub(super) fn share_right(scores: &[f64], truth: &Truth, n_classes: usize) -> f64 {
    let (mut right, mut total) = (0.0, 0.0);
    let rows = scores.chunks(n_classes).zip(truth.classes.iter().zip(&truth.weights));
    for (scores, (&class, weight)) in rows.filter(|(scores, _)| !scores[0].is_nan()) {
        total += weight;
        if crate::combiner::best_class(scores) == class as usize {
            right += weight;
        }
    }
    if total > 0.0 { right / total } else { 0.0 }
}
