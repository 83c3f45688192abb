//! What cannot be fitted to rows that are spread over shards is refused in all of them.

use super::super::problems::{
    BOOSTERS, LEARNERS, NUMBER_LEARNERS, SOFT_BOOSTERS, numbers, settings_for, texts,
};
use super::in_shards;
use super::rows::{Data, Kind, Weighting, rows_of};
use crate::booster::BoosterSettings;
use crate::data::{Column, FrameSource, Table};
use crate::fit::fit;
use crate::prepared::{Labelled, Problem};
use crate::settings::{Method, PoolSettings, ProgramSettings, Settings};
use crate::storage::Storage;
use crate::workers::Workers;

/// What shards say that fit an evenly divided problem, each after its own change of it.
fn errors_after(
    settings: &Settings,
    change: impl Fn(usize, &mut Labelled<'static>) + Sync,
) -> Vec<String> {
    let data = Data::new(Kind {
        n_rows: 60,
        n_classes: settings.n_classes as u32,
        is_coarse: false,
        weights: Weighting::Whole,
        seed: 5,
    });
    let shards = in_shards(3, |reduce| {
        let rank = reduce.rank();
        let pieces = vec![(20 * rank as u64, 20)];
        let mut train = data.pick(&rows_of(&pieces)).labelled(Some(pieces));
        change(rank, &mut train);
        let problem = Problem {
            train,
            validation: None,
            earlier: None,
            external: None,
            storage: Storage::default(),
        };
        let workers = Workers::new(Some(1)).unwrap().with_reduce(reduce);
        fit(&problem, settings, &workers, &mut |_| Ok(true))
    });
    shards.into_iter().map(|shard| shard.err().map_or(String::new(), |e| e.to_string())).collect()
}

fn stumps(booster: &str) -> Settings {
    settings_for((booster, "null"), LEARNERS[0], 5, 2)
}

/// What is done to the rows of a shard.
type Change = fn(&mut Labelled<'static>);

#[test]
fn what_is_wrong_in_one_shard_is_an_error_in_all() {
    let settings = stumps(BOOSTERS[0]);
    assert_eq!(errors_after(&settings, |_, _| {}), ["", "", ""]);
    let changes: [(&str, Change); 4] = [
        ("row 3 has weight -1", |train| train.weights.as_mut().unwrap()[3] = -1.0),
        ("got 19 labels", |train| train.classes.to_mut().truncate(19)),
        ("class code 2 of 2 classes", |train| train.classes.to_mut()[4] = 2),
        ("got 21 rows in all pieces, expected 20", |train| {
            train.pieces = Some(vec![(20, 21)]);
        }),
    ];
    for (reason, change) in changes {
        let errors = errors_after(&settings, |rank, train| {
            if rank == 1 {
                change(train);
            }
        });
        assert!(errors[1].contains(reason) && !errors[1].starts_with("shard"), "{errors:?}");
        for other in [&errors[0], &errors[2]] {
            assert!(other.starts_with("shard 1 of this fit failed: "), "{errors:?}");
            assert!(other.contains(reason), "{errors:?}");
        }
    }
}

#[test]
fn frames_that_do_not_fit_each_other_are_errors_in_all_shards() {
    let settings = stumps(BOOSTERS[0]);
    let with_columns = |columns: fn() -> Vec<Column<'static>>| {
        errors_after(&settings, |rank, train| {
            if rank == 2 {
                train.source = FrameSource::Table(Table::new(columns(), true, 20).unwrap());
            }
        })
    };
    let renamed = with_columns(|| {
        vec![
            numbers("a", vec![Some(1.0); 20]),
            numbers("z", vec![Some(1.0); 20]),
            texts("c", vec![None; 20]),
        ]
    });
    let other_kind = with_columns(|| {
        vec![
            numbers("a", vec![Some(1.0); 20]),
            texts("b", vec![None; 20]),
            texts("c", vec![None; 20]),
        ]
    });
    let fewer = with_columns(|| vec![numbers("a", vec![Some(1.0); 20])]);
    for (errors, reason) in [
        (renamed, "X: got column 'z, number' in shard 2, expected 'b, number' as in shard 0"),
        (other_kind, "X: got column 'b, text' in shard 2, expected 'b, number' as in shard 0"),
        (fewer, "X: got fewer columns in shard 2, expected those of shard 0"),
    ] {
        assert!(errors.iter().all(|error| error == reason), "{errors:?}");
    }
    let overlapping = errors_after(&settings, |rank, train| {
        train.pieces = Some(vec![(10 * rank as u64, 20)]);
    });
    let reason = "a piece that begins with row 10 after one up to 20";
    assert!(overlapping.iter().all(|error| error.contains(reason)), "{overlapping:?}");
    let unweighted = errors_after(&settings, |rank, train| {
        if rank == 0 {
            train.weights = None;
        }
    });
    let reason = "sample_weight: got some in 2 of 3 shards, expected some in all or in none";
    assert!(unweighted.iter().all(|error| error == reason), "{unweighted:?}");
    let without = errors_after(&settings, |rank, train| {
        if rank == 0 {
            train.pieces = None;
        }
    });
    assert!(without[0].contains("'reducer.pieces': got none"), "{without:?}");
}

#[test]
fn what_needs_all_rows_at_once_is_refused_by_name() {
    let refused = |settings: &Settings| {
        let errors = errors_after(settings, |_, _| {});
        assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
        errors[0].clone()
    };
    for (name, capabilities) in BoosterSettings::all() {
        let of_soft = SOFT_BOOSTERS.iter().find(|json| json.contains(&format!("\"{name}\"")));
        if !capabilities.may_shard {
            let error = refused(&stumps(of_soft.unwrap()));
            assert!(error.contains(&format!("parameter 'booster': got {name}, expected one of ")));
        }
    }
    let mut settings = settings_for((BOOSTERS[3], "null"), NUMBER_LEARNERS[0], 5, 2);
    assert!(refused(&settings).contains("parameter 'estimator': got a learner that reads"));
    settings = stumps(BOOSTERS[0]);
    settings.resample = true;
    assert!(refused(&settings).contains("parameter 'resample': got True, expected False"));
    settings = stumps(BOOSTERS[0]);
    let (method, c) = (Method::LpReg, Some(2.0));
    let program =
        ProgramSettings { method, c, prune: false, time_limit: None, keep_inseparable: false };
    settings.program = Some(program);
    assert!(refused(&settings).contains("a program over all margins"));
    settings = settings_for((BOOSTERS[6], "null"), LEARNERS[2], 5, 2);
    settings.pool = Some(PoolSettings {
        n_trees: None,
        max_features: None,
        time_limit: None,
        auto_rounds: false,
    });
    assert!(refused(&settings).contains("got WeakForceClassifier"));
}
