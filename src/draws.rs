//! What the hypotheses of a round learn from: a demand as it is, or a sample of its rows.
//!
//! In: a demand, a seed and the numbers of the round and the search. Out: the demand of the sample.
//! Rows are drawn one by one, by their number alone (`subsample`, `replace`), and then by their
//! weights (`resample`): as many independent draws as there are rows, of which every row has the
//! weight that it was drawn with. Neither depends on the number of threads.

use crate::demand::{Demand, FULL_WEIGHT, OwnedDemand, Stretch};
use crate::error::Result;
use crate::random::{counts_by_weight, stream};
use crate::reduce::Reduce;
use crate::sampling::{Sampling, hashed};

/// Samples in a row that may lead to no hypothesis of use before a run gives up.
pub const TRIES: usize = 10;

/// Which sample is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// Rounds that were kept before.
    pub round: usize,
    /// Samples of the same round that led to nothing.
    pub attempt: usize,
    /// The search, by a number that no other of the round has.
    pub search: usize,
}

/// How samples are drawn.
#[derive(Debug, Clone, Default)]
pub struct Draws {
    /// By number.
    pub sampling: Option<Sampling>,
    /// By weight, with this seed.
    pub resampling: Option<u64>,
    /// The number of each row in the whole frame, if rows are drawn by it.
    pub row_numbers: Vec<u64>,
}

impl Draws {
    /// The sample of a demand; `None` if it is to be taken as it is.
    pub fn of(
        &self,
        demand: &Demand,
        draw: Draw,
        reduce: &dyn Reduce,
    ) -> Result<Option<OwnedDemand>> {
        let number = |row: usize| self.row_numbers[row];
        let part = match &self.sampling {
            Some(sampling) => by_number(demand, (sampling, draw.round), number, reduce)?,
            None => None,
        };
        let Some(seed) = self.resampling else { return Ok(part) };
        let of_round = hashed(seed, draw.round as u64, draw.attempt as u64);
        // Apart from the streams from which learners and boosters draw.
        let generator = &mut stream(of_round, u64::MAX - draw.search as u64);
        let mut resampled = |demand: &Demand| {
            let counts = counts_by_weight(demand.weights, demand.weights.len(), generator)?;
            Some(repeated(demand, &counts))
        };
        Ok(match part {
            Some(part) => {
                let drawn = resampled(&part.lend(demand.question, demand.lightest));
                Some(drawn.unwrap_or(part))
            }
            None => resampled(demand),
        })
    }
}

/// The part of a demand that a round draws, every place as often as its row is drawn, by number;
/// `None` if no row of any weight is drawn in any shard, as it may be of a few.
pub fn by_number(
    demand: &Demand,
    (sampling, round): (&Sampling, usize),
    number: impl Fn(usize) -> u64,
    reduce: &dyn Reduce,
) -> Result<Option<OwnedDemand>> {
    let times = |row: usize| sampling.times(round as u64, number(row));
    let times: Vec<u32> = (0..demand.n_places()).map(|place| times(demand.row(place))).collect();
    let places: Vec<usize> = (0..times.len()).filter(|&place| times[place] > 0).collect();
    let layers = demand.weights.chunks_exact(demand.n_places().max(1));
    // Gradients are signed, and a product of their bits is that of the numbers; sums of keys
    // wrap around; products of weights are small enough.
    let weights = layers.flat_map(|weights| {
        let times = &times;
        places.iter().map(|&place| weights[place].wrapping_mul(u64::from(times[place])))
    });
    let stretches = demand.stretches.iter().map(|stretch| Stretch {
        kind: stretch.kind,
        end: places.partition_point(|&place| place < stretch.end),
    });
    let drawn = OwnedDemand {
        weights: weights.collect(),
        stretches: stretches.collect(),
        copies: demand.copies.map(|copies| places.iter().map(|&p| copies[p]).collect()),
        rows: Some(places.iter().map(|&place| demand.row(place) as u32).collect()),
    };
    let has_weight = drawn.weights.iter().any(|weight| *weight != 0);
    Ok(reduce.any(has_weight)?.then_some(drawn))
}

/// A demand whose weights are as often drawn as `counts` says; a row is there as often as it was
/// drawn, unless it has a weight for each class.
fn repeated(demand: &Demand, counts: &[u32]) -> OwnedDemand {
    let n_draws = counts.iter().map(|&count| u64::from(count)).sum::<u64>();
    let unit = (FULL_WEIGHT / n_draws as f64) as u64;
    let is_single = counts.len() == demand.n_places();
    OwnedDemand {
        weights: counts.iter().map(|&count| u64::from(count) * unit).collect(),
        stretches: demand.stretches.to_vec(),
        copies: if is_single { Some(counts.to_vec()) } else { demand.copies.map(<[u32]>::to_vec) },
        rows: demand.rows.map(<[u32]>::to_vec),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demand::Question;
    use crate::reduce::Alone;

    fn demand<'a>(weights: &'a [u64], stretches: &'a [Stretch]) -> Demand<'a> {
        Demand {
            question: Question::Side,
            weights,
            stretches,
            rows: None,
            copies: None,
            lightest: 0.1,
            partitions: None,
            revision: None,
        }
    }

    fn resampling(seed: u64) -> Draws {
        Draws { resampling: Some(seed), ..Draws::default() }
    }

    #[test]
    fn rows_are_drawn_as_often_as_they_weigh() {
        let weights = [0, 1 << 40, 3 << 40, 6 << 40];
        let stretches = [Stretch { kind: 0, end: 2 }, Stretch { kind: 1, end: 4 }];
        let mut sums = [0; 4];
        for round in 0..2000 {
            let draw = Draw { round, attempt: 0, search: 0 };
            let drawn =
                resampling(7).of(&demand(&weights, &stretches), draw, &Alone).unwrap().unwrap();
            let counts = drawn.copies.unwrap();
            assert_eq!(counts.iter().sum::<u32>(), 4);
            let unit = (FULL_WEIGHT / 4.0) as u64;
            for (place, count) in counts.into_iter().enumerate() {
                sums[place] += count;
                assert_eq!(drawn.weights[place], u64::from(count) * unit);
            }
        }
        assert_eq!(sums[0], 0);
        for (sum, share) in sums.into_iter().zip([0.0, 0.1, 0.3, 0.6]) {
            assert!((f64::from(sum) / 8000.0 - share).abs() < 0.02, "{sum} {share}");
        }
    }

    #[test]
    fn samples_differ_by_seed_round_attempt_and_search() {
        let weights = [1 << 40; 64];
        let stretches = [Stretch { kind: 0, end: 64 }];
        let drawn = |seed, round, attempt, search| {
            let draw = Draw { round, attempt, search };
            resampling(seed)
                .of(&demand(&weights, &stretches), draw, &Alone)
                .unwrap()
                .unwrap()
                .weights
        };
        let first = drawn(1, 2, 3, 0);
        assert_eq!(first, drawn(1, 2, 3, 0));
        for other in [drawn(2, 2, 3, 0), drawn(1, 3, 3, 0), drawn(1, 2, 4, 0), drawn(1, 2, 3, 1)] {
            assert_ne!(first, other);
        }
    }

    #[test]
    fn a_sample_of_rows_without_weight_is_none() {
        let weights = [0, 1 << 40, 0, 0];
        let stretches = [Stretch { kind: 0, end: 2 }, Stretch { kind: 1, end: 4 }];
        let row_numbers = (0..4).collect();
        let sampling = Some(Sampling { share: 0.5, with_replacement: false, seed: 7 });
        let draws = Draws { sampling, row_numbers, ..Draws::default() };
        let (mut n_drawn, mut n_whole) = (0, 0);
        for round in 0..100 {
            let draw = Draw { round, attempt: 0, search: 0 };
            match draws.of(&demand(&weights, &stretches), draw, &Alone).unwrap() {
                Some(drawn) => {
                    assert_eq!(drawn.weights.iter().sum::<u64>(), 1 << 40);
                    n_drawn += 1;
                }
                None => n_whole += 1,
            }
        }
        assert!(n_drawn > 30 && n_whole > 30, "{n_drawn} {n_whole}");
    }

    #[test]
    fn a_demand_without_weight_is_left_as_it_is() {
        let stretches = [Stretch { kind: 0, end: 2 }];
        let draw = Draw { round: 0, attempt: 0, search: 0 };
        assert!(resampling(1).of(&demand(&[0, 0], &stretches), draw, &Alone).unwrap().is_none());
        assert!(Draws::default().of(&demand(&[1, 1], &stretches), draw, &Alone).unwrap().is_none());
    }
}
