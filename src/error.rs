//! Every way in which input, a parameter, a solver or a model file can fail.
//!
//! Each variant names its culprit in fields; the message says what came and what was expected.
//! The Python layer maps the families (`kind`) onto `ValueError`, `TypeError`, `OSError`,
//! `MemoryError` and `RuntimeError`.

use std::any::Any;

use thiserror::Error;

/// The result of everything that can fail in this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong, and with what.
#[derive(Debug, Error, Clone, PartialEq)]
pub enum Error {
    /// A parameter has a value outside its range.
    #[error("parameter '{name}': got {got}, expected {expected}")]
    Parameter {
        /// The parameter as the user knows it.
        name: String,
        /// The value that came.
        got: String,
        /// What would have been right.
        expected: String,
    },
    /// A parameter has a value of the wrong type.
    #[error("parameter '{name}': got {got}, expected {expected}")]
    ParameterType {
        /// The parameter as the user knows it.
        name: String,
        /// The value that came.
        got: String,
        /// What would have been right.
        expected: String,
    },
    /// A column has a type that cannot be used.
    #[error("column '{column}' has type {got}, expected {expected}")]
    ColumnType {
        /// The column's name.
        column: String,
        /// Its type.
        got: String,
        /// What would have been right.
        expected: String,
    },
    /// A column that the model needs is not there.
    #[error(
        "column '{column}' was seen during fit but is missing now; the columns given are {given}"
    )]
    ColumnMissing {
        /// The column's name.
        column: String,
        /// The names that are there.
        given: String,
    },
    /// Two columns have one name.
    #[error("column name '{column}' occurs more than once; names must be unique")]
    ColumnDuplicate {
        /// The name.
        column: String,
    },
    /// The number of unnamed columns differs from that seen during fit.
    #[error(
        "X has {got} features, but weakforce is expecting {expected} features as input, as during fit"
    )]
    ColumnCount {
        /// Columns given.
        got: usize,
        /// Columns expected.
        expected: usize,
    },
    /// A frame or array has an unusable shape.
    #[error("{what}: got {got}, expected {expected}")]
    Shape {
        /// What has that shape.
        what: String,
        /// What came.
        got: String,
        /// What would have been right.
        expected: String,
    },
    /// A weight is negative, not finite, or all are zero.
    #[error("sample_weight: {reason}")]
    Weights {
        /// Which weight and why.
        reason: String,
    },
    /// The labels cannot be learned from.
    #[error("y: {reason}")]
    Labels {
        /// Why.
        reason: String,
    },
    /// A producer of Arrow data failed.
    #[error("X could not be read as Arrow data: {reason}")]
    Arrow {
        /// What the producer or the import said.
        reason: String,
    },
    /// A data file cannot be read to its end.
    #[error("column '{column}': {reason}")]
    Unreadable {
        /// The column that was read.
        column: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A model file is damaged, foreign or too new.
    #[error("model file: {reason}")]
    ModelFile {
        /// What is wrong, and where.
        reason: String,
    },
    /// A checkpoint is damaged, or of another fit.
    #[error("checkpoint '{path}': {reason}")]
    Checkpoint {
        /// The file.
        path: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The system refuses a file.
    #[error("cannot {deed} '{path}': {reason}")]
    File {
        /// What was to be done with it.
        deed: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        reason: String,
    },
    /// A model holds numbers that are none, which no file can hold.
    #[error("the model cannot be written: {what} are not all finite numbers")]
    NotFinite {
        /// Which numbers.
        what: String,
    },
    /// A linear or quadratic program was not solved.
    #[error("the solver {reason}; {advice}")]
    Solver {
        /// What it did or found.
        reason: String,
        /// What may help.
        advice: String,
    },
    /// Weights of rows, or scores, would leave the range of numbers. A run ends with that as its reason.
    #[error("the weights of rows, or the scores, would leave the range of numbers")]
    OutOfRange,
    /// A fit would take more memory than there is.
    #[error(
        "not enough memory: this fit would take about {needed} ({parts}), and {available} are \
         available; fewer rows, columns, classes or bins (max_bins) take less"
    )]
    Memory {
        /// All that is needed.
        needed: String,
        /// What for.
        parts: String,
        /// What there is.
        available: String,
    },
    /// Another shard of the same fit has failed.
    #[error("shard {rank} of this fit failed: {reason}")]
    Shard {
        /// The number of that shard.
        rank: usize,
        /// What went wrong there.
        reason: String,
    },
    /// The run was cancelled from outside (Ctrl-C).
    #[error("interrupted")]
    Interrupted,
    /// A bug in this library.
    #[error("internal error, please report it: {reason}")]
    Internal {
        /// What was found broken.
        reason: String,
    },
}

/// What a panic is about.
#[must_use]
pub fn panic_reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("panic")
}

/// The families onto which callers map errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The value is wrong.
    Value,
    /// The type is wrong.
    Type,
    /// A file is not what it should be.
    File,
    /// There is not enough memory.
    Memory,
    /// None of these: the run failed.
    Runtime,
}

impl Error {
    /// A parameter out of range.
    pub fn parameter(name: &str, got: impl ToString, expected: &str) -> Self {
        Self::Parameter {
            name: name.to_owned(),
            got: got.to_string(),
            expected: expected.to_owned(),
        }
    }

    /// The same error about a parameter of the weak learner, as users address it.
    #[must_use]
    pub fn of_estimator(self) -> Self {
        match self {
            Self::Parameter { name, got, expected } if name == "estimator" => {
                Self::Parameter { name, got, expected }
            }
            Self::Parameter { name, got, expected } => {
                Self::Parameter { name: format!("estimator__{name}"), got, expected }
            }
            other => other,
        }
    }

    /// A damaged or foreign model file.
    pub fn model_file(reason: impl Into<String>) -> Self {
        Self::ModelFile { reason: reason.into() }
    }

    /// A broken promise inside the library.
    pub fn internal(reason: impl Into<String>) -> Self {
        Self::Internal { reason: reason.into() }
    }

    /// The family of this error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::ColumnType { .. } | Self::ParameterType { .. } => ErrorKind::Type,
            Self::Unreadable { .. } | Self::File { .. } => ErrorKind::File,
            Self::Memory { .. } => ErrorKind::Memory,
            Self::Solver { .. }
            | Self::Shard { .. }
            | Self::Interrupted
            | Self::Internal { .. } => ErrorKind::Runtime,
            _ => ErrorKind::Value,
        }
    }
}
