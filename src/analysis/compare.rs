//! Two cells side by side: ratio, interval, verdict.

use super::{Cell, Interval};
use crate::model::Direction;

/// What a comparison says, seen from the metric's better direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The new one is better beyond the threshold.
    Better,
    /// The new one is worse beyond the threshold.
    Worse,
    /// The difference is smaller than the threshold.
    Same,
    /// The data can't tell.
    Undecided,
}

impl Verdict {
    /// The message key of its word.
    pub fn key(self) -> &'static str {
        match self {
            Self::Better => "better",
            Self::Worse => "worse",
            Self::Same => "same",
            Self::Undecided => "undecided",
        }
    }
}

/// The result of comparing two cells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Comparison {
    /// `to / from`.
    pub ratio: f64,
    /// 95 % interval of the ratio; its method is `Assumed` where either side has fewer than three samples.
    pub interval: Interval,
    /// The verdict, before adjustment for the family.
    pub verdict: Verdict,
    /// Smallest relative difference this many samples could show (80 % power, two-sided 5 %), if known.
    pub detectable: Option<f64>,
    /// Samples on the poorer side.
    pub n: usize,
}

/// Compares two cells; `None` when either has no exact value or a zero or negative one.
pub fn compare(
    _from: &Cell,
    _to: &Cell,
    _better: Direction,
    _threshold: f64,
    _noise: f64,
) -> Option<Comparison> {
    None
}
