//! How rows are scored: first the codes of each column, then what they add up to.
//!
//! In: a model that reads codes, and columns. Out: what it tells of every row. The two steps are
//! apart because codes may be made long before the scores, from columns that are gone by then.

use super::blockwise::Blockwise;
use super::folded::Folded;
use super::{BATCH_ROWS, Model, tested_columns};
use crate::combiner::Combiner;
use crate::data::Column;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// The most outputs of rows that are scored together; with tens of thousands of outputs, few rows.
const BATCH_NUMBERS: usize = 1 << 22;

/// The most numbers that step functions may take.
const FOLDED_NUMBERS: usize = 1 << 25;

/// Whether the step functions of all columns are few enough to be made: there is one for each output.
fn folds_into_memory(model: &Model) -> bool {
    let tested = tested_columns(&model.members, model.schema.features.len());
    let codes = model.schema.features.iter().zip(tested).filter(|(_, tested)| *tested);
    let n_codes: usize = codes.map(|(feature, _)| feature.bins.missing() + 1).sum();
    n_codes.saturating_mul(model.combiner.n_outputs()) <= FOLDED_NUMBERS
}

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
        let folded = if folds_into_memory(model) { Folded::new(model) } else { None };
        match folded {
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
        let batch_rows =
            (BATCH_NUMBERS / combiner.n_outputs()).clamp(1, BATCH_ROWS.min(n_rows.max(1)));
        let mut scores = vec![0.0; combiner.n_outputs() * batch_rows];
        for (batch, scores_by_row) in scores_by_row.chunks_mut(batch_rows * n_scores).enumerate() {
            workers.check()?;
            let n_rows = scores_by_row.len() / n_scores;
            for (column, scores) in scores.chunks_mut(batch_rows).enumerate() {
                scores.fill(combiner.first_value(column));
            }
            let mut columns: Vec<&mut [f64]> =
                scores.chunks_mut(batch_rows).map(|column| &mut column[..n_rows]).collect();
            add(block * BLOCK_ROWS + batch * batch_rows, &mut columns);
            let columns: Vec<&[f64]> = columns.iter().map(|column| &**column).collect();
            combiner.write_scores(&columns, scores_by_row);
        }
        Ok(())
    })?;
    Ok(scores_by_row)
}
