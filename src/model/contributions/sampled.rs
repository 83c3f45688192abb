//! Shapley values estimated from random orders of the columns.
//!
//! In: a game, and how many orders are drawn from which seed. Out: means over the orders of what each
//! column adds when it becomes known, and their standard errors. Each order starts at a made-up row,
//! whose levels are drawn column by column from those of the training rows, and is gone through from
//! both ends, which lets much of the chance cancel out. All rows are explained by the same orders, so
//! that the bias is the same for all and contributions add up to the scores whatever was drawn; nor
//! does the result depend on the number of threads. Cost: two scores for each order, column and row.

use rand::RngExt;

use super::game::Game;
use super::{Contributions, Errors};
use crate::data::{Column, Table};
use crate::error::Result;
use crate::random::{ByWeight, stream};
use crate::workers::Workers;

/// Rows that a task explains.
const ROWS_OF_TASK: usize = 1 << 9;

/// Which orders are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orders {
    /// How many pairs of opposite orders.
    pub n_pairs: usize,
    /// The seed.
    pub seed: u64,
}

/// An order and the row that it starts at.
struct Draw {
    /// All players.
    order: Vec<usize>,
    /// The code of each player while it is not known.
    codes: Vec<u16>,
}

/// Means and the spread of what was seen, number by number.
struct Tally {
    n_seen: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

/// The contributions of all rows.
pub(super) fn contributions(
    game: &Game,
    orders: &Orders,
    table: &Table,
    workers: &Workers,
) -> Result<Contributions> {
    let draws: Vec<Draw> = (0..orders.n_pairs).map(|pair| draw(game, orders, pair)).collect();
    let n_scores = game.n_scores();
    let starts = game.scores(draws.len(), |player, codes| {
        for (code, draw) in codes.iter_mut().zip(&draws) {
            *code = draw.codes[player];
        }
    });
    let mut bias = Tally::new(n_scores);
    starts.chunks_exact(n_scores).for_each(|scores| bias.add(scores));
    let columns = game.columns(table)?;
    let (n_rows, d) = (table.n_rows(), game.players.len());
    let tasks: Vec<usize> = (0..n_rows).step_by(ROWS_OF_TASK.min(game.batch_rows())).collect();
    let steps = n_rows.saturating_mul(2 * d * draws.len()).saturating_mul(game.steps_per_row());
    let found = workers.map(steps, tasks, |start| {
        let n_rows = ROWS_OF_TASK.min(game.batch_rows()).min(n_rows - start);
        let rows = Rows::new(game, &columns, start, n_rows);
        let mut tally = Tally::new(d * n_rows * n_scores);
        for (draw, start) in draws.iter().zip(starts.chunks_exact(n_scores)) {
            workers.check()?;
            tally.add(&rows.walk(draw, start, workers)?);
        }
        Ok(tally)
    })?;
    let gather = |numbers: fn(&Tally) -> Vec<f64>| -> Vec<Vec<f64>> {
        let mut by_player = vec![Vec::with_capacity(n_rows * n_scores); d];
        for tally in &found {
            let numbers = numbers(tally);
            let of_player = numbers.chunks_exact((numbers.len() / d.max(1)).max(1));
            by_player.iter_mut().zip(of_player).for_each(|(to, own)| to.extend_from_slice(own));
        }
        by_player
    };
    let errors = Errors { by_column: game.by_column(gather(Tally::errors)), bias: bias.errors() };
    Ok(Contributions {
        by_column: game.by_column(gather(|tally| tally.means.clone())),
        bias: bias.means,
        errors: Some(errors),
    })
}

/// Draws an order.
fn draw(game: &Game, orders: &Orders, pair: usize) -> Draw {
    let generator = &mut stream(orders.seed, pair as u64);
    let mut order: Vec<usize> = (0..game.players.len()).collect();
    for last in (1..order.len()).rev() {
        order.swap(last, generator.random_range(0..=last as u32) as usize);
    }
    let code = |player: &super::game::Player| {
        player.codes[ByWeight::new(player.shares.iter().copied()).draw(generator)]
    };
    Draw { order, codes: game.players.iter().map(code).collect() }
}

/// Some rows, with all columns known.
struct Rows<'a> {
    game: &'a Game<'a>,
    /// By player.
    codes: Vec<Vec<u16>>,
    scores: Vec<f64>,
    count: usize,
}

impl<'a> Rows<'a> {
    fn new(game: &'a Game, columns: &[Column], start: usize, n_rows: usize) -> Self {
        let mut codes = vec![vec![0; n_rows]; game.players.len()];
        for (player, codes) in codes.iter_mut().enumerate() {
            game.encode(player, columns, start, codes);
        }
        let scores = game.scores(n_rows, |player, to| to.copy_from_slice(&codes[player]));
        Self { game, codes, scores, count: n_rows }
    }

    /// What each player adds when they become known in this order and its opposite, in the mean; at
    /// the start all rows have the same scores.
    fn walk(&self, draw: &Draw, start: &[f64], workers: &Workers) -> Result<Vec<f64>> {
        let (d, length) = (self.codes.len(), self.scores.len());
        let mut added = vec![0.0; d * length];
        let forwards: Vec<usize> = draw.order.clone();
        let backwards: Vec<usize> = draw.order.iter().rev().copied().collect();
        for order in [forwards, backwards] {
            let mut known = vec![false; d];
            let mut before: Vec<f64> = start.iter().copied().cycle().take(length).collect();
            for (step, &player) in order.iter().enumerate() {
                workers.check()?;
                known[player] = true;
                let after =
                    if step + 1 == d { self.scores.clone() } else { self.scores(draw, &known) };
                let to = &mut added[player * length..][..length];
                for ((to, after), before) in to.iter_mut().zip(&after).zip(&before) {
                    *to += 0.5 * (after - before);
                }
                before = after;
            }
        }
        Ok(added)
    }

    /// The scores of the rows when only some players are known.
    fn scores(&self, draw: &Draw, known: &[bool]) -> Vec<f64> {
        self.game.scores(self.count, |player, codes| {
            if known[player] {
                codes.copy_from_slice(&self.codes[player]);
            } else {
                codes.fill(draw.codes[player]);
            }
        })
    }
}

impl Tally {
    fn new(length: usize) -> Self {
        Self { n_seen: 0.0, means: vec![0.0; length], squares: vec![0.0; length] }
    }

    /// Adds numbers, without taking differences of large sums (Welford 1962).
    fn add(&mut self, numbers: &[f64]) {
        self.n_seen += 1.0;
        for ((mean, square), number) in self.means.iter_mut().zip(&mut self.squares).zip(numbers) {
            let off = number - *mean;
            *mean += off / self.n_seen;
            *square += off * (number - *mean);
        }
    }

    /// The standard errors of the means.
    fn errors(&self) -> Vec<f64> {
        let of_means = self.n_seen * (self.n_seen - 1.0).max(1.0);
        self.squares.iter().map(|square| (square / of_means).sqrt()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tally_knows_means_and_their_standard_errors() {
        let mut tally = Tally::new(2);
        for numbers in [[1.0, 1e9], [2.0, 1e9 + 2.0], [6.0, 1e9 + 4.0]] {
            tally.add(&numbers);
        }
        assert_eq!(tally.means, [3.0, 1e9 + 2.0]);
        let errors = tally.errors();
        assert!((errors[0] - (14.0f64 / 6.0).sqrt()).abs() < 1e-12, "{errors:?}");
        assert!((errors[1] - (8.0f64 / 6.0).sqrt()).abs() < 1e-6, "{errors:?}");
    }
}
