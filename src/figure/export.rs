//! The figures behind a figure, for other programs: CSV and JSON with language-neutral keys.

use std::borrow::Cow;

use serde::{Serialize, Serializer};

use super::Reader;
use crate::analysis::{Cell, Interval, Method, Pivot, Statistic};
use crate::model::{Place, Value};
use crate::text::Dimension;

/// Pivots as CSV: a line a cell, figures in base units that the head states. Ranges and bounds are
/// written as result files may write them (`-0.02..0.17`, `> 600`).
pub(crate) fn csv(reader: Reader<'_>, pivots: &[&Pivot]) -> String {
    let Some(first) = pivots.first() else {
        return String::new();
    };
    let fixed = fixed(first);
    let definition = &reader.experiment.definition;
    let factor_key = |factor: usize| definition.factors[factor].key.clone();
    let mut head: Vec<String> = fixed
        .iter()
        .map(|(factor, _)| factor_key(*factor))
        .collect();
    head.extend(first.rows.factor.map(factor_key));
    head.extend(first.columns.factor.map(factor_key));
    for pivot in pivots {
        let metric = reader.metric(pivot.query.metric);
        let key = &metric.key;
        head.push(match base_unit(&metric.unit.dimension) {
            unit if unit.is_empty() => key.clone(),
            unit => format!("{key} [{unit}]"),
        });
        head.extend(["n", "low", "high", "missing", "places"].map(|part| format!("{key} {part}")));
    }
    let mut lines = vec![head];
    for row in 0..first.rows.levels.len() {
        for column in 0..first.columns.levels.len() {
            let mut line: Vec<String> = fixed
                .iter()
                .map(|(factor, level)| level_key(reader, *factor, *level))
                .collect();
            let (row_level, column_level) = (first.rows.levels[row], first.columns.levels[column]);
            line.extend(first.rows.factor.map(|it| level_key(reader, it, row_level)));
            line.extend(
                first
                    .columns
                    .factor
                    .map(|it| level_key(reader, it, column_level)),
            );
            for pivot in pivots {
                cell_fields(reader, pivot.cell(row, column), &mut line);
            }
            lines.push(line);
        }
    }
    written(&lines)
}

/// Lines as CSV; every field that isn't a number is quoted.
pub(crate) fn written(lines: &[Vec<String>]) -> String {
    let mut writer = csv::WriterBuilder::new()
        .quote_style(csv::QuoteStyle::NonNumeric)
        .flexible(true)
        .from_writer(Vec::new());
    for line in lines {
        // Writing to memory can't fail.
        for field in line {
            let _ = writer.write_field(as_data(field).as_bytes());
        }
        let _ = writer.write_record(None::<&[u8]>);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// A field that no spreadsheet takes for a formula: a text that begins like one (`-O2`, `=1+1`, `@x`)
/// gets an apostrophe, which spreadsheets don't show. Numbers and ranges of numbers stay.
fn as_data(field: &str) -> Cow<'_, str> {
    let number = |text: &str| text.parse::<f64>().is_ok_and(f64::is_finite);
    let is_number = number(field)
        || field
            .split_once("..")
            .is_some_and(|(low, high)| number(low) && number(high));
    if field.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number {
        Cow::Owned(format!("'{field}"))
    } else {
        Cow::Borrowed(field)
    }
}

fn cell_fields(reader: Reader<'_>, cell: &Cell, line: &mut Vec<String>) {
    match &cell.estimate {
        Ok(estimate) => {
            line.push(value_text(estimate.value));
            line.push(estimate.n.to_string());
            line.push(
                estimate
                    .interval
                    .map_or_else(String::new, |it| number(it.low)),
            );
            line.push(
                estimate
                    .interval
                    .map_or_else(String::new, |it| number(it.high)),
            );
            line.push(String::new());
        }
        Err(missing) => {
            line.extend([String::new(), "0".to_owned(), String::new(), String::new()]);
            line.push(missing.reason.key().to_owned());
        }
    }
    line.push(places(reader, &cell.places).join(" "));
}

/// A value as a result file may write it.
pub(crate) fn value_text(value: Value) -> String {
    match value {
        Value::Exact(value) => number(value),
        Value::Range(low, high) => format!("{}..{}", number(low), number(high)),
        Value::Above(bound) => format!("> {}", number(bound)),
        Value::Below(bound) => format!("< {}", number(bound)),
    }
}

/// The shortest text that reads back as the same number, with the dust of conversions wiped off.
pub(crate) fn number(value: f64) -> String {
    const DIGITS: usize = 14;
    if (1e-6..1e15).contains(&value.abs()) {
        let text = value.to_string();
        if text.bytes().filter(u8::is_ascii_digit).count() <= DIGITS {
            return text;
        }
    }
    let clean: f64 = format!("{value:.13e}").parse().unwrap_or(value);
    if clean != 0.0 && !(1e-6..1e15).contains(&clean.abs()) {
        format!("{clean:e}")
    } else {
        format!("{}", clean + 0.0)
    }
}

/// Places as `file:line`.
pub(crate) fn places(reader: Reader<'_>, places: &[Place]) -> Vec<String> {
    let name = |place: &Place| {
        let file = reader.experiment.files.get(place.file as usize)?;
        Some(format!("{}:{}", file.path, place.line))
    };
    places.iter().filter_map(name).collect()
}

/// The base unit of a dimension; empty for counts and shares.
pub(crate) fn base_unit(dimension: &Dimension) -> String {
    match dimension {
        Dimension::Duration => "s".to_owned(),
        Dimension::Bytes => "B".to_owned(),
        Dimension::Share | Dimension::Count => String::new(),
        Dimension::Per(above, below) => {
            let above = base_unit(above);
            let above = if above.is_empty() {
                "1".to_owned()
            } else {
                above
            };
            format!("{above}/{}", base_unit(below))
        }
        Dimension::Named(name) => name.clone(),
    }
}

/// Factors that are held at one level.
fn fixed(pivot: &Pivot) -> Vec<(usize, usize)> {
    let axis =
        |factor: usize| pivot.rows.factor == Some(factor) || pivot.columns.factor == Some(factor);
    pivot
        .query
        .only
        .iter()
        .filter(|(factor, levels)| levels.len() == 1 && !axis(*factor))
        .map(|(factor, levels)| (*factor, levels[0]))
        .collect()
}

fn level_key(reader: Reader<'_>, factor: usize, level: usize) -> String {
    reader
        .factor(factor)
        .levels
        .get(level)
        .map_or_else(String::new, |it| it.key.clone())
}

/// Pivots as JSON, with n, intervals, missing reasons, runs and places.
pub(crate) fn json(reader: Reader<'_>, pivots: &[&Pivot]) -> String {
    pretty(&DocumentJson {
        experiment: &reader.experiment.definition.key,
        metrics: pivots
            .iter()
            .map(|pivot| metric_json(reader, pivot))
            .collect(),
    })
}

/// JSON for people and programs.
pub(crate) fn pretty(document: &impl Serialize) -> String {
    serde_json::to_string_pretty(document).unwrap_or_default()
}

#[derive(Serialize)]
struct DocumentJson<'a> {
    experiment: &'a str,
    metrics: Vec<MetricJson<'a>>,
}

#[derive(Serialize)]
struct MetricJson<'a> {
    metric: &'a str,
    unit: String,
    statistic: &'static str,
    cells: Vec<CellJson<'a>>,
}

/// One cell with the levels it stands at.
#[derive(Serialize)]
pub(crate) struct CellJson<'a> {
    #[serde(serialize_with = "pairs")]
    levels: Vec<(&'a str, &'a str)>,
    value: Option<ValueJson>,
    n: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<IntervalJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<MissingJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    samples: Option<&'a [f64]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    origin: Option<&'static str>,
    places: Vec<String>,
}

/// A value: a number, or an object with its bounds.
#[derive(Serialize)]
#[serde(untagged)]
enum ValueJson {
    Exact(f64),
    Range { low: f64, high: f64 },
    Above { above: f64 },
    Below { below: f64 },
}

/// An interval with its method.
#[derive(Serialize)]
pub(crate) struct IntervalJson {
    low: f64,
    high: f64,
    method: &'static str,
}

#[derive(Serialize)]
struct MissingJson<'a> {
    reason: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

fn pairs<S: Serializer>(pairs: &[(&str, &str)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(pairs.iter().copied())
}

fn metric_json<'a>(reader: Reader<'a>, pivot: &'a Pivot) -> MetricJson<'a> {
    let metric = reader.metric(pivot.query.metric);
    let level = |factor: usize, level: usize| {
        let factor = reader.factor(factor);
        let key = factor.levels.get(level).map_or("", |it| it.key.as_str());
        (factor.key.as_str(), key)
    };
    let fixed: Vec<(&str, &str)> = fixed(pivot)
        .into_iter()
        .map(|(factor, at)| level(factor, at))
        .collect();
    let mut cells = Vec::with_capacity(pivot.cells.len());
    for (row, &row_level) in pivot.rows.levels.iter().enumerate() {
        for (column, &column_level) in pivot.columns.levels.iter().enumerate() {
            let mut levels = fixed.clone();
            levels.extend(pivot.rows.factor.map(|factor| level(factor, row_level)));
            levels.extend(
                pivot
                    .columns
                    .factor
                    .map(|factor| level(factor, column_level)),
            );
            cells.push(cell_json(reader, pivot.cell(row, column), levels));
        }
    }
    MetricJson {
        metric: &metric.key,
        unit: base_unit(&metric.unit.dimension),
        statistic: statistic_key(pivot.query.statistic),
        cells,
    }
}

/// One cell with the levels it stands at, by keys of factors and levels.
pub(crate) fn cell_json<'a>(
    reader: Reader<'a>,
    cell: &'a Cell,
    levels: Vec<(&'a str, &'a str)>,
) -> CellJson<'a> {
    let estimate = cell.estimate.as_ref();
    let run = cell.run.and_then(|run| reader.experiment.runs.get(run));
    CellJson {
        levels,
        value: estimate.ok().map(|it| value_json(it.value)),
        n: estimate.map_or(0, |it| it.n),
        interval: estimate.ok().and_then(|it| it.interval).map(interval_json),
        missing: estimate.err().map(|missing| MissingJson {
            reason: missing.reason.key(),
            note: missing.note.as_ref().map(|note| note.source()),
        }),
        samples: (cell.samples.len() > 1).then_some(&cell.samples),
        run: run.map(|run| run.key.as_str()),
        origin: run.map(|run| run.origin.key()),
        places: places(reader, &cell.places),
    }
}

fn value_json(value: Value) -> ValueJson {
    match value {
        Value::Exact(value) => ValueJson::Exact(value),
        Value::Range(low, high) => ValueJson::Range { low, high },
        Value::Above(above) => ValueJson::Above { above },
        Value::Below(below) => ValueJson::Below { below },
    }
}

/// An interval with the word of its method.
pub(crate) fn interval_json(interval: Interval) -> IntervalJson {
    IntervalJson {
        low: interval.low,
        high: interval.high,
        method: match interval.method {
            Method::Bootstrap => "bootstrap",
            Method::StudentLog => "student-log",
            Method::Student => "student",
            Method::Stated => "stated",
            Method::Assumed => "assumed",
        },
    }
}

/// The word of a statistic in files.
pub(crate) fn statistic_key(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::Median => "median",
        Statistic::Mean => "mean",
        Statistic::Min => "min",
        Statistic::Max => "max",
    }
}
