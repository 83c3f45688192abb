//! Python's door: the module `weakforce._core`.
//!
//! In: Arrow streams, NumPy arrays and settings as JSON. Out: a `Model` and NumPy arrays. `frame`
//! turns objects into tables, `guard` releases the GIL, watches for Ctrl-C and maps errors; the
//! rest is thin.

mod arrays;
mod describe;
mod external;
mod frame;
mod guard;
mod model;
mod numbers;
mod parquet;
mod reducer;
mod staged;
mod tiles;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, ToPyArray};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::booster::{BoosterSettings, Capabilities, RunReport};
use crate::data::{ExternalFrames, FrameSource};
use crate::error::Error;
use crate::fit::{fit as fit_model, reweight as reweight_model};
use crate::memory::{self, Need};
use crate::prepared::{Labelled, Problem};
use crate::run::Round;
use crate::settings::Settings;
use crate::storage::{Checkpoint, Storage};
use crate::workers::Workers;
use external::Frames;
use frame::Frame;
use guard::{Caller, run, run_sized, silence_panics, to_py_err};
use model::Model;
use numbers::Numbers;
use parquet::{ParquetScores, keep_freed_memory, parquet_fault, parquet_group_rows};
use reducer::Reducer;
use staged::StagedScores;
use tiles::FrameTiles;

/// X, class codes, weights, what answers cost by row and class, and how much rows are mistrusted.
type LabelledInput<'py> = (
    Frame<'py>,
    PyReadonlyArray1<'py, u32>,
    Option<PyReadonlyArray1<'py, f64>>,
    Option<PyReadonlyArray2<'py, f64>>,
    Option<PyReadonlyArray1<'py, f64>>,
);

/// The model, the row weights, what else there is to tell by output, and the seconds spent on
/// binning and on boosting.
type FitOutput<'py> = (Model, Bound<'py, PyArray1<f64>>, Vec<Bound<'py, PyDict>>, (f64, f64));

fn labelled<'a>(
    input: &'a LabelledInput,
    pieces: Option<Vec<(u64, u64)>>,
) -> Result<Labelled<'a>, Error> {
    let (frame, classes, weights, costs, mistrust) = input;
    Ok(Labelled {
        source: frame.source()?,
        classes: classes.as_slice().map_or_else(|_| classes.as_array().to_vec().into(), Cow::from),
        weights: weights.as_ref().map(|w| w.as_array().to_vec()),
        costs: costs.as_ref().map(|costs| costs.as_array().iter().copied().collect()),
        mistrust: mistrust.as_ref().map(|mistrust| mistrust.as_array().to_vec()),
        pieces,
    })
}

/// Fits a model. `observer` is called with (round, edge, error, weight, train score, validation
/// score) and returns whether to go on; `external` hands out the rows for a classifier of the
/// caller's; `reducer` is the way to the processes that hold other rows of the same fit; `checkpoint`
/// is a file from which a fit that was ended goes on, and after how many rounds it is written anew;
/// `codes_dir` a folder for codes that are more than memory holds.
#[pyfunction]
#[pyo3(signature = (
    settings, train, validation=None, earlier=None, observer=None, external=None, reducer=None,
    checkpoint=None, codes_dir=None
))]
#[allow(clippy::too_many_arguments)] // Python's, by name
fn fit<'py>(
    py: Python<'py>,
    settings: &str,
    train: LabelledInput<'py>,
    validation: Option<LabelledInput<'py>>,
    earlier: Option<&Model>,
    observer: Option<Py<PyAny>>,
    external: Option<Py<PyAny>>,
    reducer: Option<Reducer>,
    checkpoint: Option<(PathBuf, usize)>,
    codes_dir: Option<PathBuf>,
) -> PyResult<FitOutput<'py>> {
    let settings = Settings::from_json(settings).map_err(to_py_err)?;
    let workers = Workers::new(settings.n_jobs).map_err(to_py_err)?;
    let frames_given = std::iter::once(&train).chain(&validation).map(|input| &input.0);
    let tiles: Vec<Arc<FrameTiles>> = frames_given.filter_map(Frame::tiles).collect();
    let pieces = reducer.as_ref().map(Reducer::pieces);
    let train = labelled(&train, pieces).map_err(to_py_err)?;
    let pieces = || reducer.as_ref().map(Reducer::validation_pieces);
    let validation = validation.as_ref().map(|input| labelled(input, pieces()));
    let validation = validation.transpose().map_err(to_py_err)?;
    let earlier = earlier.map(|model| &**model.core());
    let checkpoint = checkpoint.map(|(path, every)| Checkpoint { path, every });
    let storage = Storage { checkpoint, codes_dir };
    let (observer, external) = (observer.map(Arc::new), external.map(Arc::new));
    let fitted = run_sized(py, &workers, fit_steps(&settings, &train), |caller| {
        for tiles in &tiles {
            tiles.read_through(caller);
        }
        let sharded = reducer.as_ref().map(|reducer| workers.with_reduce(reducer.through(caller)));
        let workers = sharded.as_ref().unwrap_or(&workers);
        let external = frames(external, caller);
        let problem = Problem { train, validation, earlier, external, storage };
        let mut observe = |round: &Round| match &observer {
            None => Ok(true),
            Some(observer) => {
                let (observer, round) = (observer.clone(), *round);
                caller.ask(move |py| show(py, &observer, &round))
            }
        };
        fit_model(&problem, &settings, workers, &mut observe)
    })?;
    let row_weights = fitted.row_weights.to_pyarray(py);
    let seconds = (fitted.binning.as_secs_f64(), fitted.boosting.as_secs_f64());
    let reports = fitted.reports.iter().map(|report| report_to_dict(py, report));
    let reports = reports.collect::<PyResult<Vec<_>>>()?;
    Ok((Model::new(fitted.model), row_weights, reports, seconds))
}

/// Gives the hypotheses of a model the weights that solve the program of the settings; returns the
/// new model and what there is to tell by output.
#[pyfunction]
#[pyo3(signature = (settings, rows, model, external=None))]
fn reweight<'py>(
    py: Python<'py>,
    settings: &str,
    rows: LabelledInput<'py>,
    model: &Model,
    external: Option<Py<PyAny>>,
) -> PyResult<(Model, Vec<Bound<'py, PyDict>>)> {
    let settings = Settings::from_json(settings).map_err(to_py_err)?;
    let workers = Workers::new(settings.n_jobs).map_err(to_py_err)?;
    let tiles = rows.0.tiles();
    let train = labelled(&rows, None).map_err(to_py_err)?;
    let (earlier, external) = (Some(&**model.core()), external.map(Arc::new));
    let (model, reports) = run(py, &workers, |caller| {
        if let Some(tiles) = &tiles {
            tiles.read_through(caller);
        }
        let external = frames(external, caller);
        let problem =
            Problem { train, validation: None, earlier, external, storage: Storage::default() };
        reweight_model(&problem, &settings, &workers)
    })?;
    let reports = reports.iter().map(|report| report_to_dict(py, report));
    Ok((Model::new(model), reports.collect::<PyResult<Vec<_>>>()?))
}

/// About how many steps a fit takes: cells times rounds, or very many where rounds do not say it.
fn fit_steps(settings: &Settings, train: &Labelled) -> usize {
    let in_rounds = settings.n_estimators > 0 && settings.pool.is_none();
    if !in_rounds || settings.program.is_some() || matches!(train.source, FrameSource::Tiles(_)) {
        return usize::MAX;
    }
    let cells = train.source.n_rows().saturating_mul(train.source.n_columns());
    cells.saturating_mul(settings.n_estimators)
}

/// The rows for a classifier of the caller's.
fn frames(external: Option<Arc<Py<PyAny>>>, caller: &Caller) -> Option<Box<dyn ExternalFrames>> {
    external
        .map(|object| -> Box<dyn ExternalFrames> { Box::new(Frames::new(object, caller.clone())) })
}

/// What a booster tells of a run, by name.
fn report_to_dict<'py>(py: Python<'py>, report: &RunReport) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for (name, numbers) in report.numbers.iter().chain(&report.rows).chain(&report.shares) {
        values.set_item(name, numbers.to_pyarray(py))?;
    }
    Ok(values)
}

/// Shows a round to the observer; its answer is whether to go on.
fn show(py: Python<'_>, observer: &Py<PyAny>, round: &Round) -> PyResult<bool> {
    let values = (
        round.round,
        round.edge,
        round.error,
        round.weight,
        round.train_score,
        round.validation_score,
    );
    observer.call1(py, values)?.extract(py)
}

/// What every booster can do, by its name in settings: a JSON text.
#[pyfunction]
fn booster_capabilities() -> PyResult<String> {
    let all: BTreeMap<&str, Capabilities> = BoosterSettings::all().into();
    serde_json::to_string(&all)
        .map_err(|e| to_py_err(Error::internal(format!("capabilities as JSON: {e}"))))
}

/// Refuses what does not fit into the memory that is available.
#[pyfunction]
fn check_memory(what: &str, n_bytes: u128) -> PyResult<()> {
    memory::check(&[Need { what, bytes: n_bytes }]).map_err(to_py_err)
}

/// The compiled core of weakforce.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    silence_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Model>()?;
    module.add_class::<Numbers>()?;
    module.add_class::<ParquetScores>()?;
    module.add_class::<StagedScores>()?;
    module.add_function(wrap_pyfunction!(keep_freed_memory, module)?)?;
    module.add_function(wrap_pyfunction!(parquet_fault, module)?)?;
    module.add_function(wrap_pyfunction!(parquet_group_rows, module)?)?;
    module.add_function(wrap_pyfunction!(booster_capabilities, module)?)?;
    module.add_function(wrap_pyfunction!(check_memory, module)?)?;
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(reweight, module)?)
}
