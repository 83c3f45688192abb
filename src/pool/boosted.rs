//! The boosted members of the pool: LogitBoost, cross-fitted.
//!
//! In: training rows, the settings of booster and learner, and folds. Out: the members of one run for
//! each fold, and for every row the scores after so many rounds of the run that has not seen it. The
//! runs of the folds are averaged in the end; beyond a number of rows a single fold is left out to
//! choose the number of rounds, and a run on all rows follows.

use std::time::Instant;

use super::forest::PoolRows;
use super::link::soften;
use crate::booster::{Found, Scores, Team, TeamStart, Verdict};
use crate::checkpoint::{Attempt, Log, check_placed, outcome_of};
use crate::data::{Binned, Rows, View};
use crate::draws::by_number;
use crate::error::Result;
use crate::hypothesis::Answers;
use crate::learner::{Learner, Start as LearnerStart};
use crate::model::Member;
use crate::sampling::Sampling;
use crate::settings::Settings;

/// Folds that rows are divided into.
pub(super) const N_FOLDS: u64 = 5;

/// How a run goes.
pub(super) struct RunRule<'a> {
    pub settings: &'a Settings,
    /// The numbers of rounds after which scores are kept, ascending; the last one ends the run.
    pub stages: &'a [usize],
    pub deadline: Option<Instant>,
}

/// A run of the booster.
pub(super) struct BoostedRun {
    pub members: Vec<Member>,
    pub n_rounds: usize,
    /// By stage that was reached: the scores of the rows held back, row after row.
    pub held_scores: Vec<Vec<f64>>,
}

/// Some of the rows of the pool.
struct Part {
    rows: Rows,
    view: View,
    /// The number of each row in the caller's frame.
    numbers: Vec<u32>,
}

impl Part {
    fn new(pool: &PoolRows, places: &[u32]) -> Result<Self> {
        let classes: Vec<u32> = places.iter().map(|&place| pool.classes[place as usize]).collect();
        let weights: Vec<f64> = places.iter().map(|&place| pool.weights[place as usize]).collect();
        let is_even = weights.iter().all(|weight| *weight == weights[0]);
        let given = (!is_even).then_some(weights.as_slice());
        Ok(Self {
            // Places ascend by class, so rows stay in their order.
            rows: Rows::select(&classes, pool.n_classes, given, |_| true)?,
            view: View::Codes(pick(pool.data, places)?),
            numbers: places.iter().map(|&place| pool.numbers[place as usize]).collect(),
        })
    }
}

fn pick(data: &Binned, places: &[u32]) -> Result<Binned> {
    if places.len() == data.n_rows() { Ok(data.clone()) } else { data.pick(places) }
}

/// How the hypotheses of a round are found.
struct Search<'a> {
    train: &'a Part,
    learner: Box<dyn Learner>,
    sampling: Option<Sampling>,
}

impl Search<'_> {
    /// Finds the hypotheses of a round, or recalls them, and leaves their answers at hand.
    fn find(
        &mut self,
        team: &mut dyn Team,
        (scores, round): (&Scores, usize),
        answers: &mut [Answers],
        log: &mut Log,
    ) -> Result<Attempt> {
        let workers = log.workers();
        let view = &self.train.view;
        let recalled = log.recall()?;
        let is_known = recalled.is_some();
        let mut hypotheses = recalled.unwrap_or_default();
        for (search, answers) in answers.iter_mut().enumerate() {
            let Some(demand) = team.demand(search, scores, workers)? else { continue };
            if is_known {
                continue;
            }
            let number = |row: usize| u64::from(self.train.numbers[row]);
            let drawn = self
                .sampling
                .map(|sampling| by_number(&demand, (&sampling, round), number, workers.reduce()));
            let drawn = drawn.transpose()?.flatten();
            let demand = match &drawn {
                Some(drawn) => drawn.lend(demand.question, demand.lightest),
                None => demand,
            };
            let hypothesis = self.learner.fit(view, &demand, workers)?;
            hypothesis.answer(view, workers, answers)?;
            hypotheses.push((search, hypothesis));
        }
        if !is_known {
            log.note(&hypotheses)?;
            return Ok(hypotheses);
        }
        for (search, hypothesis) in &hypotheses {
            check_placed(hypothesis, *search, team.combiner())?;
            hypothesis.answer(view, workers, &mut answers[*search])?;
        }
        Ok(hypotheses)
    }
}

/// Runs the booster on some rows; `held` are the places of rows to score on the way.
pub(super) fn boost(
    pool: &PoolRows,
    (train, held): (&[u32], &[u32]),
    rule: &RunRule,
    log: &mut Log,
) -> Result<BoostedRun> {
    log.begin_run();
    let workers = log.workers();
    let settings = rule.settings;
    let train = Part::new(pool, train)?;
    let held = if held.is_empty() { None } else { Some(Part::new(pool, held)?) };
    let mut team = settings.booster.start(&TeamStart {
        rows: &train.rows,
        n_classes: pool.n_classes,
        decomposition: None,
        decode: settings.decode,
        loss: settings.loss(),
        costs: None,
        mistrust: None,
        learning_rate: settings.learning_rate,
        tol: settings.tol,
        seed: settings.random_state,
        resample: settings.resample,
        n_rounds: settings.n_rounds().1,
        workers,
    })?;
    let learner = settings.estimator.start(&LearnerStart {
        view: &train.view,
        question: team.question(),
        learns_labels: true,
        needs: settings.booster.capabilities().needs,
        found_before: log.n_found()?,
        most_rows: train.rows.len(),
        seed: settings.random_state,
        signs: &settings.monotonic_cst,
    })?;
    let mut search = Search { train: &train, learner, sampling: settings.sampling() };
    let combiner = team.combiner().clone();
    let mut scores = Scores::start(&train.rows, &combiner, None, workers)?;
    let held_scores = held.as_ref().map(|held| Scores::start(&held.rows, &combiner, None, workers));
    let mut held_scores = held_scores.transpose()?;
    let mut answers = vec![Answers::default(); team.n_searches()];
    let mut run = BoostedRun { members: Vec::new(), n_rounds: 0, held_scores: Vec::new() };
    let mut outcome = Vec::new();
    let n_rounds = rule.stages.last().copied().unwrap_or(0);
    for round in 0..n_rounds {
        workers.check()?;
        if round > 0 && rule.deadline.is_some_and(|end| Instant::now() > end) {
            break;
        }
        let hypotheses = search.find(&mut *team, (&scores, round), &mut answers, log)?;
        let found: Vec<Found> = hypotheses
            .iter()
            .map(|(search, _)| Found { search: *search, answers: &answers[*search], length: 0.0 })
            .collect();
        let judged = team.judge(&found, &scores, workers)?;
        if matches!(judged.verdict, Verdict::DropAndStop(_) | Verdict::Retry) {
            break;
        }
        team.update(&found, &judged.weights, workers)?;
        let Some(weight) = judged.weights[0] else { break };
        let weighed: Vec<_> =
            found.iter().map(|found| (found.answers, found.search, weight)).collect();
        scores.add(round, &weighed, workers)?;
        if let (Some(held), Some(scores)) = (&held, &mut held_scores) {
            for (search, hypothesis) in &hypotheses {
                hypothesis.answer(&held.view, workers, &mut answers[*search])?;
            }
            let weighed: Vec<_> =
                hypotheses.iter().map(|(search, _)| (&answers[*search], *search, weight)).collect();
            scores.add(round, &weighed, workers)?;
        }
        run.members.extend(hypotheses.into_iter().map(|(output, hypothesis)| Member {
            hypothesis,
            weight,
            output,
            round,
        }));
        run.n_rounds = round + 1;
        outcome.extend(judged.edges);
        outcome.extend(judged.errors);
        log.end_round(|| outcome_of(&[&outcome]))?;
        if rule.stages.contains(&run.n_rounds) {
            run.held_scores.extend(held_scores.as_ref().map(|held| by_class(held, pool.n_classes)));
            if is_past_its_best(&run.held_scores, held.as_ref(), pool.n_classes) {
                break;
            }
        }
    }
    // A run that ended early has no better scores for later stages than its last ones.
    let last = held_scores.as_ref().map(|held| by_class(held, pool.n_classes));
    while run.held_scores.len() < rule.stages.len() {
        run.held_scores.extend(last.clone());
        if last.is_none() {
            break;
        }
    }
    Ok(run)
}

/// Whether the log loss of the rows held back has risen for the last two stages.
fn is_past_its_best(stages: &[Vec<f64>], held: Option<&Part>, n_classes: usize) -> bool {
    let (Some(held), [.., before, middle, last]) = (held, stages) else { return false };
    let ends = held.rows.class_ends();
    let loss = |scores: &[f64]| -> f64 {
        let rows = scores.chunks(n_classes).enumerate();
        rows.map(|(row, scores)| {
            soften(&mut scores.to_vec(), ends.partition_point(|&end| end <= row))
        })
        .sum()
    };
    let (before, middle, last) = (loss(before), loss(middle), loss(last));
    last > middle && middle > before
}

/// The scores of all rows as those of classes, row after row; they sum to zero.
fn by_class(scores: &Scores, n_classes: usize) -> Vec<f64> {
    let outputs: Vec<&[f64]> =
        (0..if n_classes == 2 { 1 } else { n_classes }).map(|at| scores.output(at)).collect();
    let mut by_row = Vec::with_capacity(scores.n_rows() * n_classes);
    for row in 0..scores.n_rows() {
        if let [score] = outputs[..] {
            by_row.extend([-score[row], score[row]]);
            continue;
        }
        let mean = outputs.iter().map(|output| output[row]).sum::<f64>() / n_classes as f64;
        by_row.extend(outputs.iter().map(|output| output[row] - mean));
    }
    by_row
}
