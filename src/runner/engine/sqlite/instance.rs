//! An instance of SQLite: a database file, and a connection that keeps it open.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::types::ValueRef;

use super::super::{Connection, Dialect, Instance, Start};
use super::connection::{SqliteConnection, fault};
use super::dialect::SqliteDialect;
use super::setting::{self, Settings};
use super::state::{FILE, State};
use super::watch::SqliteWatch;
use crate::runner::fault::Fault;
use crate::runner::watch::Watch;

/// A database file and whoever is connected to it.
pub(super) struct SqliteInstance {
    /// Keeps the log and its index from being removed whenever a workload's last connection ends, which
    /// would also bring the log to its place. `None` where connections keep all others out.
    keeper: Mutex<Option<rusqlite::Connection>>,
    state: Arc<State>,
}

pub(super) fn start(start: &Start<'_>) -> Result<SqliteInstance, Fault> {
    if let Some(from) = start.from {
        copy(from, start.folder)?;
    }
    let settings = Settings::new(start.settings)?;
    let state = Arc::new(State::new(start.folder, settings, start.deadline)?);
    build(&state).map_err(|error| told(&error, &state))?;
    let excludes = state.settings.of_connections("locking_mode") == Some("EXCLUSIVE");
    let keeper = if excludes {
        None
    } else {
        let keeper = state.open().map_err(|error| told(&error, &state))?;
        Some(keeper)
    };
    Ok(SqliteInstance {
        keeper: Mutex::new(keeper),
        state,
    })
}

/// Sets what is set once, and writes the file, without which it would forget it.
fn build(state: &Arc<State>) -> rusqlite::Result<()> {
    let connection = state.open_bare()?;
    for (name, value) in &state.settings.once {
        connection.pragma_update(None, name, value)?;
    }
    let schema: i64 = connection.query_row("PRAGMA schema_version", [], |row| row.get(0))?;
    if schema == 0 {
        // The way texts are stored is written with the first entry of the schema; a view takes no page.
        connection
            .execute_batch("BEGIN; CREATE VIEW blank AS SELECT 1; DROP VIEW blank; COMMIT")?;
    }
    // It outlives the connection if it is that of a log.
    if let Some(mode) = state.settings.of_connections("journal_mode") {
        connection.pragma_update(None, "journal_mode", mode)?;
    }
    connection.close().map_err(|(_, error)| error)
}

/// Copies what a stopped instance left. What undoes or redoes the last transaction belongs to it.
fn copy(from: &Path, to: &Path) -> Result<(), Fault> {
    for ending in ["", "-wal", "-journal"] {
        let name = format!("{FILE}{ending}");
        let source = from.join(&name);
        if ending.is_empty() || source.exists() {
            fs::copy(&source, to.join(&name)).map_err(|error| {
                Fault::failed(format!("{} can't be copied: {error}", source.display()))
            })?;
        }
    }
    Ok(())
}

fn told(error: &rusqlite::Error, state: &State) -> Fault {
    fault(error, &state.deadline).into()
}

impl SqliteInstance {
    /// Does something on the instance's own connection, or on a new one if it has none.
    fn with<T>(
        &self,
        act: impl FnOnce(&rusqlite::Connection) -> rusqlite::Result<T>,
    ) -> Result<T, Fault> {
        let keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        let done = match &*keeper {
            Some(keeper) => act(keeper),
            None => self.state.open().and_then(|connection| act(&connection)),
        };
        done.map_err(|error| told(&error, &self.state))
    }

    fn read(&self, connection: &rusqlite::Connection, name: &str) -> Option<String> {
        if name == "busy_timeout" {
            return Some(self.state.patience.as_millis().to_string());
        }
        let read = connection.pragma_query_value(None, name, |row| {
            Ok(match row.get_ref(0)? {
                ValueRef::Integer(number) => number.to_string(),
                ValueRef::Real(number) => number.to_string(),
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                ValueRef::Null | ValueRef::Blob(_) => String::new(),
            })
        });
        read.ok()
    }
}

impl Instance for SqliteInstance {
    fn version(&self) -> String {
        super::version()
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        Some(&SqliteDialect)
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        let connection = SqliteConnection::open(&self.state);
        Ok(Box::new(
            connection.map_err(|error| told(&error, &self.state))?,
        ))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        // A new connection: what it was told is not what the instance's own was told.
        let connection = self.state.open();
        let connection = connection.map_err(|error| told(&error, &self.state))?;
        Ok(self.read(&connection, &setting.to_ascii_lowercase()))
    }

    fn is_same(&self, setting: &str, requested: &str, effective: &str) -> bool {
        match setting::find(setting) {
            Some(setting) => setting.shape.is_same(requested, effective),
            None => requested.eq_ignore_ascii_case(effective),
        }
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        let connection = self.state.open();
        let connection = connection.map_err(|error| told(&error, &self.state))?;
        let mut all: BTreeMap<String, String> = setting::names()
            .filter_map(|name| Some((name.to_owned(), self.read(&connection, name)?)))
            .collect();
        let mut options = |row: &rusqlite::Row<'_>| {
            let option: String = row.get(0)?;
            let (name, value) = option.split_once('=').unwrap_or((&option, "1"));
            all.insert(format!("compile_options.{name}"), value.to_owned());
            Ok(())
        };
        connection
            .pragma_query(None, "compile_options", &mut options)
            .map_err(|error| told(&error, &self.state))?;
        Ok(all)
    }

    fn flush(&self) -> Result<(), Fault> {
        let busy: i64 = self.with(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))
        })?;
        if busy != 0 {
            self.state.deadline.check()?;
            return Err(Fault::failed(
                "the log can't be brought to its place while a connection is at work",
            ));
        }
        let synced = self.state.file.sync_all();
        synced.map_err(|error| Fault::failed(format!("{FILE} can't be brought to disk: {error}")))
    }

    fn check_soundness(&self) -> Result<(), Fault> {
        let found = self.with(|connection| {
            let mut statement = connection.prepare("PRAGMA integrity_check(5)")?;
            let rows = statement.query_map([], |row| row.get(0))?;
            rows.collect::<rusqlite::Result<Vec<String>>>()
        })?;
        if found == ["ok"] {
            return Ok(());
        }
        Err(Fault::failed(format!(
            "the database is damaged: {}",
            found.join("; ")
        )))
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        let number = |name| {
            let value = self.effective(name)?;
            Ok::<i64, Fault>(value.and_then(|value| value.parse().ok()).unwrap_or(0))
        };
        let logs = self.effective("journal_mode")?.as_deref() == Some("wal");
        let (interval, page) = (number("wal_autocheckpoint")?, number("page_size")?);
        Ok(vec![Box::new(SqliteWatch::new(
            &self.state,
            logs,
            interval,
            page,
        ))])
    }

    fn stop(self: Box<Self>) -> Result<(), Fault> {
        let mut keeper = self.keeper.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(keeper) = keeper.take() {
            let closed = keeper.close();
            closed.map_err(|(_, error)| {
                Fault::failed(format!("the database can't be closed: {error}"))
            })?;
        }
        match self.state.open.load(Ordering::Relaxed) {
            0 => Ok(()),
            open => Err(Fault::failed(format!(
                "the database can't be closed: connections are still open ({open})"
            ))),
        }
    }

    fn log_tail(&self) -> String {
        String::new()
    }
}
