//! Shapley values of scores that are sums of stumps, rules or trees.
//!
//! In: a model and rows. Out: for every column and row what it adds to each score. What is not known
//! of a row counts as the training rows that come along the same way (path-dependent `TreeSHAP`;
//! Lundberg and others 2020). Regions that look at one column are folded into a step function of that
//! column, as for scoring; for others what a column adds is looked up by which columns of the region
//! the row passes. Cost for a region of d columns: d look-ups for each row, and a table of 2^d entries
//! for each batch of rows.

use super::super::blockwise::Coder;
use super::super::folded::{FoldedColumn, fold};
use super::super::{BATCH_ROWS, Model};
use super::Contributions;
use super::buffer::{ColumnBuffer, Piece, filled};
use super::product::GaussRule;
use super::regions::{Region, Regions};
use crate::data::{Binned, Column, Table};
use crate::error::Result;
use crate::hypothesis::Block;
use crate::workers::{BLOCK_ROWS, Workers, by_block};

/// The most columns of a region for which a table is made.
const MOST_TABLED: usize = 8;

/// A model made ready.
struct Ready {
    folded: Vec<FoldedColumn>,
    /// Regions that look at several columns, with rules for as many.
    regions: Vec<Region>,
    rules: Vec<GaussRule>,
    coder: Coder,
    bias: Vec<f64>,
    /// The columns that some hypothesis tests, and the position of each among them.
    touched: Vec<usize>,
    positions: Vec<usize>,
}

/// What every column contributes to the scores of these rows.
pub(super) fn contributions(
    model: &Model,
    table: &Table,
    workers: &Workers,
) -> Result<Contributions> {
    let ready = Ready::new(model, workers)?;
    let columns = table.align(&model.schema)?;
    let (n_rows, n_scores) = (table.n_rows(), ready.bias.len());
    let mut buffers: Vec<ColumnBuffer> = vec![];
    buffers.resize_with(ready.touched.len(), || ColumnBuffer::new(n_rows * n_scores));
    let pieces = buffers.iter_mut().map(|buffer| buffer.pieces(BLOCK_ROWS * n_scores).collect());
    let blocks: Vec<(usize, Vec<Piece>)> = by_block(pieces).into_iter().enumerate().collect();
    let steps = n_rows * (ready.folded.len() + ready.regions.len());
    workers.map(steps, blocks, |(block, mut pieces)| {
        let n_rows = BLOCK_ROWS.min(n_rows - block * BLOCK_ROWS);
        for first in (0..n_rows).step_by(BATCH_ROWS) {
            workers.check()?;
            let last = (first + BATCH_ROWS).min(n_rows);
            let batch = first * n_scores..last * n_scores;
            let out = pieces.iter_mut().map(|piece| &mut piece[batch.clone()]).collect();
            let rows = (block * BLOCK_ROWS + first, last - first);
            ready.write(model, &columns, rows, out, workers)?;
        }
        Ok(())
    })?;
    let mut by_column = vec![None; model.schema.features.len()];
    for (column, buffer) in ready.touched.iter().zip(buffers) {
        // SAFETY: every batch of every block has been filled, or an error returned above.
        by_column[*column] = Some(unsafe { buffer.finish() });
    }
    Ok(Contributions { by_column, bias: ready.bias, errors: None })
}

impl Ready {
    fn new(model: &Model, workers: &Workers) -> Result<Self> {
        let Regions { base: mut bias, list } = Regions::of(model, workers)?;
        for region in &list {
            let share: f64 = region.sides.iter().map(|side| side.share).product();
            for (bias, worth) in bias.iter_mut().zip(&region.worth) {
                *bias += worth * share;
            }
        }
        let (single, regions): (Vec<Region>, Vec<Region>) =
            list.into_iter().partition(|region| region.sides.len() == 1);
        let mut sums: Vec<Option<Vec<Vec<f64>>>> = vec![None; model.schema.features.len()];
        for region in &single {
            workers.check()?;
            let side = &region.sides[0];
            let n_codes = model.schema.features[side.column].bins.missing() + 1;
            let sums =
                sums[side.column].get_or_insert_with(|| vec![vec![0.0; n_codes]; bias.len()]);
            for (sums, worth) in sums.iter_mut().zip(&region.worth) {
                for (code, sum) in (0u16..).zip(sums) {
                    let inside = f64::from(u8::from(side.codes.has(code)));
                    *sum += worth * (inside - side.share);
                }
            }
        }
        let mut wanted = vec![false; model.schema.features.len()];
        for side in regions.iter().flat_map(|region| &region.sides) {
            wanted[side.column] = true;
        }
        let is_touched = |column: &usize| wanted[*column] || sums[*column].is_some();
        let touched: Vec<usize> = (0..model.schema.features.len()).filter(is_touched).collect();
        let mut positions = vec![usize::MAX; model.schema.features.len()];
        for (position, column) in touched.iter().enumerate() {
            positions[*column] = position;
        }
        let most = regions.iter().map(|region| region.sides.len()).max().unwrap_or(0);
        let rules = (0..=most).map(GaussRule::for_sides).collect();
        let coder = Coder::new(&model.schema.features, wanted);
        let folded = fold(sums, &model.schema.features);
        Ok(Self { folded, regions, rules, coder, bias, touched, positions })
    }

    /// Writes the contributions of some rows, by touched column.
    fn write(
        &self,
        model: &Model,
        columns: &[Column],
        rows: (usize, usize),
        out: Vec<Piece>,
        workers: &Workers,
    ) -> Result<()> {
        let n_scores = self.bias.len();
        let mut folded = self.folded.iter().peekable();
        let mut codes = Vec::new();
        let mut written: Vec<&mut [f64]> = Vec::with_capacity(out.len());
        for (&column, piece) in self.touched.iter().zip(out) {
            let Some(steps) = folded.next_if(|folded| folded.column == column) else {
                written.push(filled(piece, |_| 0.0));
                continue;
            };
            let bins = &model.schema.features[column].bins;
            codes.resize(rows.1, 0);
            steps.encode((&columns[column], bins), rows.0, &mut codes);
            written.push(match steps.values() {
                [values] => filled(piece, |at| values[usize::from(codes[at])]),
                values => {
                    filled(piece, |at| values[at % n_scores][usize::from(codes[at / n_scores])])
                }
            });
        }
        if self.regions.is_empty() {
            return Ok(());
        }
        let bins = model.schema.bins();
        let data = self.coder.block(&bins, rows.1, |column, codes| {
            self.coder.encode(column, (&columns[column], bins[column]), rows.0, codes);
        });
        let mut scratch = Scratch::default();
        for region in &self.regions {
            // With many trees a batch takes long.
            workers.check()?;
            let positions: Vec<usize> =
                region.sides.iter().map(|side| self.positions[side.column]).collect();
            scratch.add(region, &self.rules[region.sides.len()], &data, (&positions, &mut written));
        }
        Ok(())
    }
}

/// Scratch memory that regions share.
#[derive(Default)]
struct Scratch {
    /// By side and row: whether it passes.
    marks: Vec<u8>,
    /// By row: the sides that it passes, as bits.
    patterns: Vec<u16>,
    shares: Vec<f64>,
    added: Vec<f64>,
    /// By side and pattern: what the side adds.
    table: Vec<f64>,
}

impl Scratch {
    /// Adds what the sides of a region add for every row, to the columns at their positions.
    fn add(
        &mut self,
        region: &Region,
        rule: &GaussRule,
        data: &Binned,
        out: (&[usize], &mut [&mut [f64]]),
    ) {
        let (n_rows, n_sides) = (data.n_rows(), region.sides.len());
        self.marks.resize(n_sides * n_rows, 0);
        for (side, marks) in region.sides.iter().zip(self.marks.chunks_mut(n_rows)) {
            side.codes.mark(Block::new(data.codes(side.column), 0..n_rows), marks);
        }
        self.shares.clear();
        self.shares.extend(region.sides.iter().map(|side| side.share));
        self.added.resize(n_sides, 0.0);
        if n_sides <= MOST_TABLED && n_rows >= 1 << n_sides {
            self.look_up(region, rule, n_rows, out);
        } else {
            self.work_out(region, rule, n_rows, out);
        }
    }

    fn look_up(
        &mut self,
        region: &Region,
        rule: &GaussRule,
        n_rows: usize,
        (positions, out): (&[usize], &mut [&mut [f64]]),
    ) {
        let n_sides = region.sides.len();
        let n_patterns = 1 << n_sides;
        self.table.resize(n_sides * n_patterns, 0.0);
        for pattern in 0..n_patterns {
            rule.shapley(&self.shares, |k| pattern >> k & 1 == 1, &mut self.added);
            for (k, added) in self.added.iter().enumerate() {
                self.table[k * n_patterns + pattern] = *added;
            }
        }
        self.patterns.clear();
        self.patterns.resize(n_rows, 0);
        for (k, marks) in self.marks.chunks(n_rows).take(n_sides).enumerate() {
            for (pattern, mark) in self.patterns.iter_mut().zip(marks) {
                *pattern |= u16::from(*mark) << k;
            }
        }
        let n_scores = region.worth.len();
        for (position, table) in positions.iter().zip(self.table.chunks_mut(n_patterns)) {
            let out = &mut *out[*position];
            if let [worth] = region.worth[..] {
                for added in table.iter_mut() {
                    *added *= worth;
                }
                for (to, &pattern) in out.iter_mut().zip(&self.patterns) {
                    *to += table[usize::from(pattern)];
                }
                continue;
            }
            for (to, &pattern) in out.chunks_mut(n_scores).zip(&self.patterns) {
                let added = table[usize::from(pattern)];
                for (to, worth) in to.iter_mut().zip(&region.worth) {
                    *to += worth * added;
                }
            }
        }
    }

    /// The same for too many sides, or too few rows, to make a table.
    fn work_out(
        &mut self,
        region: &Region,
        rule: &GaussRule,
        n_rows: usize,
        (positions, out): (&[usize], &mut [&mut [f64]]),
    ) {
        let n_scores = region.worth.len();
        for row in 0..n_rows {
            let marks = &self.marks;
            rule.shapley(&self.shares, |k| marks[k * n_rows + row] == 1, &mut self.added);
            for (position, added) in positions.iter().zip(&self.added) {
                let out = &mut out[*position][row * n_scores..][..n_scores];
                for (to, worth) in out.iter_mut().zip(&region.worth) {
                    *to += worth * added;
                }
            }
        }
    }
}
