//! A stump ensemble as one step function per column.
//!
//! In: a model. Out: for each column that is used, the cuts where the sums of its stumps change and
//! the values between them, one for each score; a category column has values per code. Scoring a row
//! then costs one search per column and one look-up per score, however many stumps there are.

use super::{Model, score_batches};
use crate::data::{Bins, Column, Search, Table};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Says};
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
    /// By score, `values[c]` for `c` cuts below x; the last value is for missing ones.
    Numbers { search: Search, values: Vec<Vec<f64>> },
    /// By score, a value per code of the feature's bins.
    Categories { values: Vec<Vec<f64>> },
}

impl Folded {
    /// Adds up the stumps of each column; `None` if some hypotheses are no stumps, or move mass.
    #[must_use]
    pub fn new(model: &Model) -> Option<Self> {
        if model.outputs.grid.is_some() {
            return None;
        }
        let n_scores = model.outputs.n_columns;
        let mut sums: Vec<Option<Vec<Vec<f64>>>> = vec![None; model.features.len()];
        for member in &model.members {
            let Hypothesis::Stump(stump) = &member.hypothesis else { return None };
            let column = stump.test.column;
            let n_codes = model.features[column].bins.missing() + 1;
            let inside = stump.test.inside(n_codes);
            let sums = sums[column].get_or_insert_with(|| vec![vec![0.0; n_codes]; n_scores]);
            for code in 0..n_codes {
                let answer = stump.answers.part(usize::from(inside.has(code as u16)));
                match stump.answers.says {
                    Says::Number => sums[member.column][code] += member.weight * answer[0],
                    Says::Class => sums[answer[0] as usize][code] += member.weight,
                    Says::Scores(_) => {
                        for (sums, answer) in sums.iter_mut().zip(answer) {
                            sums[code] += member.weight * answer;
                        }
                    }
                }
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
        let steps = self.columns.len() * model.outputs.n_columns;
        score_batches(table.n_rows(), steps, &model.outputs, workers, |start, scores| {
            let mut numbers = vec![0.0; scores[0].len()];
            let mut codes = vec![0; scores[0].len()];
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
        scores: &mut [&mut [f64]],
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
        for (scores, values) in scores.iter_mut().zip(values) {
            for (score, &code) in scores.iter_mut().zip(codes.iter()) {
                *score += values[usize::from(code)];
            }
        }
    }
}

/// Drops the cuts between values that are equal in all scores.
fn merge_equal(cuts: &[f64], values: &[Vec<f64>]) -> Steps {
    let differs = |at: &usize| values.iter().any(|values| values[at + 1] != values[*at]);
    let kept: Vec<usize> = (0..cuts.len()).filter(differs).collect();
    let merge = |values: &Vec<f64>| {
        let after_cuts = kept.iter().map(|at| values[at + 1]);
        let missing = values[values.len() - 1];
        std::iter::once(values[0]).chain(after_cuts).chain([missing]).collect()
    };
    let search = Search::new(&kept.iter().map(|&at| cuts[at]).collect::<Vec<_>>());
    Steps::Numbers { search, values: values.iter().map(merge).collect() }
}
