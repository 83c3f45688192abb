//! Scores of rules and trees, a block of rows at a time.
//!
//! In: a model. Out: for every row the sums of its hypotheses' answers. A block's codes are made once
//! and stay in the cache while all hypotheses look at them.

use super::{Member, Model, score_batches};
use crate::data::{Binned, Bins, Search, Table, search_codes};
use crate::error::Result;
use crate::hypothesis::{PartAnswers, Says};
use crate::workers::Workers;

/// What is made ready once for all scoring.
#[derive(Debug)]
pub(super) struct Blockwise {
    /// The columns that hypotheses look at.
    wanted: Vec<bool>,
    /// The cuts of number columns that are wanted.
    searches: Vec<Option<Search>>,
    /// How much each hypothesis adds to which scores.
    steps: Vec<Steps>,
}

/// What the parts of a hypothesis add.
#[derive(Debug)]
enum Steps {
    /// To one column, by part.
    One { column: usize, by_part: Vec<f64> },
    /// A vote of this weight to the column of a class, by part.
    Vote { weight: f64, by_part: Vec<u16> },
    /// To all columns: by part, for each column.
    All { by_column: Vec<Vec<f64>> },
}

impl Steps {
    fn of(member: &Member) -> Self {
        let Member { hypothesis, weight, column, .. } = member;
        let none = PartAnswers::default();
        let PartAnswers { says, numbers } = hypothesis.part_answers().unwrap_or(&none);
        match says {
            Says::Number => {
                let by_part = numbers.iter().map(|number| weight * number).collect();
                Self::One { column: *column, by_part }
            }
            Says::Class => {
                let by_part = numbers.iter().map(|&class| class as u16).collect();
                Self::Vote { weight: *weight, by_part }
            }
            Says::Scores(width) => {
                let of = |column: usize| numbers.iter().skip(column).step_by(*width);
                let by_column = (0..*width).map(|column| of(column).map(|h| weight * h).collect());
                Self::All { by_column: by_column.collect() }
            }
        }
    }

    fn add(&self, part: &[u16], columns: &mut [&mut [f64]]) {
        let add = |steps: &[f64], column: &mut [f64]| {
            for (score, &part) in column.iter_mut().zip(part) {
                *score += steps[usize::from(part)];
            }
        };
        match self {
            Self::One { column, by_part } => add(by_part, columns[*column]),
            Self::Vote { weight, by_part } => {
                for (row, &part) in part.iter().enumerate() {
                    columns[usize::from(by_part[usize::from(part)])][row] += weight;
                }
            }
            Self::All { by_column } => {
                for (steps, column) in by_column.iter().zip(columns) {
                    add(steps, column);
                }
            }
        }
    }
}

impl Blockwise {
    pub(super) fn new(model: &Model) -> Self {
        let mut wanted = vec![false; model.features.len()];
        for column in model.members.iter().flat_map(|member| member.hypothesis.columns()) {
            wanted[column] = true;
        }
        let searches =
            model.features.iter().zip(&wanted).map(|(feature, &wanted)| match &feature.bins {
                Bins::Numbers(bins) if wanted => Some(Search::new(&bins.cuts)),
                _ => None,
            });
        let steps = model.members.iter().map(Steps::of).collect();
        Self { searches: searches.collect(), steps, wanted }
    }

    /// The sum over hypotheses for every row.
    pub(super) fn score(
        &self,
        model: &Model,
        table: &Table,
        workers: &Workers,
    ) -> Result<Vec<f64>> {
        let columns = table.align(&model.features, model.named)?;
        let bins = model.bins();
        let steps = columns.len() + self.steps.len();
        score_batches(table.n_rows(), steps, &model.outputs, workers, |start, scores| {
            let n_rows = scores[0].len();
            let code = |column: usize, codes: &mut [u16]| match &self.searches[column] {
                Some(search) => search_codes(search, &columns[column], start, codes),
                None => bins[column].encode(&columns[column], start, codes),
            };
            self.add(model, &Binned::block(&bins, n_rows, &self.wanted, code), scores);
        })
    }

    fn add(&self, model: &Model, data: &Binned, scores: &mut [&mut [f64]]) {
        let mut part = vec![0; data.n_rows()];
        for (member, steps) in model.members.iter().zip(&self.steps) {
            member.hypothesis.find_parts(data, 0..data.n_rows(), &mut part);
            steps.add(&part, scores);
        }
    }
}
