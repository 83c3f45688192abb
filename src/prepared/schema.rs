//! What a model must remember of the columns: bins, or means and deviations.
//!
//! In: a schema without them, the rows that train, and where their columns come from. Out: the schema
//! with them.

use std::sync::{Mutex, PoisonError};

use crate::data::{
    BinLearner, Bins, Column, FrameSource, Rows, SampledRows, Scaling, Schema, ViewKind,
};
use crate::error::Result;
use crate::workers::Workers;

/// What a model must remember of the columns, learned from the rows that train.
pub(super) fn learn_schema(
    mut schema: Schema,
    source: &FrameSource,
    (rows, max_bins): (&Rows, usize),
    workers: &Workers,
) -> Result<Schema> {
    match (schema.view, source) {
        (ViewKind::Codes, FrameSource::Table(table)) => {
            let columns = table.align(&schema)?;
            schema.set_bins(Bins::fit(&columns, rows, max_bins, workers)?);
        }
        (ViewKind::Codes, FrameSource::Tiles(_)) => {
            let bins = learn_from_tiles(source, &schema, (rows, max_bins), workers)?;
            schema.set_bins(bins);
        }
        (ViewKind::Numbers, FrameSource::Table(table)) => {
            let scalings = Scaling::fit(&table.align(&schema)?, rows, workers)?;
            for (feature, scaling) in schema.features.iter_mut().zip(scalings) {
                feature.scaling = Some(scaling);
            }
        }
        _ => {}
    }
    Ok(schema)
}

/// The bins of every column of rows that come in tiles.
fn learn_from_tiles(
    source: &FrameSource,
    schema: &Schema,
    (rows, max_bins): (&Rows, usize),
    workers: &Workers,
) -> Result<Vec<Bins>> {
    let picks = rows.sample();
    let sampled = SampledRows { rows, picks: &picks };
    let kinds = schema.features.iter().map(|feature| feature.kind);
    let mut learners: Vec<BinLearner> = kinds.map(|kind| BinLearner::new(kind, max_bins)).collect();
    let shared: Vec<Mutex<&mut BinLearner>> = learners.iter_mut().map(Mutex::new).collect();
    let see = |place: usize, column: &Column, first: usize| {
        let mut learner = shared[place].lock().unwrap_or_else(PoisonError::into_inner);
        learner.see((column, first), &sampled, workers)
    };
    let seen = source.for_each_column(schema, workers, &see);
    drop(shared);
    BinLearner::finish_all(seen.map(|()| learners), workers)
}
