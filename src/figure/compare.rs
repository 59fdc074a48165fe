//! Two levels or runs side by side: each metric with both figures, change, interval and verdict.

use serde_json::{Value as Json, json};

use super::export::{
    base_unit, cell_json, interval_json, method_key, number, pretty, value_text, written,
};
use super::markup::{Markup, scroll};
use super::table::{Mark, TableOrder, Td};
use super::{Figure, Reader, format, method};
use crate::analysis::{Cell, Comparison, Method, Verdict};
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// One line of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct CompareRow {
    /// What is compared (the metric's label, or a case's levels).
    pub label: String,
    /// Index of the metric.
    pub metric: usize,
    /// The old side.
    pub from: Cell,
    /// The new side.
    pub to: Cell,
    /// The comparison, adjusted over the rows; `None` where a side has no comparable value.
    pub comparison: Option<Comparison>,
}

/// Lays out a comparison; `from` and `to` are the names of the two sides.
pub fn compare(reader: Reader<'_>, from: &str, to: &str, rows: &[CompareRow]) -> Figure {
    let mut out = Markup::default();
    out.open("table", &[("class", "data compare")]);
    out.open("thead", &[]).open("tr", &[]);
    out.element("th", &[("scope", "col")], reader.words("compare-what"));
    for name in [from, to] {
        out.element("th", &[("scope", "col"), ("class", "number")], name);
    }
    out.element(
        "th",
        &[("scope", "col"), ("class", "number")],
        reader.words("change"),
    );
    out.element("th", &[("scope", "col")], reader.words("verdict"));
    out.close().close().open("tbody", &[]);
    for row in rows {
        out.open("tr", &[])
            .open("th", &[("scope", "row")])
            .text(&row_head(reader, row))
            .close();
        for cell in [&row.from, &row.to] {
            let td = Td {
                metric: row.metric,
                cell,
                best: Mark::None,
                class: "",
            };
            td.write(
                reader,
                TableOrder {
                    show_interval: true,
                    ..TableOrder::default()
                },
                &mut out,
            );
        }
        write_change(reader, row, &mut out);
        out.close();
    }
    let between = [("from", Text(from)), ("to", Text(to))];
    let title = reader.language.message_with("compared", &between);
    Figure {
        body: scroll(&title, &out.finish()),
        table: None,
        alternative: alternative(reader, &title, rows),
        csv: csv(reader, rows),
        json: compare_json(reader, from, to, rows),
        method: method(reader, rows),
    }
}

/// The row's name with the unit of its figures.
fn row_head(reader: Reader<'_>, row: &CompareRow) -> String {
    if row.label == format::metric_label(reader, row.metric) {
        return format::metric_head(reader, row.metric);
    }
    row.label.clone()
}

fn write_change(reader: Reader<'_>, row: &CompareRow, out: &mut Markup) {
    let Some(comparison) = &row.comparison else {
        let words = reader.words("compare-impossible");
        out.element("td", &[("class", "number")], "–");
        out.open("td", &[])
            .element("span", &[("class", "verdict verdict-none")], words)
            .close();
        return;
    };
    let sort = number(comparison.ratio - 1.0);
    out.open("td", &[("class", "number"), ("data-value", &sort)]);
    out.text(&change(reader, comparison));
    out.text(" ").element(
        "span",
        &[("class", "interval")],
        &change_interval(reader, comparison),
    );
    out.close().open("td", &[]);
    let key = comparison.verdict.key();
    let class = format!("verdict verdict-{key}");
    out.element("span", &[("class", &class)], reader.language.message(key));
    if let Some(detectable) = detectable(reader, comparison) {
        out.text(" ")
            .element("span", &[("class", "detectable")], &detectable);
    }
    out.close();
}

/// The change as signed percent, with digits that follow its interval.
pub(crate) fn change(reader: Reader<'_>, comparison: &Comparison) -> String {
    reader
        .language
        .signed_percent(comparison.ratio - 1.0, change_digits(comparison))
}

fn change_digits(comparison: &Comparison) -> Digits {
    let half = (comparison.interval.high - comparison.interval.low).abs() * 50.0;
    let known = comparison.interval.method != Method::Assumed && half.is_normal();
    // An assumed spread says nothing about digits: one place is what people compare.
    Digits::Places(if known {
        (1.0 - half.log10().floor()).clamp(0.0, 6.0) as u8
    } else {
        1
    })
}

fn change_interval(reader: Reader<'_>, comparison: &Comparison) -> String {
    let digits = change_digits(comparison);
    let digits = if comparison.interval.method == Method::Assumed {
        Digits::Places(0)
    } else {
        digits
    };
    let end = |ratio: f64| reader.language.signed_percent(ratio - 1.0, digits);
    let range = reader.language.range(
        &end(comparison.interval.low),
        &end(comparison.interval.high),
    );
    format!("({range})")
}

/// What this many samples couldn't show, where they showed nothing.
fn detectable(reader: Reader<'_>, comparison: &Comparison) -> Option<String> {
    let least = comparison
        .detectable
        .filter(|_| comparison.verdict == Verdict::Undecided)?;
    let share = reader.language.percent(least, Digits::Places(0));
    let arguments = [("n", Count(comparison.n as u64)), ("percent", Text(&share))];
    Some(reader.language.message_with("detectable", &arguments))
}

fn alternative(reader: Reader<'_>, title: &str, rows: &[CompareRow]) -> String {
    let mut sentences = vec![format!("{title}.")];
    for row in rows {
        let show = |cell: &Cell| match &cell.estimate {
            Ok(estimate) => format::estimate(reader, row.metric, estimate),
            Err(missing) => format::missing(reader, missing),
        };
        let mut sentence = format!("{}: {} → {}", row.label, show(&row.from), show(&row.to));
        if let Some(comparison) = &row.comparison {
            let verdict = reader.language.message(comparison.verdict.key());
            sentence.push_str(&format!(" ({}, {verdict})", change(reader, comparison)));
        }
        sentence.push('.');
        sentences.push(sentence);
    }
    sentences.join(" ")
}

fn method(reader: Reader<'_>, rows: &[CompareRow]) -> Vec<(String, String)> {
    let cells: Vec<&Cell> = rows.iter().flat_map(|row| [&row.from, &row.to]).collect();
    let mut method = method::of_cells(reader, &cells);
    let percent = |share: f64| reader.language.percent(share, Digits::Natural);
    let definition = &reader.experiment.definition;
    let threshold = percent(definition.threshold);
    let mut rule = reader
        .language
        .message_with("threshold", &[("percent", Text(&threshold))]);
    let compared = || rows.iter().filter_map(|row| row.comparison.as_ref());
    let comparisons: Vec<&Comparison> = compared().collect();
    if let Some(paired) = method::within_blocks(reader, &comparisons) {
        method.push((reader.words("comparison").to_owned(), paired));
    }
    if compared().any(|it| it.interval.method == Method::Assumed) {
        let noise = percent(definition.noise);
        let assumed = reader
            .language
            .message_with("finding-single", &[("percent", Text(&noise))]);
        method.push((reader.words("basis").to_owned(), assumed));
    }
    if compared().filter(|it| it.p.is_some()).count() > 1 {
        rule.push(' ');
        rule.push_str(reader.words("adjusted"));
    }
    method.push((reader.words("verdict").to_owned(), rule));
    method
}

fn csv(reader: Reader<'_>, rows: &[CompareRow]) -> String {
    let head = [
        "case",
        "metric",
        "unit",
        "from",
        "to",
        "ratio",
        "ratio low",
        "ratio high",
        "verdict",
        "n",
        "method",
        "left out",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for row in rows {
        let metric = reader.metric(row.metric);
        let side = |cell: &Cell| match &cell.estimate {
            Ok(estimate) => value_text(estimate.value),
            Err(missing) => missing.reason.key().to_owned(),
        };
        let comparison = |field: &dyn Fn(&Comparison) -> String| {
            row.comparison.as_ref().map_or_else(String::new, field)
        };
        lines.push(vec![
            row.label.clone(),
            metric.key.clone(),
            base_unit(&metric.unit.dimension),
            side(&row.from),
            side(&row.to),
            comparison(&|it| number(it.ratio)),
            comparison(&|it| number(it.interval.low)),
            comparison(&|it| number(it.interval.high)),
            comparison(&|it| it.verdict.key().to_owned()),
            comparison(&|it| it.n.to_string()),
            comparison(&|it| method_key(it.interval.method).to_owned()),
            comparison(&|it| it.paired.map_or(0, |it| it.left_out).to_string()),
        ]);
    }
    written(&lines)
}

fn compare_json(reader: Reader<'_>, from: &str, to: &str, rows: &[CompareRow]) -> String {
    let side = |cell| cell_json(reader, cell, Vec::new());
    let rows: Vec<Json> = rows
        .iter()
        .map(|row| {
            let metric = reader.metric(row.metric);
            let comparison = row.comparison.as_ref().map(|it| {
                json!({
                    "ratio": it.ratio,
                    "interval": interval_json(it.interval),
                    "verdict": it.verdict.key(),
                    "n": it.n,
                    "blocks": it.paired.map(|it| json!({"shared": it.blocks, "left_out": it.left_out})),
                    "detectable": it.detectable,
                })
            });
            json!({
                "case": row.label,
                "metric": metric.key,
                "unit": base_unit(&metric.unit.dimension),
                "from": side(&row.from),
                "to": side(&row.to),
                "comparison": comparison,
            })
        })
        .collect();
    pretty(&json!({
        "experiment": reader.experiment.definition.key,
        "from": from,
        "to": to,
        "rows": rows,
    }))
}
