//! What hypotheses that ask one test after the other are grown from.
//!
//! In: codes, a demand and threads. Out: all of them together, for rules and trees.

use crate::data::Binned;
use crate::demand::Demand;
use crate::workers::Workers;

/// What rules and trees are grown from.
#[derive(Clone, Copy)]
pub(super) struct SearchInput<'a> {
    pub data: &'a Binned,
    pub demand: &'a Demand<'a>,
    pub workers: &'a Workers,
}
