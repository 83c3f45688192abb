//! Functions whose results are the same on every machine.
//!
//! In and out: numbers. The system's `exp`, `ln` and their kin differ in the last bit from platform to
//! platform, and so would row weights, and at last models. These are made of sums and products alone.

pub use libm::{cos, exp, log as ln, log1p as ln_1p, pow, tanh};

/// exp(x) for x ≤ 0, to a relative error of 10⁻¹⁵. Compilers turn loops over it
/// into wide instructions, unlike those over [`exp`].
#[inline]
#[must_use]
pub fn exp_of_negative(x: f64) -> f64 {
    // ln 2 in two parts: products of the first with small integers are exact.
    const LN_2: [f64; 2] = [6.931_471_803_691_238e-1, 1.908_214_929_270_587_7e-10];
    /// Adding this rounds to an integer, which then stands in the last bits.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    /// The logarithm of a number that is just normal.
    const LOWEST: f64 = -708.0;
    /// 1/k!, from the highest power down to the first.
    const TERMS: [f64; 13] = [
        1.0 / 6_227_020_800.0,
        1.0 / 479_001_600.0,
        1.0 / 39_916_800.0,
        1.0 / 3_628_800.0,
        1.0 / 362_880.0,
        1.0 / 40_320.0,
        1.0 / 5_040.0,
        1.0 / 720.0,
        1.0 / 120.0,
        1.0 / 24.0,
        1.0 / 6.0,
        0.5,
        1.0,
    ];
    // Below this the result would be no normal number; zero is as good for a probability.
    let is_normal = x >= LOWEST;
    let x = x.max(LOWEST);
    let halvings = x * std::f64::consts::LOG2_E + ROUNDER;
    let n = halvings - ROUNDER;
    let rest = (x - n * LN_2[0]) - n * LN_2[1];
    let series = TERMS.iter().fold(0.0, |sum, term| sum * rest + term) * rest + 1.0;
    // Times 2ⁿ: n stands in the last bits of `halvings` and is added to the exponent.
    let scaled = f64::from_bits(series.to_bits().wrapping_add(halvings.to_bits() << 52));
    if is_normal { scaled } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_agree() {
        for step in 0..=700_000 {
            let x = -f64::from(step) * 1e-3;
            let (ours, theirs) = (exp_of_negative(x), exp(x));
            assert!((ours - theirs).abs() <= 1e-15 * theirs, "exp({x}): {ours} {theirs}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-800.0), 0.0);
        assert_eq!(exp_of_negative(f64::NEG_INFINITY), 0.0);
    }
}
