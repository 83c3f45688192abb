//! A sum for every two-class problem of a code matrix; the class whose signs agree best decides.

use serde::{Deserialize, Serialize};

use super::Combiner;
use super::combine::Combine;

/// A sum for every two-class problem.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coded {
    /// A row of −1, 0 or +1 for every class; a column for every problem.
    pub code: Vec<Vec<i8>>,
}

impl Combine for Coded {
    fn n_classes(&self) -> usize {
        self.code.len()
    }

    fn n_outputs(&self) -> usize {
        self.code.first().map_or(0, Vec::len)
    }

    fn scores(&self, _: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        Some(self.code.iter().map(|signs| decode(signs, outputs)).collect())
    }

    fn sides(&self) -> Vec<Vec<i8>> {
        let of_problem = |problem: usize| self.code.iter().map(|signs| signs[problem]).collect();
        (0..self.n_outputs()).map(of_problem).collect()
    }

    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Coded(other) if self == other)
    }

    fn fault(&self) -> Option<&'static str> {
        let fault = code_fault(&self.code, self.n_classes(), self.n_outputs());
        fault.map(|_| "expected rows of equal length with entries of -1, 0 or +1")
    }
}

/// What is wrong with the shape or the entries of a code, and what is expected instead.
#[must_use]
pub fn code_fault(
    code: &[Vec<i8>],
    n_classes: usize,
    n_problems: usize,
) -> Option<(String, String)> {
    let is_uneven = code.iter().any(|signs| signs.len() != n_problems);
    if code.len() != n_classes || n_problems == 0 || is_uneven {
        let got = format!("a code of {} rows", code.len());
        return Some((got, format!("{n_classes} rows of equal length, one for each class")));
    }
    let is_foreign = code.iter().flatten().any(|sign| !(-1..=1).contains(sign));
    is_foreign.then(|| ("a code with other entries".into(), "entries of -1, 0 or +1".into()))
}

/// The scores of one class from the outputs of a code, by its signs.
fn decode(signs: &[i8], outputs: &[&[f64]]) -> Vec<f64> {
    let mut scores = vec![0.0; outputs.first().map_or(0, |output| output.len())];
    for (&sign, values) in signs.iter().zip(outputs).filter(|(sign, _)| **sign != 0) {
        for (score, value) in scores.iter_mut().zip(*values) {
            *score += f64::from(sign) * value;
        }
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_adds_up_the_outputs_by_its_signs() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let combiner = Combiner::coded(code);
        let outputs: [&[f64]; 3] = [&[1.0, -2.0], &[10.0, 0.5], &[100.0, 0.25]];
        let mut scores = vec![f64::NAN; 6];
        combiner.write_scores(&outputs, &mut scores);
        assert_eq!(scores, [11.0, 99.0, -110.0, -1.5, 2.25, -0.75]);
        let mut found = Vec::new();
        combiner.for_classes(&outputs, |first, classes| found.push((first, classes.to_vec())));
        assert_eq!(found, [(0, vec![1, 1])]);
    }
}
