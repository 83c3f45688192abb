//! Coefficients under the link: how much each member counts in the scores of the classes.
//!
//! In: for every row and class the score of each member, and the classes. Out: a factor above zero
//! for each member and, if wanted, a bias for each class, which minimise
//! Σ wᵢ ln(1/pᵢ) + ½ Σ (ln c − ln c₀)²/σ² + ridge · Σ b², p being the soft-max of Σ c Z + b. The first
//! penalty keeps factors away from zero, where few noisy rows would send them; the minimum is found
//! by L-BFGS.

use crate::portable::{exp, exp_of_negative, ln};
use crate::vectors::dot;

/// Pairs that L-BFGS remembers.
const MEMORY: usize = 8;
/// Iterations at most.
const ITERATIONS: usize = 100;
/// The size of the gradient per row that is small enough.
const SMALL: f64 = 1e-6;
/// The gain of an iteration, for each unit of the objective, that is small enough.
const SMALL_GAIN: f64 = 1e-9;
/// The largest |ln c|.
const LARGEST_LOG: f64 = 8.0;

/// What is to be fitted.
pub(super) struct LinkProblem<'a> {
    /// By member: row after row a score for each class.
    pub members: Vec<&'a [f64]>,
    pub classes: &'a [u32],
    pub weights: &'a [f64],
    pub n_classes: usize,
    /// c₀ of each member.
    pub expected: Vec<f64>,
    /// σ.
    pub spread: f64,
    /// The ridge on biases; without it there are none.
    pub bias_ridge: Option<f64>,
}

/// Factors and biases.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub factors: Vec<f64>,
    /// By class; zeros if none were wanted.
    pub bias: Vec<f64>,
}

impl LinkProblem<'_> {
    /// The best factors and biases.
    pub fn solve(&self) -> Link {
        let n_members = self.members.len();
        let mut start: Vec<f64> = self.expected.iter().map(|&c| ln(c)).collect();
        if self.bias_ridge.is_some() {
            start.extend(vec![0.0; self.n_classes]);
        }
        let found = minimise(start, |parameters| self.objective(parameters));
        let mut bias = found[n_members..].to_vec();
        bias.resize(self.n_classes, 0.0);
        Link { factors: found[..n_members].iter().map(|&log| exp(bounded(log))).collect(), bias }
    }

    /// The objective and its gradient, both for each unit of weight.
    fn objective(&self, parameters: &[f64]) -> (f64, Vec<f64>) {
        let (n_members, n_classes) = (self.members.len(), self.n_classes);
        let factors: Vec<f64> =
            parameters[..n_members].iter().map(|&log| exp(bounded(log))).collect();
        let bias = &parameters[n_members..];
        let mut gradient = vec![0.0; parameters.len()];
        let (mut loss, mut total) = (0.0, 0.0);
        let mut scores = vec![0.0; n_classes];
        for (row, (&class, &weight)) in self.classes.iter().zip(self.weights).enumerate() {
            let span = row * n_classes..(row + 1) * n_classes;
            scores.fill(0.0);
            scores[..bias.len()].copy_from_slice(bias);
            for (member, factor) in self.members.iter().zip(&factors) {
                for (score, value) in scores.iter_mut().zip(&member[span.clone()]) {
                    *score += factor * value;
                }
            }
            loss += weight * soften(&mut scores, class as usize);
            total += weight;
            // What is left of the shares is the gradient by score.
            scores[class as usize] -= 1.0;
            for (to, (member, factor)) in gradient.iter_mut().zip(self.members.iter().zip(&factors))
            {
                *to += weight * factor * dot(&scores, &member[span.clone()]);
            }
            for (to, share) in gradient[n_members..].iter_mut().zip(&scores) {
                *to += weight * share;
            }
        }
        for at in 0..n_members {
            let off = (parameters[at] - ln(self.expected[at])) / self.spread;
            loss += 0.5 * off * off;
            gradient[at] += off / self.spread;
        }
        if let Some(ridge) = self.bias_ridge {
            for (to, b) in gradient[n_members..].iter_mut().zip(bias) {
                loss += ridge * b * b;
                *to += 2.0 * ridge * b;
            }
        }
        for slope in &mut gradient {
            *slope /= total;
        }
        (loss / total, gradient)
    }
}

fn bounded(log: f64) -> f64 {
    log.clamp(-LARGEST_LOG, LARGEST_LOG)
}

/// Turns scores into their soft-max; returns ln(1/p) of a class.
pub(super) fn soften(scores: &mut [f64], class: usize) -> f64 {
    let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let lead = highest - scores[class];
    // Loops of their own: compilers make wide instructions of the first.
    for score in scores.iter_mut() {
        *score = exp_of_negative(*score - highest);
    }
    let sum: f64 = scores.iter().sum();
    for score in scores.iter_mut() {
        *score /= sum;
    }
    ln(sum) + lead
}

/// The minimum of a smooth function near a start, by L-BFGS with backtracking.
fn minimise(start: Vec<f64>, objective: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> Vec<f64> {
    let mut at = start;
    let (mut value, mut gradient) = objective(&at);
    let mut pairs: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for _ in 0..ITERATIONS {
        if gradient.iter().all(|slope| slope.abs() <= SMALL) {
            break;
        }
        let mut direction = descent(&gradient, &pairs);
        let mut slope = dot(&direction, &gradient);
        if slope >= 0.0 {
            direction = gradient.iter().map(|slope| -slope).collect();
            slope = -dot(&gradient, &gradient);
            pairs.clear();
        }
        let mut length = 1.0;
        let found = loop {
            let next: Vec<f64> = at.iter().zip(&direction).map(|(x, d)| x + length * d).collect();
            let (next_value, next_gradient) = objective(&next);
            if next_value <= value + 1e-4 * length * slope {
                break Some((next, next_value, next_gradient));
            }
            length *= 0.5;
            if length < 1e-10 {
                break None;
            }
        };
        let Some((next, next_value, next_gradient)) = found else { break };
        let step: Vec<f64> = next.iter().zip(&at).map(|(new, old)| new - old).collect();
        let change: Vec<f64> =
            next_gradient.iter().zip(&gradient).map(|(new, old)| new - old).collect();
        if dot(&step, &change) > 1e-14 {
            pairs.push((step, change));
            if pairs.len() > MEMORY {
                pairs.remove(0);
            }
        }
        let gain = value - next_value;
        (at, value, gradient) = (next, next_value, next_gradient);
        if gain <= SMALL_GAIN * value.abs() {
            break;
        }
    }
    at
}

/// The direction of L-BFGS (Nocedal 1980).
fn descent(gradient: &[f64], pairs: &[(Vec<f64>, Vec<f64>)]) -> Vec<f64> {
    let mut direction: Vec<f64> = gradient.iter().map(|slope| -slope).collect();
    let mut shares = Vec::with_capacity(pairs.len());
    for (step, change) in pairs.iter().rev() {
        let share = dot(step, &direction) / dot(step, change);
        for (d, y) in direction.iter_mut().zip(change) {
            *d -= share * y;
        }
        shares.push(share);
    }
    if let Some((step, change)) = pairs.last() {
        let scale = dot(step, change) / dot(change, change);
        for d in &mut direction {
            *d *= scale;
        }
    }
    for ((step, change), share) in pairs.iter().zip(shares.into_iter().rev()) {
        let other = dot(change, &direction) / dot(step, change);
        for (d, s) in direction.iter_mut().zip(step) {
            *d += (share - other) * s;
        }
    }
    direction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two classes, one member: rows agree with its sign three times out of four.
    fn problem(members: Vec<&[f64]>, ridge: Option<f64>) -> LinkProblem<'_> {
        let expected = vec![1.0; members.len()];
        LinkProblem {
            members,
            classes: &[0, 0, 0, 1, 1, 1, 1, 0],
            weights: &[100.0; 8],
            n_classes: 2,
            expected,
            spread: 1.0,
            bias_ridge: ridge,
        }
    }

    #[test]
    fn the_factor_makes_probabilities_out_of_scores() {
        let scores = [[0.5, -0.5], [-0.5, 0.5]].map(|pair: [f64; 2]| [pair; 4].concat()).concat();
        let link = problem(vec![&scores], None).solve();
        // A lead of c must mean three to one; the penalty pulls a little towards 1.
        assert!((link.factors[0] - 3f64.ln()).abs() < 0.01, "{}", link.factors[0]);
        assert_eq!(link.bias, [0.0, 0.0]);
    }

    #[test]
    fn a_bias_makes_up_for_scores_that_lean_to_one_side() {
        let scores = [[1.5, -0.5], [0.5, 0.5]].map(|pair: [f64; 2]| [pair; 4].concat()).concat();
        let link = problem(vec![&scores], Some(0.01)).solve();
        let lead =
            |row: [f64; 2]| link.factors[0] * (row[1] - row[0]) + link.bias[1] - link.bias[0];
        assert!((lead([0.5, 0.5]) - 3f64.ln()).abs() < 0.02, "{link:?}");
        assert!((lead([1.5, -0.5]) + 3f64.ln()).abs() < 0.02, "{link:?}");
    }

    #[test]
    fn a_member_that_knows_nothing_keeps_a_small_factor() {
        let scores = [[0.5, -0.5], [-0.5, 0.5]].map(|pair: [f64; 2]| [pair; 4].concat()).concat();
        let noise = [[0.5, -0.5], [-0.5, 0.5]].concat().repeat(4);
        let link = problem(vec![&scores, &noise], None).solve();
        assert!(link.factors[1] > 0.0 && link.factors[1] < 0.5 * link.factors[0], "{link:?}");
    }
}
