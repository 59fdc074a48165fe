//! Trials on real databases, for the tests of workloads.

use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::super::engine::{self, Connection, Instance, Requested, Start};
use super::super::fault::Fault;
use super::super::stop::{Deadline, Stop};
use super::{Load, Measured, ParameterKind, Parameters, Task, Workload};
use crate::text::Unit;

/// A workload with its parameters, and an instance to try it on.
pub(super) struct Bench {
    pub(super) workload: &'static dyn Workload,
    pub(super) parameters: Parameters,
    pub(super) seed: u64,
    pub(super) deadline: Deadline,
    pub(super) done: AtomicU64,
    pub(super) instance: Box<dyn Instance>,
    folder: tempfile::TempDir,
}

pub(super) fn limit() -> Deadline {
    Stop::default().limit(Duration::from_secs(300))
}

impl Bench {
    /// Of the embedded engine, with a log, which lets readers go on while one writes.
    pub(super) fn new(workload: &str, parameters: &[(&str, &str)]) -> Self {
        Self::with(workload, parameters, &[("journal_mode", "WAL")], limit())
    }

    pub(super) fn with(
        workload: &str,
        parameters: &[(&str, &str)],
        settings: &[(&str, &str)],
        deadline: Deadline,
    ) -> Self {
        let workload = super::find(workload).expect("a workload");
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("data")).expect("a folder");
        let settings: Vec<Requested> = [&[("synchronous", "OFF")], settings]
            .concat()
            .iter()
            .map(|(name, value)| Requested {
                name: (*name).into(),
                value: (*value).into(),
            })
            .collect();
        let start = Start {
            folder: &folder.path().join("data"),
            from: None,
            settings: &settings,
            server: None,
            deadline: &deadline,
            commands: None,
        };
        let sqlite = engine::find("sqlite").expect("an engine");
        let instance = sqlite.start(&start).expect("an instance");
        Self {
            workload,
            parameters: complete(workload, parameters),
            seed: 7,
            deadline,
            done: AtomicU64::new(0),
            instance,
            folder,
        }
    }

    pub(super) fn task(&self) -> Task<'_> {
        Task {
            instance: &*self.instance,
            parameters: &self.parameters,
            seed: self.seed,
            folder: self.folder.path(),
            deadline: &self.deadline,
            done: &self.done,
            commands: None,
        }
    }

    pub(super) fn prepare(&self) -> Result<(), Fault> {
        self.workload.prepare(&self.task())
    }

    pub(super) fn connect(&self) -> Box<dyn Connection> {
        self.instance.connect().expect("a connection")
    }

    /// The digest of each of the workload's tables.
    pub(super) fn digests(&self) -> Vec<String> {
        let digest = |table| super::digest(&*self.instance, table, &self.deadline);
        let tables = self.workload.tables().iter();
        tables
            .map(digest)
            .collect::<Result<_, _>>()
            .expect("digests")
    }

    /// Whether each of these changes to the database, undone by the statement beside it, makes the
    /// check fail with such words.
    pub(super) fn check_sees(&self, load: &mut dyn Load, changes: &[(&str, &str, &str)]) {
        let mut connection = self.connect();
        for (change, undo, words) in changes {
            assert_eq!(load.verify(), Ok(()), "before {change}");
            assert_ne!(connection.execute(change, &[]), Ok(0), "{change}");
            let fault = load.verify().expect_err(change);
            assert!(fault.message.contains(words), "{change}: {fault}");
            assert_ne!(connection.execute(undo, &[]), Ok(0), "{undo}");
        }
        assert_eq!(load.verify(), Ok(()));
    }

    /// What the folder for the workload's own files holds.
    pub(super) fn leftovers(&self) -> usize {
        let is_file = |path: &Path| path.is_file();
        let entries = std::fs::read_dir(self.folder.path()).expect("a folder");
        entries
            .filter(|entry| is_file(&entry.as_ref().expect("an entry").path()))
            .count()
    }
}

/// The parameters of a workload with some of them given, all as texts; the last of a name counts.
fn complete(workload: &dyn Workload, given: &[(&str, &str)]) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, _) in given {
        let known = workload.parameters().iter().any(|it| it.name == *name);
        assert!(known, "{name}");
    }
    for parameter in workload.parameters() {
        let given = given.iter().rfind(|(name, _)| *name == parameter.name);
        let text = given.map_or(parameter.default, |(_, text)| text);
        if let ParameterKind::Choice(words) = parameter.kind {
            assert!(words.contains(&text), "{text}");
            parameters.words.insert(parameter.name.into(), text.into());
            continue;
        }
        let (number, unit) = text.split_once(' ').unwrap_or((text, ""));
        let unit = Unit::parse(unit).expect("a unit");
        let number = unit.to_base(number.parse().expect("a number"));
        if let ParameterKind::Count(low, high) = parameter.kind {
            assert!(number >= low as f64 && number <= high as f64, "{text}");
        }
        parameters.numbers.insert(parameter.name.into(), number);
    }
    parameters
}

/// A result by its name.
pub(super) fn value(measured: &Measured, name: &str) -> f64 {
    let value = measured.values.iter().find(|(it, _)| it == name);
    value.map(|(_, value)| *value).expect(name)
}

/// Whether a trial gave each result that its workload says it gives, once, and no other.
pub(super) fn gives_all(workload: &dyn Workload, measured: &Measured) {
    let mut given: Vec<&str> = measured.values.iter().map(|(name, _)| &**name).collect();
    let mut said: Vec<&str> = workload.results().iter().map(|it| it.name).collect();
    given.sort_unstable();
    said.sort_unstable();
    assert_eq!(given, said);
    assert!(measured.values.iter().all(|(_, value)| value.is_finite()));
}
