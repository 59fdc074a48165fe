//! The words of an expression: numbers, texts, names and signs, each with its place.

use std::ops::Range;

use crate::diag::{Code, Diagnostic, Report, Span};

/// What a token is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// Digits, with their decimal places.
    Number(f64, u8),
    /// A text without its quotes, escapes resolved.
    Text(String),
    /// A word, reserved or not.
    Name(String),
    /// An operator or other sign.
    Sign(&'static str),
    /// After the last token.
    End,
}

impl Kind {
    /// How it is called in an error text.
    pub(super) fn described(&self) -> String {
        match self {
            Self::Number(..) => "a number".to_owned(),
            Self::Text(text) => format!("the text \"{}\"", shortened(text)),
            Self::Name(name) => format!("`{}`", shortened(name)),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }

    /// Whether it is this sign.
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self, Self::Sign(own) if same(own, sign))
    }
}

/// Signs have one byte or two; comparing them one by one saves a call for every question asked.
fn same(own: &str, other: &str) -> bool {
    own.len() == other.len() && own.bytes().zip(other.bytes()).all(|(a, b)| a == b)
}

fn shortened(text: &str) -> String {
    const SHOWN: usize = 24;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// A token with its byte range in the expression's text.
#[derive(Debug, Clone)]
pub(super) struct Token {
    /// What.
    pub(super) kind: Kind,
    /// Where, from the start of the expression's text.
    pub(super) range: Range<usize>,
}

/// Signs, longer ones first.
const SIGNS: &[&str] = &[
    "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "|", "(", ")", "[", "]", ",", ".",
    "=",
];

/// Signs of other languages and of typography, and what is written here instead.
const FOREIGN: &[(&str, &str)] = &[
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("<>", "write `!=`"),
    ("**", "powers are not used here"),
    ("//", "whole-number division is not used here; write `/`"),
    ("?.", "write `.`"),
    ("=>", "write `>=`"),
    ("=<", "write `<=`"),
    ("!", "write `not`"),
    ("&", "write `and`"),
    (
        "~",
        "texts are not joined here; put the words into the prose",
    ),
    ("≤", "write `<=`"),
    ("≥", "write `>=`"),
    ("≠", "write `!=`"),
    ("×", "write `*`"),
    ("÷", "write `/`"),
    ("−", "write `-`"),
    ("–", "write `-`"),
    ("“", "use straight quotes: \"…\""),
    ("”", "use straight quotes: \"…\""),
    ("„", "use straight quotes: \"…\""),
    ("«", "use straight quotes: \"…\""),
    ("‘", "use straight quotes: '…'"),
    ("’", "use straight quotes: '…'"),
    ("{", "maps are not used here"),
    ("?", "choices are not used here"),
];

/// How many `>` stand before the text under `span` on its line: an expression inside a quote that
/// goes on in the next line meets them again there.
pub(super) fn quote_depth(source: &str, at: usize) -> usize {
    let start = source[..at].rfind('\n').map_or(0, |newline| newline + 1);
    source[start..at]
        .bytes()
        .take_while(|byte| b" \t>*+-.)".contains(byte) || byte.is_ascii_digit())
        .filter(|&byte| byte == b'>')
        .count()
}

/// Length of the blank, line ends and quote marks at the start of `text`.
pub(super) fn blank(text: &str, depth: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut marks = 0;
    loop {
        match bytes.get(at) {
            Some(b'\n') => marks = depth,
            Some(b' ' | b'\t' | b'\r') => {}
            Some(b'>') if marks > 0 => marks -= 1,
            _ => return at,
        }
        at += 1;
    }
}

/// Cuts the text under a span into tokens; `None` after a fault that was reported.
pub(super) fn tokens(span: &Span, report: &mut Report) -> Option<Vec<Token>> {
    let text = span.text();
    let depth = quote_depth(&span.source.text, span.range.start);
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += blank(&text[at..], depth);
        let rest = &text[at..];
        let Some(first) = rest.chars().next() else {
            tokens.push(Token {
                kind: Kind::End,
                range: at..at,
            });
            return Some(tokens);
        };
        let (kind, length) = if first.is_ascii_digit() {
            number(span, at, report)?
        } else if matches!(first, '"' | '\'' | '`') {
            quoted(span, at, first, report)?
        } else if first.is_alphabetic() || first == '_' {
            let length = word(rest);
            (Kind::Name(rest[..length].to_owned()), length)
        } else {
            let sign = sign(span, at, report)?;
            (Kind::Sign(sign), sign.len())
        };
        tokens.push(Token {
            kind,
            range: at..at + length,
        });
        at += length;
    }
}

/// Length of the name at the start of `text`.
pub(super) fn word(text: &str) -> usize {
    text.find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len())
}

fn fault(
    span: &Span,
    range: Range<usize>,
    message: impl Into<String>,
    help: &str,
    report: &mut Report,
) {
    let mut diagnostic =
        Diagnostic::new(Code::BadExpression, message).at(span.within(range), String::new());
    if !help.is_empty() {
        diagnostic = diagnostic.help(help);
    }
    report.push(diagnostic);
}

fn number(span: &Span, at: usize, report: &mut Report) -> Option<(Kind, usize)> {
    let rest = &span.text()[at..];
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let mut length = digits(rest);
    let mut places = 0;
    if rest[length..].starts_with('.') {
        places = digits(&rest[length + 1..]);
        if places == 0 {
            let help = format!("write `{0}.0` or `{0}`", &rest[..length]);
            fault(
                span,
                at..at + length + 1,
                "a number ends in a point",
                &help,
                report,
            );
            return None;
        }
        length += 1 + places;
    }
    let tail = word(&rest[length..]);
    if tail > 0 {
        let whole = &rest[..length + tail];
        let help = if whole.contains('_') {
            "write the digits without separators"
        } else if rest[length..].starts_with(['e', 'E']) {
            "write the number out, without an exponent"
        } else {
            "write numbers without a unit, and levels such as \"1G\" in quotes"
        };
        let message = format!("`{}` is not a number", shortened(whole));
        fault(span, at..at + whole.len(), message, help, report);
        return None;
    }
    let value: f64 = rest[..length].parse().unwrap_or(f64::INFINITY);
    if !value.is_finite() {
        fault(span, at..at + length, "a number is too large", "", report);
        return None;
    }
    Some((
        Kind::Number(value, u8::try_from(places).unwrap_or(u8::MAX)),
        length,
    ))
}

fn quoted(span: &Span, at: usize, quote: char, report: &mut Report) -> Option<(Kind, usize)> {
    let rest = &span.text()[at..];
    let mut out = String::new();
    let mut letters = rest.char_indices().skip(1);
    while let Some((offset, letter)) = letters.next() {
        if letter == quote {
            return Some((Kind::Text(out), offset + 1));
        }
        match letter {
            '\n' => break,
            '\\' => match letters.next() {
                Some((_, escaped @ ('"' | '\'' | '`' | '/' | '\\'))) => out.push(escaped),
                Some((_, 'n')) => out.push('\n'),
                Some((_, 't')) => out.push('\t'),
                Some((_, 'r')) => out.push('\r'),
                other => {
                    let end = other.map_or(rest.len(), |(at, letter)| at + letter.len_utf8());
                    let help = "a backslash stands before a quote, a backslash, n, t or r; write \\\\ for a backslash";
                    fault(
                        span,
                        at + offset..at + end,
                        "an unknown escape",
                        help,
                        report,
                    );
                    return None;
                }
            },
            _ => out.push(letter),
        }
    }
    let end = rest.find('\n').unwrap_or(rest.len());
    let help = format!("close it with {quote}");
    fault(
        span,
        at..at + end,
        "a text in quotes isn't closed on its line",
        &help,
        report,
    );
    None
}

fn sign(span: &Span, at: usize, report: &mut Report) -> Option<&'static str> {
    let rest = &span.text()[at..];
    let first = rest.as_bytes().first();
    let begins = |sign: &str| sign.as_bytes().first() == first && rest.starts_with(sign);
    let own = SIGNS.iter().find(|sign| begins(sign)).copied();
    let foreign = FOREIGN.iter().find(|(sign, _)| begins(sign)).copied();
    match (own, foreign) {
        (Some(own), None) => Some(own),
        (Some(own), Some((foreign, _))) if own.len() >= foreign.len() => Some(own),
        (_, Some((foreign, help))) => {
            let message = format!("`{foreign}` is not used here");
            fault(span, at..at + foreign.len(), message, help, report);
            None
        }
        (None, None) => {
            let letter = rest.chars().next()?;
            let message = format!("`{}` can't stand in an expression", letter.escape_debug());
            fault(span, at..at + letter.len_utf8(), message, "", report);
            None
        }
    }
}
