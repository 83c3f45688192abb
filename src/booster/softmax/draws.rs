//! Drawing pairs of a row and a class, the same on every machine and any number of threads.
//!
//! In: start weights, scores and costs. Out: for every class the rows drawn, ascending, with their
//! share of the draws times Δc. Rows are drawn first, by weight and in the order of what they hold,
//! from one stream of random numbers per round; then each drawn row draws its classes, by its number
//! in that order. A row of weight 2 has two numbers (see [`UnitNumbers`]) and is drawn as two equal
//! rows are.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::booster::costs::expected;
use crate::booster::{Costs, Scores};
use crate::data::{Rows, UnitNumbers};
use crate::error::Result;
use crate::random::{ByWeight, stream};
use crate::sampling::{hashed, uniform};
use crate::workers::{RunBlock, Workers};

/// The fewest draws that are chosen where the user has not.
const LEAST_DRAWS: u64 = 500;

/// A place and what one of its rows contributes to the gradient of one class.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pair {
    pub row: u32,
    /// Share times Δc: positive where the answer is dearer than average.
    pub value: f64,
}

impl Pair {
    pub fn new(row: usize, value: f64) -> Self {
        Self { row: row as u32, value }
    }
}

/// Collects pairs by class, block of rows by block of rows.
pub(super) fn collect(
    scores: &Scores,
    n_classes: usize,
    workers: &Workers,
    fill: impl Fn(usize, &RunBlock, &mut [Vec<Pair>]) + Sync,
) -> Result<Vec<Vec<Pair>>> {
    let steps = scores.n_rows() * n_classes;
    let blocks = scores.blocks().iter().enumerate().collect();
    let collected = workers.map(steps, blocks, |(number, block)| {
        let mut pairs = vec![Vec::new(); n_classes];
        fill(number, block, &mut pairs);
        Ok(pairs)
    })?;
    let mut all: Vec<Vec<Pair>> = vec![Vec::new(); n_classes];
    for pairs in collected {
        for (all, pairs) in all.iter_mut().zip(pairs) {
            all.extend(pairs);
        }
    }
    Ok(all)
}

/// Draws pairs (i,k) ~ u g.
pub(super) struct Sampler {
    seed: u64,
    n_draws: u64,
    numbers: UnitNumbers,
    /// Draws numbers by the start weights; `None` if all have the same.
    by_weight: Option<ByWeight>,
}

impl Sampler {
    /// `n_draws` of 0 means as many as there are rows, or for two classes an eighth of that: these
    /// are so easily told apart that with more draws label noise traps the search too often.
    pub fn new(
        rows: &Rows,
        (n_draws, n_classes): (u64, usize),
        seed: u64,
        workers: &Workers,
    ) -> Result<Self> {
        let numbers = UnitNumbers::new(rows, workers.reduce())?;
        let n_rows = numbers.total() as u64;
        let n_draws = match (n_draws, n_classes) {
            (0, 2) => (n_rows / 8).max(LEAST_DRAWS).min(n_rows),
            (0, _) => n_rows,
            _ => n_draws,
        };
        let weights = numbers.start_weights();
        let by_weight = weights.map(|weights| ByWeight::new(weights.iter().copied()));
        Ok(Self { seed, n_draws, numbers, by_weight })
    }

    /// The draws of a round.
    pub fn draw(
        &self,
        costs: &Costs,
        scores: &Scores,
        round: u64,
        workers: &Workers,
    ) -> Result<Vec<Vec<Pair>>> {
        let counts = self.draw_rows(&mut stream(self.seed, round));
        // Apart from the stream.
        let seed = hashed(self.seed, u64::MAX, round);
        let share = 1.0 / self.n_draws as f64;
        let drawn = |row: usize| {
            let numbers = self.numbers.at(row);
            numbers.flat_map(|number| (0..counts[number as usize]).map(move |time| (number, time)))
        };
        collect(scores, scores.n_classes(), workers, |_, block, pairs| {
            scores.for_each_softened(
                block,
                |row| drawn(row).next().is_some(),
                |row, shares| {
                    let costs = costs.of(row, block.run);
                    let mean = expected(costs, shares);
                    for (number, time) in drawn(row) {
                        let chance = uniform(hashed(seed, u64::from(number), u64::from(time)));
                        let class = draw_class(chance, shares);
                        let value = share * (costs[class] - mean);
                        match pairs[class].last_mut() {
                            Some(pair) if pair.row as usize == row => pair.value += value,
                            _ => pairs[class].push(Pair::new(row, value)),
                        }
                    }
                },
            );
        })
    }

    /// How often each number is drawn.
    fn draw_rows(&self, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let n_numbers = self.numbers.total();
        let mut counts = vec![0; n_numbers];
        for _ in 0..self.n_draws {
            let number = match &self.by_weight {
                None => generator.random_range(0..n_numbers as u32) as usize,
                Some(by_weight) => by_weight.draw(generator),
            };
            counts[number] += 1;
        }
        counts
    }
}

/// A class by its probability, with the help of a random number from 0 to 1.
fn draw_class(chance: f64, shares: &[f64]) -> usize {
    let mut left = chance;
    for (class, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return class;
        }
    }
    // Rounding may leave a little; the likeliest class takes it.
    crate::combiner::best_class(shares)
}
