//! Weights by bucket and class, for symmetric functions (A8).
//!
//! A hypothesis moves the rows on which it fires to the next bucket. What counts are the classes in
//! the buckets that come out: B = Σⱼ 2√(U⁺ⱼ U⁻ⱼ), or the same over all pairs of classes; or how long
//! a description of the classes is that knows the buckets. Stumps and
//! rules try both ways round: the rows inside move, or those outside. Trees are grown as if every
//! leaf had buckets of its own, and then each leaf moves or stays, whichever lowers B.
//!
//! A partition of the rows that was made before, or its complement, would only shift buckets and is
//! no candidate. Candidates that are as good as each other are drawn by seed.

use std::ops::Range;
use std::sync::Arc;

use super::channel_sums::ChannelSums;
use super::criterion::{Answering, Criterion, TIE, ZCriterion};
use super::cuts::{CUTS, Cuts};
use crate::combiner::description;
use crate::demand::{Demand, Partitions, Question, number};
use crate::hypothesis::AnswerKind;

/// Sums by bucket and class, bucket after bucket: of the leaves of trees, or of hypotheses that have
/// two parts only.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BucketSums<const LEAVES: bool> {
    n_classes: usize,
    sums: Vec<u64>,
    /// The sum of the keys of the rows.
    keys: u64,
    /// Only the sums of all rows have them.
    rivals: Option<Rivals>,
}

/// What is known of all candidates.
#[derive(Debug, Clone, PartialEq)]
struct Rivals {
    /// Those that are none any more, and the luck of the others.
    partitions: Arc<Partitions>,
    /// What bad luck costs.
    tie: f64,
}

impl<const LEAVES: bool> BucketSums<LEAVES> {
    fn is_taken(&self, keys: u64) -> bool {
        self.rivals.as_ref().is_some_and(|rivals| rivals.partitions.is_taken(keys, self.keys))
    }

    /// The score of a candidate, infinite for what is none.
    fn candidate(&self, keys: u64, score: f64) -> f64 {
        if self.is_taken(keys) { f64::INFINITY } else { score }
    }

    /// What comes out if the rows of `moving` leave `self` for the next buckets.
    fn moved(&self, moving: &Self) -> Self {
        let mut sums = self.sums.clone();
        sums.resize(self.sums.len() + self.n_classes, 0);
        for (at, &weight) in moving.sums.iter().enumerate() {
            sums[at] -= weight;
            sums[at + self.n_classes] += weight;
        }
        Self { n_classes: self.n_classes, sums, keys: self.keys, rivals: None }
    }

    /// 2 Σ √(Uₖ Uₗ) over all pairs of classes in all buckets.
    fn pairs(&self) -> f64 {
        self.sums.chunks_exact(self.n_classes).map(ZCriterion::of_many).sum()
    }

    /// The weight of a row, if candidates are judged by description length.
    fn row(&self) -> Option<f64> {
        self.rivals.as_ref().and_then(|rivals| rivals.partitions.row())
    }

    /// What is to be small, B or the description length, if these move.
    fn one_way(&self, whole: &Self) -> f64 {
        let moved = whole.moved(self);
        whole.row().map_or_else(|| moved.pairs(), |row| moved.description(row))
    }

    /// The same if these move, and if the rest of the whole does.
    fn both_ways(&self, whole: &Self) -> [f64; 2] {
        [self.one_way(whole), whole.minus(self).one_way(whole)]
    }

    /// What it takes to tell the classes of all rows bucket by bucket, in nats times the weight of a
    /// row.
    fn description(&self, row: f64) -> f64 {
        let buckets = self.sums.chunks_exact(self.n_classes);
        buckets.map(|sums| description(sums.iter().map(|&sum| number(sum)), row)).sum()
    }

    /// Judges many cuts at a time, bucket by bucket.
    fn add_moving_cuts(
        &mut self,
        channels: &[&[u64]],
        codes: Range<usize>,
        whole: &Self,
        cuts: &mut Cuts,
    ) {
        let n_classes = self.n_classes;
        cuts.weights.fill(0);
        let mut both_ways = [[0.0; 2]; CUTS];
        // The weights inside, by class: of this bucket, and of the one below.
        let (mut inside, mut below) = (vec![[0.0; CUTS]; n_classes], vec![[0.0; CUTS]; n_classes]);
        let mut below_whole = vec![0.0; n_classes];
        let n_channels = self.sums.len();
        for first in (0..=n_channels).step_by(n_classes) {
            // The roots of the weights that come into this bucket, and the weights.
            let (mut roots, mut sums) = ([[0.0; 2]; CUTS], [[0.0; 2]; CUTS]);
            for class in 0..n_classes {
                let channel = first + class;
                let mut own_whole = 0.0;
                if channel < n_channels {
                    own_whole = number(whole.sums[channel]);
                    let sum = &mut self.sums[channel];
                    let added = channels[channel][codes.clone()].iter();
                    let to = inside[class].iter_mut().zip(&mut cuts.weights);
                    for ((inside, weight), added) in to.zip(added) {
                        *sum += added;
                        *weight += *sum;
                        *inside = number(*sum);
                    }
                } else {
                    inside[class].fill(0.0);
                }
                let ways = inside[class].iter().zip(&below[class]);
                for ((roots, sums), (inside, below)) in roots.iter_mut().zip(&mut sums).zip(ways) {
                    // Rounding may take a weight a little below zero.
                    let weights = [
                        (own_whole - inside + below).max(0.0),
                        (inside + (below_whole[class] - below)).max(0.0),
                    ];
                    ZCriterion::remember(roots, weights);
                    *sums = [sums[0] + weights[0], sums[1] + weights[1]];
                }
                below_whole[class] = own_whole;
            }
            for (both, (roots, sums)) in both_ways.iter_mut().zip(roots.iter().zip(&sums)) {
                for way in 0..2 {
                    both[way] += ZCriterion::of_side(roots[way], sums[way]);
                }
            }
            std::mem::swap(&mut inside, &mut below);
        }
        let keys = channels[n_channels][codes].iter();
        for ((impurity, both), keys) in cuts.impurities.iter_mut().zip(both_ways).zip(keys) {
            self.keys = self.keys.wrapping_add(*keys);
            *impurity = whole.candidate(self.keys, both[0].min(both[1]));
        }
    }
}

impl<const LEAVES: bool> ChannelSums for BucketSums<LEAVES> {
    const NEEDS_TEST: bool = !LEAVES;

    fn zero(question: Question) -> Self {
        let n_classes = match question {
            Question::Buckets { n_classes, .. } => n_classes,
            _ => 1,
        };
        let n_sums = question.n_channels() - 1;
        Self { n_classes, sums: vec![0; n_sums], keys: 0, rivals: None }
    }

    fn of_demand(self, demand: &Demand) -> Self {
        let tie = TIE * number(self.weight());
        let rivals = demand.partitions.map(|all| Rivals { partitions: Arc::clone(all), tie });
        Self { rivals, ..self }
    }

    /// Small beside what chance adds.
    fn tie(&self) -> f64 {
        match &self.rivals {
            Some(rivals) => 1e-3 * rivals.tie,
            None => TIE * number(self.weight()),
        }
    }

    fn luck(&self, column: usize, test: impl FnOnce() -> u64) -> f64 {
        let Some(Rivals { partitions, tie }) = &self.rivals else { return 0.0 };
        tie * partitions.luck(column, test())
    }

    fn n_shares(&self, n_channels: usize) -> usize {
        n_channels - 1
    }

    fn empty(&self) -> Self {
        let sums = self.sums.empty();
        Self { n_classes: self.n_classes, sums, keys: 0, rivals: None }
    }

    fn add(&mut self, other: &Self) {
        self.sums.add(&other.sums);
        self.keys = self.keys.wrapping_add(other.keys);
    }

    fn add_at(&mut self, channels: &[&[u64]], code: usize) -> u64 {
        self.keys = self.keys.wrapping_add(channels[self.sums.len()][code]);
        self.sums.add_at(channels, code)
    }

    fn set_rest(&mut self, whole: &Self, part: &Self) {
        self.sums.set_rest(&whole.sums, &part.sums);
        self.keys = whole.keys.wrapping_sub(part.keys);
    }

    fn weight(&self) -> u64 {
        self.sums.weight()
    }

    fn channel(&self, channel: usize) -> u64 {
        self.sums[channel]
    }

    fn impurity<C: Criterion>(&self) -> f64 {
        self.pairs()
    }

    fn split_impurity<C: Criterion>(&self, whole: &Self) -> f64 {
        if LEAVES {
            return self.pairs() + whole.minus(self).pairs();
        }
        let [inside, outside] = self.both_ways(whole);
        whole.candidate(self.keys, inside.min(outside))
    }

    fn add_cuts<C: Criterion>(
        &mut self,
        channels: &[&[u64]],
        codes: Range<usize>,
        whole: &Self,
        cuts: &mut Cuts,
    ) {
        if LEAVES || whole.row().is_some() {
            cuts.fill::<Self, C>(self, (channels, codes), whole);
        } else {
            self.add_moving_cuts(channels, codes, whole, cuts);
        }
    }

    fn answer_kind(&self) -> AnswerKind {
        AnswerKind::Number
    }

    /// 1 for parts that move, 0 for those that stay. Of two, the one that leaves purer buckets moves;
    /// if both are as good, one of them by chance. All stay if there is no candidate.
    fn answer_all(parts: &[&Self], whole: &Self, _: &Answering) -> Vec<f64> {
        let tie = TIE * number(whole.weight());
        if let [_, inside] = parts {
            if whole.is_taken(inside.keys) {
                return vec![0.0, 0.0];
            }
            let [moving_inside, moving_outside] = inside.both_ways(whole);
            let coin = |rivals: &Rivals| rivals.partitions.luck(usize::MAX, 0) < 0.5;
            let inside_moves = if (moving_inside - moving_outside).abs() <= tie {
                whole.rivals.as_ref().is_none_or(coin)
            } else {
                moving_inside < moving_outside
            };
            return if inside_moves { vec![0.0, 1.0] } else { vec![1.0, 0.0] };
        }
        let [from_none, from_all] =
            [false, true].map(|all| descend(parts, whole, all, whole.tie()));
        let (_, moves) = if from_all.0 < from_none.0 - tie { from_all } else { from_none };
        moves.into_iter().map(|moves| f64::from(u8::from(moves))).collect()
    }
}

/// B and the parts that move: from none of them or all of them, one after the other is turned that
/// lowers B most, the first in any case.
fn descend<const LEAVES: bool>(
    parts: &[&BucketSums<LEAVES>],
    whole: &BucketSums<LEAVES>,
    all: bool,
    tie: f64,
) -> (f64, Vec<bool>) {
    let mut moves = vec![all; parts.len()];
    let mut moving = if all { whole.clone() } else { whole.empty() };
    let mut score = f64::INFINITY;
    loop {
        let turned = |at: usize| {
            if moves[at] { moving.minus(parts[at]) } else { moving.plus(parts[at]) }
        };
        let mut best: Option<(f64, usize)> = None;
        for at in 0..parts.len() {
            let turned = turned(at);
            let weight = turned.weight();
            if weight == 0 || weight == whole.weight() {
                continue; // no row would be told from another
            }
            let candidate = whole.candidate(turned.keys, turned.one_way(whole));
            if candidate < best.map_or(f64::INFINITY, |(best, _)| best - tie) {
                best = Some((candidate, at));
            }
        }
        match best {
            Some((lower, at)) if lower < score - tie => {
                moving = turned(at);
                moves[at] = !moves[at];
                score = lower;
            }
            _ if score.is_finite() => return (score, moves),
            _ => return (score, vec![false; parts.len()]),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::learner::criterion::{AnswerMaker, AnswerRule};

    const QUESTION: Question = Question::Buckets { n_classes: 2, n_buckets: 3 };

    /// Sums by bucket and class for every code of a column.
    fn channels() -> Vec<Vec<u64>> {
        (0..7).map(|channel| (0..70).map(|code| (code * 7 + channel * 5) % 11).collect()).collect()
    }

    #[test]
    fn many_cuts_at_a_time_are_judged_as_one_by_one() {
        let channels = channels();
        let channels: Vec<&[u64]> = channels.iter().map(Vec::as_slice).collect();
        let mut whole = BucketSums::<false>::zero(QUESTION);
        for code in 0..70 {
            whole.add_at(&channels, code);
        }
        let (mut many, mut one) =
            (BucketSums::<false>::zero(QUESTION), BucketSums::<false>::zero(QUESTION));
        for codes in [0..64, 64..70] {
            let mut cuts = Cuts::default();
            many.add_cuts::<ZCriterion>(&channels, codes.clone(), &whole, &mut cuts);
            for (at, code) in codes.enumerate() {
                one.add_at(&channels, code);
                assert_eq!(cuts.weights[at], one.weight());
                let expected = one.split_impurity::<ZCriterion>(&whole);
                assert!((cuts.impurities[at] - expected).abs() < 1e-10 * expected.max(1.0));
            }
            assert_eq!(many, one);
        }
    }

    #[test]
    fn the_side_that_moves_is_the_one_that_leaves_purer_buckets() {
        let sums = |sums: [u64; 4]| BucketSums::<false> {
            n_classes: 2,
            sums: sums.to_vec(),
            keys: 0,
            rivals: None,
        };
        // The rows outside would meet others of another class in bucket 1.
        let (whole, inside) = (sums([5, 5, 0, 9]), sums([0, 5, 0, 4]));
        let outside = whole.minus(&inside);
        let answering = AnswerMaker::new(AnswerRule::Vote, None).unwrap().ready(19, 0.0);
        let answers = BucketSums::<false>::answer_all(&[&outside, &inside], &whole, &answering);
        assert_eq!(answers, [0.0, 1.0]);
        let answers = BucketSums::<false>::answer_all(&[&inside, &outside], &whole, &answering);
        assert_eq!(answers, [1.0, 0.0]);
    }

    #[test]
    fn leaves_move_as_no_other_choice_of_them_would_be_better() {
        let leaf = |sums: [u64; 4]| BucketSums::<true> {
            n_classes: 2,
            sums: sums.to_vec(),
            keys: 0,
            rivals: None,
        };
        let leaves =
            [leaf([6, 1, 0, 2]), leaf([0, 7, 1, 3]), leaf([5, 0, 4, 0]), leaf([1, 6, 0, 8])];
        let parts: Vec<&BucketSums<true>> = leaves.iter().collect();
        let total = parts.iter().fold(parts[0].empty(), |sum, leaf| sum.plus(leaf));
        let score = |moves: &[bool]| {
            let moving = parts.iter().zip(moves).filter(|(_, moves)| **moves);
            let moving = moving.fold(total.empty(), |sum, (leaf, _)| sum.plus(leaf));
            total.moved(&moving).pairs()
        };
        let answering = AnswerMaker::new(AnswerRule::Vote, None).unwrap().ready(44, 0.0);
        let answers = BucketSums::answer_all(&parts, &total, &answering);
        let found = score(&answers.iter().map(|answer| *answer > 0.0).collect::<Vec<_>>());
        for choice in 1..15 {
            let moves: Vec<bool> = (0..4).map(|leaf| choice >> leaf & 1 == 1).collect();
            assert!(found <= score(&moves) + 1e-12, "{answers:?} {moves:?}");
        }
    }
}
