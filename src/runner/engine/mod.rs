//! Engines: what can be measured. One file each, listed in `ENGINES`.

#[cfg(any(
    feature = "engine-firebird",
    feature = "engine-mariadb",
    feature = "engine-postgres"
))]
mod amount;
mod command;
#[cfg(any(
    feature = "engine-firebird",
    feature = "engine-mariadb",
    feature = "engine-postgres"
))]
mod files;
#[cfg(feature = "engine-firebird")]
mod firebird;
#[cfg(any(
    feature = "engine-firebird",
    feature = "engine-mariadb",
    feature = "engine-postgres"
))]
mod guard;
#[cfg(all(
    test,
    any(
        feature = "engine-firebird",
        feature = "engine-mariadb",
        feature = "engine-postgres"
    )
))]
mod home;
#[cfg(feature = "engine-mariadb")]
mod mariadb;
mod observed;
#[cfg(feature = "engine-postgres")]
mod postgres;
mod server;
pub mod sqlite;
#[cfg(test)]
pub(super) mod there;
#[cfg(feature = "engine-postgres")]
mod tls;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::fault::Fault;
use super::stop::Deadline;
use super::watch::Watch;
use super::workload::{FilledCommands, Outcome};

pub use observed::{Observed, WAIT_SHARE, WAITS, Waits};
pub use server::{Encryption, Password, Server};

/// A kind of database, or whatever else can be measured.
pub trait Engine: Sync {
    /// Its name in `[run]` and on the command line.
    fn name(&self) -> &'static str;

    /// Whether it can be used here.
    fn probe(&self) -> Availability;

    /// When a new value of a setting takes effect; settings that aren't known by name are taken to
    /// need a restart.
    fn apply(&self, setting: &str) -> Apply;

    /// Why a case can't ask for this, as far as that is known before anything is started. On a server that
    /// is `elsewhere`, the version isn't known yet.
    fn refuse(&self, _asked: &Requested, _elsewhere: bool) -> Option<String> {
        None
    }

    /// What an instance counts of itself while it is measured, beside the results of the workload. A name that
    /// several engines use means the same on all, and no workload has a result of that name.
    fn results(&self) -> &'static [Outcome] {
        &[]
    }

    /// How the addresses of servers begin that it can use; none where it can use none.
    fn schemes(&self) -> &'static [&'static str] {
        &[]
    }

    /// Starts a private instance with these settings, or makes itself at home on the server that was named.
    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault>;
}

/// Every engine, in the order in which they are shown.
pub const ENGINES: &[&dyn Engine] = &[
    &sqlite::Sqlite,
    #[cfg(feature = "engine-postgres")]
    &postgres::Postgres,
    #[cfg(feature = "engine-mariadb")]
    &mariadb::MariaDb,
    #[cfg(feature = "engine-firebird")]
    &firebird::Firebird,
    &command::Command,
];

/// The engine with this name.
pub fn find(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|it| it.name() == name)
}

/// Whether an engine can be used here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It can, in this version.
    Ready(String),
    /// It can't: what is missing, and how to get it.
    Missing {
        /// What is missing.
        what: String,
        /// What to install or do.
        help: String,
    },
}

/// When a new value of a setting takes effect, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Apply {
    /// At once.
    Dynamic,
    /// With the next connection.
    NewConnection,
    /// Once all connections have ended.
    LastDisconnect,
    /// With the next start.
    Restart,
    /// Only in data that are built anew.
    Rebuild,
}

/// A setting as a case asks for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requested {
    /// Name as the engine spells it.
    pub name: String,
    /// The value, filled for the case.
    pub value: String,
}

/// How an instance is to be started.
#[derive(Debug)]
pub struct Start<'a> {
    /// An empty folder of its own; it holds everything that the instance writes.
    pub folder: &'a Path,
    /// Data that a stopped instance left in another folder, to begin with a copy of them.
    pub from: Option<&'a Path>,
    /// The settings asked for.
    pub settings: &'a [Requested],
    /// The server to use instead of a private one; only of a kind that the engine lists among its schemes.
    pub server: Option<&'a Server>,
    /// The trial's limit.
    pub deadline: &'a Deadline,
    /// The programs of the `command` workload, for the engine of that name.
    pub commands: Option<&'a FilledCommands>,
}

/// A running instance. Connections may be opened from several threads.
///
/// On a server that somebody else runs, nothing is touched but a database of the instance's own, named after
/// its folder, which a killed runner's next start finds and removes. Settings of sessions are set there; all
/// others are only read back, so that a trial whose wishes the server doesn't meet fails.
pub trait Instance: Send + Sync {
    /// Name and version, as environments state it (`SQLite 3.50.4`).
    fn version(&self) -> String;

    /// How it speaks SQL; `None` if it speaks none.
    fn dialect(&self) -> Option<&dyn Dialect>;

    /// Opens a connection, on which all settings of connections are in effect.
    fn connect(&self) -> Result<Box<dyn Connection>, Fault>;

    /// The value of a setting that is in effect, as the engine tells it; `None` where it can't be asked.
    fn effective(&self, setting: &str) -> Result<Option<String>, Fault>;

    /// Whether an effective value is the one asked for (`64MB` may be told as `65536 kB`).
    fn is_same(&self, setting: &str, requested: &str, effective: &str) -> bool;

    /// Every setting that it tells of, by name.
    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault>;

    /// Whether its folder holds its data, so that other trials can begin with a copy of it.
    fn keeps_data(&self) -> bool {
        true
    }

    /// Begins to count what [`Self::observed`] tells. Called before a measurement, and by workloads with a
    /// warm-up at the end of that.
    fn mark(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// What it counted since then, of what its engine lists as results. Some may be left out.
    fn observed(&self) -> Result<Observed, Fault> {
        Ok(Observed::default())
    }

    /// Its own tool for backups, if it has one.
    fn backup(&self) -> Option<&dyn Backup> {
        None
    }

    /// Brings everything that is still in memory or logs to its place, so that measuring begins at rest.
    fn flush(&self) -> Result<(), Fault>;

    /// Checks, in the way the engine offers, that its files are sound and indexes and tables agree; an
    /// engine that offers none finds no fault.
    fn check_soundness(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// What can be watched of it.
    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault>;

    /// Stops it, so that its folder can be copied or removed. Dropping it does the same, without telling.
    fn stop(self: Box<Self>) -> Result<(), Fault>;

    /// The end of its log, for a fault.
    fn log_tail(&self) -> String;

    /// How its server has ended, if it has, though nobody asked it to (`was ended by signal 9`).
    fn gone(&self) -> Option<String> {
        None
    }
}

/// An engine's own tool for backups, such as gbak.
pub trait Backup {
    /// Writes the whole database to files in a folder of the workload.
    fn back_up(&self, folder: &Path, deadline: &Deadline) -> Result<(), Fault>;

    /// Makes a database of such files, which from then on takes the place of the one that was there. Answers
    /// the seconds of each step in order: `data` first, then each index by its name in lower case, as far as
    /// the tool tells them apart; they add up to the whole.
    fn restore(&self, folder: &Path, deadline: &Deadline) -> Result<Vec<(String, f64)>, Fault>;
}

/// A value in a statement or an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// None.
    Null,
    /// A whole number.
    Whole(i64),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Whole(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

/// A connection; one thread uses it at a time. Statements are kept prepared by their text, so the text
/// should not hold values. Placeholders are `?`, whatever the engine writes itself.
pub trait Connection: Send {
    /// Runs a statement; answers how many rows it changed. Outside a transaction it commits itself.
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault>;

    /// Runs a query; answers its rows.
    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault>;

    /// Begins a transaction that will write.
    fn begin(&mut self) -> Result<(), SqlFault>;

    /// Begins a transaction that will only read, and see one state of the data.
    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        self.begin()
    }

    /// Ends it, keeping what it did.
    fn commit(&mut self) -> Result<(), SqlFault>;

    /// Ends it, undoing what it did; nothing to undo is no fault.
    fn rollback(&mut self) -> Result<(), SqlFault>;

    /// Loads a comma-separated file without a header in the way the engine is best at; answers how many
    /// rows it held. Texts in it need no quoting; nothing between two commas is no value.
    fn load(&mut self, table: &Table, file: &Path) -> Result<u64, SqlFault>;

    /// As `load`, and counts the rows in `done` while they go in, where the engine can tell.
    fn load_counted(
        &mut self,
        table: &Table,
        file: &Path,
        done: &AtomicU64,
    ) -> Result<u64, SqlFault> {
        let rows = self.load(table, file)?;
        done.fetch_add(rows, Ordering::Relaxed);
        Ok(rows)
    }
}

/// Why a statement failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlFault {
    /// What it means for the one who asked.
    pub kind: SqlFaultKind,
    /// What the engine said.
    pub message: String,
}

/// What a failed statement means for the one who asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlFaultKind {
    /// Another connection was in the way: undo the transaction and try again.
    Conflict,
    /// The trial's limit has passed.
    Interrupted,
    /// Trying again would not help.
    Other,
}

impl From<SqlFault> for Fault {
    fn from(fault: SqlFault) -> Self {
        match fault.kind {
            SqlFaultKind::Interrupted => Self::timeout(fault.message),
            SqlFaultKind::Conflict | SqlFaultKind::Other => Self::failed(fault.message),
        }
    }
}

/// A table that workloads use; each engine creates it in its own dialect.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: &'static [(&'static str, ColumnType)],
    /// The columns of its primary key; none for a table without one.
    pub key: &'static [&'static str],
}

/// The type of a column. None may be null unless it says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// A whole number of 64 bits.
    Whole,
    /// A whole number of 64 bits, or null.
    WholeOrNull,
    /// A number with two decimal places; sums are exact.
    Money,
    /// A text of at most so many letters.
    Text(u16),
}

/// An index that workloads use.
#[derive(Debug, Clone)]
pub struct Index {
    /// Its name.
    pub name: &'static str,
    /// Its table's name.
    pub table: &'static str,
    /// Its columns.
    pub columns: &'static [&'static str],
    /// Whether it holds every value once.
    pub unique: bool,
}

/// How an engine writes SQL.
pub trait Dialect: Sync {
    /// The statement that creates a table.
    fn create_table(&self, table: &Table) -> String;

    /// The statement that creates an index.
    fn create_index(&self, index: &Index) -> String {
        let unique = if index.unique { "UNIQUE " } else { "" };
        let (name, table, columns) = (index.name, index.table, index.columns.join(", "));
        format!("CREATE {unique}INDEX {name} ON {table} ({columns})")
    }

    /// The query that answers the names of a table's valid indexes, one a row, in any case; `?` stands
    /// for the table's name.
    fn list_indexes(&self) -> &'static str;

    /// What follows a query that should give only its first `count` rows, such as ` LIMIT 1`.
    fn limit(&self, count: u64) -> String {
        format!(" LIMIT {count}")
    }
}
