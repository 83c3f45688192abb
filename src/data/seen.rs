//! What shards tell each other of the values of columns, between seeing them and making bins.
//!
//! In: what each shard has seen of its rows. Out: the same of all rows, in every shard. Sampled values
//! go with sums of weights, so that it does not matter who has seen which row.

use hashbrown::HashSet;

use super::bins::{BinLearner, Bins, NumberLearner, with_weights};
use crate::error::{Error, Result};
use crate::reduce::agree;
use crate::workers::Workers;

/// Columns that shards tell each other about at once.
const MERGED_COLUMNS: usize = 32;

impl BinLearner {
    /// The bins of what was seen, in all shards.
    pub fn finish_all(learners: Result<Vec<Self>>, workers: &Workers) -> Result<Vec<Bins>> {
        let reduce = workers.reduce();
        let mut learners = agree(reduce, learners)?;
        if reduce.is_split() {
            for some in learners.chunks_mut(MERGED_COLUMNS) {
                let seen: Vec<Vec<u8>> = some.iter().map(Self::seen).collect();
                let shards = reduce.gather(&joined(&seen))?;
                let shards = shards.iter().map(|bytes| split(bytes, some.len()));
                let shards = shards.collect::<Result<Vec<_>>>()?;
                for (at, learner) in some.iter_mut().enumerate() {
                    let parts: Vec<&[u8]> = shards.iter().map(|parts| parts[at]).collect();
                    learner.merge(&parts)?;
                }
            }
        }
        workers.map(usize::MAX, learners, |learner| learner.finish(workers))
    }

    /// What was seen, for other shards.
    fn seen(&self) -> Vec<u8> {
        match self {
            Self::Numbers(learner) => learner.seen(),
            Self::Categories(learner) => learner.seen(),
        }
    }

    /// Takes over what all shards have seen, this one included, in their order.
    fn merge(&mut self, shards: &[&[u8]]) -> Result<()> {
        match self {
            Self::Numbers(learner) => learner.merge(shards),
            Self::Categories(learner) => learner.merge(shards),
        }
    }
}

impl NumberLearner {
    /// All distinct values if they are few, else those of the sample with their weights.
    pub(super) fn seen(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.few.is_some())];
        bytes.extend((self.few.as_ref().map_or(0, HashSet::len) as u64).to_le_bytes());
        bytes.extend(self.few.iter().flatten().flat_map(|key| key.to_le_bytes()));
        for (key, weight) in with_weights(self.keys.clone(), self.weights.clone()) {
            bytes.extend(key.to_le_bytes());
            bytes.extend(weight.to_le_bytes());
        }
        bytes
    }

    pub(super) fn merge(&mut self, shards: &[&[u8]]) -> Result<()> {
        let mut few = Some(HashSet::new());
        (self.keys, self.weights) = (Vec::new(), Vec::new());
        for bytes in shards {
            let mut reader = Reader(bytes);
            let are_few = reader.take(1)? == [1];
            for _ in 0..reader.number()? {
                let key = reader.number()? as i64;
                few.as_mut().map(|few| few.insert(key));
            }
            few = few.filter(|few| are_few && few.len() <= self.max_bins);
            while !reader.is_empty() {
                self.keys.push(reader.number()? as i64);
                self.weights.push(reader.wide_number()?);
            }
        }
        self.few = few;
        Ok(())
    }
}

/// Several byte strings, each after its length.
fn joined(parts: &[Vec<u8>]) -> Vec<u8> {
    let with_length =
        parts.iter().flat_map(|part| [(part.len() as u64).to_le_bytes().to_vec(), part.clone()]);
    with_length.flatten().collect()
}

/// The byte strings of [`joined`].
fn split(bytes: &[u8], n_parts: usize) -> Result<Vec<&[u8]>> {
    let mut reader = Reader(bytes);
    let parts = (0..n_parts).map(|_| {
        let length = reader.number()?;
        reader.take(length as usize)
    });
    parts.collect()
}

/// Reads what another shard has written.
pub(super) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let broken = || Error::internal("what shards have seen of a column is cut short");
        let (taken, rest) = self.0.split_at_checked(length).ok_or_else(broken)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn number(&mut self) -> Result<u64> {
        let bytes = self.take(8)?;
        Ok(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    pub fn wide_number(&mut self) -> Result<u128> {
        let (low, high) = (self.number()?, self.number()?);
        Ok(u128::from(high) << 64 | u128::from(low))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
