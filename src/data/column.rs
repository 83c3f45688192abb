//! One column of a frame, read in place: Arrow chunks or a strided array, whatever their type.
//!
//! In: borrowed buffers. Out: blocks of numbers (`f64`, NaN = missing) or of category ids. Numbers
//! are compared as `f64`: integers beyond 2⁵³ lose their last digits. Dates, date-times, durations
//! and times of day are counted in microseconds, so that units may differ between fit and predict.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use hashbrown::HashMap;
use ndarray::ArrayView1;
use serde::{Deserialize, Serialize};

use super::chunk::{for_each_text, read_chunk, read_text_chunk};
use crate::error::{Error, Result};

/// What a column's values mean; a model insists on the kind it was fitted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Integers, floats, decimals.
    Number,
    /// True and false, counted as 1 and 0.
    Boolean,
    /// Dates and date-times.
    Instant,
    /// Lengths of time.
    Duration,
    /// Times of day.
    TimeOfDay,
    /// Strings and dictionaries.
    Text,
    /// Numbers that the user declared to be categories.
    NumberedCategory,
}

impl Kind {
    /// Whether columns of this kind are split by subsets rather than by cuts.
    #[must_use]
    pub fn is_category(self) -> bool {
        matches!(self, Self::Text | Self::NumberedCategory)
    }

    /// How error messages call it.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Number | Self::Boolean | Self::NumberedCategory => "a number or Boolean type",
            Self::Instant => "a date or datetime type",
            Self::Duration => "a duration type",
            Self::TimeOfDay => "a time type",
            Self::Text => "a string, categorical or enum type",
        }
    }
}

/// A strided one-dimensional array of numbers.
#[derive(Debug, Clone)]
#[allow(missing_docs)] // the variants are the element types
pub enum NumberArray<'a> {
    Bool(ArrayView1<'a, bool>),
    I8(ArrayView1<'a, i8>),
    I16(ArrayView1<'a, i16>),
    I32(ArrayView1<'a, i32>),
    I64(ArrayView1<'a, i64>),
    U8(ArrayView1<'a, u8>),
    U16(ArrayView1<'a, u16>),
    U32(ArrayView1<'a, u32>),
    U64(ArrayView1<'a, u64>),
    F32(ArrayView1<'a, f32>),
    F64(ArrayView1<'a, f64>),
}

#[derive(Debug, Clone)]
enum Source<'a> {
    Chunks { arrays: Vec<ArrayRef>, starts: Vec<usize> },
    Strided(NumberArray<'a>),
}

/// A named column of one kind.
#[derive(Debug, Clone)]
pub struct Column<'a> {
    /// The name, or `x3` for the fourth column of an array.
    pub name: String,
    /// What its values mean.
    pub kind: Kind,
    /// Whether a dictionary declares the whole set of values (Enum) or just holds those present.
    pub declared: bool,
    source: Source<'a>,
}

/// The id of a missing value among text ids.
pub const TEXT_MISSING: u32 = u32::MAX;

/// What values of a type mean.
pub(super) fn kind_of(column: &str, data_type: &DataType) -> Result<Kind> {
    use DataType as D;
    Ok(match data_type {
        D::Null => Kind::Number,
        D::Boolean => Kind::Boolean,
        // Integers, floats and decimals.
        numeric if numeric.is_numeric() => Kind::Number,
        D::Date32 | D::Date64 | D::Timestamp(..) => Kind::Instant,
        D::Duration(_) => Kind::Duration,
        D::Time32(_) | D::Time64(_) => Kind::TimeOfDay,
        D::Utf8 | D::LargeUtf8 | D::Utf8View => Kind::Text,
        D::Dictionary(_, values) if kind_of(column, values).is_ok() => Kind::Text,
        other => {
            return Err(Error::ColumnType {
                column: column.to_owned(),
                got: other.to_string(),
                expected: "numbers, Booleans, dates, times, strings or categories".to_owned(),
            });
        }
    })
}

impl<'a> Column<'a> {
    /// A column of Arrow chunks that share one type.
    pub fn from_chunks(name: String, data_type: &DataType, arrays: Vec<ArrayRef>) -> Result<Self> {
        let kind = kind_of(&name, data_type)?;
        let mut starts = Vec::with_capacity(arrays.len() + 1);
        starts.push(0);
        for array in &arrays {
            starts.push(starts[starts.len() - 1] + array.len());
        }
        Ok(Self { name, kind, declared: false, source: Source::Chunks { arrays, starts } })
    }

    /// A column of a strided array.
    #[must_use]
    pub fn from_array(name: String, numbers: NumberArray<'a>) -> Self {
        let is_boolean = matches!(numbers, NumberArray::Bool(_));
        let kind = if is_boolean { Kind::Boolean } else { Kind::Number };
        Self { name, kind, declared: false, source: Source::Strided(numbers) }
    }

    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.source {
            Source::Chunks { starts, .. } => starts[starts.len() - 1],
            Source::Strided(numbers) => numbers.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there are rows, and none has a value.
    #[must_use]
    pub fn is_all_null(&self) -> bool {
        match &self.source {
            Source::Chunks { arrays, .. } => {
                !arrays.is_empty() && arrays.iter().all(|a| a.logical_null_count() == a.len())
            }
            Source::Strided(_) => false,
        }
    }

    /// The type as the producer calls it.
    #[must_use]
    pub fn type_name(&self) -> String {
        match &self.source {
            Source::Chunks { arrays, .. } => {
                arrays.first().map_or_else(|| "null".to_owned(), |a| a.data_type().to_string())
            }
            Source::Strided(_) => "a number array".to_owned(),
        }
    }

    /// Fills `out` with the numbers from row `start` on; missing values become NaN.
    pub fn read_numbers(&self, start: usize, out: &mut [f64]) {
        match &self.source {
            Source::Strided(numbers) => numbers.read(start, out),
            Source::Chunks { arrays, starts } => {
                for_each_piece(starts, start..start + out.len(), |chunk, within, to| {
                    read_chunk(&*arrays[chunk], within, &mut out[to]);
                });
            }
        }
    }

    /// Fills `out` with category ids from row `start` on. `lookup` names the id of a text; missing
    /// values become [`TEXT_MISSING`].
    pub fn read_texts(&self, start: usize, out: &mut [u32], lookup: &mut dyn FnMut(&str) -> u32) {
        match &self.source {
            Source::Chunks { arrays, starts } if self.kind == Kind::Text => {
                for_each_piece(starts, start..start + out.len(), |chunk, within, to| {
                    read_text_chunk(&*arrays[chunk], within, &mut out[to], lookup);
                });
            }
            _ => {
                let mut numbers = vec![0.0; out.len()];
                self.read_numbers(start, &mut numbers);
                let mut known: HashMap<u64, u32> = HashMap::new();
                for (id, number) in out.iter_mut().zip(&numbers) {
                    *id = if number.is_nan() {
                        TEXT_MISSING
                    } else {
                        *known
                            .entry((number + 0.0).to_bits())
                            .or_insert_with(|| lookup(&(number + 0.0).to_string()))
                    };
                }
            }
        }
    }

    /// Calls `see` with every value that a dictionary declares, in its order.
    pub fn for_each_declared(&self, see: &mut dyn FnMut(&str)) {
        let Source::Chunks { arrays, .. } = &self.source else { return };
        let Some(dictionary) = arrays.first().and_then(|array| array.as_any_dictionary_opt())
        else {
            return;
        };
        let values = dictionary.values();
        for_each_text(&**values, 0..values.len(), |_, text| {
            if let Some(text) = text {
                see(text);
            }
        });
    }
}

impl NumberArray<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Bool(a) => a.len(),
            Self::I8(a) => a.len(),
            Self::I16(a) => a.len(),
            Self::I32(a) => a.len(),
            Self::I64(a) => a.len(),
            Self::U8(a) => a.len(),
            Self::U16(a) => a.len(),
            Self::U32(a) => a.len(),
            Self::U64(a) => a.len(),
            Self::F32(a) => a.len(),
            Self::F64(a) => a.len(),
        }
    }

    fn read(&self, start: usize, out: &mut [f64]) {
        fn copy<T: Copy>(
            array: &ArrayView1<'_, T>,
            start: usize,
            out: &mut [f64],
            convert: impl Fn(T) -> f64,
        ) {
            let rows = start..start + out.len();
            if let Some(values) = array.as_slice() {
                for (to, from) in out.iter_mut().zip(&values[rows]) {
                    *to = convert(*from);
                }
            } else {
                for (to, row) in out.iter_mut().zip(rows) {
                    *to = convert(array[row]);
                }
            }
        }
        match self {
            Self::Bool(a) => copy(a, start, out, |v| f64::from(u8::from(v))),
            Self::I8(a) => copy(a, start, out, f64::from),
            Self::I16(a) => copy(a, start, out, f64::from),
            Self::I32(a) => copy(a, start, out, f64::from),
            Self::I64(a) => copy(a, start, out, |v| v as f64),
            Self::U8(a) => copy(a, start, out, f64::from),
            Self::U16(a) => copy(a, start, out, f64::from),
            Self::U32(a) => copy(a, start, out, f64::from),
            Self::U64(a) => copy(a, start, out, |v| v as f64),
            Self::F32(a) => copy(a, start, out, f64::from),
            Self::F64(a) => copy(a, start, out, |v| v),
        }
    }
}

/// Splits a row range at chunk borders: calls `visit(chunk, rows in it, where in the range)`.
fn for_each_piece(
    starts: &[usize],
    rows: Range<usize>,
    mut visit: impl FnMut(usize, Range<usize>, Range<usize>),
) {
    let mut chunk = starts.partition_point(|&s| s <= rows.start).saturating_sub(1);
    let mut at = rows.start;
    while at < rows.end {
        let end = starts[chunk + 1].min(rows.end);
        if end > at {
            let within = at - starts[chunk]..end - starts[chunk];
            visit(chunk, within, at - rows.start..end - rows.start);
            at = end;
        }
        chunk += 1;
    }
}
