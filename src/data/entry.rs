//! `[[files]]`: one result file, where it comes from and how its columns are meant.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::definition::{choose, environment, parse_reason};
use super::format;
use super::section::{Document, Section, Word};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::model::{Definition, Environment, MissingReason, Origin};
use crate::text::{Localized, Reading, SizeConvention};

/// What a `[[files]]` entry says.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    /// Path relative to the experiment's folder.
    pub(super) path: String,
    /// Where the path stands in the definition.
    pub(super) span: Span,
    /// Where the values come from.
    pub(super) origin: Origin,
    /// Key of the run the file belongs to.
    pub(super) run: String,
    /// Key of the publication.
    pub(super) source: Option<String>,
    /// Name of the format, where it is given.
    pub(super) format: Option<String>,
    /// What each header means, where that isn't plain: header, meaning, place of the meaning.
    pub(super) columns: Vec<(String, String, Span)>,
    /// For wide files: the factor and the metric that all other headers belong to.
    pub(super) spread: Option<(usize, usize)>,
    /// Levels that hold for the whole file: factor, text, place.
    pub(super) set: Vec<(usize, String, Span)>,
    /// What a tool's format gives, and the metric it becomes.
    pub(super) metrics: Vec<(String, usize, Span)>,
    /// The factor whose levels are the names of steps.
    pub(super) steps: Option<usize>,
    /// How the lines of those steps begin.
    pub(super) steps_of: Option<String>,
    /// The sign between cells.
    pub(super) delimiter: Option<char>,
    /// The decimal sign, and what `MB` means.
    pub(super) reading: Reading,
    /// Whether rows of the same case are repetitions.
    pub(super) replicates: bool,
    /// Words in cells that stand for a reason.
    pub(super) missing: BTreeMap<String, MissingReason>,
    /// What is said to readers about such a word.
    pub(super) notes: BTreeMap<String, Localized>,
    /// Facts of this file's run only, and where they begin to be told.
    pub(super) environment: Option<(Environment, Span)>,
}

impl Entry {
    /// What an entry for a run folder's samples would say.
    pub(super) fn of_run(
        run: &str,
        origin: Origin,
        samples: &Arc<Source>,
        sizes: SizeConvention,
    ) -> Self {
        Self {
            path: samples.path.clone(),
            span: Span::line(samples, 1),
            origin,
            run: run.to_owned(),
            source: None,
            format: Some("csv".to_owned()),
            columns: Vec::new(),
            spread: None,
            set: Vec::new(),
            metrics: Vec::new(),
            steps: None,
            steps_of: None,
            delimiter: Some(','),
            reading: Reading {
                decimal: '.',
                sizes,
            },
            replicates: false,
            missing: BTreeMap::new(),
            notes: BTreeMap::new(),
            environment: None,
        }
    }
}

/// Reads one entry; `None` when it names no file.
pub(super) fn read(
    document: &Document<'_>,
    mut section: Section<'_, '_, '_>,
    definition: &Definition,
) -> Option<Entry> {
    let path = section.required("path");
    let origin = section.text("origin").and_then(|word| {
        let known = [Origin::Published, Origin::Imported, Origin::Measured].map(Origin::key);
        choose(document, &word, "origin", Origin::parse(&word.text), &known)
    });
    let origin = origin.unwrap_or(Origin::Imported);
    let run = section
        .text("run")
        .map_or_else(|| origin.key().to_owned(), |word| word.text);
    let here = document.span(path.as_ref().map_or(0..0, |word| word.range.clone()));
    let entry = meaning(document, &mut section, definition, here);
    section.finish();
    Some(Entry {
        path: path?.text,
        origin,
        run,
        ..entry
    })
}

/// Reads what an entry says of a file's content, from a text of its own that names no file.
pub(super) fn read_meaning(
    document: &Document<'_>,
    mut section: Section<'_, '_, '_>,
    definition: &Definition,
) -> Entry {
    let entry = meaning(document, &mut section, definition, document.span(0..0));
    section.finish();
    entry
}

/// Everything an entry says but which file it is, and whose.
fn meaning(
    document: &Document<'_>,
    section: &mut Section<'_, '_, '_>,
    definition: &Definition,
    here: Span,
) -> Entry {
    let source = section.text("source").filter(|word| {
        let known: Vec<&str> = definition
            .sources
            .iter()
            .map(|source| &*source.key)
            .collect();
        let there = known.contains(&&*word.text);
        if !there {
            document.fault(
                &word.range,
                format!("there is no source `{}`", word.text),
                "",
                |it| {
                    let it = it.suggest(&word.text, known.iter().copied());
                    if known.is_empty() {
                        it.help("declare it in a table `[[sources]]` with `key` and `title`")
                    } else {
                        it
                    }
                },
            );
        }
        there
    });
    let format = section.text("format").and_then(|word| {
        let known: Vec<&str> = format::FORMATS.iter().map(|format| format.name).collect();
        if known.contains(&&*word.text) {
            return Some(word.text);
        }
        let fault = Diagnostic::new(
            Code::UnknownFormat,
            format!("there is no format `{}`", word.text),
        )
        .at(document.span(word.range.clone()), "");
        document.push(fault.suggest(&word.text, known.iter().copied()));
        None
    });
    let columns = section.pairs("columns").into_iter();
    let columns = columns
        .map(|(header, meaning)| (header.text, meaning.text, document.span(meaning.range)))
        .collect();
    let spread = section
        .section("spread")
        .and_then(|section| spread(document, section, definition));
    let set = section.pairs("set").into_iter().filter_map(|(key, level)| {
        Some((
            factor(document, definition, &key)?,
            level.text,
            document.span(level.range),
        ))
    });
    let set = set.collect();
    let metrics = section
        .pairs("metrics")
        .into_iter()
        .filter_map(|(given, key)| {
            let span = document.span(given.range);
            Some((given.text, metric(document, definition, &key)?, span))
        });
    let metrics = metrics.collect();
    let steps = section
        .text("steps")
        .and_then(|word| factor(document, definition, &word));
    let steps_of = section.text("steps_of").map(|word| word.text);
    let delimiter = section
        .text("delimiter")
        .and_then(|word| one_sign(document, &word));
    let decimal = section.text("decimal").and_then(|word| match &*word.text {
        "." => Some('.'),
        "," => Some(','),
        _ => {
            document.fault(&word.range, "a decimal sign is `.` or `,`", "", |fault| {
                fault
            });
            None
        }
    });
    let decimal = decimal.unwrap_or('.');
    if decimal == ',' && delimiter == Some(',') {
        document.fault(
            section.range(),
            "the decimal sign and the delimiter are the same",
            "",
            |it| it,
        );
    }
    let replicates = section.flag("replicates").unwrap_or(false);
    let missing = section.pairs("missing").into_iter();
    let missing =
        missing.filter_map(|(word, reason)| Some((word.text, parse_reason(document, &reason)?)));
    let missing = missing.collect();
    let notes = section.pairs("notes").into_iter();
    let notes = notes
        .map(|(word, note)| (word.text, Localized::new(note.text)))
        .collect();
    let facts = environment(section, "environment");
    Entry {
        path: String::new(),
        span: here.clone(),
        origin: Origin::Imported,
        run: String::new(),
        source: source.map(|word| word.text),
        format,
        columns,
        spread,
        set,
        metrics,
        steps,
        steps_of,
        delimiter,
        reading: Reading {
            decimal,
            sizes: definition.sizes,
        },
        replicates,
        missing,
        notes,
        environment: (!facts.facts.is_empty()).then_some((facts, here)),
    }
}

fn spread(
    document: &Document<'_>,
    mut section: Section<'_, '_, '_>,
    definition: &Definition,
) -> Option<(usize, usize)> {
    let factor_key = section.required("factor");
    let metric_key = section.required("metric");
    section.finish();
    let factor = factor(document, definition, &factor_key?);
    let metric = metric(document, definition, &metric_key?);
    Some((factor?, metric?))
}

/// The factor that a word names.
pub(super) fn factor(
    document: &Document<'_>,
    definition: &Definition,
    key: &Word,
) -> Option<usize> {
    let found = definition.factor(&key.text).map(|(index, _)| index);
    if found.is_none() {
        let known: Vec<&str> = definition
            .factors
            .iter()
            .map(|factor| &*factor.key)
            .collect();
        unknown(
            document,
            Code::UnknownFactor,
            "factor",
            &key.text,
            &key.range,
            &known,
        );
    }
    found
}

fn metric(document: &Document<'_>, definition: &Definition, key: &Word) -> Option<usize> {
    let Some((index, metric)) = definition.metric(&key.text) else {
        let measured = definition
            .metrics
            .iter()
            .filter(|metric| metric.derived.is_none());
        let known: Vec<&str> = measured.map(|metric| &*metric.key).collect();
        unknown(
            document,
            Code::UnknownMetric,
            "metric",
            &key.text,
            &key.range,
            &known,
        );
        return None;
    };
    if metric.derived.is_some() {
        let message = format!("`{}` is derived; it can't be read from a file", key.text);
        document.fault(&key.range, message, "", |fault| fault);
        return None;
    }
    Some(index)
}

fn unknown(
    document: &Document<'_>,
    code: Code,
    what: &str,
    name: &str,
    range: &Range<usize>,
    known: &[&str],
) {
    let fault = Diagnostic::new(code, format!("there is no {what} `{name}`"))
        .at(document.span(range.clone()), "");
    document.push(fault.suggest(name, known.iter().copied()));
}

fn one_sign(document: &Document<'_>, word: &Word) -> Option<char> {
    let mut signs = word.text.chars();
    match (signs.next(), signs.next()) {
        (Some(sign), None) if sign.is_ascii() && !matches!(sign, '"' | '\n' | '\r') => Some(sign),
        _ => {
            document.fault(&word.range, "a delimiter is one sign", "", |fault| {
                fault.help("write `\",\"`, `\";\"` or, for tabs, `\"\\t\"`")
            });
            None
        }
    }
}
