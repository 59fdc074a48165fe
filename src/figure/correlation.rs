//! Whether two figures go together from measurement to measurement: a point for each, and the rank
//! correlation within the groups that are held apart.

use std::collections::BTreeMap;

use serde_json::json;

use super::cases::Cases;
use super::chart::{self, Course, Panel, Spot, Strand};
use super::drift::said;
use super::export::{base_unit, number, pretty, written};
use super::format::{self, Notation};
use super::markup::{Markup, scroll};
use super::series;
use super::{Figure, Reader, words};
use crate::analysis::trial::step_factor;
use crate::analysis::{Association, Trial, spearman_within, summary, trials};
use crate::model::{SERIES, Value};
use crate::text::Argument::Text;

/// More dots than that can't be told apart; their figures stand in the data.
const MOST_DOTS: usize = 3_000;
/// Up to so many dots say what they are.
const MOST_TITLES: usize = 600;
/// Up to so many groups are told apart by colour.
const MOST_SERIES: usize = 8;
/// Most groups in the table.
const MOST_GROUPS: usize = 100;

/// A figure that every measurement has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// A metric, by its index; over several steps, their sum.
    Metric(usize),
    /// The mean of a series over the measurement, by its key.
    Series(String),
}

/// What is held against what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CorrelationOrder {
    /// Index of the run.
    pub run: usize,
    /// Along the bottom.
    pub x: Quantity,
    /// Upwards.
    pub y: Quantity,
    /// Index of the factor whose levels are held apart; without it, cases are.
    pub within: Option<usize>,
    /// Allowed levels by factor; others allow all.
    pub only: Vec<(usize, Vec<usize>)>,
}

/// One measurement.
struct Pair<'a> {
    trial: &'a Trial,
    x: f64,
    y: f64,
    group: usize,
}

/// Shows how two figures of a run go together; nothing where no measurement has both.
pub fn figure(reader: Reader<'_>, order: &CorrelationOrder) -> Option<Figure> {
    let all = trials(reader.experiment, order.run, &order.only);
    let pairs = pairs(reader, order, all.values());
    if pairs.is_empty() {
        return None;
    }
    let column = |of: fn(&Pair<'_>) -> f64| pairs.iter().map(of).collect::<Vec<f64>>();
    let groups: Vec<usize> = pairs.iter().map(|pair| pair.group).collect();
    let association = spearman_within(&column(|it| it.x), &column(|it| it.y), &groups);
    let finding = finding(reader, order, association.as_ref());
    let (x, y) = (label(reader, &order.x), label(reader, &order.y));
    let names = [("x", Text(&x)), ("y", Text(&y))];
    let title = reader.language.message_with("correlation-title", &names);
    let alternative = words::of_kind(reader, "kind-correlation", &title, &finding);
    let mut body = String::new();
    if pairs.len() <= MOST_DOTS {
        let course = course(reader, order, &pairs, title);
        body = chart::course(reader, &course, &alternative);
    }
    let mut said = Markup::default();
    said.element("p", &[("class", "finding")], &finding);
    body.push_str(&said.finish());
    let method = [
        ("statistic", reader.words("correlation-method").to_owned()),
        ("run", format::run(reader, order.run)),
    ];
    Some(Figure {
        body,
        table: Some(table(reader, order, &pairs)),
        csv: csv(reader, order, &pairs),
        json: as_json(reader, order, association, pairs.len()),
        method: method
            .into_iter()
            .map(|(key, text)| (reader.words(key).to_owned(), text))
            .collect(),
        alternative,
    })
}

fn pairs<'a>(
    reader: Reader<'_>,
    order: &CorrelationOrder,
    trials: impl Iterator<Item = &'a Trial>,
) -> Vec<Pair<'a>> {
    let means = |quantity: &Quantity| match quantity {
        Quantity::Metric(_) => BTreeMap::new(),
        Quantity::Series(key) => means(reader, order.run, key),
    };
    let (of_x, of_y) = (means(&order.x), means(&order.y));
    let value = |quantity: &Quantity, means: &BTreeMap<u32, f64>, trial: &Trial| match quantity {
        Quantity::Metric(metric) => trial.total(*metric),
        Quantity::Series(_) => means.get(&trial.order).copied(),
    };
    let mut groups: BTreeMap<&[u32], usize> = BTreeMap::new();
    let pair = |trial: &'a Trial| {
        let (x, y) = (
            value(&order.x, &of_x, trial)?,
            value(&order.y, &of_y, trial)?,
        );
        let group = match order.within {
            Some(factor) => trial.levels.get(factor..=factor)?,
            None => &trial.levels,
        };
        let next = groups.len();
        let group = *groups.entry(group).or_insert(next);
        Some(Pair { trial, x, y, group })
    };
    trials.filter_map(pair).collect()
}

/// The mean of a series in each trial, by its place in the order.
fn means(reader: Reader<'_>, run: usize, key: &str) -> BTreeMap<u32, f64> {
    let series = reader.experiment.runs.get(run).map(|run| &run.series);
    let own = series.into_iter().flatten().filter(|it| it.key == key);
    own.filter_map(|it| {
        let values = it
            .readings
            .iter()
            .map(|it| it.value)
            .filter(|it| it.is_finite());
        let (sum, count) = values.fold((0.0, 0.0), |(sum, count), it| (sum + it, count + 1.0));
        (count > 0.0).then(|| (it.order, sum / count))
    })
    .collect()
}

fn label(reader: Reader<'_>, quantity: &Quantity) -> String {
    match quantity {
        Quantity::Metric(metric) => format::metric_label(reader, *metric),
        Quantity::Series(key) => series::label(reader, key),
    }
}

/// Name and unit for an axis, and how figures are written.
fn axis(reader: Reader<'_>, quantity: &Quantity) -> (String, Notation) {
    match quantity {
        Quantity::Metric(metric) => (
            format::metric_head(reader, *metric),
            format::notation(reader.metric(*metric)),
        ),
        Quantity::Series(key) => {
            let named = series::named(reader, key);
            (named.head, named.notation)
        }
    }
}

fn shown(reader: Reader<'_>, quantity: &Quantity, value: f64) -> String {
    match quantity {
        Quantity::Metric(metric) => format::value(reader, *metric, Value::Exact(value)),
        Quantity::Series(key) => series::named(reader, key).value(reader, value),
    }
}

fn finding(
    reader: Reader<'_>,
    order: &CorrelationOrder,
    association: Option<&Association>,
) -> String {
    let told = |it: &&Association| it.low > -1.0 || it.high < 1.0;
    let Some(association) = association.filter(told) else {
        return reader.words("correlation-unknown").to_owned();
    };
    let key = if association.low > 0.0 {
        "correlation-positive"
    } else if association.high < 0.0 {
        "correlation-negative"
    } else {
        "correlation-none"
    };
    let sentence = said(reader, key, association);
    let within = match order.within {
        Some(factor) => {
            let name = format::factor_label(reader, factor);
            (reader.language).message_with("correlation-within", &[("factor", Text(&name))])
        }
        None => reader.words("correlation-within-cases").to_owned(),
    };
    format!(
        "{sentence} {within} {}",
        reader.words("correlation-no-cause")
    )
}

/// What tells the groups apart, and the factor of their colours, if there are few enough levels.
fn coloured(reader: Reader<'_>, order: &CorrelationOrder, pairs: &[Pair<'_>]) -> Option<usize> {
    let levels = |factor: usize| reader.factor(factor).levels.len();
    if let Some(factor) = order.within {
        return (levels(factor) <= MOST_SERIES).then_some(factor);
    }
    let cases = cases(reader, pairs);
    let fitting = cases.varying().iter().copied();
    fitting
        .filter(|factor| levels(*factor) <= MOST_SERIES)
        .max_by_key(|it| levels(*it))
}

fn cases(reader: Reader<'_>, pairs: &[Pair<'_>]) -> Cases {
    let levels = pairs.iter().map(|pair| &*pair.trial.levels);
    Cases::new(levels, step_factor(reader.experiment))
}

fn course(
    reader: Reader<'_>,
    order: &CorrelationOrder,
    pairs: &[Pair<'_>],
    title: String,
) -> Course {
    let cases = cases(reader, pairs);
    let coloured = coloured(reader, order, pairs);
    let names: Vec<String> = coloured.map_or_else(Vec::new, |factor| {
        let count = reader.factor(factor).levels.len();
        (0..count)
            .map(|level| format::level(reader, factor, level))
            .collect()
    });
    let mut strands = vec![Strand::default(); names.len().max(1)];
    for (index, strand) in strands.iter_mut().enumerate() {
        strand.series = index;
    }
    let titles = pairs.len() <= MOST_TITLES;
    for pair in pairs {
        let level = coloured.and_then(|factor| pair.trial.levels.get(factor));
        let strand = level.map_or(0, |level| *level as usize);
        let title = if titles {
            let (x, y) = (
                shown(reader, &order.x, pair.x),
                shown(reader, &order.y, pair.y),
            );
            match cases.name(reader, &pair.trial.levels) {
                name if name.is_empty() => format!("{x}; {y}"),
                name => format!("{name}: {x}; {y}"),
            }
        } else {
            String::new()
        };
        strands[strand].points.push(Spot {
            across: pair.x,
            value: pair.y,
            title,
            reach: None,
        });
    }
    let label = coloured.map_or_else(String::new, |factor| format::factor_label(reader, factor));
    Course {
        kind: "correlation",
        title,
        series: (label, names),
        panels: vec![Panel {
            title: String::new(),
            strands,
        }],
        joined: false,
        dotted: false,
        values: axis(reader, &order.y),
        across: axis(reader, &order.x),
        apart: false,
        own_values: false,
        whole: false,
        whole_values: false,
        from_zero: false,
        across_from_zero: false,
        borders: Vec::new(),
    }
}

/// The groups with the medians of both figures.
fn table(reader: Reader<'_>, order: &CorrelationOrder, pairs: &[Pair<'_>]) -> String {
    let mut groups: BTreeMap<usize, Vec<&Pair<'_>>> = BTreeMap::new();
    for pair in pairs {
        groups.entry(pair.group).or_default().push(pair);
    }
    let cases = cases(reader, pairs);
    let mut out = Markup::default();
    out.open("table", &[("class", "data")])
        .open("thead", &[])
        .open("tr", &[]);
    let head = match order.within {
        Some(factor) => format::factor_head(reader, factor),
        None => cases.title(reader),
    };
    out.element("th", &[("scope", "col")], &head);
    let number = [("scope", "col"), ("class", "number")];
    out.element("th", &number, reader.words("measurements"));
    for quantity in [&order.x, &order.y] {
        let median = reader.words("statistic-median");
        let words = format!("{} ({median})", axis(reader, quantity).0);
        out.element("th", &number, &words);
    }
    out.close().close().open("tbody", &[]);
    for group in groups.into_values().take(MOST_GROUPS) {
        let levels = &group[0].trial.levels;
        let name = match order.within {
            Some(factor) => format::level(reader, factor, levels[factor] as usize),
            None => cases.name(reader, levels),
        };
        out.open("tr", &[])
            .element("th", &[("scope", "row")], &name);
        let count = reader.language.count(group.len() as u64);
        out.element("td", &[("class", "number")], &count);
        for (quantity, of) in [
            (&order.x, (|it: &&Pair<'_>| it.x) as fn(&&Pair<'_>) -> f64),
            (&order.y, |it| it.y),
        ] {
            let values: Vec<f64> = group.iter().map(of).collect();
            let middle = summary::median(&values).unwrap_or_default();
            let words = shown(reader, quantity, middle);
            out.element("td", &[("class", "number")], &words);
        }
        out.close();
    }
    scroll(&head, &out.finish())
}

/// The key of a quantity and its base unit, as a head of the data.
fn key(reader: Reader<'_>, quantity: &Quantity) -> String {
    let (key, unit) = match quantity {
        Quantity::Metric(metric) => {
            let metric = reader.metric(*metric);
            (&metric.key, base_unit(&metric.unit.dimension))
        }
        Quantity::Series(key) => {
            let known = SERIES.iter().find(|(known, _)| known == key);
            let unit = known.map_or("", |(_, unit)| *unit);
            // Readings of shares are shares.
            (key, unit.replace('%', ""))
        }
    };
    match unit.is_empty() {
        true => key.clone(),
        false => format!("{key} [{unit}]"),
    }
}

fn csv(reader: Reader<'_>, order: &CorrelationOrder, pairs: &[Pair<'_>]) -> String {
    let cases = cases(reader, pairs);
    let mut head: Vec<String> = (cases.varying().iter())
        .map(|factor| reader.factor(*factor).key.clone())
        .collect();
    head.extend(["replicate", "order"].map(str::to_owned));
    head.extend([key(reader, &order.x), key(reader, &order.y)]);
    let mut lines = vec![head];
    for pair in pairs {
        let level = |factor: &usize| {
            let level = pair.trial.levels.get(*factor).copied().unwrap_or_default();
            let levels = &reader.factor(*factor).levels;
            let level = levels.get(level as usize);
            level.map_or_else(String::new, |level| level.key.clone())
        };
        let mut line: Vec<String> = cases.varying().iter().map(level).collect();
        line.extend([
            pair.trial.replicate.to_string(),
            pair.trial.order.to_string(),
            number(pair.x),
            number(pair.y),
        ]);
        lines.push(line);
    }
    written(&lines)
}

fn as_json(
    reader: Reader<'_>,
    order: &CorrelationOrder,
    association: Option<Association>,
    measurements: usize,
) -> String {
    pretty(&json!({
        "experiment": reader.experiment.definition.key,
        "run": reader.experiment.runs.get(order.run).map(|run| &run.key),
        "x": key(reader, &order.x),
        "y": key(reader, &order.y),
        "within": order.within.map(|factor| &reader.factor(factor).key),
        "measurements": measurements,
        "association": association.map(|it| json!({
            "rho": it.rho, "low": it.low, "high": it.high, "n": it.n,
        })),
    }))
}
