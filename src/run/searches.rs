//! The searches of a round: one hypothesis after the other, or several side by side.
//!
//! In: a run before a round, and what a checkpoint knows of the round, if anything. Out: the hypotheses
//! of the round; their answers and lengths are left with the run.

use super::{Run, length_of, question_of, start_learner};
use crate::checkpoint::{Attempt, check_placed};
use crate::data::ViewKind;
use crate::draws::Draw;
use crate::error::Result;
use crate::hypothesis::Hypothesis;

impl Run<'_> {
    /// Whether searches of a round are made at the same time.
    pub(super) fn is_side_by_side(&self) -> bool {
        self.settings.estimator.view_kind() != ViewKind::Frame && self.team.side_by_side().is_some()
    }

    /// Goes through a round whose hypotheses are known, as `search` would with what it finds.
    pub(super) fn go_through(&mut self, found: Attempt) -> Result<Attempt> {
        let is_side_by_side = self.is_side_by_side();
        if !is_side_by_side {
            for search in 0..self.answers.len() {
                self.workers.check()?;
                // Some draw for it, or note what they asked for.
                self.team.demand(search, &self.ensemble.train.scores, self.workers)?;
            }
        }
        let view = &self.ensemble.train.prepared.view;
        for (search, hypothesis) in &found {
            self.workers.check()?;
            check_placed(hypothesis, *search, self.team.combiner())?;
            hypothesis.answer(view, self.workers, &mut self.answers[*search])?;
            if !is_side_by_side {
                self.lengths[*search] = length_of(hypothesis, view);
            }
        }
        Ok(found)
    }

    /// Finds the hypotheses of a round, and notes them for a checkpoint.
    pub(super) fn search_and_note(&mut self) -> Result<Attempt> {
        let found = self.search()?;
        self.log.note(&found)?;
        Ok(found)
    }

    /// Finds the hypotheses of a round and leaves their answers at hand.
    fn search(&mut self) -> Result<Vec<(usize, Hypothesis)>> {
        if self.is_side_by_side() {
            return self.search_side_by_side();
        }
        let round = self.ensemble.history.n_rounds();
        let mut hypotheses = Vec::new();
        let mut all_answers = std::mem::take(&mut self.answers);
        for (search, answers) in all_answers.iter_mut().enumerate() {
            self.workers.check()?;
            let view = &self.ensemble.train.prepared.view;
            let number = self.team.side_by_side().map_or(search, |asking| asking.number(search));
            let demand = self.team.demand(search, &self.ensemble.train.scores, self.workers)?;
            let Some(demand) = demand else { continue };
            let draw = Draw { round, attempt: self.attempt, search: number };
            let drawn = self.draws.of(&demand, draw, self.workers.reduce())?;
            let demand = match &drawn {
                Some(drawn) => drawn.lend(demand.question, demand.lightest),
                None => demand,
            };
            let hypothesis = self.learner.fit(view, &demand, self.workers)?;
            hypothesis.answer(view, self.workers, answers)?;
            self.lengths[search] = length_of(&hypothesis, view);
            hypotheses.push((search, hypothesis));
        }
        self.answers = all_answers;
        Ok(hypotheses)
    }

    /// The same if no search needs to wait for another; each has a learner of its own.
    fn search_side_by_side(&mut self) -> Result<Vec<(usize, Hypothesis)>> {
        let Some(asking) = self.team.side_by_side() else { return Ok(Vec::new()) };
        let (view, scores) = (&self.ensemble.train.prepared.view, &self.ensemble.train.scores);
        let (settings, question) = (self.settings, question_of(&*self.team));
        let (round, attempt) = (self.ensemble.history.n_rounds(), self.attempt);
        let (draws, most_rows) = (&self.draws, self.most_rows);
        let workers = self.workers;
        let steps = workers.steps_if_alone(scores.n_rows() * self.answers.len());
        let searches = self.answers.iter_mut().enumerate().collect();
        let found = workers.map(steps, searches, |(search, answers)| {
            let Some(asked) = asking.ask(search, scores, workers)? else { return Ok(None) };
            let before = (asking.number(search), most_rows);
            let mut learner = start_learner(settings, view, question, before)?;
            let demand = asked.lend(question.0, asking.lightest(search));
            let draw = Draw { round, attempt, search: asking.number(search) };
            let drawn = draws.of(&demand, draw, workers.reduce())?;
            let demand = match &drawn {
                Some(drawn) => drawn.lend(demand.question, demand.lightest),
                None => demand,
            };
            let hypothesis = learner.fit(view, &demand, workers)?;
            hypothesis.answer(view, workers, answers)?;
            Ok(Some((search, hypothesis)))
        })?;
        Ok(found.into_iter().flatten().collect())
    }
}
