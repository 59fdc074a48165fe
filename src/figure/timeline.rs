//! What was watched while cases were measured: a series over the time within the trials, a line a case.

use std::collections::BTreeMap;

use serde_json::json;

use super::cases::Cases;
use super::chart::{self, Course, Panel, Spot, Strand};
use super::export::{number, written};
use super::format::Notation;
use super::markup::{Markup, notice, scroll};
use super::series::{self, Named};
use super::{Figure, Reader, format};
use crate::analysis::trial::step_factor;
use crate::analysis::{Trial, summary, thinned, trials, typical};
use crate::model::{Reading, Series};
use crate::text::Argument::{Count, Text};
use crate::text::Digits;

/// Up to so many lines share a plot; more are told apart on plots side by side.
const MOST_LINES: usize = 8;
/// Up to so many plots stand side by side.
const MOST_PANELS: usize = 12;
/// Of each line so many stretches of time keep their extremes; fewer where there are many lines.
const STRETCHES: usize = 120;
/// The series that shows how far another one may go.
const LIMITS: [(&str, &str); 1] = [("checkpoint_age", "checkpoint_limit")];
/// A limit further away than so many times the largest reading would press the lines together.
const FAR: f64 = 2.0;
/// Most lines whose course is told in words.
const TOLD: usize = 6;

/// The series that a run has, each once, in the order in which they were first seen; those that limit
/// another are shown with it.
pub fn keys(reader: Reader<'_>, run: usize) -> Vec<&str> {
    let mut keys: Vec<&str> = Vec::new();
    let Some(run) = reader.experiment.runs.get(run) else {
        return keys;
    };
    for series in &run.series {
        if !keys.contains(&series.key.as_str()) {
            keys.push(&series.key);
        }
    }
    let shown = |key: &&str| {
        let of = LIMITS.iter().find(|(_, limit)| limit == key);
        of.is_none_or(|(of, _)| !keys.contains(of))
    };
    keys.iter().copied().filter(shown).collect()
}

/// The name of a series.
pub fn label(reader: Reader<'_>, key: &str) -> String {
    series::label(reader, key)
}

/// A line: the readings of one trial.
struct Line<'a> {
    trial: &'a Trial,
    /// Seconds since the trial's first reading, and the figure.
    readings: Vec<(f64, f64)>,
    limit: Vec<(f64, f64)>,
    /// What stands out among all readings, before they are thinned.
    found: Extremes,
}

/// Everything that is shown.
struct Shown<'a> {
    lines: Vec<Line<'a>>,
    cases: Cases,
    /// Cases that have no place left.
    left_out: usize,
    /// Whether a limit is so far away that it isn't drawn.
    far: bool,
}

/// Shows a series of a run over the time within its trials: of each case that `only` allows, the trial
/// whose first metric is the median of the case. Nothing where no trial of theirs has readings.
pub fn figure(
    reader: Reader<'_>,
    run: usize,
    key: &str,
    only: &[(usize, Vec<usize>)],
) -> Option<Figure> {
    let all = trials(reader.experiment, run);
    let allowed = |trial: &&Trial| {
        let level = |factor: usize| trial.levels.get(factor).map(|level| *level as usize);
        let mut wanted = only.iter();
        wanted.all(|(factor, levels)| level(*factor).is_none_or(|level| levels.contains(&level)))
    };
    let metrics = &reader.experiment.definition.metrics;
    let metric = (0..metrics.len()).find(|metric| {
        let measured = |trial: &Trial| trial.total(*metric).is_some();
        metrics[*metric].derived.is_none() && all.values().any(measured)
    })?;
    let chosen = typical(all.values().filter(allowed), metric);
    let shown = shown(reader, run, key, &chosen)?;
    let named = series::named(reader, key);
    let title = (reader.language).message_with("timeline-title", &[("series", Text(&named.label))]);
    let alternative = alternative(reader, &named, &title, &shown);
    let course = course(reader, &named, &title, &shown);
    let mut body = chart::course(reader, &course, &alternative);
    if shown.left_out > 0 {
        body.push_str(&notice(&left_out(reader, &shown)));
    }
    Some(Figure {
        body,
        table: Some(table(reader, &named, &shown)),
        csv: csv(reader, key, &shown),
        json: as_json(reader, run, key, &shown),
        method: method(reader, run, metric, &shown),
        alternative,
    })
}

fn shown<'a>(reader: Reader<'_>, run: usize, key: &str, chosen: &[&'a Trial]) -> Option<Shown<'a>> {
    let watched = &reader.experiment.runs.get(run)?.series;
    let limit = LIMITS.iter().find(|(of, _)| *of == key);
    let mut found: BTreeMap<u32, [Option<&Series>; 2]> = BTreeMap::new();
    let mut starts: BTreeMap<u32, f64> = BTreeMap::new();
    for series in watched {
        // The clock of a trial begins with its first reading, of whatever series.
        let first = series
            .readings
            .iter()
            .map(|it| it.at)
            .fold(f64::INFINITY, f64::min);
        let start = starts.entry(series.order).or_insert(first);
        *start = start.min(first);
        if series.key == key {
            found.entry(series.order).or_default()[0] = Some(series);
        } else if limit.is_some_and(|(_, limit)| series.key == *limit) {
            found.entry(series.order).or_default()[1] = Some(series);
        }
    }
    let places = |readings: &[Reading], start: f64| -> Vec<(f64, f64)> {
        let finite = |it: &&Reading| it.at.is_finite() && it.value.is_finite();
        let kept = readings.iter().filter(finite);
        kept.map(|it| (it.at - start, it.value)).collect()
    };
    let line = |trial: &&'a Trial| {
        let [own, limit] = found.get(&trial.order)?;
        let start = *starts.get(&trial.order)?;
        let readings = places(&own.as_ref()?.readings, start);
        Some(Line {
            trial,
            found: extremes(&readings)?,
            readings,
            limit: limit.map_or_else(Vec::new, |limit| places(&limit.readings, start)),
        })
    };
    let mut lines: Vec<Line<'_>> = chosen.iter().filter_map(line).collect();
    if lines.is_empty() {
        return None;
    }
    let levels = lines.iter().map(|line| &*line.trial.levels);
    let cases = Cases::new(levels, step_factor(reader.experiment));
    let most = match along(reader, &cases, lines.len()) {
        None => MOST_LINES,
        // A plot is left out as a whole, so counting its cases would say less than counting lines.
        Some(_) => MOST_PANELS * MOST_LINES,
    };
    let left_out = lines.len().saturating_sub(most);
    lines.truncate(most);
    let highest = |points: &[(f64, f64)]| points.iter().map(|it| it.1).fold(0.0, f64::max);
    let top = lines.iter().map(|it| it.found.high).fold(0.0, f64::max);
    let mut far = false;
    let stretches = (STRETCHES * MOST_LINES / lines.len().max(MOST_LINES)).max(30);
    for line in &mut lines {
        line.readings = thinned(&line.readings, stretches);
        if highest(&line.limit) > FAR * top {
            far = true;
            line.limit.clear();
        }
        line.limit = thinned(&bends(&line.limit), stretches);
    }
    Some(Shown {
        lines,
        cases,
        left_out,
        far,
    })
}

/// A line without the points between two of the same value.
fn bends(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let level = |place: usize| {
        let around = place
            .checked_sub(1)
            .and_then(|before| Some((points.get(before)?.1, points.get(place + 1)?.1)));
        around == Some((points[place].1, points[place].1))
    };
    let kept = (0..points.len()).filter(|place| !level(*place));
    kept.map(|place| points[place]).collect()
}

/// The factor whose levels are the lines of every plot, where there are too many cases for one.
fn along(reader: Reader<'_>, cases: &Cases, lines: usize) -> Option<usize> {
    let levels = |factor: &usize| reader.factor(*factor).levels.len();
    let fitting = cases
        .varying()
        .iter()
        .copied()
        .filter(|it| levels(it) <= MOST_LINES);
    let most = fitting.max_by_key(|factor| (levels(factor), std::cmp::Reverse(*factor)));
    most.filter(|_| lines > MOST_LINES && cases.varying().len() > 1)
}

fn course(reader: Reader<'_>, named: &Named, title: &str, shown: &Shown<'_>) -> Course {
    let along = along(reader, &shown.cases, shown.lines.len());
    let spots = |line: &Line<'_>| -> Vec<Spot> {
        let spot = |&(across, value): &(f64, f64)| Spot {
            across,
            value,
            title: String::new(),
        };
        line.readings.iter().map(spot).collect()
    };
    let strand = |series: usize, line: &Line<'_>| Strand {
        series,
        points: spots(line),
        limit: line.limit.clone(),
    };
    let (series, panels) = match along {
        None => {
            let names = shown.lines.iter();
            let names = names.map(|line| shown.cases.name(reader, &line.trial.levels));
            let strands = shown.lines.iter().enumerate();
            let panel = Panel {
                title: String::new(),
                strands: strands.map(|(series, line)| strand(series, line)).collect(),
            };
            ((shown.cases.title(reader), names.collect()), vec![panel])
        }
        Some(factor) => {
            let rest = shown.cases.without(factor);
            let mut panels: BTreeMap<Vec<u32>, Panel> = BTreeMap::new();
            for line in &shown.lines {
                let mut key = line.trial.levels.to_vec();
                let level = std::mem::take(&mut key[factor]);
                let panel = panels.entry(key).or_default();
                if panel.title.is_empty() {
                    panel.title = panel_title(reader, &rest, line);
                }
                panel.strands.push(strand(level as usize, line));
            }
            let levels = 0..reader.factor(factor).levels.len();
            let names = levels.map(|level| format::level(reader, factor, level));
            let label = format::factor_label(reader, factor);
            let panels = panels.into_values().take(MOST_PANELS);
            ((label, names.collect()), panels.collect())
        }
    };
    Course {
        kind: "timeline",
        title: title.to_owned(),
        series,
        panels,
        joined: true,
        values: (named.head.clone(), named.notation),
        across: (reader.words("trial-time").to_owned(), Notation::Duration),
        whole: false,
        from_zero: true,
        borders: Vec::new(),
    }
}

fn panel_title(reader: Reader<'_>, rest: &Cases, line: &Line<'_>) -> String {
    match rest.varying() {
        [factor] => {
            let level = line.trial.levels.get(*factor).copied().unwrap_or_default();
            format::place(reader, *factor, level as usize)
        }
        _ => rest.name(reader, &line.trial.levels),
    }
}

/// The readings that stand out: smallest, median, largest, and when that was first.
struct Extremes {
    low: f64,
    middle: f64,
    high: f64,
    at: f64,
}

fn extremes(readings: &[(f64, f64)]) -> Option<Extremes> {
    let values: Vec<f64> = readings.iter().map(|it| it.1).collect();
    let order = |a: &&(f64, f64), b: &&(f64, f64)| a.1.total_cmp(&b.1).then(b.0.total_cmp(&a.0));
    let highest = readings.iter().max_by(order)?;
    Some(Extremes {
        low: values.iter().copied().fold(f64::INFINITY, f64::min),
        middle: summary::median(&values)?,
        high: highest.1,
        at: highest.0,
    })
}

fn alternative(reader: Reader<'_>, named: &Named, title: &str, shown: &Shown<'_>) -> String {
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

fn left_out(reader: Reader<'_>, shown: &Shown<'_>) -> String {
    let n = [("n", Count(shown.left_out as u64))];
    reader.language.message_with("timeline-left-out", &n)
}

fn table(reader: Reader<'_>, named: &Named, shown: &Shown<'_>) -> String {
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

fn csv(reader: Reader<'_>, key: &str, shown: &Shown<'_>) -> String {
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

fn as_json(reader: Reader<'_>, run: usize, key: &str, shown: &Shown<'_>) -> String {
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

fn method(
    reader: Reader<'_>,
    run: usize,
    metric: usize,
    shown: &Shown<'_>,
) -> Vec<(String, String)> {
    let pair = |key: &'static str, text: String| (reader.words(key).to_owned(), text);
    let label = format::metric_label(reader, metric);
    let chosen = [("metric", Text(&label))];
    let mut method = vec![
        pair(
            "replicate",
            reader.language.message_with("timeline-chosen", &chosen),
        ),
        pair("chart", reader.words("timeline-thinned").to_owned()),
    ];
    if shown.lines.iter().any(|line| !line.limit.is_empty()) {
        method.push(pair("legend", reader.words("timeline-limit").to_owned()));
    }
    if shown.far {
        method.push(pair("note", reader.words("timeline-limit-far").to_owned()));
    }
    method.push(pair("run", format::run(reader, run)));
    method
}
