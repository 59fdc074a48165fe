//! The boundary of a matrix: for which cells an expression over its two factors holds.

use std::sync::Arc;

use crate::content::{Binary, Expression, Node, Unary};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Experiment, LevelValue};
use crate::text::quantity::parse_quantity;

/// For each cell, row by row, whether the text under `span` holds; factors stand for the number of
/// the cell's level, in the factor's unit (bytes, seconds).
pub(super) fn holds(
    experiment: &Experiment,
    (rows, row_levels): (usize, &[usize]),
    (columns, column_levels): (usize, &[usize]),
    (text, span): (&str, &Span),
    report: &mut Report,
) -> Option<Vec<bool>> {
    let expression = parse(text, span, report)?;
    let factors = &experiment.definition.factors;
    let mut cells = Vec::with_capacity(row_levels.len() * column_levels.len());
    for &row in row_levels {
        for &column in column_levels {
            let level_of = |name: &str| {
                let pairs = [(rows, row), (columns, column)];
                let &(factor, level) = pairs
                    .iter()
                    .find(|(factor, _)| factors[*factor].key == name)?;
                match factors[factor].levels[level].value {
                    LevelValue::Number(number) => Some(number),
                    LevelValue::Name => None,
                }
            };
            let number = |node: &Node| match node {
                Node::Name(name) => level_of(name),
                // A size or time with its unit, as levels are written.
                Node::Text(text) => [rows, columns].iter().find_map(|&factor| {
                    parse_quantity(text, &factors[factor].axis_unit(), '.').ok()
                }),
                _ => None,
            };
            match truth(&expression, &number) {
                Ok(holds) => cells.push(holds),
                Err(what) => {
                    let known = [&*factors[rows].key, &*factors[columns].key];
                    report.push(
                        Diagnostic::new(
                            Code::BadExpression,
                            format!("`{what}` can't stand in a boundary"),
                        )
                        .at(span.clone(), "")
                        .suggest(&what, known)
                        .help("a boundary compares numbers and the two factors, such as `data_size > log_size` or `log_size >= '1G'`"),
                    );
                    return None;
                }
            }
        }
    }
    Some(cells)
}

/// The text of an argument lies in quotes, where its bytes may be escaped; it is read from a copy,
/// and faults in it are moved to the argument.
fn parse(text: &str, span: &Span, report: &mut Report) -> Option<Expression> {
    let copy: Arc<Source> = Source::new(span.source.path.clone(), text);
    let mut faults = Report::new();
    let parsed = Expression::parse(&Span::new(&copy, 0..text.len()), &mut faults);
    for fault in faults.sorted() {
        let mut moved = fault.clone();
        moved.labels.truncate(1);
        for label in &mut moved.labels {
            label.span = span.clone();
        }
        report.push(moved);
    }
    parsed
}

fn truth(expression: &Expression, number: &impl Fn(&Node) -> Option<f64>) -> Result<bool, String> {
    match &expression.node {
        Node::Binary(operator, left, right) => match operator {
            Binary::And => Ok(truth(left, number)? && truth(right, number)?),
            Binary::Or => Ok(truth(left, number)? || truth(right, number)?),
            _ => {
                let (a, b) = (value(left, number)?, value(right, number)?);
                match operator {
                    Binary::Equal => Ok(a == b),
                    Binary::NotEqual => Ok(a != b),
                    Binary::Less => Ok(a < b),
                    Binary::LessOrEqual => Ok(a <= b),
                    Binary::Greater => Ok(a > b),
                    Binary::GreaterOrEqual => Ok(a >= b),
                    _ => Err(expression.span.text().to_owned()),
                }
            }
        },
        Node::Unary(Unary::Not, inner) => Ok(!truth(inner, number)?),
        _ => Err(expression.span.text().to_owned()),
    }
}

fn value(expression: &Expression, number: &impl Fn(&Node) -> Option<f64>) -> Result<f64, String> {
    let unknown = || expression.span.text().to_owned();
    match &expression.node {
        Node::Number { value, .. } => Ok(*value),
        Node::Name(_) | Node::Text(_) => number(&expression.node).ok_or_else(unknown),
        Node::Unary(Unary::Minus, inner) => Ok(-value(inner, number)?),
        Node::Binary(operator, left, right) => {
            let (a, b) = (value(left, number)?, value(right, number)?);
            match operator {
                Binary::Plus => Ok(a + b),
                Binary::Minus => Ok(a - b),
                Binary::Times => Ok(a * b),
                Binary::Divided => Ok(a / b),
                _ => Err(unknown()),
            }
        }
        _ => Err(unknown()),
    }
}
