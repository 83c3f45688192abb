//! Equal rows and equal columns of margins become one each: what is left is what has to be solved.
//!
//! In: margins and the importance of rows. Out: the distinct rows, row by row, and for each row and
//! column given where it went. Rows of no importance go nowhere.

use hashbrown::HashTable;

use super::margins::Margins;
use super::rows::Rows;
use crate::error::Result;
use crate::workers::Workers;

/// The distinct rows and columns.
#[derive(Debug)]
pub(super) struct Merged {
    /// Their margins, divided by `scale`.
    pub rows: Rows,
    /// The largest absolute margin, or 1 if all are zero.
    pub scale: f64,
    /// Where each row given went.
    pub row_places: Vec<Option<usize>>,
    /// Where each column given went.
    pub column_places: Vec<usize>,
    /// How many columns went to each place.
    pub copies: Vec<usize>,
}

impl Merged {
    pub fn new(margins: &Margins, importance: &[f64], workers: &Workers) -> Result<Self> {
        let present: Vec<usize> =
            (0..margins.n_rows()).filter(|&row| importance[row] > 0.0).collect();
        let columns = margins.columns();
        let key = |column: usize| present.iter().map(move |&row| bits(columns[column][row]));
        let (column_places, distinct) = places(columns.len(), key, workers)?;
        let mut copies = vec![0; distinct.len()];
        for &place in &column_places {
            copies[place] += 1;
        }

        let mut cells = Vec::with_capacity(present.len() * distinct.len());
        for &row in &present {
            workers.check()?;
            cells.extend(distinct.iter().map(|&column| columns[column][row]));
        }
        let n = distinct.len();
        let key = |i: usize| cells[i * n..(i + 1) * n].iter().map(|cell| bits(*cell));
        let (places, firsts) = places(present.len(), key, workers)?;
        for (place, &first) in firsts.iter().enumerate() {
            cells.copy_within(first * n..(first + 1) * n, place * n);
        }
        cells.truncate(firsts.len() * n);
        let scale = cells.iter().fold(0.0, |most: f64, cell| most.max(cell.abs()));
        let scale = if scale > 0.0 { scale } else { 1.0 };
        for cell in &mut cells {
            *cell /= scale;
        }

        let mut row_places = vec![None; margins.n_rows()];
        for (&row, place) in present.iter().zip(places) {
            row_places[row] = Some(place);
        }
        Ok(Self { rows: Rows::new(n, cells), scale, row_places, column_places, copies })
    }
}

/// The bits of a number, the same for both zeros.
pub(super) fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

/// Numbers things by their keys, in order of first appearance: the place of each, and the first
/// thing in each place.
pub(super) fn places<K: Iterator<Item = u64>>(
    count: usize,
    key: impl Fn(usize) -> K,
    workers: &Workers,
) -> Result<(Vec<usize>, Vec<usize>)> {
    let hash = |thing: usize| {
        key(thing).fold(0_u64, |hash, bits| {
            (hash.rotate_left(5) ^ bits).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    };
    let mut hashes: Vec<u64> = Vec::new();
    let mut firsts: Vec<usize> = Vec::new();
    let mut table: HashTable<usize> = HashTable::new();
    let mut places = Vec::with_capacity(count);
    for thing in 0..count {
        workers.check()?;
        // The multiplication leaves the low bits poor; the table wants good ones at both ends.
        let own = hash(thing);
        let own = own ^ (own >> 32);
        let same = |place: &usize| hashes[*place] == own && key(firsts[*place]).eq(key(thing));
        let place = if let Some(&place) = table.find(own, same) {
            place
        } else {
            let place = firsts.len();
            table.insert_unique(own, place, |place| hashes[*place]);
            hashes.push(own);
            firsts.push(thing);
            place
        };
        places.push(place);
    }
    Ok((places, firsts))
}
