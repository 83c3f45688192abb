//! The model file: JSON with a format version, read with every length, index and number checked.
//!
//! In and out: bytes. Hypotheses are stored as arrays of numbers per field. Reading never runs code
//! and never trusts: what does not fit is refused with the place where it does not.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{History, Model};
use crate::booster::StopReason;
use crate::data::{Bins, CategoryBins, Feature, Kind, NumberBins};
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Stump, Test};

const FORMAT: &str = "weakforce-model";

/// The version that is written; older ones are read, newer ones refused.
pub const FORMAT_VERSION: u32 = 1;

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    library: String,
    /// What the caller keeps beside the model (class labels, parameters); not looked into here.
    estimator: Value,
    named: bool,
    features: Vec<FeatureFields>,
    hypotheses: HypothesisFields,
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
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
enum HypothesisFields {
    Stump(StumpFields),
}

/// One entry per stump; `test` is the cut of a number column, or an index into `subsets`.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct StumpFields {
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    inside: Vec<f64>,
    outside: Vec<f64>,
}

impl Model {
    /// The model and `estimator`, which the caller wants back on reading, as JSON.
    pub fn to_json(&self, estimator: Value) -> Result<Vec<u8>> {
        let document = Document {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            library: env!("CARGO_PKG_VERSION").into(),
            estimator,
            named: self.named,
            features: self.features.iter().map(FeatureFields::from_feature).collect(),
            hypotheses: HypothesisFields::from_hypotheses(&self.hypotheses),
            weights: self.weights.clone(),
            edges: self.history.edges.clone(),
            errors: self.history.errors.clone(),
            train_scores: self.history.train_scores.clone(),
            validation_scores: self.history.validation_scores.clone(),
            stop_reason: self.stop_reason,
        };
        serde_json::to_vec(&document).map_err(|e| Error::internal(format!("writing a model: {e}")))
    }

    /// Reads and checks what [`Model::to_json`] wrote.
    pub fn from_json(bytes: &[u8]) -> Result<(Self, Value)> {
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
        let document: Document = parse(bytes)?;
        document.into_model()
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
fn refuse<T>(place: &str, reason: impl std::fmt::Display) -> Result<T> {
    Err(Error::model_file(format!("at '{place}': {reason}")))
}

fn check_length(place: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    refuse(place, format!("{got} entries, expected {expected}"))
}

fn check_numbers(place: &str, numbers: &[f64], expected: usize) -> Result<()> {
    check_length(place, numbers.len(), expected)?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => refuse(place, format!("entry {at} is not a finite number")),
        None => Ok(()),
    }
}

impl Document {
    fn into_model(self) -> Result<(Model, Value)> {
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
        let HypothesisFields::Stump(stumps) = self.hypotheses;
        let hypotheses = stumps.into_hypotheses(&features)?;
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
        let model = Model::new(features, self.named, members, history, self.stop_reason);
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
        Self { name: feature.name.clone(), kind: feature.kind, cuts, categories, rare }
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
        Ok(Feature { name: self.name, kind: self.kind, bins })
    }
}

impl HypothesisFields {
    fn from_hypotheses(hypotheses: &[Hypothesis]) -> Self {
        let mut fields = StumpFields::default();
        for hypothesis in hypotheses {
            let Hypothesis::Stump(stump) = hypothesis;
            fields.column.push(stump.column);
            fields.test.push(match &stump.test {
                Test::AtMost(cut) => usize::from(*cut),
                Test::OneOf(codes) => {
                    fields.subsets.push(codes.clone());
                    fields.subsets.len() - 1
                }
            });
            fields.missing_inside.push(stump.missing_inside);
            fields.inside.push(stump.inside);
            fields.outside.push(stump.outside);
        }
        Self::Stump(fields)
    }
}

impl StumpFields {
    fn into_hypotheses(self, features: &[Feature]) -> Result<Vec<Hypothesis>> {
        let rounds = self.column.len();
        check_length("hypotheses.test", self.test.len(), rounds)?;
        check_length("hypotheses.missing_inside", self.missing_inside.len(), rounds)?;
        check_numbers("hypotheses.inside", &self.inside, rounds)?;
        check_numbers("hypotheses.outside", &self.outside, rounds)?;
        let mut hypotheses = Vec::with_capacity(rounds);
        for at in 0..rounds {
            let column = self.column[at];
            let Some(feature) = features.get(column) else {
                let reason =
                    format!("entry {at} is {column}, there are {} columns", features.len());
                return refuse("hypotheses.column", reason);
            };
            hypotheses.push(Hypothesis::Stump(Stump {
                column,
                test: self.test(at, &feature.bins)?,
                missing_inside: self.missing_inside[at],
                inside: self.inside[at],
                outside: self.outside[at],
            }));
        }
        Ok(hypotheses)
    }

    fn test(&self, at: usize, bins: &Bins) -> Result<Test> {
        let index = self.test[at];
        if matches!(bins, Bins::Numbers(_)) {
            if index >= bins.len() {
                let reason = format!("entry {at} is {index}, the column has {} bins", bins.len());
                return refuse("hypotheses.test", reason);
            }
            return Ok(Test::AtMost(index as u16));
        }
        let Some(codes) = self.subsets.get(index) else {
            let reason = format!("entry {at} is {index}, there are {} subsets", self.subsets.len());
            return refuse("hypotheses.test", reason);
        };
        let ascends = codes.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends || codes.last().is_some_and(|&code| usize::from(code) >= bins.len()) {
            let reason = format!("entry {index} must ascend within {} bins", bins.len());
            return refuse("hypotheses.subsets", reason);
        }
        Ok(Test::OneOf(codes.clone()))
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
