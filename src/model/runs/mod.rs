//! Hypotheses in a model file: runs of one kind, each stored as arrays of numbers per field.
//!
//! In and out: JSON values. A model that was warm-started with another learner has several runs.
//! Every length, index and number is checked on reading.

mod rbf_net;
mod rule;
mod stump;
mod test_fields;
mod tree;

use serde::{Deserialize, Serialize};

use super::file::{check_length, check_numbers, refuse};
use crate::data::{Feature, Foreign};
use crate::error::Result;
use crate::hypothesis::{External, Hypothesis};
use rbf_net::RbfNetFields;
use rule::RuleFields;
use stump::StumpFields;
use tree::TreeFields;

/// Consecutive hypotheses of one kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Run {
    Stump(StumpFields),
    Rule(RuleFields),
    Tree(TreeFields),
    RbfNet(RbfNetFields),
    External(ExternalFields),
}

/// The hypotheses themselves are kept by the caller.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct ExternalFields {
    real: Vec<bool>,
}

/// Stores hypotheses by runs.
pub(super) fn from_hypotheses(hypotheses: &[Hypothesis]) -> Vec<Run> {
    let mut runs = Vec::new();
    for hypothesis in hypotheses {
        match (runs.last_mut(), hypothesis) {
            (Some(Run::Stump(fields)), Hypothesis::Stump(stump)) => fields.push(stump),
            (Some(Run::Rule(fields)), Hypothesis::Rule(rule)) => fields.push(rule),
            (Some(Run::Tree(fields)), Hypothesis::Tree(tree)) => fields.push(tree),
            (Some(Run::RbfNet(fields)), Hypothesis::RbfNet(net)) => fields.push(net),
            (Some(Run::External(fields)), Hypothesis::External(external)) => {
                fields.real.push(external.real);
            }
            (_, first) => runs.push(Run::of(first)),
        }
    }
    runs
}

/// Reads hypotheses and checks them against the features.
pub(super) fn into_hypotheses(
    runs: Vec<Run>,
    features: &[Feature],
    externals: &[Foreign],
) -> Result<Vec<Hypothesis>> {
    let mut hypotheses = Vec::new();
    let mut externals = externals.iter();
    for (at, run) in runs.into_iter().enumerate() {
        let reader = Reader { features, run: at };
        match run {
            Run::Stump(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::Rule(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::Tree(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::RbfNet(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::External(fields) => {
                for real in fields.real {
                    let Some(object) = externals.next().cloned() else {
                        let reason = "these classifiers are not in the file";
                        return refuse(&reader.place("kind"), reason);
                    };
                    hypotheses.push(Hypothesis::External(External { object, real }));
                }
            }
        }
    }
    Ok(hypotheses)
}

impl Run {
    /// A run of one hypothesis.
    fn of(hypothesis: &Hypothesis) -> Self {
        match hypothesis {
            Hypothesis::Stump(stump) => {
                let mut fields = StumpFields::default();
                fields.push(stump);
                Self::Stump(fields)
            }
            Hypothesis::Rule(rule) => {
                let mut fields = RuleFields::default();
                fields.push(rule);
                Self::Rule(fields)
            }
            Hypothesis::Tree(tree) => {
                let mut fields = TreeFields::default();
                fields.push(tree);
                Self::Tree(fields)
            }
            Hypothesis::RbfNet(net) => {
                let mut fields = RbfNetFields::default();
                fields.push(net);
                Self::RbfNet(fields)
            }
            Hypothesis::External(external) => {
                Self::External(ExternalFields { real: vec![external.real] })
            }
        }
    }
}

/// What entries are checked against.
struct Reader<'a> {
    features: &'a [Feature],
    run: usize,
}

impl<'a> Reader<'a> {
    fn place(&self, field: &str) -> String {
        format!("hypotheses[{}].{field}", self.run)
    }

    fn check_length(&self, field: &str, got: usize, expected: usize) -> Result<()> {
        check_length(&self.place(field), got, expected)
    }

    fn check_numbers(&self, field: &str, numbers: &[f64], expected: usize) -> Result<()> {
        check_numbers(&self.place(field), numbers, expected)
    }

    fn feature(&self, at: usize, column: usize) -> Result<&'a Feature> {
        let n = self.features.len();
        match self.features.get(column) {
            Some(feature) => Ok(feature),
            None => refuse(
                &self.place("column"),
                format!("entry {at} is {column}, there are {n} columns"),
            ),
        }
    }

    /// Refuses an index that is not below `end`.
    fn check_below(&self, field: &str, at: usize, index: usize, end: usize) -> Result<()> {
        if index < end {
            return Ok(());
        }
        refuse(&self.place(field), format!("entry {at} is {index}, expected below {end}"))
    }

    /// Adds up counts that must cover `expected` entries.
    fn check_counts(&self, field: &str, counts: &[usize], expected: usize) -> Result<()> {
        let sum = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if sum == Some(expected) {
            return Ok(());
        }
        refuse(&self.place(field), format!("the counts do not add up to {expected} entries"))
    }
}
