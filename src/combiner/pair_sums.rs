//! The pair probabilities of one row, added up by class, and the probabilities of the classes that
//! agree best with them.
//!
//! In: pair scores. Out: ln p, or the most probable class alone where that follows from the sums.
//! Newton's method on ln p: the sum of Kullback–Leibler distances is convex in it.

use super::classes::best_class;
use crate::portable::{exp_of_negative, ln, ln_1p};

/// A step that changes no logarithm by more is the last: it leaves about the square of it.
const LAST_STEP: f64 = 1e-6;

/// How well the two sums of each class can agree, relative to them and by class: where classes are so
/// hopeless that more cannot be known of them, steps stay long.
const ROUNDING: f64 = 1e-15;

/// The most rounds; thirty are many.
const MOST_ROUNDS: usize = 200;

/// The most that a round changes the logarithm of a probability.
const LONGEST_STEP: f64 = 8.0;

/// By how much of all weight a class has to be ahead if it is to win without a solution.
const CLEAR_LEAD: f64 = 1e-8;

/// The pair probabilities of one row, added up by class, and room to solve for those of the classes.
pub(super) struct PairSums {
    n_classes: usize,
    /// nᵢⱼ by class and class; 0 on the diagonal.
    weights: Vec<f64>,
    /// The largest log-odds of each pair, ln(nᵢⱼ + 1).
    caps: Vec<f64>,
    /// Σⱼ nᵢⱼ by class.
    totals: Vec<f64>,
    /// rᵢⱼ by class and class.
    pairs: Vec<f64>,
    /// Σⱼ nᵢⱼ rᵢⱼ by class.
    wins: Vec<f64>,
    /// ln p.
    logs: Vec<f64>,
    /// Σⱼ nᵢⱼ (rᵢⱼ − μᵢⱼ), and what the last step changes.
    rest: Vec<f64>,
    step: Vec<f64>,
    /// nᵢⱼ μᵢⱼ μⱼᵢ by class and class.
    springs: Vec<f64>,
}

impl PairSums {
    pub fn new(class_rows: &[f64]) -> Self {
        let n_classes = class_rows.len();
        let mut weights = vec![0.0; n_classes * n_classes];
        for (i, line) in weights.chunks_exact_mut(n_classes).enumerate() {
            for (j, weight) in line.iter_mut().enumerate().filter(|(j, _)| *j != i) {
                *weight = class_rows[i] + class_rows[j];
            }
        }
        let totals = weights.chunks_exact(n_classes).map(|line| line.iter().sum()).collect();
        let empty = || vec![0.0; n_classes];
        Self {
            n_classes,
            springs: vec![0.0; weights.len()],
            pairs: vec![0.0; weights.len()],
            caps: weights.iter().map(|&rows| ln_1p(rows)).collect(),
            weights,
            totals,
            wins: empty(),
            logs: empty(),
            rest: empty(),
            step: empty(),
        }
    }

    /// Takes the pair scores of a row.
    pub fn read(&mut self, pairs: impl Iterator<Item = ((usize, usize), f64)>) {
        self.wins.fill(0.0);
        for ((first, second), score) in pairs {
            let at = first * self.n_classes + second;
            let (weight, most) = (self.weights[at], self.caps[at]);
            let (r_first, r_second) = split((2.0 * score).clamp(-most, most));
            self.pairs[first * self.n_classes + second] = r_first;
            self.pairs[second * self.n_classes + first] = r_second;
            self.wins[first] += weight * r_first;
            self.wins[second] += weight * r_second;
        }
    }

    /// For classes i and j the largest nᵢₖ / nⱼₖ over the others.
    pub fn weight_factors(&self) -> Vec<f64> {
        let n = self.n_classes;
        let factor = |i: usize, j: usize| {
            let others = (0..n).filter(|&k| k != i && k != j);
            let ratios = others.map(|k| self.weights[i * n + k] / self.weights[j * n + k]);
            // 0/0 says nothing, like a division by zero.
            ratios.fold(
                0.0,
                |most: f64, ratio| {
                    if ratio.is_nan() { f64::INFINITY } else { most.max(ratio) }
                },
            )
        };
        (0..n * n).map(|at| factor(at / n, at % n)).collect()
    }

    /// The most probable class, if that follows from the sums of wins W: if pᵢ ≤ pⱼ then μᵢₖ ≤ μⱼₖ
    /// for all k, so Wᵢ ≤ nᵢⱼ/2 + c (Wⱼ − nᵢⱼ/2) with c the largest nᵢₖ / nⱼₖ. For classes of
    /// equal weight the order of the sums is that of the probabilities.
    pub fn clear_winner(&self, factors: &[f64]) -> Option<usize> {
        let n = self.n_classes;
        let means: Vec<f64> = self.wins.iter().zip(&self.totals).map(|(w, n)| w / n).collect();
        let best = best_class(&means);
        let all: f64 = self.totals.iter().sum();
        let is_ahead = |other: usize| {
            let half = 0.5 * self.weights[best * n + other];
            let bound = half + factors[best * n + other] * (self.wins[other] - half);
            self.wins[best] > bound + CLEAR_LEAD * all
        };
        (0..n).filter(|&other| other != best).all(is_ahead).then_some(best)
    }

    /// ln p, whose exponentials sum to 1.
    pub fn solve(&mut self) -> &[f64] {
        let first = self.wins.iter().zip(&self.totals).map(|(wins, total)| ln(wins / total));
        self.logs.clear();
        self.logs.extend(first);
        self.compare();
        let mut before = f64::INFINITY;
        for _ in 0..MOST_ROUNDS {
            let longest = self.find_step();
            self.follow_step();
            let is_stuck = longest > 0.5 * before && self.has_agreement();
            if longest <= LAST_STEP || is_stuck {
                break;
            }
            before = longest;
        }
        self.normalise();
        &self.logs
    }

    /// Makes the probabilities sum to 1.
    fn normalise(&mut self) {
        let highest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = self.logs.iter().map(|log| exp_of_negative(log - highest)).sum();
        let shift = highest + ln(sum);
        for log in &mut self.logs {
            *log -= shift;
        }
    }

    /// How far pairs and sums are from what they would be under the probabilities of now. Pairs are
    /// compared one by one, so that they leave nothing in the sums of two classes as hopeless.
    fn compare(&mut self) {
        let n = self.n_classes;
        self.rest.fill(0.0);
        for i in 0..n {
            for j in i + 1..n {
                let (weight, lead) = (self.weights[i * n + j], self.logs[i] - self.logs[j]);
                let (mu_i, mu_j) = split(lead);
                let (r_i, r_j) = (self.pairs[i * n + j], self.pairs[j * n + i]);
                // The smaller of the two has more digits.
                let more = weight * if r_i < r_j { r_i - mu_i } else { mu_j - r_j };
                self.rest[i] += more;
                self.rest[j] -= more;
                self.springs[i * n + j] = weight * mu_i * mu_j;
                self.springs[j * n + i] = weight * mu_i * mu_j;
            }
        }
    }

    fn has_agreement(&self) -> bool {
        let rounding = ROUNDING * self.n_classes as f64;
        self.wins.iter().zip(&self.rest).all(|(wins, rest)| rest.abs() <= rounding * wins)
    }

    /// Newton's step: the second derivatives are springs between the classes, and the most probable
    /// class is held. Classes are eliminated one by one without a subtraction, so that springs of
    /// any strength keep their digits. Returns the largest change.
    fn find_step(&mut self) -> f64 {
        let n = self.n_classes;
        let held = best_class(&self.logs);
        let Self { springs, step, .. } = self;
        step.copy_from_slice(&self.rest);
        let order: Vec<usize> = (0..n).filter(|&class| class != held).chain([held]).collect();
        for (at, &i) in order[..n - 1].iter().enumerate() {
            let rest = &order[at + 1..];
            let strength: f64 = rest.iter().map(|&j| springs[i * n + j]).sum();
            // The strength itself is kept where nothing else is.
            springs[i * n + i] = strength;
            if strength > 0.0 {
                for (after, &j) in rest.iter().enumerate() {
                    let share = springs[i * n + j] / strength;
                    step[j] += share * step[i];
                    for &k in &rest[after + 1..] {
                        let joint = share * springs[i * n + k];
                        springs[j * n + k] += joint;
                        springs[k * n + j] += joint;
                    }
                }
            }
        }
        step[held] = 0.0;
        for (at, &i) in order[..n - 1].iter().enumerate().rev() {
            let pulled: f64 = order[at + 1..].iter().map(|&j| springs[i * n + j] * step[j]).sum();
            let strength = springs[i * n + i];
            step[i] = if strength > 0.0 { (step[i] + pulled) / strength } else { 0.0 };
        }
        let longest = step.iter().fold(0.0, |longest: f64, step| longest.max(step.abs()));
        if longest > LONGEST_STEP {
            for step in step.iter_mut() {
                *step *= LONGEST_STEP / longest;
            }
        }
        longest
    }

    /// Goes as much of the step as does not lead uphill, by halves.
    fn follow_step(&mut self) {
        let slope = |sums: &Self| {
            let products = sums.rest.iter().zip(&sums.step).map(|(rest, step)| -rest * step);
            products.sum::<f64>()
        };
        let first = slope(self);
        let from = self.logs.clone();
        for _ in 0..MOST_ROUNDS {
            for (log, (from, step)) in self.logs.iter_mut().zip(from.iter().zip(&self.step)) {
                *log = from + step;
            }
            self.compare();
            if slope(self) <= 0.5 * first.abs() {
                return;
            }
            for step in &mut self.step {
                *step *= 0.5;
            }
        }
    }
}

/// The probabilities of two classes whose log-odds are these; the smaller one keeps its digits.
fn split(log_odds: f64) -> (f64, f64) {
    let odds = exp_of_negative(-log_odds.abs());
    let likely = 1.0 / (1.0 + odds);
    if log_odds >= 0.0 { (likely, odds * likely) } else { (odds * likely, likely) }
}
