//! Classes and weights as the caller gives them: checked, and brought to a common scale.
//!
//! In: class codes and weights of the rows of a shard. Out: an error that names the row, or weights
//! that no sum of them can overflow with.

use super::rows::ABSENT;
use crate::error::{Error, Result};
use crate::reduce::Reduce;

/// What lighter rows weigh beside the heaviest, 2⁻⁵⁰⁰: nothing in sums with others, and its square is
/// a number yet.
const LIGHTEST: f64 = f64::from_bits((1023 - 500) << 52);

/// The classes and weights of the rows of a shard.
#[derive(Clone, Copy)]
pub struct GivenRows<'a> {
    /// The class of each row.
    pub classes: &'a [u32],
    /// The number of classes.
    pub n_classes: usize,
    /// The weight of each row; all 1 if `None`.
    pub weights: Option<&'a [f64]>,
}

/// Whether the rows of all shards that have a place weigh the same.
pub(super) fn equal_weights(place: &[u32], weights: &[f64], reduce: &dyn Reduce) -> Result<bool> {
    let rows = place.iter().zip(weights).filter(|(place, _)| **place != ABSENT);
    let mut highest = [f64::NEG_INFINITY; 2];
    for (_, &weight) in rows {
        highest = [highest[0].max(weight), highest[1].max(-weight)];
    }
    reduce.largest(&mut highest)?;
    Ok(highest[0] == -highest[1])
}

/// Brings the largest weight of the rows that take part, in all shards, near 1 by a power of two, which
/// rounds nothing, so that no sum of weights can overflow. Weights that vanish beside it count as
/// [`LIGHTEST`], so that none is lost and those of some classes can be compared with each other.
pub(super) fn scale(
    weights: &[f64],
    takes_part: impl Fn(usize) -> bool,
    reduce: &dyn Reduce,
) -> Result<Vec<f64>> {
    let rows = || weights.iter().copied().enumerate();
    let of_all = rows().map(|(_, weight)| weight).fold(0.0, f64::max);
    let of_part = rows().filter(|(row, _)| takes_part(*row)).map(|(_, weight)| weight);
    let mut largest = [of_all, of_part.fold(0.0, f64::max)];
    reduce.largest(&mut largest)?;
    if largest[0] == 0.0 {
        let reason = "all weights are zero, expected at least one positive weight".into();
        return Err(Error::Weights { reason });
    }
    // Where no row takes part, no weight is looked at.
    let largest = if largest[1] > 0.0 { largest[1] } else { largest[0] };
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    // In two steps, because 2^1023 times 2 is not a double.
    let (half, rest) = (2f64.powi(-exponent / 2), 2f64.powi(-exponent - (-exponent / 2)));
    let scaled = |(row, weight): (usize, f64)| {
        if takes_part(row) { (weight * half * rest).max(LIGHTEST) } else { 0.0 }
    };
    Ok(rows().map(scaled).collect())
}

impl GivenRows<'_> {
    /// Refuses what no rows can be chosen from.
    pub(super) fn check(&self) -> Result<()> {
        let n = self.classes.len();
        if n >= ABSENT as usize {
            return Err(Error::Shape {
                what: "X".into(),
                got: format!("{n} rows"),
                expected: format!("fewer than {ABSENT} rows"),
            });
        }
        let n_classes = self.n_classes;
        if let Some(class) = self.classes.iter().find(|class| **class as usize >= n_classes) {
            let reason = format!("class code {class} of {n_classes} classes");
            return Err(Error::internal(reason));
        }
        let Some(weights) = self.weights else { return Ok(()) };
        let fail = |reason: String| Err(Error::Weights { reason });
        if weights.len() != n {
            return fail(format!(
                "got {} weights, expected one for each of {n} rows",
                weights.len()
            ));
        }
        match weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
            Some(row) => {
                let got = weights[row];
                fail(format!("row {row} has weight {got}, expected a finite number >= 0"))
            }
            None => Ok(()),
        }
    }
}
