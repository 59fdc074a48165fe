//! How faults are shown: for people (excerpts with carets), as JSON lines, or as GitHub annotations.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Code, Diagnostic, Label, Report, Severity, Source, Span};

/// A way to show a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Excerpts with carets, coloured or plain.
    Human {
        /// Whether to use terminal colours.
        colour: bool,
    },
    /// One JSON object a line.
    Json,
    /// Workflow commands that GitHub shows beside the changed lines.
    GitHub,
}

/// So many faults of one kind in one file are shown to people; the rest are counted.
const SHOWN: usize = 100;

/// The whole report as text, ready to print; empty when there is nothing to say.
pub fn render(report: &Report, format: Format) -> String {
    let mut out = String::new();
    let mut lines = Lines::default();
    let mut counts: BTreeMap<(&str, Code), (usize, &Diagnostic)> = BTreeMap::new();
    for diagnostic in report.sorted() {
        match format {
            Format::Human { colour } => {
                let kind = (diagnostic.file().unwrap_or(""), diagnostic.code);
                let (count, _) = counts.entry(kind).or_insert((0, diagnostic));
                *count += 1;
                if *count <= SHOWN {
                    out.push_str(&human(diagnostic, &mut lines, colour));
                    out.push_str("\n\n");
                }
            }
            Format::Json => {
                out.push_str(&json(diagnostic, &mut lines));
                out.push('\n');
            }
            Format::GitHub => {
                out.push_str(&github(diagnostic, &mut lines));
                out.push('\n');
            }
        }
    }
    if let Format::Human { colour } = format {
        for ((file, code), (count, first)) in counts.into_iter().filter(|it| it.1.0 > SHOWN) {
            let message = format!("{} more faults of this kind in this file", count - SHOWN);
            let mut more = Diagnostic::new(code, message).in_file(file);
            more.severity = first.severity;
            out.push_str(&human(&more, &mut lines, colour));
            out.push_str("\n\n");
        }
    }
    out
}

/// Where the lines of each text begin, found once however many faults lie in it.
#[derive(Default)]
struct Lines {
    starts: BTreeMap<*const Source, Vec<usize>>,
}

impl Lines {
    /// One-based line and column of a span, and the place where its line begins.
    fn place(&mut self, span: &Span) -> (usize, usize, usize) {
        let text = &span.source.text;
        let starts = self
            .starts
            .entry(Arc::as_ptr(&span.source))
            .or_insert_with(|| {
                let ends = text.match_indices('\n').map(|(at, _)| at + 1);
                std::iter::once(0).chain(ends).collect()
            });
        let line = starts.partition_point(|&start| start <= span.range.start);
        let start = starts[line - 1];
        let column = text[start..span.range.start].chars().count() + 1;
        (line, column, start)
    }
}

/// A stretch of a text that is shown, with what became of the labels in it.
struct Excerpt {
    text: String,
    line: usize,
    /// The place of the first label, where the excerpt doesn't tell it by itself.
    place: Option<(usize, usize)>,
    ranges: Vec<Range<usize>>,
}

/// Longest excerpt in bytes: more is cut, or shown in several.
const LONGEST: usize = 4_000;

impl Excerpt {
    /// The lines from the first label to the last; `None` when those are too many together.
    fn of_lines(labels: &[Label], lines: &mut Lines) -> Option<Self> {
        let first = labels.iter().min_by_key(|label| label.span.range.start)?;
        let end = labels.iter().map(|label| label.span.range.end).max()?;
        let text = &first.span.source.text;
        let (line, _, start) = lines.place(&first.span);
        let most = start.saturating_add(LONGEST).min(text.len());
        let end = match text.as_bytes()[end..most.max(end)]
            .iter()
            .position(|&it| it == b'\n')
        {
            Some(at) => end + at,
            None if most == text.len() && end <= most => text.len(),
            None => return None,
        };
        if end - start > LONGEST {
            return None;
        }
        let shown = text[start..end].trim_end_matches('\r');
        let within = |at: usize| (at - start).min(shown.len());
        Some(Self {
            text: shown.to_owned(),
            line,
            place: None,
            ranges: labels
                .iter()
                .map(|label| within(label.span.range.start)..within(label.span.range.end))
                .collect(),
        })
    }

    /// A few words around the beginning of a label that stands in a very long line.
    fn of_words(label: &Label, lines: &mut Lines) -> Self {
        const AROUND: usize = 60;
        let text = &label.span.source.text;
        let (line, column, start) = lines.place(&label.span);
        let Range {
            start: from,
            end: to,
        } = label.span.range;
        let floor = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let before = floor(from.saturating_sub(AROUND)).max(start);
        let line_end = text[from..].find('\n').map_or(text.len(), |at| from + at);
        let to = floor(to.min(from + 2 * AROUND)).min(line_end).max(from);
        let after = floor((to + AROUND).min(line_end)).max(to);
        let mut shown = String::new();
        if before > start {
            shown.push('…');
        }
        let shift = shown.len();
        shown.push_str(text[before..after].trim_end_matches('\r'));
        let within = |at: usize| (at - before + shift).min(shown.len());
        let range = within(from)..within(to);
        if after < line_end {
            shown.push('…');
        }
        Self {
            text: shown,
            line,
            place: (before > start).then_some((line, column)),
            ranges: vec![range],
        }
    }
}

fn human(diagnostic: &Diagnostic, lines: &mut Lines, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(
        level
            .primary_title(one_line(&diagnostic.message))
            .id(diagnostic.code.name()),
    );
    let mut rest: &[Label] = &diagnostic.labels;
    let mut primary = true;
    // Labels in one file share an excerpt; each excerpt holds only the lines from its first label
    // to its last, so that a fault in a huge file costs no more than one in a small one.
    while let Some(first) = rest.first() {
        let same = rest
            .iter()
            .take_while(|label| label.span.source == first.span.source)
            .count();
        let (excerpt, labels, others) = match Excerpt::of_lines(&rest[..same], lines) {
            Some(excerpt) => (excerpt, &rest[..same], &rest[same..]),
            None => match Excerpt::of_lines(&rest[..1], lines) {
                Some(excerpt) => (excerpt, &rest[..1], &rest[1..]),
                None => (Excerpt::of_words(first, lines), &rest[..1], &rest[1..]),
            },
        };
        let path = one_line(&first.span.source.path);
        let mut snippet = Snippet::source(excerpt.text)
            .line_start(excerpt.line)
            .fold(true);
        snippet = match excerpt.place {
            None => snippet.path(path),
            Some((line, column)) => {
                group = group.element(Origin::path(path).line(line).char_column(column));
                snippet
            }
        };
        for (label, range) in labels.iter().zip(excerpt.ranges) {
            let kind = if primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            primary = false;
            let text = (!label.text.is_empty()).then(|| plain(&label.text));
            snippet = snippet.annotation(kind.span(range).label(text));
        }
        group = group.element(snippet);
        rest = others;
    }
    if diagnostic.labels.is_empty()
        && let Some(path) = &diagnostic.path
    {
        group = group.element(Origin::path(one_line(path)));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(plain(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(plain(help)));
    }
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let shown = renderer.render(&[group]);
    // Excerpts stand as they are in the file, so that carets keep their columns; what the renderer
    // lets through of them must not steer the terminal either. `ESC` is its own colour.
    if shown.contains(steers_beside_escape) {
        shown.replace(steers_beside_escape, "\u{fffd}")
    } else {
        shown
    }
}

/// A text whose control characters and directions are shown instead of obeyed: file contents and
/// file names reach people's terminals and logs in it.
fn plain(text: &str) -> Cow<'_, str> {
    match shortened(text) {
        Cow::Borrowed(text) => visible(text),
        Cow::Owned(text) => Cow::Owned(visible(&text).into_owned()),
    }
}

/// The same, with its line ends shown too: a file name must not begin a line of its own.
fn one_line(text: &str) -> Cow<'_, str> {
    match plain(text) {
        text if text.contains('\n') => Cow::Owned(text.replace('\n', "\\n")),
        text => text,
    }
}

/// The same, however long.
fn visible(text: &str) -> Cow<'_, str> {
    let steers = |letter| letter == '\u{1b}' || steers_beside_escape(letter);
    if !text.contains(steers) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if steers(letter) {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    Cow::Owned(out)
}

/// A text without its middle where it is so long that nobody reads it: a cell may hold megabytes.
fn shortened(text: &str) -> Cow<'_, str> {
    const LONGEST: usize = 2_000;
    const KEPT: usize = 400;
    if text.len() <= LONGEST {
        return Cow::Borrowed(text);
    }
    let boundary = |range: Range<usize>| {
        let mut ends = range;
        ends.find(|&at| text.is_char_boundary(at))
            .unwrap_or(text.len())
    };
    let start = boundary(KEPT..text.len());
    let end = boundary(text.len() - KEPT..text.len());
    Cow::Owned(format!("{}…{}", &text[..start], &text[end..]))
}

fn steers_beside_escape(letter: char) -> bool {
    match letter {
        '\n' | '\t' | '\u{1b}' => false,
        // Embeddings, overrides and isolates; the line and paragraph separators.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => true,
        letter => letter.is_control(),
    }
}

fn json(diagnostic: &Diagnostic, lines: &mut Lines) -> String {
    let mut place = |label: &Label| {
        let (line, column, _) = lines.place(&label.span);
        serde_json::json!({
            "file": label.span.source.path,
            "line": line,
            "column": column,
            "start": label.span.range.start,
            "end": label.span.range.end,
            "text": shortened(&label.text),
        })
    };
    let short = |texts: &[String]| -> Vec<String> {
        texts
            .iter()
            .map(|text| shortened(text).into_owned())
            .collect()
    };
    serde_json::json!({
        "severity": diagnostic.severity.name(),
        "code": diagnostic.code.name(),
        "message": shortened(&diagnostic.message),
        "file": diagnostic.file(),
        "places": diagnostic.labels.iter().map(&mut place).collect::<Vec<_>>(),
        "notes": short(&diagnostic.notes),
        "help": short(&diagnostic.help),
    })
    .to_string()
    .chars()
    .fold(String::new(), |mut line, letter| {
        // JSON escapes what it must; the rest is escaped for those who look at it in a terminal.
        if steers_beside_escape(letter) {
            let _ = write!(line, "\\u{:04x}", u32::from(letter));
        } else {
            line.push(letter);
        }
        line
    })
}

fn github(diagnostic: &Diagnostic, lines: &mut Lines) -> String {
    let command = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let mut out = format!("::{command} ");
    if let Some(file) = diagnostic.file() {
        let _ = write!(out, "file={},", escape(file, true));
    }
    if let Some(label) = diagnostic.labels.first() {
        let (line, column, _) = lines.place(&label.span);
        let _ = write!(out, "line={line},col={column},");
    }
    let _ = write!(out, "title={}::", diagnostic.code.name());
    let mut message = shortened(&diagnostic.message).into_owned();
    for label in diagnostic
        .labels
        .iter()
        .filter(|label| !label.text.is_empty())
    {
        let (line, column, _) = lines.place(&label.span);
        let _ = write!(
            message,
            "\n{}:{line}:{column}: {}",
            label.span.source.path,
            shortened(&label.text)
        );
    }
    for (word, texts) in [("note", &diagnostic.notes), ("help", &diagnostic.help)] {
        for text in texts {
            let _ = write!(message, "\n{word}: {}", shortened(text));
        }
    }
    out.push_str(&escape(&message, false));
    out
}

/// GitHub's own escapes for workflow commands; properties also escape their separators.
fn escape(text: &str, property: bool) -> String {
    // A tab would be obeyed by nobody; everything else that steers is shown.
    let text = plain(&text.replace('\r', ""))
        .replace('%', "%25")
        .replace('\n', "%0A");
    if property {
        text.replace(':', "%3A").replace(',', "%2C")
    } else {
        text
    }
}
