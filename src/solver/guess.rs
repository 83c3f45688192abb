//! A guess at what decides: the piece of each row and the columns in use.
//!
//! In: a point near the optimum, or weights; out: what to hand to Clarabel. A wrong guess is
//! corrected by what an answer shows on all rows and columns.

use super::approach::Interior;
use super::conic::Clock;
use super::merge::{bits, places};
use super::task::Task;
use super::working_set::PreparedRows;
use crate::error::Result;
use crate::workers::Workers;

/// How near zero or its price (as a part of the price) the dual of a row is that is clearly above
/// or below.
const CLEAR: f64 = 1e-3;
/// How near the threshold a row is that may turn out to be at it.
const NEAR: f64 = 1e-6;
/// How far a guess may be off before it is wrong.
const SLIP: f64 = 1e-9;

/// Where a row is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Piece {
    Above,
    Below,
    Kink,
}

/// What is handed to Clarabel.
#[derive(Debug, Clone)]
pub(super) struct Guess {
    pub pieces: Vec<Piece>,
    pub in_use: Vec<bool>,
    /// Duals near the optimal ones.
    pub duals: Vec<f64>,
}

impl Guess {
    /// All rows and columns.
    pub fn whole(task: &Task) -> Self {
        Self {
            pieces: vec![Piece::Kink; task.rows.n_rows()],
            in_use: vec![true; task.rows.n_columns()],
            duals: task.prices.iter().map(|price| 0.5 * price.min(1.0)).collect(),
        }
    }

    pub fn all_below(task: &Task) -> Self {
        Self { pieces: vec![Piece::Below; task.rows.n_rows()], ..Self::whole(task) }
    }

    /// By the duals of a point near the optimum.
    pub fn at(task: &Task, near: &Interior) -> Self {
        let place = |i: usize| {
            if near.under.is_empty() {
                let clear = near.duals[i] < 1e-2 * near.over[i] && near.over[i] > NEAR;
                return if clear { Piece::Above } else { Piece::Kink };
            }
            let (over, under) = (near.over[i], near.under[i]);
            if (over - under).abs() < NEAR {
                Piece::Kink
            } else if over > under && near.duals[i] < CLEAR * task.prices[i] {
                Piece::Above
            } else if under > over && near.spare[i] < CLEAR * task.prices[i] {
                Piece::Below
            } else {
                Piece::Kink
            }
        };
        let most = near.x.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let in_use = near.x.iter().zip(&near.z).map(|(x, z)| x / most > 1e-2 * z);
        Self {
            pieces: (0..near.over.len()).map(place).collect(),
            in_use: in_use.collect(),
            duals: near.duals.clone(),
        }
    }

    /// The rows nearest to the threshold under some weights, and the columns that have weight or
    /// are new.
    pub fn around(task: &Task, x: &[f64], is_new: &[bool], clock: &Clock) -> Result<Self> {
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
        let pieces = primal.margins.iter().map(place).collect();
        Ok(Self { pieces, in_use, ..Self::whole(task) })
    }

    /// The rows in a piece.
    pub fn rows_in(&self, wanted: Piece) -> impl Iterator<Item = usize> {
        let rows = self.pieces.iter().enumerate();
        rows.filter(move |(_, piece)| **piece == wanted).map(|(row, _)| row)
    }

    /// The columns in use.
    pub fn columns(&self) -> Vec<usize> {
        (0..self.in_use.len()).filter(|&column| self.in_use[column]).collect()
    }

    /// Leaves the columns without weight out; whether there were any in use.
    pub fn narrow(&mut self, x: &[f64]) -> bool {
        let before = self.in_use.iter().filter(|used| **used).count();
        for (used, x) in self.in_use.iter_mut().zip(x) {
            *used &= *x > 0.0;
        }
        let after = self.in_use.iter().filter(|used| **used).count();
        after > 0 && after < before
    }

    /// Hands over the rows and columns that were guessed wrongly; whether there were any.
    pub fn correct(&mut self, task: &Task, seen: &PreparedRows) -> bool {
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
        let edges = &seen.edges;
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

/// Rows at the kink that are equal in the columns in use: one constraint for each group of them.
pub(super) struct Groups {
    rows: Vec<usize>,
    /// The group of each row.
    places: Vec<usize>,
    /// A row of each group, and the sum of its prices.
    pub kinks: Vec<(usize, f64)>,
}

impl Groups {
    pub fn new(
        task: &Task,
        rows: Vec<usize>,
        columns: &[usize],
        workers: &Workers,
    ) -> Result<Self> {
        let key = |i: usize| {
            let row = task.rows.row(rows[i]);
            columns.iter().map(move |&column| bits(row[column]))
        };
        let (places, firsts) = places(rows.len(), key, workers)?;
        let mut kinks: Vec<(usize, f64)> = firsts.iter().map(|&i| (rows[i], 0.0)).collect();
        for (&row, &place) in rows.iter().zip(&places) {
            kinks[place].1 += task.prices[row];
        }
        Ok(Self { rows, places, kinks })
    }

    /// Shares the dual of each group among its rows, in proportion to what `near` gives them. The
    /// edges of the columns in use are the same for every such share; those of the others, which
    /// have room, stay near what they were.
    pub fn share(&self, task: &Task, totals: &[f64], near: &[f64], duals: &mut [f64]) {
        let mut sums = vec![0.0; self.kinks.len()];
        for (&row, &place) in self.rows.iter().zip(&self.places) {
            sums[place] += near[row];
        }
        for (&row, &place) in self.rows.iter().zip(&self.places) {
            let (total, sum, all) = (totals[place], sums[place], self.kinks[place].1);
            duals[row] = if total <= sum || all.is_infinite() {
                near[row] * total / sum
            } else {
                near[row] + (task.prices[row] - near[row]) * (total - sum) / (all - sum)
            };
        }
    }
}
