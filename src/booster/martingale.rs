//! MartiBoost: rows walk through a grid of hypotheses (A9).
//!
//! Node (l, k) of layer l is where rows are that have gone right k times. It sees the weight that
//! reaches it, balanced so that both sides weigh the same, and finds a hypothesis for that. A row goes
//! right where the answer is +1, but so that just half of the balanced weight does: with q = P[h = +1],
//! an answer of +1 is kept with probability ½/q if q > ½, one of −1 with ½/(1 − q) if q < ½. After L
//! layers a row is positive if it went right more than L/2 times. A wrong label walks with the rows
//! that look like it, and balance, not weight, decides what a node attends to.
//!
//! No random numbers are needed: the score columns hold the probability that a row has gone right k
//! times, and rows take part in a node by that much. Or else each training row walks its own way.
//! A node that too little weight reaches has no hypothesis and passes it on by its majority; all of
//! them together hold at most [`PRUNED_MASS`] of the weight. Cost: L (L + 1)/2 searches, each over the
//! rows that reach the node. Long & Servedio 2005; Geist 2015, section 5.5.1.

use std::sync::Arc;

use rand::RngExt;
use serde::{Deserialize, Serialize};

use super::asked::Asked;
use super::row_weights::to_fixed;
use super::separate::decompose;
use super::target::Target;
use super::{Found, RoundJudgement, Scores, SideBySide, Team, TeamStart, Verdict};
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, RowNumbers};
use crate::learner::{Demand, FULL_WEIGHT, Question, Stretch};
use crate::outputs::{Layer, Outputs, shares};
use crate::random::stream;
use crate::workers::Workers;

/// The share of the training weight that nodes without a hypothesis may hold, over all layers, if
/// both sides reach them. Whatever these nodes did instead, the probabilities of the training rows
/// would change by no more than that on average.
const PRUNED_MASS: f64 = 1e-6;

/// More layers than anybody can wait for.
const MOST_LAYERS: usize = 10_000;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MartingaleSettings {
    /// The number of layers.
    pub n_layers: usize,
    /// Whether training rows walk by chance, each its own way.
    pub randomized: bool,
}

impl MartingaleSettings {
    pub(super) fn start(&self, start: &TeamStart) -> Result<Box<dyn Team>> {
        #[allow(clippy::float_cmp)] // the default and nothing else
        if start.learning_rate != 1.0 {
            let expected = "1, because hypotheses show the way and are not weighed";
            return Err(Error::parameter("learning_rate", start.learning_rate, expected));
        }
        if self.n_layers > MOST_LAYERS {
            let expected = format!("an integer in 1..{MOST_LAYERS}");
            return Err(Error::parameter("n_layers", self.n_layers, &expected));
        }
        let (rows, outputs) = (start.rows, decompose(start)?);
        let even = || vec![1.0 / rows.n_input_rows() as f64; rows.len()];
        let problem = |target: Target| Problem {
            lightest: rows.lightest(|class| target.has(class)),
            nodes: self.randomized.then(|| vec![0; rows.len()]),
            target,
        };
        Ok(Box::new(Martingale {
            problems: Target::of_columns(&outputs).into_iter().map(problem).collect(),
            width: self.n_layers + 1,
            outputs: outputs.with_grid(self.n_layers),
            weights: rows.start_weights().unwrap_or_else(even),
            copies: rows.copies().map(<[u32]>::to_vec),
            n_input_rows: rows.n_input_rows() as f64,
            seed: start.seed,
            layer: 0,
            judged: Layer::default(),
            asked: Asked::default(),
        }))
    }
}

struct Martingale {
    outputs: Outputs,
    /// The columns of each problem.
    width: usize,
    problems: Vec<Problem>,
    /// The start weight of one input row at each place.
    weights: Vec<f64>,
    copies: Option<Vec<u32>>,
    n_input_rows: f64,
    seed: u64,
    layer: usize,
    /// What the layer that was judged last does without hypotheses.
    judged: Layer,
    asked: Asked,
}

struct Problem {
    target: Target,
    lightest: f64,
    /// The node of each row, if rows walk by chance.
    nodes: Option<Vec<u32>>,
}

/// What reaches a node.
struct Reach {
    /// What one input row at each place brings; 0 for rows that do not take part.
    weights: Vec<f64>,
    /// By side: what weights are divided by before they are added up in fixed point.
    units: [f64; 2],
    /// By side: the sum of all.
    sums: [f64; 2],
}

/// What a node does in its layer.
struct Judged {
    mass: f64,
    /// q, edge and error of its hypothesis.
    found: Option<[f64; 3]>,
    /// Whether it passes rows to the right, if it has none.
    passes: bool,
}

impl Martingale {
    fn copies(&self, place: usize) -> u64 {
        self.copies.as_ref().map_or(1, |copies| u64::from(copies[place]))
    }

    /// The problem of a search, and how often rows have gone right that reach its node.
    fn node(&self, search: usize) -> (&Problem, usize) {
        (&self.problems[search / self.width], search % self.width)
    }

    /// The searches of this layer.
    fn searches(&self) -> Vec<usize> {
        let of_problem = |problem| (0..=self.layer).map(move |node| problem * self.width + node);
        (0..self.problems.len()).flat_map(of_problem).collect()
    }

    /// What reaches the node of a search. Sums are of integers, whatever the order of rows.
    fn reach(&self, search: usize, scores: &Scores) -> Reach {
        let (problem, node) = self.node(search);
        let mut weights = vec![0.0; self.weights.len()];
        let mut units = [0.0f64; 2];
        for (side, places) in problem.runs(scores) {
            let pieces = weights[places.clone()].iter_mut().zip(&self.weights[places.clone()]);
            let mut most = 0.0f64;
            match &problem.nodes {
                None => {
                    for ((to, weight), mass) in pieces.zip(&scores.column(search)[places]) {
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
        let mut reach = Reach { weights, units, sums: [0.0; 2] };
        let sums = self.add_up(problem, &reach, scores, |_| false);
        reach.sums = [0, 1].map(|side| units[side] * sums[side][0] as f64 / FULL_WEIGHT);
        reach
    }

    /// Fixed-point sums by side, of the places for which something holds not and for which it holds.
    fn add_up(
        &self,
        problem: &Problem,
        reach: &Reach,
        scores: &Scores,
        holds: impl Fn(usize) -> bool,
    ) -> [[u64; 2]; 2] {
        let mut sums = [[0; 2]; 2];
        for (side, places) in problem.runs(scores).filter(|(side, _)| reach.units[*side] > 0.0) {
            let factor = 1.0 / reach.units[side];
            for place in places {
                let weight = to_fixed(factor * reach.weights[place]) * self.copies(place);
                sums[side][usize::from(holds(place))] += weight;
            }
        }
        sums
    }

    /// The weight that all nodes of a problem share.
    fn total(&self, problem: &Problem, scores: &Scores) -> f64 {
        let places = problem.runs(scores).flat_map(|(_, places)| places);
        places.map(|place| self.weights[place] * self.copies(place) as f64).sum()
    }

    /// Whether a node that so much reaches is to have a hypothesis.
    fn is_worth_a_search(&self, reach: &Reach, total: f64) -> bool {
        // Each of the l + 1 nodes of layer l gets an equal part of 1/((l + 1) (l + 2)), and these add
        // up to 1 over all layers there could ever be.
        let nodes = (self.layer + 1) as f64;
        let least = PRUNED_MASS / (nodes * nodes * (nodes + 1.0));
        reach.sums.iter().all(|sum| *sum > 0.0) && reach.mass() >= least * total
    }

    fn judge_node(&self, search: usize, answers: Option<&Answers>, scores: &Scores) -> Judged {
        let (problem, node) = self.node(search);
        let reach = self.reach(search, scores);
        let found = answers.map(|answers| {
            let numbers = answers.numbers(0);
            let sums = self.add_up(problem, &reach, scores, |place| numbers.of(place) >= 0.0);
            let right = sums.map(|[stays, moves]| match stays + moves {
                0 => 0.5,
                all => moves as f64 / all as f64,
            });
            let error = 0.5 * (right[0] + 1.0 - right[1]);
            [0.5 * (right[0] + right[1]), right[1] - right[0], error]
        });
        let passes = match reach.sums {
            [0.0, 0.0] => 2 * node >= self.layer,
            [negative, positive] => positive >= negative,
        };
        Judged { mass: reach.mass(), found, passes }
    }

    /// Lets every row of a problem go its way through this layer.
    fn walk(&mut self, found: &[Found], weights: &[Option<f64>]) {
        let (width, layer) = (self.width, self.layer);
        for (number, problem) in self.problems.iter_mut().enumerate() {
            let Some(nodes) = &mut problem.nodes else { continue };
            let mut ways: Vec<Way> = (0..=layer)
                .map(|node| Way::Pass(self.judged.passes.contains(&(number * width + node))))
                .collect();
            for Found { search, answers } in found.iter().filter(|f| f.search / width == number) {
                if let Some(right) = weights[*search] {
                    ways[search % width] = Way::Found(answers.numbers(0), shares(right));
                }
            }
            // Problems that draw do not draw alike.
            let mut generator = stream(self.seed.wrapping_add(number as u64), layer as u64);
            for (place, node) in nodes.iter_mut().enumerate() {
                let draw: f64 = generator.random();
                let goes_right = match &ways[*node as usize] {
                    Way::Pass(right) => *right,
                    Way::Found(numbers, shares) => {
                        draw < shares[usize::from(numbers.of(place) >= 0.0)]
                    }
                };
                *node += u32::from(goes_right);
            }
        }
    }
}

/// How rows leave a node.
enum Way<'a> {
    /// All to one side: the right one, or not.
    Pass(bool),
    /// By the answers of a hypothesis, which lead right with these probabilities.
    Found(RowNumbers<'a>, [f64; 2]),
}

impl Problem {
    /// The places of the rows that take part, class by class, with the side of the class.
    fn runs(&self, scores: &Scores) -> impl Iterator<Item = (usize, std::ops::Range<usize>)> {
        let blocks = scores.blocks().iter().filter(|block| self.target.has(block.run));
        blocks.map(|block| (self.target.kind(block.run), block.rows.clone()))
    }
}

impl Reach {
    fn mass(&self) -> f64 {
        self.sums[0] + self.sums[1]
    }

    /// By side, what makes both weigh ½.
    fn balance(&self) -> [f64; 2] {
        self.sums.map(|sum| if sum > 0.0 { 0.5 / sum } else { 0.0 })
    }
}

impl SideBySide for Martingale {
    fn ask(&self, search: usize, scores: &Scores) -> Option<Asked> {
        let (problem, node) = self.node(search);
        if node > self.layer {
            return None;
        }
        let reach = self.reach(search, scores);
        if !self.is_worth_a_search(&reach, self.total(problem, scores)) {
            return None;
        }
        let balance = reach.balance();
        let (mut rows, mut asked) = (Vec::new(), Asked::default());
        for (kind, places) in problem.runs(scores) {
            for place in places {
                let weight = to_fixed(balance[kind] * reach.weights[place]) * self.copies(place);
                if weight > 0 {
                    rows.push(place as u32);
                    asked.weights.push(weight);
                }
            }
            asked.stretches.push(Stretch { kind, end: rows.len() });
        }
        asked.rows = (rows.len() < self.weights.len()).then_some(rows);
        Some(asked.with_copies(self.copies.as_deref()))
    }

    fn lightest(&self, search: usize) -> f64 {
        self.node(search).0.lightest
    }

    fn number(&self, search: usize) -> usize {
        let before = self.layer * (self.layer + 1) / 2 * self.problems.len();
        before + search / self.width * (self.layer + 1) + search % self.width
    }
}

impl Team for Martingale {
    fn outputs(&self) -> &Outputs {
        &self.outputs
    }

    fn question(&self) -> Question {
        Question::Side
    }

    fn n_searches(&self) -> usize {
        self.outputs.n_columns
    }

    fn n_weights(&self) -> usize {
        self.outputs.n_columns
    }

    fn demand(
        &mut self,
        search: usize,
        scores: &Scores,
        _: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        let Some(asked) = self.ask(search, scores) else { return Ok(None) };
        self.asked = asked;
        Ok(Some(self.asked.lend(Question::Side, self.lightest(search))))
    }

    fn side_by_side(&self) -> Option<&dyn SideBySide> {
        Some(self)
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        let mut answers: Vec<Option<&Answers>> = vec![None; self.n_searches()];
        for found in found {
            answers[found.search] = Some(found.answers);
        }
        let searches = self.searches();
        let steps = searches.len() * scores.n_rows();
        let nodes = workers.map(steps, searches.clone(), |search| {
            Ok(self.judge_node(search, answers[search], scores))
        })?;
        let totals: Vec<f64> =
            self.problems.iter().map(|problem| self.total(problem, scores)).collect();
        let mut judgement = RoundJudgement {
            weights: vec![None; self.n_weights()],
            edges: vec![0.0; self.n_weights()],
            errors: vec![0.5; self.n_weights()],
            verdict: Verdict::Keep,
        };
        self.judged = Layer::default();
        for (search, node) in searches.into_iter().zip(nodes) {
            let total = totals[search / self.width];
            self.judged.masses.push(if total > 0.0 { node.mass / total } else { 0.0 });
            match node.found {
                Some([right, edge, error]) => {
                    judgement.weights[search] = Some(right);
                    judgement.edges[search] = edge;
                    judgement.errors[search] = error;
                }
                None if node.passes => self.judged.passes.push(search),
                None => {}
            }
        }
        Ok(judgement)
    }

    fn update(&mut self, found: &[Found], weights: &[Option<f64>], _: &Workers) -> Result<()> {
        self.walk(found, weights);
        if let Some(grid) = &mut self.outputs.grid {
            grid.layers.push(Arc::new(std::mem::take(&mut self.judged)));
        }
        self.layer += 1;
        Ok(())
    }

    /// What the nodes of the next layer would attend to, by the weight that reaches them.
    fn row_weights(&self, scores: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        let searches = self.searches();
        let mut shares = vec![0.0; scores.n_rows()];
        for search in searches {
            workers.check()?;
            let (problem, _) = self.node(search);
            let reach = self.reach(search, scores);
            let one_sided = reach.sums.contains(&0.0);
            let factors = reach.balance().map(|b| if one_sided { 1.0 } else { b * reach.mass() });
            let total = self.total(problem, scores);
            for (side, places) in problem.runs(scores) {
                for place in places {
                    shares[place] += factors[side] * reach.weights[place] / total;
                }
            }
        }
        let by_row = shares.iter().enumerate();
        let total = by_row.map(|(place, share)| share * self.copies(place) as f64).sum();
        Ok((shares, total))
    }
}
