//! A connection to SQLite.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::ffi::ErrorCode;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Error, ToSql};

use super::super::{ColumnType, Connection, SqlFault, SqlFaultKind, Table, Value};
use super::state::State;
use crate::runner::stop::Deadline;

/// A connection on which all settings are in effect.
pub(super) struct SqliteConnection {
    // Closed before the state's files are, see there.
    connection: rusqlite::Connection,
    state: Arc<State>,
}

impl SqliteConnection {
    pub(super) fn open(state: &Arc<State>) -> rusqlite::Result<Self> {
        let connection = state.open()?;
        state.open.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            connection,
            state: state.clone(),
        })
    }

    fn fault(&self, error: &Error) -> SqlFault {
        fault(error, &self.state.deadline)
    }

    fn run(&self, sql: &str) -> Result<(), SqlFault> {
        let done = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute([]));
        done.map(|_| ()).map_err(|error| self.fault(&error))
    }

    fn insert(&self, table: &Table, file: &Path, done: &AtomicU64) -> Result<u64, SqlFault> {
        let reading = |error: std::io::Error| other(format!("{}: {error}", file.display()));
        let mut reader = BufReader::with_capacity(1 << 16, File::open(file).map_err(reading)?);
        let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
        let places = vec!["?"; names.len()].join(", ");
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({places})",
            table.name,
            names.join(", ")
        );
        let mut statement = self
            .connection
            .prepare_cached(&sql)
            .map_err(|error| self.fault(&error))?;
        let mut line = String::new();
        let mut rows = 0_u64;
        loop {
            line.clear();
            if reader.read_line(&mut line).map_err(reading)? == 0 {
                return Ok(rows);
            }
            // A row takes too few steps for the statement to look at the clock itself.
            if rows.is_multiple_of(1024) && self.state.deadline.is_over() {
                return Err(over(&self.state.deadline));
            }
            let row = line.trim_end_matches(['\n', '\r']);
            let mut fields = row.split(',');
            for (place, (name, kind)) in table.columns.iter().enumerate() {
                let value = fields.next().and_then(|field| read(field, *kind));
                let value = value.ok_or_else(|| {
                    let (line, file) = (rows + 1, file.display());
                    other(format!("{file}:{line}: no value for `{name}`"))
                })?;
                let bound = statement.raw_bind_parameter(place + 1, value);
                bound.map_err(|error| self.fault(&error))?;
            }
            if fields.next().is_some() {
                let (line, file) = (rows + 1, file.display());
                return Err(other(format!("{file}:{line}: too many fields")));
            }
            statement
                .raw_execute()
                .map_err(|error| self.fault(&error))?;
            rows += 1;
            done.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Drop for SqliteConnection {
    fn drop(&mut self) {
        self.state.open.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection for SqliteConnection {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault> {
        // The number of changed rows stays that of the last such statement while others run.
        let before = self.connection.total_changes();
        let done = self
            .connection
            .prepare_cached(sql)
            .and_then(|mut statement| statement.execute(rusqlite::params_from_iter(values)));
        done.map_err(|error| self.fault(&error))?;
        let changed = self.connection.total_changes() != before;
        Ok(if changed {
            self.connection.changes()
        } else {
            0
        })
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault> {
        let answer = || {
            let mut statement = self.connection.prepare_cached(sql)?;
            let width = statement.column_count();
            let mut rows = statement.query(rusqlite::params_from_iter(values))?;
            let mut all = Vec::new();
            while let Some(row) = rows.next()? {
                let cells = (0..width).map(|place| row.get_ref(place).map(value));
                all.push(cells.collect::<rusqlite::Result<_>>()?);
            }
            Ok(all)
        };
        answer().map_err(|error| self.fault(&error))
    }

    fn begin(&mut self) -> Result<(), SqlFault> {
        // A transaction that reads first and writes then could find its snapshot outdated.
        self.run("BEGIN IMMEDIATE")
    }

    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        // Its first query takes the snapshot; it never asks for the lock of writers.
        self.run("BEGIN")
    }

    fn commit(&mut self) -> Result<(), SqlFault> {
        self.run("COMMIT")
    }

    fn rollback(&mut self) -> Result<(), SqlFault> {
        if self.connection.is_autocommit() {
            return Ok(());
        }
        self.run("ROLLBACK")
    }

    fn load(&mut self, table: &Table, file: &Path) -> Result<u64, SqlFault> {
        self.load_counted(table, file, &AtomicU64::new(0))
    }

    fn load_counted(
        &mut self,
        table: &Table,
        file: &Path,
        done: &AtomicU64,
    ) -> Result<u64, SqlFault> {
        // One transaction: each of its own would bring every row to disk.
        let is_own = self.connection.is_autocommit();
        if is_own {
            self.begin()?;
        }
        let rows = self.insert(table, file, done);
        if is_own {
            match rows {
                Ok(_) => self.commit()?,
                Err(_) => self.rollback()?,
            }
        }
        rows
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Whole(number) => ValueRef::Integer(*number),
            Self::Number(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
        }))
    }
}

/// A field of a comma-separated file; nothing for one that its column can't hold.
fn read(field: &str, kind: ColumnType) -> Option<ToSqlOutput<'_>> {
    let value = match kind {
        ColumnType::WholeOrNull if field.is_empty() => ValueRef::Null,
        ColumnType::Whole | ColumnType::WholeOrNull => ValueRef::Integer(field.parse().ok()?),
        ColumnType::Money => ValueRef::Real(field.parse().ok()?),
        ColumnType::Text(_) => ValueRef::Text(field.as_bytes()),
    };
    Some(ToSqlOutput::Borrowed(value))
}

fn value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Whole(number),
        ValueRef::Real(number) => Value::Number(number),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Value::Text(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// What an error means for the one who asked.
pub(super) fn fault(error: &Error, deadline: &Deadline) -> SqlFault {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => return over(deadline),
        // A wait for a lock ends early at the limit.
        Some(ErrorCode::DatabaseBusy) if deadline.is_over() => return over(deadline),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SqlFaultKind::Conflict,
        _ => SqlFaultKind::Other,
    };
    SqlFault {
        kind,
        message: error.to_string(),
    }
}

fn over(deadline: &Deadline) -> SqlFault {
    let message = match deadline.check() {
        Err(fault) => fault.message,
        Ok(()) => "interrupted".to_owned(),
    };
    SqlFault {
        kind: SqlFaultKind::Interrupted,
        message,
    }
}

fn other(message: String) -> SqlFault {
    SqlFault {
        kind: SqlFaultKind::Other,
        message,
    }
}
