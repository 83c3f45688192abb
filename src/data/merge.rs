//! Rows with the same codes and class become one row with a count.
//!
//! In: codes in class order. Out: fewer codes, and the places that rows now share; nothing if that
//! would not pay. Such rows get the same answers, so their weights stay equal for ever and
//! nothing is lost; rows of different weights do not share a place, so that all sums are those over
//! single rows, whoever shares. Rows are told apart column by column: a group and a code make a new group,
//! numbered in the order of first appearance.

use std::hash::Hash;
use std::ops::Range;

use hashbrown::HashMap;

use super::binned::{Binned, Codes};
use super::rows::Rows;
use crate::error::Result;
use crate::workers::Workers;

/// Merging pays if at most this share of the rows remains.
const PAYS: f64 = 0.7;
/// Rows that are looked at before all are, and the share of groups among them that is too much: of
/// few rows nearly all may differ even though merging would pay.
const SAMPLES: [(usize, f64); 2] = [(1 << 13, 0.99), (1 << 17, PAYS)];
/// Groups times codes up to which pairs are looked up in a plain table.
const TABLE_CELLS: usize = 1 << 20;

/// Merges identical rows if it pays; otherwise gives back what came.
pub fn merge_rows(data: Binned, rows: Rows, workers: &Workers) -> Result<(Binned, Rows)> {
    let ends = rows.class_ends();
    let weights = rows.start_weights();
    let weights = weights.as_deref();
    let runs: Vec<Range<usize>> =
        (0..ends.len()).map(|run| if run == 0 { 0 } else { ends[run - 1] }..ends[run]).collect();
    for (n_sampled, share) in SAMPLES {
        let stride = rows.len().div_ceil(n_sampled);
        if stride > 1 && group((&data, weights), &runs, (stride, share), workers)?.is_none() {
            return Ok((data, rows));
        }
    }
    let Some(groups) = group((&data, weights), &runs, (1, PAYS), workers)? else {
        return Ok((data, rows));
    };
    let mut shared = Vec::with_capacity(rows.len());
    let mut first = Vec::new();
    let mut class_ends = Vec::with_capacity(ends.len());
    for (run, groups) in runs.iter().zip(&groups) {
        let base = first.len() as u32;
        for (row, &group) in run.clone().zip(groups) {
            if base + group == first.len() as u32 {
                first.push(row as u32);
            }
            shared.push(base + group);
        }
        class_ends.push(first.len());
    }
    Ok((data.pick(&first)?, rows.merged(&shared, class_ends)))
}

/// The group of every `stride`th row of each run, or `None` if there are more groups than this share
/// of the rows.
fn group(
    (data, weights): (&Binned, Option<&[f64]>),
    runs: &[Range<usize>],
    (stride, share): (usize, f64),
    workers: &Workers,
) -> Result<Option<Vec<Vec<u32>>>> {
    let n_rows: usize = runs.iter().map(|run| run.len().div_ceil(stride)).sum();
    let most = (share * n_rows as f64) as usize;
    let steps = n_rows * data.n_columns();
    let grouped = workers.map(steps, runs.to_vec(), |run| {
        let mut groups = vec![0u32; run.len().div_ceil(stride)];
        let mut n_groups = 1;
        if let Some(weights) = weights {
            let weights = weights[run.clone()].iter().step_by(stride).map(|w| w.to_bits());
            n_groups = refine_by(&mut groups, weights);
            if n_groups > most {
                return Ok(None);
            }
        }
        for column in 0..data.n_columns() {
            workers.check()?;
            let n_codes = data.n_codes(column);
            n_groups = match data.codes(column) {
                Codes::Narrow(codes) => {
                    let codes = codes[run.clone()].iter().step_by(stride);
                    refine(&mut groups, n_groups, codes.map(|&code| u16::from(code)), n_codes)
                }
                Codes::Wide(codes) => {
                    let codes = codes[run.clone()].iter().step_by(stride);
                    refine(&mut groups, n_groups, codes.copied(), n_codes)
                }
            };
            if n_groups > most {
                return Ok(None);
            }
        }
        Ok(Some((groups, n_groups)))
    })?;
    let Some(grouped) = grouped.into_iter().collect::<Option<Vec<_>>>() else { return Ok(None) };
    let n_groups: usize =
        grouped.iter().map(|(groups, n)| if groups.is_empty() { 0 } else { *n }).sum();
    Ok((n_groups <= most).then(|| grouped.into_iter().map(|(groups, _)| groups).collect()))
}

/// Splits groups by one more column; returns how many there are now.
fn refine(
    groups: &mut [u32],
    n_groups: usize,
    codes: impl Iterator<Item = u16>,
    n_codes: usize,
) -> usize {
    const NONE: u32 = u32::MAX;
    if n_groups * n_codes <= TABLE_CELLS {
        let mut n_new = 0u32;
        let mut table = vec![NONE; n_groups * n_codes];
        for (group, code) in groups.iter_mut().zip(codes) {
            let known = &mut table[*group as usize * n_codes + usize::from(code)];
            if *known == NONE {
                *known = n_new;
                n_new += 1;
            }
            *group = *known;
        }
        n_new as usize
    } else {
        refine_by(groups, codes)
    }
}

/// The same for anything that tells rows apart.
fn refine_by<T: Eq + Hash>(groups: &mut [u32], items: impl Iterator<Item = T>) -> usize {
    let mut n_new = 0;
    let mut known = HashMap::new();
    for (group, item) in groups.iter_mut().zip(items) {
        *group = *known.entry((*group, item)).or_insert_with(|| {
            n_new += 1;
            n_new - 1
        });
    }
    n_new as usize
}
