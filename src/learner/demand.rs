//! What a booster asks of a learner: a weight per row, and the channel each row belongs to.
//!
//! Weights are fixed-point integers, about [`FULL_WEIGHT`] in all. Integer sums are exact, so
//! histograms come out the same whatever the order of rows, blocks and threads.

/// The integer that stands for the total weight 1. Rounding errors of a sum stay below
/// rows × 2⁻⁶², and no sum of a subset can overflow.
pub const FULL_WEIGHT: f64 = (1u64 << 62) as f64;

/// The weights of all training rows; rows are ordered so that each channel is one run.
#[derive(Debug, Clone, Copy)]
pub struct Demand<'a> {
    /// A fixed-point weight per row, or of all equal rows that share a place.
    pub weights: &'a [u64],
    /// Where each channel's run of rows ends.
    pub channel_ends: &'a [usize],
    /// How many rows share each place; `None` if every row has its own.
    pub copies: Option<&'a [u32]>,
}

impl Demand<'_> {
    /// The weights as numbers whose mean is 1.
    pub(super) fn mean_one(&self) -> Vec<f64> {
        let total = self.weights.iter().sum::<u64>() as f64;
        let factor = self.weights.len() as f64 / total;
        self.weights.iter().map(|&weight| weight as f64 * factor).collect()
    }
}
