//! The sums of a group of columns, and additions to them where they stand.
//!
//! In: the codes and weights of a few rows. Out: sums by column, channel and code.

use super::kernels::{RowWeights, add_directly, add_rows};
use crate::data::GROUP;

/// The sums of a group of columns.
pub(super) struct GroupSums<'a> {
    pub n_codes: Vec<usize>,
    pub n_channels: usize,
    pub sums: &'a mut [u64],
}

impl GroupSums<'_> {
    /// The sums of each column in a channel, and those in the channels after it.
    pub fn by_column(&mut self, channel: usize) -> impl Iterator<Item = (&mut [u64], &mut [u64])> {
        let n_channels = self.n_channels;
        let mut rest = &mut *self.sums;
        self.n_codes.iter().map(move |&n_codes| {
            let (own, after) = std::mem::take(&mut rest).split_at_mut(n_codes * n_channels);
            rest = after;
            own[channel * n_codes..].split_at_mut(n_codes)
        })
    }

    /// Adds the numbers of rows by the codes that a wide column has for them.
    pub fn add_wide<I: Iterator<Item = usize>>(
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
    pub fn add_narrow(
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
