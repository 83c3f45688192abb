//! Grids that rows move through: the score of a row comes from the mass that ends on the right.
//!
//! In: for every two-class problem an output for each number of moves to the right, holding the
//! probability that a row has made so many. Out: half the log-odds of having mostly gone right. A
//! round is a layer. The hypothesis of a node moves a share of the mass of its output to the next
//! one; a node without a hypothesis moves all of it or nothing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::combine::Combine;
use super::{Addition, Combiner, Decoding, Fault, PartSteps, Rounds, ScoreStep, Weighted};
use crate::hypothesis::{Answers, PartAnswers};
use crate::portable::ln;

/// The largest score, half the log-odds of a share that no double can tell from 1.
const SCORE_CAP: f64 = 18.0;

/// A grid for each two-class problem; all have the same number of layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// How the scores of the two-class problems make those of the classes.
    pub problems: Box<Combiner>,
    /// The most layers that there is room for.
    pub n_layers: usize,
    /// The layers so far.
    pub layers: Vec<Arc<Layer>>,
}

/// What is known of a layer besides its hypotheses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The outputs, ascending, whose nodes have no hypothesis and pass all mass to the right. Other
    /// nodes without a hypothesis let it stay.
    pub passes: Vec<usize>,
    /// The share of the training weight that reaches each node, problem after problem.
    pub masses: Vec<f64>,
}

/// The share of the mass that a hypothesis moves to the right where it answers −1 and where it
/// answers +1, if it answers +1 with this probability under the balanced weights of its node. Half of
/// these go right, whatever the probability is.
#[must_use]
pub fn shares(right: f64) -> [f64; 2] {
    if right >= 0.5 { [0.0, 0.5 / right] } else { [1.0 - 0.5 / (1.0 - right), 1.0] }
}

impl Grid {
    /// Memory for so many layers in each two-class problem.
    #[must_use]
    pub fn new(problems: Combiner, n_layers: usize) -> Self {
        Self { problems: Box::new(problems), n_layers, layers: Vec::new() }
    }

    /// The outputs of each problem.
    #[must_use]
    pub fn width(&self) -> usize {
        self.n_layers.saturating_add(1)
    }

    /// The share of the training weight that reaches the node of an output in a layer; 0 if there is
    /// no such node.
    #[must_use]
    pub fn mass(&self, layer: usize, output: usize) -> f64 {
        if !self.has_node(layer, output) {
            return 0.0;
        }
        let (problem, node) = (output / self.width(), output % self.width());
        let masses = self.layers.get(layer).map_or(&[][..], |layer| &layer.masses);
        masses.get(problem * (layer + 1) + node).copied().unwrap_or(0.0)
    }

    /// Whether an output is that of a node in this layer.
    #[must_use]
    pub fn has_node(&self, layer: usize, output: usize) -> bool {
        layer < self.n_layers && output % self.width() <= layer
    }

    /// Whether all passes are nodes of their layers and all masses are numbers.
    fn is_sound(&self) -> bool {
        let (n_problems, n_outputs) = (self.problems.n_outputs(), self.n_outputs());
        let fits = |(at, layer): (usize, &Arc<Layer>)| {
            let Layer { passes, masses } = &**layer;
            passes.is_sorted_by(|before, after| before < after)
                && passes.iter().all(|&output| output < n_outputs && self.has_node(at, output))
                && masses.len() == n_problems * (at + 1)
                && masses.iter().all(|mass| (0.0..=f64::MAX).contains(mass))
        };
        self.layers.len() <= self.n_layers && self.layers.iter().enumerate().all(fits)
    }

    /// For each problem half the log-odds that rows went right in most of the first layers, of which
    /// there are so many or all there are. What went right in just half of them counts half.
    fn log_odds(&self, n_layers: usize, outputs: &[&[f64]]) -> Vec<Vec<f64>> {
        let n_layers = n_layers.min(self.layers.len());
        let of_problem = |outputs: &[&[f64]]| {
            let n_rows = outputs.first().map_or(0, |output| output.len());
            let (mut left, mut right) = (vec![0.0; n_rows], vec![0.0; n_rows]);
            for (moves, output) in outputs[..=n_layers].iter().enumerate() {
                let to_right = match (2 * moves).cmp(&n_layers) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
                for ((left, right), mass) in left.iter_mut().zip(&mut right).zip(*output) {
                    *left += (1.0 - to_right) * mass;
                    *right += to_right * mass;
                }
            }
            let odds = left.iter().zip(&right).map(|(left, right)| right / left);
            odds.map(|odds| (0.5 * ln(odds)).clamp(-SCORE_CAP, SCORE_CAP)).collect()
        };
        outputs.chunks_exact(self.width()).map(of_problem).collect()
    }
}

impl Combine for Grid {
    fn n_classes(&self) -> usize {
        self.problems.n_classes()
    }

    fn n_outputs(&self) -> usize {
        self.problems.n_outputs().saturating_mul(self.width())
    }

    fn n_scores(&self) -> usize {
        self.problems.n_scores()
    }

    fn scores(&self, n_rounds: usize, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        let by_problem = self.log_odds(n_rounds, outputs);
        let slices: Vec<&[f64]> = by_problem.iter().map(Vec::as_slice).collect();
        let decoded = self.problems.rule().scores(n_rounds, &slices);
        Some(decoded.unwrap_or(by_problem))
    }

    fn scores_for_classes(&self, outputs: &[&[f64]]) -> Option<Vec<Vec<f64>>> {
        let by_problem = self.log_odds(usize::MAX, outputs);
        let slices: Vec<&[f64]> = by_problem.iter().map(Vec::as_slice).collect();
        let decoded = self.problems.rule().scores_for_classes(&slices);
        Some(decoded.unwrap_or(by_problem))
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

    fn outputs_by_problem(&self) -> usize {
        self.width()
    }

    /// However many layers there is room for.
    fn continues(&self, other: &Combiner) -> bool {
        matches!(other, Combiner::Grid(other) if self.problems.continues(&other.problems))
    }

    /// All mass is at the first node.
    fn first_value(&self, output: usize) -> f64 {
        if output.is_multiple_of(self.width()) { 1.0 } else { 0.0 }
    }

    /// Every node has to hand on its mass before more comes from the left, so the last output is the
    /// first.
    fn steps(&self, layer: usize, outputs: &[usize]) -> Vec<ScoreStep> {
        let passes = self.layers.get(layer).map_or(&[][..], |layer| &layer.passes);
        let hypotheses = outputs.iter().enumerate();
        let mut steps: Vec<(usize, ScoreStep)> =
            hypotheses.map(|(at, output)| (*output, ScoreStep::Hypothesis(at))).collect();
        steps.extend(passes.iter().map(|&output| (output, ScoreStep::Pass(output))));
        steps.sort_by_key(|(output, _)| std::cmp::Reverse(*output));
        steps.into_iter().map(|(_, step)| step).collect()
    }

    fn part_steps(&self, answers: &PartAnswers, to: Weighted) -> PartSteps {
        PartSteps::moving(answers, to)
    }

    fn addition<'a>(&self, answers: &'a Answers, to: Weighted) -> Addition<'a> {
        Addition::moving(answers, to)
    }

    fn strength(&self, round: usize, to: Weighted) -> f64 {
        self.mass(round, to.output)
    }

    fn has_layers(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<&'static str> {
        if !self.problems.is_sum() {
            return Some("the problems of a grid are sums");
        }
        if let Some(fault) = self.problems.fault() {
            return Some(fault);
        }
        let is_sound = self.problems.n_outputs().checked_mul(self.width()).is_some()
            && !self.layers.is_empty()
            && self.is_sound();
        (!is_sound).then_some("the layers do not fit the grid")
    }

    fn rounds_fault(&self, rounds: &Rounds) -> Option<Fault> {
        let Rounds { n_rounds, weights, positions } = *rounds;
        let count = |got: usize, expected: usize| {
            (got != expected).then(|| format!("{got} entries, expected {expected}"))
        };
        if let Some(reason) = count(self.layers.len(), n_rounds) {
            return Some(("combiner.grid.layers", reason));
        }
        if let Some(reason) = count(weights.len() / n_rounds, self.n_outputs()) {
            return Some(("weights", reason));
        }
        let are_shares = weights.iter().all(|weight| (0.0..=1.0).contains(weight));
        if !are_shares {
            return Some(("weights", "those of a grid are probabilities".to_owned()));
        }
        let searches = |(round, output): &(usize, usize)| {
            let passes = self.layers.get(*round).map_or(&[][..], |layer| &layer.passes);
            self.has_node(*round, *output) && passes.binary_search(output).is_err()
        };
        let reason = "expected nodes of the layer that do not pass rows on";
        (!positions.iter().all(searches)).then(|| ("outputs", reason.to_owned()))
    }
}

/// Moves all mass of an output to the next one.
pub fn pass_on(output: usize, outputs: &mut [&mut [f64]]) {
    move_shares(output, std::iter::repeat(1.0), outputs);
}

/// Moves a share of the mass of each row from an output to the next one.
pub(super) fn move_shares<T: AsMut<[f64]>>(
    output: usize,
    shares: impl Iterator<Item = f64>,
    outputs: &mut [T],
) {
    let [from, to] = &mut outputs[output..output + 2] else { return };
    let pairs = from.as_mut().iter_mut().zip(to.as_mut());
    for ((from, to), share) in pairs.zip(shares) {
        let moved = share * *from;
        *from -= moved;
        *to += moved;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(passes: &[&[usize]]) -> Grid {
        let layer =
            |passes: &&[usize]| Arc::new(Layer { passes: passes.to_vec(), ..Layer::default() });
        let problems = Box::new(Combiner::by_class(2));
        Grid { problems, n_layers: 3, layers: passes.iter().map(layer).collect() }
    }

    #[test]
    fn half_of_the_balanced_weight_moves_whatever_the_hypothesis_says() {
        for right in [0.0, 0.1, 0.5, 0.75, 1.0] {
            let [below, above] = shares(right);
            assert!((right * above + (1.0 - right) * below - 0.5).abs() < 1e-15);
            assert!((0.0..=1.0).contains(&below) && (0.0..=1.0).contains(&above));
        }
    }

    #[test]
    fn the_last_output_comes_first_whoever_owns_it() {
        let grid = grid(&[&[], &[1, 5]]);
        let steps = grid.steps(1, &[0, 4]);
        let (pass, hypothesis) = (ScoreStep::Pass, ScoreStep::Hypothesis);
        assert_eq!(steps, [pass(5), hypothesis(1), pass(1), hypothesis(0)]);
    }

    #[test]
    fn moved_mass_is_neither_lost_nor_made() {
        let mut outputs = [vec![0.75, 0.0], vec![0.25, 1.0], vec![0.0, 0.0]];
        let mut slices: Vec<&mut [f64]> = outputs.iter_mut().map(Vec::as_mut_slice).collect();
        pass_on(1, &mut slices);
        move_shares(0, [1.0 / 3.0, 0.5].into_iter(), &mut slices);
        assert_eq!(outputs, [[0.5, 0.0], [0.25, 0.0], [0.25, 1.0]]);
    }

    #[test]
    fn a_tie_in_the_middle_counts_half() {
        let grid = grid(&[&[], &[]]);
        let outputs: [&[f64]; 4] =
            [&[0.0, 0.5, 1.0], &[1.0, 0.25, 0.0], &[0.0, 0.25, 0.0], &[0.0; 3]];
        let scores = grid.log_odds(9, &outputs);
        let expected = 0.5 * (0.375f64 / 0.625).ln();
        assert!(scores[0][0] == 0.0 && (scores[0][1] - expected).abs() < 1e-15);
        assert_eq!(scores[0][2], -18.0);
        // After one layer there is no tie: a single move to the right is a majority.
        assert_eq!(grid.log_odds(1, &outputs)[0][0], 18.0);
    }

    #[test]
    fn passes_outside_their_layer_are_not_sound() {
        let masses = |grid: &mut Grid| {
            for (at, layer) in grid.layers.iter_mut().enumerate() {
                *layer = Arc::new(Layer { masses: vec![0.5; 2 * (at + 1)], ..(**layer).clone() });
            }
        };
        for (passes, sound) in [
            (&[&[0usize, 4][..], &[1]][..], true),
            (&[&[1]], false),
            (&[&[8]], false),
            (&[&[4, 0]], false),
        ] {
            let mut grid = grid(passes);
            masses(&mut grid);
            assert_eq!(grid.is_sound(), sound, "{passes:?}");
        }
    }
}
