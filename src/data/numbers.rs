//! The numbers of a frame, standardised and row by row: what learners read that measure distances.
//!
//! In: aligned columns of numbers, their scalings, and the place of each row. Out: one row-major
//! array of finite values, `(x − mean) / scale`. A missing value counts as the mean, so it becomes
//! 0; values beyond [`LIMIT`] scales of the mean, infinite ones among them, count as that far away.

use serde::{Deserialize, Serialize};

use super::column::{Column, Kind};
use super::rows::{ABSENT, Rows};
use crate::error::{Error, Result};
use crate::workers::{BLOCK_ROWS, Workers, row_blocks};

/// No standardised value is larger. Among a million rows of equal weight no finite one can be.
pub const LIMIT: f64 = 1000.0;

/// Where a column lies and how far it spreads.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaling {
    /// The weighted mean of the finite values.
    pub mean: f64,
    /// Their weighted standard deviation; 1 if they are all equal.
    pub scale: f64,
}

impl Scaling {
    /// The scalings of all columns over the rows that take part; a column of categories is refused.
    pub fn fit(columns: &[Column], rows: &Rows, workers: &Workers) -> Result<Vec<Self>> {
        columns.iter().try_for_each(check_number)?;
        let steps = columns.len() * columns.first().map_or(0, Column::len);
        workers.map(steps, columns.iter().collect(), |column| {
            Self::of_column(&FiniteValues { column, rows, workers })
        })
    }

    fn of_column(values: &FiniteValues) -> Result<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        values.visit(|x, _| (low, high) = (low.min(x), high.max(x)))?;
        if low > high {
            return Ok(Self { mean: 0.0, scale: 1.0 });
        }
        // Moments are taken of (x − middle) / reach, which lies in [−1, 1]: nothing can overflow.
        let (middle, reach) = (low / 2.0 + high / 2.0, high / 2.0 - low / 2.0);
        if reach == 0.0 {
            return Ok(Self { mean: low, scale: 1.0 });
        }
        let (mut total, mut sum) = (0.0, 0.0);
        values.visit(|x, weight| {
            total += weight;
            sum += weight * ((x - middle) / reach);
        })?;
        let mean = sum / total;
        let mut squares = 0.0;
        values.visit(|x, weight| {
            let deviation = (x - middle) / reach - mean;
            squares += weight * deviation * deviation;
        })?;
        let scale = reach * (squares / total).sqrt();
        // Weights may be so unequal that nothing is left of the lighter rows.
        let scale = if scale > 0.0 { scale } else { 1.0 };
        Ok(Self { mean: middle + reach * mean, scale })
    }

    /// The standardised value; finite whatever comes.
    #[must_use]
    pub fn apply(&self, x: f64) -> f64 {
        if x.is_nan() {
            return 0.0;
        }
        let difference = x - self.mean;
        let standardised = if difference.is_finite() {
            difference / self.scale
        } else {
            (x / 2.0 - self.mean / 2.0) / self.scale * 2.0
        };
        standardised.clamp(-LIMIT, LIMIT)
    }

    /// The value that has this standardised value.
    #[must_use]
    pub fn invert(&self, standardised: f64) -> f64 {
        self.mean + self.scale * standardised
    }
}

fn check_number(column: &Column) -> Result<()> {
    if !column.kind.is_category() {
        return Ok(());
    }
    let declared = if column.kind == Kind::Text { "" } else { ", declared to be categories" };
    Err(Error::ColumnType {
        column: column.name.clone(),
        got: format!("{}{declared}", column.type_name()),
        expected: "a number type, because RBFNet reads numbers only".to_owned(),
    })
}

/// The finite values of a column in the rows that take part.
struct FiniteValues<'a, 'data> {
    column: &'a Column<'data>,
    rows: &'a Rows,
    workers: &'a Workers,
}

impl FiniteValues<'_, '_> {
    /// Calls `see(value, weight)` in row order.
    fn visit(&self, mut see: impl FnMut(f64, f64)) -> Result<()> {
        let mut values = vec![0.0; BLOCK_ROWS.min(self.column.len())];
        for block in row_blocks(self.column.len()) {
            self.workers.check()?;
            let values = &mut values[..block.len()];
            self.column.read_numbers(block.start, values);
            for (&x, row) in values.iter().zip(block) {
                let weight = self.rows.given_weight(row);
                if x.is_finite() && weight > 0.0 {
                    see(x, weight);
                }
            }
        }
        Ok(())
    }
}

/// Row-major standardised values of some rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    values: Vec<f64>,
    n_columns: usize,
    n_rows: usize,
}

impl Numbers {
    /// Encodes every row that has a place; `places` of `None` keeps all rows in their order.
    pub fn encode(
        columns: &[Column],
        scalings: &[Scaling],
        places: Option<&[u32]>,
        n_rows: usize,
        workers: &Workers,
    ) -> Result<Self> {
        let n_columns = columns.len();
        let length = columns.first().map_or(0, Column::len);
        let mut values = vec![0.0; n_rows * n_columns];
        // A few blocks at a time, so that little more than the result is in memory.
        for blocks in row_blocks(length).chunks(4 * workers.threads()) {
            let steps = blocks.iter().map(ExactSizeIterator::len).sum::<usize>() * n_columns;
            let read = workers.map(steps, blocks.to_vec(), |block| {
                Ok((block.clone(), standardise(columns, scalings, block.start, block.len())))
            })?;
            for (block, rows) in read {
                for (at, row) in block.zip(rows.chunks_exact(n_columns.max(1))) {
                    let place = places.map_or(at, |places| places[at] as usize);
                    if place != ABSENT as usize {
                        values[place * n_columns..][..n_columns].copy_from_slice(row);
                    }
                }
            }
        }
        Ok(Self { values, n_columns, n_rows })
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.n_columns
    }

    /// The values of one row.
    #[must_use]
    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.n_columns..][..self.n_columns]
    }

    /// All values, row after row.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Rows that are standardised already.
    #[cfg(test)]
    #[must_use]
    pub fn from_rows<const N: usize>(rows: &[[f64; N]]) -> Self {
        Self { values: rows.concat(), n_columns: N, n_rows: rows.len() }
    }
}

/// Some rows, row-major.
fn standardise(columns: &[Column], scalings: &[Scaling], start: usize, n_rows: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; n_rows];
    let mut rows = vec![0.0; n_rows * columns.len()];
    for (j, (column, scaling)) in columns.iter().zip(scalings).enumerate() {
        column.read_numbers(start, &mut numbers);
        for (to, &x) in rows[j..].iter_mut().step_by(columns.len()).zip(&numbers) {
            *to = scaling.apply(x);
        }
    }
    rows
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, BooleanArray, StringArray};
    use arrow_schema::DataType;
    use ndarray::ArrayView1;

    use super::*;
    use crate::data::NumberArray;

    fn workers(threads: i64) -> Workers {
        Workers::new(Some(threads)).unwrap()
    }

    fn column(values: &[f64]) -> Column<'_> {
        Column::from_array("x".into(), NumberArray::F64(ArrayView1::from(values)))
    }

    fn fit(values: &[f64], weights: Option<&[f64]>) -> Scaling {
        let rows = Rows::select(&vec![0; values.len()], 1, weights, |_| true).unwrap();
        Scaling::fit(&[column(values)], &rows, &workers(1)).unwrap()[0]
    }

    #[test]
    fn mean_and_scale_are_weighted_and_skip_what_is_not_finite() {
        let values = [1.0, f64::NAN, 3.0, f64::INFINITY, 99.0, 5.0];
        let scaling = fit(&values, Some(&[1.0, 1.0, 2.0, 1.0, 0.0, 1.0]));
        assert!((scaling.mean - 3.0).abs() < 1e-15);
        assert!((scaling.scale - 2f64.sqrt()).abs() < 1e-15);
    }

    #[test]
    fn constant_and_empty_columns_have_scale_one() {
        assert_eq!(fit(&[0.1; 7], None), Scaling { mean: 0.1, scale: 1.0 });
        assert_eq!(fit(&[f64::NAN; 3], None), Scaling { mean: 0.0, scale: 1.0 });
        let tiny = fit(&[0.0, 5e-324], None);
        assert!(tiny.mean.is_finite() && tiny.scale > 0.0);
    }

    #[test]
    fn huge_values_do_not_overflow() {
        let scaling = fit(&[-1.7e308, 1.7e308], None);
        assert_eq!(scaling, Scaling { mean: 0.0, scale: 1.7e308 });
        assert_eq!(scaling.apply(1.7e308), 1.0);
        let scaling = fit(&[1e300, 3e300, 1e300, 3e300], None);
        assert!((scaling.apply(3e300) - 1.0).abs() < 1e-12);
        assert_eq!(Scaling { mean: -1.7e308, scale: 1.0 }.apply(1.7e308), LIMIT);
    }

    #[test]
    fn missing_values_become_the_mean_and_infinite_ones_the_limit() {
        let values = [1.0, f64::NAN, 3.0, f64::INFINITY, f64::NEG_INFINITY];
        let columns = [column(&values)];
        let scalings = [fit(&values, None)];
        let all = Numbers::encode(&columns, &scalings, None, 5, &workers(1)).unwrap();
        assert_eq!(all.values(), [-1.0, 0.0, 1.0, LIMIT, -LIMIT]);
        assert_eq!(scalings[0].invert(1.0), 3.0);
        let places = [2, ABSENT, 0, 1, ABSENT];
        let some = Numbers::encode(&columns, &scalings, Some(&places), 3, &workers(1)).unwrap();
        assert_eq!(some.values(), [1.0, LIMIT, -1.0]);
    }

    #[test]
    fn rows_keep_their_columns_together_on_any_number_of_threads() {
        let n = 3 * BLOCK_ROWS + 5;
        let first: Vec<f64> = (0..n).map(|i| i as f64).collect();
        let second: Vec<f64> = first.iter().map(|x| -x).collect();
        let columns = [column(&first), column(&second)];
        let rows = Rows::select(&vec![0; n], 1, None, |_| true).unwrap();
        let scalings = Scaling::fit(&columns, &rows, &workers(1)).unwrap();
        assert_eq!(scalings, Scaling::fit(&columns, &rows, &workers(2)).unwrap());
        let one = Numbers::encode(&columns, &scalings, None, n, &workers(1)).unwrap();
        let two = Numbers::encode(&columns, &scalings, None, n, &workers(2)).unwrap();
        assert_eq!(one, two);
        assert!((0..n).all(|i| one.row(i)[0] == -one.row(i)[1]));
        assert_eq!((one.n_rows(), one.n_columns()), (n, 2));
    }

    #[test]
    fn categories_are_refused_by_name_and_booleans_are_numbers() {
        let rows = Rows::select(&[0, 0], 1, None, |_| true).unwrap();
        let texts: ArrayRef = Arc::new(StringArray::from(vec!["a", "b"]));
        let text = Column::from_chunks("job".into(), &DataType::Utf8, vec![texts]).unwrap();
        let error = Scaling::fit(&[text], &rows, &workers(1)).unwrap_err();
        let expected = "column 'job' has type Utf8, expected a number type, because RBFNet reads \
                        numbers only";
        assert_eq!(error.to_string(), expected);
        let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true, false]));
        let truth = Column::from_chunks("b".into(), &DataType::Boolean, vec![truths]).unwrap();
        let scaling = Scaling::fit(&[truth], &rows, &workers(1)).unwrap()[0];
        assert_eq!(scaling, Scaling { mean: 0.5, scale: 0.5 });
    }
}
