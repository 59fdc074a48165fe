//! A timeline in words and figures: text alternative, table, data, method.

use std::collections::BTreeMap;

use serde_json::json;

use super::super::cases::Cases;
use super::super::export::{number, written};
use super::super::markup::{Markup, scroll};
use super::super::series::{self, Named};
use super::super::{Reader, format};
use super::LIMITS;
use super::chosen::{Line, Shown};
use crate::analysis::Trial;
use crate::analysis::trial::step_factor;
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// Most lines whose course is told in words.
const TOLD: usize = 6;

/// What the figure shows, in words.
pub(super) fn alternative(
    reader: Reader<'_>,
    named: &Named,
    title: &str,
    shown: &Shown<'_>,
) -> String {
    let kind = reader.words("kind-timeline");
    let arguments = [("kind", Text(kind)), ("what", Text(title))];
    let mut sentences = vec![reader.language.message_with("figure-is", &arguments)];
    for line in shown.lines.iter().take(TOLD) {
        let found = &line.found;
        let name = shown.cases.name(reader, &line.trial.levels);
        let name = if name.is_empty() {
            named.label.clone()
        } else {
            name
        };
        let (low, high) = (
            named.value(reader, found.low),
            named.value(reader, found.high),
        );
        let at = reader.language.duration(found.at, Digits::Significant(2));
        let arguments = [
            ("series", Text(&name)),
            ("low", Text(&low)),
            ("high", Text(&high)),
            ("at", Text(&at)),
        ];
        sentences.push(reader.language.message_with("alt-readings", &arguments));
    }
    if let Some(more) = shown.lines.len().checked_sub(TOLD).filter(|more| *more > 0) {
        let more = [("n", Count(more as u64))];
        sentences.push(format!(
            "{}.",
            reader.language.message_with("figure-more", &more)
        ));
    }
    sentences.join(" ")
}

/// That some cases aren't shown.
pub(super) fn left_out(reader: Reader<'_>, shown: &Shown<'_>) -> String {
    let n = [("n", Count(shown.left_out as u64))];
    reader.language.message_with("timeline-left-out", &n)
}

/// The lines with what stands out among their readings.
pub(super) fn table(reader: Reader<'_>, named: &Named, shown: &Shown<'_>) -> String {
    let mut out = Markup::default();
    out.open("table", &[("class", "data")])
        .open("thead", &[])
        .open("tr", &[]);
    out.element("th", &[("scope", "col")], &shown.cases.title(reader));
    let number = [("scope", "col"), ("class", "number")];
    for key in [
        "statistic-min",
        "statistic-median",
        "statistic-max",
        "largest-at",
    ] {
        out.element("th", &number, reader.words(key));
    }
    out.close().close().open("tbody", &[]);
    for line in &shown.lines {
        let found = &line.found;
        let name = shown.cases.name(reader, &line.trial.levels);
        let name = if name.is_empty() {
            named.label.clone()
        } else {
            name
        };
        out.open("tr", &[])
            .element("th", &[("scope", "row")], &name);
        for value in [found.low, found.middle, found.high] {
            out.element("td", &[("class", "number")], &named.value(reader, value));
        }
        let at = reader.language.duration(found.at, Digits::Significant(2));
        out.element("td", &[("class", "number")], &at).close();
    }
    scroll(&named.label, &out.finish())
}

/// The readings shown, as CSV.
pub(super) fn csv(reader: Reader<'_>, key: &str, shown: &Shown<'_>) -> String {
    let factors = shown.cases.varying();
    let mut head: Vec<String> = factors
        .iter()
        .map(|factor| reader.factor(*factor).key.clone())
        .collect();
    head.extend(["replicate", "order", "seconds", "series", "value"].map(str::to_owned));
    let mut lines = vec![head];
    for line in &shown.lines {
        let level = |factor: &usize| {
            let level = line.trial.levels.get(*factor).copied().unwrap_or_default();
            let levels = &reader.factor(*factor).levels;
            levels
                .get(level as usize)
                .map_or_else(String::new, |level| level.key.clone())
        };
        let case: Vec<String> = factors.iter().map(level).collect();
        let limit = LIMITS
            .iter()
            .find(|(of, _)| *of == key)
            .map_or("", |(_, limit)| *limit);
        for (key, points) in [(key, &line.readings), (limit, &line.limit)] {
            for (at, value) in points {
                let mut fields = case.clone();
                fields.extend([
                    line.trial.replicate.to_string(),
                    line.trial.order.to_string(),
                    number((at * 1e6).round() / 1e6),
                    key.to_owned(),
                    number(*value),
                ]);
                lines.push(fields);
            }
        }
    }
    written(&lines)
}

/// The readings shown, as JSON.
pub(super) fn as_json(reader: Reader<'_>, run: usize, key: &str, shown: &Shown<'_>) -> String {
    let definition = &reader.experiment.definition;
    let line = |line: &Line<'_>| {
        let levels: serde_json::Map<String, serde_json::Value> = (shown.cases.varying().iter())
            .filter_map(|factor| {
                let factor = reader.factor(*factor);
                let place = definition.factor(&factor.key)?.0;
                let level = *line.trial.levels.get(place)? as usize;
                Some((factor.key.clone(), json!(factor.levels.get(level)?.key)))
            })
            .collect();
        let seconds: Vec<f64> = line
            .readings
            .iter()
            .map(|it| (it.0 * 1e6).round() / 1e6)
            .collect();
        let values: Vec<f64> = line.readings.iter().map(|it| it.1).collect();
        json!({ "levels": levels, "order": line.trial.order, "seconds": seconds, "values": values })
    };
    json!({
        "experiment": definition.key,
        "run": reader.experiment.runs.get(run).map(|run| &run.key),
        "series": key,
        "lines": shown.lines.iter().map(line).collect::<Vec<_>>(),
    })
    .to_string()
}

/// The levels that all lines share, of factors in which the trials of the run differ.
pub(super) fn held(
    reader: Reader<'_>,
    trials: &BTreeMap<u32, Trial>,
    shown: &Shown<'_>,
) -> Vec<String> {
    let every = trials.values().map(|trial| &*trial.levels);
    let every = Cases::new(every, step_factor(reader.experiment));
    let held = every.varying().iter();
    let held = held.filter(|factor| !shown.cases.varying().contains(factor));
    let words = |factor: &usize| {
        let level = *shown.lines.first()?.trial.levels.get(*factor)? as usize;
        let (name, level) = (
            format::factor_label(reader, *factor),
            format::level(reader, *factor, level),
        );
        Some(format!("{name}: {level}"))
    };
    held.filter_map(words).collect()
}

/// How the figure came about; the label is that of the metric by which lines were chosen.
pub(super) fn method(
    reader: Reader<'_>,
    run: usize,
    [key, label]: [&str; 2],
    shown: &Shown<'_>,
    held: &[String],
) -> Vec<(String, String)> {
    let pair = |key: &'static str, text: String| (reader.words(key).to_owned(), text);
    let chosen = [("metric", Text(label))];
    let mut method = vec![
        pair(
            "replicate",
            reader.language.message_with("timeline-chosen", &chosen),
        ),
        pair("chart", reader.words("timeline-thinned").to_owned()),
    ];
    if !held.is_empty() {
        method.push(pair("case", held.join("; ")));
    }
    if shown.lines.iter().any(|line| !line.limit.is_empty()) {
        method.push(pair("legend", reader.words("timeline-limit").to_owned()));
    }
    if shown.far {
        method.push(pair("note", reader.words("timeline-limit-far").to_owned()));
    }
    if let Some(words) = series::rate(reader, run, key) {
        method.push(pair("readings", words));
    }
    method.push(pair("run", format::run(reader, run)));
    method
}
