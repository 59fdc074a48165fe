//! A TOML text walked key by key, so that one reading finds every fault with its exact place.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::diag::{Code, Diagnostic, Report, Source, Span, toml_faults};

/// A TOML text being read, with the faults found so far.
pub(super) struct Document<'r> {
    source: Arc<Source>,
    report: RefCell<&'r mut Report>,
}

impl<'r> Document<'r> {
    /// Prepares to read `source`.
    pub(super) fn new(source: &Arc<Source>, report: &'r mut Report) -> Self {
        Self {
            source: Arc::clone(source),
            report: RefCell::new(report),
        }
    }

    /// The text itself.
    pub(super) fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// A stretch of the text.
    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span::new(&self.source, range)
    }

    /// Records a fault.
    pub(super) fn push(&self, diagnostic: Diagnostic) {
        self.report.borrow_mut().push(diagnostic);
    }

    /// Records that what stands at `range` can't be used; `say` adds to the fault.
    pub(super) fn fault(
        &self,
        range: &Range<usize>,
        message: impl Into<String>,
        label: impl Into<String>,
        say: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        let fault =
            Diagnostic::new(Code::BadDefinition, message).at(self.span(range.clone()), label);
        self.push(say(fault));
    }
}

/// Parses a TOML text; a text that can't be parsed is reported.
pub(super) fn parse<'t>(text: &'t Arc<Source>, report: &mut Report) -> Option<DeTable<'t>> {
    let (table, errors) = DeTable::parse_recoverable(&text.text);
    for fault in toml_faults(&text.text, &errors) {
        let place = Span::new(text, fault.range);
        let mut diagnostic = Diagnostic::new(Code::BadToml, fault.message).at(place, "");
        diagnostic.help.extend(fault.help);
        report.push(diagnostic);
    }
    errors.is_empty().then(|| table.into_inner())
}

/// A text from the document with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// The text.
    pub(super) text: String,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

/// One value of the document with its place.
pub(super) type Item<'t> = Spanned<DeValue<'t>>;

/// One table of the document; remembers which keys were asked for.
pub(super) struct Section<'d, 'r, 't> {
    document: &'d Document<'r>,
    entries: &'d DeTable<'t>,
    /// As people write its header, empty for the top.
    name: String,
    /// The place to point at when something is missing.
    range: Range<usize>,
    known: Vec<&'static str>,
}

impl<'d, 'r, 't> Section<'d, 'r, 't> {
    /// The whole document.
    pub(super) fn top(document: &'d Document<'r>, entries: &'d DeTable<'t>) -> Self {
        Self {
            document,
            entries,
            name: String::new(),
            range: 0..0,
            known: Vec::new(),
        }
    }

    /// The place to point at when something is missing.
    pub(super) fn range(&self) -> &Range<usize> {
        &self.range
    }

    /// Whether a key is there.
    pub(super) fn has(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    /// Whatever stands under a key, if the key is there.
    pub(super) fn look(&mut self, key: &'static str) -> Option<&'d Item<'t>> {
        self.known.push(key);
        self.entries.get(key)
    }

    /// Reports a value of another kind than is needed.
    pub(super) fn wrong_kind(&self, key: &str, item: &Item<'_>, wanted: &str) {
        let found = item.get_ref().type_str();
        self.document.fault(
            &item.span(),
            format!("`{key}` is {}, and {wanted} is needed", in_words(found)),
            "",
            |fault| fault,
        );
    }

    /// A text, if the key is there.
    pub(super) fn text(&mut self, key: &'static str) -> Option<Word> {
        let item = self.look(key)?;
        let word = word(item);
        if word.is_none() {
            self.wrong_kind(key, item, "a text");
        }
        word
    }

    /// A text, or a number as it is written, if the key is there.
    pub(super) fn plain(&mut self, key: &'static str) -> Option<Word> {
        let item = self.look(key)?;
        let word = scalar(item);
        if word.is_none() {
            self.wrong_kind(key, item, "a text or number");
        }
        word
    }

    /// A text that can't be left out.
    pub(super) fn required(&mut self, key: &'static str) -> Option<Word> {
        self.require(key, Self::text)
    }

    /// A text or number that can't be left out.
    pub(super) fn required_plain(&mut self, key: &'static str) -> Option<Word> {
        self.require(key, Self::plain)
    }

    fn require(
        &mut self,
        key: &'static str,
        read: impl FnOnce(&mut Self, &'static str) -> Option<Word>,
    ) -> Option<Word> {
        if self.entries.contains_key(key) {
            let word = read(self, key)?;
            if word.text.trim().is_empty() {
                self.document
                    .fault(&word.range, format!("`{key}` is empty"), "", |fault| fault);
            }
            return Some(word);
        }
        self.known.push(key);
        let place = if self.name.is_empty() {
            String::new()
        } else {
            format!(" in {}", self.name)
        };
        self.document.fault(
            &self.range,
            format!("`{key}` is missing{place}"),
            "",
            |fault| fault.help(format!("add `{key} = \"…\"`")),
        );
        None
    }

    /// A finite number, if the key is there.
    pub(super) fn number(&mut self, key: &'static str) -> Option<(f64, Range<usize>)> {
        let item = self.look(key)?;
        let number = number(item);
        if number.is_none() {
            self.wrong_kind(key, item, "a finite number");
        }
        number.map(|number| (number, item.span()))
    }

    /// A whole number between these, if the key is there.
    pub(super) fn whole(&mut self, key: &'static str, low: u64, high: u64) -> Option<u64> {
        let item = self.look(key)?;
        let DeValue::Integer(integer) = item.get_ref() else {
            self.wrong_kind(key, item, "a whole number");
            return None;
        };
        let number = u64::from_str_radix(integer.as_str(), integer.radix()).ok();
        let fits = number.filter(|number| (low..=high).contains(number));
        if fits.is_none() {
            let message = format!("`{key}` is a whole number from {low} to {high}");
            self.document.fault(&item.span(), message, "", |it| it);
        }
        fits
    }

    /// `true` or `false`, if the key is there.
    pub(super) fn flag(&mut self, key: &'static str) -> Option<bool> {
        let item = self.look(key)?;
        let flag = item.get_ref().as_bool();
        if flag.is_none() {
            self.wrong_kind(key, item, "`true` or `false`");
        }
        flag
    }

    /// The values of a list, if the key is there.
    pub(super) fn list(&mut self, key: &'static str) -> Option<(&'d [Item<'t>], Range<usize>)> {
        let item = self.look(key)?;
        let list = item.get_ref().as_array();
        if list.is_none() {
            self.wrong_kind(key, item, "a list");
        }
        list.map(|list| (&**list, item.span()))
    }

    /// The texts of a list; empty when the key isn't there.
    pub(super) fn words(&mut self, key: &'static str) -> Vec<Word> {
        let Some((items, _)) = self.list(key) else {
            return Vec::new();
        };
        let mut words = Vec::new();
        for item in items {
            match word(item) {
                Some(word) => words.push(word),
                None => self.wrong_kind(key, item, "a text"),
            }
        }
        words
    }

    /// Pairs of a free key and a text or number, in written order; empty when the key isn't there.
    pub(super) fn pairs(&mut self, key: &'static str) -> Vec<(Word, Word)> {
        let Some(table) = self.section(key) else {
            return Vec::new();
        };
        table
            .free()
            .filter_map(|(name, item)| {
                let value = scalar(item);
                if value.is_none() {
                    self.wrong_kind(&name.text, item, "a text");
                }
                Some((name, value?))
            })
            .collect()
    }

    /// A table, if the key is there.
    pub(super) fn section(&mut self, key: &'static str) -> Option<Section<'d, 'r, 't>> {
        self.known.push(key);
        let (written, item) = self.entries.get_key_value(key)?;
        self.open(key, &written.span(), item)
    }

    /// The tables of a list of tables; empty when the key isn't there.
    pub(super) fn sections(&mut self, key: &'static str) -> Vec<Section<'d, 'r, 't>> {
        let Some((items, _)) = self.list(key) else {
            return Vec::new();
        };
        items
            .iter()
            .filter_map(|item| self.open(key, &item.span(), item))
            .collect()
    }

    /// The table in `item`, which stands under `key`.
    pub(super) fn open(
        &self,
        key: &str,
        range: &Range<usize>,
        item: &'d Item<'t>,
    ) -> Option<Section<'d, 'r, 't>> {
        let Some(entries) = item.get_ref().as_table() else {
            self.wrong_kind(key, item, "a table");
            return None;
        };
        let name = match &*self.name {
            "" => format!("`{key}`"),
            outer => format!("`{}.{key}`", outer.trim_matches('`')),
        };
        Some(Section {
            document: self.document,
            entries,
            name,
            range: range.clone(),
            known: Vec::new(),
        })
    }

    /// All entries of a table whose keys are free, in written order.
    pub(super) fn free(&self) -> impl Iterator<Item = (Word, &'d Item<'t>)> + use<'d, 't> {
        self.entries.iter().map(|(key, item)| {
            (
                Word {
                    text: key.get_ref().to_string(),
                    range: key.span(),
                },
                item,
            )
        })
    }

    /// Reports the keys nobody asked for.
    pub(super) fn finish(self) {
        for (key, _) in self.entries {
            let name: &str = key.get_ref();
            if self.known.contains(&name) {
                continue;
            }
            let place = if self.name.is_empty() {
                String::new()
            } else {
                format!(" in {}", self.name)
            };
            self.document.push(
                Diagnostic::new(Code::UnknownKey, format!("unknown key `{name}`{place}"))
                    .at(self.document.span(key.span()), "")
                    .suggest(name, self.known.iter().copied()),
            );
        }
    }
}

fn in_words(kind: &str) -> &'static str {
    match kind {
        "string" => "a text",
        "integer" | "float" => "a number",
        "boolean" => "true or false",
        "datetime" => "a date",
        "array" => "a list",
        _ => "a table",
    }
}

/// The text in an item; dates count as texts, so that `date = 2014-07-14` may stand unquoted.
pub(super) fn word(item: &Item<'_>) -> Option<Word> {
    let text = match item.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        _ => return None,
    };
    Some(Word {
        text,
        range: item.span(),
    })
}

/// The text or number in an item as text.
pub(super) fn scalar(item: &Item<'_>) -> Option<Word> {
    let text = match item.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().to_owned(),
        DeValue::Float(float) => float.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        _ => return word(item),
    };
    Some(Word {
        text,
        range: item.span(),
    })
}

/// The finite number in an item.
pub(super) fn number(item: &Item<'_>) -> Option<f64> {
    let number: f64 = match item.get_ref() {
        DeValue::Integer(integer) => {
            i64::from_str_radix(integer.as_str(), integer.radix()).ok()? as f64
        }
        DeValue::Float(float) => float.as_str().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}
