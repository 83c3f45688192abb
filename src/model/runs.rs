//! Hypotheses in a model file: runs of one kind, each stored as arrays of numbers per field.
//!
//! In and out: JSON values. A model that was warm-started with another learner has several runs.
//! Every length, index and number is checked on reading.

use serde::{Deserialize, Serialize};

use super::file::{check_length, check_numbers, refuse};
use crate::data::{Bins, Feature, Foreign};
use crate::error::Result;
use crate::hypothesis::{
    External, Hypothesis, Leaf, Literal, MOST_LEAVES, Passes, RbfNet, Rule, Split, Stump, Test,
    Tree, Wants,
};

/// Consecutive hypotheses of one kind.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Run {
    Stump(StumpFields),
    Rule(RuleFields),
    Tree(TreeFields),
    RbfNet(RbfNetFields),
    External(ExternalFields),
}

/// One entry per stump; `test` is the cut of a number column, or an index into `subsets`.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct StumpFields {
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    inside: Vec<f64>,
    outside: Vec<f64>,
}

/// `literals` says how many entries of `column`, `wants` and `code` belong to each rule.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFields {
    literals: Vec<usize>,
    column: Vec<usize>,
    wants: Vec<u8>,
    code: Vec<u16>,
    inside: Vec<f64>,
    outside: Vec<f64>,
    rows_inside: Vec<u64>,
    weight_inside: Vec<f64>,
}

/// `splits` says how many entries of `leaf` … `missing_inside` belong to each tree; it has one more
/// entry of `answers`, `rows` and `weights`. Tests are written as for stumps.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct TreeFields {
    splits: Vec<usize>,
    leaf: Vec<u16>,
    column: Vec<usize>,
    test: Vec<usize>,
    subsets: Vec<Vec<u16>>,
    missing_inside: Vec<bool>,
    answers: Vec<f64>,
    rows: Vec<u64>,
    weights: Vec<f64>,
}

/// `units` says how many entries of `widths` and `outputs` belong to each net; every unit has a
/// centre of one entry per column.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct RbfNetFields {
    units: Vec<usize>,
    centers: Vec<f64>,
    widths: Vec<f64>,
    outputs: Vec<f64>,
    votes: Vec<bool>,
}

/// The hypotheses themselves are kept by the caller.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct ExternalFields {
    real: Vec<bool>,
}

/// Stores hypotheses by runs.
pub(super) fn from_hypotheses(hypotheses: &[Hypothesis]) -> Vec<Run> {
    let mut runs = Vec::new();
    for hypothesis in hypotheses {
        match (runs.last_mut(), hypothesis) {
            (Some(Run::Stump(fields)), Hypothesis::Stump(stump)) => fields.push(stump),
            (Some(Run::Rule(fields)), Hypothesis::Rule(rule)) => fields.push(rule),
            (Some(Run::Tree(fields)), Hypothesis::Tree(tree)) => fields.push(tree),
            (Some(Run::RbfNet(fields)), Hypothesis::RbfNet(net)) => fields.push(net),
            (Some(Run::External(fields)), Hypothesis::External(external)) => {
                fields.real.push(external.real);
            }
            (_, first) => runs.push(Run::of(first)),
        }
    }
    runs
}

/// Reads hypotheses and checks them against the features.
pub(super) fn into_hypotheses(
    runs: Vec<Run>,
    features: &[Feature],
    externals: &[Foreign],
) -> Result<Vec<Hypothesis>> {
    let mut hypotheses = Vec::new();
    let mut externals = externals.iter();
    for (at, run) in runs.into_iter().enumerate() {
        let reader = Reader { features, run: at };
        match run {
            Run::Stump(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::Rule(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::Tree(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::RbfNet(fields) => fields.read(&reader, &mut hypotheses)?,
            Run::External(fields) => {
                for real in fields.real {
                    let Some(object) = externals.next().cloned() else {
                        let reason = "these classifiers are not in the file";
                        return refuse(&reader.place("kind"), reason);
                    };
                    hypotheses.push(Hypothesis::External(External { object, real }));
                }
            }
        }
    }
    Ok(hypotheses)
}

impl Run {
    /// A run of one hypothesis.
    fn of(hypothesis: &Hypothesis) -> Self {
        match hypothesis {
            Hypothesis::Stump(stump) => {
                let mut fields = StumpFields::default();
                fields.push(stump);
                Self::Stump(fields)
            }
            Hypothesis::Rule(rule) => {
                let mut fields = RuleFields::default();
                fields.push(rule);
                Self::Rule(fields)
            }
            Hypothesis::Tree(tree) => {
                let mut fields = TreeFields::default();
                fields.push(tree);
                Self::Tree(fields)
            }
            Hypothesis::RbfNet(net) => {
                let mut fields = RbfNetFields::default();
                fields.push(net);
                Self::RbfNet(fields)
            }
            Hypothesis::External(external) => {
                Self::External(ExternalFields { real: vec![external.real] })
            }
        }
    }
}

/// What entries are checked against.
struct Reader<'a> {
    features: &'a [Feature],
    run: usize,
}

impl<'a> Reader<'a> {
    fn place(&self, field: &str) -> String {
        format!("hypotheses[{}].{field}", self.run)
    }

    fn check_length(&self, field: &str, got: usize, expected: usize) -> Result<()> {
        check_length(&self.place(field), got, expected)
    }

    fn check_numbers(&self, field: &str, numbers: &[f64], expected: usize) -> Result<()> {
        check_numbers(&self.place(field), numbers, expected)
    }

    fn feature(&self, at: usize, column: usize) -> Result<&'a Feature> {
        let n = self.features.len();
        match self.features.get(column) {
            Some(feature) => Ok(feature),
            None => refuse(
                &self.place("column"),
                format!("entry {at} is {column}, there are {n} columns"),
            ),
        }
    }

    /// Refuses an index that is not below `end`.
    fn check_below(&self, field: &str, at: usize, index: usize, end: usize) -> Result<()> {
        if index < end {
            return Ok(());
        }
        refuse(&self.place(field), format!("entry {at} is {index}, expected below {end}"))
    }

    /// Adds up counts that must cover `expected` entries.
    fn check_counts(&self, field: &str, counts: &[usize], expected: usize) -> Result<()> {
        let sum = counts.iter().try_fold(0usize, |sum, &count| sum.checked_add(count));
        if sum == Some(expected) {
            return Ok(());
        }
        refuse(&self.place(field), format!("the counts do not add up to {expected} entries"))
    }
}

/// The arrays in which tests are stored.
struct Tests<'a> {
    column: &'a [usize],
    test: &'a [usize],
    subsets: &'a [Vec<u16>],
    missing_inside: &'a [bool],
}

impl Tests<'_> {
    fn check_lengths(&self, reader: &Reader) -> Result<()> {
        reader.check_length("test", self.test.len(), self.column.len())?;
        reader.check_length("missing_inside", self.missing_inside.len(), self.column.len())
    }

    fn read(&self, reader: &Reader, at: usize) -> Result<Test> {
        let (column, index) = (self.column[at], self.test[at]);
        let bins = &reader.feature(at, column)?.bins;
        let passes = if matches!(bins, Bins::Numbers(_)) {
            reader.check_below("test", at, index, bins.len())?;
            Passes::AtMost(index as u16)
        } else {
            reader.check_below("test", at, index, self.subsets.len())?;
            let codes = &self.subsets[index];
            let ascends = codes.windows(2).all(|pair| pair[0] < pair[1]);
            if !ascends || codes.last().is_some_and(|&code| usize::from(code) >= bins.len()) {
                let reason = format!("entry {index} must ascend within {} bins", bins.len());
                return refuse(&reader.place("subsets"), reason);
            }
            Passes::OneOf(codes.clone())
        };
        Ok(Test { column, passes, missing_inside: self.missing_inside[at] })
    }
}

/// The number by which a test is stored.
fn store(passes: &Passes, subsets: &mut Vec<Vec<u16>>) -> usize {
    match passes {
        Passes::AtMost(cut) => usize::from(*cut),
        Passes::OneOf(codes) => {
            subsets.push(codes.clone());
            subsets.len() - 1
        }
    }
}

impl StumpFields {
    fn push(&mut self, stump: &Stump) {
        self.column.push(stump.test.column);
        self.test.push(store(&stump.test.passes, &mut self.subsets));
        self.missing_inside.push(stump.test.missing_inside);
        self.inside.push(stump.inside);
        self.outside.push(stump.outside);
    }

    fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let tests = Tests {
            column: &self.column,
            test: &self.test,
            subsets: &self.subsets,
            missing_inside: &self.missing_inside,
        };
        tests.check_lengths(reader)?;
        reader.check_numbers("inside", &self.inside, self.column.len())?;
        reader.check_numbers("outside", &self.outside, self.column.len())?;
        for at in 0..self.column.len() {
            hypotheses.push(Hypothesis::Stump(Stump {
                test: tests.read(reader, at)?,
                inside: self.inside[at],
                outside: self.outside[at],
            }));
        }
        Ok(())
    }
}

/// What a literal wants, by its number in the file.
const WANTS: [fn(u16) -> Wants; 6] =
    [Wants::AtMost, Wants::Above, Wants::Is, Wants::IsNot, |_| Wants::Missing, |_| Wants::Present];

impl RuleFields {
    fn push(&mut self, rule: &Rule) {
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
        self.inside.push(rule.inside);
        self.outside.push(rule.outside);
        self.rows_inside.push(rule.rows_inside);
        self.weight_inside.push(rule.weight_inside);
    }

    fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let (n_rules, n_literals) = (self.literals.len(), self.column.len());
        reader.check_counts("literals", &self.literals, n_literals)?;
        reader.check_length("wants", self.wants.len(), n_literals)?;
        reader.check_length("code", self.code.len(), n_literals)?;
        reader.check_length("rows_inside", self.rows_inside.len(), n_rules)?;
        reader.check_numbers("inside", &self.inside, n_rules)?;
        reader.check_numbers("outside", &self.outside, n_rules)?;
        reader.check_numbers("weight_inside", &self.weight_inside, n_rules)?;
        let mut next = 0;
        for (at, count) in self.literals.iter().enumerate() {
            let literals = (next..next + count).map(|at| self.literal(reader, at));
            hypotheses.push(Hypothesis::Rule(Rule {
                literals: literals.collect::<Result<_>>()?,
                inside: self.inside[at],
                outside: self.outside[at],
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
            return refuse(&reader.place("wants"), reason);
        }
        reader.check_below("code", at, code.into(), end)?;
        Ok(Literal { column, wants })
    }
}

impl TreeFields {
    fn push(&mut self, tree: &Tree) {
        self.splits.push(tree.splits.len());
        for Split { leaf, test } in &tree.splits {
            self.leaf.push(*leaf);
            self.column.push(test.column);
            self.test.push(store(&test.passes, &mut self.subsets));
            self.missing_inside.push(test.missing_inside);
        }
        for leaf in &tree.leaves {
            self.answers.push(leaf.answer);
            self.rows.push(leaf.rows);
            self.weights.push(leaf.weight);
        }
    }

    fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let tests = Tests {
            column: &self.column,
            test: &self.test,
            subsets: &self.subsets,
            missing_inside: &self.missing_inside,
        };
        tests.check_lengths(reader)?;
        reader.check_counts("splits", &self.splits, self.column.len())?;
        reader.check_length("leaf", self.leaf.len(), self.column.len())?;
        let n_leaves = self.column.len() + self.splits.len();
        reader.check_length("rows", self.rows.len(), n_leaves)?;
        reader.check_numbers("answers", &self.answers, n_leaves)?;
        reader.check_numbers("weights", &self.weights, n_leaves)?;
        let (mut next, mut next_leaf) = (0, 0);
        for (at, &count) in self.splits.iter().enumerate() {
            reader.check_below("splits", at, count, MOST_LEAVES)?;
            let mut splits = Vec::with_capacity(count);
            for number in 0..count {
                let at = next + number;
                reader.check_below("leaf", at, self.leaf[at].into(), number + 1)?;
                splits.push(Split { leaf: self.leaf[at], test: tests.read(reader, at)? });
            }
            let leaves = (next_leaf..=next_leaf + count).map(|at| Leaf {
                answer: self.answers[at],
                rows: self.rows[at],
                weight: self.weights[at],
            });
            hypotheses.push(Hypothesis::Tree(Tree { splits, leaves: leaves.collect() }));
            next += count;
            next_leaf += count + 1;
        }
        Ok(())
    }
}

impl RbfNetFields {
    fn push(&mut self, net: &RbfNet) {
        self.units.push(net.widths.len());
        self.centers.extend_from_slice(&net.centers);
        self.widths.extend_from_slice(&net.widths);
        self.outputs.extend_from_slice(&net.outputs);
        self.votes.push(net.votes);
    }

    fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let (n_units, n_columns) = (self.widths.len(), reader.features.len());
        reader.check_counts("units", &self.units, n_units)?;
        reader.check_length("votes", self.votes.len(), self.units.len())?;
        reader.check_numbers("centers", &self.centers, n_units * n_columns)?;
        reader.check_numbers("widths", &self.widths, n_units)?;
        reader.check_numbers("outputs", &self.outputs, n_units)?;
        let mut next = 0;
        for (&count, &votes) in self.units.iter().zip(&self.votes) {
            let units = next..next + count;
            hypotheses.push(Hypothesis::RbfNet(RbfNet {
                centers: self.centers[units.start * n_columns..units.end * n_columns].to_vec(),
                widths: self.widths[units.clone()].to_vec(),
                outputs: self.outputs[units.clone()].to_vec(),
                votes,
            }));
            next = units.end;
        }
        Ok(())
    }
}
