//! Scores of rules and trees, a block of rows at a time.
//!
//! In: a model. Out: for every row the sums of its hypotheses' answers. A block's codes are made once
//! and stay in the cache while all hypotheses look at them.

use super::scorer::WriteCodes;
use super::{Member, Model, by_round, tested_columns};
use crate::combiner::{PartSteps, ScoreStep, pass_on};
use crate::data::{Binned, Bins, Column, Feature, Search, search_codes};
use crate::hypothesis::PartAnswers;

/// Makes the codes of a few rows.
#[derive(Debug)]
pub(super) struct Coder {
    /// The columns that some hypothesis tests.
    wanted: Vec<bool>,
    /// The cuts of number columns that are wanted.
    searches: Vec<Option<Search>>,
}

impl Coder {
    pub(super) fn new(features: &[Feature], wanted: Vec<bool>) -> Self {
        let searches = features.iter().zip(&wanted).map(|(feature, &wanted)| match &feature.bins {
            Bins::Numbers(bins) if wanted => Some(Search::new(&bins.cuts)),
            _ => None,
        });
        Self { searches: searches.collect(), wanted }
    }

    /// Writes the codes of the rows from `start` on of a feature, given its column and bins.
    pub(super) fn encode(
        &self,
        feature: usize,
        (column, bins): (&Column, &Bins),
        start: usize,
        codes: &mut [u16],
    ) {
        match &self.searches[feature] {
            Some(search) => search_codes(search, column, start, codes),
            None => bins.encode(column, start, codes),
        }
    }

    /// The codes of a few rows, written by `code` (column, codes of the rows).
    pub(super) fn block(
        &self,
        bins: &[&Bins],
        n_rows: usize,
        code: impl FnMut(usize, &mut [u16]),
    ) -> Binned {
        Binned::block(bins, n_rows, &self.wanted, code)
    }
}

/// What is made ready once for all scoring.
#[derive(Debug)]
pub(super) struct Blockwise {
    pub coder: Coder,
    /// What is done to the scores, in order.
    steps: Vec<CompiledStep>,
}

#[derive(Debug)]
enum CompiledStep {
    /// How much a hypothesis, by its number, adds to which scores.
    Add(usize, PartSteps),
    /// All mass of an output goes to the next one.
    Pass(usize),
}

impl Blockwise {
    pub(super) fn new(model: &Model) -> Self {
        let none = PartAnswers::default();
        let part_steps = |member: &Member| {
            let answers = member.hypothesis.part_answers().unwrap_or(&none);
            model.combiner.part_steps(answers, member.weighted())
        };
        let (mut steps, mut before) = (Vec::new(), 0);
        for (round, members) in by_round(&model.members, model.history.n_rounds()) {
            let outputs = members.iter().map(|member| member.output);
            steps.extend(model.combiner.steps(round, outputs).into_iter().map(|step| match step {
                ScoreStep::Hypothesis(at) => {
                    CompiledStep::Add(before + at, part_steps(&members[at]))
                }
                ScoreStep::Pass(output) => CompiledStep::Pass(output),
            }));
            before += members.len();
        }
        let wanted = tested_columns(&model.members, model.schema.features.len());
        Self { coder: Coder::new(&model.schema.features, wanted), steps }
    }

    /// How much work a row is.
    pub(super) fn steps_per_row(&self, model: &Model) -> usize {
        model.schema.features.len() + self.steps.len()
    }

    /// Adds what all hypotheses say of the rows from `start` on to their scores.
    pub(super) fn add(
        &self,
        model: &Model,
        start: usize,
        scores: &mut [&mut [f64]],
        write: &WriteCodes,
    ) {
        let n_rows = scores[0].len();
        let code = |column: usize, codes: &mut [u16]| write(column, start, codes);
        let data = self.coder.block(&model.schema.bins(), n_rows, code);
        let mut part = vec![0; n_rows];
        for step in &self.steps {
            match step {
                CompiledStep::Add(member, steps) => {
                    let hypothesis = &model.members[*member].hypothesis;
                    hypothesis.find_parts(&data, 0..n_rows, &mut part);
                    steps.apply(&part, scores);
                }
                CompiledStep::Pass(output) => pass_on(*output, scores),
            }
        }
    }
}
