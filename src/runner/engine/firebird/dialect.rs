//! How Firebird writes SQL.

use std::fmt::Write as _;

use super::super::{ColumnType, Dialect, Table};

pub(super) struct FirebirdDialect;

/// The type of a column, as tables and variables have it.
pub(super) fn kind(kind: ColumnType) -> String {
    match kind {
        ColumnType::Whole | ColumnType::WholeOrNull => "BIGINT".to_owned(),
        ColumnType::Money => "NUMERIC(18, 2)".to_owned(),
        // Its usual order is that of the letters' numbers, which is that of their bytes.
        ColumnType::Text(most) => format!("VARCHAR({most}) CHARACTER SET UTF8"),
    }
}

impl Dialect for FirebirdDialect {
    fn create_table(&self, table: &Table) -> String {
        let mut sql = format!("CREATE TABLE {} (", table.name);
        for (place, (name, column)) in table.columns.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let null = if *column == ColumnType::WholeOrNull {
                ""
            } else {
                " NOT NULL"
            };
            let _ = write!(sql, "{comma}{name} {}{null}", kind(*column));
        }
        if !table.key.is_empty() {
            let _ = write!(sql, ", PRIMARY KEY ({})", table.key.join(", "));
        }
        sql.push(')');
        sql
    }

    fn list_indexes(&self) -> &'static str {
        "SELECT TRIM(RDB$INDEX_NAME) FROM RDB$INDICES \
         WHERE RDB$RELATION_NAME = UPPER(CAST(? AS VARCHAR(60))) AND COALESCE(RDB$INDEX_INACTIVE, 0) = 0"
    }

    fn limit(&self, count: u64) -> String {
        format!(" ROWS {count}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_spelled_out() {
        let table = Table {
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
            FirebirdDialect.create_table(&table),
            "CREATE TABLE stock (id BIGINT NOT NULL, carrier BIGINT, price NUMERIC(18, 2) NOT NULL, \
             name VARCHAR(24) CHARACTER SET UTF8 NOT NULL, PRIMARY KEY (id))"
        );
    }
}
