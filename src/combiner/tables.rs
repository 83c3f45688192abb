//! Symmetric functions for several classes: a count and a table for every two-class problem.
//!
//! In: by problem how many hypotheses fire on a row. Out: the scores of the problems, looked up in
//! their tables, and those of the classes, which the problems make of them.

use serde::{Deserialize, Serialize};

use super::buckets::Buckets;
use super::combine::Combine;
use super::{Combiner, Decoding, Fault, Placed, Rounds, Weighted};

/// A table for every two-class problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// What the scores of the problems tell of the classes.
    pub problems: Box<Combiner>,
    /// The table of each problem, all after as many rounds.
    pub tables: Vec<Buckets>,
}

impl Combine for Tables {
    fn n_classes(&self) -> usize {
        self.problems.n_classes()
    }

    fn n_outputs(&self) -> usize {
        self.tables.len()
    }

    fn scores(&self, n_rounds: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        let look_up = |(table, output): (&Buckets, &&[f64])| -> Vec<f64> {
            let stage = table.stage(n_rounds);
            output.iter().map(|&bucket| stage[bucket as usize]).collect()
        };
        let found: Vec<Vec<f64>> = self.tables.iter().zip(outputs).map(look_up).collect();
        let of_problems: Vec<&[f64]> = found.iter().map(Vec::as_slice).collect();
        let scores = self.problems.rule().scores(n_rounds, &of_problems);
        Some(scores.unwrap_or(found))
    }

    fn decoding(&self) -> Option<&Decoding> {
        self.problems.decoding()
    }

    fn sides(&self) -> Vec<Vec<i8>> {
        self.problems.sides()
    }

    fn is_sum(&self) -> bool {
        false
    }

    fn strength(&self, round: usize, to: Weighted) -> f64 {
        self.tables[to.output].lowered_by(round)
    }

    /// Whatever the scores are.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Tables(other) if self.problems.continues(&other.problems))
    }

    fn fault(&self) -> Option<&'static str> {
        if !self.problems.is_sum() {
            return Some("the problems of tables are sums");
        }
        if let Some(fault) = self.problems.fault() {
            return Some(fault);
        }
        if self.tables.len() != self.problems.n_outputs() {
            return Some("expected a table for each problem");
        }
        let fault = |table: &Buckets| match table.n_classes {
            2 => table.fault(),
            _ => Some("expected tables of two classes"),
        };
        self.tables.iter().find_map(fault)
    }

    fn takes(&self, hypothesis: &Placed) -> bool {
        let first = Placed { output: 0, ..*hypothesis };
        self.tables.get(hypothesis.output).is_some_and(|table| table.takes(&first))
    }

    /// A round may leave out problems that are finished.
    fn rounds_fault(&self, rounds: &Rounds) -> Option<Fault> {
        if let Some(table) = self.tables.iter().find(|table| table.n_rounds() != rounds.n_rounds) {
            let reason = format!("{} entries, expected {}", table.n_rounds(), rounds.n_rounds);
            return Some(("combiner.tables.stages", reason));
        }
        let is_counted = rounds.weights.iter().all(|weight| *weight == 1.0 || *weight == 0.0);
        (!is_counted)
            .then(|| ("weights", "hypotheses that are counted have a weight of 1".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::Code;
    use super::*;

    fn table(score: f64) -> Buckets {
        let stages = vec![Arc::from([score]), Arc::from([score, 2.0 * score])];
        Buckets { n_classes: 2, stages, ..Buckets::default() }
    }

    #[test]
    fn the_scores_of_problems_are_looked_up_and_decoded() {
        let code = Code::new(&[vec![1, 1], vec![-1, 0], vec![0, -1]]).unwrap();
        let tables = vec![table(1.0), table(10.0)];
        let tables = Tables { problems: Box::new(Combiner::coded(code, Decoding::Score)), tables };
        let outputs: [&[f64]; 2] = [&[0.0, 1.0], &[1.0, 0.0]];
        let expected = vec![vec![21.0, 12.0], vec![-1.0, -2.0], vec![-20.0, -10.0]];
        assert_eq!(tables.scores(9, &outputs), Some(expected));
        assert_eq!(
            tables.scores(0, &[&[0.0], &[0.0]]),
            Some(vec![vec![11.0], vec![-1.0], vec![-10.0]])
        );
    }

    #[test]
    fn there_is_a_table_for_each_problem() {
        let sound = |n: usize| {
            let mut one = table(1.0);
            one.losses = vec![1.0, 0.5];
            one.weights = vec![0.5, 0.0, 0.0, 0.5];
            one.counts = vec![1, 0, 0, 1];
            Tables { problems: Box::new(Combiner::by_class(3)), tables: vec![one; n] }
        };
        assert_eq!(sound(3).fault(), None);
        assert_eq!(sound(2).fault(), Some("expected a table for each problem"));
    }
}
