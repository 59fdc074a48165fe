//! The environment of a run, its fixed settings, or the difference of two environments.

use serde_json::{Value as Json, json};

use super::export::{pretty, written};
use super::markup::{Markup, notice, scroll};
use super::{Figure, Reader, format};
use crate::model::Run;
use crate::text::Argument::Text;

/// Lays out the environments of the runs with these indices, and the experiment's fixed settings;
/// with two or more runs, facts that differ come first and are marked.
pub fn environment(reader: Reader<'_>, runs: &[usize]) -> Figure {
    let runs: Vec<usize> = runs
        .iter()
        .copied()
        .filter(|run| *run < reader.experiment.runs.len())
        .collect();
    let facts = facts(reader, &runs);
    let mut body = match runs.as_slice() {
        [_] if !facts.is_empty() => list(&facts),
        [_, _, ..] if !facts.is_empty() => difference(reader, &runs, &facts),
        _ => String::new(),
    };
    body.push_str(&settings(reader));
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
        csv: csv(reader, &runs, &facts),
        json: environment_json(reader, &runs),
        method,
    }
}

/// A fact with its value in each run.
struct Fact {
    key: String,
    label: String,
    values: Vec<Option<String>>,
}

impl Fact {
    fn differs(&self) -> bool {
        self.values.windows(2).any(|pair| pair[0] != pair[1])
    }
}

/// Every fact that one of the runs knows, in the order of the runs; differing ones first.
fn facts(reader: Reader<'_>, runs: &[usize]) -> Vec<Fact> {
    let run = |index: &usize| &reader.experiment.runs[*index];
    let mut keys: Vec<&str> = Vec::new();
    for (key, _) in runs.iter().flat_map(|index| &run(index).environment.facts) {
        if !keys.contains(&key.as_str()) {
            keys.push(key);
        }
    }
    let value = |run: &Run, key: &str| {
        let (_, value) = run.environment.facts.iter().find(|(it, _)| it == key)?;
        Some(value.get(reader.language.lang()).to_owned())
    };
    let fact = |key: &str| Fact {
        key: key.to_owned(),
        label: label(reader, key),
        values: runs.iter().map(|index| value(run(index), key)).collect(),
    };
    let facts = keys.into_iter().map(fact);
    let (mut first, same): (Vec<Fact>, Vec<Fact>) = facts.partition(Fact::differs);
    first.extend(same);
    first
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

fn list(facts: &[Fact]) -> String {
    let mut out = Markup::default();
    out.open("dl", &[("class", "facts")]);
    for fact in facts {
        let value = fact
            .values
            .first()
            .and_then(Option::as_deref)
            .unwrap_or_default();
        out.open("div", &[])
            .element("dt", &[], &fact.label)
            .element("dd", &[], value)
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
            .open("th", &[("scope", "row")])
            .text(&fact.label);
        if fact.differs() {
            let words = reader.words("environment-differs");
            out.text(" ")
                .element("span", &[("class", "differs-mark"), ("title", words)], "≠");
        }
        out.close();
        for value in &fact.values {
            match value {
                Some(value) => out.element("td", &[], value),
                None => out.element(
                    "td",
                    &[("class", "missing")],
                    reader.words("environment-not-stated"),
                ),
            };
        }
        out.close();
    }
    scroll(reader.words("environment"), &out.finish())
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
            sentences.push(format!("{}: {value}.", fact.label));
        }
    }
    sentences.join(" ")
}

fn csv(reader: Reader<'_>, runs: &[usize], facts: &[Fact]) -> String {
    let mut head = vec!["kind".to_owned(), "key".to_owned()];
    head.extend(
        runs.iter()
            .map(|run| reader.experiment.runs[*run].key.clone()),
    );
    let mut lines = vec![head];
    for fact in facts {
        let mut line = vec!["environment".to_owned(), fact.key.clone()];
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
        json!({ "run": run.key, "origin": run.origin.key(), "environment": facts })
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
