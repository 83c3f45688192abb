//! Shapley values of a product: how much each side of a region adds to whether a row is inside.
//!
//! In: for every side the share of rows that pass it, and whether this row does. Out: what knowing
//! that side adds, on average over all orders in which sides become known. A side that is known
//! counts 1 or 0, one that is not counts its share `z`; with all sides in a random order, side `j`
//! adds `(b_j − z_j) ∫ Π_{k≠j} (z_k (1 − t) + b_k t) dt` over `t` from 0 to 1, the share of
//! sides known before it. The integrand is a polynomial, so a Gauss rule of half as many points is
//! exact, and no term of the sum is negative.

use crate::portable::cos;

/// Points and weights of a Gauss rule on [0, 1].
#[derive(Debug, Clone)]
pub(super) struct GaussRule {
    points: Vec<(f64, f64)>,
}

impl GaussRule {
    /// The rule that integrates the products of `n_sides` sides exactly.
    pub fn for_sides(n_sides: usize) -> Self {
        let n = n_sides.div_ceil(2).max(1);
        let point = |at: usize| {
            // Newton's method on the Legendre polynomial, from Chebyshev's guess.
            let mut x = cos(std::f64::consts::PI * (at as f64 + 0.75) / (n as f64 + 0.5));
            let mut slope = 1.0;
            for _ in 0..100 {
                let (value, derivative) = legendre(n, x);
                slope = derivative;
                let step = value / derivative;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            (f64::midpoint(1.0, x), 1.0 / ((1.0 - x * x) * slope * slope))
        };
        Self { points: (0..n).map(point).collect() }
    }

    /// The points, each with its weight.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.points.iter().copied()
    }

    /// Writes what each side adds for a row; `inside` says which sides the row passes.
    pub fn shapley(&self, shares: &[f64], inside: impl Fn(usize) -> bool, added: &mut [f64]) {
        let n = shares.len();
        added.fill(0.0);
        for &(t, weight) in &self.points {
            let factor = |k: usize| {
                let unknown = shares[k] * (1.0 - t);
                if inside(k) { unknown + t } else { unknown }
            };
            // The product of all others: of those before, then of those after.
            let mut before = weight;
            let mut befores = [0.0; PIECE];
            if n <= PIECE {
                for (k, kept) in befores[..n].iter_mut().enumerate() {
                    *kept = before;
                    before *= factor(k);
                }
                let mut after = 1.0;
                for k in (0..n).rev() {
                    added[k] += befores[k] * after;
                    after *= factor(k);
                }
            } else {
                for (j, sum) in added.iter_mut().enumerate() {
                    *sum += weight * (0..n).filter(|k| *k != j).map(factor).product::<f64>();
                }
            }
        }
        for (k, sum) in added.iter_mut().enumerate() {
            *sum *= f64::from(u8::from(inside(k))) - shares[k];
        }
    }
}

/// Sides whose products are kept on the stack.
const PIECE: usize = 32;

/// The Legendre polynomial of degree `n` at `x`, and its derivative.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut value) = (1.0, x);
    for degree in 2..=n {
        let degree = degree as f64;
        (before, value) =
            (value, ((2.0 * degree - 1.0) * x * value - (degree - 1.0) * before) / degree);
    }
    (value, n as f64 * (x * value - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The average over all subsets of other sides, one by one.
    fn by_subsets(shares: &[f64], inside: &[bool]) -> Vec<f64> {
        let n = shares.len();
        let worth = |known: usize| -> f64 {
            let factor = |k: usize| match (known >> k & 1, inside[k]) {
                (0, _) => shares[k],
                (_, true) => 1.0,
                (_, false) => 0.0,
            };
            (0..n).map(factor).product()
        };
        let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
        let of_side = |j: usize| {
            let others = (0..1usize << n).filter(|known| known >> j & 1 == 0);
            let term = |known: usize| {
                let size = known.count_ones() as usize;
                let orders = factorial(size) * factorial(n - 1 - size) / factorial(n);
                orders * (worth(known | 1 << j) - worth(known))
            };
            others.map(term).sum()
        };
        (0..n).map(of_side).collect()
    }

    proptest! {
        #[test]
        fn the_integral_is_the_average_over_all_subsets(
            sides in prop::collection::vec((0.0..=1.0f64, any::<bool>()), 1..9)
        ) {
            let (shares, inside): (Vec<f64>, Vec<bool>) = sides.into_iter().unzip();
            let mut added = vec![f64::NAN; shares.len()];
            GaussRule::for_sides(shares.len()).shapley(&shares, |k| inside[k], &mut added);
            for (got, expected) in added.iter().zip(by_subsets(&shares, &inside)) {
                prop_assert!((got - expected).abs() < 1e-14, "{added:?}");
            }
        }

        #[test]
        fn what_all_sides_add_is_the_answer_less_the_share_inside(
            sides in prop::collection::vec((0.5..=1.0f64, prop::bool::weighted(0.9)), 1..80)
        ) {
            let (shares, inside): (Vec<f64>, Vec<bool>) = sides.into_iter().unzip();
            let mut added = vec![f64::NAN; shares.len()];
            GaussRule::for_sides(shares.len()).shapley(&shares, |k| inside[k], &mut added);
            let answer = f64::from(u8::from(inside.iter().all(|inside| *inside)));
            let expected = answer - shares.iter().product::<f64>();
            prop_assert!((added.iter().sum::<f64>() - expected).abs() < 1e-12);
        }
    }
}
