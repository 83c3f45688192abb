//! The answers of one hypothesis to many rows: a part per row and a value per part, or a number for
//! each row.
//!
//! Boosters work on parts rather than rows wherever they can: a stump cuts a million rows into two
//! parts, and sums, line searches and factors need to be computed only once for each.

/// What a hypothesis says of every row.
#[derive(Debug, Clone, PartialEq)]
pub enum Answers {
    /// Row `i` is answered with `values[part[i]]`.
    Parts {
        /// The part of each row.
        part: Vec<u16>,
        /// The answer of each part.
        values: Vec<f64>,
    },
    /// Every row has a number of its own.
    Each(Vec<f64>),
}

impl Default for Answers {
    fn default() -> Self {
        Self::Parts { part: Vec::new(), values: Vec::new() }
    }
}

impl Answers {
    /// The number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Parts { part, .. } => part.len(),
            Self::Each(numbers) => numbers.len(),
        }
    }

    /// Whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Room for the parts of `n_rows` rows, whose values are these; reuses what is at hand.
    pub(super) fn start_parts(&mut self, n_rows: usize, new_values: Vec<f64>) -> &mut [u16] {
        if let Self::Each(_) = self {
            *self = Self::default();
        }
        match self {
            Self::Parts { part, values } => {
                *values = new_values;
                part.resize(n_rows, 0);
                part
            }
            Self::Each(_) => &mut [],
        }
    }
}
