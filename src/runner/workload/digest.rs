//! A table's content as one number that is the same on every engine.

use super::super::engine::{ColumnType, Instance, Table, Value};
use super::super::fault::Fault;
use super::super::stop::Deadline;
use super::answer;

/// Rows fetched at once.
const PAGE: u64 = 5000;

/// The digest of all rows of a table, as 64 hexadecimal digits: BLAKE3 over the rows in the order of
/// their key, which has to be of whole numbers. Of a table without a key it is over the sum of the
/// digests of its rows, so their order doesn't count. Amounts enter in hundredths, so it doesn't
/// matter how an engine keeps them.
pub fn digest(
    instance: &dyn Instance,
    table: &Table,
    deadline: &Deadline,
) -> Result<String, Fault> {
    let mut connection = instance.connect()?;
    let connection = connection.as_mut();
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let select = format!("SELECT {} FROM {}", names.join(", "), table.name);
    let mut fetch = |sql: &str, values: &[Value]| {
        deadline.check()?;
        let rows = connection.query(sql, values);
        rows.map_err(|fault| answer::fault(fault, deadline))
    };
    let mut whole = blake3::Hasher::new();
    if table.key.is_empty() {
        let mut sum = [0_u64; 4];
        for row in fetch(&select, &[])? {
            let digest = blake3::hash(written(table, &row)?.as_bytes());
            for (sum, part) in sum.iter_mut().zip(digest.as_bytes().chunks_exact(8)) {
                let part = part.iter().fold(0, |all, &byte| all << 8 | u64::from(byte));
                *sum = sum.wrapping_add(part);
            }
        }
        whole.update(&sum.map(u64::to_be_bytes).concat());
        return Ok(whole.finalize().to_hex().to_string());
    }
    let Some(dialect) = instance.dialect() else {
        return Err(Fault::unsupported("the engine speaks no SQL"));
    };
    let places = key_places(table)?;
    let order = format!(" ORDER BY {}{}", table.key.join(", "), dialect.limit(PAGE));
    let first = format!("{select}{order}");
    let next = format!("{select} WHERE {}{order}", after(table.key));
    let mut rows = fetch(&first, &[])?;
    while let Some(last) = rows.last() {
        let key: Vec<Value> = places.iter().map(|&place| last[place].clone()).collect();
        for row in &rows {
            whole.update(written(table, row)?.as_bytes());
        }
        if (rows.len() as u64) < PAGE {
            break;
        }
        rows = fetch(&next, &from(&key))?;
    }
    Ok(whole.finalize().to_hex().to_string())
}

/// The places of the key's columns in a row.
fn key_places(table: &Table) -> Result<Vec<usize>, Fault> {
    let place = |name: &&str| {
        (table.columns.iter())
            .position(|(column, kind)| column == name && *kind == ColumnType::Whole)
            .ok_or_else(|| Fault::failed(format!("{}.{name} is no whole number", table.name)))
    };
    table.key.iter().map(place).collect()
}

/// The condition of all rows after one in the order of a key, without comparing rows as a whole,
/// which not every engine can: `a >= ? AND (a > ? OR b >= ? AND (b > ? OR c > ?))`.
fn after(key: &[&str]) -> String {
    match key {
        [] => String::new(),
        [last] => format!("{last} > ?"),
        [first, rest @ ..] => format!("{first} >= ? AND ({first} > ? OR {})", after(rest)),
    }
}

/// The values for [`after`].
fn from(key: &[Value]) -> Vec<Value> {
    let mut values = Vec::with_capacity(2 * key.len());
    for (at, value) in key.iter().enumerate() {
        let times = if at + 1 == key.len() { 1 } else { 2 };
        values.extend(std::iter::repeat_n(value.clone(), times));
    }
    values
}

/// A row, written so that two differ if and only if their cells do.
fn written(table: &Table, row: &[Value]) -> Result<String, Fault> {
    use std::fmt::Write;
    let mut out = String::new();
    if row.len() != table.columns.len() {
        return Err(answer::wrong(format_args!("a row of {} cells", row.len())));
    }
    for ((_, kind), value) in table.columns.iter().zip(row) {
        let written = match kind {
            ColumnType::WholeOrNull if *value == Value::Null => write!(out, "null;"),
            ColumnType::Whole | ColumnType::WholeOrNull => {
                write!(out, "{};", answer::whole(value)?)
            }
            ColumnType::Money => write!(out, "{};", answer::cents(value)?),
            ColumnType::Text(_) => {
                let text = answer::text(value)?;
                write!(out, "{}:{text};", text.len())
            }
        };
        if written.is_err() {
            unreachable!("a text takes whatever is written to it");
        }
    }
    out.push('\n');
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use super::super::trial::{Bench, limit};
    use super::*;

    const COLUMNS: &[(&str, ColumnType)] = &[
        ("a", ColumnType::Whole),
        ("b", ColumnType::Whole),
        ("c", ColumnType::Whole),
        ("price", ColumnType::Money),
        ("carrier", ColumnType::WholeOrNull),
        ("note", ColumnType::Text(20)),
    ];
    const KEYED: Table = Table {
        name: "keyed",
        columns: COLUMNS,
        key: &["a", "b", "c"],
    };
    const BARE: Table = Table {
        name: "bare",
        columns: COLUMNS,
        key: &[],
    };

    /// More than one page of rows, in one order or the other.
    fn filled(table: &Table, order: &str) -> (Bench, String) {
        let bench = Bench::new("update-only", &[]);
        let dialect = bench.place.instance.dialect().unwrap();
        let mut connection = bench.connect();
        let create = dialect.create_table(table);
        connection.execute(&create, &[]).unwrap();
        let fill = format!(
            "WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11999) \
             INSERT INTO {} SELECT i % 3, i / 3 % 20, i / 60, i / 100.0, \
             CASE WHEN i % 7 > 0 THEN i END, 'note ' || i FROM n ORDER BY i {order}",
            table.name
        );
        assert_eq!(connection.execute(&fill, &[]), Ok(12_000));
        let first = digest(&*bench.place.instance, table, &limit()).unwrap();
        (bench, first)
    }

    #[test]
    fn every_row_counts_and_the_order_of_storage_does_not() {
        for table in [KEYED, BARE] {
            let (bench, first) = filled(&table, "ASC");
            assert_eq!(first.len(), 64);
            assert_eq!(first, filled(&table, "DESC").1);
            let mut connection = bench.connect();
            for i in [0, 4999, 5000, 5001, 11_999] {
                for (change, undo) in [
                    ("price = price + 0.01", "price = round(price - 0.01, 2)"),
                    ("c = c + 1000", "c = c - 1000"),
                    (
                        "note = note || ';'",
                        "note = substr(note, 1, length(note) - 1)",
                    ),
                    (
                        "carrier = coalesce(carrier + 1, 0)",
                        "carrier = nullif(carrier - 1, -1)",
                    ),
                ] {
                    let place = format!(
                        "note LIKE 'note {i}%' AND length(note) < {}",
                        7 + i.to_string().len()
                    );
                    let sql = |set: &str| format!("UPDATE {} SET {set} WHERE {place}", table.name);
                    connection.execute(&sql(change), &[]).unwrap();
                    let now = digest(&*bench.place.instance, &table, &limit()).unwrap();
                    assert_ne!(now, first, "{}: {change} of {i}", table.name);
                    connection.execute(&sql(undo), &[]).unwrap();
                }
            }
            let now = digest(&*bench.place.instance, &table, &limit()).unwrap();
            assert_eq!(now, first, "{}", table.name);
            let remove = format!("DELETE FROM {} WHERE note = 'note 6000'", table.name);
            assert_eq!(connection.execute(&remove, &[]), Ok(1));
            let now = digest(&*bench.place.instance, &table, &limit()).unwrap();
            assert_ne!(now, first, "{}", table.name);
        }
    }

    #[test]
    fn rows_twice_are_not_rows_once() {
        let (bench, first) = filled(&BARE, "ASC");
        let twice = "INSERT INTO bare SELECT * FROM bare";
        bench.connect().execute(twice, &[]).unwrap();
        assert_ne!(digest(&*bench.place.instance, &BARE, &limit()), Ok(first));
    }
}
