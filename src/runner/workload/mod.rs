//! Workloads: what an engine is made to do. One file each, listed in `WORKLOADS`.

mod age;
mod answer;
mod bulk_load;
mod compare;
mod crowd;
mod digest;
#[cfg(test)]
mod examples;
mod fill;
mod insert_update;
mod latency;
#[cfg(test)]
mod on_engines;
mod restore;
mod tpcc_like;
#[cfg(test)]
mod trial;
mod update_only;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;

pub use digest::digest;

use super::engine::{Instance, Table};
use super::fault::Fault;
use super::stop::Deadline;

pub mod command;

/// A kind of work.
pub trait Workload: Sync {
    /// Its name in `[run]` and on the command line.
    fn name(&self) -> &'static str;

    /// What it does, in a sentence or two.
    fn meaning(&self) -> &'static str;

    /// What can be set about it.
    fn parameters(&self) -> &'static [Parameter];

    /// What it gives.
    fn results(&self) -> &'static [Outcome];

    /// Whether it builds data that other trials can begin with a copy of.
    fn builds_data(&self) -> bool {
        true
    }

    /// How much room on the disk a trial with these parameters takes, roughly, in bytes; `None` where
    /// that can't be said.
    fn disk(&self, _parameters: &Parameters) -> Option<f64> {
        None
    }

    /// How many seconds a trial with these parameters is told to work, without building data and checking
    /// it; `None` where the work takes as long as it takes.
    fn seconds(&self, _parameters: &Parameters) -> Option<f64> {
        None
    }

    /// The tables that it prepares, whose content is the same on every engine; none if it has no such.
    fn tables(&self) -> &'static [Table] {
        &[]
    }

    /// Builds the data that a trial begins with. Depends on nothing but the seed and the parameters
    /// that shape data, so the runner may keep what it left and begin other trials with a copy.
    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault>;

    /// The work of one trial.
    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a>;
}

/// Every workload, in the order in which they are shown.
pub const WORKLOADS: &[&dyn Workload] = &[
    &insert_update::InsertUpdate,
    &update_only::UpdateOnly,
    &tpcc_like::TpccLike,
    &restore::Restore,
    &bulk_load::BulkLoad,
    &command::Command,
];

/// The workload with this name.
pub fn find(name: &str) -> Option<&'static dyn Workload> {
    WORKLOADS.iter().copied().find(|it| it.name() == name)
}

/// The work of one trial.
pub trait Load {
    /// Does it, watched and timed.
    fn measure(&mut self) -> Result<Measured, Fault>;

    /// Checks its answer: what is in the database has to follow from what was done. Not timed.
    fn verify(&mut self) -> Result<(), Fault>;
}

/// A parameter of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Its name in `[run.parameters]`.
    pub name: &'static str,
    /// What its values are.
    pub kind: ParameterKind,
    /// Its value unless given.
    pub default: &'static str,
    /// Whether data built with another value are other data.
    pub shapes_data: bool,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// What the values of a parameter are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ParameterKind {
    /// A whole number between these.
    Count(u64, u64),
    /// An amount of data, in bytes.
    Bytes,
    /// A length of time, in seconds.
    Duration,
    /// A share between 0 and 1.
    Share,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl ParameterKind {
    /// What values it takes, in words.
    pub fn words(self) -> String {
        match self {
            Self::Count(low, high) if high == u64::MAX => {
                format!("a whole number from {low}")
            }
            Self::Count(low, high) => format!("a whole number from {low} to {high}"),
            Self::Bytes => "an amount of data such as `64 MiB`".to_owned(),
            Self::Duration => "a length of time such as `10 s`".to_owned(),
            Self::Share => "a share from 0 to 1, or `0 %` to `100 %`".to_owned(),
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
        }
    }
}

/// A result of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Outcome {
    /// Its name in `[run.results]`.
    pub name: &'static str,
    /// The symbol of the base unit its figures stand in (`1/s`, `s`, `B`).
    pub unit: &'static str,
    /// What it means, in a sentence.
    pub meaning: &'static str,
}

/// What one trial has to do with.
pub struct Task<'a> {
    /// The instance, at rest.
    pub instance: &'a dyn Instance,
    /// Parameters, checked and complete.
    pub parameters: &'a Parameters,
    /// Seed of all generated data.
    pub seed: u64,
    /// A folder for files of the workload's own, beside the instance's data; copied with them.
    pub folder: &'a Path,
    /// The trial's limit.
    pub deadline: &'a Deadline,
    /// What is done so far, for the series `throughput`.
    pub done: &'a AtomicU64,
    /// The programs of the `command` workload, filled for the case.
    pub commands: Option<&'a FilledCommands>,
}

/// The programs of the `command` workload, filled for a case.
#[derive(Debug, Clone)]
pub struct FilledCommands {
    /// Run before the measurement.
    pub setup: Vec<FilledCommand>,
    /// What is measured.
    pub measure: FilledCommand,
    /// Run after it, whatever became of it.
    pub teardown: Vec<FilledCommand>,
    /// What prints the version of what is measured.
    pub version: Option<FilledCommand>,
    /// What prints the effective value of a setting, by the setting's name.
    pub read_back: Vec<(String, FilledCommand)>,
    /// How results are found.
    pub results: crate::model::CommandResults,
    /// The case's own folder, which `{scratch}` named; they run in it.
    pub scratch: std::path::PathBuf,
    /// The file that `{output}` named.
    pub output: std::path::PathBuf,
    /// The file that everything printed is appended to.
    pub log: std::path::PathBuf,
}

/// One program with its arguments, filled for a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledCommand {
    /// Program and arguments; for a shell, its one text.
    pub words: Vec<String>,
    /// Whether the one text is given to the system's shell.
    pub shell: bool,
}

/// Parameters of a trial, checked against the workload's table, in base units.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    /// Numbers by name: counts, bytes, seconds, shares.
    pub numbers: BTreeMap<String, f64>,
    /// Words by name.
    pub words: BTreeMap<String, String>,
}

impl Parameters {
    /// A whole number; 0 for one that the table doesn't have.
    pub fn count(&self, name: &str) -> u64 {
        self.number(name) as u64
    }

    /// A number in base units; 0 for one that the table doesn't have.
    pub fn number(&self, name: &str) -> f64 {
        self.numbers.get(name).copied().unwrap_or_default()
    }

    /// A word; empty for one that the table doesn't have.
    pub fn word(&self, name: &str) -> &str {
        self.words.get(name).map_or("", String::as_str)
    }
}

/// What a trial gave.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// Results by name, in base units.
    pub values: Vec<(String, f64)>,
    /// Results of each step, where the work has steps: key of the step, results by name.
    pub steps: Vec<(String, Vec<(String, f64)>)>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::engine::ENGINES;
    use super::*;
    use crate::text::Unit;

    #[test]
    fn tables_of_workloads_are_complete() {
        let mut workloads = BTreeSet::new();
        for workload in WORKLOADS {
            let name = workload.name();
            assert!(workloads.insert(name), "{name} twice");
            assert!(workload.meaning().ends_with('.'), "{name}");
            let mut names = BTreeSet::new();
            for parameter in workload.parameters() {
                assert!(names.insert(parameter.name), "{name}: {}", parameter.name);
                assert!(parameter.meaning.ends_with('.'), "{}", parameter.name);
            }
            let mut names = BTreeSet::new();
            for result in workload.results() {
                assert!(names.insert(result.name), "{name}: {}", result.name);
                assert!(result.meaning.ends_with('.'), "{}", result.name);
                let unit = Unit::parse(result.unit).expect("a unit");
                assert_eq!(unit.scale, 1.0, "{}: a base unit", result.name);
            }
            assert!(find(name).is_some_and(|found| found.name() == name));
        }
        assert!(find("nothing").is_none());
    }

    /// So the result of an engine can stand beside those of any workload, and means the same wherever it is.
    #[test]
    fn results_of_engines_are_theirs_alone() {
        let of_workloads: BTreeSet<&str> = WORKLOADS
            .iter()
            .flat_map(|it| it.results())
            .map(|it| it.name)
            .collect();
        let mut units = BTreeMap::new();
        for engine in ENGINES {
            let mut names = BTreeSet::new();
            for result in engine.results() {
                let name = format!("{} of {}", result.name, engine.name());
                assert!(names.insert(result.name), "{name} twice");
                assert!(!of_workloads.contains(result.name), "{name}");
                assert!(result.meaning.ends_with('.'), "{name}");
                let unit = Unit::parse(result.unit).expect("a unit");
                // A share is written as one, and stands for a number from 0 to 1.
                assert!(
                    unit.scale == 1.0 || result.unit == "%",
                    "{name}: a base unit"
                );
                let same = *units.entry(result.name).or_insert(result.unit);
                assert_eq!(same, result.unit, "{name}");
            }
        }
    }

    #[test]
    fn only_those_with_a_length_say_how_long_they_work() {
        let mut parameters = Parameters::default();
        for (name, seconds) in [
            ("duration", 7.0),
            ("warm_up", 2.0),
            ("baseline_limit", 60.0),
        ] {
            parameters.numbers.insert(name.to_owned(), seconds);
        }
        for workload in WORKLOADS {
            let is_timed = workload.parameters().iter().any(|it| it.name == "duration");
            let expected = is_timed.then_some(9.0);
            assert_eq!(
                workload.seconds(&parameters),
                expected,
                "{}",
                workload.name()
            );
        }
    }

    #[test]
    fn the_guide_tells_of_every_result_of_an_engine() {
        for engine in ENGINES.iter().filter(|it| !it.results().is_empty()) {
            let page = match engine.name() {
                "postgres" => "postgresql",
                name => name,
            };
            for language in ["", ".de", ".ru", ".vi"] {
                let root = env!("CARGO_MANIFEST_DIR");
                let page = format!("{root}/content/guide/{page}{language}.md");
                let text = std::fs::read_to_string(&page).expect("a page of the guide");
                for result in engine.results() {
                    assert!(
                        text.contains(&format!("`{}`", result.name)),
                        "{page}: {}",
                        result.name
                    );
                }
            }
        }
    }

    #[test]
    fn the_guide_tells_of_every_parameter_and_result() {
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/content/guide/workloads.md");
        let guide = std::fs::read_to_string(guide).expect("the guide");
        let section = |anchor: &str| {
            let start = guide.find(&format!("{{#{anchor}}}"));
            let rest = &guide[start.unwrap_or_else(|| panic!("no section `{anchor}`"))..];
            &rest[..rest.find("\n## ").unwrap_or(rest.len())]
        };
        // What the crowds have in common is told once.
        let crowd = section("crowd");
        for workload in WORKLOADS {
            let own = section(workload.name());
            let is_crowd = crowd.contains(&format!("`{}`", workload.name()));
            let common = if is_crowd { crowd } else { "" };
            for parameter in workload.parameters() {
                let name = format!("| `{}`", parameter.name);
                let mut rows = own.lines().chain(common.lines());
                let row = rows.find(|row| row.starts_with(&name));
                let row = row.unwrap_or_else(|| panic!("{}: {name}", workload.name()));
                let cells: Vec<&str> = row.split('|').map(str::trim).collect();
                assert!(cells[2].contains(parameter.default), "{row}");
                assert_eq!(cells[1].ends_with('*'), parameter.shapes_data, "{row}");
            }
            for result in workload.results() {
                let name = format!("`{}`", result.name);
                let is_told = own.contains(&name) || common.contains(&name);
                assert!(is_told, "{}: {name}", workload.name());
            }
        }
    }
}
