//! A comparison as Markdown, for a pull request.

use super::shape::{Compared, assumed, interval, ratio};
use crate::analysis::Verdict;

pub(super) fn text(compared: &Compared<'_>) -> String {
    let [from, to] = compared.names.each_ref().map(|name| code(name));
    let experiment = code(&compared.experiment.definition.key);
    let mut out = format!(
        "### {experiment}: {from} → {to}\n\n**{}**\n",
        compared.summary()
    );
    let [from, to] = compared.heads().map(|head| code(&head));
    let rows = &compared.found.rows;
    let head = cell(&compared.case_head());
    for part in rows.chunk_by(|one, other| one.metric == other.metric) {
        out.push_str(&format!(
            "\n{}\n\n| {head} | {from} | {to} | Ratio | 95% interval | Verdict |\n\
             |---|---:|---:|---:|---|---|\n",
            cell(&compared.metric(part[0].metric))
        ));
        for row in part {
            let [of_ratio, of_interval] = match &row.comparison {
                Some(it) => [ratio(it.ratio), interval(it.interval) + assumed(it)],
                None => ["–", ""].map(str::to_owned),
            };
            let verdict = cell(&compared.verdict(row));
            let is_strong = row.is_lost()
                || row
                    .comparison
                    .is_some_and(|it| matches!(it.verdict, Verdict::Better | Verdict::Worse));
            let verdict = if is_strong {
                format!("**{verdict}**")
            } else {
                verdict
            };
            out.push_str(&format!(
                "| {} | {} | {} | {of_ratio} | {} | {verdict} |\n",
                cell(&compared.case(row)),
                cell(&compared.value(row.metric, &row.from)),
                cell(&compared.value(row.metric, &row.to)),
                cell(&of_interval),
            ));
        }
    }
    out.push_str(&format!("\n{}\n", cell(&compared.method())));
    if rows
        .iter()
        .filter_map(|row| row.comparison.as_ref())
        .any(|it| !assumed(it).is_empty())
    {
        out.push_str("\n\\* fewer than three samples on a side: an assumed spread\n");
    }
    for (case, why) in compared.lost() {
        out.push_str(&format!("\nIn {to}, {}: {}\n", cell(&case), cell(&why)));
    }
    if let Some(alone) = compared.alone() {
        out.push_str(&format!("\n{}\n", cell(&alone)));
    }
    let differences = compared.differences();
    if !differences.is_empty() {
        out.push_str(&format!(
            "\nNot the same on both sides:\n\n| | {from} | {to} |\n|---|---|---|\n"
        ));
        for difference in differences {
            let [from, to] = difference
                .values
                .map(|it| it.map_or_else(|| "unknown".to_owned(), |it| cell(&it)));
            out.push_str(&format!("| {} | {from} | {to} |\n", cell(&difference.key)));
        }
    }
    out
}

/// A text that stands in a cell of a table, and means nothing but itself.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\n' | '\r' => out.push(' '),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '#' | '~' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

/// A name as code.
fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ").replace('|', "\\|");
    if text.contains('`') {
        return format!("`` {text} ``");
    }
    format!("`{text}`")
}
