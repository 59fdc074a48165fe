//! What is wrong, where, and how to mend it: the one way a user's fault travels through the house.
//!
//! Rooms push [`Diagnostic`]s into a [`Report`] and go on, so that one run shows every fault.
//! `Result` is for disks and databases, not for what a person typed.

mod code;
mod nearest;
mod show;
mod words;

pub use code::{Code, Severity};
pub use nearest::{nearest, suggestion};
pub use show::{Format, render};
pub use words::{TomlFault, toml_faults};

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// A text a person wrote, kept whole so that excerpts can be shown.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Path relative to the site's root, with `/` between names on every system.
    pub path: String,
    /// The text, exactly as it stands in the file (line ends included).
    pub text: String,
}

impl Source {
    /// Wraps a text under its path.
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self {
            path: path.into(),
            text: text.into(),
        })
    }
}

/// A stretch of a [`Source`], as a byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The text it lies in.
    pub source: Arc<Source>,
    /// Byte range within `source.text`; always on character boundaries.
    pub range: Range<usize>,
}

impl Span {
    /// A stretch of `source`; ends outside the text or inside a character are pulled back to the
    /// nearest boundary before them, so that a span can always be shown.
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        let floor = |at: usize| {
            let mut at = at.min(source.text.len());
            while !source.text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let start = floor(range.start);
        Self {
            source: Arc::clone(source),
            range: start..floor(range.end).max(start),
        }
    }

    /// The whole line with the given one-based number, without its line end.
    pub fn line(source: &Arc<Source>, number: usize) -> Self {
        let mut start = 0;
        for (index, line) in source.text.split_inclusive('\n').enumerate() {
            if index + 1 == number {
                let end = start + line.trim_end_matches(['\n', '\r']).len();
                return Self::new(source, start..end);
            }
            start += line.len();
        }
        Self::new(source, start..start)
    }

    /// One-based line and column; columns count characters, as editors do.
    pub fn line_column(&self) -> (usize, usize) {
        let before = &self.source.text[..self.range.start];
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The text under the span.
    pub fn text(&self) -> &str {
        &self.source.text[self.range.clone()]
    }

    /// The place of a text in quotes, or else as a word, within this span; all of it if it isn't there.
    pub fn narrowed(&self, text: &str) -> Self {
        let found = [format!("\"{text}\""), format!("'{text}'"), text.to_owned()]
            .into_iter()
            .filter(|wanted| !wanted.is_empty())
            .find_map(|wanted| Some((self.text().find(&wanted)?, wanted.len())));
        match found {
            Some((at, length)) => self.within(at..at + length),
            None => self.clone(),
        }
    }

    /// A span within this one: `range` counts bytes from this span's start.
    pub fn within(&self, range: Range<usize>) -> Self {
        Self::new(
            &self.source,
            self.range.start + range.start..self.range.start + range.end,
        )
    }
}

/// A place and what is to be said about it (empty for a bare underline).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What, in a few words.
    pub text: String,
}

/// One fault: what, where, what else matters, and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use = "a diagnostic does nothing until it is pushed into a report"]
pub struct Diagnostic {
    /// Which kind of fault.
    pub code: Code,
    /// How bad; starts as the code's own severity.
    pub severity: Severity,
    /// One sentence without a full stop, lower-case first.
    pub message: String,
    /// File the fault is about, when there is no text to point into (binary or absent files).
    pub path: Option<String>,
    /// The place to look at first, then others (the CSV cell beside the Markdown line).
    pub labels: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// Ways to mend it.
    pub help: Vec<String>,
    /// A file or folder whose own faults may be the cause of this one.
    pub follows: Option<String>,
}

impl Diagnostic {
    /// A fault of the given kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity(),
            message: message.into(),
            path: None,
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            follows: None,
        }
    }

    /// Points at a place; the first call gives the primary place.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
        });
        self
    }

    /// Names a file that can't be shown as text.
    pub fn in_file(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }

    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds a way to mend it.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Adds `did you mean …?` when one of `known` is close to `given`, else lists what there is.
    pub fn suggest<'a>(self, given: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        match suggestion(given, known) {
            Some(text) => self.help(text),
            None => self,
        }
    }

    /// Says that errors in this file, or below this folder, may be the cause: then only they are
    /// shown, see [`Report::drop_consequences`].
    pub fn may_follow_from(mut self, path: impl Into<String>) -> Self {
        self.follows = Some(path.into());
        self
    }

    /// The path shown first, for sorting and for formats without excerpts.
    pub fn file(&self) -> Option<&str> {
        self.labels
            .first()
            .map(|label| label.span.source.path.as_str())
            .or(self.path.as_deref())
    }
}

/// All faults of one run, in the order of places, whatever order they were found in.
#[derive(Debug, Default, Clone)]
pub struct Report {
    diagnostics: Vec<Diagnostic>,
}

impl Report {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Records a fault.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Takes over what another report holds (pages are worked in parallel, each with its own).
    pub fn absorb(&mut self, other: Report) {
        self.diagnostics.extend(other.diagnostics);
    }

    /// Drops what may only follow from other errors and says how much that was, so that one mistake
    /// gives one message.
    pub fn drop_consequences(&mut self) -> usize {
        let causes: BTreeSet<String> = self
            .diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error && it.follows.is_none())
            .filter_map(|it| it.file().map(str::to_owned))
            .collect();
        let caused = |path: &str| {
            let below = format!("{path}/");
            causes.contains(path)
                || causes
                    .range(below.clone()..)
                    .next()
                    .is_some_and(|cause| cause.starts_with(&below))
        };
        let before = self.sorted().len();
        self.diagnostics
            .retain(|it| !it.follows.as_deref().is_some_and(caused));
        // What is left follows from nothing, and may be the cause of what is found later.
        for diagnostic in &mut self.diagnostics {
            diagnostic.follows = None;
        }
        before - self.sorted().len()
    }

    /// Turns warnings into errors (`--strict`).
    pub fn make_strict(&mut self) {
        for diagnostic in &mut self.diagnostics {
            if diagnostic.severity == Severity::Warning {
                diagnostic.severity = Severity::Error;
            }
        }
    }

    /// Whether anything forbids publishing.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|it| it.severity == Severity::Error)
    }

    /// Whether any fault is of one of these kinds.
    pub fn lists(&self, codes: &[Code]) -> bool {
        self.diagnostics.iter().any(|it| codes.contains(&it.code))
    }

    /// How many of one severity; exact repeats count once, as they are shown once.
    pub fn count(&self, severity: Severity) -> usize {
        self.sorted()
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity)
            .count()
    }

    /// The same without notes, for those who only want to know whether all is well.
    #[must_use]
    pub fn without_notes(&self) -> Self {
        let mut report = self.clone();
        report
            .diagnostics
            .retain(|diagnostic| diagnostic.severity != Severity::Note);
        report
    }

    /// Everything recorded, sorted by file, place, code and message, without exact repeats.
    pub fn sorted(&self) -> Vec<&Diagnostic> {
        let mut all: Vec<&Diagnostic> = self.diagnostics.iter().collect();
        all.sort_by(|a, b| key(a).cmp(&key(b)));
        all.dedup();
        all
    }
}

fn key(diagnostic: &Diagnostic) -> (&str, usize, Code, &str) {
    let at = diagnostic
        .labels
        .first()
        .map_or(usize::MAX, |label| label.span.range.start);
    (
        diagnostic.file().unwrap_or(""),
        at,
        diagnostic.code,
        &diagnostic.message,
    )
}
