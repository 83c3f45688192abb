//! What must hold for every program on any margins.

use proptest::prelude::*;

use super::*;

/// The conditions of Karush, Kuhn and Tucker, and what was reported, computed anew and naively.
fn check_optimality(program: Program, margins: &Margins, importance: &[f64], solution: &Solution) {
    let l = importance.len() as f64;
    let price = match program {
        Program::HardMargin => f64::INFINITY,
        Program::SoftMargin { c } | Program::Quadratic { c } => c / l,
        Program::OneNorm { c } => c,
    };
    let w = &solution.weights;
    assert!(w.iter().all(|w| *w >= 0.0));
    let target = solution.rho.unwrap_or(1.0);
    let largest = solution.duals.iter().copied().fold(1.0, f64::max);
    let near = 1e-6 * largest;
    let mut penalty = 0.0;
    for (i, &value) in importance.iter().enumerate() {
        let margin: f64 = margins.columns().iter().zip(w).map(|(column, w)| w * column[i]).sum();
        let (d, slack) = (solution.duals[i], solution.slack[i]);
        assert!((slack - (target - margin).max(0.0)).abs() < 1e-6, "slack {slack} of row {i}");
        if value == 0.0 {
            assert_eq!(d, 0.0);
            continue;
        }
        if program == Program::HardMargin {
            assert!(slack < 1e-6);
        } else {
            penalty += price * value * slack;
            assert!((price * value - d) * slack < near, "row {i} is below without paying in full");
            assert!(d <= price * value * (1.0 + 1e-12));
        }
        assert!(d >= 0.0 && d * (margin - target).max(0.0) < near, "row {i} is above and pays");
    }
    let total: f64 = w.iter().sum();
    let (objective, bound) = match program {
        Program::HardMargin | Program::SoftMargin { .. } => {
            assert!((total - 1.0).abs() < 1e-9);
            assert!((solution.duals.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            (target - penalty, solution.dual_objective)
        }
        Program::Quadratic { .. } => (penalty + w.iter().map(|w| w * w).sum::<f64>(), 0.0),
        Program::OneNorm { .. } => (penalty + total, 1.0),
    };
    for (column, w) in margins.columns().iter().zip(w) {
        let edge: f64 = column.iter().zip(&solution.duals).map(|(m, d)| m * d).sum();
        let quadratic = matches!(program, Program::Quadratic { .. });
        let room = if quadratic { 2.0 * w - edge } else { bound - edge };
        assert!(room > -near && w * room < near, "{program:?}: weight {w} with room {room}");
    }
    let scale = objective.abs().max(1.0);
    assert!((objective - solution.objective).abs() < 1e-7 * scale);
    assert!(solution.gap < 1e-7 * scale, "{program:?}: gap {}", solution.gap);
    assert!(!solution.almost);
}

fn solve_both_ways(program: Program, margins: &Margins, importance: &[f64]) -> [Solution; 2] {
    let problem = Problem { program, margins, importance, start: None };
    [usize::MAX, 0].map(|limit| {
        solve_from(&problem, limit, &Limits::default(), &workers())
            .unwrap_or_else(|error| panic!("{program:?}, whole up to {limit}: {error}"))
    })
}

#[test]
fn working_set_and_whole_program_find_the_same_optimum() {
    for seed in 0..3 {
        let importance = importance(60, seed);
        for margins in [votes(60, 9, seed), graded(60, 7, seed)] {
            for program in all_programs() {
                let [whole, part] = solve_both_ways(program, &margins, &importance);
                check_optimality(program, &margins, &importance, &whole);
                check_optimality(program, &margins, &importance, &part);
                assert_near(&[part.objective], &[whole.objective]);
                if matches!(program, Program::Quadratic { .. }) {
                    let pairs = part.weights.iter().zip(&whole.weights);
                    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-5));
                }
            }
        }
    }
}

#[test]
fn a_start_near_or_far_leads_to_the_same_optimum() {
    let (margins, importance) = (graded(300, 8, 4), importance(300, 4));
    for program in all_programs() {
        let plain = solve_plainly(program, &margins, &importance);
        let far = [0.0, 0.0, 0.5, 0.5];
        for start in [&plain.weights[..], &plain.weights[..7], &far] {
            let problem =
                Problem { program, margins: &margins, importance: &importance, start: Some(start) };
            let solution = solve_from(&problem, 10, &Limits::default(), &workers()).unwrap();
            check_optimality(program, &margins, &importance, &solution);
            assert_near(&[solution.objective], &[plain.objective]);
        }
    }
}

#[test]
fn importance_two_is_a_row_twice() {
    let margins = graded(12, 4, 2);
    let twice = margins.columns().iter().map(|column| [&column[..], &column[..3]].concat());
    let twice = Margins::new(15, twice.collect()).unwrap();
    let heavy: Vec<f64> = (0..12).map(|i| if i < 3 { 1.6 } else { 0.8 }).collect();
    for program in all_programs() {
        // The one-norm program's price is not divided by the number of rows.
        let heavier = match program {
            Program::OneNorm { c } => Program::OneNorm { c: c * 15.0 / 12.0 },
            other => other,
        };
        let (a, b) =
            (solve_plainly(heavier, &margins, &heavy), solve_plainly(program, &twice, &[1.0; 15]));
        assert_near(&[a.objective], &[b.objective]);
    }
}

#[test]
fn solutions_do_not_depend_on_the_number_of_threads() {
    let (margins, importance) = (votes(3000, 30, 8), vec![1.0; 3000]);
    let program = Program::Quadratic { c: 50.0 };
    let problem = Problem { program, margins: &margins, importance: &importance, start: None };
    let [one, three] = [1, 3].map(|threads| {
        let workers = Workers::new(Some(threads)).unwrap();
        let solution = solve(&problem, &Limits::default(), &workers).unwrap();
        (solution.weights, solution.duals, solution.objective)
    });
    assert_eq!(one, three);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_answer_is_optimal(
        n_rows in 1_usize..40,
        n_columns in 1_usize..8,
        seed in 0_u64..1000,
        exponent in -3.0..4.0_f64,
        kind in 0..4,
    ) {
        let c = 10_f64.powf(exponent);
        let program = match kind {
            0 => Program::HardMargin,
            1 => Program::SoftMargin { c: 1.0 + c },
            2 => Program::Quadratic { c },
            _ => Program::OneNorm { c: 0.1 * c },
        };
        let margins =
            if seed % 2 == 0 { votes(n_rows, n_columns, seed) } else { graded(n_rows, n_columns, seed) };
        let importance = importance(n_rows, seed);
        for solution in solve_both_ways(program, &margins, &importance) {
            check_optimality(program, &margins, &importance, &solution);
        }
    }
}
