//! Which rows a hypothesis learns from: draws that depend on nothing but the seed, the number of the
//! draw and the number of the row.
//!
//! In: numbers. Out: how often a row is drawn. Rows are drawn one by one, so neither their order nor
//! the way in which they are divided among threads or files matters.

use crate::portable::{exp, ln};

/// How rows are drawn.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// The expected share of the rows.
    pub share: f64,
    /// Whether a row can be drawn several times: as often as a Poisson variable says, which is what
    /// a bootstrap of many rows does.
    pub with_replacement: bool,
    /// The user's seed.
    pub seed: u64,
}

impl Sampling {
    /// How often a row is in a draw.
    #[must_use]
    pub fn times(&self, draw: u64, row: u64) -> u32 {
        let uniform = uniform(hashed(self.seed, draw, row));
        if !self.with_replacement {
            return u32::from(uniform < self.share);
        }
        let (mut term, mut times) = (exp(-self.share), 0);
        let mut sum = term;
        while uniform >= sum && times < 32 {
            times += 1;
            term *= self.share / f64::from(times);
            sum += term;
        }
        times
    }
}

/// A number in [0, 1) from one that looks random: 53 of its bits.
#[must_use]
pub fn uniform(hashed: u64) -> f64 {
    (hashed >> 11) as f64 / (1u64 << 53) as f64
}

/// A number above zero from the exponential distribution with mean 1.
#[must_use]
pub fn exponential(seed: u64, draw: u64, row: u64) -> f64 {
    // 53 bits and a half make a number in (0, 1).
    -ln(((hashed(seed, draw, row) >> 11) as f64 + 0.5) / (1u64 << 53) as f64)
}

/// A number that looks random: the finaliser of `SplitMix64` over all three.
#[must_use]
pub fn hashed(seed: u64, draw: u64, row: u64) -> u64 {
    let step = |state: u64, number: u64| {
        mixed(state.wrapping_add(number).wrapping_add(0x9e37_79b9_7f4a_7c15))
    };
    step(step(step(0, seed), draw), row)
}

/// A number that looks random, of another one: the finaliser of `SplitMix64`.
#[must_use]
pub fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_drawn_as_often_as_wanted() {
        for (share, with_replacement) in [(0.7, false), (1.0, true), (0.5, true)] {
            let sampling = Sampling { share, with_replacement, seed: 3 };
            let times: Vec<u32> = (0..40_000).map(|row| sampling.times(5, row)).collect();
            let mean = f64::from(times.iter().sum::<u32>()) / times.len() as f64;
            assert!((mean - share).abs() < 0.02, "{mean} {share}");
            let absent = times.iter().filter(|times| **times == 0).count() as f64 / 40_000.0;
            let expected = if with_replacement { (-share).exp() } else { 1.0 - share };
            assert!((absent - expected).abs() < 0.01, "{absent} {expected}");
        }
    }

    #[test]
    fn exponential_numbers_have_mean_and_variance_1() {
        let numbers: Vec<f64> = (0..40_000).map(|row| exponential(3, 5, row)).collect();
        assert!(numbers.iter().all(|number| *number > 0.0));
        let mean = |power: i32| numbers.iter().map(|x| x.powi(power)).sum::<f64>() / 40_000.0;
        assert!((mean(1) - 1.0).abs() < 0.02, "{}", mean(1));
        assert!((mean(2) - 2.0).abs() < 0.1, "{}", mean(2));
    }

    #[test]
    fn draws_differ_by_seed_and_number() {
        let drawn = |seed, draw| {
            let sampling = Sampling { share: 0.5, with_replacement: false, seed };
            (0..64).map(|row| sampling.times(draw, row)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(1, 2), drawn(1, 2));
        assert_ne!(drawn(1, 2), drawn(1, 3));
        assert_ne!(drawn(1, 2), drawn(2, 2));
    }
}
