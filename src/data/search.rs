//! Many numbers in one list of cuts, without a branch that could be mispredicted.
//!
//! In: ascending cuts and a block of numbers. Out: the count of cuts below each number; NaN gets the
//! code after the last. Where the cuts are spread well enough, a grid of equal cells says how many
//! cuts lie before the cell of a number, and only those inside the cell are compared; otherwise the
//! cuts are halved, sixteen numbers at a time.

use std::hint::select_unpredictable;

/// The most cuts that may share a cell of the grid.
const MOST_IN_CELL: usize = 3;
/// Cells per cut, before rounding up to a power of two.
const CELLS_PER_CUT: usize = 8;
/// The largest grid; it should stay in the first-level cache.
const MOST_CELLS: usize = 1 << 13;
/// Numbers that are searched in step.
const LANES: usize = 16;

/// A list of cuts, made ready for searching.
#[derive(Debug)]
pub struct Search {
    /// The cuts, then +∞ up to a power of two.
    padded: Vec<f64>,
    missing: u16,
    grid: Option<Grid>,
}

/// Equal cells from the first cut to the last.
#[derive(Debug)]
struct Grid {
    start: f64,
    cells_per_unit: f64,
    last: f64,
    /// How many cuts lie in the cells before each.
    before: Vec<u16>,
    most_in_cell: usize,
}

impl Grid {
    fn new(cuts: &[f64]) -> Option<Self> {
        let (first, last) = (*cuts.first()?, *cuts.last()?);
        let n_cells = (cuts.len() * CELLS_PER_CUT).next_power_of_two().min(MOST_CELLS);
        let cells_per_unit = n_cells as f64 / (last - first);
        if !(cells_per_unit.is_finite() && cells_per_unit > 0.0) {
            return None;
        }
        let mut grid = Self {
            start: first,
            cells_per_unit,
            last: (n_cells - 1) as f64,
            before: vec![0; n_cells],
            most_in_cell: 0,
        };
        let mut inside = vec![0u16; n_cells];
        for &cut in cuts {
            inside[grid.cell(cut)] += 1;
        }
        let mut sum = 0;
        for (before, &count) in grid.before.iter_mut().zip(&inside) {
            *before = sum;
            sum += count;
        }
        grid.most_in_cell = usize::from(inside.into_iter().max().unwrap_or(0));
        (grid.most_in_cell <= MOST_IN_CELL).then_some(grid)
    }

    /// The cell of a number. It never falls as numbers rise, so a cut in an earlier cell is below
    /// the number and one in a later cell is not, whatever the rounding.
    fn cell(&self, x: f64) -> usize {
        let position = (x - self.start) * self.cells_per_unit;
        let position = if position > 0.0 { position } else { 0.0 };
        let position = if position < self.last { position } else { self.last };
        // SAFETY: the position is between 0 and the last cell, and NaN became 0.
        unsafe { position.to_int_unchecked::<i32>() as usize }
    }
}

impl Search {
    /// Makes a list of ascending cuts ready.
    #[must_use]
    pub fn new(cuts: &[f64]) -> Self {
        let mut padded = cuts.to_vec();
        padded.resize((cuts.len() + 1).next_power_of_two(), f64::INFINITY);
        Self { padded, missing: cuts.len() as u16 + 1, grid: Grid::new(cuts) }
    }

    /// Writes the code of each number.
    pub fn run(&self, numbers: &[f64], codes: &mut [u16]) {
        match &self.grid {
            Some(grid) if grid.most_in_cell == 1 => self.run_on_grid::<1>(grid, numbers, codes),
            Some(grid) => self.run_on_grid::<MOST_IN_CELL>(grid, numbers, codes),
            None => self.run_by_halves(numbers, codes),
        }
    }

    fn run_on_grid<const MOST: usize>(&self, grid: &Grid, numbers: &[f64], codes: &mut [u16]) {
        for (&x, code) in numbers.iter().zip(codes) {
            // SAFETY: a cell is below the number of cells; a count of cuts is at most their number,
            // and the padding holds at least one more entry, which is not below any x.
            unsafe {
                let mut below = usize::from(*grid.before.get_unchecked(grid.cell(x)));
                for _ in 0..MOST {
                    below += usize::from(*self.padded.get_unchecked(below) < x);
                }
                *code = select_unpredictable(x.is_nan(), self.missing, below as u16);
            }
        }
    }

    fn run_by_halves(&self, numbers: &[f64], codes: &mut [u16]) {
        let (numbers, rest) = numbers.as_chunks::<LANES>();
        let (codes, codes_rest) = codes.as_chunks_mut::<LANES>();
        for (x, code) in numbers.iter().zip(codes) {
            *code = self.halve(x);
        }
        if !rest.is_empty() {
            let mut x = [f64::NAN; LANES];
            x[..rest.len()].copy_from_slice(rest);
            codes_rest.copy_from_slice(&self.halve(&x)[..rest.len()]);
        }
    }

    fn halve(&self, x: &[f64; LANES]) -> [u16; LANES] {
        let mut below = [0usize; LANES];
        let mut step = self.padded.len() / 2;
        while step > 0 {
            for lane in 0..LANES {
                // SAFETY: `below` is a sum of distinct powers of two above `step`, each at most half
                // the padded length, so below + step − 1 stays inside it.
                let cut = unsafe { *self.padded.get_unchecked(below[lane] + step - 1) };
                below[lane] += select_unpredictable(cut < x[lane], step, 0);
            }
            step /= 2;
        }
        std::array::from_fn(|lane| if x[lane].is_nan() { self.missing } else { below[lane] as u16 })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            6 => -100.0..100.0f64,
            2 => proptest::num::f64::ANY,
            1 => Just(f64::INFINITY),
            1 => Just(f64::NEG_INFINITY),
            1 => Just(f64::NAN),
        ]
    }

    proptest! {
        #[test]
        fn both_ways_count_the_cuts_below(
            mut cuts in prop::collection::vec(number(), 0..300),
            numbers in prop::collection::vec(number(), 0..100),
        ) {
            cuts.retain(|cut| cut.is_finite());
            cuts.sort_by(f64::total_cmp);
            cuts.dedup();
            let numbers: Vec<f64> = numbers.into_iter().chain(cuts.iter().copied()).collect();
            let naive: Vec<u16> = numbers
                .iter()
                .map(|x| {
                    let below = cuts.iter().filter(|cut| *cut < x).count();
                    if x.is_nan() { cuts.len() as u16 + 1 } else { below as u16 }
                })
                .collect();
            let search = Search::new(&cuts);
            let mut codes = vec![0; numbers.len()];
            search.run(&numbers, &mut codes);
            prop_assert_eq!(&codes, &naive);
            search.run_by_halves(&numbers, &mut codes);
            prop_assert_eq!(&codes, &naive);
        }
    }
}
