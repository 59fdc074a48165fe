//! A pivot as a table: levels down the side and along the top, or several metrics side by side.

use super::{Figure, Reader};
use crate::analysis::Pivot;

/// What a table shows beside the figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableOrder {
    /// Whether the best cells of each metric are marked.
    pub mark_best: bool,
    /// Whether each cell shows its count of samples.
    pub show_n: bool,
    /// Whether each cell shows its interval.
    pub show_interval: bool,
}

/// Lays out a table. Several pivots (same rows, one metric each) stand side by side.
pub fn table(_reader: Reader<'_>, _pivots: &[&Pivot], _order: TableOrder) -> Figure {
    Figure::default()
}
