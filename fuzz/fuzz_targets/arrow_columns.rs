//! Arrow arrays of any buffers that Arrow itself takes for valid, handed over through the C interface
//! as Python does, are columns that can be read, or are refused.
#![no_main]

use arrow_array::ffi::{from_ffi, to_ffi};
use arrow_array::make_array;
use arrow_data::ArrayData;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use weakforce::data::Column;

fuzz_target!(|bytes: &[u8]| {
    let mut source = Unstructured::new(bytes);
    let Ok(Some(data)) = draw_array(&mut source) else { return };
    let (array, schema) = to_ffi(&data).expect("a valid array can be handed over");
    // SAFETY: both come from `to_ffi` and are used once.
    let Ok(back) = (unsafe { from_ffi(array, &schema) }) else { return };
    let data_type = back.data_type().clone();
    let array = make_array(back);
    let n_rows = array.len();
    let Ok(column) = Column::from_chunks("x".to_owned(), &data_type, vec![array]) else { return };
    assert_eq!(column.len(), n_rows);
    if column.kind.is_category() {
        let mut codes = vec![0; n_rows];
        column.read_texts(0, &mut codes, &mut |text| u32::try_from(text.len()).unwrap_or(0));
        column.for_each_declared(&mut |_| ());
    } else {
        column.read_numbers(0, &mut vec![0.0; n_rows]);
    }
});

/// An array of some type, if its buffers are valid.
fn draw_array(source: &mut Unstructured) -> Result<Option<ArrayData>> {
    let data_type = source.choose(&types())?.clone();
    let n_rows = usize::from(source.int_in_range(0..=40u8)?);
    let offset = usize::from(source.int_in_range(0..=9u8)?);
    let nulls = source.ratio(1, 2)?.then(|| source.bytes(8).map(<[u8]>::to_vec)).transpose()?;
    let mut builder = ArrayData::builder(data_type.clone()).len(n_rows).offset(offset);
    if let DataType::Dictionary(_, values) = &data_type {
        let Some(values) = draw_plain(source, values)? else { return Ok(None) };
        builder = builder.add_child_data(values);
    }
    for _ in 0..source.int_in_range(0..=3u8)? {
        let length = usize::from(source.int_in_range(0..=255u8)?).min(source.len());
        builder = builder.add_buffer(source.bytes(length)?.to_vec().into());
    }
    let nulls = nulls.map(|bits| bits.into());
    Ok(builder.null_bit_buffer(nulls).align_buffers(true).build().ok())
}

/// The values of a dictionary.
fn draw_plain(source: &mut Unstructured, data_type: &DataType) -> Result<Option<ArrayData>> {
    let n_values = usize::from(source.int_in_range(0..=9u8)?);
    let offsets: Vec<u8> = (0..=n_values as i32).flat_map(i32::to_le_bytes).collect();
    let letters = source.bytes(n_values.min(source.len()))?.to_vec();
    let builder = ArrayData::builder(data_type.clone()).len(n_values);
    Ok(builder.add_buffer(offsets.into()).add_buffer(letters.into()).build().ok())
}

fn types() -> Vec<DataType> {
    let of = |keys: DataType| DataType::Dictionary(Box::new(keys), Box::new(DataType::Utf8));
    vec![
        DataType::Null,
        DataType::Boolean,
        DataType::Int8,
        DataType::Int64,
        DataType::UInt32,
        DataType::UInt64,
        DataType::Float16,
        DataType::Float32,
        DataType::Float64,
        DataType::Decimal128(38, 10),
        DataType::Decimal256(76, -3),
        DataType::Date32,
        DataType::Date64,
        DataType::Time32(TimeUnit::Second),
        DataType::Time64(TimeUnit::Nanosecond),
        DataType::Timestamp(TimeUnit::Second, None),
        DataType::Timestamp(TimeUnit::Nanosecond, Some("Mars/Olympus".into())),
        DataType::Duration(TimeUnit::Millisecond),
        DataType::Interval(IntervalUnit::MonthDayNano),
        DataType::Binary,
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        of(DataType::Int8),
        of(DataType::UInt64),
    ]
}
