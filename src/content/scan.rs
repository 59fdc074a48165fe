//! Finds inline values and claims in Markdown and puts private-use marks in their place, so that
//! no sign inside them means anything to the Markdown parser.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::document::{Claim, Inline};
use super::expression::Expression;
use super::place::Map;
use super::reserved::without_reserved;
use super::token::{blank, quote_depth, word};
use crate::diag::{Code, Diagnostic, Report, Source, Span, nearest};

/// Begins a mark; its number follows.
pub(super) const OPEN: char = '\u{E000}';
/// Ends a mark.
pub(super) const CLOSE: char = '\u{E001}';

/// What a mark stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The inline value with this index; `None` when its expression can't be read.
    Inline(Option<usize>),
    /// The beginning of the claim with this index; `None` when its condition can't be read.
    ClaimStart(Option<usize>),
    /// The end of a claim.
    ClaimEnd,
    /// A statement that was refused.
    Refused,
}

/// A mark.
#[derive(Debug)]
pub(super) struct Mark {
    /// What it stands for.
    pub(super) meaning: Meaning,
    /// What it replaces, in the source.
    pub(super) range: Range<usize>,
}

/// A Markdown text with marks in place of values and claims.
#[derive(Debug)]
pub(super) struct Marked<'a> {
    /// The text to be parsed.
    pub(super) text: Cow<'a, str>,
    /// From its offsets to the source's.
    pub(super) map: Map,
    /// The marks by number.
    pub(super) marks: Vec<Mark>,
    /// The inline values that could be read.
    pub(super) inlines: Vec<Inline>,
    /// The claims whose condition could be read.
    pub(super) claims: Vec<Claim>,
}

/// How Markdown is read. Mathematics stays off: names such as `RDB$RELATIONS` and `V$SESSION`
/// would turn into formulas. Smart punctuation stays off: quotes are the author's, per language.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_HEADING_ATTRIBUTES
        | Options::ENABLE_GFM
        | Options::ENABLE_DEFINITION_LIST
}

/// Rounds after which code that begins inside a value no longer moves the border of other code.
const ROUNDS: usize = 12;

/// Marks the text in `range` of the source.
pub(super) fn scan<'a>(
    source: &'a Arc<Source>,
    range: Range<usize>,
    report: &mut Report,
) -> Marked<'a> {
    let original = &source.text[range.clone()];
    let clean = without_reserved(source, range.start, original, report);
    let mut scanner = Scanner {
        source,
        start: range.start,
        text: &clean,
        marks: Vec::new(),
        inlines: Vec::new(),
        claims: Vec::new(),
    };
    if clean.contains("{{") || clean.contains("{%") {
        let mut from = 0;
        for _ in 0..ROUNDS {
            let code = scanner.code();
            match scanner.round(from, &code, report) {
                Some(next) => from = next,
                None => break,
            }
        }
    }
    let Scanner {
        marks,
        inlines,
        claims,
        ..
    } = scanner;
    if marks.is_empty() {
        let mut map = Map::default();
        map.push(0, range.start, clean.len());
        return Marked {
            text: clean,
            map,
            marks,
            inlines,
            claims,
        };
    }
    let (text, map) = replaced(&clean, range.start, &marks);
    Marked {
        text: Cow::Owned(text),
        map,
        marks,
        inlines,
        claims,
    }
}

/// The text with a mark in place of each marked range, and the way back.
fn replaced(text: &str, start: usize, marks: &[Mark]) -> (String, Map) {
    let mut out = String::with_capacity(text.len());
    let mut map = Map::default();
    map.push(0, start, 0);
    let mut at = 0;
    for (number, mark) in marks.iter().enumerate() {
        let from = mark.range.start - start;
        map.push(out.len(), start + at, from - at);
        out.push_str(&text[at..from]);
        out.push(OPEN);
        out.push_str(&number.to_string());
        out.push(CLOSE);
        at = mark.range.end - start;
    }
    map.push(out.len(), start + at, text.len() - at);
    out.push_str(&text[at..]);
    (out, map)
}

struct Scanner<'a> {
    source: &'a Arc<Source>,
    /// Offset of `text` in the source.
    start: usize,
    text: &'a str,
    marks: Vec<Mark>,
    inlines: Vec<Inline>,
    claims: Vec<Claim>,
}

impl Scanner<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(
            self.source,
            self.start + range.start..self.start + range.end,
        )
    }

    /// Ranges of code and raw HTML, in order, as the text with the marks so far shows them.
    fn code(&self) -> Vec<Range<usize>> {
        let (text, map) = replaced(self.text, self.start, &self.marks);
        let mut ranges = Vec::new();
        let mut block = None;
        for (event, range) in Parser::new_ext(&text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock) => block = Some(range),
                Event::End(TagEnd::CodeBlock | TagEnd::HtmlBlock) => ranges.extend(block.take()),
                Event::Code(_) | Event::InlineHtml(_) => ranges.push(range),
                _ => {}
            }
        }
        ranges
            .into_iter()
            .map(|range| {
                let range = map.range(range);
                range.start - self.start..range.end - self.start
            })
            .collect()
    }

    /// Marks what stands from `from` on. Gives the offset to go on from when something marked
    /// holds the beginning of what had looked like code: then the rest must be looked at anew.
    fn round(&mut self, from: usize, code: &[Range<usize>], report: &mut Report) -> Option<usize> {
        let text = self.text;
        let mut at = from;
        let mut code = code.iter().peekable();
        while let Some(found) = text[at..].find('{') {
            at += found;
            while code.next_if(|range| range.end <= at).is_some() {}
            if let Some(range) = code.peek()
                && range.start <= at
            {
                at = range.end;
                continue;
            }
            let rest = &text[at..];
            if !rest.starts_with("{{") && !rest.starts_with("{%") {
                at += 1;
                continue;
            }
            let backslashes = text[..at]
                .bytes()
                .rev()
                .take_while(|&byte| byte == b'\\')
                .count();
            if backslashes % 2 == 1 {
                at += 2;
                continue;
            }
            let close = if rest.starts_with("{{") { "}}" } else { "%}" };
            let Some(length) = length(rest, close) else {
                self.unclosed(at, close, report);
                at += 2;
                continue;
            };
            let range = at..at + length;
            at = range.end;
            if close == "}}" {
                self.value(range, report);
            } else {
                self.statement(range, report);
            }
            let cut = |range: &&&Range<usize>| range.start < at && range.end > at;
            if code
                .clone()
                .take_while(|range| range.start < at)
                .any(|range| cut(&&range))
            {
                return Some(at);
            }
        }
        None
    }

    fn unclosed(&self, at: usize, close: &str, report: &mut Report) {
        let rest = &self.text[at..];
        let line = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let what = if close == "}}" {
            "an inline value"
        } else {
            "a statement"
        };
        report.push(
            Diagnostic::new(Code::UnclosedExpression, format!("{what} isn't closed"))
                .at(
                    self.span(at..at + line),
                    format!("`{close}` is missing in this paragraph"),
                )
                .help(format!(
                    "close it with `{close}`, or write `\\{}` for the signs themselves",
                    &rest[..2]
                )),
        );
    }

    fn mark(&mut self, meaning: Meaning, range: Range<usize>) {
        let range = self.start + range.start..self.start + range.end;
        self.marks.push(Mark { meaning, range });
    }

    fn value(&mut self, range: Range<usize>, report: &mut Report) {
        let mut inner = range.start + 2..range.end - 2;
        let text = &self.text[inner.clone()];
        inner.end -= usize::from(text.ends_with('-'));
        inner.start += usize::from(
            text.len() > 1 && text.starts_with('-') && text[1..].starts_with([' ', '\n']),
        );
        let span = self.span(range.clone());
        let expression = if self.text[inner.clone()].trim().is_empty() {
            Expression::parse(&span.within(2..2), report)
        } else {
            Expression::parse(&self.trimmed(inner), report)
        };
        let index = expression.map(|expression| {
            self.inlines.push(Inline {
                expression,
                span,
                in_link: false,
            });
            self.inlines.len() - 1
        });
        self.mark(Meaning::Inline(index), range);
    }

    fn trimmed(&self, range: Range<usize>) -> Span {
        let text = &self.text[range.clone()];
        let end = range.start + text.trim_end().len();
        let start = (range.start + (text.len() - text.trim_start().len())).min(end);
        self.span(start..end)
    }

    fn statement(&mut self, range: Range<usize>, report: &mut Report) {
        let mut inner = range.start + 2..range.end - 2;
        inner.start += usize::from(self.text[inner.clone()].starts_with('-'));
        inner.end -= usize::from(self.text[inner.clone()].ends_with('-'));
        let depth = quote_depth(&self.source.text, self.start + range.start);
        inner.start += blank(&self.text[inner.clone()], depth);
        let text = &self.text[inner.clone()];
        let name = &text[..word(text)];
        let rest = inner.start + name.len()..inner.end;
        let meaning = match name {
            "claim" => Meaning::ClaimStart(self.claim(rest, range.clone(), report)),
            "end" if self.text[rest].trim().is_empty() => Meaning::ClaimEnd,
            _ => {
                let name = name.to_owned();
                self.unsupported(&name, range.clone(), report);
                Meaning::Refused
            }
        };
        self.mark(meaning, range);
    }

    fn claim(
        &mut self,
        rest: Range<usize>,
        whole: Range<usize>,
        report: &mut Report,
    ) -> Option<usize> {
        let span = self.span(whole);
        if self.text[rest.clone()].trim().is_empty() {
            report.push(
                Diagnostic::new(Code::BadExpression, "a claim has no condition").at(span, "").help(
                    "write what must hold: {% claim speedup(from=\"a\", to=\"b\") >= 1.5 %}…{% end %}",
                ),
            );
            return None;
        }
        let (condition, options) = Expression::parse_claim(&self.trimmed(rest), report)?;
        let prose = String::new();
        self.claims.push(Claim {
            condition,
            options,
            span,
            prose,
            in_link: false,
        });
        Some(self.claims.len() - 1)
    }

    fn unsupported(&self, name: &str, range: Range<usize>, report: &mut Report) {
        let mut diagnostic = Diagnostic::new(
            Code::UnsupportedStatement,
            if name.is_empty() {
                "a statement has no name".to_owned()
            } else {
                format!("the statement `{name}` is not used in articles")
            },
        )
        .at(self.span(range), "");
        if name.starts_with("end") {
            diagnostic = diagnostic.help("a claim ends with {% end %}");
        } else if let Some(near) = nearest(name, ["claim", "end"]) {
            diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
        } else {
            diagnostic = diagnostic
                .help("articles know {% claim … %}…{% end %} and {{ … }}; write `\\{%` for the signs themselves");
        }
        report.push(diagnostic);
    }
}

/// Length of what begins with `{{` or `{%` at the start of `text`, up to its close; quotes are
/// stepped over when they close on their line. `None` when the paragraph ends first, or another
/// one begins.
fn length(text: &str, close: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 2;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'' | b'`') => at += quoted(&bytes[at..], quote),
            b'\n' => {
                let next = bytes[at + 1..]
                    .iter()
                    .position(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'>'));
                if next.is_none_or(|next| bytes[at + 1 + next] == b'\n') {
                    return None;
                }
                at += 1;
            }
            b'{' if matches!(bytes.get(at + 1), Some(b'{' | b'%')) => return None,
            _ if bytes[at..].starts_with(close.as_bytes()) => return Some(at + close.len()),
            _ => at += 1,
        }
    }
    None
}

/// Length of a quoted text, or of its quote alone when it doesn't close on its line.
fn quoted(bytes: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < bytes.len() && bytes[at] != b'\n' {
        if bytes[at] == quote {
            return at + 1;
        }
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    1
}
