//! `AdaBoost_Reg` (A5): AdaBoost that stops chasing rows which keep their weight.
//!
//! A row's influence μ(i) = Σ c w(i) is the mean of its weights over the rounds, c = b/|b| being the
//! normalised weights of the votes. Minimises Σ u exp(−½ |b| ρ̃) one vote at a time, where the soft
//! margin ρ̃ = ρ + C (μᵖ + ζ) forgives rows of high influence, and those that the user mistrusts by
//! ζ ≥ 0: b by line search on [0, cap], then w ∝ u exp(−½ |b| ρ̃). C = 0 is AdaBoost. Cost per round:
//! some thirty passes over the rows besides the search. Rätsch, Onoda & Müller 2001, section 4.1 and
//! equations 12–13.
//!
//! With φ the loss is Σ u exp(−|b| (½ ρ̃ + φ − ½)), their equation 2: soft margins are driven towards
//! 1 − 2φ, and C = 0 is ATA(φ). The additional factor exp(|b| (½ − φ)) is the same for all rows, so that
//! it changes b but not how w follows from it.
//!
//! A row of weight u counts as l·u rows, l being their number: its influence is that of each of them.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::capabilities::Capabilities;
use super::target::{edge, error};
use super::{
    Booster, Feedback, Judgement, NO_EDGE, RowWeights, RunReport, Start, Verdict, WEIGHT_CAP,
};
use crate::demand::Demand;
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::portable::{exp_of_negative, ln, pow};
use crate::reduce::ExactSum;
use crate::workers::{Workers, row_blocks};

/// The largest b: twice the largest weight, because α = b/2.
const STEP_CAP: f64 = 2.0 * WEIGHT_CAP;

/// Steps that are tried first, each this much longer than the one before.
const FIRST_STEP: f64 = 0.01;
const GROWTH: f64 = 1.5;

/// The largest C ζ: with it a step of 1e-4 leaves a row no weight, and the line search, whose slopes
/// it enters, keeps its precision.
const MOST_MISTRUSTED: f64 = 1e6;

/// The largest μᵖ for powers other than 1 and 2, so that nothing overflows.
const MOST_FORGIVEN: f64 = 1e100;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegularizedSettings {
    /// How much influence is forgiven.
    #[serde(rename = "C")]
    pub c: f64,
    /// The power of the influence.
    pub p: f64,
    /// The error that is no better than chance.
    #[serde(default = "half")]
    pub phi: f64,
}

fn half() -> f64 {
    0.5
}

impl RegularizedSettings {
    pub(super) fn start(&self, start: &Start) -> Result<Box<dyn Booster>> {
        if !(self.c.is_finite() && self.c >= 0.0) {
            return Err(Error::parameter("C", self.c, "a number >= 0"));
        }
        if !(self.p.is_finite() && self.p > 0.0) {
            return Err(Error::parameter("p", self.p, "a number > 0"));
        }
        if !(self.phi > 0.0 && self.phi < 1.0) {
            return Err(Error::parameter("phi", self.phi, "a number in the open interval (0, 1)"));
        }
        let weights = RowWeights::start(start.rows, start.target.clone());
        let first = weights.as_slice().to_vec();
        let n_rows = weights.n_input_rows() as f64;
        let mistrusted = match start.mistrust {
            Some(mistrust) => weights.at_places(mistrust),
            None => vec![0.0; first.len()],
        };
        Ok(Box::new(Regularized {
            settings: self.clone(),
            learning_rate: start.learning_rate,
            units: first.iter().map(|weight| unit_of(n_rows * weight)).collect(),
            margins: vec![0.0; first.len()],
            influence: vec![0.0; first.len()],
            mistrusted: mistrusted
                .iter()
                .map(|zeta| (self.c * zeta).min(MOST_MISTRUSTED))
                .collect(),
            first,
            step_sum: 0.0,
            weights,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities::TWO_SIDED_VOTES;
}

/// The reciprocal of a weight; nothing for one that is nothing beside the others.
fn unit_of(weight: f64) -> f64 {
    let unit = 1.0 / weight;
    if unit.is_finite() { unit } else { 0.0 }
}

struct Regularized {
    settings: RegularizedSettings,
    learning_rate: f64,
    weights: RowWeights,
    /// The start weights u.
    first: Vec<f64>,
    /// What turns the weight of a row into that of one of the rows that it counts as.
    units: Vec<f64>,
    /// C ζ.
    mistrusted: Vec<f64>,
    /// Σ b y h.
    margins: Vec<f64>,
    /// Σ b w: the influence before it is normalised.
    influence: Vec<f64>,
    /// |b|.
    step_sum: f64,
}

/// |b| μᵖ and its slope, for an influence of `sum` before it is normalised that grows by `unit`.
#[allow(clippy::float_cmp)] // the powers that need no logarithm, and nothing else
fn forgiven(p: f64, step_sum: f64, sum: f64, unit: f64) -> (f64, f64) {
    if p == 1.0 {
        return (sum, unit);
    }
    let mean = if step_sum > 0.0 { sum / step_sum } else { unit };
    if p == 2.0 {
        return (mean * mean * step_sum, 2.0 * mean * unit - mean * mean);
    }
    let power = pow(mean, p).min(MOST_FORGIVEN);
    if power == 0.0 {
        return (0.0, 0.0);
    }
    let slope = power * (1.0 + p * (unit / mean - 1.0));
    (power * step_sum, slope.clamp(-MOST_FORGIVEN, MOST_FORGIVEN))
}

/// Some places with the exponents of their losses and the slopes of these.
type Terms = (Range<usize>, Vec<(f64, f64)>);

/// The highest exponent.
fn highest_of(terms: &[Terms]) -> f64 {
    let exponents = terms.iter().flat_map(|(_, terms)| terms).map(|term| term.0);
    exponents.fold(f64::NEG_INFINITY, f64::max)
}

/// The loss Σ w exp(−change of |b| (½ ρ̃ + φ − ½)) of a vote as a function of its step b.
struct Loss<'a> {
    booster: &'a Regularized,
    /// y h of the vote.
    margins: Vec<f64>,
    workers: &'a Workers,
}

impl Loss<'_> {
    /// By step the logarithm of the loss and its slope.
    fn at_all(&self, steps: &[f64]) -> Result<Vec<(f64, f64)>> {
        let reduce = self.workers.reduce();
        let mut highest = vec![f64::NEG_INFINITY; steps.len()];
        // All steps are asked for at once, though that means to go through the terms twice.
        if reduce.is_split() {
            for (highest, &step) in highest.iter_mut().zip(steps) {
                *highest = highest_of(&self.terms(step)?);
            }
            reduce.largest(&mut highest)?;
        }
        let mut sums = Vec::with_capacity(2 * steps.len());
        for (highest, &step) in highest.iter_mut().zip(steps) {
            let terms = self.terms(step)?;
            if !reduce.is_split() {
                *highest = highest_of(&terms);
            }
            sums.extend(self.add_up(terms, *highest)?);
        }
        ExactSum::reduce(&mut sums, reduce)?;
        let target = 0.5 - self.booster.settings.phi;
        let each = steps.iter().zip(highest).zip(sums.as_chunks::<2>().0);
        Ok(each
            .map(|((step, highest), [total, slope])| {
                let (total, slope) = (total.number(), slope.number());
                (highest + ln(total) + step * target, slope / total + target)
            })
            .collect())
    }

    /// The terms of all places, block by block.
    fn terms(&self, step: f64) -> Result<Vec<Terms>> {
        let n_places = self.margins.len();
        self.workers.map(8 * n_places, row_blocks(n_places), |places| {
            let terms = places.clone().map(|place| self.term(place, step)).collect();
            Ok((places, terms))
        })
    }

    /// The sums of the loss and its slope in this shard, up to a factor that brings the highest exponent
    /// to 0.
    fn add_up(&self, terms: Vec<Terms>, highest: f64) -> Result<[ExactSum; 2]> {
        let weights = &self.booster.weights;
        let parts = self.workers.map(8 * self.margins.len(), terms, |(places, terms)| {
            // Apart, which makes wide instructions.
            let mut factors: Vec<f64> = terms.iter().map(|term| term.0 - highest).collect();
            for factor in &mut factors {
                *factor = exp_of_negative(*factor);
            }
            let mut sums = [ExactSum::default(), ExactSum::default()];
            for ((place, factor), (_, slope)) in places.zip(factors).zip(terms) {
                let (loss, copies) = (weights.as_slice()[place] * factor, weights.copies_of(place));
                sums[0].add_times(loss, copies);
                sums[1].add_times(loss * slope, copies);
            }
            Ok(sums)
        })?;
        Ok([0, 1].map(|at| ExactSum::of_parts(parts.iter().map(|sums| &sums[at]))))
    }

    /// The slope of the loss.
    fn slope_at(&self, step: f64) -> Result<f64> {
        Ok(self.at_all(&[step])?[0].1)
    }

    /// The exponent of the loss of the input rows at a place but for what is the same for all rows, and
    /// its slope.
    fn term(&self, row: usize, step: f64) -> (f64, f64) {
        let Regularized { settings, weights, units, mistrusted, influence, step_sum, .. } =
            self.booster;
        let (margin, sum) = (self.margins[row], influence[row]);
        let unit = weights.as_slice()[row] * units[row];
        let (before, _) = forgiven(settings.p, *step_sum, sum, unit);
        let (after, slope) = forgiven(settings.p, step_sum + step, sum + step * unit, unit);
        let mistrusted = mistrusted[row];
        let exponent = -0.5 * (step * margin + settings.c * (after - before) + step * mistrusted);
        (exponent, -0.5 * (margin + settings.c * slope + mistrusted))
    }

    /// The step of the lowest loss: the best of some, improved to where the slope is zero.
    fn best_step(&self) -> Result<f64> {
        let mut steps = vec![0.0];
        let further = std::iter::successors(Some(FIRST_STEP), |step| Some(step * GROWTH));
        steps.extend(further.take_while(|step| *step < STEP_CAP));
        steps.push(STEP_CAP);
        let losses = self.at_all(&steps)?;
        let best = (0..steps.len())
            .fold(0, |best, at| if losses[at].0 < losses[best].0 { at } else { best });
        // The loss falls towards one of the neighbours, unless the best step is the first or last.
        let (low, high) = if losses[best].1 > 0.0 {
            (best.saturating_sub(1), best)
        } else {
            (best, (best + 1).min(steps.len() - 1))
        };
        if losses[low].1 >= 0.0 || losses[high].1 <= 0.0 {
            return Ok(steps[best]);
        }
        self.flat_between((steps[low], losses[low].1), (steps[high], losses[high].1))
    }

    /// Where the slope is zero, between a step where the loss falls and one where it rises: regula
    /// falsi, with the end that stays put losing half its slope (Illinois).
    fn flat_between(&self, mut low: (f64, f64), mut high: (f64, f64)) -> Result<f64> {
        let mut last_side = 0;
        let mut step = low.0;
        for _ in 0..100 {
            let next = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
            if (next - step).abs() <= 1e-14 * next || high.0 - low.0 <= 1e-14 * high.0 {
                return Ok(next);
            }
            step = next;
            let slope = self.slope_at(step)?;
            if slope == 0.0 {
                return Ok(step);
            }
            let side = if slope < 0.0 { -1 } else { 1 };
            let (moved, stays) =
                if side < 0 { (&mut low, &mut high) } else { (&mut high, &mut low) };
            *moved = (step, slope);
            if side == last_side {
                stays.1 *= 0.5;
            }
            last_side = side;
        }
        Ok(step)
    }
}

impl Booster for Regularized {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, workers: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        let loss = Loss { margins: self.weights.margins(feedback.numbers), booster: self, workers };
        let step = loss.best_step()?;
        // Rows that are forgiven all may have no weight left, and yet be answered wrong.
        let are_right = loss.margins.iter().all(|margin| *margin > 0.0);
        let is_perfect = workers.reduce().all(are_right)?;
        let verdict = if is_perfect {
            Verdict::KeepAndStop(StopReason::Perfect)
        } else if step == 0.0 || edge <= 1.0 - 2.0 * self.settings.phi + NO_EDGE {
            Verdict::DropAndStop(StopReason::NoEdge)
        } else if step < STEP_CAP {
            Verdict::Keep
        } else if self.step_sum == 0.0 {
            Verdict::KeepAndStop(StopReason::Unbounded)
        } else {
            Verdict::DropAndStop(StopReason::Unbounded)
        };
        let step = if is_perfect { STEP_CAP } else { step };
        Ok(Judgement { weight: self.learning_rate * 0.5 * step, edge, error, verdict })
    }

    fn update(&mut self, feedback: &Feedback, weight: f64, workers: &Workers) -> Result<()> {
        let step = 2.0 * weight;
        self.step_sum += step;
        let margins = self.weights.margins(feedback.numbers);
        for (at, margin) in margins.into_iter().enumerate() {
            self.margins[at] += step * margin;
            self.influence[at] += step * self.weights.as_slice()[at] * self.units[at];
        }
        let RegularizedSettings { c, p, .. } = self.settings;
        let exponent = |at: usize| {
            let by_influence = c * forgiven(p, self.step_sum, self.influence[at], 0.0).0;
            -0.5 * (self.margins[at] + by_influence + self.step_sum * self.mistrusted[at])
        };
        let exponents: Vec<f64> = (0..self.margins.len()).map(exponent).collect();
        let highest = exponents.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let highest = workers.reduce().largest_of(highest)?;
        let new = exponents
            .iter()
            .zip(&self.first)
            .map(|(e, first)| first * exp_of_negative(e - highest));
        if self.weights.set(new.collect(), workers)? { Ok(()) } else { Err(Error::OutOfRange) }
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }

    fn report(&self) -> RunReport {
        let mean = |sums: &[f64]| -> Vec<f64> {
            sums.iter().map(|sum| sum / self.step_sum.max(f64::MIN_POSITIVE)).collect()
        };
        let rows = vec![("influence", mean(&self.influence)), ("margins", mean(&self.margins))];
        RunReport { rows, ..RunReport::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_from_before_there_was_phi_are_read() {
        let settings: RegularizedSettings = serde_json::from_str(r#"{"C": 3, "p": 2}"#).unwrap();
        assert_eq!(settings, RegularizedSettings { c: 3.0, p: 2.0, phi: 0.5 });
    }

    #[test]
    fn slopes_of_what_is_forgiven_are_those_of_differences() {
        let (step_sum, sum, unit) = (1.7, 0.06, 0.05);
        for p in [0.3, 0.5, 1.0, 1.5, 2.0, 3.0, 7.0] {
            let at = |step: f64| forgiven(p, step_sum + step, sum + step * unit, unit);
            let difference = (at(1e-5).0 - at(-1e-5).0) / 2e-5;
            assert!((at(0.0).1 - difference).abs() < 1e-9, "p = {p}");
            assert!((at(0.0).0 - step_sum * (sum / step_sum).powf(p)).abs() < 1e-14, "p = {p}");
        }
    }
}
