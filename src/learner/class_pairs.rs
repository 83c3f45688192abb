//! Weights by class and side: what one hypothesis for all classes is made of.

use super::channel_sums::ChannelSums;
use super::criterion::{Answering, Criterion};
use crate::demand::{Question, number};
use crate::hypothesis::AnswerKind;

/// For each class the weight against it and the weight for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClassPairs(pub(super) Vec<u64>);

impl ClassPairs {
    fn pairs(&self) -> impl Iterator<Item = [u64; 2]> {
        self.0.as_chunks::<2>().0.iter().copied()
    }
}

impl ChannelSums for ClassPairs {
    fn zero(question: Question) -> Self {
        Self(Vec::zero(question))
    }

    fn empty(&self) -> Self {
        Self(self.0.empty())
    }

    fn add(&mut self, other: &Self) {
        self.0.add(&other.0);
    }

    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64 {
        self.0.add_at(channels, code)
    }

    fn set_rest(&mut self, whole: &Self, part: &Self) {
        self.0.set_rest(&whole.0, &part.0);
    }

    fn weight(&self) -> u64 {
        self.0.weight()
    }

    fn channel(&self, channel: usize) -> u64 {
        self.0[channel]
    }

    fn impurity<C: Criterion>(&self) -> f64 {
        self.pairs().map(|[against, favour]| C::of_two(number(against), number(favour))).sum()
    }

    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64 {
        let sides = self.pairs().zip(whole.pairs());
        sides.map(|(inside, whole)| inside.split_impurity::<C>(&whole)).sum()
    }

    fn answer_kind(&self) -> AnswerKind {
        AnswerKind::Scores(self.0.len() / 2)
    }

    fn answer_all(parts: &[&Self], _: &Self, answering: &Answering) -> Vec<f64> {
        parts.iter().flat_map(|part| part.pairs().map(|pair| answering.side(pair))).collect()
    }
}
