//! The whole story on one page: bin, loop (demand, search, judge, update), model.
//!
//! In: a table, class codes, weights and settings. Out: a model and the last distribution over the
//! rows. The only place where booster and learner meet.

use std::time::{Duration, Instant};

use crate::booster::{Atom, Booster, Start, StopReason, Told, Verdict};
use crate::data::Sight;
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, Hypothesis};
use crate::learner::{Learner, Start as LearnerStart};
use crate::model::{History, Model};
use crate::prepared::{Prepared, Problem, Scored};
use crate::settings::Settings;
use crate::workers::Workers;

/// What an observer sees after each round.
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
    let booster = settings.booster.start(&Start {
        rows: &train.rows,
        learning_rate: settings.learning_rate,
        seed: settings.random_state,
    })?;
    let learner = settings.estimator.start(&LearnerStart {
        view: &train.view,
        lightest: train.rows.lightest(),
        votes_needed: settings.booster.needs_votes(),
        rounds_before: problem.earlier.map_or(0, |earlier| earlier.hypotheses.len()),
        seed: settings.random_state,
        workers,
    })?;
    let mut run = Run {
        booster,
        learner,
        train,
        validation,
        answers: Answers::default(),
        hypotheses: Vec::new(),
        weights: Vec::new(),
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
    let last = run.booster.row_weights();
    let row_weights = run.train.rows.spread(last.as_slice(), last.total());
    let members = (run.hypotheses, run.weights);
    let model = Model::new(frame, members, run.history, stop_reason);
    Ok(Fitted { model, row_weights, binning, boosting: begun.elapsed() })
}

/// A run in progress.
struct Run<'a> {
    booster: Box<dyn Booster>,
    learner: Box<dyn Learner>,
    train: Scored,
    validation: Option<Scored>,
    answers: Answers,
    hypotheses: Vec<Hypothesis>,
    weights: Vec<f64>,
    history: History,
    workers: &'a Workers,
}

impl Run<'_> {
    /// Takes over the rounds of an earlier model, weights and all.
    /// Says so if the last one leaves nothing to do.
    fn replay(&mut self, earlier: &Model, settings: &Settings) -> Result<Option<StopReason>> {
        let rounds = earlier.hypotheses.len();
        if settings.n_estimators < rounds {
            let expected = format!("at least {rounds}, the rounds already run (warm_start=True)");
            return Err(Error::parameter("n_estimators", settings.n_estimators, &expected));
        }
        let mut over = None;
        for (hypothesis, &weight) in earlier.hypotheses.iter().zip(&earlier.weights) {
            self.workers.check()?;
            hypothesis.answer(&self.train.view, self.workers, &mut self.answers)?;
            let atoms = self.booster.row_weights().atoms(&self.answers, self.workers)?;
            // Boosters may remember what they judged, so they judge again.
            let judged = self.booster.judge(&atoms, &self.train.scores, self.workers)?;
            over = match judged.verdict {
                Verdict::KeepAndStop(reason) => Some(reason),
                _ => None,
            };
            self.keep(hypothesis.clone(), weight, &atoms)?;
        }
        self.history.edges.clone_from(&earlier.history.edges);
        self.history.errors.clone_from(&earlier.history.errors);
        Ok(over)
    }

    /// Runs rounds until there is a reason to stop.
    fn boost(&mut self, settings: &Settings, observe: &mut Observe) -> Result<StopReason> {
        while self.hypotheses.len() < settings.n_estimators {
            self.workers.check()?;
            let hypothesis =
                self.learner.fit(&self.train.view, &self.booster.demand(), self.workers)?;
            hypothesis.answer(&self.train.view, self.workers, &mut self.answers)?;
            let atoms = self.booster.row_weights().atoms(&self.answers, self.workers)?;
            let judged = self.booster.judge(&atoms, &self.train.scores, self.workers)?;
            match judged.verdict {
                Verdict::Retry => continue,
                Verdict::DropAndStop(reason) => return Ok(reason),
                Verdict::Keep | Verdict::KeepAndStop(_) => {}
            }
            self.keep(hypothesis, judged.weight, &atoms)?;
            self.history.edges.push(judged.edge);
            self.history.errors.push(judged.error);
            let goes_on = observe(&self.last_round())?;
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

    /// Adds the hypothesis whose answers are at hand.
    fn keep(&mut self, hypothesis: Hypothesis, weight: f64, atoms: &[Atom]) -> Result<()> {
        let told = Told { answers: &self.answers, atoms };
        self.booster.update(&told, weight, self.workers)?;
        let score = self.train.scores.add(&self.answers, weight, self.workers)?;
        self.history.train_scores.push(score);
        if let Some(validation) = &mut self.validation {
            hypothesis.answer(&validation.view, self.workers, &mut self.answers)?;
            let score = validation.scores.add(&self.answers, weight, self.workers)?;
            self.history.validation_scores.push(score);
        }
        self.hypotheses.push(hypothesis);
        self.weights.push(weight);
        Ok(())
    }

    fn last_round(&self) -> Round {
        let last = self.weights.len() - 1;
        Round {
            round: last + 1,
            edge: self.history.edges[last],
            error: self.history.errors[last],
            weight: self.weights[last],
            train_score: self.history.train_scores[last],
            validation_score: self.history.validation_scores.get(last).copied(),
        }
    }

    /// Whether the last `n_iter_no_change` rounds brought no validation score above the best before
    /// them by more than `tol`.
    fn is_stale(&self, settings: &Settings) -> bool {
        let scores = &self.history.validation_scores;
        let Some(before) = scores.len().checked_sub(settings.n_iter_no_change).filter(|&n| n > 0)
        else {
            return false;
        };
        let best = |scores: &[f64]| scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        best(&scores[before..]) <= best(&scores[..before]) + settings.tol
    }
}
