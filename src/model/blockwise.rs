//! Scores of rules and trees, a block of rows at a time.
//!
//! In: a model. Out: for every row the sums of its hypotheses' answers. A block's codes are made once
//! and stay in the cache while all hypotheses look at them.

use super::{Member, Model, by_round, score_batches, tested_columns};
use crate::data::{Binned, Bins, Column, Feature, Search, Table, search_codes};
use crate::error::Result;
use crate::hypothesis::PartAnswers;
use crate::outputs::{Deed, Steps, pass_on};
use crate::workers::Workers;

/// Makes the codes of a few rows.
#[derive(Debug)]
pub(super) struct Coder {
    /// The columns that somebody looks at.
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

    /// The codes of so many rows from `start` on.
    pub(super) fn code(
        &self,
        bins: &[&Bins],
        columns: &[Column],
        (start, n_rows): (usize, usize),
    ) -> Binned {
        let code = |column: usize, codes: &mut [u16]| match &self.searches[column] {
            Some(search) => search_codes(search, &columns[column], start, codes),
            None => bins[column].encode(&columns[column], start, codes),
        };
        Binned::block(bins, n_rows, &self.wanted, code)
    }
}

/// What is made ready once for all scoring.
#[derive(Debug)]
pub(super) struct Blockwise {
    coder: Coder,
    /// What is done to the scores, in order.
    deeds: Vec<Done>,
}

#[derive(Debug)]
enum Done {
    /// How much a hypothesis, by its number, adds to which scores.
    Steps(usize, Steps),
    /// All mass of a column goes to the next one.
    Pass(usize),
}

impl Blockwise {
    pub(super) fn new(model: &Model) -> Self {
        let none = PartAnswers::default();
        let steps = |member: &Member| {
            let answers = member.hypothesis.part_answers().unwrap_or(&none);
            model.outputs.steps(answers, (member.column, member.weight))
        };
        let (mut deeds, mut before) = (Vec::new(), 0);
        for (round, members) in by_round(&model.members, model.history.n_rounds()) {
            let columns = members.iter().map(|member| member.column);
            deeds.extend(model.outputs.deeds(round, columns).into_iter().map(|deed| match deed {
                Deed::Hypothesis(at) => Done::Steps(before + at, steps(&members[at])),
                Deed::Pass(column) => Done::Pass(column),
            }));
            before += members.len();
        }
        let wanted = tested_columns(&model.members, model.features.len());
        Self { coder: Coder::new(&model.features, wanted), deeds }
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
        let steps = columns.len() + self.deeds.len();
        score_batches(table.n_rows(), steps, &model.outputs, workers, |start, scores| {
            let data = self.coder.code(&bins, &columns, (start, scores[0].len()));
            self.add(model, &data, scores);
        })
    }

    fn add(&self, model: &Model, data: &Binned, scores: &mut [&mut [f64]]) {
        let mut part = vec![0; data.n_rows()];
        for deed in &self.deeds {
            match deed {
                Done::Steps(member, steps) => {
                    let hypothesis = &model.members[*member].hypothesis;
                    hypothesis.find_parts(data, 0..data.n_rows(), &mut part);
                    steps.add(&part, scores);
                }
                Done::Pass(column) => pass_on(*column, scores),
            }
        }
    }
}
