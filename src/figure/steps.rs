//! A breakdown step by step (index by index) of two runs or levels: paired bars, table, speed-up.

use super::chart;
use super::export::{csv, json, number};
use super::markup::{Markup, scroll};
use super::table::{Mark, TableOrder, Td};
use super::{Figure, Reader, format, method, words};
use crate::analysis::{Cell, Pivot};
use crate::model::{Direction, Value};
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// Lays out the steps down the rows for the two (or more) columns of a pivot, first column as the
/// base; adds each step's speed-up and the sum of the steps that have a value in every column.
pub fn steps(reader: Reader<'_>, pivot: &Pivot) -> Figure {
    let alternative = alternative(reader, pivot);
    let mut body = chart::lying_bars(reader, pivot, &alternative);
    body.push_str(&scroll(&words::title(reader, pivot), &table(reader, pivot)));
    let mut method = method::of_pivots(reader, &[pivot]);
    let left_out: Vec<String> = (0..pivot.rows.levels.len())
        .filter(|row| !is_complete(pivot, *row))
        .map(|row| step_label(reader, pivot, row))
        .collect();
    if !left_out.is_empty() {
        let name = reader.words("steps-left-out").to_owned();
        method.push((name, reader.language.list(&left_out)));
    }
    Figure {
        body,
        table: None,
        alternative,
        csv: csv(reader, &[pivot]),
        json: json(reader, &[pivot]),
        method,
    }
}

fn step_label(reader: Reader<'_>, pivot: &Pivot, row: usize) -> String {
    match pivot.rows.factor {
        Some(factor) => format::level(reader, factor, pivot.rows.levels[row]),
        None => format::metric_label(reader, pivot.query.metric),
    }
}

fn exact(cell: &Cell) -> Option<f64> {
    match cell.estimate.as_ref().ok()?.value {
        Value::Exact(value) if value.is_finite() => Some(value),
        _ => None,
    }
}

/// Whether a step has a value in every column.
fn is_complete(pivot: &Pivot, row: usize) -> bool {
    (0..pivot.columns.levels.len()).all(|column| exact(pivot.cell(row, column)).is_some())
}

/// Sums over the steps that are complete, a sum for each column, and how many steps these are.
fn sums(pivot: &Pivot) -> (usize, Vec<f64>) {
    let rows: Vec<usize> = (0..pivot.rows.levels.len())
        .filter(|row| is_complete(pivot, *row))
        .collect();
    let sum = |column: usize| {
        rows.iter()
            .filter_map(|row| exact(pivot.cell(*row, column)))
            .sum()
    };
    (
        rows.len(),
        (0..pivot.columns.levels.len()).map(sum).collect(),
    )
}

/// How many times better a figure is than the base's: more than 1 is better, where the metric has
/// a direction.
fn speed_up(reader: Reader<'_>, pivot: &Pivot, base: f64, value: f64) -> Option<f64> {
    if base <= 0.0 || value <= 0.0 {
        return None;
    }
    Some(match reader.metric(pivot.query.metric).better {
        Direction::Lower => base / value,
        Direction::Higher | Direction::Neither => value / base,
    })
}

fn table(reader: Reader<'_>, pivot: &Pivot) -> String {
    let mut out = Markup::default();
    out.open("table", &[("class", "data steps")]);
    head(reader, pivot, &mut out);
    out.open("tbody", &[]);
    let columns = pivot.columns.levels.len();
    for row in 0..pivot.rows.levels.len() {
        out.open("tr", &[]);
        out.element("th", &[("scope", "row")], &step_label(reader, pivot, row));
        for column in 0..columns {
            let cell = pivot.cell(row, column);
            let td = Td {
                metric: pivot.query.metric,
                cell,
                best: Mark::None,
                class: "",
            };
            td.write(reader, TableOrder::default(), &mut out);
        }
        let values = (0..columns)
            .map(|column| exact(pivot.cell(row, column)))
            .collect::<Vec<_>>();
        write_speed_ups(reader, pivot, &values, &mut out);
        out.close();
    }
    out.close();
    foot(reader, pivot, &mut out);
    out.finish()
}

fn head(reader: Reader<'_>, pivot: &Pivot, out: &mut Markup) {
    out.open("thead", &[]).open("tr", &[]);
    let title = pivot
        .rows
        .factor
        .map_or_else(String::new, |it| format::factor_head(reader, it));
    out.element("th", &[("scope", "col")], &title);
    let metric = reader.metric(pivot.query.metric);
    let unit = match format::notation(metric) {
        format::Notation::Number(_) => format::unit_label(reader, metric),
        _ => String::new(),
    };
    for level in &pivot.columns.levels {
        let label = match pivot.columns.factor {
            Some(factor) => format::level(reader, factor, *level),
            None => format::metric_label(reader, pivot.query.metric),
        };
        out.open("th", &[("scope", "col"), ("class", "number")])
            .text(&label);
        if !unit.is_empty() {
            out.text(", ").element("span", &[("class", "unit")], &unit);
        }
        out.close();
    }
    for column in 1..pivot.columns.levels.len() {
        let mut words = reader.words("speed-up").to_owned();
        if let Some(factor) = pivot
            .columns
            .factor
            .filter(|_| pivot.columns.levels.len() > 2)
        {
            words.push_str(": ");
            words.push_str(&format::level(reader, factor, pivot.columns.levels[column]));
        }
        out.element("th", &[("scope", "col"), ("class", "number")], &words);
    }
    out.close().close();
}

fn write_speed_ups(reader: Reader<'_>, pivot: &Pivot, values: &[Option<f64>], out: &mut Markup) {
    for value in values.iter().skip(1) {
        let factor = match (values[0], value) {
            (Some(base), Some(value)) => speed_up(reader, pivot, base, *value),
            _ => None,
        };
        match factor {
            Some(factor) => {
                let words = reader.language.times(factor, Digits::Places(2));
                let sort = number(factor);
                out.element(
                    "td",
                    &[("class", "number speed-up"), ("data-value", &sort)],
                    &words,
                );
            }
            None => {
                let words = reader.words("compare-impossible");
                out.open("td", &[("class", "number"), ("title", words)])
                    .text("–")
                    .close();
            }
        }
    }
}

fn foot(reader: Reader<'_>, pivot: &Pivot, out: &mut Markup) {
    let (count, sums) = sums(pivot);
    if count == 0 {
        return;
    }
    let words = reader
        .language
        .message_with("steps-sum", &[("n", Count(count as u64))]);
    out.open("tfoot", &[])
        .open("tr", &[])
        .element("th", &[("scope", "row")], &words);
    for sum in &sums {
        let text = format::bare_value(reader, pivot.query.metric, Value::Exact(*sum));
        out.element(
            "td",
            &[("class", "number"), ("data-value", &number(*sum))],
            &text,
        );
    }
    let values: Vec<Option<f64>> = sums.into_iter().map(Some).collect();
    write_speed_ups(reader, pivot, &values, out);
    out.close().close();
}

fn alternative(reader: Reader<'_>, pivot: &Pivot) -> String {
    let mut sentences = vec![words::alternative(reader, &[pivot], "steps")];
    if pivot.columns.levels.len() < 2 {
        return sentences.remove(0);
    }
    let mut factors: Vec<(f64, usize)> = (0..pivot.rows.levels.len())
        .filter_map(|row| {
            let (base, value) = (exact(pivot.cell(row, 0))?, exact(pivot.cell(row, 1))?);
            Some((speed_up(reader, pivot, base, value)?, row))
        })
        .collect();
    factors.sort_by(|a, b| a.0.total_cmp(&b.0));
    if let (Some(least), Some(most)) = (factors.first(), factors.last()) {
        let say = |(factor, row): &(f64, usize)| {
            let times = reader.language.times(*factor, Digits::Places(2));
            format!("{times} ({})", step_label(reader, pivot, *row))
        };
        let (least, most) = (say(least), say(most));
        let arguments = [("least", Text(&least)), ("most", Text(&most))];
        sentences.push(reader.language.message_with("steps-range", &arguments));
    }
    let (count, sums) = sums(pivot);
    if let Some(factor) = sums
        .get(1)
        .and_then(|sum| speed_up(reader, pivot, sums[0], *sum))
    {
        let value = |sum: f64| format::value(reader, pivot.query.metric, Value::Exact(sum));
        let (from, to) = (value(sums[0]), value(sums[1]));
        let times = reader.language.times(factor, Digits::Places(2));
        sentences.push(reader.language.message_with(
            "steps-sum-is",
            &[
                ("n", Count(count as u64)),
                ("from", Text(&from)),
                ("to", Text(&to)),
                ("times", Text(&times)),
            ],
        ));
    }
    sentences.join(" ")
}
