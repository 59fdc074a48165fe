//! Expressions worked out over the data: every number keeps its uncertainty and its evidence.

use crate::analysis::{Truth, Uncertain};
use crate::content::{Expression, Node, Unary};
use crate::diag::{Code, Diagnostic, Report, Span, nearest};
use crate::text::quantity::parse_quantity;
use crate::text::{Language, Unit};

use super::filters;
use super::functions;
use super::resolve::Literal;
use super::shelf::Shelf;
use super::thing::{Evidence, Form, Number, Thing, level_number, show};

/// What an expression is worked out against.
#[derive(Debug)]
pub(super) struct Evaluator<'a> {
    /// The experiments.
    pub shelf: &'a Shelf<'a>,
    /// Key of the experiment that is meant where none is named.
    pub default: Option<&'a str>,
    /// The reader's language.
    pub language: &'a Language,
    /// Whether figures are taken as printed, without noise (`of = "figures"`).
    pub as_printed: bool,
    /// Within what share two numbers are equal, if the author said so.
    pub within: Option<f64>,
    /// What was used so far.
    pub evidence: Evidence,
}

impl<'a> Evaluator<'a> {
    /// An evaluator for a page whose default experiment is this one.
    pub(super) fn new(
        shelf: &'a Shelf<'a>,
        default: Option<&'a str>,
        language: &'a Language,
    ) -> Self {
        Self {
            shelf,
            default,
            language,
            as_printed: false,
            within: None,
            evidence: Evidence::default(),
        }
    }

    /// Works out an expression; faults go to the report.
    pub(super) fn evaluate(
        &mut self,
        expression: &Expression,
        report: &mut Report,
    ) -> Option<Thing> {
        match &expression.node {
            Node::Number { value, places } => {
                let mut number = Number::plain(*value);
                number.written = Some(*places);
                Some(Thing::Number(number))
            }
            Node::Text(text) => Some(Thing::Text(text.clone())),
            Node::Flag(flag) => Some(Thing::Flag(*flag)),
            Node::Name(name) => {
                let fault =
                    Diagnostic::new(Code::UnknownName, format!("`{name}` means nothing here"))
                        .at(expression.span.clone(), "");
                report.push(fault.help(match nearest(name, functions::names()) {
                    Some(near) => format!("did you mean the function `{near}(…)`?"),
                    None => format!(
                        "a text stands in quotes (`\"{name}\"`); values come from functions such as `value(…)`"
                    ),
                }));
                None
            }
            Node::Call { name, arguments } => {
                functions::call(self, name, arguments, &expression.span, report)
            }
            Node::Field(object, field) => self.field(object, field, report),
            Node::Filter {
                value,
                name,
                arguments,
            } => {
                let thing = self.evaluate(value, report)?;
                filters::filter(self, thing, name, arguments, &value.span, report)
            }
            Node::Unary(Unary::Not, inner) => {
                let truth = self.truth(inner, report)?;
                Some(Thing::Truth(!truth))
            }
            Node::Unary(Unary::Minus, inner) => {
                let mut number = self.number(inner, report)?;
                number.uncertain = -number.uncertain;
                if let Form::Metric { value, .. } = &mut number.form {
                    *value = None;
                }
                Some(Thing::Number(number))
            }
            Node::Binary(operator, left, right) => {
                self.binary(*operator, left, right, &expression.span, report)
            }
            Node::List(_) => {
                report.push(
                    Diagnostic::new(Code::BadExpression, "a list has no value of its own")
                        .at(expression.span.clone(), "")
                        .help("lists stand as arguments, such as `plan = [\"a\", \"b\"]`"),
                );
                None
            }
        }
    }

    /// An argument as a plain value: a literal, or a level found by another expression.
    pub(super) fn literal(
        &mut self,
        expression: &Expression,
        report: &mut Report,
    ) -> Option<Literal> {
        match &expression.node {
            Node::Text(text) => Some(Literal::Text(text.clone())),
            Node::Flag(flag) => Some(Literal::Flag(*flag)),
            Node::Number { value, .. } => Some(Literal::Number(*value)),
            Node::List(list) => {
                let items: Vec<Option<Literal>> =
                    list.iter().map(|item| self.literal(item, report)).collect();
                Some(Literal::List(items.into_iter().collect::<Option<_>>()?))
            }
            _ => match self.evaluate(expression, report)? {
                Thing::Text(text) => Some(Literal::Text(text)),
                Thing::Flag(flag) => Some(Literal::Flag(flag)),
                Thing::Number(number) => Some(Literal::Number(number.uncertain.value)),
                Thing::Level {
                    experiment,
                    factor,
                    level,
                } => {
                    let factor = &self.shelf.experiment(experiment).definition.factors[factor];
                    Some(Literal::Text(factor.levels[level].key.clone()))
                }
                other => {
                    report.push(
                        Diagnostic::new(
                            Code::BadArgument,
                            format!("{} can't be an argument", other.kind()),
                        )
                        .at(expression.span.clone(), ""),
                    );
                    None
                }
            },
        }
    }

    /// An expression that must be a number.
    pub(super) fn number(
        &mut self,
        expression: &Expression,
        report: &mut Report,
    ) -> Option<Number> {
        let thing = self.evaluate(expression, report)?;
        self.as_number(thing, &expression.span, report)
    }

    /// A thing as a number, or a fault.
    pub(super) fn as_number(
        &self,
        thing: Thing,
        span: &Span,
        report: &mut Report,
    ) -> Option<Number> {
        match thing {
            Thing::Number(number) | Thing::Found { number, .. } => Some(number),
            Thing::Level {
                experiment,
                factor,
                level,
            } => {
                let number = level_number(self.shelf, experiment, factor, level);
                let definition = &self.shelf.experiment(experiment).definition.factors[factor];
                if number.is_none() {
                    report.push(not_a_number(
                        span,
                        &format!(
                            "level `{}` of `{}`",
                            definition.levels[level].key, definition.key
                        ),
                    ));
                }
                let unit = match definition.kind {
                    crate::model::FactorKind::Bytes => Unit::parse("size"),
                    crate::model::FactorKind::Duration => Unit::parse("duration"),
                    _ => definition.unit.clone(),
                };
                // A number factor's levels are kept in its unit; numbers are in base units.
                let scale = match definition.kind {
                    crate::model::FactorKind::Number => {
                        unit.as_ref().map_or(1.0, |unit| unit.scale)
                    }
                    _ => 1.0,
                };
                let form = unit.map_or(Form::Plain, Form::Unit);
                Some(Number::new(Uncertain::exact(number? * scale), form))
            }
            Thing::Setting { value, .. } => {
                let number = setting_number(&value);
                if number.is_none() {
                    report.push(not_a_number(span, &format!("the setting `{value}`")));
                }
                number
            }
            other => {
                report.push(not_a_number(span, other.kind()));
                None
            }
        }
    }

    /// An expression that must be true, false or undecided.
    pub(super) fn truth(&mut self, expression: &Expression, report: &mut Report) -> Option<Truth> {
        match self.evaluate(expression, report)? {
            Thing::Truth(truth) => Some(truth),
            Thing::Flag(true) => Some(Truth::True),
            Thing::Flag(false) => Some(Truth::False),
            other => {
                report.push(
                    Diagnostic::new(
                        Code::BadExpression,
                        format!("{} is neither true nor false", other.kind()),
                    )
                    .at(expression.span.clone(), "")
                    .help("compare it with something, such as `… >= 1.5`"),
                );
                None
            }
        }
    }

    fn field(
        &mut self,
        object: &Expression,
        (name, span): &(String, Span),
        report: &mut Report,
    ) -> Option<Thing> {
        let thing = self.evaluate(object, report)?;
        let known: Vec<String> = match &thing {
            Thing::Found {
                experiment,
                levels,
                number,
            } => {
                if name == "value" {
                    return Some(Thing::Number(number.clone()));
                }
                let definition = &self.shelf.experiment(*experiment).definition;
                for &(factor, level) in levels {
                    if definition.factors[factor].key == *name {
                        return Some(Thing::Level {
                            experiment: *experiment,
                            factor,
                            level,
                        });
                    }
                }
                let factors = levels
                    .iter()
                    .map(|&(factor, _)| definition.factors[factor].key.clone());
                std::iter::once("value".to_owned()).chain(factors).collect()
            }
            Thing::Range { low, high } => match name.as_str() {
                "low" => return Some(Thing::Number(low.clone())),
                "high" => return Some(Thing::Number(high.clone())),
                _ => vec!["low".to_owned(), "high".to_owned()],
            },
            Thing::Number(number) => match name.as_str() {
                "low" | "high" => {
                    let Uncertain { low, high, .. } = number.uncertain;
                    let mut end = number.clone();
                    end.uncertain = Uncertain::exact(if name == "low" { low } else { high });
                    if let Form::Metric { value, .. } = &mut end.form {
                        *value = None;
                    }
                    return Some(Thing::Number(end));
                }
                _ => vec!["low".to_owned(), "high".to_owned()],
            },
            Thing::Setting { value, default } => match (name.as_str(), default) {
                ("value", _) => return Some(Thing::Text(value.clone())),
                ("default", Some(default)) => {
                    return Some(Thing::Setting {
                        value: default.clone(),
                        default: None,
                    });
                }
                _ => vec!["value".to_owned(), "default".to_owned()],
            },
            _ => Vec::new(),
        };
        report.push(
            Diagnostic::new(
                Code::UnknownName,
                format!("{} has no `{name}`", thing.kind()),
            )
            .at(span.clone(), "")
            .suggest(name, known.iter().map(String::as_str)),
        );
        None
    }

    /// A thing in the reader's language.
    pub(super) fn show(&self, thing: &Thing) -> String {
        show(thing, self.shelf, self.language)
    }
}

/// A setting's text as a number: bare, or an amount of data or time with its unit.
fn setting_number(text: &str) -> Option<Number> {
    for (symbol, form) in [
        ("", Form::Plain),
        ("size", Form::Size),
        ("duration", Form::Duration),
    ] {
        let unit = Unit::parse(symbol)?;
        if let Ok(value) = parse_quantity(text, &unit, '.') {
            return Some(Number::new(Uncertain::exact(value), form));
        }
    }
    None
}

fn not_a_number(span: &Span, what: &str) -> Diagnostic {
    Diagnostic::new(Code::NotANumber, format!("{what} is used as a number")).at(span.clone(), "")
}
