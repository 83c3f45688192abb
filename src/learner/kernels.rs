//! The one hot loop of training: adding weights to the sums of a few columns.
//!
//! In: codes and weights of one stripe of rows. Out: its weights added up by code. Four byte-wide
//! columns are walked at a time, so that each weight is loaded once for four additions, and odd and
//! even rows add to different tables, so that an addition seldom waits for the one before it.

use std::ops::Range;

use super::row_codes::RowCodes;
use crate::data::{Binned, Codes};

/// Byte-wide columns that are walked together.
pub(super) const GROUP: usize = 4;
/// Codes of a byte-wide column, used or not.
pub(super) const NARROW: usize = 256;
/// Row stripes below which separate tables for odd and even rows do not pay.
const SPLIT_FROM: usize = 1 << 9;

/// Rows of one channel with their weights.
pub(super) struct Stripe<'a> {
    pub channel: usize,
    pub rows: StripeRows<'a>,
    pub weights: &'a [u64],
}

/// Which rows.
pub(super) enum StripeRows<'a> {
    /// All rows of a stretch.
    All(Range<usize>),
    /// Some rows, which ascend.
    Some(&'a RowCodes, &'a [u32]),
}

/// Adds the weights of one stripe to the sums of one group of columns.
pub(super) fn add(
    data: &Binned,
    (group, columns): (usize, &Range<usize>),
    stripe: &Stripe,
    sums: &mut [u64],
) {
    if let Codes::Wide(codes) = data.codes(columns.start) {
        let n_channels = sums.len() / data.n_codes(columns.start);
        let width = sums.len() / n_channels;
        return add_wide(codes, stripe, &mut sums[stripe.channel * width..][..width]);
    }
    let n_channels = sums.len() / (columns.len() * NARROW);
    let mut tables = sums.chunks_exact_mut(NARROW);
    let mut table = || {
        let mut own = tables.by_ref().take(n_channels);
        let wanted = own.nth(stripe.channel);
        own.for_each(drop);
        wanted.and_then(|t| t.first_chunk_mut::<NARROW>())
    };
    let first = (group, columns.start);
    match (columns.len(), table(), table(), table(), table()) {
        (4, Some(a), Some(b), Some(c), Some(d)) => add_narrow(data, first, stripe, [a, b, c, d]),
        (3, Some(a), Some(b), Some(c), _) => add_narrow(data, first, stripe, [a, b, c]),
        (2, Some(a), Some(b), _, _) => add_narrow(data, first, stripe, [a, b]),
        (_, Some(a), _, _, _) => add_narrow(data, first, stripe, [a]),
        _ => {}
    }
}

fn add_wide(codes: &[u16], stripe: &Stripe, sums: &mut [u64]) {
    match &stripe.rows {
        StripeRows::All(rows) => {
            for (&code, &weight) in codes[rows.clone()].iter().zip(stripe.weights) {
                sums[usize::from(code)] += weight;
            }
        }
        StripeRows::Some(_, rows) => {
            for (&row, &weight) in rows.iter().zip(stripe.weights) {
                sums[usize::from(codes[row as usize])] += weight;
            }
        }
    }
}

/// Byte-wide columns, one channel.
fn add_narrow<const COLUMNS: usize>(
    data: &Binned,
    (group, first): (usize, usize),
    stripe: &Stripe,
    sums: [&mut [u64; NARROW]; COLUMNS],
) {
    match &stripe.rows {
        StripeRows::All(rows) => {
            let codes = std::array::from_fn(|at| match data.codes(first + at) {
                Codes::Narrow(codes) => &codes[rows.clone()],
                Codes::Wide(_) => &[],
            });
            add_all(codes, stripe.weights, sums);
        }
        StripeRows::Some(codes, rows) => add_some(codes.words(group), rows, stripe.weights, sums),
    }
}

/// The kernel for scattered rows, which ascend.
fn add_some<const COLUMNS: usize>(
    words: &[u32],
    rows: &[u32],
    weights: &[u64],
    sums: [&mut [u64; NARROW]; COLUMNS],
) {
    debug_assert!(rows.is_sorted());
    let n_rows = rows.last().map_or(0, |&last| last as usize + 1);
    let words = &words[..n_rows];
    // SAFETY: rows ascend, so none is beyond the last, and that is within the words.
    let word = |row: u32| unsafe { *words.get_unchecked(row as usize) };
    let (row_pairs, row_rest) = rows.as_chunks::<2>();
    let (weight_pairs, weight_rest) = weights.as_chunks::<2>();
    let mut odd = [[0u64; NARROW]; COLUMNS];
    for (&[even_row, odd_row], &[even_weight, odd_weight]) in row_pairs.iter().zip(weight_pairs) {
        let (even_word, odd_word) = (word(even_row), word(odd_row));
        for column in 0..COLUMNS {
            sums[column][usize::from((even_word >> (8 * column)) as u8)] += even_weight;
            odd[column][usize::from((odd_word >> (8 * column)) as u8)] += odd_weight;
        }
    }
    for column in 0..COLUMNS {
        for (&row, &weight) in row_rest.iter().zip(weight_rest) {
            sums[column][usize::from((word(row) >> (8 * column)) as u8)] += weight;
        }
        for (sum, odd) in sums[column].iter_mut().zip(odd[column]) {
            *sum += odd;
        }
    }
}

/// The kernel for consecutive rows.
fn add_all<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    weights: &[u64],
    sums: [&mut [u64; NARROW]; COLUMNS],
) {
    if weights.len() < SPLIT_FROM {
        for column in 0..COLUMNS {
            for (&code, &weight) in codes[column].iter().zip(weights) {
                sums[column][usize::from(code)] += weight;
            }
        }
        return;
    }
    let mut odd = [[0u64; NARROW]; COLUMNS];
    let mut chunks = codes.map(|c| c.as_chunks::<8>().0.iter());
    let (weight_chunks, weight_rest) = weights.as_chunks::<8>();
    for weights in weight_chunks {
        let words: [u64; COLUMNS] =
            std::array::from_fn(|c| chunks[c].next().map_or(0, |w| u64::from_le_bytes(*w)));
        for pair in 0..4 {
            for column in 0..COLUMNS {
                let word = words[column] >> (16 * pair);
                sums[column][usize::from(word as u8)] += weights[2 * pair];
                odd[column][usize::from((word >> 8) as u8)] += weights[2 * pair + 1];
            }
        }
    }
    let done = weights.len() - weight_rest.len();
    for column in 0..COLUMNS {
        for (&code, &weight) in codes[column][done..].iter().zip(weight_rest) {
            sums[column][usize::from(code)] += weight;
        }
        for (sum, odd) in sums[column].iter_mut().zip(odd[column]) {
            *sum += odd;
        }
    }
}
