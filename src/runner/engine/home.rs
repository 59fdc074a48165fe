//! Places where servers are tested: whatever becomes of a test, nothing of its server may be left.
#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::{ColumnType, Connection, Engine, Instance, Requested, Server, Start, Table, Value};
use crate::runner::disk::mark;
use crate::runner::fault::Fault;
use crate::runner::stop::{Deadline, Stop};

/// A table with a column of each type.
pub(super) const TABLE: Table = Table {
    name: "things",
    columns: &[
        ("id", ColumnType::Whole),
        ("parent", ColumnType::WholeOrNull),
        ("price", ColumnType::Money),
        ("name", ColumnType::Text(10)),
    ],
    key: &["id"],
};

pub(super) fn limit() -> Deadline {
    Stop::default().limit(Duration::from_secs(300))
}

pub(super) fn requested(name: &str, value: &str) -> Requested {
    Requested {
        name: name.into(),
        value: value.into(),
    }
}

/// A place for an instance. At its end nothing of that may be left.
pub(super) struct Home {
    pub(super) temp: tempfile::TempDir,
}

impl Home {
    pub(super) fn new() -> Self {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // A server's own user has to come in.
            builder.permissions(fs::Permissions::from_mode(0o755));
        }
        let home = Self {
            temp: builder.tempdir().unwrap(),
        };
        fs::create_dir_all(home.folder()).unwrap();
        home
    }

    /// The instance's own folder.
    pub(super) fn folder(&self) -> PathBuf {
        // Blanks and length must not matter.
        let long = "a long name ".repeat(9);
        self.temp.path().join(long.trim_end()).join("data")
    }

    /// A file of rows for a table.
    pub(super) fn file(&self, text: &str) -> PathBuf {
        let file = self.temp.path().join("things.csv");
        fs::write(&file, text).unwrap();
        file
    }

    /// The numbers and command lines of the processes that work here, or know the place from their environment or
    /// by what they were told.
    pub(super) fn processes(&self) -> Vec<(i32, String)> {
        let folder = fs::canonicalize(self.temp.path()).unwrap();
        let name = folder.to_string_lossy();
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let known = all.filter_map(|process| {
            let pid = process.file_name().to_str()?.parse().ok()?;
            let read = |name| {
                let bytes = fs::read(process.path().join(name)).unwrap_or_default();
                String::from_utf8_lossy(&bytes).replace('\0', " ")
            };
            let line = read("cmdline");
            let place = fs::read_link(process.path().join("cwd"));
            let is_here = place.is_ok_and(|place| place.starts_with(&folder))
                || line.contains(&*name)
                || read("environ").contains(&*name);
            is_here.then_some((pid, line))
        });
        known.collect()
    }

    pub(super) fn try_start(
        &self,
        engine: &dyn Engine,
        from: Option<&Path>,
        settings: &[(&str, &str)],
        deadline: &Deadline,
        server: Option<&Server>,
    ) -> Result<Box<dyn Instance>, Fault> {
        let settings: Vec<Requested> = (settings.iter())
            .map(|(name, value)| requested(name, value))
            .collect();
        engine.start(&Start {
            folder: &self.folder(),
            from,
            settings: &settings,
            server,
            deadline,
            commands: None,
        })
    }

    /// An instance that begins with nothing, or with what a stopped one has left.
    pub(super) fn begin(
        &self,
        engine: &dyn Engine,
        from: Option<&Path>,
        settings: &[(&str, &str)],
    ) -> Box<dyn Instance> {
        let started = self.try_start(engine, from, settings, &limit(), None);
        started.unwrap_or_else(|fault| panic!("{fault}: {}", fault.log))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.processes(), Vec::new());
            let sockets = format!("/tmp/benchbook-{}", mark(&self.folder()));
            assert!(!Path::new(&sockets).exists());
        }
    }
}

/// A small file system in memory.
pub(super) struct Small(PathBuf);

impl Small {
    /// `None` where that isn't allowed, which is said.
    pub(super) fn mount(folder: &Path, size: &str) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args([
            "-t",
            "tmpfs",
            "-o",
            &format!("size={size}"),
            "benchbook-test",
        ]);
        let done = mount.arg(folder).output();
        if done.is_ok_and(|it| it.status.success()) {
            return Some(Self(folder.to_owned()));
        }
        eprintln!("not tested: nothing can be mounted here");
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let done = Command::new("umount").arg(&self.0).status();
        assert!(done.unwrap().success());
    }
}

pub(super) fn create(connection: &mut dyn Connection, instance: &dyn Instance) {
    let sql = instance.dialect().unwrap().create_table(&TABLE);
    assert_eq!(connection.execute(&sql, &[]), Ok(0));
}

pub(super) fn insert(connection: &mut dyn Connection, id: i64) {
    let sql = "INSERT INTO things VALUES (?, NULL, 1, 'a')";
    assert_eq!(connection.execute(sql, &[id.into()]), Ok(1));
}

pub(super) fn count(connection: &mut dyn Connection) -> i64 {
    match answer(connection, "SELECT COUNT(*) FROM things") {
        Value::Whole(count) => count,
        other => panic!("{other:?}"),
    }
}

/// The only value of a query's answer.
pub(super) fn answer(connection: &mut dyn Connection, sql: &str) -> Value {
    let mut rows = connection.query(sql, &[]).unwrap();
    rows.remove(0).remove(0)
}
