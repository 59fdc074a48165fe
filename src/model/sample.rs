//! What was observed in a case: a value, or the reason why there is none.

use std::sync::Arc;

use crate::text::Localized;

/// One measured or published figure, in base units of its metric.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A figure.
    Exact(f64),
    /// Only its bounds are known (`from -2 % to +17 %`), low first.
    Range(f64, f64),
    /// More than a bound (a timeout: `> 600 s`).
    Above(f64),
    /// Less than a bound.
    Below(f64),
}

/// Where a value stands: for the reader to check it, and for error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index into [`super::Experiment::files`].
    pub file: u32,
    /// One-based line.
    pub line: u32,
}

/// One observation of one metric in one case.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Index into [`super::Experiment::cases`].
    pub case: u32,
    /// Index of the metric.
    pub metric: u32,
    /// Index of the run.
    pub run: u32,
    /// Zero-based number of the repetition of this case in this run.
    pub replicate: u32,
    /// What was seen.
    pub result: Result<Sample, Missing>,
    /// Where it stands.
    pub place: Place,
}

/// A value with its place in time, where that is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// The figure.
    pub value: Value,
    /// Seconds since the run's start.
    pub at: Option<f64>,
    /// Zero-based block of the plan.
    pub block: Option<u32>,
    /// Zero-based place in the run's order.
    pub order: Option<u32>,
}

/// Where values come from. Values of different origins are never pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// Transcribed from a publication.
    Published,
    /// Read from another tool's file.
    Imported,
    /// Measured by benchbook's runner.
    Measured,
}

impl Origin {
    /// The word used in files and as a message key.
    pub fn key(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Imported => "imported",
            Self::Measured => "measured",
        }
    }

    /// Reads the word.
    pub fn parse(key: &str) -> Option<Self> {
        [Self::Published, Self::Imported, Self::Measured]
            .into_iter()
            .find(|it| it.key() == key)
    }
}

/// Why a case has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MissingReason {
    /// The source doesn't give it.
    NotPublished,
    /// Nobody ran it.
    NotRun,
    /// It ended in an error.
    Failed,
    /// It was stopped at its limit.
    Timeout,
    /// The engine or machine can't do it.
    Unsupported,
    /// It was left out of the plan.
    Skipped,
    /// It was measured and left out, for a stated reason.
    Excluded,
}

impl MissingReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::NotPublished,
        Self::NotRun,
        Self::Failed,
        Self::Timeout,
        Self::Unsupported,
        Self::Skipped,
        Self::Excluded,
    ];

    /// The word used in files and as a message key.
    pub fn key(self) -> &'static str {
        match self {
            Self::NotPublished => "not-published",
            Self::NotRun => "not-run",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Unsupported => "unsupported",
            Self::Skipped => "skipped",
            Self::Excluded => "excluded",
        }
    }

    /// Reads the word.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.key() == key)
    }
}

/// The absence of a value, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// The kind of reason.
    pub reason: MissingReason,
    /// What else is known.
    pub note: Option<Arc<Localized>>,
}

impl Missing {
    /// A bare reason.
    pub fn new(reason: MissingReason) -> Self {
        Self { reason, note: None }
    }
}
