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

/// One number to be added up for every row, or two of them.
#[derive(Clone, Copy)]
pub(super) struct RowWeights<'a> {
    pub first: &'a [u64],
    /// What is added up in the next channel.
    pub second: Option<&'a [u64]>,
}

impl RowWeights<'_> {
    /// Those of some of the rows.
    pub fn of(&self, rows: &Range<usize>) -> Self {
        Self {
            first: &self.first[rows.clone()],
            second: self.second.map(|second| &second[rows.clone()]),
        }
    }
}

/// Rows of one channel with their weights.
pub(super) struct Stripe<'a> {
    channel: usize,
    rows: StripeRows<'a>,
    pub weights: RowWeights<'a>,
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
    pub fn all(channel: usize, rows: Range<usize>, weights: RowWeights<'a>) -> Self {
        Self { channel, rows: StripeRows::All(rows), weights }
    }

    /// Scattered rows.
    pub fn some(
        channel: usize,
        (codes, rows): (&'a RowCodes, &'a [u32]),
        weights: RowWeights<'a>,
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
        let weights = std::iter::once(stripe.weights.first).chain(stripe.weights.second);
        for (channel, weights) in (stripe.channel..).zip(weights) {
            add_wide(codes, &stripe.rows, weights, &mut sums[channel * width..][..width]);
        }
        return;
    }
    // The tables of each column for the channel of the stripe and, if wanted, for the next one.
    let mut tables: [&mut [u64]; GROUP] = Default::default();
    let mut seconds: [&mut [u64]; GROUP] = Default::default();
    let mut rest = sums;
    for ((table, second), column) in tables.iter_mut().zip(&mut seconds).zip(columns.clone()) {
        let width = data.n_codes(column);
        let (own, after) = rest.split_at_mut(width * n_channels);
        let (first, next) = own[stripe.channel * width..].split_at_mut(width);
        (*table, *second) = (first, next);
        rest = after;
    }
    let first = (group, columns.start);
    let ([a, b, c, d], [e, f, g, h]) = (tables, seconds);
    match (columns.len(), stripe.weights.second) {
        (4, None) => add_narrow(data, first, stripe, [a, b, c, d]),
        (3, None) => add_narrow(data, first, stripe, [a, b, c]),
        (2, None) => add_narrow(data, first, stripe, [a, b]),
        (_, None) => add_narrow(data, first, stripe, [a]),
        (4, Some(second)) => {
            add_pairs(data, first, (stripe, second), [[a, e], [b, f], [c, g], [d, h]]);
        }
        (3, Some(second)) => add_pairs(data, first, (stripe, second), [[a, e], [b, f], [c, g]]),
        (2, Some(second)) => add_pairs(data, first, (stripe, second), [[a, e], [b, f]]),
        (_, Some(second)) => add_pairs(data, first, (stripe, second), [[a, e]]),
    }
}

fn add_wide(codes: &[u16], rows: &StripeRows, weights: &[u64], sums: &mut [u64]) {
    match rows {
        StripeRows::All(rows) => {
            for (&code, &weight) in codes[rows.clone()].iter().zip(weights) {
                add_to(&mut sums[usize::from(code)], weight);
            }
        }
        StripeRows::Some { rows, .. } => {
            for (&row, &weight) in rows.iter().zip(weights) {
                add_to(&mut sums[usize::from(codes[row as usize])], weight);
            }
        }
    }
}

/// Sums of gradients are signed, and wrap around.
#[inline]
fn add_to(sum: &mut u64, weight: u64) {
    *sum = sum.wrapping_add(weight);
}

/// Byte-wide columns, one channel.
fn add_narrow<const COLUMNS: usize>(
    data: &Binned,
    (group, first): (usize, usize),
    stripe: &Stripe,
    mut sums: [&mut [u64]; COLUMNS],
) {
    let weights = stripe.weights.first;
    let few = weights.len() < TABLES_FROM;
    // Memory for all bytes, so that no index needs a check.
    let mut tables = [[[0u64; NARROW]; COLUMNS]; 2];
    match &stripe.rows {
        StripeRows::All(rows) => {
            let codes = std::array::from_fn(|at| match data.codes(first + at) {
                Codes::Narrow(codes) => &codes[rows.clone()],
                Codes::Wide(_) => &[],
            });
            if few {
                return add_few(codes, weights, sums);
            }
            add_all(codes, weights, &mut tables);
        }
        StripeRows::Some { codes, rows, end } => {
            let words = &codes.words(group)[..*end];
            if few {
                return add_few_some(words, rows, weights, sums);
            }
            add_some(words, rows, weights, &mut tables);
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

/// Two numbers for each row of byte-wide columns, to be added up in two channels. They stand side by
/// side in the tables, so that both are added by one wide instruction.
fn add_pairs<const COLUMNS: usize>(
    data: &Binned,
    (group, first): (usize, usize),
    (stripe, second): (&Stripe, &[u64]),
    mut sums: [[&mut [u64]; 2]; COLUMNS],
) {
    let pairs = stripe.weights.first.iter().zip(second).map(|(&first, &second)| [first, second]);
    if pairs.len() < TABLES_FROM {
        let mut add = |column: usize, code: u8, pair: [u64; 2]| {
            for (sums, weight) in sums[column].iter_mut().zip(pair) {
                add_to(&mut sums[usize::from(code)], weight);
            }
        };
        match &stripe.rows {
            StripeRows::All(rows) => {
                for column in 0..COLUMNS {
                    let codes = data.codes(first + column).narrow()[rows.clone()].iter();
                    codes.zip(pairs.clone()).for_each(|(&code, pair)| add(column, code, pair));
                }
            }
            StripeRows::Some { codes, rows, .. } => {
                let words = codes.words(group);
                for (&row, pair) in rows.iter().zip(pairs) {
                    let word = words[row as usize].to_le_bytes();
                    (0..COLUMNS).for_each(|column| add(column, word[column], pair));
                }
            }
        }
        return;
    }
    let mut tables = [[[0u64; 2]; NARROW]; COLUMNS];
    let mut add = |column: usize, code: u8, pair: [u64; 2]| {
        let sums = &mut tables[column][usize::from(code)];
        *sums = [sums[0].wrapping_add(pair[0]), sums[1].wrapping_add(pair[1])];
    };
    match &stripe.rows {
        StripeRows::All(rows) => {
            let codes: [&[u8]; COLUMNS] =
                std::array::from_fn(|at| &data.codes(first + at).narrow()[rows.clone()]);
            for (row, pair) in pairs.enumerate() {
                (0..COLUMNS).for_each(|column| add(column, codes[column][row], pair));
            }
        }
        StripeRows::Some { codes, rows, end } => {
            let words = &codes.words(group)[..*end];
            for (&row, pair) in rows.iter().zip(pairs) {
                let word = words[row as usize].to_le_bytes();
                (0..COLUMNS).for_each(|column| add(column, word[column], pair));
            }
        }
    }
    for (sums, table) in sums.iter_mut().zip(&tables) {
        for (channel, sums) in sums.iter_mut().enumerate() {
            for (sum, pair) in sums.iter_mut().zip(table) {
                add_to(sum, pair[channel]);
            }
        }
    }
}
