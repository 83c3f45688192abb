//! Cholesky's factor L of a positive definite matrix A = L Lᵀ, and what it solves.
//!
//! A's tiles become those of L in their place, some strips of columns at a time: first the products
//! of all tiles to the left are taken off, then those of the strips at hand, one strip after another.

use super::symmetric::{SymmetricMatrix, strip_start};
use super::tile::{self, Lanes, SIDE, Tile};
use super::wide::{Kernel, run_wide};

/// Strips of columns that are factored together, and tiles whose products are summed before they are
/// taken off: as much as stays in the fast caches.
const BLOCK: usize = 8;
const DEPTH: usize = 16;

/// L with L Lᵀ = A.
pub(crate) struct Cholesky {
    size: usize,
    /// As in a symmetric matrix; on L's diagonal stand reciprocals.
    pub(super) tiles: Vec<Tile>,
}

impl Cholesky {
    /// Factors a matrix; nothing if it is not positive definite.
    pub fn new(matrix: SymmetricMatrix) -> Option<Self> {
        let SymmetricMatrix { size, mut tiles } = matrix;
        run_wide(Factor(with_full_diagonal(&mut tiles, size))).then_some(Self { size, tiles })
    }

    /// A⁻¹ v.
    pub fn solve(&self, v: &[f64]) -> Vec<f64> {
        let mut solution = vec![[0.0; SIDE]; self.size.div_ceil(SIDE)];
        solution.as_flattened_mut()[..self.size].copy_from_slice(v);
        run_wide(Solve { factor: &self.tiles, v: &mut solution });
        solution.as_flattened()[..self.size].to_vec()
    }
}

/// Puts ones on the diagonal beyond the last row, so that the last tiles are factored like all others.
pub(super) fn with_full_diagonal(tiles: &mut [Tile], size: usize) -> &mut [Tile] {
    if let Some(last) = tiles.last_mut() {
        for (c, column) in last.iter_mut().enumerate().skip((size - 1) % SIDE + 1) {
            column[c] = 1.0;
        }
    }
    tiles
}

/// Factors the tiles of a symmetric matrix; whether it was positive definite.
pub(super) struct Factor<'a>(pub &'a mut [Tile]);

impl Kernel for Factor<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let tiles = self.0;
        let mut n_strips = 0;
        while strip_start(n_strips) < tiles.len() {
            n_strips += 1;
        }
        for first in (0..n_strips).step_by(BLOCK) {
            let last = n_strips.min(first + BLOCK);
            for left in (0..first).step_by(DEPTH) {
                let right = first.min(left + DEPTH);
                for row in first..n_strips {
                    for column in first..last.min(row + 1) {
                        take_off(tiles, (row, column), left, right);
                    }
                }
            }
            for column in first..last {
                take_off(tiles, (column, column), first, column);
                let diagonal = strip_start(column) + column;
                if !tile::factor(&mut tiles[diagonal]) {
                    return false;
                }
                let factor = tiles[diagonal];
                for row in column + 1..n_strips {
                    take_off(tiles, (row, column), first, column);
                    tile::divide(&mut tiles[strip_start(row) + column], &factor);
                }
            }
        }
        true
    }
}

/// Subtracts from a tile the product of what stands from `left` to `right` in its row with the same of
/// the row of its column.
#[inline(always)]
fn take_off(tiles: &mut [Tile], (row, column): (usize, usize), left: usize, right: usize) {
    let strip = |strip: usize| tiles[strip_start(strip)..][left..right].as_flattened();
    let product = tile::product(strip(row), strip(column));
    tile::subtract(&mut tiles[strip_start(row) + column], &product);
}

/// Turns v into L⁻ᵀ L⁻¹ v, L as made by [`Factor`].
pub(super) struct Solve<'a> {
    pub factor: &'a [Tile],
    pub v: &'a mut [Lanes],
}

impl Kernel for Solve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { factor, v } = self;
        for row in 0..v.len() {
            let (diagonal, strip) = (strip_start(row) + row, &factor[strip_start(row)..][..row]);
            // Four interleaved sums, as one would have to wait for each addition.
            let mut sums = [[0.0; SIDE]; 4];
            for (tile, v) in strip.iter().zip(&*v) {
                for c in 0..SIDE {
                    for r in 0..SIDE {
                        sums[c % 4][r] += tile[c][r] * v[c];
                    }
                }
            }
            for r in 0..SIDE {
                v[row][r] -= (sums[0][r] + sums[1][r]) + (sums[2][r] + sums[3][r]);
            }
            tile::solve(&factor[diagonal], &mut v[row]);
        }
        for column in (0..v.len()).rev() {
            // More sums than those of half a strip do not fit into registers.
            for half in [0, 4] {
                let mut sums = [[0.0; SIDE]; 4];
                for (row, v) in v.iter().enumerate().skip(column + 1) {
                    let tile = &factor[strip_start(row) + column][half..half + 4];
                    for c in 0..4 {
                        for r in 0..SIDE {
                            sums[c][r] += tile[c][r] * v[r];
                        }
                    }
                }
                for (v, s) in v[column][half..].iter_mut().zip(&sums) {
                    *v -= ((s[0] + s[4]) + (s[1] + s[5])) + ((s[2] + s[6]) + (s[3] + s[7]));
                }
            }
            tile::solve_transposed(&factor[strip_start(column) + column], &mut v[column]);
        }
    }
}
