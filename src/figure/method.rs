//! How the figures of a figure came about: statistic, runs, intervals, files.

use std::collections::BTreeSet;

use super::export::statistic_key;
use super::words::missing;
use super::{Reader, format};
use crate::analysis::{Cell, Comparison, Method, Paired, Pivot};
use crate::model::{LOOKED_AT, Value};
use crate::text::Argument::{Count, Text};
use crate::text::{Digits, Language};

/// How the figures of pivots came about: pairs of name and text.
pub(crate) fn of_pivots(reader: Reader<'_>, pivots: &[&Pivot]) -> Vec<(String, String)> {
    let cells: Vec<&Cell> = pivots.iter().flat_map(|pivot| &pivot.cells).collect();
    let mut method = Vec::new();
    if let Some(pivot) = pivots.first() {
        let key = format!("statistic-{}", statistic_key(pivot.query.statistic));
        let word = reader.language.message(&key).to_owned();
        method.push((reader.words("statistic").to_owned(), word));
    }
    method.extend(of_cells(reader, &cells));
    method.extend(looks(reader, pivots));
    method
}

/// How often was looked, if it matters to a metric that is shown.
fn looks(reader: Reader<'_>, pivots: &[&Pivot]) -> Option<(String, String)> {
    let results = &reader.experiment.definition.procedure.as_ref()?.results;
    let matters = |metric: usize| {
        let mut own = results.iter().filter(|(_, becomes)| *becomes == metric);
        own.any(|(result, _)| LOOKED_AT.contains(&&*result.name))
    };
    let shown = pivots.iter().filter(|pivot| matters(pivot.query.metric));
    let cells = shown.flat_map(|pivot| &pivot.cells);
    let runs: BTreeSet<usize> = cells.filter_map(|cell| cell.run).collect();
    let every = |run: &usize| reader.experiment.runs.get(*run)?.watched_every;
    let mut rates: Vec<String> = Vec::new();
    for seconds in runs.iter().filter_map(every) {
        let every = format::apart(reader, seconds);
        let words = reader
            .language
            .message_with("looked-every", &[("every", Text(&every))]);
        if !rates.contains(&words) {
            rates.push(words);
        }
    }
    (!rates.is_empty()).then(|| (reader.words("readings").to_owned(), rates.join("; ")))
}

/// The same for cells, without the statistic.
pub(crate) fn of_cells(reader: Reader<'_>, cells: &[&Cell]) -> Vec<(String, String)> {
    let mut method = Vec::new();
    let mut add = |key: &'static str, text: String| {
        if !text.is_empty() {
            method.push((reader.language.message(key).to_owned(), text));
        }
    };
    add("method-samples", sample_counts(reader, cells));
    add("interval", intervals(reader, cells));
    let runs: BTreeSet<usize> = cells.iter().filter_map(|cell| cell.run).collect();
    let names: Vec<String> = runs
        .into_iter()
        .map(|run| format::run(reader, run))
        .collect();
    add("run", reader.language.list(&names));
    let files: BTreeSet<u32> = cells
        .iter()
        .flat_map(|cell| &cell.places)
        .map(|place| place.file)
        .collect();
    let files: Vec<String> = files
        .into_iter()
        .filter_map(|file| Some(reader.experiment.files.get(file as usize)?.path.clone()))
        .collect();
    add("method-files", reader.language.list(&files));
    add(
        "method-missing",
        missing(reader, cells.iter().copied()).unwrap_or_default(),
    );
    method
}

fn sample_counts(reader: Reader<'_>, cells: &[&Cell]) -> String {
    let counts = || {
        cells
            .iter()
            .filter_map(|cell| cell.estimate.as_ref().ok())
            // Nobody knows how many runs stand behind a range or bound.
            .filter(|estimate| matches!(estimate.value, Value::Exact(_)))
            .map(|estimate| estimate.n)
    };
    let number = |count: usize| reader.language.number(count as f64, Digits::Natural);
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least == most => format::n_equals(reader, &number(least)),
        (Some(least), Some(most)) => format::n_equals(
            reader,
            &reader.language.range(&number(least), &number(most)),
        ),
        _ => String::new(),
    }
}

fn intervals(reader: Reader<'_>, cells: &[&Cell]) -> String {
    let mut keys: Vec<&str> = Vec::new();
    let mut add = |key| {
        if !keys.contains(&key) {
            keys.push(key);
        }
    };
    for estimate in cells.iter().filter_map(|cell| cell.estimate.as_ref().ok()) {
        match estimate.interval.map(|it| it.method) {
            Some(Method::Bootstrap) => add("interval-bootstrap"),
            Some(Method::StudentLog) => add("interval-student-log"),
            Some(Method::Student) => add("interval-student"),
            Some(Method::PairedBootstrap) => add("paired-bootstrap"),
            Some(Method::PairedStudentLog) => add("paired-student-log"),
            Some(Method::PairedStudent) => add("paired-student"),
            Some(Method::Stated) => add("interval-stated"),
            Some(Method::Assumed) => add("interval-assumed"),
            None if !matches!(estimate.value, Value::Exact(_)) => add("interval-stated"),
            None if estimate.n < 2 => add("one-run"),
            None => add("two-runs"),
        }
    }
    keys.sort_unstable();
    let noise = reader
        .language
        .percent(reader.experiment.definition.noise, Digits::Natural);
    let say = |key: &&str| {
        reader
            .language
            .message_with(key, &[("percent", Text(&noise))])
    };
    let words: Vec<String> = keys.iter().map(say).collect();
    words.join("; ")
}

/// How ratios were found within blocks; `None` if none was.
pub(crate) fn within_blocks(reader: Reader<'_>, comparisons: &[&Comparison]) -> Option<String> {
    let paired: Vec<Paired> = comparisons.iter().filter_map(|it| it.paired).collect();
    let (Some(least), Some(most)) = (
        paired.iter().map(|it| it.blocks).min(),
        paired.iter().map(|it| it.blocks).max(),
    ) else {
        return None;
    };
    let used = |method| comparisons.iter().any(|it| it.interval.method == method);
    let few = used(Method::PairedStudentLog);
    let many = used(Method::PairedBootstrap);
    let means = used(Method::PairedStudent);
    let parts = [
        ("paired", true),
        ("paired-median", few || many),
        ("paired-bootstrap", many),
        ("paired-student-log", few),
        ("paired-mean", means),
        ("paired-student", means),
    ];
    let said = parts.into_iter().filter(|(_, said)| *said);
    let mut words: Vec<String> = said
        .map(|(key, _)| reader.language.message(key).to_owned())
        .collect();
    words.extend(shared_blocks(
        reader.language,
        (least, most),
        paired.iter().map(|it| it.left_out).sum(),
    ));
    if paired.len() < comparisons.len() {
        words.push(reader.words("paired-others").to_owned());
    }
    Some(words.join("; "))
}

/// How many blocks two sides share, and how many values are left out since they have no counterpart.
pub(crate) fn shared_blocks(
    language: &Language,
    (least, most): (usize, usize),
    left_out: usize,
) -> Vec<String> {
    let number = |count: usize| language.count(count as u64);
    let blocks = match least == most {
        true => number(least),
        false => language.range(&number(least), &number(most)),
    };
    let mut words = vec![language.message_with("paired-shared", &[("n", Text(&blocks))])];
    if left_out > 0 {
        let left_out = number(left_out);
        words.push(language.message_with("paired-left-out", &[("n", Text(&left_out))]));
    }
    words
}

/// What to know where series share their colours.
pub(crate) fn many_series(reader: Reader<'_>, series: usize, colours: usize) -> String {
    let arguments = [
        ("series", Count(series as u64)),
        ("colors", Count(colours as u64)),
    ];
    reader
        .language
        .message_with("figure-many-series", &arguments)
}
