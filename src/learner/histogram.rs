//! Sums of row weights by column, channel and code: the one hot loop of training.
//!
//! In: codes and a demand. Out: `sums[column][channel][code]`. Four byte-wide columns are walked at
//! a time, so that each weight is loaded once for four additions, and odd and even rows add to
//! different tables, so that an addition seldom waits for the one before it. Wide jobs are shared
//! out by columns, long ones by row blocks with one table per thread.

use std::ops::Range;

use super::Demand;
use crate::data::{Binned, Codes};
use crate::error::Result;
use crate::workers::{RunBlock, Workers, run_blocks, split_along};

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

    /// The sums of one column and channel, by code.
    #[must_use]
    pub fn channel(&self, column: usize, channel: usize) -> &[u64] {
        let start = self.offsets[column] + channel * self.widths[column];
        &self.sums[start..start + self.widths[column]]
    }

    /// Adds up the weights of `demand`.
    pub fn fill(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<()> {
        // A block's weights stay in the cache while all groups of columns walk it.
        let stripes = run_blocks(demand.channel_ends);
        let steps = data.n_rows() * data.n_columns();
        self.sums.fill(0);
        if workers.worth(steps) && self.groups.len() < 8 * workers.threads() {
            return self.fill_by_rows(data, demand, &stripes, workers);
        }
        let n_channels = self.n_channels;
        let lengths = self.groups.iter().map(|group| group.length);
        let items = self.groups.iter().zip(split_along(&mut self.sums, lengths)).collect();
        workers.map(steps, items, |(group, sums)| {
            for stripe in &stripes {
                workers.check()?;
                add(data, demand, group, n_channels, stripe, sums);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn fill_by_rows(
        &mut self,
        data: &Binned,
        demand: &Demand,
        stripes: &[RunBlock],
        workers: &Workers,
    ) -> Result<()> {
        let (groups, n_channels, length) = (&self.groups, self.n_channels, self.sums.len());
        let partial = workers.share(stripes.len(), |next| {
            let mut sums = vec![0; length];
            while let Some(task) = next() {
                for group in groups {
                    let sums = &mut sums[group.offset..group.offset + group.length];
                    add(data, demand, group, n_channels, &stripes[task], sums);
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

/// Adds the weights of one stripe to the sums of one group.
fn add(
    data: &Binned,
    demand: &Demand,
    group: &Group,
    n_channels: usize,
    stripe: &RunBlock,
    sums: &mut [u64],
) {
    let weights = &demand.weights[stripe.rows.clone()];
    if let Codes::Wide(codes) = data.codes(group.columns.start) {
        let width = sums.len() / n_channels;
        let sums = &mut sums[stripe.run * width..][..width];
        for (&code, &weight) in codes[stripe.rows.clone()].iter().zip(weights) {
            sums[usize::from(code)] += weight;
        }
        return;
    }
    let mut codes: [&[u8]; GROUP] = [&[]; GROUP];
    for (slot, column) in codes.iter_mut().zip(group.columns.clone()) {
        if let Codes::Narrow(all) = data.codes(column) {
            *slot = &all[stripe.rows.clone()];
        }
    }
    let mut tables = sums.chunks_exact_mut(NARROW);
    let mut table = || {
        let mut own = tables.by_ref().take(n_channels);
        let wanted = own.nth(stripe.run);
        own.for_each(drop);
        wanted.and_then(|t| t.first_chunk_mut::<NARROW>())
    };
    match (group.columns.len(), table(), table(), table(), table()) {
        (4, Some(a), Some(b), Some(c), Some(d)) => add_narrow(codes, weights, [a, b, c, d]),
        (3, Some(a), Some(b), Some(c), _) => {
            add_narrow([codes[0], codes[1], codes[2]], weights, [a, b, c]);
        }
        (2, Some(a), Some(b), _, _) => add_narrow([codes[0], codes[1]], weights, [a, b]),
        (_, Some(a), _, _, _) => add_narrow([codes[0]], weights, [a]),
        _ => {}
    }
}

/// The kernel: `COLUMNS` byte-wide columns, one channel.
fn add_narrow<const COLUMNS: usize>(
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
