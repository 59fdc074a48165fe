//! Rows of foreign files gathered into rows of samples.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::collect::Collection;
use super::entry::Entry;
use super::faults::Faults;
use super::format::{self, Input, Table};
use super::level::{Axes, Levels};
use super::loading::has_rows;
use super::mapping::{self, Mapping, Role};
use super::receipt::{FileReceipt, Receipt};
use super::record::SampleRow;
use super::{rows, value};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Definition, LevelValue, Missing, Sample, Value};
use crate::text::Reading;

/// What has been read so far.
pub(super) struct Gathering {
    definition: Definition,
    /// Which factors take their levels from the files.
    open: Vec<bool>,
    levels: Vec<Levels>,
    collection: Collection,
    rows: Vec<SampleRow>,
}

impl Gathering {
    /// Nothing yet.
    pub(super) fn new(definition: Definition) -> Self {
        let factors = definition.factors.iter();
        Self {
            open: factors.clone().map(|it| it.levels.is_empty()).collect(),
            levels: factors.map(Levels::new).collect(),
            definition,
            collection: Collection::default(),
            rows: Vec::new(),
        }
    }

    /// Whether no value and no reason has been read.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Reads a file; `None` when nothing can be said of it but its faults.
    pub(super) fn file(
        &mut self,
        source: &Arc<Source>,
        entry: &Entry,
        report: &mut Report,
    ) -> Option<FileReceipt> {
        let input = Input {
            source,
            entry,
            native: false,
        };
        let mut receipt = Receipt::new(&source.path);
        let file = self.collection.add_file(source);
        let table = format::read(&input, &mut receipt, report)?;
        if !has_rows(&table, &input, report) {
            return None;
        }
        let mut faults = Faults::new(&source.path, report);
        let mut axes = Axes {
            definition: &mut self.definition,
            levels: &mut self.levels,
        };
        let mapping = mapping::map(&table, &input, &mut axes, &mut receipt, &mut faults)?;
        let repeats = entry.replicates || table.replicates;
        let columns = columns(&table, &mapping, axes.definition);
        let guessed = guessed(&table, &input, &receipt);
        let measured: Vec<u32> = measured(axes.definition);
        report_set_twice(&mapping, entry, axes.definition, &mut faults);
        let mut desk = Desk {
            collection: &mut self.collection,
            rows: &mut self.rows,
            measured: &measured,
            repeats,
            file,
            doubled: 0,
            mixed: Vec::new(),
        };
        let before = desk.collection.len();
        rows::read(
            &table,
            &mapping,
            &input,
            &mut axes,
            &mut receipt,
            &mut faults,
            |row, faults| desk.take(row, faults),
        );
        let Desk { doubled, mixed, .. } = desk;
        let collection = &self.collection;
        let observations = collection.after(before);
        receipt.observations = observations.len();
        let lacking = observations.iter().filter(|it| it.result.is_err()).count();
        for line in mixed {
            receipt.remark(
                Span::line(source, line as usize),
                "values are lacking for several reasons; the first one is kept for the whole row",
            );
        }
        Some(FileReceipt {
            receipt,
            columns,
            guessed,
            lacking,
            doubled,
        })
    }

    /// The rows, and the definition by whose factors and metrics they are to be written.
    pub(super) fn finish(mut self) -> (Definition, Vec<SampleRow>) {
        let mut rows = self.joined();
        self.drop_unseen(&mut rows);
        (self.definition, rows)
    }

    /// The rows, those of one case and repetition as one: what a row says of lacking values holds for
    /// every metric without one, so another row must not give it.
    fn joined(&mut self) -> Vec<SampleRow> {
        let mut first: BTreeMap<(Vec<u32>, u32), usize> = BTreeMap::new();
        let mut joined: Vec<SampleRow> = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let key = (row.levels.clone(), row.replicate);
            let there = first.get(&key).copied();
            match there.and_then(|at| joined.get_mut(at)) {
                Some(there) if is_same_time(there, &row) => join(there, row),
                _ => {
                    first.insert(key, joined.len());
                    joined.push(row);
                }
            }
        }
        joined
    }

    /// Drops the metrics that no file speaks of: a row's reason would be said of them too.
    fn drop_unseen(&mut self, rows: &mut [SampleRow]) {
        let measured = measured(&self.definition);
        let all = self.collection.after(0);
        let seen: Vec<bool> = measured
            .iter()
            .map(|metric| all.iter().any(|observation| observation.metric == *metric))
            .collect();
        for row in rows {
            let mut seen = seen.iter();
            row.values.retain(|_| seen.next().is_some_and(|seen| *seen));
        }
        let mut index = 0;
        self.definition.metrics.retain(|_| {
            index += 1;
            let place = measured.iter().position(|metric| *metric == index - 1);
            place.is_none_or(|place| seen[place])
        });
    }

    /// The levels that the files brought, written so that they are read alike from a run folder.
    pub(super) fn collected(&mut self) -> Vec<(String, Vec<String>)> {
        let mut collected = Vec::new();
        let reading = Reading {
            decimal: '.',
            sizes: self.definition.sizes,
        };
        for (factor, open) in self.definition.factors.iter_mut().zip(&self.open) {
            if !open || factor.levels.is_empty() {
                continue;
            }
            let unit = factor.axis_unit();
            for level in &mut factor.levels {
                let LevelValue::Number(value) = level.value else {
                    continue;
                };
                let read = value::quantity(&level.key, &unit, reading);
                if !read.is_ok_and(|read| read == value) {
                    level.key = unit.from_base(value).to_string();
                }
            }
            let levels = factor.levels.iter().map(|level| level.key.clone());
            collected.push((factor.key.clone(), levels.collect()));
        }
        collected
    }
}

/// Where the rows of one file go.
struct Desk<'g> {
    collection: &'g mut Collection,
    rows: &'g mut Vec<SampleRow>,
    measured: &'g [u32],
    /// Whether rows of the same case are repetitions.
    repeats: bool,
    file: u32,
    doubled: usize,
    /// Lines of rows with more than one reason.
    mixed: Vec<u32>,
}

impl Desk<'_> {
    fn take(&mut self, row: &mut rows::Row, faults: &mut Faults<'_>) {
        let found = row.found.iter();
        let excluded: Vec<(u32, Option<Value>)> =
            found.map(|found| (found.metric, found.excluded)).collect();
        let (start, begin) = (self.collection.len(), self.rows.len());
        self.collection
            .add_row(row, (self.file, 0), self.repeats, faults);
        let observations = self.collection.after(start);
        self.doubled += excluded.len() - observations.len();
        for observation in observations {
            let same = |it: &SampleRow| it.replicate == observation.replicate;
            let own = self.rows[begin..].iter().position(same);
            let own = own.unwrap_or_else(|| {
                let width = self.measured.len();
                self.rows.push(empty(row, observation.replicate, width));
                self.rows.len() - 1 - begin
            });
            let own = &mut self.rows[begin + own];
            let place = self
                .measured
                .iter()
                .position(|it| *it == observation.metric);
            let Some(cell) = place.and_then(|place| own.values.get_mut(place)) else {
                continue;
            };
            match &observation.result {
                Ok(Sample { value, .. }) => *cell = Some(*value),
                Err(missing) => {
                    let kept = excluded.iter().find(|(it, _)| *it == observation.metric);
                    *cell = kept.and_then(|(_, value)| *value);
                    if !tell(own, missing) {
                        self.mixed.push(row.line);
                    }
                }
            }
        }
        // One that was stopped at its limit has a bound and a reason.
        let bound = |it: &Value| !matches!(it, Value::Exact(_));
        for own in &mut self.rows[begin..] {
            if let Some(reason) = &row.reason
                && own.values.iter().flatten().any(bound)
            {
                tell(own, reason);
            }
        }
    }
}

/// Reports a level that is said to hold for a whole file that tells of it row by row.
fn report_set_twice(
    mapping: &Mapping,
    entry: &Entry,
    definition: &Definition,
    faults: &mut Faults<'_>,
) {
    for (factor, _, span) in &entry.set {
        if !mapping.roles.contains(&Role::Factor(*factor)) {
            continue;
        }
        let key = &definition.factors[*factor].key;
        faults.push(Code::BadArgument, || {
            let message = format!("`{}` has a column with levels of `{key}`", entry.path);
            Diagnostic::new(Code::BadArgument, message)
                .at(span.clone(), "so it has none that holds for every row")
        });
    }
}

fn measured(definition: &Definition) -> Vec<u32> {
    let metrics = definition.metrics.iter().enumerate();
    let metrics = metrics.filter(|(_, metric)| metric.derived.is_none());
    metrics.map(|(index, _)| index as u32).collect()
}

/// A row of samples with everything but values.
fn empty(row: &rows::Row, replicate: u32, width: usize) -> SampleRow {
    SampleRow {
        levels: row.levels.clone(),
        values: vec![None; width],
        replicate,
        block: row.block,
        order: row.order,
        at: row.at,
        status: None,
        note: String::new(),
    }
}

/// Says in a row why values are lacking; `false` when it says otherwise already.
fn tell(row: &mut SampleRow, missing: &Missing) -> bool {
    let note = missing.note.as_ref().map_or("", |note| note.source());
    match row.status {
        None => {
            row.status = Some(missing.reason);
            note.clone_into(&mut row.note);
            true
        }
        Some(status) => status == missing.reason && row.note == note,
    }
}

/// Whether nothing speaks against two rows being of the same moment.
fn is_same_time(a: &SampleRow, b: &SampleRow) -> bool {
    fn agree<T: PartialEq + Copy>(a: Option<T>, b: Option<T>) -> bool {
        a.is_none() || b.is_none() || a == b
    }
    agree(a.block, b.block) && agree(a.order, b.order) && agree(a.at, b.at)
}

fn join(there: &mut SampleRow, row: SampleRow) {
    for (there, value) in there.values.iter_mut().zip(row.values) {
        *there = there.or(value);
    }
    there.block = there.block.or(row.block);
    there.order = there.order.or(row.order);
    there.at = there.at.or(row.at);
    if there.status.is_none() {
        there.status = row.status;
        there.note = row.note;
    }
}

/// What each column became, in words.
fn columns(table: &Table<'_>, mapping: &Mapping, definition: &Definition) -> Vec<(String, String)> {
    let metric = |index: usize, unit: &str| {
        let key = &definition.metrics[index].key;
        match unit {
            "" => format!("metric `{key}`"),
            unit => format!("metric `{key}`, bare numbers in {unit}"),
        }
    };
    let columns = table.columns.iter().zip(&mapping.roles).zip(&mapping.units);
    columns
        .filter_map(|((column, role), unit)| {
            let meaning = match role {
                Role::Ignore => return None,
                Role::Factor(factor) => format!("factor `{}`", definition.factors[*factor].key),
                Role::Metric(index) => metric(*index, &unit.symbol),
                Role::Level(level) => {
                    let (factor, index) = mapping.spread?;
                    let factor = &definition.factors[factor];
                    let level = &factor.levels[*level as usize].key;
                    format!(
                        "`{}` = `{level}`, {}",
                        factor.key,
                        metric(index, &unit.symbol)
                    )
                }
                Role::Replicate => "number of the repetition".to_owned(),
                Role::Block => "block".to_owned(),
                Role::Order => "place in the order".to_owned(),
                Role::At => "seconds since the start".to_owned(),
                Role::Reason => "reason of lacking values".to_owned(),
                Role::Note => "note on it".to_owned(),
            };
            Some((column.name.clone(), meaning))
        })
        .collect()
}

/// What nobody said of a file.
fn guessed(table: &Table<'_>, input: &Input<'_>, receipt: &Receipt) -> Vec<String> {
    let mut guessed = Vec::new();
    if input.entry.format.is_none() {
        guessed.push(format!("the format: {}", receipt.format));
    }
    if table.replicates && !input.entry.replicates {
        guessed.push("that values of the same case are repetitions".to_owned());
    }
    guessed
}
