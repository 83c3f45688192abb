//! Programs with known answers, what must hold for all of them, and the entropy programs.

mod by_hand;
mod entropy;
mod properties;

use super::*;

fn workers() -> Workers {
    Workers::new(Some(1)).unwrap()
}

fn solve_plainly(program: Program, margins: &Margins, importance: &[f64]) -> Solution {
    let problem = Problem { program, margins, importance, start: None };
    solve(&problem, &Limits::default(), &workers()).unwrap()
}

fn run(program: Program, columns: &[&[f64]], importance: &[f64]) -> Solution {
    let columns = columns.iter().map(|column| column.to_vec()).collect();
    solve_plainly(program, &Margins::new(importance.len(), columns).unwrap(), importance)
}

fn assert_near(got: &[f64], expected: &[f64]) {
    assert_eq!(got.len(), expected.len());
    for (a, b) in got.iter().zip(expected) {
        assert!((a - b).abs() < 1e-6 * b.abs().max(1.0), "{got:?} instead of {expected:?}");
    }
}

/// A small generator of numbers that look random, from 0 to 1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Margins of votes that are right more often than not.
fn votes(n_rows: usize, n_columns: usize, seed: u64) -> Margins {
    let mut numbers = Numbers(seed.wrapping_mul(77) + 1);
    let skill: Vec<f64> = (0..n_columns).map(|_| 0.5 + 0.3 * numbers.next()).collect();
    let vote = |skill: f64, number: f64| if number < skill { 1.0 } else { -1.0 };
    let column = |&skill: &f64| (0..n_rows).map(|_| vote(skill, numbers.next())).collect();
    Margins::new(n_rows, skill.iter().map(column).collect()).unwrap()
}

/// Margins of votes that are all right as often.
fn votes_of_skill(n_rows: usize, n_columns: usize, skill: f64) -> Margins {
    let mut numbers = Numbers(7);
    let column = |_| (0..n_rows).map(|_| if numbers.next() < skill { 1.0 } else { -1.0 }).collect();
    Margins::new(n_rows, (0..n_columns).map(column).collect()).unwrap()
}

/// Margins of any size.
fn graded(n_rows: usize, n_columns: usize, seed: u64) -> Margins {
    let mut numbers = Numbers(seed.wrapping_mul(91) + 5);
    let column = |_| (0..n_rows).map(|_| 3.0 * numbers.next() - 1.0).collect();
    Margins::new(n_rows, (0..n_columns).map(column).collect()).unwrap()
}

fn importance(n_rows: usize, seed: u64) -> Vec<f64> {
    let mut numbers = Numbers(seed + 3);
    let raw: Vec<f64> =
        (0..n_rows).map(|i| if i % 7 == 3 { 0.0 } else { numbers.next() }).collect();
    let mean = raw.iter().sum::<f64>() / n_rows as f64;
    raw.iter().map(|value| value / mean).collect()
}

fn all_programs() -> Vec<Program> {
    vec![
        Program::HardMargin,
        Program::SoftMargin { c: 1.0 },
        Program::SoftMargin { c: 2.5 },
        Program::SoftMargin { c: 20.0 },
        Program::Quadratic { c: 1e-3 },
        Program::Quadratic { c: 3.0 },
        Program::Quadratic { c: 1e4 },
        Program::OneNorm { c: 1e-4 },
        Program::OneNorm { c: 0.05 },
        Program::OneNorm { c: 10.0 },
    ]
}
