//! Settings that could not be read, in the words of people who write Python.
//!
//! In: JSON and what serde says of it. Out: an error that names the parameter, what came and what was
//! expected.

use serde_json::Value;
use serde_path_to_error::{Error as PathError, Segment};

use super::Settings;
use crate::error::Error;

/// Explains in the user's words which parameter could not be read, and why.
pub(super) fn explain(settings: &Value, error: &PathError<serde_json::Error>) -> Error {
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

/// A value as Python writes it.
pub(crate) fn in_python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::String(text) => format!("'{text}'"),
        other => other.to_string(),
    }
}
