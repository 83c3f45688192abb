//! Conjugate gradients after Polak and Ribière, with a line search that never goes uphill.
//!
//! In: an objective, a point to start from and a number of steps. Out: a point whose error is no
//! larger than that of the start. A trial costs one evaluation, a step one gradient more.

use super::objective::{Objective, Point};
use crate::error::Result;
use crate::vectors::dot;

/// How far the first trial of a line search may move any coordinate (standardised units, or
/// logarithms of widths).
const FIRST_MOVE: f64 = 0.1;

/// How far a line search may move any coordinate.
const LARGEST_MOVE: f64 = 2.0;

/// Trials in one direction, at most.
const MAX_TRIALS: usize = 12;

/// The share of the decrease promised by the slope that a backtracking step must keep.
const SUFFICIENT: f64 = 1e-4;

/// Goes downhill for at most `n_steps` steps.
pub(super) fn descend(objective: &mut Objective, start: Point, n_steps: usize) -> Result<Point> {
    let mut point = start;
    if n_steps == 0 {
        return Ok(point);
    }
    let mut gradient = objective.gradient(&point)?;
    let mut direction: Vec<f64> = gradient.iter().map(|g| -g).collect();
    // The decrease that the last step's slope promised; the next step starts with the same hope.
    let mut promise: Option<f64> = None;
    for _ in 0..n_steps {
        let line = Line::new(&point, &gradient, &direction, promise);
        let Some((length, next)) = line.search(objective)? else { break };
        promise = Some(length * line.slope);
        point = next;
        let fresh = objective.gradient(&point)?;
        let beta = (dot(&fresh, &fresh) - dot(&fresh, &gradient)) / dot(&gradient, &gradient);
        for (to, g) in direction.iter_mut().zip(&fresh) {
            *to = beta.max(0.0) * *to - g;
        }
        if dot(&direction, &fresh) >= 0.0 {
            direction = fresh.iter().map(|g| -g).collect();
        }
        gradient = fresh;
    }
    Ok(point)
}

/// A half-line that leads downhill.
struct Line<'a> {
    origin: &'a Point,
    direction: &'a [f64],
    /// The derivative of the error along it; negative.
    slope: f64,
    /// The length of the first trial, and the largest.
    first: f64,
    longest: f64,
}

impl<'a> Line<'a> {
    fn new(
        origin: &'a Point,
        gradient: &[f64],
        direction: &'a [f64],
        promise: Option<f64>,
    ) -> Self {
        let slope = dot(gradient, direction);
        let largest = direction.iter().fold(0.0, |largest: f64, d| largest.max(d.abs()));
        let longest = LARGEST_MOVE / largest;
        let first = promise.map_or(FIRST_MOVE / largest, |promise| promise / slope).min(longest);
        Self { origin, direction, slope, first, longest }
    }

    fn at(&self, length: f64, objective: &mut Objective) -> Result<Point> {
        let origin = self.origin.position.iter();
        objective.at(origin.zip(self.direction).map(|(x, d)| x + length * d).collect())
    }

    /// A length and a point with a smaller error; none if there is none to be found.
    fn search(&self, objective: &mut Objective) -> Result<Option<(f64, Point)>> {
        if !(self.slope < 0.0 && self.first > 0.0 && self.first.is_finite()) {
            return Ok(None);
        }
        let point = self.at(self.first, objective)?;
        if point.error < self.origin.error {
            self.extend((self.first, point), objective).map(Some)
        } else {
            self.shorten(self.first, point.error, objective)
        }
    }

    /// Doubles the length while the error falls, then tries the lowest point of the parabola
    /// through the last three trials.
    fn extend(&self, first: (f64, Point), objective: &mut Objective) -> Result<(f64, Point)> {
        let (mut before, mut best) = ((0.0, self.origin.error), first);
        for _ in 1..MAX_TRIALS {
            let length = (2.0 * best.0).min(self.longest);
            if length <= best.0 {
                break;
            }
            let point = self.at(length, objective)?;
            if point.error < best.1.error {
                before = (best.0, best.1.error);
                best = (length, point);
                continue;
            }
            let bend = lowest(before, (best.0, best.1.error), (length, point.error));
            if let Some(length) = bend {
                let point = self.at(length, objective)?;
                if point.error < best.1.error {
                    best = (length, point);
                }
            }
            break;
        }
        Ok(best)
    }

    /// Shortens the length until the error is below the origin's.
    fn shorten(
        &self,
        mut length: f64,
        mut error: f64,
        objective: &mut Objective,
    ) -> Result<Option<(f64, Point)>> {
        for _ in 1..MAX_TRIALS {
            // The lowest point of the parabola with the origin's error and slope and this error.
            let excess = error - self.origin.error - self.slope * length;
            let lowest = -0.5 * self.slope * length * length / excess;
            length = if lowest.is_finite() {
                lowest.clamp(0.1 * length, 0.5 * length)
            } else {
                0.1 * length
            };
            let point = self.at(length, objective)?;
            error = point.error;
            if error < self.origin.error + SUFFICIENT * self.slope * length {
                return Ok(Some((length, point)));
            }
        }
        Ok(None)
    }
}

/// Where the parabola through three points (length, error) is lowest; the middle one is lowest of
/// the three.
fn lowest(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> Option<f64> {
    let (left, right) = ((b.0 - a.0) * (b.1 - c.1), (b.0 - c.0) * (b.1 - a.1));
    let length = b.0 - 0.5 * ((b.0 - a.0) * left - (b.0 - c.0) * right) / (left - right);
    (length > a.0 && length < c.0 && length != b.0).then_some(length)
}
