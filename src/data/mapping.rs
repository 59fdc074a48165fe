//! What each column of a table means for an experiment.

use super::entry::Entry;
use super::faults::Faults;
use super::format::{Input, Table};
use super::level::{Axes, LevelFault};
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic, Span, nearest};
use crate::model::{Definition, Factor};
use crate::text::Unit;

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing that is wanted.
    Ignore,
    /// Levels of the factor with this index.
    Factor(usize),
    /// Values of the metric with this index.
    Metric(usize),
    /// Values of the spread metric at the level with this index.
    Level(u32),
    /// The number of the repetition.
    Replicate,
    /// The block of the plan.
    Block,
    /// The place in the run's order.
    Order,
    /// Seconds since the run's start.
    At,
    /// The reason for cells that are empty in this row.
    Reason,
    /// What is said to readers about that reason.
    Note,
}

/// Names of columns that aren't factors or metrics.
const RESERVED: [(&str, Role); 8] = [
    ("replicate", Role::Replicate),
    ("missing", Role::Reason),
    ("status", Role::Reason),
    ("note", Role::Note),
    ("block", Role::Block),
    ("order", Role::Order),
    ("at", Role::At),
    ("-", Role::Ignore),
];

/// The meaning of a whole table.
#[derive(Debug)]
pub(super) struct Mapping {
    /// What each column holds.
    pub(super) roles: Vec<Role>,
    /// The unit of bare numbers in each column of values.
    pub(super) units: Vec<Unit>,
    /// The levels that hold for every row.
    pub(super) fixed: Vec<(usize, u32)>,
    /// The factor and metric of the columns that are levels.
    pub(super) spread: Option<(usize, usize)>,
}

/// Works out what the columns mean; `None` when something that is needed isn't there.
pub(super) fn map(
    table: &Table<'_>,
    input: &Input<'_>,
    axes: &mut Axes<'_>,
    receipt: &mut Receipt,
    faults: &mut Faults<'_>,
) -> Option<Mapping> {
    let entry = input.entry;
    check_names(table, input, faults);
    let mut fine = true;
    let mut mapping = Mapping {
        roles: Vec::new(),
        units: Vec::new(),
        fixed: Vec::new(),
        spread: entry.spread,
    };
    let mut unmapped = Vec::new();
    for (index, column) in table.columns.iter().enumerate() {
        let role = match known_role(&column.name, table.of_tool, entry, axes.definition) {
            Ok(Some(role)) => role,
            Ok(None) => match entry.spread {
                Some((factor, _)) => {
                    let span = input.span(column.range.clone());
                    match axes.find(factor, &column.name, entry.decimal) {
                        Ok(level) => Role::Level(level),
                        Err(fault) => {
                            fine = false;
                            push_level_fault(
                                faults,
                                axes.factor(factor),
                                &column.name,
                                span,
                                fault,
                                |it| {
                                    it.help(format!(
                                        "to leave a column out: `columns = {{ \"{}\" = \"-\" }}`",
                                        column.name
                                    ))
                                },
                            );
                            Role::Ignore
                        }
                    }
                }
                None => {
                    if !table.of_tool {
                        unmapped.push(index);
                    }
                    Role::Ignore
                }
            },
            Err(fault) => {
                fine = false;
                faults.push(Code::BadDefinition, || *fault);
                Role::Ignore
            }
        };
        if role != Role::Ignore
            && let Some(first) = mapping.roles.iter().position(|&there| there == role)
        {
            fine = false;
            faults.push(Code::BadResultFile, || {
                Diagnostic::new(Code::BadResultFile, "two columns mean the same")
                    .at(input.span(column.range.clone()), "")
                    .at(
                        input.span(table.columns[first].range.clone()),
                        "the first one",
                    )
            });
        }
        let metric = match role {
            Role::Metric(metric) => Some(metric),
            Role::Level(_) => entry.spread.map(|(_, metric)| metric),
            _ => None,
        };
        let own = metric.map(|metric| {
            let unit = &axes.definition.metrics[metric].unit;
            let scale = if input.native { 1.0 } else { unit.scale };
            Unit {
                scale,
                ..unit.clone()
            }
        });
        mapping
            .units
            .push(column.unit.clone().or(own).unwrap_or_else(Unit::none));
        mapping.roles.push(role);
    }
    report_unmapped(table, input, axes.definition, &unmapped, receipt, faults);
    fine &= fix_levels(input, axes, &mut mapping, faults);
    fine &= check_complete(table, input, axes.definition, &mapping, &unmapped, faults);
    fine &= check_units(table, input, axes.definition, &mapping, faults);
    fine.then_some(mapping)
}

/// What a column's name means by the entry or by itself; `None` when it means nothing.
fn known_role(
    name: &str,
    of_tool: bool,
    entry: &Entry,
    definition: &Definition,
) -> Result<Option<Role>, Box<Diagnostic>> {
    if of_tool {
        if name == "step" {
            return Ok(entry.steps.map(Role::Factor));
        }
        if let Some((_, metric, _)) = entry.metrics.iter().find(|(given, _, _)| given == name) {
            return Ok(Some(Role::Metric(*metric)));
        }
    }
    // An entry that says which figures it wants, wants no other ones.
    if of_tool && !entry.metrics.is_empty() {
        return Ok(None);
    }
    let by_entry = entry.columns.iter().find(|(header, _, _)| header == name);
    let by_entry = by_entry.map(|(_, meaning, span)| (&**meaning, Some(span)));
    let (meaning, span) = by_entry.unwrap_or((name, None));
    if let Some((factor, _)) = definition.factor(meaning) {
        return Ok(Some(Role::Factor(factor)));
    }
    if let Some((metric, found)) = definition.metric(meaning) {
        return match (found.derived.is_some(), span) {
            (false, _) => Ok(Some(Role::Metric(metric))),
            (true, None) => Ok(None),
            (true, Some(span)) => Err(Box::new(
                Diagnostic::new(
                    Code::BadDefinition,
                    format!("`{meaning}` is derived; it can't be read from a file"),
                )
                .at(span.clone(), ""),
            )),
        };
    }
    if let Some((_, role)) = RESERVED.iter().find(|(name, _)| *name == meaning) {
        return Ok(Some(*role));
    }
    match span {
        None => Ok(None),
        Some(span) => Err(Box::new(
            Diagnostic::new(
                Code::BadDefinition,
                format!("`{meaning}` is neither a factor nor a metric"),
            )
            .at(span.clone(), "")
            .suggest(meaning, meanings(definition)),
        )),
    }
}

/// Everything a column can mean.
fn meanings(definition: &Definition) -> Vec<&str> {
    let factors = definition.factors.iter().map(|factor| &*factor.key);
    let measured = definition
        .metrics
        .iter()
        .filter(|metric| metric.derived.is_none());
    let reserved = RESERVED
        .iter()
        .map(|(name, _)| *name)
        .filter(|name| *name != "status");
    factors
        .chain(measured.map(|metric| &*metric.key))
        .chain(reserved)
        .collect()
}

/// Reports names in the entry that the file doesn't have.
fn check_names(table: &Table<'_>, input: &Input<'_>, faults: &mut Faults<'_>) {
    let named = input
        .entry
        .columns
        .iter()
        .map(|(header, _, span)| (header, span));
    let given = input
        .entry
        .metrics
        .iter()
        .map(|(given, _, span)| (given, span));
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
            .at(span.clone(), "");
            header_label(fault, table, input).suggest(name, known())
        });
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

fn report_unmapped(
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
            .at(input.span(column.range.clone()), "");
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

fn fix_levels(
    input: &Input<'_>,
    axes: &mut Axes<'_>,
    mapping: &mut Mapping,
    faults: &mut Faults<'_>,
) -> bool {
    let mut fine = true;
    for (factor, text, span) in &input.entry.set {
        match axes.find(*factor, text, '.') {
            Ok(level) => mapping.fixed.push((*factor, level)),
            Err(fault) => {
                fine = false;
                push_level_fault(
                    faults,
                    axes.factor(*factor),
                    text,
                    span.clone(),
                    fault,
                    |it| it,
                );
            }
        }
    }
    fine
}

/// Reports factors and metrics that nothing in the file speaks of.
fn check_complete(
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
            );
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
            );
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
fn check_units(
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
        let counted = matches!(unit.dimension, crate::text::Dimension::Count)
            && matches!(metric.unit.dimension, crate::text::Dimension::Named(_));
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
