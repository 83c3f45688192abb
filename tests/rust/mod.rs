//! Tests of several modules together. A module of the library's own tests, so that the library is
//! compiled once for all of them.

#![allow(clippy::unwrap_used, clippy::panic)] // a failure here is a failed test

mod checkpoints;
mod model_file;
mod module_order;
mod problems;
mod shards;
mod stump_search;
mod threads;
