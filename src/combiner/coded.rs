//! A sum for every two-class problem of a code matrix; the class whose signs agree best decides.

use serde::{Deserialize, Serialize};

use super::code::{Code, Sign};
use super::combine::Combine;
use super::decoding::NO_SIDE;
use super::margin_loss::Cost;
use super::{Combiner, Decoding};

/// A sum for every two-class problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coded {
    /// A row of −1, 0 or +1 for every class; a column for every problem.
    pub code: Code,
    /// How scores of classes are made of the sums.
    #[serde(default, skip_serializing_if = "Decoding::is_sum")]
    pub decoding: Decoding,
}

impl Coded {
    fn decode(&self, outputs: &[&[f64]], only_best: bool) -> Vec<Vec<f64>> {
        let classes = self.code.signs().iter();
        let n_problems = self.code.n_problems();
        let by_class = |cost: Cost| {
            let of_class = |signs: &Vec<Sign>| cost.of_signs((signs, n_problems), outputs);
            self.code.signs().iter().map(of_class).collect()
        };
        match &self.decoding {
            Decoding::Score if self.code.is_all_pairs() => sums_of_pairs(self.n_classes(), outputs),
            Decoding::Score => classes.map(|signs| signed_sum(signs, outputs)).collect(),
            Decoding::Loss(loss) => by_class(loss.cost()),
            Decoding::Hamming => by_class(Cost::WRONG_SIDES),
            Decoding::Vote => classes.map(|signs| wins((signs, n_problems), outputs)).collect(),
            Decoding::Coupling(coupling) => {
                // Files and settings without a problem for each pair are refused.
                let pairs = self.code.pairs().unwrap_or_default();
                coupling.scores(&pairs, outputs, only_best)
            }
        }
    }
}

impl Combine for Coded {
    fn n_classes(&self) -> usize {
        self.code.n_classes()
    }

    fn n_outputs(&self) -> usize {
        self.code.n_problems()
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
        self.code.sides()
    }

    /// However scores are made of the sums.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Coded(other) if self.code == other.code)
    }

    fn fault(&self) -> Option<&'static str> {
        if self.code.n_problems() == 0 {
            return Some("expected a code of at least one column");
        }
        if self.decoding.needs_pairs() && self.code.pairs().is_none() {
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

/// The scores of all classes if each pair of them has a problem: each output is read once.
fn sums_of_pairs(n_classes: usize, outputs: &[&[f64]]) -> Vec<Vec<f64>> {
    let n_rows = outputs.first().map_or(0, |output| output.len());
    let mut scores = vec![vec![0.0; n_rows]; n_classes];
    let mut outputs = outputs.iter();
    for first in 0..n_classes {
        let (won, lost) = scores[first..].split_at_mut(1);
        for (lost, output) in lost.iter_mut().zip(&mut outputs) {
            for ((won, lost), value) in won[0].iter_mut().zip(lost).zip(*output) {
                *won += value;
                *lost -= value;
            }
        }
    }
    scores
}

/// The scores of one class from the outputs of a code, by its signs.
fn signed_sum(signs: &[Sign], outputs: &[&[f64]]) -> Vec<f64> {
    let mut scores = vec![0.0; outputs.first().map_or(0, |output| output.len())];
    for &(problem, sign) in signs {
        for (score, value) in scores.iter_mut().zip(outputs[problem as usize]) {
            *score += f64::from(sign) * value;
        }
    }
    scores
}

/// How many problems the class wins in which it takes part; a tie counts half.
fn wins((signs, n_problems): (&[Sign], usize), outputs: &[&[f64]]) -> Vec<f64> {
    let most = n_problems as f64 - NO_SIDE * (n_problems - signs.len()) as f64;
    let less_costs = Cost::WRONG_SIDES.of_signs((signs, n_problems), outputs);
    less_costs.into_iter().map(|less_cost| most + less_cost).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coded(rows: &[Vec<i8>], decoding: Decoding) -> Combiner {
        Combiner::coded(Code::new(rows).unwrap(), decoding)
    }

    #[test]
    fn a_code_that_is_no_pairing_is_refused_where_pairs_count() {
        let dense = vec![vec![1, 1, -1], vec![-1, 1, 1], vec![1, -1, 1]];
        assert!(coded(&dense, Decoding::Vote).fault().is_some());
        assert_eq!(coded(&dense, Decoding::Score).fault(), None);
    }

    #[test]
    fn a_code_adds_up_the_outputs_by_its_signs() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let combiner = coded(&code, Decoding::Score);
        let outputs: [&[f64]; 3] = [&[1.0, -2.0], &[10.0, 0.5], &[100.0, 0.25]];
        let mut scores = vec![f64::NAN; 6];
        combiner.write_scores(&outputs, &mut scores);
        assert_eq!(scores, [11.0, 99.0, -110.0, -1.5, 2.25, -0.75]);
        let mut found = Vec::new();
        combiner.for_classes(&outputs, |first, classes| found.push((first, classes.to_vec())));
        assert_eq!(found, [(0, vec![1, 1])]);
    }

    #[test]
    fn votes_count_the_pairs_that_a_class_wins() {
        let code = vec![vec![1, 1, 0], vec![-1, 0, 1], vec![0, -1, -1]];
        let combiner = coded(&code, Decoding::Vote);
        let outputs: [&[f64]; 3] = [&[1.0, 0.0], &[2.0, -0.5], &[-3.0, 0.0]];
        let mut scores = vec![f64::NAN; 6];
        combiner.write_scores(&outputs, &mut scores);
        assert_eq!(scores, [2.0, 0.0, 1.0, 0.5, 1.0, 1.5]);
    }
}
