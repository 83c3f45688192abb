//! What goes between shards, and the helpers that send it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::problems::{BOOSTERS, LEARNERS, numbers, settings_for};
use super::in_shards;
use crate::data::{FrameSource, Table};
use crate::error::{Error, Result};
use crate::fit::fit;
use crate::prepared::{Labelled, Problem};
use crate::reduce::{ExactSum, Reduce, agree};
use crate::storage::Storage;
use crate::workers::Workers;

/// Counts what one shard brings to the others.
#[derive(Default)]
struct Traffic {
    n_meetings: AtomicUsize,
    n_bytes: AtomicUsize,
}

/// A shard whose traffic is counted.
struct Counted {
    shard: Arc<dyn Reduce>,
    traffic: Arc<Traffic>,
}

impl Counted {
    fn count(&self, n_bytes: usize) {
        self.traffic.n_meetings.fetch_add(1, Ordering::Relaxed);
        self.traffic.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
    }
}

impl Reduce for Counted {
    fn rank(&self) -> usize {
        self.shard.rank()
    }

    fn size(&self) -> usize {
        self.shard.size()
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<()> {
        self.count(size_of_val(numbers));
        self.shard.sum(numbers)
    }

    fn gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
        self.count(bytes.len());
        self.shard.gather(bytes)
    }
}

#[test]
fn a_round_of_stumps_sends_little_more_than_its_sums() {
    let columns = 40;
    let n_rows = 600;
    let column = |number: usize| {
        let value = |row: usize| ((row * (31 + number) + row * row) % 997) as f64;
        numbers(&format!("x{number}"), (0..n_rows).map(|row| Some(value(row))).collect())
    };
    let classes: Vec<u32> = (0..n_rows as u32).map(|row| (row * row / 7) % 2).collect();
    let traffic_of = |n_rounds: usize| {
        let traffic: Vec<Arc<Traffic>> = (0..2).map(|_| Arc::default()).collect();
        let models = in_shards(2, |shard| {
            let traffic = traffic[shard.rank()].clone();
            let all: Vec<_> = (0..columns).map(column).collect();
            // One shard has all rows.
            let n_own = if shard.rank() == 0 { n_rows } else { 0 };
            let own = |row: usize| row < n_own;
            let picked = all.iter().map(|column| {
                let mut values = vec![0.0; n_rows];
                column.read_numbers(0, &mut values);
                numbers(&column.name, values.into_iter().take(n_own).map(Some).collect())
            });
            let table = Table::new(picked.collect(), true, n_own).unwrap();
            let train = Labelled {
                source: FrameSource::Table(table),
                classes: (0..n_rows).filter(|&row| own(row)).map(|row| classes[row]).collect(),
                weights: None,
                costs: None,
                mistrust: None,
                pieces: Some(vec![(0, n_own as u64)]),
            };
            let problem = Problem {
                train,
                validation: None,
                earlier: None,
                external: None,
                storage: Storage::default(),
            };
            let reduce = Arc::new(Counted { shard, traffic });
            let workers = Workers::new(Some(1)).unwrap().with_reduce(reduce);
            let settings = settings_for((BOOSTERS[0], "null"), LEARNERS[0], n_rounds, 2);
            fit(&problem, &settings, &workers, &mut |_| Ok(true)).unwrap().model
        });
        assert_eq!(models[0].history.n_rounds(), n_rounds);
        let count = |count: &AtomicUsize| count.load(Ordering::Relaxed);
        let n_bins: usize = models[0].schema.features.iter().map(|f| f.bins.len() + 1).sum();
        (count(&traffic[0].n_meetings), count(&traffic[0].n_bytes), n_bins)
    };
    let (few, many) = (traffic_of(3), traffic_of(13));
    let (meetings, bytes) = ((many.0 - few.0) / 10, many.1 - few.1);
    // Two classes, eight bytes each.
    let sums = many.2 * 2 * 8;
    // Once, in the end, the rows with each code of the columns that were chosen.
    let counts = many.2 * 8;
    assert!(bytes <= 10 * (sums + 200) + counts, "{bytes} {sums} {counts}");
    assert!(meetings <= 5, "{meetings}");
}

#[test]
fn helpers_do_what_their_names_say_in_any_number_of_shards() {
    for size in [1, 2, 5] {
        let results = in_shards(size, |reduce| {
            let rank = reduce.rank() as u64;
            let mut wide = [u128::MAX - u128::from(rank), u128::from(rank) << 100];
            reduce.sum_wide(&mut wide).unwrap();
            let mut largest = [-(rank as f64), rank as f64];
            reduce.largest(&mut largest).unwrap();
            let mut sums = [ExactSum::of([0.1, -1e300]), ExactSum::of([1e300 * rank as f64])];
            ExactSum::reduce(&mut sums, &*reduce).unwrap();
            (
                reduce.total(rank + 1).unwrap(),
                reduce.sum_before(rank + 1).unwrap(),
                [reduce.any(rank == 1).unwrap(), reduce.all(rank < 2).unwrap()],
                (wide, largest, sums.map(|sum| sum.number())),
            )
        });
        let n = size as u64;
        let all: u64 = (1..=n).sum();
        for (rank, (total, before, [any, every], (wide, largest, sums))) in
            results.into_iter().enumerate()
        {
            assert_eq!(total, all);
            assert_eq!(before, (1..=rank as u64).sum::<u64>());
            assert_eq!((any, every), (size > 1, size <= 2));
            let ranks: u128 = (0..u128::from(n)).sum();
            assert_eq!(wide, [0u128.wrapping_sub(u128::from(n) + ranks), ranks << 100]);
            assert_eq!(largest, [0.0, (n - 1) as f64]);
            let one_by_one = ExactSum::of((0..size).flat_map(|_| [0.1, -1e300])).number();
            let ranked = ExactSum::of((0..size).map(|rank| 1e300 * rank as f64)).number();
            assert_eq!(sums, [one_by_one, ranked]);
        }
    }
    // All go on, or none does.
    let agreed = in_shards(3, |reduce| agree(&*reduce, Ok(reduce.rank())).unwrap());
    assert_eq!(agreed, [0, 1, 2]);
    let refused = in_shards(3, |reduce| {
        let own = if reduce.rank() == 2 { Err(Error::OutOfRange) } else { Ok(()) };
        agree(&*reduce, own).unwrap_err()
    });
    assert_eq!(refused[2], Error::OutOfRange);
    for error in &refused[..2] {
        assert!(matches!(error, Error::Shard { rank: 2, .. }), "{error}");
    }
}
