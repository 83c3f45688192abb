//! Coupling: one probability for each class that agrees best with those of all pairs (B5).
//!
//! In: for each pair of classes i and j the probability rᵢⱼ that a row of either is one of i, and
//! the weight nᵢⱼ of their training rows. Out: p with Σⱼ nᵢⱼ rᵢⱼ = Σⱼ nᵢⱼ μᵢⱼ for every class
//! i, where μᵢⱼ = pᵢ / (pᵢ + pⱼ): the least mean Kullback–Leibler distance of μ from r. Hastie and
//! Tibshirani 1998 reach it by pᵢ ← pᵢ Σⱼ nᵢⱼ rᵢⱼ / Σⱼ nᵢⱼ μᵢⱼ, which takes 1/δ rounds to come
//! as near as δ where some classes are hopeless. Newton's method on ln p finds the same p in a few.
//!
//! No pair is surer than Laplace's rule of succession allows, (n + 1) / (n + 2) for n training rows:
//! boosters separate most pairs, and would be sure of every row. That lowers the log loss on test rows
//! of nine of ten data sets (`benches/papers/decodings.py`) and changes next to no class.

use serde::{Deserialize, Serialize};

use super::pair_sums::PairSums;

/// More rows than any class has.
const MOST_ROWS: f64 = 1e15;

/// What coupling remembers of the training rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coupling {
    /// The number of training rows of each class, or of as many as those of different weights tell.
    pub class_rows: Vec<f64>,
}

impl Coupling {
    /// Whether there is a number of rows for each of so many classes.
    pub(super) fn is_sound(&self, n_classes: usize) -> bool {
        let is_count = |rows: &f64| (0.0..=MOST_ROWS).contains(rows);
        let rows = &self.class_rows;
        rows.len() == n_classes && rows.iter().all(is_count) && rows.iter().any(|&rows| rows > 0.0)
    }

    /// The logarithms of the probabilities of all classes, class by class, or scores with the same
    /// best class if that is all that matters. Pair scores are half the log-odds of the first class of
    /// each pair.
    pub(super) fn scores(
        &self,
        pairs: &[(usize, usize)],
        outputs: &[&[f64]],
        only_best: bool,
    ) -> Vec<Vec<f64>> {
        let n_rows = outputs.first().map_or(0, |output| output.len());
        let n_classes = self.class_rows.len();
        let mut scores = vec![vec![0.0; n_rows]; n_classes];
        let mut row_of_pairs = PairSums::new(&self.class_rows);
        let factors = if only_best { row_of_pairs.weight_factors() } else { Vec::new() };
        for row in 0..n_rows {
            row_of_pairs.read(pairs.iter().zip(outputs).map(|(&pair, output)| (pair, output[row])));
            if only_best && let Some(winner) = row_of_pairs.clear_winner(&factors) {
                scores[winner][row] = 1.0;
                continue;
            }
            for (scores, found) in scores.iter_mut().zip(row_of_pairs.solve()) {
                scores[row] = *found;
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::super::best_class;
    use super::*;

    /// All pairs of so many classes.
    fn all_pairs(n_classes: usize) -> Vec<(usize, usize)> {
        let with_later = |i: usize| (i + 1..n_classes).map(move |j| (i, j));
        (0..n_classes).flat_map(with_later).collect()
    }

    /// A number from 0 to 1 that looks drawn.
    fn drawn(state: &mut u64) -> f64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    fn drawn_shares(n_classes: usize, state: &mut u64) -> Vec<f64> {
        let raw: Vec<f64> = (0..n_classes).map(|_| 0.02 + drawn(state)).collect();
        let sum: f64 = raw.iter().sum();
        raw.iter().map(|share| share / sum).collect()
    }

    /// Coupling that caps no pair score below 17.
    fn couple(class_shares: &[f64], pairs: &[(usize, usize)], pair_scores: &[f64]) -> Vec<f64> {
        let outputs: Vec<&[f64]> = pair_scores.chunks(1).collect();
        let class_rows = class_shares.iter().map(|share| 1e15 * share).collect();
        let coupling = Coupling { class_rows };
        coupling.scores(pairs, &outputs, false).iter().map(|scores| scores[0]).collect()
    }

    #[test]
    fn pairs_that_agree_give_back_the_probabilities_they_come_from() {
        let mut state = 1;
        for n_classes in 3..9 {
            let (p, shares) =
                (drawn_shares(n_classes, &mut state), drawn_shares(n_classes, &mut state));
            let pairs = all_pairs(n_classes);
            let scores: Vec<f64> = pairs.iter().map(|&(i, j)| 0.5 * (p[i] / p[j]).ln()).collect();
            for (log, p) in couple(&shares, &pairs, &scores).iter().zip(&p) {
                assert!((log.exp() - p).abs() < 1e-9, "{log} {p}");
            }
        }
    }

    #[test]
    fn the_sums_agree_however_sure_the_pairs_are() {
        let mut state = 7;
        for n_classes in 3..12 {
            for scale in [0.1, 1.0, 10.0, 1000.0] {
                let shares = drawn_shares(n_classes, &mut state);
                let pairs = all_pairs(n_classes);
                let scores: Vec<f64> =
                    pairs.iter().map(|_| scale * (drawn(&mut state) - 0.5)).collect();
                let logs = couple(&shares, &pairs, &scores);
                assert!((logs.iter().map(|log| log.exp()).sum::<f64>() - 1.0).abs() < 1e-12);
                let mut off = vec![0.0; n_classes];
                for (&(i, j), score) in pairs.iter().zip(&scores) {
                    let most = 1e15 * (shares[i] + shares[j]) + 1.0;
                    let odds = (-2.0 * score).exp().clamp(1.0 / most, most);
                    let r = 1.0 / (1.0 + odds);
                    let mu = 1.0 / (1.0 + (logs[j] - logs[i]).exp());
                    off[i] += (shares[i] + shares[j]) * (r - mu);
                    off[j] -= (shares[i] + shares[j]) * (r - mu);
                }
                assert!(off.iter().all(|off| off.abs() < 1e-9), "{n_classes} {scale} {off:?}");
            }
        }
    }

    #[test]
    fn a_winner_without_a_solution_is_that_of_the_solution() {
        let mut state = 3;
        let mut n_clear = 0;
        for n_classes in 3..7 {
            let shares = drawn_shares(n_classes, &mut state);
            let (pairs, n_rows) = (all_pairs(n_classes), 300);
            let outputs: Vec<Vec<f64>> = pairs
                .iter()
                .map(|_| (0..n_rows).map(|_| 3.0 * (drawn(&mut state) - 0.5)).collect())
                .collect();
            let outputs: Vec<&[f64]> = outputs.iter().map(Vec::as_slice).collect();
            let class_rows = shares.iter().map(|share| 500.0 * share).collect();
            let coupling = Coupling { class_rows };
            let (logs, quick) =
                (coupling.scores(&pairs, &outputs, false), coupling.scores(&pairs, &outputs, true));
            for row in 0..n_rows {
                let of = |scores: &[Vec<f64>]| {
                    best_class(&scores.iter().map(|scores| scores[row]).collect::<Vec<_>>())
                };
                assert_eq!(of(&logs), of(&quick));
                n_clear += usize::from(quick.iter().any(|scores| scores[row] == 1.0));
            }
        }
        assert!(n_clear > 400, "{n_clear} of 1200");
    }

    #[test]
    fn a_circle_of_sure_pairs_leaves_all_classes_equal() {
        let shares = vec![0.25; 3];
        let logs = couple(&shares, &[(0, 1), (1, 2), (0, 2)], &[50.0, 50.0, -50.0]);
        assert!(logs.iter().all(|log| (log + 3f64.ln()).abs() < 1e-12), "{logs:?}");
    }

    #[test]
    fn many_classes_in_a_sure_order_keep_it() {
        let n_classes = 40;
        let pairs = all_pairs(n_classes);
        let logs = couple(&vec![1.0 / 40.0; n_classes], &pairs, &vec![700.0; pairs.len()]);
        assert!(logs.iter().all(|log| log.is_finite()) && logs[0] > -1e-12);
        assert!(logs.is_sorted_by(|before, after| before > after), "{logs:?}");
    }

    #[test]
    fn pairs_are_no_surer_than_their_rows_allow() {
        let coupling = Coupling { class_rows: vec![3.0, 5.0] };
        let scores = coupling.scores(&[(0, 1)], &[&[100.0, -100.0, 0.5]], false);
        let expected = [0.9, 0.1, 1.0 / (1.0 + (-1.0f64).exp())];
        for (score, expected) in scores[0].iter().zip(expected) {
            assert!((score.exp() - expected).abs() < 1e-12, "{score} {expected}");
        }
    }
}
