//! Searches are written once, for any sums and any criterion; this is where they meet.

use super::bucket_sums::BucketSums;
use super::channel_sums::ChannelSums;
use super::class_pairs::ClassPairs;
use super::criterion::{Criterion, CriterionName, ErrorCriterion, GiniCriterion, ZCriterion};
use super::newton_sums::NewtonSums;
use crate::demand::Question;
use crate::error::Result;

/// A search for any question under any criterion.
pub(super) trait AnySearch {
    /// What it finds.
    type Found;

    /// Whether what it finds has two parts.
    const TWO_PARTS: bool;

    /// Searches for one question and criterion.
    fn run<S: ChannelSums, C: Criterion>(self) -> Result<Self::Found>;
}

/// Runs a search for the question and criterion at hand.
pub(super) fn search<A: AnySearch>(
    question: Question,
    criterion: CriterionName,
    search: A,
) -> Result<A::Found> {
    fn by_criterion<S: ChannelSums, A: AnySearch>(
        criterion: CriterionName,
        search: A,
    ) -> Result<A::Found> {
        match criterion {
            CriterionName::Error => search.run::<S, ErrorCriterion>(),
            CriterionName::Z => search.run::<S, ZCriterion>(),
            CriterionName::Gini => search.run::<S, GiniCriterion>(),
        }
    }
    match question {
        Question::Side => by_criterion::<[u64; 2], A>(criterion, search),
        Question::Class(_) => by_criterion::<Vec<u64>, A>(criterion, search),
        Question::EachClass(_) => by_criterion::<ClassPairs, A>(criterion, search),
        // Whatever the user's criterion: B is what the booster minimises.
        Question::Buckets { .. } if A::TWO_PARTS => search.run::<BucketSums<false>, ZCriterion>(),
        Question::Buckets { .. } => search.run::<BucketSums<true>, ZCriterion>(),
        // Likewise the logistic loss.
        Question::Newton(_) => search.run::<NewtonSums, ZCriterion>(),
    }
}
