//! The narrow waist of the number wing: rows × columns of one metric, each cell with its estimate.

use super::select::Selection;
use crate::model::{Experiment, Observation};

pub use super::best::best;
pub use super::cell::{Cell, Estimate};

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
    /// Rows × columns would be more cells than anyone can show ([`MOST_CELLS`]).
    TooLarge {
        /// Number of rows.
        rows: usize,
        /// Number of columns.
        columns: usize,
    },
    /// No case is selected: the metric has no observation in the run, or no level is allowed.
    Empty,
}

/// The most cells a pivot may have.
pub const MOST_CELLS: usize = 1_000_000;

/// Answers a query.
///
/// Every allowed level of an axis has its place, in declared order or in the order of `only`; a
/// place without observations is missing for the reason the definition gives. Observations of a
/// stated absence count when levels meet (a cell must be one case), but not when runs do (a value of
/// one run beats a gap of another).
///
/// # Errors
/// When several factors or runs would be pooled in one cell, or nothing is selected.
pub fn pivot(experiment: &Experiment, query: &Query) -> Result<Pivot, PivotError> {
    let selection = Selection::new(experiment, query);
    let (rows, columns) = (selection.axis(query.rows), selection.axis(query.columns));
    let size = rows.levels.len().saturating_mul(columns.levels.len());
    if size == 0 {
        return Err(PivotError::Empty);
    }
    if size > MOST_CELLS {
        return Err(PivotError::TooLarge {
            rows: rows.levels.len(),
            columns: columns.levels.len(),
        });
    }
    let slots = selection.slots(&rows, &columns);
    let grouped = selection.group(&slots, size).ok_or(PivotError::Empty)?;
    let grouped = selection.one_each(&slots, grouped, size)?;
    let cells = (0..size).map(|slot| Cell::fold(experiment, grouped.of(slot), query.statistic));
    Ok(Pivot {
        query: query.clone(),
        cells: cells.collect(),
        rows,
        columns,
    })
}

/// Every observation that a query selects, in file order, without grouping: for charts that draw each
/// sample. The axes and the statistic play no part.
pub fn observations<'a>(experiment: &'a Experiment, query: &Query) -> Vec<&'a Observation> {
    let selection = Selection::new(experiment, query);
    selection
        .observations()
        .map(|(_, observation)| observation)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fixture::{experiment, observe};
    use super::*;
    use crate::model::{Direction, MissingReason, Value};

    fn table(columns: Option<usize>, only: &[(usize, Vec<usize>)]) -> Query {
        Query {
            rows: Some(0),
            columns,
            only: only.to_vec(),
            ..Query::default()
        }
    }

    fn value(cell: &Cell) -> Value {
        cell.estimate.as_ref().unwrap().value
    }

    fn reason(cell: &Cell) -> MissingReason {
        cell.estimate.as_ref().unwrap_err().reason
    }

    fn filled() -> Experiment {
        let mut it = experiment(&[3, 2], Direction::Higher);
        observe(&mut it, &[0, 0], 0, Ok(Value::Exact(10.0)));
        observe(&mut it, &[1, 0], 0, Ok(Value::Exact(20.0)));
        observe(&mut it, &[0, 1], 0, Err(MissingReason::Failed));
        observe(&mut it, &[1, 1], 0, Ok(Value::Exact(40.0)));
        observe(&mut it, &[1, 1], 0, Err(MissingReason::Failed));
        observe(&mut it, &[1, 1], 0, Ok(Value::Exact(50.0)));
        it
    }

    #[test]
    fn places_values_and_gaps() {
        let it = filled();
        let pivot = pivot(&it, &table(Some(1), &[])).unwrap();
        assert_eq!(
            (pivot.rows.levels.len(), pivot.columns.levels.len()),
            (3, 2)
        );
        assert_eq!(value(pivot.cell(0, 0)), Value::Exact(10.0));
        assert_eq!(reason(pivot.cell(0, 1)), MissingReason::Failed);
        assert_eq!(pivot.cell(0, 1).places.len(), 1);
        assert_eq!(value(pivot.cell(1, 1)), Value::Exact(45.0));
        assert_eq!(pivot.cell(1, 1).samples, [40.0, 50.0]);
        let lines: Vec<u32> = pivot
            .cell(1, 1)
            .places
            .iter()
            .map(|place| place.line)
            .collect();
        assert_eq!(lines, [4, 6]);
        assert_eq!(reason(pivot.cell(2, 0)), MissingReason::NotPublished);
        assert_eq!(pivot.cell(2, 0).run, None);
    }

    #[test]
    fn only_chooses_and_orders() {
        let it = filled();
        let query = table(None, &[(0, vec![1, 0, 1, 9]), (1, vec![0])]);
        let pivot = pivot(&it, &query).unwrap();
        assert_eq!(pivot.rows.levels, [1, 0]);
        assert_eq!(value(pivot.cell(0, 0)), Value::Exact(20.0));
        assert_eq!(observations(&it, &query).len(), 2);
    }

    #[test]
    fn levels_that_meet_are_ambiguous() {
        let it = filled();
        let found = pivot(&it, &table(None, &[])).unwrap_err();
        assert_eq!(
            found,
            PivotError::Ambiguous {
                factor: 1,
                levels: vec![0, 1]
            }
        );
        assert!(pivot(&it, &table(None, &[(1, vec![1])])).is_ok());
        // Two allowed levels that never meet in a cell are no fault.
        let mut it = experiment(&[2, 2], Direction::Higher);
        observe(&mut it, &[0, 0], 0, Ok(Value::Exact(1.0)));
        observe(&mut it, &[1, 1], 0, Ok(Value::Exact(2.0)));
        assert!(pivot(&it, &table(None, &[])).is_ok());
    }

    #[test]
    fn values_of_two_runs_never_mix_but_fill_gaps() {
        let mut it = experiment(&[2], Direction::Higher);
        observe(&mut it, &[0], 0, Ok(Value::Exact(1.0)));
        observe(&mut it, &[1], 0, Err(MissingReason::NotRun));
        observe(&mut it, &[1], 1, Ok(Value::Exact(3.0)));
        let both = pivot(&it, &table(None, &[])).unwrap();
        assert_eq!(both.cell(1, 0).run, Some(1));
        observe(&mut it, &[0], 1, Ok(Value::Exact(2.0)));
        let found = pivot(&it, &table(None, &[])).unwrap_err();
        assert_eq!(found, PivotError::MixedRuns { runs: vec![0, 1] });
        let second = pivot(
            &it,
            &Query {
                run: Some(1),
                ..table(None, &[])
            },
        )
        .unwrap();
        assert_eq!(value(second.cell(0, 0)), Value::Exact(2.0));
    }

    #[test]
    fn nothing_selected_is_empty() {
        let it = filled();
        for query in [
            Query {
                metric: 7,
                ..table(None, &[])
            },
            Query {
                run: Some(1),
                ..table(None, &[])
            },
            Query {
                rows: Some(9),
                ..Query::default()
            },
            table(None, &[(0, Vec::new())]),
        ] {
            assert_eq!(pivot(&it, &query), Err(PivotError::Empty));
        }
        let query = table(None, &[(0, vec![2]), (1, vec![0])]);
        assert_eq!(
            reason(pivot(&it, &query).unwrap().cell(0, 0)),
            MissingReason::NotPublished
        );
    }

    #[test]
    fn too_many_cells_are_refused() {
        let it = experiment(&[2000, 2000], Direction::Higher);
        let found = pivot(&it, &table(Some(1), &[]));
        assert_eq!(
            found,
            Err(PivotError::TooLarge {
                rows: 2000,
                columns: 2000
            })
        );
    }

    fn value_of(values: &[Value], statistic: Statistic) -> Value {
        let mut it = experiment(&[1], Direction::Lower);
        for &value in values {
            observe(&mut it, &[0], 0, Ok(value));
        }
        let query = Query {
            statistic,
            ..Query::default()
        };
        value(pivot(&it, &query).unwrap().cell(0, 0))
    }

    #[test]
    fn ranges_and_bounds_combine_tightly() {
        use Value::{Above, Below, Exact, Range};
        assert_eq!(
            value_of(&[Range(1.0, 2.0)], Statistic::Mean),
            Range(1.0, 2.0)
        );
        assert_eq!(value_of(&[Above(600.0)], Statistic::Median), Above(600.0));
        let timeouts = [Exact(1.0), Above(600.0), Exact(3.0)];
        assert_eq!(value_of(&timeouts, Statistic::Median), Exact(3.0));
        assert_eq!(value_of(&timeouts, Statistic::Max), Above(600.0));
        assert_eq!(value_of(&timeouts, Statistic::Min), Exact(1.0));
        assert_eq!(
            value_of(&[Above(6.0), Exact(3.0)], Statistic::Median),
            Above(4.5)
        );
        assert_eq!(
            value_of(&[Range(1.0, 2.0), Exact(3.0)], Statistic::Mean),
            Range(2.0, 2.5)
        );
        assert_eq!(
            value_of(&[Below(1.0), Exact(3.0)], Statistic::Mean),
            Below(2.0)
        );
    }

    #[test]
    fn bounds_on_both_sides_leave_nothing() {
        let mut it = experiment(&[1], Direction::Lower);
        observe(&mut it, &[0], 0, Ok(Value::Above(6.0)));
        observe(&mut it, &[0], 0, Ok(Value::Below(3.0)));
        let pivot = pivot(&it, &Query::default()).unwrap();
        assert_eq!(reason(pivot.cell(0, 0)), MissingReason::Timeout);
        assert_eq!(pivot.cell(0, 0).places.len(), 2);
    }

    proptest! {
        #[test]
        fn every_observation_has_one_place(
            seen in prop::collection::vec((0_u32..4, 0_u32..3, prop::option::of(1.0..9.0)), 1..60),
            swap: bool,
        ) {
            let mut it = experiment(&[4, 3], Direction::Higher);
            for &(a, b, value) in &seen {
                let result = value.map(Value::Exact).ok_or(MissingReason::Skipped);
                observe(&mut it, &[a, b], 0, result);
            }
            let (rows, columns) = if swap { (Some(1), Some(0)) } else { (Some(0), Some(1)) };
            let pivot = pivot(&it, &Query { rows, columns, ..Query::default() }).unwrap();
            let samples: usize = pivot.cells.iter().map(|cell| cell.samples.len()).sum();
            prop_assert_eq!(samples, seen.iter().filter(|seen| seen.2.is_some()).count());
            for cell in &pivot.cells {
                if let Ok(estimate) = cell.estimate.as_ref() {
                    prop_assert_eq!(estimate.n, cell.samples.len());
                    prop_assert_eq!(cell.places.len(), cell.samples.len());
                    prop_assert_eq!(estimate.interval.is_some(), estimate.n >= 3);
                }
            }
            prop_assert_eq!(observations(&it, &pivot.query).len(), seen.len());
        }

        #[test]
        fn no_query_panics(
            metric in 0_usize..3,
            rows in prop::option::of(0_usize..4),
            columns in prop::option::of(0_usize..4),
            only in prop::collection::vec((0_usize..4, prop::collection::vec(0_usize..5, 0..4)), 0..3),
            run in prop::option::of(0_usize..3),
        ) {
            let query = Query { metric, rows, columns, only, run, statistic: Statistic::Median };
            let _ = pivot(&filled(), &query);
        }
    }
}
