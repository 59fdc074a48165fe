//! Numbers in, numbers out: statistics, comparisons and the [`Pivot`] that every figure is a view of.
//!
//! No words, no files, no clock. Formulas name their source.

pub mod compare;
pub mod interval;
pub mod pivot;
pub mod summary;

pub use compare::{Comparison, Verdict};
pub use interval::{Interval, Method};
pub use pivot::{Axis, Cell, Estimate, Pivot, PivotError, Query, Statistic};
