//! What a model knows of the columns that it was fitted to.
//!
//! In: the columns of the training frame. Out: a [`Schema`] that finds and reads the same columns in
//! other frames.

use super::bins::Bins;
use super::column::Kind;
use super::numbers::Scaling;
use super::view::ViewKind;
use crate::error::{Error, Result};

/// The columns that a model was fitted to, and what its hypotheses read of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// What hypotheses read.
    pub view: ViewKind,
    /// The columns, in fitted order.
    pub features: Vec<Feature>,
    /// Whether the columns had names.
    pub named: bool,
}

impl Schema {
    /// The bins of all features.
    #[must_use]
    pub fn bins(&self) -> Vec<&Bins> {
        self.features.iter().map(|feature| &feature.bins).collect()
    }

    /// Replaces the bins of all features.
    pub fn set_bins(&mut self, bins: Vec<Bins>) {
        for (feature, bins) in self.features.iter_mut().zip(bins) {
            feature.bins = bins;
        }
    }

    /// The scalings of all features, for hypotheses that read numbers.
    pub fn scalings(&self) -> Result<Vec<Scaling>> {
        let missing =
            |feature: &Feature| format!("feature '{}' was fitted without a scaling", feature.name);
        let scaling =
            |feature: &Feature| feature.scaling.ok_or_else(|| Error::internal(missing(feature)));
        self.features.iter().map(scaling).collect()
    }
}

/// What a model knows of one column: its name, its kind, its bins, how they were filled, its scale.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// The column's name.
    pub name: String,
    /// What its values mean.
    pub kind: Kind,
    /// How they become codes.
    pub bins: Bins,
    /// How they become standardised numbers, for learners that read numbers.
    pub scaling: Option<Scaling>,
    /// How many training rows had each code, if any hypothesis looks at the column.
    pub rows: Option<Vec<u64>>,
}
