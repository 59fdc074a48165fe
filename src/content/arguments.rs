//! Reads a block's body: TOML arguments checked against the table of kinds, then rows of CSV.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::block::{Argument, Arguments, Block, Given, Kind, Type};
use super::place::Body;
use crate::diag::{Code, Diagnostic, Report, Severity, Span, nearest, toml_faults};

/// Reads the body of a fence of the given kind. Faulty arguments are reported and left out.
pub(super) fn read(kind: &'static Kind, body: &Body, fence: Span, report: &mut Report) -> Block {
    let (head, tail) = split(&body.text);
    let mut block = Block {
        kind: kind.name,
        arguments: Arguments::default(),
        whole: true,
        rows: None,
        row_lines: Vec::new(),
        span: fence,
    };
    if let Some(tail) = tail {
        let tail = tail.start..tail.start + body.text[tail].trim_end().len();
        if kind.takes_rows {
            block.rows = Some(body.span(tail.clone()));
            block.row_lines = lines(&body.text, tail)
                .map(|line| body.span(line))
                .collect();
        } else {
            block.whole = false;
            report.push(
                Diagnostic::new(
                    Code::BadBlock,
                    format!("a `{}` block takes no rows", kind.name),
                )
                .at(body.span(tail), "these lines follow `---`"),
            );
        }
    }
    // Where the TOML itself is broken, arguments that seem missing may only be unread.
    let before = report.count(Severity::Error);
    if let Some(written) = arguments(kind, &body.text[head], body, &mut block.arguments, report) {
        missing(kind, &block, &written, report);
    }
    block.whole &= report.count(Severity::Error) == before;
    block
}

/// The part before a line `---` and the part after it.
fn split(text: &str) -> (Range<usize>, Option<Range<usize>>) {
    for line in lines(text, 0..text.len()) {
        if text[line.clone()].trim() == "---" {
            let next = text[line.end..]
                .find('\n')
                .map_or(text.len(), |at| line.end + at + 1);
            return (0..line.start, Some(next..text.len()));
        }
    }
    (0..text.len(), None)
}

/// Ranges of the lines within `range`, without their ends; a last empty line is none.
fn lines(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut at = range.start;
    text[range].split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        start..start + line.trim_end_matches(['\n', '\r']).len()
    })
}

/// Reads the arguments; gives the names that were written, faulty ones too, unless the TOML is broken.
fn arguments(
    kind: &Kind,
    text: &str,
    body: &Body,
    arguments: &mut Arguments,
    report: &mut Report,
) -> Option<Vec<String>> {
    let (table, errors) = DeTable::parse_recoverable(text);
    for fault in toml_faults(text, &errors) {
        let code = if fault.message.contains("given twice") {
            Code::BadArgument
        } else {
            Code::BadBlock
        };
        let general = "a block holds lines `key = value`, with texts in quotes";
        report.push(
            Diagnostic::new(code, fault.message)
                .at(body.span(fault.range), "")
                .help(fault.help.unwrap_or_else(|| general.to_owned())),
        );
    }
    for (key, value) in table.get_ref() {
        let name = key.get_ref().as_ref();
        let name_span = body.span(key.span());
        let value_span = body.span(value.span());
        let Some(argument) = kind.arguments.iter().find(|argument| argument.name == name) else {
            let message = format!("a `{}` block has no argument `{name}`", kind.name);
            let mut diagnostic = Diagnostic::new(Code::UnknownArgument, message).at(name_span, "");
            if kind.arguments.is_empty() {
                diagnostic = diagnostic.help("it takes no arguments at all");
            }
            report.push(diagnostic.suggest(name, kind.arguments.iter().map(|a| a.name)));
            continue;
        };
        if let Err((range, message, choices)) = check(argument, value) {
            let mut diagnostic = Diagnostic::new(Code::BadArgument, message)
                .at(body.span(range.clone()), "")
                .at(name_span.clone(), "");
            diagnostic.labels.dedup_by(|a, b| a.span == b.span);
            let given = text
                .get(range)
                .unwrap_or_default()
                .trim_matches(['"', '\'']);
            let unquoted = matches!(argument.kind, Type::Text | Type::Texts)
                && matches!(value.get_ref(), DeValue::Integer(_) | DeValue::Float(_));
            if unquoted {
                diagnostic = diagnostic.help(format!("put it in quotes: `\"{given}\"`"));
            }
            report.push(diagnostic.suggest(given, choices.iter().copied()));
            continue;
        }
        if let Some(value) = owned(value.get_ref()) {
            let name = name.to_owned();
            arguments.given.push(Given {
                name,
                value,
                name_span,
                value_span,
            });
        }
    }
    // The order of the text, which is also that of the table today; promised, so made sure of.
    arguments
        .given
        .sort_by_key(|given| given.name_span.range.start);
    let written = table
        .get_ref()
        .keys()
        .map(|key| key.get_ref().to_string())
        .collect();
    errors.is_empty().then_some(written)
}

type Fault = (Range<usize>, String, &'static [&'static str]);

/// Checks a value against its argument's type.
fn check(argument: &Argument, value: &toml::Spanned<DeValue<'_>>) -> Result<(), Fault> {
    let name = argument.name;
    let wrong = |value: &toml::Spanned<DeValue<'_>>| -> Fault {
        let found = described(value.get_ref());
        let message = format!("`{name}` takes {}, not {found}", argument.kind.described());
        (value.span(), message, &[])
    };
    let choice = |value: &toml::Spanned<DeValue<'_>>, words: &'static [&'static str]| {
        let Some(word) = value.get_ref().as_str() else {
            return Err(wrong(value));
        };
        if words.contains(&word) {
            Ok(())
        } else {
            Err((value.span(), format!("`{name}` can't be \"{word}\""), words))
        }
    };
    match (argument.kind, value.get_ref()) {
        (Type::Text | Type::Texts, DeValue::String(_))
        | (Type::Flag, DeValue::Boolean(_))
        | (Type::Number, DeValue::Integer(_) | DeValue::Float(_)) => Ok(()),
        (Type::Texts, DeValue::Array(items)) => {
            match items.iter().find(|item| !item.get_ref().is_str()) {
                Some(item) => Err(wrong(item)),
                None => Ok(()),
            }
        }
        (Type::Choice(words), DeValue::String(_)) => choice(value, words),
        (Type::Choices(words), DeValue::String(_)) => choice(value, words),
        (Type::Choices(words), DeValue::Array(items)) => {
            items.iter().try_for_each(|item| choice(item, words))
        }
        (Type::Levels, DeValue::Table(factors)) => factors.iter().try_for_each(|(_, levels)| {
            let level = |value: &DeValue<'_>| {
                value.is_str() || value.is_integer() || value.is_float() || value.is_bool()
            };
            match levels.get_ref() {
                DeValue::Array(items) => match items.iter().find(|item| !level(item.get_ref())) {
                    Some(item) => Err(wrong(item)),
                    None => Ok(()),
                },
                one if level(one) => Ok(()),
                _ => Err(wrong(levels)),
            }
        }),
        _ => Err(wrong(value)),
    }
}

impl Type {
    /// What is to be given, in words.
    pub fn described(self) -> String {
        match self {
            Self::Text => "a text".to_owned(),
            Self::Texts => "a text or a list of texts".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Choice(words) => format!("one of {}", listed(words)),
            Self::Choices(words) => format!("one or a list of {}", listed(words)),
            Self::Levels => "levels by factor, as in `{ plan = \"balanced\" }`".to_owned(),
        }
    }
}

fn listed(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("\"{word}\""))
        .collect::<Vec<_>>()
        .join(", ")
}

fn described(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// The value without its places; `None` for numbers that fit no type.
fn owned(value: &DeValue<'_>) -> Option<toml::Value> {
    Some(match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => match i64::from_str_radix(number.as_str(), number.radix()) {
            Ok(number) => toml::Value::Integer(number),
            Err(_) => return None,
        },
        DeValue::Float(number) => toml::Value::Float(number.as_str().parse().ok()?),
        DeValue::Boolean(flag) => toml::Value::Boolean(*flag),
        DeValue::Datetime(date) => toml::Value::Datetime(*date),
        DeValue::Array(items) => toml::Value::Array(
            items
                .iter()
                .filter_map(|item| owned(item.get_ref()))
                .collect(),
        ),
        DeValue::Table(table) => toml::Value::Table(
            table
                .iter()
                .filter_map(|(key, value)| {
                    Some((key.get_ref().to_string(), owned(value.get_ref())?))
                })
                .collect(),
        ),
    })
}

fn missing(kind: &Kind, block: &Block, written: &[String], report: &mut Report) {
    // A name that is nearly the wanted one has been reported with it.
    let slip = |written: &str, name: &str| {
        let names = kind.arguments.iter().map(|argument| argument.name);
        !names.clone().any(|known| known == written) && nearest(written, names) == Some(name)
    };
    let given = |name: &str| {
        written
            .iter()
            .any(|given| given == name || slip(given, name))
    };
    let mut names: Vec<&str> = kind
        .arguments
        .iter()
        .filter(|argument| argument.required && !given(argument.name))
        // Rows written inside the block need no factor to find them by.
        .filter(|argument| block.rows.is_none() || argument.name != "rows")
        .map(|argument| argument.name)
        .collect();
    let timeline = block.arguments.text("kind") == Some("timeline");
    if kind.name == "chart" && !timeline && !given("x") {
        names.push("x");
    }
    for name in names {
        let meaning = kind
            .arguments
            .iter()
            .find(|a| a.name == name)
            .map_or("", |a| a.meaning);
        report.push(
            Diagnostic::new(
                Code::MissingArgument,
                format!("a `{}` block needs the argument `{name}`", kind.name),
            )
            .at(first_line(&block.span), "")
            .help(format!("add `{name} = …`: {}", lower(meaning))),
        );
    }
}

/// A sentence as a part of another.
fn lower(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// The fence's opening line: an underline under a whole block says nothing more.
fn first_line(span: &Span) -> Span {
    let length = span.text().find(['\r', '\n']).unwrap_or(span.text().len());
    span.within(0..length)
}
