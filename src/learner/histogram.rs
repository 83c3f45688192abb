//! Sums of row weights by column, channel and code.
//!
//! In: codes, a demand, and which places of it. Out: `sums[column][channel][code]`, added up stripe by
//! stripe (`adder`), or brought up to date by the places whose weights have changed. Wide jobs are
//! shared out by groups of columns, long ones by row blocks with one table per thread; the sums are
//! integers, so the order does not matter. They are those of one shard until they are reduced.

use std::ops::Range;

use super::adder::{Adder, Span, Stripe};
use super::kernels::RowWeights;
use super::row_order::FETCH_STEPS;
use crate::data::{Binned, ColumnGroup, JOINT_CODES};
use crate::demand::{ChangedPlaces, Demand, Question};
use crate::error::Result;
use crate::memory::{self, Need};
use crate::workers::{BLOCK_ROWS, Workers, run_blocks, split_along};

/// Additions for each sum from which it pays to give every thread a table of its own.
const TABLES_PAY: usize = 64;
/// Rows for each value of a joint code, each channel and each thread from which joint codes pay: their
/// tables are brought to the sums of single columns by each thread, channel by channel.
const JOINTS_PAY: usize = 2;

/// Weight sums of all columns.
#[derive(Debug, Clone)]
pub struct Histogram {
    sums: Vec<u64>,
    offsets: Vec<usize>,
    widths: Vec<usize>,
    n_channels: usize,
}

impl Histogram {
    /// Memory for the sums of `data`.
    #[must_use]
    pub fn new(data: &Binned, n_channels: usize) -> Self {
        let widths: Vec<usize> = (0..data.n_columns()).map(|c| data.n_codes(c)).collect();
        let mut length = 0;
        let mut offsets = vec![0; data.n_columns()];
        for &column in data.column_order().columns() {
            offsets[column] = length;
            length += widths[column] * n_channels;
        }
        Self { sums: vec![0; length], offsets, widths, n_channels }
    }

    /// Refuses so many histograms if they do not fit into memory.
    pub(super) fn check_memory(data: &Binned, n_channels: usize, n_held: usize) -> Result<()> {
        let n_codes = (0..data.n_columns()).map(|column| data.n_codes(column)).sum();
        let counts = [n_held, n_channels, n_codes];
        let joint_counts = [data.n_rows(), data.column_order().n_joints()];
        memory::check(&[
            Need::numbers("histograms by class and bin", &counts, size_of::<u64>()),
            Need::numbers("joint codes of columns", &joint_counts, size_of::<u16>()),
        ])
    }

    /// Makes room for another number of channels.
    pub(super) fn fit(&mut self, data: &Binned, n_channels: usize) {
        if self.n_channels != n_channels {
            *self = Self::new(data, n_channels);
        }
    }

    /// Takes over sums of as many channels.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.sums.copy_from_slice(&other.sums);
    }

    /// Brings sums over the rows of one shard to those over all shards.
    pub(super) fn reduce(&mut self, workers: &Workers) -> Result<()> {
        workers.reduce().sum_if_split(&mut self.sums)
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

    /// Adds up the weights of all places.
    pub fn fill(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<()> {
        let ends: Vec<usize> = demand.stretches.iter().map(|stretch| stretch.end).collect();
        let blocks = run_blocks(&ends);
        let layers = layers_of(demand.question, demand.weights, demand.n_places());
        let stripes = layers.iter().enumerate().flat_map(|(layer, weights)| {
            blocks.iter().map(move |block| (demand.channel(layer, block.run), block, weights))
        });
        let stripes: Vec<Stripe> = match demand.rows {
            None => stripes
                .map(|(channel, block, weights)| {
                    Stripe::all(channel, block.rows.clone(), weights.of(&block.rows))
                })
                .collect(),
            Some(rows) => {
                let codes = data.row_codes(workers)?;
                stripes
                    .map(|(channel, block, weights)| {
                        let rows = &rows[block.rows.clone()];
                        Stripe::scattered(channel, (codes, rows), weights.of(&block.rows))
                    })
                    .collect()
            }
        };
        self.sums.fill(0);
        self.add_stripes(data, &stripes, workers)
    }

    /// Brings the sums of all places up to date after some of their weights have changed.
    pub fn add_changes(
        &mut self,
        data: &Binned,
        demand: &Demand,
        changes: &[ChangedPlaces],
        workers: &Workers,
    ) -> Result<()> {
        /// Where the differences of some places are to be added.
        fn target<'a>(demand: &Demand, changed: &'a ChangedPlaces) -> (usize, RowWeights<'a>) {
            let weights = RowWeights { first: &changed.differences, second: None };
            (demand.channel(0, changed.stretch), weights)
        }
        let Some(rows) = demand.rows else {
            let stripes = changes.iter().map(|changed| {
                let (channel, weights) = target(demand, changed);
                Stripe::picked(channel, (changed.first, &changed.places), weights)
            });
            return self.add_stripes(data, &stripes.collect::<Vec<_>>(), workers);
        };
        let codes = data.row_codes(workers)?;
        let rows_of = |changed: &ChangedPlaces| -> Vec<u32> {
            let places = changed.places.iter().map(|&place| changed.first + usize::from(place));
            places.map(|place| rows[place]).collect()
        };
        let rows: Vec<Vec<u32>> = changes.iter().map(rows_of).collect();
        let stripes = changes.iter().zip(&rows).map(|(changed, rows)| {
            let (channel, weights) = target(demand, changed);
            Stripe::scattered(channel, (codes, rows), weights)
        });
        self.add_stripes(data, &stripes.collect::<Vec<_>>(), workers)
    }

    /// Adds up the weights of some places, which ascend.
    pub(super) fn fill_places(
        &mut self,
        data: &Binned,
        demand: &Demand,
        places: &[u32],
        scratch: &mut Scratch,
        workers: &Workers,
    ) -> Result<()> {
        if places.len() == demand.n_places() {
            return self.fill(data, demand, workers);
        }
        let ends: Vec<usize> = demand
            .stretches
            .iter()
            .map(|stretch| places.partition_point(|&place| (place as usize) < stretch.end))
            .collect();
        let blocks = run_blocks(&ends);
        scratch.gather(demand, places, workers)?;
        let rows = if demand.rows.is_some() { scratch.rows.as_slice() } else { places };
        let codes = data.row_codes(workers)?;
        let layers = layers_of(demand.question, &scratch.weights, places.len());
        let stripes = layers.iter().enumerate().flat_map(|(layer, weights)| {
            blocks.iter().map(move |block| {
                let channel = demand.channel(layer, block.run);
                let rows = &rows[block.rows.clone()];
                Stripe::scattered(channel, (codes, rows), weights.of(&block.rows))
            })
        });
        self.sums.fill(0);
        self.add_stripes(data, &stripes.collect::<Vec<_>>(), workers)
    }

    /// Takes away the sums of some of the rows.
    pub(super) fn subtract(&mut self, part: &Self, workers: &Workers) -> Result<()> {
        let steps = self.sums.len();
        let pieces = self.sums.chunks_mut(BLOCK_ROWS).zip(part.sums.chunks(BLOCK_ROWS));
        workers.map(steps, pieces.collect(), |(sums, part)| {
            for (sum, part) in sums.iter_mut().zip(part) {
                *sum = sum.wrapping_sub(*part);
            }
            Ok(())
        })?;
        Ok(())
    }

    fn add_stripes(&mut self, data: &Binned, stripes: &[Stripe], workers: &Workers) -> Result<()> {
        let n_rows: usize = stripes.iter().map(|stripe| stripe.weights.first.len()).sum();
        let steps = n_rows * data.n_columns();
        // A row's codes are brought together once for each span, so these are few where rows are
        // scattered.
        let is_scattered = stripes.iter().any(Stripe::is_scattered);
        let are_pairs = stripes.iter().any(|stripe| stripe.weights.second.is_some());
        let order = data.column_order();
        let has_joints = order.n_joints() > 0
            && !is_scattered
            && !are_pairs
            && n_rows >= JOINTS_PAY * JOINT_CODES * self.n_channels * workers.threads();
        let joint_codes = has_joints.then(|| data.joint_codes(workers)).transpose()?;
        let groups = order.groups(has_joints);
        let whole =
            Span { data, groups, at: 0..groups.len(), n_channels: self.n_channels, joint_codes };
        // Each thread's own table must be cleared and added up in the end.
        let tables_pay = steps > TABLES_PAY * self.sums.len();
        let few_groups = groups.len() < 2 * workers.threads();
        let some_groups = groups.len() < 8 * workers.threads();
        if workers.worth(steps) && (few_groups || (some_groups && tables_pay)) {
            return self.add_by_rows(&whole, stripes, workers);
        }
        let n_spans = if is_scattered { workers.threads() } else { groups.len() };
        let spans = split_evenly(groups.len(), n_spans);
        let lengths = self.n_sums(&whole, &spans);
        let pieces = split_along(&mut self.sums, lengths);
        workers.map(steps, spans.into_iter().zip(pieces).collect(), |(at, sums)| {
            let mut adder = Adder::new(Span { at, ..whole.clone() });
            for stripe in stripes {
                workers.check()?;
                adder.add(stripe, sums);
            }
            adder.finish(sums);
            Ok(())
        })?;
        Ok(())
    }

    fn add_by_rows(&mut self, span: &Span, stripes: &[Stripe], workers: &Workers) -> Result<()> {
        let partial = workers.share(stripes.len(), |next| {
            let mut sums = vec![0; self.sums.len()];
            let mut adder = Adder::new(span.clone());
            while let Some(task) = next() {
                adder.add(&stripes[task], &mut sums);
            }
            adder.finish(&mut sums);
            Ok(sums)
        })?;
        for sums in partial {
            for (total, sum) in self.sums.iter_mut().zip(sums) {
                *total = total.wrapping_add(sum);
            }
        }
        Ok(())
    }

    /// How many sums some spans of groups have.
    fn n_sums(&self, whole: &Span, spans: &[Range<usize>]) -> Vec<usize> {
        let order = whole.data.column_order();
        let width = |group: &ColumnGroup| {
            order.members(group).iter().map(|&column| self.widths[column]).sum::<usize>()
        };
        let of_span = |span: &Range<usize>| {
            whole.groups[span.clone()].iter().map(width).sum::<usize>() * self.n_channels
        };
        spans.iter().map(of_span).collect()
    }
}

/// So many ranges of about the same length that make up `0..n`; fewer if there are not as many.
fn split_evenly(n: usize, n_ranges: usize) -> Vec<Range<usize>> {
    let n_ranges = n_ranges.clamp(1, n.max(1));
    (0..n_ranges).map(|at| at * n / n_ranges..(at + 1) * n / n_ranges).collect()
}

/// The layers of weights that are added up one after the other; gradients and curvatures go together.
fn layers_of(question: Question, weights: &[u64], n_places: usize) -> Vec<RowWeights<'_>> {
    let mut layers = weights.chunks_exact(n_places.max(1));
    match question {
        Question::Newton(_) => {
            let first = layers.next().unwrap_or_default();
            vec![RowWeights { first, second: layers.next() }]
        }
        _ => layers.map(|first| RowWeights { first, second: None }).collect(),
    }
}

/// Memory for the weights and rows of some places, used again and again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    weights: Vec<u64>,
    rows: Vec<u32>,
}

impl Scratch {
    /// Fetches what stands at some places: once, not once for every group of columns.
    fn gather(&mut self, demand: &Demand, places: &[u32], workers: &Workers) -> Result<()> {
        fn fetch<T: Copy + Default + Send + Sync>(
            from: &[T],
            places: &[u32],
            to: &mut [T],
            workers: &Workers,
        ) -> Result<()> {
            let blocks = places.chunks(BLOCK_ROWS).zip(to.chunks_mut(BLOCK_ROWS)).collect();
            workers.map(places.len() * FETCH_STEPS, blocks, |(places, to)| {
                for (to, &place) in to.iter_mut().zip(places) {
                    *to = from[place as usize];
                }
                Ok(())
            })?;
            Ok(())
        }
        let n_layers = demand.question.n_layers();
        self.weights.resize(n_layers * places.len(), 0);
        let layers = demand.weights.chunks_exact(demand.n_places().max(1));
        for (from, to) in layers.zip(self.weights.chunks_exact_mut(places.len().max(1))) {
            fetch(from, places, to, workers)?;
        }
        if let Some(rows) = demand.rows {
            self.rows.resize(places.len(), 0);
            fetch(rows, places, &mut self.rows, workers)?;
        }
        Ok(())
    }
}
