//! The door to Clarabel: a task on some of its rows and columns as a conic program, and every status
//! of the answer as a result or an error.
//!
//! The rows handed over get a constraint and a slack each. Of the others, those below the threshold
//! only pull at the weights with the gradient of their penalty, and those above do nothing.

use std::sync::Arc;
use std::time::Instant;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus,
    SupportedConeT, ZeroConeT,
};

use super::Limits;
use super::task::Task;
use crate::error::{Error, Result};
use crate::workers::Workers;

/// The tolerance that Clarabel is known to reach on all but hopeless programs.
const USUAL_TOLERANCE: f64 = 1e-8;

/// Cells from which on a step of Clarabel's may take longer than a moment.
const LARGE: usize = 1 << 14;

/// When to stop.
pub(super) struct Clock<'a> {
    pub begun: Instant,
    pub limits: &'a Limits,
    pub workers: &'a Workers,
}

impl Clock<'_> {
    /// The seconds that are left; an error if there are none, or if the work was called off.
    pub fn seconds_left(&self) -> Result<f64> {
        self.workers.check()?;
        let Some(time) = self.limits.time else { return Ok(f64::INFINITY) };
        match time.checked_sub(self.begun.elapsed()) {
            Some(left) if !left.is_zero() => Ok(left.as_secs_f64()),
            _ => Err(failure("reached its time limit", "allow more time")),
        }
    }
}

/// A task on some rows and columns.
pub(super) struct Reduced<'a> {
    pub task: &'a Task,
    /// The rows that get a constraint, each with the price of its slack; rows that are equal in
    /// these columns come as one, with the sum of their prices.
    pub kinks: &'a [(usize, f64)],
    /// The columns that may have a weight.
    pub columns: &'a [usize],
    /// Σ p M over the rows below the threshold, for all columns of the task.
    pub pull: &'a [f64],
    /// Σ p over the rows below the threshold.
    pub below: f64,
    /// What the optimum is expected to be about; Clarabel's tolerance is a part of this.
    pub size: f64,
}

/// Clarabel's answer.
pub(super) struct Answer {
    /// The weights of the columns.
    pub x: Vec<f64>,
    /// The duals of the constraints x ≥ 0.
    pub z: Vec<f64>,
    /// ρ, where it is free.
    pub threshold: Option<f64>,
    /// The duals of the rows at the kink.
    pub duals: Vec<f64>,
    pub iterations: usize,
    pub almost: bool,
}

impl Reduced<'_> {
    /// Solves it; if the tolerance asked for cannot be reached, with the usual one.
    pub fn solve(&self, clock: &Clock) -> Result<Answer> {
        let form = Arc::new(self.form());
        let first = form.solve(clock, clock.limits.tolerance);
        if clock.limits.tolerance >= USUAL_TOLERANCE {
            return first.and_then(|run| self.read(run));
        }
        match first {
            Ok(run) if !run.almost => self.read(run),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            _ => {
                clock.seconds_left()?;
                form.solve(clock, USUAL_TOLERANCE).and_then(|run| self.read(run))
            }
        }
    }

    fn read(&self, run: Run) -> Result<Answer> {
        let (n, k) = (self.columns.len(), self.kinks.len());
        let first = usize::from(self.task.threshold.is_none());
        let mut z = run.z;
        if z.len() < first + k + n || run.x.len() < n + first {
            return Err(Error::internal("Clarabel's answer is too short"));
        }
        let mut x = run.x;
        let threshold = self.task.threshold.is_none().then(|| x[n]);
        x.truncate(n);
        for z in &mut z {
            *z *= self.size;
        }
        let duals = z[first..first + k].to_vec();
        z.drain(..first + k);
        z.truncate(n);
        Ok(Answer { x, z, threshold, duals, iterations: run.iterations, almost: run.almost })
    }

    /// Variables: x, then ρ if it is free, then ξ. Constraints: Σ x = 1 if ρ is free; the rows; x ≥ 0;
    /// ξ ≥ 0; bounds that no optimum needs but a reduced program may.
    fn form(&self) -> Form {
        let task = self.task;
        let (n, k) = (self.columns.len(), self.kinks.len());
        let free = task.threshold.is_none();
        let slacks = if task.is_hard() { 0 } else { k };
        let (first, signs) = (usize::from(free), usize::from(free) + k);
        let bounds = signs + n + slacks;
        let linear = task.threshold.filter(|_| task.squares.contains(&0.0));
        let height = bounds + if free { 2 } else { usize::from(linear.is_some()) };

        let mut form = Form::new(height, first);
        for (j, &column) in self.columns.iter().enumerate() {
            let mut cells = Vec::with_capacity(k + 3);
            if free {
                cells.push((0, 1.0));
            }
            let rows = self.kinks.iter().map(|&(row, _)| task.rows.row(row)[column]);
            cells.extend(rows.enumerate().map(|(i, margin)| (first + i, -margin)));
            cells.push((signs + j, -1.0));
            if linear.is_some() {
                cells.push((bounds, task.costs[column]));
            }
            let square = 2.0 * task.squares[column];
            form.push(square, task.costs[column] - self.pull[column], cells);
        }
        if free {
            let mut cells: Vec<_> = (0..k).map(|i| (first + i, 1.0)).collect();
            cells.extend([(bounds, 1.0), (bounds + 1, -1.0)]);
            form.push(0.0, self.below - 1.0, cells);
            form.right[0] = 1.0;
            // ρ lies between the extreme margins, which are −1 and 1 at most.
            form.right[bounds] = 2.0;
            form.right[bounds + 1] = 2.0;
        }
        for (i, &(_, price)) in self.kinks.iter().enumerate().take(slacks) {
            form.push(0.0, price, vec![(first + i, -1.0), (signs + n + i, -1.0)]);
        }
        if let Some(threshold) = task.threshold {
            form.right[first..signs].fill(-threshold);
        }
        if let Some(threshold) = linear {
            // The costs of the optimum are no more than the penalty of x = 0.
            form.right[bounds] = 2.0 * threshold;
        }
        form.squares.iter_mut().chain(&mut form.costs).for_each(|value| *value /= self.size);
        form
    }
}

/// min ½ x'Px + q'x subject to Ax + s = b, with the first s zero and the others not negative; P is
/// diagonal, A stored by columns.
struct Form {
    squares: Vec<f64>,
    costs: Vec<f64>,
    starts: Vec<usize>,
    places: Vec<usize>,
    cells: Vec<f64>,
    right: Vec<f64>,
    equalities: usize,
}

/// What Clarabel found.
struct Run {
    x: Vec<f64>,
    z: Vec<f64>,
    iterations: usize,
    almost: bool,
}

impl Form {
    fn new(height: usize, equalities: usize) -> Self {
        Self {
            squares: Vec::new(),
            costs: Vec::new(),
            starts: vec![0],
            places: Vec::new(),
            cells: Vec::new(),
            right: vec![0.0; height],
            equalities,
        }
    }

    /// Adds a variable with its column of A.
    fn push(&mut self, square: f64, cost: f64, cells: Vec<(usize, f64)>) {
        self.squares.push(square);
        self.costs.push(cost);
        for (place, cell) in cells.into_iter().filter(|(_, cell)| *cell != 0.0) {
            self.places.push(place);
            self.cells.push(cell);
        }
        self.starts.push(self.cells.len());
    }

    /// Solves it, if it is large on a thread that can be left to itself: a factorisation takes long, and
    /// Clarabel looks at what calls it off only between them.
    fn solve(self: &Arc<Self>, clock: &Clock, tolerance: f64) -> Result<Run> {
        let settings = settings(clock, tolerance)?;
        let called_off = clock.workers.clone();
        let run = if self.cells.len() < LARGE {
            self.run(settings, called_off)
        } else {
            let form = self.clone();
            clock.workers.detached(move || form.run(settings, called_off))?
        };
        clock.workers.check()?;
        run
    }

    fn run(&self, settings: DefaultSettings<f64>, called_off: Workers) -> Result<Run> {
        let (n, height) = (self.costs.len(), self.right.len());
        let mut diagonal = CscMatrix::zeros((n, n));
        for (j, square) in self.squares.iter().enumerate() {
            if *square > 0.0 {
                diagonal.rowval.push(j);
                diagonal.nzval.push(*square);
            }
            diagonal.colptr[j + 1] = diagonal.rowval.len();
        }
        let matrix =
            CscMatrix::new(height, n, self.starts.clone(), self.places.clone(), self.cells.clone());
        let mut cones: Vec<SupportedConeT<f64>> = Vec::new();
        if self.equalities > 0 {
            cones.push(ZeroConeT(self.equalities));
        }
        cones.push(NonnegativeConeT(height - self.equalities));
        let mut solver =
            DefaultSolver::new(&diagonal, &self.costs, &matrix, &self.right, &cones, settings)
                .map_err(|error| Error::internal(format!("Clarabel: {error}")))?;
        solver.set_termination_callback(move |_: &DefaultInfo<f64>| called_off.check().is_err());
        solver.solve();
        let solution = solver.solution;
        let almost = judge(solution.status)?;
        let iterations = solution.iterations as usize;
        Ok(Run { x: solution.x, z: solution.z, iterations, almost })
    }
}

fn settings(clock: &Clock, tolerance: f64) -> Result<DefaultSettings<f64>> {
    Ok(DefaultSettings {
        verbose: false,
        max_iter: clock.limits.max_iterations,
        time_limit: clock.seconds_left()?,
        tol_gap_abs: tolerance,
        tol_gap_rel: tolerance,
        tol_feas: tolerance,
        ..DefaultSettings::default()
    })
}

/// Whether a status means "almost solved" rather than "solved"; an error for every other one.
fn judge(status: SolverStatus) -> Result<bool> {
    let rescale = "rescale the hypotheses' answers";
    Err(match status {
        SolverStatus::Solved => return Ok(false),
        SolverStatus::AlmostSolved => return Ok(true),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => {
            failure("found that no weights satisfy all constraints", rescale)
        }
        SolverStatus::DualInfeasible | SolverStatus::AlmostDualInfeasible => {
            failure("found that the objective has no bound", rescale)
        }
        SolverStatus::MaxIterations => {
            failure("reached its limit of iterations", "allow more iterations")
        }
        SolverStatus::MaxTime => failure("reached its time limit", "allow more time"),
        SolverStatus::NumericalError => failure("met a numerical error", rescale),
        SolverStatus::InsufficientProgress => {
            failure("made no more progress before it was done", rescale)
        }
        SolverStatus::CallbackTerminated => Error::Interrupted,
        SolverStatus::Unsolved => failure("did not start", rescale),
    })
}

fn failure(reason: &str, advice: &str) -> Error {
    Error::Solver { reason: reason.to_owned(), advice: advice.to_owned() }
}
