//! What reaches the nodes of a grid.
//!
//! In: start weights, and the masses of rows at a node or the nodes that rows have walked to. Out: the
//! weight that every row brings to a node, and its sums by side. Sums are of integers, so that they
//! do not depend on the order of rows.

use std::ops::Range;

use super::super::row_weights::to_fixed;
use super::super::{Scores, Target};
use crate::data::Rows;
use crate::demand::FULL_WEIGHT;
use crate::error::Result;
use crate::reduce::Reduce;

/// What is below this is none: its inverse must not be infinite.
const NO_MASS: f64 = 1e-200;

/// The rows and the two-class problems that they are part of.
pub(super) struct Walkers {
    pub problems: Vec<Problem>,
    /// The outputs of each problem.
    pub width: usize,
    /// The start weight of one input row at each place.
    pub weights: Vec<f64>,
    /// How many input rows share each place.
    pub copies: Option<Vec<u32>>,
    /// The number of each row in the whole frame, if rows walk by chance.
    pub numbers: Vec<u64>,
    n_input_rows: f64,
}

pub(super) struct Problem {
    target: Target,
    /// The share of the lightest row in the start weight.
    pub lightest: f64,
    /// The start weight of all rows that take part.
    pub total: f64,
    /// The node of each row, if rows walk by chance.
    pub nodes: Option<Vec<u32>>,
}

/// What reaches a node.
pub(super) struct Reach {
    /// What one input row at each place brings; 0 for rows that do not take part.
    pub weights: Vec<f64>,
    /// By side: what weights are divided by before they are added up in fixed point.
    units: [f64; 2],
    /// By side: the sum of all.
    pub sums: [f64; 2],
}

impl Problem {
    /// The places of the rows that take part, class by class, with the side of the class.
    pub fn runs(&self, scores: &Scores) -> impl Iterator<Item = (usize, Range<usize>)> {
        let blocks = scores.blocks().iter().filter(|block| self.target.has(block.run));
        blocks.map(|block| (self.target.kind(block.run), block.rows.clone()))
    }
}

impl Reach {
    /// What both sides bring.
    pub fn mass(&self) -> f64 {
        self.sums[0] + self.sums[1]
    }

    /// By side, what makes both weigh ½.
    pub fn balance(&self) -> [f64; 2] {
        self.sums.map(|sum| if sum > 0.0 { 0.5 / sum } else { 0.0 })
    }
}

impl Walkers {
    /// All rows at the first node of every problem.
    pub fn start(
        rows: &Rows,
        (targets, width): (Vec<Target>, usize),
        by_chance: bool,
        reduce: &dyn Reduce,
    ) -> Result<Self> {
        let mut walkers = Self {
            problems: Vec::new(),
            width,
            weights: rows.all_start_weights(),
            copies: rows.copies().map(<[u32]>::to_vec),
            numbers: if by_chance { rows.whole_numbers() } else { Vec::new() },
            n_input_rows: rows.n_input_rows() as f64,
        };
        for target in targets {
            let ends = rows.class_ends();
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let classes = starts.zip(ends).enumerate().filter(|(class, _)| target.has(*class));
            let places = classes.flat_map(|(_, (start, &end))| start..end);
            let fixed = places.map(|at| to_fixed(walkers.weights[at]) * walkers.copies(at));
            walkers.problems.push(Problem {
                total: reduce.total(fixed.sum::<u64>())? as f64 / FULL_WEIGHT,
                lightest: rows.lightest(|class| target.has(class)),
                nodes: by_chance.then(|| vec![0; rows.len()]),
                target,
            });
        }
        Ok(walkers)
    }

    /// How many input rows share a place.
    pub fn copies(&self, place: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[place]))
    }

    /// The problem of a search, and how often rows have gone right that reach its node.
    pub fn node(&self, search: usize) -> (&Problem, usize) {
        (&self.problems[search / self.width], search % self.width)
    }

    /// What reaches the node of a search; the sums are those over all shards.
    pub fn reach(&self, search: usize, scores: &Scores, reduce: &dyn Reduce) -> Result<Reach> {
        let (problem, node) = self.node(search);
        let mut weights = vec![0.0; self.weights.len()];
        let mut units = [0.0f64; 2];
        for (side, places) in problem.runs(scores) {
            let pieces = weights[places.clone()].iter_mut().zip(&self.weights[places.clone()]);
            let mut most = 0.0f64;
            match &problem.nodes {
                None => {
                    for ((to, weight), mass) in pieces.zip(&scores.output(search)[places]) {
                        *to = weight * mass;
                        most = most.max(*to);
                    }
                }
                Some(nodes) => {
                    for ((to, weight), at) in pieces.zip(&nodes[places]) {
                        *to = if *at as usize == node { *weight } else { 0.0 };
                        most = most.max(*to);
                    }
                }
            }
            units[side] = units[side].max(most * self.n_input_rows);
        }
        reduce.largest(&mut units)?;
        let mut reach = Reach { weights, units, sums: [0.0; 2] };
        let sums = self.add_up((search, &reach), scores, |_| false, reduce)?;
        reach.sums = [0, 1].map(|side| {
            let sum = units[side] * sums[side][0] as f64 / FULL_WEIGHT;
            if sum < NO_MASS { 0.0 } else { sum }
        });
        Ok(reach)
    }

    /// Fixed-point sums by side: of the places for which something does not hold, and of those for
    /// which it does.
    pub fn add_up(
        &self,
        (search, reach): (usize, &Reach),
        scores: &Scores,
        holds: impl Fn(usize) -> bool,
        reduce: &dyn Reduce,
    ) -> Result<[[u64; 2]; 2]> {
        let mut sums = [[0; 2]; 2];
        let runs = self.node(search).0.runs(scores);
        for (side, places) in runs.filter(|(side, _)| reach.units[*side] > 0.0) {
            for place in places {
                let share = reach.weights[place] / reach.units[side];
                sums[side][usize::from(holds(place))] += to_fixed(share) * self.copies(place);
            }
        }
        reduce.sum_if_split(sums.as_flattened_mut())?;
        Ok(sums)
    }
}
