//! Model files come back as they were, and damaged ones are refused without a panic.

use std::sync::Arc;

use super::problems::{
    BOOSTERS, LEARNERS, MANY_CLASSES, columns_for, combinations, fit_many_classes, fit_mixed,
    many_class_combinations, mixed,
};
use crate::data::Table;
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::model::{Given, Model};
use crate::workers::Workers;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};

fn document(learner: &str) -> Value {
    let fitted = fit_mixed((BOOSTERS[0], learner), 300, 1).unwrap();
    serde_json::from_slice(&fitted.model.to_json(json!({"mine": 1})).unwrap()).unwrap()
}

fn read(bytes: &[u8]) -> Result<(Arc<Model>, Value)> {
    Model::from_json(bytes, &[]).map(|(model, estimator)| (Arc::new(model), estimator))
}

fn refusal(document: &Value) -> String {
    read(document.to_string().as_bytes()).unwrap_err().to_string()
}

fn given(rows: usize, seed: u64) -> Given<'static> {
    let (columns, _) = mixed(rows, seed);
    Given { table: Table::new(columns, true, rows).unwrap(), external: None }
}

#[test]
fn a_model_scores_the_same_after_a_round_trip() {
    let workers = Workers::new(Some(1)).unwrap();
    for combination in combinations() {
        let (columns, _) = columns_for(combination.1, 1000, 99);
        let rows = Given { table: Table::new(columns, true, 1000).unwrap(), external: None };
        let model = Arc::new(fit_mixed(combination, 300, 1).unwrap().model);
        let bytes = model.to_json(json!({"mine": [1, "two"]})).unwrap();
        let (back, estimator) = read(&bytes).unwrap();
        assert_eq!(estimator, json!({"mine": [1, "two"]}));
        assert_eq!(back.to_json(estimator).unwrap(), bytes);
        let scores = |model: &Arc<Model>| model.decision_function(&rows, &workers).unwrap();
        assert_eq!(scores(&back), scores(&model));
    }
}

#[test]
fn a_model_with_numbers_that_are_none_is_not_written() {
    let mut model = fit_mixed(combinations().next().unwrap(), 300, 1).unwrap().model;
    model.history.weights[0] = f64::NAN;
    let error = model.to_json(Value::Null).unwrap_err().to_string();
    assert_eq!(error, "the model cannot be written: weights are not all finite numbers");
    let mut model = fit_mixed(combinations().next().unwrap(), 300, 1).unwrap().model;
    if let Hypothesis::Stump(stump) = &mut model.members[1].hypothesis {
        stump.answers.numbers[0] = f64::INFINITY;
    }
    let error = model.to_json(Value::Null).unwrap_err().to_string();
    assert!(error.contains("the answers of hypothesis 1 are not all finite"), "{error}");
}

#[test]
fn a_model_of_three_classes_scores_the_same_after_a_round_trip_and_stage_by_stage() {
    let rows = given(700, 99);
    let workers = Workers::new(Some(1)).unwrap();
    for combination in many_class_combinations() {
        let model = Arc::new(fit_many_classes(combination, 300, 1).unwrap().model);
        let bytes = model.to_json(Value::Null).unwrap();
        let (back, estimator) = read(&bytes).unwrap();
        assert_eq!(back.to_json(estimator).unwrap(), bytes);
        let scores = model.decision_function(&rows, &workers).unwrap();
        assert_eq!(scores.len(), 3 * 700);
        assert_eq!(back.decision_function(&rows, &workers).unwrap(), scores, "{combination:?}");
        let mut staged = model.staged(&rows, &workers).unwrap();
        let mut last = Vec::new();
        while let Some(scores) = staged.advance(&workers).unwrap() {
            last = scores.to_vec();
        }
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-9 * (1.0 + b.abs());
        assert!(last.iter().zip(&scores).all(close), "{combination:?}");
    }
}

#[test]
fn outputs_rounds_and_answers_that_do_not_fit_the_classes_are_refused() {
    let document = |way: usize| -> Value {
        let fitted = fit_many_classes((MANY_CLASSES[way], LEARNERS[0]), 300, 1).unwrap();
        serde_json::from_slice(&fitted.model.to_json(Value::Null).unwrap()).unwrap()
    };
    let damage: [(usize, &str, Value, &str); 11] = [
        (0, "/combiner/by_class/n_classes", json!(1), "combiner"),
        (0, "/combiner/by_class/n_classes", json!(1u64 << 40), "combiner"),
        (0, "/hypotheses/0/inside/0", json!(3.0), "outputs"),
        (0, "/hypotheses/0/inside/0", json!(0.5), "outputs"),
        (0, "/hypotheses/0/says", json!({"scores": 0}), "says"),
        (2, "/outputs/2", json!(3), "outputs"),
        (2, "/rounds/0", json!(5), "rounds"),
        (2, "/rounds", json!([0]), "rounds"),
        (3, "/hypotheses/0/says", json!({"scores": 2}), "hypotheses[0].inside"),
        (8, "/combiner/coded/code/0", json!([1, 1]), "combiner"),
        (8, "/version", json!(2), "version"),
    ];
    for (way, pointer, value, named) in damage {
        let mut damaged = document(way);
        *damaged.pointer_mut(pointer).unwrap() = value;
        let message = refusal(&damaged);
        assert!(message.contains(named), "{pointer}: {message}");
    }
}

#[test]
fn every_field_that_does_not_fit_is_named() {
    let damage: [(&str, Value, &str); 14] = [
        ("/format", json!("other"), "format"),
        ("/version", json!(7), "version 7"),
        ("/version", json!(0), "version 0"),
        ("/weights/0", json!(null), "weights"),
        ("/weights", json!([1.0]), "weights"),
        ("/hypotheses/0/column/0", json!(99), "hypotheses[0].column"),
        ("/hypotheses/0/column/0", json!(-1), "hypotheses"),
        ("/hypotheses/0/test/0", json!(70000), "hypotheses[0].test"),
        ("/hypotheses/0/inside/0", json!("x"), "hypotheses"),
        ("/features/0/cuts/1", json!(-1e300), "features[0].cuts"),
        ("/features/1/name", json!("a"), "features"),
        ("/features/0/kind", json!("text"), "features[0].kind"),
        ("/stop_reason", json!("tired"), "stop_reason"),
        ("/features", json!([]), "features"),
    ];
    for (pointer, value, named) in damage {
        let mut damaged = document(LEARNERS[0]);
        *damaged.pointer_mut(pointer).unwrap() = value;
        let message = refusal(&damaged);
        assert!(message.starts_with("model file: "), "{message}");
        assert!(message.contains(named), "{pointer}: {message}");
    }
}

#[test]
fn unknown_fields_and_trailing_bytes_are_refused() {
    let mut damaged = document(LEARNERS[0]);
    damaged["surprise"] = json!(1);
    assert!(refusal(&damaged).contains("surprise"));
    let mut bytes = document(LEARNERS[0]).to_string().into_bytes();
    bytes.push(b'x');
    assert!(read(&bytes).is_err());
}

#[test]
fn truncated_files_are_refused() {
    let bytes = document(LEARNERS[0]).to_string().into_bytes();
    for end in (0..bytes.len()).step_by(97) {
        assert!(read(&bytes[..end]).is_err(), "cut at {end}");
    }
}

#[test]
fn fields_of_rules_and_trees_that_do_not_fit_are_named() {
    let damage: [(usize, &str, Value); 13] = [
        (1, "literals", json!(1_000_000)),
        (1, "column", json!(3)),
        (1, "wants", json!(6)),
        (1, "code", json!(60_000)),
        (1, "inside", json!(null)),
        (1, "rows_inside", json!(-1)),
        (2, "splits", json!(0)),
        (2, "leaf", json!(1)),
        (2, "column", json!(17)),
        (2, "test", json!(70_000)),
        (2, "answers", json!("x")),
        (2, "rows", json!(0.5)),
        (2, "weights", json!(null)),
    ];
    for (learner, field, value) in damage {
        let mut damaged = document(LEARNERS[learner]);
        *damaged.pointer_mut(&format!("/hypotheses/0/{field}/0")).unwrap() = value.clone();
        assert!(refusal(&damaged).contains("hypotheses[0]"), "{field}: {value}");
    }
}

#[test]
fn files_of_version_1_are_read() {
    let mut old = document(LEARNERS[0]);
    let run = old["hypotheses"][0].take();
    old["hypotheses"] = run;
    old["version"] = json!(1);
    for later in ["reads", "combiner"] {
        old.as_object_mut().unwrap().remove(later);
    }
    let (model, _) = read(old.to_string().as_bytes()).unwrap();
    let same = fit_mixed((BOOSTERS[0], LEARNERS[0]), 300, 1).unwrap().model;
    assert_eq!(model.to_json(Value::Null).unwrap(), same.to_json(Value::Null).unwrap());
}

#[test]
fn ten_thousand_mutations_never_panic() {
    let rows = given(50, 5);
    let workers = Workers::new(Some(1)).unwrap();
    let mut generator = ChaCha8Rng::seed_from_u64(11);
    let mut refused = 0;
    for learner in &LEARNERS[..3] {
        let bytes = document(learner).to_string().into_bytes();
        for _ in 0..3_400 {
            let mut mutated = bytes.clone();
            for _ in 0..generator.random_range(1..4) {
                let at = generator.random_range(0..mutated.len());
                mutated[at] = generator.random();
            }
            match read(&mutated) {
                Err(_) => refused += 1,
                // What passes all checks must also score, or say why it cannot.
                Ok((model, _)) => drop(model.decision_function(&rows, &workers)),
            }
        }
    }
    assert!(refused > 5_000, "only {refused} refused");
}

#[test]
fn deep_nesting_is_refused() {
    let deep = "[".repeat(200_000);
    assert!(read(deep.as_bytes()).is_err());
    let mut nested = document(LEARNERS[0]).to_string();
    nested = nested.replacen(r#"{"mine":1}"#, &deep, 1);
    assert!(read(nested.as_bytes()).is_err());
}
