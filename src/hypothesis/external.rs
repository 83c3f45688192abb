//! An external hypothesis the crate: a fitted scikit-learn classifier.
//!
//! In: rows that only the caller can read. Out: whatever the caller answers.

use std::fmt;

use crate::data::{ExternalObject, ExternalQuestion};

/// Something the caller fitted.
#[derive(Clone)]
pub struct External {
    /// The caller's own object.
    pub object: ExternalObject,
    /// What is asked of it.
    pub asked: ExternalQuestion,
}

impl fmt::Debug for External {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.debug_struct("External").field("asked", &self.asked).finish_non_exhaustive()
    }
}
