//! What `time` prints: bash, POSIX `-p`, dash, and GNU time in its short and long form.

use std::ops::Range;

use super::format::{Cell, Column, Content, Input, Table};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Report};
use crate::model::MissingReason;

/// What the formats give: name, unit, and the name in GNU's long form.
const COLUMNS: [(&str, &str, &str); 12] = [
    ("real", "s", "Elapsed (wall clock) time (h:mm:ss or m:ss)"),
    ("user", "s", "User time (seconds)"),
    ("sys", "s", "System time (seconds)"),
    ("cpu", "%", "Percent of CPU this job got"),
    ("max_rss", "B", "Maximum resident set size (kbytes)"),
    ("major_faults", "", "Major (requiring I/O) page faults"),
    ("minor_faults", "", "Minor (reclaiming a frame) page faults"),
    ("voluntary_switches", "", "Voluntary context switches"),
    ("involuntary_switches", "", "Involuntary context switches"),
    ("swaps", "", "Swaps"),
    ("inputs", "", "File system inputs"),
    ("outputs", "", "File system outputs"),
];
const REAL: usize = 0;
const USER: usize = 1;
const SYS: usize = 2;

/// Whether a line of the text is one that `time` prints.
pub(super) fn sniff(text: &str) -> bool {
    text.lines().any(|line| {
        let words = short_word(line).is_some_and(|(_, rest)| clock(rest).is_some());
        words || line.contains("Elapsed (wall clock) time") || gnu_short(line).is_some()
    })
}

/// One command's figures.
#[derive(Default)]
struct Block {
    figures: [Option<(f64, Range<usize>)>; COLUMNS.len()],
    line: u32,
    range: Range<usize>,
    failure: Option<String>,
}

/// Reads every command's figures in a file; several commands are repetitions.
pub(super) fn read<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let mut reader = Reader {
        input,
        blocks: Vec::new(),
        failure: None,
    };
    let mut start = 0;
    for (index, line) in input.text().split_inclusive('\n').enumerate() {
        let body = line.trim_end_matches(['\n', '\r']);
        let range = start..start + body.len();
        start += line.len();
        if !reader.line(body, &range, index as u32 + 1, receipt) && !body.trim().is_empty() {
            receipt.ignored_lines += 1;
        }
    }
    if reader.blocks.is_empty() {
        report.push(
            Diagnostic::new(
                Code::BadResultFile,
                "no figures of `time` stand in this file",
            )
            .at(
                input.span(0..input.text().lines().next().map_or(0, str::len)),
                "",
            )
            .help("expected lines such as `real 0m1.234s`, or what GNU time prints"),
        );
        return None;
    }
    receipt.rows = reader.blocks.len();
    Some(table(reader.blocks))
}

fn table<'a>(blocks: Vec<Block>) -> Table<'a> {
    let columns = COLUMNS
        .iter()
        .map(|(name, unit, _)| Column::of_tool(name, unit))
        .collect();
    let mut table = Table {
        columns,
        of_tool: true,
        replicates: true,
        decimal: Some('.'),
        ..Table::default()
    };
    for block in blocks {
        table.lines.push(block.line);
        for figure in block.figures {
            let (content, range) = match (&block.failure, figure) {
                (Some(failure), _) => (
                    Content::missing(MissingReason::Failed, "failed", failure),
                    block.range.clone(),
                ),
                (None, Some((number, range))) => (Content::Number(number), range),
                (None, None) => (Content::Absent, block.range.clone()),
            };
            table.cells.push(Cell { content, range });
        }
    }
    table
}

struct Reader<'i, 'a> {
    input: &'i Input<'a>,
    blocks: Vec<Block>,
    /// A failure that was told before its command's figures.
    failure: Option<String>,
}

impl Reader<'_, '_> {
    /// Takes a line; `false` when `time` didn't print it.
    fn line(
        &mut self,
        line: &str,
        range: &Range<usize>,
        number: u32,
        receipt: &mut Receipt,
    ) -> bool {
        let text = line.trim();
        let failed = [
            "Command exited with non-zero status",
            "Command terminated by signal",
        ];
        if failed.iter().any(|words| text.starts_with(words)) {
            self.failure = Some(text.to_owned());
            return true;
        }
        if text.starts_with("Command being timed:") {
            self.open(number, range);
            return true;
        }
        if let Some(figures) = gnu_short(text) {
            self.open(number, range);
            for (column, figure) in [USER, SYS, REAL].into_iter().zip(figures) {
                self.put(column, figure, range);
            }
            self.rest_of_short(text, range);
            return true;
        }
        if text.ends_with("swaps") && text.contains("pagefaults") {
            self.rest_of_short(text, range);
            return true;
        }
        if let Some((column, rest)) = short_word(text) {
            let Some((seconds, repaired)) = clock(rest) else {
                return false;
            };
            let known = self
                .blocks
                .last()
                .is_some_and(|block| block.figures[column].is_none());
            if !known
                || self
                    .blocks
                    .last()
                    .is_none_or(|block| !block.is_short(number))
            {
                self.open(number, range);
            }
            self.put(column, seconds, range);
            if repaired {
                receipt.remark(
                    self.input.span(range.clone()),
                    format!(
                        "a blank inside the number was passed over: `{}` was read as {seconds} s",
                        rest.trim()
                    ),
                );
            }
            return true;
        }
        self.long(text, range)
    }

    fn open(&mut self, line: u32, range: &Range<usize>) {
        let failure = self.failure.take();
        self.blocks.push(Block {
            line,
            range: range.clone(),
            failure,
            ..Block::default()
        });
    }

    fn put(&mut self, column: usize, figure: f64, range: &Range<usize>) {
        if let Some(block) = self.blocks.last_mut() {
            block.figures[column] = Some((figure, range.clone()));
        }
    }

    /// `0%CPU (0avgtext+0avgdata 1432maxresident)k`, `0inputs+0outputs (0major+80minor)pagefaults 0swaps`.
    fn rest_of_short(&mut self, text: &str, range: &Range<usize>) {
        const PARTS: [(&str, &str, f64); 7] = [
            ("%CPU", "cpu", 0.01),
            ("maxresident", "max_rss", 1024.0),
            ("major", "major_faults", 1.0),
            ("minor", "minor_faults", 1.0),
            ("swaps", "swaps", 1.0),
            ("inputs", "inputs", 1.0),
            ("outputs", "outputs", 1.0),
        ];
        for (word, name, scale) in PARTS {
            let Some((before, _)) = text.split_once(word) else {
                continue;
            };
            let digits = before.rsplit(|sign: char| !sign.is_ascii_digit()).next();
            let number = digits.and_then(|digits| digits.parse::<f64>().ok());
            let column = COLUMNS.iter().position(|(column, _, _)| *column == name);
            if let (Some(number), Some(column)) = (number, column) {
                self.put(column, number * scale, range);
            }
        }
    }

    /// A line of GNU's long form.
    fn long(&mut self, text: &str, range: &Range<usize>) -> bool {
        if let Some(status) = text.strip_prefix("Exit status: ") {
            if status != "0"
                && let Some(block) = self.blocks.last_mut()
                && block.failure.is_none()
            {
                block.failure = Some(format!("Command exited with non-zero status {status}"));
            }
            return true;
        }
        let Some((name, value)) = text.rsplit_once(": ") else {
            return false;
        };
        let Some(column) = COLUMNS.iter().position(|(_, _, long)| *long == name) else {
            return false;
        };
        let value = value.trim();
        let figure = match COLUMNS[column].0 {
            "real" => wall_clock(value),
            "cpu" => value
                .strip_suffix('%')
                .and_then(seconds)
                .map(|percent| percent / 100.0),
            "max_rss" => seconds(value).map(|kilobytes| kilobytes * 1024.0),
            _ => seconds(value),
        };
        // `?` stands where the share of the processor can't be told.
        if let Some(figure) = figure {
            self.put(column, figure, range);
        }
        true
    }
}

impl Block {
    /// Whether a line may still belong to this block of `real`, `user` and `sys`.
    fn is_short(&self, line: u32) -> bool {
        line <= self.line + 4 && self.figures[REAL].is_some()
    }
}

/// `real`, `user` or `sys` at the beginning of a line, and what follows.
fn short_word(line: &str) -> Option<(usize, &str)> {
    let line = line.trim();
    ["real", "user", "sys"]
        .into_iter()
        .enumerate()
        .find_map(|(column, word)| {
            let rest = line.strip_prefix(word)?;
            rest.starts_with([' ', '\t']).then_some((column, rest))
        })
}

/// Seconds in `0m1.234s`, `0m1,234s` or `1.23`; and whether a stray blank was passed over.
fn clock(text: &str) -> Option<(f64, bool)> {
    let text = text.trim();
    let joined: String = text.split_whitespace().collect();
    let repaired = joined.len() != text.len();
    let point = joined.replace(',', ".");
    let total = match point.split_once('m') {
        Some((minutes, rest)) => seconds(minutes)? * 60.0 + seconds(rest.strip_suffix('s')?)?,
        None if repaired => return None,
        None => seconds(&point)?,
    };
    Some((total, repaired))
}

/// Digits with at most one point.
fn seconds(text: &str) -> Option<f64> {
    let digits = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    if digits && text.starts_with(|sign: char| sign.is_ascii_digit()) {
        text.parse().ok()
    } else {
        None
    }
    .filter(|number: &f64| number.is_finite())
}

/// `h:mm:ss` or `m:ss.cc`.
fn wall_clock(text: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut parts = 0;
    for part in text.split(':') {
        total = total * 60.0 + seconds(part)?;
        parts += 1;
    }
    ((2..=3).contains(&parts) && total.is_finite()).then_some(total)
}

/// `0.00user 0.00system 0:00.14elapsed …`: user, system and elapsed seconds.
fn gnu_short(line: &str) -> Option<[f64; 3]> {
    let mut words = line.split_whitespace();
    let user = seconds(words.next()?.strip_suffix("user")?)?;
    let system = seconds(words.next()?.strip_suffix("system")?)?;
    let elapsed = wall_clock(words.next()?.strip_suffix("elapsed")?)?;
    Some([user, system, elapsed])
}
