//! How a figure is written for a reader: the one place where values meet a language.

use super::Reader;
use crate::analysis::{Estimate, Interval, Method};
use crate::model::{Factor, FactorKind, LevelValue, Metric, Missing, MissingReason, Value};
use crate::text::Argument::Text;
use crate::text::{Digits, Dimension};

const NO_BREAK: char = '\u{a0}';

/// The ways in which a metric's values are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Notation {
    /// In parts of hours, minutes and seconds.
    Duration,
    /// In the binary multiple that suits the value.
    Size,
    /// As percent.
    Percent,
    /// As a number of units of this size.
    Number(f64),
}

/// How values of a metric are written.
pub(crate) fn notation(metric: &Metric) -> Notation {
    match (metric.unit.symbol.as_str(), &metric.unit.dimension) {
        ("duration", _) => Notation::Duration,
        ("size", _) => Notation::Size,
        ("%", Dimension::Share) => Notation::Percent,
        _ if metric.unit.scale.is_finite() && metric.unit.scale != 0.0 => {
            Notation::Number(metric.unit.scale)
        }
        _ => Notation::Number(1.0),
    }
}

impl<'a> Reader<'a> {
    /// The metric with this index.
    pub(crate) fn metric(self, index: usize) -> &'a Metric {
        &self.experiment.definition.metrics[index]
    }

    /// The factor with this index.
    pub(crate) fn factor(self, index: usize) -> &'a Factor {
        &self.experiment.definition.factors[index]
    }

    /// Interface words.
    pub(crate) fn words(self, key: &'a str) -> &'a str {
        self.language.message(key)
    }
}

/// The name of a factor.
pub fn factor_label(reader: Reader<'_>, factor: usize) -> String {
    let factor = reader.factor(factor);
    named(factor.label.get(reader.language.lang()), &factor.key)
}

/// The name of a factor with its unit, for heads and axes (`Page buffers, pages`).
pub fn factor_head(reader: Reader<'_>, factor: usize) -> String {
    let name = factor_label(reader, factor);
    let factor = reader.factor(factor);
    match &factor.unit {
        Some(unit) if factor.kind == FactorKind::Number => {
            with_unit(reader, &name, &reader.language.unit(unit))
        }
        _ => name,
    }
}

/// The label of a level: its name, or its value formatted (`512 MiB`, `1,500`).
pub fn level(reader: Reader<'_>, factor: usize, level: usize) -> String {
    let factor = reader.factor(factor);
    let Some(level) = factor.levels.get(level) else {
        return String::new();
    };
    if !level.label.is_empty() {
        return level.label.get(reader.language.lang()).to_owned();
    }
    match level.value {
        LevelValue::Number(number) => level_value(reader, factor, number),
        LevelValue::Name => level.key.clone(),
    }
}

/// A place on a numeric factor's axis, as its levels are written.
pub(crate) fn level_value(reader: Reader<'_>, factor: &Factor, value: f64) -> String {
    match factor.kind {
        FactorKind::Bytes => reader.language.size(value, Digits::Natural),
        FactorKind::Duration => reader.language.duration(value, Digits::Natural),
        _ => reader.language.number(value, Digits::Natural),
    }
}

/// A value of a metric with its unit (`5 min 35.272 s`, `390 points`, `+7–16 %`, `> 600 s`).
pub fn value(reader: Reader<'_>, metric: usize, value: Value) -> String {
    written(
        reader,
        reader.metric(metric),
        value,
        digits(reader.metric(metric), None),
        true,
    )
}

/// The same without the unit, for columns whose head states it; compound units keep theirs.
pub fn bare_value(reader: Reader<'_>, metric: usize, value: Value) -> String {
    written(
        reader,
        reader.metric(metric),
        value,
        digits(reader.metric(metric), None),
        false,
    )
}

/// A figure with as many digits as are asked for.
pub fn exact_value(
    reader: Reader<'_>,
    metric: usize,
    value: f64,
    digits: Digits,
    unit: bool,
) -> String {
    exact(reader, reader.metric(metric), value, digits, unit)
}

/// A figure with digits that follow the interval it lies in.
pub fn value_within(
    reader: Reader<'_>,
    metric: usize,
    value: f64,
    (low, high): (f64, f64),
    unit: bool,
) -> String {
    let metric = reader.metric(metric);
    let estimate = Estimate {
        value: Value::Exact(value),
        interval: Some(Interval {
            low,
            high,
            method: Method::Stated,
        }),
        n: 1,
    };
    exact(reader, metric, value, digits(metric, Some(&estimate)), unit)
}

/// An estimate with digits that follow its uncertainty.
pub fn estimate(reader: Reader<'_>, metric: usize, estimate: &Estimate) -> String {
    let metric = reader.metric(metric);
    written(
        reader,
        metric,
        estimate.value,
        digits(metric, Some(estimate)),
        true,
    )
}

/// An estimate without its unit, with digits that follow its uncertainty.
pub fn bare_estimate(reader: Reader<'_>, metric: usize, estimate: &Estimate) -> String {
    let metric = reader.metric(metric);
    written(
        reader,
        metric,
        estimate.value,
        digits(metric, Some(estimate)),
        false,
    )
}

/// The interval of an estimate without unit, with the same digits (`372–391`).
pub fn interval(reader: Reader<'_>, metric: usize, estimate: &Estimate) -> Option<String> {
    let interval = estimate.interval?;
    let metric = reader.metric(metric);
    let digits = digits(metric, Some(estimate));
    Some(written(
        reader,
        metric,
        Value::Range(interval.low, interval.high),
        digits,
        false,
    ))
}

/// A metric's name.
pub fn metric_label(reader: Reader<'_>, metric: usize) -> String {
    let metric = reader.metric(metric);
    named(metric.label.get(reader.language.lang()), &metric.key)
}

/// A metric's name with its unit, for heads and axes (`Points`, `Load time, s`).
pub fn metric_head(reader: Reader<'_>, metric: usize) -> String {
    let name = metric_label(reader, metric);
    let metric = reader.metric(metric);
    match notation(metric) {
        Notation::Number(_) => with_unit(reader, &name, &unit_label(reader, metric)),
        _ => name,
    }
}

/// Why a value is missing, in a word or two (`not published`).
pub fn missing(reader: Reader<'_>, missing: &Missing) -> String {
    let reason = reason(reader, missing.reason);
    let note = note(reader, missing);
    if note.is_empty() {
        reason
    } else {
        format!("{reason}: {note}")
    }
}

/// What else is known of a missing value; empty for nothing.
pub(crate) fn note(reader: Reader<'_>, missing: &Missing) -> String {
    let Some(note) = &missing.note else {
        return String::new();
    };
    // A note of benchbook's own is a message's key.
    let note = note.get(reader.language.lang());
    reader.language.known(note).unwrap_or(note).to_owned()
}

/// The word of a reason.
pub(crate) fn reason(reader: Reader<'_>, reason: MissingReason) -> String {
    reader
        .language
        .message(&format!("missing-{}", reason.key()))
        .to_owned()
}

/// A level in running text: a name by itself, a number with its factor (`page buffers 1,500`).
pub(crate) fn place(reader: Reader<'_>, factor: usize, level: usize) -> String {
    let words = self::level(reader, factor, level);
    if !reader.factor(factor).kind.is_numeric() {
        return words;
    }
    let name = factor_label(reader, factor);
    let arguments = [("factor", Text(&name)), ("level", Text(&words))];
    reader.language.message_with("place", &arguments)
}

/// `n = 3`.
pub(crate) fn n_equals(reader: Reader<'_>, n: &str) -> String {
    reader.language.message_with("n-equals", &[("n", Text(n))])
}

/// A run's name with the origin of its values (`published`, `laptop (measured)`).
pub(crate) fn run(reader: Reader<'_>, run: usize) -> String {
    let Some(run) = reader.experiment.runs.get(run) else {
        return String::new();
    };
    let origin = reader.words(run.origin.key());
    if run.key == run.origin.key() {
        origin.to_owned()
    } else {
        format!("{} ({origin})", run.key)
    }
}

/// Digits for an estimate: fixed by the metric; else so many that the half-width of the interval
/// keeps two; else as the figure was written.
pub(crate) fn digits(metric: &Metric, estimate: Option<&Estimate>) -> Digits {
    if let Some(places) = metric.digits {
        return Digits::Places(places);
    }
    match estimate {
        // A quotient has no digits of its own.
        _ if metric.derived.is_some() && estimate.is_none_or(|it| it.interval.is_none()) => {
            Digits::Significant(3)
        }
        Some(Estimate {
            value: Value::Exact(value),
            interval: Some(interval),
            ..
        }) => digits_within(notation(metric), *value, *interval),
        _ => Digits::Natural,
    }
}

fn digits_within(notation: Notation, value: f64, interval: Interval) -> Digits {
    let half = (interval.high - interval.low).abs() / 2.0;
    if !half.is_normal() {
        return Digits::Natural;
    }
    let unit = match notation {
        Notation::Number(scale) => scale,
        Notation::Percent => 0.01,
        Notation::Duration | Notation::Size => {
            let orders = value.abs().max(half).log10().floor() - half.log10().floor();
            return Digits::Significant((orders + 2.0).clamp(2.0, 15.0) as u8);
        }
    };
    let wanted = (1.0 - (half / unit).abs().log10().floor()).clamp(0.0, 12.0) as u8;
    // No more than the figure and its ends have: a zero at the end would claim what nobody measured.
    let held = [value, interval.low, interval.high].map(|figure| places(figure / unit));
    Digits::Places(wanted.min(held.into_iter().max().unwrap_or(wanted)))
}

/// How many decimal places a figure has, up to twelve, without the noise of binary fractions.
fn places(figure: f64) -> u8 {
    (0..12)
        .find(|&places| {
            let scaled = figure * 10f64.powi(i32::from(places));
            (scaled - scaled.round()).abs() <= 1e-9 * scaled.abs().max(1.0)
        })
        .unwrap_or(12)
}

/// A plain value of a metric, with or without its unit.
pub(crate) fn exact(
    reader: Reader<'_>,
    metric: &Metric,
    value: f64,
    digits: Digits,
    unit: bool,
) -> String {
    let language = reader.language;
    match notation(metric) {
        Notation::Duration => language.duration(value, digits),
        Notation::Size => language.size(value, digits),
        Notation::Percent => language.percent(value, digits),
        Notation::Number(scale) if !unit => language.number(value / scale, digits),
        Notation::Number(scale) => {
            let label = metric.unit_label.get(language.lang());
            if label.is_empty() {
                language.quantity(value, &metric.unit, digits)
            } else {
                format!(
                    "{}{NO_BREAK}{label}",
                    language.number(value / scale, digits)
                )
            }
        }
    }
}

fn written(
    reader: Reader<'_>,
    metric: &Metric,
    value: Value,
    digits: Digits,
    unit: bool,
) -> String {
    let one = |value: f64, unit: bool| exact(reader, metric, value, digits, unit);
    let bounded =
        |key: &str, bound: &str| reader.language.message_with(key, &[("value", Text(bound))]);
    match value {
        Value::Exact(value) => one(value, unit),
        Value::Range(low, high) if notation(metric) == Notation::Percent => {
            let low = reader.language.number(low * 100.0, digits);
            reader.language.range(&low, &one(high, unit))
        }
        Value::Range(low, high) => reader.language.range(&one(low, false), &one(high, unit)),
        Value::Above(bound) => bounded("above", &one(bound, unit)),
        Value::Below(bound) => bounded("below", &one(bound, unit)),
    }
}

/// The name of a metric's unit in the reader's language.
pub(crate) fn unit_label(reader: Reader<'_>, metric: &Metric) -> String {
    let label = metric.unit_label.get(reader.language.lang());
    if label.is_empty() {
        reader.language.unit(&metric.unit)
    } else {
        label.to_owned()
    }
}

/// The time from one reading to the next.
pub(crate) fn apart(reader: Reader<'_>, seconds: f64) -> String {
    let rounded = (seconds * 1e3).round() / 1e3;
    reader.language.duration(rounded, Digits::Natural)
}

/// A name with a unit behind it, unless the name says it already.
pub(crate) fn with_unit(reader: Reader<'_>, name: &str, unit: &str) -> String {
    if unit.is_empty() || is_same_word(name, unit) {
        return name.to_owned();
    }
    let arguments = [("label", Text(name)), ("unit", Text(unit))];
    reader.language.message_with("head-with-unit", &arguments)
}

/// Whether a name begins with its unit in some form of it: "Points, points" and "Баллы, баллов" say
/// nothing twice.
fn is_same_word(name: &str, unit: &str) -> bool {
    let (name, unit) = (name.to_lowercase(), unit.to_lowercase());
    let shared = name
        .chars()
        .zip(unit.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let ends = |text: &str| text.chars().skip(shared).all(char::is_alphabetic);
    shared >= 4 && ends(&unit) && unit.chars().count() <= shared + 2
}

fn named(label: &str, key: &str) -> String {
    if label.is_empty() {
        key.to_owned()
    } else {
        label.to_owned()
    }
}
