//! RBF nets in a model file.

use serde::{Deserialize, Serialize};

use super::Reader;
use crate::error::Result;
use crate::hypothesis::{Hypothesis, RbfNet};

/// `units` says how many entries of `widths` and `outputs` belong to each net; every unit has a
/// centre of one entry per column.
#[derive(Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(in crate::model) struct RbfNetFields {
    units: Vec<usize>,
    centers: Vec<f64>,
    widths: Vec<f64>,
    outputs: Vec<f64>,
    votes: Vec<bool>,
}

impl RbfNetFields {
    pub(super) fn push(&mut self, net: &RbfNet) {
        self.units.push(net.widths.len());
        self.centers.extend_from_slice(&net.centers);
        self.widths.extend_from_slice(&net.widths);
        self.outputs.extend_from_slice(&net.outputs);
        self.votes.push(net.votes);
    }

    pub(super) fn read(self, reader: &Reader, hypotheses: &mut Vec<Hypothesis>) -> Result<()> {
        let (n_units, n_columns) = (self.widths.len(), reader.features.len());
        reader.check_counts("units", &self.units, n_units)?;
        reader.check_length("votes", self.votes.len(), self.units.len())?;
        reader.check_numbers("centers", &self.centers, n_units * n_columns)?;
        reader.check_numbers("widths", &self.widths, n_units)?;
        reader.check_numbers("outputs", &self.outputs, n_units)?;
        let mut next = 0;
        for (&count, &votes) in self.units.iter().zip(&self.votes) {
            let units = next..next + count;
            hypotheses.push(Hypothesis::RbfNet(RbfNet {
                centers: self.centers[units.start * n_columns..units.end * n_columns].to_vec(),
                widths: self.widths[units.clone()].to_vec(),
                outputs: self.outputs[units.clone()].to_vec(),
                votes,
            }));
            next = units.end;
        }
        Ok(())
    }
}
