//! When a sample that led to no hypothesis of use is followed by another one.
//!
//! In: verdicts. Out: the same, or to try again. Without samples the same demand would have the same
//! answer, so nothing is tried again.

use super::Verdict;
use crate::draws::TRIES;
use crate::model::StopReason;

#[derive(Debug, Clone)]
pub(super) struct Tries {
    left: usize,
    most: usize,
}

impl Tries {
    pub fn new(resample: bool) -> Self {
        let most = if resample { TRIES - 1 } else { 0 };
        Self { left: most, most }
    }

    /// The verdict, unless it is a sample's fault and others are left to try.
    pub fn review(&mut self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::DropAndStop(StopReason::NoEdge | StopReason::Optimal) if self.left > 0 => {
                self.left -= 1;
                Verdict::Retry
            }
            Verdict::Keep | Verdict::KeepAndStop(_) => {
                self.left = self.most;
                verdict
            }
            Verdict::DropAndStop(_) | Verdict::Retry => verdict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NO_EDGE: Verdict = Verdict::DropAndStop(StopReason::NoEdge);

    #[test]
    fn samples_are_tried_so_often_and_anew_after_each_success() {
        let mut tries = Tries::new(true);
        for _ in 0..2 {
            for _ in 1..TRIES {
                assert_eq!(tries.review(NO_EDGE), Verdict::Retry);
            }
            assert_eq!(tries.review(NO_EDGE), NO_EDGE);
            assert_eq!(tries.review(Verdict::Keep), Verdict::Keep);
        }
    }

    #[test]
    fn nothing_is_tried_again_without_samples() {
        assert_eq!(Tries::new(false).review(NO_EDGE), NO_EDGE);
        let late = Verdict::DropAndStop(StopReason::TimeLimit);
        assert_eq!(Tries::new(true).review(late), late);
    }
}
