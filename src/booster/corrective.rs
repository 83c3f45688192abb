//! Totally corrective boosters (A7): LPBoost, SoftBoost and ERLPBoost.
//!
//! All maximise the soft margin: max ϱ − (1/ν) Σ u ξ over combinations of the votes found so far, and
//! go on until no vote can raise it by more than `tol`. The dual is a distribution d over rows with
//! d ≤ u/ν under which no vote found so far has an edge above the objective; the learner looks for a
//! vote that has. The best edge found less the objective is the certificate: no combination of any
//! votes is better by more than that, as long as the learner finds the best vote; one that sees
//! samples (`resample`) may not.
//!
//! They differ in d. LPBoost: a vertex of the linear program (Demiriz, Bennett & Shawe-Taylor 2002).
//! ERLPBoost: d minimises its largest edge + Δ(d, u)/η, η = max(½, (2/tol) ln(1/ν)) (Warmuth, Glocer
//! & Vishwanathan 2008). SoftBoost: the d nearest to u under which all edges are at least tol below
//! the best one found (Warmuth, Glocer & Rätsch 2007). Cost per round: one program over the votes so
//! far. The weights are always those of the linear program in the end.

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::capabilities::{Capabilities, Combines, RoundsParameter};
use super::combination::{Found, shares};
use super::target::{edge, error};
use super::{
    Booster, Feedback, Judgement, NO_EDGE, RowWeights, RunReport, Start, Verdict, check_unshrunk,
};
use crate::combiner::MarginLoss;
use crate::demand::{Demand, Needs};
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::portable::ln;
use crate::solver::{
    EntropyProblem, Game, Limits, Margins, Problem, Program, Solution, entropy_game, nearest_below,
    soft_margin_value, solve,
};
use crate::workers::Workers;

/// How exact entropy programs must be, as a part of the tolerance.
const ACCURACY: f64 = 0.1;

/// Rounds after which SoftBoost and ERLPBoost look how good the best combination of their votes is: it
/// may be good enough long before their own is.
const CHECK: usize = 8;

/// How exact linear programs must be before the last one.
const ON_THE_WAY: f64 = 1e-7;

/// What the last program may lose of the objective in any case, as a part of the tolerance.
const LEAST_SHARE: f64 = 1e-3;

/// What users can set.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorrectiveSettings {
    /// The share of the weight that may stay below the margin.
    pub nu: f64,
    /// Seconds after which no more votes are looked for.
    pub time_limit: Option<f64>,
}

/// How the distribution over rows is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// LPBoost.
    Linear,
    /// SoftBoost.
    Nearest,
    /// ERLPBoost.
    Entropy,
}

impl CorrectiveSettings {
    /// η of ERLPBoost: how little the entropy counts.
    fn temperature(&self, tol: f64) -> f64 {
        (2.0 / tol * ln(1.0 / self.nu)).max(0.5)
    }

    pub(super) fn start(&self, rule: Rule, start: &Start) -> Result<Box<dyn Booster>> {
        if !(self.nu > 0.0 && self.nu <= 1.0) {
            return Err(Error::parameter("nu", self.nu, "a number > 0 and <= 1"));
        }
        check_time_limit(self.time_limit)?;
        check_unshrunk(start.learning_rate, "all weights are those of an optimum")?;
        if start.tol <= 0.0 || !self.temperature(start.tol).is_finite() {
            return Err(Error::parameter("tol", start.tol, "a number > 0, and not next to 0"));
        }
        let weights = RowWeights::start(start.rows, start.target.clone());
        let importance = weights.importance();
        let n_places = weights.n_places() as f64;
        let centre: Vec<f64> = importance.iter().map(|v| v / n_places).collect();
        Ok(Box::new(Corrective {
            rule,
            nu: self.nu,
            tol: start.tol,
            eta: self.temperature(start.tol),
            time_limit: self.time_limit.map(Limits::seconds),
            begun: Instant::now(),
            cap: centre.iter().map(|u| u / self.nu).collect(),
            centre,
            importance,
            weights,
            margins: None,
            found: Found::default(),
            upper: f64::INFINITY,
            judged_upper: f64::INFINITY,
            has_failed: false,
            certificates: Vec::new(),
            solver_time: Duration::ZERO,
        }))
    }

    /// What it can do.
    pub(super) const CAPABILITIES: Capabilities = Capabilities {
        needs: Needs::Votes,
        combines: Combines::Sum,
        is_binary: true,
        loss: Some(MarginLoss::Hinge),
        rounds: RoundsParameter::NEstimators,
        learning_rate: false,
        is_corrective: true,
        costs: false,
        label_sets: false,
        monotone: false,
        resample: true,
        may_shard: false,
    };
}

/// Refuses a limit that is none.
pub(crate) fn check_time_limit(seconds: Option<f64>) -> Result<()> {
    match seconds {
        Some(seconds) if !(seconds.is_finite() && seconds > 0.0) => {
            Err(Error::parameter("time_limit", seconds, "None or a number of seconds > 0"))
        }
        _ => Ok(()),
    }
}

struct Corrective {
    rule: Rule,
    nu: f64,
    tol: f64,
    eta: f64,
    time_limit: Option<Duration>,
    begun: Instant,
    /// The distribution d.
    weights: RowWeights,
    /// By place: the start weights with mean 1, with sum 1, and divided by ν.
    importance: Vec<f64>,
    centre: Vec<f64>,
    cap: Vec<f64>,
    /// Of all votes so far.
    margins: Option<Margins>,
    found: Found,
    /// The lowest edge of the best votes so far: no combination has a higher objective.
    upper: f64,
    /// The same with the vote that was judged last, which may have come of a bad sample.
    judged_upper: f64,
    /// Whether the solver has failed on the votes found; then the best combination so far is the last.
    has_failed: bool,
    /// By round.
    certificates: Vec<f64>,
    solver_time: Duration,
}

impl Corrective {
    fn is_late(&self) -> bool {
        self.time_limit.is_some_and(|limit| self.begun.elapsed() >= limit)
    }

    /// The linear program over all votes, this exactly; `None` if time ran out.
    fn solve_linear(&self, tolerance: f64, workers: &Workers) -> Result<Option<Solution>> {
        let Some(margins) = &self.margins else { return Ok(None) };
        let time = self.time_limit.map(|limit| limit.saturating_sub(self.begun.elapsed()));
        let limits = Limits { time, tolerance, ..Limits::default() };
        let problem = Problem {
            program: Program::SoftMargin { c: 1.0 / self.nu },
            margins,
            importance: &self.importance,
            start: Some(&self.found.start),
        };
        match solve(&problem, &limits, workers) {
            Ok(solution) => Ok(Some(solution)),
            Err(Error::Solver { .. }) if self.is_late() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// What ERLPBoost or SoftBoost makes of the votes; `None` if no distribution is left, or none was
    /// found.
    fn play(&self, margins: &Margins, workers: &Workers) -> Result<Option<Game>> {
        let problem = self.entropy_problem(margins, Some(&self.found.start));
        let game = match self.rule {
            Rule::Nearest => nearest_below(&problem, self.upper - self.tol, workers),
            Rule::Linear | Rule::Entropy => entropy_game(&problem, self.eta, workers).map(Some),
        };
        match game {
            Err(Error::Solver { .. }) => Ok(None),
            game => game,
        }
    }

    /// The distributions over rows that ERLPBoost and SoftBoost choose from.
    fn entropy_problem<'a>(
        &'a self,
        margins: &'a Margins,
        start: Option<&'a [f64]>,
    ) -> EntropyProblem<'a> {
        let accuracy = 0.1 * ACCURACY * self.tol;
        EntropyProblem { margins, cap: &self.cap, centre: &self.centre, start, accuracy }
    }

    /// Takes over a solution of the linear program.
    fn adopt(&mut self, solution: Solution, workers: &Workers) -> Result<()> {
        self.weights.set(self.weights.per_input_row(&solution.duals), workers)?;
        self.found = Found::of_program(solution);
        Ok(())
    }

    /// Takes over what an entropy program made of the votes.
    fn adopt_game(&mut self, game: Game, margins: &Margins, workers: &Workers) -> Result<()> {
        self.weights.set(self.weights.per_input_row(&game.duals), workers)?;
        let weights = shares(&game.weights);
        let combined = margins.combine(&weights);
        let (objective, _) = soft_margin_value(&combined, &self.importance, self.nu);
        let start = game.weights;
        self.found = Found { weights, start, objective: Some(objective), solution: None };
        Ok(())
    }

    /// A combination that is as good within the tolerance, if the optimum is no more than that: votes
    /// then cancel each other out in the linear program's solution, and what is left of the scores is
    /// rounding. Under an entropy term they do not; as much of that as the certificate allows is
    /// mixed in.
    fn without_cancelling(&self, solution: Solution, workers: &Workers) -> Result<Solution> {
        let Some(margins) = self.margins.as_ref().filter(|_| solution.objective <= self.tol) else {
            return Ok(solution);
        };
        let game = entropy_game(&self.entropy_problem(margins, None), self.eta, workers)?;
        if !self.may_adopt(&game) {
            return Ok(solution);
        }
        let others = shares(&game.weights);
        let (value, _) = soft_margin_value(&margins.combine(&others), &self.importance, self.nu);
        // The objective is concave, so a mixture loses at most its share of the difference.
        let certificate = self.upper - solution.objective;
        let allowed = if certificate <= self.tol {
            (self.tol - certificate).max(LEAST_SHARE * self.tol)
        } else {
            self.tol // nothing is claimed
        };
        let share = (allowed / (solution.objective - value).max(allowed)).min(1.0);
        let mixed = solution.weights.iter().zip(&others);
        let weights: Vec<f64> =
            mixed.map(|(plain, other)| (1.0 - share) * plain + share * other).collect();
        let combined = margins.combine(&weights);
        let (objective, rho) = soft_margin_value(&combined, &self.importance, self.nu);
        let slack = combined.iter().map(|margin| (rho - margin).max(0.0)).collect();
        let gap = (solution.dual_objective - objective).abs();
        Ok(Solution { weights, rho: Some(rho), slack, objective, gap, ..solution })
    }

    fn may_adopt(&self, game: &Game) -> bool {
        game.gap <= ACCURACY * self.tol && game.weights.iter().any(|weight| *weight > 0.0)
    }

    /// Combines the votes found; if the solver fails, the best combination so far stays.
    fn correct(&mut self, workers: &Workers) -> Result<()> {
        let begun = Instant::now();
        let combined = self.combine_votes(workers);
        self.solver_time += begun.elapsed();
        self.outlive(combined)
    }

    /// Goes on after a failure of the solver.
    fn outlive(&mut self, outcome: Result<()>) -> Result<()> {
        if !matches!(outcome, Err(Error::Solver { .. })) {
            return outcome;
        }
        self.has_failed = true;
        self.add_idle_vote();
        Ok(())
    }

    fn solve_finally(&mut self, workers: &Workers) -> Result<()> {
        if let Some(solution) = self.solve_linear(Limits::default().tolerance, workers)? {
            let solution = self.without_cancelling(solution, workers)?;
            if let Some(last) = self.certificates.last_mut() {
                *last = self.upper - solution.objective;
            }
            self.adopt(solution, workers)?;
        }
        Ok(())
    }

    fn add_idle_vote(&mut self) {
        if let Some(margins) = &self.margins {
            let duals = (0..self.weights.n_places()).map(|at| self.weights.at_place(at)).collect();
            self.found.add_idle_vote(margins, (&self.importance, self.nu), duals);
        }
    }

    fn combine_votes(&mut self, workers: &Workers) -> Result<()> {
        let game = match (self.rule, &self.margins) {
            (Rule::Nearest | Rule::Entropy, Some(margins)) => self.play(margins, workers)?,
            _ => None,
        };
        match (game, self.margins.take()) {
            (Some(game), Some(margins)) if self.may_adopt(&game) => {
                self.adopt_game(game, &margins, workers)?;
                self.margins = Some(margins);
                if self.found.weights.len().is_multiple_of(CHECK)
                    && let Some(solution) = self.solve_linear(ON_THE_WAY, workers)?
                {
                    self.found.weights.clone_from(&solution.weights);
                    self.found.objective = Some(solution.objective);
                    self.found.solution = Some(solution);
                }
            }
            // LPBoost; or there is no distribution left that SoftBoost could go to, or none was found
            // to some accuracy.
            (_, margins) => {
                self.margins = margins;
                match self.solve_linear(ON_THE_WAY, workers)? {
                    Some(solution) => self.adopt(solution, workers)?,
                    None => self.add_idle_vote(),
                }
            }
        }
        Ok(())
    }
}

impl Booster for Corrective {
    fn demand(&mut self, _: &Workers) -> Result<Demand<'_>> {
        Ok(self.weights.demand())
    }

    fn judge(&mut self, feedback: &Feedback, _: &Workers) -> Result<Judgement> {
        let (edge, error) = (edge(feedback.atoms), error(feedback.atoms));
        self.judged_upper = self.upper.min(edge);
        let verdict = match self.found.objective {
            None if edge <= NO_EDGE => Verdict::DropAndStop(StopReason::NoEdge),
            None => Verdict::Keep,
            Some(objective) => {
                let certificate = self.judged_upper - objective;
                if let Some(last) = self.certificates.last_mut() {
                    *last = certificate;
                }
                if certificate <= self.tol {
                    Verdict::DropAndStop(StopReason::Optimal)
                } else if self.has_failed {
                    Verdict::DropAndStop(StopReason::SolverFailed)
                } else if self.is_late() {
                    Verdict::DropAndStop(StopReason::TimeLimit)
                } else {
                    Verdict::Keep
                }
            }
        };
        Ok(Judgement { weight: 0.0, edge, error, verdict })
    }

    fn update(&mut self, feedback: &Feedback, _: f64, workers: &Workers) -> Result<()> {
        self.upper = self.judged_upper;
        let column = self.weights.margins(feedback.numbers);
        match &mut self.margins {
            Some(margins) => margins.push(column)?,
            none => *none = Some(Margins::new(column.len(), vec![column])?),
        }
        self.correct(workers)?;
        let objective = self.found.objective.unwrap_or(f64::NEG_INFINITY);
        self.certificates.push(self.upper - objective);
        Ok(())
    }

    fn row_weights(&self) -> &RowWeights {
        &self.weights
    }

    fn corrected(&self) -> Option<&[f64]> {
        Some(&self.found.weights)
    }

    fn finish(&mut self, workers: &Workers) -> Result<()> {
        let begun = Instant::now();
        // The last word is worth its time even if that is up.
        self.time_limit = None;
        self.upper = self.judged_upper;
        let solved = self.solve_finally(workers);
        self.solver_time += begun.elapsed();
        self.outlive(solved)
    }

    fn report(&self) -> RunReport {
        let mut report = RunReport::of_program(&self.weights, self.found.solution.as_ref());
        report.numbers.extend([
            ("certificate", self.certificates.clone()),
            ("solve_time", vec![self.solver_time.as_secs_f64()]),
            ("nu", vec![self.nu]),
        ]);
        report
    }
}
