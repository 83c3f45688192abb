//! Where a Parquet file keeps the columns of a model, and whether they can be read here.
//!
//! In: an open file and features. Out: what the readers of its columns have to know. Polars stays the
//! judge of what a file means: whatever might look different to it is left to it.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::Compression;
use parquet::errors::Result;

use super::shared_file::SharedFile;
use crate::data::column::{Kind, kind_of};
use crate::data::schema::Feature;
use crate::data::table::shared_kind;

/// A column that is wanted.
pub(super) struct Source {
    /// Its place among the features.
    pub place: usize,
    /// Its name.
    pub name: String,
    /// What its values mean to the model.
    pub kind: Kind,
    /// Its place in the file.
    pub leaf: usize,
}

/// What the file says of itself, and where the wanted columns are; `None` if any feature is missing,
/// twice there, of a kind that the model does not expect, nested or compressed in rare ways.
pub(super) fn find(
    file: &SharedFile,
    features: &[Feature],
    wanted: &[bool],
) -> Result<Option<(ArrowReaderMetadata, Vec<Source>)>> {
    let written = ArrowReaderMetadata::load(file, ArrowReaderOptions::new())?;
    let Some(schema) = with_plain_texts(written.schema()) else { return Ok(None) };
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    let metadata = ArrowReaderMetadata::try_new(written.metadata().clone(), options)?;
    Ok(sources(&metadata, features, wanted).map(|sources| (metadata, sources)))
}

fn sources(
    metadata: &ArrowReaderMetadata,
    features: &[Feature],
    wanted: &[bool],
) -> Option<Vec<Source>> {
    let mut sources = Vec::new();
    for (place, (feature, &wanted)) in features.iter().zip(wanted).enumerate() {
        let (root, field) = only_field(metadata.schema().fields(), &feature.name)?;
        let given = kind_of(&feature.name, field.data_type()).ok()?;
        let kind = shared_kind(feature.kind, given)?;
        let leaf = only_leaf(metadata, root)?;
        if wanted {
            let mut groups = metadata.metadata().row_groups().iter();
            if !groups.all(|group| is_known(group.column(leaf).compression())) {
                return None;
            }
            sources.push(Source { place, name: feature.name.clone(), kind, leaf });
        }
    }
    Some(sources)
}

/// The same columns, with texts as views of the pages that hold them, whatever type they had when
/// they were written.
fn with_plain_texts(schema: &Schema) -> Option<Schema> {
    let fields = schema.fields().iter().map(|field| {
        let values = match field.data_type() {
            DataType::Dictionary(_, values) => values,
            other => other,
        };
        match values {
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                let plain = Field::new(field.name(), DataType::Utf8View, field.is_nullable());
                Some(Arc::new(plain))
            }
            // Polars takes dictionaries of other things for those things.
            _ if matches!(field.data_type(), DataType::Dictionary(..)) => None,
            _ => Some(field.clone()),
        }
    });
    Some(Schema::new(fields.collect::<Option<Fields>>()?))
}

fn only_field<'a>(fields: &'a Fields, name: &str) -> Option<(usize, &'a Field)> {
    let mut found = fields.iter().enumerate().filter(|(_, field)| field.name() == name);
    let (root, field) = found.next()?;
    found.next().is_none().then_some((root, &**field))
}

fn only_leaf(metadata: &ArrowReaderMetadata, root: usize) -> Option<usize> {
    let schema = metadata.parquet_schema();
    let is_part = |leaf: &usize| schema.get_column_root_idx(*leaf) == root;
    let mut leaves = (0..schema.num_columns()).filter(is_part);
    let leaf = leaves.next()?;
    leaves.next().is_none().then_some(leaf)
}

/// Whether a compression can be undone here.
fn is_known(compression: Compression) -> bool {
    use Compression as C;
    matches!(compression, C::UNCOMPRESSED | C::SNAPPY | C::ZSTD(_) | C::LZ4 | C::LZ4_RAW)
}
