//! The one hot loop of training: adding weights to the sums of a few columns.
//!
//! In: codes and weights of one stripe of rows. Out: its weights added up by code. Four byte-wide
//! columns are walked at a time, so that each weight is loaded once for four additions, and odd and
//! even rows add to different tables, so that an addition seldom waits for the one before it.

use std::ops::Range;

use crate::data::{Binned, Codes, GROUP, RowCodes};

/// Codes of a byte-wide column, used or not.
const NARROW: usize = 256;
/// Rows of a stripe from which separate tables for odd and even rows pay.
const TABLES_FROM: usize = 1 << 10;

/// Rows of one channel with their weights.
pub(super) struct Stripe<'a> {
    channel: usize,
    rows: StripeRows<'a>,
    pub weights: &'a [u64],
}

/// Which rows.
enum StripeRows<'a> {
    /// All rows of a stretch.
    All(Range<usize>),
    /// Some rows, all below `end`.
    Some { codes: &'a RowCodes, rows: &'a [u32], end: usize },
}

impl<'a> Stripe<'a> {
    /// Consecutive rows.
    pub fn all(channel: usize, rows: Range<usize>, weights: &'a [u64]) -> Self {
        Self { channel, rows: StripeRows::All(rows), weights }
    }

    /// Scattered rows.
    pub fn some(
        channel: usize,
        (codes, rows): (&'a RowCodes, &'a [u32]),
        weights: &'a [u64],
    ) -> Self {
        let end = rows.iter().max().map_or(0, |&last| last as usize + 1);
        Self { channel, rows: StripeRows::Some { codes, rows, end }, weights }
    }
}

/// Adds the weights of one stripe to the sums of one group of columns.
pub(super) fn add(
    data: &Binned,
    (group, columns): (usize, &Range<usize>),
    stripe: &Stripe,
    sums: &mut [u64],
) {
    let width: usize = columns.clone().map(|column| data.n_codes(column)).sum();
    let n_channels = sums.len() / width;
    if let Codes::Wide(codes) = data.codes(columns.start) {
        return add_wide(codes, stripe, &mut sums[stripe.channel * width..][..width]);
    }
    // The table of each column for the channel of the stripe.
    let mut tables: [&mut [u64]; GROUP] = Default::default();
    let mut rest = sums;
    for (table, column) in tables.iter_mut().zip(columns.clone()) {
        let width = data.n_codes(column);
        let (own, after) = rest.split_at_mut(width * n_channels);
        *table = &mut own[stripe.channel * width..][..width];
        rest = after;
    }
    let first = (group, columns.start);
    let [a, b, c, d] = tables;
    match columns.len() {
        4 => add_narrow(data, first, stripe, [a, b, c, d]),
        3 => add_narrow(data, first, stripe, [a, b, c]),
        2 => add_narrow(data, first, stripe, [a, b]),
        _ => add_narrow(data, first, stripe, [a]),
    }
}

fn add_wide(codes: &[u16], stripe: &Stripe, sums: &mut [u64]) {
    match &stripe.rows {
        StripeRows::All(rows) => {
            for (&code, &weight) in codes[rows.clone()].iter().zip(stripe.weights) {
                sums[usize::from(code)] += weight;
            }
        }
        StripeRows::Some { rows, .. } => {
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
    mut sums: [&mut [u64]; COLUMNS],
) {
    let few = stripe.weights.len() < TABLES_FROM;
    // Memory for all bytes, so that no index needs a check.
    let mut tables = [[[0u64; NARROW]; COLUMNS]; 2];
    match &stripe.rows {
        StripeRows::All(rows) => {
            let codes = std::array::from_fn(|at| match data.codes(first + at) {
                Codes::Narrow(codes) => &codes[rows.clone()],
                Codes::Wide(_) => &[],
            });
            if few {
                return add_few(codes, stripe.weights, sums);
            }
            add_all(codes, stripe.weights, &mut tables);
        }
        StripeRows::Some { codes, rows, end } => {
            let words = &codes.words(group)[..*end];
            if few {
                return add_few_some(words, rows, stripe.weights, sums);
            }
            add_some(words, rows, stripe.weights, &mut tables);
        }
    }
    for table in &tables {
        for (sums, table) in sums.iter_mut().zip(table) {
            for (sum, term) in sums.iter_mut().zip(table) {
                *sum += term;
            }
        }
    }
}

/// So few consecutive rows that tables would not pay.
fn add_few<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    weights: &[u64],
    mut sums: [&mut [u64]; COLUMNS],
) {
    for (sums, codes) in sums.iter_mut().zip(codes) {
        for (&code, &weight) in codes.iter().zip(weights) {
            sums[usize::from(code)] += weight;
        }
    }
}

/// So few scattered rows that tables would not pay.
fn add_few_some<const COLUMNS: usize>(
    words: &[u32],
    rows: &[u32],
    weights: &[u64],
    mut sums: [&mut [u64]; COLUMNS],
) {
    for (&row, &weight) in rows.iter().zip(weights) {
        let word = words[row as usize];
        for (column, sums) in sums.iter_mut().enumerate() {
            sums[usize::from((word >> (8 * column)) as u8)] += weight;
        }
    }
}

/// The kernel for scattered rows, all of which have a word.
fn add_some<const COLUMNS: usize>(
    words: &[u32],
    rows: &[u32],
    weights: &[u64],
    [even, odd]: &mut [[[u64; NARROW]; COLUMNS]; 2],
) {
    debug_assert!(rows.iter().all(|&row| (row as usize) < words.len()));
    // SAFETY: the words end after the last of the rows (see `Stripe::some`).
    let word = |row: u32| unsafe { *words.get_unchecked(row as usize) };
    let (row_pairs, row_rest) = rows.as_chunks::<2>();
    let (weight_pairs, weight_rest) = weights.as_chunks::<2>();
    for (&[even_row, odd_row], &[even_weight, odd_weight]) in row_pairs.iter().zip(weight_pairs) {
        let (even_word, odd_word) = (word(even_row), word(odd_row));
        for column in 0..COLUMNS {
            even[column][usize::from((even_word >> (8 * column)) as u8)] += even_weight;
            odd[column][usize::from((odd_word >> (8 * column)) as u8)] += odd_weight;
        }
    }
    for (&row, &weight) in row_rest.iter().zip(weight_rest) {
        for (column, table) in even.iter_mut().enumerate() {
            table[usize::from((word(row) >> (8 * column)) as u8)] += weight;
        }
    }
}

/// The kernel for consecutive rows.
fn add_all<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    weights: &[u64],
    [even, odd]: &mut [[[u64; NARROW]; COLUMNS]; 2],
) {
    let mut chunks = codes.map(|c| c.as_chunks::<8>().0.iter());
    let (weight_chunks, weight_rest) = weights.as_chunks::<8>();
    for weights in weight_chunks {
        let words: [u64; COLUMNS] =
            std::array::from_fn(|c| chunks[c].next().map_or(0, |w| u64::from_le_bytes(*w)));
        for pair in 0..4 {
            for column in 0..COLUMNS {
                let word = words[column] >> (16 * pair);
                even[column][usize::from(word as u8)] += weights[2 * pair];
                odd[column][usize::from((word >> 8) as u8)] += weights[2 * pair + 1];
            }
        }
    }
    let done = weights.len() - weight_rest.len();
    for (table, codes) in even.iter_mut().zip(codes) {
        for (&code, &weight) in codes[done..].iter().zip(weight_rest) {
            table[usize::from(code)] += weight;
        }
    }
}
