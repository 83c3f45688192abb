//! Everything a user can set for a fit, read from JSON and checked.
//!
//! In: JSON from the Python estimators. Out: settings whose values are in range; errors name the
//! parameter, what came and what was expected.

use serde::{Deserialize, Serialize};

use crate::booster::BoosterSettings;
use crate::error::{Error, Result};
use crate::learner::LearnerSettings;

/// Everything the user sets; the Python estimators fill it from their parameters.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)] // the fields are the estimators' parameters, documented there
pub struct Settings {
    pub booster: BoosterSettings,
    pub estimator: LearnerSettings,
    pub n_estimators: usize,
    pub learning_rate: f64,
    pub max_bins: usize,
    pub categorical_features: Vec<usize>,
    pub early_stopping: bool,
    pub validation_fraction: f64,
    pub n_iter_no_change: usize,
    pub tol: f64,
    pub random_state: u64,
    pub n_jobs: Option<i64>,
}

impl Settings {
    /// Reads settings from JSON; errors name the parameter.
    pub fn from_json(json: &str) -> Result<Self> {
        let mut reader = serde_json::Deserializer::from_str(json);
        serde_path_to_error::deserialize(&mut reader).map_err(|e| {
            let path = e.path().to_string();
            Error::Settings {
                path: path.trim_start_matches("booster.").to_owned(),
                reason: e.inner().to_string(),
            }
        })
    }

    /// Refuses values out of range.
    pub fn check(&self) -> Result<()> {
        let positive = |x: f64| x.is_finite() && x > 0.0;
        if self.n_estimators < 1 {
            return Err(Error::parameter("n_estimators", self.n_estimators, "an integer >= 1"));
        }
        if !positive(self.learning_rate) {
            return Err(Error::parameter("learning_rate", self.learning_rate, "a number > 0"));
        }
        if !(2..=65_535).contains(&self.max_bins) {
            return Err(Error::parameter("max_bins", self.max_bins, "an integer in 2..65535"));
        }
        if !(self.validation_fraction > 0.0 && self.validation_fraction < 1.0) {
            let expected = "a number in the open interval (0, 1)";
            return Err(Error::parameter(
                "validation_fraction",
                self.validation_fraction,
                expected,
            ));
        }
        if self.n_iter_no_change < 1 {
            let got = self.n_iter_no_change;
            return Err(Error::parameter("n_iter_no_change", got, "an integer >= 1"));
        }
        if !(self.tol.is_finite() && self.tol >= 0.0) {
            return Err(Error::parameter("tol", self.tol, "a number >= 0"));
        }
        self.booster.check_learner(&self.estimator)
    }
}
