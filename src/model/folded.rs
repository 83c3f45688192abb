//! A stump ensemble as one step function per column.
//!
//! In: a model. Out: for each column that is used, the cuts where the sums of its stumps change and
//! the values between them, one for each score; a category column has values per code. Scoring a row
//! then costs one search per column and one look-up per score, however many stumps there are.

use super::scorer::WriteCodes;
use super::{Member, Model};
use crate::data::{Bins, Column, Feature, Search, search_codes};
use crate::hypothesis::Hypothesis;

/// The step functions of all columns that are used, in the order of the columns.
#[derive(Debug)]
pub struct Folded {
    columns: Vec<FoldedColumn>,
}

/// The step functions of one column, one for each score.
#[derive(Debug)]
pub(super) struct FoldedColumn {
    pub column: usize,
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
        let is_stump = |member: &Member| matches!(member.hypothesis, Hypothesis::Stump(_));
        if model.combiner.has_layers() || !model.members.iter().all(is_stump) {
            return None;
        }
        let sums = model.step_functions().by_column;
        Some(Self { columns: fold(sums, &model.schema.features) })
    }

    /// How much work a row is.
    pub(super) fn steps_per_row(&self, model: &Model) -> usize {
        self.columns.len() * model.combiner.n_outputs()
    }

    /// Writes the steps on which the rows from `start` on are, for a feature and its column.
    pub(super) fn encode(
        &self,
        feature: usize,
        column: (&Column, &Bins),
        start: usize,
        codes: &mut [u16],
    ) {
        if let Ok(at) = self.columns.binary_search_by_key(&feature, |folded| folded.column) {
            self.columns[at].encode(column, start, codes);
        }
    }

    /// Adds what all columns say of the rows from `start` on to their scores.
    pub(super) fn add(&self, start: usize, scores: &mut [&mut [f64]], write: &WriteCodes) {
        let mut codes = vec![0; scores[0].len()];
        for folded in &self.columns {
            write(folded.column, start, &mut codes);
            for (scores, values) in scores.iter_mut().zip(folded.values()) {
                for (score, &code) in scores.iter_mut().zip(&codes) {
                    *score += values[usize::from(code)];
                }
            }
        }
    }
}

/// The step functions with these values by column, score and code.
pub(super) fn fold(sums: Vec<Option<Vec<Vec<f64>>>>, features: &[Feature]) -> Vec<FoldedColumn> {
    let folded = sums.into_iter().zip(features).enumerate();
    let folded = folded.filter_map(|(column, (values, feature))| {
        let values = values?;
        let steps = match &feature.bins {
            Bins::Numbers(bins) => merge_equal(&bins.cuts, &values),
            Bins::Categories(_) => Steps::Categories { values },
        };
        Some(FoldedColumn { column, steps })
    });
    folded.collect()
}

impl FoldedColumn {
    /// Writes the steps on which the rows from `start` on are, for this column with its bins.
    pub(super) fn encode(&self, (column, bins): (&Column, &Bins), start: usize, codes: &mut [u16]) {
        match &self.steps {
            Steps::Numbers { search, .. } => search_codes(search, column, start, codes),
            Steps::Categories { .. } => bins.encode(column, start, codes),
        }
    }

    /// By score, what it has on each step.
    pub(super) fn values(&self) -> &[Vec<f64>] {
        match &self.steps {
            Steps::Numbers { values, .. } | Steps::Categories { values } => values,
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
