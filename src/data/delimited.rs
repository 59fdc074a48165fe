//! Plain tables: cells between commas, semicolons or tabs, with the exact place of each cell.
//!
//! The `csv` crate writes such tables elsewhere in this room; here every cell's byte range is needed
//! for carets, and an unclosed quotation mark must be a fault instead of a very long cell.

use std::borrow::Cow;
use std::ops::Range;

use super::format::{Cell, Column, Content, Input, Table};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Report};

/// Whether the first two lines are cut into equally many cells.
pub(super) fn sniff(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else {
        return false;
    };
    [',', ';', '\t'].into_iter().any(|sign| {
        let cells = first.matches(sign).count();
        cells > 0 && cells == second.matches(sign).count()
    })
}

/// Whether the first two lines are cut by tabs.
pub(super) fn sniff_tabs(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let mut tabs = || lines.next().map_or(0, |line| line.matches('\t').count());
    let (first, second) = (tabs(), tabs());
    first > 0 && first == second
}

/// Reads a table whose delimiter is given or seen in its header.
pub(super) fn read<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let header = input
        .text()
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or("");
    let delimiter = input
        .entry
        .delimiter
        .unwrap_or_else(|| delimiter(header, input.entry.reading.decimal));
    split(input, delimiter, receipt, report)
}

/// Reads a table cut by tabs.
pub(super) fn read_tabs<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    split(
        input,
        input.entry.delimiter.unwrap_or('\t'),
        receipt,
        report,
    )
}

/// The sign that cuts a header most often; a decimal comma can't be one.
fn delimiter(header: &str, decimal: char) -> char {
    let mut quoted = false;
    let mut counts = [('\t', 0), (';', 0), (',', 0)];
    for letter in header.chars() {
        quoted ^= letter == '"';
        for (sign, count) in &mut counts {
            *count += usize::from(!quoted && letter == *sign && *sign != decimal);
        }
    }
    // The last of equals wins: the comma, when there is nothing to count.
    let best = counts.into_iter().max_by_key(|&(_, count)| count);
    best.filter(|&(_, count)| count > 0)
        .map_or(',', |(sign, _)| sign)
}

fn split<'a>(
    input: &Input<'a>,
    delimiter: char,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let mut rows = Rows::new(input.text(), delimiter as u8);
    let mut header = Vec::new();
    let first = rows.next_row(&mut header)?;
    if let Some(open) = first.open_quote {
        report_open_quote(input, open, report);
        return None;
    }
    let mut table = Table {
        columns: columns(input, header, report)?,
        ..Table::default()
    };
    let width = table.columns.len();
    let lines = input.text().len() / 16;
    // A cell takes a byte at least, whatever the first line promises.
    table.cells.reserve((lines * width).min(input.text().len()));
    table.lines.reserve(lines);
    let mut ragged = 0;
    while let Some(row) = {
        let begin = table.cells.len();
        rows.next_row(&mut table.cells).map(|row| (begin, row))
    } {
        let (begin, row) = row;
        let found = table.cells.len() - begin;
        if found == width && row.open_quote.is_none() {
            table.lines.push(row.line);
            continue;
        }
        table.cells.truncate(begin);
        if input.native && rows.at == input.text().len() && !input.text().ends_with('\n') {
            receipt.remark(
                input.span(row.range),
                "the last row was cut off while it was written; it was left out",
            );
        } else if let Some(open) = row.open_quote {
            report_open_quote(input, open, report);
        } else {
            ragged += 1;
            report_ragged(input, &table, found, &row, ragged, report);
        }
    }
    receipt.rows = table.lines.len();
    Some(table)
}

fn columns(input: &Input<'_>, header: Vec<Cell<'_>>, report: &mut Report) -> Option<Vec<Column>> {
    let mut columns: Vec<Column> = Vec::new();
    let mut fine = true;
    for cell in header {
        let Content::Text(name) = cell.content else {
            continue;
        };
        if let Some(first) = columns.iter().find(|column| column.name == *name) {
            fine = false;
            report.push(
                Diagnostic::new(
                    Code::BadResultFile,
                    format!("two columns have the name `{name}`"),
                )
                .at(input.span(cell.range.clone()), "")
                .at(input.span(first.range.clone()), "the first one"),
            );
        }
        columns.push(Column {
            name: name.into_owned(),
            range: cell.range,
            unit: None,
        });
    }
    fine.then_some(columns)
}

fn report_open_quote(input: &Input<'_>, at: usize, report: &mut Report) {
    report.push(
        Diagnostic::new(Code::BadResultFile, "a quotation mark is never closed")
            .at(input.span(at..at + 1), "opened here")
            .help("close it, or write it twice (`\"\"`) where it belongs to the text"),
    );
}

/// At most this many rows of a file are reported one by one.
const SHOWN: usize = 20;

fn report_ragged(
    input: &Input<'_>,
    table: &Table<'_>,
    found: usize,
    row: &Row,
    count: usize,
    report: &mut Report,
) {
    if count > SHOWN {
        return;
    }
    let cells = |count: usize| {
        if count == 1 {
            "1 cell".into()
        } else {
            format!("{count} cells")
        }
    };
    let width = table.columns.len();
    let mut fault = Diagnostic::new(
        Code::RaggedRow,
        format!(
            "the row has {} and the header {}",
            cells(found),
            cells(width)
        ),
    )
    .at(input.span(row.range.clone()), cells(found));
    if let (Some(first), Some(last)) = (table.columns.first(), table.columns.last()) {
        fault = fault.at(input.span(first.range.start..last.range.end), cells(width));
    }
    fault = fault.help(if found > width {
        "put a cell that contains the delimiter between quotation marks"
    } else {
        "write every cell, with the reason (`not-run`, `failed`, …) where there is no value"
    });
    if count == SHOWN {
        fault = fault.note("further such rows of this file are not listed");
    }
    report.push(fault);
}

/// The rows of a plain table, one after another.
pub(super) struct Rows<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    delimiter: u8,
}

/// One row of a plain table.
pub(super) struct Row {
    /// Its one-based line.
    line: u32,
    /// Where it stands.
    pub(super) range: Range<usize>,
    /// Where a quotation mark stands that is never closed.
    pub(super) open_quote: Option<usize>,
}

impl<'a> Rows<'a> {
    /// The rows of a text.
    pub(super) fn new(text: &'a str, delimiter: u8) -> Self {
        Self {
            text,
            at: 0,
            line: 1,
            delimiter,
        }
    }

    /// Adds the next row's cells; `None` at the end. Blank lines are passed over.
    pub(super) fn next_row(&mut self, cells: &mut Vec<Cell<'a>>) -> Option<Row> {
        let bytes = self.text.as_bytes();
        let blank = |byte: &u8| matches!(byte, b' ' | b'\r' | b'\n');
        let mut start = self.at;
        let mut probe = self.at;
        while let Some(byte) = bytes.get(probe).filter(|byte| blank(byte)) {
            probe += 1;
            if *byte == b'\n' {
                self.line += 1;
                start = probe;
            }
        }
        if probe >= bytes.len() {
            return None;
        }
        let line = self.line;
        let mut at = start;
        loop {
            let (cell, end) = match self.cell(at) {
                Ok(found) => found,
                Err(open) => {
                    self.at = bytes.len();
                    return Some(Row {
                        line,
                        range: start..open,
                        open_quote: Some(open),
                    });
                }
            };
            cells.push(cell);
            if bytes.get(end) == Some(&self.delimiter) {
                at = end + 1;
                continue;
            }
            self.at = (end + 1).min(bytes.len());
            self.line += u32::from(end < bytes.len());
            let range = start..start + self.text[start..end].trim_end().len();
            return Some(Row {
                line,
                range,
                open_quote: None,
            });
        }
    }

    /// The cell that begins at `start`, and where its delimiter or line end stands.
    fn cell(&mut self, start: usize) -> Result<(Cell<'a>, usize), usize> {
        let bytes = self.text.as_bytes();
        let mut at = start;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        if bytes.get(at) == Some(&b'"') {
            return self.quoted(at);
        }
        let rest = &bytes[start..];
        let stop = |byte: &u8| *byte == self.delimiter || *byte == b'\n';
        let end = start + rest.iter().position(stop).unwrap_or(rest.len());
        let raw = &self.text[start..end];
        let from = start + (raw.len() - raw.trim_start().len());
        let text = raw.trim();
        let range = from..from + text.len();
        Ok((
            Cell {
                content: Content::Text(Cow::Borrowed(text)),
                range,
            },
            end,
        ))
    }

    fn quoted(&mut self, open: usize) -> Result<(Cell<'a>, usize), usize> {
        let bytes = self.text.as_bytes();
        let mut at = open + 1;
        let mut doubled = false;
        let close = loop {
            match bytes.get(at) {
                None => return Err(open),
                Some(b'"') if bytes.get(at + 1) == Some(&b'"') => {
                    doubled = true;
                    at += 2;
                }
                Some(b'"') => break at,
                Some(byte) => {
                    self.line += u32::from(*byte == b'\n');
                    at += 1;
                }
            }
        };
        let inner = &self.text[open + 1..close];
        let rest = &bytes[close + 1..];
        let stop = |byte: &u8| *byte == self.delimiter || *byte == b'\n';
        let end = close + 1 + rest.iter().position(stop).unwrap_or(rest.len());
        let trailing = self.text[close + 1..end].trim_end();
        let text = if doubled || !trailing.is_empty() {
            Cow::Owned(inner.replace("\"\"", "\"") + trailing)
        } else {
            Cow::Borrowed(inner)
        };
        let range = open..close + 1 + trailing.len();
        Ok((
            Cell {
                content: Content::Text(text),
                range,
            },
            end,
        ))
    }
}
