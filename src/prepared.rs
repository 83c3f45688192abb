//! From frames and settings to rows that are ready for boosting.
//!
//! In: labelled frames. Out: which rows train and which validate, the view that the learner reads of
//! them, and what the model must remember of their columns.

mod checks;
mod needs;
mod schema;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use crate::booster::Costs;
use crate::data::{
    Binned, BinnedRows, Column, ExternalFrames, Fingerprint, Frame, FrameSource, GivenRows,
    Numbers, Pieces, Rows, Schema, View, ViewKind, content_keys, hold_back, merge_rows,
};
use crate::error::{Error, Result};
use crate::memory::{self, Need};
use crate::model::Model;
use crate::reduce::{Reduce, agree};
use crate::settings::Settings;
use crate::storage::Storage;
use crate::workers::Workers;
use checks::{
    check_any_rows, check_input, check_order, check_same_columns, check_same_extras, check_sources,
    check_storage,
};
use needs::{output_needs, view_need};
use schema::learn_schema;

/// A frame with the class of each row.
pub struct Labelled<'a> {
    /// The columns.
    pub source: FrameSource<'a>,
    /// The class of each row, from 0 on.
    pub classes: Cow<'a, [u32]>,
    /// The weight of each row; all 1 if `None`.
    pub weights: Option<Vec<f64>>,
    /// What each answer to each row costs, row by row, if rows have costs of their own.
    pub costs: Option<Vec<f64>>,
    /// How much each row is mistrusted, for boosters that take it.
    pub mistrust: Option<Vec<f64>>,
    /// Of a shard: which pieces of the whole frame these rows are, each by the number of its first row
    /// and the number of its rows.
    pub pieces: Option<Vec<(u64, u64)>>,
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
    /// What the fit keeps in files.
    pub storage: Storage,
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
    /// What tells these rows from others, if a checkpoint has to know.
    pub fingerprint: Option<Fingerprint>,
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
        let reduce = workers.reduce();
        let source = &problem.train.source;
        let blank = || {
            check_sources(problem, view)?;
            let blank = source.blank_schema(
                view,
                &settings.categorical_features,
                problem.train.pieces.is_some(),
            )?;
            let [scores, weights] = output_needs(problem, settings);
            let codes = problem.storage.codes_dir.is_none().then(|| view_need(source, settings));
            let needs: Vec<Need> = codes.into_iter().chain([scores, weights]).collect();
            memory::check(&needs)?;
            check_input(problem, settings)?;
            check_storage(problem, settings, reduce.rank())?;
            Ok(blank)
        };
        let blank = agree(reduce, blank())?;
        check_same_columns(&blank, reduce)?;
        check_same_extras(problem, reduce)?;
        let (rows, held) = choose_rows(problem, settings, reduce)?;
        let schema = match problem.earlier {
            Some(earlier) => earlier.schema.clone(),
            None => learn_schema(blank, source, (&rows, settings.max_bins), workers)?,
        };
        check_order(&schema, &settings.monotonic_cst)?;
        let external = problem.external.as_deref();
        let has_fingerprint = problem.storage.checkpoint.is_some();
        let encoder = Encoder {
            external,
            settings,
            schema: &schema,
            workers,
            has_fingerprint,
            codes_dir: problem.storage.codes_dir.as_deref(),
        };
        let Labelled { costs, mistrust, .. } = &problem.train;
        let (costs, mistrust) = (costs.as_deref(), mistrust.as_deref());
        let frame = FrameRows { source, costs, mistrust, is_own: true };
        let held = held.filter(|held| problem.validation.is_none() && held.n_input_rows() > 0);
        let mut prepared = encoder.prepare(&frame, [Some(rows), held].into_iter().flatten())?;
        if let Some(given) = &problem.validation {
            let what = "reducer.validation_pieces";
            let n_rows = given.classes.len();
            let pieces = Pieces::of_shard(what, given.pieces.as_deref(), n_rows, reduce)?;
            check_any_rows(&pieces, "X_val")?;
            let rows = given.rows(settings.n_classes);
            let rows = Rows::of_shard(rows, &pieces, reduce, |_| true)?;
            let (source, costs) = (&given.source, given.costs.as_deref());
            let frame = FrameRows { source, costs, mistrust: None, is_own: false };
            prepared.extend(encoder.prepare(&frame, [rows])?);
        }
        let mut prepared = prepared.into_iter();
        let Some(train) = prepared.next() else {
            return Err(Error::internal("training rows were lost on the way"));
        };
        let validation = prepared.next();
        if let View::Codes(data) = &train.view {
            data.agree_on_order(reduce)?;
        }
        Ok(Self { train, validation, schema })
    }
}

impl Labelled<'_> {
    fn rows(&self, n_classes: usize) -> GivenRows<'_> {
        GivenRows { classes: &self.classes, n_classes, weights: self.weights.as_deref() }
    }
}

/// A frame that rows are taken from.
struct FrameRows<'a, 't> {
    source: &'a FrameSource<'t>,
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
    /// Whether a checkpoint has to know what tells the rows from others.
    has_fingerprint: bool,
    /// Where codes are kept if not in memory.
    codes_dir: Option<&'a Path>,
}

impl Encoder<'_> {
    /// Makes several choices of the rows of a frame ready, which is read once.
    fn prepare(
        &self,
        frame: &FrameRows,
        chosen: impl IntoIterator<Item = Rows>,
    ) -> Result<Vec<PreparedRows>> {
        let chosen: Vec<Rows> = chosen.into_iter().collect();
        let costs = chosen.iter().map(|rows| self.price(frame.costs, rows));
        let costs = costs.collect::<Result<Vec<_>>>()?;
        let views: Vec<View> = match (self.settings.estimator.view_kind(), frame.source) {
            (ViewKind::Frame, _) => {
                chosen.iter().map(|rows| self.own_view(frame, rows)).collect::<Result<Vec<_>>>()?
            }
            (ViewKind::Numbers, FrameSource::Table(table)) => {
                let columns = table.align(self.schema)?;
                let views = chosen.iter().map(|rows| self.standardise(&columns, rows));
                views.collect::<Result<Vec<_>>>()?
            }
            (ViewKind::Numbers, FrameSource::Tiles(_)) => {
                return Err(Error::internal("tiles came where all rows are wanted at once"));
            }
            (ViewKind::Codes, _) => {
                let codes = self.encode(frame.source, &chosen);
                agree(self.workers.reduce(), codes)?.into_iter().map(View::Codes).collect()
            }
        };
        let mut prepared = Vec::new();
        for ((rows, view), costs) in chosen.into_iter().zip(views).zip(costs) {
            let fingerprint = self.fingerprint(frame, &rows, &view)?;
            let may_merge = self.may_merge(costs.as_deref()) && frame.mistrust.is_none();
            let (view, rows) = match view {
                View::Codes(codes) => self.merge(codes, rows, may_merge)?,
                other => (other, rows),
            };
            let mistrust = frame.mistrust.map(|mistrust| rows.at_places(mistrust));
            prepared.push(PreparedRows { rows, view, costs, mistrust, fingerprint });
        }
        Ok(prepared)
    }

    /// What tells rows from others, if a checkpoint has to know.
    fn fingerprint(
        &self,
        frame: &FrameRows,
        rows: &Rows,
        view: &View,
    ) -> Result<Option<Fingerprint>> {
        if !self.has_fingerprint {
            return Ok(None);
        }
        Fingerprint::new(rows, view, &[frame.costs, frame.mistrust], self.workers).map(Some)
    }

    fn standardise(&self, columns: &[Column], rows: &Rows) -> Result<View> {
        let scalings = self.schema.scalings()?;
        let places = Some(rows.places());
        Numbers::encode(columns, &scalings, places, rows.len(), self.workers).map(View::Numbers)
    }

    /// The rows as the caller's own classifiers read them.
    fn own_view(&self, frame: &FrameRows, rows: &Rows) -> Result<View> {
        if let FrameSource::Table(table) = frame.source {
            table.align(self.schema)?;
        }
        let Some(external) = self.external else {
            return Err(Error::internal("an external learner was started without its frames"));
        };
        let external = external.rows(rows.places(), !frame.is_own)?;
        Ok(View::Frame(Frame::ordered(external, rows)))
    }

    /// What answers to the rows cost, if the booster wants to know.
    fn price(&self, given: Option<&[f64]>, rows: &Rows) -> Result<Option<Arc<Costs>>> {
        let n_classes = self.settings.n_classes;
        let Some(matrix) = self.settings.booster.cost_matrix(n_classes) else { return Ok(None) };
        let costs = match given {
            Some(given) => Costs::by_row(given, n_classes, rows, self.workers.reduce()),
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

    /// The codes of each choice of rows.
    fn encode(&self, source: &FrameSource, chosen: &[Rows]) -> Result<Vec<Binned>> {
        let bins = self.schema.bins();
        let codes = chosen.iter().map(|rows| BinnedRows::new(&bins, rows.len(), self.codes_dir));
        let mut codes = codes.collect::<Result<Vec<_>>>()?;
        let columns: Vec<_> = codes.iter_mut().map(|codes| codes.columns(&bins)).collect();
        let encode = |place: usize, column: &Column, first: usize| {
            for (columns, rows) in columns.iter().zip(chosen) {
                columns[place].encode((column, first), Some(rows.places()), self.workers)?;
            }
            Ok(())
        };
        source.for_each_column(self.schema, self.workers, &encode)?;
        drop(columns);
        let codes = codes.into_iter().map(|codes| codes.finish(&bins));
        Ok(match source {
            FrameSource::Table(_) if self.codes_dir.is_none() => codes.collect(),
            FrameSource::Table(_) | FrameSource::Tiles(_) => {
                codes.map(Binned::without_copies).collect()
            }
        })
    }

    /// Codes as a view, of which identical rows may have become one.
    fn merge(&self, data: Binned, rows: Rows, may_merge: bool) -> Result<(View, Rows)> {
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
fn choose_rows(
    problem: &Problem,
    settings: &Settings,
    reduce: &dyn Reduce,
) -> Result<(Rows, Option<Rows>)> {
    let given = problem.train.rows(settings.n_classes);
    let (what, own) = ("reducer.pieces", problem.train.pieces.as_deref());
    let pieces = Pieces::of_shard(what, own, given.classes.len(), reduce)?;
    check_any_rows(&pieces, "X")?;
    let mut rows = Rows::of_shard(given, &pieces, reduce, |_| true)?;
    let mut held = None;
    if settings.early_stopping && problem.validation.is_none() {
        let draw = (settings.validation_fraction, settings.random_state);
        let mask = hold_back(given, &pieces, draw, reduce)?;
        rows = Rows::of_shard(given, &pieces, reduce, |row| !mask[row])?;
        held = Some(Rows::of_shard(given, &pieces, reduce, |row| mask[row])?);
    }
    let is_present = |class: &usize| rows.n_rows_of(|other| other == *class) > 0;
    let n_present = (0..settings.n_classes).filter(is_present).count();
    // Where every row has its own costs, one class says enough.
    if n_present < 2 && problem.train.costs.is_none() {
        return Err(Error::Labels {
            reason: "only one class has rows of positive weight, expected two".into(),
        });
    }
    Ok((rows, held))
}
