//! Numbers in, numbers out: statistics, comparisons and the [`Pivot`] that every figure is a view of.
//!
//! No words, no files, no clock. Formulas name their source.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod best;
pub mod cell;
pub mod compare;
pub mod correlation;
pub mod distribution;
pub mod drift;
pub mod interval;
mod paired;
pub mod pivot;
mod ratio;
mod select;
pub mod sides;
pub mod significance;
pub mod summary;
pub mod thin;
pub mod trial;
pub mod truth;
pub mod uncertain;

#[cfg(test)]
mod fixture;

pub use best::{best, worst};
pub use cell::{Cell, Estimate};
pub use compare::{Comparison, Verdict, adjust, compare};
pub use correlation::{Association, Trend, spearman, spearman_within, trend};
pub use drift::{Drift, Moment, Sequence, drift};
pub use interval::{Interval, Method};
pub use paired::Paired;
pub use pivot::{Axis, Pivot, PivotError, Query, Statistic, observations, pivot};
pub use sides::{Shared, Side, Sides, side_by_side};
pub use summary::Samples;
pub use thin::thinned;
pub use trial::{Trial, trials, typical};
pub use truth::Truth;
pub use uncertain::Uncertain;
