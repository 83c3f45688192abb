//! Model files of earlier versions, read as if they had been written today.
//!
//! In: bytes of versions 1 to 5. Out: a [`Document`]. Version 1 has stumps only, and one run of them;
//! version 2 two classes and one hypothesis a round; version 3 sums of answers only; version 4 no
//! numbers of training rows. Up to version 5 the combiner is a set of optional fields.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::StopReason;
use super::checks::refuse;
use super::feature_fields::FeatureFields;
use super::file::{Document, parse};
use super::runs::Run;
use crate::combiner::{Buckets, Code, Combiner, Decoding, Grid, Layer};
use crate::data::ViewKind;
use crate::error::{Error, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OlderDocument<H> {
    format: String,
    version: u32,
    library: String,
    estimator: Value,
    #[serde(default = "codes")]
    reads: ViewKind,
    named: bool,
    features: Vec<FeatureFields>,
    #[serde(default)]
    outputs: OutputFields,
    hypotheses: H,
    #[serde(default)]
    rounds: Vec<usize>,
    #[serde(default)]
    columns: Vec<usize>,
    weights: Vec<f64>,
    #[serde(default)]
    boosted: Vec<f64>,
    edges: Vec<f64>,
    errors: Vec<f64>,
    train_scores: Vec<f64>,
    validation_scores: Vec<f64>,
    #[serde(default)]
    train_costs: Vec<f64>,
    #[serde(default)]
    validation_costs: Vec<f64>,
    stop_reason: StopReason,
}

/// What models of version 1 read.
fn codes() -> ViewKind {
    ViewKind::Codes
}

/// How versions 3 to 5 stored the combiner.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutputFields {
    n_classes: usize,
    n_columns: usize,
    code: Option<Vec<Vec<i8>>>,
    buckets: Option<BucketFields>,
    grid: Option<GridFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BucketFields {
    stages: Vec<Arc<[f64]>>,
    losses: Vec<f64>,
    weights: Vec<f64>,
    counts: Vec<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GridFields {
    n_layers: usize,
    layers: Vec<Arc<Layer>>,
}

impl Default for OutputFields {
    fn default() -> Self {
        Self { n_classes: 2, n_columns: 1, code: None, buckets: None, grid: None }
    }
}

impl OutputFields {
    fn into_combiner(self) -> Result<Combiner> {
        let Self { n_classes, n_columns, code, buckets, grid } = self;
        let mismatch = || refuse("outputs", "the columns do not fit the classes");
        if let Some(BucketFields { stages, losses, weights, counts }) = buckets {
            if n_columns != 1 || code.is_some() || grid.is_some() {
                return mismatch();
            }
            return Ok(Combiner::Buckets(Buckets { n_classes, stages, losses, weights, counts }));
        }
        let width = grid.as_ref().map_or(1, |grid| grid.n_layers.saturating_add(1));
        if !n_columns.is_multiple_of(width) {
            return mismatch();
        }
        let problems = match (code, n_columns / width) {
            (Some(code), n_problems) => match Code::new(&code) {
                Some(code) if (code.n_classes(), code.n_problems()) == (n_classes, n_problems) => {
                    Combiner::coded(code, Decoding::Score)
                }
                _ => return mismatch(),
            },
            (None, 1) if n_classes == 2 => Combiner::Sign,
            (None, n_problems) if n_problems == n_classes => Combiner::by_class(n_classes),
            _ => return mismatch(),
        };
        Ok(match grid {
            None => problems,
            Some(GridFields { n_layers, layers }) => {
                Combiner::Grid(Grid { problems: Box::new(problems), n_layers, layers })
            }
        })
    }
}

/// Reads a file of an earlier version.
pub(super) fn read_older(bytes: &[u8], version: u32) -> Result<Document> {
    let document = if version == 1 {
        let document: OlderDocument<Run> = parse_of(bytes, version)?;
        document.into_document(|run| vec![run])?
    } else {
        let document: OlderDocument<Vec<Run>> = parse_of(bytes, version)?;
        document.into_document(|runs| runs)?
    };
    let has_one_sum = document.combiner == Combiner::Sign;
    if version == 1 && !(has_one_sum && document.rounds.is_empty()) {
        return refuse("version", "version 1 has one stump a round and two classes");
    }
    let is_plain = has_one_sum && document.rounds.is_empty() && document.train_costs.is_empty();
    if version == 2 && !is_plain {
        return refuse("version", "version 2 has one hypothesis a round and two classes");
    }
    if version == 3 && !document.combiner.is_sum() {
        return refuse("version", "version 3 has no buckets and no grids");
    }
    Ok(document)
}

/// Reads JSON; errors name the version, whose fields are not those of today.
fn parse_of<'a, T: Deserialize<'a>>(bytes: &'a [u8], version: u32) -> Result<T> {
    parse(bytes).map_err(|error| match error {
        Error::ModelFile { reason } => {
            Error::model_file(format!("{reason}, in a file of version {version}"))
        }
        other => other,
    })
}

impl<H> OlderDocument<H> {
    fn into_document(self, runs: impl Fn(H) -> Vec<Run>) -> Result<Document> {
        Ok(Document {
            format: self.format,
            version: self.version,
            library: self.library,
            estimator: self.estimator,
            reads: self.reads,
            named: self.named,
            features: self.features,
            combiner: self.outputs.into_combiner()?,
            hypotheses: runs(self.hypotheses),
            rounds: self.rounds,
            outputs: self.columns,
            weights: self.weights,
            boosted: self.boosted,
            edges: self.edges,
            errors: self.errors,
            train_scores: self.train_scores,
            validation_scores: self.validation_scores,
            train_costs: self.train_costs,
            validation_costs: self.validation_costs,
            stop_reason: self.stop_reason,
        })
    }
}
