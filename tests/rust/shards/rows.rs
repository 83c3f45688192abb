//! Problems that are divided among shards at random.

use super::super::problems::{numbers, texts};
use super::in_shards;
use crate::data::{FrameSource, Table};
use crate::error::Result;
use crate::fit::{Fitted, fit};
use crate::prepared::{Labelled, Problem};
use crate::settings::Settings;
use crate::storage::Storage;
use crate::workers::Workers;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::Value;

/// Rows with two number columns, one of them with gaps, and a category column.
#[derive(Clone)]
pub struct Data {
    pub a: Vec<Option<f64>>,
    pub b: Vec<Option<f64>>,
    pub c: Vec<Option<String>>,
    pub classes: Vec<u32>,
    pub weights: Option<Vec<f64>>,
    pub costs: Option<Vec<f64>>,
    pub mistrust: Option<Vec<f64>>,
}

/// What kind of rows.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub n_rows: usize,
    pub n_classes: u32,
    /// Whether many rows are alike.
    pub is_coarse: bool,
    pub weights: Weighting,
    pub seed: u64,
}

#[derive(Debug, Clone, Copy)]
pub enum Weighting {
    None,
    /// Numbers of rows, some of them 0.
    Whole,
    /// Of very different sizes.
    Any,
}

impl Data {
    pub fn new(kind: Kind) -> Self {
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
    pub fn pick(&self, rows: &[usize]) -> Self {
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

    pub fn labelled(&self, pieces: Option<Vec<(u64, u64)>>) -> Labelled<'static> {
        let columns = vec![
            numbers("a", self.a.clone()),
            numbers("b", self.b.clone()),
            texts("c", self.c.clone()),
        ];
        Labelled {
            source: FrameSource::Table(Table::new(columns, true, self.classes.len()).unwrap()),
            classes: self.classes.clone().into(),
            weights: self.weights.clone(),
            costs: self.costs.clone(),
            mistrust: self.mistrust.clone(),
            pieces,
        }
    }
}

/// By shard: pieces of the whole frame, in the order in which the shard has them.
pub type Split = Vec<Vec<(u64, u64)>>;

/// Cuts a frame at random into pieces, of which every shard gets some or none.
pub fn split(n_rows: usize, n_shards: usize, n_pieces: usize, seed: u64) -> Split {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    let mut cuts: Vec<usize> = (0..n_pieces).map(|_| generator.random_range(0..=n_rows)).collect();
    cuts.extend([0, n_rows]);
    cuts.sort_unstable();
    let mut shards = vec![Vec::new(); n_shards];
    for pair in cuts.windows(2) {
        let shard: &mut Vec<(u64, u64)> = &mut shards[generator.random_range(0..n_shards)];
        shard.push((pair[0] as u64, (pair[1] - pair[0]) as u64));
    }
    for pieces in &mut shards {
        pieces.shuffle(&mut generator);
    }
    shards
}

pub fn rows_of(pieces: &[(u64, u64)]) -> Vec<usize> {
    pieces.iter().flat_map(|&(first, n)| first as usize..(first + n) as usize).collect()
}

pub fn fit_one(data: &Data, validation: Option<&Data>, settings: &Settings) -> Result<Fitted> {
    let problem = Problem {
        train: data.labelled(None),
        validation: validation.map(|data| data.labelled(None)),
        earlier: None,
        external: None,
        storage: Storage::default(),
    };
    fit(&problem, settings, &Workers::new(Some(1))?, &mut |_| Ok(true))
}

pub fn fit_split(
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
            storage: Storage::default(),
        };
        // Some with threads of their own.
        let workers = Workers::new(Some(1 + reduce.rank() as i64 % 2))?.with_reduce(reduce.clone());
        fit(&problem, settings, &workers, &mut |_| Ok(true))
    })
}

pub fn bytes(fitted: &Fitted) -> Vec<u8> {
    fitted.model.to_json(Value::Null).unwrap()
}

/// What differs between two models, for messages.
pub fn difference(one: &Fitted, other: &Fitted) -> String {
    let [one, other] = [one, other].map(|f| String::from_utf8(bytes(f)).unwrap());
    let at = one.bytes().zip(other.bytes()).position(|(a, b)| a != b).unwrap_or(0);
    let around = |text: &str| text[at.saturating_sub(150)..(at + 80).min(text.len())].to_owned();
    format!("{}\n{}", around(&one), around(&other))
}

pub fn assert_same(
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
