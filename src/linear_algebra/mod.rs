//! Small dense matrices: products of a matrix with itself, Cholesky's factor.
//!
//! In: rows or columns of numbers. Out: Gram matrices and solutions of linear equations. Every sum
//! has a fixed order, and products are rounded before they are added, so that results are the same
//! on every machine, whatever instructions it has.

#![allow(clippy::inline_always)] // what a `Kernel` calls must be inlined

mod cholesky;
mod gram;
mod symmetric;
mod tile;
mod wide;

#[cfg(test)]
mod tests;

pub(crate) use cholesky::Cholesky;
pub(crate) use gram::{gram_of_columns, gram_of_rows};
pub(crate) use symmetric::SymmetricMatrix;
pub(crate) use wide::{Kernel, run_wide};
