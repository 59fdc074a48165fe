//! Whether a table holds exactly the rows that it should.

use super::super::engine::{Connection, Index, Table, Value};
use super::super::fault::Fault;
use super::Task;
use super::answer;
use super::fill::{Cell, dialect};

/// Rows fetched at once.
const PAGE: usize = 5000;

/// Compares every cell of a table with the rows expected, which come in the order of its first column:
/// a key of whole numbers above 0.
pub(super) fn table<R: AsRef<[Cell]>>(
    task: &Task<'_>,
    connection: &mut dyn Connection,
    table: &Table,
    expected: impl Iterator<Item = R>,
) -> Result<(), Fault> {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let (key, limit) = (names[0], dialect(task)?.limit(PAGE as u64));
    let sql = format!(
        "SELECT {} FROM {} WHERE {key} > ? ORDER BY {key}{limit}",
        names.join(", "),
        table.name
    );
    let mut fetch = |after: Value| {
        task.deadline.check()?;
        let rows = connection.query(&sql, &[after]);
        let rows = rows.map_err(|fault| answer::fault(fault, task.deadline))?;
        let last = rows.last().map(|row| row[0].clone());
        Ok::<_, Fault>((rows.into_iter(), last))
    };
    let (mut rows, mut last) = fetch(Value::Whole(0))?;
    let mut count = 0_u64;
    for expected in expected {
        count += 1;
        let mut row = rows.next();
        if row.is_none()
            && let Some(key) = last.take()
        {
            (rows, last) = fetch(key)?;
            row = rows.next();
        }
        let Some(row) = row else {
            let name = table.name;
            return Err(answer::wrong(format_args!(
                "{name}: row {count} is missing"
            )));
        };
        same(table, &row, expected.as_ref())?;
    }
    let more = match (rows.next(), last) {
        (None, Some(key)) => fetch(key)?.0.next(),
        (more, _) => more,
    };
    match more {
        None => Ok(()),
        Some(row) => Err(answer::wrong(format_args!(
            "{}: {row:?} after all {count} rows that were expected",
            table.name
        ))),
    }
}

fn same(table: &Table, row: &[Value], expected: &[Cell]) -> Result<(), Fault> {
    for (((name, _), found), expected) in table.columns.iter().zip(row).zip(expected) {
        let is_same = match expected {
            Cell::Whole(number) => answer::whole(found) == Ok(*number),
            Cell::Cents(cents) => answer::cents(found) == Ok(*cents),
            Cell::Text(text) => answer::text(found) == Ok(text),
            Cell::Null => *found == Value::Null,
        };
        if !is_same {
            let (table, key) = (table.name, &row[0]);
            return Err(answer::wrong(format_args!(
                "{table}.{name} of row {key:?}: {found:?} found, {expected:?} expected"
            )));
        }
    }
    Ok(())
}

/// Whether a table has these indexes, ready for use.
pub(super) fn indexes<'a>(
    task: &Task<'_>,
    connection: &mut dyn Connection,
    table: &Table,
    expected: impl IntoIterator<Item = &'a Index>,
) -> Result<(), Fault> {
    let sql = dialect(task)?.list_indexes();
    let found = connection.query(sql, &[table.name.into()]);
    let found = found.map_err(|fault| answer::fault(fault, task.deadline))?;
    for index in expected {
        let is_there = found.iter().flatten().any(|name| {
            answer::text(name).is_ok_and(|name| name.trim_end().eq_ignore_ascii_case(index.name))
        });
        if !is_there {
            let name = index.name;
            return Err(answer::wrong(format_args!("the index {name} is missing")));
        }
    }
    Ok(())
}
