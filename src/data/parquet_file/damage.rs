//! Damaged files make their reader panic now and then, where it should return an error.
//!
//! In: a call of the reader. Out: its answer, or what it panicked about, of which nobody else hears.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use crate::error::panic_reason;

thread_local! {
    /// Whether a panic of this thread is caught and told by `attempt`.
    static IS_HEARD: Cell<bool> = const { Cell::new(false) };
}

/// Runs a call of the reader; a panic becomes an error.
pub(super) fn attempt<T>(call: impl FnOnce() -> T) -> Result<T, String> {
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
    answer.map_err(|panic| format!("the file is damaged: {}", panic_reason(&*panic)))
}
