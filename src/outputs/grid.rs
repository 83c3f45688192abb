//! Grids that rows walk through: what is told of a row is the mass that ends on the right.
//!
//! In: for every two-class problem a column for each number of moves to the right, holding the
//! probability that a row has made so many. Out: half the log-odds of having mostly gone right. A
//! round is a layer. The hypothesis of a node moves a share of the mass of its column to the next
//! one; a node without a hypothesis moves all of it or nothing.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The largest score, half the log-odds of a share that no double can tell from 1.
const SCORE_CAP: f64 = 18.0;

/// A grid for each two-class problem; all have the same number of layers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Grid {
    /// The most layers that there is room for.
    pub n_layers: usize,
    /// The layers so far.
    pub layers: Vec<Arc<Layer>>,
}

/// What is known of a layer besides its hypotheses.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The columns, ascending, whose nodes have no hypothesis and pass all mass to the right. Other
    /// nodes without a hypothesis let it stay.
    pub passes: Vec<usize>,
    /// The share of the training weight that reaches each node, problem after problem.
    pub masses: Vec<f64>,
}

/// Something that is done to the columns in a round.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// What the hypothesis at this place among those of the round asks for.
    Hypothesis(usize),
    /// All mass of this column goes to the next one.
    Pass(usize),
}

/// The share of the mass that a hypothesis moves to the right where it answers −1 and where it
/// answers +1, if it answers +1 with this probability under the balanced weights of its node. Half of
/// these go right, whatever the probability is.
#[must_use]
pub fn shares(right: f64) -> [f64; 2] {
    if right >= 0.5 { [0.0, 0.5 / right] } else { [1.0 - 0.5 / (1.0 - right), 1.0] }
}

impl Grid {
    /// Room for so many layers.
    #[must_use]
    pub fn new(n_layers: usize) -> Self {
        Self { n_layers, layers: Vec::new() }
    }

    /// The columns of each problem.
    #[must_use]
    pub fn width(&self) -> usize {
        self.n_layers.saturating_add(1)
    }

    /// The mass of all rows in a column before the first layer.
    pub(super) fn first_mass(&self, column: usize) -> f64 {
        if column.is_multiple_of(self.width()) { 1.0 } else { 0.0 }
    }

    /// The share of the training weight that reaches the node of a column in a layer; 0 if there is
    /// no such node.
    #[must_use]
    pub fn mass(&self, layer: usize, column: usize) -> f64 {
        if !self.has_node(layer, column) {
            return 0.0;
        }
        let (problem, node) = (column / self.width(), column % self.width());
        let masses = self.layers.get(layer).map_or(&[][..], |layer| &layer.masses);
        masses.get(problem * (layer + 1) + node).copied().unwrap_or(0.0)
    }

    /// Whether a column is that of a node in this layer.
    #[must_use]
    pub fn has_node(&self, layer: usize, column: usize) -> bool {
        layer < self.n_layers && column % self.width() <= layer
    }

    /// Whether all passes are nodes of their layers and all masses are numbers.
    #[must_use]
    pub fn is_sound(&self, n_problems: usize) -> bool {
        let n_columns = n_problems.saturating_mul(self.width());
        let fits = |(at, layer): (usize, &Arc<Layer>)| {
            let Layer { passes, masses } = &**layer;
            passes.is_sorted_by(|before, after| before < after)
                && passes.iter().all(|&column| column < n_columns && self.has_node(at, column))
                && masses.len() == n_problems * (at + 1)
                && masses.iter().all(|mass| (0.0..=f64::MAX).contains(mass))
        };
        self.layers.len() <= self.n_layers && self.layers.iter().enumerate().all(fits)
    }

    /// What is done in a layer, the columns of whose hypotheses are these, ascending. Every node has
    /// to hand on its mass before more comes from the left, so the last column is the first.
    pub(super) fn deeds(
        &self,
        layer: usize,
        columns: impl Iterator<Item = usize>,
    ) -> Vec<(usize, Deed)> {
        let passes = self.layers.get(layer).map_or(&[][..], |layer| &layer.passes);
        let mut deeds: Vec<(usize, Deed)> =
            columns.enumerate().map(|(at, column)| (column, Deed::Hypothesis(at))).collect();
        deeds.extend(passes.iter().map(|&column| (column, Deed::Pass(column))));
        deeds.sort_by_key(|(column, _)| std::cmp::Reverse(*column));
        deeds
    }

    /// For each problem half the log-odds that rows went right in most of the first layers, of which
    /// there are so many or all there are. What went right in just half of them counts half.
    pub(super) fn tell_after(&self, n_layers: usize, columns: &[&[f64]]) -> Vec<Vec<f64>> {
        let n_layers = n_layers.min(self.layers.len());
        let tell = |problem: &[&[f64]]| {
            let n_rows = problem.first().map_or(0, |column| column.len());
            let (mut left, mut right) = (vec![0.0; n_rows], vec![0.0; n_rows]);
            for (moves, column) in problem[..=n_layers].iter().enumerate() {
                let to_right = match (2 * moves).cmp(&n_layers) {
                    std::cmp::Ordering::Less => 0.0,
                    std::cmp::Ordering::Equal => 0.5,
                    std::cmp::Ordering::Greater => 1.0,
                };
                for ((left, right), mass) in left.iter_mut().zip(&mut right).zip(*column) {
                    *left += (1.0 - to_right) * mass;
                    *right += to_right * mass;
                }
            }
            let odds = left.iter().zip(&right).map(|(left, right)| right / left);
            odds.map(|odds| (0.5 * odds.ln()).clamp(-SCORE_CAP, SCORE_CAP)).collect()
        };
        columns.chunks_exact(self.width()).map(tell).collect()
    }
}

/// Moves all mass of a column to the next one.
pub fn pass_on(column: usize, columns: &mut [&mut [f64]]) {
    move_shares(column, std::iter::repeat(1.0), columns);
}

/// Moves a share of the mass of each row from a column to the next one.
pub(super) fn move_shares(
    column: usize,
    shares: impl Iterator<Item = f64>,
    columns: &mut [&mut [f64]],
) {
    let [from, to] = &mut columns[column..column + 2] else { return };
    for ((from, to), share) in from.iter_mut().zip(to.iter_mut()).zip(shares) {
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
        Grid { n_layers: 3, layers: passes.iter().map(layer).collect() }
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
    fn the_last_column_comes_first_whoever_owns_it() {
        let grid = grid(&[&[], &[1, 5]]);
        let deeds = grid.deeds(1, [0, 4].into_iter());
        let deeds: Vec<Deed> = deeds.into_iter().map(|(_, deed)| deed).collect();
        let expected = [Deed::Pass(5), Deed::Hypothesis(1), Deed::Pass(1), Deed::Hypothesis(0)];
        assert_eq!(deeds, expected);
    }

    #[test]
    fn moved_mass_is_neither_lost_nor_made() {
        let mut columns = [vec![0.75, 0.0], vec![0.25, 1.0], vec![0.0, 0.0]];
        let mut slices: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
        pass_on(1, &mut slices);
        move_shares(0, [1.0 / 3.0, 0.5].into_iter(), &mut slices);
        assert_eq!(columns, [[0.5, 0.0], [0.25, 0.0], [0.25, 1.0]]);
    }

    #[test]
    fn a_tie_in_the_middle_counts_half() {
        let grid = grid(&[&[], &[]]);
        let columns: [&[f64]; 4] =
            [&[0.0, 0.5, 1.0], &[1.0, 0.25, 0.0], &[0.0, 0.25, 0.0], &[0.0; 3]];
        let told = grid.tell_after(9, &columns);
        let expected = 0.5 * (0.375f64 / 0.625).ln();
        assert!(told[0][0] == 0.0 && (told[0][1] - expected).abs() < 1e-15);
        assert_eq!(told[0][2], -18.0);
        // After one layer there is no tie: a single move to the right is a majority.
        assert_eq!(grid.tell_after(1, &columns)[0][0], 18.0);
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
            assert_eq!(grid.is_sound(2), sound, "{passes:?}");
        }
    }
}
