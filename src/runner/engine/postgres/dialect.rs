//! How PostgreSQL writes SQL.

use std::fmt::Write as _;

use super::super::{ColumnType, Dialect, Table};

/// How one instance writes SQL.
#[derive(Debug, Default)]
pub(super) struct PostgresDialect {
    /// How full the pages of tables are made, in percent, if it was asked for.
    pub(super) fillfactor: Option<String>,
}

impl Dialect for PostgresDialect {
    fn create_table(&self, table: &Table) -> String {
        let mut sql = format!("CREATE TABLE {} (", table.name);
        for (place, (name, kind)) in table.columns.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let kind = match kind {
                ColumnType::Whole => "bigint NOT NULL".to_owned(),
                ColumnType::WholeOrNull => "bigint".to_owned(),
                ColumnType::Money => "numeric(18, 2) NOT NULL".to_owned(),
                // Compared byte by byte, as on every engine.
                ColumnType::Text(most) => format!("varchar({most}) COLLATE \"C\" NOT NULL"),
            };
            let _ = write!(sql, "{comma}{name} {kind}");
        }
        if !table.key.is_empty() {
            let _ = write!(sql, ", PRIMARY KEY ({})", table.key.join(", "));
        }
        sql.push(')');
        if let Some(fillfactor) = &self.fillfactor {
            let _ = write!(sql, " WITH (fillfactor = {fillfactor})");
        }
        sql
    }

    fn list_indexes(&self) -> &'static str {
        "SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
         JOIN pg_class t ON t.oid = i.indrelid \
         WHERE i.indisvalid AND i.indisready AND t.relname = ?::text AND pg_table_is_visible(t.oid)"
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
        let mut dialect = PostgresDialect::default();
        let plain = "CREATE TABLE stock (id bigint NOT NULL, carrier bigint, price numeric(18, 2) NOT NULL, \
                     name varchar(24) COLLATE \"C\" NOT NULL, PRIMARY KEY (id))";
        assert_eq!(dialect.create_table(&table), plain);
        dialect.fillfactor = Some("50".to_owned());
        let half = format!("{plain} WITH (fillfactor = 50)");
        assert_eq!(dialect.create_table(&table), half);
    }
}
