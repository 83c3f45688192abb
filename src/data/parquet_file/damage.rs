//! Damaged files make their reader panic now and then, where it should return an error.
//!
//! In: a call of the reader. Out: its answer, or what it panicked about, of which nobody else hears.

use std::cell::Cell;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::error::panic_reason;

thread_local! {
    /// Whether a panic of this thread is caught and told by `attempt`.
    static IS_HEARD: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call of the reader; errors and panics become texts.
pub(super) fn attempt<T, E: Display>(call: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !IS_HEARD.get() {
                usual(panic);
            }
        }));
    });
    IS_HEARD.set(true);
    let answer = catch_unwind(AssertUnwindSafe(call));
    IS_HEARD.set(false);
    match answer {
        Ok(answer) => answer.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the file is damaged: {}", panic_reason(&*panic))),
    }
}
