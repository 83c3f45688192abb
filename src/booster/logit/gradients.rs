//! The gradients and curvatures of the logistic loss, row by row.
//!
//! In: scores and start weights. Out: fixed-point numbers for a learner, see [`Newton`].

use super::super::Scores;
use crate::demand::{FULL_WEIGHT, Newton};
use crate::portable::{exp, exp_of_negative};
use crate::workers::RunBlock;

/// The gradients and curvatures of a block of rows, by output.
pub(super) type Piece<'a> = (&'a mut [u64], &'a mut [u64]);

/// Turns numbers of one row into fixed-point numbers of all rows that its place stands for.
#[derive(Clone, Copy)]
pub(super) struct Fixing<'a> {
    pub newton: Newton,
    pub start_weights: &'a [f64],
    pub repeats: Option<&'a [u32]>,
}

impl Fixing<'_> {
    /// The gradient, as the bits of an unsigned number, and the curvature with its count.
    #[inline]
    fn fix(&self, row: usize, gradient: f64, curvature: f64) -> (u64, u64) {
        let weight = self.start_weights[row];
        let gradient = (gradient * weight * FULL_WEIGHT) as i64;
        let packed = self.newton.pack(curvature * weight, 1);
        match self.repeats {
            None => (gradient as u64, packed),
            Some(repeats) => {
                let n = repeats[row];
                ((gradient * i64::from(n)) as u64, packed * u64::from(n))
            }
        }
    }
}

/// What two classes have: one score, whose double is the logarithm of the odds.
pub(super) fn of_two_classes(
    (scores, prior): (&Scores, f64),
    block: &RunBlock,
    (gradients, curvatures): &mut Piece,
    fixing: Fixing,
) {
    let side = if block.run == 1 { 1.0 } else { -1.0 };
    let rows = block.rows.clone();
    let values = &scores.output(0)[rows.clone()];
    for (at, (row, value)) in rows.zip(values).enumerate() {
        let value = value + prior;
        let small = exp_of_negative(-2.0 * value.abs());
        let likely = 1.0 / (1.0 + small);
        // The probability of the wrong class.
        let wrong = if side * value >= 0.0 { small * likely } else { likely };
        (gradients[at], curvatures[at]) = fixing.fix(row, side * wrong, small * likely * likely);
    }
}

/// What several classes have: a score for each.
pub(super) fn of_classes(
    (scores, prior): (&Scores, &[f64]),
    block: &RunBlock,
    outputs: &mut [Piece],
    fixing: Fixing,
) {
    let first = block.rows.start;
    // Soft-max of scores and prior: shares are multiplied by exp(prior) and made to sum to 1.
    let odds: Vec<f64> = prior.iter().map(|&prior| exp(prior)).collect();
    let is_plain = prior.iter().all(|prior| *prior == 0.0);
    scores.for_each_softened(
        block,
        |_| true,
        |row, shares| {
            let total: f64 =
                if is_plain { 1.0 } else { shares.iter().zip(&odds).map(|(p, o)| p * o).sum() };
            for (class, ((gradients, curvatures), p)) in outputs.iter_mut().zip(shares).enumerate()
            {
                let p = if is_plain { *p } else { p * odds[class] / total };
                let truth = if class == block.run { 1.0 } else { 0.0 };
                (gradients[row - first], curvatures[row - first]) =
                    fixing.fix(row, truth - p, p * (1.0 - p));
            }
        },
    );
}
