//! Passes over the rows: what a round asks the learner, and what a hypothesis makes of the buckets.

use super::buckets::loss;
use super::{Found, Scores, Symmetric};
use crate::demand::{OwnedDemand, Stretch};
use crate::error::Result;
use crate::workers::{RunBlock, Workers};

/// Rows that are ordered by bucket together: their codes stay in the cache meanwhile.
const BLOCK: usize = 1 << 15;

impl Symmetric {
    /// All places, ordered by class, block and bucket.
    pub(super) fn ask(&self, buckets: &[f64], workers: &Workers) -> Result<OwnedDemand> {
        let blocks: Vec<(usize, std::ops::Range<usize>)> = self
            .kinds
            .runs(&self.class_ends)
            .flat_map(|(kind, places)| {
                let end = places.end;
                let starts = places.step_by(BLOCK);
                starts.map(move |start| (kind, start..end.min(start + BLOCK)))
            })
            .collect();
        let (n_kinds, n_buckets) = (self.n_kinds(), self.n_buckets());
        let sorted = workers.map(buckets.len(), blocks, |(kind, places)| {
            let mut ends = vec![0; n_buckets];
            for bucket in &buckets[places.clone()] {
                ends[*bucket as usize] += 1;
            }
            let (mut sum, mut next) = (0, Vec::with_capacity(n_buckets));
            for end in &mut ends {
                next.push(sum);
                sum += *end;
                *end = sum;
            }
            let mut rows = vec![0u32; places.len()];
            for place in places {
                let next = &mut next[buckets[place] as usize];
                rows[*next] = place as u32;
                *next += 1;
            }
            let stretches = ends.into_iter().enumerate();
            let stretches: Vec<Stretch> = stretches
                .map(|(bucket, end)| Stretch { kind: bucket * n_kinds + kind, end })
                .collect();
            let weights: Vec<u64> =
                rows.iter().map(|&row| self.weights.fixed[row as usize]).collect();
            Ok((rows, weights, stretches))
        })?;
        let (mut all_rows, mut asked) = (Vec::new(), OwnedDemand::default());
        for (rows, weights, stretches) in sorted {
            let before = all_rows.len();
            let stretches = stretches.into_iter().map(|s| Stretch { end: before + s.end, ..s });
            for stretch in stretches {
                if asked.stretches.last().map_or(0, |last| last.end) < stretch.end {
                    asked.stretches.push(stretch);
                }
            }
            all_rows.extend(rows);
            asked.weights.extend(weights);
        }
        asked.weights.extend(all_rows.iter().map(|&row| self.keys[row as usize]));
        asked.rows = Some(all_rows);
        Ok(asked.with_copies(self.weights.copies.as_deref()))
    }

    /// Weights and input rows by answer, bucket and kind.
    pub(super) fn add_up(
        &self,
        found: &Found,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<[Vec<(u64, u64)>; 2]> {
        let (n_kinds, n_sums) = (self.n_kinds(), self.n_kinds() * self.n_buckets());
        let buckets = scores.output(self.output);
        let numbers = found.answers.numbers(0);
        let blocks: Vec<&RunBlock> = scores.blocks().iter().collect();
        let parts = workers.map(buckets.len(), blocks, |block| {
            let mut sums = [vec![(0, 0); n_sums], vec![(0, 0); n_sums]];
            let Some(kind) = self.kinds.of(block.run) else { return Ok(sums) };
            for place in block.rows.clone() {
                let fires = usize::from(numbers.of(place) > 0.0);
                let at = buckets[place] as usize * n_kinds + kind;
                let (weight, count) = &mut sums[fires][at];
                *weight += self.weights.fixed[place];
                *count += self.weights.copies(place);
            }
            Ok(sums)
        })?;
        let mut all = [vec![(0, 0); n_sums], vec![(0, 0); n_sums]];
        for part in parts {
            for (all, part) in all.iter_mut().flatten().zip(part.iter().flatten()) {
                *all = (all.0 + part.0, all.1 + part.1);
            }
        }
        let flat = all.iter().flatten();
        let mut sums: Vec<u64> = flat.flat_map(|&(weight, count)| [weight, count]).collect();
        workers.reduce().sum_if_split(&mut sums)?;
        for (all, &[weight, count]) in all.iter_mut().flatten().zip(sums.as_chunks().0) {
            *all = (weight, count);
        }
        Ok(all)
    }

    /// The sums of the keys of the rows on which a hypothesis fires, and of all rows.
    pub(super) fn sums_of_keys(&self, found: &Found, workers: &Workers) -> Result<(u64, u64)> {
        let numbers = found.answers.numbers(0);
        let (side, all) =
            self.keys.iter().enumerate().fold((0u64, 0u64), |(side, all), (place, &key)| {
                let fires = numbers.of(place) > 0.0;
                (side.wrapping_add(if fires { key } else { 0 }), all.wrapping_add(key))
            });
        let mut sums = [side, all];
        workers.reduce().sum_if_split(&mut sums)?;
        Ok((sums[0], sums[1]))
    }

    /// The weight, under the row weights of this round, that a majority on each side gets wrong.
    pub(super) fn error(&self, sides: &[Vec<(u64, u64)>; 2]) -> f64 {
        let Some(table) = self.combiner.buckets() else { return 0.5 };
        let scores = table.stage(usize::MAX);
        let (n_kinds, width) = (self.n_kinds(), scores.len() / self.n_buckets());
        let mut right = 0.0;
        let mut total = 0.0;
        for side in sides {
            let mut by_kind = vec![0.0; n_kinds];
            for (at, (weight, _)) in side.iter().enumerate().filter(|(_, (weight, _))| *weight > 0)
            {
                let (bucket, kind) = (at / n_kinds, at % n_kinds);
                let scores = &scores[bucket * width..][..width];
                by_kind[kind] += *weight as f64 * loss(kind, scores);
            }
            right += by_kind.iter().copied().fold(0.0, f64::max);
            total += by_kind.iter().sum::<f64>();
        }
        if total > 0.0 { 1.0 - right / total } else { 0.0 }
    }
}
