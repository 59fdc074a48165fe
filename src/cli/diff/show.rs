//! Differences as a terminal, a pull request or a tool wants them.

use serde_json::{Value as Json, json};

use super::super::amounts::count;
use super::changes::Change;
use crate::pipeline::StatementKind;

/// How many cells of a figure are told one by one.
const CELLS: usize = 8;

pub(super) fn human([from, to]: [&str; 2], changes: &[Change]) -> String {
    let mut out = format!("{from} → {to}\n");
    for page in changes.chunk_by(|one, other| one.page == other.page) {
        out.push_str(&format!("\n{}\n", page[0].page));
        for change in page {
            let place = format!("{}:{}", change.line, change.column);
            out.push_str(&format!("  {place:<7} {}\n", sentence(change)));
            if change.kind != StatementKind::Figure {
                out.push_str(&format!("          {}\n", one_line(&change.written)));
            }
            for cell in cells(change) {
                out.push_str(&format!("          {cell}\n"));
            }
        }
    }
    out.push_str(&format!("\n{}\n", summary(changes)));
    out
}

pub(super) fn markdown([from, to]: [&str; 2], changes: &[Change]) -> String {
    let mut out = format!(
        "### {} → {}\n\n**{}**\n",
        code(from),
        code(to),
        summary(changes)
    );
    for page in changes.chunk_by(|one, other| one.page == other.page) {
        out.push_str(&format!(
            "\n{}\n\n| Line | What | Before | After |\n|---:|---|---|---|\n",
            code(&page[0].page)
        ));
        for change in page {
            let missing = || "–".to_owned();
            let [before, after] = match &change.figure {
                Some(_) => [String::new(), cells(change).join("; ")],
                None => [&change.before, &change.after].map(|said| match said {
                    Some(_) if change.kind == StatementKind::Figure => "there".to_owned(),
                    Some(said) => said.clone(),
                    None => missing(),
                }),
            };
            let what = match change.kind {
                StatementKind::Value => code(&one_line(&change.written)),
                StatementKind::Claim => format!("claim {}", code(&one_line(&change.written))),
                StatementKind::Figure => change.written.clone(),
            };
            out.push_str(&format!(
                "| {} | {what} | {} | {} |\n",
                change.line,
                escaped(&before),
                escaped(&after)
            ));
        }
    }
    out
}

pub(super) fn json([from, to]: [&str; 2], changes: &[Change]) -> String {
    let all: Vec<Json> = changes
        .iter()
        .map(|change| {
            let figure = change.figure.as_ref().map(|figure| {
                let cells: Vec<Json> = figure
                    .cells
                    .iter()
                    .map(|cell| {
                        json!({
                            "row": cell.row,
                            "column": cell.column,
                            "before": cell.before,
                            "after": cell.after,
                        })
                    })
                    .collect();
                json!({
                    "cells": cells,
                    "spread": figure.spread,
                    "added": figure.added,
                    "removed": figure.removed,
                })
            });
            let is_figure = change.kind == StatementKind::Figure;
            let said = |said: &Option<String>| match said {
                Some(_) if is_figure => json!(true),
                Some(said) => json!(said),
                None => Json::Null,
            };
            json!({
                "page": change.page,
                "line": change.line,
                "column": change.column,
                "kind": kind(change.kind),
                "written": change.written,
                "before": said(&change.before),
                "after": said(&change.after),
                "figure": figure,
            })
        })
        .collect();
    let whole = json!({"from": from, "to": to, "changes": all});
    // Maps with texts as keys always have a JSON form.
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

fn kind(kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::Value => "value",
        StatementKind::Claim => "claim",
        StatementKind::Figure => "figure",
    }
}

/// What became of a statement.
fn sentence(change: &Change) -> String {
    let what = match change.kind {
        StatementKind::Value => "",
        StatementKind::Claim => "claim: ",
        StatementKind::Figure => &format!("{}: ", change.written),
    };
    let is_figure = change.kind == StatementKind::Figure;
    match (&change.before, &change.after, &change.figure) {
        (_, _, Some(figure)) => {
            let mut parts = Vec::new();
            for (number, words) in [
                (figure.cells.len(), "with another value"),
                (figure.spread, "with another spread only"),
                (figure.added, "new"),
                (figure.removed, "gone"),
            ] {
                let noun = if words.starts_with("with another value") {
                    "cell"
                } else {
                    "row"
                };
                if number > 0 {
                    parts.push(format!("{} {words}", count(number, noun)));
                }
            }
            format!("{what}{}", parts.join(", "))
        }
        (None, Some(_), None) if is_figure => format!("{what}new"),
        (Some(_), None, None) if is_figure => format!("{what}gone"),
        (Some(before), Some(after), None) => format!("{what}{before} → {after}"),
        (None, Some(after), None) => format!("{what}new: {after}"),
        (Some(before), None, None) => format!("{what}gone: {before}"),
        (None, None, None) => what.to_owned(),
    }
}

/// The cells of a figure that differ, a line each; the rest in one.
fn cells(change: &Change) -> Vec<String> {
    let Some(figure) = &change.figure else {
        return Vec::new();
    };
    let or_nothing = |text: &str| if text.is_empty() { "–" } else { text }.to_owned();
    let mut lines: Vec<String> = figure
        .cells
        .iter()
        .take(CELLS)
        .map(|cell| {
            format!(
                "{}, {}: {} → {}",
                cell.row,
                cell.column,
                or_nothing(&cell.before),
                or_nothing(&cell.after)
            )
        })
        .collect();
    if figure.cells.len() > CELLS {
        lines.push(format!("… and {} more", figure.cells.len() - CELLS));
    }
    lines
}

fn summary(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "no number and no verdict differs".to_owned();
    }
    let of_kind = |kind| changes.iter().filter(|it| it.kind == kind).count();
    let mut parts = Vec::new();
    for (kind, noun) in [
        (StatementKind::Value, "value"),
        (StatementKind::Claim, "verdict"),
        (StatementKind::Figure, "figure"),
    ] {
        let number = of_kind(kind);
        if number > 0 {
            parts.push(count(number, noun));
        }
    }
    let pages = changes
        .chunk_by(|one, other| one.page == other.page)
        .count();
    format!("{} on {}", parts.join(", "), count(pages, "page"))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') {
        return format!("`` {text} ``");
    }
    format!("`{text}`")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if "|\\`*_[]<>&#~".contains(letter) {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}
