//! The best weights for hypotheses that are there already: a program over their margins (A6).
//!
//! In: an ensemble and the rows at hand. Out: the same ensemble under the weights that solve the
//! program, and what the program tells: its objective, how far it is from being proved, slack and
//! duals by row. Several outputs are as many programs. Rätsch, Onoda & Müller 2001, sections
//! 4.2 and 4.3.

use std::time::Instant;

use crate::booster::{RowWeights, RunReport, Target};
use crate::ensemble::Ensemble;
use crate::error::{Error, Result};
use crate::hypothesis::{AnswerKind, Answers};
use crate::model::{Member, Model};
use crate::settings::ProgramSettings;
use crate::solver::{Limits, Margins, Problem, Solution, solve};

/// A smallest margin up to this is none.
const NO_MARGIN: f64 = 1e-9;

/// Refuses a model whose hypotheses cannot be weighed one by one.
pub fn check_model(model: &Model) -> Result<()> {
    let n_outputs = model.combiner.n_outputs();
    let says_number = |member: &Member| member.hypothesis.answer_kind() == AnswerKind::Number;
    let one_by_one = model.members.is_empty() || model.history.n_weights() == n_outputs;
    if one_by_one && model.combiner.is_sum() && model.members.iter().all(says_number) {
        return Ok(());
    }
    Err(Error::parameter(
        "model",
        "one whose hypotheses share a weight over the classes, vote for classes or are not summed",
        "a model of two classes with one score, or one that is made of such by multi_class",
    ))
}

/// Gives all hypotheses the weights that solve the program.
pub fn reweight_ensemble(
    ensemble: &mut Ensemble,
    settings: &ProgramSettings,
) -> Result<Vec<RunReport>> {
    let begun = Instant::now();
    let targets = Target::of_problems(&ensemble.combiner);
    let (mut weights, mut reports) = (Vec::new(), Vec::new());
    for (output, target) in targets.into_iter().enumerate() {
        let time = settings
            .time_limit
            .map(|seconds| Limits::seconds(seconds).saturating_sub(begun.elapsed()));
        let limits = Limits { time, ..Limits::default() };
        let rows = RowWeights::start(&ensemble.train.prepared.rows, target);
        let solution = solve_output(ensemble, output, &rows, settings, &limits)?;
        reports.push(report(ensemble, &rows, solution.as_ref(), settings));
        weights.push(match solution {
            Some(solution) if settings.keep_inseparable && solution.objective <= NO_MARGIN => {
                current_weights(ensemble, output)
            }
            Some(solution) => solution.weights,
            None => Vec::new(),
        });
    }
    if ensemble.history.boosted.is_empty() {
        ensemble.history.boosted.clone_from(&ensemble.history.weights);
    }
    ensemble.replace_weights(&weights);
    if settings.prune {
        ensemble.prune();
    }
    ensemble.settle()?;
    Ok(reports)
}

/// The weights of one output, scaled to sum to 1.
fn current_weights(ensemble: &Ensemble, output: usize) -> Vec<f64> {
    let members = ensemble.members.iter().filter(|member| member.output == output);
    let weights: Vec<f64> = members.map(|member| member.weight).collect();
    let total: f64 = weights.iter().map(|weight| weight.abs()).sum();
    weights.iter().map(|weight| weight / total.max(f64::MIN_POSITIVE)).collect()
}

/// Solves the program of one output; `None` if it has no hypotheses.
fn solve_output(
    ensemble: &Ensemble,
    output: usize,
    rows: &RowWeights,
    settings: &ProgramSettings,
    limits: &Limits,
) -> Result<Option<Solution>> {
    let members = ensemble.members.iter().filter(|member| member.output == output);
    let view = &ensemble.train.prepared.view;
    let mut answers = Answers::default();
    let mut columns = Vec::new();
    for member in members {
        ensemble.workers.check()?;
        member.hypothesis.answer(view, ensemble.workers, &mut answers)?;
        columns.push(rows.margins(&answers.numbers(0)));
    }
    if columns.is_empty() {
        return Ok(None);
    }
    let margins = Margins::new(rows.n_places(), columns)?;
    let importance = rows.importance();
    // The program counts places where the user counts rows.
    let rows_per_place = rows.n_input_rows() as f64 / rows.n_places() as f64;
    let program = settings.program(rows_per_place);
    let problem = Problem { program, margins: &margins, importance: &importance, start: None };
    solve(&problem, limits, ensemble.workers).map(Some)
}

/// What the program of one output tells.
fn report(
    ensemble: &Ensemble,
    rows: &RowWeights,
    solution: Option<&Solution>,
    settings: &ProgramSettings,
) -> RunReport {
    let mut report = RunReport::of_program(rows, solution);
    let duals = solution.map_or(0.0, |solution| solution.duals.iter().sum());
    report.numbers.extend([
        ("solve_time", vec![solution.map_or(f64::NAN, |solution| solution.seconds)]),
        ("nu", vec![duals * settings.nu_per_dual(rows.n_input_rows())]),
    ]);
    report.by_row(rows, ensemble.train.prepared.rows.len())
}
