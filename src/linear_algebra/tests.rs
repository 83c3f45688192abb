//! Products, factors and solutions against naive loops, and wide instructions against plain ones.

use proptest::prelude::*;
use rand::RngExt;

use super::cholesky::{Factor, Solve, with_full_diagonal};
use super::gram::{AddProducts, DEPTH, Strips};
use super::symmetric::SymmetricMatrix;
use super::tile::{SIDE, Tile};
use super::wide::{Kernel, run_wide};
use super::{Cholesky, gram_of_columns, gram_of_rows};
use crate::random::stream;

/// Sizes at the borders of tiles, of blocks of tiles and of what is summed at once, and any others.
fn sizes() -> impl Strategy<Value = usize> {
    let borders = vec![0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 71, 127, 128, 129, 135, 136, 137];
    prop_oneof![prop::sample::select(borders), 0_usize..80]
}

/// Numbers between −1 and 1.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut generator = stream(seed, 0);
    (0..n).map(|_| generator.random_range(-1.0..1.0)).collect()
}

prop_compose! {
    /// A matrix, row after row, and how many columns it has.
    fn matrices()(
        n_rows in prop_oneof![sizes(), 250_usize..270],
        n_columns in sizes(),
        seed in any::<u64>(),
    ) -> (Vec<f64>, usize) {
        (numbers(n_rows * n_columns, seed), n_columns)
    }
}

prop_compose! {
    /// A positive definite matrix, the more ill-conditioned the smaller its ridge, and a vector.
    fn equations()(n in sizes(), power in -8_i32..1, seed in any::<u64>())
        -> (SymmetricMatrix, Vec<f64>)
    {
        let mut matrix = gram_of_rows(&numbers(n * n, seed), n);
        for i in 0..n {
            matrix[(i, i)] += 10_f64.powi(power);
        }
        (matrix, numbers(n, !seed))
    }
}

/// `AᵀA` at (i, j), its terms added from the first to the last, `DEPTH` at a time.
fn naive_gram(rows: &[f64], n_columns: usize, (i, j): (usize, usize)) -> f64 {
    let mut total = 0.0;
    for rows in rows.chunks(DEPTH * n_columns) {
        let mut sum = 0.0;
        for row in rows.chunks(n_columns) {
            sum += row[i] * row[j];
        }
        total += sum;
    }
    total
}

/// The factor of a matrix by the formula of the textbook.
fn naive_factor(matrix: &SymmetricMatrix) -> Vec<Vec<f64>> {
    let mut factor: Vec<Vec<f64>> = Vec::new();
    for i in 0..matrix.size {
        let mut row: Vec<f64> = Vec::new();
        for j in 0..=i {
            let before = if j == i { &row } else { &factor[j] };
            let known: f64 = (0..j).map(|k| row[k] * before[k]).sum();
            let left = matrix[(i, j)] - known;
            row.push(if j < i { left / factor[j][j] } else { left.sqrt() });
        }
        factor.push(row);
    }
    factor
}

/// A v.
fn times(matrix: &SymmetricMatrix, v: &[f64]) -> Vec<f64> {
    (0..v.len()).map(|i| (0..v.len()).map(|j| matrix[(i, j)] * v[j]).sum()).collect()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |most, value| most.max(value.abs()))
}

fn bits(tiles: &[Tile]) -> Vec<u64> {
    tiles.as_flattened().as_flattened().iter().map(|cell| cell.to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn gram_is_the_naive_sum_to_the_bit((rows, n) in matrices()) {
        let n_rows = rows.len() / n.max(1);
        let columns: Vec<f64> =
            (0..n).flat_map(|j| (0..n_rows).map(move |k| (k, j))).map(|(k, j)| rows[k * n + j]).collect();
        let (by_rows, by_columns) = (gram_of_rows(&rows, n), gram_of_columns(&columns, n));
        for i in 0..n {
            for j in 0..n {
                let naive = naive_gram(&rows, n, (i, j));
                prop_assert_eq!(by_rows[(i, j)], naive);
                prop_assert_eq!(by_columns[(i, j)], naive);
            }
        }
    }

    #[test]
    fn factor_is_that_of_the_textbook((matrix, _) in equations()) {
        let size = matrix.size;
        let naive = naive_factor(&matrix);
        let cholesky = Cholesky::new(matrix.clone()).unwrap();
        let found = SymmetricMatrix { size, tiles: cholesky.tiles };
        let most = (0..size).map(|i| naive[i][i]).fold(0.0, f64::max);
        for i in 0..size {
            for j in 0..=i {
                let cell = if i == j { found[(i, j)].recip() } else { found[(i, j)] };
                // The least pivot is 10⁻⁴ or more, which is what rounding is divided by.
                prop_assert!((cell - naive[i][j]).abs() <= 1e-9 * most, "{i}, {j}: {cell}");
            }
        }
    }

    #[test]
    fn solutions_solve((matrix, v) in equations()) {
        let solution = Cholesky::new(matrix.clone()).unwrap().solve(&v);
        prop_assert_eq!(solution.len(), v.len());
        let scale = largest(matrix.tiles.as_flattened().as_flattened()) * largest(&solution);
        for (product, v) in times(&matrix, &solution).iter().zip(&v) {
            prop_assert!((product - v).abs() <= 1e-12 * (scale + v.abs()), "{product} {v}");
        }
    }

    #[test]
    fn a_negative_pivot_anywhere_is_found((matrix, _) in equations(), place in any::<prop::sample::Index>()) {
        prop_assume!(matrix.size > 0);
        let place = place.index(matrix.size);
        for value in [-1.0, 0.0, f64::NAN, f64::INFINITY] {
            let mut broken = matrix.clone();
            broken[(place, place)] = value;
            prop_assert!(Cholesky::new(broken).is_none(), "{value} at {place}");
        }
    }

    #[test]
    fn an_extended_matrix_has_a_row_of_zeros((mut matrix, _) in equations()) {
        let before = matrix.clone();
        matrix.extend();
        for i in 0..=before.size {
            prop_assert_eq!(matrix[(before.size, i)], 0.0);
            for j in 0..i.min(before.size) {
                prop_assert_eq!(matrix[(j, i)], if i < before.size { before[(j, i)] } else { 0.0 });
            }
        }
        prop_assert!(Cholesky::new(matrix).is_none());
    }

    #[test]
    fn wide_instructions_give_the_same_bits((rows, n) in matrices(), (matrix, v) in equations()) {
        if n > 0 {
            let rows = &rows[..rows.len().min(DEPTH * n)];
            let mut strips = Strips::new(rows.len() / n, n);
            strips.copy_rows(rows, n);
            let [mut plain, mut wide] = [SymmetricMatrix::zeros(n), SymmetricMatrix::zeros(n)];
            AddProducts { tiles: &mut plain.tiles, strips: &strips }.run();
            run_wide(AddProducts { tiles: &mut wide.tiles, strips: &strips });
            prop_assert_eq!(bits(&plain.tiles), bits(&wide.tiles));
        }

        let [mut plain, mut wide] = [matrix.tiles.clone(), matrix.tiles];
        prop_assert!(Factor(with_full_diagonal(&mut plain, matrix.size)).run());
        prop_assert!(run_wide(Factor(with_full_diagonal(&mut wide, matrix.size))));
        prop_assert_eq!(bits(&plain), bits(&wide));

        let mut plainly = vec![[0.0; SIDE]; matrix.size.div_ceil(SIDE)];
        plainly.as_flattened_mut()[..v.len()].copy_from_slice(&v);
        let mut widely = plainly.clone();
        Solve { factor: &plain, v: &mut plainly }.run();
        run_wide(Solve { factor: &wide, v: &mut widely });
        let bits = |v: &[[f64; SIDE]]| -> Vec<u64> {
            v.as_flattened().iter().map(|cell| cell.to_bits()).collect()
        };
        prop_assert_eq!(bits(&plainly), bits(&widely));
    }
}

/// A positive definite matrix from whole numbers alone.
fn example(size: usize) -> SymmetricMatrix {
    let near = |i: usize, j: usize| ((i * 7 + j * 3) % 11) as f64 - 5.0;
    SymmetricMatrix::from_fn(size, |i, j| {
        let sum: f64 = (0..size).map(|k| near(i, k) * near(j, k)).sum();
        sum + if i == j { 3.0 } else { 0.0 }
    })
}

#[test]
fn rank_deficient_matrices_are_not_positive_definite() {
    let plus_minus = |i: usize, j: usize| if (i + j).is_multiple_of(2) { 1.0 } else { -1.0 };
    for size in [2, 8, 9, 64, 65, 130] {
        assert!(Cholesky::new(SymmetricMatrix::from_fn(size, plus_minus)).is_none(), "{size}");
    }
}

#[test]
fn no_equations_have_no_solution_to_find() {
    assert!(Cholesky::new(SymmetricMatrix::zeros(0)).unwrap().solve(&[]).is_empty());
}

/// The bits are those of plain loops in another language (Python), which add in the same order. A
/// machine on which this fails makes other models than all others.
#[test]
fn solutions_are_the_same_on_every_machine() {
    let right: Vec<f64> = (0..150).map(|i| f64::from(i % 13) - 6.0).collect();
    let solution = Cholesky::new(example(150)).unwrap().solve(&right);
    let hash = solution.iter().fold(0_u64, |hash, x| hash.rotate_left(5) ^ x.to_bits());
    assert_eq!(hash, 14_238_067_379_415_077_978);
}
