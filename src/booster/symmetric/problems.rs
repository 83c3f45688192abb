//! SFBoost for several classes: two-class problems with a table each, which go side by side (B5).
//!
//! A round adds a hypothesis to every problem that is not finished. Pruning keeps the rounds up to the
//! one after which what is to be small, such as the losses, has the least sum over all problems.

use super::{NO_LOSS, Place, Symmetric, SymmetricSettings};
use crate::booster::separate::{decompose, round_of};
use crate::booster::symmetric::buckets::Kinds;
use crate::booster::{Found, Judgement, RoundJudgement, Scores, Team, TeamStart, Verdict};
use crate::combiner::{Buckets, Combiner, Tables};
use crate::demand::{Demand, Question};
use crate::error::Result;
use crate::model::StopReason;
use crate::workers::Workers;

pub(super) struct SymmetricProblems {
    combiner: Combiner,
    problems: Vec<Symmetric>,
    /// Why each problem is finished.
    over: Vec<Option<StopReason>>,
    /// The tables after the best round so far, and how good it was, if later ones are dropped.
    best: Option<(Vec<Buckets>, f64)>,
}

fn total_standing(problems: &[Symmetric]) -> f64 {
    problems.iter().map(Symmetric::standing).sum()
}

impl SymmetricProblems {
    pub fn start(settings: &SymmetricSettings, start: &TeamStart) -> Result<Self> {
        let classes = decompose(start)?;
        let sides = classes.sides();
        let each = sides.iter().enumerate().map(|(output, sides)| {
            settings.start_at(start, Place { output, kinds: Kinds::sides(sides) })
        });
        let problems = each.collect::<Result<Vec<_>>>()?;
        let tables = tables_of(&problems);
        Ok(Self {
            best: settings.prunes().then(|| (tables.clone(), total_standing(&problems))),
            combiner: Combiner::Tables(Tables { problems: Box::new(classes), tables }),
            over: vec![None; problems.len()],
            problems,
        })
    }

    fn set_tables(&mut self, new: Vec<Buckets>) {
        if let Combiner::Tables(Tables { tables, .. }) = &mut self.combiner {
            *tables = new;
        }
    }
}

/// The tables of all problems.
fn tables_of(problems: &[Symmetric]) -> Vec<Buckets> {
    problems.iter().filter_map(|problem| problem.combiner.buckets().cloned()).collect()
}

impl Team for SymmetricProblems {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        self.problems[0].question()
    }

    fn n_searches(&self) -> usize {
        self.problems.len()
    }

    fn n_weights(&self) -> usize {
        self.problems.len()
    }

    fn demand(
        &mut self,
        search: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        if self.over[search].is_some() {
            return Ok(None);
        }
        self.problems[search].demand(search, scores, workers)
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        let mut judgements = Vec::with_capacity(self.problems.len());
        for (search, problem) in self.problems.iter_mut().enumerate() {
            let found = found.iter().find(|found| found.search == search);
            let judged = match self.over[search] {
                Some(reason) => {
                    let verdict = Verdict::DropAndStop(reason);
                    Judgement { weight: 0.0, edge: 0.0, error: 0.5, verdict }
                }
                None => problem.judge_one(found, scores, workers)?,
            };
            if let Verdict::KeepAndStop(reason) | Verdict::DropAndStop(reason) = judged.verdict {
                self.over[search] = Some(reason);
            }
            judgements.push(judged);
        }
        Ok(round_of(&judgements, &self.over, StopReason::NoNewTest))
    }

    fn update(
        &mut self,
        found: &[Found],
        weights: &[Option<f64>],
        workers: &Workers,
    ) -> Result<()> {
        for (search, problem) in self.problems.iter_mut().enumerate() {
            let found = found.iter().find(|found| found.search == search);
            match (found, weights[search]) {
                (Some(found), Some(_)) => problem.take(found, workers)?,
                _ => problem.pass(),
            }
        }
        let tables = tables_of(&self.problems);
        let standing = total_standing(&self.problems);
        if let Some((best, least)) = &mut self.best
            && standing < *least - NO_LOSS
        {
            best.clone_from(&tables);
            *least = standing;
        }
        self.set_tables(tables);
        Ok(())
    }

    fn finish(&mut self, _: &Workers) -> Result<()> {
        if let Some((best, _)) = &self.best {
            // Row weights are read from the problems, under the scores of the rounds that are kept.
            for (problem, table) in self.problems.iter_mut().zip(best) {
                problem.combiner = Combiner::Buckets(table.clone());
            }
            self.set_tables(best.clone());
        }
        Ok(())
    }

    fn row_weights(&self, scores: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        let mut shares = vec![0.0; scores.n_rows()];
        for problem in &self.problems {
            let (weights, total) = problem.row_weights(scores, workers)?;
            for (share, weight) in shares.iter_mut().zip(weights) {
                *share += weight / total;
            }
        }
        Ok((shares, self.problems.len() as f64))
    }

    fn n_kept(&self) -> Option<usize> {
        self.best.as_ref().and_then(|(best, _)| best.first()).map(Buckets::n_rounds)
    }
}
