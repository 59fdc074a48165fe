//! Run folders below `runs/`: `run.json` says what a run was, `samples.csv` what it gave.

use std::sync::Arc;

use super::entry::Entry;
use super::format::Input;
use super::level::Axes;
use super::loading::Loading;
use super::observed;
use super::record::{FORMAT, RunRecord, VERSION};
use crate::diag::{Code, Diagnostic, Report, Source, Span};
use crate::model::{Environment, Origin, Run};
use crate::source::File;
use crate::text::Localized;

impl Loading<'_> {
    /// Reads every run folder, in the order of their names.
    pub(super) fn runs(&mut self, report: &mut Report) {
        let runs = format!("{}/runs", self.folder);
        let records: Vec<(String, &File)> = self
            .files
            .below(&runs)
            .filter_map(|(path, file)| {
                let key = path[runs.len() + 1..].strip_suffix("/run.json")?;
                Some((key.to_owned(), file))
            })
            .collect();
        for (key, file) in records {
            let path = format!("{runs}/{key}/run.json");
            let Some(source) = file.text() else {
                not_utf8(&path, report);
                continue;
            };
            self.run(&key, source, report);
        }
    }

    fn run(&mut self, key: &str, source: &Arc<Source>, report: &mut Report) {
        let Some(record) = read(source, report) else {
            return;
        };
        let Some(origin) = Origin::parse(&record.origin) else {
            let fault = bad(source, format!("`{}` is no origin", record.origin));
            let known = [Origin::Published, Origin::Imported, Origin::Measured].map(Origin::key);
            return report.push(fault.suggest(&record.origin, known));
        };
        if self.collection.run_mut(key).is_some() {
            return report.push(
                bad(
                    source,
                    format!("a file in experiment.toml belongs to a run `{key}` too"),
                )
                .help("rename the folder, or give the file another `run` key"),
            );
        }
        let facts = (record.environment.iter())
            .map(|(key, value)| (key.clone(), Localized::new(words(value))))
            .collect();
        let effective = (record.settings.iter())
            .map(|(name, value)| (name.clone(), words(value)))
            .collect();
        let (watched_every, inputs) = (record.watched_every(), record.inputs());
        let run = self.collection.add_run(Run {
            key: key.to_owned(),
            origin,
            started: record.started,
            environment: Environment { facts },
            effective,
            source: record.source,
            command: record.command,
            inputs,
            series: Vec::new(),
            watched_every,
            settings: Vec::new(),
        });
        if let Some(samples) = self.table_of_run(key, "samples.csv", report) {
            let entry = Entry::of_run(key, origin, &samples, self.definition.sizes);
            self.table(
                &Input {
                    source: &samples,
                    entry: &entry,
                    native: true,
                },
                run,
                report,
            );
        }
        if let Some(source) = self.table_of_run(key, "settings.csv", report) {
            let mut axes = Axes {
                definition: &mut self.definition,
                levels: &mut self.levels,
            };
            let settings = observed::settings(&mut axes, &source, report);
            self.collection.add_file(&source);
            if let Some((_, run)) = self.collection.run_mut(key) {
                run.settings = settings;
            }
        }
        if let Some(source) = self.table_of_run(key, "timeline.csv", report) {
            let series = observed::read_series(&source, report);
            self.collection.add_file(&source);
            if let Some((_, run)) = self.collection.run_mut(key) {
                run.series = series;
            }
        }
    }

    /// A table of a run folder; `None` for one that isn't there, or in which nothing was written yet.
    fn table_of_run(&self, key: &str, name: &str, report: &mut Report) -> Option<Arc<Source>> {
        let path = format!("{}/runs/{key}/{name}", self.folder);
        let file = self.files.get(&path)?;
        let Some(source) = file.text() else {
            not_utf8(&path, report);
            return None;
        };
        (!source.text.trim().is_empty()).then(|| Arc::clone(source))
    }
}

fn not_utf8(path: &str, report: &mut Report) {
    report.push(Diagnostic::new(Code::NotUtf8, format!("`{path}` is not UTF-8")).in_file(path));
}

fn bad(source: &Arc<Source>, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadResultFile, message).at(Span::line(source, 1), "")
}

/// Reads a `run.json`.
fn read(source: &Arc<Source>, report: &mut Report) -> Option<RunRecord> {
    let record: RunRecord = match serde_json::from_str(&source.text) {
        Ok(record) => record,
        Err(error) => {
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let line = Span::line(source, error.line().max(1));
            report.push(
                Diagnostic::new(
                    Code::BadResultFile,
                    format!("this is no run record: {message}"),
                )
                .at(line, ""),
            );
            return None;
        }
    };
    if record.format != FORMAT {
        report.push(bad(
            source,
            format!(
                "the format is `{}`, and `{FORMAT}` is needed",
                record.format
            ),
        ));
        return None;
    }
    if record.version > VERSION {
        report.push(
            bad(
                source,
                format!(
                    "version {} of the run format is newer than this program",
                    record.version
                ),
            )
            .help("use a newer benchbook"),
        );
        return None;
    }
    Some(record)
}

/// A fact or setting in words.
fn words(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        other => other.to_string(),
    }
}
