//! gbak's verbose log with statistics (`-v -st tdrw`).
//!
//! gbak announces a step *before* it does it, and the figures on a line say what was used up to
//! that line. So a step's own duration, reads and writes stand on the next line with figures.

use std::ops::Range;

use super::format::{Cell, Column, Content, Input, Table};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Report};
use crate::model::MissingReason;

/// The statistics in the order in which gbak prints them: letter's word in the header, column's
/// name, unit.
const STATISTICS: [(&str, &str, &str); 4] = [
    ("time", "time", "s"),
    ("delta", "delta", "s"),
    ("reads", "reads", ""),
    ("writes", "writes", ""),
];
const TIME: usize = 0;
const DELTA: usize = 1;
const READS: usize = 2;
const WRITES: usize = 3;

/// How the lines of the steps begin when the definition doesn't say.
const STEPS_OF: &str = "activating and creating deferred index";

/// Whether a text has gbak's lines.
pub(super) fn sniff(text: &str) -> bool {
    text.lines()
        .any(|line| line.trim_start().starts_with("gbak:"))
}

/// A line with figures.
struct Line<'a> {
    figures: [Option<f64>; 4],
    words: &'a str,
    number: u32,
    range: Range<usize>,
    /// What went wrong between this line and the next.
    trouble: Option<&'a str>,
}

/// Reads the steps of a log, or without `steps` the whole log as one sample.
pub(super) fn read<'a>(
    input: &Input<'a>,
    receipt: &mut Receipt,
    report: &mut Report,
) -> Option<Table<'a>> {
    let (lines, trouble) = lines(input, receipt);
    if lines.is_empty() {
        let mut fault =
            Diagnostic::new(Code::BadResultFile, "no line of this gbak log has figures");
        fault = match &trouble {
            Some(range) => fault.at(input.span(range.clone()), "gbak stopped here"),
            None => fault.at(
                input.span(0..input.text().lines().next().map_or(0, str::len)),
                "",
            ),
        };
        report.push(fault.help("make the log with `-v -st tdrw`"));
        return None;
    }
    let mut table = Table {
        columns: vec![Column::of_tool("step", "")],
        of_tool: true,
        decimal: Some('.'),
        ..Table::default()
    };
    table.columns.extend(
        STATISTICS
            .iter()
            .map(|(_, name, unit)| Column::of_tool(name, unit)),
    );
    if input.entry.steps.is_some() {
        steps(input, &lines, &mut table, receipt);
    } else {
        total(&lines, trouble.as_ref(), input, &mut table);
    }
    if table.lines.is_empty() {
        let wanted = input.entry.steps_of.as_deref().unwrap_or(STEPS_OF);
        let mut fault = Diagnostic::new(
            Code::BadResultFile,
            format!("no step of this log begins with `{wanted}`"),
        );
        fault = match trouble {
            Some(range) => fault.at(input.span(range), "gbak stopped here"),
            None => fault.at(
                input.span(lines[0].range.clone()),
                "the first line with figures",
            ),
        };
        report.push(fault.help("say in `steps_of` how the lines of the steps begin"));
        return None;
    }
    receipt.rows = table.lines.len();
    Some(table)
}

/// The lines with figures, and where gbak reported an error.
fn lines<'a>(input: &Input<'a>, receipt: &mut Receipt) -> (Vec<Line<'a>>, Option<Range<usize>>) {
    let mut shape: Option<Vec<usize>> = None;
    let mut lines: Vec<Line<'a>> = Vec::new();
    let mut trouble = None;
    let mut start = 0;
    for (index, raw) in input.text().split_inclusive('\n').enumerate() {
        let text = raw.trim();
        let begin = start + (raw.len() - raw.trim_start().len());
        let range = begin..begin + text.len();
        start += raw.len();
        let Some(rest) = text.strip_prefix("gbak:") else {
            receipt.ignored_lines += usize::from(!text.is_empty());
            continue;
        };
        if let Some(header) = header(rest) {
            shape = Some(header);
            continue;
        }
        if is_trouble(rest) {
            trouble.get_or_insert_with(|| range.clone());
            if let Some(last) = lines.last_mut() {
                last.trouble.get_or_insert(text);
            }
            continue;
        }
        let columns = match &shape {
            Some(columns) => columns,
            None => match guess(rest) {
                Some(columns) => {
                    let names: Vec<&str> =
                        columns.iter().map(|&column| STATISTICS[column].1).collect();
                    if columns.len() < STATISTICS.len() {
                        receipt.remark(
                            input.span(range.clone()),
                            format!(
                                "without a header line, the figures were taken for: {}",
                                names.join(", ")
                            ),
                        );
                    }
                    shape.insert(columns)
                }
                None => {
                    receipt.ignored_lines += 1;
                    continue;
                }
            },
        };
        match figures(rest, columns) {
            Some((figures, words)) => {
                let number = index as u32 + 1;
                if is_trouble(words) {
                    trouble.get_or_insert_with(|| range.clone());
                    if let Some(last) = lines.last_mut() {
                        last.trouble.get_or_insert(words);
                    }
                }
                lines.push(Line {
                    figures,
                    words,
                    number,
                    range,
                    trouble: None,
                });
            }
            None => receipt.ignored_lines += 1,
        }
    }
    (lines, trouble)
}

/// Which statistics a header line announces.
fn header(rest: &str) -> Option<Vec<usize>> {
    let columns: Option<Vec<usize>> = rest
        .split_whitespace()
        .map(|word| STATISTICS.iter().position(|(name, _, _)| *name == word))
        .collect();
    columns.filter(|columns| !columns.is_empty())
}

fn is_trouble(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with("ERROR") || rest.starts_with("cannot commit index")
}

/// The statistics of a log without header: up to two numbers with a point, then up to two without.
fn guess(rest: &str) -> Option<Vec<usize>> {
    let mut times = Vec::new();
    let mut pages = Vec::new();
    for word in rest.split_whitespace() {
        if is_seconds(word) && pages.is_empty() && times.len() < 2 {
            times.push(TIME + times.len());
        } else if !times.is_empty() && pages.len() < 2 && word.bytes().all(|it| it.is_ascii_digit())
        {
            pages.push(READS + pages.len());
        } else {
            break;
        }
    }
    times.extend(pages);
    (!times.is_empty()).then_some(times)
}

/// `1234.567`: gbak always prints three places and a point.
fn is_seconds(word: &str) -> bool {
    word.split_once('.').is_some_and(|(whole, places)| {
        !whole.is_empty()
            && places.len() == 3
            && whole
                .bytes()
                .chain(places.bytes())
                .all(|byte| byte.is_ascii_digit())
    })
}

/// A line's figures and the words behind them.
fn figures<'a>(rest: &'a str, columns: &[usize]) -> Option<([Option<f64>; 4], &'a str)> {
    let mut figures = [None; 4];
    let mut rest = rest;
    for &column in columns {
        let text = rest.trim_start();
        let (word, behind) = text
            .split_once(|sign: char| sign.is_whitespace())
            .unwrap_or((text, ""));
        let fits = match column {
            TIME | DELTA => is_seconds(word),
            _ => !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()),
        };
        if !fits {
            return None;
        }
        figures[column] = word.parse().ok();
        rest = behind;
    }
    Some((figures, rest.trim()))
}

fn steps<'a>(input: &Input<'a>, lines: &[Line<'a>], table: &mut Table<'a>, receipt: &mut Receipt) {
    let wanted = input.entry.steps_of.as_deref().unwrap_or(STEPS_OF);
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = line.words.strip_prefix(wanted) else {
            continue;
        };
        let name = unquote(name.trim());
        if index == 0 && line.figures[DELTA..].iter().any(Option::is_some) {
            let figures: Vec<String> = STATISTICS
                .iter()
                .zip(line.figures)
                .skip(DELTA)
                .filter_map(|((_, name, _), figure)| Some(format!("{name} {}", figure?)))
                .collect();
            receipt.remark(
                input.span(line.range.clone()),
                format!(
                    "the figures on the first line ({}) belong to an earlier step that isn't in the log; they were left out",
                    figures.join(", ")
                ),
            );
        }
        let next = lines.get(index + 1);
        // The values stand on the next line; that is where a reader would look them up.
        table.lines.push(next.unwrap_or(line).number);
        table.cells.push(Cell {
            content: Content::Text(name.into()),
            range: line.range.clone(),
        });
        for column in TIME..=WRITES {
            table.cells.push(figure(line, next, column));
        }
    }
}

/// One figure of a step: its start is on its own line, all else on the next one.
fn figure<'a>(line: &Line<'a>, next: Option<&Line<'a>>, column: usize) -> Cell<'a> {
    let missing = |reason, word, text: &str| Cell {
        content: Content::missing(reason, word, text),
        range: line.range.clone(),
    };
    if let Some(trouble) = line.trouble {
        return missing(MissingReason::Failed, "failed", trouble);
    }
    let from = if column == TIME { Some(line) } else { next };
    let Some(from) = from else {
        return missing(MissingReason::NotPublished, "last-step", "note-last-step");
    };
    let elapsed = || Some(from.figures[TIME]? - line.figures[TIME]?);
    let number = match column {
        // Without deltas the difference of two times tells the same to a thousandth.
        DELTA => from.figures[DELTA].or_else(elapsed),
        _ => from.figures[column],
    };
    Cell {
        content: number.map_or(Content::Absent, Content::Number),
        range: from.range.clone(),
    }
}

/// The whole log as one row: the last time, and the totals gbak prints at the end.
fn total<'a>(
    lines: &[Line<'a>],
    trouble: Option<&Range<usize>>,
    input: &Input<'a>,
    table: &mut Table<'a>,
) {
    let Some(last) = lines.last() else { return };
    table.lines.push(last.number);
    let range = last.range.clone();
    table.cells.push(Cell {
        content: Content::Absent,
        range: range.clone(),
    });
    let complete = last.words.starts_with("total statistics");
    for column in TIME..=WRITES {
        let content = match (trouble, last.figures[column]) {
            (Some(trouble), _) => Content::missing(
                MissingReason::Failed,
                "failed",
                &input.text()[trouble.clone()],
            ),
            (None, Some(figure)) if column == TIME || (complete && column != DELTA) => {
                Content::Number(figure)
            }
            _ => Content::Absent,
        };
        table.cells.push(Cell {
            content,
            range: range.clone(),
        });
    }
}

/// A name without its quotation marks: `"My ""own"" index"`, `"PUBLIC"."IX"`.
fn unquote(name: &str) -> String {
    if !name.starts_with('"') {
        return name.to_owned();
    }
    let mut plain = String::with_capacity(name.len());
    let mut inside = false;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '"' {
            plain.push(letter);
        } else if inside && letters.peek() == Some(&'"') {
            letters.next();
            plain.push('"');
        } else {
            inside = !inside;
        }
    }
    plain
}
