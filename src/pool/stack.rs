//! How forests and boosted trees are put together: a factor for each under the link.
//!
//! In: scores of judged rows by members that have not seen them. Out: factors, and the scores of all
//! members together.

use super::Truth;
use super::blend::share_right;
use super::fit_boosted::Boosted;
use super::link::LinkProblem;
use super::plan::EVEN_ROWS;

/// The factor of one member alone.
pub(super) fn single_factor(scores: &[f64], truth: &Truth, n_classes: usize) -> f64 {
    let problem = LinkProblem {
        members: vec![scores],
        classes: &truth.classes,
        weights: &truth.weights,
        n_classes,
        expected: vec![1.0],
        spread: 1.0,
        bias_ridge: None,
    };
    problem.solve().factors[0]
}

/// How forests and boosted trees are put together.
pub(super) struct Stacked {
    /// Those of the forests, if there are any, and of the boosted trees.
    pub factors: [f64; 2],
    /// The scores of judged rows out of bag, row after row.
    pub scores: Vec<f64>,
    /// The share of them that is right.
    pub right: f64,
}

pub(super) fn stack(
    truth: &Truth,
    forest_scores: &[f64],
    boosted: &Boosted,
    stage: usize,
    n_classes: usize,
) -> Stacked {
    let n_rows = truth.classes.len();
    let held: Vec<usize> = (0..n_rows).filter(|&row| boosted.is_held[row]).collect();
    let pick = |scores: &[f64]| -> Vec<f64> {
        held.iter().flat_map(|row| &scores[row * n_classes..][..n_classes]).copied().collect()
    };
    let boosted_scores = &boosted.scores[stage];
    let share = 0.5 * n_rows as f64 / (n_rows as f64 + EVEN_ROWS);
    let (mut members, mut expected) = (vec![pick(boosted_scores)], vec![1.0]);
    if !forest_scores.is_empty() {
        members.insert(0, pick(forest_scores));
        expected = vec![1.0 - share, share];
    }
    let classes: Vec<u32> = held.iter().map(|&row| truth.classes[row]).collect();
    let weights: Vec<f64> = held.iter().map(|&row| truth.weights[row]).collect();
    let problem = LinkProblem {
        members: members.iter().map(Vec::as_slice).collect(),
        classes: &classes,
        weights: &weights,
        n_classes,
        expected,
        spread: 1.0,
        bias_ridge: None,
    };
    let link = problem.solve();
    let factors = match link.factors[..] {
        [forest, boosted] => [forest, boosted],
        [boosted] => [0.0, boosted],
        _ => [0.0, 0.0],
    };
    let mut scores = vec![f64::NAN; n_rows * n_classes];
    for &row in &held {
        for at in row * n_classes..(row + 1) * n_classes {
            let forest = forest_scores.get(at).map_or(0.0, |score| factors[0] * score);
            scores[at] = forest + factors[1] * boosted_scores[at];
        }
    }
    let right = share_right(&scores, truth, n_classes);
    Stacked { factors, scores, right }
}
