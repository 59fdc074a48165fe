//! Numbers in, numbers out: statistics, comparisons and the [`Pivot`] that every figure is a view of.
//!
//! No words, no files, no clock. Formulas name their source.

pub mod best;
pub mod cell;
pub mod compare;
pub mod distribution;
pub mod interval;
pub mod pivot;
mod select;
pub mod summary;

#[cfg(test)]
mod fixture;

pub use best::best;
pub use cell::{Cell, Estimate};
pub use compare::{Comparison, Verdict};
pub use interval::{Interval, Method};
pub use pivot::{Axis, Pivot, PivotError, Query, Statistic, observations, pivot};
pub use summary::Samples;
