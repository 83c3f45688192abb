//! Damaged files can make the reader of Parquet panic where it should return an error.
//!
//! In: a call of the reader. Out: its answer, or a text that says what is wrong.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::panic_reason;

/// Runs a call of the reader; errors and panics become texts.
pub(super) fn attempt<T, E: Display>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the file is damaged: {}", panic_reason(&*panic))),
    }
}
