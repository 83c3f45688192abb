//! How rows are scored: first the codes of each column, then what they add up to.
//!
//! In: a model that reads codes, and columns. Out: what it tells of every row. The two steps are
//! apart because codes may be made long before the scores, from columns that are gone by then.

use super::blockwise::Blockwise;
use super::folded::Folded;
use super::{BATCH_ROWS, Model};
use crate::combiner::Combiner;
use crate::data::Column;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// Writes the codes of a feature, given by its number, for the rows from a row on.
pub(super) type WriteCodes<'a> = dyn Fn(usize, usize, &mut [u16]) + Sync + 'a;

/// What is made ready once for all scoring.
#[derive(Debug)]
pub(super) enum Scorer {
    Folded(Folded),
    Blockwise(Blockwise),
}

impl Scorer {
    pub(super) fn new(model: &Model) -> Self {
        match Folded::new(model) {
            Some(folded) => Self::Folded(folded),
            None => Self::Blockwise(Blockwise::new(model)),
        }
    }

    /// Writes the codes of the rows from `start` on of a feature. They are for `score` alone: other
    /// readers may number the bins of the column differently.
    pub(super) fn encode(
        &self,
        model: &Model,
        (feature, column): (usize, &Column),
        start: usize,
        codes: &mut [u16],
    ) {
        let column = (column, &model.schema.features[feature].bins);
        match self {
            Self::Folded(folded) => folded.encode(feature, column, start, codes),
            Self::Blockwise(blockwise) => blockwise.coder.encode(feature, column, start, codes),
        }
    }

    /// What the model tells of so many rows, row by row. Codes are asked for only of columns that
    /// some hypothesis looks at.
    pub(super) fn score(
        &self,
        model: &Model,
        n_rows: usize,
        workers: &Workers,
        codes: &WriteCodes,
    ) -> Result<Vec<f64>> {
        let steps = match self {
            Self::Folded(folded) => folded.steps_per_row(model),
            Self::Blockwise(blockwise) => blockwise.steps_per_row(model),
        };
        score_batches(n_rows, steps, &model.combiner, workers, |start, scores| match self {
            Self::Folded(folded) => folded.add(start, scores, codes),
            Self::Blockwise(blockwise) => blockwise.add(model, start, scores, codes),
        })
    }
}

/// Scores all rows, a batch at a time: `add(start, columns)` adds to the score columns of the rows
/// from `start` on, at a cost of so many steps for each. Returns what the columns tell.
fn score_batches(
    n_rows: usize,
    steps_per_row: usize,
    combiner: &Combiner,
    workers: &Workers,
    add: impl Fn(usize, &mut [&mut [f64]]) + Sync,
) -> Result<Vec<f64>> {
    let n_scores = combiner.n_scores();
    let mut scores_by_row = vec![0.0; n_rows * n_scores];
    let blocks = scores_by_row.chunks_mut(BLOCK_ROWS * n_scores).enumerate().collect();
    workers.map(n_rows * steps_per_row, blocks, |(block, scores_by_row)| {
        let mut scores = vec![0.0; combiner.n_outputs() * BATCH_ROWS];
        for (batch, scores_by_row) in scores_by_row.chunks_mut(BATCH_ROWS * n_scores).enumerate() {
            workers.check()?;
            let n_rows = scores_by_row.len() / n_scores;
            for (column, scores) in scores.chunks_mut(BATCH_ROWS).enumerate() {
                scores.fill(combiner.first_value(column));
            }
            let mut columns: Vec<&mut [f64]> =
                scores.chunks_mut(BATCH_ROWS).map(|column| &mut column[..n_rows]).collect();
            add(block * BLOCK_ROWS + batch * BATCH_ROWS, &mut columns);
            let columns: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
            combiner.write_scores(&columns, scores_by_row);
        }
        Ok(())
    })?;
    Ok(scores_by_row)
}
