//! Linear, quadratic and entropy programs over the margins of an ensemble [4 §4.2–4.3].
//!
//! In: the margins y h(x) of hypotheses on rows, the importance of each row and a [`Program`]. Out:
//! a [`Solution`]: the weights of the hypotheses, a dual weight for each row, and the gap between
//! the two objectives over all rows, which certifies both. This room alone knows Clarabel; nothing
//! leaves it without a checked status.

mod active_set;
mod approach;
mod capped;
mod conic;
mod entropy;
mod guess;
mod margins;
mod merge;
mod polish;
mod rows;
mod sorting;
mod task;
#[cfg(test)]
mod tests;
mod working_set;

use std::time::{Duration, Instant};

pub use capped::capped;
pub use entropy::{EntropyProblem, Game, entropy_game, nearest_below};
pub use margins::Margins;
pub use sorting::soft_margin_value;

use crate::error::{Error, Result};
use crate::workers::Workers;
use conic::Clock;
use task::Task;

/// Merged rows up to which a program is handed to Clarabel as it stands.
const WHOLE_UP_TO: usize = 500;

/// What is to be solved. M is the matrix of margins, l the number of rows, and `vᵢ` the importance
/// of row i, whose mean is 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Program {
    /// max ρ subject to M c ≥ ρ, c ≥ 0, Σ c = 1: LP-AdaBoost. Rows of no importance are left out;
    /// otherwise the importance does not matter.
    HardMargin,
    /// max ρ − C/l Σ vᵢ ξᵢ subject to M c ≥ ρ − ξ, ξ ≥ 0, c ≥ 0, Σ c = 1: `LP_Reg`, with ν = 1/C.
    SoftMargin {
        /// The price of slack, at least 1.
        c: f64,
    },
    /// min ‖b‖² + C/l Σ vᵢ ξᵢ subject to M b ≥ 1 − ξ, ξ ≥ 0, b ≥ 0: `QP_Reg`.
    Quadratic {
        /// The price of slack.
        c: f64,
    },
    /// min ‖b‖₁ + C Σ vᵢ ξᵢ, subject to the same: eq. (22).
    OneNorm {
        /// The price of slack.
        c: f64,
    },
}

/// How long a solver may try, and how near it has to come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Iterations of each interior point run.
    pub max_iterations: u32,
    /// Time for everything together.
    pub time: Option<Duration>,
    /// The relative accuracy asked of Clarabel.
    pub tolerance: f64,
}

impl Limits {
    /// A limit in seconds, which may be longer than any run.
    #[must_use]
    pub fn seconds(limit: f64) -> Duration {
        Duration::from_secs_f64(limit.min(1e9))
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_iterations: 200, time: None, tolerance: 1e-9 }
    }
}

/// The optimum of a program and what proves it.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// c or b, one for each column, none negative. Of equal columns the first one has all the
    /// weight, except in the quadratic program, where they share it evenly, and where an entropy term
    /// was added.
    pub weights: Vec<f64>,
    /// The margin ρ, for the programs that have one.
    pub rho: Option<f64>,
    /// ξ: how far each row stays below the margin, rows of no importance included.
    pub slack: Vec<f64>,
    /// d, one for each row, from zero to the price of the row's slack. In the programs with ρ they
    /// sum to one.
    pub duals: Vec<f64>,
    /// The objective of the program as it is written, over all rows, for these weights.
    pub objective: f64,
    /// The bound on it that the duals give.
    pub dual_objective: f64,
    /// |objective − dual objective|.
    pub gap: f64,
    /// Iterations of Clarabel, all calls together.
    pub iterations: usize,
    /// The most (merged) rows that were handed to Clarabel.
    pub rows_used: usize,
    /// Whether Clarabel reached only its reduced accuracy, or the gap remained above 1e-6 of the
    /// objective.
    pub almost: bool,
    /// The time taken.
    pub seconds: f64,
}

/// A program and its data.
#[derive(Debug, Clone, Copy)]
pub struct Problem<'a> {
    /// What is to be solved.
    pub program: Program,
    /// The margins of all hypotheses on all rows.
    pub margins: &'a Margins,
    /// `vᵢ`: l times the weight of each row; a row of importance 0 counts as absent.
    pub importance: &'a [f64],
    /// Weights near the optimum, if any are known: the previous solution, say. They may be fewer
    /// than there are columns; the further columns are then new.
    pub start: Option<&'a [f64]>,
}

/// Solves a program; see the module.
pub fn solve(problem: &Problem, limits: &Limits, workers: &Workers) -> Result<Solution> {
    solve_from(problem, WHOLE_UP_TO, limits, workers)
}

/// Solves a program, with a limit up to which it is handed over as it stands.
pub(crate) fn solve_from(
    problem: &Problem,
    whole_up_to: usize,
    limits: &Limits,
    workers: &Workers,
) -> Result<Solution> {
    let begun = Instant::now();
    let clock = Clock { begun, limits, workers };
    problem.check()?;
    let task = Task::new(problem, workers)?;
    let found = working_set::solve(&task, whole_up_to, &clock)
        .map_err(|error| problem.program.advise(error))?;
    let mut solution = task.expand(problem, found, workers)?;
    solution.seconds = begun.elapsed().as_secs_f64();
    Ok(solution)
}

impl Problem<'_> {
    fn check(&self) -> Result<()> {
        self.program.check()?;
        margins::check_importance(self.importance, self.margins.n_rows())?;
        let columns = self.margins.n_columns();
        match self.start {
            Some(start) if start.len() > columns => Err(Error::internal(format!(
                "{} weights to start a solver from, for {columns} columns",
                start.len()
            ))),
            Some(start) if !start.iter().all(|weight| weight.is_finite() && *weight >= 0.0) => {
                Err(Error::internal("the start weights of a solver are negative or empty"))
            }
            _ => Ok(()),
        }
    }
}

impl Program {
    fn check(&self) -> Result<()> {
        let (c, least, expected) = match *self {
            Self::HardMargin => return Ok(()),
            Self::SoftMargin { c } => (c, 1.0, "a finite number, at least 1 (C = 1/nu)"),
            Self::Quadratic { c } | Self::OneNorm { c } => {
                (c, f64::MIN_POSITIVE, "a positive finite number")
            }
        };
        if c.is_finite() && c >= least { Ok(()) } else { Err(Error::parameter("C", c, expected)) }
    }

    /// The error with advice that fits this program.
    fn advise(&self, error: Error) -> Error {
        let Error::Solver { reason, advice } = error else { return error };
        match *self {
            Self::HardMargin => Error::Solver { reason, advice },
            Self::SoftMargin { c } | Self::Quadratic { c } | Self::OneNorm { c } => {
                let change = if c > 1.0 { "smaller" } else { "larger" };
                Error::Solver { reason, advice: format!("C={c:e}: try a {change} C, or {advice}") }
            }
        }
    }
}
