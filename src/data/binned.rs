//! The codes of a frame, column by column: all that training reads.
//!
//! In: aligned columns, their bins, and the place of each row. Out: one array of codes per column,
//! bytes where 256 codes suffice, else 16 bits.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::bins::Bins;
use super::column::Column;
use super::column_order::{ColumnOrder, used_codes};
use super::joint_codes::JointCodes;
use super::row_codes::{PackedCodes, RowCodes};
use super::rows::ABSENT;
use crate::error::Result;
use crate::reduce::Reduce;
use crate::storage::{Cells, Room};
use crate::workers::{BLOCK_ROWS, Workers, row_blocks};

/// The codes of one column.
#[derive(Debug, Clone, PartialEq)]
pub enum Codes {
    /// At most 256 different codes.
    Narrow(Cells<u8>),
    /// More.
    Wide(Cells<u16>),
}

impl Codes {
    /// The codes of a byte-wide column; none of a wide one.
    #[must_use]
    pub fn narrow(&self) -> &[u8] {
        match self {
            Self::Narrow(codes) => codes,
            Self::Wide(_) => &[],
        }
    }
}

/// Column-major codes of some rows. What is behind a lock is made on first use.
#[derive(Debug, Clone)]
pub struct Binned {
    columns: Vec<Codes>,
    n_codes: Vec<usize>,
    categorical: Vec<bool>,
    n_rows: usize,
    /// Whether codes may be kept in other arrangements too, which is faster.
    keeps_copies: bool,
    /// Where codes are kept if not in memory.
    folder: Option<Arc<Path>>,
    order: OnceLock<Box<ColumnOrder>>,
    row_codes: OnceLock<RowCodes>,
    joint_codes: OnceLock<JointCodes>,
}

impl Binned {
    /// Encodes every row that has a place; `places` of `None` keeps all rows in their order.
    pub fn encode(
        columns: &[Column],
        bins: &[&Bins],
        places: Option<&[u32]>,
        n_rows: usize,
        workers: &Workers,
    ) -> Result<Self> {
        let mut rows = BinnedRows::new(bins, n_rows, None)?;
        let steps = columns.len() * columns.first().map_or(0, Column::len);
        let items = columns.iter().zip(rows.columns(bins)).collect();
        workers.map(steps, items, |(column, to)| to.encode((column, 0), places, workers))?;
        Ok(rows.finish(bins))
    }

    /// A few rows, coded by `code` (column, codes of the rows) where `wanted` says so; other columns
    /// stay empty.
    pub fn block(
        bins: &[&Bins],
        n_rows: usize,
        wanted: &[bool],
        mut code: impl FnMut(usize, &mut [u16]),
    ) -> Self {
        let mut codes = vec![0; n_rows];
        let columns = bins.iter().zip(wanted).enumerate().map(|(column, (bins, &wanted))| {
            if wanted {
                code(column, &mut codes);
            }
            match (wanted, bins.missing() < 256) {
                (false, _) => Codes::Narrow(Vec::new().into()),
                (true, true) => {
                    Codes::Narrow(codes.iter().map(|&code| code as u8).collect::<Vec<_>>().into())
                }
                (true, false) => Codes::Wide(codes.clone().into()),
            }
        });
        Self::new(columns.collect(), bins, n_rows)
    }

    fn new(columns: Vec<Codes>, bins: &[&Bins], n_rows: usize) -> Self {
        Self {
            columns,
            n_codes: bins.iter().map(|b| b.missing() + 1).collect(),
            categorical: bins.iter().map(|b| matches!(b, Bins::Categories(_))).collect(),
            n_rows,
            keeps_copies: true,
            folder: None,
            order: OnceLock::new(),
            row_codes: OnceLock::new(),
            joint_codes: OnceLock::new(),
        }
    }

    /// The codes of these rows alone, in the same folder if they are in one.
    pub fn pick(&self, rows: &[u32]) -> Result<Self> {
        fn pick<C: Code>(codes: &[C], rows: &[u32], room: &mut Room) -> Cells<C> {
            let mut picked = room.take(rows.len());
            for (to, &row) in picked.fill().iter_mut().zip(rows) {
                *to = codes[row as usize];
            }
            picked
        }
        let sizes = self.columns.iter().map(|codes| match codes {
            Codes::Narrow(_) => rows.len(),
            Codes::Wide(_) => 2 * rows.len(),
        });
        let mut room = Room::new(self.folder.as_deref(), sizes)?;
        let columns = self.columns.iter().map(|codes| match codes {
            Codes::Narrow(codes) => Codes::Narrow(pick(codes, rows, &mut room)),
            Codes::Wide(codes) => Codes::Wide(pick(codes, rows, &mut room)),
        });
        Ok(Self {
            columns: columns.collect(),
            n_codes: self.n_codes.clone(),
            categorical: self.categorical.clone(),
            n_rows: rows.len(),
            keeps_copies: self.keeps_copies,
            folder: self.folder.clone(),
            order: OnceLock::new(),
            row_codes: OnceLock::new(),
            joint_codes: OnceLock::new(),
        })
    }

    /// The same codes, of which no further copies are kept: slower, in half of the memory.
    #[must_use]
    pub fn without_copies(self) -> Self {
        Self {
            keeps_copies: false,
            order: OnceLock::new(),
            row_codes: OnceLock::new(),
            joint_codes: OnceLock::new(),
            ..self
        }
    }

    /// Whether codes may be kept in other arrangements too.
    pub(super) fn keeps_copies(&self) -> bool {
        self.keeps_copies
    }

    /// In which order columns are added up.
    pub fn column_order(&self) -> &ColumnOrder {
        self.order.get_or_init(|| Box::new(ColumnOrder::new(self)))
    }

    /// Lets all shards have the same order, because sums stand in it: which columns share a joint code
    /// depends on the codes that rows have.
    pub fn agree_on_order(&self, reduce: &dyn Reduce) -> Result<()> {
        if !reduce.is_split() {
            return Ok(());
        }
        let mut used: Vec<f64> = used_codes(self).into_iter().map(|n| n as f64).collect();
        reduce.largest(&mut used)?;
        let used: Vec<usize> = used.into_iter().map(|n| n as usize).collect();
        self.order.get_or_init(|| Box::new(ColumnOrder::of_used(self, &used)));
        Ok(())
    }

    /// The codes of columns that share one, for learners that look at all rows.
    pub fn joint_codes(&self, workers: &Workers) -> Result<&JointCodes> {
        if let Some(made) = self.joint_codes.get() {
            return Ok(made);
        }
        let made = JointCodes::new(self, self.column_order(), workers)?;
        Ok(self.joint_codes.get_or_init(|| made))
    }

    /// The codes of scattered rows, for learners that look at some rows only.
    pub fn row_codes(&self, workers: &Workers) -> Result<&RowCodes> {
        if let Some(made) = self.row_codes.get() {
            return Ok(made);
        }
        let made = if self.keeps_copies {
            RowCodes::Packed(PackedCodes::new(self, workers)?)
        } else {
            RowCodes::OfColumns
        };
        Ok(self.row_codes.get_or_init(|| made))
    }

    /// About how many tests there are on all columns: two for each code.
    #[must_use]
    pub fn n_tests(&self) -> usize {
        self.n_codes.iter().map(|n_codes| 2 * (n_codes - 1)).sum::<usize>().max(1)
    }

    /// The codes of a column.
    #[must_use]
    pub fn codes(&self, column: usize) -> &Codes {
        &self.columns[column]
    }

    /// How many rows have each code of a column; `copies` says how often each row counts.
    #[must_use]
    pub fn count(&self, column: usize, copies: Option<&[u32]>) -> Vec<u64> {
        fn count(
            codes: impl Iterator<Item = usize>,
            copies: Option<&[u32]>,
            n_codes: usize,
        ) -> Vec<u64> {
            let mut counts = vec![0; n_codes];
            match copies {
                None => codes.for_each(|code| counts[code] += 1),
                Some(copies) => {
                    for (code, &copies) in codes.zip(copies) {
                        counts[code] += u64::from(copies);
                    }
                }
            }
            counts
        }
        let n_codes = self.n_codes[column];
        match &self.columns[column] {
            Codes::Narrow(codes) => count(codes.iter().map(|&c| usize::from(c)), copies, n_codes),
            Codes::Wide(codes) => count(codes.iter().map(|&c| usize::from(c)), copies, n_codes),
        }
    }

    /// The number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.columns.len()
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// How many codes a column has, the missing one (its largest) included.
    #[must_use]
    pub fn n_codes(&self, column: usize) -> usize {
        self.n_codes[column]
    }

    /// Whether a column's codes are unordered.
    #[must_use]
    pub fn is_categorical(&self, column: usize) -> bool {
        self.categorical[column]
    }
}

/// A small number in one byte where 256 suffice, else in two.
pub trait Code: Copy + Default + PartialEq + Send {
    /// The number, which must fit.
    fn from_u16(code: u16) -> Self;
}

impl Code for u8 {
    fn from_u16(code: u16) -> Self {
        code as u8
    }
}

impl Code for u16 {
    fn from_u16(code: u16) -> Self {
        code
    }
}

/// Codes on the way, of rows that may come in tiles.
pub struct BinnedRows {
    columns: Vec<Codes>,
    n_rows: usize,
    folder: Option<Arc<Path>>,
}

impl BinnedRows {
    /// Room for so many rows, in a file in a folder if there is one.
    pub fn new(bins: &[&Bins], n_rows: usize, folder: Option<&Path>) -> Result<Self> {
        let is_narrow = |bins: &Bins| bins.missing() < 256;
        let sizes = bins.iter().map(|bins| if is_narrow(bins) { n_rows } else { 2 * n_rows });
        let mut room = Room::new(folder, sizes)?;
        let columns = bins.iter().map(|bins| {
            if is_narrow(bins) {
                Codes::Narrow(room.take(n_rows))
            } else {
                Codes::Wide(room.take(n_rows))
            }
        });
        Ok(Self { columns: columns.collect(), n_rows, folder: folder.map(Arc::from) })
    }

    /// The columns, each of which can be encoded on a thread of its own.
    pub fn columns<'a>(&'a mut self, bins: &[&'a Bins]) -> Vec<ColumnOnTheWay<'a>> {
        let columns = self.columns.iter_mut().zip(bins);
        columns.map(|(codes, &bins)| ColumnOnTheWay { bins, codes: Mutex::new(codes) }).collect()
    }

    /// The codes of all rows.
    #[must_use]
    pub fn finish(self, bins: &[&Bins]) -> Binned {
        Binned { folder: self.folder, ..Binned::new(self.columns, bins, self.n_rows) }
    }
}

/// The codes of one column on the way.
pub struct ColumnOnTheWay<'a> {
    bins: &'a Bins,
    codes: Mutex<&'a mut Codes>,
}

impl ColumnOnTheWay<'_> {
    /// Encodes some rows, the first of which has this number, where they have a place; `places` of
    /// `None` keeps all rows in their order.
    pub fn encode(
        &self,
        rows: (&Column, usize),
        places: Option<&[u32]>,
        workers: &Workers,
    ) -> Result<()> {
        let mut codes = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut **codes {
            Codes::Narrow(codes) => encode_column(rows, self.bins, places, codes.fill(), workers),
            Codes::Wide(codes) => encode_column(rows, self.bins, places, codes.fill(), workers),
        }
    }
}

fn encode_column<C: Code>(
    (column, first): (&Column, usize),
    bins: &Bins,
    places: Option<&[u32]>,
    out: &mut [C],
    workers: &Workers,
) -> Result<()> {
    let mut codes = vec![0; BLOCK_ROWS.min(column.len())];
    for block in row_blocks(column.len()) {
        workers.check()?;
        let codes = &mut codes[..block.len()];
        bins.encode(column, block.start, codes);
        let rows = first + block.start..first + block.end;
        match places {
            None => {
                for (to, &code) in out[rows].iter_mut().zip(codes.iter()) {
                    *to = C::from_u16(code);
                }
            }
            Some(places) => {
                for (&place, &code) in places[rows].iter().zip(codes.iter()) {
                    if place != ABSENT {
                        out[place as usize] = C::from_u16(code);
                    }
                }
            }
        }
    }
    Ok(())
}
