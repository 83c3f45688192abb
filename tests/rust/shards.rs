//! Rows that are spread over several shards make the model of all rows together, to the byte.
//!
//! Shards are threads of one process here, which meet to add up their sums.

use std::sync::{Arc, Condvar, Mutex};
use std::thread;

use super::problems::{
    BOOSTERS, LEARNERS, MANY_CLASSES, NO_SUMS, SOFT_BOOSTERS, numbers, settings_for, texts,
};
use crate::booster::BoosterSettings;
use crate::data::{FrameSource, Table};
use crate::error::{Error, Result};
use crate::fit::{Fitted, fit};
use crate::prepared::{Labelled, Problem};
use crate::reduce::Reduce;
use crate::settings::Settings;
use crate::workers::Workers;
use proptest::prelude::*;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Where threads meet.
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// How often all have met.
    n_meetings: usize,
    /// What those have brought that are here, by rank.
    brought: Vec<Option<Vec<u8>>>,
    /// What all brought to the last meeting.
    last: Vec<Vec<u8>>,
    /// Whether one does not come any more.
    is_broken: bool,
}

impl Meeting {
    fn new(size: usize) -> Arc<Self> {
        let state = State { brought: vec![None; size], ..State::default() };
        Arc::new(Self { state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Waits for all others.
    fn meet(&self, rank: usize, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>> {
        let mut state = self.state.lock().unwrap();
        let number = state.n_meetings;
        state.brought[rank] = Some(bytes);
        if state.brought.iter().all(Option::is_some) {
            state.last = state.brought.iter_mut().map(|bytes| bytes.take().unwrap()).collect();
            state.n_meetings += 1;
            self.changed.notify_all();
        }
        while state.n_meetings == number {
            if state.is_broken {
                return Err(Error::internal("another shard has ended"));
            }
            state = self.changed.wait(state).unwrap();
        }
        Ok(state.last.clone())
    }

    fn leave(&self) {
        self.state.lock().unwrap().is_broken = true;
        self.changed.notify_all();
    }
}

/// The way of one thread to the others. What all ask for must be the same.
struct Shard {
    rank: usize,
    size: usize,
    meeting: Arc<Meeting>,
}

impl Drop for Shard {
    fn drop(&mut self) {
        self.meeting.leave();
    }
}

impl Reduce for Shard {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<()> {
        let own = std::iter::once(1).chain(numbers.iter().flat_map(|n| n.to_le_bytes()));
        let all = self.meeting.meet(self.rank, own.collect())?;
        assert!(all.iter().all(|bytes| bytes[0] == 1), "sums meet gathered bytes");
        assert!(all.iter().all(|bytes| bytes.len() == all[0].len()), "sums of different lengths");
        numbers.fill(0);
        for bytes in &all {
            for (sum, number) in numbers.iter_mut().zip(bytes[1..].as_chunks().0) {
                *sum = sum.wrapping_add(u64::from_le_bytes(*number));
            }
        }
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        let own = std::iter::once(2).chain(bytes.iter().copied());
        let all = self.meeting.meet(self.rank, own.collect())?;
        assert!(all.iter().all(|bytes| bytes[0] == 2), "gathered bytes meet sums");
        Ok(all.into_iter().map(|bytes| bytes[1..].to_vec()).collect())
    }
}

/// Runs a job in as many threads as there are shards.
fn in_shards<T: Send>(size: usize, job: impl Fn(Arc<dyn Reduce>) -> T + Sync) -> Vec<T> {
    let meeting = Meeting::new(size);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..size)
            .map(|rank| {
                let (meeting, job) = (meeting.clone(), &job);
                scope.spawn(move || job(Arc::new(Shard { rank, size, meeting })))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// Rows with two number columns, one of them with gaps, and a category column.
#[derive(Clone)]
struct Data {
    a: Vec<Option<f64>>,
    b: Vec<Option<f64>>,
    c: Vec<Option<String>>,
    classes: Vec<u32>,
    weights: Option<Vec<f64>>,
    costs: Option<Vec<f64>>,
    mistrust: Option<Vec<f64>>,
}

/// What kind of rows.
#[derive(Debug, Clone, Copy)]
struct Kind {
    n_rows: usize,
    n_classes: u32,
    /// Whether many rows are alike.
    is_coarse: bool,
    weights: Weighting,
    seed: u64,
}

#[derive(Debug, Clone, Copy)]
enum Weighting {
    None,
    /// Numbers of rows, some of them 0.
    Whole,
    /// Of very different sizes.
    Any,
}

impl Data {
    fn new(kind: Kind) -> Self {
        let Kind { n_rows, n_classes, is_coarse, weights, seed } = kind;
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        let mut data = Self {
            a: Vec::new(),
            b: Vec::new(),
            c: Vec::new(),
            classes: Vec::new(),
            weights: None,
            costs: None,
            mistrust: None,
        };
        let coarse = |x: f64| if is_coarse { (2.0 * x).round() } else { x };
        for row in 0..n_rows {
            let x = coarse(generator.random_range(-1.0..1.0));
            let z = coarse(generator.random_range(-1.0..1.0));
            let n_letters = if is_coarse { 2 } else { 9 };
            let letter =
                ["p", "q", "r", "s", "t", "u", "v", "w", "x"][generator.random_range(0..n_letters)];
            let push = if letter == "q" { 0.7 } else { -0.2 };
            let noise: f64 = generator.random_range(-0.4..0.4);
            data.a.push(Some(x));
            data.b.push(generator.random_bool(0.8).then_some(z));
            data.c.push(generator.random_bool(0.9).then(|| letter.to_owned()));
            let score = x + 0.5 * z + push + noise;
            let class = if score > 0.5 && n_classes > 2 { 2 } else { u32::from(score > 0.0) };
            // All classes are there, whatever is drawn.
            data.classes.push(if row < 2 * n_classes as usize {
                row as u32 % n_classes
            } else {
                class
            });
        }
        data.weights = match weights {
            Weighting::None => None,
            Weighting::Whole => Some(
                (0..n_rows)
                    .map(|row| if row < 9 { 2.0 } else { f64::from(generator.random_range(0..4)) })
                    .collect(),
            ),
            Weighting::Any => Some(
                (0..n_rows)
                    .map(|_| {
                        10f64.powi(generator.random_range(-6..6)) * generator.random_range(0.5..3.0)
                    })
                    .collect(),
            ),
        };
        data
    }

    /// Some of the rows, in this order.
    fn pick(&self, rows: &[usize]) -> Self {
        fn pick<T: Clone>(all: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&row| all[row].clone()).collect()
        }
        let n_classes = self.costs.as_ref().map_or(0, |costs| costs.len() / self.classes.len());
        let costs = |costs: &Vec<f64>| {
            rows.iter().flat_map(|row| costs[row * n_classes..][..n_classes].to_vec()).collect()
        };
        Self {
            a: pick(&self.a, rows),
            b: pick(&self.b, rows),
            c: pick(&self.c, rows),
            classes: pick(&self.classes, rows),
            weights: self.weights.as_ref().map(|weights| pick(weights, rows)),
            costs: self.costs.as_ref().map(costs),
            mistrust: self.mistrust.as_ref().map(|mistrust| pick(mistrust, rows)),
        }
    }

    fn labelled(&self, pieces: Option<Vec<(u64, u64)>>) -> Labelled<'static> {
        let columns = vec![
            numbers("a", self.a.clone()),
            numbers("b", self.b.clone()),
            texts("c", self.c.clone()),
        ];
        Labelled {
            source: FrameSource::Table(Table::new(columns, true, self.classes.len()).unwrap()),
            classes: self.classes.clone(),
            weights: self.weights.clone(),
            costs: self.costs.clone(),
            mistrust: self.mistrust.clone(),
            pieces,
        }
    }
}

/// By shard: pieces of the whole frame, in the order in which the shard has them.
type Split = Vec<Vec<(u64, u64)>>;

/// Cuts a frame at random into pieces, of which every shard gets some or none.
fn split(n_rows: usize, n_shards: usize, n_pieces: usize, seed: u64) -> Split {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut cuts: Vec<usize> = (0..n_pieces).map(|_| generator.random_range(0..=n_rows)).collect();
    cuts.extend([0, n_rows]);
    cuts.sort_unstable();
    let mut shards = vec![Vec::new(); n_shards];
    for pair in cuts.windows(2) {
        let shard: &mut Vec<(u64, u64)> = &mut shards[generator.random_range(0..n_shards)];
        shard.push((pair[0] as u64, (pair[1] - pair[0]) as u64));
    }
    shards.iter_mut().for_each(|pieces| pieces.shuffle(&mut generator));
    shards
}

fn rows_of(pieces: &[(u64, u64)]) -> Vec<usize> {
    pieces.iter().flat_map(|&(first, n)| first as usize..(first + n) as usize).collect()
}

fn fit_one(data: &Data, validation: Option<&Data>, settings: &Settings) -> Result<Fitted> {
    let problem = Problem {
        train: data.labelled(None),
        validation: validation.map(|data| data.labelled(None)),
        earlier: None,
        external: None,
    };
    fit(&problem, settings, &Workers::new(Some(1))?, &mut |_| Ok(true))
}

fn fit_split(
    data: &Data,
    validation: Option<&Data>,
    settings: &Settings,
    split: (&Split, &Split),
) -> Vec<Result<Fitted>> {
    in_shards(split.0.len(), |reduce| {
        let own = |data: &Data, split: &Split| {
            let pieces = split[reduce.rank()].clone();
            data.pick(&rows_of(&pieces)).labelled(Some(pieces))
        };
        let problem = Problem {
            train: own(data, split.0),
            validation: validation.map(|data| own(data, split.1)),
            earlier: None,
            external: None,
        };
        // Some with threads of their own.
        let workers = Workers::new(Some(1 + reduce.rank() as i64 % 2))?.with_reduce(reduce.clone());
        fit(&problem, settings, &workers, &mut |_| Ok(true))
    })
}

fn bytes(fitted: &Fitted) -> Vec<u8> {
    fitted.model.to_json(Value::Null).unwrap()
}

/// What differs between two models, for messages.
fn difference(one: &Fitted, other: &Fitted) -> String {
    let [one, other] = [one, other].map(|f| String::from_utf8(bytes(f)).unwrap());
    let at = one.bytes().zip(other.bytes()).position(|(a, b)| a != b).unwrap_or(0);
    let around = |text: &str| text[at.saturating_sub(150)..(at + 80).min(text.len())].to_owned();
    format!("{}\n{}", around(&one), around(&other))
}

fn assert_same(
    (data, validation): (&Data, Option<&Data>),
    settings: &Settings,
    splits: (&Split, &Split),
    what: &str,
) {
    let whole = fit_one(data, validation, settings);
    let shards = fit_split(data, validation, settings, splits);
    let whole = match whole {
        Ok(whole) => whole,
        Err(error) => {
            let named = |shard: &Result<Fitted>| shard.as_ref().err().map(ToString::to_string);
            assert!(
                shards.iter().all(|shard| named(shard) == Some(error.to_string())),
                "{what}: {error}"
            );
            return;
        }
    };
    let mut row_weights = vec![0.0; data.classes.len()];
    for (shard, pieces) in shards.iter().zip(splits.0) {
        let shard = shard.as_ref().unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(bytes(shard) == bytes(&whole), "{what}\n{}", difference(&whole, shard));
        assert_eq!(shard.reports.len(), whole.reports.len(), "{what}");
        let rows = rows_of(pieces);
        for (row, weight) in rows.iter().zip(&shard.row_weights) {
            row_weights[*row] = *weight;
        }
        for (own, all) in shard.reports.iter().zip(&whole.reports) {
            for ((_, own), (_, all)) in own.rows.iter().zip(&all.rows) {
                assert!(rows.iter().zip(own).all(|(&row, x)| *x == all[row]), "{what}");
            }
        }
    }
    for (row, weight) in row_weights.iter().enumerate() {
        let expected = whole.row_weights[row];
        assert!((weight - expected).abs() <= 1e-12 * expected, "{what}: {weight} {expected}");
    }
}

/// The boosters that may be split, with what else they need for three classes.
fn splittable() -> Vec<((&'static str, &'static str), u32)> {
    let two = BOOSTERS.into_iter().chain(SOFT_BOOSTERS).chain(NO_SUMS).map(|b| ((b, "null"), 2));
    let votes = MANY_CLASSES.into_iter().filter(|(_, decomposition)| *decomposition == "null");
    let two = two.chain(votes.map(|way| (way, 2)));
    let other_code = r#""one_vs_one""#;
    let others = [
        (r#"{"discrete": {"phi": 0.5}}"#, other_code),
        (r#"{"regularized": {"C": 100.0, "p": 2}}"#, r#""one_vs_rest""#),
        (r#"{"sfboost": {"prune": true, "smoothing": null}}"#, r#""one_vs_rest""#),
        (r#"{"martiboost": {"n_layers": 3, "randomized": false}}"#, other_code),
    ];
    let three = MANY_CLASSES.into_iter().chain(others).map(|way| (way, 3));
    let may_shard = |booster: &str| {
        let settings: BoosterSettings = serde_json::from_str(booster).unwrap();
        settings.capabilities().may_shard
    };
    let all = two.chain(three);
    all.filter(|((booster, _), n_classes)| {
        // Costs of three classes.
        may_shard(booster) && !(*n_classes == 2 && booster.contains("[["))
    })
    .collect()
}

fn weighting() -> impl Strategy<Value = Weighting> {
    prop_oneof![Just(Weighting::None), Just(Weighting::Whole), Just(Weighting::Any)]
}

/// Tries a learner with all boosters on some splits of random rows.
fn assert_splits_do_not_matter(learner: &str, n_cases: u32) {
    let config =
        ProptestConfig { cases: n_cases, max_shrink_iters: 20, ..ProptestConfig::default() };
    let strategy = (
        (0..splittable().len(), 1usize..8, 0usize..9, 0u64..1000),
        (prop_oneof![20usize..60, 100usize..400, Just(2500)], any::<bool>(), weighting()),
        (0..4u8, any::<bool>(), any::<bool>()),
    );
    proptest!(config, |(((at, n_shards, n_pieces, seed), (n_rows, is_coarse, weights), (sampling, stops_early, has_validation)) in strategy)| {
        let (way, n_classes) = splittable()[at];
        let mut settings = settings_for(way, learner, 5, n_classes as usize);
        settings.early_stopping = stops_early;
        settings.n_iter_no_change = Some(2);
        settings.max_bins = if seed % 2 == 0 { 255 } else { 7 };
        if sampling == 1 && n_rows > 50 {
            settings.subsample = 0.6;
        }
        settings.replace = sampling == 2;
        let kind = Kind { n_rows, n_classes, is_coarse, weights, seed };
        let data = Data::new(kind);
        let others = Data::new(Kind { n_rows: 40, seed: seed + 1, ..kind });
        let validation = has_validation.then_some(&others);
        let splits = (&split(n_rows, n_shards, n_pieces, seed), &split(40, n_shards, 5, seed));
        assert_same((&data, validation), &settings, splits, &format!("{way:?} {learner} {kind:?}"));
    });
}

#[test]
fn any_split_makes_the_same_stumps() {
    assert_splits_do_not_matter(LEARNERS[0], 60);
}

#[test]
fn any_split_makes_the_same_rules() {
    assert_splits_do_not_matter(LEARNERS[1], 60);
}

#[test]
fn any_split_makes_the_same_trees() {
    assert_splits_do_not_matter(LEARNERS[2], 40);
    assert_splits_do_not_matter(LEARNERS[3], 20);
    assert_splits_do_not_matter(LEARNERS[4], 20);
}

#[test]
fn every_booster_that_may_be_split_makes_the_same_model_with_every_learner() {
    for (at, (way, n_classes)) in splittable().into_iter().enumerate() {
        for (number, learner) in LEARNERS.into_iter().enumerate() {
            let weights = [Weighting::None, Weighting::Whole, Weighting::Any][(at + number) % 3];
            let seed = (at * 5 + number) as u64;
            let kind = Kind { n_rows: 300, n_classes, is_coarse: seed % 4 == 1, weights, seed };
            let splits = split(300, 2 + at % 3, 6, seed);
            let settings = settings_for(way, learner, 4, n_classes as usize);
            let what = format!("{way:?} {learner} {kind:?}");
            assert_same((&Data::new(kind), None), &settings, (&splits, &splits), &what);
        }
    }
}

#[test]
fn the_problems_cover_every_booster_that_may_be_split() {
    for (name, capabilities) in BoosterSettings::all() {
        let is_covered =
            splittable().iter().any(|((booster, _), _)| booster.contains(&format!("\"{name}\"")));
        assert_eq!(is_covered, capabilities.may_shard, "{name}");
    }
}
