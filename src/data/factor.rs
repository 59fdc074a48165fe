//! `[factors.*]`: what was varied, and its levels.

use super::definition::{check_key, choose, localized};
use super::entry::Entry;
use super::level;
use super::section::{self, Document, Item, Section, Word};
use crate::diag::{Code, Diagnostic};
use crate::model::{Factor, FactorKind, Level, LevelValue};
use crate::text::{Localized, Reading, SizeConvention, Unit};

const KINDS: [(&str, FactorKind); 5] = [
    ("nominal", FactorKind::Nominal),
    ("ordinal", FactorKind::Ordinal),
    ("number", FactorKind::Number),
    ("bytes", FactorKind::Bytes),
    ("duration", FactorKind::Duration),
];

/// Reads every factor, in written order.
pub(super) fn read(
    document: &Document<'_>,
    factors: &Section<'_, '_, '_>,
    sizes: SizeConvention,
) -> Vec<Factor> {
    let reading = Reading {
        decimal: '.',
        sizes,
    };
    let mut all = Vec::new();
    for (key, item) in factors.free() {
        if let Some(section) = factors.open(&key.text, &key.range, item) {
            check_key(document, "factor", &key);
            all.push(factor(document, &key, section, reading));
        }
    }
    all
}

fn factor(
    document: &Document<'_>,
    key: &Word,
    mut section: Section<'_, '_, '_>,
    reading: Reading,
) -> Factor {
    let label = section.required("label");
    let description = localized(section.text("description"));
    let written_kind = section.text("kind");
    let unit = section.text("unit");
    let levels = section.list("levels");
    let kind = written_kind.and_then(|word| {
        let kind = KINDS
            .iter()
            .find(|(name, _)| *name == word.text)
            .map(|&(_, kind)| kind);
        choose(
            document,
            &word,
            "kind of factor",
            kind,
            &KINDS.map(|(name, _)| name),
        )
    });
    let numbers = levels.as_ref().is_some_and(|(items, _)| {
        !items.is_empty() && items.iter().all(|item| section::number(item).is_some())
    });
    let kind = kind.unwrap_or(if numbers {
        FactorKind::Number
    } else {
        FactorKind::Nominal
    });
    let mut factor = Factor {
        key: key.text.clone(),
        label: Localized::new(label.map_or_else(|| key.text.clone(), |word| word.text)),
        description,
        kind,
        unit: unit.and_then(|word| parse_unit(document, &word)),
        levels: Vec::new(),
        span: document.span(key.range.clone()),
    };
    let mut index = level::Index::default();
    if let Some((items, range)) = levels {
        read_levels(document, &mut factor, &mut index, items, reading);
        if items.is_empty() {
            document.fault(
                &range,
                "a factor needs levels",
                "this list is empty",
                |fault| fault,
            );
        }
    }
    let labels = section.pairs("labels");
    let aliases = section.pairs("aliases");
    section.finish();
    for (level, label) in labels {
        if let Some(number) = declared(document, &factor, &index, &level) {
            factor.levels[number].label = Localized::new(label.text);
        }
    }
    for (alias, level) in aliases {
        if index.find(&factor, &alias.text).is_some() {
            document.fault(
                &alias.range,
                format!("`{}` is a level of its own already", alias.text),
                "",
                |fault| fault,
            );
        } else if let Some(number) = declared(document, &factor, &index, &level) {
            index.name(&alias.text, number as u32);
            factor.levels[number].aliases.push(alias.text);
        }
    }
    factor
}

/// Reads a unit; a text that can't be one is reported.
pub(super) fn parse_unit(document: &Document<'_>, word: &Word) -> Option<Unit> {
    let unit = Unit::parse(&word.text);
    if unit.is_none() {
        document.push(
            Diagnostic::new(Code::BadQuantity, format!("`{}` is no unit", word.text))
                .at(document.span(word.range.clone()), "")
                .help("write a unit such as `s`, `ms`, `MiB`, `%`, `ops/s`, `s/MiB`, `duration`, `size`, or one word for counted things"),
        );
    }
    unit
}

fn read_levels(
    document: &Document<'_>,
    factor: &mut Factor,
    index: &mut level::Index,
    items: &[Item<'_>],
    reading: Reading,
) {
    for item in items {
        let Some(word) = section::scalar(item) else {
            let kind = item.get_ref().type_str();
            document.fault(
                &item.span(),
                format!("a level can't be of kind {kind}"),
                "",
                |it| it,
            );
            continue;
        };
        let value = if factor.kind.is_numeric() {
            match level::number(factor, &word.text, reading) {
                Ok(number) => LevelValue::Number(number),
                Err(fault) => {
                    let mut diagnostic = Diagnostic::new(fault.code, fault.message).at(
                        document.span(word.range),
                        format!("level of `{}`", factor.key),
                    );
                    diagnostic.help.extend(fault.help);
                    document.push(diagnostic);
                    continue;
                }
            }
        } else {
            LevelValue::Name
        };
        let there = match value {
            LevelValue::Number(number) => index.at(factor, number),
            LevelValue::Name => index.named(&word.text),
        };
        if let Some(there) = there {
            let first = &factor.levels[there as usize].key;
            document.fault(
                &word.range,
                format!("the level `{}` is listed twice", word.text),
                if *first == word.text {
                    String::new()
                } else {
                    format!("the same as `{first}`")
                },
                |fault| fault,
            );
            continue;
        }
        let label = match value {
            LevelValue::Name => Localized::new(word.text.clone()),
            LevelValue::Number(_) => Localized::default(),
        };
        let level = Level {
            key: word.text,
            aliases: Vec::new(),
            label,
            value,
        };
        index.add(&level, factor.levels.len() as u32);
        factor.levels.push(level);
    }
    if factor.kind.is_numeric() {
        let place = |level: &Level| match level.value {
            LevelValue::Number(number) => number,
            LevelValue::Name => f64::INFINITY,
        };
        factor.levels.sort_by(|a, b| place(a).total_cmp(&place(b)));
        *index = level::Index::new(factor);
    }
}

/// The level that a label or alias belongs to.
fn declared(
    document: &Document<'_>,
    factor: &Factor,
    index: &level::Index,
    word: &Word,
) -> Option<usize> {
    let found = index.find(factor, &word.text);
    if found.is_none() {
        let known: Vec<&str> = factor.levels.iter().map(|level| &*level.key).collect();
        let fault = Diagnostic::new(
            Code::UnknownLevel,
            format!("`{}` is no level of `{}`", word.text, factor.key),
        )
        .at(document.span(word.range.clone()), "");
        document.push(fault.suggest(&word.text, known.iter().copied()));
    }
    found
}

/// Reports factors of names without levels. Only steps may be collected from the logs that list them.
pub(super) fn require_levels(document: &Document<'_>, factors: &mut [Factor], entries: &[Entry]) {
    for (index, factor) in factors.iter_mut().enumerate() {
        let collected =
            factor.kind.is_numeric() || entries.iter().any(|entry| entry.steps == Some(index));
        if factor.levels.is_empty() && !collected {
            document.push(
                Diagnostic::new(
                    Code::BadDefinition,
                    format!("the factor `{}` has no levels", factor.key),
                )
                .at(factor.span.clone(), "")
                .help("list its names in `levels = [\"…\", \"…\"]`; only the levels of numbers, sizes and durations are collected from the files"),
            );
        }
    }
}
