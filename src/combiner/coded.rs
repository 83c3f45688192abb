//! A sum for every two-class problem of a code matrix; the class whose signs agree best decides.

use serde::{Deserialize, Serialize};

use super::combine::Combine;
use super::decoding::NO_SIDE;
use super::margin_loss::Cost;
use super::{Combiner, Decoding};

/// A sum for every two-class problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coded {
    /// A row of −1, 0 or +1 for every class; a column for every problem.
    pub code: Vec<Vec<i8>>,
    /// How scores of classes are made of the sums.
    #[serde(default, skip_serializing_if = "Decoding::is_sum")]
    pub decoding: Decoding,
}

impl Coded {
    /// The class of +1 and that of −1 in every problem, if there is just one for each pair of
    /// classes; `None` otherwise.
    #[must_use]
    pub fn pairs(&self) -> Option<Vec<(usize, usize)>> {
        let (n_classes, n_problems) = (self.n_classes(), self.n_outputs());
        if n_problems != n_classes * (n_classes - 1) / 2 {
            return None;
        }
        let pair = |problem: usize| {
            let sides = || self.code.iter().map(|signs| signs[problem]);
            let only = |side: i8| {
                let mut found = sides().enumerate().filter(|(_, sign)| *sign == side);
                found.next().filter(|_| found.next().is_none()).map(|(class, _)| class)
            };
            Some((only(1)?, only(-1)?))
        };
        let pairs: Vec<(usize, usize)> = (0..n_problems).map(pair).collect::<Option<_>>()?;
        let mut sorted: Vec<_> = pairs.iter().map(|&(i, j)| (i.min(j), i.max(j))).collect();
        sorted.sort_unstable();
        sorted.dedup();
        (sorted.len() == pairs.len()).then_some(pairs)
    }

    fn decode(&self, outputs: &[&[f64]], only_best: bool) -> Vec<Vec<f64>> {
        let by_class = |cost: Cost| self.code.iter().map(|s| cost.of_signs(s, outputs)).collect();
        match &self.decoding {
            Decoding::Score => self.code.iter().map(|signs| signed_sum(signs, outputs)).collect(),
            Decoding::Loss(loss) => by_class(loss.cost()),
            Decoding::Hamming => by_class(Cost::WRONG_SIDES),
            Decoding::Vote => self.code.iter().map(|signs| wins(signs, outputs)).collect(),
            Decoding::Coupling(coupling) => {
                // Files and settings without a problem for each pair are refused.
                let pairs = self.pairs().unwrap_or_default();
                coupling.scores(&pairs, outputs, only_best)
            }
        }
    }
}

impl Combine for Coded {
    fn n_classes(&self) -> usize {
        self.code.len()
    }

    fn n_outputs(&self) -> usize {
        self.code.first().map_or(0, Vec::len)
    }

    fn scores(&self, _: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        Some(self.decode(outputs, false))
    }

    fn scores_for_classes(&self, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        Some(self.decode(outputs, true))
    }

    fn decoding(&self) -> Option<&Decoding> {
        Some(&self.decoding)
    }

    fn sides(&self) -> Vec<Vec<i8>> {
        let of_problem = |problem: usize| self.code.iter().map(|signs| signs[problem]).collect();
        (0..self.n_outputs()).map(of_problem).collect()
    }

    /// However scores are made of the sums.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Coded(other) if self.code == other.code)
    }

    fn fault(&self) -> Option<&'static str> {
        if code_fault(&self.code, self.n_classes(), self.n_outputs()).is_some() {
            return Some("expected rows of equal length with entries of -1, 0 or +1");
        }
        if self.decoding.needs_pairs() && self.pairs().is_none() {
            return Some("the decoding expects a problem for each pair of classes");
        }
        match &self.decoding {
            Decoding::Coupling(coupling) if !coupling.is_sound(self.n_classes()) => {
                Some("coupling expects the number of training rows of each class")
            }
            _ => None,
        }
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
fn signed_sum(signs: &[i8], outputs: &[&[f64]]) -> Vec<f64> {
    let mut scores = vec![0.0; outputs.first().map_or(0, |output| output.len())];
    for (&sign, values) in signs.iter().zip(outputs).filter(|(sign, _)| **sign != 0) {
        for (score, value) in scores.iter_mut().zip(*values) {
            *score += f64::from(sign) * value;
        }
    }
    scores
}

/// How many problems the class wins in which it takes part; a tie counts half.
fn wins(signs: &[i8], outputs: &[&[f64]]) -> Vec<f64> {
    let n_zeros = signs.iter().filter(|sign| **sign == 0).count();
    let most = signs.len() as f64 - NO_SIDE * n_zeros as f64;
    let less_costs = Cost::WRONG_SIDES.of_signs(signs, outputs);
    less_costs.into_iter().map(|less_cost| most + less_cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_adds_up_the_outputs_by_its_signs() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let combiner = Combiner::coded(code, Decoding::Score);
        let outputs: [&[f64]; 3] = [&[1.0, -2.0], &[10.0, 0.5], &[100.0, 0.25]];
        let mut scores = vec![f64::NAN; 6];
        combiner.write_scores(&outputs, &mut scores);
        assert_eq!(scores, [11.0, 99.0, -110.0, -1.5, 2.25, -0.75]);
        let mut found = Vec::new();
        combiner.for_classes(&outputs, |first, classes| found.push((first, classes.to_vec())));
        assert_eq!(found, [(0, vec![1, 1])]);
    }

    #[test]
    fn pairs_are_known_whatever_their_order_and_signs() {
        let coded = |code: Vec<Vec<i8>>| Coded { code, decoding: Decoding::Vote };
        let one_vs_one = coded(vec![vec![0, 1, 1], vec![-1, 0, -1], vec![1, -1, 0]]);
        assert_eq!(one_vs_one.pairs(), Some(vec![(2, 1), (0, 2), (0, 1)]));
        let twice = coded(vec![vec![1, 1, 1], vec![-1, 0, -1], vec![0, -1, 0]]);
        assert_eq!(twice.pairs(), None);
        let dense = coded(vec![vec![1, 1, -1], vec![-1, 1, 1], vec![1, -1, 1]]);
        assert_eq!((dense.pairs(), dense.fault().is_some()), (None, true));
    }

    #[test]
    fn votes_count_the_pairs_that_a_class_wins() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let combiner = Combiner::coded(code, Decoding::Vote);
        let outputs: [&[f64]; 3] = [&[1.0, 0.0], &[2.0, -0.5], &[-3.0, 0.0]];
        let mut scores = vec![f64::NAN; 6];
        combiner.write_scores(&outputs, &mut scores);
        assert_eq!(scores, [2.0, 0.0, 1.0, 0.5, 1.0, 1.5]);
    }
}
