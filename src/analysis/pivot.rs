//! The narrow waist of the number wing: rows × columns of one metric, each cell with its estimate.

use crate::model::{Experiment, Missing, Place, Value};

use super::Interval;

/// What a cell shows of its samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Statistic {
    /// The median: the default everywhere.
    #[default]
    Median,
    /// The arithmetic mean.
    Mean,
    /// The smallest sample.
    Min,
    /// The largest sample.
    Max,
}

/// Which values of which cases make up a pivot. Equal queries give equal pivots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Query {
    /// Index of the metric (measured or derived).
    pub metric: usize,
    /// Index of the factor down the side; `None` for a single row.
    pub rows: Option<usize>,
    /// Index of the factor along the top; `None` for a single column.
    pub columns: Option<usize>,
    /// Allowed levels by factor; a factor that isn't listed allows all of its levels.
    /// Sorted by factor, levels in the order to show them, each at most once.
    pub only: Vec<(usize, Vec<usize>)>,
    /// Index of the run; `None` takes all runs, which must then not meet in one cell.
    pub run: Option<usize>,
    /// What a cell shows of its samples.
    pub statistic: Statistic,
}

/// One side of a pivot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// Index of the factor; `None` for a side with a single, nameless place.
    pub factor: Option<usize>,
    /// Indices of its levels in order; one meaningless `0` without a factor.
    pub levels: Vec<usize>,
}

/// Rows × columns × statistic of one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Pivot {
    /// The query it answers.
    pub query: Query,
    /// The factor down the side.
    pub rows: Axis,
    /// The factor along the top.
    pub columns: Axis,
    /// Row by row, `rows.levels.len() × columns.levels.len()`.
    pub cells: Vec<Cell>,
}

impl Pivot {
    /// The cell at a place counted from zero.
    pub fn cell(&self, row: usize, column: usize) -> &Cell {
        &self.cells[row * self.columns.levels.len() + column]
    }
}

/// What is known of one case (or of the cases a query folds into one place).
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// The estimate, or why there is none.
    pub estimate: Result<Estimate, Missing>,
    /// Every sample with an exact value, in file order, in base units.
    pub samples: Vec<f64>,
    /// Where the values stand, in file order.
    pub places: Vec<Place>,
    /// Index of the run the values come from, if there are any.
    pub run: Option<usize>,
}

/// A figure with what is known of its spread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The figure in base units of the metric; a range or bound only when the data hold one.
    pub value: Value,
    /// 95 % interval; `None` when fewer than three samples exist.
    pub interval: Option<Interval>,
    /// Number of samples.
    pub n: usize,
}

/// Why a query has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PivotError {
    /// A factor that is neither an axis nor fixed to one level has several levels in one cell.
    Ambiguous {
        /// Index of the factor.
        factor: usize,
        /// Indices of the levels that meet.
        levels: Vec<usize>,
    },
    /// Values of several runs meet in one cell.
    MixedRuns {
        /// Indices of the runs.
        runs: Vec<usize>,
    },
    /// No case is selected.
    Empty,
}

/// Answers a query.
///
/// # Errors
/// When several factors or runs would be pooled in one cell, or nothing is selected.
pub fn pivot(_experiment: &Experiment, _query: &Query) -> Result<Pivot, PivotError> {
    Err(PivotError::Empty)
}

/// Which cells share the best place: those whose interval (or assumed ± `noise` for fewer than three
/// samples) overlaps the best cell's. Empty when the metric has no direction.
pub fn best(_experiment: &Experiment, _cells: &[&Cell], _metric: usize) -> Vec<usize> {
    Vec::new()
}
