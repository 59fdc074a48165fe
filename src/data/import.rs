//! Foreign result files read by an experiment's definition into what a run folder holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::collect::Collection;
use super::definition::Declared;
use super::entry::{self, Entry};
use super::faults::Faults;
use super::format::{self, Input, Table};
use super::level::{Axes, Levels};
use super::mapping::{self, Mapping, Role};
use super::receipt::Receipt;
use super::record::{self, FORMAT, RunRecord, SampleRow, VERSION};
use super::section::{self, Document, Section};
use super::{loading, rows, sketch};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Definition, LevelValue, Missing, Origin, Sample, Value};
use crate::source::{Files, reserved};
use crate::text::{Reading, SizeConvention};

/// What is to be imported; each word with its place on the command line.
#[derive(Debug)]
pub struct Import<'a> {
    /// Key of the experiment.
    pub experiment: &'a str,
    /// Key of the new run.
    pub run: (String, Span),
    /// The files, and where each is named.
    pub files: Vec<(Arc<Source>, Span)>,
    /// Name of the format of all files; found out for each unless given.
    pub format: Option<(String, Span)>,
    /// Levels that hold for all files: factor, level.
    pub set: Vec<(String, String, Span)>,
    /// What the files' columns mean: the keys of a `[[files]]` entry that tell of a file's content.
    pub map: Option<Arc<Source>>,
}

/// What a run folder is to hold.
#[derive(Debug)]
pub struct Imported {
    /// `run.json`.
    pub record: RunRecord,
    /// `samples.csv`.
    pub samples: String,
    /// How many rows `samples.csv` has.
    pub rows: usize,
    /// How many cases there are.
    pub cases: usize,
    /// Levels that the definition doesn't declare: factor, levels.
    pub collected: Vec<(String, Vec<String>)>,
    /// Keys of facts that were left out because they could tell whose machine it was.
    pub private: Vec<String>,
}

/// What became of one file.
#[derive(Debug)]
pub struct FileReceipt {
    /// What was read, ignored and repaired.
    pub receipt: Receipt,
    /// What each column became.
    pub columns: Vec<(String, String)>,
    /// What nobody said.
    pub guessed: Vec<String>,
    /// How many of the observations are the reason why there is no value.
    pub lacking: usize,
    /// Values of a case that has one already; each such row is a fault.
    pub doubled: usize,
}

/// Facts that name a machine or its people; they are nobody's business.
const PRIVATE: [&str; 15] = [
    "host",
    "hostname",
    "machine",
    "machinename",
    "node",
    "nodename",
    "computer",
    "computername",
    "fqdn",
    "ip",
    "ipaddress",
    "mac",
    "serial",
    "user",
    "username",
];

/// Reads files into what a run folder holds, and tells what became of each. Faults go to the report;
/// with errors among them nothing is to be written, for half an import is worse than none.
pub fn import(
    site: &Files,
    import: &Import<'_>,
    report: &mut Report,
) -> (Vec<FileReceipt>, Option<Imported>) {
    let mut receipts = Vec::new();
    let imported = read(site, import, &mut receipts, report);
    (receipts, imported)
}

fn read(
    site: &Files,
    import: &Import<'_>,
    receipts: &mut Vec<FileReceipt>,
    report: &mut Report,
) -> Option<Imported> {
    let Declared {
        definition,
        entries,
        ..
    } = loading::declared(import.experiment, site, report)?;
    check_name(site, import, &entries, report);
    let mut entry = meaning(import, &definition, report);
    let private = strip_private(&mut entry);
    apply_words(import, &definition, &mut entry, report);
    let levels = definition.factors.iter().map(Levels::new).collect();
    let mut desk = Desk {
        open: definition
            .factors
            .iter()
            .map(|it| it.levels.is_empty())
            .collect(),
        definition,
        levels,
        collection: Collection::default(),
        rows: Vec::new(),
    };
    for (source, span) in &import.files {
        let entry = Entry {
            path: source.path.clone(),
            span: span.clone(),
            ..entry.clone()
        };
        receipts.extend(desk.file(source, &entry, report));
    }
    if desk.rows.is_empty() && !report.has_errors() {
        let message = "there is no value in what is to be imported";
        let fault = Diagnostic::new(Code::EmptyFile, message);
        report.push(fault.at(import.files.first()?.1.clone(), ""));
    }
    if report.has_errors() {
        return None;
    }
    let mut rows = desk.joined();
    let collected = desk.collected();
    desk.drop_unseen(&mut rows);
    let mut samples = record::header(&desk.definition);
    for row in &rows {
        samples.push_str(&record::row(&desk.definition, row));
    }
    let mut cases: Vec<&[u32]> = rows.iter().map(|row| &*row.levels).collect();
    cases.sort_unstable();
    cases.dedup();
    Some(Imported {
        record: record_of(&entry),
        samples,
        rows: rows.len(),
        cases: cases.len(),
        collected,
        private,
    })
}

/// A definition to begin with for what the first file holds, if it is a table.
pub fn sketch(import: &Import<'_>) -> Option<String> {
    let (source, span) = import.files.first()?;
    let entry = Entry {
        span: span.clone(),
        format: import.format.as_ref().map(|(name, _)| name.clone()),
        delimiter: None,
        ..Entry::of_run("", Origin::Imported, source, SizeConvention::Decimal)
    };
    let input = Input {
        source,
        entry: &entry,
        native: false,
    };
    let mut receipt = Receipt::new(&source.path);
    let table = format::read(&input, &mut receipt, &mut Report::new())?;
    Some(sketch::of(&table, import.experiment))
}

fn bad(message: String, span: &Span) -> Diagnostic {
    Diagnostic::new(Code::BadArgument, message).at(span.clone(), "")
}

/// Refuses a name that can't be a folder's, or that another run has.
fn check_name(site: &Files, import: &Import<'_>, entries: &[Entry], report: &mut Report) {
    let (run, span) = &import.run;
    let folder = format!("data/{}/runs/{run}", import.experiment);
    let fault = if run.is_empty() || run.starts_with('.') || run.contains(['/', '\\']) {
        bad(format!("`{run}` can't be a run's name"), span)
            .help("write a plain name such as `--run first`")
    } else if let Some(why) = reserved(run) {
        bad(format!("`{run}` {why}"), span).help("write another name: `--run NAME`")
    } else if site.below(&folder).next().is_some() {
        bad(format!("there is a run `{run}` already"), span)
            .help("write another name: `--run NAME`; nothing is ever written over")
    } else if let Some(entry) = entries.iter().find(|entry| entry.run == *run) {
        bad(
            format!("a file in experiment.toml belongs to a run `{run}` already"),
            span,
        )
        .at(entry.span.clone(), "this one")
        .help("write another name: `--run NAME`")
    } else {
        return;
    };
    report.push(fault);
}

/// What is said of the files' content.
fn meaning(import: &Import<'_>, definition: &Definition, report: &mut Report) -> Entry {
    let plain = Entry {
        format: None,
        delimiter: None,
        ..Entry::of_run(
            &import.run.0,
            Origin::Imported,
            &import.run.1.source,
            definition.sizes,
        )
    };
    let Some(map) = &import.map else {
        return plain;
    };
    let Some(table) = section::parse(map, report) else {
        return plain;
    };
    let document = Document::new(map, report);
    let section = Section::top(&document, &table);
    entry::read_meaning(&document, section, definition)
}

/// Adds what stands on the command line; it goes before what stands in a file.
fn apply_words(
    import: &Import<'_>,
    definition: &Definition,
    entry: &mut Entry,
    report: &mut Report,
) {
    if let Some((name, span)) = &import.format {
        let known = format::FORMATS.iter().map(|format| format.name);
        if known.clone().any(|known| known == name) {
            entry.format = Some(name.clone());
        } else {
            let message = format!("there is no format `{name}`");
            let fault = Diagnostic::new(Code::UnknownFormat, message).at(span.clone(), "");
            report.push(fault.suggest(name, known));
        }
    }
    let given = entry.set.len();
    for (key, level, span) in &import.set {
        let Some((factor, _)) = definition.factor(key) else {
            let known = definition.factors.iter().map(|factor| &*factor.key);
            let message = format!("there is no factor `{key}`");
            let fault = Diagnostic::new(Code::UnknownFactor, message).at(span.clone(), "");
            report.push(fault.suggest(key, known));
            continue;
        };
        if entry
            .set
            .iter()
            .skip(given)
            .any(|(there, ..)| *there == factor)
        {
            report.push(bad(format!("the level of `{key}` is given twice"), span));
            continue;
        }
        entry.set.push((factor, level.clone(), span.clone()));
    }
    let own: Vec<usize> = entry
        .set
        .iter()
        .skip(given)
        .map(|(factor, ..)| *factor)
        .collect();
    let mut at = 0;
    entry.set.retain(|(factor, ..)| {
        at += 1;
        at > given || !own.contains(factor)
    });
}

/// Leaves out facts that name a machine; gives their keys.
fn strip_private(entry: &mut Entry) -> Vec<String> {
    let mut private = Vec::new();
    if let Some((environment, _)) = &mut entry.environment {
        environment.facts.retain(|(key, _)| {
            let plain: String = key
                .chars()
                .filter(|letter| letter.is_alphanumeric())
                .collect();
            let keep = !PRIVATE.contains(&&*plain.to_lowercase());
            if !keep {
                private.push(key.clone());
            }
            keep
        });
    }
    private
}

fn record_of(entry: &Entry) -> RunRecord {
    let facts = entry.environment.iter().flat_map(|(it, _)| &it.facts);
    RunRecord {
        format: FORMAT.to_owned(),
        version: VERSION,
        origin: Origin::Imported.key().to_owned(),
        source: entry.source.clone(),
        started: None,
        command: None,
        environment: facts
            .map(|(key, value)| (key.clone(), value.source().into()))
            .collect(),
        settings: BTreeMap::new(),
        plan: None,
    }
}

/// What has been read so far.
struct Desk {
    definition: Definition,
    /// Which factors take their levels from the files.
    open: Vec<bool>,
    levels: Vec<Levels>,
    collection: Collection,
    rows: Vec<SampleRow>,
}

impl Desk {
    /// Reads a file; `None` when nothing can be said of it but its faults.
    fn file(
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
        if !loading::has_rows(&table, &input, report) {
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
        let (collection, all) = (&mut self.collection, &mut self.rows);
        let mut doubled = 0;
        let mut mixed = Vec::new();
        let before = collection.len();
        rows::read(
            &table,
            &mapping,
            &input,
            &mut axes,
            &mut receipt,
            &mut faults,
            |row, faults| {
                let excluded: Vec<(u32, Option<Value>)> = row
                    .found
                    .iter()
                    .map(|found| (found.metric, found.excluded))
                    .collect();
                let start = collection.len();
                collection.add_row(row, (file, 0), repeats, faults);
                doubled += excluded.len() - (collection.len() - start);
                let begin = all.len();
                for observation in collection.after(start) {
                    let metric = observation.metric;
                    let kept = excluded.iter().find(|(it, _)| *it == metric);
                    let kept = kept.and_then(|(_, value)| *value);
                    let same = |it: &&mut SampleRow| it.replicate == observation.replicate;
                    let own = match all[begin..].iter_mut().find(same) {
                        Some(own) => own,
                        None => {
                            all.push(empty(row, observation.replicate, measured.len()));
                            let last = all.len() - 1;
                            &mut all[last]
                        }
                    };
                    let at = measured.iter().position(|it| *it == metric);
                    let Some(cell) = at.and_then(|at| own.values.get_mut(at)) else {
                        continue;
                    };
                    match &observation.result {
                        Ok(Sample { value, .. }) => *cell = Some(*value),
                        Err(missing) => {
                            *cell = kept;
                            if !tell(own, missing) {
                                mixed.push(row.line);
                            }
                        }
                    }
                }
                // One that was stopped at its limit has a bound and a reason.
                for own in &mut all[begin..] {
                    let bound = |it: &Value| !matches!(it, Value::Exact(_));
                    if let Some(reason) = &row.reason
                        && own.values.iter().flatten().any(bound)
                    {
                        tell(own, reason);
                    }
                }
            },
        );
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
    fn collected(&mut self) -> Vec<(String, Vec<String>)> {
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
                let read = super::value::quantity(&level.key, &unit, reading);
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
    fn agree<T: PartialEq>(a: Option<T>, b: Option<T>) -> bool {
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
