//! Boosters that go through one hypothesis at a time: one of them, or one for each column of a code matrix.
//!
//! Two classes need a single booster, and so do votes for classes. Any other number of classes
//! becomes several two-class problems (B5), whose boosters go side by side: a round adds one
//! hypothesis to every problem that is not finished. Zhou & Yu 2009, section 7.5.2.

use super::{
    Atom, Booster, Decode, Decomposition, Feedback, Found, Judgement, RoundJudgement, RunReport,
    Scores, Start, Target, Team, TeamStart, Verdict, tries::Tries,
};
use crate::combiner::{Code, Combiner, Coupling, Decoding};
use crate::demand::{Demand, Question};
use crate::error::{Error, Result};
use crate::model::StopReason;
use crate::workers::Workers;

/// What a problem that found nothing has to show for a round.
const NOTHING: Judgement =
    Judgement { weight: 0.0, edge: 0.0, error: 0.5, verdict: Verdict::Retry };

pub(super) struct Separate {
    combiner: Combiner,
    problems: Vec<Problem>,
    n_rows: usize,
}

struct Problem {
    booster: Box<dyn Booster>,
    /// Why it is finished.
    over: Option<StopReason>,
    /// The answers of the last hypothesis, added up.
    atoms: Vec<Atom>,
    tries: Tries,
}

impl Separate {
    /// A booster that tells two sides apart, or several.
    pub fn start(
        start: &TeamStart,
        booster: impl Fn(&Start) -> Result<Box<dyn Booster>>,
    ) -> Result<Box<dyn Team>> {
        let combiner = decompose(start)?;
        let targets = Target::of_problems(&combiner);
        Self::with_targets(combiner, targets, start, booster)
    }

    /// A booster whose hypotheses vote for classes.
    pub fn votes(
        start: &TeamStart,
        booster: impl Fn(&Start) -> Result<Box<dyn Booster>>,
    ) -> Result<Box<dyn Team>> {
        let (combiner, targets) = match start.n_classes {
            2 => (Combiner::Sign, Target::of_problems(&Combiner::Sign)),
            n_classes => (Combiner::by_class(n_classes), vec![Target::Classes(n_classes)]),
        };
        Self::with_targets(combiner, targets, start, booster)
    }

    fn with_targets(
        combiner: Combiner,
        targets: Vec<Target>,
        start: &TeamStart,
        booster: impl Fn(&Start) -> Result<Box<dyn Booster>>,
    ) -> Result<Box<dyn Team>> {
        let problems = targets.into_iter().enumerate().map(|(at, target)| {
            let booster = booster(&Start {
                rows: start.rows,
                target,
                mistrust: start.mistrust,
                learning_rate: start.learning_rate,
                tol: start.tol,
                // Problems that draw do not draw alike.
                seed: start.seed.wrapping_add(at as u64),
                resample: start.resample,
                n_rounds: start.n_rounds,
                workers: start.workers,
            })?;
            // One side may have no rows: a class of one row may be held back for validation.
            let is_void = !booster.row_weights().has_both_sides();
            let over = is_void.then_some(StopReason::NoEdge);
            Ok(Problem { booster, over, atoms: Vec::new(), tries: Tries::new(start.resample) })
        });
        let problems = problems.collect::<Result<Vec<_>>>()?;
        Ok(Box::new(Self { combiner, problems, n_rows: start.rows.len() }))
    }
}

/// The judgement on a round of problems that go side by side. `over` is why each is finished, and
/// `mixed` why all are if they are so for different reasons.
pub(super) fn round_of(
    judgements: &[Judgement],
    over: &[Option<StopReason>],
    mixed: StopReason,
) -> RoundJudgement {
    let is_kept =
        |judged: &Judgement| matches!(judged.verdict, Verdict::Keep | Verdict::KeepAndStop(_));
    let all_alike = over.iter().all(|reason| *reason == over[0]);
    let reason = over[0].filter(|_| all_alike).unwrap_or(mixed);
    let verdict = match (judgements.iter().any(is_kept), over.contains(&None)) {
        (true, false) => Verdict::KeepAndStop(reason),
        (true, true) => Verdict::Keep,
        (false, _) => Verdict::DropAndStop(reason),
    };
    RoundJudgement {
        weights: judgements.iter().map(|j| is_kept(j).then_some(j.weight)).collect(),
        edges: judgements.iter().map(|judged| judged.edge).collect(),
        errors: judgements.iter().map(|judged| judged.error).collect(),
        verdict,
    }
}

/// An output for each two-class problem that the classes are made of.
pub(super) fn decompose(start: &TeamStart) -> Result<Combiner> {
    let n_classes = start.n_classes;
    match start.decomposition {
        None if n_classes == 2 => Ok(Combiner::Sign),
        None => {
            let reason = format!("{n_classes} classes came without a decomposition");
            Err(Error::internal(reason))
        }
        Some(Decomposition::OneVsRest) => {
            let decoding = decoding(start)?;
            if decoding.needs_pairs() {
                return refuse_pairs(&decoding, "every class against all others");
            }
            Ok(Combiner::one_vs_rest(n_classes, decoding))
        }
        Some(Decomposition::OneVsOne) => {
            Ok(Combiner::coded(Code::all_pairs(n_classes), decoding(start)?))
        }
        Some(Decomposition::Code(rows)) => {
            let code = checked_code(rows, n_classes)?;
            let decoding = decoding(start)?;
            if decoding.needs_pairs() && code.pairs().is_none() {
                return refuse_pairs(&decoding, "a code that is not one-vs-one");
            }
            Ok(Combiner::coded(code, decoding))
        }
    }
}

/// How scores are decoded, with all that it takes.
fn decoding(start: &TeamStart) -> Result<Decoding> {
    Ok(match start.decode {
        Decode::Score => Decoding::Score,
        Decode::Loss => {
            let no_loss = || Error::internal("a booster of two-class problems states no loss");
            Decoding::Loss(start.loss.ok_or_else(no_loss)?)
        }
        Decode::Hamming => Decoding::Hamming,
        Decode::Vote => Decoding::Vote,
        Decode::Coupling => Decoding::Coupling(Coupling { class_rows: start.rows.class_rows() }),
    })
}

fn refuse_pairs<T>(decoding: &Decoding, problems: &str) -> Result<T> {
    let got = format!("'{}' with {problems}", decoding.name());
    let expected = "'score', 'loss' or 'hamming', or multi_class='ovo' (all pairs of classes)";
    Err(Error::parameter("decode", got, expected))
}

/// Refuses a code that does not tell the classes apart or asks for what cannot be learned.
fn checked_code(rows: &[Vec<i8>], n_classes: usize) -> Result<Code> {
    let refuse = |got: String, expected: &str| Err(Error::parameter("multi_class", got, expected));
    let n_columns = rows.first().map_or(0, Vec::len);
    let is_uneven = rows.iter().any(|row| row.len() != n_columns);
    if rows.len() != n_classes || n_columns == 0 || is_uneven {
        let expected = format!("{n_classes} rows of equal length, one for each class");
        return refuse(format!("a code of {} rows", rows.len()), &expected);
    }
    let Some(code) = Code::new(rows) else {
        return refuse("a code with other entries".into(), "entries of -1, 0 or +1");
    };
    match code.one_sided() {
        Some(column) => refuse(
            format!("a code whose column {column} has one side only"),
            "both -1 and +1 in every column",
        ),
        None => Ok(code),
    }
}

/// The verdict on a hypothesis without an error among the rows that have weight left: it is perfect
/// only if it has none among the others either.
fn verdict_on_perfect(are_all_right: bool) -> Verdict {
    if are_all_right {
        Verdict::KeepAndStop(StopReason::Perfect)
    } else {
        Verdict::DropAndStop(StopReason::OutOfRange)
    }
}

impl Team for Separate {
    fn combiner(&self) -> &Combiner {
        &self.combiner
    }

    fn question(&self) -> Question {
        self.problems[0].booster.row_weights().target().question()
    }

    fn n_searches(&self) -> usize {
        self.problems.len()
    }

    fn n_weights(&self) -> usize {
        self.problems.len()
    }

    fn demand(
        &mut self,
        search: usize,
        _: &Scores,
        workers: &Workers,
    ) -> Result<Option<Demand<'_>>> {
        let problem = &mut self.problems[search];
        if problem.over.is_some() {
            return Ok(None);
        }
        problem.booster.demand(workers).map(Some)
    }

    fn judge(
        &mut self,
        found: &[Found],
        scores: &Scores,
        workers: &Workers,
    ) -> Result<RoundJudgement> {
        let mut judgements = vec![NOTHING; self.problems.len()];
        let mut retries = false;
        for Found { search, answers, .. } in found {
            let problem = &mut self.problems[*search];
            let weights = problem.booster.row_weights();
            problem.atoms = weights.atoms(&answers.numbers(0), workers)?;
            let feedback = Feedback { numbers: &answers.numbers(0), atoms: &problem.atoms };
            let mut judged = problem.booster.judge(&feedback, workers)?;
            if judged.verdict == Verdict::KeepAndStop(StopReason::Perfect) {
                let weights = problem.booster.row_weights();
                let never_had_weight = |row: usize| scores.start_share(row) == 0.0;
                let are_right =
                    weights.are_all_right(feedback.numbers, judged.weight, never_had_weight);
                judged.verdict = verdict_on_perfect(workers.reduce().all(are_right)?);
            }
            judged.verdict = problem.tries.review(judged.verdict);
            problem.over = match judged.verdict {
                Verdict::KeepAndStop(reason) | Verdict::DropAndStop(reason) => Some(reason),
                Verdict::Keep => None,
                Verdict::Retry => {
                    retries = true;
                    None
                }
            };
            judgements[*search] = judged;
        }
        let over: Vec<_> = self.problems.iter().map(|problem| problem.over).collect();
        let round = round_of(&judgements, &over, StopReason::NoEdge);
        let goes_on = over.contains(&None);
        Ok(match round.verdict {
            Verdict::DropAndStop(_) if retries && goes_on => {
                RoundJudgement { verdict: Verdict::Retry, ..round }
            }
            _ => round,
        })
    }

    fn update(
        &mut self,
        found: &[Found],
        weights: &[Option<f64>],
        workers: &Workers,
    ) -> Result<()> {
        for Found { search, answers, .. } in found {
            let Some(weight) = weights[*search] else { continue };
            let problem = &mut self.problems[*search];
            let feedback = Feedback { numbers: &answers.numbers(0), atoms: &problem.atoms };
            problem.booster.update(&feedback, weight, workers)?;
        }
        Ok(())
    }

    fn row_weights(&self, _: &Scores, workers: &Workers) -> Result<(Vec<f64>, f64)> {
        if let [problem] = self.problems.as_slice() {
            let weights = problem.booster.row_weights();
            let total = weights.total(workers)? as f64 / crate::demand::FULL_WEIGHT;
            return Ok((weights.as_slice().to_vec(), total));
        }
        let mut shares = vec![0.0; self.n_rows];
        for problem in &self.problems {
            problem.booster.row_weights().add_shares(&mut shares, workers)?;
        }
        // Two classes may have no rows at all, as when all of their weights are zero.
        let has_rows = |problem: &&Problem| problem.booster.row_weights().n_input_rows() > 0;
        Ok((shares, self.problems.iter().filter(has_rows).count().max(1) as f64))
    }

    fn corrected(&self) -> Option<Vec<Vec<f64>>> {
        let weights = |problem: &Problem| problem.booster.corrected().map(<[f64]>::to_vec);
        self.problems.iter().map(weights).collect()
    }

    fn finish(&mut self, workers: &Workers) -> Result<()> {
        self.problems.iter_mut().try_for_each(|problem| problem.booster.finish(workers))
    }

    fn reports(&self) -> Vec<RunReport> {
        let by_row = |problem: &Problem| {
            let weights = problem.booster.row_weights();
            let reports = problem.booster.reports().into_iter();
            reports.map(|report| report.by_row(weights, self.n_rows)).collect::<Vec<_>>()
        };
        self.problems.iter().flat_map(by_row).collect()
    }
}
