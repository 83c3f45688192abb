//! The boosted trees of a fit: cross-fitted, and shortened to the best number of rounds.
//!
//! In: the rows of a fit. Out: runs of the booster, and the scores of judged rows by the run that has
//! not seen them, after each of some numbers of rounds.

use super::blend::log_loss;
use super::boosted::{BoostedRun, N_FOLDS, RunRule, boost};
use super::plan::{LARGE, LARGE_ROUNDS, STAGES};
use super::{Fit, Truth};
use crate::checkpoint::Log;
use crate::error::Result;
use crate::sampling::hashed;

/// The boosted runs, and the scores of judged rows by the run that has not seen them.
pub(super) struct Boosted {
    pub runs: Vec<BoostedRun>,
    /// By stage: row after row, class after class.
    pub scores: Vec<Vec<f64>>,
    /// Whether a judged row was held back by some run.
    pub is_held: Vec<bool>,
    /// By stage.
    pub losses: Vec<f64>,
}

impl Fit<'_> {
    /// The fold of every row: of each class as many in every fold, whatever the order of rows.
    pub(super) fn folds(&self) -> Vec<u64> {
        let mut order: Vec<(u32, u64, u32)> = (0..self.rows.len() as u32)
            .map(|place| {
                let number = self.rows.numbers[place as usize];
                let hash = hashed(self.seed(), u64::MAX - 1, number.into());
                (self.rows.classes[place as usize], hash, place)
            })
            .collect();
        order.sort_unstable();
        let mut folds = vec![0; self.rows.len()];
        for (at, (_, _, place)) in order.into_iter().enumerate() {
            folds[place as usize] = at as u64 % N_FOLDS;
        }
        folds
    }

    /// The numbers of rounds among which one is chosen.
    pub(super) fn stages(&self) -> Vec<usize> {
        let is_large = self.pool.auto_rounds && self.rows.len() > LARGE;
        let most = if is_large { LARGE_ROUNDS } else { self.settings.n_estimators };
        let mut stages: Vec<usize> = STAGES.into_iter().filter(|stage| *stage < most).collect();
        stages.push(most);
        stages
    }

    /// Runs the booster without each fold, or without one of them if there are many rows.
    pub(super) fn boosted(&self, judged: &[u32], log: &mut Log) -> Result<Boosted> {
        let (folds, stages) = (self.folds(), self.stages());
        let n_classes = self.rows.n_classes;
        let mut boosted = Boosted {
            runs: Vec::new(),
            scores: vec![vec![0.0; judged.len() * n_classes]; stages.len()],
            is_held: vec![false; judged.len()],
            losses: Vec::new(),
        };
        let n_runs = if self.rows.len() > LARGE { 1 } else { N_FOLDS };
        for fold in 0..n_runs {
            let places = 0..self.rows.len() as u32;
            let (held, train): (Vec<u32>, Vec<u32>) =
                places.partition(|&place| folds[place as usize] == fold);
            // Of the rows held back those that are judged.
            let at: Vec<usize> =
                (0..judged.len()).filter(|&at| folds[judged[at] as usize] == fold).collect();
            let held: Vec<u32> =
                held.into_iter().filter(|place| judged.binary_search(place).is_ok()).collect();
            let share = 0.6 + 0.35 * (fold + 1) as f64 / N_FOLDS as f64;
            let rule = RunRule {
                settings: self.settings,
                stages: &stages,
                deadline: self.deadline(if n_runs == 1 { 0.5 } else { share }),
            };
            let run = boost(self.rows, (&train, &held), &rule, log)?;
            for (to, from) in boosted.scores.iter_mut().zip(&run.held_scores) {
                for (at, scores) in at.iter().zip(from.chunks(n_classes)) {
                    to[at * n_classes..][..n_classes].copy_from_slice(scores);
                }
            }
            for &at in &at {
                boosted.is_held[at] = true;
            }
            boosted.runs.push(run);
        }
        Ok(boosted)
    }

    /// The runs that the model is made of, with no more rounds than the chosen ones.
    pub(super) fn final_runs(
        &self,
        runs: Vec<BoostedRun>,
        stage: usize,
        log: &mut Log,
    ) -> Result<Vec<BoostedRun>> {
        let n_rounds = self.stages()[stage];
        if self.rows.len() <= LARGE {
            let shortened = runs.into_iter().map(|mut run| {
                run.members.retain(|member| member.round < n_rounds);
                run.n_rounds = run.n_rounds.min(n_rounds);
                run
            });
            return Ok(shortened.collect());
        }
        let rule =
            RunRule { settings: self.settings, stages: &[n_rounds], deadline: self.deadline(0.95) };
        let all: Vec<u32> = (0..self.rows.len() as u32).collect();
        Ok(vec![boost(self.rows, (&all, &[]), &rule, log)?])
    }
}

impl Boosted {
    /// The stage with the least log loss over the rows held back.
    pub(super) fn best_stage(&mut self, truth: &Truth, n_classes: usize) -> usize {
        let is_held = &self.is_held;
        let loss = |scores: &Vec<f64>| log_loss(scores, truth, n_classes, |row| is_held[row]);
        self.losses = self.scores.iter().map(loss).collect();
        let best = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        self.losses.iter().position(|loss| *loss <= best).unwrap_or(0)
    }
}
