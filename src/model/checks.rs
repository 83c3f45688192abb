//! What a model file must hold: lengths, indices and numbers that fit each other.
//!
//! In: what was read. Out: nothing, or an error that names the field.

use super::{History, Member};
use crate::combiner::{Buckets, Combiner, Placed};
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;

/// A length, index or number that does not fit.
pub(super) fn refuse<T>(field: &str, reason: impl std::fmt::Display) -> Result<T> {
    Err(Error::model_file(format!("at '{field}': {reason}")))
}

pub(super) fn check_length(field: &str, got: usize, expected: usize) -> Result<()> {
    if got == expected {
        return Ok(());
    }
    refuse(field, format!("{got} entries, expected {expected}"))
}

pub(super) fn check_numbers(field: &str, numbers: &[f64], expected: usize) -> Result<()> {
    check_length(field, numbers.len(), expected)?;
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => refuse(field, format!("entry {at} is not a finite number")),
        None => Ok(()),
    }
}

fn are_finite(numbers: &[f64]) -> bool {
    numbers.iter().all(|number| number.is_finite())
}

/// Refuses to write hypotheses with answers that no file holds.
pub(super) fn check_answers<'a>(hypotheses: impl Iterator<Item = &'a Hypothesis>) -> Result<()> {
    for (at, hypothesis) in hypotheses.enumerate() {
        let is_fine = match hypothesis {
            Hypothesis::RbfNet(net) => {
                [&net.centers, &net.widths, &net.outputs].into_iter().all(|n| are_finite(n))
            }
            other => other.part_answers().is_none_or(|answers| are_finite(&answers.numbers)),
        };
        if !is_fine {
            return Err(Error::NotFinite { what: format!("the answers of hypothesis {at}") });
        }
    }
    Ok(())
}

/// Refuses to write numbers that no file holds, because JSON has none for them.
pub(super) fn check_writable(
    combiner: &Combiner,
    members: &[Member],
    history: &History,
) -> Result<()> {
    let fault = |field: &str| Error::NotFinite { what: field.to_owned() };
    for (field, numbers) in history.numbers() {
        if !are_finite(numbers) {
            return Err(fault(field));
        }
    }
    check_answers(members.iter().map(|member| &member.hypothesis))?;
    let is_fine = |table: &Buckets| {
        are_finite(&table.losses)
            && are_finite(&table.weights)
            && are_finite(table.stage(usize::MAX))
    };
    if combiner.all_tables().iter().all(is_fine) { Ok(()) } else { Err(fault("the tables")) }
}

/// Refuses numbers that do not fit so many rounds; returns how many weights each round has: one, or
/// one for each output.
pub(super) fn check_history(history: &History, n_rounds: usize, n_outputs: usize) -> Result<usize> {
    let n_weights = history.weights.len().checked_div(n_rounds).unwrap_or(0);
    let n_weights = if n_weights == n_outputs { n_weights } else { 1 };
    for (field, numbers) in
        [("weights", &history.weights), ("edges", &history.edges), ("errors", &history.errors)]
    {
        check_numbers(field, numbers, n_rounds * n_weights)?;
    }
    if !history.boosted.is_empty() {
        check_numbers("boosted", &history.boosted, n_rounds * n_weights)?;
    }
    check_numbers("train_scores", &history.train_scores, n_rounds)?;
    for (field, numbers) in [
        ("validation_scores", &history.validation_scores),
        ("train_costs", &history.train_costs),
        ("validation_costs", &history.validation_costs),
    ] {
        check_numbers(field, numbers, if numbers.is_empty() { 0 } else { n_rounds })?;
    }
    Ok(n_weights)
}

/// The round and the output of each hypothesis, which must ascend.
pub(super) fn check_positions(
    rounds: Vec<usize>,
    outputs: Vec<usize>,
    n_rounds: usize,
) -> Result<Vec<(usize, usize)>> {
    if rounds.iter().any(|&round| round >= n_rounds) {
        return refuse("rounds", format!("expected numbers below {n_rounds}"));
    }
    let positions: Vec<(usize, usize)> = rounds.into_iter().zip(outputs).collect();
    if !positions.is_sorted_by(|before, after| before < after) {
        return refuse("rounds", "rounds, and outputs within a round, must ascend");
    }
    Ok(positions)
}

/// Refuses a hypothesis whose answers the combiner cannot use at its output.
pub(super) fn check_fit(
    hypothesis: &Hypothesis,
    output: usize,
    combiner: &Combiner,
    at: usize,
) -> Result<()> {
    let answers = hypothesis.part_answers();
    if combiner.takes(&Placed { says: hypothesis.answer_kind(), answers, output }) {
        return Ok(());
    }
    refuse("hypotheses", format!("the answers of number {at} do not fit the outputs"))
}
