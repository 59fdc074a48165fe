//! What the runner saw beside the samples, as it is written and read: `settings.csv`, `timeline.csv`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::check::push_level_fault;
use super::delimited::Rows;
use super::faults::Faults;
use super::format::{Cell, Content};
use super::hash::Quick;
use super::level::{Axes, LevelFault, Levels};
use super::record::line;
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Definition, Reading, Series, SettingInEffect};
use crate::text;

/// The columns of `settings.csv` that follow the factors.
const SETTING: [&str; 3] = ["setting", "requested", "effective"];
/// The columns of `timeline.csv`.
const TIMELINE: [&str; 4] = ["order", "at", "series", "value"];

/// One row of `timeline.csv`: one reading of one series.
#[derive(Debug, Clone, PartialEq)]
pub struct TimelineRow<'a> {
    /// Place of the trial in the run's order.
    pub order: u32,
    /// Key of what was read.
    pub series: Cow<'a, str>,
    /// When, and what.
    pub reading: Reading,
}

/// The header line of a definition's `settings.csv`, with its line end.
pub fn settings_header(definition: &Definition) -> String {
    let factors = definition.factors.iter().map(|factor| &*factor.key);
    line(factors.chain(SETTING).map(ToOwned::to_owned))
}

/// A row of `settings.csv`, with its line end. No case has a level of the factor of steps, so its cell
/// stays empty. An effective value that couldn't be read and one without letters are written alike.
pub fn settings_row(definition: &Definition, setting: &SettingInEffect) -> String {
    let steps = steps(definition);
    let factors = definition.factors.iter().zip(&setting.levels).enumerate();
    let levels = factors.map(|(index, (factor, &level))| {
        let level = factor.levels.get(level as usize);
        let level = level.filter(|_| steps != Some(index));
        level.map_or_else(String::new, |level| level.key.clone())
    });
    let effective = setting.effective.as_deref().unwrap_or_default();
    // Blanks at either end are no part of a cell, whatever writes it.
    let values = [&*setting.name, &setting.requested, effective];
    line(levels.chain(values.map(|value| value.trim().to_owned())))
}

/// The header line of `timeline.csv`, with its line end.
pub fn timeline_header() -> String {
    line(TIMELINE.map(ToOwned::to_owned).into_iter())
}

/// A row of `timeline.csv`, with its line end.
pub fn timeline_row(row: &TimelineRow<'_>) -> String {
    let Reading { at, value } = row.reading;
    let cells = [row.order.to_string(), at.to_string()];
    let rest = [row.series.trim().to_owned(), value.to_string()];
    line(cells.into_iter().chain(rest))
}

fn steps(definition: &Definition) -> Option<usize> {
    definition.procedure.as_ref().and_then(|run| run.steps)
}

/// Reads a `settings.csv`; a row with a fault is reported and left out.
pub fn read_settings(
    definition: &Definition,
    source: &Arc<Source>,
    report: &mut Report,
) -> Vec<SettingInEffect> {
    let mut definition = definition.clone();
    let mut levels: Vec<Levels> = definition.factors.iter().map(Levels::new).collect();
    let mut axes = Axes {
        definition: &mut definition,
        levels: &mut levels,
    };
    settings(&mut axes, source, report)
}

/// Reads a `timeline.csv` and hands over each row; a row with a fault is reported and left out.
pub fn read_timeline(
    source: &Arc<Source>,
    report: &mut Report,
    mut take: impl FnMut(TimelineRow<'_>),
) {
    let mut table = NativeTable::new(source, report);
    let Some(columns) = table.columns(TIMELINE.into_iter()) else {
        return;
    };
    while table.next_row() {
        if let Some(row) = timeline(&mut table, &columns) {
            take(row);
        }
    }
}

/// Reads a `timeline.csv` series by series: in the order of trials, and of first mention within each.
pub fn read_series(source: &Arc<Source>, report: &mut Report) -> Vec<Series> {
    let mut all: Vec<Series> = Vec::new();
    let mut names: HashMap<Box<str>, u32, Quick> = HashMap::default();
    let mut places: HashMap<(u32, u32), usize, Quick> = HashMap::default();
    read_timeline(source, report, |row| {
        let name = match names.get(&*row.series) {
            Some(&name) => name,
            None => {
                let name = names.len() as u32;
                names.insert((*row.series).into(), name);
                name
            }
        };
        let place = *places.entry((row.order, name)).or_insert_with(|| {
            all.push(Series {
                order: row.order,
                key: row.series.into_owned(),
                readings: Vec::new(),
            });
            all.len() - 1
        });
        all[place].readings.push(row.reading);
    });
    all.sort_by_key(|series| series.order);
    for series in &mut all {
        series.readings.sort_by(|a, b| a.at.total_cmp(&b.at));
        series.readings.shrink_to_fit();
    }
    all
}

/// Reads a `settings.csv` of an experiment that is being loaded.
pub(super) fn settings(
    axes: &mut Axes<'_>,
    source: &Arc<Source>,
    report: &mut Report,
) -> Vec<SettingInEffect> {
    let mut rows = Vec::new();
    let steps = steps(axes.definition);
    let factors = axes.definition.factors.iter();
    let factors: Vec<String> = factors.map(|factor| factor.key.clone()).collect();
    let mut table = NativeTable::new(source, report);
    let names = factors.iter().map(|key| &**key).chain(SETTING);
    let Some(columns) = table.columns(names) else {
        return rows;
    };
    let (of_factors, of_setting) = columns.split_at(factors.len());
    while table.next_row() {
        let mut levels = Vec::with_capacity(factors.len());
        for (factor, &column) in of_factors.iter().enumerate() {
            if steps == Some(factor) && table.text(column).is_empty() {
                levels.push(0);
            } else if let Some(level) = table.level(column, factor, axes) {
                levels.push(level);
            }
        }
        let [name, requested, effective] = [0, 1, 2].map(|at| table.text(of_setting[at]));
        if name.is_empty() {
            table.fault(
                of_setting[0],
                Code::BadResultFile,
                "the setting has no name",
            );
        } else if levels.len() == factors.len() {
            rows.push(SettingInEffect {
                levels,
                name: name.to_owned(),
                requested: requested.to_owned(),
                effective: (!effective.is_empty()).then(|| effective.to_owned()),
            });
        }
    }
    rows
}

fn timeline<'a>(table: &mut NativeTable<'a, '_>, columns: &[usize]) -> Option<TimelineRow<'a>> {
    let order = table.text(columns[0]).parse();
    let [at, value] = [1, 3].map(|at| {
        let number = table.text(columns[at]).parse().ok();
        number.filter(|number: &f64| number.is_finite())
    });
    let fault = if order.is_err() {
        Some((0, "a whole number is needed here"))
    } else if at.is_none() {
        Some((1, "a finite number of seconds is needed here"))
    } else if value.is_none() {
        Some((3, "a finite number in base units is needed here"))
    } else {
        None
    };
    if let Some((column, message)) = fault {
        table.fault(columns[column], Code::BadNumber, message);
        return None;
    }
    if table.text(columns[2]).is_empty() {
        table.fault(columns[2], Code::BadResultFile, "the series has no name");
        return None;
    }
    Some(TimelineRow {
        order: order.ok()?,
        series: table.take(columns[2]),
        reading: Reading {
            at: at?,
            value: value?,
        },
    })
}

/// A table that our runner wrote, row by row; a last row that was cut off is left out.
struct NativeTable<'a, 'r> {
    source: &'a Arc<Source>,
    rows: Rows<'a>,
    cells: Vec<Cell<'a>>,
    width: usize,
    faults: Faults<'r>,
}

impl<'a, 'r> NativeTable<'a, 'r> {
    fn new(source: &'a Arc<Source>, report: &'r mut Report) -> Self {
        let (text, end) = (&*source.text, source.text.rfind('\n'));
        let whole = &text[..end.map_or(0, |end| end + 1)];
        let mut faults = Faults::new(&source.path, report);
        if !text[whole.len()..].trim().is_empty() {
            faults.push(Code::ReceiptNote, || {
                let message = "the last row was cut off while it was written; it was left out";
                let span = Span::new(source, whole.len()..text.len());
                Diagnostic::new(Code::ReceiptNote, message).at(span, "")
            });
        }
        Self {
            source,
            rows: Rows::new(whole, b','),
            cells: Vec::new(),
            width: 0,
            faults,
        }
    }

    /// Reads the header and finds these columns in it; `None` when the file holds nothing, or when
    /// any of them is lacking.
    fn columns<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Option<Vec<usize>> {
        let row = self.rows.next_row(&mut self.cells)?;
        if let Some(open) = row.open_quote {
            self.open_quote(open);
            return None;
        }
        self.width = self.cells.len();
        let header: Vec<String> = (0..self.width).map(|at| self.text(at).to_owned()).collect();
        let mut columns = Vec::new();
        let mut fine = true;
        for name in names {
            match header.iter().position(|there| there == name) {
                Some(column) => columns.push(column),
                None => {
                    fine = false;
                    let message = format!("the column `{name}` is missing");
                    let span = Span::new(self.source, row.range.clone());
                    self.faults.push(Code::MissingColumn, || {
                        Diagnostic::new(Code::MissingColumn, message).at(span, "")
                    });
                }
            }
        }
        fine.then_some(columns)
    }

    /// Goes to the next row that is as wide as the header.
    fn next_row(&mut self) -> bool {
        loop {
            self.cells.clear();
            let Some(row) = self.rows.next_row(&mut self.cells) else {
                return false;
            };
            if let Some(open) = row.open_quote {
                self.open_quote(open);
                return false;
            }
            if self.cells.len() == self.width {
                return true;
            }
            let (found, width) = (self.cells.len(), self.width);
            let span = self.span(row.range);
            self.faults.push(Code::RaggedRow, || {
                let message = format!("the row has {found} cells and the header {width}");
                Diagnostic::new(Code::RaggedRow, message).at(span, "")
            });
        }
    }

    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.source, range)
    }

    fn text(&self, column: usize) -> &str {
        match &self.cells[column].content {
            Content::Text(text) => text,
            _ => "",
        }
    }

    fn take(&mut self, column: usize) -> Cow<'a, str> {
        let content = std::mem::replace(&mut self.cells[column].content, Content::Absent);
        match content {
            Content::Text(text) => text,
            _ => Cow::Borrowed(""),
        }
    }

    fn fault(&mut self, column: usize, code: Code, message: &str) {
        let span = self.span(self.cells[column].range.clone());
        let make = || Diagnostic::new(code, message).at(span, "");
        self.faults.push(code, make);
    }

    fn open_quote(&mut self, at: usize) {
        let span = self.span(at..at + 1);
        let message = "a quotation mark is never closed";
        self.faults.push(Code::BadResultFile, || {
            Diagnostic::new(Code::BadResultFile, message).at(span, "opened here")
        });
    }

    /// The level that a cell means; reported when there is none.
    fn level(&mut self, column: usize, factor: usize, axes: &mut Axes<'_>) -> Option<u32> {
        let text = match &self.cells[column].content {
            Content::Text(text) => &**text,
            _ => "",
        };
        let fault = if text.is_empty() {
            LevelFault::Unknown
        } else {
            let reading = text::Reading {
                decimal: '.',
                sizes: axes.definition.sizes,
            };
            match axes.find(factor, text, reading) {
                Ok(level) => return Some(level),
                Err(fault) => fault,
            }
        };
        let span = Span::new(self.source, self.cells[column].range.clone());
        let factor = axes.factor(factor);
        push_level_fault(&mut self.faults, factor, text, span, fault, |it| it);
        None
    }
}
