//! Answers of a tree that never fall, or never rise, along a column.
//!
//! In: splits, the rows and the answers of leaves, and a sign for each column. Out: the same answers,
//! kept within bounds: at every split of a column with a sign, the answers on the lower side stay
//! below the middle between the mean answers of both sides, those on the other side above it. Two rows
//! that differ in that column alone part at such a split, so that their answers are in order. A missing
//! value is neither low nor high.

use super::{Passes, Split};

/// Brings the answers of a tree into order; `signs` are −1, 0 or +1 by column, and `n_codes` tells the
/// codes of a column.
pub fn make_monotone(
    splits: &[Split],
    rows: &[f64],
    answers: &mut [f64],
    (signs, n_codes): (&[i8], &dyn Fn(usize) -> usize),
) {
    // From the last split to the first: the mean answers of both sides.
    let (mut means, mut weights) = (answers.to_vec(), rows.to_vec());
    let mut sides = vec![[0.0; 2]; splits.len()];
    for (at, split) in splits.iter().enumerate().rev() {
        let (inside, outside) = (usize::from(split.leaf), at + 1);
        sides[at] = [means[inside], means[outside]];
        let both = weights[inside] + weights[outside];
        means[inside] = if both > 0.0 {
            (weights[inside] * means[inside] + weights[outside] * means[outside]) / both
        } else {
            0.5 * (means[inside] + means[outside])
        };
        weights[inside] = both;
    }
    let mut bounds = vec![(f64::NEG_INFINITY, f64::INFINITY); splits.len() + 1];
    for (at, (split, [inside, outside])) in splits.iter().zip(sides).enumerate() {
        let (low, high) = bounds[usize::from(split.leaf)];
        let column = split.test.column;
        // The last bin is a cut between present and missing values.
        let is_cut = matches!(split.test.passes, Passes::AtMost(code)
            if usize::from(code) + 2 < n_codes(column));
        let middle = (0.5 * (inside + outside)).clamp(low, high);
        let (inside, outside) = match signs.get(column) {
            Some(1) if is_cut => ((low, middle), (middle, high)),
            Some(-1) if is_cut => ((middle, high), (low, middle)),
            _ => ((low, high), (low, high)),
        };
        bounds[usize::from(split.leaf)] = inside;
        bounds[at + 1] = outside;
    }
    for (answer, (low, high)) in answers.iter_mut().zip(bounds) {
        *answer = answer.clamp(low, high);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hypothesis::Test;

    fn split(leaf: u16, column: usize, code: u16) -> Split {
        Split { leaf, test: Test { column, passes: Passes::AtMost(code), missing_inside: false } }
    }

    #[test]
    fn answers_on_the_lower_side_stay_below_those_on_the_other() {
        // Leaf 0 (x ≤ 4) is cut by another column into 0 and 2; leaf 1 (x > 4) into 1 and 3.
        let splits = [split(0, 0, 4), split(0, 1, 3), split(1, 1, 3)];
        let mut answers = [1.0, 0.5, -3.0, 2.0];
        make_monotone(&splits, &[1.0; 4], &mut answers, (&[1, 0], &|_| 10));
        let low = answers[0].max(answers[2]);
        let high = answers[1].min(answers[3]);
        assert!(low <= high, "{answers:?}");
        assert_eq!((answers[2], answers[3]), (-3.0, 2.0));
        // Answers that are in order stay as they are.
        let mut ordered = [-1.0, 1.0, -3.0, 2.0];
        make_monotone(&splits, &[1.0; 4], &mut ordered, (&[1, 0], &|_| 10));
        assert_eq!(ordered, [-1.0, 1.0, -3.0, 2.0]);
    }

    #[test]
    fn sides_in_the_wrong_order_become_equal() {
        let mut answers = [2.0, 0.0];
        make_monotone(&[split(0, 0, 1)], &[1.0, 1.0], &mut answers, (&[1], &|_| 5));
        assert_eq!(answers, [1.0, 1.0]);
        let mut answers = [2.0, 0.0];
        make_monotone(&[split(0, 0, 1)], &[1.0, 1.0], &mut answers, (&[-1], &|_| 5));
        assert_eq!(answers, [2.0, 0.0]);
        // Present against missing values: no order.
        let mut answers = [2.0, 0.0];
        make_monotone(&[split(0, 0, 3)], &[1.0, 1.0], &mut answers, (&[1], &|_| 5));
        assert_eq!(answers, [2.0, 0.0]);
    }
}
