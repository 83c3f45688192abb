//! Losses of a margin, by which codes are decoded: what a booster would pay if a class were the true
//! one.
//!
//! In: signed outputs of two-class problems. Out: less the loss of every class, as a score. Sums of
//! exponentials are compared by their logarithms, which have the same order and stay in range.

use serde::{Deserialize, Serialize};

use super::code::Sign;
use super::decoding::wrong_side;
use crate::portable::{exp_of_negative, ln, ln_1p};

/// A loss L of a margin z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarginLoss {
    /// exp(−z).
    Exponential,
    /// ln(1 + exp(−2z)), as scores are half the log-odds.
    Logistic,
    /// max(0, 1 − z).
    Hinge,
}

/// How the costs of all problems make that of a class.
#[derive(Clone, Copy)]
pub(super) enum Cost {
    /// ln Σ exp(−z).
    LogOfSum,
    /// Σ cost(z).
    Sum(fn(f64) -> f64),
}

impl MarginLoss {
    pub(super) fn cost(self) -> Cost {
        match self {
            Self::Exponential => Cost::LogOfSum,
            Self::Logistic => Cost::Sum(|margin| softplus(-2.0 * margin)),
            Self::Hinge => Cost::Sum(|margin| (1.0 - margin).max(0.0)),
        }
    }
}

impl Cost {
    /// One for every problem whose side is wrong.
    pub(super) const WRONG_SIDES: Self = Self::Sum(wrong_side);

    /// Less the cost of a class with these signs among so many problems, row by row.
    pub(super) fn of_signs(
        self,
        (signs, n_problems): (&[Sign], usize),
        outputs: &[&[f64]],
    ) -> Vec<f64> {
        let n_rows = outputs.first().map_or(0, |output| output.len());
        let signed =
            || signs.iter().map(|&(problem, sign)| (f64::from(sign), outputs[problem as usize]));
        let n_zeros = (n_problems - signs.len()) as f64;
        match self {
            Self::LogOfSum => {
                let lowest = if n_zeros > 0.0 { 0.0 } else { f64::INFINITY };
                let mut lowest = vec![lowest; n_rows];
                for (sign, values) in signed() {
                    for (lowest, value) in lowest.iter_mut().zip(values) {
                        *lowest = lowest.min(sign * value);
                    }
                }
                let of_zeros = |lowest: &f64| n_zeros * exp_of_negative(lowest.min(0.0));
                let mut sums: Vec<f64> = lowest.iter().map(of_zeros).collect();
                for (sign, values) in signed() {
                    for ((sum, lowest), value) in sums.iter_mut().zip(&lowest).zip(values) {
                        *sum += exp_of_negative(lowest - sign * value);
                    }
                }
                lowest.iter().zip(sums).map(|(lowest, sum)| lowest - ln(sum)).collect()
            }
            Self::Sum(cost) => {
                let mut scores = vec![-n_zeros * cost(0.0); n_rows];
                for (sign, values) in signed() {
                    for (score, value) in scores.iter_mut().zip(values) {
                        *score -= cost(sign * value);
                    }
                }
                scores
            }
        }
    }

    /// Less the costs of all classes if each has a problem against all others.
    pub(super) fn of_classes(self, outputs: &[&[f64]]) -> Vec<Vec<f64>> {
        let n_rows = outputs.first().map_or(0, |output| output.len());
        let mut scores = vec![vec![0.0; n_rows]; outputs.len()];
        let mut margins = vec![0.0; outputs.len()];
        for row in 0..n_rows {
            for (margin, output) in margins.iter_mut().zip(outputs) {
                *margin = output[row];
            }
            let costs = self.of_row(&margins);
            for (scores, cost) in scores.iter_mut().zip(costs) {
                scores[row] = -cost;
            }
        }
        scores
    }

    /// The cost of each class of a row: that of its own problem and of all others, where it is on the
    /// negative side. Equal outputs have equal costs.
    fn of_row(self, outputs: &[f64]) -> Vec<f64> {
        match self {
            Self::LogOfSum => {
                let highest = outputs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let best = outputs.iter().position(|&output| output == highest).unwrap_or(0);
                let others = outputs.iter().enumerate().filter(|(class, _)| *class != best);
                let second = others.clone().map(|(_, &f)| f).fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 = others.map(|(_, f)| exp_of_negative(f - second)).sum();
                let without_best = second + ln(sum);
                // All others contain the highest one, so that little is lost by taking them away.
                let all: f64 = outputs.iter().map(|f| exp_of_negative(f - highest)).sum();
                let without = |output: f64| {
                    if output == highest {
                        return without_best;
                    }
                    highest + ln(all - exp_of_negative(output - highest))
                };
                outputs.iter().map(|&f| ln_of_sum(without(f), -f)).collect()
            }
            Self::Sum(cost) => {
                let all: f64 = outputs.iter().map(|&output| cost(-output)).sum();
                outputs.iter().map(|&output| all - cost(-output) + cost(output)).collect()
            }
        }
    }
}

/// ln(1 + exp(x)).
fn softplus(x: f64) -> f64 {
    x.max(0.0) + ln_1p(exp_of_negative(-x.abs()))
}

/// ln(exp(a) + exp(b)).
fn ln_of_sum(a: f64, b: f64) -> f64 {
    a + softplus(b - a)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is not 0 in a row of a code.
    fn signed(row: &[i8]) -> Vec<Sign> {
        (0..).zip(row.iter().copied()).filter(|(_, sign)| *sign != 0).collect()
    }

    fn plain(loss: MarginLoss, margin: f64) -> f64 {
        match loss {
            MarginLoss::Exponential => (-margin).exp(),
            MarginLoss::Logistic => (-2.0 * margin).exp().ln_1p(),
            MarginLoss::Hinge => (1.0 - margin).max(0.0),
        }
    }

    #[test]
    fn scores_are_those_of_the_losses_written_down() {
        let outputs: [&[f64]; 3] = [&[0.5, -3.0, 0.0], &[-1.5, 2.0, 0.0], &[0.25, 2.0, 0.0]];
        for loss in [MarginLoss::Exponential, MarginLoss::Logistic, MarginLoss::Hinge] {
            let expected = |signs: &[i8], row: usize| {
                let terms = signs.iter().zip(&outputs);
                let sum: f64 = terms.map(|(&s, f)| plain(loss, f64::from(s) * f[row])).sum();
                if loss == MarginLoss::Exponential { -sum.ln() } else { -sum }
            };
            for signs in [[1, -1, 0], [-1, -1, 1], [0, 0, 1], [1, 1, 1]] {
                let found = loss.cost().of_signs((&signed(&signs), 3), &outputs);
                for (row, found) in found.iter().enumerate() {
                    assert!((found - expected(&signs, row)).abs() < 1e-13, "{loss:?} {signs:?}");
                }
            }
            let found = loss.cost().of_classes(&outputs);
            for (class, found) in found.iter().enumerate() {
                let mut signs = [-1; 3];
                signs[class] = 1;
                for (row, found) in found.iter().enumerate() {
                    assert!((found - expected(&signs, row)).abs() < 1e-13, "{loss:?} {class}");
                }
            }
        }
    }

    #[test]
    fn scores_are_finite_and_in_order_however_sure_the_outputs_are() {
        let outputs: [&[f64]; 3] = [&[900.0, -900.0], &[-900.0, -900.0], &[-900.0, -901.0]];
        for loss in [MarginLoss::Exponential, MarginLoss::Logistic, MarginLoss::Hinge] {
            let scores = loss.cost().of_classes(&outputs);
            assert!(scores.iter().flatten().all(|score| score.is_finite()), "{loss:?}");
            assert!(scores[0][0] > scores[1][0] && scores[1][0] == scores[2][0]);
            assert!(scores[0][1] == scores[1][1] && scores[1][1] >= scores[2][1]);
            let agreeing = loss.cost().of_signs((&signed(&[1, -1, -1]), 3), &outputs)[0];
            let opposing = loss.cost().of_signs((&signed(&[-1, 1, 1]), 3), &outputs)[0];
            assert!(agreeing.is_finite() && opposing.is_finite() && agreeing > opposing);
        }
    }

    #[test]
    fn what_is_on_no_side_counts_half() {
        let outputs: [&[f64]; 3] = [&[2.0], &[-1.0], &[0.0]];
        assert_eq!(Cost::WRONG_SIDES.of_signs((&signed(&[1, 0, -1]), 3), &outputs), [-1.0]);
        assert_eq!(Cost::WRONG_SIDES.of_signs((&signed(&[-1, 1, 0]), 3), &outputs), [-2.5]);
        assert_eq!(Cost::WRONG_SIDES.of_classes(&outputs), [[-0.5], [-2.5], [-1.5]]);
    }
}
