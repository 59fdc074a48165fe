//! The filters of expressions: how a value is to be shown, or a simple change of it.

use crate::analysis::Uncertain;
use crate::content::FILTERS;
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::model::Value;
use crate::text::Unit;

use super::evaluate::Evaluator;
use super::given::{Arguments, Given, bad_argument};
use super::resolve::Literal;
use super::thing::{Form, Number, Thing};

/// Applies a filter.
pub(super) fn filter(
    evaluator: &mut Evaluator<'_>,
    thing: Thing,
    (name, name_span): &(String, Span),
    arguments: &Arguments,
    span: &Span,
    report: &mut Report,
) -> Option<Thing> {
    let Some(table) = FILTERS.iter().find(|filter| filter.name == *name) else {
        report.push(
            Diagnostic::new(Code::UnknownFilter, format!("there is no filter `{name}`"))
                .at(name_span.clone(), "")
                .suggest(name, FILTERS.iter().map(|filter| filter.name)),
        );
        return None;
    };
    let given = Given::read(evaluator, arguments, report)?;
    for (argument, _, argument_span, _) in &given.items {
        let known = table.parameters.iter().map(|parameter| parameter.name);
        if !known.clone().any(|name| name == argument) {
            report.push(
                Diagnostic::new(
                    Code::UnknownArgument,
                    format!("filter `{name}` has no argument `{argument}`"),
                )
                .at(argument_span.clone(), "")
                .suggest(argument, known),
            );
            return None;
        }
    }
    if name == "date" {
        return match thing {
            Thing::Text(text) => Some(Thing::Text(evaluator.language.date(&text))),
            other => {
                report.push(bad_argument(span, &format!("{} is no date", other.kind())));
                None
            }
        };
    }
    // A range is filtered at both ends.
    if let Thing::Range { low, high } = thing {
        return Some(Thing::Range {
            low: filter_number(low, name, &given, span, report)?,
            high: filter_number(high, name, &given, span, report)?,
        });
    }
    let number = evaluator.as_number(thing, span, report)?;
    filter_number(number, name, &given, span, report).map(Thing::Number)
}

fn filter_number(
    mut number: Number,
    name: &str,
    given: &Given,
    span: &Span,
    report: &mut Report,
) -> Option<Number> {
    if let Some(digits) = given.number("digits", report).ok()? {
        if !(0.0..=12.0).contains(&digits) || digits.fract() != 0.0 {
            report.push(bad_argument(span, "`digits` goes from 0 to 12"));
            return None;
        }
        number.digits = Some(digits as u8);
    }
    match name {
        "number" => {
            if let Form::Metric { bare, .. } = &mut number.form {
                *bare = true;
            } else {
                number.form = Form::Plain;
            }
        }
        "percent" => {
            let signed = matches!(number.form, Form::Percent { signed: true });
            let signed = match given.get("sign") {
                Some((Literal::Flag(flag), _)) => *flag,
                _ => signed,
            };
            number.form = Form::Percent { signed };
        }
        "times" => number.form = Form::Times,
        "duration" => number.form = Form::Duration,
        "size" => number.form = Form::Size,
        "bare" => {
            if let Form::Metric { bare, .. } = &mut number.form {
                *bare = true;
            }
        }
        "abs" => {
            number.uncertain = number.uncertain.abs();
            match &mut number.form {
                Form::Metric { value, .. } => {
                    *value = value.map(absolute);
                }
                Form::Percent { signed } => *signed = false,
                _ => {}
            }
        }
        "round" => {
            let places = i32::from(number.digits.unwrap_or(0));
            let unit = 10f64.powi(places);
            number.uncertain = Uncertain::exact((number.uncertain.value * unit).round() / unit);
            if let Form::Metric { value, .. } = &mut number.form {
                *value = None;
            }
        }
        _ => {
            let Some((Literal::Text(symbol), place)) = given.get("u").or(given.get("unit")) else {
                report.push(
                    Diagnostic::new(Code::MissingArgument, "`unit` takes a unit")
                        .at(span.clone(), "")
                        .help("such as `| unit(u = \"MiB\")`"),
                );
                return None;
            };
            match Unit::parse(symbol) {
                Some(unit) => number.form = Form::Unit(unit),
                None => {
                    report.push(
                        Diagnostic::new(Code::BadQuantity, format!("`{symbol}` is no unit"))
                            .at(place.clone(), ""),
                    );
                    return None;
                }
            }
        }
    }
    Some(number)
}

/// A value without its sign; a range or bound that spans zero has no such value and stays.
fn absolute(value: Value) -> Value {
    match value {
        Value::Exact(value) => Value::Exact(value.abs()),
        Value::Range(low, high) if high <= 0.0 => Value::Range(-high, -low),
        Value::Below(bound) if bound <= 0.0 => Value::Above(-bound),
        other => other,
    }
}
