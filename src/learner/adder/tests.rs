use super::*;
use crate::data::{Bins, NumberBins};
use crate::workers::Workers;

fn data(n_rows: usize) -> Binned {
    let bins = |n: u32| Bins::Numbers(NumberBins { cuts: (0..n).map(f64::from).collect() });
    let (narrow, few, some, wide) = (bins(254), bins(1), bins(20), bins(400));
    let bins = [
        &narrow, &few, &narrow, &some, &narrow, &some, &wide, &few, &some, &some, &narrow, &few,
        &some, &some,
    ];
    Binned::block(&bins, n_rows, &[true; 14], |column, codes| {
        // No row lacks the numbers of columns that use few codes, but for the last of them.
        let n_codes = bins[column].missing() + usize::from(column % 3 != 0);
        for (row, code) in codes.iter_mut().enumerate() {
            *code = ((row * (13 + column) + row / 7) % n_codes) as u16;
        }
    })
}

/// The sums of channels 1 and, if there are pairs, 2, code by code.
fn naive(data: &Binned, rows: &[u32], weights: RowWeights) -> Vec<u64> {
    let mut sums = Vec::new();
    for &column in data.column_order().columns() {
        let mut own = vec![0u64; 3 * data.n_codes(column)];
        for (at, &row) in rows.iter().enumerate() {
            let code = match data.codes(column) {
                Codes::Narrow(codes) => usize::from(codes[row as usize]),
                Codes::Wide(codes) => usize::from(codes[row as usize]),
            };
            let first = &mut own[data.n_codes(column) + code];
            *first = first.wrapping_add(weights.first[at]);
            if let Some(second) = weights.second {
                own[2 * data.n_codes(column) + code] += second[at];
            }
        }
        sums.extend(own);
    }
    sums
}

/// The sums that two spans of columns have after a stripe.
fn added(data: &Binned, stripe: &Stripe, joint_codes: Option<&JointCodes>) -> Vec<u64> {
    let order = data.column_order();
    let groups = order.groups(joint_codes.is_some());
    let mut sums = Vec::new();
    for at in [0..1, 1..groups.len()] {
        let columns =
            &order.columns()[groups[at.start].places.start..groups[at.end - 1].places.end];
        let n_codes: usize = columns.iter().map(|&column| data.n_codes(column)).sum();
        let mut part = vec![0; 3 * n_codes];
        let mut adder = Adder::new(Span { data, groups, at, n_channels: 3, joint_codes });
        adder.add(stripe, &mut part);
        adder.finish(&mut part);
        sums.extend(part);
    }
    sums
}

#[test]
fn all_ways_to_add_agree_with_a_plain_loop() {
    let n_rows = 3 * GATHERED_ROWS + 5;
    let data = data(n_rows);
    assert!(data.column_order().n_joints() > 2);
    let workers = Workers::new(Some(1)).unwrap();
    let (codes, joint) = (data.row_codes(&workers).unwrap(), data.joint_codes(&workers).unwrap());
    let without_copies = data.clone().without_copies();
    assert_eq!(without_copies.column_order().n_joints(), 0);
    let of_columns = without_copies.row_codes(&workers).unwrap();
    // Numbers like gradients: some are negative.
    let first: Vec<u64> = (0..n_rows as i64).map(|row| ((row * 31) % 17 - 8) as u64).collect();
    let second: Vec<u64> = (0..n_rows as u64).map(|row| row * row % 1009).collect();
    for n_taken in [0, 1, 77, TABLES_FROM, GATHERED_ROWS + 3, n_rows / 2 - 2] {
        for second in [None, Some(&second[..n_taken])] {
            let weights = RowWeights { first: &first[..n_taken], second };
            let all: Vec<u32> = (5..n_taken as u32 + 5).collect();
            let places: Vec<u16> = (0..n_taken as u16).map(|place| 2 * place).collect();
            let picked: Vec<u32> = places.iter().map(|&place| 3 + u32::from(place)).collect();
            let scattered: Vec<u32> = all.iter().map(|row| (row * 5) % n_rows as u32).collect();
            let near = [
                (&all, Stripe::all(1, 5..n_taken + 5, weights)),
                (&picked, Stripe::picked(1, (3, &places), weights)),
            ];
            for (rows, stripe) in near {
                let expected = naive(&data, rows, weights);
                assert_eq!(added(&data, &stripe, None), expected, "{n_taken} rows");
                if second.is_none() {
                    assert_eq!(added(&data, &stripe, Some(joint)), expected, "{n_taken} rows");
                }
            }
            for (data, codes) in [(&data, codes), (&without_copies, of_columns)] {
                let stripe = Stripe::scattered(1, (codes, &scattered), weights);
                assert_eq!(added(data, &stripe, None), naive(data, &scattered, weights));
            }
        }
    }
}

#[test]
fn channels_that_take_turns_are_kept_apart() {
    let data = data(2 * TABLES_FROM);
    let workers = Workers::new(Some(1)).unwrap();
    let (order, ones) = (data.column_order(), vec![1; 2 * TABLES_FROM]);
    let n_codes: usize = (0..data.n_columns()).map(|column| data.n_codes(column)).sum();
    for joint_codes in [None, Some(data.joint_codes(&workers).unwrap())] {
        let groups = order.groups(joint_codes.is_some());
        let at = 0..groups.len();
        let span = Span { data: &data, groups, at, n_channels: 2, joint_codes };
        let (mut adder, mut sums) = (Adder::new(span), vec![0; 2 * n_codes]);
        for (channel, rows) in [(0, 0..1500), (1, 1500..1600), (0, 1600..2048), (1, 0..2048)] {
            let weights = RowWeights { first: &ones[rows.clone()], second: None };
            adder.add(&Stripe::all(channel, rows, weights), &mut sums);
        }
        adder.finish(&mut sums);
        let mut rest = sums.as_slice();
        for &column in order.columns() {
            let (own, after) = rest.split_at(2 * data.n_codes(column));
            let (first, second) = own.split_at(data.n_codes(column));
            assert_eq!(first.iter().sum::<u64>(), 1500 + 448);
            assert_eq!(second.iter().sum::<u64>(), 100 + 2048);
            rest = after;
        }
    }
}
