//! What a table lacks, has too much, or measures otherwise than the definition.

use super::faults::Faults;
use super::format::{Input, Table};
use super::level::LevelFault;
use super::mapping::{Mapping, Role, meanings};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Span, nearest};
use crate::model::{Definition, Factor};
use crate::text::Dimension;

/// Reports names in the entry that the file doesn't have.
pub(super) fn check_names(table: &Table<'_>, input: &Input<'_>, faults: &mut Faults<'_>) {
    let named = input
        .entry
        .columns
        .iter()
        .map(|(header, _, meaning)| (header, before(meaning, header)));
    let given = input
        .entry
        .metrics
        .iter()
        .map(|(given, _, span)| (given, span.clone()));
    let known = || {
        table
            .columns
            .iter()
            .map(|column| &*column.name)
            .filter(|name| *name != "step")
    };
    for (name, span) in named.chain(given) {
        if table.columns.iter().any(|column| column.name == *name) {
            continue;
        }
        faults.push(Code::MissingColumn, || {
            let fault = Diagnostic::new(
                Code::MissingColumn,
                format!("`{}` has no column `{name}`", input.source.path),
            )
            .at(span, "");
            header_label(fault, table, input).suggest(name, known())
        });
    }
}

/// The place of a key, which stands on the same line before its value; else that of the value.
fn before(value: &Span, key: &str) -> Span {
    let text = &value.source.text[..value.range.start];
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    match text[line..].rfind(key) {
        Some(at) => Span::new(&value.source, line + at..line + at + key.len()),
        None => value.clone(),
    }
}

/// Points at a table's header, where it has one.
fn header_label(fault: Diagnostic, table: &Table<'_>, input: &Input<'_>) -> Diagnostic {
    match (table.of_tool, table.columns.first(), table.columns.last()) {
        (false, Some(first), Some(last)) if first.range.start <= last.range.end => fault.at(
            input.span(first.range.start..last.range.end),
            "the columns there are",
        ),
        _ => fault,
    }
}

/// Reports columns that mean nothing, with what they could mean.
pub(super) fn report_unmapped(
    table: &Table<'_>,
    input: &Input<'_>,
    definition: &Definition,
    unmapped: &[usize],
    receipt: &mut Receipt,
    faults: &mut Faults<'_>,
) {
    for &index in unmapped {
        let column = &table.columns[index];
        receipt.ignored_columns.push(column.name.clone());
        faults.push(Code::UnmappedColumn, || {
            let fault = Diagnostic::new(
                Code::UnmappedColumn,
                format!(
                    "the column `{}` is no factor or metric and was ignored",
                    column.name
                ),
            )
            .at(input.span(column.range.clone()), "")
            .may_follow_from(&*input.entry.span.source.path);
            let meaning = nearest(&column.name, meanings(definition)).filter(|name| *name != "-");
            fault.help(match meaning {
                Some(meaning) => format!(
                    "if it is `{meaning}`, say so: `columns = {{ \"{}\" = \"{meaning}\" }}`",
                    column.name
                ),
                None => format!(
                    "give it a meaning, or say that it has none: `columns = {{ \"{}\" = \"-\" }}`",
                    column.name
                ),
            })
        });
    }
}

/// Reports factors and metrics that nothing in the file speaks of.
pub(super) fn check_complete(
    table: &Table<'_>,
    input: &Input<'_>,
    definition: &Definition,
    mapping: &Mapping,
    unmapped: &[usize],
    faults: &mut Faults<'_>,
) -> bool {
    let mut fine = true;
    for (index, factor) in definition.factors.iter().enumerate() {
        let by_column = mapping.roles.contains(&Role::Factor(index));
        let by_set = input
            .entry
            .set
            .iter()
            .any(|(factor, _, _)| *factor == index);
        let by_spread = mapping.spread.is_some_and(|(factor, _)| factor == index);
        if by_column || by_set || by_spread {
            continue;
        }
        fine = false;
        faults.push(Code::MissingColumn, || {
            let fault = Diagnostic::new(
                Code::MissingColumn,
                format!("`{}` says nothing about the factor `{}`", input.source.path, factor.key),
            )
            .may_follow_from(&*input.entry.span.source.path);
            let fault = header_label(fault.at(input.entry.span.clone(), ""), table, input)
                .at(factor.span.clone(), "declared here");
            let near = nearest(&factor.key, unmapped.iter().map(|&at| &*table.columns[at].name));
            match near {
                Some(header) => fault.help(format!(
                    "if it is the column `{header}`: `columns = {{ \"{header}\" = \"{}\" }}`",
                    factor.key
                )),
                None => fault.help(format!(
                    "name its column in `columns = {{ \"…\" = \"{0}\" }}`, or the level of the whole file in `set = {{ {0} = \"…\" }}`",
                    factor.key
                )),
            }
        });
    }
    if !mapping
        .roles
        .iter()
        .any(|role| matches!(role, Role::Metric(_) | Role::Level(_)))
    {
        fine = false;
        faults.push(Code::MissingColumn, || {
            let fault = Diagnostic::new(
                Code::MissingColumn,
                format!("`{}` has no column with values of a metric", input.source.path),
            )
            .may_follow_from(&*input.entry.span.source.path);
            let fault = header_label(fault.at(input.entry.span.clone(), ""), table, input);
            if table.of_tool {
                let names: Vec<String> =
                    table.columns.iter().skip_while(|it| it.name == "step").map(|it| format!("`{}`", it.name)).collect();
                fault.help(format!(
                    "say what its figures are: `metrics = {{ … = \"METRIC\" }}`; it gives {}",
                    names.join(", ")
                ))
            } else {
                fault.help("name it in `columns = { \"…\" = \"METRIC\" }`, or use `spread` for a wide table")
            }
        });
    }
    fine
}

/// Reports a tool's figures that go into a metric that measures something else.
pub(super) fn check_units(
    table: &Table<'_>,
    input: &Input<'_>,
    definition: &Definition,
    mapping: &Mapping,
    faults: &mut Faults<'_>,
) -> bool {
    let mut fine = true;
    for (column, role) in table.columns.iter().zip(&mapping.roles) {
        let (Role::Metric(metric), Some(unit)) = (role, &column.unit) else {
            continue;
        };
        let metric = &definition.metrics[*metric];
        let counted = matches!(unit.dimension, Dimension::Count)
            && matches!(metric.unit.dimension, Dimension::Named(_));
        if unit.dimension == metric.unit.dimension || counted {
            continue;
        }
        fine = false;
        let given = input
            .entry
            .metrics
            .iter()
            .find(|(given, _, _)| *given == column.name);
        let span = given.map_or(&input.entry.span, |(_, _, span)| span);
        faults.push(Code::WrongUnit, || {
            let unit = if unit.symbol.is_empty() {
                "a plain number"
            } else {
                &unit.symbol
            };
            Diagnostic::new(
                Code::WrongUnit,
                format!(
                    "`{}` is given in {unit}, and `{}` has the unit `{}`",
                    column.name, metric.key, metric.unit.symbol
                ),
            )
            .at(span.clone(), "")
            .at(metric.span.clone(), "declared here")
        });
    }
    fine
}

/// Reports a text that names no level, with both places.
pub(super) fn push_level_fault(
    faults: &mut Faults<'_>,
    factor: &Factor,
    text: &str,
    span: Span,
    fault: LevelFault,
    say: impl FnOnce(Diagnostic) -> Diagnostic,
) {
    let fault = if text.is_empty() {
        LevelFault::Unknown
    } else {
        fault
    };
    match fault {
        LevelFault::Unknown => faults.push(Code::UnknownLevel, || {
            let message = if text.is_empty() {
                format!("the level of `{}` is empty", factor.key)
            } else {
                format!("`{text}` is no level of `{}`", factor.key)
            };
            let known = factor.levels.iter().flat_map(|level| {
                std::iter::once(&*level.key).chain(level.aliases.iter().map(|alias| &**alias))
            });
            say(Diagnostic::new(Code::UnknownLevel, message)
                .at(span, "")
                .at(factor.span.clone(), "its levels are declared here")
                .suggest(text, known))
        }),
        LevelFault::Unreadable(fault) => faults.push(fault.code, || {
            let mut diagnostic = Diagnostic::new(fault.code, fault.message)
                .at(span, format!("level of `{}`", factor.key));
            diagnostic.help.extend(fault.help);
            say(diagnostic)
        }),
    }
}
