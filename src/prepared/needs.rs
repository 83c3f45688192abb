//! How much memory a fit needs, before it takes any.

use super::Problem;
use crate::booster::Decomposition;
use crate::data::{FrameSource, ViewKind};
use crate::memory::Need;
use crate::settings::Settings;

/// The memory for what a learner reads of the rows.
pub(super) fn view_need(source: &FrameSource, settings: &Settings) -> Need<'static> {
    // Column by column and, if the rows are in memory anyway, row by row.
    let n_arrangements = if matches!(source, FrameSource::Tiles(_)) { 1 } else { 2 };
    let counts = [source.n_rows(), source.n_columns(), n_arrangements];
    match settings.estimator.view_kind() {
        ViewKind::Codes if settings.max_bins < 256 => Need::numbers("codes of rows", &counts, 1),
        ViewKind::Codes => Need::numbers("codes of rows", &counts, 2),
        ViewKind::Numbers => Need::numbers("numbers of rows", &counts[..2], 8),
        ViewKind::Frame => Need::numbers("rows of the caller", &counts[..2], 0),
    }
}

/// The memory for the scores and answers of every row and output, and for the weights of the rows that
/// take part in what an output tells apart.
pub(super) fn output_needs(problem: &Problem, settings: &Settings) -> [Need<'static>; 2] {
    let (n_rows, n_classes) = (problem.train.source.n_rows(), settings.n_classes);
    let (n_outputs, n_weighted) = match &settings.decomposition {
        // A class has a part in one problem with each other one.
        Some(Decomposition::OneVsOne) => (n_classes * (n_classes - 1) / 2, n_classes - 1),
        Some(other) => (other.n_problems(n_classes), other.n_problems(n_classes)),
        None if n_classes == 2 => (1, 1),
        None => (n_classes, n_classes),
    };
    [
        // A score and the part of a hypothesis.
        Need::numbers("scores of rows by class or problem", &[n_rows, n_outputs], 8 + 2),
        // As a number and in fixed point.
        Need::numbers("weights of rows by class or problem", &[n_rows, n_weighted], 8 + 8),
    ]
}
