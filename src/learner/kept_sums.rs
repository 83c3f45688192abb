//! The sums of all places of a demand, kept for the next one.
//!
//! In: codes and a demand. Out: its histogram: brought up to date if the demand says what has changed
//! since one that is at hand, else added up. Boosters that ask several questions a round have one kept
//! for each of them, as long as there is room. What is kept are the sums of this shard; whatever a shard
//! finds among them, it asks the others for the sums over all rows once for every demand.

use super::{Histogram, Start};
use crate::data::Binned;
use crate::demand::Demand;
use crate::error::Result;
use crate::workers::Workers;

/// Histograms are kept up to this many bytes, or up to the size of so many numbers per row and
/// channel if that is more; one is kept in any case.
const KEEP_BYTES: usize = 1 << 23;
const KEEP_NUMBERS: usize = 2;

/// How many bytes of histograms may be kept beside so many rows.
pub(super) fn keep_bytes(n_rows: usize, n_channels: usize, n_numbers: usize) -> usize {
    KEEP_BYTES.max(n_numbers * n_rows * n_channels * size_of::<u64>())
}

/// The sums of the last demands.
#[derive(Debug)]
pub(super) struct KeptSums {
    /// With the numbers of the weights that were added up; those used last come last.
    kept: Vec<(Option<u64>, Histogram)>,
    /// The most that are kept.
    most: usize,
    /// The sums over all shards, if there are several.
    over_shards: Option<Histogram>,
}

impl KeptSums {
    /// Nothing yet; memory is checked for as many as there may be.
    pub fn checked(start: &Start) -> Result<Self> {
        let (data, n_channels) = (start.view.codes()?, start.question.n_channels());
        Histogram::check_memory(data, n_channels, 1)?;
        let first = Histogram::new(data, n_channels);
        let n_kept = keep_bytes(start.most_rows, n_channels, KEEP_NUMBERS) / first.size().max(1);
        Histogram::check_memory(data, n_channels, n_kept)?;
        Ok(Self { kept: vec![(None, first)], most: n_kept.max(1), over_shards: None })
    }

    /// The sums of all places, in all shards.
    pub fn of(&mut self, data: &Binned, demand: &Demand, workers: &Workers) -> Result<&Histogram> {
        self.bring_up_to_date(data, demand, workers)?;
        let own = &self.kept[self.kept.len() - 1].1;
        if !workers.reduce().is_split() {
            return Ok(own);
        }
        let sums = self.over_shards.get_or_insert_with(|| own.clone());
        sums.fit(data, own.n_channels());
        sums.copy_from(own);
        sums.reduce(workers)?;
        Ok(sums)
    }

    /// Puts the sums of all places of this shard last.
    fn bring_up_to_date(
        &mut self,
        data: &Binned,
        demand: &Demand,
        workers: &Workers,
    ) -> Result<()> {
        let n_channels = demand.question.n_channels();
        self.kept.retain(|(_, sums)| sums.n_channels() == n_channels);
        let at = |number: u64| self.kept.iter().position(|(kept, _)| *kept == Some(number));
        let same = demand.revision.and_then(|revision| at(revision.number));
        let before = demand.revision.and_then(|revision| at(revision.before?));
        let changes = demand.revision.and_then(|revision| revision.changes);
        let sums = match (same, before, changes) {
            (Some(same), ..) => self.kept.remove(same).1,
            (None, Some(before), Some(changes)) => {
                let mut sums = self.kept.remove(before).1;
                sums.add_changes(data, demand, changes, workers)?;
                sums
            }
            (None, before, _) => {
                let mut sums = self.spare(before, data, n_channels);
                sums.fill(data, demand, workers)?;
                sums
            }
        };
        self.kept.push((demand.revision.map(|revision| revision.number), sums));
        Ok(())
    }

    /// Sums to be filled: those of weights that nobody comes back to, or those that were not used for
    /// longest if there is no room for more.
    fn spare(&mut self, before: Option<usize>, data: &Binned, n_channels: usize) -> Histogram {
        let unknown = || self.kept.iter().position(|(number, _)| number.is_none());
        match before.or_else(unknown) {
            Some(useless) => self.kept.remove(useless).1,
            None if self.kept.len() >= self.most => self.kept.remove(0).1,
            None => Histogram::new(data, n_channels),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Bins, NumberBins, View};
    use crate::demand::{ChangedPlaces, Needs, Question, Revision, Stretch};
    use crate::workers::run_blocks;
    use proptest::prelude::*;

    /// Columns that use so many codes each.
    fn data(n_used: &[usize], n_rows: usize) -> Binned {
        let bins: Vec<Bins> = n_used
            .iter()
            .map(|&n| Bins::Numbers(NumberBins { cuts: (1..n).map(|cut| cut as f64).collect() }))
            .collect();
        let bins: Vec<&Bins> = bins.iter().collect();
        Binned::block(&bins, n_rows, &vec![true; n_used.len()], |column, codes| {
            for (row, code) in codes.iter_mut().enumerate() {
                *code = ((row * (7 + 2 * column) + row / 11) % n_used[column]) as u16;
            }
        })
    }

    /// Row weights by place, with their revisions.
    struct Weights {
        by_place: Vec<u64>,
        stretches: Vec<Stretch>,
        number: u64,
        before: Option<u64>,
        changes: Option<Vec<ChangedPlaces>>,
    }

    impl Weights {
        fn start(n_rows: usize) -> Self {
            let ends = [n_rows / 3, n_rows].into_iter().enumerate();
            Self {
                by_place: (0..n_rows as u64).map(|row| ((row * 37) % 1013) << 40).collect(),
                stretches: ends.map(|(kind, end)| Stretch { kind, end }).collect(),
                number: Revision::next_number(),
                before: None,
                changes: None,
            }
        }

        /// Changes every so many rows, and lists that or not.
        fn change(&mut self, step: usize, is_listed: bool) {
            let ends: Vec<usize> = self.stretches.iter().map(|stretch| stretch.end).collect();
            let mut changes = Vec::new();
            for block in run_blocks(&ends) {
                let first = block.rows.start;
                let changed = block.rows.filter(|row| row % step == 0);
                let places = changed.map(|row| (row - first) as u16).collect();
                let mut listed =
                    ChangedPlaces { stretch: block.run, first, places, differences: Vec::new() };
                for &place in &listed.places {
                    let weight = &mut self.by_place[first + usize::from(place)];
                    let new = (*weight >> 1) + (1 << 30);
                    listed.differences.push(new.wrapping_sub(*weight));
                    *weight = new;
                }
                changes.push(listed);
            }
            self.before = Some(std::mem::replace(&mut self.number, Revision::next_number()));
            self.changes = is_listed.then_some(changes);
        }

        fn demand<'a>(&'a self, rows: Option<&'a [u32]>) -> Demand<'a> {
            let (number, before, changes) = (self.number, self.before, self.changes.as_deref());
            Demand {
                question: Question::Side,
                weights: &self.by_place,
                stretches: &self.stretches,
                rows,
                copies: None,
                lightest: 1e-9,
                partitions: None,
                revision: Some(Revision { number, before, changes }),
            }
        }
    }

    fn kept(view: &View) -> KeptSums {
        let start = Start {
            view,
            question: Question::Side,
            learns_labels: true,
            needs: Needs::Votes,
            found_before: 0,
            most_rows: 1000,
            seed: 0,
            signs: &[],
        };
        KeptSums::checked(&start).unwrap()
    }

    fn assert_equal(kept: &Histogram, data: &Binned, demand: &Demand) {
        let rows = |place: usize| demand.row(place);
        for column in 0..data.n_columns() {
            let mut expected = vec![vec![0u64; data.n_codes(column)]; 2];
            let mut start = 0;
            for stretch in demand.stretches {
                for place in start..stretch.end {
                    let code = match data.codes(column) {
                        crate::data::Codes::Narrow(codes) => usize::from(codes[rows(place)]),
                        crate::data::Codes::Wide(codes) => usize::from(codes[rows(place)]),
                    };
                    expected[stretch.kind][code] += demand.weights[place];
                }
                start = stretch.end;
            }
            for (channel, expected) in expected.iter().enumerate() {
                assert_eq!(kept.channel(column, channel), expected, "column {column}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]

        #[test]
        fn sums_brought_up_to_date_are_those_added_up_anew(
            n_used in prop::collection::vec(prop_oneof![1usize..14, 60usize..300], 1..14),
            n_rows in prop_oneof![3usize..2_000, 20_000usize..30_000],
            steps in prop::collection::vec((1usize..5, prop::bool::weighted(0.8)), 1..4),
            n_threads in 1i64..4,
            has_rows: bool,
        ) {
            let view = View::Codes(data(&n_used, n_rows));
            let data = view.codes().unwrap();
            let workers = Workers::new(Some(n_threads)).unwrap();
            // As where some classes do not take part.
            let rows: Vec<u32> = (0..n_rows as u32).map(|row| row - row % 2).collect();
            let rows = has_rows.then_some(rows.as_slice());
            let mut weights = Weights::start(n_rows);
            let mut sums = kept(&view);
            assert_equal(sums.of(data, &weights.demand(rows), &workers).unwrap(), data, &weights.demand(rows));
            for (step, is_listed) in steps {
                weights.change(step, is_listed);
                let demand = weights.demand(rows);
                assert_equal(sums.of(data, &demand, &workers).unwrap(), data, &demand);
                prop_assert_eq!(sums.kept.len(), 1);
            }
        }
    }

    #[test]
    fn several_questions_take_turns_within_bounds() {
        let view = View::Codes(data(&[5, 200, 9], 500));
        let (data, workers) = (view.codes().unwrap(), Workers::new(Some(1)).unwrap());
        let mut all: Vec<Weights> = (0..3).map(|_| Weights::start(500)).collect();
        for most in [1, 2, 3] {
            let mut sums = kept(&view);
            sums.most = most;
            for round in 0..4 {
                for (at, weights) in all.iter_mut().enumerate() {
                    weights.change(2 + at, round != 2);
                    let demand = weights.demand(None);
                    assert_equal(sums.of(data, &demand, &workers).unwrap(), data, &demand);
                    assert!(sums.kept.len() <= most);
                }
            }
        }
    }

    #[test]
    fn weights_of_no_revision_are_added_up_every_time() {
        let view = View::Codes(data(&[5, 200, 9], 500));
        let (data, workers) = (view.codes().unwrap(), Workers::new(Some(1)).unwrap());
        let (mut sums, mut weights) = (kept(&view), Weights::start(500));
        for _ in 0..3 {
            weights.change(2, true);
            let demand = Demand { revision: None, ..weights.demand(None) };
            assert_equal(sums.of(data, &demand, &workers).unwrap(), data, &demand);
            assert_eq!(sums.kept.len(), 1);
        }
    }
}
