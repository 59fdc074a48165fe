//! Trials on real databases, for the tests of workloads.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::super::engine::{self, Connection, Engine, Instance, Requested, Start};
use super::super::fault::Fault;
use super::super::stop::{Deadline, Stop};
use super::{Load, Measured, ParameterKind, Parameters, Task, Workload};
use crate::text::Unit;

/// A running instance with a folder of its own. Several workloads can be tried there, one after the other.
pub(super) struct Place {
    pub(super) engine: &'static dyn Engine,
    pub(super) instance: Box<dyn Instance>,
    folder: tempfile::TempDir,
}

/// A workload with its parameters, and where it is tried.
pub(super) struct Bench {
    pub(super) workload: &'static dyn Workload,
    pub(super) parameters: Parameters,
    pub(super) seed: u64,
    pub(super) deadline: Deadline,
    pub(super) done: AtomicU64,
    pub(super) place: Arc<Place>,
    files: PathBuf,
}

pub(super) fn limit() -> Deadline {
    Stop::default().limit(Duration::from_secs(300))
}

/// Settings with which an engine takes little room and doesn't wait for the disk.
fn light(engine: &str) -> &'static [(&'static str, &'static str)] {
    match engine {
        // With a log, which lets readers go on while one writes.
        "sqlite" => &[("synchronous", "OFF"), ("journal_mode", "WAL")],
        "postgres" => &[
            ("shared_buffers", "16MB"),
            ("synchronous_commit", "off"),
            ("deadlock_timeout", "20ms"),
        ],
        "mariadb" => &[
            ("innodb_buffer_pool_size", "32M"),
            ("innodb_log_file_size", "16M"),
            ("innodb_flush_log_at_trx_commit", "0"),
        ],
        "firebird" => &[("forced_writes", "false"), ("DeadlockTimeout", "1")],
        _ => &[],
    }
}

impl Place {
    /// Starts an instance; of several values of a setting, the last counts.
    pub(super) fn new(
        engine: &'static dyn Engine,
        settings: &[(&str, &str)],
        deadline: &Deadline,
    ) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        open(folder.path());
        std::fs::create_dir(folder.path().join("data")).expect("a folder");
        std::fs::create_dir(folder.path().join("files")).expect("a folder");
        let mut requested: Vec<Requested> = Vec::new();
        for (name, value) in light(engine.name()).iter().chain(settings) {
            requested.retain(|it| it.name != *name);
            requested.push(Requested {
                name: (*name).into(),
                value: (*value).into(),
            });
        }
        let start = Start {
            folder: &folder.path().join("data"),
            from: None,
            settings: &requested,
            server: None,
            deadline,
            commands: None,
        };
        Self {
            engine,
            instance: engine.start(&start).expect("an instance"),
            folder,
        }
    }

    /// The folder for files of workloads.
    fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }
}

/// Lets other users enter a folder: a server may run as one.
fn open(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let opened = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder, opened).expect("an open folder");
    }
    #[cfg(not(unix))]
    let _ = folder;
}

impl Bench {
    /// On the embedded engine.
    pub(super) fn new(workload: &str, parameters: &[(&str, &str)]) -> Self {
        Self::with(workload, parameters, &[], limit())
    }

    /// On the embedded engine with these settings.
    pub(super) fn with(
        workload: &str,
        parameters: &[(&str, &str)],
        settings: &[(&str, &str)],
        deadline: Deadline,
    ) -> Self {
        let sqlite = engine::find("sqlite").expect("an engine");
        let place = Place::new(sqlite, settings, &deadline);
        Self::at(&Arc::new(place), workload, parameters, deadline)
    }

    /// At a place that others use too.
    pub(super) fn at(
        place: &Arc<Place>,
        workload: &str,
        parameters: &[(&str, &str)],
        deadline: Deadline,
    ) -> Self {
        let workload = super::find(workload).expect("a workload");
        Self {
            workload,
            parameters: complete(workload, parameters),
            seed: 7,
            deadline,
            done: AtomicU64::new(0),
            place: Arc::clone(place),
            files: place.files(),
        }
    }

    pub(super) fn task(&self) -> Task<'_> {
        Task {
            instance: &*self.place.instance,
            parameters: &self.parameters,
            seed: self.seed,
            folder: &self.files,
            deadline: &self.deadline,
            done: &self.done,
            commands: None,
        }
    }

    pub(super) fn prepare(&self) -> Result<(), Fault> {
        self.workload.prepare(&self.task())
    }

    pub(super) fn connect(&self) -> Box<dyn Connection> {
        self.place.instance.connect().expect("a connection")
    }

    /// The digest of each of the workload's tables.
    pub(super) fn digests(&self) -> Vec<String> {
        let digest = |table| super::digest(&*self.place.instance, table, &self.deadline);
        let tables = self.workload.tables().iter();
        tables
            .map(digest)
            .collect::<Result<_, _>>()
            .expect("digests")
    }

    /// Whether each of these changes to the database, undone by the statement beside it, makes the
    /// check fail with such words.
    pub(super) fn check_sees(&self, load: &mut dyn Load, changes: &[(&str, &str, &str)]) {
        // No connection stays: some checks need to be alone.
        let execute = |sql: &str| {
            let rows = self.connect().execute(sql, &[]);
            assert!(rows.as_ref().is_ok_and(|rows| *rows > 0), "{sql}: {rows:?}");
        };
        for (change, undo, words) in changes {
            assert_eq!(load.verify(), Ok(()), "before {change}");
            execute(change);
            let fault = load.verify().expect_err(change);
            assert!(fault.message.contains(words), "{change}: {fault}");
            execute(undo);
        }
        assert_eq!(load.verify(), Ok(()));
    }

    /// What the folder for the workload's own files holds.
    pub(super) fn leftovers(&self) -> usize {
        let is_file = |path: &Path| path.is_file();
        let entries = std::fs::read_dir(&self.files).expect("a folder");
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
