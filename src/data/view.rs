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
pub enum ViewKind {
    /// Codes of bins.
    Codes,
    /// Standardised numbers.
    Numbers,
    /// The caller's own frame.
    Frame,
}

impl ViewKind {
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
pub type ExternalObject = Arc<dyn Any + Send + Sync>;

/// What is asked of an external hypothesis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExternalQuestion {
    /// −1 or +1.
    Vote,
    /// A confidence within ±1.
    Real,
    /// The number of a class.
    Class,
}

/// What an external hypothesis is fitted to.
#[derive(Debug, Clone)]
pub struct ExternalDemand {
    /// A weight per row, of mean 1; rows of weight zero have no say.
    pub weights: Vec<f64>,
    /// −1 or +1 per row, and 0 where a row does not take part; `None` if the labels are meant.
    pub targets: Option<Vec<i8>>,
    /// How many hypotheses there were before.
    pub round: usize,
}

/// Rows that only the caller can read, in the order in which they came.
pub trait ExternalRows: Send + Sync {
    /// A hypothesis for these weights and targets.
    fn fit(&self, demand: ExternalDemand) -> Result<ExternalObject>;

    /// What a hypothesis says of each row.
    fn answer(&self, hypothesis: &ExternalObject, asked: ExternalQuestion) -> Result<Vec<f64>>;
}

/// Where the caller's rows come from.
pub trait ExternalFrames: Send + Sync {
    /// Those of the training rows, or of the validation rows that the caller gave, at `places` that
    /// are not [`ABSENT`].
    fn rows(&self, places: &[u32], of_validation: bool) -> Result<Arc<dyn ExternalRows>>;
}

/// The caller's rows, seen in class order.
pub struct Frame {
    external: Arc<dyn ExternalRows>,
    /// Where each row stands among those of the caller; `None` if the order is the same.
    order: Option<Vec<u32>>,
}

impl Frame {
    /// The caller's rows in their own order.
    #[must_use]
    pub fn new(external: Arc<dyn ExternalRows>) -> Self {
        Self { external, order: None }
    }

    /// The caller's rows that take part, in class order.
    #[must_use]
    pub fn ordered(external: Arc<dyn ExternalRows>, rows: &Rows) -> Self {
        let mut order = vec![0; rows.len()];
        let taking_part = rows.places().iter().filter(|&&place| place != ABSENT);
        for (rank, &place) in taking_part.enumerate() {
            order[place as usize] = rank as u32;
        }
        Self { external, order: Some(order) }
    }

    /// The number of rows, if they are ordered.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.order.as_ref().map_or(0, Vec::len)
    }

    /// A hypothesis for weights and targets in class order.
    pub fn fit(&self, mut demand: ExternalDemand) -> Result<ExternalObject> {
        if let Some(order) = &self.order {
            demand.weights = in_order_of_ranks(&demand.weights, order);
            demand.targets = demand.targets.map(|targets| in_order_of_ranks(&targets, order));
        }
        self.external.fit(demand)
    }

    /// What a hypothesis says of each row.
    pub fn answer(&self, hypothesis: &ExternalObject, asked: ExternalQuestion) -> Result<Vec<f64>> {
        let answers = self.external.answer(hypothesis, asked)?;
        Ok(match &self.order {
            Some(order) => order.iter().map(|&rank| answers[rank as usize]).collect(),
            None => answers,
        })
    }
}

/// Puts the entry of each row where the row stands among those of the caller.
fn in_order_of_ranks<T: Copy + Default>(entries: &[T], order: &[u32]) -> Vec<T> {
    let mut ordered = vec![T::default(); entries.len()];
    for (&rank, &entry) in order.iter().zip(entries) {
        ordered[rank as usize] = entry;
    }
    ordered
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
            _ => Err(Error::internal(
                "this learner reads codes, but the rows were prepared for another kind of learner",
            )),
        }
    }

    /// The numbers.
    pub fn numbers(&self) -> Result<&Numbers> {
        match self {
            Self::Numbers(data) => Ok(data),
            _ => Err(Error::internal(
                "this learner reads numbers, but the rows were prepared for another kind of learner",
            )),
        }
    }

    /// The caller's frame.
    pub fn frame(&self) -> Result<&Frame> {
        match self {
            Self::Frame(frame) => Ok(frame),
            _ => Err(Error::internal(
                "this learner reads the caller's frame, but the rows were prepared for another kind of learner",
            )),
        }
    }
}
