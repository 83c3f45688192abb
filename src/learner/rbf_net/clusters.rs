//! Where a net starts: centres by weighted k-means, widths from the distances between them.
//!
//! In: a sample and a generator. Out: at most as many centres as there are distinct rows. The first
//! centres are drawn as k-means++ draws them (Arthur & Vassilvitskii 2007), each with a chance
//! proportional to weight × squared distance to the centres drawn before; Lloyd's steps follow.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::sample::{Block, Sample};
use crate::error::Result;
use crate::vectors::{add_scaled, squared_distance};
use crate::workers::Workers;

/// Lloyd's steps at most; what later ones change, conjugate gradients change more.
const MAX_STEPS: usize = 30;

/// No width starts outside of these, in standardised units.
pub(super) const WIDTHS: std::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// The cluster of a row before the first step.
const NONE: u32 = u32::MAX;

/// Centres, one after the other.
pub(super) fn find_centers(
    sample: &Sample,
    n_centers: usize,
    generator: &mut ChaCha8Rng,
    workers: &Workers,
) -> Result<Vec<f64>> {
    let mut centers = draw_centers(sample, n_centers, generator, workers)?;
    let mut clusters = vec![NONE; sample.n_rows()];
    for _ in 0..MAX_STEPS {
        if !improve(sample, &mut centers, &mut clusters, workers)? {
            break;
        }
    }
    Ok(centers)
}

fn draw_centers(
    sample: &Sample,
    n_centers: usize,
    generator: &mut ChaCha8Rng,
    workers: &Workers,
) -> Result<Vec<f64>> {
    let mut centers = Vec::new();
    let mut distances = vec![f64::INFINITY; sample.n_rows()];
    // The first draw knows weights only.
    let mut chances = sample.weights.clone();
    for _ in 0..n_centers.min(sample.n_rows()) {
        let Some(row) = draw(&chances, generator.random()) else { break };
        let center = sample.row(row);
        centers.extend_from_slice(center);
        let size = sample.block_rows();
        let places = distances.chunks_mut(size).zip(chances.chunks_mut(size));
        let tasks = sample.blocks().zip(places).collect();
        workers.map(
            sample.n_rows() * sample.n_columns,
            tasks,
            |(block, (distances, chances))| {
                let places = distances.iter_mut().zip(chances.iter_mut()).zip(block.weights);
                for (row, ((distance, chance), weight)) in block.rows().zip(places) {
                    *distance = distance.min(squared_distance(row, center));
                    *chance = weight * *distance;
                }
                Ok(())
            },
        )?;
    }
    Ok(centers)
}

/// The row that a uniform number in [0, 1) draws; none if no row has a chance left.
fn draw(chances: &[f64], uniform: f64) -> Option<usize> {
    let wanted = uniform * chances.iter().sum::<f64>();
    let mut sum = 0.0;
    let mut last = None;
    for (row, &chance) in chances.iter().enumerate().filter(|(_, chance)| **chance > 0.0) {
        sum += chance;
        last = Some(row);
        if sum > wanted {
            break;
        }
    }
    last
}

/// What one block of rows says about the clusters.
struct Tally {
    /// Per centre the weighted sum of its rows.
    sums: Vec<f64>,
    /// Per centre the weight of its rows.
    masses: Vec<f64>,
    moved: bool,
    /// The largest weight × squared distance of a row to its centre, and the first such row.
    farthest: (f64, usize),
}

/// One step of Lloyd's: rows go to their closest centre, centres to the mean of their rows.
/// An empty cluster takes the row that fits its own worst. False once nothing changes.
fn improve(
    sample: &Sample,
    centers: &mut [f64],
    clusters: &mut [u32],
    workers: &Workers,
) -> Result<bool> {
    let n_columns = sample.n_columns;
    let tasks = sample.blocks().zip(clusters.chunks_mut(sample.block_rows())).collect();
    let steps = sample.n_rows() * centers.len();
    let tallies = workers
        .map(steps, tasks, |(block, clusters)| Ok(assign(&block, centers, n_columns, clusters)))?;
    let mut all = Tally {
        sums: vec![0.0; centers.len()],
        masses: vec![0.0; centers.len() / n_columns.max(1)],
        moved: false,
        farthest: (0.0, 0),
    };
    for tally in tallies {
        add_scaled(&mut all.sums, 1.0, &tally.sums);
        add_scaled(&mut all.masses, 1.0, &tally.masses);
        all.moved |= tally.moved;
        if tally.farthest.0 > all.farthest.0 {
            all.farthest = tally.farthest;
        }
    }
    let places = centers.chunks_exact_mut(n_columns.max(1)).zip(all.sums.chunks(n_columns.max(1)));
    for ((center, sums), &mass) in places.zip(&all.masses) {
        if mass > 0.0 {
            for (to, sum) in center.iter_mut().zip(sums) {
                *to = sum / mass;
            }
        } else if all.farthest.0 > 0.0 {
            center.copy_from_slice(sample.row(all.farthest.1));
            // One at a time: another empty cluster waits for the next step.
            all.farthest.0 = 0.0;
            all.moved = true;
        }
    }
    Ok(all.moved)
}

fn assign(block: &Block, centers: &[f64], n_columns: usize, clusters: &mut [u32]) -> Tally {
    let mut tally = Tally {
        sums: vec![0.0; centers.len()],
        masses: vec![0.0; centers.len() / n_columns.max(1)],
        moved: false,
        farthest: (0.0, 0),
    };
    let places = block.weights.iter().zip(clusters).enumerate();
    for (row, (at, (&weight, cluster))) in block.rows().zip(places) {
        let (mut closest, mut distance) = (0, f64::INFINITY);
        for (k, center) in centers.chunks_exact(n_columns.max(1)).enumerate() {
            let other = squared_distance(row, center);
            if other < distance {
                (closest, distance) = (k, other);
            }
        }
        tally.moved |= *cluster != closest as u32;
        *cluster = closest as u32;
        tally.masses[closest] += weight;
        for (sum, x) in tally.sums[closest * n_columns..].iter_mut().zip(row) {
            *sum += weight * x;
        }
        if weight * distance > tally.farthest.0 {
            tally.farthest = (weight * distance, block.first + at);
        }
    }
    tally
}

/// The width of each centre: its distance to the closest other one that does not coincide with it.
/// Centres without such a neighbour get the root mean squared distance of the rows to them.
pub(super) fn find_widths(sample: &Sample, centers: &[f64]) -> Vec<f64> {
    let all = || centers.chunks_exact(sample.n_columns.max(1));
    let width = |center: &[f64]| {
        let closest = all()
            .map(|other| squared_distance(center, other))
            .filter(|&distance| distance > 0.0)
            .fold(f64::INFINITY, f64::min);
        let squared = if closest.is_finite() { closest } else { mean_square(sample, center) };
        // Rows that are all equal have no spread; any width serves.
        if squared > 0.0 { squared.sqrt().clamp(*WIDTHS.start(), *WIDTHS.end()) } else { 1.0 }
    };
    all().map(width).collect()
}

/// The weighted mean of the squared distances to a point.
fn mean_square(sample: &Sample, center: &[f64]) -> f64 {
    let rows = sample.blocks().flat_map(|block| block.rows().zip(block.weights));
    let sum: f64 = rows.map(|(row, weight)| weight * squared_distance(row, center)).sum();
    sum / sample.n_rows() as f64
}
