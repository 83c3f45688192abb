//! Trees whose cuts are drawn at random, grown until leaves are pure or small.
//!
//! In: codes, the class and the weight of every row of a sample. Out: splits. At each node a few
//! columns are drawn that are not constant there, of each a cut between its lowest and its highest
//! code (or some of its categories), and the test with the least Gini impurity is taken. No histogram
//! is needed: two passes over the rows of the node for each column. Geurts, Ernst & Wehenkel 2006.

use std::ops::Range;

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::data::{Binned, Codes};
use crate::hypothesis::{Passes, Split, Test};

/// The weight of an average row.
pub(super) const ROW: u64 = 1 << 20;

/// How trees are grown.
#[derive(Debug, Clone, Copy)]
pub(super) struct GrowthRule {
    /// Columns that are tried at a node.
    pub max_features: usize,
    /// The least weight of a leaf.
    pub min_leaf: u64,
    /// The most leaves.
    pub max_leaves: usize,
}

/// The rows of a sample, with their classes and weights.
#[derive(Debug, Default, Clone)]
pub(super) struct Sample {
    pub rows: Vec<u32>,
    pub classes: Vec<u32>,
    pub weights: Vec<u64>,
}

/// A node that may be split yet.
struct OpenNode {
    rows: Range<usize>,
    leaf: usize,
}

/// A test under consideration.
struct Candidate {
    purity: f64,
    test: Test,
    /// Whether categories that no row of the node has are inside.
    heavier_inside: bool,
}

/// Grows one tree; consumes the sample.
pub(super) fn grow(
    data: &Binned,
    n_classes: usize,
    sample: Sample,
    rule: &GrowthRule,
    generator: &mut ChaCha8Rng,
) -> Vec<Split> {
    let n_rows = sample.rows.len();
    let mut grower = Grower {
        data,
        rule,
        sample,
        spare: Sample::default(),
        columns: (0..data.n_columns()).collect(),
        codes: vec![0; n_rows],
        whole: vec![0; n_classes],
        inside: vec![0; n_classes],
    };
    let mut splits = Vec::new();
    let mut open = vec![OpenNode { rows: 0..n_rows, leaf: 0 }];
    while let Some(node) = open.pop() {
        if splits.len() + 1 >= rule.max_leaves {
            break;
        }
        let Some(test) = grower.draw_test(&node.rows, generator) else { continue };
        let middle = grower.split(&node.rows, &test);
        let new = splits.len() + 1;
        splits.push(Split { leaf: node.leaf as u16, test });
        open.push(OpenNode { rows: middle..node.rows.end, leaf: new });
        open.push(OpenNode { rows: node.rows.start..middle, leaf: node.leaf });
    }
    splits
}

struct Grower<'a> {
    data: &'a Binned,
    rule: &'a GrowthRule,
    sample: Sample,
    spare: Sample,
    /// All columns; those that were drawn last come last.
    columns: Vec<usize>,
    /// The codes of the rows of a node in one column.
    codes: Vec<u16>,
    whole: Vec<u64>,
    inside: Vec<u64>,
}

impl Grower<'_> {
    /// The best of the tests that are drawn for a node; nothing if it is pure or too small.
    fn draw_test(&mut self, rows: &Range<usize>, generator: &mut ChaCha8Rng) -> Option<Test> {
        self.whole.fill(0);
        let sample = &self.sample;
        for (class, weight) in
            sample.classes[rows.clone()].iter().zip(&sample.weights[rows.clone()])
        {
            self.whole[*class as usize] += weight;
        }
        let total: u64 = self.whole.iter().sum();
        let is_pure = self.whole.contains(&total);
        if is_pure || total < 2 * self.rule.min_leaf || rows.len() < 2 {
            return None;
        }
        let mut best: Option<Candidate> = None;
        let (mut left, mut tried) = (self.columns.len(), 0);
        while left > 0 && tried < self.rule.max_features {
            let at = generator.random_range(0..left);
            left -= 1;
            self.columns.swap(at, left);
            let column = self.columns[left];
            self.read_codes(column, rows);
            let Some(candidate) = self.draw_candidate(column, rows, total, generator) else {
                continue; // constant
            };
            tried += 1;
            let Some(candidate) = candidate else { continue }; // a side is too small
            if best.as_ref().is_none_or(|best| candidate.purity > best.purity) {
                best = Some(candidate);
            }
        }
        best.map(|best| self.with_absent_categories(best, rows))
    }

    fn read_codes(&mut self, column: usize, rows: &Range<usize>) {
        let (from, to) = (&self.sample.rows[rows.clone()], &mut self.codes[..rows.len()]);
        match self.data.codes(column) {
            Codes::Narrow(codes) => {
                for (to, row) in to.iter_mut().zip(from) {
                    *to = u16::from(codes[*row as usize]);
                }
            }
            Codes::Wide(codes) => {
                for (to, row) in to.iter_mut().zip(from) {
                    *to = codes[*row as usize];
                }
            }
        }
    }

    /// A test on the column whose codes are at hand: nothing if it is constant, `Some(None)` if a
    /// side would be too small.
    #[allow(clippy::option_option)]
    fn draw_candidate(
        &mut self,
        column: usize,
        rows: &Range<usize>,
        total: u64,
        generator: &mut ChaCha8Rng,
    ) -> Option<Option<Candidate>> {
        let missing = (self.data.n_codes(column) - 1) as u16;
        let codes = &self.codes[..rows.len()];
        if self.data.is_categorical(column) {
            let mut present = vec![false; usize::from(missing) + 1];
            for code in codes {
                present[usize::from(*code)] = true;
            }
            let mut order: Vec<u16> =
                (0..=missing).filter(|code| present[usize::from(*code)]).collect();
            if order.len() < 2 {
                return None;
            }
            order.shuffle(generator);
            order.truncate(generator.random_range(1..order.len()));
            let mut inside = vec![false; usize::from(missing) + 1];
            for code in &order {
                inside[usize::from(*code)] = true;
            }
            self.add_up(rows, |code| inside[usize::from(code)]);
            let missing_inside = inside[usize::from(missing)];
            order.retain(|code| *code != missing);
            order.sort_unstable();
            let passes = Passes::OneOf(order);
            return Some(self.candidate(Test { column, passes, missing_inside }, total));
        }
        let (mut lowest, mut highest, mut has_missing) = (u16::MAX, 0, false);
        for &code in codes {
            let is_missing = code == missing;
            has_missing |= is_missing;
            lowest = lowest.min(code);
            highest = highest.max(if is_missing { 0 } else { code });
        }
        if lowest >= highest && !(has_missing && lowest < missing) {
            return None;
        }
        let cut = if lowest >= highest {
            missing - 1 // present values against missing ones
        } else {
            lowest + generator.random_range(0..highest - lowest)
        };
        self.add_up(rows, |code| code <= cut);
        let test = |missing_inside| Test { column, passes: Passes::AtMost(cut), missing_inside };
        let plain = self.candidate(test(false), total);
        if !has_missing || cut == missing - 1 {
            return Some(plain.map(|plain| Candidate {
                test: Test { missing_inside: !has_missing && plain.heavier_inside, ..plain.test },
                ..plain
            }));
        }
        self.add_up(rows, |code| code <= cut || code == missing);
        let with_missing = self.candidate(test(true), total);
        Some(match (plain, with_missing) {
            (Some(plain), Some(other)) if other.purity > plain.purity => Some(other),
            (None, other) => other,
            (plain, _) => plain,
        })
    }

    /// Adds up the weights of the rows whose codes are inside, by class.
    fn add_up(&mut self, rows: &Range<usize>, is_inside: impl Fn(u16) -> bool) {
        self.inside.fill(0);
        let sample = &self.sample;
        let each = sample.classes[rows.clone()].iter().zip(&sample.weights[rows.clone()]);
        for (code, (class, weight)) in self.codes[..rows.len()].iter().zip(each) {
            // A mask instead of a branch.
            self.inside[*class as usize] += weight & u64::from(is_inside(*code)).wrapping_neg();
        }
    }

    /// How pure the sides of a test are whose sums are at hand; nothing if one is too small.
    fn candidate(&self, test: Test, total: u64) -> Option<Candidate> {
        let weight: u64 = self.inside.iter().sum();
        if weight.min(total - weight) < self.rule.min_leaf.max(1) {
            return None;
        }
        let (mut inside, mut outside) = (0.0, 0.0);
        for (&part, &whole) in self.inside.iter().zip(&self.whole) {
            inside += (part as f64) * (part as f64);
            outside += ((whole - part) as f64) * ((whole - part) as f64);
        }
        let purity = inside / weight as f64 + outside / (total - weight) as f64;
        Some(Candidate { purity, test, heavier_inside: 2 * weight >= total })
    }

    /// Sends categories that no row of the node has to the heavier side.
    fn with_absent_categories(&mut self, candidate: Candidate, rows: &Range<usize>) -> Test {
        let Candidate { mut test, heavier_inside, .. } = candidate;
        if let (Passes::OneOf(inside), true) = (&mut test.passes, heavier_inside) {
            self.read_codes(test.column, rows);
            let missing = self.data.n_codes(test.column) - 1;
            let mut present = vec![false; missing + 1];
            let codes = &self.codes[..rows.len()];
            for code in codes {
                present[usize::from(*code)] = true;
            }
            inside.extend((0..missing as u16).filter(|code| !present[usize::from(*code)]));
            inside.sort_unstable();
            test.missing_inside |= !present[missing];
        }
        test
    }

    /// Brings the rows inside to the front; returns where the others begin.
    fn split(&mut self, rows: &Range<usize>, test: &Test) -> usize {
        let set = test.inside(self.data.n_codes(test.column));
        self.read_codes(test.column, rows);
        self.spare.rows.clear();
        self.spare.classes.clear();
        self.spare.weights.clear();
        let mut to = rows.start;
        for at in rows.clone() {
            let Sample { rows: numbers, classes, weights } = &mut self.sample;
            if set.has(self.codes[at - rows.start]) {
                (numbers[to], classes[to], weights[to]) = (numbers[at], classes[at], weights[at]);
                to += 1;
            } else {
                self.spare.rows.push(numbers[at]);
                self.spare.classes.push(classes[at]);
                self.spare.weights.push(weights[at]);
            }
        }
        self.sample.rows[to..rows.end].copy_from_slice(&self.spare.rows);
        self.sample.classes[to..rows.end].copy_from_slice(&self.spare.classes);
        self.sample.weights[to..rows.end].copy_from_slice(&self.spare.weights);
        to
    }
}
