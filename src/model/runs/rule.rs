//! Rules in a model file.

use serde::{Deserialize, Serialize};

use super::test_fields::Sides;
use super::{Reader, SaysField};
use crate::data::Bins;
use crate::error::Result;
use crate::hypothesis::{Hypothesis, Literal, Rule, Wants};
use crate::model::checks::refuse;

/// `literals` says how many entries of `column`, `wants` and `code` belong to each rule.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct RuleFields {
    /// What the answers mean.
    #[serde(default, skip_serializing_if = "SaysField::is_number")]
    pub(super) says: SaysField,
    literals: Vec<usize>,
    column: Vec<usize>,
    wants: Vec<u8>,
    code: Vec<u16>,
    /// One for each literal, or none at all, as in versions before 5.
    #[serde(default)]
    share: Vec<f64>,
    inside: Vec<f64>,
    outside: Vec<f64>,
    rows_inside: Vec<u64>,
    weight_inside: Vec<f64>,
}

/// What a literal wants, by its number in the file.
const WANTS: [fn(u16) -> Wants; 6] =
    [Wants::AtMost, Wants::Above, Wants::Is, Wants::IsNot, |_| Wants::Missing, |_| Wants::Present];

impl RuleFields {
    pub(super) fn new(says: SaysField) -> Self {
        Self { says, ..Self::default() }
    }

    /// Whether all rules so far know the shares of their literals, or none does, like this one.
    pub(super) fn count_as(&self, rule: &Rule) -> bool {
        let settled = !self.column.is_empty() && !rule.literals.is_empty();
        !settled || self.share.is_empty() == rule.shares.is_empty()
    }

    pub(super) fn push(&mut self, rule: &Rule) {
        self.literals.push(rule.literals.len());
        for literal in &rule.literals {
            let (wants, code) = match literal.wants {
                Wants::AtMost(code) => (0, code),
                Wants::Above(code) => (1, code),
                Wants::Is(code) => (2, code),
                Wants::IsNot(code) => (3, code),
                Wants::Missing => (4, 0),
                Wants::Present => (5, 0),
            };
            self.column.push(literal.column);
            self.wants.push(wants);
            self.code.push(code);
        }
        self.share.extend_from_slice(&rule.shares);
        self.outside.extend_from_slice(rule.answers.part(0));
        self.inside.extend_from_slice(rule.answers.part(1));
        self.rows_inside.push(rule.rows_inside);
        self.weight_inside.push(rule.weight_inside);
    }

    pub(super) fn read(mut self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let (n_rules, n_literals) = (self.literals.len(), self.column.len());
        reader.check_counts("literals", &self.literals, n_literals)?;
        reader.check_length("wants", self.wants.len(), n_literals)?;
        reader.check_length("code", self.code.len(), n_literals)?;
        let has_shares = !self.share.is_empty();
        if has_shares {
            reader.check_shares("share", &self.share, n_literals)?;
        }
        reader.check_rows("rows_inside", &self.rows_inside, n_rules)?;
        reader.check_numbers("weight_inside", &self.weight_inside, n_rules)?;
        let (inside, outside) =
            (std::mem::take(&mut self.inside), std::mem::take(&mut self.outside));
        let sides = Sides { says: self.says.read(reader)?, inside, outside };
        sides.check_lengths(reader, n_rules)?;
        let mut next = 0;
        for (at, count) in self.literals.iter().enumerate() {
            let literals = (next..next + count).map(|at| self.literal(reader, at));
            hypotheses.push(Hypothesis::Rule(Rule {
                literals: literals.collect::<Result<_>>()?,
                shares: if has_shares { self.share[next..next + count].to_vec() } else { vec![] },
                answers: sides.answers(at),
                rows_inside: self.rows_inside[at],
                weight_inside: self.weight_inside[at],
            }));
            next += count;
        }
        Ok(())
    }

    fn literal(&self, reader: &Reader, at: usize) -> Result<Literal> {
        let (column, code) = (self.column[at], self.code[at]);
        let bins = &reader.feature(at, column)?.bins;
        reader.check_below("wants", at, self.wants[at].into(), WANTS.len())?;
        let wants = WANTS[usize::from(self.wants[at])](code);
        let is_number = matches!(bins, Bins::Numbers(_));
        let (fits, end) = match wants {
            Wants::AtMost(_) | Wants::Above(_) => (is_number, bins.len().saturating_sub(1)),
            Wants::Is(_) | Wants::IsNot(_) => (!is_number, bins.len()),
            Wants::Missing | Wants::Present => (true, 1),
        };
        if !fits {
            let reason = format!("entry {at} does not fit the kind of column {column}");
            return refuse(&reader.path("wants"), reason);
        }
        reader.check_below("code", at, code.into(), end)?;
        Ok(Literal { column, wants })
    }
}
