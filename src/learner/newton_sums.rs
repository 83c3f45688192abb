//! Sums of gradients and curvatures: what Newton steps are made of (A10).
//!
//! In: sums by code, the gradients signed, the curvatures with a count of rows in their lowest bits.
//! Out: the gain of a split, which is what the loss falls by, and the steps that its sides answer.

use std::ops::Range;

use super::channel_sums::ChannelSums;
use super::criterion::{Answering, Criterion};
use super::cuts::{CUTS, Cuts};
use crate::demand::{Newton, Question};
use crate::hypothesis::AnswerKind;

/// The gradient and the curvature of some rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct NewtonSums {
    gradient: i64,
    /// The curvature and the number of rows.
    packed: u64,
    rule: Newton,
}

impl NewtonSums {
    /// What the loss falls by, up to a factor, for rows of these sums.
    fn gain(&self) -> f64 {
        self.rule.gain(self.gradient, self.packed)
    }
}

impl ChannelSums for NewtonSums {
    /// λ lets a split lose against none.
    const MUST_GAIN: bool = true;

    fn zero(question: Question) -> Self {
        let rule = match question {
            Question::Newton(rule) => rule,
            // No other question has these sums.
            _ => Newton { lambda: 0.0, count_bits: 0, factor: 0.0, offset: 0.0 },
        };
        Self { gradient: 0, packed: 0, rule }
    }

    fn empty(&self) -> Self {
        Self { gradient: 0, packed: 0, rule: self.rule }
    }

    fn add(&mut self, other: &Self) {
        self.gradient = self.gradient.wrapping_add(other.gradient);
        self.packed += other.packed;
    }

    #[inline]
    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64 {
        self.gradient = self.gradient.wrapping_add(channels[0][code] as i64);
        self.packed += channels[1][code];
        channels[1][code]
    }

    fn set_rest(&mut self, whole: &Self, part: &Self) {
        self.gradient = whole.gradient.wrapping_sub(part.gradient);
        self.packed = whole.packed - part.packed;
    }

    fn weight(&self) -> u64 {
        self.packed
    }

    fn rows(&self, weight: u64) -> Option<u64> {
        Some(self.rule.rows(weight))
    }

    fn channel(&self, channel: usize) -> u64 {
        if channel == 0 { self.gradient as u64 } else { self.packed }
    }

    /// Categories with like steps go together. The gain is convex in both sums, so that the best
    /// subset is a prefix of the order by G/Q, whatever λ is.
    fn share(&self, _: usize) -> f64 {
        self.gradient as f64 / (self.rule.curvature(self.packed) + f64::MIN_POSITIVE)
    }

    fn impurity<C: Criterion>(&self) -> f64 {
        -self.gain()
    }

    fn is_pure<C: Criterion>(&self, _: f64) -> bool {
        false
    }

    #[inline]
    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64 {
        -(self.gain() + whole.minus(self).gain())
    }

    /// First all sums, then all gains, which makes wide instructions.
    fn add_cuts<C: Criterion>(
        &mut self,
        channels: &[&[u64]],
        codes: Range<usize>,
        whole: &Self,
        cuts: &mut Cuts,
    ) {
        let n_cuts = codes.len();
        let (mut gradients, rule) = ([0i64; CUTS], self.rule);
        let added = channels[0][codes.clone()].iter().zip(&channels[1][codes]);
        for ((gradient, weight), (g, q)) in gradients.iter_mut().zip(&mut cuts.weights).zip(added) {
            self.gradient = self.gradient.wrapping_add(*g as i64);
            self.packed += q;
            (*gradient, *weight) = (self.gradient, self.packed);
        }
        let sums = gradients.iter().zip(&cuts.weights).take(n_cuts);
        for (impurity, (&gradient, &packed)) in cuts.impurities.iter_mut().zip(sums) {
            let rest = rule.gain(whole.gradient.wrapping_sub(gradient), whole.packed - packed);
            *impurity = -(rule.gain(gradient, packed) + rest);
        }
    }

    fn value(&self, _: f64) -> f64 {
        self.rule.answer(self.gradient, self.packed)
    }

    fn answer_kind(&self) -> AnswerKind {
        AnswerKind::Number
    }

    fn answer_all(parts: &[&Self], _: &Self, _: &Answering) -> Vec<f64> {
        parts.iter().map(|part| part.rule.answer(part.gradient, part.packed)).collect()
    }
}
