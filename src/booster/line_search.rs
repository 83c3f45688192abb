//! The weight that minimises the exponential loss of one hypothesis.
//!
//! In: atoms. Out: argmin over α of Σ w exp(−α y h). The function is convex; Newton's method runs
//! inside a bracket that bisection keeps shrinking, so it always ends.

use super::target::Atom;
use crate::portable::exp;

/// The minimiser within ±`cap`, to relative error 1e-12.
pub(super) fn best_weight(atoms: &[Atom], cap: f64) -> f64 {
    let slope = |alpha: f64| {
        let mut first = 0.0;
        let mut second = 0.0;
        for atom in atoms {
            let loss = atom.weight * exp(-alpha * atom.margin);
            first -= atom.margin * loss;
            second += atom.margin * atom.margin * loss;
        }
        (first, second)
    };
    let (mut low, mut high) = (-cap, cap);
    if slope(low).0 >= 0.0 {
        return low;
    }
    if slope(high).0 <= 0.0 {
        return high;
    }
    let mut alpha = 0.0;
    for _ in 0..200 {
        let (first, second) = slope(alpha);
        if first > 0.0 {
            high = alpha;
        } else {
            low = alpha;
        }
        let newton = alpha - first / second;
        let next = if newton > low && newton < high { newton } else { f64::midpoint(low, high) };
        if (next - alpha).abs() <= 1e-13 * next.abs() || next == alpha {
            return next;
        }
        alpha = next;
    }
    alpha
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(label: f64, answer: f64, weight: f64) -> Atom {
        let margin = label * answer;
        Atom { margin, is_wrong: margin < 0.0, weight }
    }

    #[test]
    fn votes_have_half_the_log_odds_as_minimiser() {
        let atoms = [atom(1.0, 1.0, 0.7), atom(-1.0, 1.0, 0.3)];
        assert!((best_weight(&atoms, 18.0) - 0.5 * (0.7f64 / 0.3).ln()).abs() < 1e-12);
    }

    #[test]
    fn minimiser_matches_a_brute_force_grid() {
        let atoms = [
            atom(1.0, 2.0, 0.4),
            atom(-1.0, 0.3, 0.25),
            atom(1.0, -0.7, 0.2),
            atom(-1.0, -1.5, 0.15),
        ];
        let loss = |a: f64| atoms.iter().map(|t| t.weight * (-a * t.margin).exp()).sum::<f64>();
        let grid = (-400_000..=400_000).map(|k| f64::from(k) * 1e-5);
        let best = grid.min_by(|a, b| loss(*a).total_cmp(&loss(*b))).unwrap_or(f64::NAN);
        assert!((best_weight(&atoms, 18.0) - best).abs() < 2e-5);
    }

    #[test]
    fn separable_answers_stop_at_the_cap() {
        assert_eq!(best_weight(&[atom(1.0, 1.0, 0.5), atom(-1.0, -0.1, 0.5)], 18.0), 18.0);
        assert_eq!(best_weight(&[atom(1.0, -1.0, 0.5), atom(-1.0, 0.1, 0.5)], 18.0), -18.0);
    }
}
