//! A model as a game of columns: what a score is worth when only some columns of a row are known.
//!
//! In: a model of stumps, rules or trees, whatever it makes of their answers. Out: the columns that it
//! looks at, the levels of each that it tells apart, with the share of the training rows on each, and
//! the scores of rows that are given by codes.

use super::super::blockwise::Blockwise;
use super::super::{BATCH_ROWS, Model};
use super::regions::not_counted;
use crate::data::{Column, Feature, Table};
use crate::error::{Error, Result};
use crate::hypothesis::{CodeSet, Hypothesis};
use crate::workers::Workers;

/// The most outputs of rows that are scored together.
const BATCH_NUMBERS: usize = 1 << 20;

/// A column that hypotheses look at.
#[derive(Debug)]
pub(super) struct Player {
    pub column: usize,
    /// By code: its level. Codes on the same level are answered alike by all hypotheses.
    pub level_of: Vec<u16>,
    /// By level: one of its codes.
    pub codes: Vec<u16>,
    /// By level: the share of the training rows.
    pub shares: Vec<f64>,
}

/// A model and its players.
pub(super) struct Game<'a> {
    pub model: &'a Model,
    /// Ascending by column.
    pub players: Vec<Player>,
    blockwise: Blockwise,
    /// By column: the number of its player.
    player_of: Vec<usize>,
}

impl<'a> Game<'a> {
    pub fn new(model: &'a Model, workers: &Workers) -> Result<Self> {
        let features = &model.schema.features;
        let mut levels: Vec<Option<Vec<u16>>> = vec![None; features.len()];
        for member in &model.members {
            workers.check()?;
            for (column, codes) in tests_of(&member.hypothesis, features)? {
                let levels =
                    levels[column].get_or_insert_with(|| vec![0; n_codes(features, column)]);
                split(levels, &codes);
            }
        }
        let mut players = Vec::new();
        let mut player_of = vec![usize::MAX; features.len()];
        for (column, level_of) in levels.into_iter().enumerate() {
            let Some(level_of) = level_of else { continue };
            player_of[column] = players.len();
            let rows = features[column].rows.as_ref().ok_or_else(not_counted)?;
            players.push(Player::new(column, level_of, rows));
        }
        Ok(Self { model, players, blockwise: Blockwise::new(model), player_of })
    }

    /// The number of scores of a row.
    pub fn n_scores(&self) -> usize {
        self.model.combiner.n_scores()
    }

    /// How much work it is to score a row.
    pub fn steps_per_row(&self) -> usize {
        self.blockwise.steps_per_row(self.model)
    }

    /// How many rows are best scored together.
    pub fn batch_rows(&self) -> usize {
        (BATCH_NUMBERS / self.model.combiner.n_outputs().max(1)).clamp(1, BATCH_ROWS)
    }

    /// The scores of some rows, row by row; `write` writes the codes of a player.
    pub fn scores(&self, n_rows: usize, write: impl Fn(usize, &mut [u16]) + Sync) -> Vec<f64> {
        let combiner = &self.model.combiner;
        let mut outputs: Vec<Vec<f64>> =
            (0..combiner.n_outputs()).map(|at| vec![combiner.first_value(at); n_rows]).collect();
        let mut columns: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        self.blockwise.add(self.model, 0, &mut columns, &|column, _, codes| {
            write(self.player_of[column], codes);
        });
        let outputs: Vec<&[f64]> = outputs.iter().map(Vec::as_slice).collect();
        let mut scores = vec![0.0; n_rows * self.n_scores()];
        combiner.write_scores(&outputs, &mut scores);
        scores
    }

    /// The columns of a table that the model was fitted to.
    pub fn columns<'t>(&self, table: &Table<'t>) -> Result<Vec<Column<'t>>> {
        table.align(&self.model.schema)
    }

    /// Writes the codes of the rows from `start` on of a player.
    pub fn encode(&self, player: usize, columns: &[Column], start: usize, codes: &mut [u16]) {
        let column = self.players[player].column;
        let bins = &self.model.schema.features[column].bins;
        self.blockwise.coder.encode(column, (&columns[column], bins), start, codes);
    }

    /// Numbers by player as numbers by column.
    pub fn by_column(&self, by_player: Vec<Vec<f64>>) -> Vec<Option<Vec<f64>>> {
        let mut by_column = vec![None; self.player_of.len()];
        for (player, numbers) in self.players.iter().zip(by_player) {
            by_column[player.column] = Some(numbers);
        }
        by_column
    }
}

impl Player {
    fn new(column: usize, level_of: Vec<u16>, rows: &[u64]) -> Self {
        let n_levels = level_of.iter().max().map_or(0, |&last| usize::from(last) + 1);
        let (mut codes, mut counts) = (vec![0; n_levels], vec![0u64; n_levels]);
        for (code, &level) in level_of.iter().enumerate() {
            codes[usize::from(level)] = code as u16;
            counts[usize::from(level)] += rows.get(code).copied().unwrap_or(0);
        }
        let total: u64 = counts.iter().sum();
        let share = |count: u64| {
            // Of no rows at all nothing is known.
            if total == 0 { 1.0 / n_levels as f64 } else { count as f64 / total as f64 }
        };
        Self { column, level_of, codes, shares: counts.into_iter().map(share).collect() }
    }
}

fn n_codes(features: &[Feature], column: usize) -> usize {
    features[column].bins.missing() + 1
}

/// Tells codes in the set from others of the same level.
fn split(levels: &mut [u16], inside: &CodeSet) {
    let n_levels = levels.iter().max().map_or(0, |&last| usize::from(last) + 1);
    let mut names = vec![[None; 2]; n_levels];
    let mut next = 0;
    for (code, level) in (0u16..).zip(levels) {
        let name = &mut names[usize::from(*level)][usize::from(inside.has(code))];
        *level = *name.get_or_insert_with(|| {
            next += 1;
            next - 1
        });
    }
}

/// The tests of a hypothesis, each with its column.
fn tests_of(hypothesis: &Hypothesis, features: &[Feature]) -> Result<Vec<(usize, CodeSet)>> {
    Ok(match hypothesis {
        Hypothesis::Stump(stump) => {
            let column = stump.test.column;
            vec![(column, stump.test.inside(n_codes(features, column)))]
        }
        Hypothesis::Rule(rule) => {
            let side = |column| n_codes(features, column);
            let literals = rule.literals.iter();
            literals.map(|one| (one.column, one.inside(side(one.column)))).collect()
        }
        Hypothesis::Tree(tree) => {
            let tests = tree.splits.iter().map(|split| &split.test);
            tests.map(|test| (test.column, test.inside(n_codes(features, test.column)))).collect()
        }
        Hypothesis::RbfNet(_) | Hypothesis::External(_) => {
            return Err(Error::internal("contributions are for stumps, rules and trees only"));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_tell_apart_what_tests_tell_apart() {
        let mut levels = vec![0; 6];
        split(&mut levels, &CodeSet::span(0, 2));
        assert_eq!(levels, [0, 0, 0, 1, 1, 1]);
        split(&mut levels, &CodeSet::span(2, 3));
        assert_eq!(levels, [0, 0, 1, 2, 3, 3]);
        let before = levels.clone();
        split(&mut levels, &CodeSet::span(0, 5));
        assert_eq!(levels, before);
        let player = Player::new(4, levels, &[3, 0, 1, 0, 2, 2]);
        assert_eq!(player.shares, [0.375, 0.125, 0.0, 0.5]);
        assert_eq!(player.codes, [1, 2, 3, 5]);
        assert_eq!(Player::new(0, vec![0, 1], &[0, 0]).shares, [0.5, 0.5]);
    }
}
