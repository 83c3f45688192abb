//! Scores of rules and trees, a block of rows at a time.
//!
//! In: a model. Out: for every row the sums of its hypotheses' answers. A block's codes are made once
//! and stay in the cache while all hypotheses look at them.

use super::{Model, score_batches};
use crate::data::{Binned, Bins, Search, Table, search_codes};
use crate::error::Result;
use crate::hypothesis::PartAnswers;
use crate::outputs::Steps;
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
        let none = PartAnswers::default();
        let steps = model.members.iter().map(|member| {
            let answers = member.hypothesis.part_answers().unwrap_or(&none);
            Steps::of(answers, (member.column, member.weight))
        });
        Self { searches: searches.collect(), steps: steps.collect(), wanted }
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
