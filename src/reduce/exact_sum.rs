//! Sums of numbers that depend neither on the order of the numbers nor on how they are divided.
//!
//! In: doubles. Out: their sum, rounded once at the end. Each number is added as an integer to the
//! sum of those with about the same exponent, so that nothing is rounded before.

use crate::error::Result;

use super::Reduce;

/// Sums of numbers whose exponents differ by less than 32 stand together.
const STEP: usize = 32;
/// Enough for all exponents of doubles.
const BINS: usize = 64;
/// Infinite and undefined numbers are counted: +∞, −∞, NaN.
const SPECIAL: usize = 3;

/// A sum of doubles. Of up to 2⁴³ numbers nothing is lost.
#[derive(Debug, Clone, PartialEq)]
pub struct ExactSum {
    /// Entry `i` counts in units of 2^(32 i − 1074); then the counts of special numbers.
    bins: [i128; BINS + SPECIAL],
}

impl Default for ExactSum {
    fn default() -> Self {
        Self { bins: [0; BINS + SPECIAL] }
    }
}

/// 2^exponent, for exponents of normal numbers.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl ExactSum {
    /// The sum of some numbers.
    pub fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = Self::default();
        for number in numbers {
            sum.add(number);
        }
        sum
    }

    /// Adds a number.
    #[inline]
    pub fn add(&mut self, number: f64) {
        self.add_times(number, 1);
    }

    /// Adds a number as often as some equal rows have it.
    #[inline]
    pub fn add_times(&mut self, number: f64, times: u64) {
        let bits = number.to_bits();
        let exponent = (bits >> 52) as usize & 0x7ff;
        if exponent == 0x7ff {
            return self.add_special(number);
        }
        let implicit = u64::from(exponent > 0) << 52;
        let mantissa = (bits & ((1 << 52) - 1)) | implicit;
        let shift = exponent.max(1) - 1;
        let integer = ((u128::from(mantissa) * u128::from(times)) << (shift % STEP)) as i128;
        // Zeros and ones, or none of them: the number with its sign.
        let sign = i128::from(bits as i64 >> 63);
        self.bins[shift / STEP] += (integer ^ sign) - sign;
    }

    #[cold]
    fn add_special(&mut self, number: f64) {
        let special = if number.is_nan() { 2 } else { usize::from(number < 0.0) };
        self.bins[BINS + special] += 1;
    }

    /// Adds another sum.
    pub fn merge(&mut self, other: &Self) {
        for (bin, other) in self.bins.iter_mut().zip(&other.bins) {
            *bin += other;
        }
    }

    /// The sum of several parts.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut sum = Self::default();
        for part in parts {
            sum.merge(part);
        }
        sum
    }

    /// The sum as a number.
    #[must_use]
    pub fn number(&self) -> f64 {
        let [plus, minus, undefined] = [0, 1, 2].map(|at| self.bins[BINS + at] > 0);
        match (plus, minus, undefined) {
            (false, false, false) => {}
            (true, false, false) => return f64::INFINITY,
            (false, true, false) => return f64::NEG_INFINITY,
            _ => return f64::NAN,
        }
        let (digits, rest) = self.digits();
        if rest < 0 {
            return -Self { bins: self.bins.map(|bin| -bin) }.number();
        }
        // The highest digit comes first, so that little is rounded.
        let mut number = rest as f64 * power((STEP * BINS) as i32 - 1074);
        for (at, digit) in digits.iter().enumerate().rev() {
            let exponent = (STEP * at) as i32 - 1074;
            // In two steps, because the smallest units are no normal numbers.
            let half = exponent / 2;
            number += *digit as f64 * power(half) * power(exponent - half);
        }
        number
    }

    /// The sum by bin with all digits from 0 to 2³² − 1, and what is beyond the last.
    fn digits(&self) -> ([u64; BINS], i128) {
        let mut digits = [0; BINS];
        let mut carried = 0i128;
        for (digit, bin) in digits.iter_mut().zip(&self.bins) {
            let sum = bin + carried;
            *digit = (sum & ((1 << STEP) - 1)) as u64;
            carried = sum >> STEP;
        }
        (digits, carried)
    }

    /// Brings sums over the rows of one shard to those over all shards.
    pub fn reduce(sums: &mut [Self], reduce: &dyn Reduce) -> Result<()> {
        if reduce.size() == 1 || sums.is_empty() {
            return Ok(());
        }
        let mut all: Vec<u128> =
            sums.iter().flat_map(|sum| sum.bins.iter().map(|&bin| bin as u128)).collect();
        reduce.sum_wide(&mut all)?;
        for (sum, bins) in sums.iter_mut().zip(all.chunks_exact(BINS + SPECIAL)) {
            for (bin, &wide) in sum.bins.iter_mut().zip(bins) {
                *bin = wide as i128;
            }
        }
        Ok(())
    }

    /// The number of a sum over all shards.
    pub fn over_shards(mut self, reduce: &dyn Reduce) -> Result<f64> {
        Self::reduce(std::slice::from_mut(&mut self), reduce)?;
        Ok(self.number())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            4 => -1e3..1e3f64,
            2 => -1e-300..1e-300f64,
            1 => -1e300..1e300f64,
            1 => Just(f64::MIN_POSITIVE / 8.0),
            1 => Just(0.0),
        ]
    }

    proptest! {
        #[test]
        fn sums_depend_neither_on_order_nor_on_parts(
            mut numbers in prop::collection::vec(number(), 0..60),
            at in 0usize..60,
        ) {
            let whole = ExactSum::of(numbers.iter().copied());
            let (one, other) = numbers.split_at(at.min(numbers.len()));
            let parts = [other, one].map(|part| ExactSum::of(part.iter().copied()));
            prop_assert_eq!(&ExactSum::of_parts(&parts), &whole);
            numbers.reverse();
            let number = ExactSum::of(numbers.iter().copied()).number();
            prop_assert_eq!(number.to_bits(), whole.number().to_bits());
        }

        #[test]
        fn sums_of_integers_are_exact(integers in prop::collection::vec(-(1i64 << 40)..1 << 40, 0..50)) {
            let sum = ExactSum::of(integers.iter().map(|&n| n as f64)).number();
            prop_assert_eq!(sum, integers.iter().sum::<i64>() as f64);
        }
    }

    #[test]
    fn small_numbers_survive_beside_large_ones_that_cancel() {
        let sum = ExactSum::of([1e300, 3.5, -1e300, 1e-300]).number();
        assert_eq!(sum, 3.5);
        assert_eq!(ExactSum::of([1e300, 1e-320, -1e300]).number(), 1e-320);
        assert_eq!(ExactSum::of([-0.25, -0.5]).number(), -0.75);
    }

    #[test]
    fn a_number_many_times_is_that_many_numbers() {
        let (mut times, mut single) = (ExactSum::default(), ExactSum::default());
        times.add_times(0.1, 1000);
        (0..1000).for_each(|_| single.add(0.1));
        assert_eq!(times, single);
        assert!((times.number() - 100.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_number_stays_so() {
        assert_eq!(ExactSum::of([1.0, f64::INFINITY]).number(), f64::INFINITY);
        assert_eq!(ExactSum::of([f64::NEG_INFINITY]).number(), f64::NEG_INFINITY);
        assert!(ExactSum::of([f64::INFINITY, f64::NEG_INFINITY]).number().is_nan());
        assert!(ExactSum::of([f64::NAN, 1.0]).number().is_nan());
    }
}
