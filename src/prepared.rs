//! From frames and settings to rows that are ready for boosting.
//!
//! In: labelled frames. Out: which rows train and which validate, the view that the learner reads of
//! them, and what the model must remember of their columns.

use std::sync::Arc;

use crate::booster::{Costs, Decomposition};
use crate::data::{
    Binned, Bins, Column, ExternalFrames, Feature, Frame, Numbers, Rows, Scaling, Schema, Table,
    View, ViewKind, content_keys, hold_back, merge_rows,
};
use crate::error::{Error, Result};
use crate::memory::{self, Need};
use crate::model::Model;
use crate::settings::Settings;
use crate::workers::Workers;

/// A frame with the class of each row.
pub struct Labelled<'a> {
    /// The columns.
    pub table: Table<'a>,
    /// The class of each row, from 0 on.
    pub classes: Vec<u32>,
    /// The weight of each row; all 1 if `None`.
    pub weights: Option<Vec<f64>>,
    /// What each answer to each row costs, row by row, if rows have costs of their own.
    pub costs: Option<Vec<f64>>,
    /// How much each row is mistrusted, for boosters that take it.
    pub mistrust: Option<Vec<f64>>,
}

/// What is to be learned.
pub struct Problem<'a> {
    /// The training frame.
    pub train: Labelled<'a>,
    /// Rows to validate on, if the caller has some.
    pub validation: Option<Labelled<'a>>,
    /// A model whose rounds come first.
    pub earlier: Option<&'a Model>,
    /// The same frames for an external learner.
    pub external: Option<Box<dyn ExternalFrames>>,
}

/// Rows in class order, what a learner reads of them, and what answers to them cost.
pub struct PreparedRows {
    /// Which rows these are.
    pub rows: Rows,
    /// What the learner reads.
    pub view: View,
    /// What answers cost, if the booster wants to know.
    pub costs: Option<Arc<Costs>>,
    /// How much each row is mistrusted.
    pub mistrust: Option<Vec<f64>>,
}

/// Everything that stays the same during a run.
pub struct Prepared {
    /// Rows to learn from.
    pub train: PreparedRows,
    /// Rows to validate on.
    pub validation: Option<PreparedRows>,
    /// What the model must remember of the columns.
    pub schema: Schema,
}

impl Prepared {
    /// Chooses rows, learns bins and encodes.
    pub fn new(problem: &Problem, settings: &Settings, workers: &Workers) -> Result<Self> {
        let view = settings.estimator.view_kind();
        if let Some(Model { schema: earlier, .. }) = problem.earlier
            && earlier.view != view
        {
            let expected = format!(
                "a learner that reads {} as in the rounds already run (warm_start=True)",
                earlier.view.describe()
            );
            let got = format!("one that reads {}", view.describe());
            return Err(Error::parameter("estimator", got, &expected));
        }
        let [scores, weights] = output_needs(problem, settings);
        memory::check(&[view_need(problem, settings), scores, weights])?;
        let (rows, held) = choose_rows(problem, settings)?;
        let mut table = problem.train.table.clone();
        table.declare_categories(&settings.categorical_features)?;
        let schema = if let Some(earlier) = problem.earlier {
            earlier.schema.clone()
        } else {
            let features = learn_features(&table, &rows, settings, workers)?;
            Schema { view, features, named: table.named() }
        };
        check_order(&schema, &settings.monotonic_cst)?;
        let external = problem.external.as_deref();
        let encoder = Encoder { external, settings, schema: &schema, workers };
        let Labelled { costs, mistrust, .. } = &problem.train;
        let (costs, mistrust) = (costs.as_deref(), mistrust.as_deref());
        let frame = FrameRows { table: &table, costs, mistrust, is_own: true };
        let train = encoder.prepare(&frame, rows)?;
        let validation = match (&problem.validation, held) {
            (Some(given), _) => {
                let weights = given.weights.as_deref();
                let rows = Rows::select(&given.classes, settings.n_classes, weights, |_| true)?;
                let costs = given.costs.as_deref();
                let table = &given.table;
                let frame = FrameRows { table, costs, mistrust: None, is_own: false };
                Some(encoder.prepare(&frame, rows)?)
            }
            (None, Some(held)) if !held.is_empty() => Some(encoder.prepare(&frame, held)?),
            (None, _) => None,
        };
        Ok(Self { train, validation, schema })
    }
}

/// The memory for what a learner reads of the rows.
fn view_need(problem: &Problem, settings: &Settings) -> Need<'static> {
    let table = &problem.train.table;
    let counts = [table.n_rows(), table.columns().len()];
    match settings.estimator.view_kind() {
        // Row by row and column by column.
        ViewKind::Codes if settings.max_bins < 256 => Need::numbers("codes of rows", &counts, 2),
        ViewKind::Codes => Need::numbers("codes of rows", &counts, 4),
        ViewKind::Numbers => Need::numbers("numbers of rows", &counts, 8),
        ViewKind::Frame => Need::numbers("rows of the caller", &counts, 0),
    }
}

/// The memory for the scores and answers of every row and output, and for the weights of the rows that
/// take part in what an output tells apart.
fn output_needs(problem: &Problem, settings: &Settings) -> [Need<'static>; 2] {
    let (n_rows, n_classes) = (problem.train.table.n_rows(), settings.n_classes);
    let (n_outputs, n_weighted) = match &settings.decomposition {
        // A class has a part in one problem with each other one.
        Some(Decomposition::OneVsOne) => (n_classes * (n_classes - 1) / 2, n_classes - 1),
        Some(other) => (other.n_problems(n_classes), other.n_problems(n_classes)),
        None if n_classes == 2 => (1, 1),
        None => (n_classes, n_classes),
    };
    [
        // A score and the part of a hypothesis.
        Need::numbers("scores of rows by class or problem", &[n_rows, n_outputs], 8 + 2),
        // As a number and in fixed point.
        Need::numbers("weights of rows by class or problem", &[n_rows, n_weighted], 8 + 8),
    ]
}

/// Refuses an order along categories.
fn check_order(schema: &Schema, signs: &[i8]) -> Result<()> {
    if !signs.is_empty() && signs.len() != schema.features.len() {
        let got = format!("{} entries", signs.len());
        let expected = format!("one for each of {} columns", schema.features.len());
        return Err(Error::parameter("monotonic_cst", got, &expected));
    }
    let is_category = |feature: &Feature| matches!(feature.bins, Bins::Categories(_));
    match schema.features.iter().zip(signs).find(|(f, sign)| **sign != 0 && is_category(f)) {
        Some((feature, sign)) => Err(Error::parameter(
            "monotonic_cst",
            format!("{sign} for column '{}'", feature.name),
            "0, because categories have no order",
        )),
        None => Ok(()),
    }
}

/// A frame that rows are taken from.
struct FrameRows<'a, 't> {
    table: &'a Table<'t>,
    /// What each answer to each row costs, if rows have costs of their own.
    costs: Option<&'a [f64]>,
    /// How much each row is mistrusted; rows that are equal but for that stay apart.
    mistrust: Option<&'a [f64]>,
    /// Whether it is the training frame, and not one that the caller gave for validation.
    is_own: bool,
}

/// Makes rows ready for a learner.
struct Encoder<'a> {
    external: Option<&'a dyn ExternalFrames>,
    settings: &'a Settings,
    schema: &'a Schema,
    workers: &'a Workers,
}

impl Encoder<'_> {
    fn prepare(&self, frame: &FrameRows, rows: Rows) -> Result<PreparedRows> {
        let columns = frame.table.align(self.schema)?;
        let costs = self.price(frame.costs, &rows)?;
        let (view, rows) = match self.settings.estimator.view_kind() {
            ViewKind::Codes => {
                let may_merge = self.may_merge(costs.as_deref()) && frame.mistrust.is_none();
                self.encode(&columns, rows, may_merge)?
            }
            ViewKind::Numbers => {
                let scalings = self.schema.scalings()?;
                let places = Some(rows.places());
                let numbers =
                    Numbers::encode(&columns, &scalings, places, rows.len(), self.workers)?;
                (View::Numbers(numbers), rows)
            }
            ViewKind::Frame => {
                let Some(external) = self.external else {
                    return Err(Error::internal(
                        "an external learner was started without its frames",
                    ));
                };
                let external = external.rows(rows.places(), !frame.is_own)?;
                (View::Frame(Frame::ordered(external, &rows)), rows)
            }
        };
        let mistrust = frame.mistrust.map(|mistrust| rows.at_places(mistrust));
        Ok(PreparedRows { rows, view, costs, mistrust })
    }

    /// What answers to the rows cost, if the booster wants to know.
    fn price(&self, given: Option<&[f64]>, rows: &Rows) -> Result<Option<Arc<Costs>>> {
        let n_classes = self.settings.n_classes;
        let Some(matrix) = self.settings.booster.cost_matrix(n_classes) else { return Ok(None) };
        let costs = match given {
            Some(given) => Costs::by_row(given, n_classes, rows),
            None => Costs::by_class(&matrix, n_classes),
        };
        costs.map(|costs| Some(Arc::new(costs)))
    }

    /// Whether identical rows may be treated as one.
    fn may_merge(&self, costs: Option<&Costs>) -> bool {
        self.settings.merge_rows
            && self.settings.pool.is_none()
            && self.settings.sampling().is_none()
            && !self.settings.resample
            && self.settings.booster.may_merge_rows()
            && !costs.is_some_and(Costs::differ_by_row)
    }

    fn encode(&self, columns: &[Column], rows: Rows, may_merge: bool) -> Result<(View, Rows)> {
        let bins = self.schema.bins();
        let places = Some(rows.places());
        let data = Binned::encode(columns, &bins, places, rows.len(), self.workers)?;
        if self.settings.pool.is_none() && self.settings.booster.draws_rows() {
            let keys = content_keys(&data, &rows, self.workers)?;
            return Ok((View::Codes(data), rows.with_contents(keys)));
        }
        if !may_merge {
            return Ok((View::Codes(data), rows));
        }
        let (data, rows) = merge_rows(data, rows, self.workers)?;
        Ok((View::Codes(data), rows))
    }
}

/// The training rows and, if some are to be held back, the validation rows.
fn choose_rows(problem: &Problem, settings: &Settings) -> Result<(Rows, Option<Rows>)> {
    let Labelled { table, classes, weights, .. } = &problem.train;
    let n_classes = settings.n_classes;
    table.check_trainable()?;
    check_lengths(&problem.train, "X", "y")?;
    if let Some(given) = &problem.validation {
        check_lengths(given, "X_val", "y_val")?;
    }
    check_mistrust(&problem.train, settings)?;
    let weights = weights.as_deref();
    let mut rows = Rows::select(classes, n_classes, weights, |_| true)?;
    let mut held = None;
    if settings.early_stopping && problem.validation.is_none() {
        let share = settings.validation_fraction;
        let mask = hold_back(classes, n_classes, weights, share, settings.random_state);
        rows = Rows::select(classes, n_classes, weights, |row| !mask[row])?;
        held = Some(Rows::select(classes, n_classes, weights, |row| mask[row])?);
    }
    let starts = std::iter::once(0).chain(rows.class_ends().iter().copied());
    let n_present =
        rows.class_ends().iter().zip(starts).filter(|(end, start)| *end > start).count();
    // Where every row has its own costs, one class says enough.
    if n_present < 2 && problem.train.costs.is_none() {
        return Err(Error::Labels {
            reason: "only one class has rows of positive weight, expected two".into(),
        });
    }
    Ok((rows, held))
}

fn check_lengths(labelled: &Labelled, x: &str, y: &str) -> Result<()> {
    let (rows, labels) = (labelled.table.n_rows(), labelled.classes.len());
    if labels != rows {
        return Err(Error::Shape {
            what: y.into(),
            got: format!("{labels} labels"),
            expected: format!("one for each of {rows} rows of {x}"),
        });
    }
    if rows == 0 {
        return Err(Error::Shape {
            what: x.into(),
            got: "0 rows".into(),
            expected: "at least 1 row".into(),
        });
    }
    Ok(())
}

/// Refuses mistrust that is no number for each row, and mistrust that nobody would heed.
fn check_mistrust(train: &Labelled, settings: &Settings) -> Result<()> {
    let Some(mistrust) = &train.mistrust else { return Ok(()) };
    let refuse = |got: String, expected: &str| Err(Error::parameter("mistrust", got, expected));
    if !settings.booster.takes_mistrust() {
        return refuse("a number for each row".into(), "None, because this booster takes none");
    }
    let n_rows = train.table.n_rows();
    if mistrust.len() != n_rows {
        let got = format!("{} numbers", mistrust.len());
        return refuse(got, &format!("one for each of {n_rows} rows"));
    }
    match mistrust.iter().position(|zeta| !(zeta.is_finite() && *zeta >= 0.0)) {
        Some(row) => refuse(format!("{} for row {row}", mistrust[row]), "finite numbers >= 0"),
        None => Ok(()),
    }
}

fn learn_features(
    table: &Table,
    rows: &Rows,
    settings: &Settings,
    workers: &Workers,
) -> Result<Vec<Feature>> {
    let columns = table.columns();
    let bins = match settings.estimator.view_kind() {
        ViewKind::Codes => Bins::fit(columns, rows, settings.max_bins, workers)?,
        ViewKind::Numbers | ViewKind::Frame => {
            columns.iter().map(|c| Bins::blank(c.kind)).collect()
        }
    };
    let scalings: Vec<Option<Scaling>> = match settings.estimator.view_kind() {
        ViewKind::Numbers => Scaling::fit(columns, rows, workers)?.into_iter().map(Some).collect(),
        ViewKind::Codes | ViewKind::Frame => vec![None; columns.len()],
    };
    let features = columns.iter().zip(bins).zip(scalings);
    let feature = |((column, bins), scaling): ((&Column, _), _)| Feature {
        name: column.name.clone(),
        kind: column.kind,
        bins,
        scaling,
        rows: None,
    };
    Ok(features.map(feature).collect())
}
