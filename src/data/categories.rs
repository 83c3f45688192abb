//! The bins of a category column: which string has which code.
//!
//! In: a column and the rows that train. Out: a code per category; when there are more than
//! `max_bins`, the heaviest keep a bin of their own and the rare ones share one.

use hashbrown::HashMap;

use super::bins::sortable;
use super::column::{Column, Kind, TEXT_MISSING};
use super::rows::Rows;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers, row_blocks};

/// Category strings with a bin each, and the rare ones that share one more.
#[derive(Debug, Clone, PartialEq)]
pub struct CategoryBins {
    names: Vec<String>,
    rare: Vec<String>,
    codes: HashMap<String, u32>,
}

impl CategoryBins {
    /// Bins for `names`, one each, and one more for all of `rare`.
    #[must_use]
    pub fn new(names: Vec<String>, rare: Vec<String>) -> Self {
        let mut codes = HashMap::with_capacity(names.len() + rare.len());
        for (code, name) in names.iter().enumerate() {
            codes.insert(name.clone(), code as u32);
        }
        for name in &rare {
            codes.insert(name.clone(), names.len() as u32);
        }
        Self { names, rare, codes }
    }

    /// The number of bins.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len() + usize::from(!self.rare.is_empty())
    }

    /// Whether there is no category.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The categories with a bin of their own, in code order.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The categories that share the last bin.
    #[must_use]
    pub fn rare(&self) -> &[String] {
        &self.rare
    }

    /// The code of a category, if it is known.
    #[must_use]
    pub fn code(&self, name: &str) -> Option<u32> {
        self.codes.get(name).copied()
    }

    /// Whether some category occurs twice.
    #[must_use]
    pub fn has_duplicates(&self) -> bool {
        self.codes.len() != self.names.len() + self.rare.len()
    }

    pub(super) fn fit(
        column: &Column,
        rows: &Rows,
        max_bins: usize,
        workers: &Workers,
    ) -> Result<Self> {
        let mut ids: HashMap<String, u32> = HashMap::new();
        let mut weights: Vec<f64> = Vec::new();
        if column.declared {
            column.for_each_declared(&mut |text| {
                let next = ids.len() as u32;
                ids.entry_ref(text).or_insert(next);
            });
        }
        let n_declared = ids.len();
        weights.resize(n_declared, 0.0);
        let mut block_ids = vec![0; BLOCK_ROWS.min(column.len())];
        for block in row_blocks(column.len()) {
            workers.check()?;
            let block_ids = &mut block_ids[..block.len()];
            column.read_texts(block.start, block_ids, &mut |text| {
                let next = ids.len() as u32;
                *ids.entry_ref(text).or_insert(next)
            });
            weights.resize(ids.len(), 0.0);
            for (row, &id) in block.zip(block_ids.iter()) {
                if id != TEXT_MISSING {
                    weights[id as usize] += rows.given_weight(row);
                }
            }
        }
        let mut found: Vec<(String, usize)> = ids
            .into_iter()
            .map(|(name, id)| (name, id as usize))
            .filter(|&(_, id)| id < n_declared || weights[id] > 0.0)
            .collect();
        sort_categories(&mut found, column);
        let rare = split_rare(&mut found, &weights, max_bins);
        let names = |found: Vec<(String, usize)>| found.into_iter().map(|f| f.0).collect();
        Ok(Self::new(names(found), names(rare)))
    }
}

/// The order of the codes: as declared, by number, or by text.
fn sort_categories(found: &mut [(String, usize)], column: &Column) {
    if column.declared {
        found.sort_unstable_by_key(|&(_, id)| id);
    } else if column.kind == Kind::NumberedCategory {
        found.sort_by_cached_key(|(name, _)| name.parse().map_or(i64::MAX, sortable));
    } else {
        found.sort_unstable();
    }
}

/// Takes out all but the `max_bins − 1` heaviest categories when there are more than `max_bins`.
fn split_rare(
    found: &mut Vec<(String, usize)>,
    weights: &[f64],
    max_bins: usize,
) -> Vec<(String, usize)> {
    if found.len() <= max_bins {
        return Vec::new();
    }
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| weights[found[b].1].total_cmp(&weights[found[a].1]).then(a.cmp(&b)));
    let mut keep = vec![false; found.len()];
    for &at in &order[..max_bins - 1] {
        keep[at] = true;
    }
    let mut at = 0;
    found
        .extract_if(.., |_| {
            at += 1;
            !keep[at - 1]
        })
        .collect()
}
