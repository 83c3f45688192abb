//! A Parquet file of any bytes is left to others, is an error, or gives as many scores as it has rows.
#![no_main]

use std::fs;
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use weakforce::model::{Model, ParquetScores};
use weakforce::workers::Workers;

/// A small model of four columns, a number, a text, a whole number and a time, of which
/// `python -m tests.fuzz.seeds` writes files too.
static MODEL: LazyLock<Arc<Model>> = LazyLock::new(|| {
    let (model, _) = Model::from_json(include_bytes!("../parquet_model.json"), &[])
        .expect("the model of this folder can be read");
    Arc::new(model)
});

fuzz_target!(|bytes: &[u8]| {
    let path = std::env::temp_dir().join(format!("weakforce-fuzz-{}.parquet", std::process::id()));
    fs::write(&path, bytes).expect("the temporary folder can be written to");
    let workers = Workers::new(Some(1)).expect("one thread is there");
    for tile_cells in [50, 1 << 20] {
        let Some(mut scores) = ParquetScores::open(&MODEL, &path, tile_cells) else { continue };
        while let Ok(Some(tile)) = scores.next(&workers) {
            assert!(tile.iter().all(|score| score.is_finite()));
        }
    }
    let _ = fs::remove_file(&path);
});
