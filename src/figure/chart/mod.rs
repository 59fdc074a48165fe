//! Charts as inline SVG: one file per kind, all drawn on our own canvas.

use super::{Figure, Reader};
use crate::analysis::Pivot;

/// The kind of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChartKind {
    /// Points joined by lines; numeric or ordered x.
    Line,
    /// Bars side by side, from zero; ranges as floating bars.
    Bar,
    /// Every sample as a dot with its median.
    Dot,
    /// Samples over the time since the run's start.
    Timeline,
}

/// How an axis is spaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Logarithmic for numeric factors that span two orders or double from level to level, else linear.
    #[default]
    Auto,
    /// Even.
    Linear,
    /// Logarithmic.
    Log,
}

/// What a chart shows of a pivot: rows along x, a series for each column.
#[derive(Debug, Clone, PartialEq)]
pub struct ChartOrder {
    /// The kind.
    pub kind: ChartKind,
    /// Spacing of x, for numeric factors.
    pub x_scale: Scale,
    /// Spacing of y.
    pub y_scale: Scale,
    /// Whether y begins at zero (bars always do on linear axes).
    pub from_zero: bool,
}

/// Draws a chart.
pub fn chart(_reader: Reader<'_>, _pivot: &Pivot, _order: &ChartOrder) -> Figure {
    Figure::default()
}

/// A small picture of a pivot without axes or words, for cards; empty when nothing can be drawn.
pub fn preview(_reader: Reader<'_>, _pivot: &Pivot) -> String {
    String::new()
}
