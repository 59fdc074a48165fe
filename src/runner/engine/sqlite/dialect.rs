//! How SQLite writes SQL.

use std::fmt::Write as _;

use super::super::{ColumnType, Dialect, Table};

pub(super) struct SqliteDialect;

impl Dialect for SqliteDialect {
    /// An ordinary table with a row number. A key of one whole number is that row number, so that it
    /// needs no index of its own; any other key is one.
    fn create_table(&self, table: &Table) -> String {
        let mut sql = format!("CREATE TABLE {} (", table.name);
        let row_number = row_number(table);
        for (place, (name, kind)) in table.columns.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let kind = match kind {
                ColumnType::Whole if row_number == Some(name) => "INTEGER PRIMARY KEY",
                ColumnType::Whole => "INTEGER NOT NULL",
                ColumnType::WholeOrNull => "INTEGER",
                // Whole numbers where there are no cents, else binary numbers of 53 bits: sums are
                // exact once they are rounded to two places.
                ColumnType::Money => "NUMERIC NOT NULL",
                ColumnType::Text(_) => "TEXT NOT NULL",
            };
            let _ = write!(sql, "{comma}{name} {kind}");
        }
        if row_number.is_none() && !table.key.is_empty() {
            let _ = write!(sql, ", PRIMARY KEY ({})", table.key.join(", "));
        }
        sql.push(')');
        sql
    }

    fn list_indexes(&self) -> &'static str {
        "SELECT name FROM pragma_index_list(?)"
    }
}

/// The column that takes the place of the row number, if the key is such a one.
fn row_number(table: &Table) -> Option<&'static str> {
    let [key] = table.key else { return None };
    table
        .columns
        .iter()
        .find(|(name, kind)| name == key && *kind == ColumnType::Whole)
        .map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::super::super::Index;
    use super::*;

    #[test]
    fn tables_and_indexes_are_spelled_out() {
        let mut table = Table {
            name: "stock",
            columns: &[
                ("id", ColumnType::Whole),
                ("carrier", ColumnType::WholeOrNull),
                ("price", ColumnType::Money),
                ("name", ColumnType::Text(24)),
            ],
            key: &["id"],
        };
        assert_eq!(
            SqliteDialect.create_table(&table),
            "CREATE TABLE stock (id INTEGER PRIMARY KEY, carrier INTEGER, price NUMERIC NOT NULL, \
             name TEXT NOT NULL)"
        );
        table.key = &["id", "name"];
        table.columns = &table.columns[..1];
        assert_eq!(
            SqliteDialect.create_table(&table),
            "CREATE TABLE stock (id INTEGER NOT NULL, PRIMARY KEY (id, name))"
        );
        let index = Index {
            name: "stock_name",
            table: "stock",
            columns: &["name", "id"],
            unique: true,
        };
        assert_eq!(
            SqliteDialect.create_index(&index),
            "CREATE UNIQUE INDEX stock_name ON stock (name, id)"
        );
    }
}
