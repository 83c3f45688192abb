//! Criterion benchmarks of the kernels: binning, histograms, weak learners, whole fits, scoring.
//!
//! Every id ends in rows x columns and the throughput counts cells (times rounds for a fit), so that
//! sizes compare. All cores are used. `cargo bench -- histogram` runs one group.

#![allow(missing_docs, reason = "criterion's macros make public functions without a word")]
#![allow(clippy::unwrap_used, reason = "a benchmark whose set-up fails should stop at once")]

use std::sync::Arc;

use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use ndarray::Array1;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use weakforce::booster::{
    AdaBoostRSettings, ArcGvSettings, BoosterSettings, Decode, DiscreteSettings, LogitSettings,
    RealSettings, StepRule,
};
use weakforce::data::{
    Binned, Bins, Column, FrameSource, NumberArray, NumberBins, Rows, Table, View,
};
use weakforce::demand::{ChangedPlaces, Demand, FULL_WEIGHT, Needs, Question, Stretch};
use weakforce::fit::{Fitted, fit};
use weakforce::learner::{
    AnswerName, CriterionName, Histogram, LearnerSettings, RuleSettings, Splitter, Start,
    StumpSettings, TreeSettings,
};
use weakforce::model::Given;
use weakforce::prepared::{Labelled, Problem};
use weakforce::settings::{Scoring, Settings};
use weakforce::storage::Storage;
use weakforce::workers::{Workers, run_blocks};

/// Rows and columns of most benchmarks.
const SIZES: [(usize, usize); 3] = [(10_000, 50), (100_000, 50), (1_000_000, 10)];
/// Columns whose sum, plus noise, decides the label.
const TELLING_COLUMNS: usize = 5;
const MAX_BINS: usize = 255;
/// The share of rows that a vote gets wrong.
const CHANGED: f64 = 0.4;

/// Columns of random numbers and labels that depend on some of them.
struct Sample {
    columns: Vec<Array1<f32>>,
    classes: Vec<u32>,
}

impl Sample {
    fn draw(n_rows: usize, n_columns: usize) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(17);
        let mut number = || generator.random_range(-1.0..1.0f32);
        let columns: Vec<Array1<f32>> =
            (0..n_columns).map(|_| (0..n_rows).map(|_| number()).collect()).collect();
        let telling = &columns[..TELLING_COLUMNS.min(n_columns)];
        let classes = (0..n_rows)
            .map(|row| {
                let signal: f32 = telling.iter().map(|column| column[row]).sum();
                u32::from(signal + number() > 0.0)
            })
            .collect();
        Self { columns, classes }
    }

    fn table(&self) -> Table<'_> {
        let columns = self.columns.iter().enumerate().map(|(at, numbers)| {
            Column::from_array(format!("x{at}"), NumberArray::F32(numbers.view()))
        });
        Table::new(columns.collect(), true, self.classes.len()).unwrap()
    }

    fn rows(&self) -> Rows {
        Rows::select(&self.classes, 2, None, |_| true).unwrap()
    }

    fn problem(&self) -> Problem<'_> {
        let (table, classes) = (self.table(), self.classes.clone());
        let source = FrameSource::Table(table);
        let train = Labelled {
            source,
            classes: classes.into(),
            weights: None,
            costs: None,
            mistrust: None,
            pieces: None,
        };
        let storage = Storage::default();
        Problem { train, validation: None, earlier: None, external: None, storage }
    }
}

/// Columns of 2 to 12 codes.
fn narrow_columns(n_rows: usize, n_columns: usize) -> Binned {
    let bins: Vec<Bins> = (0..n_columns)
        .map(|column| Bins::Numbers(NumberBins { cuts: vec![0.0; 1 + column % 11] }))
        .collect();
    let bins: Vec<&Bins> = bins.iter().collect();
    let mut generator = ChaCha8Rng::seed_from_u64(17);
    Binned::block(&bins, n_rows, &vec![true; n_columns], |column, codes| {
        codes.fill_with(|| generator.random_range(0..bins[column].missing() as u16));
    })
}

/// The places that a vote would change, with what it would add to their weights.
fn changes(n_rows: usize, stretches: &[Stretch]) -> Vec<ChangedPlaces> {
    let mut generator = ChaCha8Rng::seed_from_u64(18);
    let ends: Vec<usize> = stretches.iter().map(|stretch| stretch.end).collect();
    let blocks = run_blocks(&ends).into_iter().map(|block| {
        let places = 0..block.rows.len() as u16;
        let places: Vec<u16> = places.filter(|_| generator.random_bool(CHANGED)).collect();
        let differences = vec![(0.1 * FULL_WEIGHT / n_rows as f64) as u64; places.len()];
        ChangedPlaces { stretch: block.run, first: block.rows.start, places, differences }
    });
    blocks.collect()
}

fn bin(table: &Table, rows: &Rows, workers: &Workers) -> Binned {
    let bins = Bins::fit(table.columns(), rows, MAX_BINS, workers).unwrap();
    let bins: Vec<&Bins> = bins.iter().collect();
    Binned::encode(table.columns(), &bins, Some(rows.places()), rows.len(), workers).unwrap()
}

/// Rows in class order, their codes, and equal weights in fixed point.
fn training_rows(n_rows: usize, n_columns: usize, workers: &Workers) -> (Rows, Binned, Vec<u64>) {
    let sample = Sample::draw(n_rows, n_columns);
    let rows = sample.rows();
    let data = bin(&sample.table(), &rows, workers);
    (rows, data, vec![(FULL_WEIGHT / n_rows as f64) as u64; n_rows])
}

fn stump(criterion: CriterionName) -> LearnerSettings {
    let answer = AnswerName::Auto;
    LearnerSettings::Stump(StumpSettings { criterion, answer, smoothing: None })
}

fn rule(max_literals: usize) -> LearnerSettings {
    LearnerSettings::Rule(RuleSettings {
        max_literals,
        criterion: CriterionName::Z,
        answer: AnswerName::Auto,
        min_gain: 0.0,
        smoothing: None,
    })
}

fn tree(max_leaf_nodes: usize) -> LearnerSettings {
    LearnerSettings::Tree(tree_settings(max_leaf_nodes))
}

fn random_tree(max_leaf_nodes: usize) -> LearnerSettings {
    let settings = tree_settings(max_leaf_nodes);
    LearnerSettings::Tree(TreeSettings { splitter: Splitter::Random, ..settings })
}

fn tree_settings(max_leaf_nodes: usize) -> TreeSettings {
    TreeSettings {
        max_leaf_nodes,
        max_depth: None,
        min_samples_leaf: 1,
        min_weight_leaf: 0.0,
        criterion: CriterionName::Gini,
        answer: AnswerName::Auto,
        smoothing: None,
        max_features: None,
        splitter: Splitter::Best,
    }
}

fn settings(booster: BoosterSettings, estimator: LearnerSettings, rounds: usize) -> Settings {
    Settings {
        booster,
        estimator,
        n_estimators: rounds,
        learning_rate: 1.0,
        max_bins: MAX_BINS,
        categorical_features: Vec::new(),
        early_stopping: false,
        validation_fraction: 0.1,
        n_iter_no_change: Some(10),
        scoring: Scoring::Loss,
        subsample: 1.0,
        replace: false,
        resample: false,
        monotonic_cst: Vec::new(),
        pool: None,
        tol: 0.0,
        random_state: 0,
        n_jobs: None,
        n_classes: 2,
        decomposition: None,
        decode: Decode::Score,
        program: None,
        merge_rows: true,
    }
}

fn discrete(rounds: usize) -> Settings {
    let booster = BoosterSettings::Discrete(DiscreteSettings { phi: 0.5 });
    settings(booster, stump(CriterionName::Error), rounds)
}

fn logit(rounds: usize) -> Settings {
    let booster =
        BoosterSettings::Logitboost(LogitSettings { l2_regularization: 1.0, step: StepRule::Unit });
    Settings { learning_rate: 0.1, ..settings(booster, tree(31), rounds) }
}

fn run(sample: &Sample, settings: &Settings, workers: &Workers) -> Fitted {
    fit(&sample.problem(), settings, workers, &mut |_| Ok(true)).unwrap()
}

/// A group of few samples: the kernels are steady and some of them slow.
fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(15);
    group
}

fn stretches(rows: &Rows) -> Vec<Stretch> {
    rows.class_ends().iter().enumerate().map(|(kind, &end)| Stretch { kind, end }).collect()
}

fn demand<'a>(weights: &'a [u64], stretches: &'a [Stretch]) -> Demand<'a> {
    let lightest = 1.0 / weights.len() as f64;
    Demand {
        question: Question::Side,
        weights,
        stretches,
        rows: None,
        copies: None,
        lightest,
        partitions: None,
        revision: None,
    }
}

fn size(n_rows: usize, n_columns: usize) -> String {
    format!("{n_rows}x{n_columns}")
}

fn cells(n_rows: usize, n_columns: usize) -> Throughput {
    Throughput::Elements((n_rows * n_columns) as u64)
}

fn binning(criterion: &mut Criterion) {
    let workers = Workers::new(None).unwrap();
    let mut group = group(criterion, "binning");
    for (n_rows, n_columns) in SIZES {
        let sample = Sample::draw(n_rows, n_columns);
        let (table, rows) = (sample.table(), sample.rows());
        group.throughput(cells(n_rows, n_columns));
        group.bench_function(size(n_rows, n_columns), |bencher| {
            bencher.iter(|| bin(&table, &rows, &workers));
        });
    }
}

fn histogram(criterion: &mut Criterion) {
    let workers = Workers::new(None).unwrap();
    let mut group = group(criterion, "histogram");
    for (n_rows, n_columns) in SIZES {
        let (rows, data, weights) = training_rows(n_rows, n_columns, &workers);
        let stretches = stretches(&rows);
        let demand = demand(&weights, &stretches);
        let mut histogram = Histogram::new(&data, 2);
        group.throughput(cells(n_rows, n_columns));
        group.bench_function(size(n_rows, n_columns), |bencher| {
            bencher.iter(|| histogram.fill(&data, &demand, &workers).unwrap());
        });
    }
}

/// Sums of all rows and of those that have changed, of columns of many codes and of few.
fn sums(criterion: &mut Criterion) {
    let workers = Workers::new(None).unwrap();
    let mut group = group(criterion, "sums");
    let (n_rows, n_columns) = (1_000_000, 50);
    let (rows, wide, weights) = training_rows(n_rows, n_columns, &workers);
    let stretches = stretches(&rows);
    let demand = demand(&weights, &stretches);
    let changes = changes(n_rows, &stretches);
    group.throughput(cells(n_rows, n_columns));
    for (name, data) in [("wide", wide), ("narrow", narrow_columns(n_rows, n_columns))] {
        let mut histogram = Histogram::new(&data, 2);
        let size = size(n_rows, n_columns);
        group.bench_function(BenchmarkId::new(format!("{name}_all"), &size), |bencher| {
            bencher.iter(|| histogram.fill(&data, &demand, &workers).unwrap());
        });
        group.bench_function(BenchmarkId::new(format!("{name}_changes"), &size), |bencher| {
            bencher.iter(|| histogram.add_changes(&data, &demand, &changes, &workers).unwrap());
        });
    }
}

/// One hypothesis: stumps by criterion, rules and trees by size.
fn weak_learners(criterion: &mut Criterion) {
    let workers = Workers::new(None).unwrap();
    let mut group = group(criterion, "learner");
    let learners = [
        ("stump_error", stump(CriterionName::Error)),
        ("stump_z", stump(CriterionName::Z)),
        ("stump_gini", stump(CriterionName::Gini)),
        ("rule_2", rule(2)),
        ("rule_3", rule(3)),
        ("tree_12", tree(12)),
        ("tree_64", tree(64)),
        ("random_tree_12", random_tree(12)),
        ("random_tree_64", random_tree(64)),
    ];
    for (n_rows, n_columns) in SIZES {
        let (rows, data, weights) = training_rows(n_rows, n_columns, &workers);
        let view = View::Codes(data);
        let stretches = stretches(&rows);
        let demand = demand(&weights, &stretches);
        let start = Start {
            view: &view,
            question: Question::Side,
            learns_labels: true,
            needs: Needs::Votes,
            found_before: 0,
            most_rows: 1000,
            seed: 0,
            signs: &[],
        };
        group.throughput(cells(n_rows, n_columns));
        for (name, settings) in &learners {
            let mut learner = settings.start(&start).unwrap();
            group.bench_function(BenchmarkId::new(*name, size(n_rows, n_columns)), |bencher| {
                bencher.iter(|| learner.fit(&view, &demand, &workers).unwrap());
            });
        }
    }
}

/// Binning and fifty rounds of each booster.
fn full_fit(criterion: &mut Criterion) {
    const ROUNDS: usize = 50;
    const ROWS: usize = 100_000;
    const COLUMNS: usize = 50;
    let workers = Workers::new(None).unwrap();
    let logistic = || stump(CriterionName::Z);
    let real = BoosterSettings::Real(RealSettings { step: StepRule::LineSearch });
    let boosters = [
        ("discrete", discrete(ROUNDS)),
        (
            "arc_gv",
            Settings { booster: BoosterSettings::ArcGv(ArcGvSettings {}), ..discrete(ROUNDS) },
        ),
        ("real", settings(real, logistic(), ROUNDS)),
        (
            "adaboost_r",
            settings(BoosterSettings::AdaboostR(AdaBoostRSettings {}), logistic(), ROUNDS),
        ),
        ("logitboost_trees", logit(ROUNDS)),
        (
            "logitboost_monotone_trees",
            Settings { monotonic_cst: vec![1; COLUMNS], ..logit(ROUNDS) },
        ),
    ];
    let sample = Sample::draw(ROWS, COLUMNS);
    let mut group = group(criterion, "fit");
    group.throughput(cells(ROWS * ROUNDS, COLUMNS));
    for (name, settings) in &boosters {
        let id = BenchmarkId::new(format!("{name}/{ROUNDS}_rounds"), size(ROWS, COLUMNS));
        group.bench_function(id, |bencher| bencher.iter(|| run(&sample, settings, &workers)));
    }
}

/// Scores of a thousand stumps and of a hundred trees, learned from fewer rows.
fn prediction(criterion: &mut Criterion) {
    let workers = Workers::new(None).unwrap();
    let mut group = group(criterion, "predict");
    let trees = Settings { estimator: tree(12), ..discrete(100) };
    for (n_rows, n_columns) in SIZES {
        for (name, settings) in [("1000_stumps", &discrete(1_000)), ("100_trees", &trees)] {
            let fitted = run(&Sample::draw(5_000, n_columns), settings, &workers);
            let model = Arc::new(fitted.model);
            let sample = Sample::draw(n_rows, n_columns);
            let given = Given { table: sample.table(), external: None };
            group.throughput(cells(n_rows, n_columns));
            group.bench_function(BenchmarkId::new(name, size(n_rows, n_columns)), |bencher| {
                bencher.iter(|| model.decision_function(&given, &workers).unwrap());
            });
        }
    }
}

criterion_group!(kernels, binning, histogram, sums, weak_learners, full_fit, prediction);
criterion_main!(kernels);
