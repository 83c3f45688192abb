//! How good a test is, and what its sides answer: functions of class weights alone.
//!
//! A criterion is an impurity of one side; a test's score is the sum over its sides, to be
//! minimised. All are homogeneous: doubling the weights doubles the score.

use serde::{Deserialize, Serialize};

/// The largest absolute answer; keeps answers finite when a side is pure and nothing is smoothed.
const ANSWER_CAP: f64 = 18.0;

/// The impurity of a side that holds these class weights.
pub trait Criterion: Sync {
    /// Lower is better; zero if the side is pure.
    fn impurity(negative: f64, positive: f64) -> f64;
}

/// The weight that a majority vote gets wrong.
pub struct ErrorCriterion;
/// The normaliser of the exponential loss, 2√(W⁺W⁻) (Matsushita, Schapire–Singer).
pub struct ZCriterion;
/// Gini's index, 2W⁺W⁻/(W⁺+W⁻).
pub struct GiniCriterion;

impl Criterion for ErrorCriterion {
    #[inline]
    fn impurity(negative: f64, positive: f64) -> f64 {
        negative.min(positive)
    }
}

impl Criterion for ZCriterion {
    #[inline]
    fn impurity(negative: f64, positive: f64) -> f64 {
        2.0 * (negative * positive).sqrt()
    }
}

impl Criterion for GiniCriterion {
    #[inline]
    fn impurity(negative: f64, positive: f64) -> f64 {
        // The tiny term only matters when both weights are zero.
        2.0 * negative * positive / (negative + positive + f64::MIN_POSITIVE)
    }
}

/// The criteria by the names users give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CriterionName {
    /// Weighted error.
    Error,
    /// Z, the exponential loss.
    Z,
    /// Gini's index.
    Gini,
}

/// How a side turns its class weights into an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRule {
    /// The majority: −1 or +1, +1 on a tie.
    Vote,
    /// Half the log-odds, ½ ln(W⁺/W⁻).
    Logistic,
    /// The difference of the shares, (W⁺−W⁻)/(W⁺+W⁻).
    Gentle,
}

impl AnswerRule {
    /// The answer of a side of a test. `smooth` is added to both class weights; weights that differ
    /// by no more than `tie` are equal.
    #[must_use]
    pub fn answer(self, negative: f64, positive: f64, smooth: f64, tie: f64) -> f64 {
        let (negative, positive) = match self {
            Self::Vote => return if positive + tie >= negative { 1.0 } else { -1.0 },
            _ => (negative + smooth, positive + smooth),
        };
        if negative + positive == 0.0 {
            return 0.0;
        }
        match self {
            Self::Logistic => (0.5 * (positive / negative).ln()).clamp(-ANSWER_CAP, ANSWER_CAP),
            _ => (positive - negative) / (positive + negative),
        }
    }
}
