//! Everything a user can set for a fit, read from JSON and checked.
//!
//! In: JSON from the Python estimators. Out: settings whose values are in range; errors name the
//! parameter, what came and what was expected.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_path_to_error::{Error as PathError, Segment};

use crate::booster::{BoosterSettings, Decomposition};
use crate::error::{Error, Result};
use crate::learner::LearnerSettings;

/// Everything the user sets; the Python estimators fill it from their parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the fields are the estimators' parameters, documented there
pub struct Settings {
    pub booster: BoosterSettings,
    pub estimator: LearnerSettings,
    pub n_estimators: usize,
    pub learning_rate: f64,
    pub max_bins: usize,
    pub categorical_features: Vec<usize>,
    pub early_stopping: bool,
    pub validation_fraction: f64,
    pub n_iter_no_change: usize,
    pub tol: f64,
    pub random_state: u64,
    pub n_jobs: Option<i64>,
    /// The number of classes.
    pub n_classes: usize,
    /// How boosters that tell two sides apart learn more classes.
    #[serde(default)]
    pub decomposition: Option<Decomposition>,
    /// Whether identical rows may be treated as one; only tests say no.
    #[serde(default = "yes")]
    pub merge_rows: bool,
}

fn yes() -> bool {
    true
}

impl Settings {
    /// Reads settings from JSON; errors name the parameter, what came and what was expected.
    pub fn from_json(json: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(json)
            .map_err(|e| Error::internal(format!("settings are not JSON: {e}")))?;
        serde_path_to_error::deserialize(&value).map_err(|e| explain(&value, &e))
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if self.n_estimators < 1 {
            return Err(Error::parameter("n_estimators", self.n_estimators, "an integer >= 1"));
        }
        if !positive(self.learning_rate) {
            return Err(Error::parameter("learning_rate", self.learning_rate, "a number > 0"));
        }
        if !(2..=65_535).contains(&self.max_bins) {
            return Err(Error::parameter("max_bins", self.max_bins, "an integer in 2..65535"));
        }
        if !(self.validation_fraction > 0.0 && self.validation_fraction < 1.0) {
            let expected = "a number in the open interval (0, 1)";
            return Err(Error::parameter(
                "validation_fraction",
                self.validation_fraction,
                expected,
            ));
        }
        if self.n_iter_no_change < 1 {
            let got = self.n_iter_no_change;
            return Err(Error::parameter("n_iter_no_change", got, "an integer >= 1"));
        }
        if !(self.tol.is_finite() && self.tol >= 0.0) {
            return Err(Error::parameter("tol", self.tol, "a number >= 0"));
        }
        if self.n_classes < 2 {
            return Err(Error::internal(format!("{} classes", self.n_classes)));
        }
        self.booster.check_learner(&self.estimator)
    }
}

/// Says in the user's words which parameter could not be read, and why.
fn explain(settings: &Value, error: &PathError<serde_json::Error>) -> Error {
    let keys: Vec<&str> = error
        .path()
        .iter()
        .filter_map(|segment| match segment {
            Segment::Map { key } => Some(key.as_str()),
            Segment::Enum { variant } => Some(variant.as_str()),
            _ => None,
        })
        .collect();
    let pointer = format!("/{}", keys.join("/"));
    let got = settings.pointer(&pointer).unwrap_or(&Value::Null);
    let mut message = error.inner().to_string();
    if message.ends_with("expected string or map") {
        // A choice that got no string: asked with a wrong one, it names the right ones.
        let mut asked = settings.clone();
        if let Some(value) = asked.pointer_mut(&pointer) {
            *value = Value::from("?");
        }
        if let Err(answer) = serde_path_to_error::deserialize::<_, Settings>(&asked) {
            message = answer.inner().to_string();
        }
    }
    let (name, first) = (keys.last().copied().unwrap_or_default(), keys.first().copied());
    let name = if first == Some("estimator") && keys.len() > 1 {
        format!("estimator__{name}")
    } else {
        name.to_owned()
    };
    let expected = expectation(&message);
    let is_value = got.is_i64() && message.starts_with("invalid value")
        || got.is_string() && message.starts_with("unknown variant");
    let got = in_python(got);
    if is_value {
        Error::Parameter { name, got, expected }
    } else {
        Error::ParameterType { name, got, expected }
    }
}

/// What serde expected, in words for people who write Python.
fn expectation(message: &str) -> String {
    let expected = message.split_once("expected ").map_or(message, |(_, expected)| expected);
    match expected {
        "usize" | "u64" => "an integer >= 0".into(),
        "i64" => "an integer or None".into(),
        "f64" => "a number".into(),
        "a boolean" => "True or False".into(),
        other => other.replace('`', "'"),
    }
}

fn in_python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}
