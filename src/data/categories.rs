//! The bins of a category column: which string has which code.
//!
//! In: a column and the rows that train. Out: a code per category; when there are more than
//! `max_bins`, the heaviest keep a bin of their own and the rare ones share one.

use std::cmp::Ordering;

use super::bins::{fixed_weight, sortable};
use super::column::{Column, Kind, TEXT_MISSING};
use super::rows::Rows;
use super::seen::Reader;
use super::texts::Texts;
use crate::error::{Error, Result};
use crate::workers::{BLOCK_ROWS, Workers, row_blocks};

/// Items that are sorted or copied without looking whether the run was called off.
const PIECE: usize = 1 << 16;

/// Category strings with a bin each, and the rare ones that share one more.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CategoryBins {
    /// Those with a bin of their own in code order, then the rare ones.
    texts: Texts,
    n_own: usize,
}

impl CategoryBins {
    /// Bins for `names`, one each, and one more for all of `rare`; `None` if one occurs twice.
    pub fn new<'a>(
        names: impl IntoIterator<Item = &'a str>,
        rare: impl IntoIterator<Item = &'a str>,
    ) -> Option<Self> {
        let mut texts = Texts::default();
        let mut given = 0;
        for name in names {
            texts.insert(name);
            given += 1;
        }
        let n_own = given;
        for name in rare {
            texts.insert(name);
            given += 1;
        }
        (texts.len() == given).then_some(Self { texts, n_own })
    }

    /// The number of bins.
    #[must_use]
    pub fn len(&self) -> usize {
        self.n_own + usize::from(self.texts.len() > self.n_own)
    }

    /// Whether there is no category.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The categories of a bin.
    pub fn names(&self, code: usize) -> impl Iterator<Item = &str> {
        let ids = if code < self.n_own { code..code + 1 } else { self.n_own..self.texts.len() };
        ids.map(|id| self.texts.text(id as u32))
    }

    /// The categories with a bin of their own, in code order.
    pub fn own(&self) -> impl Iterator<Item = &str> {
        (0..self.n_own).map(|id| self.texts.text(id as u32))
    }

    /// The categories that share the last bin.
    pub fn rare(&self) -> impl Iterator<Item = &str> {
        self.names(self.n_own)
    }

    /// The code of a category, if it is known.
    #[must_use]
    pub fn code(&self, name: &str) -> Option<u32> {
        self.texts.find(name).map(|id| id.min(self.n_own as u32))
    }
}

/// Learns the categories of a column, whose rows may come in tiles.
pub struct CategoryLearner {
    kind: Kind,
    max_bins: usize,
    found: Texts,
    /// How many categories the column's type declares; `None` before any rows were seen, and of
    /// columns that declare none.
    n_declared: Option<usize>,
    /// By category, in fixed point.
    weights: Vec<u128>,
}

impl CategoryLearner {
    pub(super) fn new(kind: Kind, max_bins: usize) -> Self {
        let (found, weights) = (Texts::default(), Vec::new());
        Self { kind, max_bins, found, n_declared: None, weights }
    }

    /// Looks at some rows, the first of which has this number; rows come in their order.
    pub(super) fn see(
        &mut self,
        (column, first): (&Column, usize),
        rows: &Rows,
        workers: &Workers,
    ) -> Result<()> {
        let Self { found, weights, .. } = self;
        if column.declared && self.n_declared.is_none() {
            column.for_each_declared(&mut |text| {
                found.insert(text);
            });
            self.n_declared = Some(found.len());
        }
        let mut ids = vec![0; BLOCK_ROWS.min(column.len())];
        for block in row_blocks(column.len()) {
            workers.check()?;
            let ids = &mut ids[..block.len()];
            column.read_texts(block.start, ids, &mut |text| found.insert(text));
            weights.resize(found.len(), 0);
            for (row, &id) in block.zip(ids.iter()) {
                if id != TEXT_MISSING {
                    weights[id as usize] += fixed_weight(rows.given_weight(first + row));
                }
            }
        }
        Ok(())
    }

    /// The number of declared categories, if there are some, then all with their weights.
    pub(super) fn seen(&self) -> Vec<u8> {
        let mut bytes = self.n_declared.map_or(u64::MAX, |n| n as u64).to_le_bytes().to_vec();
        for id in 0..self.found.len() {
            let text = self.found.text(id as u32).as_bytes();
            let weight = self.weights.get(id).copied().unwrap_or(0);
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text);
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    /// Takes over what all shards have seen; declared categories come first, in their order.
    pub(super) fn merge(&mut self, shards: &[&[u8]]) -> Result<()> {
        let (mut seen, mut declares) = (Vec::new(), false);
        for bytes in shards {
            let mut reader = Reader(bytes);
            let declared = reader.number()?;
            declares |= declared != u64::MAX;
            let mut number = 0;
            while !reader.is_empty() {
                let length = reader.number()? as usize;
                let text = std::str::from_utf8(reader.take(length)?)
                    .map_err(|_| Error::internal("a category of another shard is no text"))?;
                let is_declared = declared != u64::MAX && number < declared;
                seen.push((is_declared, text, reader.wide_number()?));
                number += 1;
            }
        }
        self.found = Texts::default();
        for (_, text, _) in seen.iter().filter(|(is_declared, ..)| *is_declared) {
            self.found.insert(text);
        }
        self.n_declared = declares.then(|| self.found.len());
        self.weights = vec![0; self.found.len()];
        for (_, text, weight) in seen {
            let id = self.found.insert(text) as usize;
            self.weights.resize(self.found.len(), 0);
            self.weights[id] += weight;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, workers: &Workers) -> Result<CategoryBins> {
        let n_declared = self.n_declared.unwrap_or(0);
        self.weights.resize(self.found.len(), 0);
        let Self { found, weights, .. } = &self;
        let counts = |id: &u32| (*id as usize) < n_declared || weights[*id as usize] > 0;
        let mut order: Vec<u32> = (0..found.len() as u32).filter(counts).collect();
        sort(&mut order, &self.order(), workers)?;
        let rare = split_rare(&mut order, weights, self.max_bins);
        let mut texts = Texts::default();
        for piece in order.chunks(PIECE).chain(rare.chunks(PIECE)) {
            workers.check()?;
            for &id in piece {
                texts.insert(found.text(id));
            }
        }
        Ok(CategoryBins { texts, n_own: order.len() })
    }

    /// The order of the codes: as declared, by number, or by text.
    fn order(&self) -> Box<Order<'_>> {
        let found = &self.found;
        let number = |id: &u32| found.text(*id).parse().map_or(i64::MAX, sortable);
        match (self.n_declared, self.kind) {
            (Some(_), _) => Box::new(u32::cmp),
            (None, Kind::NumberedCategory) => Box::new(move |a, b| number(a).cmp(&number(b))),
            (None, _) => Box::new(|a, b| found.text(*a).cmp(found.text(*b))),
        }
    }
}

/// How ids compare.
type Order<'a> = dyn Fn(&u32, &u32) -> Ordering + 'a;

/// Sorts by halves, so that a long sort can be called off.
fn sort(items: &mut [u32], order: &Order, workers: &Workers) -> Result<()> {
    workers.check()?;
    if items.len() <= PIECE {
        items.sort_unstable_by(order);
        return Ok(());
    }
    let (low, _, high) = items.select_nth_unstable_by(items.len() / 2, order);
    sort(low, order, workers)?;
    sort(high, order, workers)
}

/// Takes out all but the `max_bins − 1` heaviest categories when there are more than `max_bins`;
/// both parts keep their order, and of equally heavy ones the earlier stay.
fn split_rare(order: &mut Vec<u32>, weights: &[u128], max_bins: usize) -> Vec<u32> {
    if order.len() <= max_bins {
        return Vec::new();
    }
    let weight = |place: usize| weights[order[place] as usize];
    let mut places: Vec<usize> = (0..order.len()).collect();
    places.select_nth_unstable_by(max_bins - 1, |&a, &b| weight(b).cmp(&weight(a)).then(a.cmp(&b)));
    let mut is_own = vec![false; order.len()];
    for &place in &places[..max_bins - 1] {
        is_own[place] = true;
    }
    let mut own = is_own.into_iter();
    order.extract_if(.., |_| own.next() == Some(false)).collect()
}
