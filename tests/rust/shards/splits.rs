//! Any split of any rows, for every booster that may be split and every learner.

use super::super::problems::{
    BOOSTERS, LEARNERS, MANY_CLASSES, NO_SUMS, SOFT_BOOSTERS, settings_for,
};
use super::rows::{Data, Kind, Weighting, assert_same, split};
use crate::booster::BoosterSettings;
use proptest::prelude::*;

/// The boosters that may be split, with what else they need for three classes.
fn splittable() -> Vec<((&'static str, &'static str), u32)> {
    let two = BOOSTERS.into_iter().chain(SOFT_BOOSTERS).chain(NO_SUMS).map(|b| ((b, "null"), 2));
    let votes = MANY_CLASSES.into_iter().filter(|(_, decomposition)| *decomposition == "null");
    let two = two.chain(votes.map(|way| (way, 2)));
    let other_code = r#""one_vs_one""#;
    let others = [
        (r#"{"discrete": {"phi": 0.5}}"#, other_code),
        (r#"{"regularized": {"C": 100.0, "p": 2}}"#, r#""one_vs_rest""#),
        (r#"{"sfboost": {"prune": true, "smoothing": null}}"#, r#""one_vs_rest""#),
        (r#"{"martiboost": {"n_layers": 3, "randomized": false}}"#, other_code),
    ];
    let three = MANY_CLASSES.into_iter().chain(others).map(|way| (way, 3));
    let may_shard = |booster: &str| {
        let settings: BoosterSettings = serde_json::from_str(booster).unwrap();
        settings.capabilities().may_shard
    };
    let all = two.chain(three);
    all.filter(|((booster, _), n_classes)| {
        // Costs of three classes.
        may_shard(booster) && !(*n_classes == 2 && booster.contains("[["))
    })
    .collect()
}

fn weighting() -> impl Strategy<Value = Weighting> {
    prop_oneof![Just(Weighting::None), Just(Weighting::Whole), Just(Weighting::Any)]
}

/// Tries a learner with all boosters on some splits of random rows.
fn assert_splits_do_not_matter(learner: &str, n_cases: u32) {
    let config =
        ProptestConfig { cases: n_cases, max_shrink_iters: 20, ..ProptestConfig::default() };
    let strategy = (
        (0..splittable().len(), 1usize..8, 0usize..9, 0u64..1000),
        (prop_oneof![20usize..60, 100usize..400, Just(2500)], any::<bool>(), weighting()),
        (0..4u8, any::<bool>(), any::<bool>()),
    );
    proptest!(config, |(((at, n_shards, n_pieces, seed), (n_rows, is_coarse, weights), (sampling, stops_early, has_validation)) in strategy)| {
        let (way, n_classes) = splittable()[at];
        let mut settings = settings_for(way, learner, 5, n_classes as usize);
        settings.early_stopping = stops_early;
        settings.n_iter_no_change = Some(2);
        settings.max_bins = if seed % 2 == 0 { 255 } else { 7 };
        if sampling == 1 && n_rows > 50 {
            settings.subsample = 0.6;
        }
        settings.replace = sampling == 2;
        let kind = Kind { n_rows, n_classes, is_coarse, weights, seed };
        let data = Data::new(kind);
        let others = Data::new(Kind { n_rows: 40, seed: seed + 1, ..kind });
        let validation = has_validation.then_some(&others);
        let splits = (&split(n_rows, n_shards, n_pieces, seed), &split(40, n_shards, 5, seed));
        assert_same((&data, validation), &settings, splits, &format!("{way:?} {learner} {kind:?}"));
    });
}

#[test]
fn any_split_makes_the_same_stumps() {
    assert_splits_do_not_matter(LEARNERS[0], 60);
}

#[test]
fn any_split_makes_the_same_rules() {
    assert_splits_do_not_matter(LEARNERS[1], 60);
}

#[test]
fn any_split_makes_the_same_trees() {
    assert_splits_do_not_matter(LEARNERS[2], 40);
    assert_splits_do_not_matter(LEARNERS[3], 20);
    assert_splits_do_not_matter(LEARNERS[4], 20);
}

#[test]
fn every_booster_that_may_be_split_makes_the_same_model_with_every_learner() {
    for (at, (way, n_classes)) in splittable().into_iter().enumerate() {
        for (number, learner) in LEARNERS.into_iter().enumerate() {
            let weights = [Weighting::None, Weighting::Whole, Weighting::Any][(at + number) % 3];
            let seed = (at * 5 + number) as u64;
            let kind = Kind { n_rows: 300, n_classes, is_coarse: seed % 4 == 1, weights, seed };
            let splits = split(300, 2 + at % 3, 6, seed);
            let settings = settings_for(way, learner, 4, n_classes as usize);
            let what = format!("{way:?} {learner} {kind:?}");
            assert_same((&Data::new(kind), None), &settings, (&splits, &splits), &what);
        }
    }
}

#[test]
fn the_problems_cover_every_booster_that_may_be_split() {
    for (name, capabilities) in BoosterSettings::all() {
        let is_covered =
            splittable().iter().any(|((booster, _), _)| booster.contains(&format!("\"{name}\"")));
        assert_eq!(is_covered, capabilities.may_shard, "{name}");
    }
}
