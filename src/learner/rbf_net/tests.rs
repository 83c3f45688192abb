//! Tests of the RBF net's fit: gradients, monotone descent, weights, threads and odd samples.
#![allow(clippy::unwrap_used)]

use rand::RngExt;

use super::objective::Point;
use super::*;

fn workers(threads: i64) -> Workers {
    Workers::new(Some(threads)).unwrap()
}

fn settings(n_centers: usize, n_steps: usize) -> RbfNetSettings {
    RbfNetSettings { n_centers, n_steps, ridge: 1e-6, answer: NetAnswer::Auto }
}

/// Rows in a plane, one class inside a ring and one outside, and uneven weights.
struct Ring {
    numbers: Numbers,
    labels: Vec<f64>,
    weights: Vec<f64>,
}

impl Ring {
    fn new(n_rows: usize) -> Self {
        let mut generator = stream(7, 0);
        let rows: Vec<[f64; 2]> =
            (0..n_rows).map(|_| [0; 2].map(|_| generator.random_range(-2.0..2.0))).collect();
        let inside = |row: &[f64; 2]| row[0] * row[0] + row[1] * row[1] < 2.0;
        let labels = rows.iter().map(|row| if inside(row) { 1.0 } else { -1.0 }).collect();
        let weights = (0..n_rows).map(|_| generator.random_range(0.1..3.0)).collect();
        Self { numbers: Numbers::from_rows(&rows), labels, weights }
    }

    fn examples(&self) -> Examples<'_> {
        Examples { numbers: &self.numbers, labels: &self.labels, weights: &self.weights }
    }

    fn fit(&self, settings: &RbfNetSettings, threads: i64) -> RbfNet {
        let mut generator = stream(1, 2);
        fit_net(&self.examples(), settings, &mut generator, false, &workers(threads)).unwrap()
    }
}

fn fit_rows<const N: usize>(rows: &[[f64; N]], labels: &[f64], n_centers: usize) -> RbfNet {
    let numbers = Numbers::from_rows(rows);
    let weights = vec![1.0; rows.len()];
    let examples = Examples { numbers: &numbers, labels, weights: &weights };
    let net =
        fit_net(&examples, &settings(n_centers, 10), &mut stream(0, 0), true, &workers(1)).unwrap();
    let numbers = [&net.centers[..], &net.widths, &net.outputs].concat();
    assert!(numbers.iter().all(|x| x.is_finite()) && net.widths.iter().all(|&width| width > 0.0));
    assert_eq!(net.centers.len(), N * net.widths.len());
    net
}

/// The start of a descent with given centres and widths.
fn start(objective: &mut Objective) -> Point {
    let centers = vec![-0.8, 0.3, 0.9, 0.2, 0.1, -1.1];
    objective.start(centers, &[0.7, 1.3, 0.9]).unwrap()
}

#[test]
fn the_gradient_equals_central_differences() {
    let ring = Ring::new(60);
    let (sample, workers) = (Sample::new(&ring.examples()).unwrap(), workers(1));
    let mut objective = Objective::new(&sample, 3, 0.5, &workers);
    let point = start(&mut objective);
    let gradient = objective.gradient(&point).unwrap();
    assert_eq!(gradient.len(), 9);
    for (at, &slope) in gradient.iter().enumerate() {
        let mut error = |shift: f64| {
            let mut position = point.position.clone();
            position[at] += shift;
            objective.at(position).unwrap().error
        };
        let difference = (error(1e-5) - error(-1e-5)) / 2e-5;
        assert!((difference - slope).abs() < 1e-6 * (1.0 + slope.abs()), "{difference} {slope}");
    }
}

#[test]
fn the_output_weights_minimise_the_error() {
    let ring = Ring::new(60);
    let (sample, workers) = (Sample::new(&ring.examples()).unwrap(), workers(1));
    let mut objective = Objective::new(&sample, 3, 600.0, &workers);
    let point = start(&mut objective);
    let mean = ring.weights.iter().sum::<f64>() / 60.0;
    let error = |outputs: &[f64]| {
        let net = objective.net(Point { outputs: outputs.to_vec(), ..point.clone() }, false);
        let loss: f64 = (0..60)
            .map(|i| {
                let f: f64 = (0..3)
                    .map(|k| {
                        let [dx, dy] =
                            [0, 1].map(|j| ring.numbers.row(i)[j] - net.centers[2 * k + j]);
                        let spread = 2.0 * net.widths[k] * net.widths[k];
                        net.outputs[k] * (-(dx * dx + dy * dy) / spread).exp()
                    })
                    .sum();
                ring.weights[i] / mean * (ring.labels[i] - f).powi(2)
            })
            .sum();
        0.5 * loss + 600.0 / 120.0 * outputs.iter().map(|v| v * v).sum::<f64>()
    };
    assert!((error(&point.outputs) - point.error).abs() < 1e-12 * point.error);
    for k in 0..3 {
        for shift in [-1e-4, 1e-4] {
            let mut outputs = point.outputs.clone();
            outputs[k] += shift;
            assert!(error(&outputs) > point.error);
        }
    }
}

#[test]
fn the_error_never_rises_and_falls_well_below_the_start() {
    let ring = Ring::new(300);
    let (sample, workers) = (Sample::new(&ring.examples()).unwrap(), workers(1));
    for ridge in [1e-6, 10.0] {
        let mut objective = Objective::new(&sample, 3, ridge, &workers);
        let first = start(&mut objective);
        let errors: Vec<f64> = (0..25)
            .map(|n| descent::descend(&mut objective, first.clone(), n).unwrap().error)
            .collect();
        assert_eq!(errors[0], first.error);
        assert!(errors.windows(2).all(|pair| pair[1] <= pair[0]), "{errors:?}");
        assert!(errors[24] < 0.6 * errors[0], "{errors:?}");
    }
}

#[test]
fn integer_weights_equal_repeated_rows() {
    let mut ring = Ring::new(80);
    ring.weights = (0..80).map(|i| f64::from(i % 4)).collect();
    let copies: Vec<usize> = (0..80).flat_map(|i| vec![i; i % 4]).collect();
    let rows: Vec<[f64; 2]> =
        copies.iter().map(|&i| [ring.numbers.row(i)[0], ring.numbers.row(i)[1]]).collect();
    let repeated = Ring {
        numbers: Numbers::from_rows(&rows),
        labels: copies.iter().map(|&i| ring.labels[i]).collect(),
        weights: vec![1.0; copies.len()],
    };
    let workers = workers(1);
    let [weighted, repeated] = [&ring, &repeated].map(|ring| {
        let sample = Sample::new(&ring.examples()).unwrap();
        // The ridge that makes λ/l the same share of the total weight.
        let ridge = 1e-3 * (sample.n_rows() as f64).powi(2);
        let mut objective = Objective::new(&sample, 3, ridge, &workers);
        let first = start(&mut objective);
        let point = descent::descend(&mut objective, first, 4).unwrap();
        (point.error / sample.n_rows() as f64, objective.net(point, false))
    });
    assert!((weighted.0 - repeated.0).abs() < 1e-12);
    let numbers = |net: RbfNet| [net.centers, net.widths, net.outputs].concat();
    for (a, b) in numbers(weighted.1).into_iter().zip(numbers(repeated.1)) {
        assert!((a - b).abs() < 1e-8 * (1.0 + a.abs()), "{a} {b}");
    }
}

#[test]
fn rows_of_weight_zero_have_no_influence() {
    let mut ring = Ring::new(90);
    for row in (0..90).step_by(3) {
        ring.weights[row] = 0.0;
    }
    let kept: Vec<usize> = (0..90).filter(|row| row % 3 != 0).collect();
    let rows: Vec<[f64; 2]> =
        kept.iter().map(|&i| [ring.numbers.row(i)[0], ring.numbers.row(i)[1]]).collect();
    let fewer = Ring {
        numbers: Numbers::from_rows(&rows),
        labels: kept.iter().map(|&i| ring.labels[i]).collect(),
        weights: kept.iter().map(|&i| ring.weights[i]).collect(),
    };
    assert_eq!(ring.fit(&settings(6, 5), 1), fewer.fit(&settings(6, 5), 1));
}

#[test]
fn nets_do_not_depend_on_the_number_of_threads() {
    let ring = Ring::new(20_000);
    assert_eq!(ring.fit(&settings(8, 4), 1), ring.fit(&settings(8, 4), 2));
}

#[test]
fn the_seed_and_the_round_decide_the_start() {
    let ring = Ring::new(200);
    let fit = |seed, round| {
        let mut generator = stream(seed, round);
        fit_net(&ring.examples(), &settings(5, 2), &mut generator, false, &workers(1)).unwrap()
    };
    assert_eq!(fit(3, 4), fit(3, 4));
    assert_ne!(fit(3, 4), fit(3, 5));
    assert_ne!(fit(3, 4), fit(4, 4));
}

#[test]
fn a_ring_is_learned() {
    let ring = Ring::new(1000);
    let net = RbfNet { votes: true, ..ring.fit(&settings(8, 10), 1) };
    let answers = net.answer(&ring.numbers, &workers(1)).unwrap();
    let wrong = answers.iter().zip(&ring.labels).filter(|(a, b)| a != b).count();
    assert!(wrong < 50, "{wrong} of 1000 rows are wrong");
}

#[test]
fn one_row_is_enough() {
    let net = fit_rows(&[[3.0, -1.0]], &[-1.0], 5);
    assert_eq!((net.centers, net.widths.len()), (vec![3.0, -1.0], 1));
    assert!((net.outputs[0] + 1.0).abs() < 1e-5);
}

#[test]
fn copies_of_one_row_make_one_centre_and_answer_with_the_mean_label() {
    let net = fit_rows(&[[0.5]; 4], &[1.0, 1.0, 1.0, -1.0], 3);
    assert_eq!(net.centers, [0.5]);
    assert!((net.outputs[0] - 0.5).abs() < 1e-6);
}

#[test]
fn one_centre_starts_at_the_mean_with_the_spread_as_its_width() {
    let numbers = Numbers::from_rows(&[[0.0], [0.0], [3.0]]);
    let examples = Examples { numbers: &numbers, labels: &[1.0, 1.0, -1.0], weights: &[1.0; 3] };
    let net = fit_net(&examples, &settings(1, 0), &mut stream(0, 0), false, &workers(1)).unwrap();
    assert_eq!(net.centers, [1.0]);
    assert!((net.widths[0] - 2f64.sqrt()).abs() < 1e-15);
}

#[test]
fn centres_are_no_more_than_distinct_rows() {
    let rows = [[0.0, 1.0], [0.0, 1.0], [2.0, 1.0], [2.0, 1.0], [5.0, 1.0]];
    let net = fit_rows(&rows, &[1.0, 1.0, -1.0, -1.0, 1.0], 50);
    assert_eq!(net.widths.len(), 3);
    let answers = net.answer(&Numbers::from_rows(&rows), &workers(1)).unwrap();
    assert_eq!(answers, [1.0, 1.0, -1.0, -1.0, 1.0]);
}

#[test]
fn constant_columns_and_values_at_the_limit_do_no_harm() {
    let rows: Vec<[f64; 3]> = (0..40)
        .map(|i| [0.0, f64::from(i % 7) - 3.0, if i % 10 == 0 { 1000.0 } else { 0.0 }])
        .collect();
    let labels: Vec<f64> = (0..40).map(|i| if i % 7 < 3 { 1.0 } else { -1.0 }).collect();
    fit_rows(&rows, &labels, 6);
    fit_rows(&[[0.0, 0.0]; 10], &labels[..10], 6);
}

#[test]
fn labels_that_cannot_be_told_apart_end_in_zero_outputs() {
    let net = fit_rows(&[[1.0], [1.0], [2.0], [2.0]], &[1.0, -1.0, 1.0, -1.0], 2);
    assert!(net.outputs.iter().all(|v| v.abs() < 1e-9), "{net:?}");
}

#[test]
fn settings_out_of_range_are_refused_by_name() {
    let refusal = |settings: RbfNetSettings| settings.check().unwrap_err().to_string();
    let expected = "parameter 'n_centers': got 0, expected an integer >= 1";
    assert_eq!(refusal(settings(0, 1)), expected);
    for ridge in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(refusal(RbfNetSettings { ridge, ..settings(1, 0) }).contains("'ridge'"));
    }
    assert_eq!(settings(1, 0).check(), Ok(()));
}

#[test]
fn a_cancelled_fit_ends_with_an_error() {
    let (ring, workers) = (Ring::new(50), workers(1));
    workers.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    let fitted = fit_net(&ring.examples(), &settings(3, 3), &mut stream(0, 0), false, &workers);
    assert_eq!(fitted, Err(Error::Interrupted));
}
