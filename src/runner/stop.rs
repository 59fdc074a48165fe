//! The wish to end a run, and the time limit of a trial.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use super::fault::Fault;

/// The wish to end a run; clones share it, and it can be raised from a signal handler.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicU8>);

impl Stop {
    /// Asks for one thing more: first that no other trial begins, then that the one in flight is dropped.
    pub fn raise(&self) {
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |wish| {
                Some((wish + 1).min(2))
            });
    }

    /// Asks that the trial in flight is dropped.
    pub fn drop_trial(&self) {
        self.0.store(2, Ordering::Relaxed);
    }

    /// Whether no other trial may begin.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 1
    }

    /// Whether the trial in flight is to be dropped.
    pub fn drops_trial(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 2
    }

    /// Begins the time limit of a trial.
    pub fn limit(&self, length: Duration) -> Deadline {
        Deadline {
            stop: self.clone(),
            start: Instant::now(),
            length,
        }
    }
}

/// The time limit of a trial; clones share the wish to stop.
#[derive(Debug, Clone)]
pub struct Deadline {
    stop: Stop,
    start: Instant,
    length: Duration,
}

impl Deadline {
    /// The time left, nothing once it has passed.
    pub fn left(&self) -> Duration {
        self.length.saturating_sub(self.start.elapsed())
    }

    /// Whether work has to end now.
    pub fn is_over(&self) -> bool {
        self.stop.drops_trial() || self.start.elapsed() >= self.length
    }

    /// Why work has to end now, if it has to.
    pub fn check(&self) -> Result<(), Fault> {
        if self.stop.drops_trial() {
            return Err(Fault::stopped());
        }
        if self.start.elapsed() >= self.length {
            let seconds = self.length.as_secs_f64();
            return Err(Fault::timeout(format!("not done after {seconds} s")));
        }
        Ok(())
    }
}
