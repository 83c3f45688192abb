//! How good a test is, and what its sides answer: functions of class weights alone.
//!
//! A criterion is an impurity of one side; a test's score is the sum over its sides, to be
//! minimised. All are homogeneous: doubling the weights doubles the score.

use serde::{Deserialize, Serialize};

use crate::demand::{Needs, number};
use crate::error::{Error, Result};
use crate::portable::ln;

/// Scores and weights that differ by less than this share of the total weight are equal.
pub const TIE: f64 = 1e-12;

/// The largest absolute answer; keeps answers finite when a side is pure and nothing is smoothed.
const ANSWER_CAP: f64 = 18.0;

/// The impurity of a side that holds these class weights.
pub trait Criterion: Sync {
    /// Lower is better; zero if the side is pure.
    fn of_two(negative: f64, positive: f64) -> f64;

    /// The same for any number of classes.
    fn of_many(weights: &[u64]) -> f64;

    /// Adds the weights of one class on both sides of a split to what is remembered of them.
    fn remember(sides: &mut [f64; 2], weights: [f64; 2]);

    /// The impurity of a side, to a rounding error of its weight, from what is remembered of all
    /// classes and from their sum.
    fn of_side(side: f64, sum: f64) -> f64;

    /// The same for both sides together.
    #[inline]
    fn of_sides(sides: [f64; 2], sums: [f64; 2]) -> f64 {
        Self::of_side(sides[0], sums[0]) + Self::of_side(sides[1], sums[1])
    }
}

/// The weight that a majority vote gets wrong.
pub struct ErrorCriterion;
/// The normaliser of the exponential loss, 2√(W⁺W⁻) (Matsushita, Schapire–Singer), summed over all
/// pairs of classes.
pub struct ZCriterion;
/// Gini's index, 2W⁺W⁻/(W⁺+W⁻), or W − Σ Wₖ²/W for any number of classes.
pub struct GiniCriterion;

impl Criterion for ErrorCriterion {
    #[inline]
    fn of_two(negative: f64, positive: f64) -> f64 {
        negative.min(positive)
    }

    fn of_many(weights: &[u64]) -> f64 {
        let heaviest = weights.iter().max().copied().unwrap_or(0);
        (weights.iter().sum::<u64>() - heaviest) as f64
    }

    #[inline]
    fn remember(heaviest: &mut [f64; 2], weights: [f64; 2]) {
        *heaviest = [heaviest[0].max(weights[0]), heaviest[1].max(weights[1])];
    }

    #[inline]
    fn of_side(heaviest: f64, sum: f64) -> f64 {
        sum - heaviest
    }
}

impl Criterion for ZCriterion {
    #[inline]
    fn of_two(negative: f64, positive: f64) -> f64 {
        2.0 * (negative * positive).sqrt()
    }

    fn of_many(weights: &[u64]) -> f64 {
        // Pair by pair in running sums: no difference of large numbers.
        let mut roots = 0.0;
        let mut pairs = 0.0;
        for &weight in weights {
            let root = number(weight).sqrt();
            pairs += roots * root;
            roots += root;
        }
        2.0 * pairs
    }

    #[inline]
    fn remember(roots: &mut [f64; 2], weights: [f64; 2]) {
        *roots = [roots[0] + weights[0].sqrt(), roots[1] + weights[1].sqrt()];
    }

    #[inline]
    fn of_side(roots: f64, sum: f64) -> f64 {
        // The square of a sum of roots holds all pairs twice, and the weights themselves.
        roots * roots - sum
    }
}

impl Criterion for GiniCriterion {
    #[inline]
    fn of_two(negative: f64, positive: f64) -> f64 {
        // The tiny term only matters when both weights are zero.
        2.0 * negative * positive / (negative + positive + f64::MIN_POSITIVE)
    }

    fn of_many(weights: &[u64]) -> f64 {
        let mut before = 0.0;
        let mut pairs = 0.0;
        for &weight in weights {
            let weight = number(weight);
            pairs += before * weight;
            before += weight;
        }
        2.0 * pairs / (before + f64::MIN_POSITIVE)
    }

    #[inline]
    fn remember(squares: &mut [f64; 2], weights: [f64; 2]) {
        *squares = [squares[0] + weights[0] * weights[0], squares[1] + weights[1] * weights[1]];
    }

    #[inline]
    fn of_side(squares: f64, sum: f64) -> f64 {
        sum - squares / (sum + f64::MIN_POSITIVE)
    }

    #[inline]
    fn of_sides(squares: [f64; 2], sums: [f64; 2]) -> f64 {
        // Both purities over one denominator, because divisions are slow. The tiny terms only matter
        // when a side is empty.
        let sums = sums.map(|sum| sum + f64::MIN_POSITIVE);
        let purities = (squares[0] * sums[1] + squares[1] * sums[0]) / (sums[0] * sums[1]);
        sums[0] + sums[1] - purities
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

/// The kinds of answer by the names users give them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerName {
    /// What suits the booster: votes, the difference of the shares, or half log-odds.
    Auto,
    /// The majority.
    Vote,
    /// Half the log-odds.
    Logistic,
    /// The difference of the shares.
    Gentle,
}

impl AnswerName {
    /// The rule that is meant under a booster of such needs.
    #[must_use]
    pub fn resolve(self, needs: Needs) -> AnswerRule {
        match self {
            Self::Vote => AnswerRule::Vote,
            Self::Logistic => AnswerRule::Logistic,
            Self::Gentle => AnswerRule::Gentle,
            Self::Auto => match needs {
                Needs::Votes | Needs::UnitAnswers | Needs::OwnSteps => AnswerRule::Vote,
                Needs::Shares => AnswerRule::Gentle,
                Needs::Nothing => AnswerRule::Logistic,
            },
        }
    }
}

/// How a side turns its class weights into an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerRule {
    /// The majority: −1 or +1, +1 on a tie.
    Vote,
    /// Half the log-odds, ½ ln(W⁺/W⁻).
    Logistic,
    /// The difference of the shares, (W⁺−W⁻)/(W⁺+W⁻).
    Gentle,
}

/// How answers are made from class weights: the rule and how it is smoothed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AnswerMaker {
    rule: AnswerRule,
    /// Share of the total weight that is added to both class weights; by default that of the
    /// lightest row.
    smoothing: Option<f64>,
}

impl AnswerMaker {
    /// Checks the user's smoothing.
    pub fn new(rule: AnswerRule, smoothing: Option<f64>) -> Result<Self> {
        match smoothing {
            Some(share) if !(share.is_finite() && share >= 0.0) => {
                Err(Error::parameter("smoothing", share, "None or a number >= 0"))
            }
            _ => Ok(Self { rule, smoothing }),
        }
    }

    /// Ready to answer where there is so much weight in all.
    #[must_use]
    pub fn ready(&self, total: u64, lightest: f64) -> Answering {
        let total = total as f64;
        Answering {
            rule: self.rule,
            smooth: self.smoothing.unwrap_or(lightest) * total,
            tie: TIE * total,
        }
    }
}

/// Turns weights into answers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Answering {
    rule: AnswerRule,
    smooth: f64,
    tie: f64,
}

impl Answering {
    /// The answer to rows of these weights on the sides −1 and +1.
    #[must_use]
    pub fn side(&self, [negative, positive]: [u64; 2]) -> f64 {
        self.rule.answer(negative as f64, positive as f64, self.smooth, self.tie)
    }

    /// The heaviest class; of equal ones the last, as +1 is with two.
    #[must_use]
    pub fn class(&self, weights: &[u64]) -> f64 {
        let heaviest = weights.iter().max().copied().unwrap_or(0) as f64;
        let is_heaviest = |&weight: &u64| weight as f64 + self.tie >= heaviest;
        weights.iter().rposition(is_heaviest).unwrap_or(0) as f64
    }
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
            Self::Logistic => (0.5 * ln(positive / negative)).clamp(-ANSWER_CAP, ANSWER_CAP),
            _ => (positive - negative) / (positive + negative),
        }
    }
}
