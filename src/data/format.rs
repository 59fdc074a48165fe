//! The table of result formats, and the one shape that every reader gives: rows of cells with places.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::entry::Entry;
use super::receipt::Receipt;
use super::{delimited, gbak, json, time};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::MissingReason;
use crate::text::Unit;

/// A format of result files.
pub(super) struct Format {
    /// The name used in `format = "…"`.
    pub(super) name: &'static str,
    /// How names of such files end.
    extensions: &'static [&'static str],
    /// Whether a text looks like it.
    sniff: fn(&str) -> bool,
    /// Reads a file into a table; `None` when it has been reported as unreadable.
    read: for<'a> fn(&Input<'a>, &mut Receipt, &mut Report) -> Option<Table<'a>>,
}

/// Every format. Where several share an extension, the first whose content fits is taken.
pub(super) const FORMATS: &[Format] = &[
    Format {
        name: "gbak",
        extensions: &["log", "txt", "out"],
        sniff: gbak::sniff,
        read: gbak::read,
    },
    Format {
        name: "time",
        extensions: &["log", "txt", "out", "time"],
        sniff: time::sniff,
        read: time::read,
    },
    Format {
        name: "json",
        extensions: &["json"],
        sniff: json::sniff,
        read: json::read,
    },
    Format {
        name: "jsonl",
        extensions: &["jsonl", "ndjson"],
        sniff: json::sniff_lines,
        read: json::read_lines,
    },
    Format {
        name: "tsv",
        extensions: &["tsv", "tab"],
        sniff: delimited::sniff_tabs,
        read: delimited::read_tabs,
    },
    Format {
        name: "csv",
        extensions: &["csv"],
        sniff: delimited::sniff,
        read: delimited::read,
    },
];

/// A file to be read, with what its entry says about it.
pub(super) struct Input<'a> {
    /// The text.
    pub(super) source: &'a Arc<Source>,
    /// Its entry in the definition.
    pub(super) entry: &'a Entry,
    /// Whether our runner wrote it: values stand in base units, and an empty cell says nothing.
    pub(super) native: bool,
}

impl<'a> Input<'a> {
    /// The text, without a byte order mark that slipped through.
    pub(super) fn text(&self) -> &'a str {
        &self.source.text
    }

    /// A stretch of the text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }
}

/// What a reader gives.
#[derive(Debug, Default)]
pub(super) struct Table<'a> {
    /// The columns, in order.
    pub(super) columns: Vec<Column>,
    /// Row by row, as many cells a row as there are columns.
    pub(super) cells: Vec<Cell<'a>>,
    /// The one-based line of each row.
    pub(super) lines: Vec<u32>,
    /// Whether a tool wrote it, so that unused columns are no surprise.
    pub(super) of_tool: bool,
    /// Whether rows of the same case are repetitions by the format's nature.
    pub(super) replicates: bool,
    /// The decimal sign, where the format fixes it.
    pub(super) decimal: Option<char>,
}

/// A column of a table.
#[derive(Debug)]
pub(super) struct Column {
    /// Its name.
    pub(super) name: String,
    /// Where the name stands, if it does.
    pub(super) range: Range<usize>,
    /// The unit of bare numbers, where the format fixes it.
    pub(super) unit: Option<Unit>,
}

impl Column {
    /// A column that a format always gives, with the unit its numbers have.
    pub(super) fn of_tool(name: &str, unit: &str) -> Self {
        Self {
            name: name.to_owned(),
            range: 0..0,
            unit: Unit::parse(unit),
        }
    }
}

/// A cell with its place.
#[derive(Debug, Clone)]
pub(super) struct Cell<'a> {
    /// What it holds.
    pub(super) content: Content<'a>,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

/// What a cell holds.
#[derive(Debug, Clone)]
pub(super) enum Content<'a> {
    /// A text, still to be read.
    Text(Cow<'a, str>),
    /// A number in base units of the column's unit.
    Number(f64),
    /// No value, for a reason the format tells.
    Missing(Box<Told>),
    /// Nothing was said about this column in this row.
    Absent,
}

impl Content<'_> {
    /// No value; the definition may say `text` in other words under `word`.
    pub(super) fn missing(reason: MissingReason, word: &'static str, text: &str) -> Self {
        Self::Missing(Box::new(Told {
            reason,
            word,
            text: text.to_owned(),
        }))
    }
}

/// Why a format gives no value.
#[derive(Debug, Clone)]
pub(super) struct Told {
    /// The reason.
    pub(super) reason: MissingReason,
    /// The word under which the definition may say it in other words and languages.
    pub(super) word: &'static str,
    /// What is said to readers otherwise.
    pub(super) text: String,
}

/// Reads a result file in its format, which is given or found out.
pub(super) fn read<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    if input.text().trim().is_empty() {
        report.push(
            Diagnostic::new(Code::EmptyFile, format!("`{}` is empty", input.source.path))
                .in_file(&*input.source.path)
                .at(input.entry.span.clone(), "named here"),
        );
        return None;
    }
    let Some(format) = choose(input) else {
        let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        report.push(
            Diagnostic::new(
                Code::UnknownFormat,
                format!("`{}` is in no format that can be read", input.source.path),
            )
            .at(input.entry.span.clone(), "")
            .help(format!(
                "name it with `format = \"…\"`; there are `{}`",
                names.join("`, `")
            )),
        );
        return None;
    };
    receipt.format = format.name;
    (format.read)(input, receipt, report)
}

fn choose(input: &Input<'_>) -> Option<&'static Format> {
    if let Some(name) = &input.entry.format {
        return FORMATS.iter().find(|format| format.name == name);
    }
    let extension = input
        .source
        .path
        .rsplit_once('.')
        .map_or("", |(_, end)| end)
        .to_lowercase();
    let fits = |format: &&Format| format.extensions.contains(&&*extension);
    let mut named = FORMATS.iter().filter(fits);
    match (named.next(), named.next()) {
        (Some(only), None) => Some(only),
        _ => {
            let text = input.text();
            let by_name = FORMATS
                .iter()
                .filter(fits)
                .find(|format| (format.sniff)(text));
            by_name.or_else(|| FORMATS.iter().find(|format| (format.sniff)(text)))
        }
    }
}
