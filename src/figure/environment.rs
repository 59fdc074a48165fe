//! The environment of a run, its fixed settings, or the difference of two environments.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};

use super::export::{pretty, written};
use super::markup::{Markup, notice, scroll};
use super::{Figure, Reader, format};
use crate::model::Run;
use crate::text::Argument::{Count, Text};
use crate::text::Language;

/// Lays out the environments of the runs with these indices, the experiment's fixed settings, and
/// those that the engine told of, folded away; with two or more runs, facts and settings that differ
/// come first and are marked.
pub fn environment(reader: Reader<'_>, runs: &[usize]) -> Figure {
    let runs: Vec<usize> = runs
        .iter()
        .copied()
        .filter(|run| *run < reader.experiment.runs.len())
        .collect();
    let (mut facts, unread) = facts(reader, &runs);
    let told = told(reader, &runs);
    let (differing, same): (Vec<Fact>, Vec<Fact>) = told.into_iter().partition(Fact::differs);
    let place = facts.iter().position(|fact| !fact.differs());
    let place = place.unwrap_or(facts.len());
    facts.splice(place..place, differing);
    let mut body = match runs.as_slice() {
        [_] if !facts.is_empty() => list(reader, &facts),
        [_, _, ..] if !facts.is_empty() => difference(reader, &runs, &facts),
        _ => String::new(),
    };
    if !unread.is_empty() {
        let names: Vec<String> = unread.iter().map(|fact| fact.label.clone()).collect();
        let names = reader.language.list(&names);
        let words =
            (reader.language).message_with("environment-unread", &[("facts", Text(&names))]);
        let mut out = Markup::default();
        out.element("p", &[("class", "quiet")], &words);
        body.push_str(&out.finish());
    }
    body.push_str(&settings(reader));
    body.push_str(&folded(reader, &runs, &same));
    if body.is_empty() {
        body = notice(reader.words("environment-unknown"));
    }
    let runs_named: Vec<String> = runs.iter().map(|run| format::run(reader, *run)).collect();
    let mut method = Vec::new();
    if !runs.is_empty() {
        method.push((
            reader.words("run").to_owned(),
            reader.language.list(&runs_named),
        ));
    }
    Figure {
        body,
        table: None,
        alternative: alternative(reader, &facts, &runs_named),
        csv: csv(reader, &runs, facts.iter().chain(&unread).chain(&same)),
        json: environment_json(reader, &runs),
        method,
    }
}

/// A fact, or a setting that the engine told of, with its value in each run.
struct Fact {
    key: String,
    label: String,
    values: Vec<Option<String>>,
    /// Whether it is a setting, whose name is the engine's.
    is_setting: bool,
    /// Whether every run would tell of it, so that silence is a difference too.
    is_owed: bool,
}

impl Fact {
    /// Whether runs state different things; one that states nothing may be like any other.
    fn differs(&self) -> bool {
        let mut stated = self.values.iter().flatten();
        let first = stated.next();
        let silent = self.is_owed && self.values.iter().any(Option::is_none);
        silent || stated.any(|value| Some(value) != first)
    }

    fn is_everywhere(&self) -> bool {
        self.values.iter().all(Option::is_some)
    }

    fn words<'a>(&self, reader: Reader<'a>, value: &'a str) -> &'a str {
        if self.is_setting {
            value
        } else {
            fact_words(reader.language, value)
        }
    }

    fn write_label(&self, out: &mut Markup) {
        if self.is_setting {
            out.element("code", &[], &self.label);
        } else {
            out.text(&self.label);
        }
    }
}

/// Every fact that one of the runs knows, in the order of the runs: those that differ, then those that
/// only some runs state, then the rest; and apart from them those that no machine would tell.
fn facts(reader: Reader<'_>, runs: &[usize]) -> (Vec<Fact>, Vec<Fact>) {
    let run = |index: &usize| &reader.experiment.runs[*index];
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in runs.iter().flat_map(|index| &run(index).environment.facts) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let value = |run: &Run, key: &str| {
        let value = run.environment.get(key)?;
        Some(value.get(reader.language.lang()).to_owned())
    };
    let fact = |key: &str| Fact {
        key: key.to_owned(),
        label: label(reader, key),
        values: runs.iter().map(|index| value(run(index), key)).collect(),
        is_setting: false,
        is_owed: false,
    };
    let mut facts: Vec<Fact> = keys.into_iter().map(fact).collect();
    facts.sort_by_key(|fact| (!fact.differs(), fact.is_everywhere()));
    facts.into_iter().partition(|fact| {
        let mut stated = fact.values.iter().flatten();
        stated.any(|value| value != UNAVAILABLE)
    })
}

/// What stands for a fact that was looked for in vain.
const UNAVAILABLE: &str = "unavailable";

/// A fact in the reader's words: some words that runs use are known to the catalogs.
pub fn fact_words<'a>(language: &'a Language, value: &'a str) -> &'a str {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter == '-';
    if value.is_empty() || !value.chars().all(plain) {
        return value;
    }
    language
        .known(&format!("fact-value-{value}"))
        .unwrap_or(value)
}

/// Every setting that the engine of one of the runs told of, by name. A run that tells of none, such as
/// a published one, is no reason for a difference.
fn told(reader: Reader<'_>, runs: &[usize]) -> Vec<Fact> {
    let told = |index: &usize| -> BTreeMap<&str, &str> {
        let pairs = reader.experiment.runs[*index].effective.iter();
        pairs.map(|(name, value)| (&**name, &**value)).collect()
    };
    let told: Vec<BTreeMap<&str, &str>> = runs.iter().map(told).collect();
    let names: BTreeSet<&str> = told.iter().flat_map(BTreeMap::keys).copied().collect();
    let fact = |name: &str| Fact {
        key: name.to_owned(),
        label: name.to_owned(),
        values: (told.iter())
            .map(|run| run.get(name).map(|value| (*value).to_owned()))
            .collect(),
        is_setting: true,
        is_owed: (told.iter()).any(|run| !run.is_empty() && !run.contains_key(name)),
    };
    names.into_iter().map(fact).collect()
}

/// The names of the facts and settings in which two runs differ.
pub(crate) fn differing(reader: Reader<'_>, one: usize, other: usize) -> Vec<String> {
    let runs = [one, other];
    let (facts, _) = facts(reader, &runs);
    let all = facts.into_iter().chain(told(reader, &runs));
    all.filter(Fact::differs).map(|fact| fact.label).collect()
}

/// The name of a fact: the experiment's own, a known one of the catalogs, else its key as words.
fn label(reader: Reader<'_>, key: &str) -> String {
    let own = &reader.experiment.definition.environment_labels;
    if let Some((_, label)) = own
        .iter()
        .find(|(it, label)| it == key && !label.is_empty())
    {
        return label.get(reader.language.lang()).to_owned();
    }
    match reader.language.known(&format!("fact-{key}")) {
        Some(words) => words.to_owned(),
        None => key.replace('_', " "),
    }
}

fn list(reader: Reader<'_>, facts: &[Fact]) -> String {
    let mut out = Markup::default();
    out.open("dl", &[("class", "facts")]);
    for fact in facts {
        let value = fact
            .values
            .first()
            .and_then(Option::as_deref)
            .unwrap_or_default();
        out.open("div", &[]).open("dt", &[]);
        fact.write_label(&mut out);
        out.close()
            .element("dd", &[], fact.words(reader, value))
            .close();
    }
    out.finish()
}

fn difference(reader: Reader<'_>, runs: &[usize], facts: &[Fact]) -> String {
    let mut out = Markup::default();
    out.open("table", &[("class", "data environment")])
        .open("thead", &[])
        .open("tr", &[]);
    out.element("th", &[("scope", "col")], reader.words("fact"));
    for run in runs {
        out.element("th", &[("scope", "col")], &format::run(reader, *run));
    }
    out.close().close().open("tbody", &[]);
    for fact in facts {
        let class = if fact.differs() { "differs" } else { "" };
        out.open("tr", &[("class", class)])
            .open("th", &[("scope", "row")]);
        fact.write_label(&mut out);
        if fact.differs() {
            let words = reader.words("environment-differs");
            out.text(" ")
                .element("span", &[("class", "differs-mark"), ("title", words)], "≠");
        }
        out.close();
        for value in &fact.values {
            let value = value.as_deref().map(|value| fact.words(reader, value));
            write_value(reader, value, &mut out);
        }
        out.close();
    }
    scroll(reader.words("environment"), &out.finish())
}

fn write_value(reader: Reader<'_>, value: Option<&str>, out: &mut Markup) {
    match value {
        Some(value) => out.element("td", &[], value),
        None => out.element(
            "td",
            &[("class", "missing")],
            reader.words("environment-not-stated"),
        ),
    };
}

/// The settings that the engines told of and that don't differ: many, so they are folded away.
fn folded(reader: Reader<'_>, runs: &[usize], settings: &[Fact]) -> String {
    if settings.is_empty() {
        return String::new();
    }
    let telling: Vec<usize> = (0..runs.len())
        .filter(|place| !reader.experiment.runs[runs[*place]].effective.is_empty())
        .collect();
    let mut table = Markup::default();
    table
        .open("table", &[("class", "data settings")])
        .open("thead", &[])
        .open("tr", &[]);
    table.element("th", &[("scope", "col")], reader.words("setting"));
    // All of these are equal wherever they are told.
    table.element("th", &[("scope", "col")], reader.words("value"));
    table.close().close().open("tbody", &[]);
    for setting in settings {
        let value = setting.values.iter().flatten().next();
        table.open("tr", &[]).open("th", &[("scope", "row")]);
        setting.write_label(&mut table);
        table.close().open("td", &[]);
        table.element("code", &[], value.map_or("", String::as_str));
        table.close().close();
    }
    let names: Vec<String> = telling
        .iter()
        .map(|place| format::run(reader, runs[*place]))
        .collect();
    let names = reader.language.list(&names);
    let key = match runs.len() {
        1 => "settings-told",
        _ => "settings-told-by",
    };
    let count = Count(settings.len() as u64);
    let words = (reader.language).message_with(key, &[("n", count), ("runs", Text(&names))]);
    let mut out = Markup::default();
    out.open("details", &[("class", "fold")])
        .element("summary", &[], &words)
        .raw(&scroll(&words, &table.finish()));
    out.finish()
}

fn settings(reader: Reader<'_>) -> String {
    let settings = &reader.experiment.definition.settings;
    if settings.is_empty() {
        return String::new();
    }
    let notes = settings.iter().any(|it| !it.note.is_empty());
    let mut out = Markup::default();
    out.open("table", &[("class", "data settings")])
        .open("thead", &[])
        .open("tr", &[]);
    for key in ["setting", "value", "default"] {
        out.element("th", &[("scope", "col")], reader.words(key));
    }
    if notes {
        out.element("th", &[("scope", "col")], reader.words("note"));
    }
    out.close().close().open("tbody", &[]);
    for setting in settings {
        out.open("tr", &[]).open("th", &[("scope", "row")]);
        out.element("code", &[], &setting.key).close();
        out.open("td", &[])
            .element("code", &[], &setting.value)
            .close();
        match &setting.default {
            Some(default) => out.open("td", &[]).element("code", &[], default).close(),
            None => out.element(
                "td",
                &[("class", "missing")],
                reader.words("environment-not-stated"),
            ),
        };
        if notes {
            out.element("td", &[], setting.note.get(reader.language.lang()));
        }
        out.close();
    }
    scroll(reader.words("settings"), &out.finish())
}

fn alternative(reader: Reader<'_>, facts: &[Fact], runs: &[String]) -> String {
    if runs.len() > 1 {
        let named = reader.language.list(runs);
        let differing: Vec<String> = facts
            .iter()
            .filter(|fact| fact.differs())
            .map(|fact| fact.label.clone())
            .collect();
        if differing.is_empty() {
            return reader
                .language
                .message_with("environment-same", &[("runs", Text(&named))]);
        }
        let differing = reader.language.list(&differing);
        let arguments = [("runs", Text(&named)), ("facts", Text(&differing))];
        return reader
            .language
            .message_with("environment-different", &arguments);
    }
    let mut sentences = vec![format!("{}.", reader.words("environment"))];
    for fact in facts {
        if let Some(Some(value)) = fact.values.first() {
            let value = fact.words(reader, value);
            sentences.push(format!("{}: {value}.", fact.label));
        }
    }
    sentences.join(" ")
}

fn csv<'a>(reader: Reader<'_>, runs: &[usize], facts: impl Iterator<Item = &'a Fact>) -> String {
    let mut head = vec!["kind".to_owned(), "key".to_owned()];
    head.extend(
        runs.iter()
            .map(|run| reader.experiment.runs[*run].key.clone()),
    );
    let mut lines = vec![head];
    for fact in facts {
        let kind = if fact.is_setting {
            "effective"
        } else {
            "environment"
        };
        let mut line = vec![kind.to_owned(), fact.key.clone()];
        line.extend(
            fact.values
                .iter()
                .map(|value| value.clone().unwrap_or_default()),
        );
        lines.push(line);
    }
    for setting in &reader.experiment.definition.settings {
        let mut line = vec!["setting".to_owned(), setting.key.clone()];
        line.extend(runs.iter().map(|_| setting.value.clone()));
        lines.push(line);
    }
    written(&lines)
}

fn environment_json(reader: Reader<'_>, runs: &[usize]) -> String {
    let run = |index: &usize| {
        let run = &reader.experiment.runs[*index];
        let facts: serde_json::Map<String, Json> = run
            .environment
            .facts
            .iter()
            .map(|(key, value)| (key.clone(), json!(value.source())))
            .collect();
        let mut told = json!({ "run": run.key, "origin": run.origin.key(), "environment": facts });
        if !run.effective.is_empty() {
            let pair = |(name, value): &(String, String)| (name.clone(), json!(value));
            told["effective"] = Json::Object(run.effective.iter().map(pair).collect());
        }
        told
    };
    let definition = &reader.experiment.definition;
    let settings: Vec<Json> = definition
        .settings
        .iter()
        .map(|it| json!({ "key": it.key, "value": it.value, "default": it.default }))
        .collect();
    pretty(&json!({
        "experiment": definition.key,
        "runs": runs.iter().map(run).collect::<Vec<_>>(),
        "settings": settings,
    }))
}
