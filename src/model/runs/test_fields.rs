//! Tests of stumps and trees in a model file: a cut of a number column, or an index into a list of
//! subsets.
//!
//! In and out: arrays that stumps and trees both have.

use super::Reader;
use crate::data::Bins;
use crate::error::Result;
use crate::hypothesis::{AnswerKind, PartAnswers, Passes, Test};
use crate::model::checks::refuse;

/// The arrays in which tests are stored.
pub(super) struct Tests<'a> {
    pub column: &'a [usize],
    pub test: &'a [usize],
    pub subsets: &'a [Vec<u16>],
    pub missing_inside: &'a [bool],
}

impl Tests<'_> {
    pub fn check_lengths(&self, reader: &Reader) -> Result<()> {
        reader.check_length("test", self.test.len(), self.column.len())?;
        reader.check_length("missing_inside", self.missing_inside.len(), self.column.len())
    }

    pub fn read(&self, reader: &Reader, at: usize) -> Result<Test> {
        let (column, index) = (self.column[at], self.test[at]);
        let bins = &reader.feature(at, column)?.bins;
        let passes = if matches!(bins, Bins::Numbers(_)) {
            reader.check_below("test", at, index, bins.len())?;
            Passes::AtMost(index as u16)
        } else {
            reader.check_below("test", at, index, self.subsets.len())?;
            let codes = &self.subsets[index];
            let ascends = codes.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascends || codes.last().is_some_and(|&code| usize::from(code) >= bins.len()) {
                let reason = format!("entry {index} must ascend within {} bins", bins.len());
                return refuse(&reader.path("subsets"), reason);
            }
            Passes::OneOf(codes.clone())
        };
        Ok(Test { column, passes, missing_inside: self.missing_inside[at] })
    }
}

/// The number by which a test is stored.
pub(super) fn store(passes: &Passes, subsets: &mut Vec<Vec<u16>>) -> usize {
    match passes {
        Passes::AtMost(cut) => usize::from(*cut),
        Passes::OneOf(codes) => {
            subsets.push(codes.clone());
            subsets.len() - 1
        }
    }
}

/// The answers of stumps and rules, inside and outside.
pub(super) struct Sides {
    pub says: AnswerKind,
    pub inside: Vec<f64>,
    pub outside: Vec<f64>,
}

impl Sides {
    pub fn check_lengths(&self, reader: &Reader, n_hypotheses: usize) -> Result<()> {
        let expected = n_hypotheses.saturating_mul(self.says.width());
        reader.check_numbers("inside", &self.inside, expected)?;
        reader.check_numbers("outside", &self.outside, expected)
    }

    pub fn answers(&self, at: usize) -> PartAnswers {
        let width = self.says.width();
        let numbers = |side: &[f64]| side[at * width..][..width].to_vec();
        PartAnswers {
            says: self.says,
            numbers: [numbers(&self.outside), numbers(&self.inside)].concat(),
        }
    }
}
