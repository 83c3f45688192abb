//! A set of codes of one column, made ready for testing many rows at once.
//!
//! In: a block of codes. Out: a mark per row, 1 inside and 0 outside. All tests of numbers and most
//! of categories are one span of codes plus one more code, which compilers turn into a few wide
//! instructions; other subsets are looked up code by code.

use crate::data::Codes;

/// Which codes pass a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CodeSet {
    /// The codes from `first` to `last` and the code `also`; all others if `inverted`.
    Span {
        /// The least code of the span.
        first: u16,
        /// Its greatest code.
        last: u16,
        /// One more code, or one of the span.
        also: u16,
        /// Whether the set holds the codes not named.
        inverted: bool,
    },
    /// Whether each code is in the set.
    Listed(Vec<bool>),
}

impl CodeSet {
    /// The codes from `first` to `last`.
    #[must_use]
    pub fn span(first: u16, last: u16) -> Self {
        Self::Span { first, last, also: first, inverted: false }
    }

    /// The codes not in the set.
    #[must_use]
    pub fn complement(&self) -> Self {
        match self {
            Self::Span { first, last, also, inverted } => {
                Self::Span { first: *first, last: *last, also: *also, inverted: !inverted }
            }
            Self::Listed(inside) => Self::Listed(inside.iter().map(|inside| !inside).collect()),
        }
    }

    /// The codes below `n_codes` in both sets.
    #[must_use]
    pub fn and(&self, other: &Self, n_codes: usize) -> Self {
        let has = |code: &u16| self.has(*code) && other.has(*code);
        let codes: Vec<u16> = (0..n_codes as u16).filter(has).collect();
        let breaks = codes.windows(2).filter(|pair| pair[0] + 1 < pair[1]).count();
        match (codes.as_slice(), breaks) {
            ([only], _) => Self::span(*only, *only),
            ([first, .., last], 0) => Self::span(*first, *last),
            ([first, .., end, also], 1) if end - first == codes.len() as u16 - 2 => {
                Self::Span { first: *first, last: *end, also: *also, inverted: false }
            }
            _ => Self::Listed((0..n_codes as u16).map(|code| has(&code)).collect()),
        }
    }

    /// Whether a code is in the set.
    #[must_use]
    pub fn has(&self, code: u16) -> bool {
        match self {
            Self::Span { first, last, also, inverted } => {
                ((*first..=*last).contains(&code) || code == *also) != *inverted
            }
            Self::Listed(inside) => inside[usize::from(code)],
        }
    }

    /// Marks the rows of a block whose codes are in the set.
    #[allow(clippy::needless_bitwise_bool)] // a lazy operator would be a branch for every row
    pub fn mark(&self, codes: Block, marks: &mut [u8]) {
        match (self, codes) {
            (Self::Span { first, last, also, inverted }, Block::Narrow(codes)) => {
                // Narrow columns have codes below 256 only.
                let (first, width, also) = (*first as u8, (last - first) as u8, *also as u8);
                mark(codes, marks, |code: u8| {
                    ((code.wrapping_sub(first) <= width) | (code == also)) != *inverted
                });
            }
            (Self::Span { first, last, also, inverted }, Block::Wide(codes)) => {
                let (first, width, also) = (*first, last - first, *also);
                mark(codes, marks, |code: u16| {
                    ((code.wrapping_sub(first) <= width) | (code == also)) != *inverted
                });
            }
            (Self::Listed(inside), Block::Narrow(codes)) => {
                let mut table = [false; 256];
                table[..inside.len()].copy_from_slice(inside);
                mark(codes, marks, |code: u8| table[usize::from(code)]);
            }
            (Self::Listed(inside), Block::Wide(codes)) => {
                mark(codes, marks, |code: u16| inside[usize::from(code)]);
            }
        }
    }
}

#[inline]
fn mark<C: Copy>(codes: &[C], marks: &mut [u8], is_inside: impl Fn(C) -> bool) {
    for (mark, &code) in marks.iter_mut().zip(codes) {
        *mark = u8::from(is_inside(code));
    }
}

/// The codes of some consecutive rows of one column.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)] // as in `Codes`
pub enum Block<'a> {
    Narrow(&'a [u8]),
    Wide(&'a [u16]),
}

impl<'a> Block<'a> {
    /// The rows `rows` of a column.
    #[must_use]
    pub fn new(codes: &'a Codes, rows: std::ops::Range<usize>) -> Self {
        match codes {
            Codes::Narrow(codes) => Self::Narrow(&codes[rows]),
            Codes::Wide(codes) => Self::Wide(&codes[rows]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_codes_can_be_complemented_and_intersected() {
        let sets = [
            CodeSet::span(0, 3),
            CodeSet::span(2, 7),
            CodeSet::Span { first: 0, last: 5, also: 9, inverted: false },
            CodeSet::Span { first: 4, last: 4, also: 9, inverted: true },
            CodeSet::Listed((0..10).map(|code| code % 3 == 0).collect()),
        ];
        for one in &sets {
            assert!((0..10).all(|code| one.complement().has(code) != one.has(code)));
            for other in &sets {
                let both = one.and(other, 10);
                let agrees = |code| both.has(code) == (one.has(code) && other.has(code));
                assert!((0..10).all(agrees), "{one:?} and {other:?} give {both:?}");
            }
        }
        let tail = CodeSet::Span { first: 0, last: 5, also: 9, inverted: false };
        assert!(matches!(tail.and(&CodeSet::span(2, 9), 10), CodeSet::Span { .. }));
    }

    #[test]
    fn marks_agree_with_membership_for_narrow_and_wide_codes() {
        let sets = [
            CodeSet::span(0, 3),
            CodeSet::span(5, 5),
            CodeSet::Span { first: 0, last: 2, also: 9, inverted: false },
            CodeSet::Span { first: 4, last: 4, also: 9, inverted: true },
            CodeSet::Listed((0..10).map(|code| code % 3 == 0).collect()),
        ];
        let narrow: Vec<u8> = (0..10).collect();
        let wide: Vec<u16> = (0..10).collect();
        for set in sets {
            let wanted: Vec<u8> = wide.iter().map(|&code| u8::from(set.has(code))).collect();
            let mut marks = vec![0; 10];
            set.mark(Block::Narrow(&narrow), &mut marks);
            assert_eq!(marks, wanted, "{set:?}");
            set.mark(Block::Wide(&wide), &mut marks);
            assert_eq!(marks, wanted, "{set:?}");
        }
    }
}
