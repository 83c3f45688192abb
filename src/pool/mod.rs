//! The pool behind `WeakForceClassifier`: forests of random-cut trees and boosted trees, whose capacity
//! follows the noise of the labels.
//!
//! In: prepared rows, the settings of the boosted member, and of the pool. Out: one sum of trees under
//! a soft-max. The story, in the order of the code:
//!
//! 1. Two forests are grown, with leaves of at least one and five rows (`forest`); hierarchical
//!    shrinkage makes candidates of each (`shrinkage`), judged out of bag.
//! 2. Every candidate gets a factor and a bias under the link (`link`); candidates that are about as
//!    good as the best one are blended (`blend`).
//! 3. A third forest is grown in which rows weigh by how probable their labels are.
//! 4. Boosted trees are cross-fitted (`boosted`), and the best number of rounds is chosen.
//! 5. Forests and boosted trees get their factors under the link. Leaves then hold all of it, so that
//!    the model is a plain sum.

mod assembly;
mod blend;
mod boosted;
mod fit_boosted;
mod fit_forests;
mod forest;
mod link;
mod plan;
mod random_tree;
mod shrinkage;
mod stack;

use std::time::Instant;

use crate::booster::RunReport;
use crate::checkpoint::Log;
use crate::error::Result;
use crate::learner::LearnerSettings;
use crate::memory::{self, Need};
use crate::model::Model;
use crate::prepared::Prepared;
use crate::sampling::Sampling;
use crate::settings::{PoolSettings, Settings};
use crate::solver::Limits;
use crate::workers::Workers;
use assembly::{Parts, assemble, into_model};
use blend::{Blend, Candidate};
use forest::{Forest, Judging, PoolRows};
use plan::{FORESTS, LAMBDAS, MOST_JUDGED};
use stack::{Stacked, stack};

/// What is made of the pool.
pub struct PoolFit {
    /// The model.
    pub model: Model,
    /// What else there is to tell, by class; about rows, by place.
    pub reports: Vec<RunReport>,
}

/// Fits the pool; the time limit counts from `begun` on. Forests are grown anew where a checkpoint has
/// boosted rounds already.
pub fn fit_pool(
    prepared: Prepared,
    settings: &Settings,
    pool: &PoolSettings,
    begun: Instant,
    log: &mut Log,
) -> Result<PoolFit> {
    let workers = log.workers();
    let rows = pool_rows(&prepared, settings)?;
    let settings = &with_small_leaves(settings, rows.len());
    let fit = Fit { rows: &rows, settings, pool, workers, begun };
    let judged = fit.judged_places();
    fit.check_memory(judged.len())?;
    let prior = fit.class_shares();
    let judging = Judging { places: &judged, lambdas: &LAMBDAS, prior: &prior };
    let truth = Truth::new(&rows, &judged);

    let mut forests: Vec<Forest> = Vec::new();
    let mut candidates: Vec<Candidate> = Vec::new();
    for at in fit.forest_kinds() {
        let trust = FORESTS[at].by_trust.then(|| fit.trust(&candidates, &truth));
        let forest = fit.forest(at, trust, &judging)?;
        candidates.extend(fit.candidates(at, &forest, &truth)?);
        forests.push(forest);
    }
    let blend = Blend::new(&candidates);
    let forest_scores = blend.scores(&candidates);

    let mut boosted = fit.boosted(&judged, log)?;
    let stage = boosted.best_stage(&truth, rows.n_classes);
    let stacked = stack(&truth, &forest_scores, &boosted, stage, rows.n_classes);
    let report = fit.capacity_report(&candidates, &blend, &boosted.losses, &stacked.factors);
    let runs = fit.final_runs(boosted.runs, stage, log)?;

    let parts = Parts {
        rows: &rows,
        forests: &forests,
        candidates: &candidates,
        blend: &blend,
        runs: &runs,
        factors: stacked.factors,
        signs: &settings.monotonic_cst,
    };
    let assembled = assemble(&parts, stacked.right, workers)?;
    let reports = by_class_reports(report, &stacked, &judged, &rows);
    Ok(PoolFit { model: into_model(assembled, prepared, workers)?, reports })
}

/// Settings whose boosted trees have smaller leaves if there are few rows.
fn with_small_leaves(settings: &Settings, n_rows: usize) -> Settings {
    let mut settings = settings.clone();
    if let LearnerSettings::Tree(tree) = &mut settings.estimator {
        let least = (n_rows as u64 / 25).max(3);
        tree.min_samples_leaf = tree.min_samples_leaf.min(least);
    }
    settings
}

/// The rows as the pool reads them.
fn pool_rows<'a>(prepared: &'a Prepared, settings: &Settings) -> Result<PoolRows<'a>> {
    let (rows, data) = (&prepared.train.rows, prepared.train.view.codes()?);
    let class = |place: usize| rows.class_ends().partition_point(|&end| end <= place) as u32;
    let weights = rows.all_start_weights();
    Ok(PoolRows {
        data,
        classes: (0..rows.len()).map(class).collect(),
        numbers: rows.numbers(),
        weights: weights.iter().map(|weight| weight * rows.len() as f64).collect(),
        n_classes: settings.n_classes,
    })
}

/// The classes and weights of the rows that are judged.
struct Truth {
    classes: Vec<u32>,
    weights: Vec<f64>,
}

impl Truth {
    fn new(rows: &PoolRows, places: &[u32]) -> Self {
        Self {
            classes: places.iter().map(|&place| rows.classes[place as usize]).collect(),
            weights: places.iter().map(|&place| rows.weights[place as usize]).collect(),
        }
    }
}

/// A fit in progress.
struct Fit<'a> {
    rows: &'a PoolRows<'a>,
    settings: &'a Settings,
    pool: &'a PoolSettings,
    workers: &'a Workers,
    begun: Instant,
}

impl Fit<'_> {
    fn seed(&self) -> u64 {
        self.settings.random_state
    }

    /// When a share of the time is up, if there is a limit.
    fn deadline(&self, share: f64) -> Option<Instant> {
        let limit = self.pool.time_limit?;
        Some(self.begun + Limits::seconds(share * limit))
    }

    /// The rows that are judged out of bag: all, or some that depend on their numbers alone.
    fn judged_places(&self) -> Vec<u32> {
        let n_rows = self.rows.len();
        let sampling = Sampling {
            share: MOST_JUDGED as f64 / n_rows as f64,
            with_replacement: false,
            seed: self.seed(),
        };
        let is_judged = |place: &u32| {
            let number = self.rows.numbers[*place as usize];
            n_rows <= MOST_JUDGED || sampling.times(u64::MAX, number.into()) > 0
        };
        (0..n_rows as u32).filter(is_judged).collect()
    }

    /// Refuses scores of judged rows and answers of leaves that do not fit into memory.
    fn check_memory(&self, n_judged: usize) -> Result<()> {
        let n_forests = self.forest_kinds().len();
        // Shares out of bag and scores by candidate, and the scores of boosted trees by stage.
        let by_class = 2 * LAMBDAS.len() * n_forests + self.stages().len();
        let n_leaves = self.leaves_of_a_tree(1.0) * self.n_trees(1.0) * n_forests;
        memory::check(&[
            Need::numbers("scores out of bag", &[n_judged, self.rows.n_classes, by_class], 8),
            Need::numbers("answers of leaves", &[n_leaves, self.rows.n_classes], 8),
        ])
    }

    fn class_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.rows.n_classes];
        for (class, weight) in self.rows.classes.iter().zip(&self.rows.weights) {
            shares[*class as usize] += weight / self.rows.len() as f64;
        }
        shares
    }

    /// What was chosen, as numbers by name.
    fn capacity_report(
        &self,
        candidates: &[Candidate],
        blend: &Blend,
        losses: &[f64],
        factors: &[f64; 2],
    ) -> RunReport {
        let each = |number: &dyn Fn(usize) -> f64| (0..candidates.len()).map(number).collect();
        RunReport {
            numbers: vec![
                ("candidate_forest", each(&|at| candidates[at].place.kind as f64)),
                (
                    "candidate_leaf_rows",
                    each(&|at| FORESTS[candidates[at].place.kind].leaf_rows as f64),
                ),
                ("candidate_lambda", each(&|at| LAMBDAS[candidates[at].place.at])),
                ("candidate_loss", each(&|at| candidates[at].mean_loss())),
                ("candidate_weight", each(&|at| blend.weights[at])),
                ("stage_rounds", self.stages().iter().map(|&rounds| rounds as f64).collect()),
                ("stage_loss", losses.to_vec()),
                ("factors", factors.to_vec()),
            ],
            ..RunReport::default()
        }
    }
}

/// A report for each class: the scores of rows out of bag, by place.
fn by_class_reports(
    first: RunReport,
    stacked: &Stacked,
    judged: &[u32],
    rows: &PoolRows,
) -> Vec<RunReport> {
    let of_class = |class: usize| {
        let mut scores = vec![f64::NAN; rows.len()];
        for (at, &place) in judged.iter().enumerate() {
            scores[place as usize] = stacked.scores[at * rows.n_classes + class];
        }
        RunReport { rows: vec![("oob_scores", scores)], ..RunReport::default() }
    };
    let mut reports: Vec<RunReport> = (0..rows.n_classes).map(of_class).collect();
    reports[0].numbers = first.numbers;
    reports
}
