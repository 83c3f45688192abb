//! Programs with known answers, and what must hold for all of them.

use super::*;

fn workers() -> Workers {
    Workers::new(Some(1)).unwrap()
}

fn run(program: Program, columns: &[&[f64]], importance: &[f64]) -> Solution {
    let columns = columns.iter().map(|column| column.to_vec()).collect();
    let margins = Margins::new(importance.len(), columns).unwrap();
    let problem = Problem { program, margins: &margins, importance, start: None };
    solve(&problem, &Limits::default(), &workers()).unwrap()
}

fn assert_near(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() < 1e-7, "{got:?} instead of {expected:?}");
    }
}

/// Right on rows 0 and 1; right on rows 0 and 2.
const TWO: [&[f64]; 2] = [&[1.0, 1.0, -1.0], &[1.0, -1.0, 1.0]];

#[test]
fn hard_margin_of_two_hypotheses_that_err_once_each_is_zero() {
    let solution = run(Program::HardMargin, &TWO, &[1.0; 3]);
    assert_near(&solution.weights, &[0.5, 0.5]);
    assert_near(&[solution.objective, solution.rho.unwrap()], &[0.0, 0.0]);
    assert_near(&solution.duals, &[0.0, 0.5, 0.5]);
    assert!(solution.gap < 1e-8);
}

#[test]
fn soft_margin_with_nu_one_is_the_mean_margin() {
    let solution = run(Program::SoftMargin { c: 1.0 }, &TWO, &[1.0; 3]);
    assert_near(&[solution.objective], &[1.0 / 3.0]);
    assert_near(&solution.duals, &[1.0 / 3.0; 3]);
}
