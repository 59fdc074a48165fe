//! The keys of a front matter, each with its type.

use std::ops::Range;

use super::front_matter::{FrontMatter, Headline};
use super::place::text_within;
use super::tree::{Entry, Node, Value};
use crate::diag::{Code, Diagnostic, Report, Span};

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

/// Reads entries into a front matter.
pub(super) struct Reader<'a> {
    span: Span,
    front: FrontMatter,
    /// Whether the text itself could not be read in full.
    broken: bool,
    report: &'a mut Report,
}

impl<'a> Reader<'a> {
    /// A reader of what stands under `span`; `broken` when the text can't be read in full.
    pub(super) fn new(span: Span, broken: bool, report: &'a mut Report) -> Self {
        Self {
            span,
            front: FrontMatter::default(),
            broken,
            report,
        }
    }

    /// What was read.
    pub(super) fn finish(self) -> FrontMatter {
        self.front
    }

    /// Reads one entry.
    pub(super) fn entry(&mut self, entry: &Entry) {
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
                    let place = self.span.within(field.node.range.clone());
                    headline.span = text_within(&place, &headline.value).unwrap_or(place);
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
