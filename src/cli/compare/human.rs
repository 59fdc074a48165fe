//! A comparison for a terminal: a table for each metric, narrow enough for the width at hand.

use anstyle::{AnsiColor, Style};

use super::super::amounts::{Side, columns, wide};
use super::shape::{Compared, assumed, interval, ratio};
use crate::analysis::{Shared, Verdict};

pub(super) fn text(compared: &Compared<'_>, width: usize) -> String {
    let [from, to] = compared.names;
    let mut out = format!("{}: {from} → {to}\n", compared.experiment.definition.key);
    let rows = &compared.found.rows;
    for part in rows.chunk_by(|one, other| one.metric == other.metric) {
        let metric = part[0].metric;
        out.push_str(&format!("\n{}\n", compared.metric(metric)));
        out.push_str(&table(compared, part, width));
    }
    out.push_str(&format!("\n{}\n", compared.summary()));
    out.push_str(&format!("{}\n", compared.method()));
    if rows
        .iter()
        .filter_map(|row| row.comparison.as_ref())
        .any(|it| !assumed(it).is_empty())
    {
        out.push_str("* fewer than three samples on a side: an assumed spread\n");
    }
    for (case, why) in compared.lost() {
        out.push_str(&format!("in B, {case}: {why}\n"));
    }
    if let Some(alone) = compared.alone() {
        out.push_str(&format!("{alone}\n"));
    }
    out.push_str(&environment(compared, width));
    out
}

/// One line for each case; where that is too wide, the verdict goes below it, and then the values too.
fn table(compared: &Compared<'_>, rows: &[Shared], width: usize) -> String {
    let [from, to] = compared.heads();
    let head = ["", &from, &to, "B/A", "95% interval", "verdict"];
    let mut cells = vec![head.map(str::to_owned).to_vec()];
    cells[0][0] = compared.case_head();
    cells.extend(rows.iter().map(|row| {
        let [of_ratio, of_interval] = match &row.comparison {
            Some(it) => [ratio(it.ratio), interval(it.interval) + assumed(it)],
            None => ["–", ""].map(str::to_owned),
        };
        vec![
            compared.case(row),
            compared.value(row.metric, &row.from),
            compared.value(row.metric, &row.to),
            of_ratio,
            of_interval,
            painted(row, &compared.verdict(row)),
        ]
    }));
    let sides = [
        Side::Left,
        Side::Right,
        Side::Right,
        Side::Right,
        Side::Left,
        Side::Left,
    ];
    let text = columns(&cells, &sides, 2);
    if text.lines().all(|line| wide(line) <= width) {
        return text;
    }
    // Names of runs are long: the sides go by letters then.
    for (cell, name) in cells[0][1..3].iter_mut().zip(["A", "B"]) {
        *cell = name.to_owned();
    }
    let text = columns(&cells, &sides, 2);
    if text.lines().all(|line| wide(line) <= width) {
        return text;
    }
    stacked(&cells, &sides)
}

/// Each case on a line of its own, with its values below.
fn stacked(cells: &[Vec<String>], sides: &[Side]) -> String {
    let (head, rows) = cells.split_at(1);
    let values: Vec<Vec<String>> = cells.iter().map(|row| row[1..5].to_vec()).collect();
    let values = columns(&values, &sides[1..5], 4);
    let mut lines = values.lines();
    let mut out = format!("  {}\n{}\n", head[0][0], lines.next().unwrap_or_default());
    for (row, line) in rows.iter().zip(lines) {
        out.push_str(&format!("  {}: {}\n{line}\n", row[0], row[5]));
    }
    out
}

fn painted(row: &Shared, text: &str) -> String {
    let colour = match row.comparison.map(|it| it.verdict) {
        Some(Verdict::Better) => AnsiColor::Green,
        Some(Verdict::Worse) => AnsiColor::Red,
        Some(Verdict::Undecided) => AnsiColor::Yellow,
        None if row.is_lost() => AnsiColor::Red,
        Some(Verdict::Same) | None => return text.to_owned(),
    };
    let style = Style::new().fg_color(Some(colour.into()));
    format!("{style}{text}{style:#}")
}

fn environment(compared: &Compared<'_>, width: usize) -> String {
    let differences = compared.differences();
    if differences.is_empty() {
        return String::new();
    }
    let mut out = "\nnot the same on both sides\n".to_owned();
    let unknown = || "unknown".to_owned();
    let mut rows = Vec::new();
    for difference in &differences {
        let [from, to] = difference
            .values
            .clone()
            .map(|it| it.unwrap_or_else(unknown));
        rows.push(vec![difference.key.clone(), format!("{from} → {to}")]);
    }
    let text = columns(&rows, &[Side::Left, Side::Left], 2);
    if text.lines().all(|line| wide(line) <= width) {
        out.push_str(&text);
        return out;
    }
    for (row, difference) in rows.iter().zip(&differences) {
        let [from, to] = difference
            .values
            .clone()
            .map(|it| it.unwrap_or_else(unknown));
        out.push_str(&format!("  {}\n    A: {from}\n    B: {to}\n", row[0]));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_wide_is_stacked() {
        let row = |cells: [&str; 6]| cells.map(str::to_owned).to_vec();
        let cells = [
            row(["Case", "A", "B", "B/A", "95% interval", "verdict"]),
            row(["one", "1.5", "20", "13.33", "13.1–13.5", "better"]),
            row(["another", "failed", "2", "–", "", "–"]),
        ];
        let sides = [Side::Right; 6];
        assert_eq!(
            stacked(&cells, &sides),
            "  Case\n         A   B    B/A  95% interval\n  one: better\n       1.5  20  13.33     13.1–13.5\n  \
             another: –\n    failed   2      –\n"
        );
    }
}
