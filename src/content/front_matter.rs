//! What stands above a page's text: TOML between `+++` or YAML between `---`.

use std::ops::Range;
use std::sync::Arc;

use super::tree::{self, Entry, Fault, Node, Value};
use crate::diag::{Code, Diagnostic, Report, Source, Span};

/// A page's front matter, as typed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FrontMatter {
    /// Title (required).
    pub title: String,
    /// One or two sentences for lists, feeds and previews.
    pub description: Option<String>,
    /// Date of publication, `2026-11-30`.
    pub date: Option<String>,
    /// Date of the last change of substance.
    pub updated: Option<String>,
    /// Left out unless drafts are asked for.
    pub draft: bool,
    /// Last part of the address, instead of the file's name.
    pub slug: Option<String>,
    /// Place in its section: smaller first, then newer first.
    pub weight: Option<i64>,
    /// Tags.
    pub tags: Vec<String>,
    /// Authors.
    pub authors: Vec<String>,
    /// Earlier addresses that lead here, relative to the language's root.
    pub aliases: Vec<String>,
    /// Keys of the experiments it speaks of; the first is the default of blocks and expressions.
    pub experiments: Vec<String>,
    /// Digest of the original this translation was made from.
    pub translated_from: Option<String>,
    /// Name of the template instead of the default for its place.
    pub template: Option<String>,
    /// Inline values as headline figures: expressions with a label (`[[headline]]`), as text.
    pub headlines: Vec<Headline>,
    /// Where the value of each known key stands, for error messages.
    pub spans: Vec<(String, Span)>,
    /// The whole front matter with its fences.
    pub span: Option<Span>,
}

impl FrontMatter {
    /// Where the value of a key stands.
    pub fn span_of(&self, key: &str) -> Option<&Span> {
        self.spans.iter().find(|(known, _)| known == key).map(|(_, span)| span)
    }

    /// Where a text stands in the value of a key, which may be a list.
    pub fn span_of_item(&self, key: &str, item: &str) -> Option<Span> {
        self.span_of(key).map(|span| span.narrowed(item))
    }
}

/// A figure shown large above an article.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// An expression, as inside `{{ … }}`.
    pub value: String,
    /// What it is, in the page's language.
    pub label: String,
    /// Where the expression stands.
    pub span: Span,
}

/// Names of the keys.
const KEYS: &[&str] = &[
    "title",
    "description",
    "date",
    "updated",
    "draft",
    "slug",
    "weight",
    "tags",
    "authors",
    "aliases",
    "experiment",
    "experiments",
    "translated_from",
    "template",
    "headline",
];

/// Where a front matter stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fences {
    /// Whether it is YAML.
    pub(super) yaml: bool,
    /// What stands between the fences.
    pub(super) inner: Range<usize>,
    /// From the first fence to the end of the last one's line.
    pub(super) whole: Range<usize>,
}

/// Finds the fences; `None` without an opening one, an error without a closing one.
pub(super) fn fences(text: &str) -> Option<Result<Fences, Range<usize>>> {
    let first = text.split_inclusive('\n').next()?;
    let fence = first.trim_end();
    if !matches!(fence, "+++" | "---") {
        return None;
    }
    let start = first.len();
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == fence {
            let yaml = fence == "---";
            return Some(Ok(Fences {
                yaml,
                inner: start..at,
                whole: 0..end,
            }));
        }
        at = end;
    }
    Some(Err(0..fence.len()))
}

/// What reading a front matter gave.
pub(super) struct Read {
    /// What it says; `None` when it can't be used.
    pub(super) front: Option<FrontMatter>,
    /// Where the body begins.
    pub(super) body: usize,
}

/// Reads the front matter of a page. `None` when it has no end, so that no body can be told.
pub(super) fn read(source: &Arc<Source>, report: &mut Report) -> Option<Read> {
    let fences = match fences(&source.text) {
        None => {
            let end = source.text.find(['\r', '\n']).unwrap_or(source.text.len());
            report.push(
                Diagnostic::new(Code::BadFrontMatter, "a page has no front matter")
                    .at(Span::new(source, 0..end), "")
                    .help("begin it with a line `+++`, then `title = \"…\"`, then a line `+++`"),
            );
            return Some(Read {
                front: None,
                body: 0,
            });
        }
        Some(Err(opening)) => {
            let fence = source.text[opening.clone()].to_owned();
            report.push(
                Diagnostic::new(Code::UnclosedFrontMatter, "a front matter isn't closed")
                    .at(Span::new(source, opening), "opened here")
                    .help(format!("put a line `{fence}` after its last key")),
            );
            return None;
        }
        Some(Ok(fences)) => fences,
    };
    let inner = &source.text[fences.inner.clone()];
    let (entries, faults) = if fences.yaml {
        match tree::yaml(inner) {
            Ok(entries) => (entries, Vec::new()),
            Err(fault) => (Vec::new(), vec![fault]),
        }
    } else {
        tree::toml(inner)
    };
    let code = if fences.yaml {
        Code::BadYaml
    } else {
        Code::BadToml
    };
    let broken = !faults.is_empty();
    let span = Span::new(source, fences.inner.clone());
    for fault in faults {
        let Fault {
            message,
            range,
            help,
        } = fault;
        let mut diagnostic = Diagnostic::new(code, message).at(span.within(range), "");
        diagnostic.help.extend(help);
        report.push(diagnostic);
    }
    let mut reader = Reader {
        span,
        front: FrontMatter::default(),
        broken,
        report,
    };
    for entry in &entries {
        reader.entry(entry);
    }
    let mut front = reader.front;
    let whole = Span::new(source, fences.whole.clone());
    if front.title.is_empty() && !broken && !entries.iter().any(|entry| entry.key == "title") {
        let end = source.text.find(['\r', '\n']).unwrap_or(source.text.len());
        report.push(
            Diagnostic::new(Code::BadFrontMatter, "a page needs a title")
                .at(whole.within(0..end), "this front matter has none")
                .help(if fences.yaml {
                    "add `title: …`"
                } else {
                    "add `title = \"…\"`"
                }),
        );
    }
    front.span = Some(whole);
    Some(Read {
        front: (!broken).then_some(front),
        body: fences.whole.end,
    })
}

struct Reader<'a> {
    span: Span,
    front: FrontMatter,
    /// Whether the text itself could not be read in full.
    broken: bool,
    report: &'a mut Report,
}

impl Reader<'_> {
    fn entry(&mut self, entry: &Entry) {
        let node = &entry.node;
        let place = self.span.within(entry.key_range.clone());
        match entry.key.as_str() {
            "title" => {
                let title = self.text(entry, node).unwrap_or_default();
                if title.trim().is_empty() && matches!(node.value, Value::Text(_)) {
                    self.fault(&node.range, "the title is empty", "");
                }
                self.front.title = title;
            }
            "description" => self.front.description = self.text(entry, node),
            "date" => self.front.date = self.date(entry),
            "updated" => self.front.updated = self.date(entry),
            "draft" => match node.value {
                Value::Flag(draft) => self.front.draft = draft,
                _ => self.wrong(entry, node, "true or false"),
            },
            "slug" => self.front.slug = self.slug(entry),
            "weight" => match node.value {
                Value::Whole(weight) => self.front.weight = Some(weight),
                _ => self.wrong(entry, node, "a whole number"),
            },
            "tags" => self.front.tags = self.texts(entry),
            "authors" => self.front.authors = self.texts(entry),
            "aliases" => self.front.aliases = self.texts(entry),
            "experiment" | "experiments" => {
                let earlier = self
                    .front
                    .spans
                    .iter()
                    .find(|(key, _)| key.starts_with("experiment"));
                if let Some((_, earlier)) = earlier {
                    self.report.push(
                        Diagnostic::new(
                            Code::BadFrontMatter,
                            "`experiment` and `experiments` are both given",
                        )
                        .at(place.clone(), "again here")
                        .at(earlier.clone(), "first here")
                        .help("name all of them in `experiments`, the main one first"),
                    );
                } else {
                    self.front.experiments = self.texts(entry);
                }
            }
            "translated_from" => self.front.translated_from = self.text(entry, node),
            "template" => self.front.template = self.text(entry, node),
            "headline" => self.headlines(entry),
            key => {
                self.report.push(
                    Diagnostic::new(Code::UnknownKey, format!("a page has no key `{key}`"))
                        .at(place, "")
                        .suggest(key, KEYS.iter().copied()),
                );
                return;
            }
        }
        let value = self.span.within(node.range.clone());
        self.front.spans.push((entry.key.clone(), value));
    }

    fn fault(&mut self, range: &Range<usize>, message: impl Into<String>, help: &str) {
        let place = self.span.within(range.clone());
        let mut diagnostic = Diagnostic::new(Code::BadFrontMatter, message).at(place, "");
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report.push(diagnostic);
    }

    fn wrong(&mut self, entry: &Entry, node: &Node, wanted: &str) {
        let found = node.value.described();
        let help = match node.value {
            Value::Whole(_) | Value::Number(_) | Value::Flag(_) | Value::Date(_)
                if wanted.contains("text") =>
            {
                "put it in quotes"
            }
            _ => "",
        };
        self.fault(
            &node.range,
            format!("`{}` takes {wanted}, not {found}", entry.key),
            help,
        );
    }

    fn text(&mut self, entry: &Entry, node: &Node) -> Option<String> {
        if let Value::Text(text) = &node.value {
            return Some(text.clone());
        }
        self.wrong(entry, node, "a text");
        None
    }

    fn texts(&mut self, entry: &Entry) -> Vec<String> {
        match &entry.node.value {
            Value::Text(text) => vec![text.clone()],
            Value::List(items) => items
                .iter()
                .filter_map(|item| self.text(entry, item))
                .collect(),
            _ => {
                self.wrong(entry, &entry.node, "a text or a list of texts");
                Vec::new()
            }
        }
    }

    fn date(&mut self, entry: &Entry) -> Option<String> {
        let (Value::Date(text) | Value::Text(text)) = &entry.node.value else {
            self.wrong(entry, &entry.node, "a date such as 2014-07-31");
            return None;
        };
        if is_date(text) {
            return Some(text.clone());
        }
        if self.broken && matches!(entry.node.value, Value::Date(_)) {
            // TOML has said so itself.
            return None;
        }
        let message = format!("`{}` is no date of the calendar", entry.key);
        self.fault(
            &entry.node.range,
            message,
            "write year, month and day: 2014-07-31",
        );
        None
    }

    fn slug(&mut self, entry: &Entry) -> Option<String> {
        let slug = self.text(entry, &entry.node)?;
        let bad = |letter: char| {
            letter.is_whitespace() || letter.is_control() || "/\\?#%:\"<>|*".contains(letter)
        };
        if slug.is_empty() || slug == "." || slug == ".." || slug.contains(bad) {
            self.fault(
                &entry.node.range,
                "the slug can't be part of an address",
                "use letters, digits and `-`",
            );
            return None;
        }
        Some(slug)
    }

    fn headlines(&mut self, entry: &Entry) {
        let Value::List(items) = &entry.node.value else {
            return self.wrong(entry, &entry.node, "tables: write [[headline]]");
        };
        for item in items {
            let Value::Table(fields) = &item.value else {
                self.wrong(entry, item, "tables: write [[headline]]");
                continue;
            };
            self.headline(item, fields);
        }
    }

    fn headline(&mut self, item: &Node, fields: &[Entry]) {
        let mut headline = Headline {
            value: String::new(),
            label: String::new(),
            span: self.span.within(item.range.clone()),
        };
        for field in fields {
            match field.key.as_str() {
                "value" => {
                    headline.value = self.text(field, &field.node).unwrap_or_default();
                    headline.span = self.inside_quotes(&field.node.range, &headline.value);
                }
                "label" => headline.label = self.text(field, &field.node).unwrap_or_default(),
                key => self.report.push(
                    Diagnostic::new(Code::UnknownKey, format!("a headline has no key `{key}`"))
                        .at(self.span.within(field.key_range.clone()), "")
                        .suggest(key, ["value", "label"]),
                ),
            }
        }
        for key in ["value", "label"] {
            if !fields.iter().any(|field| field.key == key) {
                self.fault(&item.range, format!("a headline needs a `{key}`"), "");
            }
        }
        if !headline.value.is_empty() {
            self.front.headlines.push(headline);
        }
    }

    /// The place of a text without its quotes, if it stands there as it reads.
    fn inside_quotes(&self, range: &Range<usize>, text: &str) -> Span {
        let place = self.span.within(range.clone());
        match place.text().find(text) {
            Some(at) if !text.is_empty() => place.within(at..at + text.len()),
            _ => place,
        }
    }
}

/// Whether a text is a day of the calendar as `2014-07-31`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts[..] else {
        return false;
    };
    let number = |part: &str, length: usize| {
        (part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit()))
            .then(|| part.parse::<u32>().ok())
            .flatten()
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}
