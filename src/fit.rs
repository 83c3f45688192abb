//! The whole story on one page: bin, loop (demand, search, judge, update), model.
//!
//! In: a table, class codes, weights and settings. Out: a model and the last distribution over the
//! rows. The only place where booster and learner meet.

use std::time::{Duration, Instant};

use crate::booster::{Found, RoundJudgement, RunReport, Team, TeamStart, Verdict};
use crate::combiner::MarginLoss;
use crate::data::{Rows, View, ViewKind};
use crate::demand::Question;
use crate::draws::{Draw, Draws};
use crate::earlier::{check_earlier, output_of};
use crate::ensemble::Ensemble;
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, Hypothesis};
use crate::learner::{Learner, Start as LearnerStart};
use crate::model::{Member, Model, StopReason, by_round};
use crate::pool::{PoolFit, fit_pool};
use crate::prepared::{Prepared, Problem};
use crate::reweight::{check_model, reweight_ensemble};
use crate::settings::{PoolSettings, Scoring, Settings};
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

/// The outcome of a fit.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The distribution after the last round, in the order of the input rows; zero for absent ones.
    pub row_weights: Vec<f64>,
    /// What else there is to tell, by output; about rows, in the order of the input rows.
    pub reports: Vec<RunReport>,
    /// Time spent on bins and codes.
    pub binning: Duration,
    /// Time spent on rounds.
    pub boosting: Duration,
}

/// Called after each round; answers whether to go on.
pub type Observe<'a> = dyn FnMut(&Round) -> Result<bool> + Send + 'a;

/// Fits a model.
pub fn fit(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
    observe: &mut Observe,
) -> Result<Fitted> {
    settings.check()?;
    let cells = match settings.estimator.view_kind() {
        // A classifier of the caller's may itself want the pool, of which no thread may wait for it.
        ViewKind::Frame => 0,
        _ => problem.train.table.n_rows() * problem.train.table.columns().len(),
    };
    workers.enter(cells, || fit_checked(problem, settings, workers, observe))
}

fn fit_checked(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
    observe: &mut Observe,
) -> Result<Fitted> {
    let begun = Instant::now();
    let prepared = Prepared::new(problem, settings, workers)?;
    if let Some(pool) = &settings.pool {
        return fit_members(prepared, settings, pool, workers, begun);
    }
    let binning = begun.elapsed();
    let begun = Instant::now();
    let Prepared { train, validation, schema } = prepared;
    let team = settings.booster.start(&TeamStart {
        rows: &train.rows,
        n_classes: settings.n_classes,
        decomposition: settings.decomposition.as_ref(),
        decode: settings.decode,
        loss: settings.loss(),
        costs: train.costs.clone(),
        mistrust: train.mistrust.as_deref(),
        learning_rate: settings.learning_rate,
        tol: settings.tol,
        seed: settings.random_state,
        resample: settings.resample,
        n_rounds: settings.n_rounds().1,
    })?;
    if let Some(earlier) = problem.earlier {
        check_earlier(earlier, &*team, settings.program.as_ref())?;
    }
    let found_before = problem.earlier.map_or(0, |earlier| earlier.members.len());
    let learner = start_learner(settings, &train.view, question_of(&*team), found_before)?;
    let mut run = Run {
        answers: (0..team.n_searches()).map(|_| Answers::default()).collect(),
        draws: Draws {
            sampling: settings.sampling(),
            resampling: settings.resample.then_some(settings.random_state),
            row_numbers: settings.sampling().map_or_else(Vec::new, |_| train.rows.numbers()),
        },
        attempt: 0,
        ensemble: Ensemble::new(team.combiner(), train, validation, workers),
        team,
        learner,
        settings,
        workers,
    };
    let over = match problem.earlier {
        Some(earlier) => run.replay(earlier)?,
        None => None,
    };
    let stop_reason = match over {
        Some(reason) => reason,
        None => run.boost(observe)?,
    };
    let Run { mut team, mut ensemble, .. } = run;
    team.finish(workers)?;
    if let Some(n_rounds) = team.n_kept() {
        ensemble.keep_rounds(n_rounds, team.combiner())?;
    }
    let (by_place, total) = team.row_weights(&ensemble.train.scores, workers)?;
    let row_weights = ensemble.train.prepared.rows.spread(&by_place, total);
    let mut reports = team.reports();
    if let Some(program) = &settings.program {
        reports = reweight_ensemble(&mut ensemble, program)?;
    } else if let Some(weights) = team.corrected() {
        ensemble.replace_weights(&weights);
        ensemble.settle()?;
    }
    report_by_input_row(&mut reports, &ensemble.train.prepared.rows);
    let model = ensemble.into_model(schema, stop_reason)?;
    Ok(Fitted { model, row_weights, reports, binning, boosting: begun.elapsed() })
}

/// Fits the pool of forests and boosted trees, in a fit that has begun with the bins.
fn fit_members(
    prepared: Prepared,
    settings: &Settings,
    pool: &PoolSettings,
    workers: &Workers,
    begun: Instant,
) -> Result<Fitted> {
    let (binning, binned) = (begun.elapsed(), Instant::now());
    let rows = prepared.train.rows.clone();
    let PoolFit { model, mut reports } = fit_pool(prepared, settings, pool, begun, workers)?;
    report_by_input_row(&mut reports, &rows);
    let row_weights = rows.spread(&rows.all_start_weights(), 1.0);
    Ok(Fitted { model, row_weights, reports, binning, boosting: binned.elapsed() })
}

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
    found_before: usize,
) -> Result<Box<dyn Learner>> {
    settings.estimator.start(&LearnerStart {
        view,
        question,
        learns_labels,
        needs: settings.booster.capabilities().needs,
        found_before,
        seed: settings.random_state,
        signs: &settings.monotonic_cst,
    })
}

/// Gives the hypotheses of a model the weights that solve a program on these rows; returns the new
/// model and what there is to tell, by output.
pub fn reweight(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
) -> Result<(Model, Vec<RunReport>)> {
    settings.check()?;
    let (Some(model), Some(program)) = (problem.earlier, &settings.program) else {
        return Err(Error::internal("reweighting needs a model and a program"));
    };
    check_model(model)?;
    let Prepared { train, schema, .. } = Prepared::new(problem, settings, workers)?;
    let combiner = model.combiner.clone().with_loss(MarginLoss::Hinge);
    let mut ensemble = Ensemble::new(&combiner, train, None, workers);
    ensemble.members.clone_from(&model.members);
    ensemble.history.clone_from(&model.history);
    let mut reports = reweight_ensemble(&mut ensemble, program)?;
    report_by_input_row(&mut reports, &ensemble.train.prepared.rows);
    Ok((ensemble.into_model(schema, model.stop_reason)?, reports))
}

/// Turns reports by place into reports by input row.
fn report_by_input_row(reports: &mut [RunReport], rows: &Rows) {
    for RunReport { rows: by_row, shares, .. } in reports {
        for (_, numbers) in by_row {
            *numbers = rows.by_input_row(numbers);
        }
        for (_, numbers) in shares {
            *numbers = rows.spread(numbers, 1.0);
        }
    }
}

/// A run in progress.
struct Run<'a> {
    team: Box<dyn Team>,
    learner: Box<dyn Learner>,
    /// By search.
    answers: Vec<Answers>,
    ensemble: Ensemble<'a>,
    draws: Draws,
    /// Samples of this round that led to nothing.
    attempt: usize,
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
fn found<'a>(searches: &[usize], answers: &'a [Answers]) -> Vec<Found<'a>> {
    searches.iter().map(|&search| Found { search, answers: &answers[search] }).collect()
}

impl Run<'_> {
    /// Takes over the rounds of an earlier model, weights and all.
    /// Returns the reason if the last one leaves nothing to do.
    fn replay(&mut self, earlier: &Model) -> Result<Option<StopReason>> {
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
            self.keep(found.collect(), &weights)?;
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
    fn boost(&mut self, observe: &mut Observe) -> Result<StopReason> {
        let settings = self.settings;
        let mut watched = Vec::new();
        while self.ensemble.history.n_rounds() < settings.n_rounds().1 {
            self.workers.check()?;
            let hypotheses = self.search()?;
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
            self.keep(hypotheses, &judged.weights)?;
            self.ensemble.history.edges.extend(&judged.edges);
            self.ensemble.history.errors.extend(&judged.errors);
            let goes_on = observe(&self.last_round(&judged))?;
            if let Verdict::KeepAndStop(reason) = judged.verdict {
                return Ok(reason);
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

    /// Finds the hypotheses of a round and leaves their answers at hand.
    fn search(&mut self) -> Result<Vec<(usize, Hypothesis)>> {
        if self.settings.estimator.view_kind() != ViewKind::Frame
            && self.team.side_by_side().is_some()
        {
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
            let drawn = self.draws.of(&demand, draw);
            let demand = match &drawn {
                Some(drawn) => drawn.lend(demand.question, demand.lightest),
                None => demand,
            };
            let hypothesis = self.learner.fit(view, &demand, self.workers)?;
            hypothesis.answer(view, self.workers, answers)?;
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
        let draws = &self.draws;
        let (steps, workers) = (scores.n_rows() * self.answers.len(), self.workers);
        let searches = self.answers.iter_mut().enumerate().collect();
        let found = workers.map(steps, searches, |(search, answers)| {
            let Some(asked) = asking.ask(search, scores) else { return Ok(None) };
            let mut learner = start_learner(settings, view, question, asking.number(search))?;
            let demand = asked.lend(question.0, asking.lightest(search));
            let draw = Draw { round, attempt, search: asking.number(search) };
            let drawn = draws.of(&demand, draw);
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

    fn judge(&mut self, searches: &[usize]) -> Result<RoundJudgement> {
        let found = found(searches, &self.answers);
        self.team.judge(&found, &self.ensemble.train.scores, self.workers)
    }

    /// Adds the hypotheses whose answers are at hand, but for those without a weight.
    fn keep(
        &mut self,
        hypotheses: Vec<(usize, Hypothesis)>,
        weights: &[Option<f64>],
    ) -> Result<()> {
        let round = self.ensemble.history.n_rounds();
        let member = |(output, hypothesis): (usize, Hypothesis)| {
            let weight = weights[if weights.len() == 1 { 0 } else { output }]?;
            Some(Member { hypothesis, weight, output, round })
        };
        let members: Vec<Member> = hypotheses.into_iter().filter_map(member).collect();
        let searches: Vec<usize> = members.iter().map(|member| member.output).collect();
        self.team.update(&found(&searches, &self.answers), weights, self.workers)?;
        let given = weights.iter().map(|weight| weight.unwrap_or(0.0));
        self.ensemble.history.weights.extend(given);
        if !self.team.combiner().is_sum() {
            self.ensemble.set_combiner(self.team.combiner());
        }
        let corrected = self.team.corrected();
        self.ensemble.add(members, &mut self.answers, corrected.as_deref())
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
