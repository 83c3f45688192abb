//! `AᵀA`, A given row after row or column after column.
//!
//! Some rows at a time are copied so that the eight columns of a strip stand side by side, and the
//! tiles of their products are added to the sum.

use super::symmetric::SymmetricMatrix;
use super::tile::{Lanes, SIDE, Tile, add, product};
use super::wide::{Kernel, run_wide};

/// Rows that are taken together: two strips of them fit into the fastest cache. Products are summed
/// over so many rows, and these sums are added, each in order.
pub(super) const DEPTH: usize = 128;

/// `AᵀA`, A given row after row.
pub(crate) fn gram_of_rows(rows: &[f64], n_columns: usize) -> SymmetricMatrix {
    let mut gram = SymmetricMatrix::zeros(n_columns);
    if n_columns == 0 {
        return gram;
    }
    let mut strips = Strips::new(rows.len() / n_columns, n_columns);
    for rows in rows.chunks(DEPTH * n_columns) {
        strips.copy_rows(rows, n_columns);
        run_wide(AddProducts { tiles: &mut gram.tiles, strips: &strips });
    }
    gram
}

/// `AᵀA`, A given column after column.
pub(crate) fn gram_of_columns(columns: &[f64], n_columns: usize) -> SymmetricMatrix {
    let mut gram = SymmetricMatrix::zeros(n_columns);
    if columns.is_empty() {
        return gram;
    }
    let n_rows = columns.len() / n_columns;
    let mut strips = Strips::new(n_rows, n_columns);
    for first in (0..n_rows).step_by(DEPTH) {
        let last = n_rows.min(first + DEPTH);
        strips.copy_columns(columns.chunks_exact(n_rows).map(|column| &column[first..last]));
        run_wide(AddProducts { tiles: &mut gram.tiles, strips: &strips });
    }
    gram
}

/// Some rows of A, strip after strip; lanes beyond the last column are zero.
pub(super) struct Strips {
    lanes: Vec<Lanes>,
    /// Room for rows in each strip, and rows that there are.
    room: usize,
    depth: usize,
}

impl Strips {
    pub fn new(n_rows: usize, n_columns: usize) -> Self {
        let room = n_rows.clamp(1, DEPTH);
        Self { lanes: vec![[0.0; SIDE]; n_columns.div_ceil(SIDE) * room], room, depth: 0 }
    }

    pub fn copy_rows(&mut self, rows: &[f64], n_columns: usize) {
        self.depth = rows.len() / n_columns;
        for (k, row) in rows.chunks_exact(n_columns).enumerate() {
            let (eights, rest) = row.as_chunks::<SIDE>();
            let mut places = self.lanes[k..].iter_mut().step_by(self.room);
            for (eight, to) in eights.iter().zip(&mut places) {
                *to = *eight;
            }
            if let Some(to) = places.next() {
                to[..rest.len()].copy_from_slice(rest);
            }
        }
    }

    fn copy_columns<'a>(&mut self, columns: impl Iterator<Item = &'a [f64]>) {
        for (j, column) in columns.enumerate() {
            self.depth = column.len();
            let strip = &mut self.lanes[j / SIDE * self.room..];
            for (to, cell) in strip.iter_mut().zip(column) {
                to[j % SIDE] = *cell;
            }
        }
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = &[Lanes]> {
        self.lanes.chunks_exact(self.room).map(|strip| &strip[..self.depth])
    }
}

/// Adds the products of all strips with each other to the tiles of a symmetric matrix.
pub(super) struct AddProducts<'a> {
    pub tiles: &'a mut [Tile],
    pub strips: &'a Strips,
}

impl Kernel for AddProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let mut tiles = self.tiles.iter_mut();
        for (s, rows) in self.strips.iter().enumerate() {
            for (columns, tile) in self.strips.iter().take(s + 1).zip(&mut tiles) {
                add(tile, &product(rows, columns));
            }
        }
    }
}
