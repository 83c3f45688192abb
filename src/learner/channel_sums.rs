//! Weights by channel: what a criterion looks at.
//!
//! Two channels are by far the most common and fit in registers; any other number sits in a vector.
//! Searches are written once over the trait.

use super::criterion::Criterion;

/// Sums of weights, one per channel.
pub trait ChannelSums: Clone + Send + Sync {
    /// No weight in any of `n_channels`.
    fn zero(n_channels: usize) -> Self;

    /// One sum of each channel's histogram.
    fn at(channels: &[&[u64]], code: usize) -> Self;

    /// Adds other sums.
    fn add(&mut self, other: &Self);

    /// Takes other sums away, which must be part of these.
    #[must_use]
    fn minus(&self, other: &Self) -> Self;

    /// All channels together.
    fn weight(&self) -> u64;

    /// One channel.
    fn channel(&self, channel: usize) -> u64;

    /// What a criterion says of them.
    fn impurity<C: Criterion>(&self) -> f64;

    /// Both sums together.
    #[must_use]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(other);
        sum
    }
}

impl ChannelSums for [u64; 2] {
    fn zero(_: usize) -> Self {
        [0; 2]
    }

    #[inline]
    fn at(channels: &[&[u64]], code: usize) -> Self {
        [channels[0][code], channels[1][code]]
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self[0] += other[0];
        self[1] += other[1];
    }

    #[inline]
    fn minus(&self, other: &Self) -> Self {
        [self[0] - other[0], self[1] - other[1]]
    }

    #[inline]
    fn weight(&self) -> u64 {
        self[0] + self[1]
    }

    #[inline]
    fn channel(&self, channel: usize) -> u64 {
        self[channel]
    }

    #[inline]
    fn impurity<C: Criterion>(&self) -> f64 {
        C::of_two(self[0] as f64, self[1] as f64)
    }
}

impl ChannelSums for Vec<u64> {
    fn zero(n_channels: usize) -> Self {
        vec![0; n_channels]
    }

    fn at(channels: &[&[u64]], code: usize) -> Self {
        channels.iter().map(|sums| sums[code]).collect()
    }

    fn add(&mut self, other: &Self) {
        for (sum, other) in self.iter_mut().zip(other) {
            *sum += other;
        }
    }

    fn minus(&self, other: &Self) -> Self {
        self.iter().zip(other).map(|(sum, other)| sum - other).collect()
    }

    fn weight(&self) -> u64 {
        self.iter().sum()
    }

    fn channel(&self, channel: usize) -> u64 {
        self[channel]
    }

    fn impurity<C: Criterion>(&self) -> f64 {
        C::of_many(self)
    }
}

#[cfg(test)]
mod tests {
    use super::super::criterion::{ErrorCriterion, GiniCriterion, ZCriterion};
    use super::*;

    #[test]
    fn two_channels_weigh_the_same_in_a_vector() {
        fn check<C: Criterion>(pair: [u64; 2]) {
            let (two, many) = (pair.impurity::<C>(), pair.to_vec().impurity::<C>());
            assert!((two - many).abs() <= 1e-12 * (1.0 + two), "{two} {many}");
        }
        for pair in [[0, 0], [5, 0], [0, 7], [3, 4], [1 << 40, 12]] {
            check::<ErrorCriterion>(pair);
            check::<ZCriterion>(pair);
            check::<GiniCriterion>(pair);
        }
    }

    #[test]
    fn three_channels_follow_the_formulas() {
        let sums: Vec<u64> = vec![1, 4, 9];
        assert_eq!(sums.impurity::<ErrorCriterion>(), 5.0);
        let gini = 14.0 - (1.0 + 16.0 + 81.0) / 14.0;
        assert!((sums.impurity::<GiniCriterion>() - gini).abs() < 1e-12);
        assert!((sums.impurity::<ZCriterion>() - (36.0 - 14.0)).abs() < 1e-12);
    }
}
