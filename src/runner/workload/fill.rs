//! Building tables and filling them: rows are written to a file, which each engine loads in the way
//! it is best at.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};

use super::super::engine::{Connection, Dialect, Index, Table};
use super::super::fault::Fault;
use super::{Task, answer};

/// A value of a row to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    /// A whole number.
    Whole(i64),
    /// An amount in hundredths.
    Cents(i64),
    /// A text of letters, digits and blanks, which needs no quoting in a comma-separated file.
    Text(String),
    /// None.
    Null,
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Whole(value)
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&str> for Cell {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

/// Builds the data that a trial begins with.
pub(super) struct Filler<'a> {
    task: &'a Task<'a>,
    dialect: &'a dyn Dialect,
    connection: Box<dyn Connection>,
}

impl<'a> Filler<'a> {
    pub(super) fn new(task: &'a Task<'a>) -> Result<Self, Fault> {
        Ok(Self {
            task,
            dialect: dialect(task)?,
            connection: task.instance.connect()?,
        })
    }

    /// Creates a table and fills it; the rows come in the order in which they are to be stored.
    pub(super) fn table<R: AsRef<[Cell]>>(
        &mut self,
        table: &Table,
        rows: impl Iterator<Item = R>,
    ) -> Result<(), Fault> {
        self.execute(&self.dialect.create_table(table))?;
        let path = self.task.folder.join(format!("{}.csv", table.name));
        let storing = |error: io::Error| Fault::failed(format!("{}: {error}", path.display()));
        let mut file = BufWriter::new(File::create(&path).map_err(storing)?);
        let mut line = String::new();
        let mut count = 0_u64;
        for row in rows {
            if count.is_multiple_of(1000) {
                self.task.deadline.check()?;
            }
            count += 1;
            line.clear();
            append(&mut line, row.as_ref());
            file.write_all(line.as_bytes()).map_err(storing)?;
        }
        file.flush().map_err(storing)?;
        drop(file);
        let loaded = self.connection.load(table, &path);
        let loaded = loaded.map_err(|fault| answer::fault(fault, self.task.deadline))?;
        fs::remove_file(&path).map_err(storing)?;
        if loaded != count {
            let name = table.name;
            return Err(answer::wrong(format_args!(
                "{loaded} of {count} rows were loaded into {name}"
            )));
        }
        Ok(())
    }

    /// Creates an index.
    pub(super) fn index(&mut self, index: &Index) -> Result<(), Fault> {
        self.execute(&self.dialect.create_index(index))
    }

    fn execute(&mut self, sql: &str) -> Result<(), Fault> {
        self.task.deadline.check()?;
        match self.connection.execute(sql, &[]) {
            Ok(_) => Ok(()),
            Err(fault) => Err(answer::fault(fault, self.task.deadline)),
        }
    }
}

/// How the task's engine speaks SQL.
pub(super) fn dialect<'a>(task: &Task<'a>) -> Result<&'a dyn Dialect, Fault> {
    let none = || Fault::unsupported("this workload needs an engine that speaks SQL");
    task.instance.dialect().ok_or_else(none)
}

/// Appends a line of a comma-separated file. Nothing between two commas stands for no value.
pub(super) fn append(line: &mut String, row: &[Cell]) {
    for (at, cell) in row.iter().enumerate() {
        if at > 0 {
            line.push(',');
        }
        let written = match cell {
            Cell::Whole(number) => write!(line, "{number}"),
            Cell::Cents(cents) => {
                let sign = if *cents < 0 { "-" } else { "" };
                let size = cents.unsigned_abs();
                write!(line, "{sign}{}.{:02}", size / 100, size % 100)
            }
            Cell::Text(text) => line.write_str(text),
            Cell::Null => Ok(()),
        };
        if written.is_err() {
            unreachable!("a text takes whatever is written to it");
        }
    }
    line.push('\n');
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use std::time::Duration;

    use super::super::super::engine::ColumnType;
    use super::super::super::stop::Stop;
    use super::super::trial::{Bench, limit};
    use super::*;
    use crate::model::MissingReason;

    #[test]
    fn amounts_are_written_exactly() {
        let mut line = String::new();
        let amounts = [5, -5, 100, -12_345, i64::MIN];
        append(&mut line, &amounts.map(Cell::Cents));
        assert_eq!(line, "0.05,-0.05,1.00,-123.45,-92233720368547758.08\n");
        line.clear();
        append(&mut line, &[7.into(), Cell::Null, "a b".into()]);
        assert_eq!(line, "7,,a b\n");
    }

    #[test]
    fn filling_ends_at_the_limit() {
        for workload in ["insert-update", "update-only", "tpcc-like"] {
            let stop = Stop::default();
            let deadline = stop.limit(Duration::from_secs(300));
            let bench = Bench::with(workload, &[], &[], deadline);
            stop.drop_trial();
            assert!(bench.prepare().unwrap_err().stopped);
            let bench = Bench::with(workload, &[], &[], limit());
            let short = Stop::default().limit(Duration::from_millis(20));
            let task = Task {
                deadline: &short,
                ..bench.task()
            };
            let fault = bench.workload.prepare(&task).unwrap_err();
            assert_eq!(fault.reason, MissingReason::Timeout);
        }
    }

    #[test]
    fn what_was_not_loaded_whole_is_a_fault() {
        const TABLE: Table = Table {
            name: "things",
            columns: &[("id", ColumnType::Whole)],
            key: &["id"],
        };
        let bench = Bench::new("update-only", &[]);
        let task = bench.task();
        let mut filler = Filler::new(&task).unwrap();
        let twice = [[Cell::Whole(1)], [Cell::Whole(1)]];
        let fault = filler.table(&TABLE, twice.iter()).unwrap_err();
        assert!(fault.message.contains("things"), "{fault}");
        assert_eq!(fault.reason, MissingReason::Failed);
    }
}
