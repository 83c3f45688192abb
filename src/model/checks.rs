//! What a model file must hold: lengths, indices and numbers that fit each other.
//!
//! In: what was read. Out: nothing, or an error that names the place.

use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, PartAnswers, Says};
use crate::outputs::Outputs;

/// A length, index or number that does not fit.
pub(super) fn refuse<T>(place: &str, reason: impl std::fmt::Display) -> Result<T> {
    Err(Error::model_file(format!("at '{place}': {reason}")))
}

pub(super) fn check_length(place: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    refuse(place, format!("{got} entries, expected {expected}"))
}

pub(super) fn check_numbers(place: &str, numbers: &[f64], expected: usize) -> Result<()> {
    check_length(place, numbers.len(), expected)?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => refuse(place, format!("entry {at} is not a finite number")),
        None => Ok(()),
    }
}

/// Refuses score columns that tell nothing of the classes.
pub(super) fn check_outputs(outputs: &Outputs) -> Result<()> {
    let Outputs { n_classes, n_columns, code, buckets, grid } = outputs;
    let n_problems = outputs.n_problems();
    let grid_fits = grid.as_ref().is_none_or(|grid| {
        let whole = n_problems.checked_mul(grid.width()) == Some(*n_columns);
        whole && !grid.layers.is_empty() && grid.is_sound(n_problems)
    });
    let problems_fit = match (code, buckets) {
        (None, None) => n_problems == *n_classes || outputs.n_told() == 1,
        (Some(code), None) => Outputs::code_fault(code, *n_classes, n_problems).is_none(),
        (None, Some(buckets)) => {
            *n_columns == 1 && grid.is_none() && buckets.is_sound(*n_classes, outputs.n_told())
        }
        (Some(_), Some(_)) => false,
    };
    let fits = grid_fits && problems_fit;
    if *n_classes < 2 || *n_columns < 1 || (outputs.is_sign() && *n_classes != 2) || !fits {
        return refuse("outputs", "the columns do not fit the classes");
    }
    Ok(())
}

/// Refuses a hypothesis whose answers do not fit the score columns.
pub(super) fn check_fit(
    hypothesis: &Hypothesis,
    column: usize,
    outputs: &Outputs,
    at: usize,
) -> Result<()> {
    let Outputs { n_columns, .. } = *outputs;
    let counts = |answers: &PartAnswers| answers.numbers.iter().all(|h| *h == 0.0 || *h == 1.0);
    let fits = match hypothesis.says() {
        Says::Number if outputs.buckets.is_some() => {
            column == 0 && hypothesis.part_answers().is_some_and(counts)
        }
        Says::Number => column < n_columns,
        Says::Class | Says::Scores(_) if outputs.grid.is_some() => false,
        Says::Class => {
            let classes = hypothesis.part_answers().map_or(&[][..], |answers| &answers.numbers);
            let is_class =
                |number: &f64| number.fract() == 0.0 && (0.0..n_columns as f64).contains(number);
            n_columns > 1 && outputs.code.is_none() && column == 0 && classes.iter().all(is_class)
        }
        Says::Scores(width) => width == n_columns && outputs.code.is_none() && column == 0,
    };
    if fits {
        return Ok(());
    }
    refuse("hypotheses", format!("the answers of number {at} do not fit the score columns"))
}

/// Refuses hypotheses, given by round and column, that are not at the nodes of a grid; `weights` are
/// those of all nodes.
pub(super) fn check_grid(
    outputs: &Outputs,
    weights: &[f64],
    places: &[(usize, usize)],
    n_rounds: usize,
) -> Result<()> {
    let Some(grid) = &outputs.grid else { return Ok(()) };
    check_length("outputs.grid.layers", grid.layers.len(), n_rounds)?;
    check_length("weights", weights.len() / n_rounds, outputs.n_columns)?;
    if !weights.iter().all(|weight| (0.0..=1.0).contains(weight)) {
        return refuse("weights", "those of a grid are probabilities");
    }
    let is_node = |(round, column): &(usize, usize)| {
        let passes = &grid.layers[*round].passes;
        grid.has_node(*round, *column) && passes.binary_search(column).is_err()
    };
    if places.iter().all(is_node) {
        return Ok(());
    }
    refuse("columns", "expected nodes of the layer that do not pass rows on")
}
