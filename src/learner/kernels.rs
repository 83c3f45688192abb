//! The one hot loop of training: adding the weights of rows to tables of a few columns.
//!
//! In: codes and weights of rows. Out: their weights added up by code. Up to four byte-wide columns
//! are walked at a time, so that each weight is loaded once for four additions. Odd and even rows add
//! to different halves of a table, so that an addition seldom waits for the one before it; where a row
//! has two numbers, these stand side by side, so that both are added by one wide instruction. Columns
//! of few codes share a joint code, so that one addition stands for all of them.

use std::ops::Range;

use crate::data::{GROUP, JOINT_CODES, JOINT_GROUP};

/// Codes of a byte-wide column, used or not.
const NARROW: usize = 256;

/// The sums of one column: by code those of even rows and then those of odd rows, or two for each
/// code. There is memory for all bytes, so that no index needs a check.
#[derive(Clone, Copy)]
pub(super) struct Table([u64; 2 * NARROW]);

/// The tables of a group of columns.
pub(super) type Tables = [Table; GROUP];

/// Tables of zeros.
pub(super) const EMPTY: Tables = [Table([0; 2 * NARROW]); GROUP];

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

impl Table {
    /// Sums are signed where they are gradients, and wrap around.
    #[inline]
    fn add(&mut self, half: usize, code: u8, weight: u64) {
        let sum = &mut self.0[half * NARROW + usize::from(code)];
        *sum = sum.wrapping_add(weight);
    }

    #[inline]
    fn add_pair(&mut self, code: u8, pair: [u64; 2]) {
        let sums = &mut self.0.as_chunks_mut::<2>().0[usize::from(code)];
        *sums = [sums[0].wrapping_add(pair[0]), sums[1].wrapping_add(pair[1])];
    }

    /// Moves the sums of one number per row to where they belong, and leaves zeros.
    pub fn move_sums(&mut self, sums: &mut [u64]) {
        let (even, odd) = self.0.split_at_mut(NARROW);
        for (sum, (even, odd)) in sums.iter_mut().zip(even.iter_mut().zip(odd)) {
            *sum = sum.wrapping_add(*even).wrapping_add(*odd);
            (*even, *odd) = (0, 0);
        }
    }

    /// Likewise of two numbers per row.
    pub fn move_pairs(&mut self, first: &mut [u64], second: &mut [u64]) {
        let pairs = self.0.as_chunks_mut::<2>().0;
        for ((first, second), pair) in first.iter_mut().zip(second).zip(pairs) {
            *first = first.wrapping_add(pair[0]);
            *second = second.wrapping_add(pair[1]);
            *pair = [0, 0];
        }
    }
}

/// Adds scattered rows, given by words of codes.
pub(super) fn add_words<const COLUMNS: usize>(
    words: &[u32],
    weights: RowWeights,
    tables: &mut Tables,
) {
    if let Some(second) = weights.second {
        for ((word, &first), &second) in words.iter().zip(weights.first).zip(second) {
            let codes = word.to_le_bytes();
            for column in 0..COLUMNS {
                tables[column].add_pair(codes[column], [first, second]);
            }
        }
        return;
    }
    let (word_pairs, word_rest) = words.as_chunks::<2>();
    let (weight_pairs, weight_rest) = weights.first.as_chunks::<2>();
    for (words, &[even_weight, odd_weight]) in word_pairs.iter().zip(weight_pairs) {
        let [even, odd] = words.map(u32::to_le_bytes);
        for column in 0..COLUMNS {
            tables[column].add(0, even[column], even_weight);
            tables[column].add(1, odd[column], odd_weight);
        }
    }
    for (word, &weight) in word_rest.iter().zip(weight_rest) {
        let codes = word.to_le_bytes();
        for column in 0..COLUMNS {
            tables[column].add(0, codes[column], weight);
        }
    }
}

/// The sums of a joint code.
pub(super) struct JointTable([u64; JOINT_CODES]);

/// The tables of a group of joint codes.
pub(super) type JointTables = [JointTable; JOINT_GROUP];

/// Joint tables of zeros.
pub(super) fn empty_joint_tables() -> Box<JointTables> {
    Box::new(std::array::from_fn(|_| JointTable([0; JOINT_CODES])))
}

impl JointTable {
    #[inline]
    fn add(&mut self, code: u16, weight: u64) {
        let sum = &mut self.0[usize::from(code) % JOINT_CODES];
        *sum = sum.wrapping_add(weight);
    }

    /// Moves the marginal sums to the columns, of which each uses so many codes, and leaves zeros. The
    /// last column comes first: the sums of each of its codes are consecutive, and added up they are
    /// the table of the columns before it.
    pub fn move_marginal_sums(&mut self, n_used: &[usize], sums: &mut [&mut [u64]]) {
        let mut n_sums: usize = n_used.iter().product();
        for (&n_used, sums) in n_used.iter().zip(sums).rev() {
            let step = n_sums / n_used;
            let (rest, others) = self.0[..n_sums].split_at_mut(step);
            let (first, sums) = sums[..n_used].split_at_mut(1);
            first[0] = rest.iter().fold(first[0], |sum, &one| sum.wrapping_add(one));
            for (sum, ones) in sums.iter_mut().zip(others.chunks_exact_mut(step)) {
                for (rest, one) in rest.iter_mut().zip(ones) {
                    *sum = sum.wrapping_add(*one);
                    *rest = rest.wrapping_add(std::mem::take(one));
                }
            }
            n_sums = step;
        }
        self.0[0] = 0;
    }
}

/// The places of some rows among those of a stretch.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    places: &'a [u16],
    /// Beyond all of them.
    end: usize,
}

impl<'a> Places<'a> {
    /// Any places.
    pub fn new(places: &'a [u16]) -> Self {
        let last = places.iter().fold(0, |last, &place| last.max(place));
        Self { places, end: usize::from(last) + usize::from(!places.is_empty()) }
    }

    /// How far a stretch must reach.
    pub fn end(&self) -> usize {
        self.end
    }

    /// Place by place.
    pub fn iter(self) -> impl Iterator<Item = usize> + Clone + 'a {
        self.places.iter().map(|&place| usize::from(place))
    }
}

/// Codes of columns that reach beyond some places.
struct Picked<'a, C, const COLUMNS: usize>([&'a [C]; COLUMNS]);

impl<'a, C: Copy, const COLUMNS: usize> Picked<'a, C, COLUMNS> {
    fn new(codes: [&'a [C]; COLUMNS], places: Places) -> Self {
        Self(codes.map(|codes| &codes[..places.end]))
    }

    /// The codes at a place.
    ///
    /// # Safety
    /// It must be one of those that these are made for.
    #[inline]
    unsafe fn at(&self, place: u16) -> [C; COLUMNS] {
        // SAFETY: the codes reach beyond all places, and the caller gives one of them.
        self.0.map(|codes| unsafe { *codes.get_unchecked(usize::from(place)) })
    }
}

/// Adds rows of a stretch, given by joint codes: those at some places, or all of them.
pub(super) fn add_joint_codes<const JOINTS: usize>(
    (codes, places): ([&[u16]; JOINTS], Option<Places>),
    weights: &[u64],
    tables: &mut JointTables,
) {
    let Some(places) = places else {
        let mut codes = codes.map(<[u16]>::iter);
        for &weight in weights {
            for joint in 0..JOINTS {
                tables[joint].add(codes[joint].next().copied().unwrap_or_default(), weight);
            }
        }
        return;
    };
    let picked = Picked::new(codes, places);
    for (&place, &weight) in places.places.iter().zip(weights) {
        // SAFETY: it is one of the places.
        let codes = unsafe { picked.at(place) };
        for joint in 0..JOINTS {
            tables[joint].add(codes[joint], weight);
        }
    }
}

/// Adds rows of a stretch, given by the codes of columns: those at some places, or all of them.
pub(super) fn add_codes<const COLUMNS: usize>(
    (codes, places): ([&[u8]; COLUMNS], Option<Places>),
    weights: RowWeights,
    tables: &mut Tables,
) {
    match places {
        None => add_all_codes(codes, weights, tables),
        Some(places) => add_picked_codes((codes, places), weights, tables),
    }
}

fn add_picked_codes<const COLUMNS: usize>(
    (codes, places): ([&[u8]; COLUMNS], Places),
    weights: RowWeights,
    tables: &mut Tables,
) {
    let picked = Picked::new(codes, places);
    // SAFETY: it is called with those of `places` alone.
    let at = |place: u16| unsafe { picked.at(place) };
    if let Some(second) = weights.second {
        for (&place, (&first, &second)) in
            places.places.iter().zip(weights.first.iter().zip(second))
        {
            let codes = at(place);
            for column in 0..COLUMNS {
                tables[column].add_pair(codes[column], [first, second]);
            }
        }
        return;
    }
    let (place_pairs, place_rest) = places.places.as_chunks::<2>();
    let (weight_pairs, weight_rest) = weights.first.as_chunks::<2>();
    for (places, &[even_weight, odd_weight]) in place_pairs.iter().zip(weight_pairs) {
        let [even, odd] = places.map(at);
        for column in 0..COLUMNS {
            tables[column].add(0, even[column], even_weight);
            tables[column].add(1, odd[column], odd_weight);
        }
    }
    for (&place, &weight) in place_rest.iter().zip(weight_rest) {
        let codes = at(place);
        for column in 0..COLUMNS {
            tables[column].add(0, codes[column], weight);
        }
    }
}

fn add_all_codes<const COLUMNS: usize>(
    codes: [&[u8]; COLUMNS],
    weights: RowWeights,
    tables: &mut Tables,
) {
    let mut chunks = codes.map(|codes| codes.as_chunks::<8>().0.iter());
    let mut next = || -> [[u8; 8]; COLUMNS] {
        std::array::from_fn(|column| chunks[column].next().copied().unwrap_or_default())
    };
    let (weight_chunks, weight_rest) = weights.first.as_chunks::<8>();
    let done = weights.first.len() - weight_rest.len();
    if let Some(second) = weights.second {
        let (second_chunks, second_rest) = second.as_chunks::<8>();
        for (first, second) in weight_chunks.iter().zip(second_chunks) {
            let codes = next();
            for row in 0..8 {
                let pair = [first[row], second[row]];
                for column in 0..COLUMNS {
                    tables[column].add_pair(codes[column][row], pair);
                }
            }
        }
        for (table, codes) in tables.iter_mut().zip(codes) {
            for (&code, pair) in codes[done..].iter().zip(weight_rest.iter().zip(second_rest)) {
                table.add_pair(code, [*pair.0, *pair.1]);
            }
        }
        return;
    }
    for weights in weight_chunks {
        let words = next().map(u64::from_le_bytes);
        for pair in 0..4 {
            // Fetched before the tables are written to, or they would be for every column.
            let (even, odd) = (weights[2 * pair], weights[2 * pair + 1]);
            for column in 0..COLUMNS {
                let word = words[column] >> (16 * pair);
                tables[column].add(0, word as u8, even);
                tables[column].add(1, (word >> 8) as u8, odd);
            }
        }
    }
    for (table, codes) in tables.iter_mut().zip(codes) {
        for (&code, &weight) in codes[done..].iter().zip(weight_rest) {
            table.add(0, code, weight);
        }
    }
}

/// Adds the weights of rows to the sums of one column and channel, by codes of any width.
pub(super) fn add_directly(codes: impl Iterator<Item = usize>, weights: &[u64], sums: &mut [u64]) {
    for (code, &weight) in codes.zip(weights) {
        sums[code] = sums[code].wrapping_add(weight);
    }
}

/// Adds the weights of rows to the sums of some columns, row by row: an addition to the sums of one
/// column does not wait for those to the others.
pub(super) fn add_rows<const COLUMNS: usize>(
    codes: impl Iterator<Item = [u8; GROUP]>,
    weights: &[u64],
    sums: [&mut [u64]; COLUMNS],
) {
    for (codes, &weight) in codes.zip(weights) {
        for column in 0..COLUMNS {
            let sum = &mut sums[column][usize::from(codes[column])];
            *sum = sum.wrapping_add(weight);
        }
    }
}
