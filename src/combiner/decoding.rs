//! Decodings: how the outputs of two-class problems become scores of classes (B5).
//!
//! In: the outputs of a code matrix, or of one problem for each class. Out: a score for every class,
//! the larger the better. Signed sums are the default; all others are no sums. Allwein, Schapire and
//! Singer 2000; Hastie and Tibshirani 1998.

use serde::{Deserialize, Serialize};

use super::coupling::Coupling;
use super::margin_loss::MarginLoss;

/// How outputs become scores, with all that it takes.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decoding {
    /// The sum of the outputs times the signs of the class.
    #[default]
    Score,
    /// Less the loss Σ L(M f) of the signed outputs.
    Loss(MarginLoss),
    /// Less the number of outputs on the wrong side; what is on no side counts half.
    Hamming,
    /// The number of pairs of classes that the class wins; a tie counts half.
    Vote,
    /// The logarithm of the probability that agrees best with those of all pairs of classes.
    Coupling(Coupling),
}

impl Decoding {
    /// Its name, as users and files call it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Score => "score",
            Self::Loss(_) => "loss",
            Self::Hamming => "hamming",
            Self::Vote => "vote",
            Self::Coupling(_) => "coupling",
        }
    }

    /// Whether scores are sums of outputs.
    #[must_use]
    pub fn is_sum(&self) -> bool {
        match self {
            Self::Score => true,
            Self::Loss(_) | Self::Hamming | Self::Vote | Self::Coupling(_) => false,
        }
    }

    /// Whether it counts or compares pairs of classes, so that each has to have a problem.
    #[must_use]
    pub fn needs_pairs(&self) -> bool {
        match self {
            Self::Vote | Self::Coupling(_) => true,
            Self::Score | Self::Loss(_) | Self::Hamming => false,
        }
    }

    /// The same under another loss, if it has one: that of weights which a program has found.
    #[must_use]
    pub fn with_loss(self, loss: MarginLoss) -> Self {
        match self {
            Self::Loss(_) => Self::Loss(loss),
            Self::Score | Self::Hamming | Self::Vote | Self::Coupling(_) => self,
        }
    }
}

/// Half for an output on no side, as for classes that have no part in a problem.
pub(super) const NO_SIDE: f64 = 0.5;

/// 0 for a margin > 0, 1 for one < 0.
pub(super) fn wrong_side(margin: f64) -> f64 {
    if margin > 0.0 {
        0.0
    } else if margin < 0.0 {
        1.0
    } else {
        NO_SIDE
    }
}
