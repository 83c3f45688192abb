//! The capped simplex and the programs over it.

use proptest::prelude::*;

use super::*;

fn caps(importance: &[f64], nu: f64) -> (Vec<f64>, Vec<f64>) {
    let l = importance.len() as f64;
    let centre: Vec<f64> = importance.iter().map(|value| value / l).collect();
    (centre.iter().map(|u| u / nu).collect(), centre)
}

fn cold<'a>(margins: &'a Margins, cap: &'a [f64], centre: &'a [f64]) -> EntropyProblem<'a> {
    EntropyProblem { margins, cap, centre, start: None, accuracy: 1e-10 }
}

fn entropy(d: &[f64], u: &[f64]) -> f64 {
    d.iter().zip(u).filter(|(d, _)| **d > 0.0).map(|(d, u)| d * (d / u).ln()).sum()
}

fn edges(margins: &Margins, d: &[f64]) -> Vec<f64> {
    let edge = |column: &Vec<f64>| column.iter().zip(d).map(|(m, d)| m * d).sum();
    margins.columns().iter().map(edge).collect()
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The same distribution by bisection on ln Z.
fn by_bisection(z: &[f64], eta: f64, cap: &[f64], centre: &[f64]) -> Vec<f64> {
    let at = |log_z: f64| -> Vec<f64> {
        (0..z.len()).map(|i| cap[i].min(centre[i] * (-eta * z[i] - log_z).exp())).collect()
    };
    let (mut low, mut high) = (-1e4, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if at(middle).iter().sum::<f64>() > 1.0 { low = middle } else { high = middle }
    }
    at(high)
}

proptest! {
    #[test]
    fn capped_distribution_is_what_bisection_finds(
        n in 1_usize..30,
        seed in 0_u64..1000,
        nu in 0.05..0.99_f64,
        eta in 0.0..300.0_f64,
    ) {
        let (cap, centre) = caps(&importance(n, seed), nu);
        let mut numbers = Numbers(seed);
        let z: Vec<f64> = (0..n).map(|_| 2.0 * numbers.next() - 1.0).collect();
        let found = capped(&z, eta, &cap, &centre).unwrap();
        let expected = by_bisection(&z, eta, &cap, &centre);
        for (a, b) in found.duals.iter().zip(&expected) {
            prop_assert!((a - b).abs() < 1e-9, "{a} instead of {b}");
        }
        let linear: f64 = found.duals.iter().zip(&z).map(|(d, z)| eta * d * z).sum();
        let value = linear + entropy(&found.duals, &centre);
        prop_assert!((found.value - value).abs() < 1e-9 * value.abs().max(1.0));
    }
}

#[test]
fn caps_that_sum_to_less_than_one_are_refused() {
    assert!(capped(&[0.0, 1.0], 1.0, &[0.4, 0.4], &[0.5, 0.5]).is_err());
    let all = capped(&[0.0, 1.0], 1.0, &[0.5, 0.5], &[0.5, 0.5]).unwrap();
    assert_near(&all.duals, &[0.5, 0.5]);
}

#[test]
fn game_satisfies_its_optimality_conditions_from_any_start() {
    for seed in 0..3 {
        for margins in [votes(80, 10, seed), graded(80, 10, seed)] {
            let (cap, centre) = caps(&importance(80, seed), 0.3);
            for eta in [0.5, 20.0, 500.0] {
                let mut problem = cold(&margins, &cap, &centre);
                let game = entropy_game(&problem, eta, &workers()).unwrap();
                assert_near(&[game.weights.iter().sum(), game.duals.iter().sum()], &[1.0, 1.0]);
                let dearest = most(&edges(&margins, &game.duals));
                let bound = dearest + entropy(&game.duals, &centre) / eta;
                assert!((bound - game.value).abs() < 1e-8, "gap {}", bound - game.value);
                problem.start = Some(&[0.0, 1.0]);
                let again = entropy_game(&problem, eta, &workers()).unwrap();
                assert!((again.value - game.value).abs() < 1e-8);
            }
        }
    }
}

#[test]
fn game_tends_to_the_soft_margin_program() {
    let (margins, nu) = (graded(50, 6, 3), 0.25);
    let importance = importance(50, 3);
    let (cap, centre) = caps(&importance, nu);
    let problem = cold(&margins, &cap, &centre);
    let game = entropy_game(&problem, 1e5, &workers()).unwrap();
    let program = solve_plainly(Program::SoftMargin { c: 1.0 / nu }, &margins, &importance);
    // Δ is at most ln(1/ν).
    let gap = game.value - program.objective;
    assert!(gap > -1e-8 && gap < -nu.ln() / 1e5 + 1e-8, "{gap}");
    let combined: Vec<f64> = (0..50).map(|i| margins.combine_row(i, &program.weights)).collect();
    let (value, rho) = soft_margin_value(&combined, &importance, nu);
    assert_near(&[value, rho], &[program.objective, program.rho.unwrap()]);
}

#[test]
fn nearest_distribution_exists_exactly_above_the_soft_margin() {
    let (margins, nu) = (votes(60, 8, 5), 0.4);
    let importance = importance(60, 5);
    let (cap, centre) = caps(&importance, nu);
    let problem = cold(&margins, &cap, &centre);
    let program = solve_plainly(Program::SoftMargin { c: 1.0 / nu }, &margins, &importance);
    for above in [1e-3, 0.05, 0.3, 2.0] {
        let bound = program.objective + above;
        let nearest = nearest_below(&problem, bound, &workers()).unwrap().unwrap();
        let edges = edges(&margins, &nearest.duals);
        assert!(most(&edges) < bound + 1e-7);
        for (edge, weight) in edges.iter().zip(&nearest.weights) {
            assert!(*weight >= 0.0 && weight * (bound - edge).abs() < 1e-7);
        }
        assert_near(&[nearest.value], &[entropy(&nearest.duals, &centre)]);
    }
    for below in [1e-3, 0.1] {
        let bound = program.objective - below;
        assert_eq!(nearest_below(&problem, bound, &workers()).unwrap(), None);
    }
}
