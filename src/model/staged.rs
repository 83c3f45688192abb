//! Scores after every round, without starting over: one hypothesis is added at a time.
//!
//! In: a model and a frame, whose codes are kept. Out: the scores after round 1, 2, …

use std::sync::Arc;

use super::Model;
use crate::data::{Binned, Table};
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::Workers;

/// A walk through the rounds of a model on one frame.
pub struct Staged {
    model: Arc<Model>,
    data: Binned,
    answers: Answers,
    scores: Vec<f64>,
    round: usize,
}

impl Staged {
    pub(super) fn new(model: &Arc<Model>, table: &Table, workers: &Workers) -> Result<Self> {
        let columns = table.align(&model.features, model.named)?;
        let data = Binned::encode(&columns, &model.bins(), None, table.n_rows(), workers)?;
        Ok(Self {
            model: model.clone(),
            data,
            answers: Answers::default(),
            scores: vec![0.0; table.n_rows()],
            round: 0,
        })
    }

    /// The scores after the next round, or `None` after the last.
    pub fn advance(&mut self, workers: &Workers) -> Result<Option<&[f64]>> {
        let Some(hypothesis) = self.model.hypotheses.get(self.round) else { return Ok(None) };
        let weight = self.model.weights[self.round];
        hypothesis.answer(&self.data, workers, &mut self.answers)?;
        for (score, &part) in self.scores.iter_mut().zip(&self.answers.part) {
            *score += weight * self.answers.values[usize::from(part)];
        }
        self.round += 1;
        Ok(Some(&self.scores))
    }
}
