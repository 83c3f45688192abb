//! Rounds that were run before: what they must have in common with those to come (warm start).
//!
//! In: a model and the team that is to go on from it. Out: nothing, or an error that names the
//! parameter that has changed.

use crate::booster::Team;
use crate::demand::Question;
use crate::error::{Error, Result};
use crate::hypothesis::AnswerKind;
use crate::model::{Member, Model};
use crate::settings::ProgramSettings;

/// Refuses a model whose rounds cannot come before those of the team.
pub fn check_earlier(
    earlier: &Model,
    team: &dyn Team,
    program: Option<&ProgramSettings>,
) -> Result<()> {
    if program.is_some_and(|program| program.prune) {
        let expected =
            "False with warm_start=True: rounds that were dropped cannot be gone on from";
        return Err(Error::parameter("prune", "True", expected));
    }
    if !earlier.history.boosted.is_empty() && program.is_none() {
        let expected = "False, because the weights of the rounds already run have been replaced";
        return Err(Error::parameter("warm_start", "True", expected));
    }
    let refuse = |name: &str| {
        let expected = "the one of the rounds already run (warm_start=True)";
        Err(Error::parameter(name, "another value", expected))
    };
    // A grid may get more layers, and every layer has a weight for each node of the last.
    let same_weights = earlier.members.is_empty()
        || earlier.combiner.has_layers()
        || earlier.history.n_weights() == team.n_weights();
    if !team.combiner().continues(&earlier.combiner) || !same_weights {
        return refuse("multi_class");
    }
    let answers_fit = |member: &Member| {
        matches!(
            (team.question(), member.hypothesis.answer_kind()),
            (Question::Side | Question::Buckets { .. } | Question::Newton(_), AnswerKind::Number)
                | (Question::Class(_), AnswerKind::Class)
                | (Question::EachClass(_), AnswerKind::Scores(_))
        )
    };
    if earlier.members.iter().all(answers_fit) { Ok(()) } else { refuse("shared") }
}

/// The output of a hypothesis of an earlier model among those of the team: a grid may have become
/// wider.
pub fn output_of(member: &Member, earlier: &Model, team: &dyn Team) -> usize {
    let (before, now) =
        (earlier.combiner.outputs_by_problem(), team.combiner().outputs_by_problem());
    member.output / before * now + member.output % before
}
