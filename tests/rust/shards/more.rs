//! What else a fit of several shards is given: costs, mistrust, very many rows, earlier rounds, observers.

use super::super::problems::{
    BOOSTERS, LEARNERS, MANY_CLASSES, NO_SUMS, SOFT_BOOSTERS, settings_for,
};
use super::in_shards;
use super::rows::{Data, Kind, Weighting, assert_same, bytes, fit_one, rows_of, split};
use crate::fit::fit;
use crate::model::{Model, StopReason};
use crate::prepared::{Labelled, Problem};
use crate::run::Round;
use crate::storage::Storage;
use crate::workers::Workers;

#[test]
fn costs_and_mistrust_of_rows_may_be_split() {
    let kind =
        Kind { n_rows: 200, n_classes: 3, is_coarse: true, weights: Weighting::Whole, seed: 8 };
    let mut data = Data::new(kind);
    data.costs = Some((0..600).map(|at| f64::from((at * 7 + at / 3) % 5)).collect());
    for way in [MANY_CLASSES[5], MANY_CLASSES[6]] {
        let settings = settings_for(way, LEARNERS[2], 4, 3);
        let splits = split(200, 4, 6, 1);
        assert_same((&data, None), &settings, (&splits, &splits), way.0);
    }
    let mut data = Data::new(Kind { n_classes: 2, ..kind });
    data.mistrust = Some((0..200).map(|row| f64::from(row % 3)).collect());
    let splits = split(200, 3, 6, 2);
    let settings = settings_for((SOFT_BOOSTERS[0], "null"), LEARNERS[0], 5, 2);
    assert_same((&data, None), &settings, (&splits, &splits), "mistrust");
}

#[test]
fn more_rows_than_the_sample_have_the_same_bins() {
    let n_rows = 140_000;
    for weights in [Weighting::None, Weighting::Any] {
        let kind = Kind { n_rows, n_classes: 2, is_coarse: false, weights, seed: 4 };
        let mut settings = settings_for((BOOSTERS[0], "null"), LEARNERS[0], 2, 2);
        settings.early_stopping = true;
        let splits = split(n_rows, 3, 7, 6);
        assert_same((&Data::new(kind), None), &settings, (&splits, &splits), &format!("{kind:?}"));
    }
}

#[test]
fn rounds_run_before_are_gone_on_from() {
    let kind =
        Kind { n_rows: 300, n_classes: 2, is_coarse: false, weights: Weighting::Any, seed: 9 };
    let data = Data::new(kind);
    for booster in [BOOSTERS[0], BOOSTERS[6], NO_SUMS[0], NO_SUMS[2], SOFT_BOOSTERS[0]] {
        let first = fit_one(&data, None, &settings_for((booster, "null"), LEARNERS[2], 3, 2));
        // Problems borrow for as long as their frames.
        let earlier: &'static Model = Box::leak(Box::new(first.unwrap().model));
        let settings = settings_for((&booster.replace(": 6", ": 9"), "null"), LEARNERS[2], 6, 2);
        let fit_own = |labelled: Labelled<'static>, workers: &Workers| {
            let (validation, external) = (None, None);
            let problem = Problem {
                train: labelled,
                validation,
                earlier: Some(earlier),
                external,
                storage: Storage::default(),
            };
            fit(&problem, &settings, workers, &mut |_| Ok(true)).unwrap()
        };
        let alone = Workers::new(Some(1)).unwrap();
        let whole = fit_own(data.labelled(None), &alone);
        let splits = split(300, 3, 4, 1);
        let shards = in_shards(3, |reduce| {
            let pieces = splits[reduce.rank()].clone();
            let own = data.pick(&rows_of(&pieces)).labelled(Some(pieces));
            fit_own(own, &alone.with_reduce(reduce))
        });
        assert!(shards.iter().all(|shard| bytes(shard) == bytes(&whole)), "{booster}");
    }
}

#[test]
fn one_observer_stops_all_shards() {
    let kind =
        Kind { n_rows: 90, n_classes: 2, is_coarse: false, weights: Weighting::None, seed: 3 };
    let data = Data::new(kind);
    let shards = in_shards(3, |reduce| {
        let rank = reduce.rank();
        let pieces = vec![(30 * rank as u64, 30)];
        let train = data.pick(&rows_of(&pieces)).labelled(Some(pieces));
        let problem = Problem {
            train,
            validation: None,
            earlier: None,
            external: None,
            storage: Storage::default(),
        };
        let workers = Workers::new(Some(1)).unwrap().with_reduce(reduce);
        let mut n_seen = 0;
        let mut observe = |_: &Round| {
            n_seen += 1;
            Ok(rank != 1 || n_seen < 2)
        };
        fit(
            &problem,
            &settings_for((BOOSTERS[0], "null"), LEARNERS[0], 5, 2),
            &workers,
            &mut observe,
        )
        .unwrap()
        .model
    });
    for model in shards {
        assert_eq!(model.history.n_rounds(), 2);
        assert_eq!(model.stop_reason, StopReason::Callback);
    }
}
