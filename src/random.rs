//! Random numbers that are the same on every machine.
//!
//! In: the user's seed, and weights. Out: streams of random numbers, of which every round, tree or
//! block of rows has one of its own, and places drawn by weight.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A stream of the random numbers of a seed; those of other numbers are independent of it.
#[must_use]
pub fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(number);
    generator
}

/// How often each place is drawn in so many independent draws, in exact proportion to integer
/// weights; `None` if nothing has a weight.
pub fn counts_by_weight(
    weights: &[u64],
    n_draws: usize,
    generator: &mut ChaCha8Rng,
) -> Option<Vec<u32>> {
    let mut total = 0u64;
    let add = |&weight: &u64| {
        total += weight;
        total
    };
    let cumulated: Vec<u64> = weights.iter().map(add).collect();
    if total == 0 {
        return None;
    }
    let mut counts = vec![0; weights.len()];
    for _ in 0..n_draws {
        let at = generator.random_range(0..total);
        counts[cumulated.partition_point(|&sum| sum <= at)] += 1;
    }
    Some(counts)
}

/// Draws places, each with a probability in proportion to its weight.
pub struct ByWeight {
    /// Sums of the weights up to each place.
    cumulated: Vec<f64>,
}

impl ByWeight {
    /// Ready to draw; there must be a weight at least.
    pub fn new(weights: impl IntoIterator<Item = f64>) -> Self {
        let mut sum = 0.0;
        let add = |weight: f64| {
            sum += weight;
            sum
        };
        Self { cumulated: weights.into_iter().map(add).collect() }
    }

    /// A place.
    pub fn draw(&self, generator: &mut ChaCha8Rng) -> usize {
        let last = self.cumulated.len() - 1;
        let at = generator.random::<f64>() * self.cumulated[last];
        // Rounding may lead beyond the end.
        self.cumulated.partition_point(|&sum| sum <= at).min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_drawn_as_often_as_they_weigh() {
        let by_weight = ByWeight::new([0.0, 1.0, 0.0, 3.0]);
        let mut generator = stream(5, 1);
        let mut counts = [0; 4];
        for _ in 0..4000 {
            counts[by_weight.draw(&mut generator)] += 1;
        }
        assert_eq!((counts[0], counts[2]), (0, 0));
        assert!((900..1100).contains(&counts[1]), "{counts:?}");
    }

    #[test]
    fn integer_weights_are_drawn_in_proportion_and_zeros_never() {
        let counts = counts_by_weight(&[0, 1, 0, 3, 0], 4000, &mut stream(5, 1)).unwrap();
        assert_eq!((counts[0], counts[2], counts[4]), (0, 0, 0));
        assert_eq!(counts.iter().sum::<u32>(), 4000);
        assert!((900..1100).contains(&counts[1]), "{counts:?}");
        assert!(counts_by_weight(&[0, 0], 3, &mut stream(5, 1)).is_none());
        assert!(counts_by_weight(&[], 3, &mut stream(5, 1)).is_none());
    }

    #[test]
    fn streams_differ_by_seed_and_number() {
        let first = |seed, number| stream(seed, number).random::<u64>();
        assert_eq!(first(3, 4), first(3, 4));
        assert_ne!(first(3, 4), first(3, 5));
        assert_ne!(first(3, 4), first(4, 4));
    }
}
