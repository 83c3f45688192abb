//! What is known place by place, as places or as rows.

use super::RowWeights;
use crate::demand::FULL_WEIGHT;
use crate::error::Result;
use crate::hypothesis::RowNumbers;
use crate::workers::{Workers, split_along};

impl RowWeights {
    /// Whether there are rows of at least two kinds, in any shard.
    #[must_use]
    pub fn has_both_sides(&self) -> bool {
        self.has_both_sides
    }

    /// The number of input rows in all shards.
    #[must_use]
    pub fn n_input_rows(&self) -> usize {
        self.n_input_rows
    }

    /// The number of places.
    #[must_use]
    pub fn n_places(&self) -> usize {
        self.weights.len()
    }

    /// The weights of all input rows at each place, as numbers whose mean is 1.
    #[must_use]
    pub fn importance(&self) -> Vec<f64> {
        let n_places = self.weights.len();
        (0..n_places).map(|place| self.at_place(place) * n_places as f64).collect()
    }

    /// Numbers by place, shared evenly by the input rows there.
    #[must_use]
    pub fn per_input_row(&self, by_place: &[f64]) -> Vec<f64> {
        match &self.copies {
            Some(copies) => by_place.iter().zip(copies).map(|(x, &n)| x / f64::from(n)).collect(),
            None => by_place.to_vec(),
        }
    }

    /// How many input rows share a place.
    #[inline]
    pub(in crate::booster) fn copies_of(&self, place: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[place]))
    }

    /// The weight of all input rows at a place.
    #[inline]
    pub(in crate::booster) fn at_place(&self, place: usize) -> f64 {
        let copies = self.copies.as_ref().map_or(1.0, |copies| f64::from(copies[place]));
        self.weights[place] * copies
    }

    /// The row at a place.
    #[must_use]
    pub fn row_at(&self, place: usize) -> usize {
        self.rows.as_ref().map_or(place, |rows| rows[place] as usize)
    }

    /// How right the answers are at each place.
    #[must_use]
    pub fn margins(&self, numbers: &RowNumbers) -> Vec<f64> {
        let mut margins = Vec::with_capacity(self.weights.len());
        for block in &self.blocks {
            let class = self.runs[block.run].class;
            let rows = self.rows_of(block);
            margins.extend(rows.map(|row| self.target.margin(class, numbers.of(row))));
        }
        margins
    }

    /// Numbers by place as numbers by row; 0 for rows that do not take part.
    #[must_use]
    pub fn by_row(&self, by_place: &[f64], n_rows: usize) -> Vec<f64> {
        let Some(rows) = &self.rows else { return by_place.to_vec() };
        let mut by_row = vec![0.0; n_rows];
        for (&row, &number) in rows.iter().zip(by_place) {
            by_row[row as usize] = number;
        }
        by_row
    }

    /// Numbers by row as numbers by place.
    #[must_use]
    pub fn at_places(&self, by_row: &[f64]) -> Vec<f64> {
        match &self.rows {
            Some(rows) => rows.iter().map(|&row| by_row[row as usize]).collect(),
            None => by_row.to_vec(),
        }
    }

    /// Adds the shares of the rows to those by row.
    pub fn add_shares(&self, shares: &mut [f64], workers: &Workers) -> Result<()> {
        let total = self.total(workers)? as f64 / FULL_WEIGHT;
        for (place, weight) in self.weights.iter().enumerate() {
            let row = self.rows.as_ref().map_or(place, |rows| rows[place] as usize);
            shares[row] += weight / total;
        }
        Ok(())
    }

    /// Adds weight times margin to a sum for every place; returns the smallest sum in all shards.
    pub fn add_margins(
        &self,
        numbers: &RowNumbers,
        weight: f64,
        sums: &mut [f64],
        workers: &Workers,
    ) -> Result<f64> {
        let pieces = split_along(sums, self.blocks.iter().map(|block| block.rows.len()));
        let blocks = self.blocks.iter().zip(pieces).collect();
        let smallest = workers.map(self.weights.len(), blocks, |(block, sums)| {
            let class = self.runs[block.run].class;
            let mut smallest = f64::INFINITY;
            for (sum, row) in sums.iter_mut().zip(self.rows_of(block)) {
                *sum += weight * self.target.margin(class, numbers.of(row));
                smallest = smallest.min(*sum);
            }
            Ok(smallest)
        })?;
        let smallest = smallest.into_iter().fold(f64::INFINITY, f64::min);
        Ok(-workers.reduce().largest_of(-smallest)?)
    }
}
