//! Stumps in a model file.

use serde::{Deserialize, Serialize};

use super::Reader;
use super::test_fields::{Tests, store};
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Stump};

/// One entry per stump; `test` is the cut of a number column, or an index into `subsets`.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct StumpFields {
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    inside: Vec<f64>,
    outside: Vec<f64>,
}

impl StumpFields {
    pub(super) fn push(&mut self, stump: &Stump) {
        self.column.push(stump.test.column);
        self.test.push(store(&stump.test.passes, &mut self.subsets));
        self.missing_inside.push(stump.test.missing_inside);
        self.inside.push(stump.inside);
        self.outside.push(stump.outside);
    }

    pub(super) fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let tests = Tests {
            column: &self.column,
            test: &self.test,
            subsets: &self.subsets,
            missing_inside: &self.missing_inside,
        };
        tests.check_lengths(reader)?;
        reader.check_numbers("inside", &self.inside, self.column.len())?;
        reader.check_numbers("outside", &self.outside, self.column.len())?;
        for at in 0..self.column.len() {
            hypotheses.push(Hypothesis::Stump(Stump {
                test: tests.read(reader, at)?,
                inside: self.inside[at],
                outside: self.outside[at],
            }));
        }
        Ok(())
    }
}
