//! A connection to PostgreSQL.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use postgres::error::SqlState;
use postgres::types::ToSql;
use postgres::{Client, Error, Statement};

use super::super::guard::Ticket;
use super::super::{ColumnType, Connection, SqlFault, SqlFaultKind, Table, Value};
use crate::runner::stop::Deadline;

/// Statements that are kept prepared.
const STATEMENTS: usize = 200;

/// A connection on which all settings of sessions are in effect.
pub(super) struct PostgresConnection {
    client: Client,
    statements: HashMap<String, Statement>,
    deadline: Deadline,
    is_within: bool,
    has_failed: bool,
    _ticket: Ticket,
}

impl PostgresConnection {
    pub(super) fn new(client: Client, deadline: &Deadline, ticket: Ticket) -> Self {
        Self {
            client,
            statements: HashMap::new(),
            deadline: deadline.clone(),
            is_within: false,
            has_failed: false,
            _ticket: ticket,
        }
    }

    fn prepared(&mut self, sql: &str) -> Result<Statement, SqlFault> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(&numbered(sql));
        let statement = statement.map_err(|error| self.failed(&error))?;
        if self.statements.len() >= STATEMENTS {
            self.statements.clear();
        }
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    fn run(&mut self, sql: &str) -> Result<(), SqlFault> {
        let done = self.client.batch_execute(sql);
        done.map_err(|error| self.failed(&error))
    }

    fn begin_as(&mut self, sql: &str) -> Result<(), SqlFault> {
        self.run(sql)?;
        (self.is_within, self.has_failed) = (true, false);
        Ok(())
    }

    fn failed(&mut self, error: &Error) -> SqlFault {
        self.has_failed = true;
        fault(error, &self.deadline)
    }

    fn copy(&mut self, sql: &str, path: &Path, done: &AtomicU64) -> Result<u64, SqlFault> {
        let reading = |error: std::io::Error| other(format!("{}: {error}", path.display()));
        let mut file = File::open(path).map_err(reading)?;
        let told = |error: &Error, deadline: &Deadline| fault(error, deadline);
        let deadline = self.deadline.clone();
        let mut writer = self
            .client
            .copy_in(sql)
            .map_err(|error| told(&error, &deadline))?;
        let mut piece = vec![0; 256 << 10];
        let mut last = b'\n';
        loop {
            // Given up before its end, a copy leaves nothing.
            if deadline.is_over() {
                return Err(over(&deadline));
            }
            let length = file.read(&mut piece).map_err(reading)?;
            if length == 0 {
                break;
            }
            last = piece[length - 1];
            if let Err(error) = writer.write_all(&piece[..length]) {
                // What the server has against it comes with the end.
                return Err(match writer.finish() {
                    Err(refused) => told(&refused, &deadline),
                    Ok(_) => other(error.to_string()),
                });
            }
            let rows = piece[..length].iter().filter(|byte| **byte == b'\n');
            done.fetch_add(rows.count() as u64, Ordering::Relaxed);
        }
        let rows = writer.finish().map_err(|error| told(&error, &deadline))?;
        // The last line needs no end.
        done.fetch_add(u64::from(last != b'\n'), Ordering::Relaxed);
        Ok(rows)
    }
}

impl Connection for PostgresConnection {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault> {
        let statement = self.prepared(sql)?;
        let done = self.client.execute(&statement, &references(values));
        done.map_err(|error| self.failed(&error))
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault> {
        let statement = self.prepared(sql)?;
        let rows = self.client.query(&statement, &references(values));
        let rows = rows.map_err(|error| self.failed(&error))?;
        let cells = rows.iter().map(|row| {
            let cells = (0..row.len()).map(|place| row.try_get(place));
            cells.collect::<Result<Vec<Value>, Error>>()
        });
        let all = cells.collect::<Result<_, _>>();
        all.map_err(|error| fault(&error, &self.deadline))
    }

    fn begin(&mut self) -> Result<(), SqlFault> {
        self.begin_as("BEGIN")
    }

    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        self.begin_as("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    }

    fn commit(&mut self) -> Result<(), SqlFault> {
        // The server would undo all, and answer as if that were what was asked for.
        if self.is_within && self.has_failed {
            self.rollback()?;
            return Err(other(
                "a statement of the transaction had failed; all was undone".to_owned(),
            ));
        }
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
        let loaded = self.copy(&copy_statement(table), file, done);
        self.has_failed |= loaded.is_err();
        loaded
    }
}

/// The statement that takes a file. Nothing is a text without letters, unless the column may hold null; and no
/// sign quotes.
fn copy_statement(table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let texts = table
        .columns
        .iter()
        .filter(|(_, kind)| matches!(kind, ColumnType::Text(_)));
    let texts: Vec<&str> = texts.map(|(name, _)| *name).collect();
    let texts = match texts.as_slice() {
        [] => String::new(),
        texts => format!(", FORCE_NOT_NULL ({})", texts.join(", ")),
    };
    let (table, names) = (table.name, names.join(", "));
    format!("COPY {table} ({names}) FROM STDIN (FORMAT csv, QUOTE E'\\x01', NULL ''{texts})")
}

fn references(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values
        .iter()
        .map(|value| value as &(dyn ToSql + Sync))
        .collect()
}

/// A statement with `$1`, `$2` and so on for its question marks; those within quotes stay.
fn numbered(sql: &str) -> String {
    let mut text = String::with_capacity(sql.len() + 8);
    let (mut quote, mut number) = (None, 0);
    for sign in sql.chars() {
        match (quote, sign) {
            (None, '?') => {
                number += 1;
                text.push_str(&format!("${number}"));
                continue;
            }
            (None, '\'' | '"') => quote = Some(sign),
            (Some(open), _) if open == sign => quote = None,
            _ => {}
        }
        text.push(sign);
    }
    text
}

/// What an error means for the one who asked.
pub(super) fn fault(error: &Error, deadline: &Deadline) -> SqlFault {
    const CONFLICTS: [SqlState; 3] = [
        SqlState::T_R_SERIALIZATION_FAILURE,
        SqlState::T_R_DEADLOCK_DETECTED,
        SqlState::LOCK_NOT_AVAILABLE,
    ];
    let state = error.code();
    if deadline.is_over() && (state == Some(&SqlState::QUERY_CANCELED) || error.is_closed()) {
        return over(deadline);
    }
    let kind = if state.is_some_and(|state| CONFLICTS.contains(state)) {
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
    if let Some(told) = error.as_db_error() {
        let place = told.where_().filter(|place| place.starts_with("COPY"));
        // Newer servers tell only there what would be needed.
        let lacks = *told.code() == SqlState::INSUFFICIENT_PRIVILEGE;
        let is_full = *told.code() == SqlState::DISK_FULL;
        let more = place
            .or_else(|| told.detail().filter(|_| lacks))
            .or_else(|| told.hint().filter(|_| is_full));
        let more = more.map_or_else(String::new, |more| format!(" ({more})"));
        return format!("{}{more}", told.message());
    }
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(deeper) = cause {
        let more = deeper.to_string();
        if !text.contains(&more) {
            text.push_str(&format!(": {more}"));
        }
        cause = deeper.source();
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_numbered() {
        assert_eq!(
            numbered("UPDATE a SET b = ? WHERE c = '?' AND \"d?\" = ? AND e = 'it''s ?'"),
            "UPDATE a SET b = $1 WHERE c = '?' AND \"d?\" = $2 AND e = 'it''s ?'"
        );
    }

    #[test]
    fn only_texts_may_be_empty() {
        let mut table = Table {
            name: "t",
            columns: &[("a", ColumnType::WholeOrNull), ("b", ColumnType::Text(3))],
            key: &[],
        };
        let sql = copy_statement(&table);
        assert!(sql.ends_with("NULL '', FORCE_NOT_NULL (b))"), "{sql}");
        table.columns = &table.columns[..1];
        assert!(copy_statement(&table).ends_with("NULL '')"));
    }
}
