//! What can be watched of InnoDB: the age of its log, changed pages, waits for row locks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use mysql::Conn;

use super::age::{Source, status};
use super::connection::words;
use crate::runner::fault::Fault;
use crate::runner::watch::Watch;

/// An age is at its limit from this share of it on.
const AT_LIMIT: f64 = 0.95;

/// How often the age was looked at since the instance was last told to count anew, and found at its limit.
#[derive(Debug, Clone, Default)]
pub(super) struct Looks(Arc<(AtomicU64, AtomicU64)>);

impl Looks {
    pub(super) fn clear(&self) {
        self.0.0.store(0, Ordering::Relaxed);
        self.0.1.store(0, Ordering::Relaxed);
    }

    /// The share of looks that found the age at its limit; nothing if nobody looked.
    pub(super) fn share(&self) -> Option<f64> {
        let looks = self.0.0.load(Ordering::Relaxed);
        let found = self.0.1.load(Ordering::Relaxed);
        (looks > 0).then(|| found as f64 / looks as f64)
    }

    fn add(&self, age: f64, limit: f64) {
        self.0.0.fetch_add(1, Ordering::Relaxed);
        if age >= limit * AT_LIMIT {
            self.0.1.fetch_add(1, Ordering::Relaxed);
        }
    }
}

pub(super) struct InnoDbWatch {
    conn: Conn,
    source: Source,
    looks: Looks,
    last: Option<(Instant, f64)>,
}

impl InnoDbWatch {
    pub(super) fn new(mut conn: Conn, looks: &Looks) -> Result<Self, Fault> {
        let source = Source::find(&mut conn).map_err(|error| Fault::failed(words(&error)))?;
        Ok(Self {
            conn,
            source,
            looks: looks.clone(),
            last: None,
        })
    }

    /// Waits for row locks per second, once there is something to compare with.
    fn waits(&mut self, status: &BTreeMap<String, String>) -> Option<f64> {
        let now = Instant::now();
        let count: f64 = status.get("innodb_row_lock_waits")?.parse().ok()?;
        let (then, before) = self.last.replace((now, count))?;
        let seconds = now.duration_since(then).as_secs_f64();
        (seconds > 0.0 && count >= before).then(|| (count - before) / seconds)
    }
}

impl Watch for InnoDbWatch {
    fn tells(&self, series: &str) -> bool {
        ["checkpoint_age", "checkpoint_limit", "dirty", "busy_waits"].contains(&series)
    }

    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let failed = |error| Fault::failed(words(&error));
        let status = status(&mut self.conn).map_err(failed)?;
        let age = match self.source.of_status(&status) {
            None => self.source.read(&mut self.conn).map_err(failed)?,
            told => told,
        };
        if let Some(age) = age {
            out("checkpoint_age", age.age);
            if let Some(limit) = age.limit {
                out("checkpoint_limit", limit);
                self.looks.add(age.age, limit);
            }
        }
        let number = |name: &str| status.get(name)?.parse::<f64>().ok();
        if let (Some(pages), Some(size)) = (
            number("innodb_buffer_pool_pages_dirty"),
            number("innodb_page_size"),
        ) {
            out("dirty", pages * size);
        }
        if let Some(rate) = self.waits(&status) {
            out("busy_waits", rate);
        }
        Ok(())
    }
}
