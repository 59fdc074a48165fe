//! What each column of a table means for an experiment.

use super::check::{check_complete, check_names, check_units, push_level_fault, report_unmapped};
use super::entry::Entry;
use super::faults::Faults;
use super::format::{Input, Table};
use super::level::Axes;
use super::receipt::Receipt;
use crate::diag::{Code, Diagnostic};
use crate::model::Definition;
use crate::text::{Reading, Unit};

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
                    match axes.find(factor, &column.name, entry.reading) {
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
pub(super) fn meanings(definition: &Definition) -> Vec<&str> {
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

fn fix_levels(
    input: &Input<'_>,
    axes: &mut Axes<'_>,
    mapping: &mut Mapping,
    faults: &mut Faults<'_>,
) -> bool {
    let mut fine = true;
    for (factor, text, span) in &input.entry.set {
        let reading = Reading {
            decimal: '.',
            ..input.entry.reading
        };
        match axes.find(*factor, text, reading) {
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
