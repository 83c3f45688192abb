//! What a checkpoint belongs to: settings and data.
//!
//! In: the settings and the rows of a fit. Out: what differs from those of another one, in words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::file::digest;
use crate::data::Fingerprint;
use crate::error::{Error, Result};
use crate::model::{Model, feature_text};
use crate::prepared::{Prepared, PreparedRows};
use crate::settings::{Settings, in_python};

/// Settings and data of a fit.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Identity {
    /// All but the number of threads, on which nothing depends.
    settings: Value,
    /// The names of the columns, and a number for the bins of each.
    columns: Vec<(String, u64)>,
    train: Fingerprint,
    validation: Option<Fingerprint>,
    /// Of the model whose rounds come first.
    earlier: Option<u64>,
}

impl Identity {
    pub fn new(prepared: &Prepared, earlier: Option<&Model>, settings: &Settings) -> Result<Self> {
        let broken = |e: serde_json::Error| Error::internal(format!("writing settings: {e}"));
        let mut settings = serde_json::to_value(settings).map_err(broken)?;
        if let Some(fields) = settings.as_object_mut() {
            fields.remove("n_jobs");
        }
        let Prepared { train, validation, schema } = prepared;
        let columns = schema.features.iter().map(|feature| {
            let bins = feature_text(feature)?;
            Ok((feature.name.clone(), digest(&bins)))
        });
        let of = |rows: &PreparedRows| {
            let missing = || Error::internal("rows came without what tells them from others");
            rows.fingerprint.clone().ok_or_else(missing)
        };
        let earlier = earlier.map(|model| model.to_json(Value::Null)).transpose()?;
        Ok(Self {
            settings,
            columns: columns.collect::<Result<_>>()?,
            train: of(train)?,
            validation: validation.as_ref().map(of).transpose()?,
            earlier: earlier.map(|bytes| digest(&bytes)),
        })
    }

    /// What differs in another fit; `None` if it is the same.
    pub fn difference(&self, other: &Self) -> Option<String> {
        if let Some((name, there, here)) = first_other("", &self.settings, &other.settings) {
            return Some(format!(
                "it is of a fit with {name}={}, and this one has {name}={}",
                in_python(there),
                in_python(here)
            ));
        }
        let validation = (self.validation != other.validation).then(|| "X_val or y_val".to_owned());
        let earlier = (self.earlier != other.earlier)
            .then(|| "the rounds already run (warm_start=True)".to_owned());
        let what = self.other_rows(other).or(validation).or(earlier)?;
        Some(format!("it is of a fit to other data: {what} differ"))
    }

    /// Which part of the training rows differs.
    fn other_rows(&self, other: &Self) -> Option<String> {
        let names = |of: &Self| of.columns.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        if names(self) != names(other) {
            return Some("the names of the columns".into());
        }
        let (there, here) = (&self.train, &other.train);
        if there.n_rows != here.n_rows {
            return Some(format!(
                "the numbers of rows, {} there and {} here,",
                there.n_rows, here.n_rows
            ));
        }
        if there.labels != here.labels {
            return Some("the labels y, or the order of the rows,".into());
        }
        if there.weights != here.weights {
            return Some("the weights".into());
        }
        for (name, (there, here)) in
            ["the costs", "the mistrust of rows"].iter().zip(there.extras.iter().zip(&here.extras))
        {
            if there != here {
                return Some((*name).to_owned());
            }
        }
        let mut cells = self.columns.iter().zip(&other.columns).enumerate();
        let values = |fingerprint: &Fingerprint, at: usize| fingerprint.columns.get(at).copied();
        let found = cells.find(|(at, (there, here))| {
            there.1 != here.1 || values(&self.train, *at) != values(&other.train, *at)
        });
        found.map(|(_, ((name, _), _))| format!("the values of column '{name}'"))
    }
}

/// The first setting that differs: its name as users know it, and its values.
fn first_other<'a>(
    name: &str,
    there: &'a Value,
    here: &'a Value,
) -> Option<(String, &'a Value, &'a Value)> {
    if there == here {
        return None;
    }
    if let (Value::Object(one), Value::Object(other)) = (there, here)
        && one.keys().eq(other.keys())
    {
        let of_learner = name == "estimator" || name.starts_with("estimator__");
        return one.iter().find_map(|(key, there)| {
            // The kind of a booster or learner is no name of a parameter.
            let is_kind = one.len() == 1 && there.is_object();
            let inner = match (is_kind, of_learner) {
                (true, _) => name.to_owned(),
                (false, true) => format!("estimator__{key}"),
                (false, false) => key.clone(),
            };
            first_other(&inner, there, other.get(key)?)
        });
    }
    Some((name.to_owned(), there, here))
}
