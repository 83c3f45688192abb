//! The rounds of a fit: demand, search, judge, update, until there is a reason to stop.
//!
//! In: a booster's team, a learner and an ensemble that holds the rows. Out: the ensemble with the
//! hypotheses of all rounds, and the reason. The only place where booster and learner meet.

mod searches;

use crate::booster::{Found, RoundJudgement, Team, Verdict};
use crate::checkpoint::{Log, outcome_of};
use crate::data::View;
use crate::demand::Question;
use crate::draws::Draws;
use crate::earlier::output_of;
use crate::ensemble::Ensemble;
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, Hypothesis, largest_absolute};
use crate::learner::{Learner, Start as LearnerStart};
use crate::model::{History, Member, Model, StopReason, by_round};
use crate::portable::ln;
use crate::prepared::PreparedRows;
use crate::reduce::agree;
use crate::settings::{Scoring, Settings};
use crate::workers::Workers;

/// What an observer sees after each round; the means over hypotheses that are judged one by one.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // as in `History`
pub struct Round {
    pub round: usize,
    pub edge: f64,
    pub error: f64,
    pub weight: f64,
    pub train_score: f64,
    pub validation_score: Option<f64>,
}

/// The farthest from 0 that outputs may be: differences and sums of as many as there are classes or
/// two-class problems are numbers still.
const FARTHEST: f64 = 1e303;

/// Called after each round; answers whether to go on.
pub type Observe<'a> = dyn FnMut(&Round) -> Result<bool> + Send + 'a;

/// What a team asks of every hypothesis, and whether the kinds of rows are the caller's classes.
fn question_of(team: &dyn Team) -> (Question, bool) {
    let question = team.question();
    (question, team.combiner().n_scores() == 1 || question != Question::Side)
}

/// A learner for a team's question that has found so many hypotheses before.
fn start_learner(
    settings: &Settings,
    view: &View,
    (question, learns_labels): (Question, bool),
    (found_before, most_rows): (usize, usize),
) -> Result<Box<dyn Learner>> {
    settings.estimator.start(&LearnerStart {
        view,
        question,
        learns_labels,
        needs: settings.booster.capabilities().needs,
        found_before,
        most_rows,
        seed: settings.random_state,
        signs: &settings.monotonic_cst,
    })
}

/// A run in progress.
pub struct Run<'a> {
    /// The booster.
    pub team: Box<dyn Team>,
    /// The rows with their scores, and the hypotheses so far.
    pub ensemble: Ensemble<'a>,
    learner: Box<dyn Learner>,
    /// The most rows that any shard has.
    most_rows: usize,
    /// By search.
    answers: Vec<Answers>,
    /// By search: how long a description of the hypothesis is.
    lengths: Vec<f64>,
    draws: Draws,
    /// Samples of this round that led to nothing.
    attempt: usize,
    /// How far from 0 outputs can be.
    reach: f64,
    /// What searches have found, as a checkpoint keeps it.
    log: Log<'a>,
    settings: &'a Settings,
    workers: &'a Workers,
}

/// Whether the last scores, so many of them, are not above the best before them by more than `tol`.
fn is_stale(scores: &[f64], patience: usize, tol: f64) -> bool {
    let Some(before) = scores.len().checked_sub(patience).filter(|&n| n > 0) else {
        return false;
    };
    let best = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    best(&scores[before..]) <= best(&scores[..before]) + tol
}

/// The answers of the hypotheses of a round.
fn found<'a>(searches: &[usize], answers: &'a [Answers], lengths: &[f64]) -> Vec<Found<'a>> {
    let found = |&search: &usize| {
        let length = lengths[search];
        Found { search, answers: &answers[search], length }
    };
    searches.iter().map(found).collect()
}

/// The nats that it takes to name the tests of a hypothesis among all that there are.
fn length_of(hypothesis: &Hypothesis, view: &View) -> f64 {
    match view {
        View::Codes(data) => hypothesis.n_tests() as f64 * ln(data.n_tests() as f64),
        View::Numbers(_) | View::Frame(_) => 0.0,
    }
}

impl<'a> Run<'a> {
    /// A run before its first round, of a team, training rows and perhaps validation rows; so many
    /// hypotheses have been found before (warm start), and others are in a checkpoint.
    pub fn start(
        team: Box<dyn Team>,
        (train, validation): (PreparedRows, Option<PreparedRows>),
        n_before: usize,
        mut log: Log<'a>,
        settings: &'a Settings,
    ) -> Result<Self> {
        log.begin_run();
        let n_before = n_before + log.n_found()?;
        let workers = log.workers();
        let reduce = workers.reduce();
        let most_rows = reduce.largest_of(train.rows.len() as f64)? as usize;
        let before = (n_before, most_rows);
        let learner = start_learner(settings, &train.view, question_of(&*team), before);
        let learner = agree(reduce, learner)?;
        Ok(Self {
            most_rows,
            lengths: vec![0.0; team.n_searches()],
            answers: (0..team.n_searches()).map(|_| Answers::default()).collect(),
            draws: Draws {
                sampling: settings.sampling(),
                resampling: settings.resample.then_some(settings.random_state),
                row_numbers: settings
                    .sampling()
                    .map_or_else(Vec::new, |_| train.rows.whole_numbers()),
            },
            attempt: 0,
            reach: 0.0,
            log,
            ensemble: Ensemble::new(team.combiner(), train, validation, workers)?,
            team,
            learner,
            settings,
            workers,
        })
    }
}

impl Run<'_> {
    /// Takes over the rounds of an earlier model, weights and all.
    /// Returns the reason if the last one leaves nothing to do.
    pub fn replay(&mut self, earlier: &Model) -> Result<Option<StopReason>> {
        let rounds = earlier.history.n_rounds();
        let (name, n_rounds) = self.settings.n_rounds();
        if n_rounds < rounds {
            let expected = format!("at least {rounds}, the rounds already run (warm_start=True)");
            return Err(Error::parameter(name, n_rounds, &expected));
        }
        let n_weights = self.team.n_weights();
        let mut over = None;
        for (_, members) in by_round(&earlier.members, rounds) {
            self.workers.check()?;
            let mut weights = vec![None; n_weights];
            for member in members {
                let output = output_of(member, earlier, &*self.team);
                let view = &self.ensemble.train.prepared.view;
                member.hypothesis.answer(view, self.workers, &mut self.answers[output])?;
                self.lengths[output] = length_of(&member.hypothesis, view);
                let weight = earlier.boosted_weight(member);
                weights[if n_weights == 1 { 0 } else { output }] = Some(weight);
            }
            let output = |member: &Member| output_of(member, earlier, &*self.team);
            let searches: Vec<usize> = members.iter().map(output).collect();
            // Boosters may remember what they judged, so they judge again.
            let judged = self.judge(&searches)?;
            over = match judged.verdict {
                Verdict::KeepAndStop(reason) => Some(reason),
                _ => None,
            };
            let found = searches.iter().zip(members);
            let found = found.map(|(search, member)| (*search, member.hypothesis.clone()));
            self.reach += self.added_reach(&searches, &weights);
            if !self.keep(found.collect(), &weights)? {
                over = Some(StopReason::OutOfRange);
            }
            self.ensemble.history.edges.extend(&judged.edges);
            self.ensemble.history.errors.extend(&judged.errors);
        }
        if earlier.history.n_weights() == n_weights {
            self.ensemble.history.edges.clone_from(&earlier.history.edges);
            self.ensemble.history.errors.clone_from(&earlier.history.errors);
        }
        Ok(over)
    }

    /// Runs rounds until there is a reason to stop.
    pub fn boost(&mut self, observe: &mut Observe) -> Result<StopReason> {
        let settings = self.settings;
        let mut watched = Vec::new();
        while self.ensemble.history.n_rounds() < settings.n_rounds().1 {
            self.workers.check()?;
            let hypotheses = match self.log.recall()? {
                Some(found) => self.go_through(found)?,
                None => self.search_and_note()?,
            };
            let searches: Vec<usize> = hypotheses.iter().map(|(search, _)| *search).collect();
            let judged = self.judge(&searches)?;
            match judged.verdict {
                Verdict::Retry => {
                    self.attempt += 1;
                    continue;
                }
                Verdict::DropAndStop(reason) => return Ok(reason),
                Verdict::Keep | Verdict::KeepAndStop(_) => self.attempt = 0,
            }
            self.reach += self.added_reach(&searches, &judged.weights);
            if self.reach.is_nan() || self.reach > FARTHEST {
                return Ok(StopReason::OutOfRange);
            }
            let stays_in_range = self.keep(hypotheses, &judged.weights)?;
            self.ensemble.history.edges.extend(&judged.edges);
            self.ensemble.history.errors.extend(&judged.errors);
            let History { weights, edges, errors, .. } = &self.ensemble.history;
            self.log.end_round(|| outcome_of(&[weights, edges, errors]))?;
            // Nobody else knows of one shard's observer.
            let goes_on = self.workers.reduce().all(observe(&self.last_round(&judged))?)?;
            if let Verdict::KeepAndStop(reason) = judged.verdict {
                return Ok(reason);
            }
            if !stays_in_range {
                return Ok(StopReason::OutOfRange);
            }
            if !goes_on {
                return Ok(StopReason::Callback);
            }
            if settings.early_stopping {
                watched.push(self.watched_score()?);
                if is_stale(&watched, settings.patience(watched.len()), settings.tol) {
                    return Ok(StopReason::EarlyStopping);
                }
            }
        }
        Ok(StopReason::NEstimators)
    }

    /// What early stopping watches, as something that rises: less the expected cost, less the log
    /// loss, or the share of validation rows classified right.
    fn watched_score(&self) -> Result<f64> {
        let Ensemble { history, validation, .. } = &self.ensemble;
        let right = history.validation_scores.last().copied().unwrap_or(0.0);
        match (self.settings.scoring, history.validation_costs.last(), validation) {
            (Scoring::Loss, Some(cost), _) => Ok(-cost),
            (Scoring::Loss, None, Some(validation)) => {
                Ok(-validation.scores.log_loss(self.workers)?)
            }
            _ => Ok(right),
        }
    }

    fn judge(&mut self, searches: &[usize]) -> Result<RoundJudgement> {
        let found = found(searches, &self.answers, &self.lengths);
        self.team.judge(&found, &self.ensemble.train.scores, self.workers)
    }

    /// How much farther from 0 outputs can be with the hypotheses whose answers are at hand.
    fn added_reach(&self, searches: &[usize], weights: &[Option<f64>]) -> f64 {
        if !self.team.combiner().is_sum() {
            return 0.0;
        }
        let added = searches.iter().map(|&search| {
            let weight = weights[if weights.len() == 1 { 0 } else { search }].unwrap_or(0.0);
            weight * self.answers[search].largest()
        });
        largest_absolute(added)
    }

    /// Adds the hypotheses whose answers are at hand, but for those without a weight. Whether the
    /// booster could take them into account; if not, the run is over.
    fn keep(
        &mut self,
        hypotheses: Vec<(usize, Hypothesis)>,
        weights: &[Option<f64>],
    ) -> Result<bool> {
        let round = self.ensemble.history.n_rounds();
        let member = |(output, hypothesis): (usize, Hypothesis)| {
            let weight = weights[if weights.len() == 1 { 0 } else { output }]?;
            Some(Member { hypothesis, weight, output, round })
        };
        let members: Vec<Member> = hypotheses.into_iter().filter_map(member).collect();
        let searches: Vec<usize> = members.iter().map(|member| member.output).collect();
        let found = found(&searches, &self.answers, &self.lengths);
        let stays_in_range = match self.team.update(&found, weights, self.workers) {
            Err(Error::OutOfRange) => false,
            updated => updated.map(|()| true)?,
        };
        let given = weights.iter().map(|weight| weight.unwrap_or(0.0));
        self.ensemble.history.weights.extend(given);
        if !self.team.combiner().is_sum() {
            self.ensemble.set_combiner(self.team.combiner());
        }
        let corrected = self.team.corrected();
        self.ensemble.add(members, &mut self.answers, corrected.as_deref())?;
        Ok(stays_in_range)
    }

    fn last_round(&self, judged: &RoundJudgement) -> Round {
        let kept = |numbers: &[f64]| {
            let kept = numbers.iter().zip(&judged.weights).filter(|(_, weight)| weight.is_some());
            // A layer of a grid may have no hypothesis at all.
            kept.clone().map(|(number, _)| number).sum::<f64>() / kept.count().max(1) as f64
        };
        let history = &self.ensemble.history;
        let round = history.n_rounds();
        Round {
            round,
            edge: kept(&judged.edges),
            error: kept(&judged.errors),
            weight: kept(&history.weights[history.weights.len() - judged.weights.len()..]),
            train_score: history.train_scores[round - 1],
            validation_score: history.validation_scores.last().copied(),
        }
    }
}
