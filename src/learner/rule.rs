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

use super::any_search::{AnySearch, search};
use super::channel_sums::{ChannelSums, answer_parts};
use super::criterion::{AnswerMaker, AnswerName, Criterion, CriterionName, TIE};
use super::histogram::Scratch;
use super::kept_sums::KeptSums;
use super::row_order::RowOrder;
use super::search_input::SearchInput;
use super::test_search::{SearchSpace, best_of_columns, total};
use super::{Histogram, Learner, Start};
use crate::data::{Binned, View};
use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::hypothesis::{Hypothesis, Literal, Rule, Wants};
use crate::portable::ln;
use crate::workers::Workers;

/// What a further literal must gain where literals cost something, in parts of the nats that it takes
/// to name it. One part pays for the name, another for the choice among many, of which the best looks
/// better than it is.
const FURTHER_LITERALS: f64 = 2.0;

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
        let rule = self.answer.resolve(start.needs);
        let maker = AnswerMaker::new(rule, self.smoothing)?;
        let (data, n_channels) = (start.view.codes()?, start.question.n_channels());
        Histogram::check_memory(data, n_channels, 3)?;
        let sums = Histogram::new(data, n_channels);
        Ok(Box::new(RuleLearner {
            settings: self.clone(),
            maker,
            all: KeptSums::checked(start)?,
            fired: sums.clone(),
            dropped: sums,
            order: RowOrder::default(),
            scratch: Scratch::default(),
        }))
    }
}

struct RuleLearner {
    settings: RuleSettings,
    maker: AnswerMaker,
    /// Sums over all rows.
    all: KeptSums,
    /// Sums over the rows that fire.
    fired: Histogram,
    /// Sums over the rows that the last literal took out.
    dropped: Histogram,
    /// Rows that fire come first.
    order: RowOrder,
    scratch: Scratch,
}

impl Learner for RuleLearner {
    fn fit(&mut self, view: &View, demand: &Demand, workers: &Workers) -> Result<Hypothesis> {
        let data = view.codes()?;
        for sums in [&mut self.fired, &mut self.dropped] {
            sums.fit(data, demand.question.n_channels());
        }
        self.fired.copy_from(self.all.of(data, demand, workers)?);
        let criterion = self.settings.criterion;
        let rule = RuleSearch { learner: self, input: SearchInput { data, demand, workers } };
        search(demand.question, criterion, rule).map(Hypothesis::Rule)
    }
}

/// A rule as it grows.
struct Growing<S> {
    literals: Vec<Literal>,
    /// The places that fire: a stretch of the order.
    places: Range<usize>,
    inside: S,
    score: f64,
}

/// A literal under consideration.
struct Candidate<S> {
    score: f64,
    literal: Literal,
    inside: S,
}

/// The search, with the sums over all rows at hand.
struct RuleSearch<'a> {
    learner: &'a mut RuleLearner,
    input: SearchInput<'a>,
}

impl AnySearch for RuleSearch<'_> {
    type Found = Rule;

    const TWO_PARTS: bool = true;

    fn run<S: ChannelSums, C: Criterion>(self) -> Result<Rule> {
        let Self { learner, input } = self;
        let total: S = total(input.data, &learner.fired, input.demand);
        let grown = learner.grow::<S, C>(&input, &total)?;
        let sides = [&total.minus(&grown.inside), &grown.inside];
        Ok(Rule {
            answers: answer_parts(&learner.maker, input.demand.lightest, &total, sides),
            rows_inside: input
                .workers
                .reduce()
                .total(learner.order.count(grown.places.clone(), input.demand))?,
            weight_inside: grown.inside.weight() as f64 / total.weight().max(1) as f64,
            literals: grown.literals,
            shares: Vec::new(), // are counted when the run is over
        })
    }
}

impl RuleLearner {
    fn grow<S: ChannelSums, C: Criterion>(
        &mut self,
        input: &SearchInput,
        total: &S,
    ) -> Result<Growing<S>> {
        let SearchInput { data, demand, workers } = *input;
        let least_gain = self.settings.min_gain.max(TIE) * total.weight() as f64;
        // The first literal is free: there is no rule without it.
        let nat = demand.partitions.and_then(|partitions| partitions.row()).unwrap_or(0.0);
        let further_gain = least_gain.max(FURTHER_LITERALS * nat * ln(data.n_tests() as f64));
        let tie = total.tie();
        let mut rule = Growing {
            literals: Vec::new(),
            places: 0..demand.n_places(),
            inside: total.clone(),
            score: if S::NEEDS_TEST { f64::INFINITY } else { total.impurity::<C>() },
        };
        self.order.reset(demand.n_places(), workers)?;
        let mut next = best_literal::<S, C>(&self.fired, data, total, workers)?;
        for step in 1..=self.settings.max_literals {
            let least_gain = if step == 1 { least_gain } else { further_gain };
            let Some(best) = next.filter(|best| rule.score - best.score > least_gain) else {
                break;
            };
            let Literal { column, .. } = best.literal;
            let set = best.literal.inside(data.n_codes(column));
            let Range { start, end } = rule.places;
            let middle = self.order.split(start..end, (data, demand), column, &set, workers)?;
            rule.literals.retain(|literal| !best.literal.implies(literal));
            rule.literals.push(best.literal);
            rule.places = start..middle;
            rule.inside = best.inside;
            rule.score = best.score;
            if step == self.settings.max_literals {
                break;
            }
            self.add_up(start..middle, middle..end, input)?;
            next = best_literal::<S, C>(&self.fired, data, total, workers)?;
            if step == 1
                && let Some(opposite) = self.opposite(best.literal, data)
                && let Some(other) = best_literal::<S, C>(&self.dropped, data, total, workers)?
                && next.as_ref().is_none_or(|next| other.score < next.score - tie)
            {
                std::mem::swap(&mut self.fired, &mut self.dropped);
                rule.literals = vec![opposite];
                rule.places = middle..end;
                rule.inside = total.minus(&rule.inside);
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
        input: &SearchInput,
    ) -> Result<()> {
        let SearchInput { data, demand, workers } = *input;
        let mut counts = [dropped.len() as u64, fired.len() as u64];
        workers.reduce().sum_if_split(&mut counts)?;
        let fewer_dropped = counts[0] < counts[1];
        let places = self.order.places(if fewer_dropped { dropped } else { fired });
        self.dropped.fill_places(data, demand, places, &mut self.scratch, workers)?;
        self.dropped.reduce(workers)?;
        self.fired.subtract(&self.dropped, workers)?;
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
            (0..sums.n_channels()).any(|channel| sums.channel(literal.column, channel)[missing] > 0)
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
fn best_literal<S: ChannelSums, C: Criterion>(
    fired: &Histogram,
    data: &Binned,
    total: &S,
    workers: &Workers,
) -> Result<Option<Candidate<S>>> {
    let space = SearchSpace { data, n_channels: fired.n_channels(), columns: None };
    best_of_columns(space, total.tie(), workers, |column| {
        best_of_column::<S, C>(fired, data, total, column).map(|best| (best.score, best))
    })
}

fn best_of_column<S: ChannelSums, C: Criterion>(
    sums: &Histogram,
    data: &Binned,
    total: &S,
    column: usize,
) -> Option<Candidate<S>> {
    let missing = data.n_codes(column) - 1;
    let n_channels = sums.n_channels();
    let channels: Vec<&[u64]> =
        (0..n_channels).map(|channel| sums.channel(column, channel)).collect();
    let at = |code: usize| total.at(&channels, code);
    let present = (0..missing).fold(total.empty(), |sum, code| sum.plus(&at(code)));
    let fired = present.plus(&at(missing));
    let tie = total.tie();
    let mut best: Option<Candidate<S>> = None;
    let mut consider = |inside: &S, wants: Wants| {
        if inside.weight() == 0 || inside.weight() == fired.weight() {
            return; // says nothing of the rows that fire
        }
        let score = inside.split_impurity::<C>(total) + total.luck(column, || wants.number());
        if score < best.as_ref().map_or(f64::INFINITY, |best| best.score - tie) {
            let literal = Literal { column, wants };
            best = Some(Candidate { score, literal, inside: inside.clone() });
        }
    };
    if data.is_categorical(column) {
        for code in 0..missing {
            consider(&at(code), Wants::Is(code as u16));
            consider(&present.minus(&at(code)), Wants::IsNot(code as u16));
        }
    } else {
        let mut below = total.empty();
        for cut in 0..missing.saturating_sub(1) {
            below.add(&at(cut));
            consider(&below, Wants::AtMost(cut as u16));
            consider(&present.minus(&below), Wants::Above(cut as u16));
        }
    }
    consider(&at(missing), Wants::Missing);
    consider(&present, Wants::Present);
    best
}
