//! A hypothesis that lives outside the crate: a fitted scikit-learn classifier.
//!
//! In: rows that only the caller can read. Out: whatever the caller answers.

use std::fmt;

use crate::data::Foreign;

/// Something the caller fitted.
#[derive(Clone)]
pub struct External {
    /// The caller's own object.
    pub object: Foreign,
    /// Whether confidences are asked for instead of votes.
    pub real: bool,
}

impl fmt::Debug for External {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("External").field("real", &self.real).finish_non_exhaustive()
    }
}
