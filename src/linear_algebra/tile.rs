//! Tiles of 8 × 8 numbers, of which larger matrices consist.
//!
//! In: tiles, and columns of eight numbers. Out: tiles. The loops have fixed bounds, so that compilers
//! keep what they sum in registers and turn them into wide instructions.

/// Rows and columns of a tile.
pub(super) const SIDE: usize = 8;

/// A column of a tile.
pub(super) type Lanes = [f64; SIDE];

/// A tile, column after column.
pub(super) type Tile = [Lanes; SIDE];

pub(super) const ZEROS: Tile = [[0.0; SIDE]; SIDE];

/// A Bᵀ, both given by as many columns: each cell is summed from the first column to the last.
#[inline(always)]
pub(super) fn product(a: &[Lanes], b: &[Lanes]) -> Tile {
    // More sums than half a tile has do not fit into registers.
    let [left, right] = [half_product::<0>(a, b), half_product::<4>(a, b)];
    let mut tile = ZEROS;
    tile[..4].copy_from_slice(&left);
    tile[4..].copy_from_slice(&right);
    tile
}

/// Four columns of A Bᵀ.
#[inline(always)]
fn half_product<const FIRST: usize>(a: &[Lanes], b: &[Lanes]) -> [Lanes; 4] {
    let mut sums = [[0.0; SIDE]; 4];
    for (a, b) in a.iter().zip(b) {
        for c in 0..4 {
            for r in 0..SIDE {
                sums[c][r] += a[r] * b[FIRST + c];
            }
        }
    }
    sums
}

#[inline(always)]
pub(super) fn add(tile: &mut Tile, other: &Tile) {
    for (cell, other) in tile.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
        *cell += other;
    }
}

#[inline(always)]
pub(super) fn subtract(tile: &mut Tile, other: &Tile) {
    for (cell, other) in tile.as_flattened_mut().iter_mut().zip(other.as_flattened()) {
        *cell -= other;
    }
}

/// Turns a tile on the diagonal, of which only the lower triangle counts, into its factor L, with the
/// reciprocals of L's diagonal in place of the diagonal; whether it was positive definite.
#[inline(always)]
pub(super) fn factor(tile: &mut Tile) -> bool {
    for c in 0..SIDE {
        let pivot = tile[c][c];
        if !(pivot > 0.0 && pivot.is_finite()) {
            return false;
        }
        let scale = pivot.sqrt().recip();
        let column = tile[c].map(|cell| cell * scale);
        tile[c] = column;
        tile[c][c] = scale;
        for later in c + 1..SIDE {
            for r in 0..SIDE {
                tile[later][r] -= column[r] * column[later];
            }
        }
    }
    true
}

/// Turns T into T L⁻ᵀ, L as made by [`factor`].
#[inline(always)]
pub(super) fn divide(tile: &mut Tile, factor: &Tile) {
    for c in 0..SIDE {
        let mut column = tile[c];
        for before in 0..c {
            for r in 0..SIDE {
                column[r] -= tile[before][r] * factor[before][c];
            }
        }
        tile[c] = column.map(|cell| cell * factor[c][c]);
    }
}

/// Turns v into L⁻¹ v, L as made by [`factor`].
#[inline(always)]
pub(super) fn solve(factor: &Tile, v: &mut Lanes) {
    for c in 0..SIDE {
        v[c] *= factor[c][c];
        for r in c + 1..SIDE {
            v[r] -= factor[c][r] * v[c];
        }
    }
}

/// Turns v into L⁻ᵀ v, L as made by [`factor`].
#[inline(always)]
pub(super) fn solve_transposed(factor: &Tile, v: &mut Lanes) {
    for c in (0..SIDE).rev() {
        for r in c + 1..SIDE {
            v[c] -= factor[c][r] * v[r];
        }
        v[c] *= factor[c][c];
    }
}
