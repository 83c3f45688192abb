//! What several targets share: rows for a model that was read from a file.

use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, DurationMicrosecondArray, Float64Array, StringArray,
    Time64MicrosecondArray, TimestampMicrosecondArray,
};
use weakforce::data::{Column, Feature, Kind};

/// Three rows of the columns that a model knows: some value, another one, and a missing one.
///
/// # Panics
///
/// If a column of its own kind were refused.
#[must_use]
pub fn rows_for(features: &[Feature]) -> Vec<Column<'static>> {
    features
        .iter()
        .map(|feature| {
            let array = array_of(feature.kind);
            let data_type = array.data_type().clone();
            let column = Column::from_chunks(feature.name.clone(), &data_type, vec![array]);
            let mut column = column.expect("columns of these types are taken");
            column.kind = feature.kind;
            column
        })
        .collect()
}

fn array_of(kind: Kind) -> ArrayRef {
    let times = vec![Some(0), Some(86_399_000_000), None];
    match kind {
        Kind::Number | Kind::NumberedCategory => {
            Arc::new(Float64Array::from(vec![Some(-1.5), Some(1e300), None]))
        }
        Kind::Boolean => Arc::new(BooleanArray::from(vec![Some(false), Some(true), None])),
        Kind::Text => Arc::new(StringArray::from(vec![Some("a"), Some("b"), None])),
        Kind::Instant => Arc::new(TimestampMicrosecondArray::from(times)),
        Kind::Duration => Arc::new(DurationMicrosecondArray::from(times)),
        Kind::TimeOfDay => Arc::new(Time64MicrosecondArray::from(times)),
    }
}
