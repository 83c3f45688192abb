//! A stump ensemble as one step function per column.
//!
//! In: a model. Out: for each column that is used, the cuts where the sum of its stumps changes and
//! the value between them; a category column has a value per code. Scoring a row then costs one
//! search and one look-up per column, however many stumps there are.

use super::{Model, score_batches};
use crate::data::{Bins, Column, Search, Table};
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::workers::Workers;

/// The step functions of all columns that are used.
#[derive(Debug)]
pub struct Folded {
    columns: Vec<FoldedColumn>,
}

#[derive(Debug)]
struct FoldedColumn {
    column: usize,
    steps: Steps,
}

#[derive(Debug)]
enum Steps {
    /// `values[c]` for `c` cuts below x; the last value is for missing ones.
    Numbers { search: Search, values: Vec<f64> },
    /// A value per code of the feature's bins.
    Categories { values: Vec<f64> },
}

impl Folded {
    /// Adds up the stumps of each column; `None` if some hypotheses are no stumps.
    #[must_use]
    pub fn new(model: &Model) -> Option<Self> {
        let mut sums: Vec<Option<Vec<f64>>> = vec![None; model.features.len()];
        for (hypothesis, weight) in model.hypotheses.iter().zip(&model.weights) {
            let Hypothesis::Stump(stump) = hypothesis else { return None };
            let column = stump.test.column;
            let n_codes = model.features[column].bins.missing() + 1;
            let inside = stump.test.inside(n_codes);
            let sums = sums[column].get_or_insert_with(|| vec![0.0; n_codes]);
            for (code, sum) in sums.iter_mut().enumerate() {
                let answer = if inside.has(code as u16) { stump.inside } else { stump.outside };
                *sum += weight * answer;
            }
        }
        let columns = sums.into_iter().enumerate().filter_map(|(column, values)| {
            let values = values?;
            let steps = match &model.features[column].bins {
                Bins::Numbers(bins) => merge_equal(&bins.cuts, &values),
                Bins::Categories(_) => Steps::Categories { values },
            };
            Some(FoldedColumn { column, steps })
        });
        Some(Self { columns: columns.collect() })
    }

    /// The sum over columns for every row.
    pub(super) fn score(
        &self,
        model: &Model,
        table: &Table,
        workers: &Workers,
    ) -> Result<Vec<f64>> {
        let columns = table.align(&model.features, model.named)?;
        score_batches(table.n_rows(), self.columns.len(), workers, |start, scores| {
            let mut numbers = vec![0.0; scores.len()];
            let mut codes = vec![0; scores.len()];
            for folded in &self.columns {
                let (column, bins) = (&columns[folded.column], &model.features[folded.column].bins);
                folded.steps.add(column, bins, start, (&mut numbers, &mut codes), scores);
            }
        })
    }
}

impl Steps {
    fn add(
        &self,
        column: &Column,
        bins: &Bins,
        start: usize,
        scratch: (&mut [f64], &mut [u16]),
        scores: &mut [f64],
    ) {
        let (numbers, codes) = scratch;
        let values = match self {
            Self::Numbers { search, values } => {
                column.read_numbers(start, numbers);
                search.run(numbers, codes);
                values
            }
            Self::Categories { values } => {
                bins.encode(column, start, codes);
                values
            }
        };
        for (score, &code) in scores.iter_mut().zip(codes.iter()) {
            *score += values[usize::from(code)];
        }
    }
}

/// Drops the cuts between equal values.
fn merge_equal(cuts: &[f64], values: &[f64]) -> Steps {
    let mut kept = Vec::new();
    let mut merged = vec![values[0]];
    for (at, &cut) in cuts.iter().enumerate() {
        if values[at + 1] != values[at] {
            kept.push(cut);
            merged.push(values[at + 1]);
        }
    }
    merged.push(values[values.len() - 1]);
    Steps::Numbers { search: Search::new(&kept), values: merged }
}
