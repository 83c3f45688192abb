//! Single hypotheses as Python sees them: dictionaries of plain values, in the users' words.
//!
//! In: a hypothesis and the features it tests. Out: column names, thresholds and category names in
//! place of codes.

use ndarray::Array2;
use numpy::ToPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::guard::to_py_err;
use crate::data::{Bins, Feature, Schema};
use crate::error::{Error, Result};
use crate::hypothesis::{
    AnswerKind, Hypothesis, Literal, PartAnswers, Passes, RbfNet, Rule, Stump, Test, Tree, Wants,
};
use crate::wire::wire_name;

/// A description, or the caller's own classifier.
pub(super) fn describe<'py>(
    py: Python<'py>,
    hypothesis: &Hypothesis,
    schema: &Schema,
) -> PyResult<Bound<'py, PyAny>> {
    let features = &schema.features;
    let dict = match hypothesis {
        Hypothesis::Stump(stump) => describe_stump(py, stump, features),
        Hypothesis::Rule(rule) => describe_rule(py, rule, features),
        Hypothesis::Tree(tree) => describe_tree(py, tree, features),
        Hypothesis::RbfNet(net) => describe_net(py, net, schema),
        Hypothesis::External(external) => {
            let Ok(object) = external.object.clone().downcast::<Py<PyAny>>() else {
                return Err(to_py_err(Error::internal(
                    "an external hypothesis that is not a Python object",
                )));
            };
            return Ok(object.bind(py).clone());
        }
    };
    Ok(dict?.into_any())
}

/// A column: name, kind, cuts or categories by code, and training rows by code.
pub(super) fn describe_feature<'py>(
    py: Python<'py>,
    feature: &Feature,
) -> PyResult<Bound<'py, PyDict>> {
    let (mut cuts, mut categories) = (None, None);
    match &feature.bins {
        Bins::Numbers(bins) => cuts = Some(bins.cuts.to_pyarray(py)),
        Bins::Categories(bins) => {
            let names = (0..bins.len()).map(|code| bins.names(code).collect::<Vec<_>>());
            categories = Some(names.collect::<Vec<_>>());
        }
    }
    let dict = PyDict::new(py);
    dict.set_item("name", &feature.name)?;
    dict.set_item("kind", kind_name(feature))?;
    dict.set_item("cuts", cuts)?;
    dict.set_item("categories", categories)?;
    dict.set_item("rows", feature.rows.as_ref().map(|rows| rows.to_pyarray(py)))?;
    Ok(dict)
}

fn kind_name(feature: &Feature) -> String {
    wire_name(&feature.kind)
}

/// The threshold or the categories of a test.
fn passes<'a>(test: &Test, feature: &'a Feature) -> Result<(Option<f64>, Option<Vec<&'a str>>)> {
    match (&test.passes, &feature.bins) {
        (Passes::AtMost(cut), Bins::Numbers(bins)) => {
            Ok((bins.cuts.get(usize::from(*cut)).copied(), None))
        }
        (Passes::OneOf(codes), Bins::Categories(bins)) => {
            let names = codes.iter().flat_map(|&code| bins.names(usize::from(code)));
            Ok((None, Some(names.collect())))
        }
        _ => Err(Error::internal("a test does not fit its column")),
    }
}

fn describe_stump<'py>(
    py: Python<'py>,
    stump: &Stump,
    features: &[Feature],
) -> PyResult<Bound<'py, PyDict>> {
    let feature = &features[stump.test.column];
    let (threshold, categories) = passes(&stump.test, feature).map_err(to_py_err)?;
    let dict = PyDict::new(py);
    dict.set_item("kind", "stump")?;
    dict.set_item("column", stump.test.column)?;
    dict.set_item("name", &feature.name)?;
    dict.set_item("column_kind", kind_name(feature))?;
    dict.set_item("threshold", threshold)?;
    dict.set_item("categories", categories)?;
    dict.set_item("missing_inside", stump.test.missing_inside)?;
    describe_sides(&dict, &stump.answers)?;
    Ok(dict)
}

fn answer_kind_name(says: AnswerKind) -> &'static str {
    match says {
        AnswerKind::Number => "number",
        AnswerKind::Class => "class",
        AnswerKind::Scores(_) => "scores",
    }
}

/// The answers inside and outside: numbers, or lists of them.
fn describe_sides(dict: &Bound<'_, PyDict>, answers: &PartAnswers) -> PyResult<()> {
    dict.set_item("says", answer_kind_name(answers.says))?;
    for (part, name) in ["outside", "inside"].into_iter().enumerate() {
        match answers.says {
            AnswerKind::Number | AnswerKind::Class => dict.set_item(name, answers.part(part)[0])?,
            AnswerKind::Scores(_) => dict.set_item(name, answers.part(part))?,
        }
    }
    Ok(())
}

fn describe_rule<'py>(
    py: Python<'py>,
    rule: &Rule,
    features: &[Feature],
) -> PyResult<Bound<'py, PyDict>> {
    let literals = PyList::empty(py);
    for literal in &rule.literals {
        literals.append(describe_literal(py, *literal, &features[literal.column])?)?;
    }
    let dict = PyDict::new(py);
    dict.set_item("kind", "rule")?;
    dict.set_item("literals", literals)?;
    describe_sides(&dict, &rule.answers)?;
    dict.set_item("rows_inside", rule.rows_inside)?;
    dict.set_item("weight_inside", rule.weight_inside)?;
    Ok(dict)
}

fn describe_literal<'py>(
    py: Python<'py>,
    literal: Literal,
    feature: &Feature,
) -> PyResult<Bound<'py, PyDict>> {
    let (test, code) = match literal.wants {
        Wants::AtMost(code) => ("at_most", Some(code)),
        Wants::Above(code) => ("above", Some(code)),
        Wants::Is(code) => ("is", Some(code)),
        Wants::IsNot(code) => ("is_not", Some(code)),
        Wants::Missing => ("missing", None),
        Wants::Present => ("present", None),
    };
    let dict = PyDict::new(py);
    dict.set_item("column", literal.column)?;
    dict.set_item("name", &feature.name)?;
    dict.set_item("column_kind", kind_name(feature))?;
    dict.set_item("test", test)?;
    let (mut threshold, mut categories) = (None, None);
    match (&feature.bins, code) {
        (Bins::Numbers(bins), Some(code)) => threshold = bins.cuts.get(usize::from(code)).copied(),
        (Bins::Categories(bins), Some(code)) => {
            categories = Some(bins.names(usize::from(code)).collect::<Vec<_>>());
        }
        (_, None) => {}
    }
    dict.set_item("threshold", threshold)?;
    dict.set_item("categories", categories)?;
    Ok(dict)
}

fn describe_tree<'py>(
    py: Python<'py>,
    tree: &Tree,
    features: &[Feature],
) -> PyResult<Bound<'py, PyDict>> {
    let feature = |test: &Test| &features[test.column];
    let tests = || tree.splits.iter().map(|split| &split.test);
    let passed = tests().map(|test| passes(test, feature(test))).collect::<Result<Vec<_>>>();
    let (thresholds, categories): (Vec<_>, Vec<_>) = passed.map_err(to_py_err)?.into_iter().unzip();
    let (inside, outside) = children(tree);
    let dict = PyDict::new(py);
    dict.set_item("kind", "tree")?;
    dict.set_item("column", tests().map(|test| test.column).collect::<Vec<_>>())?;
    dict.set_item("name", tests().map(|test| &feature(test).name).collect::<Vec<_>>())?;
    dict.set_item("column_kind", tests().map(|t| kind_name(feature(t))).collect::<Vec<_>>())?;
    dict.set_item("threshold", thresholds)?;
    dict.set_item("categories", categories)?;
    dict.set_item("missing_inside", tests().map(|test| test.missing_inside).collect::<Vec<_>>())?;
    dict.set_item("inside", inside)?;
    dict.set_item("outside", outside)?;
    dict.set_item("says", answer_kind_name(tree.answers.says))?;
    match tree.answers.says {
        AnswerKind::Number | AnswerKind::Class => dict.set_item("values", &tree.answers.numbers)?,
        AnswerKind::Scores(_) => {
            let leaves = 0..tree.answers.n_parts();
            dict.set_item(
                "values",
                leaves.map(|leaf| tree.answers.part(leaf)).collect::<Vec<_>>(),
            )?;
        }
    }
    dict.set_item("weights", tree.leaves.iter().map(|leaf| leaf.weight).collect::<Vec<_>>())?;
    dict.set_item("rows", tree.leaves.iter().map(|leaf| leaf.rows).collect::<Vec<_>>())?;
    Ok(dict)
}

/// The child inside and the one outside each split: a later split, or −1 less the leaf's number.
fn children(tree: &Tree) -> (Vec<i64>, Vec<i64>) {
    let as_leaf = |leaf: usize| -1 - leaf as i64;
    let mut inside: Vec<i64> = tree.splits.iter().map(|split| as_leaf(split.leaf.into())).collect();
    let mut outside: Vec<i64> = (0..tree.splits.len()).map(|at| as_leaf(at + 1)).collect();
    // The side of the split that made each leaf what it is now.
    let mut holder: Vec<Option<(usize, bool)>> = vec![None; tree.leaves.len()];
    for (at, split) in tree.splits.iter().enumerate() {
        let leaf = usize::from(split.leaf);
        match holder[leaf] {
            Some((parent, true)) => inside[parent] = at as i64,
            Some((parent, false)) => outside[parent] = at as i64,
            None => {}
        }
        holder[leaf] = Some((at, true));
        holder[at + 1] = Some((at, false));
    }
    (inside, outside)
}

fn describe_net<'py>(
    py: Python<'py>,
    net: &RbfNet,
    schema: &Schema,
) -> PyResult<Bound<'py, PyDict>> {
    let scalings = schema.scalings().map_err(to_py_err)?;
    let shape = (net.widths.len(), scalings.len());
    let centers = Array2::from_shape_fn(shape, |(unit, column)| {
        scalings[column].invert(net.centers[unit * scalings.len() + column])
    });
    let dict = PyDict::new(py);
    dict.set_item("kind", "rbf_net")?;
    dict.set_item("centers", centers.to_pyarray(py))?;
    dict.set_item("widths", net.widths.to_pyarray(py))?;
    dict.set_item("outputs", net.outputs.to_pyarray(py))?;
    dict.set_item("answer", if net.votes { "vote" } else { "clipped" })?;
    Ok(dict)
}
