//! Model files come back as they were, and damaged ones are refused without a panic.

#![allow(clippy::unwrap_used)] // a failure here is a failed test

mod problems;

use problems::{BOOSTERS, fit_mixed, mixed};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use weakforce::data::Table;
use weakforce::model::Model;
use weakforce::workers::Workers;

fn document() -> Value {
    let fitted = fit_mixed(BOOSTERS[0], 300, 1).unwrap();
    serde_json::from_slice(&fitted.model.to_json(json!({"mine": 1})).unwrap()).unwrap()
}

fn refusal(document: &Value) -> String {
    Model::from_json(document.to_string().as_bytes()).unwrap_err().to_string()
}

#[test]
fn a_model_scores_the_same_after_a_round_trip() {
    let (columns, _) = mixed(1000, 99);
    let table = Table::new(columns, true, 1000).unwrap();
    let workers = Workers::new(Some(1)).unwrap();
    for booster in BOOSTERS {
        let model = fit_mixed(booster, 300, 1).unwrap().model;
        let bytes = model.to_json(json!({"mine": [1, "two"]})).unwrap();
        let (back, estimator) = Model::from_json(&bytes).unwrap();
        assert_eq!(estimator, json!({"mine": [1, "two"]}));
        assert_eq!(back.to_json(estimator).unwrap(), bytes);
        let scores = |model: &Model| model.decision_function(&table, &workers).unwrap();
        assert_eq!(scores(&back), scores(&model));
    }
}

#[test]
fn every_field_that_does_not_fit_is_named() {
    let damage: [(&str, Value, &str); 14] = [
        ("/format", json!("other"), "format"),
        ("/version", json!(2), "version 2"),
        ("/version", json!(0), "version 0"),
        ("/weights/0", json!(null), "weights"),
        ("/weights", json!([1.0]), "weights"),
        ("/hypotheses/column/0", json!(99), "hypotheses.column"),
        ("/hypotheses/column/0", json!(-1), "hypotheses"),
        ("/hypotheses/test/0", json!(70000), "hypotheses.test"),
        ("/hypotheses/inside/0", json!("x"), "hypotheses"),
        ("/features/0/cuts/1", json!(-1e300), "features[0].cuts"),
        ("/features/1/name", json!("a"), "features"),
        ("/features/0/kind", json!("text"), "features[0].kind"),
        ("/stop_reason", json!("tired"), "stop_reason"),
        ("/features", json!([]), "features"),
    ];
    for (pointer, value, named) in damage {
        let mut damaged = document();
        *damaged.pointer_mut(pointer).unwrap() = value;
        let message = refusal(&damaged);
        assert!(message.starts_with("model file: "), "{message}");
        assert!(message.contains(named), "{pointer}: {message}");
    }
}

#[test]
fn unknown_fields_and_trailing_bytes_are_refused() {
    let mut damaged = document();
    damaged["surprise"] = json!(1);
    assert!(refusal(&damaged).contains("surprise"));
    let mut bytes = document().to_string().into_bytes();
    bytes.push(b'x');
    assert!(Model::from_json(&bytes).is_err());
}

#[test]
fn truncated_files_are_refused() {
    let bytes = document().to_string().into_bytes();
    for end in (0..bytes.len()).step_by(97) {
        assert!(Model::from_json(&bytes[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn ten_thousand_mutations_never_panic() {
    let bytes = document().to_string().into_bytes();
    let (columns, _) = mixed(50, 5);
    let table = Table::new(columns, true, 50).unwrap();
    let workers = Workers::new(Some(1)).unwrap();
    let mut generator = ChaCha8Rng::seed_from_u64(11);
    let mut refused = 0;
    for _ in 0..10_000 {
        let mut mutated = bytes.clone();
        for _ in 0..generator.random_range(1..4) {
            let at = generator.random_range(0..mutated.len());
            mutated[at] = generator.random();
        }
        match Model::from_json(&mutated) {
            Err(_) => refused += 1,
            // What passes all checks must also score, or say why it cannot.
            Ok((model, _)) => drop(model.decision_function(&table, &workers)),
        }
    }
    assert!(refused > 5_000, "only {refused} refused");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "[".repeat(200_000);
    assert!(Model::from_json(deep.as_bytes()).is_err());
    let mut nested = document().to_string();
    nested = nested.replacen(r#"{"mine":1}"#, &deep, 1);
    assert!(Model::from_json(nested.as_bytes()).is_err());
}
