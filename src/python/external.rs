//! Learners and frames that live in Python: scikit-learn classifiers and the rows they are shown.
//!
//! In: weights and rows. Out: fitted classifiers and their answers. Every call happens on the thread
//! that called for the fit or the prediction.

use std::sync::Arc;

use numpy::{PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::guard::Caller;
use crate::data::{
    ABSENT, ExternalDemand, ExternalFrames, ExternalObject, ExternalQuestion, ExternalRows,
};
use crate::error::{Error, Result};
use crate::wire::wire_name;

/// An object with `view(rows, validation)`.
pub(super) struct Frames {
    object: Arc<Py<PyAny>>,
    caller: Caller,
}

impl Frames {
    pub(super) fn new(object: Arc<Py<PyAny>>, caller: Caller) -> Self {
        Self { object, caller }
    }
}

impl ExternalFrames for Frames {
    fn rows(&self, places: &[u32], of_validation: bool) -> Result<Arc<dyn ExternalRows>> {
        let taking_part = places.iter().enumerate().filter(|(_, place)| **place != ABSENT);
        let rows: Vec<i64> = taking_part.map(|(row, _)| row as i64).collect();
        let n_rows = rows.len();
        let object = self.object.clone();
        let view = self
            .caller
            .ask(move |py| object.call_method1(py, "view", (rows.to_pyarray(py), of_validation)))?;
        Ok(Arc::new(FrameView { view: Arc::new(view), n_rows, caller: self.caller.clone() }))
    }
}

/// An object with `fit(weights, round, targets)` and `answers(classifier, asked)`.
pub(super) struct FrameView {
    view: Arc<Py<PyAny>>,
    n_rows: usize,
    caller: Caller,
}

impl FrameView {
    pub(super) fn new(view: Py<PyAny>, n_rows: usize, caller: Caller) -> Self {
        Self { view: Arc::new(view), n_rows, caller }
    }
}

impl ExternalRows for FrameView {
    fn fit(&self, demand: ExternalDemand) -> Result<ExternalObject> {
        let view = self.view.clone();
        let classifier = self.caller.ask(move |py| {
            let targets = demand.targets.map(|targets| targets.to_pyarray(py));
            let demand = (demand.weights.to_pyarray(py), demand.round, targets);
            view.call_method1(py, "fit", demand)
        })?;
        Ok(Arc::new(classifier))
    }

    fn answer(&self, hypothesis: &ExternalObject, asked: ExternalQuestion) -> Result<Vec<f64>> {
        let Ok(classifier) = hypothesis.clone().downcast::<Py<PyAny>>() else {
            return Err(Error::internal("an external hypothesis that is not a Python object"));
        };
        let (view, n_rows) = (self.view.clone(), self.n_rows);
        self.caller.ask(move |py| {
            let asked_for = wire_name(&asked);
            let answers = view.call_method1(py, "answers", (classifier.bind(py), asked_for))?;
            let answers: PyReadonlyArray1<f64> = answers.extract(py)?;
            let answers = answers.as_array().to_vec();
            // Class numbers are looked up by the caller, who knows how many there are.
            let limit = if asked == ExternalQuestion::Class { f64::INFINITY } else { 1.0 };
            let bad = answers.iter().find(|answer| answer.is_nan() || answer.abs() > limit);
            if answers.len() == n_rows && bad.is_none() {
                return Ok(answers);
            }
            let got = match bad {
                Some(answer) => format!("the answer {answer}"),
                None => format!("{} answers", answers.len()),
            };
            let expected = format!("{n_rows} numbers from -1 to 1");
            Err(PyValueError::new_err(format!("estimator: got {got}, expected {expected}")))
        })
    }
}
