//! Interface catalogs: words by key, with placeholders and plural forms.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use icu_plurals::PluralCategory;
use include_dir::{Dir, include_dir};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Lang;
use super::pattern::placeholders;
use crate::diag::{Code, Diagnostic, Report, Source, Span, suggestion, toml_faults};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/templates/locale");

/// Beginnings of keys that a catalog may add to the English ones: names of an author's own units
/// and facts, of further languages, and of blocks, arguments, functions, filters and faults, whose
/// English words stand in code.
const OPEN: [&str; 9] = [
    "unit-",
    "fact-",
    "language-",
    "block-",
    "argument-",
    "function-",
    "filter-",
    "parameter-",
    "fault-",
];

/// Keys that no catalog needs, with their placeholders: the long forms of dates, where a language wants
/// others than those of CLDR.
const DATES: [(&str, &[&str]); 2] = [
    ("date-day", &["day", "month", "year"]),
    ("date-month", &["month", "year"]),
];

/// The words of one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Message {
    /// The language it is written in, whose plural rules choose among its forms.
    pub(super) lang: Lang,
    forms: Vec<(PluralCategory, String)>,
    other: String,
}

impl Message {
    /// The form for a plural category.
    pub(super) fn form(&self, category: PluralCategory) -> &str {
        self.forms
            .iter()
            .find(|(it, _)| *it == category)
            .map_or(&self.other, |(_, text)| text)
    }

    /// The only form, or the one for everything else.
    pub(super) fn other(&self) -> &str {
        &self.other
    }

    /// Whether it has forms to choose from.
    pub(super) fn is_plural(&self) -> bool {
        !self.forms.is_empty()
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.forms
            .iter()
            .map(|(_, text)| &**text)
            .chain([&*self.other])
    }

    fn placeholders(&self) -> BTreeSet<&str> {
        self.texts().flat_map(placeholders).collect()
    }
}

/// The interface words of every language.
#[derive(Debug, Clone)]
pub struct Catalogs {
    languages: BTreeMap<Lang, BTreeMap<String, Message>>,
}

impl Default for Catalogs {
    /// The built-in catalogs.
    fn default() -> Self {
        static PARSED: LazyLock<Catalogs> = LazyLock::new(|| {
            let mut catalogs = Catalogs {
                languages: BTreeMap::new(),
            };
            // A fault in them is found by the tests of this room.
            let mut report = Report::new();
            for (lang, source) in built_in() {
                catalogs.take(&read(&lang, &source, &mut report));
            }
            catalogs
        });
        PARSED.clone()
    }
}

/// The catalogs that come with the program: every `locale/xx.toml` there was when it was built.
fn built_in() -> Vec<(Lang, Arc<Source>)> {
    let mut files: Vec<_> = BUILT_IN
        .files()
        .filter_map(|file| {
            let name = file.path().file_name()?.to_str()?;
            let lang = Lang::parse(name.strip_suffix(".toml")?)?;
            Some((
                lang,
                Source::new(format!("templates/locale/{name}"), file.contents_utf8()?),
            ))
        })
        .collect();
    files.sort();
    files
}

/// A message with its place in its catalog.
struct Entry {
    key: String,
    message: Message,
    key_span: Span,
    span: Span,
}

/// A catalog as it was read.
struct File {
    lang: Lang,
    source: Arc<Source>,
    entries: Vec<Entry>,
}

impl Catalogs {
    /// Reads catalogs (`locale/xx.toml`), later ones over earlier ones key by key and all of them
    /// over the built-in ones, and reports keys and placeholders that don't fit the English catalog.
    pub fn load(files: &[(Lang, Arc<Source>)], report: &mut Report) -> Self {
        let mut catalogs = Self::default();
        let files: Vec<File> = files
            .iter()
            .map(|(lang, source)| read(lang, source, report))
            .collect();
        for file in &files {
            catalogs.take(file);
        }
        for file in &files {
            catalogs.check(file, report);
        }
        catalogs.check_complete(&files, report);
        catalogs
    }

    /// Languages with a catalog of their own.
    pub fn languages(&self) -> impl Iterator<Item = &Lang> {
        self.languages.keys()
    }

    /// The words a language shows: its own, then those of the languages it derives from
    /// (`pt-BR`: `pt`), then the English ones.
    pub(super) fn words(&self, lang: &Lang) -> BTreeMap<String, Message> {
        let mut words = BTreeMap::new();
        for catalog in self.chain(lang).into_iter().rev() {
            words.extend(
                catalog
                    .iter()
                    .map(|(key, message)| (key.clone(), message.clone())),
            );
        }
        words
    }

    fn chain(&self, lang: &Lang) -> Vec<&BTreeMap<String, Message>> {
        let mut langs = lang.ancestry();
        langs.push(Lang::english());
        langs
            .iter()
            .filter_map(|lang| self.languages.get(lang))
            .collect()
    }

    fn take(&mut self, file: &File) {
        let catalog = self.languages.entry(file.lang.clone()).or_default();
        for entry in &file.entries {
            catalog.insert(entry.key.clone(), entry.message.clone());
        }
    }

    /// Checks a catalog's messages against the English ones.
    fn check(&self, file: &File, report: &mut Report) {
        let empty = BTreeMap::new();
        let english = self.languages.get(&Lang::english()).unwrap_or(&empty);
        for entry in &file.entries {
            let original = match english.get(&entry.key) {
                Some(original) => Some(original.placeholders()),
                None => DATES
                    .iter()
                    .find(|(key, _)| *key == entry.key)
                    .map(|(_, names)| names.iter().copied().collect()),
            };
            let Some(wanted) = original else {
                if !OPEN.iter().any(|open| entry.key.starts_with(open)) {
                    report.push(unknown_key(entry, english));
                }
                continue;
            };
            let own = entry.message.placeholders();
            if own != wanted {
                let show = |names: &BTreeSet<&str>| match names.len() {
                    0 => "none".to_owned(),
                    _ => names
                        .iter()
                        .map(|name| format!("`{{{name}}}`"))
                        .collect::<Vec<_>>()
                        .join(", "),
                };
                let (what, original) = match english.contains_key(&entry.key) {
                    true => ("differ from the English message", "the English message has"),
                    false => ("differ from what it takes", "it takes"),
                };
                let message = format!("the placeholders of `{}` {what}", entry.key);
                report.push(
                    Diagnostic::new(Code::BadMessage, message)
                        .at(entry.span.clone(), format!("has {}", show(&own)))
                        .note(format!("{original} {}", show(&wanted))),
                );
            }
        }
    }

    /// Reports what each language with a file of its own lacks: one fault a language, in its last file.
    fn check_complete(&self, files: &[File], report: &mut Report) {
        let last: BTreeMap<&Lang, &File> = files.iter().map(|file| (&file.lang, file)).collect();
        let Some(english) = self.languages.get(&Lang::english()) else {
            return;
        };
        for (lang, file) in last {
            let own: Vec<_> = lang
                .ancestry()
                .iter()
                .filter_map(|it| self.languages.get(it))
                .collect();
            let missing: Vec<&str> = english
                .keys()
                .filter(|key| !own.iter().any(|catalog| catalog.contains_key(*key)))
                .map(String::as_str)
                .collect();
            if missing.is_empty() {
                continue;
            }
            const LISTED: usize = 12;
            let mut list: Vec<_> = missing
                .iter()
                .take(LISTED)
                .map(|key| format!("`{key}`"))
                .collect();
            if missing.len() > LISTED {
                list.push(format!("{} more", missing.len() - LISTED));
            }
            report.push(
                Diagnostic::new(
                    Code::MissingMessage,
                    format!("the catalog of `{lang}` lacks {} messages", missing.len()),
                )
                .at(Span::new(&file.source, 0..0), "")
                .note(format!("missing: {}", list.join(", ")))
                .help("the English words are shown until they are added"),
            );
        }
    }
}

fn unknown_key(entry: &Entry, english: &BTreeMap<String, Message>) -> Diagnostic {
    let diagnostic = Diagnostic::new(
        Code::BadMessage,
        format!("there is no message `{}`", entry.key),
    )
    .at(entry.key_span.clone(), "not in the English catalog");
    let diagnostic = match crate::diag::nearest(&entry.key, english.keys().map(String::as_str)) {
        Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
        None => diagnostic,
    };
    diagnostic.help("words for your own templates go into `locale/en.toml` as well")
}

/// Reads one catalog; what can't be used is reported and left out.
fn read(lang: &Lang, source: &Arc<Source>, report: &mut Report) -> File {
    let (table, errors) = DeTable::parse_recoverable(&source.text);
    for fault in toml_faults(&source.text, &errors) {
        let place = Span::new(source, fault.range);
        let mut diagnostic = Diagnostic::new(Code::BadToml, fault.message).at(place, "");
        diagnostic.help.extend(fault.help);
        report.push(diagnostic);
    }
    let mut entries = Vec::new();
    for (key, value) in table.get_ref() {
        let key_span = Span::new(source, key.span());
        if let Some(message) = read_message(lang, key.get_ref(), value, source, report) {
            let span = Span::new(source, value.span());
            entries.push(Entry {
                key: key.get_ref().to_string(),
                message,
                key_span,
                span,
            });
        }
    }
    File {
        lang: lang.clone(),
        source: Arc::clone(source),
        entries,
    }
}

fn read_message(
    lang: &Lang,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    source: &Arc<Source>,
    report: &mut Report,
) -> Option<Message> {
    let bad = |span: std::ops::Range<usize>, message: String| {
        Diagnostic::new(Code::BadMessage, message).at(Span::new(source, span), "")
    };
    let table = match value.get_ref() {
        DeValue::String(text) => {
            return Some(Message {
                lang: lang.clone(),
                forms: Vec::new(),
                other: text.to_string(),
            });
        }
        DeValue::Table(table) => table,
        _ => {
            report.push(
                bad(
                    value.span(),
                    format!("the message `{key}` is neither a text nor a table"),
                )
                .help("write a text, or plural forms like `{ one = \"…\", other = \"…\" }`"),
            );
            return None;
        }
    };
    let (mut forms, mut other) = (Vec::new(), None);
    for (name, text) in table {
        let category = PluralCategory::get_for_cldr_string(name.get_ref());
        match (category, text.get_ref()) {
            (Some(PluralCategory::Other), DeValue::String(text)) => other = Some(text.to_string()),
            (Some(category), DeValue::String(text)) => forms.push((category, text.to_string())),
            (Some(_), _) => {
                report.push(bad(
                    text.span(),
                    format!("a plural form of `{key}` is no text"),
                ));
            }
            (None, _) => {
                let known = ["zero", "one", "two", "few", "many", "other"];
                let message = format!("`{}` is no plural form", name.get_ref());
                let diagnostic = bad(name.span(), message);
                report.push(match suggestion(name.get_ref(), known) {
                    Some(help) => diagnostic.help(help),
                    None => diagnostic,
                });
            }
        }
    }
    if other.is_none() {
        report.push(
            bad(
                value.span(),
                format!("the message `{key}` has no form `other`"),
            )
            .note("fractions and every count without a form of its own use `other`"),
        );
    }
    Some(Message {
        lang: lang.clone(),
        forms,
        other: other?,
    })
}

#[cfg(test)]
mod tests;
