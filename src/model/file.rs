//! The model file: JSON with a format version, read with every length, index and number checked.
//!
//! In and out: bytes. Reading never runs code and never trusts: what does not fit is refused with
//! the field where it does not. `older_files` reads what earlier versions wrote.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::checks::{
    check_fit, check_history, check_length, check_positions, check_writable, refuse,
};
use super::feature_fields::FeatureFields;
use super::older_files::read_older;
use super::runs::{Run, from_hypotheses, into_hypotheses};
use super::{History, Member, Model, StopReason};
use crate::combiner::{Combiner, Rounds};
use crate::data::{ExternalObject, Feature, Schema, ViewKind};
use crate::error::{Error, Result};

const FORMAT: &str = "weakforce-model";

/// The version that is written; older ones are read, newer ones refused.
pub const FORMAT_VERSION: u32 = 6;

const FIRST_UNKNOWN: u32 = FORMAT_VERSION + 1;

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    pub format: String,
    pub version: u32,
    pub library: String,
    /// What the caller keeps beside the model (class labels, parameters); not looked into here.
    pub estimator: Value,
    pub reads: ViewKind,
    pub named: bool,
    pub features: Vec<FeatureFields>,
    pub combiner: Combiner,
    pub hypotheses: Vec<Run>,
    /// The round of each hypothesis and the output that it adds to; empty if every round has one
    /// hypothesis, which adds to the first output or to all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<usize>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<usize>,
    pub weights: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boosted: Vec<f64>,
    pub edges: Vec<f64>,
    pub errors: Vec<f64>,
    pub train_scores: Vec<f64>,
    pub validation_scores: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub train_costs: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub validation_costs: Vec<f64>,
    pub stop_reason: StopReason,
}

impl Model {
    /// The model and `estimator`, which the caller wants back on reading, as JSON.
    pub fn to_json(&self, estimator: Value) -> Result<Vec<u8>> {
        check_writable(&self.combiner, &self.members, &self.history)?;
        let members = self.members.iter();
        let is_plain = !self.combiner.has_layers()
            && members
                .clone()
                .enumerate()
                .all(|(at, member)| member.round == at && member.output == 0);
        let list = |entry: fn(&Member) -> usize| {
            if is_plain { Vec::new() } else { members.clone().map(entry).collect() }
        };
        let document = Document {
            format: FORMAT.into(),
            version: FORMAT_VERSION,
            library: env!("CARGO_PKG_VERSION").into(),
            estimator,
            reads: self.schema.view,
            named: self.schema.named,
            features: self.schema.features.iter().map(FeatureFields::from_feature).collect(),
            combiner: self.combiner.clone(),
            hypotheses: from_hypotheses(members.clone().map(|member| &member.hypothesis)),
            rounds: list(|member| member.round),
            outputs: list(|member| member.output),
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

    /// Reads and checks what [`Model::to_json`] wrote, or an older version did. External hypotheses
    /// are not in the file, so the caller brings them.
    pub fn from_json(bytes: &[u8], externals: &[ExternalObject]) -> Result<(Self, Value)> {
        let header: Header = parse(bytes)?;
        if header.format != FORMAT {
            let reason = format!("format is '{}', expected '{FORMAT}'", header.format);
            return Err(Error::model_file(reason));
        }
        let document = match header.version {
            0 | FIRST_UNKNOWN.. => {
                return Err(Error::model_file(format!(
                    "format version {} is not supported; this weakforce reads versions 1 to \
                     {FORMAT_VERSION}, a newer weakforce may read it",
                    header.version
                )));
            }
            FORMAT_VERSION => parse(bytes)?,
            older => read_older(bytes, older)?,
        };
        document.into_model(externals)
    }
}

/// Reads JSON; errors name the field.
pub(super) fn parse<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let parsed = serde_path_to_error::deserialize(&mut reader)
        .map_err(|e| Error::model_file(format!("at '{}': {}", e.path(), e.inner())))?;
    reader.end().map_err(|e| Error::model_file(format!("after the end: {e}")))?;
    Ok(parsed)
}

impl Document {
    fn into_model(self, externals: &[ExternalObject]) -> Result<(Model, Value)> {
        let features = read_features(self.features, self.reads)?;
        let hypotheses = into_hypotheses(self.hypotheses, &features, externals)?;
        if let Some(stray) = hypotheses.iter().position(|h| h.view_kind() != self.reads) {
            return refuse("hypotheses", format!("number {stray} reads something else"));
        }
        if let Some(fault) = self.combiner.fault() {
            return refuse("combiner", fault);
        }
        let is_plain =
            self.rounds.is_empty() && self.outputs.is_empty() && !self.combiner.has_layers();
        let n_rounds = if is_plain { hypotheses.len() } else { self.train_scores.len() };
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
        let n_weights = check_history(&history, n_rounds, self.combiner.n_outputs())?;
        let positions = if is_plain {
            (0..hypotheses.len()).map(|round| (round, 0)).collect()
        } else {
            check_length("rounds", self.rounds.len(), hypotheses.len())?;
            check_length("outputs", self.outputs.len(), hypotheses.len())?;
            check_positions(self.rounds, self.outputs, n_rounds)?
        };
        let rounds = Rounds { n_rounds, weights: &history.weights, positions: &positions };
        if let Some((field, reason)) = self.combiner.rounds_fault(&rounds) {
            return refuse(field, reason);
        }
        let mut members = Vec::with_capacity(hypotheses.len());
        for (at, (hypothesis, (round, output))) in hypotheses.into_iter().zip(positions).enumerate()
        {
            check_fit(&hypothesis, output, &self.combiner, at)?;
            let weight = if n_weights == 1 { round } else { round * n_weights + output };
            let weight = history.weights[weight];
            members.push(Member { hypothesis, weight, output, round });
        }
        let schema = Schema { view: self.reads, features, named: self.named };
        let model = Model::new(schema, self.combiner, members, history, self.stop_reason);
        Ok((model, self.estimator))
    }
}

/// The features, with different names and what the hypotheses read of them.
fn read_features(fields: Vec<FeatureFields>, reads: ViewKind) -> Result<Vec<Feature>> {
    if fields.is_empty() {
        return refuse("features", "no features");
    }
    let features = fields.into_iter().enumerate().map(|(at, fields)| fields.into_feature(at));
    let features: Vec<Feature> = features.collect::<Result<_>>()?;
    let mut names = hashbrown::HashSet::new();
    if let Some(twin) = features.iter().find(|f| !names.insert(f.name.clone())) {
        return refuse("features", format!("the name '{}' occurs twice", twin.name));
    }
    if reads == ViewKind::Numbers
        && let Some(at) = features.iter().position(|feature| feature.scaling.is_none())
    {
        return refuse(&format!("features[{at}].scaling"), "missing");
    }
    Ok(features)
}
