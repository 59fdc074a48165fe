//! A metric over several runs, from the oldest: a change is called one only where the data say so.

use serde_json::json;

use super::chart::{self, Course, Panel, Spot, Strand};
use super::compare::change;
use super::environment::differing;
use super::export::{base_unit, cell_json, number, pretty, value_text, written};
use super::format::Notation;
use super::markup::{Markup, scroll};
use super::table::{Mark, TableOrder, Td};
use super::{Figure, Reader, format, method, words};
use crate::analysis::{Cell, Comparison, Pivot, Verdict, adjust, compare};
use crate::model::Value;
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// More runs than that are told apart in the table and the data only.
const MOST_TITLES: usize = 200;

/// A run with its cells, one for each column of a pivot without rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// Index of the run.
    pub run: usize,
    /// The pivot of the run.
    pub pivot: Pivot,
}

/// Changes from stage to stage: for each stage, for each column, the comparison with the stage before.
type Changes = Vec<Vec<Option<Comparison>>>;

/// Shows a metric over the stages of its history, from the oldest; all have the same columns. Nothing
/// without stages.
pub fn figure(reader: Reader<'_>, stages: &[Stage]) -> Option<Figure> {
    let first = &stages.first()?.pivot;
    let metric = first.query.metric;
    let changes = changes(reader, stages);
    let finding = finding(reader, stages, &changes);
    let label = format::metric_label(reader, metric);
    let title = (reader.language).message_with("history-title", &[("metric", Text(&label))]);
    let alternative = words::of_kind(reader, "kind-history", &title, &finding);
    let course = course(reader, stages, title);
    let mut body = chart::course(reader, &course, &alternative);
    let mut said = Markup::default();
    said.element("p", &[("class", "finding")], &finding);
    body.push_str(&said.finish());
    let cells: Vec<&Cell> = stages.iter().flat_map(|it| &it.pivot.cells).collect();
    let mut method = method::of_cells(reader, &cells);
    let threshold = reader.experiment.definition.threshold;
    let percent = reader.language.percent(threshold, Digits::Natural);
    let rule = reader
        .language
        .message_with("threshold", &[("percent", Text(&percent))]);
    let rule = format!("{rule} {}", reader.words("adjusted"));
    method.push((reader.words("verdict").to_owned(), rule));
    Some(Figure {
        body,
        table: Some(table(reader, stages, &changes)),
        csv: csv(reader, stages, &changes),
        json: as_json(reader, stages),
        method,
        alternative,
    })
}

fn changes(reader: Reader<'_>, stages: &[Stage]) -> Changes {
    let definition = &reader.experiment.definition;
    let mut changes: Changes = Vec::with_capacity(stages.len());
    for (place, stage) in stages.iter().enumerate() {
        let before = place
            .checked_sub(1)
            .map(|before| &stages[before].pivot.cells);
        let better = reader.metric(stage.pivot.query.metric).better;
        let own = stage.pivot.cells.iter().enumerate().map(|(column, cell)| {
            let old = before?.get(column)?;
            compare::compare(old, cell, better, definition.threshold, definition.noise)
        });
        changes.push(own.collect());
    }
    adjust(changes.iter_mut().flatten().flatten());
    changes
}

/// The name of a run: its key and the day on which it began.
fn name(reader: Reader<'_>, run: usize) -> String {
    let run = &reader.experiment.runs[run];
    match run.started.as_deref().and_then(|started| started.get(..10)) {
        Some(date) => format!("{} ({})", run.key, reader.language.date(date)),
        None => run.key.clone(),
    }
}

/// The name of a column: a level, or nothing where there is only one.
fn column(reader: Reader<'_>, pivot: &Pivot, column: usize) -> String {
    pivot.columns.factor.map_or_else(String::new, |factor| {
        format::level(reader, factor, pivot.columns.levels[column])
    })
}

/// The changes that stand out, in words.
fn finding(reader: Reader<'_>, stages: &[Stage], changes: &Changes) -> String {
    const TOLD: usize = 8;
    if stages.len() < 2 {
        return reader.words("history-one").to_owned();
    }
    let mut told = Vec::new();
    for (stage, own) in stages.iter().zip(changes) {
        for (place, comparison) in own.iter().enumerate() {
            let stands_out =
                |it: &&Comparison| matches!(it.verdict, Verdict::Better | Verdict::Worse);
            if let Some(comparison) = comparison.as_ref().filter(stands_out) {
                let verdict = reader.language.message(comparison.verdict.key());
                let mut at = column(reader, &stage.pivot, place);
                if !at.is_empty() {
                    at.push_str(", ");
                }
                at.push_str(&name(reader, stage.run));
                told.push(format!("{at}: {} ({verdict})", change(reader, comparison)));
            }
        }
    }
    if told.is_empty() {
        return reader.words("history-none").to_owned();
    }
    let more = told.len().saturating_sub(TOLD);
    told.truncate(TOLD);
    if more > 0 {
        let n = [("n", Count(more as u64))];
        told.push(reader.language.message_with("figure-more", &n));
    }
    let changes = told.join("; ");
    reader
        .language
        .message_with("history-changes", &[("changes", Text(&changes))])
}

fn course(reader: Reader<'_>, stages: &[Stage], title: String) -> Course {
    let first = &stages[0].pivot;
    let metric = first.query.metric;
    let titles = stages.len() <= MOST_TITLES;
    let columns = first.columns.levels.len();
    let spot = |place: usize, column: usize| {
        let estimate = stages[place]
            .pivot
            .cells
            .get(column)?
            .estimate
            .as_ref()
            .ok()?;
        let Value::Exact(value) = estimate.value else {
            return None;
        };
        let words = format::estimate(reader, metric, estimate);
        let title = match titles {
            true => format!("{}: {words}", name(reader, stages[place].run)),
            false => String::new(),
        };
        Some(Spot {
            across: place as f64 + 1.0,
            value,
            title,
            reach: estimate.interval.map(|it| (it.low, it.high)),
        })
    };
    let strand = |series: usize| Strand {
        series,
        points: (0..stages.len())
            .filter_map(|place| spot(place, series))
            .collect(),
        limit: Vec::new(),
    };
    let names = match first.columns.factor {
        Some(_) => (0..columns)
            .map(|place| column(reader, first, place))
            .collect(),
        None => Vec::new(),
    };
    let factor = first.columns.factor;
    Course {
        kind: "history",
        title,
        series: (
            factor.map_or_else(String::new, |factor| format::factor_label(reader, factor)),
            names,
        ),
        panels: vec![Panel {
            title: String::new(),
            strands: (0..columns).map(strand).collect(),
        }],
        joined: true,
        dotted: true,
        values: (
            format::metric_head(reader, metric),
            format::notation(reader.metric(metric)),
        ),
        across: (
            reader.words("history-axis").to_owned(),
            Notation::Number(1.0),
        ),
        apart: false,
        own_values: false,
        whole: true,
        whole_values: false,
        from_zero: false,
        across_from_zero: false,
        borders: Vec::new(),
    }
}

fn table(reader: Reader<'_>, stages: &[Stage], changes: &Changes) -> String {
    let first = &stages[0].pivot;
    let metric = first.query.metric;
    let columns = first.columns.levels.len();
    let order = TableOrder {
        mark_best: false,
        show_n: true,
        show_interval: true,
    };
    let mut out = Markup::default();
    out.open("table", &[("class", "data compare")])
        .open("thead", &[])
        .open("tr", &[]);
    out.element("th", &[("scope", "col")], reader.words("run"));
    let number = [("scope", "col"), ("class", "number")];
    for place in 0..columns {
        let head = match column(reader, first, place) {
            level if level.is_empty() => format::metric_head(reader, metric),
            level => level,
        };
        out.element("th", &number, &head);
        out.element("th", &number, reader.words("change"));
    }
    out.element(
        "th",
        &[("scope", "col")],
        reader.words("history-environment"),
    );
    out.close().close().open("tbody", &[]);
    for (place, (stage, own)) in stages.iter().zip(changes).enumerate() {
        out.open("tr", &[])
            .element("th", &[("scope", "row")], &name(reader, stage.run));
        for (cell, comparison) in stage.pivot.cells.iter().zip(own) {
            let td = Td {
                metric,
                cell,
                best: Mark::None,
                class: "",
            };
            td.write(reader, order, &mut out);
            write_change(reader, comparison.as_ref(), &mut out);
        }
        let differing = match place.checked_sub(1) {
            Some(before) => differing(reader, stages[before].run, stage.run),
            None => Vec::new(),
        };
        out.element("td", &[], &reader.language.list(&differing))
            .close();
    }
    scroll(&format::metric_label(reader, metric), &out.finish())
}

fn write_change(reader: Reader<'_>, comparison: Option<&Comparison>, out: &mut Markup) {
    out.open("td", &[("class", "number")]);
    if let Some(comparison) = comparison {
        let key = comparison.verdict.key();
        let class = format!("verdict verdict-{key}");
        out.text(&change(reader, comparison)).text(" ").element(
            "span",
            &[("class", &class)],
            reader.language.message(key),
        );
    }
    out.close();
}

fn csv(reader: Reader<'_>, stages: &[Stage], changes: &Changes) -> String {
    let first = &stages[0].pivot;
    let metric = reader.metric(first.query.metric);
    let factor = first.columns.factor.map(|factor| reader.factor(factor));
    let value = match base_unit(&metric.unit.dimension) {
        unit if unit.is_empty() => metric.key.clone(),
        unit => format!("{} [{unit}]", metric.key),
    };
    let mut head = vec!["run".to_owned(), "started".to_owned()];
    head.extend(factor.map(|factor| factor.key.clone()));
    head.extend([value, "n".into(), "low".into(), "high".into()]);
    head.extend(["ratio to the run before".into(), "verdict".into()]);
    let mut lines = vec![head];
    for (stage, own) in stages.iter().zip(changes) {
        let run = &reader.experiment.runs[stage.run];
        for (place, (cell, comparison)) in stage.pivot.cells.iter().zip(own).enumerate() {
            let mut line = vec![run.key.clone(), run.started.clone().unwrap_or_default()];
            line.extend(factor.map(|factor| {
                let level = factor.levels.get(stage.pivot.columns.levels[place]);
                level.map_or_else(String::new, |level| level.key.clone())
            }));
            let estimate = cell.estimate.as_ref().ok();
            let interval = estimate.and_then(|it| it.interval);
            let ends = [interval.map(|it| it.low), interval.map(|it| it.high)];
            line.push(estimate.map_or_else(String::new, |it| value_text(it.value)));
            line.push(estimate.map_or(0, |it| it.n).to_string());
            line.extend(ends.map(|end| end.map_or_else(String::new, number)));
            let ratio = comparison.as_ref().map(|it| number(it.ratio));
            let verdict = comparison.as_ref().map(|it| it.verdict.key().to_owned());
            line.extend([ratio, verdict].map(Option::unwrap_or_default));
            lines.push(line);
        }
    }
    written(&lines)
}

fn as_json(reader: Reader<'_>, stages: &[Stage]) -> String {
    let stage = |stage: &Stage| {
        let run = &reader.experiment.runs[stage.run];
        let factor = stage
            .pivot
            .columns
            .factor
            .map(|factor| reader.factor(factor));
        let cells = stage.pivot.cells.iter().zip(&stage.pivot.columns.levels);
        let cells: Vec<_> = cells
            .map(|(cell, level)| {
                let level = factor
                    .and_then(|factor| Some((&*factor.key, &*factor.levels.get(*level)?.key)));
                cell_json(reader, cell, level.into_iter().collect())
            })
            .collect();
        json!({ "run": run.key, "started": run.started, "cells": cells })
    };
    pretty(&json!({
        "experiment": reader.experiment.definition.key,
        "metric": reader.metric(stages[0].pivot.query.metric).key,
        "runs": stages.iter().map(stage).collect::<Vec<_>>(),
    }))
}
