//! The model file: JSON with a format version, read with every length, index and number checked.
//!
//! In and out: bytes. Reading never runs code and never trusts: what does not fit is refused with
//! the place where it does not. Version 1 knew stumps only, and one run of them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::runs::{Run, from_hypotheses, into_hypotheses};
use super::{History, Model};
use crate::booster::StopReason;
use crate::data::{Bins, CategoryBins, Feature, Foreign, Kind, NumberBins, Scaling, Sight};
use crate::error::{Error, Result};

const FORMAT: &str = "weakforce-model";

/// The version that is written; older ones are read, newer ones refused.
pub const FORMAT_VERSION: u32 = 2;

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
    hypotheses: H,
    weights: Vec<f64>,
    edges: Vec<f64>,
    errors: Vec<f64>,
    train_scores: Vec<f64>,
    validation_scores: Vec<f64>,
    stop_reason: StopReason,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureFields {
    name: String,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cuts: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rare: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scaling: Option<Scaling>,
}

/// What models of version 1 read.
fn codes() -> Sight {
    Sight::Codes
}

impl Model {
    /// The model and `estimator`, which the caller wants back on reading, as JSON.
    pub fn to_json(&self, estimator: Value) -> Result<Vec<u8>> {
        let document = Document {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            library: env!("CARGO_PKG_VERSION").into(),
            estimator,
            reads: self.sight,
            named: self.named,
            features: self.features.iter().map(FeatureFields::from_feature).collect(),
            hypotheses: from_hypotheses(&self.hypotheses),
            weights: self.weights.clone(),
            edges: self.history.edges.clone(),
            errors: self.history.errors.clone(),
            train_scores: self.history.train_scores.clone(),
            validation_scores: self.history.validation_scores.clone(),
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
            return document.into_model(|run| vec![run], externals);
        }
        let document: Document<Vec<Run>> = parse(bytes)?;
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

/// A length, index or number that does not fit.
pub(super) fn refuse<T>(place: &str, reason: impl std::fmt::Display) -> Result<T> {
    Err(Error::model_file(format!("at '{place}': {reason}")))
}

pub(super) fn check_length(place: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    refuse(place, format!("{got} entries, expected {expected}"))
}

pub(super) fn check_numbers(place: &str, numbers: &[f64], expected: usize) -> Result<()> {
    check_length(place, numbers.len(), expected)?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => refuse(place, format!("entry {at} is not a finite number")),
        None => Ok(()),
    }
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
        let rounds = hypotheses.len();
        check_numbers("weights", &self.weights, rounds)?;
        check_numbers("edges", &self.edges, rounds)?;
        check_numbers("errors", &self.errors, rounds)?;
        check_numbers("train_scores", &self.train_scores, rounds)?;
        let validated = if self.validation_scores.is_empty() { 0 } else { rounds };
        check_numbers("validation_scores", &self.validation_scores, validated)?;
        let history = History {
            edges: self.edges,
            errors: self.errors,
            train_scores: self.train_scores,
            validation_scores: self.validation_scores,
        };
        let members = (hypotheses, self.weights);
        let frame = (self.reads, features, self.named);
        let model = Model::new(frame, members, history, self.stop_reason);
        Ok((model, self.estimator))
    }
}

impl FeatureFields {
    fn from_feature(feature: &Feature) -> Self {
        let (cuts, categories, rare) = match &feature.bins {
            Bins::Numbers(bins) => (Some(bins.cuts.clone()), None, None),
            Bins::Categories(bins) => {
                let owned = |name: &str| name.to_owned();
                (
                    None,
                    Some(bins.own().map(owned).collect()),
                    Some(bins.rare().map(owned).collect()),
                )
            }
        };
        let (name, kind, scaling) = (feature.name.clone(), feature.kind, feature.scaling);
        Self { name, kind, cuts, categories, rare, scaling }
    }

    fn into_feature(self, at: usize) -> Result<Feature> {
        let place = |field: &str| format!("features[{at}].{field}");
        let bins = match (self.kind.is_category(), self.cuts, self.categories, self.rare) {
            (false, Some(cuts), None, None) => {
                check_numbers(&place("cuts"), &cuts, cuts.len())?;
                if cuts.len() >= usize::from(u16::MAX) {
                    return refuse(&place("cuts"), "more than 65,534 cuts");
                }
                if let Some(i) = cuts.windows(2).position(|pair| pair[0] >= pair[1]) {
                    return refuse(&place("cuts"), format!("entry {} does not ascend", i + 1));
                }
                Bins::Numbers(NumberBins { cuts })
            }
            (true, None, Some(names), Some(rare)) => {
                let (names, rare) = (names.iter(), rare.iter());
                let bins = CategoryBins::new(names.map(String::as_str), rare.map(String::as_str));
                match bins {
                    None => return refuse(&place("categories"), "a category occurs twice"),
                    Some(bins) if bins.len() > usize::from(u16::MAX) => {
                        return refuse(&place("categories"), "more than 65,535 bins");
                    }
                    Some(bins) => Bins::Categories(bins),
                }
            }
            _ => {
                let reason = "number kinds need 'cuts', category kinds 'categories' and 'rare'";
                return refuse(&place("kind"), reason);
            }
        };
        if let Some(Scaling { mean, scale }) = self.scaling
            && !(mean.is_finite() && scale.is_finite() && scale > 0.0)
        {
            return refuse(&place("scaling"), "expected a finite mean and a scale above zero");
        }
        Ok(Feature { name: self.name, kind: self.kind, bins, scaling: self.scaling })
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
