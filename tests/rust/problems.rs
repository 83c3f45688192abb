//! Small problems for the tests of several modules: tables of Arrow columns, and settings for every
//! booster and learner of the registries.

use std::sync::Arc;

use crate::data::{Column, FrameSource, Table};
use crate::error::Result;
use crate::fit::{Fitted, fit};
use crate::prepared::{Labelled, Problem};
use crate::run::Observe;
use crate::settings::{PoolSettings, Settings};
use crate::storage::Storage;
use crate::workers::Workers;
use arrow_array::{ArrayRef, Float64Array, StringArray};
use arrow_schema::DataType;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A column of numbers; `None` is null.
pub fn numbers(name: &str, values: Vec<Option<f64>>) -> Column<'static> {
    let array: ArrayRef = Arc::new(Float64Array::from(values));
    Column::from_chunks(name.to_owned(), &DataType::Float64, vec![array]).unwrap()
}

/// A column of strings; `None` is null.
pub fn texts(name: &str, values: Vec<Option<String>>) -> Column<'static> {
    let array: ArrayRef = Arc::new(StringArray::from(values));
    Column::from_chunks(name.to_owned(), &DataType::Utf8, vec![array]).unwrap()
}

/// The JSON of every two-class booster that sums weighted answers.
pub const BOOSTERS: [&str; 7] = [
    r#"{"discrete": {"phi": 0.5}}"#,
    r#"{"discrete": {"phi": 0.45}}"#,
    r#"{"arc_gv": {}}"#,
    r#"{"real": {"step": "line-search"}}"#,
    r#"{"adaboost_r": {}}"#,
    r#"{"gentleboost": {}}"#,
    r#"{"logitboost": {"l2_regularization": 1.0, "step": "unit"}}"#,
];

/// The JSON of every booster with soft margins; they solve programs over all rows.
pub const SOFT_BOOSTERS: [&str; 4] = [
    r#"{"regularized": {"C": 100.0, "p": 2}}"#,
    r#"{"lpboost": {"nu": 0.4, "time_limit": null}}"#,
    r#"{"softboost": {"nu": 0.5, "time_limit": null}}"#,
    r#"{"erlpboost": {"nu": 0.6, "time_limit": null}}"#,
];

/// The JSON of every booster that combines hypotheses in another way.
pub const NO_SUMS: [&str; 3] = [
    r#"{"sfboost": {"prune": false, "smoothing": null}}"#,
    r#"{"sfboost": {"prune": true, "smoothing": 0.01}}"#,
    r#"{"martiboost": {"n_layers": 6, "randomized": false}}"#,
];

/// The JSON of every way to learn three classes: a booster and a decomposition.
pub const MANY_CLASSES: [(&str, &str); 16] = [
    (r#"{"samme": {}}"#, "null"),
    (r#"{"m1": {}}"#, "null"),
    (r#"{"mh": {"shared": false}}"#, "null"),
    (r#"{"mh": {"shared": true}}"#, "null"),
    (r#"{"m2": {"shared": true}}"#, "null"),
    (r#"{"softmax": {"cost": null, "n_draws": 0, "step": "paper"}}"#, "null"),
    (
        r#"{"softmax": {"cost": [[0, 1, 3], [2, 0, 1], [1, 1, 0]], "n_draws": null,
            "step": "theory"}}"#,
        "null",
    ),
    (r#"{"arc_gv": {}}"#, r#""one_vs_rest""#),
    (r#"{"real": {"step": "line-search"}}"#, r#"{"code": [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]}"#),
    (r#"{"sfboost": {"prune": false, "smoothing": null}}"#, "null"),
    (r#"{"martiboost": {"n_layers": 4, "randomized": true}}"#, r#""one_vs_rest""#),
    (r#"{"logitboost": {"l2_regularization": 2.0, "step": "line-search"}}"#, "null"),
    (r#"{"bagging": {}}"#, "null"),
    (r#"{"wagging": {}}"#, "null"),
    (r#"{"multi_boost": {"committee_size": null, "wag_first": true}}"#, "null"),
    (r#"{"arc_x4": {}}"#, "null"),
];

/// The JSON of every learner that reads any column.
pub const LEARNERS: [&str; 5] = [
    r#"{"stump": {"criterion": "error", "answer": "auto", "smoothing": null}}"#,
    r#"{"rule": {"max_literals": 3, "criterion": "z", "answer": "auto", "min_gain": 0.0,
        "smoothing": null}}"#,
    r#"{"tree": {"max_leaf_nodes": 9, "max_depth": null, "min_samples_leaf": 1,
        "min_weight_leaf": 0.0, "criterion": "gini", "answer": "auto", "smoothing": null}}"#,
    r#"{"tree": {"max_leaf_nodes": 400, "max_depth": 12, "min_samples_leaf": 3,
        "min_weight_leaf": 0.001, "criterion": "z", "answer": "auto", "smoothing": 0.01}}"#,
    r#"{"tree": {"max_leaf_nodes": 7, "max_depth": null, "min_samples_leaf": 1,
        "min_weight_leaf": 0.0, "criterion": "gini", "answer": "auto", "smoothing": null,
        "splitter": "random"}}"#,
];

/// The JSON of every learner that reads numbers only. Classifiers of the caller's need Python.
pub const NUMBER_LEARNERS: [&str; 1] =
    [r#"{"rbf_net": {"n_centers": 3, "n_steps": 2, "ridge": 1e-6, "answer": "auto"}}"#];

/// Every two-class booster with every learner; those that take longer with one of them.
pub fn combinations() -> impl Iterator<Item = (&'static str, &'static str)> {
    let pairs = BOOSTERS.into_iter().flat_map(|booster| LEARNERS.map(|learner| (booster, learner)));
    let others = SOFT_BOOSTERS.into_iter().chain(NO_SUMS).enumerate();
    let others = others.map(|(at, booster)| (booster, LEARNERS[at % 3]));
    pairs.chain(others).chain(NUMBER_LEARNERS.map(|learner| (BOOSTERS[3], learner)))
}

/// Every way to learn three classes with two learners each, and every learner several times.
pub fn many_class_combinations()
-> impl Iterator<Item = ((&'static str, &'static str), &'static str)> {
    MANY_CLASSES
        .into_iter()
        .enumerate()
        .flat_map(|(at, way)| [at % 2, 2 + at % 2].map(|learner| (way, LEARNERS[learner])))
}

/// Settings for one of [`combinations`].
pub fn settings((booster, learner): (&str, &str), rounds: usize) -> Settings {
    settings_for((booster, "null"), learner, rounds, 2)
}

pub fn settings_for(
    (booster, decomposition): (&str, &str),
    learner: &str,
    rounds: usize,
    n_classes: usize,
) -> Settings {
    Settings::from_json(&format!(
        r#"{{"booster": {booster}, "estimator": {learner}, "n_estimators": {rounds},
            "learning_rate": 1.0, "max_bins": 255, "categorical_features": [],
            "early_stopping": false, "validation_fraction": 0.1, "n_iter_no_change": 10,
            "tol": 0.001, "random_state": 7, "n_jobs": null, "n_classes": {n_classes},
            "decomposition": {decomposition}}}"#
    ))
    .unwrap()
}

/// A noisy problem with two number columns, one of them with gaps, and a category column.
pub fn mixed(rows: usize, seed: u64) -> (Vec<Column<'static>>, Vec<u32>) {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let (mut a, mut b, mut c, mut y) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rows {
        let x: f64 = generator.random_range(-1.0..1.0);
        let z: f64 = generator.random_range(-1.0..1.0);
        let letter = ["p", "q", "r", "s"][generator.random_range(0..4)];
        let push = if letter == "q" { 0.7 } else { -0.2 };
        let noise: f64 = generator.random_range(-0.4..0.4);
        a.push(Some(x));
        b.push(generator.random_bool(0.8).then_some(z));
        c.push(generator.random_bool(0.9).then(|| letter.to_owned()));
        y.push(u32::from(x + 0.5 * z + push + noise > 0.0));
    }
    (vec![numbers("a", a), numbers("b", b), texts("c", c)], y)
}

/// The same, without the categories where a learner takes none.
pub fn columns_for(learner: &str, rows: usize, seed: u64) -> (Vec<Column<'static>>, Vec<u32>) {
    let (mut columns, classes) = mixed(rows, seed);
    if NUMBER_LEARNERS.contains(&learner) {
        columns.truncate(2);
    }
    (columns, classes)
}

/// Labelled rows and settings.
pub type Given = ((Vec<Column<'static>>, Vec<u32>), Settings);

/// One of [`combinations`].
pub fn given_mixed(combination: (&str, &str), rows: usize) -> Given {
    (columns_for(combination.1, rows, 3), settings(combination, 15))
}

/// A pool of forests and boosted trees.
pub fn given_pool(rows: usize) -> Given {
    let mut settings = settings((BOOSTERS[6], LEARNERS[2]), 16);
    settings.learning_rate = 0.1;
    settings.pool = Some(PoolSettings {
        n_trees: Some(20),
        max_features: None,
        time_limit: None,
        auto_rounds: false,
    });
    (mixed(rows, 3), settings)
}

/// Three classes, the third of which is drawn from the others where `a` is large.
pub fn given_many_classes((way, learner): ((&str, &str), &str), rows: usize) -> Given {
    let (columns, mut classes) = mixed(rows, 3);
    let mut values = vec![0.0; rows];
    columns[0].read_numbers(0, &mut values);
    for (class, value) in classes.iter_mut().zip(values) {
        *class = if value > 0.4 { 2 } else { *class };
    }
    ((columns, classes), settings_for(way, learner, 6, 3))
}

/// Fits a model with as many threads as asked for.
pub fn fit_mixed(combination: (&str, &str), rows: usize, threads: i64) -> Result<Fitted> {
    fit_with(given_mixed(combination, rows), threads)
}

/// Fits a pool with as many threads as asked for.
pub fn fit_pool(rows: usize, threads: i64) -> Result<Fitted> {
    fit_with(given_pool(rows), threads)
}

/// Fits a model of three classes.
pub fn fit_many_classes(
    combination: ((&str, &str), &str),
    rows: usize,
    threads: i64,
) -> Result<Fitted> {
    fit_with(given_many_classes(combination, rows), threads)
}

fn fit_with(given: Given, threads: i64) -> Result<Fitted> {
    fit_kept(given, Storage::default(), &Workers::new(Some(threads))?, &mut |_| Ok(true))
}

/// Fits a model that keeps something in files, and is observed.
pub fn fit_kept(
    ((columns, classes), settings): Given,
    storage: Storage,
    workers: &Workers,
    observe: &mut Observe,
) -> Result<Fitted> {
    let table = Table::new(columns, true, classes.len())?;
    let source = FrameSource::Table(table);
    let train = Labelled {
        source,
        classes: classes.into(),
        weights: None,
        costs: None,
        mistrust: None,
        pieces: None,
    };
    let problem = Problem { train, validation: None, earlier: None, external: None, storage };
    fit(&problem, &settings, workers, observe)
}
