//! The whole story on one page: bin, loop (demand, search, judge, update), model.
//!
//! In: a table, class codes, weights and settings. Out: a model and the last distribution over the
//! rows. The only place where booster and learner meet.

use std::time::{Duration, Instant};

use crate::booster::{
    Account, Found, RoundJudgement, Scores, StopReason, Team, TeamStart, Verdict,
};
use crate::data::Sight;
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, Hypothesis, Says};
use crate::learner::{Learner, Needs, Question, Start as LearnerStart};
use crate::model::{History, Member, Model};
use crate::prepared::{Prepared, Problem, Seen};
use crate::settings::Settings;
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
    /// What else there is to tell, by score column; about rows, in the order of the input rows.
    pub accounts: Vec<Account>,
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
    let cells = match settings.estimator.sight() {
        // A classifier of the caller's may itself want the pool, of which no thread may wait for it.
        Sight::Frame => 0,
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
    let Prepared { train, validation, frame } = Prepared::new(problem, settings, workers)?;
    let binning = begun.elapsed();
    let begun = Instant::now();
    let team = settings.booster.start(&TeamStart {
        rows: &train.rows,
        n_classes: settings.n_classes,
        decomposition: settings.decomposition.as_ref(),
        costs: train.costs.clone(),
        learning_rate: settings.learning_rate,
        seed: settings.random_state,
    })?;
    if let Some(earlier) = problem.earlier {
        check_earlier(earlier, &*team)?;
    }
    let learner = settings.estimator.start(&LearnerStart {
        view: &train.view,
        question: team.question(),
        learns_labels: team.outputs().is_sign() || team.question() != Question::Side,
        votes_needed: settings.booster.needs() != Needs::Nothing,
        found_before: problem.earlier.map_or(0, |earlier| earlier.members.len()),
        seed: settings.random_state,
    })?;
    let mut run = Run {
        answers: (0..team.n_searches()).map(|_| Answers::default()).collect(),
        train: Scored::new(train, &*team),
        validation: validation.map(|seen| Scored::new(seen, &*team)),
        team,
        learner,
        members: Vec::new(),
        history: History::default(),
        workers,
    };
    let over = match problem.earlier {
        Some(earlier) => run.replay(earlier, settings)?,
        None => None,
    };
    let stop_reason = match over {
        Some(reason) => reason,
        None => run.boost(settings, observe)?,
    };
    let (by_place, total) = run.team.row_weights(&run.train.scores, workers)?;
    let row_weights = run.train.seen.rows.spread(&by_place, total);
    let mut accounts = run.team.accounts();
    for (_, numbers) in accounts.iter_mut().flat_map(|account| &mut account.rows) {
        *numbers = run.train.seen.rows.tell(numbers);
    }
    let members = (run.team.outputs().clone(), run.members);
    let model = Model::new(frame, members, run.history, stop_reason);
    Ok(Fitted { model, row_weights, accounts, binning, boosting: begun.elapsed() })
}

/// Refuses a model whose rounds cannot come before those of the team.
fn check_earlier(earlier: &Model, team: &dyn Team) -> Result<()> {
    let refuse = |name: &str| {
        let expected = "the one of the rounds already run (warm_start=True)";
        Err(Error::parameter(name, "another value", expected))
    };
    let same_weights =
        earlier.members.is_empty() || earlier.history.n_weights() == team.n_weights();
    if earlier.outputs != *team.outputs() || !same_weights {
        return refuse("multi_class");
    }
    let answers_fit = |member: &Member| {
        matches!(
            (team.question(), member.hypothesis.says()),
            (Question::Side, Says::Number)
                | (Question::Class(_), Says::Class)
                | (Question::EachClass(_), Says::Scores(_))
        )
    };
    if earlier.members.iter().all(answers_fit) { Ok(()) } else { refuse("shared") }
}

/// Rows and their scores so far.
struct Scored {
    seen: Seen,
    scores: Scores,
}

impl Scored {
    fn new(seen: Seen, team: &dyn Team) -> Self {
        Self { scores: Scores::start(&seen.rows, team.outputs(), seen.costs.clone()), seen }
    }
}

/// A run in progress.
struct Run<'a> {
    team: Box<dyn Team>,
    learner: Box<dyn Learner>,
    train: Scored,
    validation: Option<Scored>,
    /// By search.
    answers: Vec<Answers>,
    members: Vec<Member>,
    history: History,
    workers: &'a Workers,
}

/// The answers of the hypotheses of a round.
fn found<'a>(searches: &[usize], answers: &'a [Answers]) -> Vec<Found<'a>> {
    searches.iter().map(|&search| Found { search, answers: &answers[search] }).collect()
}

/// The answers of members, each with the column and the weight that it is added with.
fn weighed<'a>(members: &[Member], answers: &'a [Answers]) -> Vec<(&'a Answers, usize, f64)> {
    members.iter().map(|member| (&answers[member.column], member.column, member.weight)).collect()
}

impl Run<'_> {
    /// Takes over the rounds of an earlier model, weights and all.
    /// Says so if the last one leaves nothing to do.
    fn replay(&mut self, earlier: &Model, settings: &Settings) -> Result<Option<StopReason>> {
        let rounds = earlier.history.n_rounds();
        if settings.n_estimators < rounds {
            let expected = format!("at least {rounds}, the rounds already run (warm_start=True)");
            return Err(Error::parameter("n_estimators", settings.n_estimators, &expected));
        }
        let n_weights = self.team.n_weights();
        let mut over = None;
        for members in earlier.members.chunk_by(|a, b| a.round == b.round) {
            self.workers.check()?;
            let mut weights = vec![None; n_weights];
            for member in members {
                let Member { hypothesis, weight, column, .. } = member;
                hypothesis.answer(
                    &self.train.seen.view,
                    self.workers,
                    &mut self.answers[*column],
                )?;
                weights[if n_weights == 1 { 0 } else { *column }] = Some(*weight);
            }
            let searches: Vec<usize> = members.iter().map(|member| member.column).collect();
            // Boosters may remember what they judged, so they judge again.
            let judged = self.judge(&searches)?;
            over = match judged.verdict {
                Verdict::KeepAndStop(reason) => Some(reason),
                _ => None,
            };
            let found = members.iter().map(|member| (member.column, member.hypothesis.clone()));
            self.keep(found.collect(), &weights)?;
        }
        self.history.edges.clone_from(&earlier.history.edges);
        self.history.errors.clone_from(&earlier.history.errors);
        Ok(over)
    }

    /// Runs rounds until there is a reason to stop.
    fn boost(&mut self, settings: &Settings, observe: &mut Observe) -> Result<StopReason> {
        while self.history.n_rounds() < settings.n_estimators {
            self.workers.check()?;
            let hypotheses = self.search()?;
            let searches: Vec<usize> = hypotheses.iter().map(|(search, _)| *search).collect();
            let judged = self.judge(&searches)?;
            match judged.verdict {
                Verdict::Retry => continue,
                Verdict::DropAndStop(reason) => return Ok(reason),
                Verdict::Keep | Verdict::KeepAndStop(_) => {}
            }
            self.keep(hypotheses, &judged.weights)?;
            self.history.edges.extend(&judged.edges);
            self.history.errors.extend(&judged.errors);
            let goes_on = observe(&self.last_round(&judged))?;
            if let Verdict::KeepAndStop(reason) = judged.verdict {
                return Ok(reason);
            }
            if !goes_on {
                return Ok(StopReason::Callback);
            }
            if settings.early_stopping && self.is_stale(settings) {
                return Ok(StopReason::EarlyStopping);
            }
        }
        Ok(StopReason::NEstimators)
    }

    /// Finds the hypotheses of a round and leaves their answers at hand.
    fn search(&mut self) -> Result<Vec<(usize, Hypothesis)>> {
        let view = &self.train.seen.view;
        let mut hypotheses = Vec::new();
        for (search, answers) in self.answers.iter_mut().enumerate() {
            self.workers.check()?;
            let demand = self.team.demand(search, &self.train.scores, self.workers)?;
            let Some(demand) = demand else { continue };
            let hypothesis = self.learner.fit(view, &demand, self.workers)?;
            hypothesis.answer(view, self.workers, answers)?;
            hypotheses.push((search, hypothesis));
        }
        Ok(hypotheses)
    }

    fn judge(&mut self, searches: &[usize]) -> Result<RoundJudgement> {
        let found = found(searches, &self.answers);
        self.team.judge(&found, &self.train.scores, self.workers)
    }

    /// Adds the hypotheses whose answers are at hand, but for those without a weight.
    fn keep(
        &mut self,
        hypotheses: Vec<(usize, Hypothesis)>,
        weights: &[Option<f64>],
    ) -> Result<()> {
        let round = self.history.n_rounds();
        let member = |(column, hypothesis): (usize, Hypothesis)| {
            let weight = weights[if weights.len() == 1 { 0 } else { column }]?;
            Some(Member { hypothesis, weight, column, round })
        };
        let members: Vec<Member> = hypotheses.into_iter().filter_map(member).collect();
        let searches: Vec<usize> = members.iter().map(|member| member.column).collect();
        self.team.update(&found(&searches, &self.answers), weights, self.workers)?;
        let tally = self.train.scores.add(&weighed(&members, &self.answers), self.workers)?;
        self.history.train_scores.push(tally.right);
        self.history.train_costs.extend(tally.cost);
        if let Some(validation) = &mut self.validation {
            for Member { hypothesis, column, .. } in &members {
                let answers = &mut self.answers[*column];
                hypothesis.answer(&validation.seen.view, self.workers, answers)?;
            }
            let tally = validation.scores.add(&weighed(&members, &self.answers), self.workers)?;
            self.history.validation_scores.push(tally.right);
            self.history.validation_costs.extend(tally.cost);
        }
        self.history.weights.extend(weights.iter().map(|weight| weight.unwrap_or(0.0)));
        self.members.extend(members);
        Ok(())
    }

    fn last_round(&self, judged: &RoundJudgement) -> Round {
        let kept = |numbers: &[f64]| {
            let kept = numbers.iter().zip(&judged.weights).filter(|(_, weight)| weight.is_some());
            kept.clone().map(|(number, _)| number).sum::<f64>() / kept.count() as f64
        };
        let weights: Vec<f64> = judged.weights.iter().map(|weight| weight.unwrap_or(0.0)).collect();
        Round {
            round: self.history.n_rounds(),
            edge: kept(&judged.edges),
            error: kept(&judged.errors),
            weight: kept(&weights),
            train_score: self.history.train_scores[self.history.n_rounds() - 1],
            validation_score: self.history.validation_scores.last().copied(),
        }
    }

    /// Whether the last `n_iter_no_change` rounds brought no validation score above the best before
    /// them by more than `tol`. Where answers have a price, the score is what they do not cost.
    fn is_stale(&self, settings: &Settings) -> bool {
        let costs = self.history.validation_costs.iter().map(|cost| -cost);
        let scores: Vec<f64> = if self.history.validation_costs.is_empty() {
            self.history.validation_scores.clone()
        } else {
            costs.collect()
        };
        let Some(before) = scores.len().checked_sub(settings.n_iter_no_change).filter(|&n| n > 0)
        else {
            return false;
        };
        let best = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        best(&scores[before..]) <= best(&scores[..before]) + settings.tol
    }
}
