//! A connection to Firebird.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rsfbclient::prelude::{
    TrDataAccessMode, TrIsolationLevel, TrLockResolution, TrRecordVersion, TransactionConfiguration,
};
use rsfbclient::{
    Connection as Client, Execute as _, FbError, Queryable as _, Row, RustFbClient, SqlType,
};

use super::super::guard::Ticket;
use super::super::{ColumnType, Connection, SqlFault, SqlFaultKind, Table, Value};
use super::dialect::kind;
use crate::runner::stop::Deadline;

/// Connections of the client that is written in Rust.
pub(super) type FirebirdClient = Client<RustFbClient>;

/// What transactions that write see: what others have committed. A row that is being changed is waited for; up to
/// version 3 that ends in a conflict if it was changed, from version 4 on with the new row. The other way of reading
/// would let everybody who only reads a row wait for those who change it.
pub(super) const WRITING: TransactionConfiguration = TransactionConfiguration {
    data_access: TrDataAccessMode::ReadWrite,
    isolation: TrIsolationLevel::ReadCommited(TrRecordVersion::RecordVersion),
    lock_resolution: TrLockResolution::Wait(None),
};

/// What transactions that only read see: one state of the data.
const READING: TransactionConfiguration = TransactionConfiguration {
    data_access: TrDataAccessMode::ReadOnly,
    isolation: TrIsolationLevel::Concurrency,
    lock_resolution: TrLockResolution::Wait(None),
};

/// A connection.
pub(super) struct FirebirdConnection {
    client: FirebirdClient,
    deadline: Deadline,
    is_within: bool,
    _ticket: Option<Ticket>,
}

impl FirebirdConnection {
    pub(super) fn new(client: FirebirdClient, deadline: &Deadline, ticket: Option<Ticket>) -> Self {
        Self {
            client,
            deadline: deadline.clone(),
            is_within: false,
            _ticket: ticket,
        }
    }

    fn told<T>(&self, done: Result<T, FbError>) -> Result<T, SqlFault> {
        done.map_err(|error| fault(&error, &self.deadline))
    }

    /// Puts the rows of a file into a table, many with each statement.
    fn insert(&mut self, table: &Table, path: &Path, done: &AtomicU64) -> Result<u64, SqlFault> {
        let reading = |error: std::io::Error| other(format!("{}: {error}", path.display()));
        let mut reader = BufReader::with_capacity(1 << 16, File::open(path).map_err(reading)?);
        let most = rows_of_block(table);
        let (block, single) = (block_statement(table, most), block_statement(table, 1));
        let (mut line, mut rows) = (String::new(), 0_u64);
        let mut values = Vec::with_capacity(most * table.columns.len());
        loop {
            line.clear();
            let ended = reader.read_line(&mut line).map_err(reading)? == 0;
            if !ended {
                read(line.trim_end_matches(['\n', '\r']), table, &mut values)
                    .map_err(|why| other(format!("{}:{}: {why}", path.display(), rows + 1)))?;
                rows += 1;
            }
            let held = values.len() / table.columns.len().max(1);
            // A block with a faulty row is gone as a whole, so its rows go one by one, until it is found.
            let is_done = held == most && {
                let all = self.put(&block, values.clone());
                all.as_ref()
                    .map(|()| true)
                    .or_else(|fault| match fault.kind {
                        SqlFaultKind::Other => Ok(false),
                        _ => Err(fault.clone()),
                    })?
            };
            if is_done {
                done.fetch_add(held as u64, Ordering::Relaxed);
            } else if held == most || ended {
                let first = rows - held as u64;
                for (row, line) in values.chunks(table.columns.len().max(1)).zip(first + 1..) {
                    self.put(&single, row.to_vec()).map_err(|fault| SqlFault {
                        message: format!("{}:{line}: {}", path.display(), fault.message),
                        ..fault
                    })?;
                    done.fetch_add(1, Ordering::Relaxed);
                }
            }
            if held == most {
                values.clear();
            }
            if ended {
                return Ok(rows);
            }
        }
    }

    fn put(&mut self, sql: &str, values: Vec<SqlType>) -> Result<(), SqlFault> {
        if self.deadline.is_over() {
            return Err(over(&self.deadline));
        }
        let done = self.client.execute(sql, values);
        self.told(done).map(drop)
    }
}

/// How many rows go into one statement: what it is given may have 32 KiB.
fn rows_of_block(table: &Table) -> usize {
    const MOST: usize = 30_000;
    let size = |column: ColumnType| match column {
        ColumnType::Text(most) => 4 * usize::from(most) + 4,
        _ => 12,
    };
    let row: usize = table.columns.iter().map(|(_, column)| size(*column)).sum();
    (MOST / row.max(1)).clamp(1, 100)
}

/// A statement that inserts so many rows.
fn block_statement(table: &Table, rows: usize) -> String {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let (mut given, mut inserts) = (Vec::new(), String::new());
    for row in 0..rows {
        let mut values = Vec::new();
        for (place, (_, column)) in table.columns.iter().enumerate() {
            let name = format!("p{}", row * table.columns.len() + place);
            given.push(format!("{name} {} = ?", kind(*column)));
            values.push(format!(":{name}"));
        }
        let (names, values) = (names.join(","), values.join(","));
        inserts.push_str(&format!(
            "INSERT INTO {} ({names}) VALUES ({values});",
            table.name
        ));
    }
    format!("EXECUTE BLOCK ({}) AS BEGIN {inserts} END", given.join(","))
}

/// The fields of a line as the columns take them.
fn read(line: &str, table: &Table, values: &mut Vec<SqlType>) -> Result<(), String> {
    let mut fields = line.split(',');
    for (name, column) in table.columns {
        let field = fields
            .next()
            .ok_or_else(|| format!("no value for `{name}`"))?;
        let value = match column {
            ColumnType::WholeOrNull if field.is_empty() => Some(SqlType::Null),
            ColumnType::Whole | ColumnType::WholeOrNull => field.parse().ok().map(SqlType::Integer),
            // As a text, which the server turns into an exact number.
            ColumnType::Money => field
                .parse::<f64>()
                .ok()
                .map(|_| SqlType::Text(field.to_owned())),
            ColumnType::Text(_) => Some(SqlType::Text(field.to_owned())),
        };
        values.push(value.ok_or_else(|| format!("no value for `{name}`"))?);
    }
    match fields.next() {
        None => Ok(()),
        Some(_) => Err("too many fields".to_owned()),
    }
}

fn given(values: &[Value]) -> Vec<SqlType> {
    let values = values.iter().map(|value| match value {
        Value::Null => SqlType::Null,
        Value::Whole(number) => SqlType::Integer(*number),
        // As a text, which the server turns into an exact number.
        Value::Number(number) => SqlType::Text(number.to_string()),
        Value::Text(text) => SqlType::Text(text.clone()),
    });
    values.collect()
}

/// Exact numbers with places come as numbers of 64 bits: the client has no other way.
fn told(value: SqlType) -> Value {
    match value {
        SqlType::Null => Value::Null,
        SqlType::Integer(number) => Value::Whole(number),
        SqlType::Int128(number) => {
            i64::try_from(number).map_or_else(|_| number.to_string().into(), Value::Whole)
        }
        SqlType::Floating(number) => Value::Number(number),
        SqlType::Boolean(is) => Value::Whole(i64::from(is)),
        SqlType::Text(text) => Value::Text(text),
        SqlType::Timestamp(time) => Value::Text(time.to_string()),
        SqlType::Binary(bytes) => Value::Text(String::from_utf8_lossy(&bytes).into_owned()),
    }
}

/// All rows of a query.
pub(super) fn rows(
    client: &mut FirebirdClient,
    sql: &str,
    values: Vec<SqlType>,
) -> Result<Vec<Vec<Value>>, FbError> {
    let rows: Vec<Row> = client.query(sql, values)?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|row| row.cols.into_iter().map(|cell| told(cell.value)).collect())
        .collect())
}

impl Connection for FirebirdConnection {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault> {
        let done = self.client.execute(sql, given(values));
        self.told(done).map(|count| count as u64)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault> {
        let done = rows(&mut self.client, sql, given(values));
        self.told(done)
    }

    fn begin(&mut self) -> Result<(), SqlFault> {
        let done = self.client.begin_transaction_config(WRITING);
        self.is_within = done.is_ok();
        self.told(done)
    }

    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        let done = self.client.begin_transaction_config(READING);
        self.is_within = done.is_ok();
        self.told(done)
    }

    fn commit(&mut self) -> Result<(), SqlFault> {
        self.is_within = false;
        let done = self.client.commit();
        self.told(done)
    }

    fn rollback(&mut self) -> Result<(), SqlFault> {
        self.is_within = false;
        let done = self.client.rollback();
        self.told(done)
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
        let rows = self.insert(table, file, done);
        if is_own {
            match rows {
                Ok(_) => self.commit()?,
                // A connection that broke off has undone it already.
                Err(_) => drop(self.rollback()),
            }
        }
        rows
    }
}

/// What an error means for the one who asked.
pub(super) fn fault(error: &FbError, deadline: &Deadline) -> SqlFault {
    /// Words of conflicts: circles of locks, rows that others have changed or removed, waits that were given up.
    const CONFLICTS: [&str; 5] = [
        "deadlock",
        "update conflicts",
        "lock conflict",
        "lock time-out",
        "cannot update erased record",
    ];
    if deadline.is_over() {
        return over(deadline);
    }
    let message = words(error);
    let is_conflict = CONFLICTS.iter().any(|words| message.contains(words));
    SqlFault {
        kind: if is_conflict {
            SqlFaultKind::Conflict
        } else {
            SqlFaultKind::Other
        },
        message,
    }
}

/// What an error says, in one line.
pub(super) fn words(error: &FbError) -> String {
    let text = error.to_string();
    // The server's way to refuse is to ask for another way to prove a password.
    if text.contains("ContAuth") {
        return "user name and password aren't accepted, or have to be proven in a way that isn't known here: \
                Srp256 and Srp are"
            .to_owned();
    }
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
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

    const TABLE: Table = Table {
        name: "t",
        columns: &[
            ("a", ColumnType::WholeOrNull),
            ("b", ColumnType::Money),
            ("c", ColumnType::Text(3)),
        ],
        key: &[],
    };

    #[test]
    fn blocks_insert_several_rows() {
        let sql = block_statement(&TABLE, 2);
        assert!(
            sql.starts_with("EXECUTE BLOCK (p0 BIGINT = ?,p1 NUMERIC(18, 2) = ?,"),
            "{sql}"
        );
        assert!(
            sql.ends_with("INSERT INTO t (a,b,c) VALUES (:p3,:p4,:p5); END"),
            "{sql}"
        );
        assert_eq!(rows_of_block(&TABLE), 100);
    }

    #[test]
    fn fields_have_to_fit() {
        let read = |line: &str| {
            let mut values = Vec::new();
            read(line, &TABLE, &mut values).map(|()| values.len())
        };
        assert_eq!(read(",1.50,"), Ok(3));
        for (line, words) in [
            ("x,1,a", "`a`"),
            ("1,x,a", "`b`"),
            ("1,1", "`c`"),
            ("1,1,a,b", "too many"),
        ] {
            assert!(read(line).is_err_and(|why| why.contains(words)), "{line}");
        }
    }
}
