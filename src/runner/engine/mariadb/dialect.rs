//! How MariaDB and MySQL write SQL.

use std::fmt::Write as _;

use super::super::{ColumnType, Dialect, Table};

pub(super) struct MariaDbDialect;

impl Dialect for MariaDbDialect {
    fn create_table(&self, table: &Table) -> String {
        let mut sql = format!("CREATE TABLE {} (", table.name);
        for (place, (name, kind)) in table.columns.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let kind = match kind {
                ColumnType::Whole => "BIGINT NOT NULL".to_owned(),
                ColumnType::WholeOrNull => "BIGINT".to_owned(),
                ColumnType::Money => "DECIMAL(18, 2) NOT NULL".to_owned(),
                ColumnType::Text(most) => format!("VARCHAR({most}) NOT NULL"),
            };
            let _ = write!(sql, "{comma}{name} {kind}");
        }
        if !table.key.is_empty() {
            let _ = write!(sql, ", PRIMARY KEY ({})", table.key.join(", "));
        }
        // Texts are compared byte by byte, as on every engine.
        sql.push_str(") ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
        sql
    }

    fn list_indexes(&self) -> &'static str {
        "SELECT DISTINCT INDEX_NAME FROM information_schema.STATISTICS \
         WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?"
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
            MariaDbDialect.create_table(&table),
            "CREATE TABLE stock (id BIGINT NOT NULL, carrier BIGINT, price DECIMAL(18, 2) NOT NULL, \
             name VARCHAR(24) NOT NULL, PRIMARY KEY (id)) ENGINE = InnoDB CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
        );
    }
}
