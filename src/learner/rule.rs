//! Rules (monomials) grown literal by literal (C2).
//!
//! In: codes and a demand. Out: a conjunction of at most `max_literals` literals. Each step takes the
//! literal that makes {fired, not fired} purest and stops when none helps. Ties go to the lowest
//! column, then the lowest cut or category, then `≤` before `>` and `=` before `≠`. One tie is no
//! accident: where nothing is missing, a first literal and its opposite make the same two parts. Of
//! these two the one that leads to the better second literal is taken, so that it does not matter
//! which of two values is called 0. Cost: one pass over all codes for the first literal; for each
//! further one a pass over the rows that fire, or over those that do not any more, whichever are
//! fewer. Nock & Nielsen 2007, section 4; Nock & Lefaucheur 2002, section 4.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::channel_sums::ChannelSums;
use super::criterion::{
    AnswerMaker, AnswerName, Criterion, CriterionName, ErrorCriterion, GiniCriterion, TIE,
    ZCriterion,
};
use super::row_codes::RowCodes;
use super::row_order::RowOrder;
use super::test_search::total;
use super::{Demand, Histogram, Learner, Start};
use crate::data::{Binned, View};
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Literal, Rule, Wants};
use crate::workers::Workers;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleSettings {
    /// The most literals.
    pub max_literals: usize,
    /// How literals are scored.
    pub criterion: CriterionName,
    /// How rules answer.
    pub answer: AnswerName,
    /// How much a literal must lower the criterion, as a share of the total weight.
    pub min_gain: f64,
    /// As for stumps.
    pub smoothing: Option<f64>,
}

impl RuleSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Learner>> {
        if self.max_literals < 1 {
            return Err(Error::parameter("max_literals", 0, "an integer >= 1"));
        }
        if !(self.min_gain.is_finite() && self.min_gain >= 0.0) {
            return Err(Error::parameter("min_gain", self.min_gain, "a number >= 0"));
        }
        let rule = self.answer.resolve(start.votes_needed);
        let maker = AnswerMaker::new(rule, self.smoothing, start.lightest)?;
        let data = start.view.codes()?;
        Ok(Box::new(RuleLearner {
            settings: self.clone(),
            maker,
            fired: Histogram::new(data, 2),
            dropped: Histogram::new(data, 2),
            codes: RowCodes::new(data, start.workers)?,
            order: RowOrder::default(),
            weights: Vec::new(),
        }))
    }
}

struct RuleLearner {
    settings: RuleSettings,
    maker: AnswerMaker,
    /// Sums over the rows that fire.
    fired: Histogram,
    /// Sums over the rows that the last literal took out.
    dropped: Histogram,
    codes: RowCodes,
    /// Rows that fire come first.
    order: RowOrder,
    weights: Vec<u64>,
}

/// A rule as it grows.
struct Growing {
    literals: Vec<Literal>,
    /// The rows that fire: a stretch of the order.
    rows: Range<usize>,
    inside: [u64; 2],
    score: f64,
}

/// A literal under consideration.
#[derive(Clone, Copy)]
struct Candidate {
    score: f64,
    literal: Literal,
    inside: [u64; 2],
}

impl Learner for RuleLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let data = view.codes()?;
        self.fired.fill(data, demand, workers)?;
        let total: [u64; 2] = total(data, &self.fired);
        let grown = match self.settings.criterion {
            CriterionName::Error => self.grow::<ErrorCriterion>(data, demand, total, workers),
            CriterionName::Z => self.grow::<ZCriterion>(data, demand, total, workers),
            CriterionName::Gini => self.grow::<GiniCriterion>(data, demand, total, workers),
        }?;
        let whole = total.weight();
        Ok(Hypothesis::Rule(Rule {
            inside: self.maker.answer(grown.inside, whole),
            outside: self.maker.answer(total.minus(&grown.inside), whole),
            rows_inside: self.order.count(grown.rows.clone(), demand),
            weight_inside: grown.inside.weight() as f64 / whole as f64,
            literals: grown.literals,
        }))
    }
}

impl RuleLearner {
    fn grow<C: Criterion>(
        &mut self,
        data: &Binned,
        demand: &Demand,
        total: [u64; 2],
        workers: &Workers,
    ) -> Result<Growing> {
        let least_gain = self.settings.min_gain.max(TIE) * total.weight() as f64;
        let tie = TIE * total.weight() as f64;
        let mut rule = Growing {
            literals: Vec::new(),
            rows: 0..data.n_rows(),
            inside: total,
            score: total.impurity::<C>(),
        };
        self.order.reset(data.n_rows(), workers)?;
        let mut next = best_literal::<C>(&self.fired, data, total, workers)?;
        for step in 1..=self.settings.max_literals {
            let Some(best) = next.filter(|best| rule.score - best.score > least_gain) else {
                break;
            };
            let Literal { column, .. } = best.literal;
            let set = best.literal.inside(data.n_codes(column));
            let Range { start, end } = rule.rows;
            let middle = self.order.split(start..end, data, column, &set, workers)?;
            rule.literals.retain(|literal| !best.literal.implies(literal));
            rule.literals.push(best.literal);
            rule.rows = start..middle;
            rule.inside = best.inside;
            rule.score = best.score;
            if step == self.settings.max_literals {
                break;
            }
            self.add_up(start..middle, middle..end, (data, demand), workers)?;
            next = best_literal::<C>(&self.fired, data, total, workers)?;
            if step == 1
                && let Some(opposite) = self.opposite(best.literal, data)
                && let Some(other) = best_literal::<C>(&self.dropped, data, total, workers)?
                && next.is_none_or(|next| other.score < next.score - tie)
            {
                std::mem::swap(&mut self.fired, &mut self.dropped);
                rule.literals = vec![opposite];
                rule.rows = middle..end;
                rule.inside = total.minus(&best.inside);
                next = Some(other);
            }
        }
        Ok(rule)
    }

    /// Brings the sums from all rows that fired to those that still do, and to the dropped ones.
    fn add_up(
        &mut self,
        fired: Range<usize>,
        dropped: Range<usize>,
        (data, demand): (&Binned, &Demand),
        workers: &Workers,
    ) -> Result<()> {
        let fewer_dropped = dropped.len() < fired.len();
        let rows = self.order.rows(if fewer_dropped { dropped } else { fired });
        let codes = (data, &self.codes);
        self.dropped.fill_rows(codes, demand, rows, &mut self.weights, workers)?;
        self.fired.subtract(&self.dropped);
        if !fewer_dropped {
            std::mem::swap(&mut self.fired, &mut self.dropped);
        }
        Ok(())
    }

    /// The literal that holds for just the other rows, if there is one: for a missing value, a
    /// literal and its negation are both false.
    fn opposite(&self, literal: Literal, data: &Binned) -> Option<Literal> {
        let missing = data.n_codes(literal.column) - 1;
        let is_missing = |sums: &Histogram| {
            (0..2).any(|channel| sums.channel(literal.column, channel)[missing] > 0)
        };
        let wants = match literal.wants {
            Wants::Missing => Wants::Present,
            Wants::Present => Wants::Missing,
            _ if is_missing(&self.fired) || is_missing(&self.dropped) => return None,
            Wants::AtMost(cut) => Wants::Above(cut),
            Wants::Above(cut) => Wants::AtMost(cut),
            Wants::Is(code) => Wants::IsNot(code),
            Wants::IsNot(code) => Wants::Is(code),
        };
        Some(Literal { column: literal.column, wants })
    }
}

/// The best literal to add to a rule that fires on the rows of `fired`.
fn best_literal<C: Criterion>(
    fired: &Histogram,
    data: &Binned,
    total: [u64; 2],
    workers: &Workers,
) -> Result<Option<Candidate>> {
    let steps = (0..data.n_columns()).map(|c| data.n_codes(c)).sum::<usize>();
    let columns = (0..data.n_columns()).collect();
    let search = |column| Ok(best_of_column::<C>(fired, data, total, column));
    let candidates = workers.map(steps, columns, search)?;
    let tie = TIE * total.weight() as f64;
    let mut best: Option<Candidate> = None;
    for candidate in candidates.into_iter().flatten() {
        if best.is_none_or(|best| candidate.score < best.score - tie) {
            best = Some(candidate);
        }
    }
    Ok(best)
}

fn best_of_column<C: Criterion>(
    sums: &Histogram,
    data: &Binned,
    total: [u64; 2],
    column: usize,
) -> Option<Candidate> {
    let missing = data.n_codes(column) - 1;
    let channels = [sums.channel(column, 0), sums.channel(column, 1)];
    let at = |code: usize| <[u64; 2]>::at(&channels, code);
    let present = (0..missing).fold([0; 2], |sum, code| sum.plus(&at(code)));
    let fired = present.plus(&at(missing));
    let tie = TIE * total.weight() as f64;
    let mut best: Option<Candidate> = None;
    let mut consider = |inside: [u64; 2], wants: Wants| {
        if inside.weight() == 0 || inside.weight() == fired.weight() {
            return; // says nothing of the rows that fire
        }
        let score = inside.impurity::<C>() + total.minus(&inside).impurity::<C>();
        if best.is_none_or(|best| score < best.score - tie) {
            best = Some(Candidate { score, literal: Literal { column, wants }, inside });
        }
    };
    if data.is_categorical(column) {
        for code in 0..missing {
            consider(at(code), Wants::Is(code as u16));
            consider(present.minus(&at(code)), Wants::IsNot(code as u16));
        }
    } else {
        let mut below = [0; 2];
        for cut in 0..missing.saturating_sub(1) {
            below.add(&at(cut));
            consider(below, Wants::AtMost(cut as u16));
            consider(present.minus(&below), Wants::Above(cut as u16));
        }
    }
    consider(at(missing), Wants::Missing);
    consider(present, Wants::Present);
    best
}
