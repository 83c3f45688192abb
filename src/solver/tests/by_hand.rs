//! Programs that can be solved by hand, and the edges of what may come in.

use std::time::Duration;

use super::*;

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

#[test]
fn quadratic_program_by_hand() {
    // All rows below the margin: b = C/6.
    let solution = run(Program::Quadratic { c: 1.0 }, &TWO, &[1.0; 3]);
    assert_near(&solution.weights, &[1.0 / 6.0, 1.0 / 6.0]);
    assert_near(&[solution.objective], &[17.0 / 18.0]);
    assert_near(&solution.duals, &[1.0 / 3.0; 3]);
    assert_near(&solution.slack, &[2.0 / 3.0, 1.0, 1.0]);
    // Row 0 at the margin.
    let solution = run(Program::Quadratic { c: 10.0 }, &TWO, &[1.0; 3]);
    assert_near(&solution.weights, &[0.5, 0.5]);
    assert_near(&[solution.objective], &[0.5 + 20.0 / 3.0]);
    assert_near(&solution.duals, &[1.0, 10.0 / 3.0, 10.0 / 3.0]);
}

#[test]
fn one_norm_program_by_hand() {
    let solution = run(Program::OneNorm { c: 0.5 }, &TWO, &[1.0; 3]);
    assert_eq!(solution.weights, [0.0, 0.0]);
    assert_near(&[solution.objective], &[1.5]);
    let solution = run(Program::OneNorm { c: 2.0 }, &TWO, &[1.0; 3]);
    assert_near(&[solution.objective, solution.weights.iter().sum()], &[5.0, 1.0]);
}

#[test]
fn a_perfect_hypothesis_gets_all_the_weight() {
    let columns: [&[f64]; 2] = [&[1.0; 4], &[1.0, -1.0, 1.0, -1.0]];
    for c in [1.0, 3.0, 100.0] {
        let solution = run(Program::SoftMargin { c }, &columns, &[1.0; 4]);
        assert_near(&solution.weights, &[1.0, 0.0]);
        assert_eq!(solution.weights[1], 0.0);
        assert_near(&[solution.objective], &[1.0]);
    }
    assert_near(&run(Program::HardMargin, &columns, &[1.0; 4]).weights, &[1.0, 0.0]);
    let solution = run(Program::Quadratic { c: 1e6 }, &columns, &[1.0; 4]);
    assert_near(&solution.weights, &[1.0, 0.0]);
    assert_near(&[solution.objective], &[1.0]);
}

#[test]
fn hypotheses_that_are_always_wrong_get_no_weight_where_they_need_none() {
    let columns: [&[f64]; 2] = [&[-1.0; 3], &[-1.0; 3]];
    for program in [Program::Quadratic { c: 5.0 }, Program::OneNorm { c: 5.0 }] {
        let solution = run(program, &columns, &[1.0; 3]);
        assert_eq!(solution.weights, [0.0, 0.0]);
        assert_near(&solution.slack, &[1.0; 3]);
    }
    assert_near(&[run(Program::HardMargin, &columns, &[1.0; 3]).objective], &[-1.0]);
    assert_near(&[run(Program::SoftMargin { c: 2.0 }, &columns, &[1.0; 3]).objective], &[-1.0]);
}

#[test]
fn one_row_one_column_and_all_margins_zero_are_solved() {
    for program in all_programs() {
        for column in [&[0.7][..], &[0.7, -0.2, 0.1], &[0.0; 3], &[0.5, -0.5]] {
            let solution = run(program, &[column, column], &vec![1.0; column.len()]);
            assert!(solution.gap < 1e-7 * solution.objective.abs().max(0.1), "{solution:?}");
        }
    }
}

#[test]
fn weight_goes_to_the_first_of_equal_columns_but_is_shared_in_the_quadratic_program() {
    let columns: [&[f64]; 3] = [&[1.0, 1.0, -0.5], &[1.0, 1.0, -0.5], &[0.2, -1.0, 1.0]];
    let shared = run(Program::Quadratic { c: 30.0 }, &columns, &[1.0; 3]).weights;
    assert!(shared[0] > 0.0 && shared[0] == shared[1]);
    for program in [Program::SoftMargin { c: 2.0 }, Program::OneNorm { c: 10.0 }] {
        let weights = run(program, &columns, &[1.0; 3]).weights;
        assert!(weights[0] > 0.0 && weights[1] == 0.0, "{weights:?}");
    }
}

#[test]
fn capacity_below_one_is_refused_by_name() {
    let margins = Margins::new(1, vec![vec![1.0]]).unwrap();
    for program in [
        Program::SoftMargin { c: 0.5 },
        Program::SoftMargin { c: f64::NAN },
        Program::Quadratic { c: 0.0 },
        Program::OneNorm { c: f64::INFINITY },
    ] {
        let problem = Problem { program, margins: &margins, importance: &[1.0], start: None };
        let error = solve(&problem, &Limits::default(), &workers()).unwrap_err();
        assert!(matches!(&error, Error::Parameter { name, .. } if name == "C"), "{error}");
    }
}

#[test]
fn limits_end_in_errors_that_advise() {
    let margins = votes(600, 12, 1);
    let program = Program::Quadratic { c: 100.0 };
    let problem = Problem { program, margins: &margins, importance: &[1.0; 600], start: None };
    let no_time = Limits { time: Some(Duration::from_nanos(1)), ..Limits::default() };
    let error = solve(&problem, &no_time, &workers()).unwrap_err();
    assert_eq!(error.kind(), crate::error::ErrorKind::Runtime);
    assert!(error.to_string().contains("time limit"), "{error}");
    assert!(error.to_string().contains("C=1e2"), "{error}");
}

#[test]
fn where_clarabel_fails_the_interior_point_is_the_answer_with_its_gap() {
    let (margins, importance) = (votes(600, 12, 1), vec![1.0; 600]);
    let one_step = Limits { max_iterations: 1, ..Limits::default() };
    for program in [
        Program::HardMargin,
        Program::SoftMargin { c: 2.5 },
        Program::Quadratic { c: 100.0 },
        Program::OneNorm { c: 0.05 },
    ] {
        let problem = Problem { program, margins: &margins, importance: &importance, start: None };
        let exact = solve(&problem, &Limits::default(), &workers()).unwrap();
        for whole_up_to in [0, usize::MAX] {
            let found = solve_from(&problem, whole_up_to, &one_step, &workers()).unwrap();
            let size = exact.objective.abs().max(0.1);
            assert!(found.gap <= 1e-2 * size, "{program:?}: {}", found.gap);
            assert!((found.objective - exact.objective).abs() <= found.gap + 1e-9 * size);
            assert!(found.weights.iter().all(|weight| *weight >= 0.0));
        }
    }
}

#[test]
fn programs_with_thousands_of_rows_at_the_kink_end_at_the_interior_point() {
    // No vote is better than another, so that the optimum is zero and all margins are.
    let (margins, importance) = (votes_of_skill(4_000, 14, 0.5), vec![1.0; 4_000]);
    let program = Program::SoftMargin { c: 5.0 };
    let problem = Problem { program, margins: &margins, importance: &importance, start: None };
    let found = solve(&problem, &Limits::default(), &workers()).unwrap();
    assert!(found.gap <= 1e-8, "{}", found.gap);
    assert!((found.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn a_raised_flag_ends_the_search() {
    let workers = workers();
    workers.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let margins = votes(20, 3, 1);
    let program = Program::HardMargin;
    let problem = Problem { program, margins: &margins, importance: &[1.0; 20], start: None };
    assert_eq!(solve(&problem, &Limits::default(), &workers), Err(Error::Interrupted));
}

#[test]
fn margins_and_importance_are_checked() {
    assert!(Margins::new(2, vec![vec![1.0]]).is_err());
    assert!(Margins::new(1, vec![vec![f64::NAN]]).is_err());
    assert!(Margins::new(0, vec![]).is_err());
    let margins = Margins::new(2, vec![vec![1.0, -1.0]]).unwrap();
    for importance in [&[1.0][..], &[0.0, 0.0], &[1.0, -1.0]] {
        let program = Program::HardMargin;
        let problem = Problem { program, margins: &margins, importance, start: None };
        assert!(solve(&problem, &Limits::default(), &workers()).is_err());
    }
}
