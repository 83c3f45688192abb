//! What is refused before rows are made ready: input that does not fit, and shards that do not fit each
//! other.

use super::{Labelled, Problem};
use crate::data::{Bins, Feature, FrameSource, Pieces, Schema, ViewKind};
use crate::error::{Error, Result};
use crate::reduce::Reduce;
use crate::settings::Settings;
use crate::storage::{check_folder, check_writable};
use crate::wire::wire_name;

/// Refuses rows that are read tile by tile for learners that want all of them at once.
pub(super) fn check_sources(problem: &Problem, view: ViewKind) -> Result<()> {
    let sources = std::iter::once(&problem.train).chain(&problem.validation);
    let is_tiled = sources.map(|rows| &rows.source).any(|s| matches!(s, FrameSource::Tiles(_)));
    if is_tiled && view != ViewKind::Codes {
        let expected =
            format!("one that reads {}, because X is not in memory", ViewKind::Codes.describe());
        let got = format!("one that reads {}", view.describe());
        return Err(Error::parameter("estimator", got, &expected));
    }
    Ok(())
}

/// Refuses files that the fit could not keep.
pub(super) fn check_storage(problem: &Problem, settings: &Settings, rank: usize) -> Result<()> {
    let view = settings.estimator.view_kind();
    if let Some(folder) = &problem.storage.codes_dir {
        if view != ViewKind::Codes {
            let got = format!("'{}'", folder.display());
            let expected = format!("None with a learner that reads {}", view.describe());
            return Err(Error::parameter("codes_dir", got, &expected));
        }
        check_folder(folder)?;
    }
    let Some(checkpoint) = &problem.storage.checkpoint else { return Ok(()) };
    if checkpoint.every == 0 {
        return Err(Error::parameter("checkpoint_every", 0, "an integer >= 1"));
    }
    if view == ViewKind::Frame {
        let expected = "None, because no file holds classifiers of other libraries";
        let got = format!("'{}'", checkpoint.path.display());
        return Err(Error::parameter("checkpoint", got, expected));
    }
    if rank == 0 { check_writable(&checkpoint.path) } else { Ok(()) }
}

/// Refuses an order along categories.
pub(super) fn check_order(schema: &Schema, signs: &[i8]) -> Result<()> {
    if !signs.is_empty() && signs.len() != schema.features.len() {
        let got = format!("{} entries", signs.len());
        let expected = format!("one for each of {} columns", schema.features.len());
        return Err(Error::parameter("monotonic_cst", got, &expected));
    }
    let is_category = |feature: &Feature| matches!(feature.bins, Bins::Categories(_));
    match schema.features.iter().zip(signs).find(|(f, sign)| **sign != 0 && is_category(f)) {
        Some((feature, sign)) => Err(Error::parameter(
            "monotonic_cst",
            format!("{sign} for column '{}'", feature.name),
            "0, because categories have no order",
        )),
        None => Ok(()),
    }
}

/// Refuses shards of which some are given what others lack: they would not ask for the same sums.
pub(super) fn check_same_extras(problem: &Problem, reduce: &dyn Reduce) -> Result<()> {
    let Labelled { weights, costs, mistrust, .. } = &problem.train;
    let validation = problem.validation.as_ref();
    let given = [
        ("sample_weight", weights.is_some()),
        ("cost", costs.is_some()),
        ("mistrust", mistrust.is_some()),
        ("checkpoint", problem.storage.checkpoint.is_some()),
        ("X_val", validation.is_some()),
        ("sample_weight_val", validation.is_some_and(|rows| rows.weights.is_some())),
        ("cost of X_val", validation.is_some_and(|rows| rows.costs.is_some())),
    ];
    let mut counts = given.map(|(_, is_given)| u64::from(is_given));
    reduce.sum_if_split(&mut counts)?;
    let n_shards = reduce.size() as u64;
    let found = counts.into_iter().zip(given).find(|(count, _)| *count > 0 && *count < n_shards);
    match found {
        Some((count, (name, _))) => Err(Error::Shape {
            what: name.into(),
            got: format!("some in {count} of {n_shards} shards"),
            expected: "some in all or in none".into(),
        }),
        None => Ok(()),
    }
}

/// Refuses shards whose frames have other columns than that of the first.
pub(super) fn check_same_columns(schema: &Schema, reduce: &dyn Reduce) -> Result<()> {
    if !reduce.is_split() {
        return Ok(());
    }
    let described = |feature: &Feature| format!("{}, {}", feature.name, wire_name(&feature.kind));
    let own: Vec<String> = schema.features.iter().map(described).collect();
    let all = reduce.gather(own.join("\n").as_bytes())?;
    let all: Vec<String> = all.iter().map(|b| String::from_utf8_lossy(b).into_owned()).collect();
    let Some(rank) = all.iter().position(|columns| *columns != all[0]) else {
        return Ok(());
    };
    let columns = &all[rank];
    let mut pairs = columns.split('\n').zip(all[0].split('\n'));
    let (got, expected) = if let Some((got, expected)) = pairs.find(|(one, other)| one != other) {
        (format!("column '{got}' in shard {rank}"), format!("'{expected}' as in shard 0"))
    } else {
        let count = |columns: &str| columns.split('\n').count();
        let than = if count(columns) > count(&all[0]) { "more" } else { "fewer" };
        (format!("{than} columns in shard {rank}"), "those of shard 0".into())
    };
    Err(Error::Shape { what: "X".into(), got, expected })
}

/// Refuses labels and the like that do not fit the rows.
pub(super) fn check_input(problem: &Problem, settings: &Settings) -> Result<()> {
    check_lengths(&problem.train, "X", "y")?;
    if let Some(given) = &problem.validation {
        check_lengths(given, "X_val", "y_val")?;
    }
    check_mistrust(&problem.train, settings)
}

fn check_lengths(labelled: &Labelled, x: &str, y: &str) -> Result<()> {
    let (rows, labels) = (labelled.source.n_rows(), labelled.classes.len());
    if labels != rows {
        return Err(Error::Shape {
            what: y.into(),
            got: format!("{labels} labels"),
            expected: format!("one for each of {rows} rows of {x}"),
        });
    }
    Ok(())
}

/// Refuses shards that have no rows at all.
pub(super) fn check_any_rows(pieces: &Pieces, x: &str) -> Result<()> {
    if pieces.n_all() > 0 {
        return Ok(());
    }
    Err(Error::Shape { what: x.into(), got: "0 rows".into(), expected: "at least 1 row".into() })
}

/// Refuses mistrust that is no number for each row, and mistrust that nobody would heed.
fn check_mistrust(train: &Labelled, settings: &Settings) -> Result<()> {
    let Some(mistrust) = &train.mistrust else { return Ok(()) };
    let refuse = |got: String, expected: &str| Err(Error::parameter("mistrust", got, expected));
    if !settings.booster.takes_mistrust() {
        return refuse("a number for each row".into(), "None, because this booster takes none");
    }
    let n_rows = train.source.n_rows();
    if mistrust.len() != n_rows {
        let got = format!("{} numbers", mistrust.len());
        return refuse(got, &format!("one for each of {n_rows} rows"));
    }
    match mistrust.iter().position(|zeta| !(zeta.is_finite() && *zeta >= 0.0)) {
        Some(row) => refuse(format!("{} for row {row}", mistrust[row]), "finite numbers >= 0"),
        None => Ok(()),
    }
}
