//! What hypotheses answer: numbers by part, and the answers of one hypothesis to many rows.
//!
//! Boosters work on parts rather than rows wherever they can: a stump cuts a million rows into two
//! parts, and sums, line searches and factors need to be computed only once for each.

/// What the numbers of an answer mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AnswerKind {
    /// A number for one score.
    #[default]
    Number,
    /// The number of a class, which gets a vote.
    Class,
    /// A number for each of so many scores.
    Scores(usize),
}

impl AnswerKind {
    /// How many numbers make one answer.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Self::Number | Self::Class => 1,
            Self::Scores(width) => width,
        }
    }
}

/// The answers of all parts of a hypothesis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PartAnswers {
    /// What the numbers mean.
    pub says: AnswerKind,
    /// Part after part, as many numbers for each as an answer has.
    pub numbers: Vec<f64>,
}

impl PartAnswers {
    /// The answer of one part.
    #[must_use]
    pub fn part(&self, part: usize) -> &[f64] {
        let width = self.says.width();
        &self.numbers[part * width..][..width]
    }

    /// The number of parts.
    #[must_use]
    pub fn n_parts(&self) -> usize {
        self.numbers.len() / self.says.width()
    }
}

/// What a hypothesis says of every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// Row `i` gets the answer of part `part[i]`.
    Parts {
        /// The part of each row.
        part: Vec<u16>,
        /// The answer of each part.
        answers: PartAnswers,
    },
    /// Every row has a number of its own.
    Each {
        /// What the numbers mean; never several for one row.
        says: AnswerKind,
        /// A number per row.
        numbers: Vec<f64>,
    },
}

impl Default for Answers {
    fn default() -> Self {
        Self::Parts { part: Vec::new(), answers: PartAnswers::default() }
    }
}

impl Answers {
    /// What the numbers mean.
    #[must_use]
    pub fn answer_kind(&self) -> AnswerKind {
        match self {
            Self::Parts { answers, .. } => answers.says,
            Self::Each { says, .. } => *says,
        }
    }

    /// The largest absolute number that is added to an output: of votes for classes 1; not a number if
    /// one of them is none.
    #[must_use]
    pub fn largest(&self) -> f64 {
        let numbers = match self {
            Self::Parts { answers, .. } => &answers.numbers,
            Self::Each { numbers, .. } => numbers,
        };
        if self.answer_kind() == AnswerKind::Class {
            return 1.0;
        }
        largest_absolute(numbers.iter().copied())
    }

    /// Memory for the parts of `n_rows` rows with these answers; reuses what is at hand.
    pub(super) fn start_parts(&mut self, n_rows: usize, new_answers: &PartAnswers) -> &mut [u16] {
        if let Self::Each { .. } = self {
            *self = Self::default();
        }
        match self {
            Self::Parts { part, answers } => {
                answers.clone_from(new_answers);
                part.resize(n_rows, 0);
                part
            }
            Self::Each { .. } => &mut [],
        }
    }
}

/// The largest absolute number; not a number if one of them is none, which `f64::max` would pass over.
pub fn largest_absolute(numbers: impl IntoIterator<Item = f64>) -> f64 {
    let larger = |most: f64, number: f64| {
        if most.is_nan() || number.abs() <= most { most } else { number.abs() }
    };
    numbers.into_iter().fold(0.0, larger)
}

/// One number for every row.
pub enum RowNumbers<'a> {
    /// Row `i` has the number `values[part[i]]`.
    Parts {
        /// The part of each row.
        part: &'a [u16],
        /// The number of each part.
        values: Vec<f64>,
    },
    /// Every row has a number of its own.
    Each(&'a [f64]),
}

impl Answers {
    /// One component of the answers: the only one, or that of one of the scores.
    #[must_use]
    pub fn numbers(&self, component: usize) -> RowNumbers<'_> {
        match self {
            Self::Parts { part, answers } => {
                let width = answers.says.width();
                let first = if width == 1 { 0 } else { component };
                let values = answers.numbers.iter().skip(first).step_by(width).copied();
                RowNumbers::Parts { part, values: values.collect() }
            }
            Self::Each { numbers, .. } => RowNumbers::Each(numbers),
        }
    }
}

impl RowNumbers<'_> {
    /// The number of a row.
    #[must_use]
    pub fn of(&self, row: usize) -> f64 {
        match self {
            Self::Parts { part, values } => values[usize::from(part[row])],
            Self::Each(numbers) => numbers[row],
        }
    }
}
