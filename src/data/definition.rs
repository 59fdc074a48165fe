//! `experiment.toml` read into a definition and the list of its result files.

use std::ops::Range;
use std::sync::Arc;

use super::entry::{self, Entry};
use super::section::{self, Document, Section};
use super::{factor, metric, procedure};
use crate::diag::{Report, Source};
use crate::model::{Definition, Environment, MissingReason, Setting, SourceNote};
use crate::text::{Lang, Localized, SizeConvention};

/// What an `experiment.toml` says.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    /// What is asked, varied, measured and fixed.
    pub(super) definition: Definition,
    /// The facts of every run whose files stand in the definition.
    pub(super) environment: Environment,
    /// The result files.
    pub(super) entries: Vec<Entry>,
}

/// Reads an `experiment.toml`. Faults go to the report and what can be used is kept; `None` only
/// when the text is no TOML.
pub(super) fn read(key: &str, source: &Arc<Source>, report: &mut Report) -> Option<Declared> {
    let table = section::parse(source, report)?;
    let document = Document::new(source, report);
    let mut top = Section::top(&document, &table);
    let mut definition = Definition {
        key: key.to_owned(),
        title: Localized::default(),
        question: Localized::default(),
        summary: Localized::default(),
        source: Arc::clone(source),
        factors: Vec::new(),
        metrics: Vec::new(),
        settings: Vec::new(),
        sources: Vec::new(),
        environment_labels: Vec::new(),
        sizes: SizeConvention::Decimal,
        missing: MissingReason::NotRun,
        noise: 0.05,
        threshold: 0.05,
        procedure: None,
    };
    definition.title = Localized::new(
        top.required("title")
            .map_or_else(|| key.to_owned(), |word| word.text),
    );
    definition.question = localized(top.required("question"));
    definition.summary = localized(top.text("summary"));
    definition.missing = reason(&document, &mut top, "missing").unwrap_or(MissingReason::NotRun);
    definition.noise = share(&document, &mut top, "noise").unwrap_or(0.05);
    definition.threshold = share(&document, &mut top, "threshold").unwrap_or(0.05);
    definition.sizes = sizes(&document, &mut top);
    if let Some(factors) = top.section("factors") {
        definition.factors = factor::read(&document, &factors, definition.sizes);
    }
    match top.section("metrics") {
        Some(metrics) => definition.metrics = metric::read(&document, &metrics, &definition),
        None => document.fault(&(0..0), "no metric is declared", "", |fault| {
            fault.help("add a table `[metrics.NAME]` with `label`, `unit` and `better`")
        }),
    }
    let environment = environment(&mut top, "environment");
    definition.environment_labels = top
        .pairs("environment_labels")
        .into_iter()
        .map(|(key, label)| (key.text, Localized::new(label.text)))
        .collect();
    if let Some(settings) = top.section("settings") {
        definition.settings = settings
            .free()
            .filter_map(|(key, item)| {
                setting(
                    key.text.clone(),
                    settings.open(&key.text, &key.range, item)?,
                )
            })
            .collect();
    }
    for section in top.sections("sources") {
        source_note(&document, section, &mut definition.sources);
    }
    let mut entries = Vec::new();
    for section in top.sections("files") {
        entries.extend(entry::read(&document, section, &definition));
    }
    factor::require_levels(&document, &mut definition.factors, &entries);
    if let Some(run) = top.section("run") {
        definition.procedure = procedure::read(&document, run, &definition);
    }
    top.finish();
    Some(Declared {
        definition,
        environment,
        entries,
    })
}

pub(super) fn localized(word: Option<section::Word>) -> Localized {
    word.map_or_else(Localized::default, |word| Localized::new(word.text))
}

/// A missing reason under a key.
fn reason(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    key: &'static str,
) -> Option<MissingReason> {
    let word = section.text(key)?;
    parse_reason(document, &word)
}

/// The missing reason that a word names.
pub(super) fn parse_reason(document: &Document<'_>, word: &section::Word) -> Option<MissingReason> {
    choose(
        document,
        word,
        "reason",
        MissingReason::parse(&word.text),
        &reasons(),
    )
}

/// The words of all missing reasons.
pub(super) fn reasons() -> [&'static str; 7] {
    MissingReason::ALL.map(MissingReason::key)
}

/// What a word from a closed list means; a word outside it is reported with the nearest one.
pub(super) fn choose<T>(
    document: &Document<'_>,
    word: &section::Word,
    what: &str,
    found: Option<T>,
    known: &[&str],
) -> Option<T> {
    if found.is_none() {
        document.fault(
            &word.range,
            format!("`{}` is no {what}", word.text),
            "",
            |fault| fault.suggest(&word.text, known.iter().copied()),
        );
    }
    found
}

/// A share of one that isn't negative.
fn share(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    key: &'static str,
) -> Option<f64> {
    let (number, range) = section.number(key)?;
    if (0.0..1.0).contains(&number) {
        return Some(number);
    }
    document.fault(
        &range,
        format!("`{key}` is a share between 0 and 1"),
        "",
        |fault| fault.help("write 5 % as `0.05`"),
    );
    None
}

/// Named facts, in written order.
pub(super) fn environment(section: &mut Section<'_, '_, '_>, key: &'static str) -> Environment {
    let facts = section.pairs(key).into_iter();
    Environment {
        facts: facts
            .map(|(key, value)| (key.text, Localized::new(value.text)))
            .collect(),
    }
}

fn setting(key: String, mut section: Section<'_, '_, '_>) -> Option<Setting> {
    let value = section.required_plain("value");
    let default = section.plain("default").map(|word| word.text);
    let note = localized(section.text("note"));
    section.finish();
    Some(Setting {
        key,
        value: value?.text,
        default,
        note,
    })
}

fn source_note(
    document: &Document<'_>,
    mut section: Section<'_, '_, '_>,
    sources: &mut Vec<SourceNote>,
) {
    let key = section.required("key");
    let title = section.required("title");
    let authors = section
        .words("authors")
        .into_iter()
        .map(|word| word.text)
        .collect();
    let date = section.text("date");
    let url = section.text("url").map(|word| word.text);
    let language = section.text("language");
    let note = localized(section.text("note"));
    section.finish();
    if let Some(date) = &date
        && !is_date(&date.text)
    {
        document.fault(&date.range, "this is no date", "", |fault| {
            fault.help("write the year, the month or the day: `2014`, `2014-07`, `2014-07-14`")
        });
    }
    if let Some(language) = &language
        && Lang::parse(&language.text).is_none()
    {
        document.fault(&language.range, "this is no language tag", "", |fault| {
            fault.help("write a tag such as `en`, `de` or `pt-BR`")
        });
    }
    let (Some(key), Some(title)) = (key, title) else {
        return;
    };
    if sources.iter().any(|source| source.key == key.text) {
        return twice(document, "source", &key.text, &key.range);
    }
    sources.push(SourceNote {
        key: key.text,
        title: title.text,
        authors,
        date: date.map(|word| word.text),
        url,
        language: language.map(|word| word.text),
        note,
    });
}

/// Reports a key that another one of its kind has already.
pub(super) fn twice(document: &Document<'_>, what: &str, key: &str, range: &Range<usize>) {
    document.fault(
        range,
        format!("the {what} `{key}` is declared twice"),
        "",
        |fault| fault,
    );
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let mut part = |length: usize, low: u32, high: u32| match parts.next() {
        None => Some(false),
        Some(digits) if digits.len() == length && digits.bytes().all(|it| it.is_ascii_digit()) => {
            digits
                .parse()
                .ok()
                .filter(|number| (low..=high).contains(number))
                .map(|_| true)
        }
        Some(_) => None,
    };
    let (year, month, day) = (part(4, 0, 9999), part(2, 1, 12), part(2, 1, 31));
    year == Some(true) && month.is_some() && day.is_some() && parts.next().is_none()
}

/// Arguments of expressions, which factors stand beside.
pub(super) const ARGUMENTS: [&str; 10] = [
    "above",
    "below",
    "digits",
    "experiment",
    "factor",
    "from",
    "metric",
    "run",
    "statistic",
    "to",
];
/// Columns of result files that are no factors or metrics.
pub(super) const COLUMNS: [&str; 7] = [
    "at",
    "block",
    "missing",
    "note",
    "order",
    "replicate",
    "status",
];

/// Whether a text can be a factor's or metric's key, and so an argument's name in expressions.
pub(super) fn check_key(document: &Document<'_>, what: &str, key: &section::Word) {
    let mut letters = key.text.chars();
    let fits = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_lowercase())
        && letters
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_');
    if !fits {
        document.fault(&key.range, format!("`{}` can't be a {what}'s key", key.text), "", |fault| {
            fault.help("use small letters, digits and `_`, beginning with a letter; the name people read goes into `label`")
        });
    } else if (what == "factor" && ARGUMENTS.contains(&&*key.text)) || COLUMNS.contains(&&*key.text)
    {
        document.fault(
            &key.range,
            format!(
                "`{}` has a meaning of its own and can't be a {what}'s key",
                key.text
            ),
            "",
            |fault| fault,
        );
    }
}

/// `sizes = "decimal"` or `"binary"`.
fn sizes(document: &Document<'_>, top: &mut Section<'_, '_, '_>) -> SizeConvention {
    let Some(word) = top.text("sizes") else {
        return SizeConvention::Decimal;
    };
    let found = match &*word.text {
        "decimal" => Some(SizeConvention::Decimal),
        "binary" => Some(SizeConvention::Binary),
        _ => None,
    };
    choose(
        document,
        &word,
        "way to read sizes",
        found,
        &["decimal", "binary"],
    )
    .unwrap_or(SizeConvention::Decimal)
}
