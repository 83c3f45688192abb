//! Data's way in: typed columns → [`Bins`] (cut points, category maps) → [`Binned`] codes.
//!
//! `column` reads Arrow chunks and strided arrays in place, `table` holds a frame of them, `bins`
//! learns the cuts, `rows` decides which row trains where, `binned` stores the codes. `tiles` hands out
//! frames that are larger than memory; `parquet_file` goes all that way with a file that is scored.

mod binned;
mod bins;
mod categories;
mod chunk;
mod column;
mod column_order;
mod fingerprint;
mod given_rows;
mod hold_back;
mod joint_codes;
mod merge;
mod numbers;
#[cfg(feature = "parquet")]
mod parquet_file;
mod pieces;
mod radix_sort;
mod round_cut;
mod row_codes;
mod row_facts;
mod rows;
mod schema;
mod search;
mod seen;
mod table;
mod texts;
mod tiles;
mod units;
mod view;

pub use binned::{Binned, BinnedRows, Code, Codes};
pub use bins::{BinLearner, Bins, NumberBins, SampledRows, search_codes};
pub use categories::CategoryBins;
pub use column::{Column, Kind, NumberArray, TEXT_MISSING};
pub use column_order::{ColumnGroup, ColumnOrder, GROUP, JOINT_CODES, JOINT_GROUP};
pub use fingerprint::{ByRow, Fingerprint};
pub use given_rows::GivenRows;
pub use hold_back::hold_back;
pub use joint_codes::JointCodes;
pub use merge::merge_rows;
pub use numbers::{Numbers, Scaling};
#[cfg(feature = "parquet")]
pub use parquet_file::{
    ParquetColumns, ParquetFile, Tile, group_rows, parquet_bytes_fault, parquet_file_fault,
};
pub use pieces::Pieces;
pub use row_codes::{GATHERED_ROWS, GatheredWords, RowCodes};
pub use rows::{ABSENT, Rows};
pub use schema::{Feature, Schema};
pub use search::Search;
pub use table::Table;
pub use tiles::{FrameSource, TakePiece, Tiles};
pub use units::{UnitNumbers, content_keys};
pub use view::{
    ExternalDemand, ExternalFrames, ExternalObject, ExternalQuestion, ExternalRows, Frame, View,
    ViewKind,
};
