//! What a chart shows, taken out of a pivot: series of points with their words.

use std::cell::OnceCell;

use super::ticks::{self, Axis, Span};
use super::{Scale, TARGETS};
use crate::analysis::{Cell, Pivot};
use crate::figure::format::Notation;
use crate::figure::{Reader, format};
use crate::model::{FactorKind, LevelValue, Value};

/// Series over rows.
#[derive(Debug, Clone)]
pub(super) struct Picture {
    /// The rows along the other axis.
    pub rows: Vec<Row>,
    /// How the rows' values are written on an axis, where they have a place on one.
    pub spaced: Option<Notation>,
    /// Name of the factor down the rows (may be empty).
    pub rows_title: String,
    /// The series.
    pub series: Vec<Series>,
    /// Name of the metric with its unit.
    pub value_title: String,
    /// How values are written.
    pub notation: Notation,
    /// Axes of values to choose from: the same for every variant.
    value_axes: OnceCell<Vec<Axis>>,
    /// Axes of rows to choose from.
    pub row_axes: OnceCell<Vec<Axis>>,
}

/// A place along the axis of rows.
#[derive(Debug, Clone)]
pub(super) struct Row {
    /// Its name.
    pub label: String,
    /// Its place on a numeric axis.
    pub value: f64,
}

/// A series of points, one for each row.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Its name (empty for the only one).
    pub label: String,
    /// Its points.
    pub points: Vec<Point>,
}

/// What stands in one place.
#[derive(Debug, Clone)]
pub(super) struct Point {
    /// The value, if there is one.
    pub value: Option<Value>,
    /// Ends of the interval.
    pub interval: Option<(f64, f64)>,
    /// Every sample.
    pub samples: Vec<f64>,
    /// The value without its unit, or the reason why there is none, for a label.
    pub short: String,
    /// Both ends of a range without their unit.
    pub ends: Option<(String, String)>,
    /// The whole sentence for a pointer that rests here.
    pub title: String,
}

impl Picture {
    /// Takes a pivot apart.
    pub(super) fn new(reader: Reader<'_>, pivot: &Pivot) -> Self {
        let rows_factor = pivot.rows.factor.map(|index| reader.factor(index));
        let spaced = rows_factor.and_then(|factor| {
            let all = pivot.rows.levels.iter().all(|level| {
                factor
                    .levels
                    .get(*level)
                    .is_some_and(|it| matches!(it.value, LevelValue::Number(_)))
            });
            match factor.kind {
                _ if !all => None,
                FactorKind::Bytes => Some(Notation::Size),
                FactorKind::Duration => Some(Notation::Duration),
                FactorKind::Number => Some(Notation::Number(1.0)),
                FactorKind::Nominal | FactorKind::Ordinal => None,
            }
        });
        let rows: Vec<Row> = (0..pivot.rows.levels.len())
            .map(|row| self::row(reader, pivot, row))
            .collect();
        let series = (0..pivot.columns.levels.len())
            .map(|column| series(reader, pivot, &rows, column))
            .collect();
        let metric = pivot.query.metric;
        Self {
            rows,
            spaced,
            rows_title: pivot
                .rows
                .factor
                .map_or_else(String::new, |it| format::factor_head(reader, it)),
            series,
            value_title: format::metric_head(reader, metric),
            notation: format::notation(reader.metric(metric)),
            value_axes: OnceCell::new(),
            row_axes: OnceCell::new(),
        }
    }

    /// Axes of values to choose from, the one with most ticks first; the first call lays them out.
    pub(super) fn value_axes(&self, reader: Reader<'_>, span: Span) -> &[Axis] {
        self.value_axes
            .get_or_init(|| ticks::axes(reader, self.notation, span, &TARGETS))
    }

    /// The names of the series.
    pub(super) fn names(&self) -> Vec<String> {
        self.series
            .iter()
            .map(|series| series.label.clone())
            .collect()
    }

    /// Every point.
    pub(super) fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// Smallest and largest figure, ends of ranges and intervals and samples included.
    pub(super) fn extent(&self, samples: bool) -> Option<(f64, f64)> {
        let extent = self.figures(samples)?;
        let bound = |value: f64| {
            let bounds = |point: &Point| match point.value {
                Some(Value::Above(bound) | Value::Below(bound)) => bound == value,
                _ => false,
            };
            self.points().any(bounds)
        };
        // Beyond a bound at the end of the axis its arrow wants room.
        let room = (extent.1 - extent.0) * 0.06;
        let low = if bound(extent.0) && extent.0 < 0.0 {
            extent.0 - room
        } else {
            extent.0
        };
        let high = if bound(extent.1) && extent.1 > 0.0 {
            extent.1 + room
        } else {
            extent.1
        };
        Some((low, high))
    }

    fn figures(&self, samples: bool) -> Option<(f64, f64)> {
        let mut extent: Option<(f64, f64)> = None;
        let mut take = |value: f64| {
            if value.is_finite() {
                let (low, high) = extent.unwrap_or((value, value));
                extent = Some((low.min(value), high.max(value)));
            }
        };
        for point in self.points() {
            match point.value {
                Some(Value::Exact(value) | Value::Above(value) | Value::Below(value)) => {
                    take(value);
                }
                Some(Value::Range(low, high)) => {
                    take(low);
                    take(high);
                }
                None => {}
            }
            if let Some((low, high)) = point.interval {
                take(low);
                take(high);
            }
            if samples {
                point.samples.iter().copied().for_each(&mut take);
            }
        }
        extent
    }

    /// What the axis of values has to cover.
    pub(super) fn value_span(&self, scale: Scale, zero: bool, samples: bool) -> Option<Span> {
        let (low, high) = self.extent(samples)?;
        let log = match scale {
            Scale::Log => low > 0.0,
            Scale::Linear => false,
            Scale::Auto => !zero && low > 0.0 && high / low >= 100.0,
        };
        // A line chart may leave zero out; where that would save little, it doesn't.
        let near_zero = low >= 0.0 && low < high * 0.25 || high <= 0.0 && high > low * 0.25;
        Some(Span {
            low,
            high,
            log,
            zero: zero || near_zero && !log,
            round: true,
        })
    }

    /// Whether the rows' axis is logarithmic.
    pub(super) fn rows_log(&self, scale: Scale) -> bool {
        let values: Vec<f64> = self.rows.iter().map(|row| row.value).collect();
        if values.iter().any(|value| *value <= 0.0) || values.is_empty() {
            return false;
        }
        match scale {
            Scale::Linear => false,
            Scale::Log => true,
            Scale::Auto => {
                let low = values.iter().copied().fold(f64::INFINITY, f64::min);
                let high = values.iter().copied().fold(0.0, f64::max);
                let doubles =
                    values.len() > 2 && values.windows(2).all(|pair| pair[1] >= pair[0] * 1.9);
                high / low >= 100.0 || doubles
            }
        }
    }

    /// Whether several series have to be told apart.
    pub(super) fn has_series(&self) -> bool {
        self.series.len() > 1
    }
}

fn row(reader: Reader<'_>, pivot: &Pivot, row: usize) -> Row {
    let level = pivot.rows.levels[row];
    let Some(factor) = pivot.rows.factor else {
        return Row {
            label: String::new(),
            value: 0.0,
        };
    };
    let value = match reader.factor(factor).levels.get(level).map(|it| it.value) {
        Some(LevelValue::Number(value)) if value.is_finite() => value,
        _ => row as f64,
    };
    Row {
        label: format::level(reader, factor, level),
        value,
    }
}

fn series(reader: Reader<'_>, pivot: &Pivot, rows: &[Row], column: usize) -> Series {
    let label = match pivot.columns.factor {
        // A bare number says nothing; it gets its factor's name.
        Some(factor) => format::place(reader, factor, pivot.columns.levels[column]),
        None => String::new(),
    };
    let points = rows
        .iter()
        .enumerate()
        .map(|(row, names)| {
            let place = place_words(&label, &names.label);
            point(reader, pivot.query.metric, pivot.cell(row, column), &place)
        })
        .collect();
    Series { label, points }
}

fn place_words(series: &str, row: &str) -> String {
    match (series.is_empty(), row.is_empty()) {
        (false, false) => format!("{series}, {row}"),
        _ => format!("{series}{row}"),
    }
}

fn point(reader: Reader<'_>, metric: usize, cell: &Cell, place: &str) -> Point {
    let lead = if place.is_empty() {
        String::new()
    } else {
        format!("{place}: ")
    };
    let samples = cell
        .samples
        .iter()
        .copied()
        .filter(|sample| sample.is_finite())
        .collect();
    match &cell.estimate {
        Ok(estimate) => {
            let words = format::estimate(reader, metric, estimate);
            let mut title = format!("{lead}{words}");
            if let Some(interval) = format::interval(reader, metric, estimate) {
                let n = format::n_equals(reader, &reader.language.count(estimate.n as u64));
                title.push_str(&format!(" ({interval}; {n})"));
            }
            Point {
                value: finite(estimate.value),
                interval: estimate.interval.map(|it| (it.low, it.high)),
                samples,
                short: format::bare_estimate(reader, metric, estimate),
                ends: ends(reader, metric, estimate.value),
                title,
            }
        }
        Err(missing) => {
            let words = format::missing(reader, missing);
            let title = format!("{lead}{words}");
            let short = format::reason(reader, missing.reason);
            Point {
                value: None,
                interval: None,
                samples,
                short,
                ends: None,
                title,
            }
        }
    }
}

fn ends(reader: Reader<'_>, metric: usize, value: Value) -> Option<(String, String)> {
    let Value::Range(low, high) = value else {
        return None;
    };
    let end = |value| format::bare_value(reader, metric, Value::Exact(value));
    Some((end(low), end(high)))
}

fn finite(value: Value) -> Option<Value> {
    let all = match value {
        Value::Exact(value) | Value::Above(value) | Value::Below(value) => value.is_finite(),
        Value::Range(low, high) => low.is_finite() && high.is_finite(),
    };
    all.then_some(value)
}
