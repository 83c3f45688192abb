//! Scores after every round, without starting over: one hypothesis is added at a time.
//!
//! In: a model and a view of the rows, which is kept. Out: the scores after round 1, 2, …

use std::sync::Arc;

use super::Model;
use crate::combiner::{Addition, ScoreStep};
use crate::data::View;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::workers::Workers;

/// A walk through the rounds of a model on one frame.
pub struct Staged {
    model: Arc<Model>,
    view: View,
    answers: Answers,
    outputs: Vec<Vec<f64>>,
    scores: Vec<f64>,
    round: usize,
    /// The next hypothesis.
    next: usize,
}

impl Staged {
    pub(super) fn new(model: &Arc<Model>, view: View, n_rows: usize) -> Self {
        Self {
            view,
            answers: Answers::default(),
            outputs: (0..model.combiner.n_outputs())
                .map(|output| vec![model.combiner.first_value(output); n_rows])
                .collect(),
            scores: vec![0.0; n_rows * model.combiner.n_scores()],
            round: 0,
            next: 0,
            model: model.clone(),
        }
    }

    /// What the scores tell after the last round.
    pub(super) fn finish(mut self, workers: &Workers) -> Result<Vec<f64>> {
        while self.advance(workers)?.is_some() {
            workers.check()?;
        }
        Ok(self.scores)
    }

    /// What the scores tell after the next round, row by row, or `None` after the last.
    pub fn advance(&mut self, workers: &Workers) -> Result<Option<&[f64]>> {
        if self.round == self.model.history.n_rounds() {
            return Ok(None);
        }
        let mut outputs: Vec<&mut [f64]> = self.outputs.iter_mut().map(Vec::as_mut_slice).collect();
        let (combiner, later) = (&self.model.combiner, &self.model.members[self.next..]);
        let n_members = later.iter().take_while(|member| member.round == self.round).count();
        let members = &later[..n_members];
        for deed in combiner.steps(self.round, members.iter().map(|member| member.output)) {
            let addition = match deed {
                ScoreStep::Hypothesis(at) => {
                    members[at].hypothesis.answer(&self.view, workers, &mut self.answers)?;
                    combiner.addition(&self.answers, members[at].weighted())
                }
                ScoreStep::Pass(output) => Addition::Pass(output),
            };
            addition.apply(0..outputs[0].len(), &mut outputs);
        }
        self.next += n_members;
        self.round += 1;
        let outputs: Vec<&[f64]> = self.outputs.iter().map(Vec::as_slice).collect();
        self.model.combiner.write_scores_after(self.round, &outputs, &mut self.scores);
        Ok(Some(&self.scores))
    }
}
