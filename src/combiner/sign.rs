//! One sum, whose sign separates two classes.

use super::Combiner;
use super::combine::Combine;

pub(super) struct Sign;

impl Combine for Sign {
    fn n_classes(&self) -> usize {
        2
    }

    fn n_outputs(&self) -> usize {
        1
    }

    fn n_scores(&self) -> usize {
        1
    }

    fn sides(&self) -> Vec<Vec<i8>> {
        vec![vec![-1, 1]]
    }

    fn continues(&self, other: &Combiner) -> bool {
        *other == Combiner::Sign
    }
}
