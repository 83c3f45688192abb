//! A symmetric matrix, of which the lower triangle is kept.
//!
//! Its tiles stand strip after strip (eight rows each), those of a strip from the left to the
//! diagonal. What lies beyond the last row is zero; above the diagonal of a tile may be anything.

use std::ops::{AddAssign, Index, IndexMut};

use super::tile::{SIDE, Tile, ZEROS, add};

/// A symmetric matrix.
#[derive(Debug, Clone)]
pub(crate) struct SymmetricMatrix {
    pub(super) size: usize,
    pub(super) tiles: Vec<Tile>,
}

impl SymmetricMatrix {
    pub fn zeros(size: usize) -> Self {
        Self { size, tiles: vec![ZEROS; strip_start(size.div_ceil(SIDE))] }
    }

    /// From its cells (i, j) with j ≤ i.
    pub fn from_fn(size: usize, cell: impl Fn(usize, usize) -> f64) -> Self {
        let mut matrix = Self::zeros(size);
        for i in 0..size {
            for j in 0..=i {
                matrix[(i, j)] = cell(i, j);
            }
        }
        matrix
    }

    /// Adds a row and a column of zeros.
    pub fn extend(&mut self) {
        self.size += 1;
        self.tiles.resize(strip_start(self.size.div_ceil(SIDE)), ZEROS);
    }

    /// The tile of a cell, and the column and row in it.
    #[inline]
    fn place(&self, (i, j): (usize, usize)) -> (usize, usize, usize) {
        debug_assert!(i < self.size && j < self.size, "({i}, {j}) of {}", self.size);
        let (row, column) = if i < j { (j, i) } else { (i, j) };
        (strip_start(row / SIDE) + column / SIDE, column % SIDE, row % SIDE)
    }
}

/// Where the tiles of a strip begin.
#[inline]
pub(super) fn strip_start(strip: usize) -> usize {
    strip * (strip + 1) / 2
}

impl Index<(usize, usize)> for SymmetricMatrix {
    type Output = f64;

    #[inline]
    fn index(&self, cell: (usize, usize)) -> &f64 {
        let (tile, column, row) = self.place(cell);
        &self.tiles[tile][column][row]
    }
}

impl IndexMut<(usize, usize)> for SymmetricMatrix {
    #[inline]
    fn index_mut(&mut self, cell: (usize, usize)) -> &mut f64 {
        let (tile, column, row) = self.place(cell);
        &mut self.tiles[tile][column][row]
    }
}

impl AddAssign<&SymmetricMatrix> for SymmetricMatrix {
    fn add_assign(&mut self, other: &SymmetricMatrix) {
        for (tile, other) in self.tiles.iter_mut().zip(&other.tiles) {
            add(tile, other);
        }
    }
}
