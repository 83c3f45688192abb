//! The codes of scattered rows: four byte-wide columns in one word.
//!
//! In: codes by column. Out: words of some rows, group by group, for the loops over them. Usually the
//! codes are kept once more for that, all words of a row side by side, so that rows scattered over a
//! big frame cost one or two cache lines each; where memory counts more, words are made of columns.
//! Only learners that look at parts of the rows need them.

use std::ops::Range;

use super::binned::{Binned, Codes};
use super::column_order::ColumnGroup;
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// Rows whose words are brought together at a time: few enough to stay in the cache.
pub const GATHERED_ROWS: usize = 1 << 11;
/// Words of a group begin so far apart: not by a power of two, at which they would share cache lines.
const STRIDE: usize = GATHERED_ROWS + 16;
/// Rows ahead of the one that is copied whose words are fetched into the cache.
const AHEAD: usize = 16;

/// Where the words of rows come from; groups of a single wide column have none.
#[derive(Debug, Clone)]
pub enum RowCodes {
    /// They are kept, row after row.
    Packed(PackedCodes),
    /// They are made of the codes of the columns.
    OfColumns,
}

/// Words of rows, row after row.
#[derive(Debug, Clone)]
pub struct PackedCodes {
    words: Vec<u32>,
    /// Words of a row.
    width: usize,
    /// By group, how many words stand before its own; one entry more than groups.
    before: Vec<usize>,
}

impl RowCodes {
    /// Brings the words of some groups and some rows together, at most [`GATHERED_ROWS`] of them.
    pub fn gather(
        &self,
        data: &Binned,
        groups: &Range<usize>,
        rows: &[u32],
        to: &mut GatheredWords,
    ) {
        match self {
            Self::Packed(packed) => packed.gather(groups, rows, to),
            Self::OfColumns => to.make(data, groups, &rows[..rows.len().min(GATHERED_ROWS)]),
        }
    }
}

/// The codes of the columns of a group; `None` for a wide column.
fn narrow_codes<'a>(data: &'a Binned, group: &ColumnGroup) -> Option<Vec<&'a [u8]>> {
    let columns = data.column_order().members(group);
    let is_narrow = matches!(data.codes(columns[0]), Codes::Narrow(_));
    is_narrow.then(|| columns.iter().map(|&column| data.codes(column).narrow()).collect())
}

impl PackedCodes {
    /// Packs the codes.
    pub(super) fn new(data: &Binned, workers: &Workers) -> Result<Self> {
        let narrow = |group: &ColumnGroup| narrow_codes(data, group);
        let groups = data.column_order().groups(false);
        let mut before = vec![0];
        for group in groups {
            before.push(before[before.len() - 1] + usize::from(narrow(group).is_some()));
        }
        let width = before[groups.len()];
        let mut words = vec![0u32; data.n_rows() * width];
        let blocks = words.chunks_mut((BLOCK_ROWS * width).max(1)).enumerate().collect();
        workers.map(data.n_rows() * data.n_columns(), blocks, |(block, words)| {
            for (at, columns) in groups.iter().filter_map(narrow).enumerate() {
                let columns: Vec<&[u8]> =
                    columns.into_iter().map(|codes| &codes[block * BLOCK_ROWS..]).collect();
                // Words of one group stand far apart, so each is written once.
                if let &[first, second, third, fourth] = columns.as_slice() {
                    let codes = first.iter().zip(second).zip(third).zip(fourth);
                    for (row, (((a, b), c), d)) in words.chunks_exact_mut(width).zip(codes) {
                        row[at] = u32::from_le_bytes([*a, *b, *c, *d]);
                    }
                    continue;
                }
                for (byte, codes) in columns.into_iter().enumerate() {
                    for (row, &code) in words.chunks_exact_mut(width).zip(codes) {
                        row[at] |= u32::from(code) << (8 * byte);
                    }
                }
            }
            Ok(())
        })?;
        Ok(Self { words, width, before })
    }

    /// The words of one group of byte-wide columns, of some rows where they stand.
    pub fn words<'a>(
        &'a self,
        group: usize,
        rows: &'a [u32],
    ) -> impl Iterator<Item = u32> + Clone + 'a {
        let at = self.before[group];
        rows.iter().map(move |&row| self.words[row as usize * self.width + at])
    }

    fn gather(&self, groups: &Range<usize>, rows: &[u32], to: &mut GatheredWords) {
        let (first, n_words) = (self.before[groups.start], self.n_words(groups));
        to.words.resize(n_words * STRIDE, 0);
        if n_words == 0 {
            return;
        }
        for (at, &row) in rows[..rows.len().min(GATHERED_ROWS)].iter().enumerate() {
            self.fetch(rows.get(at + AHEAD), first..first + n_words);
            let words = &self.words[row as usize * self.width + first..][..n_words];
            for (group, &word) in words.iter().enumerate() {
                // SAFETY: there are `n_words` times STRIDE words, and `at` is below STRIDE.
                unsafe { *to.words.get_unchecked_mut(group * STRIDE + at) = word };
            }
        }
    }

    /// How many words a row has for some groups: one for each group of byte-wide columns.
    fn n_words(&self, groups: &Range<usize>) -> usize {
        self.before[groups.end] - self.before[groups.start]
    }

    /// Has the words of a later row brought into the cache.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn fetch(&self, row: Option<&u32>, words: Range<usize>) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let Some(&row) = row else { return };
        for place in [words.start, words.end - 1] {
            let word = self.words.as_ptr().wrapping_add(row as usize * self.width + place);
            // SAFETY: a prefetch reads nothing, whatever the address is.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(word.cast()) };
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    fn fetch(&self, _: Option<&u32>, _: Range<usize>) {}
}

/// The words of some rows, group after group.
#[derive(Debug, Default)]
pub struct GatheredWords {
    words: Vec<u32>,
}

impl GatheredWords {
    /// Makes the words of some groups and rows of the codes of their columns.
    fn make(&mut self, data: &Binned, groups: &Range<usize>, rows: &[u32]) {
        self.words.clear();
        let groups = &data.column_order().groups(false)[groups.clone()];
        for columns in groups.iter().filter_map(|group| narrow_codes(data, group)) {
            let first = self.words.len();
            self.words.resize(first + STRIDE, 0);
            let words = &mut self.words[first..];
            if let &[a, b, c, d] = columns.as_slice() {
                for (word, &row) in words.iter_mut().zip(rows) {
                    let row = row as usize;
                    *word = u32::from_le_bytes([a[row], b[row], c[row], d[row]]);
                }
                continue;
            }
            for (byte, codes) in columns.into_iter().enumerate() {
                for (word, &row) in words.iter_mut().zip(rows) {
                    *word |= u32::from(codes[row as usize]) << (8 * byte);
                }
            }
        }
    }

    /// The words of so many rows, of the groups that have some in turn.
    pub fn by_group(&self, n_rows: usize) -> impl Iterator<Item = &[u32]> {
        self.words.chunks_exact(STRIDE).map(move |words| &words[..n_rows])
    }
}

#[cfg(test)]
mod tests {
    use super::super::bins::NumberBins;
    use super::*;
    use crate::data::Bins;

    #[test]
    fn gathered_words_hold_the_codes_of_their_rows() {
        // Six columns, of which the third has more codes than a byte can tell apart.
        let narrow = Bins::Numbers(NumberBins { cuts: (0..200).map(f64::from).collect() });
        let wide = Bins::Numbers(NumberBins { cuts: (0..300).map(f64::from).collect() });
        let bins = [&narrow, &narrow, &wide, &narrow, &narrow, &narrow];
        let n_rows = 3 * GATHERED_ROWS;
        let code = |column: usize, row: usize| (row * (7 + column) + column) % 200;
        let data = Binned::block(&bins, n_rows, &[true; 6], |column, codes| {
            for (row, to) in codes.iter_mut().enumerate() {
                *to = code(column, row) as u16;
            }
        });
        let workers = Workers::new(Some(2)).unwrap();
        let groups: Vec<Range<usize>> =
            data.column_order().groups(false).iter().map(|group| group.places.clone()).collect();
        assert_eq!(groups, [0..2, 2..3, 3..6]);
        let rows: Vec<u32> = (0..n_rows as u32).filter(|row| row % 3 == 1).collect();
        let without = data.clone().without_copies();
        let spans = [0..3, 0..1, 1..2, 2..3];
        for (data, span) in spans.into_iter().flat_map(|s| [(&data, s.clone()), (&without, s)]) {
            let mut gathered = GatheredWords::default();
            data.row_codes(&workers).unwrap().gather(data, &span, &rows, &mut gathered);
            let narrow = groups[span].iter().filter(|columns| columns.start != 2);
            let by_group: Vec<&[u32]> = gathered.by_group(rows.len()).collect();
            assert_eq!(by_group.len(), narrow.clone().count());
            for (columns, words) in narrow.zip(by_group) {
                for (row, word) in rows.iter().zip(words) {
                    for (byte, column) in columns.clone().enumerate() {
                        let expected = code(column, *row as usize);
                        assert_eq!((word >> (8 * byte)) as usize % 256, expected);
                    }
                }
            }
        }
    }
}
