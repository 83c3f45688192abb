//! The fitted model as a Python class, and the iterator over its rounds.
//!
//! In: frames. Out: NumPy arrays, JSON, and descriptions of single hypotheses.

use std::sync::Arc;

use ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2, ToPyArray};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde_json::Value;

use super::arrays::{by_row, code_matrix, scores_by_bucket};
use super::describe::{describe, describe_feature};
use super::external::FrameView;
use super::frame::Frame;
use super::guard::{Caller, catch, run, run_sized, to_py_err};
use super::numbers::Numbers;
use super::staged::StagedScores;
use crate::combiner::{Buckets, Decoding};
use crate::data::{ExternalObject, ExternalRows, Table, ViewKind};
use crate::error::Error;
use crate::hypothesis::Hypothesis;
use crate::model::{Given, Model as CoreModel, Orders, StepFunctions};
use crate::wire::wire_name;
use crate::workers::Workers;

/// Rows to be scored.
fn given<'a>(table: Table<'a>, view: Option<Py<PyAny>>, caller: &Caller) -> Given<'a> {
    let n_rows = table.n_rows();
    let external = view.map(|view| -> Arc<dyn ExternalRows> {
        Arc::new(FrameView::new(view, n_rows, caller.clone()))
    });
    Given { table, external }
}

/// What columns contribute, the bias of every score, and the number of rows.
type Contributed<'py> =
    (Vec<Option<Numbers>>, Bound<'py, PyArray1<f64>>, Option<ContributedErrors<'py>>, usize);

/// Standard errors of contributions by column, and that of the bias.
type ContributedErrors<'py> = (Vec<Option<Numbers>>, Bound<'py, PyArray1<f64>>);

/// Sums by column, output and code, and the hypotheses that are not in them.
type StepArrays<'py> = (Vec<Option<Bound<'py, PyAny>>>, Vec<usize>);

/// A fitted model.
#[pyclass(module = "weakforce._core", frozen)]
pub(super) struct Model {
    core: Arc<CoreModel>,
}

impl Model {
    pub(super) fn new(core: CoreModel) -> Self {
        Self { core: Arc::new(core) }
    }

    pub(super) fn core(&self) -> &Arc<CoreModel> {
        &self.core
    }

    /// About how many steps it takes to score rows.
    fn n_steps(&self, table: &Table) -> usize {
        let width = self.core.schema.features.len() + self.core.members.len();
        table.n_rows().saturating_mul(width)
    }

    fn json(&self, estimator: &str) -> PyResult<Vec<u8>> {
        let estimator: Value = serde_json::from_str(estimator)
            .map_err(|e| to_py_err(Error::internal(format!("estimator description: {e}"))))?;
        self.core.to_json(estimator).map_err(to_py_err)
    }
}

#[pymethods]
impl Model {
    /// H(x) for every row of X, or a score for every class; `view` is the same rows for classifiers
    /// of the caller's.
    #[pyo3(signature = (frame, n_jobs, view=None))]
    fn decision_function<'py>(
        &self,
        py: Python<'py>,
        frame: Frame<'py>,
        n_jobs: Option<i64>,
        view: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let workers = Workers::new(n_jobs).map_err(to_py_err)?;
        let table = frame.table().map_err(to_py_err)?;
        let scores = run_sized(py, &workers, self.n_steps(&table), |caller| {
            let given = given(table, view, caller);
            self.core.decision_function(&given, &workers)
        })?;
        by_row(py, scores, self.core.combiner.n_scores())
    }

    /// An iterator over the same after each round.
    #[pyo3(signature = (frame, n_jobs, view=None))]
    fn staged<'py>(
        &self,
        py: Python<'py>,
        frame: Frame<'py>,
        n_jobs: Option<i64>,
        view: Option<Py<PyAny>>,
    ) -> PyResult<StagedScores> {
        let workers = Workers::new(n_jobs).map_err(to_py_err)?;
        let table = frame.table().map_err(to_py_err)?;
        // The rounds will be walked on the caller's own thread.
        let raised = Arc::default();
        let given = given(table, view, &Caller::Present(Arc::clone(&raised)));
        let n_steps = self.n_steps(&given.table);
        let staged = run_sized(py, &workers, n_steps, |_| self.core.staged(&given, &workers))?;
        let n_scores = self.core.combiner.n_scores();
        Ok(StagedScores { staged, workers, raised, n_scores })
    }

    /// What every column contributes to the scores, row after row and score by score, or `None` if
    /// no hypothesis tests it; the bias of every score; their standard errors, if they are estimated
    /// from so many pairs of orders that are drawn from a seed (`orders`); and the number of rows.
    fn contributions<'py>(
        &self,
        py: Python<'py>,
        frame: Frame<'py>,
        n_jobs: Option<i64>,
        orders: (usize, u64),
    ) -> PyResult<Contributed<'py>> {
        let workers = Workers::new(n_jobs).map_err(to_py_err)?;
        let table = frame.table().map_err(to_py_err)?;
        let n_rows = table.n_rows();
        let orders = Orders { n_pairs: orders.0, seed: orders.1 };
        let found = run(py, &workers, |_| self.core.contributions(&table, &orders, &workers))?;
        let columns = |by_column: Vec<Option<Vec<f64>>>| {
            by_column.into_iter().map(|numbers| numbers.map(Numbers::new)).collect()
        };
        let errors = found.errors.map(|of| (columns(of.by_column), of.bias.to_pyarray(py)));
        Ok((columns(found.by_column), found.bias.to_pyarray(py), errors, n_rows))
    }

    /// The model as JSON; `estimator` is a JSON text that comes back on reading.
    fn to_json<'py>(&self, py: Python<'py>, estimator: &str) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.json(estimator)?))
    }

    /// Reads JSON; returns the model and the estimator's JSON text. Classifiers of the caller's are
    /// not part of it and are brought back here.
    #[staticmethod]
    #[pyo3(signature = (json, externals=None))]
    fn from_json(json: &[u8], externals: Option<Vec<Py<PyAny>>>) -> PyResult<(Self, String)> {
        let externals = externals.unwrap_or_default().into_iter();
        let externals: Vec<ExternalObject> =
            externals.map(|object| -> ExternalObject { Arc::new(object) }).collect();
        catch(|| {
            let (core, estimator) = CoreModel::from_json(json, &externals).map_err(to_py_err)?;
            Ok((Self::new(core), estimator.to_string()))
        })
    }

    /// A description of a hypothesis, or the caller's classifier itself.
    fn hypothesis<'py>(&self, py: Python<'py>, member: usize) -> PyResult<Bound<'py, PyAny>> {
        let members = &self.core.members;
        let member = members.get(member).ok_or_else(|| {
            PyIndexError::new_err(format!("hypothesis {member}, expected below {}", members.len()))
        })?;
        describe(py, &member.hypothesis, &self.core.schema)
    }

    /// The caller's classifiers, in order.
    #[getter]
    fn externals<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let hypotheses = self.core.members.iter().map(|member| &member.hypothesis);
        let external =
            hypotheses.filter(|hypothesis| matches!(hypothesis, Hypothesis::External(_)));
        external.map(|hypothesis| describe(py, hypothesis, &self.core.schema)).collect()
    }

    /// Whether the hypotheses are classifiers of the caller's.
    #[getter]
    fn is_external(&self) -> bool {
        self.core.schema.view == ViewKind::Frame
    }

    /// The number of rounds.
    #[getter]
    fn n_rounds(&self) -> usize {
        self.core.history.n_rounds()
    }

    /// The number of classes.
    #[getter]
    fn n_classes(&self) -> usize {
        self.core.combiner.n_classes()
    }

    /// How hypotheses make a score: the name of the combiner, as in files.
    #[getter]
    fn combiner(&self) -> &'static str {
        self.core.combiner.name()
    }

    /// Whether scores are sums of weighted answers.
    #[getter]
    fn is_sum(&self) -> bool {
        self.core.combiner.scores_are_sums()
    }

    /// The number of outputs: one whose sign decides, or one for each class or problem.
    #[getter]
    fn n_outputs(&self) -> usize {
        self.core.combiner.n_outputs()
    }

    /// The number of outputs, or of grids, each of which has as many of them.
    #[getter]
    fn n_problems(&self) -> usize {
        self.core.combiner.n_problems()
    }

    /// The share of the training weight that reaches each node of a grid, by layer and output;
    /// `None` for other models.
    #[getter]
    fn node_masses<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let combiner = &self.core.combiner;
        let Some(grid) = combiner.grid() else { return Ok(None) };
        let of_layer =
            |layer| (0..combiner.n_outputs()).map(move |output| grid.mass(layer, output));
        let masses = (0..grid.layers.len()).flat_map(of_layer).collect();
        by_row(py, masses, combiner.n_outputs()).map(Some)
    }

    /// The number of hypotheses.
    #[getter]
    fn n_members(&self) -> usize {
        self.core.members.len()
    }

    /// The round of each hypothesis.
    #[getter]
    fn member_rounds<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let rounds = self.core.members.iter().map(|member| member.round as u32);
        rounds.collect::<Vec<_>>().to_pyarray(py)
    }

    /// The output that each hypothesis adds to, or 0 if it adds to all.
    #[getter]
    fn member_outputs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let outputs = self.core.members.iter().map(|member| member.output as u32);
        outputs.collect::<Vec<_>>().to_pyarray(py)
    }

    /// The code matrix by class and output, if there is one.
    #[getter]
    fn code<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i8>>>> {
        self.core.combiner.code().map(|code| code_matrix(py, code)).transpose()
    }

    /// Whether there is a code matrix, and whether it is that of all pairs of classes in order.
    #[getter]
    fn code_kind(&self) -> Option<&'static str> {
        let code = self.core.combiner.code()?;
        Some(if code.is_all_pairs() { "one_vs_one" } else { "matrix" })
    }

    /// How two-class problems make the scores of classes, if they do: the name of the decoding.
    #[getter]
    fn decoding(&self) -> Option<&'static str> {
        self.core.combiner.decoding().map(Decoding::name)
    }

    /// What is known of each bucket of a symmetric function: scores, the loss by round, and the
    /// training weight and rows by bucket and class. One for all classes or one for each problem;
    /// none for other models.
    #[getter]
    fn tables<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let described = |table: &Buckets| {
            let by_class = |numbers: Vec<f64>| by_row(py, numbers, table.n_classes);
            let counts = table.counts.iter().map(|&n| n as f64).collect();
            let by_name = PyDict::new(py);
            by_name.set_item("scores", scores_by_bucket(py, table, usize::MAX)?)?;
            by_name.set_item("losses", table.losses.to_pyarray(py))?;
            by_name.set_item("weights", by_class(table.weights.clone())?)?;
            by_name.set_item("counts", by_class(counts)?)?;
            Ok(by_name)
        };
        self.core.combiner.all_tables().iter().map(described).collect()
    }

    /// The scores of the buckets after so many rounds, by table.
    fn bucket_scores<'py>(
        &self,
        py: Python<'py>,
        n_rounds: usize,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let tables = self.core.combiner.all_tables().iter();
        tables.map(|table| scores_by_bucket(py, table, n_rounds)).collect()
    }

    /// What hypotheses that test one column add, by column: a number for each output and code, or
    /// `None` where there is nothing; and the numbers of all other hypotheses.
    fn step_functions<'py>(&self, py: Python<'py>) -> PyResult<StepArrays<'py>> {
        let StepFunctions { by_column, others } = self.core.step_functions();
        let array = |sums: Vec<Vec<f64>>| {
            let shape = (sums.len(), sums.first().map_or(0, Vec::len));
            let array = Array2::from_shape_vec(shape, sums.concat())
                .map_err(|e| to_py_err(Error::internal(format!("sums by code: {e}"))))?;
            Ok(array.into_pyarray(py).into_any())
        };
        let by_column = by_column.into_iter().map(|sums| sums.map(array).transpose());
        Ok((by_column.collect::<PyResult<_>>()?, others))
    }

    /// Whether a program has replaced the weights of the rounds.
    #[getter]
    fn is_reweighted(&self) -> bool {
        !self.core.history.boosted.is_empty()
    }

    /// The names of the columns, or `None` if they had none.
    #[getter]
    fn feature_names(&self) -> Option<Vec<&str>> {
        let names = || self.core.schema.features.iter().map(|f| f.name.as_str()).collect();
        self.core.schema.named.then(names)
    }

    /// What is known of each column: its name, its kind, its cuts or the categories of each code,
    /// and the training rows by code (the last one is that of missing values), if it is tested.
    #[getter]
    fn features<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.core.schema.features.iter().map(|feature| describe_feature(py, feature)).collect()
    }

    /// The number of columns.
    #[getter]
    fn n_features(&self) -> usize {
        self.core.schema.features.len()
    }

    /// Why the run ended.
    #[getter]
    fn stop_reason(&self) -> String {
        wire_name(&self.core.stop_reason)
    }

    /// α by round, or by round and output.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        by_row(py, self.core.history.weights.clone(), self.core.history.n_weights())
    }

    /// Edges, likewise.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        by_row(py, self.core.history.edges.clone(), self.core.history.n_weights())
    }

    /// Weighted errors, likewise.
    #[getter]
    fn errors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        by_row(py, self.core.history.errors.clone(), self.core.history.n_weights())
    }

    /// Expected costs for training rows by round; empty if answers have no price.
    #[getter]
    fn expected_costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.train_costs.to_pyarray(py)
    }

    /// The same for validation rows; empty without them.
    #[getter]
    fn validation_costs<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.history.validation_costs.to_pyarray(py)
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

    /// The share of each column in the variance of answers that splits of trees explain.
    fn explained<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.core.explained().to_pyarray(py)
    }
}
