//! What can be watched of Firebird: the pages of its database, and its lock table.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::connection::{FirebirdClient, rows, words};
use super::locks::Locks;
use super::observe::{Ledger, Pages, WATCHED};
use super::place::Private;
use crate::runner::fault::Fault;
use crate::runner::watch::Watch;

/// What was seen while watching, since the instance was last told to count anew.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    longest: Option<f64>,
    looks: u64,
    ledger: Ledger,
    before: Pages,
}

impl Seen {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to count anew.
    pub(super) fn clear(&self) {
        let mut state = self.lock();
        state.longest = None;
        state.looks = 0;
        state.before = state.ledger.sum();
    }

    /// The longest chain of the lock table.
    pub(super) fn longest(&self) -> Option<f64> {
        self.lock().longest
    }

    /// Counters of pages then and now; nothing if nobody looked.
    pub(super) fn pages(&self) -> Option<(Pages, Pages)> {
        let state = self.lock();
        (state.looks > 0).then(|| (state.before, state.ledger.sum()))
    }
}

/// Pages read, written, looked at and changed per second.
pub(super) struct PageWatch {
    client: FirebirdClient,
    seen: Seen,
    last: Option<(Instant, Pages)>,
}

impl PageWatch {
    pub(super) fn new(client: FirebirdClient, seen: &Seen) -> Self {
        Self {
            client,
            seen: seen.clone(),
            last: None,
        }
    }
}

impl Watch for PageWatch {
    fn tells(&self, series: &str) -> bool {
        WATCHED.contains(&series)
    }

    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let told = rows(&mut self.client, Ledger::SQL, Vec::new());
        let told = told.map_err(|error| Fault::failed(words(&error)))?;
        let now = Instant::now();
        let mut state = self.seen.lock();
        state.ledger.add(&told);
        state.looks += 1;
        let pages = state.ledger.sum();
        drop(state);
        if let Some((then, before)) = self.last.replace((now, pages)) {
            let seconds = now.duration_since(then).as_secs_f64();
            for (series, count) in WATCHED.into_iter().zip(pages.since(&before)) {
                if seconds > 0.0 {
                    out(series, count / seconds);
                }
            }
        }
        Ok(())
    }
}

/// Requests to the lock table, and how many found it taken. It is printed by a program, so not at every turn.
pub(super) struct LockWatch {
    private: Arc<Private>,
    database: String,
    seen: Seen,
    last: Option<(Instant, Locks)>,
}

impl LockWatch {
    pub(super) fn new(private: &Arc<Private>, database: &str, seen: &Seen) -> Self {
        Self {
            private: Arc::clone(private),
            database: database.to_owned(),
            seen: seen.clone(),
            last: None,
        }
    }
}

impl Watch for LockWatch {
    fn tells(&self, series: &str) -> bool {
        ["lock_requests", "lock_table_waits"].contains(&series)
    }

    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        const EVERY: Duration = Duration::from_secs(1);
        if self
            .last
            .as_ref()
            .is_some_and(|(then, _)| then.elapsed() < EVERY)
        {
            return Ok(());
        }
        let Some(locks) = self.private.locks(&self.database) else {
            return Ok(());
        };
        let now = Instant::now();
        let mut state = self.seen.lock();
        let longest = state.longest.unwrap_or(0.0).max(locks.longest);
        state.longest = Some(longest);
        drop(state);
        if let Some((then, before)) = self.last.replace((now, locks)) {
            let seconds = now.duration_since(then).as_secs_f64();
            let (acquires, blocks) = (
                locks.acquires - before.acquires,
                locks.blocks - before.blocks,
            );
            if seconds > 0.0 && acquires >= 0.0 {
                out("lock_requests", acquires / seconds);
            }
            if acquires > 0.0 && blocks >= 0.0 {
                out("lock_table_waits", blocks / acquires);
            }
        }
        Ok(())
    }
}
