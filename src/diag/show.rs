//! How faults are shown: for people (excerpts with carets), as JSON lines, or as GitHub annotations.

use std::borrow::Cow;
use std::fmt::Write as _;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use super::{Diagnostic, Label, Report, Severity};

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

/// The whole report as text, ready to print; empty when there is nothing to say.
pub fn render(report: &Report, format: Format) -> String {
    let mut out = String::new();
    for diagnostic in report.sorted() {
        match format {
            Format::Human { colour } => {
                out.push_str(&human(diagnostic, colour));
                out.push_str("\n\n");
            }
            Format::Json => {
                out.push_str(&json(diagnostic));
                out.push('\n');
            }
            Format::GitHub => {
                out.push_str(&github(diagnostic));
                out.push('\n');
            }
        }
    }
    out
}

fn human(diagnostic: &Diagnostic, colour: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut group = Group::with_title(
        level
            .primary_title(plain(&diagnostic.message))
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
        let (labels, others) = rest.split_at(same);
        let text = &first.span.source.text;
        let start = labels
            .iter()
            .map(|label| label.span.range.start)
            .min()
            .unwrap_or(0);
        let end = labels
            .iter()
            .map(|label| label.span.range.end)
            .max()
            .unwrap_or(0);
        let start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let line = text[..start].bytes().filter(|&byte| byte == b'\n').count() + 1;
        let excerpt = text[start..end].trim_end_matches('\r');
        let mut snippet = Snippet::source(excerpt)
            .line_start(line)
            .path(plain(&first.span.source.path))
            .fold(true);
        for label in labels {
            let kind = if primary {
                AnnotationKind::Primary
            } else {
                AnnotationKind::Context
            };
            primary = false;
            let from = (label.span.range.start - start).min(excerpt.len());
            let to = (label.span.range.end - start).min(excerpt.len());
            let text = (!label.text.is_empty()).then(|| plain(&label.text));
            snippet = snippet.annotation(kind.span(from..to).label(text));
        }
        group = group.element(snippet);
        rest = others;
    }
    if diagnostic.labels.is_empty()
        && let Some(path) = &diagnostic.path
    {
        group = group.element(Origin::path(plain(path)));
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

fn steers_beside_escape(letter: char) -> bool {
    match letter {
        '\n' | '\t' | '\u{1b}' => false,
        // Embeddings, overrides and isolates; the line and paragraph separators.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}' => true,
        letter => letter.is_control(),
    }
}

fn json(diagnostic: &Diagnostic) -> String {
    let place = |label: &Label| {
        let (line, column) = label.span.line_column();
        serde_json::json!({
            "file": label.span.source.path,
            "line": line,
            "column": column,
            "start": label.span.range.start,
            "end": label.span.range.end,
            "text": label.text,
        })
    };
    serde_json::json!({
        "severity": diagnostic.severity.name(),
        "code": diagnostic.code.name(),
        "message": diagnostic.message,
        "file": diagnostic.file(),
        "places": diagnostic.labels.iter().map(place).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "help": diagnostic.help,
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

fn github(diagnostic: &Diagnostic) -> String {
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
        let (line, column) = label.span.line_column();
        let _ = write!(out, "line={line},col={column},");
    }
    let _ = write!(out, "title={}::", diagnostic.code.name());
    let mut message = diagnostic.message.clone();
    for label in diagnostic
        .labels
        .iter()
        .filter(|label| !label.text.is_empty())
    {
        let (line, column) = label.span.line_column();
        let _ = write!(
            message,
            "\n{}:{line}:{column}: {}",
            label.span.source.path, label.text
        );
    }
    for (word, texts) in [("note", &diagnostic.notes), ("help", &diagnostic.help)] {
        for text in texts {
            let _ = write!(message, "\n{word}: {text}");
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
