//! JSON results: a list of flat objects, the same under `rows`, or one object a line.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::format::{Cell, Column, Content, Input, Table};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Report};

/// Whether a text is a list of objects or an object with `rows`.
pub(super) fn sniff(text: &str) -> bool {
    let text = text.trim_start();
    (text.starts_with('[') || text.starts_with('{')) && !sniff_lines(text)
}

/// Whether each of the first two lines is an object of its own.
pub(super) fn sniff_lines(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut whole = || {
        lines
            .next()
            .map(|line| line.starts_with('{') && line.ends_with('}'))
    };
    whole() == Some(true) && whole() != Some(false) && !text.contains("\"rows\"")
}

/// Reads a list of flat objects, or one of them.
pub(super) fn read<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let text = input.text();
    let objects = if text.trim_start().starts_with('{') {
        let top: Object<'a> = parse(input, text, report)?;
        // One flat object is one row.
        if !top.0.is_empty() && top.0.iter().all(|(_, value)| scalar(value).is_some()) {
            let mut grid = Grid::default();
            grid.add(input, text, report);
            return grid.table(input, receipt, report);
        }
        let Some((_, rows)) = top.0.iter().find(|(key, _)| key == "rows") else {
            report.push(
                Diagnostic::new(Code::BadResultFile, "the object has no list `rows`")
                    .at(input.span(0..text.len().min(1)), "")
                    .help("a result file is a list of flat objects, `[{\"threads\": 4, \"tps\": 812.4}, …]`, or an object with such a list under `rows`"),
            );
            return None;
        };
        parse::<Vec<&RawValue>>(input, rows.get(), report)?
    } else {
        parse::<Vec<&RawValue>>(input, text, report)?
    };
    let mut grid = Grid::default();
    for raw in objects {
        grid.add(input, raw.get(), report);
    }
    grid.table(input, receipt, report)
}

/// Reads one flat object a line.
pub(super) fn read_lines<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let mut grid = Grid::default();
    for line in input.text().lines().filter(|line| !line.trim().is_empty()) {
        grid.add(input, line, report);
    }
    grid.table(input, receipt, report)
}

/// Where a part of the input's text stands in it.
fn offset(input: &Input<'_>, part: &str) -> usize {
    part.as_ptr() as usize - input.text().as_ptr() as usize
}

fn parse<'a, T: Deserialize<'a>>(
    input: &Input<'a>,
    part: &'a str,
    report: &mut Report,
) -> Option<T> {
    match serde_json::from_str(part) {
        Ok(value) => Some(value),
        Err(error) => {
            // Its columns count bytes; a column past the end means that the text stops too early.
            let line = input.text()[offset(input, part)..]
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1))
                .map(str::len)
                .sum::<usize>();
            let at = (line + error.column().saturating_sub(1)).min(part.len());
            let at = offset(input, part) + at;
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            report.push(
                Diagnostic::new(
                    Code::BadResultFile,
                    format!("this is no JSON that can be used: {message}"),
                )
                .at(input.span(at..at + 1), ""),
            );
            None
        }
    }
}

/// An object with its keys in order and its values unread.
struct Object<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for Object<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = Object<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Object(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

/// The cells an object has, each with its column.
type Sparse<'a> = Vec<(usize, Cell<'a>)>;

/// Objects gathered under the union of their keys.
#[derive(Default)]
struct Grid<'a> {
    columns: Vec<Column>,
    index: HashMap<String, usize>,
    rows: Vec<(Range<usize>, Sparse<'a>)>,
}

impl<'a> Grid<'a> {
    fn add(&mut self, input: &Input<'a>, part: &'a str, report: &mut Report) {
        let Some(object) = parse::<Object<'a>>(input, part, report) else {
            return;
        };
        let start = offset(input, part);
        let mut row: Sparse<'a> = Vec::with_capacity(object.0.len());
        let mut seen = BTreeSet::new();
        for (key, raw) in object.0 {
            let start = offset(input, raw.get());
            let range = start..start + raw.get().len();
            let Some(text) = scalar(raw) else {
                report.push(
                    Diagnostic::new(
                        Code::BadResultFile,
                        format!("`{key}` holds a list or object"),
                    )
                    .at(input.span(range), "")
                    .help("the objects of a result file hold only texts and numbers"),
                );
                continue;
            };
            let column = *self.index.entry(key).or_insert_with_key(|key| {
                let range = range.clone();
                self.columns.push(Column {
                    name: key.clone(),
                    range,
                    unit: None,
                });
                self.columns.len() - 1
            });
            if !seen.insert(column) {
                let name = &self.columns[column].name;
                report.push(
                    Diagnostic::new(
                        Code::BadResultFile,
                        format!("`{name}` stands twice in an object"),
                    )
                    .at(input.span(range), ""),
                );
                continue;
            }
            row.push((
                column,
                Cell {
                    content: Content::Text(text),
                    range,
                },
            ));
        }
        self.rows.push((start..start + part.len(), row));
    }

    /// The grid as a table; objects whose keys have next to nothing in common make none.
    fn table(
        self,
        input: &Input<'a>,
        receipt: &mut Receipt,
        report: &mut Report,
    ) -> Option<Table<'a>> {
        const MOST_GAPS: usize = 4_000_000;
        receipt.rows = self.rows.len();
        let width = self.columns.len();
        let filled: usize = self.rows.iter().map(|(_, row)| row.len()).sum();
        if width.saturating_mul(self.rows.len()).saturating_sub(filled) > MOST_GAPS {
            report.push(
                Diagnostic::new(
                    Code::BadResultFile,
                    format!("the objects have {width} keys and hardly any in common"),
                )
                .at(input.span(0..input.text().len().min(1)), "")
                .help("use the same keys in every object, with a column for what varies"),
            );
            return None;
        }
        let mut table = Table {
            columns: self.columns,
            decimal: Some('.'),
            ..Table::default()
        };
        let (mut line, mut counted) = (1, 0);
        for (range, row) in self.rows {
            let begin = table.cells.len();
            let empty = Cell {
                content: Content::Absent,
                range: range.clone(),
            };
            table.cells.resize(begin + width, empty);
            for (column, cell) in row {
                table.cells[begin + column] = cell;
            }
            let passed = &input.text().as_bytes()[counted..range.start];
            line += passed.iter().filter(|&&byte| byte == b'\n').count() as u32;
            counted = range.start;
            table.lines.push(line);
        }
        Some(table)
    }
}

/// A text, number, truth value or null as text; null is an empty cell.
fn scalar(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = raw.get();
    match text.as_bytes().first()? {
        b'[' | b'{' => None,
        b'n' => Some(Cow::Borrowed("")),
        b'"' => serde_json::from_str(text).ok().map(Cow::Owned),
        _ => Some(Cow::Borrowed(text)),
    }
}
