//! From score columns to classes.
//!
//! In: the columns to which hypotheses add their answers. Out: a score for every class. Two classes
//! can do with one column, whose sign decides; otherwise every class has a column of its own, or
//! the columns stand for two-class problems that a code matrix puts together. Or one column counts
//! the hypotheses that fire, and a table tells what that means. Or every problem has a column for
//! each number of moves that a row can make through a grid.

mod buckets;
mod grid;
mod steps;

pub use buckets::BucketTable;
pub use grid::{Deed, Grid, Layer, pass_on, shares};
pub use steps::{Addition, Steps};

use serde::{Deserialize, Serialize};

use crate::hypothesis::{Answers, PartAnswers};

/// Rows that are decoded together.
const PIECE_ROWS: usize = 1 << 8;

/// How many columns there are, and what they mean.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outputs {
    /// The number of classes.
    pub n_classes: usize,
    /// The number of score columns.
    pub n_columns: usize,
    /// How classes are told from the columns, if these are not the classes: a row of −1, 0 or +1
    /// for every class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<Vec<Vec<i8>>>,
    /// What is told of each bucket, if the only column is the number of a bucket.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<BucketTable>,
    /// How mass moves, if the columns hold that of the rows in a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grid: Option<Grid>,
}

impl Outputs {
    /// One column whose sign tells two classes apart.
    #[must_use]
    pub fn sign() -> Self {
        Self { n_classes: 2, n_columns: 1, code: None, buckets: None, grid: None }
    }

    /// A column for every class.
    #[must_use]
    pub fn by_class(n_classes: usize) -> Self {
        Self { n_classes, n_columns: n_classes, code: None, buckets: None, grid: None }
    }

    /// A column for every two-class problem of a code.
    #[must_use]
    pub fn coded(code: Vec<Vec<i8>>) -> Self {
        let n_columns = code.first().map_or(0, Vec::len);
        Self { n_classes: code.len(), n_columns, code: Some(code), buckets: None, grid: None }
    }

    /// One column that counts, and a table for what the counts mean.
    #[must_use]
    pub fn bucketed(n_classes: usize, buckets: BucketTable) -> Self {
        Self { n_classes, n_columns: 1, code: None, buckets: Some(buckets), grid: None }
    }

    /// The same problems, each with a grid that has room for so many layers.
    #[must_use]
    pub fn with_grid(self, n_layers: usize) -> Self {
        let grid = Grid::new(n_layers);
        Self { n_columns: self.n_columns * grid.width(), grid: Some(grid), ..self }
    }

    /// Whether scores are sums of answers.
    #[must_use]
    pub fn are_sums(&self) -> bool {
        self.buckets.is_none() && self.grid.is_none()
    }

    /// Whether the sign of one column tells two classes apart.
    #[must_use]
    pub fn is_sign(&self) -> bool {
        self.n_columns == 1 && self.code.is_none() && self.are_sums()
    }

    /// The columns of each problem: one, or those of its grid.
    #[must_use]
    pub fn columns_by_problem(&self) -> usize {
        self.grid.as_ref().map_or(1, Grid::width)
    }

    /// The number of columns, or of grids.
    #[must_use]
    pub fn n_problems(&self) -> usize {
        self.n_columns / self.columns_by_problem()
    }

    /// Whether there are as many problems as in others, and they mean the same, whatever a table
    /// says and however many layers a grid has room for.
    #[must_use]
    pub fn are_like(&self, others: &Self) -> bool {
        let without_table = |outputs: &Self| Self {
            n_columns: outputs.n_problems(),
            buckets: None,
            grid: None,
            ..outputs.clone()
        };
        self.buckets.is_some() == others.buckets.is_some()
            && self.grid.is_some() == others.grid.is_some()
            && without_table(self) == without_table(others)
    }

    /// What a column holds for every row before the first round.
    #[must_use]
    pub fn first_score(&self, column: usize) -> f64 {
        self.grid.as_ref().map_or(0.0, |grid| grid.first_mass(column))
    }

    /// What is done to the columns in a round, in order. The hypotheses of the round add to these
    /// columns, which ascend.
    #[must_use]
    pub fn deeds(&self, round: usize, columns: impl Iterator<Item = usize>) -> Vec<Deed> {
        match &self.grid {
            None => columns.enumerate().map(|(at, _)| Deed::Hypothesis(at)).collect(),
            Some(grid) => grid.deeds(round, columns).into_iter().map(|(_, deed)| deed).collect(),
        }
    }

    /// What answers do to the columns, with a weight; numbers go to one column, or move its mass.
    #[must_use]
    pub fn steps(&self, answers: &PartAnswers, to: (usize, f64)) -> Steps {
        if self.grid.is_some() { Steps::moving(answers, to) } else { Steps::of(answers, to) }
    }

    /// The same for the answers to many rows.
    #[must_use]
    pub fn addition<'a>(&self, answers: &'a Answers, to: (usize, f64)) -> Addition<'a> {
        if self.grid.is_some() { Addition::moving(answers, to) } else { Addition::of(answers, to) }
    }

    /// How many scores are told of a row: one for each class, or a single one for two classes.
    #[must_use]
    pub fn n_told(&self) -> usize {
        let is_one = self.n_classes == 2 && self.n_problems() == 1 && self.code.is_none();
        if is_one { 1 } else { self.n_classes }
    }

    /// What is told of some rows, row by row, from their columns.
    pub fn tell(&self, columns: &[&[f64]], told: &mut [f64]) {
        self.tell_after(usize::MAX, columns, told);
    }

    /// The same after so many rounds, or after all there are.
    pub fn tell_after(&self, n_rounds: usize, columns: &[&[f64]], told: &mut [f64]) {
        let n_told = self.n_told();
        self.see_told(n_rounds, columns, |scores| {
            for (at, values) in scores.iter().enumerate() {
                for (to, value) in told.iter_mut().skip(at).step_by(n_told).zip(*values) {
                    *to = *value;
                }
            }
        });
    }

    /// Calls `see` with what is told of some rows after so many rounds, column by column.
    fn see_told(&self, n_rounds: usize, columns: &[&[f64]], see: impl FnOnce(&[&[f64]])) {
        let Some(grid) = &self.grid else { return self.see_decoded(n_rounds, columns, see) };
        let by_problem = grid.tell_after(n_rounds, columns);
        let by_problem: Vec<&[f64]> = by_problem.iter().map(Vec::as_slice).collect();
        self.see_decoded(n_rounds, &by_problem, see);
    }

    /// The same if the columns are those of problems, classes or buckets.
    fn see_decoded(&self, n_rounds: usize, columns: &[&[f64]], see: impl FnOnce(&[&[f64]])) {
        let decoded: Vec<Vec<f64>> = match (&self.code, &self.buckets) {
            (Some(code), _) => code.iter().map(|signs| decode(signs, columns)).collect(),
            (None, Some(buckets)) => buckets.tell_after(n_rounds, columns[0], self.n_told()),
            (None, None) => return see(columns),
        };
        see(&decoded.iter().map(Vec::as_slice).collect::<Vec<_>>());
    }

    /// Calls `see` with the classes that rows are told to be, a few rows at a time and the first of
    /// them by its number.
    pub fn for_classes(&self, columns: &[&[f64]], mut see: impl FnMut(usize, &[u64])) {
        let n_rows = columns.first().map_or(0, |column| column.len());
        for start in (0..n_rows).step_by(PIECE_ROWS) {
            let rows = start..(start + PIECE_ROWS).min(n_rows);
            let piece: Vec<&[f64]> = columns.iter().map(|column| &column[rows.clone()]).collect();
            let mut classes = [0; PIECE_ROWS];
            let classes = &mut classes[..rows.len()];
            self.see_told(usize::MAX, &piece, |scores| find_classes(scores, classes));
            see(start, classes);
        }
    }

    /// What is wrong with the shape or the entries of a code, and what is expected instead.
    #[must_use]
    pub fn code_fault(
        code: &[Vec<i8>],
        n_classes: usize,
        n_columns: usize,
    ) -> Option<(String, String)> {
        let is_uneven = code.iter().any(|signs| signs.len() != n_columns);
        if code.len() != n_classes || n_columns == 0 || is_uneven {
            let got = format!("a code of {} rows", code.len());
            return Some((got, format!("{n_classes} rows of equal length, one for each class")));
        }
        let is_foreign = code.iter().flatten().any(|sign| !(-1..=1).contains(sign));
        is_foreign.then(|| ("a code with other entries".into(), "entries of -1, 0 or +1".into()))
    }
}

/// The scores of one class from the columns of a code, by its signs.
fn decode(signs: &[i8], columns: &[&[f64]]) -> Vec<f64> {
    let mut scores = vec![0.0; columns.first().map_or(0, |column| column.len())];
    for (&sign, values) in signs.iter().zip(columns).filter(|(sign, _)| **sign != 0) {
        for (score, value) in scores.iter_mut().zip(*values) {
            *score += f64::from(sign) * value;
        }
    }
    scores
}

/// The class of each row as in [`best_class`], column by column and without a branch, which makes
/// wide instructions.
fn find_classes(scores: &[&[f64]], classes: &mut [u64]) {
    if let [sign] = scores {
        for (to, score) in classes.iter_mut().zip(*sign) {
            *to = u64::from(*score >= 0.0);
        }
        return;
    }
    let mut highest = [f64::NEG_INFINITY; PIECE_ROWS];
    for scores in scores {
        for (highest, score) in highest.iter_mut().zip(*scores) {
            *highest = highest.max(*score);
        }
    }
    let take = |class: usize| {
        for ((to, highest), score) in classes.iter_mut().zip(&highest).zip(scores[class]) {
            let mask = u64::from(score == highest).wrapping_neg();
            *to = (*to & !mask) | (class as u64 & mask);
        }
    };
    // The last one taken wins.
    if scores.len() == 2 {
        (0..2).for_each(take);
    } else {
        (0..scores.len()).rev().for_each(take);
    }
}

/// The class of the highest score: of equal ones the first, or of two the second, as a difference
/// of 0 counts as positive.
#[must_use]
pub fn best_class(scores: &[f64]) -> usize {
    if let [first, second] = scores {
        return usize::from(second >= first);
    }
    let mut best = 0;
    for (class, score) in scores.iter().enumerate() {
        if *score > scores[best] {
            best = class;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_adds_up_the_columns_by_its_signs() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let outputs = Outputs::coded(code);
        let columns: [&[f64]; 3] = [&[1.0, -2.0], &[10.0, 0.5], &[100.0, 0.25]];
        let mut told = vec![f64::NAN; 6];
        outputs.tell(&columns, &mut told);
        assert_eq!(told, [11.0, 99.0, -110.0, -1.5, 2.25, -0.75]);
        let mut seen = Vec::new();
        outputs.for_classes(&columns, |first, classes| seen.push((first, classes.to_vec())));
        assert_eq!(seen, [(0, vec![1, 1])]);
    }

    #[test]
    fn of_equal_scores_the_first_wins_but_the_second_of_two() {
        assert_eq!(best_class(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(best_class(&[0.0, 0.0, 0.0]), 0);
        assert_eq!(best_class(&[0.0, 0.0]), 1);
    }

    #[test]
    fn classes_found_column_by_column_are_those_found_row_by_row() {
        for n_classes in 1..5 {
            // More rows than a piece has, few different scores: many ties.
            let columns: Vec<Vec<f64>> = (0..n_classes)
                .map(|class| (0..600).map(|row| ((row * (class + 3)) % 4) as f64 - 1.5).collect())
                .collect();
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            let outputs =
                if n_classes == 1 { Outputs::sign() } else { Outputs::by_class(n_classes) };
            outputs.for_classes(&columns, |first, classes| {
                for (row, &class) in (first..).zip(classes) {
                    let scores: Vec<f64> = columns.iter().map(|column| column[row]).collect();
                    let expected = match scores.as_slice() {
                        [score] => usize::from(*score >= 0.0),
                        scores => best_class(scores),
                    };
                    assert_eq!(class, expected as u64);
                }
            });
        }
    }
}
