//! Operators of expressions: arithmetic and comparison of numbers that carry unit and uncertainty.

use crate::analysis::{Truth, Uncertain};
use crate::content::{Binary, Expression};
use crate::diag::{Code, Diagnostic, Report, Span};
use crate::text::quantity::parse_quantity;
use crate::text::{Dimension, Unit};

use super::evaluate::Evaluator;
use super::thing::{Form, Number, Thing, level_number};

impl Evaluator<'_> {
    /// `a operator b`.
    pub(super) fn binary(
        &mut self,
        operator: Binary,
        left: &Expression,
        right: &Expression,
        span: &Span,
        report: &mut Report,
    ) -> Option<Thing> {
        match operator {
            Binary::And | Binary::Or => {
                // Both sides are looked at, so that faults of both are shown.
                let (left, right) = (self.truth(left, report), self.truth(right, report));
                let (left, right) = (left?, right?);
                Some(Thing::Truth(match operator {
                    Binary::And => left.and(right),
                    _ => left.or(right),
                }))
            }
            Binary::Plus | Binary::Minus | Binary::Times | Binary::Divided | Binary::Modulo => {
                let (a, b) = (self.number(left, report), self.number(right, report));
                let sides = (&left.span, &right.span);
                self.arithmetic(operator, (a?, b?), (span, sides), report)
                    .map(Thing::Number)
            }
            _ => {
                let (a, b) = (self.evaluate(left, report), self.evaluate(right, report));
                self.compare(operator, (a?, &left.span), (b?, &right.span), report)
                    .map(Thing::Truth)
            }
        }
    }

    fn arithmetic(
        &self,
        operator: Binary,
        (mut a, mut b): (Number, Number),
        (span, (left, right)): (&Span, (&Span, &Span)),
        report: &mut Report,
    ) -> Option<Number> {
        let (unit_a, unit_b) = (a.form.unit(self.shelf), b.form.unit(self.shelf));
        let (plain_a, plain_b) = (a.form == Form::Plain, b.form == Form::Plain);
        let additive = matches!(operator, Binary::Plus | Binary::Minus | Binary::Modulo);
        if additive {
            // A number in the text stands in the other side's unit.
            if plain_b && b.written.is_some() {
                b.uncertain = a.form.literal(b.uncertain.value, self.shelf);
            } else if plain_a && a.written.is_some() {
                a.uncertain = b.form.literal(a.uncertain.value, self.shelf);
                a.form = b.form.clone();
            } else if unit_a.dimension != unit_b.dimension {
                report.push(
                    Diagnostic::new(
                        Code::WrongUnit,
                        format!(
                            "`{}` and `{}` measure different things",
                            unit_a.symbol, unit_b.symbol
                        ),
                    )
                    .at(left.clone(), format!("this is in `{}`", unit_a.symbol))
                    .at(right.clone(), format!("and this in `{}`", unit_b.symbol)),
                );
                return None;
            }
        }
        let result = match operator {
            Binary::Plus => Some(a.uncertain + b.uncertain),
            Binary::Minus => Some(a.uncertain - b.uncertain),
            Binary::Times => Some(a.uncertain * b.uncertain),
            Binary::Modulo => (b.uncertain.value != 0.0)
                .then(|| Uncertain::exact(a.uncertain.value.rem_euclid(b.uncertain.value))),
            _ => a.uncertain.divide(b.uncertain),
        };
        let Some(uncertain) = result.filter(|result| result.value.is_finite()) else {
            report.push(
                Diagnostic::new(
                    Code::DivisionByZero,
                    "this divides by zero, or by what may be zero",
                )
                .at(span.clone(), ""),
            );
            return None;
        };
        let mut form = match operator {
            _ if additive => a.form,
            Binary::Times if plain_a => b.form,
            Binary::Times if plain_b => a.form,
            Binary::Divided if plain_b => a.form,
            _ => Form::Plain,
        };
        if let Form::Metric { value, .. } = &mut form {
            *value = None;
        }
        Some(Number {
            uncertain,
            form,
            digits: a.digits.or(b.digits),
            written: None,
        })
    }

    fn compare(
        &self,
        operator: Binary,
        (left, left_span): (Thing, &Span),
        (right, right_span): (Thing, &Span),
        report: &mut Report,
    ) -> Option<Truth> {
        let equality = matches!(operator, Binary::Equal | Binary::NotEqual);
        if equality && let Some(equal) = self.same_name(&left, &right) {
            let truth = if equal { Truth::True } else { Truth::False };
            return Some(if operator == Binary::Equal {
                truth
            } else {
                !truth
            });
        }
        // A text beside a number is a quantity with its unit: `value(…) < "10 min"`.
        let (left, right) = match (left, right) {
            (Thing::Text(text), other) => {
                let other = self.as_number(other, right_span, report)?;
                (self.quantity(&text, &other.form, left_span, report)?, other)
            }
            (other, Thing::Text(text)) => {
                let other = self.as_number(other, left_span, report)?;
                let quantity = self.quantity(&text, &other.form, right_span, report)?;
                (other, quantity)
            }
            (left, right) => (
                self.as_number(left, left_span, report)?,
                self.as_number(right, right_span, report)?,
            ),
        };
        let (a, b) = self.to_same_unit(left, right, (left_span, right_span), report)?;
        Some(match operator {
            Binary::Equal | Binary::NotEqual => {
                let equal = self.equal(&a, &b);
                if operator == Binary::Equal {
                    equal
                } else {
                    !equal
                }
            }
            Binary::Less => a.uncertain.less(&b.uncertain),
            Binary::LessOrEqual => a.uncertain.at_most(&b.uncertain),
            Binary::Greater => b.uncertain.less(&a.uncertain),
            _ => b.uncertain.at_most(&a.uncertain),
        })
    }

    /// Whether two numbers are equal: within what the author allows, else to the digits that a
    /// number in the text is written with, else exactly.
    fn equal(&self, a: &Number, b: &Number) -> Truth {
        let (number, literal) = if a.written.is_some() { (b, a) } else { (a, b) };
        let unit = number.form.unit(self.shelf);
        let places = literal.written.filter(|_| number.written.is_none());
        let allowed = match (self.within, places) {
            (Some(share), _) => return a.uncertain.equal_within(&b.uncertain, share),
            (None, Some(places)) => unit.to_base(0.5 * 10f64.powi(-i32::from(places))),
            (None, None) => return a.uncertain.equal(&b.uncertain),
        };
        // A hair more, for what binary arithmetic does to decimals.
        let allowed = allowed + 1e-12 * literal.uncertain.value.abs();
        (a.uncertain - b.uncertain)
            .abs()
            .at_most(&Uncertain::exact(allowed))
    }

    /// Whether two names are the same, where both sides are names.
    fn same_name(&self, left: &Thing, right: &Thing) -> Option<bool> {
        let key = |thing: &Thing| match thing {
            Thing::Level {
                experiment,
                factor,
                level,
            } => {
                let factor = &self.shelf.experiment(*experiment).definition.factors[*factor];
                Some(factor.levels[*level].key.clone())
            }
            Thing::Text(text) => Some(text.clone()),
            _ => None,
        };
        match (left, right) {
            (
                Thing::Level {
                    experiment,
                    factor,
                    level,
                },
                Thing::Number(number),
            )
            | (
                Thing::Number(number),
                Thing::Level {
                    experiment,
                    factor,
                    level,
                },
            ) => {
                let own = level_number(self.shelf, *experiment, *factor, *level)?;
                Some((own - number.uncertain.value).abs() <= 1e-12 * own.abs())
            }
            (
                Thing::Level {
                    experiment,
                    factor,
                    level,
                },
                Thing::Text(text),
            )
            | (
                Thing::Text(text),
                Thing::Level {
                    experiment,
                    factor,
                    level,
                },
            ) => {
                let definition = &self.shelf.experiment(*experiment).definition.factors[*factor];
                definition.level(text).map(|other| other == *level)
            }
            (Thing::Text(a), Thing::Text(b)) => Some(a == b),
            (Thing::Level { .. }, Thing::Level { .. }) => Some(key(left) == key(right)),
            _ => None,
        }
    }

    fn quantity(
        &self,
        text: &str,
        form: &Form,
        span: &Span,
        report: &mut Report,
    ) -> Option<Number> {
        let unit = form.unit(self.shelf);
        match parse_quantity(text, &unit, '.') {
            Ok(value) => Some(Number::new(Uncertain::exact(value), form.clone())),
            Err(_) => {
                report.push(
                    Diagnostic::new(
                        Code::WrongUnit,
                        format!("`{text}` is no quantity in `{}`", unit.symbol),
                    )
                    .at(span.clone(), ""),
                );
                None
            }
        }
    }

    /// Two numbers in base units: one written in the text takes the other's unit.
    fn to_same_unit(
        &self,
        mut a: Number,
        mut b: Number,
        (span, other): (&Span, &Span),
        report: &mut Report,
    ) -> Option<(Number, Number)> {
        if b.written.is_some() && b.form == Form::Plain {
            b.uncertain = a.form.literal(b.uncertain.value, self.shelf);
        } else if a.written.is_some() && a.form == Form::Plain {
            a.uncertain = b.form.literal(a.uncertain.value, self.shelf);
        } else {
            let (unit_a, unit_b) = (a.form.unit(self.shelf), b.form.unit(self.shelf));
            let plain = |unit: &Unit| matches!(unit.dimension, Dimension::Count | Dimension::Share);
            let comparable = unit_a.dimension == unit_b.dimension
                || (plain(&unit_a) && plain(&unit_b))
                || a.form == Form::Plain
                || b.form == Form::Plain;
            if !comparable {
                report.push(
                    Diagnostic::new(
                        Code::WrongUnit,
                        format!(
                            "`{}` and `{}` can't be compared",
                            unit_a.symbol, unit_b.symbol
                        ),
                    )
                    .at(span.clone(), format!("this is in `{}`", unit_a.symbol))
                    .at(other.clone(), format!("and this in `{}`", unit_b.symbol)),
                );
                return None;
            }
        }
        Some((a, b))
    }
}
