//! Sums of row weights by column, channel and code: the one hot loop of training.
//!
//! In: codes, a demand, and which rows. Out: `sums[column][channel][code]`. Four byte-wide columns
//! are walked at a time, so that each weight is loaded once for four additions, and odd and even
//! rows add to different tables, so that an addition seldom waits for the one before it. Wide jobs
//! are shared out by columns, long ones by row blocks with one table per thread.

use std::ops::Range;

use super::Demand;
use super::node_rows::NodeRows;
use crate::data::{Binned, Codes};
use crate::error::Result;
use crate::workers::{Workers, run_blocks, split_along};

/// Byte-wide columns that are walked together.
const GROUP: usize = 4;
/// Row stripes below which separate tables for odd and even rows do not pay.
const SPLIT_FROM: usize = 1 << 11;
/// Every byte-wide column gets room for all its codes, so that no index needs a check.
const NARROW: usize = 256;

/// Columns that one kernel call walks together.
#[derive(Debug, Clone)]
struct Group {
    columns: Range<usize>,
    offset: usize,
    length: usize,
}

/// Weight sums of all columns.
#[derive(Debug, Clone)]
pub struct Histogram {
    sums: Vec<u64>,
    offsets: Vec<usize>,
    widths: Vec<usize>,
    groups: Vec<Group>,
    n_channels: usize,
}

impl Histogram {
    /// Room for the sums of `data`.
    #[must_use]
    pub fn new(data: &Binned, n_channels: usize) -> Self {
        let mut offsets = Vec::with_capacity(data.n_columns());
        let mut widths = Vec::with_capacity(data.n_columns());
        let mut groups: Vec<Group> = Vec::new();
        let mut offset = 0;
        let mut room_for_narrow = false;
        for column in 0..data.n_columns() {
            let narrow = matches!(data.codes(column), Codes::Narrow(_));
            let width = if narrow { NARROW } else { data.n_codes(column) };
            let length = width * n_channels;
            match groups.last_mut() {
                Some(group) if narrow && room_for_narrow && group.columns.len() < GROUP => {
                    group.columns.end += 1;
                    group.length += length;
                }
                _ => groups.push(Group { columns: column..column + 1, offset, length }),
            }
            room_for_narrow = narrow;
            offsets.push(offset);
            widths.push(width);
            offset += length;
        }
        Self { sums: vec![0; offset], offsets, widths, groups, n_channels }
    }

    /// The number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// The memory that it takes, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        size_of_val(self.sums.as_slice())
    }

    /// The sums of one column and channel, by code.
    #[must_use]
    pub fn channel(&self, column: usize, channel: usize) -> &[u64] {
        let start = self.offsets[column] + channel * self.widths[column];
        &self.sums[start..start + self.widths[column]]
    }

    /// Adds up the weights of all rows.
    pub fn fill(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<()> {
        let stripes = run_blocks(demand.channel_ends);
        let stripes = stripes.iter().map(|block| Stripe {
            channel: block.run,
            rows: StripeRows::Range(block.rows.clone()),
            weights: &demand.weights[block.rows.clone()],
        });
        self.fill_stripes(data, &stripes.collect::<Vec<_>>(), workers)
    }

    /// Adds up the weights of some rows.
    pub(super) fn fill_rows(
        &mut self,
        data: &Binned,
        demand: &Demand,
        rows: &NodeRows,
        workers: &Workers,
    ) -> Result<()> {
        let NodeRows::Some(rows) = rows else { return self.fill(data, demand, workers) };
        let ends: Vec<usize> = demand
            .channel_ends
            .iter()
            .map(|&end| rows.partition_point(|&row| (row as usize) < end))
            .collect();
        let blocks = run_blocks(&ends);
        // Gathered once, not once for every group of columns.
        let mut weights = vec![0; rows.len()];
        let pieces = split_along(&mut weights, blocks.iter().map(|block| block.rows.len()));
        workers.map(rows.len(), blocks.iter().zip(pieces).collect(), |(block, weights)| {
            for (weight, &row) in weights.iter_mut().zip(&rows[block.rows.clone()]) {
                *weight = demand.weights[row as usize];
            }
            Ok(())
        })?;
        let stripes = blocks.iter().map(|block| Stripe {
            channel: block.run,
            rows: StripeRows::List(&rows[block.rows.clone()]),
            weights: &weights[block.rows.clone()],
        });
        self.fill_stripes(data, &stripes.collect::<Vec<_>>(), workers)
    }

    /// Takes away the sums of some of the rows.
    pub(super) fn subtract(&mut self, part: &Self) {
        for (sum, part) in self.sums.iter_mut().zip(&part.sums) {
            *sum -= part;
        }
    }

    fn fill_stripes(&mut self, data: &Binned, stripes: &[Stripe], workers: &Workers) -> Result<()> {
        let n_rows: usize = stripes.iter().map(|stripe| stripe.weights.len()).sum();
        let steps = n_rows * data.n_columns();
        self.sums.fill(0);
        if workers.worth(steps) && self.groups.len() < 8 * workers.threads() {
            return self.fill_by_rows(data, stripes, workers);
        }
        let n_channels = self.n_channels;
        let lengths = self.groups.iter().map(|group| group.length);
        let items = self.groups.iter().zip(split_along(&mut self.sums, lengths)).collect();
        workers.map(steps, items, |(group, sums)| {
            // A stripe's weights stay in the cache while all groups of columns walk it.
            for stripe in stripes {
                workers.check()?;
                add(data, group, n_channels, stripe, sums);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn fill_by_rows(&mut self, data: &Binned, stripes: &[Stripe], workers: &Workers) -> Result<()> {
        let (groups, n_channels, length) = (&self.groups, self.n_channels, self.sums.len());
        let partial = workers.share(stripes.len(), |next| {
            let mut sums = vec![0; length];
            while let Some(task) = next() {
                for group in groups {
                    let sums = &mut sums[group.offset..group.offset + group.length];
                    add(data, group, n_channels, &stripes[task], sums);
                }
            }
            Ok(sums)
        })?;
        for sums in partial {
            for (total, sum) in self.sums.iter_mut().zip(sums) {
                *total += sum;
            }
        }
        Ok(())
    }
}

/// Rows of one channel with their weights.
struct Stripe<'a> {
    channel: usize,
    rows: StripeRows<'a>,
    weights: &'a [u64],
}

enum StripeRows<'a> {
    Range(Range<usize>),
    List(&'a [u32]),
}

/// Adds the weights of one stripe to the sums of one group.
fn add(data: &Binned, group: &Group, n_channels: usize, stripe: &Stripe, sums: &mut [u64]) {
    if let Codes::Wide(codes) = data.codes(group.columns.start) {
        let width = sums.len() / n_channels;
        let sums = &mut sums[stripe.channel * width..][..width];
        return add_wide(codes, stripe, sums);
    }
    let mut codes: [&[u8]; GROUP] = [&[]; GROUP];
    for (slot, column) in codes.iter_mut().zip(group.columns.clone()) {
        if let Codes::Narrow(all) = data.codes(column) {
            *slot = all;
        }
    }
    let mut tables = sums.chunks_exact_mut(NARROW);
    let mut table = || {
        let mut own = tables.by_ref().take(n_channels);
        let wanted = own.nth(stripe.channel);
        own.for_each(drop);
        wanted.and_then(|t| t.first_chunk_mut::<NARROW>())
    };
    match (group.columns.len(), table(), table(), table(), table()) {
        (4, Some(a), Some(b), Some(c), Some(d)) => add_narrow(codes, stripe, [a, b, c, d]),
        (3, Some(a), Some(b), Some(c), _) => {
            add_narrow([codes[0], codes[1], codes[2]], stripe, [a, b, c]);
        }
        (2, Some(a), Some(b), _, _) => add_narrow([codes[0], codes[1]], stripe, [a, b]),
        (_, Some(a), _, _, _) => add_narrow([codes[0]], stripe, [a]),
        _ => {}
    }
}

fn add_wide(codes: &[u16], stripe: &Stripe, sums: &mut [u64]) {
    match &stripe.rows {
        StripeRows::Range(rows) => {
            for (&code, &weight) in codes[rows.clone()].iter().zip(stripe.weights) {
                sums[usize::from(code)] += weight;
            }
        }
        StripeRows::List(rows) => {
            for (&row, &weight) in rows.iter().zip(stripe.weights) {
                sums[usize::from(codes[row as usize])] += weight;
            }
        }
    }
}

/// Byte-wide columns, one channel.
fn add_narrow<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    stripe: &Stripe,
    sums: [&mut [u64; NARROW]; COLUMNS],
) {
    match &stripe.rows {
        StripeRows::Range(rows) => {
            add_range(codes.map(|codes| &codes[rows.clone()]), stripe.weights, sums);
        }
        StripeRows::List(rows) => add_list(codes, rows, stripe.weights, sums),
    }
}

/// The kernel for scattered rows, which ascend.
fn add_list<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    rows: &[u32],
    weights: &[u64],
    sums: [&mut [u64; NARROW]; COLUMNS],
) {
    debug_assert!(rows.is_sorted());
    let n_rows = rows.last().map_or(0, |&last| last as usize + 1);
    let codes = codes.map(|codes| &codes[..n_rows]);
    // SAFETY: rows ascend, so none is beyond the last, and that is within the codes.
    let code = |column: usize, row: u32| unsafe {
        usize::from(*codes[column].get_unchecked(row as usize))
    };
    let (row_pairs, row_rest) = rows.as_chunks::<2>();
    let (weight_pairs, weight_rest) = weights.as_chunks::<2>();
    let mut odd = [[0u64; NARROW]; COLUMNS];
    for (&[even_row, odd_row], &[even_weight, odd_weight]) in row_pairs.iter().zip(weight_pairs) {
        for column in 0..COLUMNS {
            sums[column][code(column, even_row)] += even_weight;
            odd[column][code(column, odd_row)] += odd_weight;
        }
    }
    for column in 0..COLUMNS {
        for (&row, &weight) in row_rest.iter().zip(weight_rest) {
            sums[column][code(column, row)] += weight;
        }
        for (sum, odd) in sums[column].iter_mut().zip(odd[column]) {
            *sum += odd;
        }
    }
}

/// The kernel for consecutive rows.
fn add_range<const COLUMNS: usize>(
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
