use super::*;
use crate::data::merge_rows;
use proptest::prelude::*;

fn rows(n_rows: usize, weights: Option<&[f64]>) -> Rows {
    let classes: Vec<u32> = (0..n_rows as u32).map(|row| row % 3 % 2).collect();
    Rows::select(&classes, 2, weights, |_| true).unwrap()
}

fn start(rows: &Rows) -> RowWeights {
    RowWeights::start(rows, Target::Sides(vec![-1, 1]))
}

/// Votes for the second side where a row has this property.
fn votes(n_rows: usize, holds: impl Fn(usize) -> bool) -> Vec<u16> {
    (0..n_rows).map(|row| u16::from(holds(row))).collect()
}

/// The share of every place in the weight of all.
fn shares(weights: &RowWeights) -> Vec<f64> {
    let workers = Workers::new(Some(1)).unwrap();
    let total = weights.sum(&workers).unwrap().number();
    weights.as_slice().iter().map(|weight| weight / total).collect()
}

/// Takes a vote of weight `alpha` into account.
fn update(weights: &mut RowWeights, part: &[u16], alpha: f64, workers: &Workers) {
    let numbers = RowNumbers::Parts { part, values: vec![-1.0, 1.0] };
    let atoms = weights.atoms(&numbers, workers).unwrap();
    let feedback = Feedback { numbers: &numbers, atoms: &atoms };
    weights.update_exponentially(&feedback, alpha, workers).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn votes_change_the_shares_of_rows_as_the_formula_says(
        n_rows in 10usize..3_000,
        alphas in prop::collection::vec((-3.0f64..3.0, 2usize..9), 1..40),
        n_threads in 1i64..4,
    ) {
        let workers = Workers::new(Some(n_threads)).unwrap();
        let mut weights = start(&rows(n_rows, None));
        let mut naive = vec![1.0 / n_rows as f64; n_rows];
        let n_negative = weights.stretches[0].end;
        for (alpha, step) in alphas {
            let part = votes(n_rows, |row| (row * 7 + row / 5) % step != 0);
            let before = weights.fixed.clone();
            update(&mut weights, &part, alpha, &workers);
            for (row, weight) in naive.iter_mut().enumerate() {
                let is_right = (part[row] == 1) == (row >= n_negative);
                *weight *= f64::exp(if is_right { -alpha } else { alpha });
            }
            let total: f64 = naive.iter().sum();
            for weight in &mut naive {
                *weight /= total;
            }
            for (share, naive) in shares(&weights).iter().zip(&naive) {
                prop_assert!((share - naive).abs() <= 1e-12 * naive, "{} {}", share, naive);
            }
            // In fixed point they are the same, at most 1 in all, and not too small.
            prop_assert_eq!(&weights.fixed, &to_fixed_places(weights.as_slice(), None));
            let total = weights.total(&workers).unwrap() as f64 / FULL_WEIGHT;
            prop_assert!((0.015..1.000_001).contains(&total), "{}", total);
            if weights.is_listed {
                let mut after = before;
                for changed in &weights.changes {
                    for (&place, difference) in changed.places.iter().zip(&changed.differences) {
                        let weight = &mut after[changed.first + usize::from(place)];
                        *weight = weight.wrapping_add(*difference);
                    }
                }
                prop_assert_eq!(&weights.fixed, &after);
            }
        }
    }
}

#[test]
fn a_vote_lists_the_rows_that_it_gets_wrong() {
    let workers = Workers::new(Some(1)).unwrap();
    let mut weights = start(&rows(900, None));
    let part = votes(900, |row| (row >= 600) != (row % 4 == 0));
    update(&mut weights, &part, 0.5, &workers);
    assert!(!weights.is_listed, "all weights shrink when they are first multiplied");
    let (before, number) = (weights.as_slice().to_vec(), weights.number);
    update(&mut weights, &part, 0.5, &workers);
    assert!(weights.is_listed && weights.before == Some(number));
    for (row, (before, after)) in before.iter().zip(weights.as_slice()).enumerate() {
        assert_eq!(before != after, row % 4 == 0);
    }
    let listed = weights
        .changes
        .iter()
        .flat_map(|changed| changed.places.iter().map(|&place| changed.first + usize::from(place)));
    assert!(listed.eq((0..900).step_by(4)));
}

#[test]
fn rows_that_share_a_place_get_the_weights_that_they_would_have_alone() {
    let workers = Workers::new(Some(1)).unwrap();
    let alone = rows(900, None);
    let bins = crate::data::Bins::Numbers(crate::data::NumberBins { cuts: vec![0.0, 1.0, 2.0] });
    let codes = crate::data::Binned::block(&[&bins], 900, &[true], |_, codes| {
        for (row, code) in codes.iter_mut().enumerate() {
            *code = (row % 4) as u16;
        }
    });
    let (merged_codes, merged) = merge_rows(codes.clone(), alone.clone(), &workers).unwrap();
    assert_eq!(merged.len(), 8);
    let (mut one, mut other) = (start(&alone), start(&merged));
    for round in 0..6 {
        let part = |codes: &[u8]| codes.iter().map(|&code| u16::from(code > round % 3)).collect();
        let [all, few]: [Vec<u16>; 2] =
            [part(codes.codes(0).narrow()), part(merged_codes.codes(0).narrow())];
        update(&mut one, &all, 0.3, &workers);
        update(&mut other, &few, 0.3, &workers);
        assert_eq!(one.total(&workers).unwrap(), other.total(&workers).unwrap());
        assert_eq!(one.scale, other.scale);
    }
}
