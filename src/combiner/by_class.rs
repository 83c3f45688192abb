//! A sum for every class; the highest decides.

use serde::{Deserialize, Serialize};

use super::combine::Combine;
use super::margin_loss::Cost;
use super::{Combiner, Decoding, Placed};
use crate::hypothesis::AnswerKind;

/// The most classes that a file may ask for; every one of them takes memory.
const MOST_CLASSES: usize = 1 << 20;

/// A sum for every class.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByClass {
    /// The number of classes.
    pub n_classes: usize,
    /// How scores are made of the sums, if each is that of a class against all others.
    #[serde(default, skip_serializing_if = "Decoding::is_sum")]
    pub decoding: Decoding,
}

impl Combine for ByClass {
    fn n_classes(&self) -> usize {
        self.n_classes
    }

    fn n_outputs(&self) -> usize {
        self.n_classes
    }

    fn scores(&self, _: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        match &self.decoding {
            Decoding::Loss(loss) => Some(loss.cost().of_classes(outputs)),
            Decoding::Hamming => Some(Cost::WRONG_SIDES.of_classes(outputs)),
            // Files and settings that compare pairs are refused.
            Decoding::Score | Decoding::Vote | Decoding::Coupling(_) => None,
        }
    }

    fn decoding(&self) -> Option<&Decoding> {
        Some(&self.decoding)
    }

    /// Every class against all others.
    fn sides(&self) -> Vec<Vec<i8>> {
        let classes = 0..self.n_classes;
        let side = |class: usize, other: usize| if other == class { 1 } else { -1 };
        let of_class = |class| classes.clone().map(|other| side(class, other)).collect();
        classes.clone().map(of_class).collect()
    }

    /// However scores are made of the sums.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::ByClass(other) if self.n_classes == other.n_classes)
    }

    fn fault(&self) -> Option<&'static str> {
        if self.n_classes > MOST_CLASSES {
            return Some("more classes than any model has");
        }
        let compares_pairs = self.decoding.needs_pairs();
        compares_pairs.then_some("the decoding expects a problem for each pair of classes")
    }

    fn takes(&self, hypothesis: &Placed) -> bool {
        let is_class =
            |number: &f64| number.fract() == 0.0 && (0.0..self.n_classes as f64).contains(number);
        match hypothesis.says {
            AnswerKind::Number => hypothesis.output < self.n_classes,
            AnswerKind::Class => {
                let votes = hypothesis.answers.map_or(&[][..], |answers| &answers.numbers);
                hypothesis.output == 0 && votes.iter().all(is_class)
            }
            AnswerKind::Scores(width) => width == self.n_classes && hypothesis.output == 0,
        }
    }
}
