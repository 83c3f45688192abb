//! A model file of any bytes is refused, or holds a model that can be written, read again and asked.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use weakforce::data::Table;
use weakforce::model::{Given, Model};
use weakforce::workers::Workers;

use weakforce_fuzz::rows_for;

fuzz_target!(|bytes: &[u8]| {
    let Ok((model, _)) = Model::from_json(bytes, &[]) else { return };
    let written = model.to_json(Value::Null).expect("a model that was read can be written");
    let (again, _) = Model::from_json(&written, &[]).expect("what was written can be read");
    let workers = Workers::new(Some(1)).expect("one thread is there");
    let columns = rows_for(&again.schema.features);
    let table = Table::new(columns, again.schema.named, 3).expect("names and lengths agree");
    let given = Given { table, external: None };
    // Scores that are not finite are an error, and any other is fine too, as long as it is one.
    let _ = Arc::new(again).decision_function(&given, &workers);
});
