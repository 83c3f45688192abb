//! How a checkpoint is written: JSON with a version and a checksum over everything in it.
//!
//! In and out: bytes. What is damaged, or of another fit, is refused with the reason.

use serde::{Deserialize, Serialize};

use super::Attempt;
use super::identity::Identity;
use crate::data::Feature;
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;
use crate::model::HypothesisRuns;

const FORMAT: &str = "weakforce-checkpoint";
const VERSION: u32 = 1;
const LIBRARY: &str = env!("CARGO_PKG_VERSION");

/// What a checkpoint holds of a fit.
pub(super) struct Content {
    pub runs: Vec<Vec<Attempt>>,
    pub n_rounds: usize,
    pub outcome: u64,
}

/// What is read before all else, so that a file of another version is called that.
#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
    library: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: String,
    version: u32,
    library: String,
    /// Of everything, with 0 in its own place.
    checksum: u64,
    identity: Identity,
    n_rounds: usize,
    outcome: u64,
    /// By run and attempt, how many hypotheses were found.
    found: Vec<Vec<usize>>,
    /// The search of each hypothesis.
    searches: Vec<usize>,
    hypotheses: HypothesisRuns,
}

/// A number that changes with every byte.
pub(super) fn digest(bytes: &[u8]) -> u64 {
    let step = |state: u64, word: u64| {
        let z = (state ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (z ^ (z >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9).rotate_left(31)
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let state = words.iter().fold(bytes.len() as u64, |s, word| step(s, u64::from_le_bytes(*word)));
    let state = rest.iter().fold(state, |state, &byte| step(state, byte.into()));
    step(state, 0) ^ (state >> 32)
}

fn refuse<T>(reason: impl Into<String>) -> Result<T> {
    Err(Error::Checkpoint { path: String::new(), reason: reason.into() })
}

fn damaged<T>(reason: &str) -> Result<T> {
    refuse(format!("it is damaged ({reason}); remove the file to start over"))
}

fn to_bytes(document: &Document) -> Result<Vec<u8>> {
    serde_json::to_vec(document).map_err(|e| Error::internal(format!("writing a checkpoint: {e}")))
}

/// A checkpoint of these rounds.
pub(super) fn write(
    runs: &[Vec<Attempt>],
    (n_rounds, outcome): (usize, u64),
    identity: &Identity,
) -> Result<Vec<u8>> {
    let all = || runs.iter().flatten().flatten();
    let mut document = Document {
        format: FORMAT.into(),
        version: VERSION,
        library: LIBRARY.into(),
        checksum: 0,
        identity: identity.clone(),
        n_rounds,
        outcome,
        found: runs.iter().map(|run| run.iter().map(Vec::len).collect()).collect(),
        searches: all().map(|(search, _)| *search).collect(),
        hypotheses: HypothesisRuns::new(all().map(|(_, hypothesis)| hypothesis))?,
    };
    document.checksum = digest(&to_bytes(&document)?);
    to_bytes(&document)
}

/// Reads what [`write`] wrote, for the fit that this is.
pub(super) fn read(bytes: &[u8], identity: &Identity, features: &[Feature]) -> Result<Content> {
    let header: Header = match serde_json::from_slice(bytes) {
        Ok(header) => header,
        Err(error) => return damaged(&error.to_string()),
    };
    if header.format != FORMAT {
        let reason = format!("its format is '{}', expected '{FORMAT}'", header.format);
        return refuse(format!("{reason}; no file but a checkpoint is replaced by one"));
    }
    if header.version != VERSION || header.library != LIBRARY {
        return refuse(format!(
            "it was written by weakforce {}, and this is {LIBRARY}; finish the fit with that \
             version, or remove the file to start over",
            header.library
        ));
    }
    let mut document: Document = match serde_json::from_slice(bytes) {
        Ok(document) => document,
        Err(error) => return damaged(&error.to_string()),
    };
    let checksum = std::mem::take(&mut document.checksum);
    if digest(&to_bytes(&document)?) != checksum {
        return damaged("its checksum is another one");
    }
    if let Some(difference) = document.identity.difference(identity) {
        return refuse(format!(
            "{difference}; a fit goes on with the same data and settings: remove the file to start \
             over, or name another one"
        ));
    }
    let Document { n_rounds, outcome, found, searches, hypotheses, .. } = document;
    let hypotheses = hypotheses.read(features).or_else(|error| damaged(&error.to_string()))?;
    match by_attempt(&found, searches, hypotheses) {
        Some(runs) => Ok(Content { runs, n_rounds, outcome }),
        None => damaged("its lengths do not fit each other"),
    }
}

/// Hypotheses by run and attempt; `None` if there are not as many as there should be.
fn by_attempt(
    found: &[Vec<usize>],
    searches: Vec<usize>,
    hypotheses: Vec<Hypothesis>,
) -> Option<Vec<Vec<Attempt>>> {
    let is_complete = searches.len() == hypotheses.len();
    let mut all = searches.into_iter().zip(hypotheses);
    let mut attempt = |&n: &usize| {
        let attempt: Attempt = all.by_ref().take(n).collect();
        (attempt.len() == n).then_some(attempt)
    };
    let runs = found.iter().map(|run| run.iter().map(&mut attempt).collect());
    let runs: Option<Vec<Vec<Attempt>>> = runs.collect();
    runs.filter(|_| is_complete && all.next().is_none())
}
