//! Many cuts of one column at a time.

use std::ops::Range;

use super::channel_sums::ChannelSums;
use super::criterion::Criterion;

/// Cuts that are judged together.
pub const CUTS: usize = 64;

/// What is known of some cuts, one after the other.
pub struct Cuts {
    /// The weight below each.
    pub weights: [u64; CUTS],
    /// What a criterion says of both sides of each.
    pub impurities: [f64; CUTS],
}

impl Default for Cuts {
    fn default() -> Self {
        Self { weights: [0; CUTS], impurities: [0.0; CUTS] }
    }
}

impl Cuts {
    /// Adds the sums of some codes to others one after the other, and judges each time.
    #[inline]
    pub(super) fn fill<S: ChannelSums, C: Criterion>(
        &mut self,
        sums: &mut S,
        (channels, codes): (&[&[u64]], Range<usize>),
        whole: &S,
    ) {
        let mut weight = sums.weight();
        for (at, code) in codes.enumerate() {
            weight += sums.add_at(channels, code);
            self.weights[at] = weight;
            self.impurities[at] = sums.split_impurity::<C>(whole);
        }
    }
}
