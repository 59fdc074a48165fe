//! A connection to MariaDB or MySQL.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use mysql::consts::ColumnType as Kind;
use mysql::prelude::Queryable as _;
use mysql::{Conn, Error, LocalInfileHandler, Params, Value as Told};

use super::super::guard::Ticket;
use super::super::{ColumnType, Connection, SqlFault, SqlFaultKind, Table, Value};
use crate::runner::stop::Deadline;

/// A connection on which all settings of sessions are in effect.
pub(super) struct MariaDbConnection {
    conn: Conn,
    deadline: Deadline,
    is_within: bool,
    _ticket: Ticket,
}

impl MariaDbConnection {
    pub(super) fn new(conn: Conn, deadline: &Deadline, ticket: Ticket) -> Self {
        Self {
            conn,
            deadline: deadline.clone(),
            is_within: false,
            _ticket: ticket,
        }
    }

    fn run(&mut self, sql: &str) -> Result<(), SqlFault> {
        let done = self.conn.query_drop(sql);
        done.map_err(|error| fault(&error, &self.deadline))
    }

    /// Rows of a statement, and how many it changed. Without values it needs no preparing, which some
    /// statements can't be.
    fn rows(&mut self, sql: &str, values: &[Value]) -> Result<(Vec<Vec<Value>>, u64), Error> {
        if values.is_empty() {
            let mut result = self.conn.query_iter(sql)?;
            return collect(&mut result);
        }
        let statement = self.conn.prep(sql)?;
        let values = Params::Positional(values.iter().map(told).collect());
        let mut result = self.conn.exec_iter(&statement, values)?;
        collect(&mut result)
    }

    /// Loads a file through this connection. The server takes what doesn't fit as well as it can and warns, so
    /// that any warning is a fault; the transaction then has to be undone.
    fn infile(&mut self, table: &Table, path: &Path, done: &AtomicU64) -> Result<u64, SqlFault> {
        let path = path.to_owned();
        let lines = Arc::new(AtomicU64::new(0));
        let (counted, deadline) = (Arc::clone(&lines), self.deadline.clone());
        self.conn
            .set_local_infile_handler(Some(LocalInfileHandler::new(move |_, out| {
                let mut file = File::open(&path)?;
                let mut piece = vec![0; 64 << 10];
                loop {
                    if deadline.is_over() {
                        return Err(std::io::ErrorKind::TimedOut.into());
                    }
                    let length = file.read(&mut piece)?;
                    if length == 0 {
                        return Ok(());
                    }
                    out.write_all(&piece[..length])?;
                    let rows = piece[..length].iter().filter(|byte| **byte == b'\n');
                    counted.fetch_add(rows.count() as u64, Ordering::Relaxed);
                }
            })));
        let is_over = AtomicBool::new(false);
        let loaded = std::thread::scope(|scope| {
            // The handler outlives this call as far as the compiler knows, so it can't count into `done` itself.
            scope.spawn(|| {
                let mut before = 0;
                loop {
                    let ends = is_over.load(Ordering::Acquire);
                    let now = lines.load(Ordering::Relaxed);
                    done.fetch_add(now - before, Ordering::Relaxed);
                    before = now;
                    if ends {
                        return;
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
            let loaded = self.conn.query_drop(load_statement(table));
            is_over.store(true, Ordering::Release);
            loaded
        });
        self.conn.set_local_infile_handler(None);
        loaded.map_err(|error| fault(&error, &self.deadline))?;
        let rows = self.conn.affected_rows();
        if self.conn.warnings() == 0 {
            return Ok(rows);
        }
        let told: Result<Option<(String, u32, String)>, Error> =
            self.conn.query_first("SHOW WARNINGS LIMIT 1");
        match told.map_err(|error| fault(&error, &self.deadline))? {
            Some((_, _, message)) => Err(other(message)),
            None => Ok(rows),
        }
    }
}

/// Rows of a result, and how many were changed.
fn collect<P: mysql::prelude::Protocol>(
    result: &mut mysql::QueryResult<'_, '_, '_, P>,
) -> Result<(Vec<Vec<Value>>, u64), Error> {
    // Once the result is read to its end, it is no longer known.
    let changed = result.affected_rows();
    let kinds: Vec<Kind> = result
        .columns()
        .as_ref()
        .iter()
        .map(mysql::Column::column_type)
        .collect();
    let mut rows = Vec::new();
    for row in result.by_ref() {
        let mut row = row?;
        let cells = kinds.iter().enumerate().map(|(place, kind)| {
            // Each is taken once, so it is there.
            heard(row.take(place).unwrap_or(Told::NULL), *kind)
        });
        rows.push(cells.collect());
    }
    Ok((rows, changed))
}

fn told(value: &Value) -> Told {
    match value {
        Value::Null => Told::NULL,
        Value::Whole(number) => Told::Int(*number),
        // As a decimal text: a binary number would be rounded on its way into a decimal column.
        Value::Number(number) => Told::Bytes(number.to_string().into_bytes()),
        Value::Text(text) => Told::Bytes(text.clone().into_bytes()),
    }
}

fn heard(value: Told, kind: Kind) -> Value {
    let text = match value {
        Told::NULL => return Value::Null,
        Told::Int(number) => return Value::Whole(number),
        Told::UInt(number) => {
            return i64::try_from(number).map_or_else(|_| number.to_string().into(), Value::Whole);
        }
        Told::Float(number) => return Value::Number(number.into()),
        Told::Double(number) => return Value::Number(number),
        Told::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        other => other.as_sql(true),
    };
    match kind {
        Kind::MYSQL_TYPE_TINY
        | Kind::MYSQL_TYPE_SHORT
        | Kind::MYSQL_TYPE_LONG
        | Kind::MYSQL_TYPE_INT24
        | Kind::MYSQL_TYPE_LONGLONG => text.parse().map_or(Value::Text(text), Value::Whole),
        Kind::MYSQL_TYPE_FLOAT | Kind::MYSQL_TYPE_DOUBLE => {
            text.parse().map_or(Value::Text(text), Value::Number)
        }
        _ => Value::Text(text),
    }
}

/// The statement that takes a file. Nothing is a text without letters, unless the column may hold null.
fn load_statement(table: &Table) -> String {
    let (mut places, mut sets) = (Vec::new(), Vec::new());
    for (name, kind) in table.columns {
        if *kind == ColumnType::WholeOrNull {
            places.push(format!("@{name}"));
            sets.push(format!("{name} = NULLIF(@{name}, '')"));
        } else {
            places.push((*name).to_owned());
        }
    }
    let sets = if sets.is_empty() {
        String::new()
    } else {
        format!(" SET {}", sets.join(", "))
    };
    let (table, places) = (table.name, places.join(", "));
    format!(
        "LOAD DATA LOCAL INFILE 'rows' INTO TABLE {table} CHARACTER SET utf8mb4 \
         FIELDS TERMINATED BY ',' ESCAPED BY '' LINES TERMINATED BY '\\n' ({places}){sets}"
    )
}

impl Connection for MariaDbConnection {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault> {
        let done = self.rows(sql, values);
        done.map(|(_, changed)| changed)
            .map_err(|error| fault(&error, &self.deadline))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault> {
        let done = self.rows(sql, values);
        done.map(|(rows, _)| rows)
            .map_err(|error| fault(&error, &self.deadline))
    }

    fn begin(&mut self) -> Result<(), SqlFault> {
        self.run("START TRANSACTION")?;
        self.is_within = true;
        Ok(())
    }

    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        self.run("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")?;
        self.is_within = true;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), SqlFault> {
        self.run("COMMIT")?;
        self.is_within = false;
        Ok(())
    }

    fn rollback(&mut self) -> Result<(), SqlFault> {
        if std::mem::take(&mut self.is_within) {
            self.run("ROLLBACK")?;
        }
        Ok(())
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
        let is_own = !self.is_within;
        if is_own {
            self.begin()?;
        }
        let rows = self.infile(table, file, done);
        if is_own {
            match rows {
                Ok(_) => self.commit()?,
                // A connection that broke off has undone it already.
                Err(_) => drop(self.rollback()),
            }
        }
        rows.map_err(|fault| SqlFault {
            message: format!("{}: {}", file.display(), fault.message),
            ..fault
        })
    }
}

/// What an error means for the one who asked.
pub(super) fn fault(error: &Error, deadline: &Deadline) -> SqlFault {
    /// A row has changed since it was read; waited too long for a lock; in a circle of locks.
    const CONFLICTS: [u16; 3] = [1020, 1205, 1213];
    let code = match error {
        Error::MySqlError(told) => Some(told.code),
        _ => None,
    };
    if deadline.is_over() {
        let message = match deadline.check() {
            Err(fault) => fault.message,
            Ok(()) => "interrupted".to_owned(),
        };
        return SqlFault {
            kind: SqlFaultKind::Interrupted,
            message,
        };
    }
    let kind = if code.is_some_and(|code| CONFLICTS.contains(&code)) {
        SqlFaultKind::Conflict
    } else {
        SqlFaultKind::Other
    };
    SqlFault {
        kind,
        message: words(error),
    }
}

/// What an error says.
pub(super) fn words(error: &Error) -> String {
    match error {
        Error::MySqlError(told) => format!("{} (error {})", told.message, told.code),
        Error::DriverError(told) => told.to_string(),
        Error::IoError(told) => format!("the connection broke off: {told}"),
        Error::CodecError(told) => format!("the connection broke off: {told}"),
        other => other.to_string(),
    }
}

fn other(message: String) -> SqlFault {
    SqlFault {
        kind: SqlFaultKind::Other,
        message,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_columns_that_may_be_null_take_nothing_as_null() {
        let table = Table {
            name: "t",
            columns: &[("a", ColumnType::WholeOrNull), ("b", ColumnType::Text(3))],
            key: &[],
        };
        let sql = load_statement(&table);
        assert!(sql.ends_with("(@a, b) SET a = NULLIF(@a, '')"), "{sql}");
    }
}
