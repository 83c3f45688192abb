//! Stumps in a model file.

use serde::{Deserialize, Serialize};

use super::test_fields::{Sides, Tests, store};
use super::{Reader, SaysField};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Stump};

/// One entry per stump, and as many of `inside` and `outside` as an answer has numbers; `test` is the
/// cut of a number column, or an index into `subsets`.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct StumpFields {
    /// What the answers mean.
    #[serde(default, skip_serializing_if = "SaysField::is_number")]
    pub(super) says: SaysField,
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    inside: Vec<f64>,
    outside: Vec<f64>,
}

impl StumpFields {
    pub(super) fn new(says: SaysField) -> Self {
        Self { says, ..Self::default() }
    }

    pub(super) fn push(&mut self, stump: &Stump) {
        self.column.push(stump.test.column);
        self.test.push(store(&stump.test.passes, &mut self.subsets));
        self.missing_inside.push(stump.test.missing_inside);
        self.outside.extend_from_slice(stump.answers.part(0));
        self.inside.extend_from_slice(stump.answers.part(1));
    }

    pub(super) fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let tests = Tests {
            column: &self.column,
            test: &self.test,
            subsets: &self.subsets,
            missing_inside: &self.missing_inside,
        };
        tests.check_lengths(reader)?;
        let sides =
            Sides { says: self.says.read(reader)?, inside: self.inside, outside: self.outside };
        sides.check_lengths(reader, self.column.len())?;
        for at in 0..self.column.len() {
            let test = tests.read(reader, at)?;
            hypotheses.push(Hypothesis::Stump(Stump { test, answers: sides.answers(at) }));
        }
        Ok(())
    }
}
