//! The margins that programs are made of: one column for each hypothesis, one cell for each row.

use crate::error::{Error, Result};

/// The margins y h(x) of hypotheses (columns) on rows. Equal rows and columns may be merged already
/// or not: the solver merges what is left.
#[derive(Debug, Clone, PartialEq)]
pub struct Margins {
    n_rows: usize,
    columns: Vec<Vec<f64>>,
}

impl Margins {
    /// Columns of `n_rows` finite margins each; at least one of each.
    pub fn new(n_rows: usize, columns: Vec<Vec<f64>>) -> Result<Self> {
        if n_rows == 0 || columns.is_empty() {
            return Err(Error::Shape {
                what: "margins".to_owned(),
                got: format!("{n_rows} rows and {} hypotheses", columns.len()),
                expected: "at least one of each".to_owned(),
            });
        }
        let mut margins = Self { n_rows, columns: Vec::with_capacity(columns.len()) };
        for column in columns {
            margins.push(column)?;
        }
        Ok(margins)
    }

    /// Adds the margins of one more hypothesis.
    pub fn push(&mut self, column: Vec<f64>) -> Result<()> {
        if column.len() != self.n_rows {
            return Err(Error::Shape {
                what: "margins of a hypothesis".to_owned(),
                got: format!("{} rows", column.len()),
                expected: format!("{} rows", self.n_rows),
            });
        }
        if let Some(row) = column.iter().position(|margin| !margin.is_finite()) {
            return Err(Error::Shape {
                what: "margins of a hypothesis".to_owned(),
                got: format!("{} in row {row}", column[row]),
                expected: "finite numbers".to_owned(),
            });
        }
        self.columns.push(column);
        Ok(())
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The margins of a weighted sum of the hypotheses.
    #[must_use]
    pub fn combine(&self, weights: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.n_rows];
        for (column, &weight) in self.columns.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            for (sum, margin) in sums.iter_mut().zip(column) {
                *sum += weight * margin;
            }
        }
        sums
    }

    /// The number of hypotheses.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The margin of one row under these weights of the hypotheses.
    pub(super) fn combine_row(&self, row: usize, weights: &[f64]) -> f64 {
        self.columns.iter().zip(weights).map(|(column, weight)| weight * column[row]).sum()
    }

    /// The margins, hypothesis by hypothesis.
    #[must_use]
    pub fn columns(&self) -> &[Vec<f64>] {
        &self.columns
    }
}

/// An error unless there is one finite, non-negative importance for each row, and one is positive.
pub(super) fn check_importance(importance: &[f64], n_rows: usize) -> Result<()> {
    if importance.len() != n_rows {
        return Err(Error::Shape {
            what: "importance of rows".to_owned(),
            got: format!("{} values", importance.len()),
            expected: format!("{n_rows} values"),
        });
    }
    if let Some(bad) = importance.iter().find(|value| !value.is_finite() || **value < 0.0) {
        return Err(Error::Weights { reason: format!("{bad} is negative or not finite") });
    }
    if importance.iter().all(|value| *value == 0.0) {
        return Err(Error::Weights { reason: "all are zero".to_owned() });
    }
    Ok(())
}
