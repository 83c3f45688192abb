//! The answers of one hypothesis to many rows: a part per row and a value per part.
//!
//! Boosters work on parts rather than rows wherever they can: a stump cuts a million rows into two
//! parts, and sums, line searches and factors need to be computed only once for each.

/// Row `i` is answered with `values[part[i]]`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answers {
    /// The part of each row.
    pub part: Vec<u16>,
    /// The answer of each part.
    pub values: Vec<f64>,
}
