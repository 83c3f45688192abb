//! What every column contributes to the scores of a row: Shapley values.
//!
//! In: a model of stumps, rules or trees, and rows. Out: a number for every column and row, and a bias,
//! which add up to the score; for several classes as many of each. Scores that are sums are taken apart
//! hypothesis by hypothesis (`sums`). Others are a game of columns (`game`), in which the value of a
//! column that is not known is drawn from that of the training rows, whatever the others are: exact
//! where hypotheses of one column each are counted (`counted`) or where there are few combinations of
//! values (`enumerated`), else an estimate from random orders (`sampled`).

mod buffer;
mod counted;
mod enumerated;
mod game;
mod product;
mod regions;
mod sampled;
mod sums;

pub use sampled::Orders;

use super::Model;
use crate::combiner::Decoding;
use crate::data::Table;
use crate::error::{Error, Result};
use crate::workers::Workers;
use counted::Counted;
use enumerated::Enumerated;
use game::Game;

/// The contributions of some rows.
#[derive(Debug)]
pub struct Contributions {
    /// By column: row after row, a number for each score; `None` for columns that no hypothesis tests.
    pub by_column: Vec<Option<Vec<f64>>>,
    /// The score of a row of which nothing is known, for each score.
    pub bias: Vec<f64>,
    /// How far they may be off, if they are estimated.
    pub errors: Option<Errors>,
}

/// Standard errors of contributions.
#[derive(Debug)]
pub struct Errors {
    /// By column, as the contributions.
    pub by_column: Vec<Option<Vec<f64>>>,
    /// Of the bias.
    pub bias: Vec<f64>,
}

impl Model {
    /// What every column contributes to the scores of these rows; `orders` are drawn if all are too many.
    pub fn contributions(
        &self,
        table: &Table,
        orders: &Orders,
        workers: &Workers,
    ) -> Result<Contributions> {
        if self.combiner.is_sum() {
            return sums::contributions(self, table, workers);
        }
        if !self.combiner.decoding().is_none_or(Decoding::is_sum) {
            return Err(Error::internal("contributions are not defined for such scores"));
        }
        let game = Game::new(self, workers)?;
        if let Some(counted) = Counted::of(self, &game) {
            return counted.contributions(&game, table, workers);
        }
        match Enumerated::of(&game, workers)? {
            Some(enumerated) => enumerated.contributions(&game, table, workers),
            None => sampled::contributions(&game, orders, table, workers),
        }
    }
}
