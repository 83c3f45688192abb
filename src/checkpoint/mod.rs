//! What searches found round by round, kept in a file from which a fit that was ended goes on.
//!
//! In: hypotheses as they are found. Out: the same, without a search, for rounds that are in the file.
//! Nothing else has to be kept: a booster that gets the same hypotheses comes to the same state, so
//! that going on costs what evaluating them does, and no booster has to know of it. `identity` is what
//! a checkpoint belongs to, `file` how it is written.
//!
//! Of several shards the first one reads and writes the file.

mod file;
mod identity;

use crate::combiner::{Combiner, Placed};
use crate::error::{Error, Result};
use crate::hypothesis::Hypothesis;
use crate::prepared::{Prepared, Problem};
use crate::reduce::agree;
use crate::settings::Settings;
use crate::storage::{Checkpoint, read_if_there, write_whole};
use crate::workers::Workers;
use file::{digest, read, write};
use identity::Identity;

/// What the searches of a round have found, each by its number; a round that was tried again has
/// several of these.
pub type Attempt = Vec<(usize, Hypothesis)>;

/// What the rounds of a run have come to, as a number.
#[must_use]
pub fn outcome_of(numbers: &[&[f64]]) -> u64 {
    let bytes = numbers.iter().flat_map(|numbers| numbers.iter().flat_map(|x| x.to_le_bytes()));
    digest(&bytes.collect::<Vec<u8>>())
}

/// Refuses a hypothesis of a file whose answers nobody can use.
pub fn check_placed(hypothesis: &Hypothesis, output: usize, combiner: &Combiner) -> Result<()> {
    let answers = hypothesis.part_answers();
    if combiner.takes(&Placed { says: hypothesis.answer_kind(), answers, output }) {
        return Ok(());
    }
    Err(Error::internal("a checkpoint holds a hypothesis that its booster cannot use"))
}

/// What was found so far.
pub struct Log<'a> {
    /// Nothing is noted without.
    kept: Option<Kept<'a>>,
    /// By run of a booster, of which some fits have several.
    runs: Vec<Vec<Attempt>>,
    /// How many runs have begun.
    n_begun: usize,
    /// The attempt that is next in the last of them.
    next: usize,
    /// Rounds that were gone through.
    n_rounds: usize,
    /// The rounds that the file had, and what they had come to.
    recorded: (usize, u64),
    workers: &'a Workers,
}

/// Where it is kept, and what of.
struct Kept<'a> {
    checkpoint: &'a Checkpoint,
    identity: Identity,
}

impl<'a> Log<'a> {
    /// Without a checkpoint.
    #[must_use]
    pub fn none(workers: &'a Workers) -> Self {
        let (runs, n_begun, next, n_rounds) = (Vec::new(), 0, 0, 0);
        Self { kept: None, runs, n_begun, next, n_rounds, recorded: (0, 0), workers }
    }

    /// What the checkpoint of a fit holds, which must be of the same one; nothing if there is none yet.
    pub fn open(
        problem: &'a Problem,
        prepared: &Prepared,
        settings: &Settings,
        workers: &'a Workers,
    ) -> Result<Self> {
        let mut log = Self::none(workers);
        let Some(checkpoint) = &problem.storage.checkpoint else { return Ok(log) };
        let identity = Identity::new(prepared, problem.earlier, settings)?;
        if let Some(bytes) = read_by_first(checkpoint, workers)? {
            let content = read(&bytes, &identity, &prepared.schema.features);
            let content = content.map_err(|error| named(checkpoint, error))?;
            log.runs = content.runs;
            log.recorded = (content.n_rounds, content.outcome);
        }
        log.kept = Some(Kept { checkpoint, identity });
        Ok(log)
    }

    /// Who works.
    #[must_use]
    pub fn workers(&self) -> &'a Workers {
        self.workers
    }

    /// Begins with the rounds of a booster.
    pub fn begin_run(&mut self) {
        self.n_begun += 1;
        self.next = 0;
        if self.runs.len() < self.n_begun {
            self.runs.push(Vec::new());
        }
    }

    fn run(&mut self) -> Result<&mut Vec<Attempt>> {
        let nothing = || Error::internal("a round came before the run that it is of");
        self.runs.get_mut(self.n_begun.wrapping_sub(1)).ok_or_else(nothing)
    }

    /// How many hypotheses the run has found already.
    pub fn n_found(&mut self) -> Result<usize> {
        Ok(self.run()?.iter().map(Vec::len).sum())
    }

    /// What was found in the next attempt; `None` if that is not known yet.
    pub fn recall(&mut self) -> Result<Option<Attempt>> {
        let next = self.next;
        let found = self.run()?.get(next).cloned();
        self.next += usize::from(found.is_some());
        Ok(found)
    }

    /// Notes what was found.
    pub fn note(&mut self, found: &[(usize, Hypothesis)]) -> Result<()> {
        if self.kept.is_some() {
            self.run()?.push(found.to_vec());
            self.next += 1;
            // A run that ends later than it did leaves nothing to those after it.
            self.runs.truncate(self.n_begun);
        }
        Ok(())
    }

    /// Notes the end of a round and what all rounds of the run have come to. Writes the file if it is
    /// time, and compares where rounds of the file end.
    pub fn end_round(&mut self, outcome: impl Fn() -> u64) -> Result<()> {
        self.n_rounds += 1;
        let Some(Kept { checkpoint, .. }) = &self.kept else { return Ok(()) };
        let (n_recorded, recorded) = self.recorded;
        if self.n_rounds == n_recorded && outcome() != recorded {
            let reason = "the rounds in it come to something else now, as on a machine or with a \
                          build that computes otherwise; remove the file to start over";
            return Err(refused(checkpoint, reason));
        }
        if self.n_rounds > n_recorded && self.n_rounds.is_multiple_of(checkpoint.every) {
            return self.save(outcome());
        }
        Ok(())
    }

    fn save(&self, outcome: u64) -> Result<()> {
        let Some(Kept { checkpoint, identity, .. }) = &self.kept else { return Ok(()) };
        let reduce = self.workers.reduce();
        let written = if reduce.rank() == 0 {
            let content = write(&self.runs, (self.n_rounds, outcome), identity);
            content.and_then(|bytes| write_whole(&checkpoint.path, &bytes))
        } else {
            Ok(())
        };
        agree(reduce, written)
    }
}

/// The content of the file, if there is one; the first shard reads it for all of them.
fn read_by_first(checkpoint: &Checkpoint, workers: &Workers) -> Result<Option<Vec<u8>>> {
    let reduce = workers.reduce();
    let own = if reduce.rank() == 0 { read_if_there(&checkpoint.path) } else { Ok(None) };
    let own = agree(reduce, own)?;
    if !reduce.is_split() {
        return Ok(own);
    }
    // No file is empty.
    let all = reduce.gather(&own.unwrap_or_default())?;
    Ok(all.into_iter().next().filter(|bytes| !bytes.is_empty()))
}

fn refused(checkpoint: &Checkpoint, reason: &str) -> Error {
    Error::Checkpoint { path: checkpoint.path.display().to_string(), reason: reason.to_owned() }
}

/// An error about what a checkpoint holds, with its name.
fn named(checkpoint: &Checkpoint, error: Error) -> Error {
    match error {
        Error::Checkpoint { reason, .. } => refused(checkpoint, &reason),
        other => other,
    }
}
