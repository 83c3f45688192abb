//! Scores of rules and trees, a block of rows at a time.
//!
//! In: a model. Out: for every row the sum of its hypotheses' answers. A block's codes are made once
//! and stay in the cache while all hypotheses look at them.

use super::{Model, score_batches};
use crate::data::{Binned, Bins, Search, Table, search_codes};
use crate::error::Result;
use crate::hypothesis::Hypothesis;
use crate::workers::Workers;

/// What is made ready once for all scoring.
#[derive(Debug)]
pub(super) struct Blockwise {
    /// The columns that hypotheses look at.
    wanted: Vec<bool>,
    /// The cuts of number columns that are wanted.
    searches: Vec<Option<Search>>,
    /// Weight times answer by hypothesis and part.
    steps: Vec<Vec<f64>>,
}

impl Blockwise {
    pub(super) fn new(model: &Model) -> Self {
        let mut wanted = vec![false; model.features.len()];
        for column in model.hypotheses.iter().flat_map(Hypothesis::columns) {
            wanted[column] = true;
        }
        let searches =
            model.features.iter().zip(&wanted).map(|(feature, &wanted)| match &feature.bins {
                Bins::Numbers(bins) if wanted => Some(Search::new(&bins.cuts)),
                _ => None,
            });
        let members = model.hypotheses.iter().zip(&model.weights);
        let steps = members.map(|(hypothesis, weight)| {
            hypothesis.part_values().iter().map(|value| weight * value).collect()
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
        score_batches(table.n_rows(), steps, workers, |start, scores| {
            let code = |column: usize, codes: &mut [u16]| match &self.searches[column] {
                Some(search) => search_codes(search, &columns[column], start, codes),
                None => bins[column].encode(&columns[column], start, codes),
            };
            self.add(model, &Binned::block(&bins, scores.len(), &self.wanted, code), scores);
        })
    }

    fn add(&self, model: &Model, data: &Binned, scores: &mut [f64]) {
        let mut part = vec![0; scores.len()];
        for (hypothesis, steps) in model.hypotheses.iter().zip(&self.steps) {
            hypothesis.find_parts(data, 0..scores.len(), &mut part);
            for (score, &part) in scores.iter_mut().zip(&part) {
                *score += steps[usize::from(part)];
            }
        }
    }
}
