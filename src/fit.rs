//! The whole story on one page: bin, run the rounds, make a model.
//!
//! In: a table, class codes, weights and settings. Out: a model and the last distribution over the
//! rows. What happens in a round is in `run`.

use std::time::{Duration, Instant};

use crate::booster::{RunReport, TeamStart};
use crate::checkpoint::Log;
use crate::combiner::MarginLoss;
use crate::data::{Rows, ViewKind};
use crate::earlier::check_earlier;
use crate::ensemble::Ensemble;
use crate::error::{Error, Result};
use crate::model::Model;
use crate::pool::{PoolFit, fit_pool};
use crate::prepared::{Prepared, Problem};
use crate::reweight::{check_model, reweight_ensemble};
use crate::run::{Observe, Run};
use crate::settings::{PoolSettings, Settings};
use crate::workers::Workers;

/// The outcome of a fit.
pub struct Fitted {
    /// The model.
    pub model: Model,
    /// The distribution after the last round, in the order of the input rows; zero for absent ones.
    pub row_weights: Vec<f64>,
    /// What else there is to tell, by output; about rows, in the order of the input rows.
    pub reports: Vec<RunReport>,
    /// Time spent on bins and codes.
    pub binning: Duration,
    /// Time spent on rounds.
    pub boosting: Duration,
}

/// Fits a model.
pub fn fit(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
    observe: &mut Observe,
) -> Result<Fitted> {
    settings.check()?;
    if workers.reduce().is_split() {
        settings.check_shardable()?;
    }
    let cells = match settings.estimator.view_kind() {
        // A classifier of the caller's may itself want the pool, of which no thread may wait for it.
        ViewKind::Frame => 0,
        _ => problem.train.source.n_rows() * problem.train.source.n_columns(),
    };
    workers.enter(cells, || fit_checked(problem, settings, workers, observe))
}

fn fit_checked(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
    observe: &mut Observe,
) -> Result<Fitted> {
    let begun = Instant::now();
    let prepared = Prepared::new(problem, settings, workers)?;
    if let Some(pool) = &settings.pool {
        let log = Log::open(problem, &prepared, settings, workers)?;
        return fit_members(prepared, settings, pool, log, begun);
    }
    let binning = begun.elapsed();
    let begun = Instant::now();
    let log = Log::open(problem, &prepared, settings, workers)?;
    let Prepared { train, validation, schema } = prepared;
    let team = settings.booster.start(&TeamStart {
        rows: &train.rows,
        n_classes: settings.n_classes,
        decomposition: settings.decomposition.as_ref(),
        decode: settings.decode,
        loss: settings.loss(),
        costs: train.costs.clone(),
        mistrust: train.mistrust.as_deref(),
        learning_rate: settings.learning_rate,
        tol: settings.tol,
        seed: settings.random_state,
        resample: settings.resample,
        n_rounds: settings.n_rounds().1,
        workers,
    })?;
    if let Some(earlier) = problem.earlier {
        check_earlier(earlier, &*team, settings.program.as_ref())?;
    }
    let n_before = problem.earlier.map_or(0, |earlier| earlier.members.len());
    let mut run = Run::start(team, (train, validation), n_before, log, settings)?;
    let over = match problem.earlier {
        Some(earlier) => run.replay(earlier)?,
        None => None,
    };
    let stop_reason = match over {
        Some(reason) => reason,
        None => run.boost(observe)?,
    };
    let Run { mut team, mut ensemble, .. } = run;
    team.finish(workers)?;
    if let Some(n_rounds) = team.n_kept() {
        ensemble.keep_rounds(n_rounds, team.combiner())?;
    }
    let (by_place, total) = team.row_weights(&ensemble.train.scores, workers)?;
    let row_weights = ensemble.train.prepared.rows.spread(by_place, total);
    let mut reports = team.reports();
    if let Some(program) = &settings.program {
        reports = reweight_ensemble(&mut ensemble, program)?;
    } else if let Some(weights) = team.corrected() {
        ensemble.replace_weights(&weights);
        ensemble.settle()?;
    }
    report_by_input_row(&mut reports, &ensemble.train.prepared.rows);
    let model = ensemble.into_model(schema, stop_reason)?;
    Ok(Fitted { model, row_weights, reports, binning, boosting: begun.elapsed() })
}

/// Fits the pool of forests and boosted trees, in a fit that has begun with the bins.
fn fit_members(
    prepared: Prepared,
    settings: &Settings,
    pool: &PoolSettings,
    mut log: Log,
    begun: Instant,
) -> Result<Fitted> {
    let (binning, binned) = (begun.elapsed(), Instant::now());
    let rows = prepared.train.rows.clone();
    let PoolFit { model, mut reports } = fit_pool(prepared, settings, pool, begun, &mut log)?;
    report_by_input_row(&mut reports, &rows);
    let row_weights = rows.by_input_row(&rows.all_start_weights());
    Ok(Fitted { model, row_weights, reports, binning, boosting: binned.elapsed() })
}

/// Gives the hypotheses of a model the weights that solve a program on these rows; returns the new
/// model and what there is to tell, by output.
pub fn reweight(
    problem: &Problem,
    settings: &Settings,
    workers: &Workers,
) -> Result<(Model, Vec<RunReport>)> {
    settings.check()?;
    let (Some(model), Some(program)) = (problem.earlier, &settings.program) else {
        return Err(Error::internal("reweighting needs a model and a program"));
    };
    check_model(model)?;
    let Prepared { train, schema, .. } = Prepared::new(problem, settings, workers)?;
    let combiner = model.combiner.clone().with_loss(MarginLoss::Hinge);
    let mut ensemble = Ensemble::new(&combiner, train, None, workers)?;
    ensemble.members.clone_from(&model.members);
    ensemble.history.clone_from(&model.history);
    let mut reports = reweight_ensemble(&mut ensemble, program)?;
    report_by_input_row(&mut reports, &ensemble.train.prepared.rows);
    Ok((ensemble.into_model(schema, model.stop_reason)?, reports))
}

/// Turns reports by place into reports by input row.
fn report_by_input_row(reports: &mut [RunReport], rows: &Rows) {
    for RunReport { rows: by_row, shares, .. } in reports {
        for (_, numbers) in by_row {
            *numbers = rows.by_input_row(numbers);
        }
        for (_, numbers) in shares {
            *numbers = rows.by_input_row(numbers);
        }
    }
}
