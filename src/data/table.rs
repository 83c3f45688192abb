//! A frame of columns.
//!
//! In: columns from Arrow or NumPy. Out: a [`Table`] whose names are unique and whose lengths agree;
//! `align` finds the columns of a model's schema in a new table, by name, or by position in bare arrays.

use hashbrown::{HashMap, HashSet};

use super::column::{Column, Kind};
use super::schema::{Feature, Schema};
use crate::error::{Error, Result};

/// Columns of equal length.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    columns: Vec<Column<'a>>,
    refused: Vec<(String, Error)>,
    named: bool,
    n_rows: usize,
}

impl<'a> Table<'a> {
    /// Checks names and lengths. `named` says whether the names are the user's own.
    pub fn new(columns: Vec<Column<'a>>, named: bool, n_rows: usize) -> Result<Self> {
        let mut names = HashSet::new();
        for column in &columns {
            if named && !names.insert(column.name.as_str()) {
                return Err(Error::ColumnDuplicate { column: column.name.clone() });
            }
            if column.len() != n_rows {
                return Err(Error::Shape {
                    what: format!("column '{}'", column.name),
                    got: format!("{} rows", column.len()),
                    expected: format!("{n_rows}"),
                });
            }
        }
        drop(names);
        Ok(Self { columns, refused: Vec::new(), named, n_rows })
    }

    /// Remembers named columns of types that cannot be used, for the error if one is needed.
    #[must_use]
    pub fn with_refused(mut self, refused: Vec<(String, Error)>) -> Self {
        self.refused = refused;
        self
    }

    /// Refuses a frame of so many rows that nothing can be learned from.
    pub fn check_trainable(&self, n_rows: usize) -> Result<()> {
        if let Some((_, error)) = self.refused.first() {
            return Err(error.clone());
        }
        let fail = |what: &str, expected: &str| {
            Err(Error::Shape {
                what: "X".into(),
                got: format!("0 {what} (shape=({n_rows}, {}))", self.columns.len()),
                expected: expected.into(),
            })
        };
        if self.columns.is_empty() {
            return fail("feature(s)", "at least 1 column");
        }
        if n_rows == 0 {
            return fail("sample(s)", "at least 1 row");
        }
        Ok(())
    }

    /// Turns the columns at `places` into categories, whatever their type.
    pub fn declare_categories(&mut self, places: &[usize]) -> Result<()> {
        let n = self.columns.len();
        for &place in places {
            let column = self.columns.get_mut(place).ok_or_else(|| {
                let expected = format!("column positions below {n}");
                Error::parameter("categorical_features", place, &expected)
            })?;
            match column.kind {
                Kind::Number | Kind::Boolean => column.kind = Kind::NumberedCategory,
                Kind::Text | Kind::NumberedCategory => {}
                _ => {
                    return Err(Error::ColumnType {
                        column: column.name.clone(),
                        got: column.type_name(),
                        expected: "a number, Boolean, string or category type, because \
                                   categorical_features lists it"
                            .into(),
                    });
                }
            }
        }
        Ok(())
    }

    /// The columns.
    #[must_use]
    pub fn columns(&self) -> &[Column<'a>] {
        &self.columns
    }

    /// Whether the names are the user's own.
    #[must_use]
    pub fn named(&self) -> bool {
        self.named
    }

    /// The number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The columns of a schema, in its order and with its kinds. Columns are found by name if both
    /// sides have names, else by position; further named columns are passed over.
    pub fn align(&self, schema: &Schema) -> Result<Vec<Column<'a>>> {
        let (features, by_name) = (&schema.features, schema.named && self.named);
        let wanted = |name: &String| !by_name || features.iter().any(|f| f.name == *name);
        if let Some((_, error)) = self.refused.iter().find(|(name, _)| wanted(name)) {
            return Err(error.clone());
        }
        if !by_name && self.columns.len() != features.len() {
            return Err(Error::ColumnCount { got: self.columns.len(), expected: features.len() });
        }
        let positions: HashMap<&str, usize> = if by_name {
            self.columns.iter().enumerate().map(|(at, c)| (c.name.as_str(), at)).collect()
        } else {
            HashMap::new()
        };
        let mut aligned = Vec::with_capacity(features.len());
        for (at, feature) in features.iter().enumerate() {
            let position = if by_name {
                *positions.get(feature.name.as_str()).ok_or_else(|| self.missing(feature))?
            } else {
                at
            };
            let mut column = self.columns[position].clone();
            column.kind = agreed_kind(feature, &column)?;
            aligned.push(column);
        }
        Ok(aligned)
    }

    fn missing(&self, feature: &Feature) -> Error {
        let names: Vec<&str> = self.columns.iter().take(20).map(|c| c.name.as_str()).collect();
        let more = if self.columns.len() > 20 { ", …" } else { "" };
        Error::ColumnMissing {
            column: feature.name.clone(),
            given: format!("{}{more}", names.join(", ")),
        }
    }
}

fn agreed_kind(feature: &Feature, column: &Column) -> Result<Kind> {
    match shared_kind(feature.kind, column.kind) {
        Some(kind) => Ok(kind),
        // A column of nothing but nulls says nothing that could contradict.
        None if column.is_all_null() => Ok(feature.kind),
        None => Err(Error::ColumnType {
            column: column.name.clone(),
            got: column.type_name(),
            expected: format!("{}, as during fit", feature.kind.describe()),
        }),
    }
}

/// The kind that a column of a given kind has for a model that was fitted to another, if they agree.
pub(super) fn shared_kind(fitted: Kind, given: Kind) -> Option<Kind> {
    use Kind as K;
    // Booleans are the numbers 0 and 1, and numbers may be declared to be categories.
    let agree = matches!(
        (fitted, given),
        (K::Number | K::Boolean | K::NumberedCategory, K::Number | K::Boolean)
    );
    (agree || fitted == given).then_some(fitted)
}
