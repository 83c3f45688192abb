//! Learners and frames that live in Python: scikit-learn classifiers and the rows they are shown.
//!
//! In: weights and rows. Out: fitted classifiers and their answers. Every call happens on the thread
//! that called for the fit or the prediction.

use std::sync::Arc;

use numpy::{PyReadonlyArray1, ToPyArray};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::guard::Caller;
use crate::data::{ABSENT, Foreign, Outside, OutsideFrames};
use crate::error::{Error, Result};

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

impl OutsideFrames for Frames {
    fn rows(&self, places: &[u32], of_validation: bool) -> Result<Arc<dyn Outside>> {
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

/// An object with `fit(weights, round)` and `answers(classifier, real)`.
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

impl Outside for FrameView {
    fn fit(&self, weights: &[f64], round: usize) -> Result<Foreign> {
        let (view, weights) = (self.view.clone(), weights.to_vec());
        let classifier = self
            .caller
            .ask(move |py| view.call_method1(py, "fit", (weights.to_pyarray(py), round)))?;
        Ok(Arc::new(classifier))
    }

    fn answer(&self, hypothesis: &Foreign, real: bool) -> Result<Vec<f64>> {
        let Ok(classifier) = hypothesis.clone().downcast::<Py<PyAny>>() else {
            return Err(Error::internal("a hypothesis that is no Python object"));
        };
        let (view, n_rows) = (self.view.clone(), self.n_rows);
        self.caller.ask(move |py| {
            let answers = view.call_method1(py, "answers", (classifier.bind(py), real))?;
            let answers: PyReadonlyArray1<f64> = answers.extract(py)?;
            let answers = answers.as_array().to_vec();
            let bad = answers.iter().find(|answer| answer.is_nan() || answer.abs() > 1.0);
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
