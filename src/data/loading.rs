//! From files to experiments: definition, overlays, result files, run folders, derived metrics.

use std::collections::BTreeSet;
use std::sync::Arc;

use rayon::prelude::*;

use super::collect::Collection;
use super::definition::{self, Declared};
use super::entry::Entry;
use super::faults::Faults;
use super::format::{self, Input, Table};
use super::level::{Axes, Levels};
use super::receipt::Receipt;
use super::{derive, mapping, overlay, rows};
use crate::diag::{Code, Diagnostic, Report, Severity, Source};
use crate::model::{Definition, Experiment, Run};
use crate::source::{File, Files, is_text_name};
use crate::text::Lang;

/// An experiment, and what became of each of its result files.
pub type Loaded = (Experiment, Vec<Receipt>);

/// Reads every experiment below `data/`, in the order of their keys. Faults go to the report;
/// an experiment whose definition can't be read is left out.
pub fn load(files: &Files, languages: &[Lang], report: &mut Report) -> Vec<Experiment> {
    let all = load_with_receipts(files, languages, report).into_iter();
    all.map(|(experiment, _)| experiment).collect()
}

/// The same, with what became of each result file.
pub fn load_with_receipts(files: &Files, languages: &[Lang], report: &mut Report) -> Vec<Loaded> {
    let keys: Vec<&str> = keys(files).into_iter().collect();
    let loaded: Vec<(Option<Loaded>, Report)> = keys
        .par_iter()
        .map(|key| {
            let mut report = Report::new();
            (experiment(files, key, languages, &mut report), report)
        })
        .collect();
    let mut experiments = Vec::new();
    for (experiment, own) in loaded {
        report.absorb(own);
        experiments.extend(experiment);
    }
    experiments
}

/// The definition of one experiment, without its results: levels that only files declare aren't in it.
/// Faults go to the report; `None` when there is no such experiment, or its definition can't be read.
pub fn definition(key: &str, files: &Files, report: &mut Report) -> Option<Definition> {
    declared(key, files, report).map(|declared| declared.definition)
}

/// What one experiment's `experiment.toml` says.
pub(super) fn declared(key: &str, files: &Files, report: &mut Report) -> Option<Declared> {
    let path = format!("data/{key}/experiment.toml");
    let Some(file) = files.get(&path) else {
        let message = format!("there is no experiment `{key}`");
        let fault = Diagnostic::new(Code::UnknownExperiment, message).in_file(path);
        let known: Vec<&str> = keys(files).into_iter().collect();
        report.push(fault.suggest(key, known));
        return None;
    };
    // Bytes were reported when they were read.
    definition::read(key, file.text()?, report)
}

/// The keys of all experiments, in order.
fn keys(files: &Files) -> BTreeSet<&str> {
    files
        .below("data")
        .filter_map(|(path, _)| path.strip_prefix("data/")?.strip_suffix("/experiment.toml"))
        .collect()
}

fn experiment(files: &Files, key: &str, languages: &[Lang], report: &mut Report) -> Option<Loaded> {
    let folder = format!("data/{key}");
    let source = text(files, &format!("{folder}/experiment.toml"))?;
    let mut declared = definition::read(key, &source, report)?;
    overlays(files, &folder, languages, &mut declared, report);
    let Declared {
        definition,
        environment,
        entries,
    } = declared;
    let levels = definition.factors.iter().map(Levels::new).collect();
    let mut loading = Loading {
        files,
        folder,
        definition,
        levels,
        collection: Collection::default(),
        receipts: Vec::new(),
    };
    for entry in &entries {
        loading.entry(entry, &environment, report);
    }
    loading.runs(report);
    let mut experiment = loading
        .collection
        .finish(loading.definition, &loading.levels);
    derive::derive(&mut experiment, report);
    Some((experiment, loading.receipts))
}

/// A text file, if it is one.
fn text(files: &Files, path: &str) -> Option<Arc<Source>> {
    match files.get(path)? {
        File::Text(source) => Some(Arc::clone(source)),
        // Reported when it was read.
        File::Bytes(_) => None,
    }
}

fn overlays(
    files: &Files,
    folder: &str,
    languages: &[Lang],
    declared: &mut Declared,
    report: &mut Report,
) {
    for (path, _) in files.below(folder) {
        let name = &path[folder.len() + 1..];
        let tag = name
            .strip_prefix("experiment.")
            .and_then(|name| name.strip_suffix(".toml"));
        let Some(tag) = tag.filter(|tag| !tag.contains('/')) else {
            continue;
        };
        let lang = Lang::parse(tag).filter(|lang| languages.contains(lang));
        let Some(source) = text(files, path) else {
            continue;
        };
        match lang {
            Some(lang) => overlay::apply(declared, &lang, &source, report),
            None => {
                let mut fault = Diagnostic::new(
                    Code::UnknownLanguage,
                    format!("the site has no language `{tag}`; this file is not used"),
                )
                .in_file(path)
                .suggest(tag, languages.iter().map(Lang::tag))
                .help("to use it, add the language to `languages` in site.toml")
                .may_follow_from("site.toml");
                fault.severity = Severity::Warning;
                report.push(fault);
            }
        }
    }
}

/// An experiment while its result files are read.
pub(super) struct Loading<'f> {
    pub(super) files: &'f Files,
    pub(super) folder: String,
    pub(super) definition: Definition,
    pub(super) levels: Vec<Levels>,
    pub(super) collection: Collection,
    receipts: Vec<Receipt>,
}

impl Loading<'_> {
    /// Reads the file of an entry.
    fn entry(
        &mut self,
        entry: &Entry,
        environment: &crate::model::Environment,
        report: &mut Report,
    ) {
        let Some(source) = self.find(entry, report) else {
            return;
        };
        let facts = entry.environment.as_ref().map(|(facts, _)| facts);
        let mut own = environment.clone();
        for (key, value) in facts.iter().flat_map(|facts| &facts.facts) {
            match own.get_mut(key) {
                Some(fact) => *fact = value.clone(),
                None => own.facts.push((key.clone(), value.clone())),
            }
        }
        let run = match self.collection.run_mut(&entry.run) {
            None => self.collection.add_run(Run {
                key: entry.run.clone(),
                origin: entry.origin,
                started: None,
                environment: own,
                effective: Vec::new(),
                source: entry.source.clone(),
                command: None,
                inputs: Vec::new(),
                series: Vec::new(),
                watched_every: None,
                settings: Vec::new(),
            }),
            Some((index, run)) => {
                let differs = if run.origin != entry.origin {
                    Some("origin")
                } else if run.source.is_some()
                    && entry.source.is_some()
                    && run.source != entry.source
                {
                    Some("source")
                } else if facts.is_some()
                    && run.environment != *environment
                    && run.environment != own
                {
                    Some("environment")
                } else {
                    None
                };
                if let Some(what) = differs {
                    report.push(
                        Diagnostic::new(
                            Code::BadDefinition,
                            format!("the run `{}` has another {what} in an earlier file", run.key),
                        )
                        .at(entry.span.clone(), "")
                        .help("values of different origins or environments are never pooled: give this file a `run` of its own"),
                    );
                    return;
                }
                run.source = run.source.take().or_else(|| entry.source.clone());
                if facts.is_some() {
                    run.environment = own;
                }
                index
            }
        };
        self.table(
            &Input {
                source: &source,
                entry,
                native: false,
            },
            run,
            report,
        );
    }

    /// Reads a file's table into a run.
    pub(super) fn table(&mut self, input: &Input<'_>, run: u32, report: &mut Report) {
        let mut receipt = Receipt::new(&input.source.path);
        let file = self.collection.add_file(input.source);
        let table = format::read(input, &mut receipt, report);
        if let Some(table) = table.filter(|table| has_rows(table, input, report)) {
            let mut faults = Faults::new(&input.source.path, report);
            let before = self.collection.len();
            let mut axes = Axes {
                definition: &mut self.definition,
                levels: &mut self.levels,
            };
            let map = mapping::map(&table, input, &mut axes, &mut receipt, &mut faults);
            if let Some(mapping) = map {
                let repeats = input.entry.replicates || table.replicates;
                self.collection.reserve(table.lines.len());
                rows::read(
                    &table,
                    &mapping,
                    input,
                    &mut axes,
                    &mut receipt,
                    &mut faults,
                    |row, faults| self.collection.add_row(row, (file, run), repeats, faults),
                );
            }
            receipt.observations = self.collection.len() - before;
        }
        receipt.tell(report);
        self.receipts.push(receipt);
    }

    fn find(&self, entry: &Entry, report: &mut Report) -> Option<Arc<Source>> {
        let inside = entry
            .path
            .split('/')
            .all(|name| !matches!(name, "" | "." | ".."));
        if !inside || entry.path.contains('\\') {
            report.push(
                Diagnostic::new(Code::UnsafePath, format!("`{}` leaves the experiment's folder", entry.path))
                    .at(entry.span.clone(), "")
                    .help("a path runs from the folder of experiment.toml downwards, with `/` between names"),
            );
            return None;
        }
        let path = format!("{}/{}", self.folder, entry.path);
        match self.files.get(&path) {
            Some(File::Text(source)) => Some(Arc::clone(source)),
            Some(File::Bytes(_)) => {
                if !is_text_name(&path) {
                    report.push(
                        Diagnostic::new(
                            Code::UnknownFormat,
                            format!("`{path}` is no text, and no other format can be read"),
                        )
                        .at(entry.span.clone(), "")
                        .help("export it as CSV in UTF-8"),
                    );
                }
                None
            }
            None => {
                let known = self.files.below(&self.folder).map(|(path, _)| path);
                let known = known.map(|path| &path[self.folder.len() + 1..]);
                let known = known.filter(|path| !path.ends_with(".toml"));
                report.push(
                    Diagnostic::new(Code::MissingDataFile, format!("there is no file `{path}`"))
                        .at(entry.span.clone(), "")
                        .suggest(&entry.path, known),
                );
                None
            }
        }
    }
}

/// Whether a table has rows; one without is reported, unless the runner has only begun it.
pub(super) fn has_rows(table: &Table<'_>, input: &Input<'_>, report: &mut Report) -> bool {
    let empty = table.lines.is_empty();
    if empty && !input.native {
        report.push(
            Diagnostic::new(
                Code::EmptyFile,
                format!("`{}` has no row with values", input.source.path),
            )
            .at(input.entry.span.clone(), "named here")
            .may_follow_from(&*input.source.path),
        );
    }
    !empty
}
