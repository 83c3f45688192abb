//! The stump search against a naive one that tries every cut and every subset of categories.

use super::problems::{numbers, texts};
use crate::data::{Binned, Bins, Rows, Table, View};
use crate::demand::{Demand, FULL_WEIGHT, Needs, Question, Stretch};
use crate::hypothesis::{Answers, Hypothesis};
use crate::learner::{AnswerName, CriterionName, LearnerSettings, Start, StumpSettings};
use crate::workers::Workers;
use proptest::prelude::*;

type Impurity = fn(f64, f64) -> f64;

const CRITERIA: [(CriterionName, Impurity); 3] = [
    (CriterionName::Error, |n, p| n.min(p)),
    (CriterionName::Z, |n, p| 2.0 * (n * p).sqrt()),
    (CriterionName::Gini, |n, p| if n + p > 0.0 { 2.0 * n * p / (n + p) } else { 0.0 }),
];

/// The score of the split that has `inside` rows on one side.
fn score(inside: &[bool], classes: &[u32], weights: &[f64], impurity: Impurity) -> f64 {
    let mut sums = [[0.0; 2]; 2];
    for ((&side, &class), &weight) in inside.iter().zip(classes).zip(weights) {
        sums[usize::from(side)][class as usize] += weight;
    }
    sums.iter().map(|side| impurity(side[0], side[1])).sum()
}

/// The best score over all tests of a number column, missing values on either side.
fn naive_numbers(x: &[Option<f64>], classes: &[u32], weights: &[f64], impurity: Impurity) -> f64 {
    let mut best = f64::INFINITY;
    for &threshold in x.iter().flatten() {
        for missing_inside in [false, true] {
            let inside: Vec<bool> =
                x.iter().map(|v| v.map_or(missing_inside, |v| v <= threshold)).collect();
            if inside.iter().any(|i| *i) && !inside.iter().all(|i| *i) {
                best = best.min(score(&inside, classes, weights, impurity));
            }
        }
    }
    best
}

/// The best score over all subsets of categories, missing being one.
fn naive_texts(x: &[Option<String>], classes: &[u32], weights: &[f64], impurity: Impurity) -> f64 {
    let mut values: Vec<&Option<String>> = x.iter().collect();
    values.sort();
    values.dedup();
    let mut best = f64::INFINITY;
    for subset in 1..(1u32 << values.len()) - 1 {
        let inside: Vec<bool> = x
            .iter()
            .map(|v| subset >> values.iter().position(|o| *o == v).unwrap() & 1 == 1)
            .collect();
        best = best.min(score(&inside, classes, weights, impurity));
    }
    best
}

type Row = (Option<i8>, Option<u8>, bool, u8);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let number = prop::option::weighted(0.8, -3i8..4);
    let letter = prop::option::weighted(0.8, 0u8..5);
    prop::collection::vec((number, letter, any::<bool>(), 1u8..6), 2..25)
}

proptest! {
    #[test]
    fn search_finds_what_exhaustion_finds(rows in rows()) {
        let classes: Vec<u32> = rows.iter().map(|r| u32::from(r.2)).collect();
        prop_assume!(classes.contains(&0) && classes.contains(&1));
        let total: f64 = rows.iter().map(|r| f64::from(r.3)).sum();
        let weights: Vec<f64> = rows.iter().map(|r| f64::from(r.3) / total).collect();
        let x: Vec<Option<f64>> = rows.iter().map(|r| r.0.map(f64::from)).collect();
        let t: Vec<Option<String>> = rows.iter().map(|r| r.1.map(|c| c.to_string())).collect();
        let columns = vec![numbers("x", x.clone()), texts("t", t.clone())];
        let table = Table::new(columns, true, rows.len()).unwrap();
        let workers = Workers::new(Some(1)).unwrap();
        let order = Rows::select(&classes, 2, Some(&weights), |_| true).unwrap();
        let bins = Bins::fit(table.columns(), &order, 255, &workers).unwrap();
        let bins: Vec<&Bins> = bins.iter().collect();
        let data =
            Binned::encode(table.columns(), &bins, Some(order.places()), rows.len(), &workers);
        let view = View::Codes(data.unwrap());
        let ordered = order.all_start_weights();
        let fixed: Vec<u64> = ordered.iter().map(|w| (w * FULL_WEIGHT) as u64).collect();
        let ends = order.class_ends().iter().enumerate();
        let stretches: Vec<Stretch> = ends.map(|(kind, &end)| Stretch { kind, end }).collect();
        let demand = Demand {
            question: Question::Side,
            weights: &fixed,
            stretches: &stretches,
            rows: None,
            copies: None,
            lightest: order.lightest(|_| true),
            partitions: None,
            revision: None,
        };
        for (criterion, impurity) in CRITERIA {
            let settings = StumpSettings { criterion, answer: AnswerName::Vote, smoothing: None };
            let start = Start {
                view: &view,
                question: Question::Side,
                learns_labels: true,
                needs: Needs::Votes,
                found_before: 0,
                most_rows: 1000,
                seed: 0,
            signs: &[],
            };
            let mut learner = LearnerSettings::Stump(settings).start(&start).unwrap();
            let found = learner.fit(&view, &demand, &workers).unwrap();
            let mut answers = Answers::default();
            found.answer(&view, &workers, &mut answers).unwrap();
            let Answers::Parts { part, .. } = answers else { panic!("a stump has parts") };
            let inside: Vec<bool> =
                order.places().iter().map(|&p| part[p as usize] == 1).collect();
            let reached = score(&inside, &classes, &weights, impurity);
            let naive = naive_numbers(&x, &classes, &weights, impurity)
                .min(naive_texts(&t, &classes, &weights, impurity));
            if naive.is_finite() {
                prop_assert!((reached - naive).abs() < 1e-9, "{criterion:?} {reached} {naive}");
            }
            let Hypothesis::Stump(stump) = found else { panic!("not a stump") };
            let answers = [(true, stump.answers.part(1)[0]), (false, stump.answers.part(0)[0])];
            for (side, answer) in answers {
                let mut sums = [0.0; 2];
                for ((&i, &class), &weight) in inside.iter().zip(&classes).zip(&weights) {
                    if i == side {
                        sums[class as usize] += weight;
                    }
                }
                if (sums[1] - sums[0]).abs() > 1e-9 {
                    prop_assert_eq!(answer, (sums[1] - sums[0]).signum());
                }
            }
        }
    }
}
