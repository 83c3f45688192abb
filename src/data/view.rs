//! What a learner reads of the rows: codes, numbers, or the caller's own frame.
//!
//! A fit keeps only the view that its learner asks for. The caller's frame is behind a trait, so
//! that the crate needs to know nothing of it.

use std::any::Any;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::binned::Binned;
use super::numbers::Numbers;
use super::rows::{ABSENT, Rows};
use crate::error::{Error, Result};

/// The kinds of view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sight {
    /// Codes of bins.
    Codes,
    /// Standardised numbers.
    Numbers,
    /// The caller's own frame.
    Frame,
}

impl Sight {
    /// How error messages call it.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Codes => "bins (Stump, Rule, Tree)",
            Self::Numbers => "numbers (RBFNet)",
            Self::Frame => "the frame itself (a scikit-learn classifier)",
        }
    }
}

/// Something of the caller's that is passed around unseen.
pub type Foreign = Arc<dyn Any + Send + Sync>;

/// Rows that only the caller can read, in the order in which they came.
pub trait Outside: Send + Sync {
    /// A hypothesis for these weights, whose mean is 1.
    fn fit(&self, weights: &[f64], round: usize) -> Result<Foreign>;

    /// What a hypothesis says of each row: votes, or confidences within ±1 if `real`.
    fn answer(&self, hypothesis: &Foreign, real: bool) -> Result<Vec<f64>>;
}

/// Where the caller's rows come from.
pub trait OutsideFrames: Send + Sync {
    /// Those of the training rows, or of the validation rows that the caller gave, at `places` that
    /// are not [`ABSENT`].
    fn rows(&self, places: &[u32], of_validation: bool) -> Result<Arc<dyn Outside>>;
}

/// The caller's rows, seen in class order.
pub struct Frame {
    outside: Arc<dyn Outside>,
    /// Where each row stands among those of the caller; `None` if the order is the same.
    order: Option<Vec<u32>>,
}

impl Frame {
    /// The caller's rows in their own order.
    #[must_use]
    pub fn new(outside: Arc<dyn Outside>) -> Self {
        Self { outside, order: None }
    }

    /// The caller's rows that take part, in class order.
    #[must_use]
    pub fn ordered(outside: Arc<dyn Outside>, rows: &Rows) -> Self {
        let mut order = vec![0; rows.len()];
        let taking_part = rows.places().iter().filter(|&&place| place != ABSENT);
        for (rank, &place) in taking_part.enumerate() {
            order[place as usize] = rank as u32;
        }
        Self { outside, order: Some(order) }
    }

    /// A hypothesis for these weights (in class order), whose mean is 1.
    pub fn fit(&self, weights: &[f64], round: usize) -> Result<Foreign> {
        let Some(order) = &self.order else { return self.outside.fit(weights, round) };
        let mut given = vec![0.0; weights.len()];
        for (&rank, &weight) in order.iter().zip(weights) {
            given[rank as usize] = weight;
        }
        self.outside.fit(&given, round)
    }

    /// What a hypothesis says of each row.
    pub fn answer(&self, hypothesis: &Foreign, real: bool) -> Result<Vec<f64>> {
        let answers = self.outside.answer(hypothesis, real)?;
        Ok(match &self.order {
            Some(order) => order.iter().map(|&rank| answers[rank as usize]).collect(),
            None => answers,
        })
    }
}

/// Rows as a learner reads them.
pub enum View {
    /// Codes of bins.
    Codes(Binned),
    /// Standardised numbers.
    Numbers(Numbers),
    /// The caller's own frame.
    Frame(Frame),
}

impl View {
    /// The codes.
    pub fn codes(&self) -> Result<&Binned> {
        match self {
            Self::Codes(data) => Ok(data),
            _ => Err(Error::internal("codes were asked for that nobody made")),
        }
    }

    /// The numbers.
    pub fn numbers(&self) -> Result<&Numbers> {
        match self {
            Self::Numbers(data) => Ok(data),
            _ => Err(Error::internal("numbers were asked for that nobody made")),
        }
    }

    /// The caller's frame.
    pub fn frame(&self) -> Result<&Frame> {
        match self {
            Self::Frame(frame) => Ok(frame),
            _ => Err(Error::internal("a frame was asked for that nobody handed over")),
        }
    }
}
