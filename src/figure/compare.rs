//! Two levels or runs side by side: each metric with both figures, change, interval and verdict.

use super::{Figure, Reader};
use crate::analysis::{Cell, Comparison};

/// One line of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRow {
    /// What is compared (the metric's label, or a case's levels).
    pub label: String,
    /// Index of the metric.
    pub metric: usize,
    /// The old side.
    pub from: Cell,
    /// The new side.
    pub to: Cell,
    /// The comparison, adjusted over the rows; `None` where a side has no comparable value.
    pub comparison: Option<Comparison>,
}

/// Lays out a comparison; `from` and `to` are the names of the two sides.
pub fn compare(_reader: Reader<'_>, _from: &str, _to: &str, _rows: &[CompareRow]) -> Figure {
    Figure::default()
}
