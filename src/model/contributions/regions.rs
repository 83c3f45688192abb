//! A model as a sum over regions: a worth for every row inside.
//!
//! In: a model whose scores are sums. Out: a base for all scores and regions, each a set of codes for
//! every column that it looks at. A stump and a rule are one region each, a tree one for each leaf
//! but the first. With every column comes the share of training rows that pass, among those that came
//! that far on the way through the rule or the tree: what counts for a column that is not known.

use super::super::{Member, Model};
use crate::combiner::Combiner;
use crate::data::Feature;
use crate::error::{Error, Result};
use crate::hypothesis::{AnswerKind, CodeSet, Hypothesis, Rule, Stump, Tree};
use crate::workers::Workers;

/// What a region wants of one column.
#[derive(Debug, Clone)]
pub(super) struct Side {
    pub column: usize,
    pub codes: CodeSet,
    /// The share of training rows that pass.
    pub share: f64,
}

/// Rows that pass all sides.
#[derive(Debug)]
pub(super) struct Region {
    /// One for each column.
    pub sides: Vec<Side>,
    /// What is added to each score inside.
    pub worth: Vec<f64>,
}

/// A sum over regions.
#[derive(Debug)]
pub(super) struct Regions {
    /// What every row has.
    pub base: Vec<f64>,
    pub list: Vec<Region>,
}

impl Regions {
    /// The regions of a model.
    pub fn of(model: &Model, workers: &Workers) -> Result<Self> {
        if !model.combiner.is_sum() {
            return Err(Error::internal("contributions are defined for sums only"));
        }
        let mut regions = Self { base: vec![0.0; model.combiner.n_scores()], list: Vec::new() };
        for member in &model.members {
            workers.check()?;
            match &member.hypothesis {
                Hypothesis::Stump(stump) => regions.add_stump(stump, member, model)?,
                Hypothesis::Rule(rule) => regions.add_rule(rule, member, model)?,
                Hypothesis::Tree(tree) => regions.add_tree(tree, member, model),
                Hypothesis::RbfNet(_) | Hypothesis::External(_) => {
                    return Err(Error::internal(
                        "contributions are defined for stumps, rules and trees only",
                    ));
                }
            }
        }
        Ok(regions)
    }

    /// Adds something that answers one thing inside and another outside.
    fn add_sides(&mut self, sides: Vec<Side>, member: &Member, model: &Model) {
        let [outside, inside] = [0, 1].map(|part| added_scores(member, part, &model.combiner));
        self.add_base(&outside);
        self.add_region(sides, &inside, &outside);
    }

    fn add_base(&mut self, answer: &[f64]) {
        for (base, added) in self.base.iter_mut().zip(answer) {
            *base += added;
        }
    }

    /// Adds a region where `answer` takes the place of what is in the base.
    fn add_region(&mut self, sides: Vec<Side>, answer: &[f64], in_base: &[f64]) {
        let worth: Vec<f64> = answer.iter().zip(in_base).map(|(a, b)| a - b).collect();
        if worth.iter().all(|worth| *worth == 0.0) {
            return;
        }
        if sides.is_empty() {
            self.add_base(&worth);
        } else {
            self.list.push(Region { sides, worth });
        }
    }

    fn add_stump(&mut self, stump: &Stump, member: &Member, model: &Model) -> Result<()> {
        let column = stump.test.column;
        let feature = &model.schema.features[column];
        let rows = feature.rows.as_ref().ok_or_else(not_counted)?;
        let codes = stump.test.inside(rows.len());
        let passing = (0u16..).zip(rows).filter(|(code, _)| codes.has(*code));
        let n_passing: u64 = passing.map(|(_, count)| count).sum();
        let share = n_passing as f64 / rows.iter().sum::<u64>() as f64;
        self.add_sides(vec![Side { column, codes, share }], member, model);
        Ok(())
    }

    fn add_rule(&mut self, rule: &Rule, member: &Member, model: &Model) -> Result<()> {
        if rule.shares.len() != rule.literals.len() {
            return Err(not_counted());
        }
        let mut sides = Vec::new();
        for (literal, &share) in rule.literals.iter().zip(&rule.shares) {
            let codes = literal.inside(n_codes(&model.schema.features[literal.column]));
            narrow(
                &mut sides,
                Side { column: literal.column, codes, share },
                &model.schema.features,
            );
        }
        self.add_sides(sides, member, model);
        Ok(())
    }

    fn add_tree(&mut self, tree: &Tree, member: &Member, model: &Model) {
        let shares = shares_inside(tree);
        let mut sides: Vec<Vec<Side>> = vec![Vec::new(); tree.leaves.len()];
        for (at, (split, share)) in tree.splits.iter().zip(shares).enumerate() {
            let column = split.test.column;
            let codes = split.test.inside(n_codes(&model.schema.features[column]));
            let mut outside = sides[usize::from(split.leaf)].clone();
            let other = Side { column, codes: codes.complement(), share: 1.0 - share };
            narrow(&mut outside, other, &model.schema.features);
            sides[at + 1] = outside;
            let inside = Side { column, codes, share };
            narrow(&mut sides[usize::from(split.leaf)], inside, &model.schema.features);
        }
        let first = added_scores(member, 0, &model.combiner);
        self.add_base(&first);
        for (leaf, sides) in sides.into_iter().enumerate().skip(1) {
            self.add_region(sides, &added_scores(member, leaf, &model.combiner), &first);
        }
    }
}

fn n_codes(feature: &Feature) -> usize {
    feature.bins.missing() + 1
}

/// Adds a side, which narrows the one that is there for the same column.
fn narrow(sides: &mut Vec<Side>, new: Side, features: &[Feature]) {
    match sides.iter_mut().find(|side| side.column == new.column) {
        Some(side) => {
            side.codes = side.codes.and(&new.codes, n_codes(&features[new.column]));
            side.share *= new.share;
        }
        None => sides.push(new),
    }
}

/// Of the rows that come to each split, the share that is inside; half where none comes.
fn shares_inside(tree: &Tree) -> Vec<f64> {
    let mut rows: Vec<u64> = tree.leaves.iter().map(|leaf| leaf.rows).collect();
    let mut shares = vec![0.5; tree.splits.len()];
    for (at, split) in tree.splits.iter().enumerate().rev() {
        let (inside, outside) = (rows[usize::from(split.leaf)], rows[at + 1]);
        let both = inside.saturating_add(outside);
        if both > 0 {
            shares[at] = inside as f64 / both as f64;
        }
        rows[usize::from(split.leaf)] = both;
    }
    shares
}

/// What a part of a hypothesis adds to every score.
fn added_scores(member: &Member, part: usize, combiner: &Combiner) -> Vec<f64> {
    let mut outputs = vec![0.0; combiner.n_outputs()];
    if let Some(answers) = member.hypothesis.part_answers() {
        let answer = answers.part(part);
        match answers.says {
            AnswerKind::Number => outputs[member.output] = member.weight * answer[0],
            AnswerKind::Class => outputs[answer[0] as usize] = member.weight,
            AnswerKind::Scores(_) => {
                for (output, number) in outputs.iter_mut().zip(answer) {
                    *output = member.weight * number;
                }
            }
        }
    }
    let outputs: Vec<&[f64]> = outputs.iter().map(std::slice::from_ref).collect();
    let mut scores = vec![0.0; combiner.n_scores()];
    combiner.write_scores(&outputs, &mut scores);
    scores
}

pub(super) fn not_counted() -> Error {
    Error::model_file(
        "the model comes from a version that did not count training rows, which contributions \
         need; fit it again",
    )
}
