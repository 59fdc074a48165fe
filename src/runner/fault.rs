//! Why a trial gave no value.

use crate::model::MissingReason;

/// Why a trial gave no value. It is stored as data; the run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The kind of reason.
    pub reason: MissingReason,
    /// What happened, in one sentence.
    pub message: String,
    /// The end of what the engine or program said, if it said anything.
    pub log: String,
    /// Whether the run was told to stop, so that the trial counts as not having been tried.
    pub stopped: bool,
}

/// How much of a log is kept with a fault, in bytes.
pub const LOG_TAIL: usize = 4096;

impl Fault {
    fn new(reason: MissingReason, message: impl Into<String>) -> Self {
        Self {
            reason,
            message: message.into(),
            log: String::new(),
            stopped: false,
        }
    }

    /// It ended in an error.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::new(MissingReason::Failed, message)
    }

    /// It was stopped at its limit.
    pub fn timeout(message: impl Into<String>) -> Self {
        Self::new(MissingReason::Timeout, message)
    }

    /// The engine or machine can't do it.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(MissingReason::Unsupported, message)
    }

    /// The run was told to stop while it went on.
    pub fn stopped() -> Self {
        Self {
            stopped: true,
            ..Self::new(MissingReason::NotRun, "the run was stopped")
        }
    }

    /// Adds the end of a log.
    #[must_use]
    pub fn with_log(mut self, log: &str) -> Self {
        let mut start = log.len().saturating_sub(LOG_TAIL);
        while !log.is_char_boundary(start) {
            start += 1;
        }
        log[start..].clone_into(&mut self.log);
        self
    }

    /// Says that it happened because the server had ended, and how. What its connections say of that is told in
    /// many ways.
    #[must_use]
    pub fn with_end(mut self, end: &str) -> Self {
        let log = format!("{}\n# the server {end}\n", self.log.trim_end());
        self = self.with_log(log.trim_start());
        self.message = format!("the server {end}: {}", self.message);
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}
