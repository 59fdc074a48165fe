//! A table's rows as samples: every cell read once, with its place.

use std::ops::Range;
use std::sync::Arc;

use super::check::push_level_fault;
use super::faults::Faults;
use super::format::{Cell, Content, Input, Table};
use super::level::Axes;
use super::mapping::{Mapping, Role};
use super::receipt::Receipt;
use super::value;
use super::words::Words;
use crate::diag::{Code, Diagnostic};
use crate::model::{Definition, Missing, MissingReason, Value};
use crate::text::{Localized, Reading};

/// One row, or one level's cell of a wide row.
#[derive(Debug, Default)]
pub(super) struct Row {
    /// Index of the level of each factor.
    pub(super) levels: Vec<u32>,
    /// The number of the repetition, where the file gives it.
    pub(super) replicate: Option<u32>,
    /// Zero-based block of the plan.
    pub(super) block: Option<u32>,
    /// Zero-based place in the run's order.
    pub(super) order: Option<u32>,
    /// Seconds since the run's start.
    pub(super) at: Option<f64>,
    /// One-based line.
    pub(super) line: u32,
    /// Why cells of this row are empty, where a column says so.
    pub(super) reason: Option<Missing>,
    /// What was found of each metric.
    pub(super) found: Vec<Found>,
}

/// What a cell says of a metric.
#[derive(Debug)]
pub(super) struct Found {
    /// Index of the metric.
    pub(super) metric: u32,
    /// The value in base units, or why there is none.
    pub(super) result: Result<Value, Missing>,
    /// The value that is there and isn't used.
    pub(super) excluded: Option<Value>,
    /// Where it stands.
    pub(super) range: Range<usize>,
}

/// Reads a table's rows and hands each to `take`. A row with a fault is reported and passed over.
pub(super) fn read(
    table: &Table<'_>,
    mapping: &Mapping,
    input: &Input<'_>,
    axes: &mut Axes<'_>,
    receipt: &mut Receipt,
    faults: &mut Faults<'_>,
    mut take: impl FnMut(&mut Row, &mut Faults<'_>),
) {
    let width = table.columns.len();
    if width == 0 {
        return;
    }
    let reading = Reading {
        decimal: table.decimal.unwrap_or(input.entry.reading.decimal),
        ..input.entry.reading
    };
    let words = Words::new(input.entry, axes.definition.missing);
    let mut row = Row::default();
    for (cells, &line) in table.cells.chunks_exact(width).zip(&table.lines) {
        row.levels.clear();
        row.levels.resize(axes.definition.factors.len(), 0);
        row.line = line;
        for &(factor, level) in &mapping.fixed {
            row.levels[factor] = level;
        }
        let mut reader = RowReader {
            table,
            mapping,
            input,
            words: &words,
            reading,
            line: &mut row,
            reason_range: 0..0,
            remarks: Vec::new(),
            fine: true,
        };
        reader.frame(cells, axes, faults);
        if !reader.fine {
            continue;
        }
        match mapping.spread {
            None => {
                reader.line.found.clear();
                reader.values(cells, axes.definition, faults);
                take(reader.line, faults);
            }
            Some((factor, metric)) => {
                for (index, role) in mapping.roles.iter().enumerate() {
                    let Role::Level(level) = *role else { continue };
                    reader.line.levels[factor] = level;
                    reader.line.found.clear();
                    reader.value(index, &cells[index], metric, axes.definition, faults);
                    take(reader.line, faults);
                }
            }
        }
        for (range, text) in reader.remarks {
            receipt.remark(input.span(range), text);
        }
    }
}

struct RowReader<'a, 'i, 'r> {
    table: &'a Table<'i>,
    mapping: &'a Mapping,
    input: &'a Input<'i>,
    words: &'a Words<'a>,
    reading: Reading,
    line: &'r mut Row,
    /// Where the row's reason stands.
    reason_range: Range<usize>,
    remarks: Vec<(Range<usize>, String)>,
    fine: bool,
}

impl RowReader<'_, '_, '_> {
    /// Reads everything but the values.
    fn frame(&mut self, cells: &[Cell<'_>], axes: &mut Axes<'_>, faults: &mut Faults<'_>) {
        let row = &mut *self.line;
        (row.replicate, row.block, row.order, row.at) = (None, None, None, None);
        row.reason = None;
        let mut note = None;
        for (index, cell) in cells.iter().enumerate() {
            let role = self.mapping.roles[index];
            match role {
                Role::Ignore | Role::Metric(_) | Role::Level(_) => {}
                Role::Factor(factor) => {
                    self.level(index, cell, factor, axes, faults);
                }
                Role::Replicate => {
                    self.line.replicate = self.count(cell, faults);
                    if self.line.replicate.is_none() && self.fine {
                        self.fine = false;
                        self.bad_count(cell, faults);
                    }
                }
                Role::Block => self.line.block = self.count(cell, faults),
                Role::Order => self.line.order = self.count(cell, faults),
                Role::At => self.line.at = self.at(cell, faults),
                Role::Reason => {
                    let text = text(cell);
                    if matches!(text, "" | "ok") {
                        continue;
                    }
                    self.line.reason = self.words.missing(text);
                    self.reason_range = cell.range.clone();
                    if self.line.reason.is_none() {
                        self.fine = false;
                        faults.push(Code::BadResultFile, || {
                            Diagnostic::new(Code::BadResultFile, format!("`{text}` is no reason"))
                                .at(self.input.span(cell.range.clone()), "")
                                .suggest(text, super::definition::reasons())
                        });
                    }
                }
                Role::Note => note = Some(text(cell)).filter(|text| !text.is_empty()),
            }
        }
        if let (Some(missing), Some(note)) = (&mut self.line.reason, note) {
            let noted = self.words.note(note);
            missing.note = Some(noted.unwrap_or_else(|| Arc::new(Localized::new(note))));
        }
    }

    fn level(
        &mut self,
        index: usize,
        cell: &Cell<'_>,
        factor: usize,
        axes: &mut Axes<'_>,
        faults: &mut Faults<'_>,
    ) {
        let Content::Text(text) = &cell.content else {
            self.fine = false;
            return faults.push(Code::MissingColumn, || {
                let name = &self.table.columns[index].name;
                Diagnostic::new(Code::MissingColumn, format!("this row has no `{name}`"))
                    .at(self.input.span(cell.range.clone()), "")
                    .at(
                        axes.factor(factor).span.clone(),
                        "every row needs a level of this factor",
                    )
            });
        };
        match axes.find(factor, text, self.reading) {
            Ok(level) => self.line.levels[factor] = level,
            Err(fault) => {
                self.fine = false;
                let span = self.input.span(cell.range.clone());
                push_level_fault(faults, axes.factor(factor), text, span, fault, |it| it);
            }
        }
    }

    /// A whole number; empty is none.
    fn count(&mut self, cell: &Cell<'_>, faults: &mut Faults<'_>) -> Option<u32> {
        let text = text(cell);
        let number = text.parse().ok();
        if number.is_none() && !text.is_empty() {
            self.fine = false;
            self.bad_count(cell, faults);
        }
        number
    }

    fn bad_count(&self, cell: &Cell<'_>, faults: &mut Faults<'_>) {
        faults.push(Code::BadNumber, || {
            Diagnostic::new(Code::BadNumber, "a whole number is needed here")
                .at(self.input.span(cell.range.clone()), "")
        });
    }

    fn at(&mut self, cell: &Cell<'_>, faults: &mut Faults<'_>) -> Option<f64> {
        let text = text(cell);
        if text.is_empty() {
            return None;
        }
        let seconds = crate::text::Unit::parse("s")?;
        match value::quantity(text, &seconds, self.reading) {
            Ok(number) => Some(number),
            Err(fault) => {
                self.fine = false;
                push_value_fault(self.input, cell, fault, |it| it, faults);
                None
            }
        }
    }

    /// Reads the values of every metric in a tidy row.
    fn values(&mut self, cells: &[Cell<'_>], definition: &Definition, faults: &mut Faults<'_>) {
        for (index, cell) in cells.iter().enumerate() {
            if let Role::Metric(metric) = self.mapping.roles[index] {
                self.value(index, cell, metric, definition, faults);
            }
        }
        if let Some(missing) = self.line.reason.as_ref() {
            self.check_reason(missing, faults);
        }
    }

    /// Reports a row that gives a reason for lacking values and lacks none.
    fn check_reason(&self, missing: &Missing, faults: &mut Faults<'_>) {
        let values: Vec<Value> = self
            .line
            .found
            .iter()
            .filter_map(|found| found.result.as_ref().ok())
            .copied()
            .collect();
        let complete = !values.is_empty() && values.len() == self.line.found.len();
        // A run that was stopped at its limit still tells that it would have taken longer.
        let censored = missing.reason == MissingReason::Timeout
            && values.iter().any(|value| !matches!(value, Value::Exact(_)));
        if complete && !censored {
            faults.push(Code::BadResultFile, || {
                Diagnostic::new(
                    Code::BadResultFile,
                    format!("the row says `{}` and has every value", missing.reason.key()),
                )
                .at(self.input.span(self.reason_range.clone()), "")
                .help("leave the value's cell empty, or say `excluded` for a value that was measured and isn't used")
            });
        }
    }

    /// Reads a cell of a metric.
    fn value(
        &mut self,
        index: usize,
        cell: &Cell<'_>,
        metric: usize,
        definition: &Definition,
        faults: &mut Faults<'_>,
    ) {
        let result = match &cell.content {
            Content::Absent => return,
            Content::Number(number) => Ok(Value::Exact(*number)),
            Content::Missing(told) => Err(self.words.told(told)),
            Content::Text(text) => {
                let empty = text.is_empty();
                if let Some(missing) = self.words.missing(text) {
                    Err(missing)
                } else if let (true, Some(missing)) = (empty, &self.line.reason) {
                    Err(missing.clone())
                } else if empty && self.input.native {
                    return;
                } else {
                    match value::read(text, &self.mapping.units[index], self.reading) {
                        Ok(read) => {
                            if read.stray_blank {
                                self.remarks.push((
                                    cell.range.clone(),
                                    format!("a blank inside `{text}` was passed over"),
                                ));
                            }
                            Ok(read.value)
                        }
                        Err(fault) => {
                            let metric = &definition.metrics[metric];
                            let say = |fault: Diagnostic| {
                                fault.at(
                                    metric.span.clone(),
                                    format!("the unit is `{}`", metric.unit.symbol),
                                )
                            };
                            return push_value_fault(self.input, cell, fault, say, faults);
                        }
                    }
                }
            }
        };
        let excluded = |missing: &&Missing| missing.reason == MissingReason::Excluded;
        let (result, excluded) = match (&result, self.line.reason.as_ref().filter(excluded)) {
            (Ok(value), Some(missing)) => (Err(missing.clone()), Some(*value)),
            _ => (result, None),
        };
        self.line.found.push(Found {
            metric: metric as u32,
            result,
            excluded,
            range: cell.range.clone(),
        });
    }
}

fn text<'a>(cell: &'a Cell<'_>) -> &'a str {
    match &cell.content {
        Content::Text(text) => text,
        _ => "",
    }
}

fn push_value_fault(
    input: &Input<'_>,
    cell: &Cell<'_>,
    fault: value::ValueFault,
    say: impl FnOnce(Diagnostic) -> Diagnostic,
    faults: &mut Faults<'_>,
) {
    let word = text(cell);
    let code = if word.is_empty() {
        Code::BadNumber
    } else {
        fault.code
    };
    faults.push(code, || {
        if word.is_empty() {
            return Diagnostic::new(Code::BadNumber, "the cell is empty")
                .at(input.span(cell.range.clone()), "")
                .help("say why there is no value: write a reason such as `not-run` into the cell, or declare what an empty cell means: `missing = { \"\" = \"not-run\" }`");
        }
        let wrong_unit = fault.code == Code::WrongUnit;
        let mut diagnostic =
            Diagnostic::new(fault.code, fault.message).at(input.span(cell.range.clone()), "");
        diagnostic.help.extend(fault.help);
        if wrong_unit { say(diagnostic) } else { diagnostic }
    });
}
