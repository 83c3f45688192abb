//! One Arrow array, read in place as numbers or as category texts.
//!
//! In: an array of any supported type and a range of its rows. Out: `f64` values (dates and times in
//! microseconds, NaN for null) or ids that a look-up gives to texts.

use std::ops::Range;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};
use hashbrown::HashMap;

use super::column::TEXT_MISSING;

/// Microseconds; whole ones stay exact, though a count of nanoseconds need not fit a double.
fn from_nanoseconds(count: i64) -> f64 {
    (count.div_euclid(1000)) as f64 + count.rem_euclid(1000) as f64 / 1e3
}

/// Writes the numbers of some rows; nulls become NaN.
pub(super) fn read_chunk(array: &dyn Array, rows: Range<usize>, out: &mut [f64]) {
    use DataType as D;
    use TimeUnit as U;
    fn copy<T: ArrowPrimitiveType>(
        array: &dyn Array,
        rows: Range<usize>,
        out: &mut [f64],
        convert: impl Fn(T::Native) -> f64,
    ) {
        let values = &array.as_primitive::<T>().values()[rows];
        for (to, from) in out.iter_mut().zip(values) {
            *to = convert(*from);
        }
    }
    let r = rows.clone();
    let whole = |factor: f64| move |v: i64| v as f64 * factor;
    let half = |factor: f64| move |v: i32| f64::from(v) * factor;
    match array.data_type() {
        D::Boolean => {
            let values = array.as_boolean().values();
            for (to, row) in out.iter_mut().zip(r) {
                *to = f64::from(u8::from(values.value(row)));
            }
        }
        D::Int8 => copy::<Int8Type>(array, r, out, f64::from),
        D::Int16 => copy::<Int16Type>(array, r, out, f64::from),
        D::Int32 => copy::<Int32Type>(array, r, out, f64::from),
        D::Int64 => copy::<Int64Type>(array, r, out, |v| v as f64),
        D::UInt8 => copy::<UInt8Type>(array, r, out, f64::from),
        D::UInt16 => copy::<UInt16Type>(array, r, out, f64::from),
        D::UInt32 => copy::<UInt32Type>(array, r, out, f64::from),
        D::UInt64 => copy::<UInt64Type>(array, r, out, |v| v as f64),
        D::Float16 => copy::<Float16Type>(array, r, out, f64::from),
        D::Float32 => copy::<Float32Type>(array, r, out, f64::from),
        D::Float64 => copy::<Float64Type>(array, r, out, |v| v),
        D::Decimal32(_, s) => {
            let unit = 10f64.powi(i32::from(*s));
            copy::<Decimal32Type>(array, r, out, |v| f64::from(v) / unit);
        }
        D::Decimal64(_, s) => {
            let unit = 10f64.powi(i32::from(*s));
            copy::<Decimal64Type>(array, r, out, |v| v as f64 / unit);
        }
        D::Decimal128(_, s) => {
            let unit = 10f64.powi(i32::from(*s));
            copy::<Decimal128Type>(array, r, out, |v| v as f64 / unit);
        }
        D::Decimal256(_, s) => {
            let unit = 10f64.powi(i32::from(*s));
            copy::<Decimal256Type>(array, r, out, |v| {
                // |value| = high · 2¹²⁸ + low; the sign comes last, or digits would cancel.
                let (low, high) = v.wrapping_abs().to_parts();
                let size = (high as f64 * 2f64.powi(128) + low as f64) / unit;
                if v.is_negative() { -size } else { size }
            });
        }
        D::Date32 => copy::<Date32Type>(array, r, out, half(86_400e6)),
        D::Date64 => copy::<Date64Type>(array, r, out, whole(1e3)),
        D::Timestamp(U::Second, _) => copy::<TimestampSecondType>(array, r, out, whole(1e6)),
        D::Timestamp(U::Millisecond, _) => {
            copy::<TimestampMillisecondType>(array, r, out, whole(1e3));
        }
        D::Timestamp(U::Microsecond, _) => {
            copy::<TimestampMicrosecondType>(array, r, out, whole(1.0));
        }
        D::Timestamp(U::Nanosecond, _) => {
            copy::<TimestampNanosecondType>(array, r, out, from_nanoseconds);
        }
        D::Duration(U::Second) => copy::<DurationSecondType>(array, r, out, whole(1e6)),
        D::Duration(U::Millisecond) => copy::<DurationMillisecondType>(array, r, out, whole(1e3)),
        D::Duration(U::Microsecond) => copy::<DurationMicrosecondType>(array, r, out, whole(1.0)),
        D::Duration(U::Nanosecond) => {
            copy::<DurationNanosecondType>(array, r, out, from_nanoseconds);
        }
        D::Time32(U::Second) => copy::<Time32SecondType>(array, r, out, half(1e6)),
        D::Time32(_) => copy::<Time32MillisecondType>(array, r, out, half(1e3)),
        D::Time64(U::Microsecond) => copy::<Time64MicrosecondType>(array, r, out, whole(1.0)),
        D::Time64(_) => copy::<Time64NanosecondType>(array, r, out, from_nanoseconds),
        // `kind_of` lets only the null type through to here.
        _ => out.fill(f64::NAN),
    }
    if let Some(nulls) = array.nulls().filter(|nulls| nulls.null_count() > 0) {
        for (to, row) in out.iter_mut().zip(rows) {
            if nulls.is_null(row) {
                *to = f64::NAN;
            }
        }
    }
}

/// Calls `see(row, text)` for rows of a plain (not dictionary) array; numbers are written out.
pub(super) fn for_each_text(
    array: &dyn Array,
    rows: Range<usize>,
    mut see: impl FnMut(usize, Option<&str>),
) {
    macro_rules! each {
        ($typed:expr) => {{
            let typed = $typed;
            for row in rows {
                see(row, (!typed.is_null(row)).then(|| typed.value(row)));
            }
        }};
    }
    match array.data_type() {
        DataType::Utf8 => each!(array.as_string::<i32>()),
        DataType::LargeUtf8 => each!(array.as_string::<i64>()),
        DataType::Utf8View => each!(array.as_string_view()),
        _ => {
            for row in rows {
                let mut number = [0.0];
                read_chunk(array, row..row + 1, &mut number);
                let text = (!number[0].is_nan()).then(|| number[0].to_string());
                see(row, text.as_deref());
            }
        }
    }
}

/// Writes the category ids of some rows of a string or dictionary array.
pub(super) fn read_text_chunk(
    array: &dyn Array,
    rows: Range<usize>,
    out: &mut [u32],
    lookup: &mut dyn FnMut(&str) -> u32,
) {
    let first = rows.start;
    let Some(dictionary) = array.as_any_dictionary_opt() else {
        for_each_text(array, rows, |row, text| {
            out[row - first] = text.map_or(TEXT_MISSING, &mut *lookup);
        });
        return;
    };
    if dictionary.values().is_empty() {
        out.fill(TEXT_MISSING);
        return;
    }
    // One look-up per dictionary value that occurs, remembered for the rest of the block.
    let piece = array.slice(first, rows.len());
    let (piece, values) = (piece.as_any_dictionary(), dictionary.values());
    let mut ids: HashMap<usize, u32> = HashMap::new();
    for (at, key) in piece.normalized_keys().into_iter().enumerate() {
        out[at] = if piece.keys().is_null(at) {
            TEXT_MISSING
        } else {
            *ids.entry(key).or_insert_with(|| {
                let mut id = TEXT_MISSING;
                for_each_text(&**values, key..key + 1, |_, text| {
                    id = text.map_or(TEXT_MISSING, &mut *lookup);
                });
                id
            })
        };
    }
}
