//! A fit of several shards goes on from its checkpoint with any number of them.

use super::super::checkpoints::{Folder, ended_in, keeping};
use super::super::problems::{
    BOOSTERS, LEARNERS, MANY_CLASSES, NO_SUMS, SOFT_BOOSTERS, settings_for,
};
use super::in_shards;
use super::rows::{Data, Kind, Weighting, bytes, fit_one, rows_of, split};
use crate::error::Result;
use crate::fit::{Fitted, fit};
use crate::prepared::Problem;
use crate::run::Observe;
use crate::settings::Settings;
use crate::workers::Workers;

/// Fits in so many shards, each with an observer of its own.
fn fit_kept<'a>(
    data: &Data,
    settings: &Settings,
    folder: &Folder,
    n_shards: usize,
    observer: impl Fn(usize) -> Box<Observe<'a>> + Sync,
) -> Vec<Result<Fitted>> {
    let splits = split(data.classes.len(), n_shards, 2 * n_shards, 7);
    in_shards(n_shards, |reduce| {
        let pieces = splits[reduce.rank()].clone();
        let mut storage = keeping(folder, 2);
        if reduce.rank() > 0 {
            // Only the first shard has the file.
            let elsewhere = folder.0.join("elsewhere/run.json");
            storage.checkpoint.as_mut().unwrap().path = elsewhere;
        }
        let problem = Problem {
            train: data.pick(&rows_of(&pieces)).labelled(Some(pieces)),
            validation: None,
            earlier: None,
            external: None,
            storage,
        };
        let workers = Workers::new(Some(1))?.with_reduce(reduce.clone());
        fit(&problem, settings, &workers, &mut *observer(reduce.rank()))
    })
}

#[test]
fn fits_go_on_with_another_number_of_shards() {
    let ways = [
        (BOOSTERS[0], "null"),
        (BOOSTERS[3], "null"),
        (NO_SUMS[1], "null"),
        (NO_SUMS[2], "null"),
        (SOFT_BOOSTERS[0], "null"),
        MANY_CLASSES[4],
        MANY_CLASSES[5],
        MANY_CLASSES[12],
    ];
    for (at, way) in ways.into_iter().enumerate() {
        let kind = Kind {
            n_rows: 300,
            n_classes: 2,
            is_coarse: at % 2 == 0,
            weights: [Weighting::None, Weighting::Whole, Weighting::Any][at % 3],
            seed: at as u64,
        };
        let data = Data::new(kind);
        let mut settings = settings_for(way, LEARNERS[[0, 2, 1][at % 3]], 9, 2);
        settings.early_stopping = at % 2 == 1;
        let whole = fit_one(&data, None, &settings).unwrap();
        let folder = Folder::new(&format!("shards-{at}"));
        for (n_shards, end) in [(3, 3), (5, 5)] {
            let ended = fit_kept(&data, &settings, &folder, n_shards, |_| Box::new(ended_in(end)));
            assert!(ended.iter().all(Result::is_err) || whole.model.history.n_rounds() < end);
        }
        for n_shards in [1, 4] {
            let resumed = fit_kept(&data, &settings, &folder, n_shards, |_| Box::new(|_| Ok(true)));
            for shard in resumed {
                let shard = shard.unwrap_or_else(|error| panic!("{way:?}: {error}"));
                assert!(bytes(&shard) == bytes(&whole), "{way:?}");
            }
        }
    }
}

#[test]
fn all_shards_name_what_is_wrong_with_the_file() {
    let kind =
        Kind { n_rows: 200, n_classes: 2, is_coarse: false, weights: Weighting::None, seed: 1 };
    let (data, folder) = (Data::new(kind), Folder::new("shards-refused"));
    let settings = settings_for((BOOSTERS[0], "null"), LEARNERS[0], 6, 2);
    let goes_on = |_| -> Box<Observe> { Box::new(|_| Ok(true)) };
    for shard in fit_kept(&data, &settings, &folder, 3, goes_on) {
        shard.unwrap();
    }
    let mut other = data.clone();
    other.b[150] = Some(40.0);
    for shard in fit_kept(&other, &settings, &folder, 3, goes_on) {
        let error = shard.err().unwrap().to_string();
        assert!(
            error.contains("it is of a fit to other data: the values of column 'b'"),
            "{error}"
        );
    }
    std::fs::write(folder.file(), "{").unwrap();
    for shard in fit_kept(&data, &settings, &folder, 2, goes_on) {
        let error = shard.err().unwrap().to_string();
        assert!(error.contains("it is damaged"), "{error}");
    }
    let missing = Folder(folder.0.join("missing"));
    for shard in fit_kept(&data, &settings, &missing, 3, goes_on) {
        let error = shard.err().unwrap().to_string();
        assert!(error.contains("missing/run.json': No such file or directory"), "{error}");
    }
}
