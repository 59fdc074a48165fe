//! What can be watched of PostgreSQL: what its connections wait for, and how far its log is ahead.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use postgres::{Client, Statement};

use super::super::Waits;
use super::connection::words;
use super::events::{self, CPU};
use crate::runner::fault::Fault;
use crate::runner::watch::Watch;

/// The name under which connections of workloads are known to the server.
pub(super) const WORKERS: &str = "benchbook";

/// How often which wait was seen since the instance was last told to count anew.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(Arc<Mutex<Counts>>);

#[derive(Debug, Default)]
struct Counts {
    looks: u64,
    events: BTreeMap<(String, String), u64>,
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what was seen.
    pub(super) fn clear(&self) {
        *self.lock() = Counts::default();
    }

    /// What was seen; nothing if nobody looked.
    pub(super) fn waits(&self) -> Option<Waits> {
        let counts = self.lock();
        let events = counts.events.iter();
        (counts.looks > 0).then(|| Waits {
            looks: counts.looks,
            events: events
                .map(|((kind, event), count)| (kind.clone(), event.clone(), *count))
                .collect(),
        })
    }
}

/// Connections of the workload by what they do. Each look is a transaction of its own, because the server shows
/// the same picture as long as one goes on. Where nothing is waited for, a connection computes only if it is in
/// the middle of a statement.
const LOOK: &str = "SELECT coalesce(wait_event_type, ''), coalesce(wait_event, ''), state = 'active', count(*) \
                    FROM pg_stat_activity WHERE application_name = $1 AND backend_type = 'client backend' \
                    AND datname = $2 AND pid <> pg_backend_pid() AND state IS NOT NULL \
                    GROUP BY 1, 2, 3";

/// What connections wait for.
pub(super) struct WaitWatch {
    client: Client,
    look: Statement,
    database: String,
    seen: Seen,
}

impl WaitWatch {
    pub(super) fn new(mut client: Client, database: String, seen: &Seen) -> Result<Self, Fault> {
        let look = client.prepare(LOOK).map_err(|error| failed(&error))?;
        Ok(Self {
            client,
            look,
            database,
            seen: seen.clone(),
        })
    }
}

impl Watch for WaitWatch {
    fn tells(&self, series: &str) -> bool {
        events::SERIES.contains(&series)
    }

    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let rows = self.client.query(&self.look, &[&WORKERS, &self.database]);
        let rows = rows.map_err(|error| failed(&error))?;
        let mut numbers: BTreeMap<&'static str, f64> =
            events::SERIES.iter().map(|series| (*series, 0.0)).collect();
        let mut counts = self.seen.lock();
        counts.looks += 1;
        for row in rows {
            let (kind, event): (String, String) = (row.get(0), row.get(1));
            let (is_active, count): (bool, i64) = (row.get(2), row.get(3));
            let (kind, event) = match (is_active, &*kind) {
                (true, "") => (CPU.to_owned(), CPU.to_owned()),
                (true, _) | (false, "Client") => (kind, events::name(&event).to_owned()),
                // It has just begun or ended; what it waited for before may still be shown.
                (false, _) => continue,
            };
            let mut add = |series| *numbers.entry(series).or_default() += count as f64;
            add(events::series(&kind, &event));
            if is_active && kind != "Client" {
                add("active");
                *counts.events.entry((kind, event)).or_default() += count.unsigned_abs();
            }
        }
        drop(counts);
        for (series, number) in numbers {
            out(series, number);
        }
        Ok(())
    }
}

/// How far the log is ahead of the last checkpoint, and how large it is on the disk.
pub(super) struct LogWatch {
    client: Client,
    distance: Statement,
    size: Option<Statement>,
    /// The distance at which the server begins a checkpoint of its own accord.
    limit: f64,
}

const DISTANCE: &str =
    "SELECT (pg_current_wal_insert_lsn() - redo_lsn)::float8 FROM pg_control_checkpoint()";

const SIZE: &str = "SELECT coalesce(sum(size), 0)::float8 FROM pg_ls_waldir()";

/// A checkpoint begins early enough to be over before the log reaches `max_wal_size`.
const LIMIT: &str = "SELECT pg_size_bytes(current_setting('max_wal_size')) \
                     / (1 + current_setting('checkpoint_completion_target')::float8)";

impl LogWatch {
    pub(super) fn new(mut client: Client) -> Result<Self, Fault> {
        let distance = client.prepare(DISTANCE).map_err(|error| failed(&error))?;
        let limit = client.query_one(LIMIT, &[]);
        let limit = limit.map_err(|error| failed(&error))?.get(0);
        // Not every user may look into the folder of the log.
        let size = client.prepare(SIZE).ok();
        let size = size.filter(|size| client.query(size, &[]).is_ok());
        Ok(Self {
            client,
            distance,
            size,
            limit,
        })
    }
}

impl Watch for LogWatch {
    fn tells(&self, series: &str) -> bool {
        ["checkpoint_age", "checkpoint_limit", "log_size"].contains(&series)
    }

    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let distance = self.client.query_one(&self.distance, &[]);
        out(
            "checkpoint_age",
            distance.map_err(|error| failed(&error))?.get(0),
        );
        out("checkpoint_limit", self.limit);
        if let Some(size) = &self.size {
            let size = self.client.query_one(size, &[]);
            out("log_size", size.map_err(|error| failed(&error))?.get(0));
        }
        Ok(())
    }
}

fn failed(error: &postgres::Error) -> Fault {
    Fault::failed(words(error))
}
