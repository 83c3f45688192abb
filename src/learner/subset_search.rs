//! The best subset of a column's categories.
//!
//! In: the sums of a column. Out: the subset with the smallest impurity. Categories are sorted by
//! their share of a channel; for two channels the best subset under all criteria is a prefix of that
//! order (Breiman et al. 1984), for more every channel's order is tried. With a random number a
//! random half of the categories is taken.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::channel_sums::ChannelSums;
use super::column_sums::{ColumnSums, Side};
use super::criterion::Criterion;
use super::test_search::Candidate;
use crate::hypothesis::{Passes, Test};
use crate::sampling::hashed;

/// A number for a set of categories.
fn number_of(codes: &[usize]) -> u64 {
    codes.iter().map(|&code| hashed(0, 1, code as u64)).fold(0, u64::wrapping_add)
}

impl<S: ChannelSums> ColumnSums<'_, S> {
    /// The best subset of categories, missing values being one of them. Categories without weight
    /// go to the heavier side.
    pub(super) fn best_subset<C: Criterion>(&self) -> Option<Candidate<S>> {
        let n_channels = self.total.n_shares(self.channels.len());
        // Of two channels each has the other's order backwards.
        let channels = if n_channels == 2 { 1..2 } else { 0..n_channels };
        let orders: Vec<Vec<usize>> = match self.draw {
            None => channels.map(|channel| self.by_share(channel)).collect(),
            Some(draw) => vec![self.shuffled(draw)],
        };
        let all_rows = self.all_rows();
        let mut best: Option<(f64, Vec<usize>, S)> = None;
        for order in orders {
            let mut found = None;
            let mut inside = Side::empty(self.total);
            // Of a shuffled order half is taken, of any other as much as is best.
            let half = self.draw.map(|_| order.len() / 2);
            for taken in 1..order.len() {
                let next = self.side(order[taken - 1]);
                inside.sums.add(&next.sums);
                inside.weight += next.weight;
                inside.rows += next.rows;
                if half.is_some_and(|half| half != taken) {
                    continue;
                }
                if !self.both_hold_enough(inside.weight, (inside.rows, all_rows)) {
                    continue;
                }
                let luck = self.total.luck(self.column, || number_of(&order[..taken]));
                let score = inside.sums.split_impurity::<C>(self.total) + luck;
                let bar = found
                    .as_ref()
                    .map_or(best.as_ref().map(|best| best.0), |f: &(f64, usize, S)| Some(f.0));
                if score < bar.map_or(f64::INFINITY, |bar| bar - self.tie) {
                    found = Some((score, taken, inside.sums.clone()));
                }
            }
            if let Some((score, taken, inside)) = found {
                best = Some((score, order[..taken].to_vec(), inside));
            }
        }
        best.map(|(score, taken, inside)| {
            let outside = self.total.minus(&inside);
            let heavier = inside.weight() >= outside.weight();
            let mut is_inside: Vec<bool> =
                (0..=self.missing).map(|code| heavier && self.at(code).weight() == 0).collect();
            for code in taken {
                is_inside[code] = true;
            }
            let codes = (0..self.missing).filter(|&code| is_inside[code]);
            let test = Test {
                column: self.column,
                passes: Passes::OneOf(codes.map(|code| code as u16).collect()),
                missing_inside: is_inside[self.missing],
            };
            Candidate { score, test, inside, outside }
        })
    }

    /// The codes with weight in random order.
    fn shuffled(&self, draw: u64) -> Vec<usize> {
        let has_weight = |code: &usize| self.at(*code).weight() > 0;
        let mut order: Vec<usize> = (0..=self.missing).filter(has_weight).collect();
        order.shuffle(&mut ChaCha8Rng::seed_from_u64(draw));
        order
    }

    /// The codes with weight, by their share of one channel.
    fn by_share(&self, channel: usize) -> Vec<usize> {
        let mut order: Vec<(f64, usize)> = (0..=self.missing)
            .map(|code| (self.at(code), code))
            .filter(|(sums, _)| sums.weight() > 0)
            .map(|(sums, code)| (sums.share(channel), code))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.into_iter().map(|(_, code)| code).collect()
    }
}
