//! Sums over the rows of all shards of a fit, each of which is held by a process of its own.
//!
//! In: sums over the rows of one shard, or a few bytes about them. Out: the same over all shards,
//! equal in each, so that all of them decide alike without being told to. Every shard must ask for the
//! same sums in the same order. One process that has all rows ([`Alone`]) sums nothing.

mod exact_sum;

pub use exact_sum::ExactSum;

use crate::error::{Error, Result};

/// The way from one shard to the others.
pub trait Reduce: Send + Sync {
    /// The number of this shard, from 0 on.
    fn rank(&self) -> usize;

    /// The number of shards.
    fn size(&self) -> usize;

    /// Adds numbers up element by element over all shards, in wrapping arithmetic.
    fn sum(&self, numbers: &mut [u64]) -> Result<()>;

    /// The bytes of every shard, by rank.
    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>>;

    /// Whether there are several shards.
    fn is_split(&self) -> bool {
        self.size() > 1
    }

    /// The sum of one number of each shard.
    fn total(&self, number: u64) -> Result<u64> {
        let mut sum = [number];
        self.sum_if_split(&mut sum)?;
        Ok(sum[0])
    }

    /// Adds up if there are several shards: one has its sums already.
    fn sum_if_split(&self, numbers: &mut [u64]) -> Result<()> {
        if self.is_split() && !numbers.is_empty() { self.sum(numbers) } else { Ok(()) }
    }

    /// Adds up wide numbers, in wrapping arithmetic.
    fn sum_wide(&self, numbers: &mut [u128]) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        // In pieces whose sums over any number of shards fit.
        let mut pieces: Vec<u64> = numbers
            .iter()
            .flat_map(|n| [0, 32, 64, 96].map(|bit| u64::from((n >> bit) as u32)))
            .collect();
        self.sum_if_split(&mut pieces)?;
        for (number, pieces) in numbers.iter_mut().zip(pieces.chunks_exact(4)) {
            *number = pieces
                .iter()
                .enumerate()
                .fold(0, |sum, (at, &piece)| sum.wrapping_add(u128::from(piece) << (32 * at)));
        }
        Ok(())
    }

    /// The sum of what shards of a lower rank have.
    fn sum_before(&self, number: u64) -> Result<u64> {
        let gathered = self.gather_numbers(&[number])?;
        Ok(gathered[..self.rank()].iter().map(|numbers| numbers[0]).fold(0, u64::wrapping_add))
    }

    /// The numbers of every shard, by rank; each has as many.
    fn gather_numbers(&self, numbers: &[u64]) -> Result<Vec<Vec<u64>>> {
        if !self.is_split() {
            return Ok(vec![numbers.to_vec()]);
        }
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let gathered = self.gather(&bytes)?;
        let as_wanted = gathered.len() == self.size()
            && gathered.iter().all(|of_shard| of_shard.len() == bytes.len());
        if !as_wanted {
            return Err(Error::internal("shards do not do the same: they gathered other lengths"));
        }
        let numbers =
            |bytes: &Vec<u8>| bytes.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
        Ok(gathered.iter().map(numbers).collect())
    }

    /// The largest of one number of each shard, element by element.
    fn largest(&self, numbers: &mut [f64]) -> Result<()> {
        if !self.is_split() {
            return Ok(());
        }
        let bits: Vec<u64> = numbers.iter().map(|number| number.to_bits()).collect();
        for of_shard in self.gather_numbers(&bits)? {
            for (largest, bits) in numbers.iter_mut().zip(of_shard) {
                *largest = largest.max(f64::from_bits(bits));
            }
        }
        Ok(())
    }

    /// The largest of one number of each shard.
    fn largest_of(&self, number: f64) -> Result<f64> {
        let mut largest = [number];
        self.largest(&mut largest)?;
        Ok(largest[0])
    }

    /// Whether something holds in any shard.
    fn any(&self, holds: bool) -> Result<bool> {
        Ok(self.total(u64::from(holds))? > 0)
    }

    /// Whether something holds in all shards.
    fn all(&self, holds: bool) -> Result<bool> {
        Ok(!self.any(!holds)?)
    }
}

/// A result that all shards go on with, or an error in all of them if there is one in any: the own
/// one, or that of the first shard that has one.
pub fn agree<T>(reduce: &dyn Reduce, own: Result<T>) -> Result<T> {
    if !reduce.is_split() {
        return own;
    }
    let text = own.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let texts = match reduce.gather(text.as_bytes()) {
        Ok(texts) => texts,
        // What went wrong here comes first.
        Err(error) => return own.and(Err(error)),
    };
    let own = own?;
    match texts.iter().enumerate().find(|(_, text)| !text.is_empty()) {
        None => Ok(own),
        Some((rank, text)) => {
            Err(Error::Shard { rank, reason: String::from_utf8_lossy(text).into_owned() })
        }
    }
}

/// A process that has all rows.
#[derive(Debug, Clone, Copy)]
pub struct Alone;

impl Reduce for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn sum(&self, _: &mut [u64]) -> Result<()> {
        Ok(())
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        Ok(vec![bytes.to_vec()])
    }
}
