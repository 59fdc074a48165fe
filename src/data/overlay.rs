//! `experiment.<language>.toml`: the same experiment's texts in another language.

use std::sync::Arc;

use super::definition::Declared;
use super::section::{self, Document, Section, Word};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::Experiment;
use crate::source::Files;
use crate::text::{Lang, Localized};

/// Labels have translations as pages have; an experiment without any in a language is noted.
pub fn report_missing_labels(
    files: &Files,
    experiments: &[Experiment],
    languages: &[Lang],
    report: &mut Report,
) {
    for definition in experiments.iter().map(|experiment| &experiment.definition) {
        let key = &definition.key;
        let overlay = |tag: &str| format!("data/{key}/experiment.{tag}.toml");
        let own = languages.iter().skip(1).map(Lang::tag);
        let missing: Vec<&str> = own
            .filter(|tag| files.get(&overlay(tag)).is_none())
            .collect();
        if let Some(first) = missing.first() {
            let tags: Vec<String> = missing.iter().map(|tag| format!("`{tag}`")).collect();
            report.push(
                Diagnostic::new(
                    Code::MissingTranslation,
                    format!("these labels are not translated into {}", tags.join(", ")),
                )
                .at(
                    Span::line(&definition.source, 1),
                    "readers get them as they are",
                )
                .help(format!("add `{}`", overlay(first))),
            );
        }
    }
}

/// Adds the translations of an overlay.
pub(super) fn apply(
    declared: &mut Declared,
    lang: &Lang,
    source: &Arc<Source>,
    report: &mut Report,
) {
    let Some(table) = section::parse(source, report) else {
        return;
    };
    let document = Document::new(source, report);
    let overlay = Overlay {
        document: &document,
        lang,
    };
    let mut top = Section::top(&document, &table);
    let definition = &mut declared.definition;
    overlay.put(top.text("title"), &mut definition.title);
    overlay.put(top.text("question"), &mut definition.question);
    overlay.put(top.text("summary"), &mut definition.summary);
    overlay.each(
        &mut top,
        "factors",
        "factor",
        &mut definition.factors,
        |it| &it.key,
        |section, factor| {
            overlay.put(section.text("label"), &mut factor.label);
            overlay.put(section.text("description"), &mut factor.description);
            for (level, label) in section.pairs("labels") {
                match factor.level(&level.text) {
                    Some(index) => overlay.put(Some(label), &mut factor.levels[index].label),
                    None => overlay.unknown(
                        Code::UnknownLevel,
                        "level",
                        &level,
                        factor.levels.iter().map(|level| &*level.key),
                    ),
                }
            }
        },
    );
    overlay.each(
        &mut top,
        "metrics",
        "metric",
        &mut definition.metrics,
        |it| &it.key,
        |section, metric| {
            overlay.put(section.text("label"), &mut metric.label);
            overlay.put(section.text("description"), &mut metric.description);
            overlay.put(section.text("unit_label"), &mut metric.unit_label);
        },
    );
    overlay.each(
        &mut top,
        "settings",
        "setting",
        &mut definition.settings,
        |it| &it.key,
        |section, setting| {
            overlay.put(section.text("note"), &mut setting.note);
        },
    );
    overlay.each(
        &mut top,
        "sources",
        "source",
        &mut definition.sources,
        |it| &it.key,
        |section, note| {
            overlay.put(section.text("note"), &mut note.note);
        },
    );
    for (key, label) in top.pairs("environment_labels") {
        let labels = &mut definition.environment_labels;
        match labels.iter_mut().find(|(there, _)| *there == key.text) {
            Some((_, text)) => overlay.put(Some(label), text),
            None => {
                let known = labels.iter().map(|(key, _)| &**key);
                overlay.unknown(Code::UnknownKey, "name of a fact", &key, known);
            }
        }
    }
    overlay.environment(&mut top, declared);
    overlay.notes(&mut top, declared);
    top.finish();
}

struct Overlay<'a, 'r> {
    document: &'a Document<'r>,
    lang: &'a Lang,
}

impl Overlay<'_, '_> {
    fn put(&self, word: Option<Word>, text: &mut Localized) {
        if let Some(word) = word {
            text.translate(self.lang.clone(), word.text);
        }
    }

    fn unknown<'k>(
        &self,
        code: Code,
        what: &str,
        word: &Word,
        known: impl IntoIterator<Item = &'k str>,
    ) {
        self.document.push(
            Diagnostic::new(
                code,
                format!("the experiment has no {what} `{}`", word.text),
            )
            .at(self.document.span(word.range.clone()), "")
            .suggest(&word.text, known),
        );
    }

    /// Translates the parts of one kind that the overlay names.
    fn each<'t, T>(
        &self,
        top: &mut Section<'_, '_, 't>,
        table: &'static str,
        what: &str,
        items: &mut [T],
        key_of: impl Fn(&T) -> &String,
        translate: impl Fn(&mut Section<'_, '_, 't>, &mut T),
    ) {
        let Some(parts) = top.section(table) else {
            return;
        };
        for (key, item) in parts.free() {
            let Some(mut section) = parts.open(&key.text, &key.range, item) else {
                continue;
            };
            match items.iter_mut().find(|item| *key_of(item) == key.text) {
                Some(item) => {
                    translate(&mut section, item);
                    section.finish();
                }
                None => {
                    let known = items.iter().map(|item| &**key_of(item));
                    self.unknown(Code::UnknownKey, what, &key, known);
                }
            }
        }
    }

    /// Translates facts: the experiment's own, and those of single files under the same key.
    fn environment(&self, top: &mut Section<'_, '_, '_>, declared: &mut Declared) {
        for (key, text) in top.pairs("environment") {
            let own = declared.environment.get_mut(&key.text);
            let files = declared.entries.iter_mut();
            let files = files.filter_map(|entry| entry.environment.as_mut());
            let mut facts: Vec<&mut Localized> = match own {
                Some(fact) => vec![fact],
                None => files
                    .filter_map(|(facts, _)| facts.get_mut(&key.text))
                    .collect(),
            };
            for fact in &mut facts {
                self.put(Some(text.clone()), fact);
            }
            if facts.is_empty() {
                let known: Vec<&str> = declared
                    .environment
                    .facts
                    .iter()
                    .map(|(key, _)| &**key)
                    .collect();
                self.unknown(Code::UnknownKey, "fact", &key, known);
            }
        }
    }

    /// Translates what is said about words in cells, in every file that has the word.
    fn notes(&self, top: &mut Section<'_, '_, '_>, declared: &mut Declared) {
        for (word, text) in top.pairs("notes") {
            let mut found = false;
            for entry in &mut declared.entries {
                if let Some(note) = entry.notes.get_mut(&word.text) {
                    found = true;
                    self.put(Some(text.clone()), note);
                }
            }
            if !found {
                let known = declared.entries.iter().flat_map(|entry| entry.notes.keys());
                self.unknown(Code::UnknownKey, "note", &word, known.map(|word| &**word));
            }
        }
    }
}
