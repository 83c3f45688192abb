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
mod forest;
mod link;
mod random_tree;
mod shrinkage;

use std::time::{Duration, Instant};

use crate::booster::RunReport;
use crate::error::Result;
use crate::learner::LearnerSettings;
use crate::model::Model;
use crate::prepared::Prepared;
use crate::sampling::{Sampling, hashed};
use crate::settings::{PoolSettings, Settings};
use crate::workers::Workers;
use assembly::{Parts, assemble, into_model};
use blend::{Blend, Candidate, Place, log_loss};
use boosted::{BoostedRun, N_FOLDS, RunRule, boost};
use forest::{Forest, ForestRule, Judging, PoolRows};
use link::LinkProblem;
use random_tree::{GrowthRule, ROW};

/// The strengths of hierarchical shrinkage, in rows.
const LAMBDAS: [f64; 6] = [0.0, 3.0, 10.0, 30.0, 100.0, 300.0];

/// What tells a forest from others.
struct ForestKind {
    /// The least rows of a leaf.
    leaf_rows: u64,
    /// The share of the rows of a sample, and whether it is drawn with replacement.
    share: f64,
    with_replacement: bool,
    /// Whether rows weigh by how probable their labels are.
    by_trust: bool,
    /// How much its candidates are expected to count, by λ.
    expected: [f64; 6],
}

/// The forests. Without shrinkage a forest with pure leaves is seldom right, and with the strongest
/// one no forest is.
const FORESTS: [ForestKind; 3] = [
    ForestKind {
        leaf_rows: 1,
        share: 1.0,
        with_replacement: true,
        by_trust: false,
        expected: [0.1, 0.3, 1.0, 1.0, 1.0, 0.3],
    },
    ForestKind {
        leaf_rows: 5,
        share: 0.8,
        with_replacement: false,
        by_trust: false,
        expected: [1.0, 1.0, 1.0, 1.0, 1.0, 0.3],
    },
    ForestKind {
        leaf_rows: 5,
        share: 0.8,
        with_replacement: false,
        by_trust: true,
        expected: [1.0, 1.0, 1.0, 1.0, 1.0, 0.3],
    },
];
/// The numbers of rounds among which one is chosen.
const STAGES: [usize; 6] = [8, 16, 32, 64, 128, 256];
/// Rows from which forests are small: fewer trees, each grown on a part of the rows, and none by trust.
const MANY: usize = 20_000;
/// Trees of such a forest, and rows of each.
const FEW_TREES: usize = 50;
const TREE_ROWS: f64 = 16_384.0;
/// Rows from which there are boosted trees only, fitted to all rows after one fold has been held back.
const LARGE: usize = 50_000;
/// The most rounds there, so that such models are quick.
const LARGE_ROUNDS: usize = 192;
/// The rows at which forests and boosted trees are expected to count as ¾ and ¼.
const EVEN_ROWS: f64 = 4000.0;
/// The ridge on the biases of candidates.
const BIAS_RIDGE: f64 = 5.0;
/// Trees of a forest at most, and at least where leaves have many numbers.
const MOST_TREES: usize = 200;
const FEWEST_TREES: usize = 20;
/// Numbers that the leaves of a forest may hold.
const MOST_NUMBERS: usize = 1 << 23;
/// Rows that are judged out of bag at most.
const MOST_JUDGED: usize = 50_000;

/// What is made of the pool.
pub struct PoolFit {
    /// The model.
    pub model: Model,
    /// What else there is to tell, by class; about rows, by place.
    pub reports: Vec<RunReport>,
}

/// Fits the pool; the time limit counts from `begun` on.
pub fn fit_pool(
    prepared: Prepared,
    settings: &Settings,
    pool: &PoolSettings,
    begun: Instant,
    workers: &Workers,
) -> Result<PoolFit> {
    let rows = pool_rows(&prepared, settings)?;
    let settings = &with_small_leaves(settings, rows.len());
    let fit = Fit { rows: &rows, settings, pool, workers, begun };
    let judged = fit.judged_places();
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

    let mut boosted = fit.boosted(&judged)?;
    let stage = boosted.best_stage(&truth, rows.n_classes);
    let stacked = stack(&truth, &forest_scores, &boosted, stage, rows.n_classes);
    let report = fit.capacity_report(&candidates, &blend, &boosted.losses, &stacked.factors);
    let runs = fit.final_runs(boosted.runs, stage)?;

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

/// The boosted runs, and the scores of judged rows by the run that has not seen them.
struct Boosted {
    runs: Vec<BoostedRun>,
    /// By stage: row after row, class after class.
    scores: Vec<Vec<f64>>,
    /// Whether a judged row was held back by some run.
    is_held: Vec<bool>,
    /// By stage.
    losses: Vec<f64>,
}

impl Fit<'_> {
    fn seed(&self) -> u64 {
        self.settings.random_state
    }

    /// When a share of the time is up, if there is a limit.
    fn deadline(&self, share: f64) -> Option<Instant> {
        let limit = self.pool.time_limit?;
        Some(self.begun + Duration::from_secs_f64((share * limit).min(1e9)))
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

    fn class_shares(&self) -> Vec<f64> {
        let mut shares = vec![0.0; self.rows.n_classes];
        for (class, weight) in self.rows.classes.iter().zip(&self.rows.weights) {
            shares[*class as usize] += weight / self.rows.len() as f64;
        }
        shares
    }

    /// The forests that suit the number of rows.
    fn forest_kinds(&self) -> Vec<usize> {
        let n_rows = self.rows.len();
        let suits = |at: &usize| n_rows <= MANY || !FORESTS[*at].by_trust;
        if n_rows > LARGE { Vec::new() } else { (0..FORESTS.len()).filter(suits).collect() }
    }

    /// Trees of each forest: fewer where they are large.
    fn n_trees(&self, share: f64) -> usize {
        if let Some(n_trees) = self.pool.n_trees {
            return n_trees;
        }
        let most = if self.rows.len() > MANY { FEW_TREES } else { MOST_TREES };
        // Nearly every second row of a sample has a leaf of its own.
        let leaves = 0.4 * share * self.rows.len() as f64;
        let afforded = MOST_NUMBERS / (leaves * self.rows.n_classes as f64).ceil() as usize;
        most.min(afforded.max(FEWEST_TREES))
    }

    /// One of the forests, with these factors of row weights.
    fn forest(&self, at: usize, factors: Option<Vec<f64>>, judging: &Judging) -> Result<Forest> {
        let n_columns = self.rows.data.n_columns();
        let kind = &FORESTS[at];
        let n_rows = self.rows.len();
        let share = if n_rows > MANY { TREE_ROWS / n_rows as f64 } else { kind.share };
        let with_replacement = kind.with_replacement && n_rows <= MANY;
        let rule = ForestRule {
            n_trees: self.n_trees(share),
            growth: GrowthRule {
                max_features: match self.pool.max_features {
                    Some(most) => most.of(n_columns)?,
                    None => n_columns,
                },
                min_leaf: kind.leaf_rows * ROW,
                max_leaves: crate::hypothesis::MOST_LEAVES,
            },
            sampling: Sampling { share, with_replacement, seed: self.seed() },
            first: (at as u64) << 32,
            factors,
            deadline: self.deadline(0.2 * (at + 1) as f64),
        };
        Forest::grow(self.rows, rule, judging, self.workers)
    }

    /// The candidates that shrinkage makes of a forest.
    fn candidates(&self, kind: usize, forest: &Forest, truth: &Truth) -> Result<Vec<Candidate>> {
        let n_classes = self.rows.n_classes;
        let steps = truth.classes.len() * n_classes * LAMBDAS.len() * 20;
        self.workers.map(steps, (0..LAMBDAS.len()).collect(), |at| {
            let place = Place { at, n: LAMBDAS.len(), kind, expected: FORESTS[kind].expected[at] };
            Ok(Candidate::new(&forest.out_of_bag, place, n_classes, truth))
        })
    }

    /// What rows weigh in later forests: by the probabilities of their labels, or the roots of these
    /// for more than two classes; 1 on average.
    fn trust(&self, candidates: &[Candidate], truth: &Truth) -> Vec<f64> {
        let scores = Blend::new(candidates).scores(candidates);
        let factor = single_factor(&scores, truth, self.rows.n_classes);
        let mut trust: Vec<f64> = scores
            .chunks(self.rows.n_classes)
            .zip(&truth.classes)
            .map(|(scores, &class)| {
                let mut scores: Vec<f64> = scores.iter().map(|score| factor * score).collect();
                link::soften(&mut scores, class as usize);
                let p = scores[class as usize];
                if scores.len() == 2 { p } else { p.sqrt() }
            })
            .collect();
        let mean = trust.iter().sum::<f64>() / trust.len() as f64;
        for trust in &mut trust {
            *trust /= mean;
        }
        trust
    }

    /// The fold of every row: of each class as many in every fold, whatever the order of rows.
    fn folds(&self) -> Vec<u64> {
        let mut order: Vec<(u32, u64, u32)> = (0..self.rows.len() as u32)
            .map(|place| {
                let number = self.rows.numbers[place as usize];
                let hash = hashed(self.seed(), u64::MAX - 1, number.into());
                (self.rows.classes[place as usize], hash, place)
            })
            .collect();
        order.sort_unstable();
        let mut folds = vec![0; self.rows.len()];
        for (at, (_, _, place)) in order.into_iter().enumerate() {
            folds[place as usize] = at as u64 % N_FOLDS;
        }
        folds
    }

    /// The numbers of rounds among which one is chosen.
    fn stages(&self) -> Vec<usize> {
        let is_large = self.pool.auto_rounds && self.rows.len() > LARGE;
        let most = if is_large { LARGE_ROUNDS } else { self.settings.n_estimators };
        let mut stages: Vec<usize> = STAGES.into_iter().filter(|stage| *stage < most).collect();
        stages.push(most);
        stages
    }

    /// Runs the booster without each fold, or without one of them if there are many rows.
    fn boosted(&self, judged: &[u32]) -> Result<Boosted> {
        let (folds, stages) = (self.folds(), self.stages());
        let n_classes = self.rows.n_classes;
        let mut boosted = Boosted {
            runs: Vec::new(),
            scores: vec![vec![0.0; judged.len() * n_classes]; stages.len()],
            is_held: vec![false; judged.len()],
            losses: Vec::new(),
        };
        let n_runs = if self.rows.len() > LARGE { 1 } else { N_FOLDS };
        for fold in 0..n_runs {
            let places = 0..self.rows.len() as u32;
            let (held, train): (Vec<u32>, Vec<u32>) =
                places.partition(|&place| folds[place as usize] == fold);
            // Of the rows held back those that are judged.
            let at: Vec<usize> =
                (0..judged.len()).filter(|&at| folds[judged[at] as usize] == fold).collect();
            let held: Vec<u32> =
                held.into_iter().filter(|place| judged.binary_search(place).is_ok()).collect();
            let share = 0.6 + 0.35 * (fold + 1) as f64 / N_FOLDS as f64;
            let rule = RunRule {
                settings: self.settings,
                stages: &stages,
                sampling: self.settings.sampling(),
                deadline: self.deadline(if n_runs == 1 { 0.5 } else { share }),
            };
            let run = boost(self.rows, (&train, &held), &rule, self.workers)?;
            for (to, from) in boosted.scores.iter_mut().zip(&run.held_scores) {
                for (at, scores) in at.iter().zip(from.chunks(n_classes)) {
                    to[at * n_classes..][..n_classes].copy_from_slice(scores);
                }
            }
            for &at in &at {
                boosted.is_held[at] = true;
            }
            boosted.runs.push(run);
        }
        Ok(boosted)
    }

    /// The runs that the model is made of, with no more rounds than the chosen ones.
    fn final_runs(&self, runs: Vec<BoostedRun>, stage: usize) -> Result<Vec<BoostedRun>> {
        let n_rounds = self.stages()[stage];
        if self.rows.len() <= LARGE {
            let shortened = runs.into_iter().map(|mut run| {
                run.members.retain(|member| member.round < n_rounds);
                run.n_rounds = run.n_rounds.min(n_rounds);
                run
            });
            return Ok(shortened.collect());
        }
        let rule = RunRule {
            settings: self.settings,
            stages: &[n_rounds],
            sampling: self.settings.sampling(),
            deadline: self.deadline(0.95),
        };
        let all: Vec<u32> = (0..self.rows.len() as u32).collect();
        Ok(vec![boost(self.rows, (&all, &[]), &rule, self.workers)?])
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

impl Boosted {
    /// The stage with the least log loss over the rows held back.
    fn best_stage(&mut self, truth: &Truth, n_classes: usize) -> usize {
        let is_held = &self.is_held;
        let loss = |scores: &Vec<f64>| log_loss(scores, truth, n_classes, |row| is_held[row]);
        self.losses = self.scores.iter().map(loss).collect();
        let best = self.losses.iter().copied().fold(f64::INFINITY, f64::min);
        self.losses.iter().position(|loss| *loss <= best).unwrap_or(0)
    }
}

/// The factor of one member alone.
fn single_factor(scores: &[f64], truth: &Truth, n_classes: usize) -> f64 {
    let problem = LinkProblem {
        members: vec![scores],
        classes: &truth.classes,
        weights: &truth.weights,
        n_classes,
        expected: vec![1.0],
        spread: 1.0,
        bias_ridge: None,
    };
    problem.solve().factors[0]
}

/// How forests and boosted trees are put together.
struct Stacked {
    /// Those of the forests, if there are any, and of the boosted trees.
    factors: [f64; 2],
    /// The scores of judged rows out of bag, row after row.
    scores: Vec<f64>,
    /// The share of them that is right.
    right: f64,
}

fn stack(
    truth: &Truth,
    forest_scores: &[f64],
    boosted: &Boosted,
    stage: usize,
    n_classes: usize,
) -> Stacked {
    let n_rows = truth.classes.len();
    let held: Vec<usize> = (0..n_rows).filter(|&row| boosted.is_held[row]).collect();
    let pick = |scores: &[f64]| -> Vec<f64> {
        held.iter().flat_map(|row| &scores[row * n_classes..][..n_classes]).copied().collect()
    };
    let boosted_scores = &boosted.scores[stage];
    let share = 0.5 * n_rows as f64 / (n_rows as f64 + EVEN_ROWS);
    let (mut members, mut expected) = (vec![pick(boosted_scores)], vec![1.0]);
    if !forest_scores.is_empty() {
        members.insert(0, pick(forest_scores));
        expected = vec![1.0 - share, share];
    }
    let classes: Vec<u32> = held.iter().map(|&row| truth.classes[row]).collect();
    let weights: Vec<f64> = held.iter().map(|&row| truth.weights[row]).collect();
    let problem = LinkProblem {
        members: members.iter().map(Vec::as_slice).collect(),
        classes: &classes,
        weights: &weights,
        n_classes,
        expected,
        spread: 1.0,
        bias_ridge: None,
    };
    let link = problem.solve();
    let factors = match link.factors[..] {
        [forest, boosted] => [forest, boosted],
        [boosted] => [0.0, boosted],
        _ => [0.0, 0.0],
    };
    let mut scores = vec![f64::NAN; n_rows * n_classes];
    for &row in &held {
        for at in row * n_classes..(row + 1) * n_classes {
            let forest = forest_scores.get(at).map_or(0.0, |score| factors[0] * score);
            scores[at] = forest + factors[1] * boosted_scores[at];
        }
    }
    let right = blend::share_right(&scores, truth, n_classes);
    Stacked { factors, scores, right }
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
