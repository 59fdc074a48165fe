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
    let axes = [&first.rows, &first.columns];
    let mut lines = Lines::new();
    for (factor, _) in &fixed {
        lines.field(&reader.factor(*factor).key);
    }
    for factor in axes.iter().filter_map(|axis| axis.factor) {
        lines.field(&reader.factor(factor).key);
    }
    for pivot in pivots {
        let metric = reader.metric(pivot.query.metric);
        let key = &metric.key;
        match base_unit(&metric.unit.dimension) {
            unit if unit.is_empty() => lines.field(key),
            unit => lines.field(&format!("{key} [{unit}]")),
        }
        for part in ["n", "low", "high", "missing", "places"] {
            lines.field(&format!("{key} {part}"));
        }
    }
    lines.end();
    for (row, &row_level) in first.rows.levels.iter().enumerate() {
        for (column, &column_level) in first.columns.levels.iter().enumerate() {
            for (factor, level) in &fixed {
                lines.field(level_key(reader, *factor, *level));
            }
            for (axis, level) in axes.iter().zip([row_level, column_level]) {
                if let Some(factor) = axis.factor {
                    lines.field(level_key(reader, factor, level));
                }
            }
            for pivot in pivots {
                cell_fields(reader, pivot.cell(row, column), &mut lines);
            }
            lines.end();
        }
    }
    lines.finish()
}

/// Lines as CSV; every field that isn't a number is quoted.
pub(crate) fn written(lines: &[Vec<String>]) -> String {
    let mut out = Lines::new();
    for line in lines {
        line.iter().for_each(|field| out.field(field));
        out.end();
    }
    out.finish()
}

/// The fields of a figure's CSV, line by line; none of a text that isn't one.
pub fn fields(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new();
    let mut reader = reader
        .has_headers(false)
        .flexible(true)
        .from_reader(csv.as_bytes());
    let lines = reader.records().map_while(Result::ok);
    let owned = |line: csv::StringRecord| line.iter().map(ToOwned::to_owned).collect();
    lines.map(owned).collect()
}

/// CSV being written. Writing to memory can't fail.
struct Lines(csv::Writer<Vec<u8>>);

impl Lines {
    fn new() -> Self {
        let mut writer = csv::WriterBuilder::new();
        writer
            .quote_style(csv::QuoteStyle::NonNumeric)
            .flexible(true);
        Self(writer.from_writer(Vec::new()))
    }

    fn field(&mut self, text: &str) {
        let _ = self.0.write_field(as_data(text).as_bytes());
    }

    fn end(&mut self) {
        let _ = self.0.write_record(None::<&[u8]>);
    }

    fn finish(self) -> String {
        let bytes = self.0.into_inner().unwrap_or_default();
        String::from_utf8(bytes).unwrap_or_default()
    }
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

fn cell_fields(reader: Reader<'_>, cell: &Cell, lines: &mut Lines) {
    let (n, interval, missing) = match &cell.estimate {
        Ok(estimate) => {
            lines.field(&value_text(estimate.value));
            (estimate.n, estimate.interval, "")
        }
        Err(missing) => {
            lines.field("");
            (0, None, missing.reason.key())
        }
    };
    lines.field(&n.to_string());
    for end in [interval.map(|it| it.low), interval.map(|it| it.high)] {
        lines.field(&end.map_or_else(String::new, number));
    }
    lines.field(missing);
    lines.field(&places(reader, &cell.places).join(" "));
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

fn level_key(reader: Reader<'_>, factor: usize, level: usize) -> &str {
    let levels = &reader.factor(factor).levels;
    levels.get(level).map_or("", |it| it.key.as_str())
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
        let key = level_key(reader, factor, level);
        (reader.factor(factor).key.as_str(), key)
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
        method: method_key(interval.method),
    }
}

/// The word of a way to find an interval in files.
pub(crate) fn method_key(method: Method) -> &'static str {
    match method {
        Method::Bootstrap => "bootstrap",
        Method::StudentLog => "student-log",
        Method::Student => "student",
        Method::PairedBootstrap => "paired-bootstrap",
        Method::PairedStudentLog => "paired-student-log",
        Method::PairedStudent => "paired-student",
        Method::Stated => "stated",
        Method::Assumed => "assumed",
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
