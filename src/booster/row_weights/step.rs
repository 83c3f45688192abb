//! By what a hypothesis multiplies the weights of rows, up to a common factor.
//!
//! In: the factors of all parts, and how many rows get each. Out: the same factors divided by the one
//! that most rows get. These rows keep their weights, which are then true up to a `scale`: that is
//! what makes them sum up to 1. A scale that strays too far is brought back by a power of two, which
//! changes all weights but rounds none.

use std::ops::RangeInclusive;

/// Scales with which weights are left as they are. None is below 1, so that weights sum up to 1 at
/// most, and none so large that they lose many of their lowest bits in fixed point.
const SCALES: RangeInclusive<f64> = 1.0..=64.0;
/// The exponents of the powers of two from which a scale begins anew: it falls where most rows are
/// answered right, and rises where most are answered wrong.
const FALLS_FROM: i32 = 4;
const RISES_FROM: i32 = 1;

/// The factors of one distribution, by run and part.
pub(super) type Factors = Vec<Vec<f64>>;

/// What is done to the weights of one or several distributions.
pub(super) struct Step {
    /// By distribution.
    pub factors: Vec<Factors>,
    /// What makes the weights sum up to 1 afterwards.
    pub scale: f64,
    /// Whether weights whose factor is 1 stay as they are, and so do most.
    pub leaves_most: bool,
}

impl Step {
    /// The step with these factors, of which `common` is the one that most rows get.
    pub fn new(mut factors: Vec<Factors>, common: f64, scale: f64) -> Self {
        fn all(factors: &mut [Factors]) -> impl Iterator<Item = &mut f64> {
            factors.iter_mut().flatten().flatten()
        }
        let common_scale = scale * common;
        let unit = unit(common_scale);
        let is_usable = common_scale.is_normal() && common_scale > 0.0 && unit.is_normal();
        let relative = |factor: f64| if factor == common { unit } else { factor / common * unit };
        if is_usable && all(&mut factors).all(|factor| relative(*factor).is_finite()) {
            all(&mut factors).for_each(|factor| *factor = relative(*factor));
            return Self { factors, scale: common_scale / unit, leaves_most: unit == 1.0 };
        }
        all(&mut factors).for_each(|factor| *factor *= scale);
        Self { factors, scale: 1.0, leaves_most: false }
    }
}

/// The power of two by which a scale is divided to be one of [`SCALES`].
fn unit(scale: f64) -> f64 {
    if SCALES.contains(&scale) {
        return 1.0;
    }
    let exponent = (scale.to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent - if scale < *SCALES.start() { FALLS_FROM } else { RISES_FROM })
}

/// Factors with the numbers of their rows, each factor once, ascending.
pub(super) fn add_up(counts: impl IntoIterator<Item = (f64, u64)>) -> Vec<(f64, u64)> {
    let mut counts: Vec<(f64, u64)> = counts.into_iter().collect();
    counts.sort_by(|one, other| one.0.total_cmp(&other.0));
    let sum = |alike: &[(f64, u64)]| (alike[0].0, alike.iter().map(|(_, count)| count).sum());
    counts.chunk_by(|one, other| one.0 == other.0).map(sum).collect()
}

/// The factor that most rows get; the smallest of several.
pub(super) fn commonest(counts: impl IntoIterator<Item = (f64, u64)>) -> f64 {
    let most = |best: (f64, u64), next: (f64, u64)| if next.1 > best.1 { next } else { best };
    add_up(counts).into_iter().fold((1.0, 0), most).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_of_the_common_factor_stay_as_they_are() {
        let step = Step::new(vec![vec![vec![0.5, 2.0], vec![2.0, 0.5]]], 0.5, 8.0);
        assert_eq!(step.factors, [[[1.0, 4.0], [4.0, 1.0]]]);
        assert_eq!((step.scale, step.leaves_most), (4.0, true));
    }

    #[test]
    fn a_scale_that_strays_is_brought_back_by_a_power_of_two() {
        for (common, scale) in [(0.75, 1.0), (0.001, 1.3), (1e-80, 5.0), (1.5, 60.0), (1e90, 2.0)] {
            let step = Step::new(vec![vec![vec![common, 3.0 * common]]], common, scale);
            let [unit, other] = step.factors[0][0][..] else { panic!("two parts") };
            assert!(SCALES.contains(&step.scale) && !step.leaves_most, "{common} {}", step.scale);
            assert_eq!(unit.to_bits() << 12, 0, "{unit} is no power of two");
            assert_eq!((other, step.scale * unit), (3.0 * unit, scale * common));
        }
    }

    #[test]
    fn factors_that_have_no_ratio_are_taken_as_they_are() {
        for factors in [vec![0.0, 2.0], vec![f64::INFINITY, 1.0], vec![1e-300, 1e300]] {
            let common = factors[0];
            let step = Step::new(vec![vec![factors.clone()]], common, 2.0);
            let expected: Vec<f64> = factors.iter().map(|factor| 2.0 * factor).collect();
            assert_eq!((&step.factors[0][0], step.scale), (&expected, 1.0));
            assert!(!step.leaves_most);
        }
    }

    #[test]
    fn factors_of_several_parts_are_counted_together() {
        assert_eq!(commonest([(2.0, 5), (0.5, 4), (0.5, 2)]), 0.5);
        assert_eq!(commonest([(2.0, 5), (0.5, 5)]), 0.5);
        assert_eq!(commonest([]), 1.0);
    }
}
