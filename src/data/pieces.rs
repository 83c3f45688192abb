//! Which rows of the whole frame a shard holds: pieces of it, as partitions of a cluster are.
//!
//! In: for each piece the number of its first row in the whole frame and the number of its rows, in the
//! order in which the shard has them. Out: the number of every row in the whole frame, by which rows
//! are sampled, held back and drawn.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::reduce::{Reduce, agree};

/// The rows of a shard as pieces of the whole frame.
#[derive(Debug, Clone)]
pub struct Pieces {
    list: Arc<Vec<Piece>>,
    n_own: usize,
    /// The number of rows of all shards.
    n_all: u64,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    /// The first row as the shard counts.
    own: usize,
    /// The first row in the whole frame.
    first: u64,
    n_rows: usize,
}

impl Pieces {
    /// A frame that is the whole.
    #[must_use]
    pub fn whole(n_rows: usize) -> Self {
        let piece = Piece { own: 0, first: 0, n_rows };
        Self { list: Arc::new(vec![piece]), n_own: n_rows, n_all: n_rows as u64 }
    }

    /// The pieces of a shard that holds so many rows; those of all shards must make up one frame. What
    /// they are called is said in errors.
    pub fn of_shard(
        what: &str,
        given: Option<&[(u64, u64)]>,
        n_rows: usize,
        reduce: &dyn Reduce,
    ) -> Result<Self> {
        let own = agree(reduce, check(what, given, n_rows, reduce))?;
        let given: Vec<(u64, u64)> =
            own.iter().map(|piece| (piece.first, piece.n_rows as u64)).collect();
        let mut all = gather_pairs(&given, reduce)?;
        all.retain(|&(_, n_rows)| n_rows > 0);
        all.sort_unstable();
        let mut end = 0;
        for (first, n_rows) in all {
            if first != end {
                let got = format!("a piece that begins with row {first} after one up to {end}");
                let expected =
                    "pieces of all shards that follow each other without a gap from row 0";
                return Err(Error::parameter(what, got, expected));
            }
            end += n_rows;
        }
        Ok(Self { list: Arc::new(own), n_own: n_rows, n_all: end })
    }

    /// The number of rows of the shard.
    #[must_use]
    pub fn n_own(&self) -> usize {
        self.n_own
    }

    /// The number of rows of all shards.
    #[must_use]
    pub fn n_all(&self) -> u64 {
        self.n_all
    }

    /// The number of a row in the whole frame.
    #[must_use]
    pub fn number(&self, row: usize) -> u64 {
        let at = self.list.partition_point(|piece| piece.own <= row).saturating_sub(1);
        let piece = &self.list[at];
        piece.first + (row - piece.own) as u64
    }

    /// The numbers of all rows of the shard.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + '_ {
        self.list.iter().flat_map(|piece| piece.first..piece.first + piece.n_rows as u64)
    }

    /// Goes over the rows of the shard that count, each with its number in a frame of nothing but rows
    /// that do.
    pub fn for_each_counted(
        &self,
        counts: impl Fn(usize) -> bool,
        reduce: &dyn Reduce,
        mut take: impl FnMut(usize, u64),
    ) -> Result<()> {
        let counted = |piece: &Piece| (piece.own..piece.own + piece.n_rows).filter(|&r| counts(r));
        let own: Vec<(u64, u64)> =
            self.list.iter().map(|piece| (piece.first, counted(piece).count() as u64)).collect();
        let all = gather_pairs(&own, reduce)?;
        for piece in &*self.list {
            let before = all.iter().filter(|(first, _)| *first < piece.first);
            let first: u64 = before.map(|(_, n_rows)| n_rows).sum();
            counted(piece).zip(first..).for_each(|(row, number)| take(row, number));
        }
        Ok(())
    }

    /// The row with this number in the whole frame, if the shard holds it.
    #[must_use]
    pub fn find(&self, number: u64) -> Option<usize> {
        let holds =
            |piece: &&Piece| piece.first <= number && number - piece.first < piece.n_rows as u64;
        let piece = self.list.iter().find(holds)?;
        Some(piece.own + (number - piece.first) as usize)
    }
}

/// The pairs of numbers of all shards.
fn gather_pairs(own: &[(u64, u64)], reduce: &dyn Reduce) -> Result<Vec<(u64, u64)>> {
    let bytes: Vec<u8> =
        own.iter().flat_map(|&(one, other)| [one, other]).flat_map(u64::to_le_bytes).collect();
    let mut all = Vec::new();
    for bytes in reduce.gather(&bytes)? {
        let numbers: Vec<u64> =
            bytes.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        all.extend(numbers.as_chunks().0.iter().map(|&[one, other]| (one, other)));
    }
    Ok(all)
}

fn check(
    what: &str,
    given: Option<&[(u64, u64)]>,
    n_rows: usize,
    reduce: &dyn Reduce,
) -> Result<Vec<Piece>> {
    let Some(given) = given else {
        if reduce.is_split() {
            let expected = "pieces of the whole frame (first row, number of rows)";
            return Err(Error::parameter(what, "none", expected));
        }
        return Ok(vec![Piece { own: 0, first: 0, n_rows }]);
    };
    let mut pieces = Vec::with_capacity(given.len());
    let mut own = 0u64;
    for &(first, n_rows) in given {
        if first.checked_add(n_rows).is_none() || n_rows > u64::from(u32::MAX) {
            let got = format!("({first}, {n_rows})");
            return Err(Error::parameter(what, got, "numbers of rows below 2^32"));
        }
        pieces.push(Piece { own: own as usize, first, n_rows: n_rows as usize });
        own += n_rows;
    }
    if own != n_rows as u64 {
        let got = format!("{own} rows in all pieces");
        return Err(Error::parameter(what, got, &format!("{n_rows}, the rows of this shard")));
    }
    Ok(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::Alone;

    #[test]
    fn rows_are_found_by_the_numbers_that_they_have() {
        // As one of several shards would have them, if the others held the rest.
        let pieces = Pieces {
            list: Arc::new(check("pieces", Some(&[(7, 3), (0, 0), (2, 2)]), 5, &Alone).unwrap()),
            n_own: 5,
            n_all: 10,
        };
        let numbers: Vec<u64> = (0..5).map(|row| pieces.number(row)).collect();
        assert_eq!(numbers, [7, 8, 9, 2, 3]);
        assert!(pieces.numbers().eq(numbers.iter().copied()));
        for (row, &number) in numbers.iter().enumerate() {
            assert_eq!(pieces.find(number), Some(row));
        }
        assert_eq!((pieces.find(4), pieces.find(10)), (None, None));
    }

    #[test]
    fn pieces_that_do_not_make_up_a_frame_are_refused() {
        let refused = |given: &[(u64, u64)], n_rows| {
            Pieces::of_shard("pieces", Some(given), n_rows, &Alone).unwrap_err().to_string()
        };
        assert!(refused(&[(0, 3)], 4).contains("got 3 rows in all pieces, expected 4"));
        assert!(refused(&[(1, 3)], 3).contains("begins with row 1 after one up to 0"));
        assert!(refused(&[(0, 3), (2, 2)], 5).contains("begins with row 2 after one up to 3"));
        assert!(refused(&[(u64::MAX, 3)], 3).contains("below 2^32"));
    }
}
