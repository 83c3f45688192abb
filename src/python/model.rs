//! The fitted model as a Python class, and the iterator over its rounds.
//!
//! In: frames. Out: NumPy arrays, JSON, and descriptions of single hypotheses.

use std::path::PathBuf;
use std::sync::Arc;

use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;

use super::frame::Frame;
use super::guard::{catch, raise, run};
use crate::data::{Bins, Feature};
use crate::error::Error;
use crate::hypothesis::{Hypothesis, Stump, Test};
use crate::model::{Model as CoreModel, Staged, write_atomically};
use crate::workers::Workers;

/// A fitted model.
#[pyclass(module = "weakforce._core", frozen)]
pub(super) struct Model {
    core: Arc<CoreModel>,
}

impl Model {
    pub(super) fn new(core: CoreModel) -> Self {
        Self { core: Arc::new(core) }
    }

    pub(super) fn core(&self) -> &CoreModel {
        &self.core
    }

    fn json(&self, estimator: &str) -> PyResult<Vec<u8>> {
        let estimator: Value = serde_json::from_str(estimator)
            .map_err(|e| raise(Error::internal(format!("estimator description: {e}"))))?;
        self.core.to_json(estimator).map_err(raise)
    }
}

#[pymethods]
impl Model {
    /// H(x) for every row of X.
    fn decision_function<'py>(
        &self,
        py: Python<'py>,
        frame: Frame<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let workers = Workers::new(n_jobs).map_err(raise)?;
        let table = frame.table().map_err(raise)?;
        let scores = run(py, &workers, || self.core.decision_function(&table, &workers))?;
        Ok(scores.to_pyarray(py))
    }

    /// An iterator over H(x) after each round.
    fn staged<'py>(
        &self,
        py: Python<'py>,
        frame: Frame<'py>,
        n_jobs: Option<i64>,
    ) -> PyResult<StagedScores> {
        let workers = Workers::new(n_jobs).map_err(raise)?;
        let table = frame.table().map_err(raise)?;
        let staged = run(py, &workers, || self.core.staged(&table, &workers))?;
        Ok(StagedScores { staged, workers })
    }

    /// The model as JSON; `estimator` is a JSON text that comes back on reading.
    fn to_json<'py>(&self, py: Python<'py>, estimator: &str) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.json(estimator)?))
    }

    /// Writes the JSON to a file, all of it or nothing.
    fn save(&self, py: Python<'_>, path: PathBuf, estimator: &str) -> PyResult<()> {
        let bytes = self.json(estimator)?;
        py.detach(|| write_atomically(&path, &bytes))?;
        Ok(())
    }

    /// Reads JSON; returns the model and the estimator's JSON text.
    #[staticmethod]
    fn from_json(json: &[u8]) -> PyResult<(Self, String)> {
        catch(|| {
            let (core, estimator) = CoreModel::from_json(json).map_err(raise)?;
            Ok((Self::new(core), estimator.to_string()))
        })
    }

    /// A description of the hypothesis of one round.
    fn hypothesis<'py>(&self, py: Python<'py>, round: usize) -> PyResult<Bound<'py, PyDict>> {
        let hypotheses = &self.core.hypotheses;
        let Hypothesis::Stump(stump) = hypotheses.get(round).ok_or_else(|| {
            PyIndexError::new_err(format!("round {round}, expected below {}", hypotheses.len()))
        })?;
        describe(py, stump, &self.core.features[stump.column])
    }

    /// The number of rounds.
    #[getter]
    fn n_rounds(&self) -> usize {
        self.core.hypotheses.len()
    }

    /// The names of the columns, or `None` if they had none.
    #[getter]
    fn feature_names(&self) -> Option<Vec<&str>> {
        let names = || self.core.features.iter().map(|f| f.name.as_str()).collect();
        self.core.named.then(names)
    }

    /// The number of columns.
    #[getter]
    fn n_features(&self) -> usize {
        self.core.features.len()
    }

    /// Why the run ended.
    #[getter]
    fn stop_reason(&self) -> String {
        serde_json::to_value(self.core.stop_reason)
            .ok()
            .and_then(|value| value.as_str().map(str::to_owned))
            .unwrap_or_default()
    }

    /// α by round.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.weights.to_pyarray(py)
    }

    /// Edges by round.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.edges.to_pyarray(py)
    }

    /// Weighted errors by round.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.errors.to_pyarray(py)
    }

    /// Training scores by round.
    #[getter]
    fn train_scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.train_scores.to_pyarray(py)
    }

    /// Validation scores by round; empty without validation rows.
    #[getter]
    fn validation_scores<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.validation_scores.to_pyarray(py)
    }

    /// Share of Σ|α| by column.
    #[getter]
    fn importances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.importances().to_pyarray(py)
    }
}

fn describe<'py>(
    py: Python<'py>,
    stump: &Stump,
    feature: &Feature,
) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("kind", "stump")?;
    dict.set_item("column", stump.column)?;
    dict.set_item("name", &feature.name)?;
    dict.set_item("column_kind", format!("{:?}", feature.kind).to_lowercase())?;
    dict.set_item("missing_inside", stump.missing_inside)?;
    dict.set_item("inside", stump.inside)?;
    dict.set_item("outside", stump.outside)?;
    match (&stump.test, &feature.bins) {
        (Test::AtMost(cut), Bins::Numbers(bins)) => {
            dict.set_item("threshold", bins.cuts.get(usize::from(*cut)))?;
        }
        (Test::OneOf(codes), Bins::Categories(bins)) => {
            let names: Vec<&str> =
                codes.iter().flat_map(|&code| bins.names(usize::from(code))).collect();
            dict.set_item("categories", names)?;
        }
        _ => return Err(raise(Error::internal("a stump's test does not fit its column"))),
    }
    Ok(dict)
}

/// Scores round by round.
#[pyclass(module = "weakforce._core")]
pub(super) struct StagedScores {
    staged: Staged,
    workers: Workers,
}

#[pymethods]
impl StagedScores {
    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<f64>>>> {
        let Self { staged, workers } = self;
        let scores = py.detach(|| staged.advance(workers)).map_err(raise)?;
        Ok(scores.map(|scores| scores.to_pyarray(py)))
    }
}
