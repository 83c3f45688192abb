//! MartiBoost: rows walk through a grid of hypotheses (A9).
//!
//! Node (l, k) of layer l is where rows are that have gone right k times. It sees the weight that
//! reaches it, balanced so that both sides weigh the same, and finds a hypothesis for that. A row goes
//! right where the answer is +1, but so that just half of the balanced weight does: with q = P[h = +1],
//! an answer of +1 is kept with probability ½/q if q > ½, one of −1 with ½/(1 − q) if q < ½. After L
//! layers a row is positive if it went right more than L/2 times. A wrong label walks with the rows
//! that look like it, and balance, not weight, decides what a node attends to.
//!
//! No random numbers are needed: the outputs hold the probability that a row has gone right k
//! times, and rows take part in a node by that much. Or else each training row walks its own way.
//! A node that too little weight reaches has no hypothesis and passes it on by its majority; all of
//! them together hold at most [`PRUNED_MASS`] of the weight. Cost: L (L + 1)/2 searches, each over the
//! rows that reach the node. Long & Servedio 2005; Geist 2015, section 5.5.1.

mod reach;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::row_weights::to_fixed;
use super::separate::decompose;
use super::target::Target;
use super::{Found, RoundJudgement, Scores, SideBySide, Team, TeamStart, Verdict, check_unshrunk};
use crate::combiner::{Combiner, Layer, MarginLoss, shares};
use crate::demand::{Demand, FULL_WEIGHT, Needs, OwnedDemand, Question, Stretch};
use crate::error::{Error, Result};
use crate::hypothesis::{Answers, RowNumbers};
use crate::reduce::Reduce;
use crate::sampling::{hashed, uniform};
use crate::workers::Workers;
use reach::{Reach, Walkers};

/// The share of the training weight that nodes without a hypothesis may hold, over all layers, if
/// both sides reach them. Whatever these nodes did instead, the probabilities of the training rows
/// would change by no more than that on average.
const PRUNED_MASS: f64 = 1e-6;

/// A probability this near to ½ is ½.
const EVEN: f64 = 1e-12;

/// The most layers; more would take too long.
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
        check_unshrunk(start.learning_rate, "hypotheses show the way and are not weighed")?;
        if self.n_layers > MOST_LAYERS {
            let expected = format!("an integer in 1..{MOST_LAYERS}");
            return Err(Error::parameter("n_layers", self.n_layers, &expected));
        }
        let (rows, combiner) = (start.rows, decompose(start)?);
        let (targets, width) = (Target::of_problems(&combiner), self.n_layers + 1);
        let reduce = start.workers.reduce();
        Ok(Box::new(Martingale {
            walkers: Walkers::start(rows, (targets, width), self.randomized, reduce)?,
            combiner: combiner.with_grid(self.n_layers),
            seed: start.seed,
            layer: 0,
            judged: Layer::default(),
            asked: OwnedDemand::default(),
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Grid,
        is_binary: true,
        loss: Some(MarginLoss::Logistic),
        rounds: RoundsParameter::NLayers,
        learning_rate: false,
        is_corrective: false,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: true,
    };
}

struct Martingale {
    combiner: Combiner,
    walkers: Walkers,
    seed: u64,
    layer: usize,
    /// What the layer that was judged last does without hypotheses.
    judged: Layer,
    asked: OwnedDemand,
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
    /// The searches of this layer.
    fn searches(&self) -> Vec<usize> {
        let Walkers { problems, width, .. } = &self.walkers;
        let of_problem = |problem| (0..=self.layer).map(move |node| problem * width + node);
        (0..problems.len()).flat_map(of_problem).collect()
    }

    /// Whether a node that so much reaches is to have a hypothesis.
    fn is_worth_a_search(&self, reach: &Reach, total: f64) -> bool {
        // Each of the l + 1 nodes of layer l gets an equal part of 1/((l + 1) (l + 2)), and these add
        // up to 1 over all layers there could ever be.
        let nodes = (self.layer + 1) as f64;
        let least = PRUNED_MASS / (nodes * nodes * (nodes + 1.0));
        reach.sums.iter().all(|sum| *sum > 0.0) && reach.mass() >= least * total
    }

    fn judge_node(
        &self,
        search: usize,
        answers: Option<&Answers>,
        scores: &Scores,
        reduce: &dyn Reduce,
    ) -> Result<Judged> {
        let (_, node) = self.walkers.node(search);
        let reach = self.walkers.reach(search, scores, reduce)?;
        let judge = |answers: &Answers| {
            let numbers = answers.numbers(0);
            let is_right = |place| numbers.of(place) >= 0.0;
            let sums = self.walkers.add_up((search, &reach), scores, is_right, reduce)?;
            let right = sums.map(|[stays, moves]| match stays + moves {
                0 => 0.5,
                all => moves as f64 / all as f64,
            });
            let error = 0.5 * (right[0] + 1.0 - right[1]);
            let q = 0.5 * (right[0] + right[1]);
            // Where rounding makes ½ something else, dust would go astray, and balance make it heavy.
            let q = if (q - 0.5).abs() < EVEN { 0.5 } else { q };
            Ok([q, right[1] - right[0], error])
        };
        let found = answers.map(judge).transpose()?;
        let passes = match reach.sums {
            [0.0, 0.0] => 2 * node >= self.layer,
            [negative, positive] => positive >= negative,
        };
        Ok(Judged { mass: reach.mass(), found, passes })
    }

    /// Lets every row of a problem go its way through this layer.
    fn walk(&mut self, found: &[Found], weights: &[Option<f64>]) {
        let (width, layer) = (self.walkers.width, self.layer);
        for (number, problem) in self.walkers.problems.iter_mut().enumerate() {
            let Some(nodes) = &mut problem.nodes else { continue };
            let mut ways: Vec<Way> = (0..=layer)
                .map(|node| Way::Pass(self.judged.passes.contains(&(number * width + node))))
                .collect();
            for Found { search, answers, .. } in found.iter().filter(|f| f.search / width == number)
            {
                if let Some(right) = weights[*search] {
                    ways[search % width] = Way::Found(answers.numbers(0), shares(right));
                }
            }
            // Problems that draw do not draw alike.
            let seed = hashed(self.seed.wrapping_add(number as u64), u64::MAX, 2);
            let places = nodes.iter_mut().zip(&self.walkers.numbers);
            for (place, (node, &row)) in places.enumerate() {
                let draw = uniform(hashed(seed, layer as u64, row));
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

impl SideBySide for Martingale {
    fn ask(
        &self,
        search: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<OwnedDemand>> {
        let walkers = &self.walkers;
        let (problem, node) = walkers.node(search);
        if node > self.layer {
            return Ok(None);
        }
        let reach = walkers.reach(search, scores, workers.reduce())?;
        if !self.is_worth_a_search(&reach, problem.total) {
            return Ok(None);
        }
        let balance = reach.balance();
        let (mut rows, mut asked) = (Vec::new(), OwnedDemand::default());
        for (kind, places) in problem.runs(scores) {
            for place in places {
                let weight = to_fixed(balance[kind] * reach.weights[place]) * walkers.copies(place);
                if weight > 0 {
                    rows.push(place as u32);
                    asked.weights.push(weight);
                }
            }
            asked.stretches.push(Stretch { kind, end: rows.len() });
        }
        asked.rows = (rows.len() < walkers.weights.len()).then_some(rows);
        Ok(Some(asked.with_copies(walkers.copies.as_deref())))
    }

    fn lightest(&self, search: usize) -> f64 {
        self.walkers.node(search).0.lightest
    }

    fn number(&self, search: usize) -> usize {
        let Walkers { problems, width, .. } = &self.walkers;
        let before = self.layer * (self.layer + 1) / 2 * problems.len();
        before + search / width * (self.layer + 1) + search % width
    }
}

impl Team for Martingale {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        Question::Side
    }

    fn n_searches(&self) -> usize {
        self.combiner.n_outputs()
    }

    fn n_weights(&self) -> usize {
        self.combiner.n_outputs()
    }

    fn demand(
        &mut self,
        search: usize,
        scores: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        let Some(asked) = self.ask(search, scores, workers)? else { return Ok(None) };
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
        let steps = workers.steps_if_alone(searches.len() * scores.n_rows());
        let nodes = workers.map(steps, searches.clone(), |search| {
            self.judge_node(search, answers[search], scores, workers.reduce())
        })?;
        let mut judgement = RoundJudgement {
            weights: vec![None; self.n_weights()],
            edges: vec![0.0; self.n_weights()],
            errors: vec![0.5; self.n_weights()],
            verdict: Verdict::Keep,
        };
        self.judged = Layer::default();
        for (search, node) in searches.into_iter().zip(nodes) {
            let total = self.walkers.node(search).0.total;
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
        if let Combiner::Grid(grid) = &mut self.combiner {
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
            let (problem, _) = self.walkers.node(search);
            let reach = self.walkers.reach(search, scores, workers.reduce())?;
            let one_sided = reach.sums.contains(&0.0);
            let factors = reach.balance().map(|b| if one_sided { 1.0 } else { b * reach.mass() });
            for (side, places) in problem.runs(scores) {
                for place in places {
                    shares[place] += factors[side] * reach.weights[place] / problem.total;
                }
            }
        }
        // In fixed point, because the sum must not depend on who shares a place.
        let n_problems = self.walkers.problems.len() as f64;
        let fixed = |(place, share): (usize, &f64)| {
            to_fixed(share / n_problems) * self.walkers.copies(place)
        };
        let total = workers.reduce().total(shares.iter().enumerate().map(fixed).sum::<u64>())?;
        Ok((shares, n_problems * total as f64 / FULL_WEIGHT))
    }
}
