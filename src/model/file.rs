//! The model file: JSON with a format version, read with every length, index and number checked.
//!
//! In and out: bytes. Reading never runs code and never trusts: what does not fit is refused with
//! the place where it does not. Version 1 knew stumps only, and one run of them; version 2 knew two
//! classes and one hypothesis a round; version 3 knew sums of answers only; version 4 did not
//! count the training rows.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checks::{check_fit, check_grid, check_length, check_numbers, check_outputs, refuse};
use super::feature_fields::FeatureFields;
use super::runs::{Run, from_hypotheses, into_hypotheses};
use super::{History, Member, Model, StopReason};
use crate::data::{Feature, Foreign, Sight};
use crate::error::{Error, Result};
use crate::outputs::Outputs;

const FORMAT: &str = "weakforce-model";

/// The version that is written; older ones are read, newer ones refused.
pub const FORMAT_VERSION: u32 = 5;

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<H> {
    format: String,
    version: u32,
    library: String,
    /// What the caller keeps beside the model (class labels, parameters); not looked into here.
    estimator: Value,
    #[serde(default = "codes")]
    reads: Sight,
    named: bool,
    features: Vec<FeatureFields>,
    #[serde(default = "Outputs::sign")]
    outputs: Outputs,
    hypotheses: H,
    /// The round of each hypothesis and the score column that it adds to; empty if every round has
    /// one and there is one column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rounds: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    columns: Vec<usize>,
    weights: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    boosted: Vec<f64>,
    edges: Vec<f64>,
    errors: Vec<f64>,
    train_scores: Vec<f64>,
    validation_scores: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    train_costs: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    validation_costs: Vec<f64>,
    stop_reason: StopReason,
}

/// What models of version 1 read.
fn codes() -> Sight {
    Sight::Codes
}

impl Model {
    /// The model and `estimator`, which the caller wants back on reading, as JSON.
    pub fn to_json(&self, estimator: Value) -> Result<Vec<u8>> {
        let members = self.members.iter();
        let is_plain = self.outputs.grid.is_none()
            && members
                .clone()
                .enumerate()
                .all(|(at, member)| member.round == at && member.column == 0);
        let list = |entry: fn(&Member) -> usize| {
            if is_plain { Vec::new() } else { members.clone().map(entry).collect() }
        };
        let document = Document {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            library: env!("CARGO_PKG_VERSION").into(),
            estimator,
            reads: self.sight,
            named: self.named,
            features: self.features.iter().map(FeatureFields::from_feature).collect(),
            outputs: self.outputs.clone(),
            hypotheses: from_hypotheses(members.clone().map(|member| &member.hypothesis)),
            rounds: list(|member| member.round),
            columns: list(|member| member.column),
            weights: self.history.weights.clone(),
            boosted: self.history.boosted.clone(),
            edges: self.history.edges.clone(),
            errors: self.history.errors.clone(),
            train_scores: self.history.train_scores.clone(),
            validation_scores: self.history.validation_scores.clone(),
            train_costs: self.history.train_costs.clone(),
            validation_costs: self.history.validation_costs.clone(),
            stop_reason: self.stop_reason,
        };
        serde_json::to_vec(&document).map_err(|e| Error::internal(format!("writing a model: {e}")))
    }

    /// Reads and checks what [`Model::to_json`] wrote. Hypotheses that live outside are not in the
    /// file, so the caller brings them.
    pub fn from_json(bytes: &[u8], externals: &[Foreign]) -> Result<(Self, Value)> {
        let header: Header = parse(bytes)?;
        if header.format != FORMAT {
            let reason = format!("format is '{}', expected '{FORMAT}'", header.format);
            return Err(Error::model_file(reason));
        }
        if header.version == 0 || header.version > FORMAT_VERSION {
            return Err(Error::model_file(format!(
                "format version {} is not supported; this weakforce reads versions 1 to \
                 {FORMAT_VERSION}, a newer weakforce may read it",
                header.version
            )));
        }
        if header.version == 1 {
            let document: Document<Run> = parse(bytes)?;
            if !document.outputs.is_sign() || !document.rounds.is_empty() {
                return refuse("version", "version 1 has one stump a round and two classes");
            }
            return document.into_model(|run| vec![run], externals);
        }
        let document: Document<Vec<Run>> = parse(bytes)?;
        let is_plain = document.outputs.is_sign()
            && document.rounds.is_empty()
            && document.train_costs.is_empty();
        if header.version == 2 && !is_plain {
            return refuse("version", "version 2 has one hypothesis a round and two classes");
        }
        if header.version == 3 && !document.outputs.are_sums() {
            return refuse("version", "version 3 has no buckets and no grids");
        }
        document.into_model(|runs| runs, externals)
    }
}

fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| Error::model_file(format!("at '{}': {}", e.path(), e.inner())))?;
    reader.end().map_err(|e| Error::model_file(format!("after the end: {e}")))?;
    Ok(parsed)
}

impl<H> Document<H> {
    fn into_model(
        self,
        runs: impl Fn(H) -> Vec<Run>,
        externals: &[Foreign],
    ) -> Result<(Model, Value)> {
        if self.features.is_empty() {
            return refuse("features", "no features");
        }
        let features: Vec<Feature> = self
            .features
            .into_iter()
            .enumerate()
            .map(|(at, fields)| fields.into_feature(at))
            .collect::<Result<_>>()?;
        let mut names = hashbrown::HashSet::new();
        if let Some(twin) = features.iter().find(|f| !names.insert(f.name.clone())) {
            return refuse("features", format!("the name '{}' occurs twice", twin.name));
        }
        let hypotheses = into_hypotheses(runs(self.hypotheses), &features, externals)?;
        if self.reads == Sight::Numbers
            && let Some(at) = features.iter().position(|feature| feature.scaling.is_none())
        {
            return refuse(&format!("features[{at}].scaling"), "missing");
        }
        if let Some(stray) = hypotheses.iter().position(|h| h.sight() != self.reads) {
            return refuse("hypotheses", format!("number {stray} reads something else"));
        }
        check_outputs(&self.outputs)?;
        let (rounds, columns) = (self.rounds, self.columns);
        let is_plain = rounds.is_empty() && columns.is_empty() && self.outputs.grid.is_none();
        let n_rounds = if is_plain { hypotheses.len() } else { self.train_scores.len() };
        let n_weights = self.weights.len().checked_div(n_rounds).unwrap_or(0);
        let n_weights = if n_weights == self.outputs.n_columns { n_weights } else { 1 };
        for (place, numbers) in
            [("weights", &self.weights), ("edges", &self.edges), ("errors", &self.errors)]
        {
            check_numbers(place, numbers, n_rounds * n_weights)?;
        }
        if !self.boosted.is_empty() {
            check_numbers("boosted", &self.boosted, n_rounds * n_weights)?;
        }
        check_numbers("train_scores", &self.train_scores, n_rounds)?;
        for (place, numbers) in [
            ("validation_scores", &self.validation_scores),
            ("train_costs", &self.train_costs),
            ("validation_costs", &self.validation_costs),
        ] {
            check_numbers(place, numbers, if numbers.is_empty() { 0 } else { n_rounds })?;
        }
        let places = if is_plain {
            (0..hypotheses.len()).map(|round| (round, 0)).collect()
        } else {
            check_length("rounds", rounds.len(), hypotheses.len())?;
            check_length("columns", columns.len(), hypotheses.len())?;
            if rounds.iter().any(|&round| round >= n_rounds) {
                return refuse("rounds", format!("expected numbers below {n_rounds}"));
            }
            let places: Vec<(usize, usize)> = rounds.into_iter().zip(columns).collect();
            if !places.is_sorted_by(|before, after| before < after) {
                return refuse("rounds", "rounds, and columns within a round, must ascend");
            }
            places
        };
        if let Some(table) = &self.outputs.buckets {
            check_length("outputs.buckets.stages", table.n_rounds(), n_rounds)?;
            if self.weights.iter().any(|weight| *weight != 1.0) {
                return refuse("weights", "hypotheses that are counted have a weight of 1");
            }
        }
        check_grid(&self.outputs, &self.weights, &places, n_rounds)?;
        let mut members = Vec::with_capacity(hypotheses.len());
        for (at, (hypothesis, (round, column))) in hypotheses.into_iter().zip(places).enumerate() {
            check_fit(&hypothesis, column, &self.outputs, at)?;
            let weight = if n_weights == 1 { round } else { round * n_weights + column };
            members.push(Member { hypothesis, weight: self.weights[weight], column, round });
        }
        let history = History {
            weights: self.weights,
            boosted: self.boosted,
            edges: self.edges,
            errors: self.errors,
            train_scores: self.train_scores,
            validation_scores: self.validation_scores,
            train_costs: self.train_costs,
            validation_costs: self.validation_costs,
        };
        let frame = (self.reads, features, self.named);
        let model = Model::new(frame, (self.outputs, members), history, self.stop_reason);
        Ok((model, self.estimator))
    }
}

/// Files written so far, for names that no other thread uses.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// Writes a file so that a crash leaves either the old one or the new one, never half of it.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let name = path.file_name().ok_or_else(|| {
        std::io::Error::new(std::io::ErrorKind::InvalidInput, "the path names no file")
    })?;
    // Unlike any other that this or another process may be writing.
    let count = WRITTEN.fetch_add(1, Ordering::Relaxed);
    let mut temporary = name.to_owned();
    temporary.push(format!(".{}-{count}.partial", std::process::id()));
    let temporary = path.with_file_name(temporary);
    let written = (|| {
        let mut file = fs::File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        // The first error is the one to report; a stale partial file harms nobody.
        let _ = fs::remove_file(&temporary);
    }
    written
}
