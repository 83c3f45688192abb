//! Columns in a model file: names, kinds, cuts or categories, and scalings.
//!
//! In and out: JSON values. Every number is checked on reading.

use serde::{Deserialize, Serialize};

use super::checks::{check_length, check_numbers, refuse};
use crate::data::{Bins, CategoryBins, Feature, Kind, NumberBins, Scaling};
use crate::error::Result;

/// One column.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FeatureFields {
    name: String,
    kind: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cuts: Option<Vec<f64>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    categories: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rare: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    scaling: Option<Scaling>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<u64>>,
}

/// What files say of a column.
#[cfg(feature = "train")]
pub(crate) fn feature_text(feature: &Feature) -> Result<Vec<u8>> {
    serde_json::to_vec(&FeatureFields::from_feature(feature))
        .map_err(|e| crate::error::Error::internal(format!("writing a column: {e}")))
}

impl FeatureFields {
    pub fn from_feature(feature: &Feature) -> Self {
        let (cuts, categories, rare) = match &feature.bins {
            Bins::Numbers(bins) => (Some(bins.cuts.clone()), None, None),
            Bins::Categories(bins) => {
                let owned = |name: &str| name.to_owned();
                (
                    None,
                    Some(bins.own().map(owned).collect()),
                    Some(bins.rare().map(owned).collect()),
                )
            }
        };
        let (name, kind, scaling) = (feature.name.clone(), feature.kind, feature.scaling);
        Self { name, kind, cuts, categories, rare, scaling, rows: feature.rows.clone() }
    }

    pub fn into_feature(self, at: usize) -> Result<Feature> {
        let path = |field: &str| format!("features[{at}].{field}");
        let bins = match (self.kind.is_category(), self.cuts, self.categories, self.rare) {
            (false, Some(cuts), None, None) => {
                check_numbers(&path("cuts"), &cuts, cuts.len())?;
                if cuts.len() >= usize::from(u16::MAX) {
                    return refuse(&path("cuts"), "more than 65,534 cuts");
                }
                if let Some(i) = cuts.windows(2).position(|pair| pair[0] >= pair[1]) {
                    return refuse(&path("cuts"), format!("entry {} does not ascend", i + 1));
                }
                Bins::Numbers(NumberBins { cuts })
            }
            (true, None, Some(names), Some(rare)) => {
                let (names, rare) = (names.iter(), rare.iter());
                let bins = CategoryBins::new(names.map(String::as_str), rare.map(String::as_str));
                match bins {
                    None => return refuse(&path("categories"), "a category occurs twice"),
                    Some(bins) if bins.len() > usize::from(u16::MAX) => {
                        return refuse(&path("categories"), "more than 65,535 bins");
                    }
                    Some(bins) => Bins::Categories(bins),
                }
            }
            _ => {
                let reason = "number kinds need 'cuts', category kinds 'categories' and 'rare'";
                return refuse(&path("kind"), reason);
            }
        };
        if let Some(Scaling { mean, scale }) = self.scaling
            && !(mean.is_finite() && scale.is_finite() && scale > 0.0)
        {
            return refuse(&path("scaling"), "expected a finite mean and a scale above zero");
        }
        if let Some(rows) = &self.rows {
            check_length(&path("rows"), rows.len(), bins.missing() + 1)?;
            let total = rows.iter().try_fold(0u64, |sum, &count| sum.checked_add(count));
            if total.is_none_or(|total| total == 0) {
                return refuse(&path("rows"), "expected counts with a sum above zero");
            }
        }
        let Self { name, kind, scaling, rows, .. } = self;
        Ok(Feature { name, kind, bins, scaling, rows })
    }
}
