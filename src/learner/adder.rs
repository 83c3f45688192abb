//! Adding up stripes of rows for some columns.
//!
//! In: stripes, which are rows of one channel with their weights. Out: sums by column, channel and
//! code. Scattered rows are brought together first, a few at a time, and all groups of columns walk
//! them while they are in the cache. Long stripes are added up in tables (`kernels`), short ones where
//! the sums stand; columns that share a joint code always have a table, of which their sums are the
//! marginal sums.

use std::ops::Range;

use super::group_sums::GroupSums;
use super::kernels::{
    EMPTY, JointTables, Places, RowWeights, Tables, add_codes, add_joint_codes, add_words,
    empty_joint_tables,
};
use crate::data::{
    Binned, Codes, ColumnGroup, GATHERED_ROWS, GROUP, GatheredWords, JointCodes, RowCodes,
};

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
    /// Those of a stretch, or those that stand at some places of it.
    Near { stretch: Range<usize>, places: Option<Places<'a>> },
    /// Rows anywhere.
    Scattered { codes: &'a RowCodes, rows: &'a [u32] },
}

impl<'a> Stripe<'a> {
    /// Consecutive rows.
    pub fn all(channel: usize, rows: Range<usize>, weights: RowWeights<'a>) -> Self {
        Self { channel, rows: StripeRows::Near { stretch: rows, places: None }, weights }
    }

    /// Rows given by how far they are from a first one.
    pub fn picked(
        channel: usize,
        (first, places): (usize, &'a [u16]),
        weights: RowWeights<'a>,
    ) -> Self {
        let places = Places::new(places);
        Self {
            channel,
            rows: StripeRows::Near { stretch: first..first + places.end(), places: Some(places) },
            weights,
        }
    }

    /// Scattered rows.
    pub fn scattered(
        channel: usize,
        (codes, rows): (&'a RowCodes, &'a [u32]),
        weights: RowWeights<'a>,
    ) -> Self {
        Self { channel, rows: StripeRows::Scattered { codes, rows }, weights }
    }

    /// Whether the rows are scattered.
    pub fn is_scattered(&self) -> bool {
        matches!(self.rows, StripeRows::Scattered { .. })
    }

    fn is_long(&self) -> bool {
        self.weights.first.len() >= TABLES_FROM
    }
}

/// Some neighbouring groups of columns.
#[derive(Clone)]
pub(super) struct Span<'a> {
    pub data: &'a Binned,
    /// All groups, and which of them these are.
    pub groups: &'a [ColumnGroup],
    pub at: Range<usize>,
    pub n_channels: usize,
    /// What columns of few codes share, if it is used.
    pub joint_codes: Option<&'a JointCodes>,
}

impl<'a> Span<'a> {
    fn own_groups(&self) -> &'a [ColumnGroup] {
        &self.groups[self.at.clone()]
    }

    /// The columns of every group with their parts of the sums, which stand column after column.
    fn with_sums<'b>(
        &self,
        sums: &'b mut [u64],
    ) -> impl Iterator<Item = (&'a [usize], GroupSums<'b>)> + use<'a, 'b> {
        let (data, n_channels) = (self.data, self.n_channels);
        let order = data.column_order();
        let mut rest = sums;
        self.own_groups().iter().map(move |group| {
            let columns = order.members(group);
            let n_codes: Vec<usize> = columns.iter().map(|&column| data.n_codes(column)).collect();
            let n_sums = n_codes.iter().sum::<usize>() * n_channels;
            let (own, after) = std::mem::take(&mut rest).split_at_mut(n_sums);
            rest = after;
            (columns, GroupSums { n_codes, n_channels, sums: own })
        })
    }

    /// The joint codes of a stretch, of one of the groups.
    fn joint_codes(&self, at: usize, stretch: &Range<usize>) -> Vec<&'a [u16]> {
        let joints = self.own_groups()[at].joints.clone();
        let codes = |all: &'a JointCodes| joints.map(|joint| &all.codes(joint)[stretch.clone()]);
        self.joint_codes.map(codes).into_iter().flatten().collect()
    }
}

/// Where the sums of a group stand before they are brought to where they belong.
enum GroupTables {
    Columns(Box<Tables>),
    Joints(Box<JointTables>),
}

impl GroupTables {
    fn new(group: &ColumnGroup) -> Self {
        if group.joints.is_empty() {
            Self::Columns(Box::new(EMPTY))
        } else {
            Self::Joints(empty_joint_tables())
        }
    }
}

/// Adds stripes up for a span of columns.
pub(super) struct Adder<'a> {
    span: Span<'a>,
    /// By group; none before they are needed.
    tables: Vec<GroupTables>,
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
        if self.uses_tables(stripe) {
            let kind = (stripe.channel, stripe.weights.second.is_some());
            if self.pending != Some(kind) {
                self.finish(sums);
                self.pending = Some(kind);
            }
            if self.tables.is_empty() {
                self.tables = self.span.own_groups().iter().map(GroupTables::new).collect();
            }
        }
        match &stripe.rows {
            StripeRows::Near { stretch, places } => {
                self.add_near(stripe, (stretch, *places), sums);
            }
            StripeRows::Scattered { codes, rows } => self.add_scattered(stripe, codes, rows, sums),
        }
    }

    fn uses_tables(&self, stripe: &Stripe) -> bool {
        stripe.is_long() || self.span.joint_codes.is_some()
    }

    /// Brings the sums of the tables to where they belong.
    pub fn finish(&mut self, sums: &mut [u64]) {
        let Some((channel, are_pairs)) = self.pending.take() else { return };
        let order = self.span.data.column_order();
        let groups = self.span.own_groups().iter().zip(self.span.with_sums(sums));
        for ((group, (_, mut sums)), tables) in groups.zip(&mut self.tables) {
            match tables {
                GroupTables::Joints(tables) => {
                    let mut sums: Vec<_> = sums.by_column(channel).map(|(own, _)| own).collect();
                    let mut rest = sums.as_mut_slice();
                    for (joint, table) in group.joints.clone().zip(tables.iter_mut()) {
                        let n_used = order.n_used(joint);
                        let (own, after) = rest.split_at_mut(n_used.len());
                        table.move_marginal_sums(n_used, own);
                        rest = after;
                    }
                }
                GroupTables::Columns(tables) => {
                    for ((first, next), table) in sums.by_column(channel).zip(tables.iter_mut()) {
                        if are_pairs {
                            table.move_pairs(first, next);
                        } else {
                            table.move_sums(first);
                        }
                    }
                }
            }
        }
    }

    fn add_near(
        &mut self,
        stripe: &Stripe,
        (stretch, places): (&Range<usize>, Option<Places>),
        sums: &mut [u64],
    ) {
        let (weights, channel, data) = (stripe.weights, stripe.channel, self.span.data);
        let uses_tables = self.uses_tables(stripe);
        for (at, (columns, mut sums)) in self.span.with_sums(sums).enumerate() {
            if let Codes::Wide(codes) = data.codes(columns[0]) {
                let codes = &codes[stretch.clone()];
                match places.map(Places::iter) {
                    None => sums.add_wide(channel, || codes.iter().map(|&c| c.into()), weights),
                    Some(places) => {
                        let codes = || places.clone().map(|place| codes[place].into());
                        sums.add_wide(channel, codes, weights);
                    }
                }
                continue;
            }
            let codes = |at: usize| &data.codes(columns[at]).narrow()[stretch.clone()];
            match self.tables.get_mut(at) {
                Some(GroupTables::Joints(tables)) => {
                    match *self.span.joint_codes(at, stretch).as_slice() {
                        [one, two] => {
                            add_joint_codes(([one, two], places), weights.first, tables);
                        }
                        [one] => add_joint_codes(([one], places), weights.first, tables),
                        _ => {} // a group has one or two joint codes
                    }
                }
                Some(GroupTables::Columns(tables)) if uses_tables => match columns.len() {
                    4 => {
                        let codes = [codes(0), codes(1), codes(2), codes(3)];
                        add_codes((codes, places), weights, tables);
                    }
                    3 => add_codes(([codes(0), codes(1), codes(2)], places), weights, tables),
                    2 => add_codes(([codes(0), codes(1)], places), weights, tables),
                    _ => add_codes(([codes(0)], places), weights, tables),
                },
                _ => {
                    let all = group_of_codes(columns, |column| {
                        &data.codes(column).narrow()[stretch.clone()]
                    });
                    let row = |row: usize| all.map(|codes| codes[row]);
                    match places.map(Places::iter) {
                        None => sums.add_narrow(channel, (0..stretch.len()).map(row), weights),
                        Some(places) => sums.add_narrow(channel, places.map(row), weights),
                    }
                }
            }
        }
    }

    fn add_scattered(&mut self, stripe: &Stripe, codes: &RowCodes, rows: &[u32], sums: &mut [u64]) {
        if !stripe.is_long() {
            return self.add_few(stripe, codes, rows, sums);
        }
        let Self { span, tables, words, .. } = self;
        for (at, rows) in rows.chunks(GATHERED_ROWS).enumerate() {
            let first = at * GATHERED_ROWS;
            let weights = stripe.weights.of(&(first..first + rows.len()));
            codes.gather(span.data, &span.at, rows, words);
            let mut words = words.by_group(rows.len());
            for ((columns, mut sums), tables) in span.with_sums(sums).zip(tables.iter_mut()) {
                if let Codes::Wide(codes) = span.data.codes(columns[0]) {
                    let codes = || rows.iter().map(|&row| codes[row as usize].into());
                    sums.add_wide(stripe.channel, codes, weights);
                    continue;
                }
                let (words, GroupTables::Columns(tables)) =
                    (words.next().unwrap_or_default(), tables)
                else {
                    continue; // scattered rows have no joint codes
                };
                match columns.len() {
                    4 => add_words::<4>(words, weights, tables),
                    3 => add_words::<3>(words, weights, tables),
                    2 => add_words::<2>(words, weights, tables),
                    _ => add_words::<1>(words, weights, tables),
                }
            }
        }
    }

    /// So few scattered rows that it does not pay to bring them together.
    fn add_few(&self, stripe: &Stripe, codes: &RowCodes, rows: &[u32], sums: &mut [u64]) {
        let data = self.span.data;
        for (group, (columns, mut sums)) in self.span.at.clone().zip(self.span.with_sums(sums)) {
            if let Codes::Wide(own) = data.codes(columns[0]) {
                let own = || rows.iter().map(|&row| own[row as usize].into());
                sums.add_wide(stripe.channel, own, stripe.weights);
            } else if let RowCodes::Packed(packed) = codes {
                let own = packed.words(group, rows).map(u32::to_le_bytes);
                sums.add_narrow(stripe.channel, own, stripe.weights);
            } else {
                let all = group_of_codes(columns, |column| data.codes(column).narrow());
                let own = rows.iter().map(|&row| all.map(|codes| codes[row as usize]));
                sums.add_narrow(stripe.channel, own, stripe.weights);
            }
        }
    }
}

/// The codes of the columns of a group. Those that it lacks are not looked at.
fn group_of_codes<'a>(columns: &[usize], codes: impl Fn(usize) -> &'a [u8]) -> [&'a [u8]; GROUP] {
    std::array::from_fn(|at| codes(columns[at.min(columns.len() - 1)]))
}

#[cfg(test)]
mod tests;
