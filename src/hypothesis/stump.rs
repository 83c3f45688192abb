//! A decision stump: one test on one column, an answer inside and one outside.
//!
//! In: codes. Out: part 1 for rows inside the test, part 0 for those outside. Missing values have a
//! side of their own, chosen when the stump was fitted.

use super::Answers;
use crate::data::{Binned, Codes};
use crate::error::Result;
use crate::workers::{BLOCK_ROWS, Workers};

/// `column` passes `test` → `inside`, else → `outside`.
#[derive(Debug, Clone, PartialEq)]
pub struct Stump {
    /// The column that is looked at.
    pub column: usize,
    /// The test on its codes.
    pub test: Test,
    /// Whether a missing value counts as inside.
    pub missing_inside: bool,
    /// The answer to rows that pass.
    pub inside: f64,
    /// The answer to all others.
    pub outside: f64,
}

/// A test on the codes of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// The code is at most this: `x ≤ cuts[code]`, or any value if it is the last bin.
    AtMost(u16),
    /// The code is one of these (ascending).
    OneOf(Vec<u16>),
}

impl Stump {
    /// Whether each code is inside; the missing code is the last of `n_codes`.
    #[must_use]
    pub fn inside_codes(&self, n_codes: usize) -> Vec<bool> {
        let mut inside = vec![false; n_codes];
        match &self.test {
            Test::AtMost(last) => inside[..=usize::from(*last)].fill(true),
            Test::OneOf(codes) => {
                for &code in codes {
                    inside[usize::from(code)] = true;
                }
            }
        }
        inside[n_codes - 1] = self.missing_inside;
        inside
    }

    /// Writes the answers for all rows of `data`.
    pub fn answer(&self, data: &Binned, workers: &Workers, answers: &mut Answers) -> Result<()> {
        answers.values.clear();
        answers.values.extend([self.outside, self.inside]);
        answers.part.resize(data.n_rows(), 0);
        let n_codes = data.n_codes(self.column);
        let part_of: Vec<u16> = self.inside_codes(n_codes).into_iter().map(u16::from).collect();
        match data.codes(self.column) {
            Codes::Narrow(codes) => {
                let mut table = [0u16; 256];
                table[..n_codes].copy_from_slice(&part_of);
                assign(codes, &mut answers.part, workers, |code| table[usize::from(code)])
            }
            Codes::Wide(codes) => {
                assign(codes, &mut answers.part, workers, |code| part_of[usize::from(code)])
            }
        }
    }
}

fn assign<C: Copy + Sync>(
    codes: &[C],
    part: &mut [u16],
    workers: &Workers,
    part_of: impl Fn(C) -> u16 + Sync,
) -> Result<()> {
    let blocks: Vec<_> = part.chunks_mut(BLOCK_ROWS).zip(codes.chunks(BLOCK_ROWS)).collect();
    workers.map(codes.len(), blocks, |(part, codes)| {
        for (part, &code) in part.iter_mut().zip(codes) {
            *part = part_of(code);
        }
        Ok(())
    })?;
    Ok(())
}
