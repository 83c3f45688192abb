//! What hypotheses that test a single column add to the outputs, code by code.
//!
//! In: a model whose outputs are not moved from one to the next. Out: a step function of every such
//! column, and the hypotheses that are none. Scoring, exports and plots all read these sums.

use super::Model;
use crate::data::{Binned, Bins};

/// The sums of hypotheses that test one column.
#[derive(Debug)]
pub struct StepFunctions {
    /// By column: for every output, what is added for each code; `None` if there is nothing.
    pub by_column: Vec<Option<Vec<Vec<f64>>>>,
    /// The hypotheses that test no column or several, by their number.
    pub others: Vec<usize>,
}

impl Model {
    /// Adds up the hypotheses that test one column, in the order of the model.
    #[must_use]
    pub fn step_functions(&self) -> StepFunctions {
        let bins = self.schema.bins();
        let (n_columns, n_outputs) = (bins.len(), self.combiner.n_outputs());
        // For every column in use, a row for each of its codes.
        let mut all_codes: Vec<Option<Binned>> = (0..n_columns).map(|_| None).collect();
        let mut functions = StepFunctions { by_column: vec![None; n_columns], others: Vec::new() };
        let mut part = Vec::new();
        for (number, member) in self.members.iter().enumerate() {
            let answers = member.hypothesis.part_answers();
            let (Some(column), Some(answers)) = (single(&member.hypothesis.columns()), answers)
            else {
                functions.others.push(number);
                continue;
            };
            let n_codes = bins[column].missing() + 1;
            let data = all_codes[column].get_or_insert_with(|| codes_of(column, &bins));
            part.resize(n_codes, 0);
            member.hypothesis.find_parts(data, 0..n_codes, &mut part);
            let sums = functions.by_column[column]
                .get_or_insert_with(|| vec![vec![0.0; n_codes]; n_outputs]);
            self.combiner.part_steps(answers, member.weighted()).apply(&part, sums);
        }
        functions
    }
}

/// The only column of these, if it is one.
fn single(columns: &[usize]) -> Option<usize> {
    let first = *columns.first()?;
    columns.iter().all(|column| *column == first).then_some(first)
}

/// A row for each code of a column.
fn codes_of(column: usize, bins: &[&Bins]) -> Binned {
    let wanted: Vec<bool> = (0..bins.len()).map(|at| at == column).collect();
    Binned::block(bins, bins[column].missing() + 1, &wanted, |_, codes| {
        for (to, code) in codes.iter_mut().zip(0..) {
            *to = code;
        }
    })
}
