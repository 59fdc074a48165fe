//! What an expression can come to, and how it is shown to a reader.

use std::collections::BTreeSet;

use crate::analysis::{Paired, Uncertain};
use crate::figure::{Reader, format};
use crate::model::{LevelValue, Place, Value};
use crate::text::{Digits, Language, Unit};

use super::shelf::Shelf;

/// What an expression comes to.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Thing {
    /// A number with its uncertainty.
    Number(Number),
    /// A text.
    Text(String),
    /// `true` or `false`, as written by the author.
    Flag(bool),
    /// The outcome of a comparison.
    Truth(crate::analysis::Truth),
    /// A level of a factor.
    Level {
        /// Index of the experiment.
        experiment: usize,
        /// Index of the factor.
        factor: usize,
        /// Index of the level.
        level: usize,
    },
    /// A cell found by `best` or `worst`: its value, and the levels it stands at.
    Found {
        /// The value.
        number: Number,
        /// Index of the experiment.
        experiment: usize,
        /// Index of the level of each factor.
        levels: Vec<(usize, usize)>,
    },
    /// The smallest and largest of several values.
    Range {
        /// The smallest.
        low: Number,
        /// The largest.
        high: Number,
    },
    /// A fixed setting.
    Setting {
        /// Its value.
        value: String,
        /// The engine's default.
        default: Option<String>,
    },
}

impl Thing {
    /// What kind of thing it is, for error messages.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
            Self::Flag(_) => "a flag",
            Self::Truth(_) => "a comparison",
            Self::Level { .. } => "a level",
            Self::Found { .. } => "a value",
            Self::Range { .. } => "a range",
            Self::Setting { .. } => "a setting",
        }
    }
}

/// A number, in base units, with the way it is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Number {
    /// The number and what is known of its spread.
    pub uncertain: Uncertain,
    /// How it is shown.
    pub form: Form,
    /// Decimal places asked for.
    pub digits: Option<u8>,
    /// Decimal places it was written with, for numbers in the text of an expression.
    pub written: Option<u8>,
}

impl Number {
    /// An exact number without unit.
    pub(super) fn plain(value: f64) -> Self {
        Self {
            uncertain: Uncertain::exact(value),
            form: Form::Plain,
            digits: None,
            written: None,
        }
    }

    /// A number with uncertainty and form.
    pub(super) fn new(uncertain: Uncertain, form: Form) -> Self {
        Self {
            uncertain,
            form,
            digits: None,
            written: None,
        }
    }
}

/// How a number is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// As a value of a metric, in the metric's unit.
    Metric {
        /// Index of the experiment.
        experiment: usize,
        /// Index of the metric.
        metric: usize,
        /// The value as it stands in the data, where the number is exactly that.
        value: Option<Value>,
        /// Whether the unit is left out.
        bare: bool,
    },
    /// In a unit.
    Unit(Unit),
    /// As percent.
    Percent {
        /// Whether a plus is shown.
        signed: bool,
    },
    /// As a factor (`1.59×`).
    Times,
    /// As a length of time.
    Duration,
    /// As an amount of data.
    Size,
}

impl Form {
    /// A number written in the text beside such a number, in base units: in `value(…) < 600` the
    /// 600 is in the metric's unit. Beside a share it is a share (`change(…) < 0.2`).
    pub(super) fn literal(&self, written: f64, shelf: &Shelf<'_>) -> Uncertain {
        match self {
            Self::Percent { .. } => Uncertain::exact(written),
            form => Uncertain::exact(form.unit(shelf).to_base(written)),
        }
    }

    /// The unit that a text with a unit beside such a number is read in.
    pub(super) fn unit(&self, shelf: &Shelf<'_>) -> Unit {
        match self {
            Self::Metric {
                experiment, metric, ..
            } => shelf.experiment(*experiment).definition.metrics[*metric]
                .unit
                .clone(),
            Self::Unit(unit) => unit.clone(),
            Self::Percent { .. } => Unit::parse("%").unwrap_or_else(Unit::none),
            Self::Duration => Unit::parse("duration").unwrap_or_else(Unit::none),
            Self::Size => Unit::parse("size").unwrap_or_else(Unit::none),
            Self::Plain | Self::Times => Unit::none(),
        }
    }
}

/// Where a value comes from and how sure it is: what readers can open.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Evidence {
    /// Places in result files, by experiment.
    pub places: Vec<(usize, Place)>,
    /// The same, for finding them.
    seen: BTreeSet<(usize, Place)>,
    /// Smallest and largest number of samples behind a cell that was used.
    pub samples: Option<(usize, usize)>,
    /// The blocks that ratios were found within.
    pub paired: Vec<Paired>,
    /// Index of the experiment and run of each cell that was used.
    pub runs: Vec<(usize, usize)>,
}

impl Evidence {
    /// Notes a place, once.
    pub(super) fn place(&mut self, experiment: usize, place: Place) {
        if self.seen.insert((experiment, place)) {
            self.places.push((experiment, place));
        }
    }

    /// Counts a cell with this many samples.
    pub(super) fn count(&mut self, samples: usize) {
        let (low, high) = self.samples.unwrap_or((samples, samples));
        self.samples = Some((low.min(samples), high.max(samples)));
    }
}

/// A thing in a reader's language.
pub(super) fn show(thing: &Thing, shelf: &Shelf<'_>, language: &Language) -> String {
    match thing {
        Thing::Number(number) | Thing::Found { number, .. } => show_number(number, shelf, language),
        Thing::Text(text) => text.clone(),
        Thing::Flag(flag) => flag.to_string(),
        Thing::Truth(truth) => {
            use crate::analysis::Truth;
            let key = match truth {
                Truth::True => "holds",
                Truth::False => "refuted",
                Truth::Unknown => "undecided",
            };
            language.message(key).to_owned()
        }
        Thing::Level {
            experiment,
            factor,
            level,
        } => {
            let reader = Reader {
                experiment: shelf.experiment(*experiment),
                language,
            };
            format::level(reader, *factor, *level)
        }
        Thing::Range { low, high } => show_range(low, high, shelf, language),
        // As the engine spells it: readers look for it in a configuration file.
        Thing::Setting { value, .. } => value.clone(),
    }
}

fn show_range(low: &Number, high: &Number, shelf: &Shelf<'_>, language: &Language) -> String {
    let (
        Form::Metric {
            experiment,
            metric,
            value,
            bare,
        },
        Form::Metric {
            experiment: other,
            metric: same,
            ..
        },
    ) = (&low.form, &high.form)
    else {
        return ends(low, high, shelf, language);
    };
    if (experiment, metric) != (other, same) || low.digits.is_some() {
        return ends(low, high, shelf, language);
    }
    let reader = Reader {
        experiment: shelf.experiment(*experiment),
        language,
    };
    let (low, high) = (low.uncertain.value, high.uncertain.value);
    if value.is_none() {
        // The ends of an interval say no more than three digits can.
        let end = |end, unit| computed(reader, *metric, end, 3, unit && !bare);
        return language.range(&end(low, false), &end(high, true));
    }
    let value = Value::Range(low, high);
    if *bare {
        format::bare_value(reader, *metric, value)
    } else {
        format::value(reader, *metric, value)
    }
}

fn ends(low: &Number, high: &Number, shelf: &Shelf<'_>, language: &Language) -> String {
    language.range(
        &show_number(low, shelf, language),
        &show_number(high, shelf, language),
    )
}

fn show_number(number: &Number, shelf: &Shelf<'_>, language: &Language) -> String {
    let value = number.uncertain.value;
    let asked = number.digits.map(Digits::Places);
    match &number.form {
        Form::Plain => match asked {
            Some(digits) => language.number(value, digits),
            None => language.number(tidy(value, 3), Digits::Natural),
        },
        Form::Percent { signed } => {
            let digits = asked.unwrap_or_else(|| percent_digits(value));
            if *signed {
                language.signed_percent(value, digits)
            } else {
                language.percent(value, digits)
            }
        }
        Form::Times => language.times(value, asked.unwrap_or(Digits::Places(2))),
        Form::Duration => language.duration(value, asked.unwrap_or(Digits::Significant(3))),
        Form::Size => language.size(value, asked.unwrap_or(Digits::Significant(3))),
        Form::Unit(unit) => language.quantity(value, unit, asked.unwrap_or(Digits::Natural)),
        Form::Metric {
            experiment,
            metric,
            value: stored,
            bare,
        } => {
            let reader = Reader {
                experiment: shelf.experiment(*experiment),
                language,
            };
            let shown = stored.unwrap_or(Value::Exact(value));
            match (asked, bare) {
                (Some(digits), bare) => format::exact_value(reader, *metric, value, digits, !bare),
                // A computed figure has no digits of its own; four say all that its parts can.
                (None, bare) if stored.is_none() => computed(reader, *metric, value, 4, !bare),
                (None, bare) if number.is_measured() => {
                    let ends = (number.uncertain.low, number.uncertain.high);
                    format::value_within(reader, *metric, value, ends, !bare)
                }
                (None, false) => format::value(reader, *metric, shown),
                (None, true) => format::bare_value(reader, *metric, shown),
            }
        }
    }
}

impl Number {
    /// Whether it stands for repetitions that tell its spread, so that its digits can follow that.
    fn is_measured(&self) -> bool {
        let Uncertain {
            low, high, known, ..
        } = self.uncertain;
        let exact = matches!(
            self.form,
            Form::Metric {
                value: Some(Value::Exact(_)),
                ..
            }
        );
        known && exact && low < high && low.is_finite() && high.is_finite()
    }
}

/// A computed value of a metric, with as many digits as its parts can give.
fn computed(reader: Reader<'_>, metric: usize, value: f64, digits: u8, unit: bool) -> String {
    let definition = &reader.experiment.definition.metrics[metric];
    let shown = |value, digits| format::exact_value(reader, metric, value, digits, unit);
    if let Some(places) = definition.digits {
        return shown(value, Digits::Places(places));
    }
    let own = &definition.unit;
    match own.symbol.as_str() {
        // Their parts are chosen by the amount, and the digits with them.
        "duration" | "size" => shown(value, Digits::Significant(digits)),
        _ => {
            let tidy = tidy(own.from_base(value), i32::from(digits));
            shown(own.to_base(tidy), Digits::Natural)
        }
    }
}

/// A computed number without digits that its parts can't give: whole numbers whole, others with so
/// many significant digits, without zeros at the end. Digits before the point are never dropped.
fn tidy(value: f64, significant: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let places = significant - 1 - value.abs().log10().floor() as i32;
    let scale = 10f64.powi(places.clamp(0, 12));
    (value * scale).round() / scale
}

/// Percentages below ten with one decimal place where they have one, others whole.
fn percent_digits(share: f64) -> Digits {
    // To nine places, for what binary arithmetic does to decimals.
    let tenths = (share * 1e3 * 1e9).round() / 1e9;
    if tenths.abs() < 99.5 && tenths % 10.0 != 0.0 {
        Digits::Places(1)
    } else {
        Digits::Places(0)
    }
}

/// A level's number in base units, if it has one.
pub(super) fn level_number(
    shelf: &Shelf<'_>,
    experiment: usize,
    factor: usize,
    level: usize,
) -> Option<f64> {
    let factor = &shelf.experiment(experiment).definition.factors[factor];
    match factor.levels[level].value {
        LevelValue::Number(number) => Some(number),
        LevelValue::Name => None,
    }
}
