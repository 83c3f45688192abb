//! From score columns to classes.
//!
//! In: the columns to which hypotheses add their answers. Out: a score for every class. Two classes
//! can do with one column, whose sign decides; otherwise every class has a column of its own, or
//! the columns stand for two-class problems that a code matrix puts together.

use serde::{Deserialize, Serialize};

use crate::hypothesis::{Answers, Says};

/// Rows that are decoded together.
const PIECE_ROWS: usize = 1 << 10;

/// How many columns there are, and what they mean.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

impl Outputs {
    /// One column whose sign tells two classes apart.
    #[must_use]
    pub fn sign() -> Self {
        Self { n_classes: 2, n_columns: 1, code: None }
    }

    /// A column for every class.
    #[must_use]
    pub fn by_class(n_classes: usize) -> Self {
        Self { n_classes, n_columns: n_classes, code: None }
    }

    /// A column for every two-class problem of a code.
    #[must_use]
    pub fn coded(code: Vec<Vec<i8>>) -> Self {
        let n_columns = code.first().map_or(0, Vec::len);
        Self { n_classes: code.len(), n_columns, code: Some(code) }
    }

    /// Whether one column tells two classes apart.
    #[must_use]
    pub fn is_sign(&self) -> bool {
        self.n_columns == 1 && self.code.is_none()
    }

    /// How many scores are told of a row: one for each class, or a single one for two classes.
    #[must_use]
    pub fn n_told(&self) -> usize {
        if self.is_sign() { 1 } else { self.n_classes }
    }

    /// What is told of some rows, row by row, from their columns.
    pub fn tell(&self, columns: &[&[f64]], told: &mut [f64]) {
        let n_told = self.n_told();
        match &self.code {
            None => {
                for (column, values) in columns.iter().enumerate() {
                    for (to, value) in told.iter_mut().skip(column).step_by(n_told).zip(*values) {
                        *to = *value;
                    }
                }
            }
            Some(code) => {
                told.fill(0.0);
                for (class, signs) in code.iter().enumerate() {
                    for (&sign, values) in signs.iter().zip(columns).filter(|(sign, _)| **sign != 0)
                    {
                        let to = told.iter_mut().skip(class).step_by(n_told);
                        for (to, value) in to.zip(*values) {
                            *to += f64::from(sign) * value;
                        }
                    }
                }
            }
        }
    }

    /// Calls `see` with what is told of each row.
    pub fn for_each(&self, columns: &[&[f64]], mut see: impl FnMut(usize, &[f64])) {
        let n_rows = columns.first().map_or(0, |column| column.len());
        let n_told = self.n_told();
        let mut told = vec![0.0; n_told * n_rows.min(PIECE_ROWS)];
        for start in (0..n_rows).step_by(PIECE_ROWS) {
            let rows = start..(start + PIECE_ROWS).min(n_rows);
            let piece: Vec<&[f64]> = columns.iter().map(|column| &column[rows.clone()]).collect();
            let told = &mut told[..n_told * rows.len()];
            self.tell(&piece, told);
            for (row, scores) in rows.zip(told.chunks_exact(n_told)) {
                see(row, scores);
            }
        }
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

/// Adds the weighted answers to some rows, `first` being the first, to their columns.
pub fn add_answers(
    answers: &Answers,
    (column, weight): (usize, f64),
    first: usize,
    columns: &mut [&mut [f64]],
) {
    let n_rows = columns.first().map_or(0, |column| column.len());
    let rows = first..first + n_rows;
    match (answers, answers.says()) {
        (Answers::Parts { part, answers }, Says::Number) => {
            let steps: Vec<f64> = answers.numbers.iter().map(|h| weight * h).collect();
            for (score, &part) in columns[column].iter_mut().zip(&part[rows]) {
                *score += steps[usize::from(part)];
            }
        }
        (Answers::Parts { part, answers }, Says::Class) => {
            for (row, &part) in part[rows].iter().enumerate() {
                columns[answers.numbers[usize::from(part)] as usize][row] += weight;
            }
        }
        (Answers::Parts { part, answers }, Says::Scores(width)) => {
            for (component, column) in columns.iter_mut().enumerate() {
                let steps = answers.numbers.iter().skip(component).step_by(width);
                let steps: Vec<f64> = steps.map(|h| weight * h).collect();
                for (score, &part) in column.iter_mut().zip(&part[rows.clone()]) {
                    *score += steps[usize::from(part)];
                }
            }
        }
        (Answers::Each { numbers, .. }, Says::Class) => {
            for (row, &class) in numbers[rows].iter().enumerate() {
                columns[class as usize][row] += weight;
            }
        }
        (Answers::Each { numbers, .. }, _) => {
            for (score, h) in columns[column].iter_mut().zip(&numbers[rows]) {
                *score += weight * h;
            }
        }
    }
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
        outputs.for_each(&columns, |row, scores| seen.push((row, best_class(scores))));
        assert_eq!(seen, [(0, 1), (1, 1)]);
    }

    #[test]
    fn of_equal_scores_the_first_wins_but_the_second_of_two() {
        assert_eq!(best_class(&[1.0, 3.0, 3.0]), 1);
        assert_eq!(best_class(&[0.0, 0.0, 0.0]), 0);
        assert_eq!(best_class(&[0.0, 0.0]), 1);
    }

    #[test]
    fn votes_go_to_the_column_of_their_class() {
        let answers = crate::hypothesis::PartAnswers { says: Says::Class, numbers: vec![2.0, 0.0] };
        let answers = Answers::Parts { part: vec![0, 1, 0], answers };
        let mut columns = vec![vec![0.0; 2]; 3];
        let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        add_answers(&answers, (0, 0.5), 1, &mut slices);
        assert_eq!(columns, [[0.5, 0.0], [0.0, 0.0], [0.0, 0.5]]);
    }
}
