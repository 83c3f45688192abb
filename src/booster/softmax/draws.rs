//! Drawing pairs of a row and a class, the same on every machine and any number of threads.
//!
//! In: start weights, scores and costs. Out: for every class the rows drawn, ascending, with their
//! share of the draws times Δc. Rows are drawn first, by weight, from one stream of random numbers
//! per round; then each drawn row draws its classes, every block of rows from a stream of its own.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::booster::costs::expected;
use crate::booster::{Costs, Scores};
use crate::data::Rows;
use crate::error::Result;
use crate::random::{ByWeight, stream};
use crate::workers::{RunBlock, Workers};

/// The fewest draws that are chosen where the user has not.
const LEAST_DRAWS: u64 = 500;

/// A row and what it contributes to the gradient of one class.
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
    n_rows: usize,
    /// Draws rows by their start weights; `None` if all weigh the same.
    by_weight: Option<ByWeight>,
}

impl Sampler {
    /// `n_draws` of 0 means as many as there are rows, or for two classes an eighth of that: these
    /// are so easily told apart that with more draws label noise traps the search too often.
    pub fn new(rows: &Rows, n_draws: u64, n_classes: usize, seed: u64) -> Self {
        let n_rows = rows.len() as u64;
        let n_draws = match (n_draws, n_classes) {
            (0, 2) => (n_rows / 8).max(LEAST_DRAWS).min(n_rows),
            (0, _) => n_rows,
            _ => n_draws,
        };
        Self {
            seed,
            n_draws,
            n_rows: rows.len(),
            by_weight: rows.start_weights().map(ByWeight::new),
        }
    }

    /// The draws of a round.
    pub fn draw(
        &self,
        costs: &Costs,
        scores: &Scores,
        round: u64,
        workers: &Workers,
    ) -> Result<Vec<Vec<Pair>>> {
        // One stream for the rows and one for each block, in every round.
        let first_stream = round * (scores.blocks().len() as u64 + 1);
        let counts = self.draw_rows(&mut stream(self.seed, first_stream));
        let share = 1.0 / self.n_draws as f64;
        collect(scores, scores.n_classes(), workers, |number, block, pairs| {
            let mut generator = stream(self.seed, first_stream + 1 + number as u64);
            scores.for_each_softened(
                block,
                |row| counts[row] > 0,
                |row, shares| {
                    let costs = costs.of(row, block.run);
                    let mean = expected(costs, shares);
                    for _ in 0..counts[row] {
                        let class = draw_class(&mut generator, shares);
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

    /// How often each row is drawn.
    fn draw_rows(&self, generator: &mut ChaCha8Rng) -> Vec<u32> {
        let mut counts = vec![0; self.n_rows];
        for _ in 0..self.n_draws {
            let row = match &self.by_weight {
                None => generator.random_range(0..self.n_rows as u32) as usize,
                Some(by_weight) => by_weight.draw(generator),
            };
            counts[row] += 1;
        }
        counts
    }
}

/// A class by its probability.
fn draw_class(generator: &mut ChaCha8Rng, shares: &[f64]) -> usize {
    let mut left = generator.random::<f64>();
    for (class, share) in shares.iter().enumerate() {
        left -= share;
        if left < 0.0 {
            return class;
        }
    }
    // Rounding may leave a little; the likeliest class takes it.
    crate::combiner::best_class(shares)
}
