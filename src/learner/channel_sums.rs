//! Weights by channel: what a criterion looks at, and what answers are made of.
//!
//! One type for each kind of question. Two sides are by far the most common and fit in registers;
//! any number of classes sits in a vector. Searches are written once over the trait.

use std::ops::Range;

use super::criterion::{AnswerMaker, Answering, Criterion, TIE};
use super::cuts::{CUTS, Cuts};
use crate::demand::{Demand, Question, number};
use crate::hypothesis::{AnswerKind, PartAnswers};

/// Sums of weights, one per channel.
pub trait ChannelSums: Clone + Send + Sync {
    /// Whether any test is better than none.
    const NEEDS_TEST: bool = false;

    /// Whether a split must be better than none, which is not certain.
    const MUST_GAIN: bool = false;

    /// No weight in any channel.
    fn zero(question: Question) -> Self;

    /// All of the rows, with what else a demand says of them.
    #[must_use]
    fn of_demand(self, _demand: &Demand) -> Self {
        self
    }

    /// Impurities of parts of these that differ by no more than this are equal.
    fn tie(&self) -> f64 {
        TIE * self.weight() as f64
    }

    /// What is added to the impurity of a split of all rows by a test on a column, to draw between
    /// equals; tests of a column have different numbers.
    #[inline]
    fn luck(&self, _column: usize, _test: impl FnOnce() -> u64) -> f64 {
        0.0
    }

    /// How many of the channels are weights, by whose shares categories can be ordered.
    fn n_shares(&self, n_channels: usize) -> usize {
        n_channels
    }

    /// The same for the question of these sums.
    #[must_use]
    fn empty(&self) -> Self;

    /// One sum of each channel's histogram, for the question of these sums.
    #[must_use]
    fn at(&self, channels: &[&[u64]], code: usize) -> Self {
        let mut sums = self.empty();
        sums.add_at(channels, code);
        sums
    }

    /// Adds other sums.
    fn add(&mut self, other: &Self);

    /// Adds one sum of each channel's histogram; returns how much that is in all.
    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64;

    /// Becomes what is left of `whole` without `part`.
    fn set_rest(&mut self, whole: &Self, part: &Self);

    /// Takes other sums away, which must be part of these.
    #[must_use]
    fn minus(&self, other: &Self) -> Self {
        let mut rest = self.clone();
        rest.set_rest(self, other);
        rest
    }

    /// All channels together.
    fn weight(&self) -> u64;

    /// How many rows have this weight in all, for the question of these sums, if weights tell.
    fn rows(&self, _weight: u64) -> Option<u64> {
        None
    }

    /// One channel.
    fn channel(&self, channel: usize) -> u64;

    /// By what categories are ordered: the share of one channel.
    fn share(&self, channel: usize) -> f64 {
        self.channel(channel) as f64 / self.weight() as f64
    }

    /// What a criterion says of them.
    fn impurity<C: Criterion>(&self) -> f64;

    /// Whether there is nothing left to split.
    fn is_pure<C: Criterion>(&self, tie: f64) -> bool {
        self.impurity::<C>() <= tie
    }

    /// What a criterion says of both sides, if `whole` is split into these and the rest.
    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64;

    /// Adds the sums of a few codes one after the other, each time with what a criterion then says
    /// of the split of `whole` into these and the rest.
    #[inline]
    fn add_cuts<C: Criterion>(
        &mut self,
        channels: &[&[u64]],
        codes: Range<usize>,
        whole: &Self,
        cuts: &mut Cuts,
    ) {
        cuts.fill::<Self, C>(self, (channels, codes), whole);
    }

    /// A number that rises with the answer to rows of these sums, `smooth` being added to the weights
    /// of two sides; all the same for questions whose answers have no order.
    fn value(&self, _smooth: f64) -> f64 {
        0.0
    }

    /// What the answers mean that are made of them.
    fn answer_kind(&self) -> AnswerKind;

    /// The answers of all parts of a whole.
    fn answer_all(parts: &[&Self], whole: &Self, answering: &Answering) -> Vec<f64>;

    /// Both sums together.
    #[must_use]
    fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.add(other);
        sum
    }
}

impl ChannelSums for [u64; 2] {
    fn zero(_: Question) -> Self {
        [0; 2]
    }

    fn empty(&self) -> Self {
        [0; 2]
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self[0] += other[0];
        self[1] += other[1];
    }

    #[inline]
    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64 {
        let sums = [channels[0][code], channels[1][code]];
        self.add(&sums);
        sums.weight()
    }

    #[inline]
    fn set_rest(&mut self, whole: &Self, part: &Self) {
        *self = [whole[0] - part[0], whole[1] - part[1]];
    }

    #[inline]
    fn weight(&self) -> u64 {
        self[0] + self[1]
    }

    #[inline]
    fn channel(&self, channel: usize) -> u64 {
        self[channel]
    }

    #[inline]
    fn impurity<C: Criterion>(&self) -> f64 {
        C::of_two(number(self[0]), number(self[1]))
    }

    #[inline]
    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64 {
        self.impurity::<C>() + [whole[0] - self[0], whole[1] - self[1]].impurity::<C>()
    }

    fn value(&self, smooth: f64) -> f64 {
        let positive = number(self[1]) + smooth;
        positive / (positive + number(self[0]) + smooth + f64::MIN_POSITIVE)
    }

    fn answer_kind(&self) -> AnswerKind {
        AnswerKind::Number
    }

    fn answer_all(parts: &[&Self], _: &Self, answering: &Answering) -> Vec<f64> {
        parts.iter().map(|part| answering.side(**part)).collect()
    }
}

impl ChannelSums for Vec<u64> {
    fn zero(question: Question) -> Self {
        vec![0; question.n_channels()]
    }

    fn empty(&self) -> Self {
        vec![0; self.len()]
    }

    fn add(&mut self, other: &Self) {
        for (sum, other) in self.iter_mut().zip(other) {
            *sum += other;
        }
    }

    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64 {
        let mut weight = 0;
        for (sum, channel) in self.iter_mut().zip(channels) {
            *sum += channel[code];
            weight += channel[code];
        }
        weight
    }

    fn set_rest(&mut self, whole: &Self, part: &Self) {
        for (sum, (whole, part)) in self.iter_mut().zip(whole.iter().zip(part)) {
            *sum = whole - part;
        }
    }

    fn weight(&self) -> u64 {
        self.iter().sum()
    }

    fn channel(&self, channel: usize) -> u64 {
        self[channel]
    }

    fn impurity<C: Criterion>(&self) -> f64 {
        C::of_many(self)
    }

    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64 {
        let (mut sides, mut sums) = ([0.0; 2], [0.0; 2]);
        for (&inside, &whole) in self.iter().zip(whole) {
            let weights = [number(inside), number(whole - inside)];
            C::remember(&mut sides, weights);
            sums = [sums[0] + weights[0], sums[1] + weights[1]];
        }
        C::of_sides(sides, sums)
    }

    /// Channel by channel, so that many cuts are judged at a time.
    fn add_cuts<C: Criterion>(
        &mut self,
        channels: &[&[u64]],
        codes: Range<usize>,
        whole: &Self,
        cuts: &mut Cuts,
    ) {
        let n_cuts = codes.len();
        let (mut insides, mut sides) = ([0.0; CUTS], [[0.0; 2]; CUTS]);
        cuts.weights.fill(0);
        for ((sum, channel), &whole) in self.iter_mut().zip(channels).zip(whole) {
            let whole = number(whole);
            let added = channel[codes.clone()].iter();
            for ((inside, weight), added) in insides.iter_mut().zip(&mut cuts.weights).zip(added) {
                *sum += added;
                *weight += *sum;
                *inside = number(*sum);
            }
            for (side, inside) in sides.iter_mut().zip(&insides) {
                C::remember(side, [*inside, whole - inside]);
            }
        }
        let whole = whole.weight();
        let judged = cuts.impurities.iter_mut().zip(&cuts.weights).zip(sides).take(n_cuts);
        for ((impurity, &weight), sides) in judged {
            *impurity = C::of_sides(sides, [number(weight), number(whole - weight)]);
        }
    }

    fn answer_kind(&self) -> AnswerKind {
        AnswerKind::Class
    }

    fn answer_all(parts: &[&Self], _: &Self, answering: &Answering) -> Vec<f64> {
        parts.iter().map(|part| answering.class(part)).collect()
    }
}

/// For each class the weight against it and the weight for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClassPairs(Vec<u64>);

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

/// The answers of the parts of a hypothesis, made of their sums; `total` is all there is to share.
pub(super) fn answer_parts<'a, S: ChannelSums + 'a>(
    maker: &AnswerMaker,
    lightest: f64,
    total: &S,
    parts: impl IntoIterator<Item = &'a S>,
) -> PartAnswers {
    let answering = maker.ready(total.weight(), lightest);
    let parts: Vec<&S> = parts.into_iter().collect();
    PartAnswers { says: total.answer_kind(), numbers: S::answer_all(&parts, total, &answering) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::learner::criterion::{ErrorCriterion, GiniCriterion, ZCriterion};

    #[test]
    fn two_channels_weigh_the_same_in_a_vector() {
        fn check<C: Criterion>(pair: [u64; 2]) {
            let (two, many) = (pair.impurity::<C>(), pair.to_vec().impurity::<C>());
            assert!((two - many).abs() <= 1e-12 * (1.0 + two), "{two} {many}");
        }
        for pair in [[0, 0], [5, 0], [0, 7], [3, 4], [1 << 40, 12]] {
            check::<ErrorCriterion>(pair);
            check::<ZCriterion>(pair);
            check::<GiniCriterion>(pair);
        }
    }

    #[test]
    fn a_split_weighs_as_much_as_its_sides() {
        fn check<C: Criterion>(inside: &[u64], whole: &[u64]) {
            let (inside, whole) = (inside.to_vec(), whole.to_vec());
            let sides = inside.impurity::<C>() + whole.minus(&inside).impurity::<C>();
            let split = inside.split_impurity::<C>(&whole);
            assert!((split - sides).abs() <= 1e-14 * whole.weight() as f64, "{split} {sides}");
            let (inside, whole) = (ClassPairs(inside), ClassPairs(whole));
            let sides = inside.impurity::<C>() + whole.minus(&inside).impurity::<C>();
            assert!((inside.split_impurity::<C>(&whole) - sides).abs() <= 1e-12 * (1.0 + sides));
        }
        let whole = [7, 1 << 61, 12, 900];
        for inside in [[0, 0, 0, 0], [7, 0, 0, 0], [3, 1 << 60, 1, 899], whole] {
            check::<ErrorCriterion>(&inside, &whole);
            check::<ZCriterion>(&inside, &whole);
            check::<GiniCriterion>(&inside, &whole);
        }
    }

    #[test]
    fn three_channels_follow_the_formulas() {
        let sums: Vec<u64> = vec![1, 4, 9];
        assert_eq!(sums.impurity::<ErrorCriterion>(), 5.0);
        let gini = 14.0 - (1.0 + 16.0 + 81.0) / 14.0;
        assert!((sums.impurity::<GiniCriterion>() - gini).abs() < 1e-12);
        assert!((sums.impurity::<ZCriterion>() - (36.0 - 14.0)).abs() < 1e-12);
    }
}
