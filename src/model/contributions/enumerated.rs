//! Shapley values by enumeration: all combinations of levels, and all sets of columns.
//!
//! In: a game of few combinations. Out: exact values. The scores of all combinations are averaged over
//! every set of columns that may be unknown; then rows look them up, and rows on the same levels share
//! their values. Cost: a score for each combination, and d 2^(d − 1) additions for each different row
//! of d columns.

use super::Contributions;
use super::game::{Game, Player};
use crate::data::Table;
use crate::error::Result;
use crate::workers::{Workers, row_blocks};

/// The most numbers that the table of all combinations and sets may have.
const MOST_NUMBERS: usize = 1 << 21;

/// Different rows that a task explains.
const ROWS_OF_TASK: usize = 64;

/// The scores of all combinations of levels, each of which may be unknown.
pub(super) struct Enumerated {
    /// By player: what its level counts in the place of a combination; the last level is "unknown".
    strides: Vec<usize>,
    values: Vec<f64>,
    n_scores: usize,
    /// By number of columns known before: the share of orders in which just these are.
    factors: Vec<f64>,
}

impl Enumerated {
    /// The table of a game; `None` if it would be too large.
    pub fn of(game: &Game, workers: &Workers) -> Result<Option<Self>> {
        let sizes = game.players.iter().map(|player| player.shares.len() + 1);
        let room = |sum: usize, size: usize| sum.checked_mul(size).filter(|&n| n <= MOST_NUMBERS);
        if sizes.into_iter().try_fold(game.n_scores(), room).is_none() {
            return Ok(None);
        }
        Self::new(game, workers).map(Some)
    }

    fn new(game: &Game, workers: &Workers) -> Result<Self> {
        let (players, n_scores) = (&game.players, game.n_scores());
        let mut values = scores_of_all(game, workers)?;
        let n_cells: usize = players.iter().map(|player| player.shares.len()).product();
        // Players before this one have their unknown level already.
        let (mut outer, mut inner) = (1, n_cells * n_scores);
        for player in players {
            workers.check()?;
            inner /= player.shares.len();
            values = with_unknown(&values, player, (outer, inner));
            outer *= player.shares.len() + 1;
        }
        let mut strides = vec![0; players.len()];
        let mut stride = 1;
        for (to, player) in strides.iter_mut().zip(players).rev() {
            *to = stride;
            stride *= player.shares.len() + 1;
        }
        let d = players.len();
        let mut factors = vec![1.0 / d.max(1) as f64; d];
        for known in 1..d {
            // known! (d − known − 1)! / d!
            factors[known] = factors[known - 1] * known as f64 / (d - known) as f64;
        }
        Ok(Self { strides, values, n_scores, factors })
    }

    /// The contributions of all rows.
    pub fn contributions(
        &self,
        game: &Game,
        table: &Table,
        workers: &Workers,
    ) -> Result<Contributions> {
        let places = self.places(game, table, workers)?;
        let mut different = places.clone();
        different.sort_unstable();
        different.dedup();
        let tasks: Vec<&[usize]> = different.chunks(ROWS_OF_TASK).collect();
        let steps = different.len() << self.strides.len().min(24);
        let found = workers.map(steps, tasks, |places| {
            workers.check()?;
            Ok(places.iter().map(|&place| self.shapley(place, game)).collect::<Vec<_>>())
        })?;
        let found: Vec<Vec<f64>> = found.into_iter().flatten().collect();
        let players: Vec<usize> = (0..self.strides.len()).collect();
        let by_player = workers.map(places.len() * players.len(), players, |player| {
            let mut numbers = Vec::with_capacity(places.len() * self.n_scores);
            for rows in row_blocks(places.len()) {
                workers.check()?;
                for place in &places[rows] {
                    let at = different.partition_point(|other| other < place);
                    let own = &found[at][player * self.n_scores..][..self.n_scores];
                    numbers.extend_from_slice(own);
                }
            }
            Ok(numbers)
        })?;
        let nothing = self.unknown(game);
        let bias = self.values[nothing * self.n_scores..][..self.n_scores].to_vec();
        Ok(Contributions { by_column: game.by_column(by_player), bias, errors: None })
    }

    /// The place of every row.
    fn places(&self, game: &Game, table: &Table, workers: &Workers) -> Result<Vec<usize>> {
        let columns = game.columns(table)?;
        let steps = table.n_rows() * self.strides.len();
        let places = workers.map(steps, row_blocks(table.n_rows()), |rows| {
            let mut places = vec![0; rows.len()];
            let mut codes = vec![0; rows.len()];
            for (player, stride) in self.strides.iter().enumerate() {
                game.encode(player, &columns, rows.start, &mut codes);
                let level_of = &game.players[player].level_of;
                for (place, &code) in places.iter_mut().zip(&codes) {
                    *place += stride * usize::from(level_of[usize::from(code)]);
                }
            }
            Ok(places)
        })?;
        Ok(places.concat())
    }

    /// The place at which nothing is known.
    fn unknown(&self, game: &Game) -> usize {
        let pairs = self.strides.iter().zip(&game.players);
        pairs.map(|(stride, player)| stride * player.shares.len()).sum()
    }

    /// What each player adds at a place: player after player, a number for each score.
    fn shapley(&self, place: usize, game: &Game) -> Vec<f64> {
        let (d, n_scores) = (self.strides.len(), self.n_scores);
        // By player: how far it is from "unknown" to its level.
        let pairs = self.strides.iter().zip(&game.players);
        let steps: Vec<usize> = pairs
            .map(|(stride, player)| {
                let n_levels = player.shares.len();
                stride * (n_levels - place / stride % (n_levels + 1))
            })
            .collect();
        let mut places = vec![self.unknown(game); 1 << d];
        for (player, step) in steps.iter().enumerate() {
            let (before, after) = places[..2 << player].split_at_mut(1 << player);
            for (before, after) in before.iter().zip(after) {
                *after = before - step;
            }
        }
        let mut added = vec![0.0; d * n_scores];
        for (known, &place) in places.iter().enumerate() {
            let Some(factor) = self.factors.get((known.count_ones() as usize).wrapping_sub(1))
            else {
                continue;
            };
            let with = &self.values[place * n_scores..][..n_scores];
            for player in (0..d).filter(|player| known >> player & 1 == 1) {
                let without = places[known ^ 1 << player];
                let without = &self.values[without * n_scores..][..n_scores];
                let to = &mut added[player * n_scores..][..n_scores];
                for ((to, with), without) in to.iter_mut().zip(with).zip(without) {
                    *to += factor * (with - without);
                }
            }
        }
        added
    }
}

/// The scores of all combinations of levels; those of the last player change fastest.
fn scores_of_all(game: &Game, workers: &Workers) -> Result<Vec<f64>> {
    let players = &game.players;
    let n_cells: usize = players.iter().map(|player| player.shares.len()).product();
    let mut repeats = vec![1; players.len()];
    for at in (1..players.len()).rev() {
        repeats[at - 1] = repeats[at] * players[at].shares.len();
    }
    let starts: Vec<usize> = (0..n_cells).step_by(game.batch_rows()).collect();
    let scores = workers.map(n_cells * game.steps_per_row(), starts, |start| {
        workers.check()?;
        let n_rows = game.batch_rows().min(n_cells - start);
        Ok(game.scores(n_rows, |player, codes| {
            let (repeat, own) = (repeats[player], &players[player].codes);
            for (cell, code) in (start..).zip(codes) {
                *code = own[cell / repeat % own.len()];
            }
        }))
    })?;
    Ok(scores.concat())
}

/// The same with one level more of a player, the mean over its levels.
fn with_unknown(values: &[f64], player: &Player, (outer, inner): (usize, usize)) -> Vec<f64> {
    let n_levels = player.shares.len();
    let mut wider = Vec::with_capacity(outer * (n_levels + 1) * inner);
    for levels in values.chunks_exact(n_levels * inner) {
        wider.extend_from_slice(levels);
        let start = wider.len();
        wider.resize(start + inner, 0.0);
        for (level, share) in levels.chunks_exact(inner).zip(&player.shares) {
            for (to, value) in wider[start..].iter_mut().zip(level) {
                *to += share * value;
            }
        }
    }
    wider
}
