//! The class of the highest score, row by row.
//!
//! In: the scores of some rows. Out: their classes.

/// Rows whose classes are found together.
pub(super) const PIECE_ROWS: usize = 1 << 8;

/// The class of each row as in [`best_class`], score by score and without a branch, which makes wide
/// instructions.
pub(super) fn find_classes(scores: &[&[f64]], classes: &mut [u64]) {
    if let [sign] = scores {
        for (to, score) in classes.iter_mut().zip(*sign) {
            *to = u64::from(*score >= 0.0);
        }
        return;
    }
    let mut highest = [f64::NEG_INFINITY; PIECE_ROWS];
    for scores in scores {
        for (highest, score) in highest.iter_mut().zip(*scores) {
            *highest = highest.max(*score);
        }
    }
    let take = |class: usize| {
        for ((to, highest), score) in classes.iter_mut().zip(&highest).zip(scores[class]) {
            let mask = u64::from(score == highest).wrapping_neg();
            *to = (*to & !mask) | (class as u64 & mask);
        }
    };
    // The last one taken wins.
    if scores.len() == 2 {
        (0..2).for_each(take);
    } else {
        (0..scores.len()).rev().for_each(take);
    }
}

/// The class of the highest score: of equal ones the first, or of two the second, as a difference
/// of 0 counts as positive.
#[must_use]
pub fn best_class(scores: &[f64]) -> usize {
    if let [first, second] = scores {
        return usize::from(second >= first);
    }
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::super::Combiner;
    use super::*;

    #[test]
    fn of_equal_scores_the_first_wins_but_the_second_of_two() {
        assert_eq!(best_class(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(best_class(&[0.0, 0.0, 0.0]), 0);
        assert_eq!(best_class(&[0.0, 0.0]), 1);
    }

    #[test]
    fn classes_found_output_by_output_are_those_found_row_by_row() {
        for n_classes in 1..5 {
            // More rows than a piece has, few different scores: many ties.
            let outputs: Vec<Vec<f64>> = (0..n_classes)
                .map(|class| (0..600).map(|row| ((row * (class + 3)) % 4) as f64 - 1.5).collect())
                .collect();
            let outputs: Vec<&[f64]> = outputs.iter().map(Vec::as_slice).collect();
            let combiner =
                if n_classes == 1 { Combiner::Sign } else { Combiner::by_class(n_classes) };
            combiner.for_classes(&outputs, |first, classes| {
                for (row, &class) in (first..).zip(classes) {
                    let scores: Vec<f64> = outputs.iter().map(|output| output[row]).collect();
                    let expected = match scores.as_slice() {
                        [score] => usize::from(*score >= 0.0),
                        scores => best_class(scores),
                    };
                    assert_eq!(class, expected as u64);
                }
            });
        }
    }
}
