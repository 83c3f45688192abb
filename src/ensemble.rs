//! Hypotheses and their weights on the way to a model, with the scores that they give to the rows at
//! hand.
//!
//! In: the hypotheses of each round and their answers to the training rows. Out: members and the
//! history of their scores. Boosters that look back replace all weights after each round, and a
//! program may do so at the end: then scores are added up anew.

use crate::booster::Scores;
use crate::combiner::Combiner;
use crate::data::{Binned, Feature, Rows, Schema, View};
use crate::error::Result;
use crate::hypothesis::{Answers, Hypothesis};
use crate::model::{History, Member, Model, StopReason, Tally, by_round, tested_columns};
use crate::prepared::PreparedRows;
use crate::reduce::Reduce;
use crate::workers::Workers;

/// Rows and their scores so far.
pub struct Scored {
    /// The rows.
    pub prepared: PreparedRows,
    /// Their scores.
    pub scores: Scores,
    /// The answers of all members, where weights are replaced after every round.
    past: Vec<Answers>,
}

impl Scored {
    fn new(prepared: PreparedRows, combiner: &Combiner, workers: &Workers) -> Result<Self> {
        let scores = Scores::start(&prepared.rows, combiner, prepared.costs.clone(), workers)?;
        Ok(Self { scores, prepared, past: Vec::new() })
    }

    fn start_over(&mut self, combiner: &Combiner, workers: &Workers) -> Result<()> {
        let costs = self.prepared.costs.clone();
        self.scores = Scores::start(&self.prepared.rows, combiner, costs, workers)?;
        Ok(())
    }

    /// Adds hypotheses whose answers are at hand, by output.
    fn add(
        &mut self,
        (round, members): (usize, &[Member]),
        answers: &[Answers],
        workers: &Workers,
    ) -> Result<Tally> {
        let answers = members.iter().map(|member| &answers[member.output]);
        self.scores.add(round, &weighed(members, answers), workers)
    }

    /// Adds all members anew, as if in one round, with what answers of the last ones are at hand, by
    /// output.
    fn add_all(
        &mut self,
        members: &[Member],
        answers: &[Answers],
        combiner: &Combiner,
        workers: &Workers,
    ) -> Result<Tally> {
        let last = members[self.past.len()..].iter();
        self.past.extend(last.map(|member| answers[member.output].clone()));
        self.start_over(combiner, workers)?;
        self.scores.add(0, &weighed(members, &self.past), workers)
    }
}

/// The answers of members, each with the output and the weight that it is added with.
fn weighed<'a>(
    members: &[Member],
    answers: impl IntoIterator<Item = &'a Answers>,
) -> Vec<(&'a Answers, usize, f64)> {
    let each = members.iter().zip(answers);
    each.map(|(member, answers)| (answers, member.output, member.weight)).collect()
}

/// What has been found so far.
pub struct Ensemble<'a> {
    /// The scores that hypotheses add to.
    pub combiner: Combiner,
    /// Training rows.
    pub train: Scored,
    /// Validation rows.
    pub validation: Option<Scored>,
    /// The hypotheses, in round order.
    pub members: Vec<Member>,
    /// How each round went.
    pub history: History,
    /// Who works.
    pub workers: &'a Workers,
}

impl<'a> Ensemble<'a> {
    /// Nothing found so far.
    pub fn new(
        combiner: &Combiner,
        train: PreparedRows,
        validation: Option<PreparedRows>,
        workers: &'a Workers,
    ) -> Result<Self> {
        let validation = validation.map(|prepared| Scored::new(prepared, combiner, workers));
        Ok(Self {
            train: Scored::new(train, combiner, workers)?,
            validation: validation.transpose()?,
            combiner: combiner.clone(),
            members: Vec::new(),
            history: History::default(),
            workers,
        })
    }

    /// Adds a round: hypotheses whose answers to the training rows are at hand, by output; these are
    /// overwritten. `corrected` are new weights of all hypotheses, by output.
    pub fn add(
        &mut self,
        members: Vec<Member>,
        answers: &mut [Answers],
        corrected: Option<&[Vec<f64>]>,
    ) -> Result<()> {
        let first_new = self.members.len();
        self.members.extend(members);
        if let Some(weights) = corrected {
            self.replace_weights(weights);
        }
        let Self { combiner, train, validation, members, history, workers } = self;
        let round = history.n_rounds();
        let add = |scored: &mut Scored, answers: &[Answers]| match corrected {
            None => scored.add((round, &members[first_new..]), answers, workers),
            Some(_) => scored.add_all(members, answers, combiner, workers),
        };
        history.note_train(add(train, answers)?);
        if let Some(validation) = validation {
            for Member { hypothesis, output, .. } in &members[first_new..] {
                hypothesis.answer(&validation.prepared.view, workers, &mut answers[*output])?;
            }
            history.note_validation(add(validation, answers)?);
        }
        Ok(())
    }

    /// Lets scores mean something else from now on.
    pub fn set_combiner(&mut self, combiner: &Combiner) {
        self.combiner = combiner.clone();
        for scored in std::iter::once(&mut self.train).chain(&mut self.validation) {
            scored.scores.set_combiner(combiner);
        }
    }

    /// Forgets all but the first rounds, whose scores mean this.
    pub fn keep_rounds(&mut self, n_rounds: usize, combiner: &Combiner) -> Result<()> {
        self.members.retain(|member| member.round < n_rounds);
        self.history.keep_rounds(&(0..n_rounds).collect::<Vec<_>>());
        self.combiner = combiner.clone();
        let kept = self.history.clone();
        self.settle()?;
        self.history = kept;
        Ok(())
    }

    /// Gives the hypotheses of every output, in round order, new weights. Scores stay as they are.
    pub fn replace_weights(&mut self, by_output: &[Vec<f64>]) {
        let mut next: Vec<_> = by_output.iter().map(|weights| weights.iter()).collect();
        for member in &mut self.members {
            let weight = next[member.output].next().copied().unwrap_or(0.0);
            member.weight = weight;
            self.history.weights[member.round * by_output.len() + member.output] = weight;
        }
    }

    /// Adds up the scores of all rounds under the weights of now.
    pub fn settle(&mut self) -> Result<()> {
        let n_rounds = self.history.n_rounds();
        self.history.forget_scores();
        let mut answers = vec![Answers::default(); self.combiner.n_outputs()];
        for scored in std::iter::once(&mut self.train).chain(&mut self.validation) {
            scored.start_over(&self.combiner, self.workers)?;
        }
        for (round, members) in by_round(&self.members, n_rounds) {
            let mut add = |scored: &mut Scored| {
                for Member { hypothesis, output, .. } in members {
                    self.workers.check()?;
                    let view = &scored.prepared.view;
                    hypothesis.answer(view, self.workers, &mut answers[*output])?;
                }
                scored.add((round, members), &answers, self.workers)
            };
            self.history.note_train(add(&mut self.train)?);
            if let Some(validation) = &mut self.validation {
                self.history.note_validation(add(validation)?);
            }
        }
        Ok(())
    }

    /// Drops hypotheses of no weight, and rounds that have no other.
    pub fn prune(&mut self) {
        self.members.retain(|member| member.weight != 0.0);
        let mut rounds: Vec<usize> = self.members.iter().map(|member| member.round).collect();
        rounds.dedup();
        self.history.keep_rounds(&rounds);
        for member in &mut self.members {
            member.round = rounds.partition_point(|&round| round < member.round);
        }
    }

    /// The model that this has become, with what it must remember of the columns.
    pub fn into_model(self, mut schema: Schema, stop_reason: StopReason) -> Result<Model> {
        let Self { combiner, mut members, history, train, workers, .. } = self;
        if let View::Codes(data) = &train.prepared.view {
            count_rows((&mut schema.features, &mut members), data, &train.prepared.rows, workers)?;
        }
        Ok(Model::new(schema, combiner, members, history, stop_reason))
    }
}

/// Notes how many of these rows have each code of the columns that hypotheses look at, and how many
/// come past each literal of a rule.
pub(crate) fn count_rows(
    (features, members): (&mut [Feature], &mut [Member]),
    data: &Binned,
    rows: &Rows,
    workers: &Workers,
) -> Result<()> {
    let tested = tested_columns(members, features.len());
    let items = features.iter_mut().zip(tested).enumerate().collect();
    workers.map(data.n_rows() * data.n_columns(), items, |(column, (feature, tested))| {
        feature.rows = tested.then(|| data.count(column, rows.copies()));
        Ok(())
    })?;
    let reduce = workers.reduce();
    let by_code = features.iter_mut().filter_map(|feature| feature.rows.as_mut());
    sum_all(by_code.flatten(), reduce)?;
    let counted = workers.map(data.n_rows() * members.len(), members.iter().collect(), |member| {
        Ok(match &member.hypothesis {
            Hypothesis::Rule(rule) => rule.count_steps(data, rows.copies()),
            _ => Vec::new(),
        })
    });
    let mut counted = counted?;
    sum_all(counted.iter_mut().flatten(), reduce)?;
    for (member, counts) in members.iter_mut().zip(counted) {
        if let Hypothesis::Rule(rule) = &mut member.hypothesis {
            rule.set_shares(&counts);
        }
    }
    Ok(())
}

/// Brings many counts of the rows of one shard to those of all shards.
fn sum_all<'a>(counts: impl Iterator<Item = &'a mut u64>, reduce: &dyn Reduce) -> Result<()> {
    if !reduce.is_split() {
        return Ok(());
    }
    let counts: Vec<&mut u64> = counts.collect();
    let mut sums: Vec<u64> = counts.iter().map(|count| **count).collect();
    reduce.sum_if_split(&mut sums)?;
    for (count, sum) in counts.into_iter().zip(sums) {
        *count = sum;
    }
    Ok(())
}
