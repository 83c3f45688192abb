//! Sums of row weights by column, channel and code.
//!
//! In: codes, a demand, and which rows. Out: `sums[column][channel][code]`. Byte-wide columns are
//! added up four at a time (`kernels`). Wide jobs are shared out by groups of columns, long ones by
//! row blocks with one table per thread; the sums are integers, so the order does not matter.

use std::ops::Range;

use super::Demand;
use super::kernels::{GROUP, NARROW, Stripe, StripeRows, add};
use super::row_codes::RowCodes;
use crate::data::{Binned, Codes};
use crate::error::Result;
use crate::workers::{Workers, run_blocks, split_along};

/// Neighbouring columns that one kernel call walks together: up to four byte-wide ones, or a single
/// wide one.
pub(super) fn column_groups(data: &Binned) -> Vec<Range<usize>> {
    let is_narrow = |column: usize| matches!(data.codes(column), Codes::Narrow(_));
    let mut groups: Vec<Range<usize>> = Vec::new();
    for column in 0..data.n_columns() {
        match groups.last_mut() {
            Some(group) if group.len() < GROUP && is_narrow(group.start) && is_narrow(column) => {
                group.end += 1;
            }
            _ => groups.push(column..column + 1),
        }
    }
    groups
}

/// Weight sums of all columns.
#[derive(Debug, Clone)]
pub struct Histogram {
    sums: Vec<u64>,
    offsets: Vec<usize>,
    widths: Vec<usize>,
    groups: Vec<Range<usize>>,
    n_channels: usize,
}

impl Histogram {
    /// Room for the sums of `data`.
    #[must_use]
    pub fn new(data: &Binned, n_channels: usize) -> Self {
        let widths: Vec<usize> = (0..data.n_columns())
            .map(|column| match data.codes(column) {
                // Room for all bytes, so that no index needs a check.
                Codes::Narrow(_) => NARROW,
                Codes::Wide(_) => data.n_codes(column),
            })
            .collect();
        let mut length = 0;
        let mut offsets = Vec::with_capacity(data.n_columns());
        for width in &widths {
            offsets.push(length);
            length += width * n_channels;
        }
        Self { sums: vec![0; length], offsets, widths, groups: column_groups(data), n_channels }
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
        let blocks = run_blocks(demand.channel_ends);
        let stripes = blocks.iter().map(|block| Stripe {
            channel: block.run,
            rows: StripeRows::All(block.rows.clone()),
            weights: &demand.weights[block.rows.clone()],
        });
        self.fill_stripes(data, &stripes.collect::<Vec<_>>(), workers)
    }

    /// Adds up the weights of some rows, which ascend. `weights` is scratch memory.
    pub(super) fn fill_rows(
        &mut self,
        (data, codes): (&Binned, &RowCodes),
        demand: &Demand,
        rows: &[u32],
        weights: &mut Vec<u64>,
        workers: &Workers,
    ) -> Result<()> {
        if rows.len() == data.n_rows() {
            return self.fill(data, demand, workers);
        }
        let ends: Vec<usize> = demand
            .channel_ends
            .iter()
            .map(|&end| rows.partition_point(|&row| (row as usize) < end))
            .collect();
        let blocks = run_blocks(&ends);
        // Gathered once, not once for every group of columns.
        weights.resize(rows.len(), 0);
        let pieces = split_along(weights, blocks.iter().map(|block| block.rows.len()));
        workers.map(rows.len(), blocks.iter().zip(pieces).collect(), |(block, weights)| {
            for (weight, &row) in weights.iter_mut().zip(&rows[block.rows.clone()]) {
                *weight = demand.weights[row as usize];
            }
            Ok(())
        })?;
        let stripes = blocks.iter().map(|block| Stripe {
            channel: block.run,
            rows: StripeRows::Some(codes, &rows[block.rows.clone()]),
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
        let lengths: Vec<usize> = self.group_lengths().collect();
        let pieces = split_along(&mut self.sums, lengths);
        let items = self.groups.iter().zip(pieces).enumerate().collect();
        workers.map(steps, items, |(group, (columns, sums))| {
            // A stripe's weights stay in the cache while all groups of columns walk it.
            for stripe in stripes {
                workers.check()?;
                add(data, (group, columns), stripe, sums);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn fill_by_rows(&mut self, data: &Binned, stripes: &[Stripe], workers: &Workers) -> Result<()> {
        let lengths: Vec<usize> = self.group_lengths().collect();
        let partial = workers.share(stripes.len(), |next| {
            let mut sums = vec![0; lengths.iter().sum()];
            while let Some(task) = next() {
                let pieces = split_along(&mut sums, lengths.iter().copied());
                for (group, (columns, sums)) in self.groups.iter().zip(pieces).enumerate() {
                    add(data, (group, columns), &stripes[task], sums);
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

    fn group_lengths(&self) -> impl Iterator<Item = usize> {
        let width = |columns: &Range<usize>| self.widths[columns.clone()].iter().sum::<usize>();
        self.groups.iter().map(move |columns| width(columns) * self.n_channels)
    }
}
