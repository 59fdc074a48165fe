//! What the connections of an instance share: the file, its settings, and how long they waited for locks.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OpenFlags};

use super::setting::Settings;
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;

/// Name of the database file in an instance's folder.
pub(super) const FILE: &str = "database.sqlite";

/// How long a connection waits for a lock unless told otherwise.
const PATIENCE: Duration = Duration::from_secs(10);

/// After so many steps of SQLite's machine (well below a millisecond) a statement looks at the clock.
const STEPS: i32 = 10_000;

/// Kept prepared on each connection; no workload has more statements.
const STATEMENTS: usize = 256;

/// What the connections of an instance share.
///
/// Closing any handle of a file ends all of a process's locks on it (POSIX, `fcntl`). So files of the
/// database are opened once and stay open for as long as there are connections.
pub(super) struct State {
    pub(super) path: PathBuf,
    pub(super) settings: Settings,
    pub(super) patience: Duration,
    pub(super) deadline: Deadline,
    /// The database file itself, to bring it to disk.
    pub(super) file: File,
    /// The index of its log, once it was first read.
    pub(super) log_index: Mutex<Option<File>>,
    /// Connections that are open now, the instance's own aside.
    pub(super) open: AtomicU64,
    /// Locks that were found taken.
    pub(super) waits: AtomicU64,
    /// Nanoseconds spent waiting for them, by all connections together.
    pub(super) waited: AtomicU64,
}

impl State {
    pub(super) fn new(
        folder: &Path,
        settings: Settings,
        deadline: &Deadline,
    ) -> Result<Self, Fault> {
        let path = folder.join(FILE);
        let patience = settings
            .of_connections("busy_timeout")
            .and_then(|value| value.parse().ok())
            .map_or(PATIENCE, Duration::from_millis);
        let file = File::options()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(&path)
            .map_err(|error| Fault::failed(format!("{FILE}: {error}")))?;
        Ok(Self {
            path,
            settings,
            patience,
            deadline: deadline.clone(),
            file,
            log_index: Mutex::new(None),
            open: AtomicU64::new(0),
            waits: AtomicU64::new(0),
            waited: AtomicU64::new(0),
        })
    }

    /// The path of a file beside the database file, such as `-wal`.
    pub(super) fn beside(&self, ending: &str) -> PathBuf {
        let mut path = self.path.clone().into_os_string();
        path.push(ending);
        path.into()
    }

    /// Opens a connection that waits and ends as it should, with none of the settings in effect yet.
    pub(super) fn open_bare(self: &std::sync::Arc<Self>) -> rusqlite::Result<Connection> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let mut connection = Connection::open_with_flags(&self.path, flags)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        let (state, mut start) = (self.clone(), Instant::now());
        connection.busy_handler(Some(move |count| {
            if count == 0 {
                start = Instant::now();
                state.waits.fetch_add(1, Ordering::Relaxed);
            }
            state.wait(count, start)
        }))?;
        let deadline = self.deadline.clone();
        connection.progress_handler(STEPS, Some(move || deadline.is_over()))?;
        Ok(connection)
    }

    /// Opens a connection on which all settings of connections are in effect.
    pub(super) fn open(self: &std::sync::Arc<Self>) -> rusqlite::Result<Connection> {
        let connection = self.open_bare()?;
        for (name, value) in &self.settings.each {
            // The PRAGMA would take the place of our own way of waiting.
            if name != "busy_timeout" {
                connection.pragma_update(None, name, value)?;
            }
        }
        Ok(connection)
    }

    /// Waits a little for a lock that was found taken `count` times before; whether to try again.
    fn wait(&self, count: i32, start: Instant) -> bool {
        // As SQLite's own handler does it.
        const DELAYS: [u64; 12] = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100];
        let left = self.patience.saturating_sub(start.elapsed());
        if left.is_zero() || self.deadline.is_over() {
            return false;
        }
        let place = usize::try_from(count).unwrap_or(0).min(DELAYS.len() - 1);
        let before = Instant::now();
        std::thread::sleep(Duration::from_millis(DELAYS[place]).min(left));
        let took = u64::try_from(before.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waited.fetch_add(took, Ordering::Relaxed);
        true
    }
}
