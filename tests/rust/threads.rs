//! Results do not depend on the number of threads, to the bit.

use super::problems::{
    SOFT_BOOSTERS, combinations, fit_many_classes, fit_mixed, fit_pool, many_class_combinations,
};
use crate::booster::BoosterSettings;
use crate::learner::LearnerSettings;
use serde_json::Value;

/// Fits every second combination, from one of them on, with 1 and 7 threads.
fn assert_threads_do_not_matter(first: usize) {
    for combination in combinations().skip(first).step_by(2) {
        let [one, seven] = [1, 7].map(|threads| {
            // Several blocks of rows, and enough cells that the pool is used.
            let fitted = fit_mixed(combination, 3_000, threads).unwrap();
            fitted.model.to_json(Value::Null).unwrap()
        });
        assert_eq!(one, seven, "{combination:?}");
    }
}

// In two halves, which run at the same time.

#[test]
fn combinations_in_even_places_write_the_same_bytes_with_1_and_7_threads() {
    assert_threads_do_not_matter(0);
}

#[test]
fn combinations_in_odd_places_write_the_same_bytes_with_1_and_7_threads() {
    assert_threads_do_not_matter(1);
}

#[test]
fn every_way_to_learn_three_classes_writes_the_same_bytes_with_1_and_3_threads() {
    for combination in many_class_combinations() {
        let bytes = [1, 3].map(|threads| {
            let fitted = fit_many_classes(combination, 3_000, threads).unwrap();
            fitted.model.to_json(Value::Null).unwrap()
        });
        assert_eq!(bytes[0], bytes[1], "{combination:?}");
    }
}

#[test]
fn a_pool_writes_the_same_bytes_with_1_and_3_threads() {
    let bytes =
        [1, 3].map(|threads| fit_pool(3_000, threads).unwrap().model.to_json(Value::Null).unwrap());
    assert_eq!(bytes[0], bytes[1]);
}

#[test]
fn the_problems_cover_every_booster_and_learner_of_the_registries() {
    let two_classes: Vec<(&str, &str)> = combinations().collect();
    let more: Vec<_> = many_class_combinations().map(|((booster, _), _)| booster).collect();
    for (name, _) in BoosterSettings::all() {
        let is_it = |booster: &&str| booster.contains(&format!("\"{name}\""));
        let covered = two_classes.iter().map(|(booster, _)| *booster).chain(more.iter().copied());
        assert!(covered.into_iter().any(|booster| is_it(&booster)), "no problem for {name}");
    }
    // The error for an unknown learner lists all of them.
    let unknown = serde_json::from_str::<LearnerSettings>(r#"{"?": {}}"#).unwrap_err().to_string();
    let listed = unknown.split("expected one of ").nth(1).unwrap();
    let names: Vec<&str> = listed.split('`').skip(1).step_by(2).collect();
    assert!(names.len() > 3 && names.contains(&"stump"), "{unknown}");
    for name in names.into_iter().filter(|name| *name != "external") {
        let is_it = |(_, learner): &(&str, &str)| learner.contains(&format!("\"{name}\""));
        assert!(two_classes.iter().any(is_it), "no problem for {name}");
    }
}

#[test]
fn row_weights_are_a_distribution_over_the_input_rows() {
    for combination in combinations() {
        let fitted = fit_mixed(combination, 500, 1).unwrap();
        assert_eq!(fitted.row_weights.len(), 500);
        assert!((fitted.row_weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{combination:?}");
        // Programs leave rows beyond the margin without weight.
        let is_soft = SOFT_BOOSTERS.contains(&combination.0);
        let fits = |weight: &f64| *weight > 0.0 || (is_soft && *weight == 0.0);
        assert!(fitted.row_weights.iter().all(fits), "{combination:?}");
    }
    for combination in many_class_combinations() {
        let fitted = fit_many_classes(combination, 500, 1).unwrap();
        assert_eq!(fitted.row_weights.len(), 500);
        assert!((fitted.row_weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{combination:?}");
    }
}
