//! Statements within a transaction, whose answers have to be as long as they must.

use crate::runner::engine::{Connection, Value};
use crate::runner::workload::answer::{cents, text, whole, wrong};
use crate::runner::workload::crowd::Setback;

/// Runs a statement that changes (or inserts, or removes) exactly one row.
pub(super) fn change(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
) -> Result<(), Setback> {
    match connection.execute(sql, values)? {
        1 => Ok(()),
        rows => Err(wrong(format_args!("{rows} rows changed by {sql}")).into()),
    }
}

/// The first row of a query's answer, where there is one.
pub(super) fn first(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
) -> Result<Option<Row>, Setback> {
    let rows = connection.query(sql, values)?;
    Ok(rows.into_iter().next().map(Row))
}

/// The only row of a query's answer.
pub(super) fn only(
    connection: &mut dyn Connection,
    sql: &str,
    values: &[Value],
) -> Result<Row, Setback> {
    let mut rows = connection.query(sql, values)?;
    match (rows.pop(), rows.len()) {
        (Some(row), 0) => Ok(Row(row)),
        _ => Err(wrong(format_args!("not one row for {sql} with {values:?}")).into()),
    }
}

/// A row of an answer.
pub(super) struct Row(pub(super) Vec<Value>);

impl Row {
    fn at(&self, place: usize) -> &Value {
        self.0.get(place).unwrap_or(&Value::Null)
    }

    pub(super) fn whole(&self, place: usize) -> Result<i64, Setback> {
        Ok(whole(self.at(place))?)
    }

    pub(super) fn cents(&self, place: usize) -> Result<i64, Setback> {
        Ok(cents(self.at(place))?)
    }

    pub(super) fn text(&self, place: usize) -> Result<&str, Setback> {
        Ok(text(self.at(place))?)
    }
}

/// Whole numbers as values of a statement.
pub(super) fn wholes<const N: usize>(numbers: [i64; N]) -> [Value; N] {
    numbers.map(Value::Whole)
}
