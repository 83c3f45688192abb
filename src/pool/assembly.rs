//! The model that the pool has become: a plain sum of trees.
//!
//! In: forests with the factors of their candidates, boosted runs, and the factors of both. Out: a
//! model whose members are the trees of the forests, then those of the boosted runs.

use super::blend::{Blend, Candidate};
use super::boosted::BoostedRun;
use super::forest::{AnsweredTree, Forest, PoolRows};
use super::plan::LAMBDAS;
use super::random_tree::ROW;
use crate::combiner::Combiner;
use crate::error::Result;
use crate::hypothesis::{AnswerKind, Hypothesis, Leaf, PartAnswers, Tree, make_monotone};
use crate::model::{History, Member, Model, StopReason};
use crate::prepared::Prepared;
use crate::workers::Workers;

/// What the model is made of.
pub(super) struct Parts<'a> {
    pub rows: &'a PoolRows<'a>,
    pub forests: &'a [Forest],
    pub candidates: &'a [Candidate],
    pub blend: &'a Blend,
    pub runs: &'a [BoostedRun],
    /// Of forests and of boosted trees.
    pub factors: [f64; 2],
    /// The order of scores along columns.
    pub signs: &'a [i8],
}

/// Puts the model together; `right` is the share of rows that it gets right out of bag.
pub(super) fn assemble(
    parts: &Parts,
    right: f64,
    workers: &Workers,
) -> Result<(Combiner, Vec<Member>, History)> {
    let n_classes = parts.rows.n_classes;
    let combiner = if n_classes == 2 { Combiner::Sign } else { Combiner::by_class(n_classes) };
    let mut members: Vec<Member> = Vec::new();
    let mut weights = Vec::new();
    let mut bias = parts.blend.bias(parts.candidates, n_classes);
    for bias in &mut bias {
        *bias *= parts.factors[0];
    }
    for (at, forest) in parts.forests.iter().enumerate() {
        let own = at * LAMBDAS.len()..(at + 1) * LAMBDAS.len();
        let factors: Vec<f64> = own
            .map(|at| {
                parts.factors[0] * parts.blend.weights[at] * parts.candidates[at].link.factors[0]
            })
            .collect();
        if factors.iter().all(|factor| factor.abs() < 1e-9) {
            continue; // nothing of this forest is taken
        }
        for mut tree in forest.answered(parts.rows, &LAMBDAS, &factors, workers)? {
            // The first tree has what all rows get.
            if members.is_empty() {
                for values in tree.values.chunks_mut(n_classes) {
                    for (value, bias) in values.iter_mut().zip(&bias) {
                        *value += bias;
                    }
                }
            }
            let mut tree = finished(tree, n_classes);
            if !parts.signs.is_empty() {
                let n_codes = |column| parts.rows.data.n_codes(column);
                let rows: Vec<f64> = tree.leaves.iter().map(|leaf| leaf.rows as f64).collect();
                let Tree { splits, answers, .. } = &mut tree;
                make_monotone(splits, &rows, &mut answers.numbers, (parts.signs, &n_codes));
            }
            let hypothesis = Hypothesis::Tree(tree);
            members.push(Member { hypothesis, weight: 1.0, output: 0, round: weights.len() });
            weights.push(1.0);
        }
    }
    let share = parts.factors[1] / parts.runs.len().max(1) as f64;
    for run in parts.runs {
        let first = weights.len();
        for member in &run.members {
            let weight = share * member.weight;
            let round = first + member.round;
            members.push(Member { weight, round, ..member.clone() });
            if weights.len() <= round {
                weights.push(weight);
            }
        }
    }
    let n_rounds = weights.len();
    let history = History {
        weights,
        edges: vec![2.0 * right - 1.0; n_rounds],
        errors: vec![1.0 - right; n_rounds],
        train_scores: vec![right; n_rounds],
        ..History::default()
    };
    Ok((combiner, members, history))
}

/// A tree whose leaves answer for one score of two classes, or for all classes.
fn finished(tree: AnsweredTree, n_classes: usize) -> Tree {
    let AnsweredTree { splits, values, leaves } = tree;
    let answers = if n_classes == 2 {
        let halves = values.chunks(2).map(|pair| rounded(0.5 * (pair[1] - pair[0])));
        PartAnswers { says: AnswerKind::Number, numbers: halves.collect() }
    } else {
        let numbers = values.into_iter().map(rounded).collect();
        PartAnswers { says: AnswerKind::Scores(n_classes), numbers }
    };
    let total = leaves.weights.iter().sum::<u64>().max(ROW) as f64;
    let leaves = leaves
        .rows
        .iter()
        .zip(leaves.weights.chunks(n_classes))
        .map(|(&rows, weights)| Leaf { rows, weight: weights.iter().sum::<u64>() as f64 / total });
    Tree::new(splits, leaves.collect(), answers)
}

/// To so many digits that a file has no more of them than matter.
fn rounded(number: f64) -> f64 {
    (number * 1e8).round() / 1e8
}

/// The model with what it must remember of the columns.
pub(super) fn into_model(
    (combiner, members, history): (Combiner, Vec<Member>, History),
    prepared: Prepared,
    workers: &Workers,
) -> Result<Model> {
    let Prepared { train, mut schema, .. } = prepared;
    let data = train.view.codes()?;
    let mut members = members;
    crate::ensemble::count_rows((&mut schema.features, &mut members), data, &train.rows, workers)?;
    Ok(Model::new(schema, combiner, members, history, StopReason::NEstimators))
}
