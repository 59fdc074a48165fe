//! How far an engine's log is ahead of its data, read while work goes on.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::super::engine::Instance;
use super::super::fault::Fault;
use super::super::stop::Deadline;
use super::super::watch::Watch;

/// The longest time that passes between two looks at the limit of a trial.
const PATIENCE: Duration = Duration::from_millis(100);

/// Reads the checkpoint age, for engines that tell it.
pub(super) struct Age {
    watches: Vec<Box<dyn Watch>>,
}

impl Age {
    pub(super) fn of(instance: &dyn Instance) -> Result<Self, Fault> {
        let mut watches = instance.watches()?;
        watches.retain(|watch| watch.tells("checkpoint_age"));
        Ok(Self { watches })
    }

    /// Bytes in the log that are not yet in their place; `None` where the engine doesn't tell, or not now.
    pub(super) fn read(&mut self) -> Option<f64> {
        let mut age = None;
        for watch in &mut self.watches {
            // One that can't be read now may be read the next time.
            let _ = watch.read(&mut |series, value| {
                if series == "checkpoint_age" {
                    age = Some(value);
                }
            });
        }
        age
    }

    /// Does some work, and answers the highest age read meanwhile too.
    pub(super) fn highest_during<T>(
        &mut self,
        every: Duration,
        work: impl FnOnce() -> T,
    ) -> (T, Option<f64>) {
        let (done, is_done) = mpsc::channel::<()>();
        std::thread::scope(|scope| {
            let reader = scope.spawn(move || {
                let mut highest: Option<f64> = None;
                loop {
                    let ended = is_done.recv_timeout(every) != Err(RecvTimeoutError::Timeout);
                    let age = self.read();
                    highest = age
                        .map(|age| highest.map_or(age, |high| high.max(age)))
                        .or(highest);
                    if ended {
                        return highest;
                    }
                }
            });
            let outcome = work();
            drop(done);
            (outcome, reader.join().unwrap_or(None))
        })
    }

    /// Waits until the age is no higher than this; answers how long that took, and `None` if it took
    /// longer than the limit.
    pub(super) fn wait_for(
        &mut self,
        baseline: f64,
        limit: Duration,
        every: Duration,
        deadline: &Deadline,
    ) -> Result<Option<Duration>, Fault> {
        let start = Instant::now();
        loop {
            deadline.check()?;
            if self.read().is_some_and(|age| age <= baseline) {
                return Ok(Some(start.elapsed()));
            }
            let left = limit.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(every.min(left).min(PATIENCE));
        }
    }
}
