//! Reads what is watched, at a steady rate, on the same clock for all series.

mod machine;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::watch::Watch;

pub use machine::machine;

/// How many readings of a trial are kept. Beyond that every other one is dropped, and from then on
/// they are taken half as often, so that a long trial is seen to its end.
const MOST: usize = 200_000;
/// How long a reading that hangs is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reads watches in a thread of its own until told to finish.
#[derive(Debug)]
pub struct Sampler {
    shared: Arc<Shared>,
    origin: Instant,
    notes: Vec<String>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Told to end.
    ends: bool,
    /// Has ended, or never began.
    ended: bool,
    kept: Kept,
    notes: Vec<String>,
}

/// Readings, thinned out where there are too many.
#[derive(Debug)]
struct Kept {
    readings: Vec<Reading>,
    most: usize,
    /// Only ticks that are multiples of this are kept.
    stride: u64,
}

#[derive(Debug, Clone, Copy)]
struct Reading {
    tick: u64,
    at: Instant,
    series: &'static str,
    value: f64,
}

impl Default for Kept {
    fn default() -> Self {
        Self {
            readings: Vec::new(),
            most: MOST,
            stride: 1,
        }
    }
}

impl Kept {
    /// Adds what was read in one tick; answers whether this made it drop every other.
    fn add(&mut self, readings: &[Reading]) -> bool {
        self.readings.extend_from_slice(readings);
        let mut thinned = false;
        while self.readings.len() > self.most && self.stride < 1 << 40 {
            self.stride *= 2;
            let stride = self.stride;
            self.readings
                .retain(|reading| reading.tick.is_multiple_of(stride));
            thinned = true;
        }
        thinned
    }
}

impl Shared {
    /// A reader that panicked has left nothing half done: its last tick is lacking, that's all.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sampler {
    /// Begins to read, at once and then after every `every`. Readings are told in seconds since `origin`.
    pub fn start(watches: Vec<Box<dyn Watch>>, every: Duration, origin: Instant) -> Self {
        let shared = Arc::new(Shared::default());
        let mut notes = Vec::new();
        if watches.is_empty() {
            shared.lock().ended = true;
        } else {
            let reader = Reader {
                shared: Arc::clone(&shared),
                watches,
                // A reading takes longer than this anyway.
                every: every.max(Duration::from_millis(1)),
            };
            let thread = thread::Builder::new().name("sampler".to_owned());
            if let Err(error) = thread.spawn(move || reader.run()) {
                shared.lock().ended = true;
                notes.push(format!("nothing could be watched: {error}"));
            }
        }
        Self {
            shared,
            origin,
            notes,
        }
    }

    /// Ends it and answers what was read, in order of time: seconds since the origin, key of the
    /// series, figure in base units of the series. A second call answers nothing.
    pub fn finish(&mut self) -> Vec<(f64, &'static str, f64)> {
        let mut state = self.shared.lock();
        state.ends = true;
        self.shared.changed.notify_all();
        let (mut state, waited) = self
            .shared
            .changed
            .wait_timeout_while(state, PATIENCE, |state| !state.ended)
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            self.notes
                .push("a reading did not come to an end and was left behind".to_owned());
        }
        self.notes.append(&mut state.notes);
        std::mem::take(&mut state.kept.readings)
            .into_iter()
            .map(|reading| {
                let at = reading.at.saturating_duration_since(self.origin);
                (at.as_secs_f64(), reading.series, reading.value)
            })
            .collect()
    }

    /// What went wrong, in one sentence each; complete once it has finished.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.shared.lock().ends = true;
        self.shared.changed.notify_all();
    }
}

/// What the thread works with.
struct Reader {
    shared: Arc<Shared>,
    watches: Vec<Box<dyn Watch>>,
    every: Duration,
}

/// Says that the thread has ended, even if a watch panics.
struct Ending(Arc<Shared>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.ended = true;
        if thread::panicking() {
            state
                .notes
                .push("watching broke off: a reader gave up".to_owned());
        }
        drop(state);
        self.0.changed.notify_all();
    }
}

impl Reader {
    fn run(mut self) {
        let ending = Ending(Arc::clone(&self.shared));
        let start = Instant::now();
        let mut tick = 0;
        let mut readings = Vec::new();
        while !self.watches.is_empty() {
            readings.clear();
            let notes = self.read(tick, &mut readings);
            let mut state = ending.0.lock();
            state.notes.extend(notes);
            if state.kept.add(&readings) && state.kept.stride == 2 {
                let note = "there were too many readings: they were taken less and less often";
                state.notes.push(note.to_owned());
            }
            tick = next(tick, state.kept.stride, self.every, start.elapsed());
            let due = span(self.every, tick);
            loop {
                if state.ends {
                    return;
                }
                let left = due.saturating_sub(start.elapsed());
                if left.is_zero() {
                    break;
                }
                let waited = ending.0.changed.wait_timeout(state, left);
                state = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
    }

    /// Reads all watches as of one moment; those that fail are not asked again.
    fn read(&mut self, tick: u64, readings: &mut Vec<Reading>) -> Vec<String> {
        let at = Instant::now();
        let mut notes = Vec::new();
        self.watches.retain_mut(|watch| {
            let read = watch.read(&mut |series, value| {
                if value.is_finite() {
                    readings.push(Reading {
                        tick,
                        at,
                        series,
                        value,
                    });
                }
            });
            notes.extend(read.as_ref().err().map(left_out));
            read.is_ok()
        });
        notes
    }
}

fn left_out(fault: &Fault) -> String {
    format!("no longer watched: {fault}")
}

/// The tick after this one that is still to come: a multiple of the stride. Those that were missed are
/// passed over, not made up for.
fn next(tick: u64, stride: u64, every: Duration, elapsed: Duration) -> u64 {
    let passed = elapsed.as_nanos() / every.as_nanos().max(1);
    let passed = u64::try_from(passed).unwrap_or(u64::MAX / 2);
    let first = tick.max(passed) + 1;
    first.div_ceil(stride) * stride
}

/// So many times a duration.
fn span(every: Duration, times: u64) -> Duration {
    let nanoseconds = every.as_nanos().saturating_mul(u128::from(times));
    Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX))
}

/// A reader of the series `throughput`: how much a counter rose per second since the last reading.
pub fn throughput(done: Arc<AtomicU64>) -> Box<dyn Watch> {
    Box::new(Throughput {
        done,
        rate: Rate::default(),
    })
}

struct Throughput {
    done: Arc<AtomicU64>,
    rate: Rate,
}

impl Watch for Throughput {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let done = self.done.load(Ordering::Relaxed);
        if let Some(rate) = self.rate.next(Instant::now(), done as f64) {
            out("throughput", rate);
        }
        Ok(())
    }
}

/// Makes a rate of a counter that only rises.
#[derive(Debug, Clone, Copy, Default)]
struct Rate(Option<(Instant, f64)>);

impl Rate {
    /// How much it rose per second since the last time; nothing the first time, or where it was reset.
    fn next(&mut self, now: Instant, count: f64) -> Option<f64> {
        let (then, before) = self.0.replace((now, count))?;
        let seconds = now.saturating_duration_since(then).as_secs_f64();
        (seconds > 0.0 && count >= before).then(|| (count - before) / seconds)
    }
}
