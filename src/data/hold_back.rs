//! Which rows are held back for validation: draws for the numbers of the rows in the whole frame.
//!
//! In: the classes and weights of the rows of a shard. Out: a mark for each of its rows. Of each class
//! those with the smallest draws are taken, and rows without weight have no number. How small draws
//! must be is found digit by digit, so that shards tell each other counts and no draws.

use super::given_rows::GivenRows;
use super::pieces::Pieces;
use crate::error::Result;
use crate::reduce::{Reduce, agree};
use crate::sampling::hashed;

/// Marks a share of each class's rows (of positive weight) for validation, at random but at least
/// one where a class has two. Rows are taken by what is drawn for their numbers in the whole frame.
pub fn hold_back(
    given: GivenRows,
    pieces: &Pieces,
    (share, seed): (f64, u64),
    reduce: &dyn Reduce,
) -> Result<Vec<bool>> {
    let GivenRows { classes, n_classes, weights } = given;
    agree(reduce, given.check())?;
    // Apart from the draws of `subsample`.
    let seed = hashed(seed, u64::MAX, 1);
    let mut drawn = vec![Vec::new(); n_classes];
    let counts = |row: usize| weights.is_none_or(|w| w[row] > 0.0);
    pieces.for_each_counted(counts, reduce, |row, number| {
        drawn[classes[row] as usize].push((hashed(seed, 0, number), row as u32));
    })?;
    let mut counts: Vec<u64> = drawn.iter().map(|rows| rows.len() as u64).collect();
    reduce.sum_if_split(&mut counts)?;
    let wanted = counts.iter().map(|&count| {
        let wanted = (count as f64 * share).round() as u64;
        wanted.max(1).min(count.saturating_sub(1))
    });
    let highest = highest_taken(&drawn, &wanted.collect::<Vec<_>>(), reduce)?;
    let mut held = vec![false; classes.len()];
    for (rows, highest) in drawn.into_iter().zip(highest) {
        for (_, row) in rows.into_iter().filter(|(draw, _)| *draw < highest) {
            held[row as usize] = true;
        }
    }
    Ok(held)
}

/// By class the number below which as many draws of all shards lie as are wanted.
fn highest_taken(
    drawn: &[Vec<(u64, u32)>],
    wanted: &[u64],
    reduce: &dyn Reduce,
) -> Result<Vec<u64>> {
    const DIGIT: u32 = 8;
    const N_DIGITS: usize = 1 << DIGIT;
    let (mut prefixes, mut left) = (vec![0u64; drawn.len()], wanted.to_vec());
    // Digit by digit from the highest: in which of 256 parts of what is left the last draw lies.
    for shift in (0..u64::BITS).step_by(DIGIT as usize).rev() {
        let mut counts = vec![0u64; N_DIGITS * drawn.len()];
        for ((rows, prefix), counts) in
            drawn.iter().zip(&prefixes).zip(counts.chunks_exact_mut(N_DIGITS))
        {
            // All but the digits that are known already.
            let known = |draw: u64| draw.checked_shr(shift + DIGIT).unwrap_or(0);
            for &(draw, _) in rows.iter().filter(|(draw, _)| known(*draw) == known(*prefix)) {
                counts[(draw >> shift) as usize % N_DIGITS] += 1;
            }
        }
        reduce.sum_if_split(&mut counts)?;
        for ((prefix, left), counts) in
            prefixes.iter_mut().zip(&mut left).zip(counts.chunks_exact(N_DIGITS))
        {
            let mut digit = 0;
            while digit + 1 < N_DIGITS && counts[digit] <= *left {
                *left -= counts[digit];
                digit += 1;
            }
            *prefix |= (digit as u64) << shift;
        }
    }
    Ok(prefixes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::Alone;

    #[test]
    fn as_many_rows_of_each_class_are_held_back_as_wanted_whoever_has_them() {
        let classes: Vec<u32> = (0..1000).map(|row| u32::from(row % 7 == 0)).collect();
        let weights: Vec<f64> = (0..1000).map(|row| f64::from(row % 5)).collect();
        for (share, weights) in [(0.1, None), (0.33, Some(weights.as_slice())), (1e-9, None)] {
            let given = GivenRows { classes: &classes, n_classes: 3, weights };
            let whole = Pieces::whole(1000);
            let held = hold_back(given, &whole, (share, 3), &Alone).unwrap();
            for class in 0..2 {
                let of_class = (0..1000)
                    .filter(|&row| classes[row] == class && weights.is_none_or(|w| w[row] > 0.0));
                let n = of_class.clone().count();
                let n_held = of_class.filter(|&row| held[row]).count();
                assert_eq!(n_held, ((n as f64 * share).round() as usize).max(1));
            }
            assert!(weights.is_none_or(|w| (0..1000).all(|row| !held[row] || w[row] > 0.0)));
            assert_ne!(held, hold_back(given, &whole, (share, 4), &Alone).unwrap());
        }
        let one_each = GivenRows { classes: &[0, 1], n_classes: 2, weights: None };
        let held = hold_back(one_each, &Pieces::whole(2), (0.5, 0), &Alone).unwrap();
        assert_eq!(held, [false, false]);
    }
}
