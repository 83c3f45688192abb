//! The rows that decide: a task is solved on the rows at the threshold and the columns in use.
//!
//! A row strictly below the threshold pays a linear penalty and a row strictly above pays nothing;
//! only at the kink between them does a row need a constraint and a slack. So guess each row's
//! piece, solve the small program, look at all rows and columns, hand over those that were guessed
//! wrongly too, and repeat. What is handed over only grows, so this ends, with the optimum over all
//! rows: by convexity a consistent guess is right, and the gap over all rows proves it.

use super::approach::{Interior, approach};
use super::conic::{Answer, Clock, Reduced};
use super::task::{Dual, Found, Primal, Task};
use crate::error::Result;

/// How near zero or its price (as a part of the price) the dual of a row is that is clearly above
/// or below.
const CLEAR: f64 = 1e-3;
/// Rounds of small programs after which a start of the caller's is given up.
const PATIENCE: usize = 4;
/// How far a guess may be off before it is wrong.
const SLIP: f64 = 1e-9;

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Piece {
    Above,
    Below,
    Kink,
}

/// What is handed to Clarabel.
#[derive(Debug)]
struct Guess {
    pieces: Vec<Piece>,
    in_use: Vec<bool>,
}

/// An answer, looked at over all rows.
struct Seen {
    x: Vec<f64>,
    primal: Primal,
    dual: Dual,
    /// The threshold in the small program.
    threshold: f64,
    almost: bool,
}

/// Solves a task; one of at most `whole_up_to` rows as it stands.
pub(super) fn solve(task: &Task, whole_up_to: usize, clock: &Clock) -> Result<Found> {
    let mut counts = Counts::default();
    if task.rows.n_rows() <= whole_up_to {
        return finish(task, Guess::whole(task), usize::MAX, &mut counts, clock);
    }
    if let Some((x, is_new)) = &task.start {
        let guess = Guess::around(task, x, is_new, clock)?;
        let found = finish(task, guess, PATIENCE, &mut counts, clock)?;
        if !found.almost {
            return Ok(found);
        }
    }
    let total: f64 = task.prices.iter().sum();
    let guess = if task.threshold.is_none() && total <= 1.0 + 1e-9 {
        // ν = 1: no dual but the prices themselves, and so every row is below.
        Guess::all_below(task)
    } else {
        Guess::at(task, &approach(task, clock)?)
    };
    finish(task, guess, usize::MAX, &mut counts, clock)
}

/// What all calls of Clarabel took together.
#[derive(Default)]
struct Counts {
    iterations: usize,
    rows_used: usize,
}

/// Solves small programs until the gap over all rows closes. "Almost" if it does not within so many
/// rounds.
fn finish(
    task: &Task,
    mut guess: Guess,
    rounds: usize,
    counts: &mut Counts,
    clock: &Clock,
) -> Result<Found> {
    let mut round = 0;
    loop {
        round += 1;
        let (seen, answer_columns) = guess.solve(task, counts, clock)?;
        let closed = seen.gap() <= seen.allowed(clock);
        let corrected = !closed && guess.correct(task, &seen);
        if corrected && round < rounds {
            continue;
        }
        let _ = answer_columns;
        return Ok(Found {
            x: seen.x,
            duals: seen.dual.duals,
            iterations: counts.iterations,
            rows_used: counts.rows_used,
            almost: seen.almost || corrected,
        });
    }
}

impl Seen {
    fn gap(&self) -> f64 {
        (self.primal.objective - self.dual.objective).abs()
    }

    /// The gap that the tolerance allows.
    fn allowed(&self, clock: &Clock) -> f64 {
        clock.limits.tolerance * self.primal.objective.abs().max(1e-3)
    }
}

impl Guess {
    /// All rows and columns.
    fn whole(task: &Task) -> Self {
        Self {
            pieces: vec![Piece::Kink; task.rows.n_rows()],
            in_use: vec![true; task.rows.n_columns()],
        }
    }

    fn all_below(task: &Task) -> Self {
        Self { pieces: vec![Piece::Below; task.rows.n_rows()], ..Self::whole(task) }
    }

    /// By the duals of a point near the optimum.
    fn at(task: &Task, near: &Interior) -> Self {
        let place = |i: usize| {
            if near.under.is_empty() {
                let clear = near.duals[i] < 1e-2 * near.over[i];
                return if clear { Piece::Above } else { Piece::Kink };
            }
            let (over, under) = (near.over[i], near.under[i]);
            if over > under && near.duals[i] < CLEAR * task.prices[i] {
                Piece::Above
            } else if under > over && near.spare[i] < CLEAR * task.prices[i] {
                Piece::Below
            } else {
                Piece::Kink
            }
        };
        let most = near.x.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let in_use = near.x.iter().zip(&near.z).map(|(x, z)| x / most > 1e-2 * z);
        Self { pieces: (0..near.over.len()).map(place).collect(), in_use: in_use.collect() }
    }

    /// The rows nearest to the threshold under some weights, and the columns that have weight or
    /// are new.
    fn around(task: &Task, x: &[f64], is_new: &[bool], clock: &Clock) -> Result<Self> {
        let primal = task.primal(x, clock.workers)?;
        let distance = |margin: f64| (margin - primal.threshold).abs();
        let in_use: Vec<bool> = x.iter().zip(is_new).map(|(x, new)| *x > 0.0 || *new).collect();
        let many = 100 + 2 * in_use.iter().filter(|used| **used).count();
        let mut sorted: Vec<f64> = primal.margins.iter().map(|margin| distance(*margin)).collect();
        sorted.sort_by(f64::total_cmp);
        let far = sorted[many.min(sorted.len() - 1)];
        let place = |margin: &f64| {
            if distance(*margin) <= far {
                Piece::Kink
            } else if *margin > primal.threshold || task.is_hard() {
                Piece::Above
            } else {
                Piece::Below
            }
        };
        Ok(Self { pieces: primal.margins.iter().map(place).collect(), in_use })
    }

    fn solve(&self, task: &Task, counts: &mut Counts, clock: &Clock) -> Result<(Seen, usize)> {
        let places = |wanted: Piece| {
            let rows = self.pieces.iter().enumerate();
            rows.filter(move |(_, piece)| **piece == wanted).map(|(row, _)| row)
        };
        let kinks: Vec<usize> = places(Piece::Kink).collect();
        let columns: Vec<usize> =
            (0..self.in_use.len()).filter(|&column| self.in_use[column]).collect();
        let mut duals = vec![0.0; self.pieces.len()];
        places(Piece::Below).for_each(|row| duals[row] = task.prices[row]);
        let pull = task.rows.transposed_times(&duals, clock.workers)?;
        let below = duals.iter().sum();
        let reduced = Reduced { task, kinks: &kinks, columns: &columns, pull: &pull, below };
        let answer = reduced.solve(clock)?;
        counts.iterations += answer.iterations;
        counts.rows_used = counts.rows_used.max(kinks.len());
        for (row, dual) in kinks.iter().zip(&answer.duals) {
            duals[*row] = *dual;
        }
        let mut x = vec![0.0; self.in_use.len()];
        for (column, value) in columns.iter().zip(clean(task, &answer)) {
            x[*column] = value;
        }
        let primal = task.primal(&x, clock.workers)?;
        let dual = task.dual(duals, clock.workers)?;
        let threshold = answer.threshold.unwrap_or(primal.threshold);
        Ok((Seen { x, primal, dual, threshold, almost: answer.almost }, columns.len()))
    }

    /// Hands over the rows and columns that were guessed wrongly; whether there were any.
    fn correct(&mut self, task: &Task, seen: &Seen) -> bool {
        let mut wrong = false;
        for (piece, margin) in self.pieces.iter_mut().zip(&seen.primal.margins) {
            let over = margin - seen.threshold;
            let slips = match piece {
                Piece::Kink => false,
                Piece::Above => over < -SLIP,
                Piece::Below => over > SLIP,
            };
            if slips {
                *piece = Piece::Kink;
                wrong = true;
            }
        }
        let edges = &seen.dual.edges;
        let used = edges.iter().zip(&self.in_use).filter(|(_, used)| **used);
        let most = used.map(|(edge, _)| *edge).fold(f64::NEG_INFINITY, f64::max);
        for (j, used) in self.in_use.iter_mut().enumerate() {
            let bound = if task.threshold.is_some() { task.costs[j] } else { most };
            if !*used && edges[j] > bound + SLIP {
                *used = true;
                wrong = true;
            }
        }
        wrong
    }
}

/// Clarabel's weights with exact zeros, summing to one where they should.
fn clean(task: &Task, answer: &Answer) -> Vec<f64> {
    let most = answer.x.iter().copied().fold(0.0, f64::max);
    let weigh = |(&x, &z): (&f64, &f64)| if x <= 1e-6 * most && x <= z { 0.0 } else { x.max(0.0) };
    let mut x: Vec<f64> = answer.x.iter().zip(&answer.z).map(weigh).collect();
    if task.threshold.is_none() {
        let sum: f64 = x.iter().sum();
        x.iter_mut().for_each(|x| *x /= sum);
    }
    x
}
