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

#[cfg(feature = "train")]
use super::checks::check_answers;
use super::checks::{check_length, check_numbers, refuse};
use crate::data::{ExternalObject, ExternalQuestion, Feature};
use crate::error::Result;
use crate::hypothesis::{AnswerKind, External, Hypothesis};
use rbf_net::RbfNetFields;
use rule::RuleFields;
use stump::StumpFields;
use tree::TreeFields;

/// Consecutive hypotheses of one kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(in crate::model) enum Run {
    Stump(StumpFields),
    Rule(RuleFields),
    Tree(TreeFields),
    RbfNet(RbfNetFields),
    External(ExternalFields),
}

/// What answers mean, as the file says it.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Default)]
#[serde(rename_all = "snake_case")]
enum SaysField {
    #[default]
    Number,
    Class,
    Scores(usize),
}

impl From<AnswerKind> for SaysField {
    fn from(says: AnswerKind) -> Self {
        match says {
            AnswerKind::Number => Self::Number,
            AnswerKind::Class => Self::Class,
            AnswerKind::Scores(width) => Self::Scores(width),
        }
    }
}

impl SaysField {
    fn is_number(&self) -> bool {
        *self == Self::Number
    }

    /// The meaning, unless an answer would have no numbers.
    fn read(self, reader: &Reader) -> Result<AnswerKind> {
        match self {
            Self::Number => Ok(AnswerKind::Number),
            Self::Class => Ok(AnswerKind::Class),
            Self::Scores(0) => refuse(&reader.path("says"), "no scores"),
            Self::Scores(width) => Ok(AnswerKind::Scores(width)),
        }
    }
}

/// The hypotheses themselves are kept by the caller; here is what is asked of them.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct ExternalFields {
    #[serde(default)]
    asked: Vec<ExternalQuestion>,
    /// How version 2 put it.
    #[serde(default, skip_serializing)]
    real: Vec<bool>,
}

impl ExternalFields {
    fn read(self) -> impl Iterator<Item = ExternalQuestion> {
        let of_version_2 = self.real.into_iter();
        let of_version_2 = of_version_2
            .map(|real| if real { ExternalQuestion::Real } else { ExternalQuestion::Vote });
        of_version_2.chain(self.asked)
    }
}

/// Hypotheses as files hold them.
#[cfg(feature = "train")]
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HypothesisRuns(Vec<Run>);

#[cfg(feature = "train")]
impl HypothesisRuns {
    /// Hypotheses on their way into a file.
    pub fn new<'a>(hypotheses: impl Iterator<Item = &'a Hypothesis> + Clone) -> Result<Self> {
        check_answers(hypotheses.clone())?;
        Ok(Self(from_hypotheses(hypotheses)))
    }

    /// The hypotheses, which must fit the features.
    pub fn read(self, features: &[Feature]) -> Result<Vec<Hypothesis>> {
        into_hypotheses(self.0, features, &[])
    }
}

/// Stores hypotheses by runs.
pub(super) fn from_hypotheses<'a>(hypotheses: impl Iterator<Item = &'a Hypothesis>) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for hypothesis in hypotheses {
        if !runs.last_mut().is_some_and(|run| run.push(hypothesis)) {
            let mut run = Run::empty(hypothesis);
            run.push(hypothesis);
            runs.push(run);
        }
    }
    runs
}

/// Reads hypotheses and checks them against the features.
pub(super) fn into_hypotheses(
    runs: Vec<Run>,
    features: &[Feature],
    externals: &[ExternalObject],
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
                for asked in fields.read() {
                    let Some(object) = externals.next().cloned() else {
                        let reason = "these classifiers are not in the file";
                        return refuse(&reader.path("kind"), reason);
                    };
                    hypotheses.push(Hypothesis::External(External { object, asked }));
                }
            }
        }
    }
    Ok(hypotheses)
}

impl Run {
    /// A run for hypotheses of this kind and meaning.
    fn empty(hypothesis: &Hypothesis) -> Self {
        let says = hypothesis.answer_kind().into();
        match hypothesis {
            Hypothesis::Stump(_) => Self::Stump(StumpFields::new(says)),
            Hypothesis::Rule(_) => Self::Rule(RuleFields::new(says)),
            Hypothesis::Tree(_) => Self::Tree(TreeFields::new(says)),
            Hypothesis::RbfNet(_) => Self::RbfNet(RbfNetFields::default()),
            Hypothesis::External(_) => Self::External(ExternalFields::default()),
        }
    }

    /// Appends a hypothesis; answers whether it is of the right kind.
    fn push(&mut self, hypothesis: &Hypothesis) -> bool {
        let says = SaysField::from(hypothesis.answer_kind());
        match (self, hypothesis) {
            (Self::Stump(fields), Hypothesis::Stump(stump)) => {
                says == fields.says && {
                    fields.push(stump);
                    true
                }
            }
            (Self::Rule(fields), Hypothesis::Rule(rule)) => {
                says == fields.says && fields.count_as(rule) && {
                    fields.push(rule);
                    true
                }
            }
            (Self::Tree(fields), Hypothesis::Tree(tree)) => {
                says == fields.says && {
                    fields.push(tree);
                    true
                }
            }
            (Self::RbfNet(fields), Hypothesis::RbfNet(net)) => {
                fields.push(net);
                true
            }
            (Self::External(fields), Hypothesis::External(external)) => {
                fields.asked.push(external.asked);
                true
            }
            _ => false,
        }
    }
}

/// What entries are checked against.
struct Reader<'a> {
    features: &'a [Feature],
    run: usize,
}

impl<'a> Reader<'a> {
    fn path(&self, field: &str) -> String {
        format!("hypotheses[{}].{field}", self.run)
    }

    fn check_length(&self, field: &str, got: usize, expected: usize) -> Result<()> {
        check_length(&self.path(field), got, expected)
    }

    /// Refuses counts of rows that no table has, and that signed integers could not hold.
    fn check_rows(&self, field: &str, rows: &[u64], expected: usize) -> Result<()> {
        self.check_length(field, rows.len(), expected)?;
        match rows.iter().position(|&count| i64::try_from(count).is_err()) {
            Some(at) => refuse(&self.path(field), format!("entry {at} is not a number of rows")),
            None => Ok(()),
        }
    }

    fn check_numbers(&self, field: &str, numbers: &[f64], expected: usize) -> Result<()> {
        check_numbers(&self.path(field), numbers, expected)
    }

    /// Refuses what is no share of anything.
    fn check_shares(&self, field: &str, shares: &[f64], expected: usize) -> Result<()> {
        self.check_numbers(field, shares, expected)?;
        match shares.iter().position(|share| !(0.0..=1.0).contains(share)) {
            Some(at) => {
                refuse(&self.path(field), format!("entry {at} is not a number from 0 to 1"))
            }
            None => Ok(()),
        }
    }

    fn feature(&self, at: usize, column: usize) -> Result<&'a Feature> {
        let n = self.features.len();
        match self.features.get(column) {
            Some(feature) => Ok(feature),
            None => refuse(
                &self.path("column"),
                format!("entry {at} is {column}, there are {n} columns"),
            ),
        }
    }

    /// Refuses an index that is not below `end`.
    fn check_below(&self, field: &str, at: usize, index: usize, end: usize) -> Result<()> {
        if index < end {
            return Ok(());
        }
        refuse(&self.path(field), format!("entry {at} is {index}, expected below {end}"))
    }

    /// Adds up counts that must cover `expected` entries.
    fn check_counts(&self, field: &str, counts: &[usize], expected: usize) -> Result<()> {
        let sum = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if sum == Some(expected) {
            return Ok(());
        }
        refuse(&self.path(field), format!("the counts do not add up to {expected} entries"))
    }
}
