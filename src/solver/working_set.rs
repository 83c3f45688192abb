//! The rows that decide: a task is solved on the rows at the threshold and the columns in use.
//!
//! A row strictly below the threshold pays a linear penalty and a row strictly above pays nothing;
//! only at the kink between them does a row need a constraint and a slack. So guess each row's
//! piece, solve the small program, look at all rows and columns, hand over those that were guessed
//! wrongly too, and repeat. What is handed over only grows, so this ends, with the optimum over all
//! rows: by convexity a consistent guess is right, and the gap over all rows proves it. Where Clarabel
//! fails, the interior point that the guess came from is the answer, with the gap that it has.

use super::approach::{Interior, approach};
use super::conic::{Clock, Reduced};
use super::guess::{Groups, Guess, Piece};
use super::task::{Dual, Found, Primal, Task};
use crate::error::{Error, Result};

/// Rounds of small programs after which a start of the caller's is given up.
const PATIENCE: usize = 4;

/// A gap that is good enough where closing it further would be dear, and the number of rows from
/// which on it is.
const GOOD: f64 = 2e-8;
const DEAR: usize = 1000;

/// The largest gap of an interior point that takes the place of Clarabel's answer.
const USABLE: f64 = 1e-2;

/// The best bound so far and what Clarabel took for all small programs together.
struct Search<'a> {
    task: &'a Task,
    clock: &'a Clock<'a>,
    proof: Option<Dual>,
    /// What the optimum is about.
    size: f64,
    iterations: usize,
    rows_used: usize,
}

/// An answer, looked at over all rows.
pub(super) struct PreparedRows {
    x: Vec<f64>,
    pub primal: Primal,
    /// Mᵀ d.
    pub edges: Vec<f64>,
    /// The threshold in the small program.
    pub threshold: f64,
    almost: bool,
}

/// Solves a task; one of at most `whole_up_to` rows as it stands.
pub(super) fn solve(task: &Task, whole_up_to: usize, clock: &Clock) -> Result<Found> {
    if let Some(found) = all_below(task, clock)? {
        return Ok(found);
    }
    let mut search = Search { task, clock, proof: None, size: 1.0, iterations: 0, rows_used: 0 };
    if task.rows.n_rows() <= whole_up_to {
        let settled = search.settle(Guess::whole(task), usize::MAX);
        return search.end_or_approach(settled);
    }
    if let Some((x, is_new)) = &task.start {
        let guess = Guess::around(task, x, is_new, clock)?;
        if !search.is_dear(&guess)? {
            match search.settle(guess, PATIENCE) {
                Ok((seen, true)) => return search.end(seen),
                Ok((_, false)) => {}
                // A start of the caller's that leads nowhere is no reason to give up.
                Err(failure) if search.outlives(&failure)? => {}
                Err(error) => return Err(error),
            }
        }
    }
    let total: f64 = task.prices.iter().sum();
    if task.threshold.is_none() && total <= 1.0 + 1e-9 {
        // ν = 1: no dual but the prices themselves, and so every row is below.
        let settled = search.settle(Guess::all_below(task), usize::MAX);
        return search.end_or_approach(settled);
    }
    let near = approach(task, clock)?;
    search.prove(near.duals.clone())?;
    let guess = Guess::at(task, &near);
    if task.threshold.is_none() && search.is_dear(&guess)? {
        // Where thousands of rows are at the kink, as if the optimum is zero, Clarabel takes minutes
        // and may fail.
        let seen = search.look_at(&near)?;
        if search.gap(&seen) <= GOOD.max(clock.limits.tolerance) * search.scale(&seen) {
            return search.end(seen);
        }
    }
    let settled = search.settle(guess, usize::MAX);
    match settled {
        Err(failure) if search.outlives(&failure)? => search.end_at(&near, failure),
        settled => search.end(settled?.0),
    }
}

impl Search<'_> {
    /// Solves small programs until the gap over all rows closes or no guess is wrong; whether that
    /// took no more than so many rounds.
    fn settle(&mut self, mut guess: Guess, rounds: usize) -> Result<(PreparedRows, bool)> {
        for round in 1.. {
            let seen = self.solve(&guess)?;
            let gap = self.gap(&seen) / self.scale(&seen);
            if gap <= self.clock.limits.tolerance {
                return Ok((seen, true));
            }
            if self.learn_size(&seen) {
                continue;
            }
            let narrower = guess.clone();
            if !guess.correct(self.task, &seen) || (gap <= GOOD && self.is_dear(&guess)?) {
                return Ok((self.narrow(narrower, seen)?, true));
            }
            if round >= rounds || (rounds == PATIENCE && self.is_dear(&guess)?) {
                return Ok((seen, false));
            }
        }
        Err(Error::internal("the working set did not converge"))
    }

    /// Tries once more without the columns that have no weight: the others may get theirs more
    /// exactly.
    fn narrow(&mut self, mut guess: Guess, seen: PreparedRows) -> Result<PreparedRows> {
        if !guess.narrow(&seen.x) {
            return Ok(seen);
        }
        match self.solve(&guess) {
            Ok(narrow) if narrow.primal.objective < seen.primal.objective => Ok(narrow),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            _ => Ok(seen),
        }
    }

    /// Solves a small program and looks at its answer over all rows.
    fn solve(&mut self, guess: &Guess) -> Result<PreparedRows> {
        let (task, clock) = (self.task, self.clock);
        let columns = guess.columns();
        let groups =
            Groups::new(task, guess.rows_in(Piece::Kink).collect(), &columns, clock.workers)?;
        let mut duals = vec![0.0; task.prices.len()];
        guess.rows_in(Piece::Below).for_each(|row| duals[row] = task.prices[row]);
        let pull = task.rows.transposed_times(&duals, clock.workers)?;
        let below = duals.iter().sum();
        let kinks = &groups.kinks;
        let size = self.size;
        let reduced = Reduced { task, kinks, columns: &columns, pull: &pull, below, size };
        let answer = reduced.solve(clock)?;
        self.iterations += answer.iterations;
        self.rows_used = self.rows_used.max(kinks.len());
        let mut x = vec![0.0; task.rows.n_columns()];
        for (column, value) in columns.iter().zip(clean(task, &answer.x, &answer.z)) {
            x[*column] = value;
        }
        let primal = task.primal(&x, clock.workers)?;
        groups.share(task, &answer.duals, &guess.duals, &mut duals);
        let edges = self.prove(duals)?;
        let threshold = answer.threshold.unwrap_or(primal.threshold);
        Ok(PreparedRows { x, primal, edges, threshold, almost: answer.almost })
    }

    /// Keeps duals if their bound is the best so far; their edges.
    fn prove(&mut self, duals: Vec<f64>) -> Result<Vec<f64>> {
        let mut dual = self.task.dual(duals, self.clock.workers)?;
        let edges = std::mem::take(&mut dual.edges);
        if self.proof.as_ref().is_none_or(|best| dual.objective > best.objective) {
            self.proof = Some(dual);
        }
        Ok(edges)
    }

    fn gap(&self, seen: &PreparedRows) -> f64 {
        let bound = self.proof.as_ref().map_or(f64::NEG_INFINITY, |proof| proof.objective);
        (seen.primal.objective - bound).abs()
    }

    /// What gaps are compared with: the objective, or a tenth of the largest margin where ρ is near
    /// zero.
    fn scale(&self, seen: &PreparedRows) -> f64 {
        let least = if self.task.threshold.is_none() { 0.1 } else { 1e-12 };
        seen.primal.objective.abs().max(least)
    }

    /// Whether the optimum is so much smaller than thought that Clarabel has to be more exact.
    fn learn_size(&mut self, seen: &PreparedRows) -> bool {
        let size = seen.primal.objective.abs().max(1e-12);
        let is_news = self.task.threshold.is_some() && size < 0.1 * self.size;
        if is_news {
            self.size = size;
        }
        is_news
    }

    /// Whether a guess hands over more than Clarabel solves in a moment.
    fn is_dear(&self, guess: &Guess) -> Result<bool> {
        let kinks = guess.rows_in(Piece::Kink).collect();
        let groups = Groups::new(self.task, kinks, &guess.columns(), self.clock.workers)?;
        Ok(groups.kinks.len() > DEAR)
    }

    /// Whether there is something left to try after an error: it is Clarabel's, and time is not up.
    fn outlives(&self, error: &Error) -> Result<bool> {
        let is_failure = matches!(error, Error::Solver { .. });
        if is_failure {
            self.clock.seconds_left()?;
        }
        Ok(is_failure)
    }

    /// The end of a search that has not come near the optimum by itself before.
    fn end_or_approach(self, settled: Result<(PreparedRows, bool)>) -> Result<Found> {
        match settled {
            Err(failure) if self.outlives(&failure)? => {
                let near = approach(self.task, self.clock)?;
                self.end_at(&near, failure)
            }
            settled => self.end(settled?.0),
        }
    }

    /// The end at an interior point, if its gap over all rows is small enough; else the failure.
    fn end_at(mut self, near: &Interior, failure: Error) -> Result<Found> {
        let seen = self.look_at(near)?;
        if self.gap(&seen) <= USABLE * self.scale(&seen) { self.end(seen) } else { Err(failure) }
    }

    /// An interior point, looked at over all rows like an answer of Clarabel's.
    fn look_at(&mut self, near: &Interior) -> Result<PreparedRows> {
        let x = clean(self.task, &near.x, &near.z);
        let primal = self.task.primal(&x, self.clock.workers)?;
        let edges = self.prove(near.duals.clone())?;
        let threshold = primal.threshold;
        Ok(PreparedRows { x, primal, edges, threshold, almost: false })
    }

    fn end(self, seen: PreparedRows) -> Result<Found> {
        let proof =
            self.proof.ok_or_else(|| Error::internal("a solution without a certificate"))?;
        Ok(Found {
            x: seen.x,
            duals: proof.duals,
            iterations: self.iterations,
            rows_used: self.rows_used,
            almost: seen.almost,
        })
    }
}

/// The optimum if slack is so cheap that all rows stay below a fixed threshold: then every weight has
/// a formula of its own.
fn all_below(task: &Task, clock: &Clock) -> Result<Option<Found>> {
    let Some(threshold) = task.threshold else { return Ok(None) };
    let pull = task.rows.transposed_times(&task.prices, clock.workers)?;
    let gains = || pull.iter().zip(&task.costs).map(|(pull, cost)| pull - cost);
    if gains().zip(&task.squares).any(|(gain, q)| gain > 0.0 && *q == 0.0) {
        return Ok(None);
    }
    let weights = gains().zip(&task.squares);
    let x: Vec<f64> =
        weights.map(|(gain, q)| if gain > 0.0 { gain / (2.0 * q) } else { 0.0 }).collect();
    let margins = task.rows.times(&x, clock.workers)?;
    let is_right = margins.iter().all(|margin| *margin <= threshold);
    let duals = task.prices.clone();
    Ok(is_right.then_some(Found { x, duals, iterations: 0, rows_used: 0, almost: false }))
}

/// Weights with exact zeros, summing to one where they should; `z` are the duals of x ≥ 0.
fn clean(task: &Task, x: &[f64], z: &[f64]) -> Vec<f64> {
    let most = x.iter().copied().fold(1e-3, f64::max);
    let weigh = |(&x, &z): (&f64, &f64)| if x <= 1e-6 * most && x <= z { 0.0 } else { x.max(0.0) };
    let mut x: Vec<f64> = x.iter().zip(z).map(weigh).collect();
    if task.threshold.is_none() {
        let sum: f64 = x.iter().sum();
        for x in &mut x {
            *x /= sum;
        }
    }
    x
}
