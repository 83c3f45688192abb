//! Scores after every round, without starting over: one hypothesis is added at a time.
//!
//! In: a model and a view of the rows, which is kept. Out: the scores after round 1, 2, …

use std::sync::Arc;

use super::Model;
use crate::data::View;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::Workers;

/// A walk through the rounds of a model on one frame.
pub struct Staged {
    model: Arc<Model>,
    view: View,
    answers: Answers,
    scores: Vec<f64>,
    round: usize,
}

impl Staged {
    pub(super) fn new(model: &Arc<Model>, view: View, n_rows: usize) -> Self {
        Self {
            model: model.clone(),
            view,
            answers: Answers::default(),
            scores: vec![0.0; n_rows],
            round: 0,
        }
    }

    /// The scores after the last round.
    pub(super) fn finish(mut self, workers: &Workers) -> Result<Vec<f64>> {
        while self.advance(workers)?.is_some() {
            workers.check()?;
        }
        Ok(self.scores)
    }

    /// The scores after the next round, or `None` after the last.
    pub fn advance(&mut self, workers: &Workers) -> Result<Option<&[f64]>> {
        let Some(hypothesis) = self.model.hypotheses.get(self.round) else { return Ok(None) };
        let weight = self.model.weights[self.round];
        hypothesis.answer(&self.view, workers, &mut self.answers)?;
        match &self.answers {
            Answers::Parts { part, values } => {
                for (score, &part) in self.scores.iter_mut().zip(part) {
                    *score += weight * values[usize::from(part)];
                }
            }
            Answers::Each(numbers) => {
                for (score, number) in self.scores.iter_mut().zip(numbers) {
                    *score += weight * number;
                }
            }
        }
        self.round += 1;
        Ok(Some(&self.scores))
    }
}
