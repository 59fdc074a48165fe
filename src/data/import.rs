//! Foreign result files read by an experiment's definition into what a run folder holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::definition::Declared;
use super::entry::{self, Entry};
use super::format::{self, Input};
use super::gather::Gathering;
use super::receipt::{FileReceipt, Receipt};
use super::record::{self, FORMAT, RunRecord, VERSION};
use super::section::{self, Document, Section};
use super::{loading, sketch};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Definition, Origin};
use crate::source::{Files, reserved};
use crate::text::SizeConvention;

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
    let mut gathering = Gathering::new(definition);
    for (source, span) in &import.files {
        let entry = Entry {
            path: source.path.clone(),
            span: span.clone(),
            ..entry.clone()
        };
        receipts.extend(gathering.file(source, &entry, report));
    }
    if gathering.is_empty() && !report.has_errors() {
        let message = "there is no value in what is to be imported";
        let fault = Diagnostic::new(Code::EmptyFile, message);
        report.push(fault.at(import.files.first()?.1.clone(), ""));
    }
    if report.has_errors() {
        return None;
    }
    let collected = gathering.collected();
    let (definition, rows) = gathering.finish();
    let mut samples = record::header(&definition);
    for row in &rows {
        samples.push_str(&record::row(&definition, row));
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
