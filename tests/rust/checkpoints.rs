//! Fits that go on from a checkpoint end with the bytes of those that were never ended.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use super::problems::{
    BOOSTERS, Given, LEARNERS, NUMBER_LEARNERS, combinations, fit_kept, given_many_classes,
    given_mixed, given_pool, many_class_combinations, mixed, numbers,
};
use crate::error::{Error, ErrorKind, Result};
use crate::fit::Fitted;
use crate::run::Round;
use crate::settings::Settings;
use crate::storage::{Checkpoint, Storage};
use crate::workers::Workers;
use serde_json::Value;

/// A folder of its own, removed in the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("weakforce-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn file(&self) -> PathBuf {
        self.0.join("run.json")
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn keeping(folder: &Folder, every: usize) -> Storage {
    let checkpoint = Some(Checkpoint { path: folder.file(), every });
    Storage { checkpoint, ..Storage::default() }
}

fn bytes(fitted: &Fitted) -> Vec<u8> {
    fitted.model.to_json(Value::Null).unwrap()
}

/// An observer that ends the fit with an error in this round.
pub fn ended_in(last: usize) -> impl FnMut(&Round) -> Result<bool> + Send {
    move |round: &Round| {
        if round.round == last { Err(Error::internal("killed")) } else { Ok(true) }
    }
}

/// Ends a fit in some rounds, each time going on from the file, and compares with one that never ended.
fn assert_goes_on(name: &str, ends: &[usize], given: impl Fn() -> Given) {
    let folder = Folder::new(name);
    let workers = Workers::new(Some(2)).unwrap();
    let whole = fit_kept(given(), Storage::default(), &workers, &mut |_| Ok(true)).unwrap();
    for &end in ends {
        // A run may end by itself before that.
        let ended = fit_kept(given(), keeping(&folder, 2), &workers, &mut ended_in(end));
        if let Err(error) = ended {
            assert!(error.to_string().contains("killed"), "{name}: {error}");
        }
        let is_there = folder.file().exists();
        assert!(is_there || end < 2 || whole.model.history.n_rounds() < 2, "{name}");
    }
    let mut seen = Vec::new();
    let resumed = fit_kept(given(), keeping(&folder, 2), &workers, &mut |round| {
        seen.push(round.round);
        Ok(true)
    });
    let resumed = resumed.unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(bytes(&resumed) == bytes(&whole), "{name}");
    assert_eq!(resumed.row_weights, whole.row_weights, "{name}");
    let in_words = |fitted: &Fitted| {
        let is_time = |name: &&str| *name == "solve_time" || *name == "solver_time";
        let numbers = fitted.reports.iter().flat_map(|report| report.numbers.clone());
        let numbers: Vec<_> = numbers.filter(|(name, _)| !is_time(name)).collect();
        let rows: Vec<_> =
            fitted.reports.iter().map(|r| (r.rows.clone(), r.shares.clone())).collect();
        format!("{numbers:?} {rows:?}")
    };
    assert_eq!(in_words(&resumed), in_words(&whole), "{name}");
    // Observers see all rounds, those of the file too.
    assert_eq!(seen, (1..=seen.len()).collect::<Vec<_>>(), "{name}");
}

#[test]
fn every_booster_of_two_classes_goes_on_with_every_learner() {
    for (at, combination) in combinations().enumerate() {
        assert_goes_on(&format!("two-{at}"), &[1, 5, 8], || given_mixed(combination, 400));
    }
}

#[test]
fn every_way_to_learn_three_classes_goes_on() {
    for (at, combination) in many_class_combinations().enumerate() {
        assert_goes_on(&format!("three-{at}"), &[3, 4], || given_many_classes(combination, 400));
    }
}

#[test]
fn samples_validation_rows_and_learning_rates_go_on() {
    let changes: [fn(&mut Settings); 6] = [
        |s| s.subsample = 0.6,
        |s| s.replace = true,
        |s| s.resample = true,
        |s| s.early_stopping = true,
        |s| (s.learning_rate, s.subsample, s.early_stopping) = (0.3, 0.5, true),
        |s| (s.resample, s.max_bins, s.random_state) = (true, 7, 3),
    ];
    for (at, change) in changes.into_iter().enumerate() {
        for (number, learner) in [LEARNERS[0], LEARNERS[1], LEARNERS[4]].into_iter().enumerate() {
            let booster = BOOSTERS[[0, 3, 0][number]];
            assert_goes_on(&format!("change-{at}-{number}"), &[3, 4, 9], || {
                let (rows, mut settings) = given_mixed((booster, learner), 300);
                change(&mut settings);
                (rows, settings)
            });
        }
    }
}

/// Sets the flag that ends a fit as soon as there is a file.
fn fit_until_written(given: Given, folder: &Folder, every: usize) -> Result<Fitted> {
    let workers = Workers::new(Some(2)).unwrap();
    let (flag, path, done) = (workers.cancel_flag(), folder.file(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !path.exists() && !done.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            flag.store(true, Ordering::Relaxed);
        });
        let fitted = fit_kept(given, keeping(folder, every), &workers, &mut |_| Ok(true));
        done.store(true, Ordering::Relaxed);
        fitted
    })
}

#[test]
fn pools_go_on_with_their_boosted_rounds() {
    let folder = Folder::new("pool");
    let workers = Workers::new(Some(2)).unwrap();
    let whole =
        fit_kept(given_pool(2_000), Storage::default(), &workers, &mut |_| Ok(true)).unwrap();
    let ended = fit_until_written(given_pool(2_000), &folder, 5);
    assert_eq!(ended.err(), Some(Error::Interrupted));
    for every in [5, 7] {
        let resumed =
            fit_kept(given_pool(2_000), keeping(&folder, every), &workers, &mut |_| Ok(true));
        assert!(bytes(&resumed.unwrap()) == bytes(&whole));
    }
}

#[test]
fn rounds_of_a_checkpoint_are_not_searched_for() {
    // What the learner would find is another thing now, which nobody notices.
    let folder = Folder::new("searched");
    let given = || given_mixed((BOOSTERS[0], LEARNERS[0]), 300);
    let workers = Workers::new(Some(1)).unwrap();
    fit_kept(given(), keeping(&folder, 15), &workers, &mut |_| Ok(true)).unwrap();
    let before = fs::read(folder.file()).unwrap();
    fit_kept(given(), keeping(&folder, 3), &workers, &mut |_| Ok(true)).unwrap();
    assert_eq!(
        fs::read(folder.file()).unwrap(),
        before,
        "rounds of the file are not written again"
    );
    assert_eq!(folder.names(), ["run.json"]);
}

/// What is another one about a fit.
type Change<'a> = &'a dyn Fn(&mut Given);

fn refusal(given: Given, folder: &Folder) -> Error {
    let workers = Workers::new(Some(1)).unwrap();
    fit_kept(given, keeping(folder, 2), &workers, &mut |_| Ok(true)).err().unwrap()
}

#[test]
fn checkpoints_of_other_settings_and_data_are_refused_by_name() {
    let folder = Folder::new("other");
    let given = |change: &dyn Fn(&mut Given)| {
        let mut given = given_mixed((BOOSTERS[0], LEARNERS[1]), 300);
        change(&mut given);
        given
    };
    let workers = Workers::new(Some(1)).unwrap();
    let ended = fit_kept(given(&|_| ()), keeping(&folder, 2), &workers, &mut ended_in(4));
    assert!(ended.is_err());
    let before = fs::read(folder.file()).unwrap();
    let booster = |json: &str| serde_json::from_str(json).unwrap();
    let cases: [(Change, &str); 10] = [
        (&|(_, s)| s.learning_rate = 0.5, "learning_rate=1.0, and this one has learning_rate=0.5"),
        (&|(_, s)| s.n_estimators = 16, "n_estimators=15, and this one has n_estimators=16"),
        (&|(_, s)| s.random_state = 8, "random_state=7"),
        (&|(_, s)| s.booster = booster(BOOSTERS[1]), "phi=0.5, and this one has phi=0.45"),
        (&|(_, s)| s.booster = booster(BOOSTERS[2]), "a fit with booster="),
        (
            &|(_, s)| s.estimator = serde_json::from_str(&LEARNERS[1].replace('3', "2")).unwrap(),
            "estimator__max_literals=3, and this one has estimator__max_literals=2",
        ),
        (
            &|((_, classes), _)| classes[7] = 1 - classes[7],
            "the labels y, or the order of the rows",
        ),
        (
            &|((columns, classes), _)| (*columns, *classes) = mixed(299, 3),
            "the numbers of rows, 300 there and 299 here",
        ),
        (
            &|((columns, _), _)| columns[1] = mixed(300, 4).0.swap_remove(1),
            "the values of column 'b' differ",
        ),
        (
            &|((columns, _), _)| columns[1] = numbers("d", vec![Some(1.0); 300]),
            "the names of the columns differ",
        ),
    ];
    for (change, expected) in cases {
        let error = refusal(given(change), &folder);
        let text = error.to_string();
        assert_eq!(error.kind(), ErrorKind::Value, "{text}");
        assert!(text.contains("run.json': it is of a fit") && text.contains(expected), "{text}");
    }
    // The number of threads is no setting of the model's.
    let other_threads = given(&|(_, settings)| settings.n_jobs = Some(3));
    fit_kept(other_threads, keeping(&folder, 99), &workers, &mut |_| Ok(true)).unwrap();
    assert_eq!(fs::read(folder.file()).unwrap(), before);
}

#[test]
fn damaged_files_and_those_of_other_versions_are_refused() {
    let folder = Folder::new("damaged");
    let given = || given_mixed((BOOSTERS[3], LEARNERS[2]), 300);
    let workers = Workers::new(Some(1)).unwrap();
    assert!(fit_kept(given(), keeping(&folder, 2), &workers, &mut ended_in(4)).is_err());
    let sound = fs::read_to_string(folder.file()).unwrap();
    let version = concat!("\"library\":\"", env!("CARGO_PKG_VERSION"), "\"");
    let mut damaged: Vec<(String, &str)> = vec![
        (String::new(), "it is damaged"),
        ("{}".into(), "it is damaged"),
        (sound[..sound.len() / 2].into(), "it is damaged"),
        (
            sound.replace("weakforce-checkpoint", "weakforce-model"),
            "its format is 'weakforce-model'",
        ),
        (sound.replace(version, "\"library\":\"0.0.7\""), "written by weakforce 0.0.7"),
        (sound.replacen("\"version\":1", "\"version\":2", 1), "was written by weakforce"),
        (sound.replacen("\"n_rounds\":4", "\"n_rounds\":2", 1), "its checksum is another one"),
    ];
    // Any digit that is another one.
    let digits: Vec<usize> =
        (0..sound.len()).filter(|&at| sound.as_bytes()[at].is_ascii_digit()).collect();
    for &at in digits.iter().step_by(digits.len() / 60) {
        let mut text = sound.clone().into_bytes();
        text[at] = if text[at] == b'9' { b'8' } else { text[at] + 1 };
        damaged.push((String::from_utf8(text).unwrap(), "run.json': it "));
    }
    for (text, expected) in damaged {
        fs::write(folder.file(), &text).unwrap();
        let error = refusal(given(), &folder);
        assert!(error.to_string().contains(expected), "{error}");
        assert!(matches!(error, Error::Checkpoint { .. }), "{error}");
        assert_eq!(fs::read_to_string(folder.file()).unwrap(), text, "it stays as it was");
    }
}

#[test]
fn files_that_cannot_be_kept_are_refused_before_anything_is_done() {
    let folder = Folder::new("refused");
    let given = || given_mixed((BOOSTERS[0], LEARNERS[0]), 100);
    let workers = Workers::new(Some(1)).unwrap();
    let fit_to = |path: PathBuf, every: usize| {
        let checkpoint = Some(Checkpoint { path, every });
        let storage = Storage { checkpoint, ..Storage::default() };
        fit_kept(given(), storage, &workers, &mut |_| Err(Error::internal("a round was run")))
            .err()
            .unwrap()
    };
    let error = fit_to(folder.0.join("no/run.json"), 2);
    assert_eq!(error.kind(), ErrorKind::File);
    assert!(error.to_string().starts_with("cannot write '"), "{error}");
    assert!(error.to_string().ends_with("no/run.json': No such file or directory"), "{error}");
    let error = fit_to(folder.0.clone(), 2);
    assert!(error.to_string().ends_with("it is a folder"), "{error}");
    let error = fit_to(folder.file(), 0);
    assert_eq!(error.to_string(), "parameter 'checkpoint_every': got 0, expected an integer >= 1");
    assert!(folder.names().is_empty());
}

#[test]
fn codes_in_a_file_make_the_same_model_and_leave_nothing() {
    let folder = Folder::new("codes");
    let workers = Workers::new(Some(2)).unwrap();
    let in_file = || Storage { codes_dir: Some(folder.0.clone()), ..Storage::default() };
    let mixed_ones = combinations().filter(|(_, learner)| LEARNERS.contains(learner));
    let few_bins = |combination| {
        // Rows that are merged, and picked again into the folder.
        let (rows, mut settings) = given_mixed(combination, 300);
        settings.max_bins = 3;
        (rows, settings)
    };
    for (at, combination) in mixed_ones.enumerate() {
        let given = || match at % 3 {
            0 => few_bins(combination),
            1 => {
                let (rows, mut settings) = given_mixed(combination, 600);
                settings.max_bins = 400;
                (rows, settings)
            }
            _ => given_mixed(combination, 300),
        };
        let whole = fit_kept(given(), Storage::default(), &workers, &mut |_| Ok(true)).unwrap();
        let mut seen = 0;
        let found = fit_kept(given(), in_file(), &workers, &mut |_| {
            seen += folder.names().len();
            Ok(true)
        });
        assert!(bytes(&found.unwrap()) == bytes(&whole), "{combination:?}");
        assert_eq!(seen, 0, "the file has no name");
    }
    let pool = given_pool(1_000);
    let whole = fit_kept(given_pool(1_000), Storage::default(), &workers, &mut |_| Ok(true));
    let found = fit_kept(pool, in_file(), &workers, &mut |_| Ok(true));
    assert!(bytes(&found.unwrap()) == bytes(&whole.unwrap()));
    assert!(folder.names().is_empty());
}

#[test]
fn folders_for_codes_that_cannot_be_used_are_refused() {
    let folder = Folder::new("no-codes");
    let workers = Workers::new(Some(1)).unwrap();
    let refused = |path: PathBuf, learner: &'static str| {
        let storage = Storage { codes_dir: Some(path), ..Storage::default() };
        fit_kept(given_mixed((BOOSTERS[3], learner), 100), storage, &workers, &mut |_| Ok(true))
            .err()
            .unwrap()
    };
    let error = refused(folder.0.join("missing"), LEARNERS[0]);
    assert!(error.to_string().ends_with("missing': No such file or directory"), "{error}");
    assert_eq!(error.kind(), ErrorKind::File);
    fs::write(folder.file(), "x").unwrap();
    let error = refused(folder.file(), LEARNERS[0]);
    assert!(error.to_string().ends_with("run.json': it is not a folder"), "{error}");
    let error = refused(folder.0.clone(), NUMBER_LEARNERS[0]);
    assert!(error.to_string().starts_with("parameter 'codes_dir': got '"), "{error}");
    assert!(
        error.to_string().ends_with("expected None with a learner that reads numbers (RBFNet)")
    );
}
