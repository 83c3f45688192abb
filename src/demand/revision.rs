//! Which weights a demand has, and what has changed since those before.

use std::sync::atomic::{AtomicU64, Ordering};

/// Places of one stretch whose weights have changed.
#[derive(Debug, Clone, Default)]
pub struct ChangedPlaces {
    /// The number of the stretch.
    pub stretch: usize,
    /// The place from which the others are counted.
    pub first: usize,
    /// The places, ascending.
    pub places: Vec<u16>,
    /// What was added to the weight of each, in wrapping arithmetic.
    pub differences: Vec<u64>,
}

/// Which weights these are, and how they came from earlier ones: sums of weights that are at hand can
/// be brought up to date by those rows alone whose weights have changed.
#[derive(Debug, Clone, Copy)]
pub struct Revision<'a> {
    /// A number that no other weights have.
    pub number: u64,
    /// The number of the weights that these took the place of.
    pub before: Option<u64>,
    /// What has changed since; `None` if any weight may have.
    pub changes: Option<&'a [ChangedPlaces]>,
}

impl Revision<'_> {
    /// A number for new weights. It only tells weights apart: nothing is computed with it.
    #[must_use]
    pub fn next_number() -> u64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        LAST.fetch_add(1, Ordering::Relaxed)
    }
}
