//! A metric over the order of a run: how far each measurement is from the others of its case, and
//! whether that drifts.

use std::collections::BTreeMap;

use serde_json::json;

use super::cases::Cases;
use super::chart::{self, Course, Panel, Spot, Strand};
use super::export::{number, pretty, written};
use super::format::Notation;
use super::markup::{Markup, scroll};
use super::{Figure, Reader, format, words};
use crate::analysis::trial::step_factor;
use crate::analysis::{Association, Drift, Moment, Sequence, drift, summary};
use crate::model::Value;
use crate::text::Argument::Text;
use crate::text::Digits;

/// More dots than that can't be told apart; their figures stand in the data.
const MOST_DOTS: usize = 3_000;
/// Up to so many dots say what they are.
const MOST_TITLES: usize = 600;
/// Up to so many levels are told apart by colour.
const MOST_SERIES: usize = 8;

/// Shows whether a metric drifted over a run; nothing where no measurement has a place in its order, or
/// no case was measured twice or differently, so that nothing can be told.
pub fn figure(reader: Reader<'_>, run: usize, metric: usize) -> Option<Figure> {
    let drift = drift(reader.experiment, run, metric)?;
    let single = drift.moments.iter().all(|it| it.trial.replicate == 0);
    if single || drift.moments.iter().all(|it| it.deviation == 0.0) {
        return None;
    }
    let finding = finding(reader, &drift);
    let label = format::metric_label(reader, metric);
    let title = (reader.language).message_with("drift-title", &[("metric", Text(&label))]);
    let alternative = words::of_kind(reader, "kind-drift", &title, &finding);
    let mut body = if drift.moments.len() <= MOST_DOTS {
        let course = course(reader, metric, &drift, title);
        chart::course(reader, &course, &alternative)
    } else {
        String::new()
    };
    let mut said = Markup::default();
    said.element("p", &[("class", "finding")], &finding);
    body.push_str(&said.finish());
    Some(Figure {
        body,
        table: Some(table(reader, metric, &drift)),
        csv: csv(reader, metric, &drift),
        json: as_json(reader, run, metric, &drift),
        method: method(reader, run, &drift),
        alternative,
    })
}

/// Which way a drift goes that stands out; `None` for none, or where it can't be told.
fn direction(drift: &Drift) -> Option<bool> {
    let association = drift.association?;
    if association.low > 0.0 {
        Some(true)
    } else if association.high < 0.0 {
        Some(false)
    } else {
        None
    }
}

/// Whether the drift is seen, in words.
fn finding(reader: Reader<'_>, drift: &Drift) -> String {
    let told = |it: &&Association| it.low > -1.0 || it.high < 1.0;
    let mut sentences = match drift.association.as_ref().filter(told) {
        None => vec![reader.words("drift-unknown").to_owned()],
        Some(association) => {
            let key = match direction(drift) {
                Some(true) => "drift-rising",
                Some(false) => "drift-falling",
                None => "drift-none",
            };
            vec![said(reader, key, association)]
        }
    };
    if direction(drift).is_some() {
        sentences.extend(size(reader, drift));
    }
    match drift.order {
        Sequence::Drawn => sentences.push(reader.words("drift-order-drawn").to_owned()),
        Sequence::Fixed => sentences.push(reader.words("drift-order-fixed").to_owned()),
        Sequence::Unknown => {}
    }
    sentences.join(" ")
}

/// A sentence about a rank correlation: its figure, interval and number of pairs.
pub(crate) fn said(reader: Reader<'_>, key: &str, association: &Association) -> String {
    let two = |value: f64| reader.language.number(value, Digits::Places(2));
    let rho = two(association.rho);
    let range = (reader.language).range(&two(association.low), &two(association.high));
    let interval = (reader.language).message_with("interval-95-range", &[("range", Text(&range))]);
    let n = reader.language.count(association.n as u64);
    let n = format::n_equals(reader, &n);
    let arguments = [
        ("rho", Text(&rho)),
        ("interval", Text(&interval)),
        ("n", Text(&n)),
    ];
    reader.language.message_with(key, &arguments)
}

/// How far the first and the last block are apart.
fn size(reader: Reader<'_>, drift: &Drift) -> Option<String> {
    let blocks = blocks(drift);
    if !drift.relative || blocks.len() < 2 {
        return None;
    }
    let middle = |moments: &[&Moment]| {
        let away: Vec<f64> = moments.iter().map(|it| it.deviation).collect();
        let middle = summary::median(&away)?;
        Some(reader.language.signed_percent(middle, Digits::Places(1)))
    };
    let (_, first) = blocks.first_key_value()?;
    let (_, last) = blocks.last_key_value()?;
    let (first, last) = (middle(first)?, middle(last)?);
    let arguments = [("first", Text(&first)), ("last", Text(&last))];
    Some(reader.language.message_with("drift-size", &arguments))
}

/// The moments by block; nothing where a block isn't known.
fn blocks(drift: &Drift) -> BTreeMap<u32, Vec<&Moment>> {
    let mut blocks: BTreeMap<u32, Vec<&Moment>> = BTreeMap::new();
    for moment in &drift.moments {
        let Some(block) = moment.trial.block else {
            return BTreeMap::new();
        };
        blocks.entry(block).or_default().push(moment);
    }
    blocks
}

/// The cases of a drift, their steps aside.
fn cases(reader: Reader<'_>, drift: &Drift) -> Cases {
    let levels = drift.moments.iter().map(|it| &*it.trial.levels);
    Cases::new(levels, step_factor(reader.experiment))
}

/// The factor that colours tell: one of names, if there is any, with few enough levels.
fn colored(reader: Reader<'_>, cases: &Cases) -> Option<usize> {
    let levels = |factor: usize| reader.factor(factor).levels.len();
    let fitting = || {
        cases
            .varying()
            .iter()
            .copied()
            .filter(|it| levels(*it) <= MOST_SERIES)
    };
    let named = fitting().find(|factor| !reader.factor(*factor).kind.is_numeric());
    named.or_else(|| fitting().next())
}

fn course(reader: Reader<'_>, metric: usize, drift: &Drift, title: String) -> Course {
    let cases = cases(reader, drift);
    let colored = colored(reader, &cases);
    let titles = drift.moments.len() <= MOST_TITLES;
    let names: Vec<String> = colored.map_or_else(Vec::new, |factor| {
        let count = reader.factor(factor).levels.len();
        (0..count)
            .map(|level| format::level(reader, factor, level))
            .collect()
    });
    let mut strands = vec![Strand::default(); names.len().max(1)];
    for (index, strand) in strands.iter_mut().enumerate() {
        strand.series = index;
    }
    for moment in &drift.moments {
        let level = colored.and_then(|factor| moment.trial.levels.get(factor));
        let strand = level.map_or(0, |level| *level as usize);
        let title = if titles {
            spot_title(reader, metric, drift, &cases, moment)
        } else {
            String::new()
        };
        strands[strand].points.push(Spot {
            across: f64::from(moment.trial.order) + 1.0,
            value: moment.deviation,
            title,
            reach: None,
        });
    }
    let ends: Vec<u32> = blocks(drift)
        .values()
        .filter_map(|moments| Some(moments.last()?.trial.order))
        .collect();
    let (words, notation) = deviations(reader, metric, drift);
    Course {
        kind: "drift",
        title,
        series: (
            colored.map_or_else(String::new, |factor| format::factor_label(reader, factor)),
            names,
        ),
        panels: vec![Panel {
            title: String::new(),
            strands,
        }],
        joined: false,
        dotted: false,
        values: (words, notation),
        across: (
            reader.words("figure-order").to_owned(),
            Notation::Number(1.0),
        ),
        apart: false,
        own_values: false,
        whole: true,
        whole_values: false,
        from_zero: true,
        across_from_zero: false,
        borders: (ends.iter().rev().skip(1).rev())
            .map(|order| f64::from(*order) + 1.5)
            .collect(),
    }
}

/// What deviations are called and how they are written.
fn deviations(reader: Reader<'_>, metric: usize, drift: &Drift) -> (String, Notation) {
    if drift.relative {
        return (
            reader.words("drift-deviation").to_owned(),
            Notation::Percent,
        );
    }
    let notation = format::notation(reader.metric(metric));
    let words = reader.words("drift-difference");
    let unit = match notation {
        Notation::Number(_) => format::unit_label(reader, reader.metric(metric)),
        _ => String::new(),
    };
    (format::with_unit(reader, words, &unit), notation)
}

fn deviation(reader: Reader<'_>, metric: usize, drift: &Drift, value: f64) -> String {
    if drift.relative {
        return reader.language.signed_percent(value, Digits::Places(1));
    }
    format::exact(
        reader,
        reader.metric(metric),
        value,
        Digits::Significant(3),
        true,
    )
}

fn spot_title(
    reader: Reader<'_>,
    metric: usize,
    drift: &Drift,
    cases: &Cases,
    moment: &Moment,
) -> String {
    let away = deviation(reader, metric, drift, moment.deviation);
    // What the values of several steps come to together depends on what the steps are.
    let value = match moment.value {
        Some(value) => format::value(reader, metric, Value::Exact(value)),
        None => reader.words("drift-steps").to_owned(),
    };
    match cases.name(reader, &moment.trial.levels) {
        name if name.is_empty() => format!("{value} ({away})"),
        name => format!("{name}: {value} ({away})"),
    }
}

/// The blocks with what they have in common.
fn table(reader: Reader<'_>, metric: usize, drift: &Drift) -> String {
    let mut blocks = blocks(drift);
    if blocks.is_empty() {
        blocks.insert(0, drift.moments.iter().collect());
    }
    let mut out = Markup::default();
    out.open("table", &[("class", "data")])
        .open("thead", &[])
        .open("tr", &[]);
    let head = [
        ("block", ""),
        ("measurements", "number"),
        ("drift-median", "number"),
    ];
    for (key, class) in head {
        out.element(
            "th",
            &[("scope", "col"), ("class", class)],
            reader.words(key),
        );
    }
    out.close().close().open("tbody", &[]);
    for (block, moments) in blocks {
        let away: Vec<f64> = moments.iter().map(|it| it.deviation).collect();
        let middle = summary::median(&away).unwrap_or_default();
        out.open("tr", &[]);
        let count = |count: usize| reader.language.count(count as u64);
        out.element("th", &[("scope", "row")], &count(block as usize + 1));
        out.element("td", &[("class", "number")], &count(away.len()));
        let middle = deviation(reader, metric, drift, middle);
        out.element("td", &[("class", "number")], &middle);
        out.close();
    }
    let label = reader.words("block").to_owned();
    scroll(&label, &out.finish())
}

fn csv(reader: Reader<'_>, metric: usize, drift: &Drift) -> String {
    let steps = step_factor(reader.experiment);
    let factors: Vec<usize> = (0..reader.experiment.definition.factors.len())
        .filter(|factor| Some(*factor) != steps)
        .collect();
    let mut head: Vec<String> = factors
        .iter()
        .map(|factor| reader.factor(*factor).key.clone())
        .collect();
    let key = &reader.metric(metric).key;
    let away = if drift.relative {
        format!("{key} / median - 1")
    } else {
        format!("{key} - median")
    };
    let frame = ["replicate", "block", "order", "at"].map(str::to_owned);
    head.extend(frame.into_iter().chain([key.clone(), away]));
    let mut lines = vec![head];
    for Moment {
        trial,
        value,
        deviation,
    } in &drift.moments
    {
        let level = |factor: &usize| {
            let level = trial.levels.get(*factor).copied().unwrap_or_default();
            let levels = &reader.factor(*factor).levels;
            levels
                .get(level as usize)
                .map_or_else(String::new, |level| level.key.clone())
        };
        let mut line: Vec<String> = factors.iter().map(level).collect();
        line.extend([
            trial.replicate.to_string(),
            trial
                .block
                .map_or_else(String::new, |block| block.to_string()),
            trial.order.to_string(),
            trial.at.map_or_else(String::new, number),
            value.map_or_else(String::new, number),
            number(*deviation),
        ]);
        lines.push(line);
    }
    written(&lines)
}

fn as_json(reader: Reader<'_>, run: usize, metric: usize, drift: &Drift) -> String {
    let association = drift
        .association
        .map(|it| json!({ "rho": it.rho, "low": it.low, "high": it.high, "n": it.n }));
    let order = match drift.order {
        Sequence::Drawn => "drawn",
        Sequence::Fixed => "fixed",
        Sequence::Unknown => "unknown",
    };
    let moments: Vec<_> = drift
        .moments
        .iter()
        .map(|it| json!([it.trial.order, it.deviation]))
        .collect();
    pretty(&json!({
        "experiment": reader.experiment.definition.key,
        "run": reader.experiment.runs.get(run).map(|run| &run.key),
        "metric": reader.metric(metric).key,
        "association": association,
        "order": order,
        "deviation": if drift.relative { "share" } else { "difference" },
        "moments": moments,
    }))
}

fn method(reader: Reader<'_>, run: usize, drift: &Drift) -> Vec<(String, String)> {
    let pair = |key: &'static str, text: &str| (reader.words(key).to_owned(), text.to_owned());
    let mut method = vec![pair("statistic", reader.words("drift-method"))];
    if blocks(drift).len() > 1 && drift.moments.len() <= MOST_DOTS {
        method.push(pair("chart", reader.words("drift-borders")));
    }
    method.push(pair("run", &format::run(reader, run)));
    method
}
