//! Python's door: the module `weakforce._core`.
//!
//! In: Arrow streams, NumPy arrays and settings as JSON. Out: a `Model` and NumPy arrays. `frame`
//! turns objects into tables, `guard` releases the GIL, watches for Ctrl-C and maps errors; the
//! rest is thin.

mod frame;
mod guard;
mod model;

use numpy::{PyArray1, PyReadonlyArray1, ToPyArray};
use pyo3::prelude::*;

use crate::error::Error;
use crate::fit::{Labelled, Problem, Round, fit as fit_model};
use crate::settings::Settings;
use crate::workers::Workers;
use frame::Frame;
use guard::{raise, run_observed};
use model::{Model, StagedScores};

/// X, class codes and weights.
type LabelledInput<'py> =
    (Frame<'py>, PyReadonlyArray1<'py, u32>, Option<PyReadonlyArray1<'py, f64>>);

/// The model, the row weights, and the seconds spent on binning and on boosting.
type FitOutput<'py> = (Model, Bound<'py, PyArray1<f64>>, (f64, f64));

fn labelled<'a>(input: &'a LabelledInput) -> Result<Labelled<'a>, Error> {
    let (frame, classes, weights) = input;
    Ok(Labelled {
        table: frame.table()?,
        classes: classes.as_array().to_vec(),
        weights: weights.as_ref().map(|w| w.as_array().to_vec()),
    })
}

/// Fits a model. `observer` is called with (round, edge, error, weight, train score, validation
/// score) and returns whether to go on.
#[pyfunction]
#[pyo3(signature = (settings, train, validation=None, earlier=None, observer=None))]
fn fit<'py>(
    py: Python<'py>,
    settings: &str,
    train: LabelledInput<'py>,
    validation: Option<LabelledInput<'py>>,
    earlier: Option<&Model>,
    observer: Option<Bound<'py, PyAny>>,
) -> PyResult<FitOutput<'py>> {
    let settings = Settings::from_json(settings).map_err(raise)?;
    let workers = Workers::new(settings.n_jobs).map_err(raise)?;
    let problem = Problem {
        train: labelled(&train).map_err(raise)?,
        validation: validation.as_ref().map(labelled).transpose().map_err(raise)?,
        earlier: earlier.map(Model::core),
    };
    let observer = observer.map(|observer| {
        move |round: &Round| -> PyResult<bool> {
            let values = (
                round.round,
                round.edge,
                round.error,
                round.weight,
                round.train_score,
                round.validation_score,
            );
            observer.call1(values)?.extract()
        }
    });
    let fitted = run_observed(py, &workers, observer, |observe| {
        fit_model(&problem, &settings, &workers, observe)
    })?;
    let row_weights = fitted.row_weights.to_pyarray(py);
    let seconds = (fitted.binning.as_secs_f64(), fitted.boosting.as_secs_f64());
    Ok((Model::new(fitted.model), row_weights, seconds))
}

/// The compiled core of weakforce.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Model>()?;
    module.add_class::<StagedScores>()?;
    module.add_function(wrap_pyfunction!(fit, module)?)
}
