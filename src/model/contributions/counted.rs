//! Shapley values where hypotheses of one column each are counted.
//!
//! In: a game of which each score is looked up by how many hypotheses fire, all of them testing one
//! column. Out: exact values, however many columns there are. With columns in a random order each one
//! before a certain column j is known with the same probability t, apart from all others, so what j
//! adds is an integral over t from 0 to 1 of a polynomial in t: the mean over the count of the others
//! of what knowing j changes in the table. A Gauss rule of half as many points as columns is exact;
//! at a point, counts of the columns before j and mean scores over those after it are added column
//! by column. Cost for a row: ½ d points, each of (rounds)² additions.

use super::Contributions;
use super::game::Game;
use super::product::GaussRule;
use crate::combiner::Buckets;
use crate::data::Table;
use crate::error::Result;
use crate::model::Model;
use crate::workers::Workers;

/// Rows that a task explains.
const ROWS_OF_TASK: usize = 1 << 8;

/// A game of counts.
pub(super) struct Counted<'a> {
    model: &'a Model,
    /// By problem.
    problems: Vec<Problem<'a>>,
}

/// A count and its table.
struct Problem<'a> {
    table: &'a Buckets,
    /// By player and level: how many hypotheses fire.
    fires: Vec<Vec<usize>>,
    /// By player: the probability of each number of hypotheses that fire, if it is not known.
    chances: Vec<Vec<f64>>,
}

impl<'a> Counted<'a> {
    /// The counts of a game; `None` if it has none, or hypotheses of several columns.
    pub fn of(model: &'a Model, game: &Game) -> Option<Self> {
        let tables = model.combiner.all_tables();
        if tables.is_empty() {
            return None;
        }
        let functions = model.step_functions();
        if !functions.others.is_empty() {
            return None;
        }
        let problem = |(output, table): (usize, &'a Buckets)| {
            let mut problem = Problem { table, fires: Vec::new(), chances: Vec::new() };
            for player in &game.players {
                let sums = functions.by_column[player.column].as_ref();
                let count =
                    |&code: &u16| sums.map_or(0, |sums| sums[output][usize::from(code)] as usize);
                let fires: Vec<usize> = player.codes.iter().map(count).collect();
                let mut chances = vec![0.0; fires.iter().max().map_or(1, |most| most + 1)];
                for (&count, share) in fires.iter().zip(&player.shares) {
                    chances[count] += share;
                }
                problem.fires.push(fires);
                problem.chances.push(chances);
            }
            problem
        };
        Some(Self { model, problems: tables.iter().enumerate().map(problem).collect() })
    }

    /// The contributions of all rows.
    pub fn contributions(
        &self,
        game: &Game,
        table: &Table,
        workers: &Workers,
    ) -> Result<Contributions> {
        let columns = game.columns(table)?;
        let (n_rows, d, n_scores) = (table.n_rows(), game.players.len(), game.n_scores());
        let rule = GaussRule::for_sides(d);
        let tasks: Vec<usize> = (0..n_rows).step_by(ROWS_OF_TASK).collect();
        let n_rounds = self.model.history.n_rounds();
        let steps = n_rows.saturating_mul(d * (n_rounds + 1) * (n_rounds + 1));
        let found = workers.map(steps, tasks, |start| {
            let n_rows = ROWS_OF_TASK.min(n_rows - start);
            let mut levels = vec![vec![0; n_rows]; d];
            for (player, codes) in levels.iter_mut().enumerate() {
                game.encode(player, &columns, start, codes);
                for code in codes {
                    *code = game.players[player].level_of[usize::from(*code)];
                }
            }
            let mut by_player = vec![vec![0.0; n_rows * n_scores]; d];
            for row in 0..n_rows {
                workers.check()?;
                let of_row: Vec<usize> =
                    levels.iter().map(|levels| usize::from(levels[row])).collect();
                let of_problems: Vec<Vec<f64>> =
                    self.problems.iter().map(|problem| problem.shapley(&of_row, &rule)).collect();
                for (player, to) in by_player.iter_mut().enumerate() {
                    let to = &mut to[row * n_scores..][..n_scores];
                    self.write_scores(player, &of_problems, to);
                }
            }
            Ok(by_player)
        })?;
        let mut by_player = vec![Vec::with_capacity(n_rows * n_scores); d];
        for of_task in found {
            by_player.iter_mut().zip(of_task).for_each(|(to, own)| to.extend(own));
        }
        let means: Vec<Vec<f64>> = self.problems.iter().map(Problem::mean).collect();
        let mut bias = vec![0.0; n_scores];
        self.write_scores(0, &means, &mut bias);
        Ok(Contributions { by_column: game.by_column(by_player), bias, errors: None })
    }

    /// Writes numbers for the scores of classes, made of those of a player for each problem. Scores of
    /// classes are sums, so that what adds to the scores of problems adds to them.
    fn write_scores(&self, player: usize, of_problems: &[Vec<f64>], scores: &mut [f64]) {
        match (self.model.combiner.problems_of_tables(), of_problems) {
            (Some(problems), _) => {
                let numbers: Vec<&[f64]> =
                    of_problems.iter().map(|numbers| &numbers[player..=player]).collect();
                problems.write_scores(&numbers, scores);
            }
            (None, [numbers]) => {
                let n_scores = scores.len();
                scores.copy_from_slice(&numbers[player * n_scores..][..n_scores]);
            }
            (None, _) => {}
        }
    }
}

impl Problem<'_> {
    fn n_scores(&self) -> usize {
        if self.table.n_classes == 2 { 1 } else { self.table.n_classes }
    }

    /// The mean scores if nothing is known.
    fn mean(&self) -> Vec<f64> {
        let mut values = self.all_scores();
        for chances in &self.chances {
            values = mean_over(&values, chances, self.n_scores());
        }
        values.truncate(self.n_scores());
        values
    }

    /// The scores by count.
    fn all_scores(&self) -> Vec<f64> {
        self.table.stage(usize::MAX).to_vec()
    }

    /// What each player adds for a row on these levels: player after player, a number for each score.
    fn shapley(&self, levels: &[usize], rule: &GaussRule) -> Vec<f64> {
        let (d, n_scores) = (self.fires.len(), self.n_scores());
        let mut added = vec![0.0; d * n_scores];
        for (t, weight) in rule.points() {
            let mixed = |player: usize| -> Vec<f64> {
                let mut chances: Vec<f64> =
                    self.chances[player].iter().map(|chance| (1.0 - t) * chance).collect();
                chances[self.fires[player][levels[player]]] += t;
                chances
            };
            // By player: the mean scores over those after it, by the count of it and those before.
            let mut after = vec![self.all_scores(); d];
            for player in (1..d).rev() {
                after[player - 1] = mean_over(&after[player], &mixed(player), n_scores);
            }
            // The probability of each count of those before.
            let mut before = vec![weight];
            for (player, after) in after.iter().enumerate() {
                let known = self.fires[player][levels[player]];
                let unknown = mean_over(after, &self.chances[player], n_scores);
                let to = &mut added[player * n_scores..][..n_scores];
                for (count, chance) in before.iter().enumerate() {
                    for (score, to) in to.iter_mut().enumerate() {
                        let with = after[(count + known) * n_scores + score];
                        *to += chance * (with - unknown[count * n_scores + score]);
                    }
                }
                before = sum_of(&before, &mixed(player));
            }
        }
        added
    }
}

/// By count the mean of scores over a further count with these probabilities; as many fewer counts as
/// that may be.
fn mean_over(scores: &[f64], chances: &[f64], n_scores: usize) -> Vec<f64> {
    let length = scores.len() - (chances.len() - 1) * n_scores;
    let mut means = vec![0.0; length];
    for (count, chance) in chances.iter().enumerate().filter(|(_, chance)| **chance != 0.0) {
        let later = &scores[count * n_scores..][..length];
        means.iter_mut().zip(later).for_each(|(mean, score)| *mean += chance * score);
    }
    means
}

/// The probabilities of the sum of two counts.
fn sum_of(first: &[f64], second: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; first.len() + second.len() - 1];
    for (count, chance) in second.iter().enumerate().filter(|(_, chance)| **chance != 0.0) {
        for (to, other) in sum[count..].iter_mut().zip(first) {
            *to += chance * other;
        }
    }
    sum
}
