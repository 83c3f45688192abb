//! Adding up stripes of rows for some columns.
//!
//! In: stripes, which are rows of one channel with their weights. Out: sums by column, channel and
//! code. Scattered rows are brought together first, a few at a time, and all groups of columns walk
//! them while they are in the cache. Long stripes are added up in tables (`kernels`), short ones where
//! the sums stand.

use std::ops::Range;

use super::kernels::{EMPTY, RowWeights, Tables, add_codes, add_directly, add_rows, add_words};
use crate::data::{Binned, Codes, GATHERED_ROWS, GROUP, GatheredWords, RowCodes};

/// Rows of a stripe from which tables pay.
const TABLES_FROM: usize = 1 << 10;

/// Rows of one channel with their weights.
pub(super) struct Stripe<'a> {
    channel: usize,
    rows: StripeRows<'a>,
    pub weights: RowWeights<'a>,
}

/// Which rows.
enum StripeRows<'a> {
    /// All rows of a stretch.
    All(Range<usize>),
    /// Some rows.
    Some { codes: &'a RowCodes, rows: &'a [u32] },
}

impl<'a> Stripe<'a> {
    /// Consecutive rows.
    pub fn all(channel: usize, rows: Range<usize>, weights: RowWeights<'a>) -> Self {
        Self { channel, rows: StripeRows::All(rows), weights }
    }

    /// Scattered rows.
    pub fn some(
        channel: usize,
        (codes, rows): (&'a RowCodes, &'a [u32]),
        weights: RowWeights<'a>,
    ) -> Self {
        Self { channel, rows: StripeRows::Some { codes, rows }, weights }
    }

    /// Whether the rows are scattered.
    pub fn is_scattered(&self) -> bool {
        matches!(self.rows, StripeRows::Some { .. })
    }

    fn is_long(&self) -> bool {
        self.weights.first.len() >= TABLES_FROM
    }
}

/// Some neighbouring groups of columns.
#[derive(Clone)]
pub(super) struct Span<'a> {
    pub data: &'a Binned,
    /// The columns of all groups, and which groups these are.
    pub groups: &'a [Range<usize>],
    pub at: Range<usize>,
    pub n_channels: usize,
}

impl<'a> Span<'a> {
    /// The groups with their parts of the sums, which stand column after column.
    fn with_sums<'b>(
        &self,
        sums: &'b mut [u64],
    ) -> impl Iterator<Item = (&'a Codes, GroupSums<'b>)> + use<'a, 'b> {
        let (data, n_channels) = (self.data, self.n_channels);
        let mut rest = sums;
        self.groups[self.at.clone()].iter().map(move |columns| {
            let n_codes: Vec<usize> = columns.clone().map(|column| data.n_codes(column)).collect();
            let n_sums = n_codes.iter().sum::<usize>() * n_channels;
            let (own, after) = std::mem::take(&mut rest).split_at_mut(n_sums);
            rest = after;
            (data.codes(columns.start), GroupSums { n_codes, n_channels, sums: own })
        })
    }
}

/// The sums of a group of columns.
struct GroupSums<'a> {
    n_codes: Vec<usize>,
    n_channels: usize,
    sums: &'a mut [u64],
}

impl GroupSums<'_> {
    /// The sums of each column in a channel, and those in the channels after it.
    fn by_column(&mut self, channel: usize) -> impl Iterator<Item = (&mut [u64], &mut [u64])> {
        let n_channels = self.n_channels;
        let mut rest = &mut *self.sums;
        self.n_codes.iter().map(move |&n_codes| {
            let (own, after) = std::mem::take(&mut rest).split_at_mut(n_codes * n_channels);
            rest = after;
            own[channel * n_codes..].split_at_mut(n_codes)
        })
    }

    /// Adds the numbers of rows by the codes that a wide column has for them.
    fn add_wide<I: Iterator<Item = usize>>(
        &mut self,
        channel: usize,
        codes: impl Fn() -> I,
        weights: RowWeights,
    ) {
        for (first, next) in self.by_column(channel) {
            add_directly(codes(), weights.first, first);
            if let Some(second) = weights.second {
                add_directly(codes(), second, next);
            }
        }
    }

    /// Likewise by the codes that all columns of the group have for a row.
    fn add_narrow(
        &mut self,
        channel: usize,
        codes: impl Iterator<Item = [u8; GROUP]> + Clone,
        weights: RowWeights,
    ) {
        match self.n_codes.len() {
            4 => self.add_side_by_side::<4>(channel, codes, weights),
            3 => self.add_side_by_side::<3>(channel, codes, weights),
            2 => self.add_side_by_side::<2>(channel, codes, weights),
            _ => self.add_side_by_side::<1>(channel, codes, weights),
        }
    }

    fn add_side_by_side<const COLUMNS: usize>(
        &mut self,
        channel: usize,
        codes: impl Iterator<Item = [u8; GROUP]> + Clone,
        weights: RowWeights,
    ) {
        add_rows(
            codes.clone(),
            weights.first,
            self.own_and_next::<COLUMNS>(channel).map(|(own, _)| own),
        );
        if let Some(second) = weights.second {
            add_rows(codes, second, self.own_and_next::<COLUMNS>(channel).map(|(_, next)| next));
        }
    }

    /// What [`GroupSums::by_column`] yields, as an array.
    fn own_and_next<const COLUMNS: usize>(
        &mut self,
        channel: usize,
    ) -> [(&mut [u64], &mut [u64]); COLUMNS] {
        let mut columns = self.by_column(channel);
        std::array::from_fn(|_| columns.next().unwrap_or_default())
    }
}

/// Adds stripes up for a span of columns.
pub(super) struct Adder<'a> {
    span: Span<'a>,
    /// By group; none before there is a long stripe.
    tables: Vec<Tables>,
    /// The channel whose sums are in the tables, and whether rows have two numbers.
    pending: Option<(usize, bool)>,
    words: GatheredWords,
}

impl<'a> Adder<'a> {
    pub fn new(span: Span<'a>) -> Self {
        Self { span, tables: Vec::new(), pending: None, words: GatheredWords::default() }
    }

    /// Adds a stripe; [`Adder::finish`] brings what is in the tables to the sums.
    pub fn add(&mut self, stripe: &Stripe, sums: &mut [u64]) {
        if stripe.is_long() {
            let kind = (stripe.channel, stripe.weights.second.is_some());
            if self.pending != Some(kind) {
                self.finish(sums);
                self.pending = Some(kind);
            }
            self.tables.resize(self.span.at.len(), EMPTY);
        }
        match &stripe.rows {
            StripeRows::All(rows) => self.add_all(stripe, rows, sums),
            StripeRows::Some { codes, rows } => self.add_some(stripe, codes, rows, sums),
        }
    }

    /// Brings the sums of the tables to where they belong.
    pub fn finish(&mut self, sums: &mut [u64]) {
        let Some((channel, are_pairs)) = self.pending.take() else { return };
        for ((_, mut sums), tables) in self.span.with_sums(sums).zip(&mut self.tables) {
            for ((first, next), table) in sums.by_column(channel).zip(tables) {
                if are_pairs {
                    table.move_pairs(first, next);
                } else {
                    table.move_sums(first);
                }
            }
        }
    }

    fn add_all(&mut self, stripe: &Stripe, rows: &Range<usize>, sums: &mut [u64]) {
        let (weights, channel, data) = (stripe.weights, stripe.channel, self.span.data);
        for (at, (codes, mut sums)) in self.span.with_sums(sums).enumerate() {
            let columns = &self.span.groups[self.span.at.start + at];
            if let Codes::Wide(codes) = codes {
                sums.add_wide(channel, || codes[rows.clone()].iter().map(|&c| c.into()), weights);
                continue;
            }
            let codes = |at: usize| &data.codes(columns.start + at).narrow()[rows.clone()];
            if !stripe.is_long() {
                // Columns that the group lacks are not looked at.
                let all: [&[u8]; GROUP] =
                    std::array::from_fn(|at| codes(at.min(columns.len() - 1)));
                sums.add_narrow(channel, (0..rows.len()).map(|row| all.map(|c| c[row])), weights);
                continue;
            }
            let tables = &mut self.tables[at];
            match columns.len() {
                4 => add_codes([codes(0), codes(1), codes(2), codes(3)], weights, tables),
                3 => add_codes([codes(0), codes(1), codes(2)], weights, tables),
                2 => add_codes([codes(0), codes(1)], weights, tables),
                _ => add_codes([codes(0)], weights, tables),
            }
        }
    }

    fn add_some(&mut self, stripe: &Stripe, codes: &RowCodes, rows: &[u32], sums: &mut [u64]) {
        if !stripe.is_long() {
            return self.add_few(stripe, codes, rows, sums);
        }
        let Self { span, tables, words, .. } = self;
        for (at, rows) in rows.chunks(GATHERED_ROWS).enumerate() {
            let first = at * GATHERED_ROWS;
            let weights = stripe.weights.of(&(first..first + rows.len()));
            codes.gather(&span.at, rows, words);
            let mut words = words.by_group(rows.len());
            for (at, (codes, mut sums)) in span.with_sums(sums).enumerate() {
                if let Codes::Wide(codes) = codes {
                    let codes = || rows.iter().map(|&row| codes[row as usize].into());
                    sums.add_wide(stripe.channel, codes, weights);
                    continue;
                }
                let words = words.next().unwrap_or_default();
                match sums.n_codes.len() {
                    4 => add_words::<4>(words, weights, &mut tables[at]),
                    3 => add_words::<3>(words, weights, &mut tables[at]),
                    2 => add_words::<2>(words, weights, &mut tables[at]),
                    _ => add_words::<1>(words, weights, &mut tables[at]),
                }
            }
        }
    }

    /// So few scattered rows that it does not pay to bring them together.
    fn add_few(&self, stripe: &Stripe, codes: &RowCodes, rows: &[u32], sums: &mut [u64]) {
        for (group, (own, mut sums)) in self.span.at.clone().zip(self.span.with_sums(sums)) {
            if let Codes::Wide(own) = own {
                let own = || rows.iter().map(|&row| own[row as usize].into());
                sums.add_wide(stripe.channel, own, stripe.weights);
            } else {
                let own = codes.words(group, rows).map(u32::to_le_bytes);
                sums.add_narrow(stripe.channel, own, stripe.weights);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bins, NumberBins, column_groups};
    use crate::workers::Workers;

    fn data(n_rows: usize) -> Binned {
        let bins = |n: u32| Bins::Numbers(NumberBins { cuts: (0..n).map(f64::from).collect() });
        let (narrow, few, wide) = (bins(254), bins(1), bins(400));
        let bins = [&narrow, &few, &narrow, &few, &narrow, &wide, &narrow];
        Binned::block(&bins, n_rows, &[true; 7], |column, codes| {
            for (row, code) in codes.iter_mut().enumerate() {
                *code = ((row * (13 + column) + row / 7) % (bins[column].missing() + 1)) as u16;
            }
        })
    }

    /// The sums of channels 1 and, if there are pairs, 2, code by code.
    fn naive(data: &Binned, rows: &[u32], weights: RowWeights) -> Vec<u64> {
        let mut sums = Vec::new();
        for column in 0..data.n_columns() {
            let mut own = vec![0u64; 3 * data.n_codes(column)];
            for (at, &row) in rows.iter().enumerate() {
                let code = match data.codes(column) {
                    Codes::Narrow(codes) => usize::from(codes[row as usize]),
                    Codes::Wide(codes) => usize::from(codes[row as usize]),
                };
                let first = &mut own[data.n_codes(column) + code];
                *first = first.wrapping_add(weights.first[at]);
                if let Some(second) = weights.second {
                    own[2 * data.n_codes(column) + code] += second[at];
                }
            }
            sums.extend(own);
        }
        sums
    }

    #[test]
    fn all_ways_to_add_agree_with_a_plain_loop() {
        let n_rows = 3 * GATHERED_ROWS + 5;
        let data = data(n_rows);
        let workers = Workers::new(Some(1)).unwrap();
        let codes = data.row_codes(&workers).unwrap();
        let groups = column_groups(&data);
        // Numbers like gradients: some are negative.
        let first: Vec<u64> = (0..n_rows as i64).map(|row| ((row * 31) % 17 - 8) as u64).collect();
        let second: Vec<u64> = (0..n_rows as u64).map(|row| row * row % 1009).collect();
        for n_taken in [0, 1, 77, TABLES_FROM, GATHERED_ROWS + 3, n_rows] {
            for second in [None, Some(&second[..n_taken])] {
                let weights = RowWeights { first: &first[..n_taken], second };
                let all: Vec<u32> = (0..n_taken as u32).collect();
                let some: Vec<u32> = all.iter().map(|row| (row * 5) % n_rows as u32).collect();
                for (rows, stripe) in [
                    (&all, Stripe::all(1, 0..n_taken, weights)),
                    (&some, Stripe::some(1, (codes, &some), weights)),
                ] {
                    let mut sums = Vec::new();
                    for at in [0..1, 1..groups.len()] {
                        let columns = groups[at.start].start..groups[at.end - 1].end;
                        let n_codes: usize = columns.map(|column| data.n_codes(column)).sum();
                        let mut part = vec![0; 3 * n_codes];
                        let span = Span { data: &data, groups: &groups, at, n_channels: 3 };
                        let mut adder = Adder::new(span);
                        adder.add(&stripe, &mut part);
                        adder.finish(&mut part);
                        sums.extend(part);
                    }
                    assert_eq!(sums, naive(&data, rows, weights), "{n_taken} rows");
                }
            }
        }
    }

    #[test]
    fn channels_that_take_turns_are_kept_apart() {
        let data = data(2 * TABLES_FROM);
        let groups = column_groups(&data);
        let ones = vec![1; 2 * TABLES_FROM];
        let n_codes: usize = (0..data.n_columns()).map(|column| data.n_codes(column)).sum();
        let span = Span { data: &data, groups: &groups, at: 0..groups.len(), n_channels: 2 };
        let (mut adder, mut sums) = (Adder::new(span), vec![0; 2 * n_codes]);
        for (channel, rows) in [(0, 0..1500), (1, 1500..1600), (0, 1600..2048), (1, 0..2048)] {
            let weights = RowWeights { first: &ones[rows.clone()], second: None };
            adder.add(&Stripe::all(channel, rows, weights), &mut sums);
        }
        adder.finish(&mut sums);
        let first = data.n_codes(0);
        assert_eq!(sums[..first].iter().sum::<u64>(), 1500 + 448);
        assert_eq!(sums[first..2 * first].iter().sum::<u64>(), 100 + 2048);
    }
}
