//! Many connections at once: each in a thread of its own, begun together, measured over one window of
//! time, with transactions that stood in each other's way tried again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::super::engine::{Connection, SqlFault, SqlFaultKind};
use super::super::fault::Fault;
use super::super::random::Random;
use super::super::stop::Deadline;
use super::latency::Latencies;
use super::{Measured, Outcome, Parameter, ParameterKind, Parameters, Task, answer};

/// How long to measure, in `[run.parameters]`.
pub(super) const DURATION: Parameter = Parameter {
    name: "duration",
    kind: ParameterKind::Duration,
    default: "10 s",
    shapes_data: false,
    meaning: "How long is measured, after the warm-up. What is under way at its end is finished, but \
              not counted.",
};

/// How long to wait before measuring, in `[run.parameters]`.
pub(super) const WARM_UP: Parameter = Parameter {
    name: "warm_up",
    kind: ParameterKind::Duration,
    default: "1 s",
    shapes_data: false,
    meaning: "How long the connections work before measuring begins. Nothing of it is counted.",
};

/// How many seconds a crowd is told to work.
pub(super) fn told(parameters: &Parameters) -> f64 {
    parameters.number(WARM_UP.name) + parameters.number(DURATION.name)
}

/// How many connections work at once, in `[run.parameters]`.
pub(super) const fn connections(default: &'static str) -> Parameter {
    Parameter {
        name: "connections",
        kind: ParameterKind::Count(1, 10_000),
        default,
        shapes_data: false,
        meaning: "How many connections work at once, each in a thread of its own and without pauses.",
    }
}

/// Results that every crowd gives: the times within which that share of transactions was committed.
pub(super) const LATENCIES: [Outcome; 3] = [
    Outcome {
        name: "latency_p50",
        unit: "s",
        meaning: "Time within which half of all transactions were committed, from their first try on: \
                  the nearest rank, read from a histogram and exact to 0.2 %.",
    },
    Outcome {
        name: "latency_p95",
        unit: "s",
        meaning: "Time within which 95 % of all transactions were committed, read like `latency_p50`.",
    },
    Outcome {
        name: "latency_p99",
        unit: "s",
        meaning: "Time within which 99 % of all transactions were committed, read like `latency_p50`.",
    },
];

/// A result that every crowd gives.
pub(super) const CONFLICTS: Outcome = Outcome {
    name: "conflicts_per_second",
    unit: "1/s",
    meaning: "How often per second a transaction was undone and tried again, because another was in its \
              way and the engine didn't wait, or had waited as long as it may.",
};

/// Pauses before another try: the first, and the longest; they double in between. Each is shortened by
/// up to half at random, so that those who met once don't meet again.
const PAUSES: (Duration, Duration) = (Duration::from_micros(100), Duration::from_millis(50));

/// What one connection does, again and again.
pub(super) trait Worker: Send {
    /// Draws the next transaction.
    fn draw(&mut self) -> Drawn;

    /// Does what was drawn, between the transaction's beginning and its end. After a conflict it is
    /// called again, and has to do the same.
    fn attempt(&mut self, connection: &mut dyn Connection) -> Result<Ending, Setback>;

    /// Keeps in mind what was done, for the check: it is committed.
    fn keep(&mut self);
}

/// A transaction to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Drawn {
    /// Its kind, an index into [`Tally::kinds`].
    pub(super) kind: usize,
    /// How many operations it counts for.
    pub(super) operations: u64,
    /// How it begins.
    pub(super) beginning: Beginning,
}

/// How a transaction begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Not at all: each statement is one of its own.
    None,
    /// It will only read, and see one state of the data.
    Reading,
    /// It will write.
    Writing,
}

/// How a transaction wants to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// What it did is to stay.
    Commit,
    /// It turned out that nothing of it may stay.
    Rollback,
}

/// Why a try came to nothing.
#[derive(Debug)]
pub(super) enum Setback {
    /// A statement failed.
    Sql(SqlFault),
    /// The engine gave a wrong answer.
    Wrong(Fault),
}

impl Setback {
    /// Another connection was in the way, as the workload itself saw.
    pub(super) fn conflict(message: &str) -> Self {
        Self::Sql(SqlFault {
            kind: SqlFaultKind::Conflict,
            message: message.to_owned(),
        })
    }
}

impl From<SqlFault> for Setback {
    fn from(fault: SqlFault) -> Self {
        Self::Sql(fault)
    }
}

impl From<Fault> for Setback {
    fn from(fault: Fault) -> Self {
        Self::Wrong(fault)
    }
}

/// What ended within the measured window.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// By kind of transaction.
    pub(super) kinds: Vec<Kind>,
    /// How often a transaction was undone and tried again.
    pub(super) conflicts: u64,
}

/// What ended within the measured window, of one kind of transaction.
#[derive(Debug, Clone, Default)]
pub(super) struct Kind {
    /// Operations of committed transactions.
    pub(super) operations: u64,
    /// Transactions that were to be rolled back, and were.
    pub(super) rolled_back: u64,
    /// How long each committed transaction took, its tries and pauses included.
    pub(super) latencies: Latencies,
}

impl Tally {
    fn merge(&mut self, other: &Self) {
        if self.kinds.len() < other.kinds.len() {
            self.kinds.resize_with(other.kinds.len(), Kind::default);
        }
        for (own, more) in self.kinds.iter_mut().zip(&other.kinds) {
            own.operations += more.operations;
            own.rolled_back += more.rolled_back;
            own.latencies.merge(&more.latencies);
        }
        self.conflicts += other.conflicts;
    }
}

/// What a crowd did: what ended within the window, how long that was in seconds, and the workers with
/// what each has committed in all.
pub(super) struct Work<W> {
    pub(super) tally: Tally,
    pub(super) seconds: f64,
    pub(super) workers: Vec<W>,
}

impl<W> Work<W> {
    /// Operations per second of all kinds, of one kind; conflicts per second.
    pub(super) fn rate(&self, count: u64) -> f64 {
        count as f64 / self.seconds
    }

    /// Rate and percentiles that every crowd gives.
    pub(super) fn measured(&self) -> Measured {
        let mut all = Latencies::default();
        let mut operations = 0;
        for kind in &self.tally.kinds {
            all.merge(&kind.latencies);
            operations += kind.operations;
        }
        let mut measured = Measured::default();
        let values = &mut measured.values;
        values.push(("throughput".to_owned(), self.rate(operations)));
        values.push((CONFLICTS.name.to_owned(), self.rate(self.tally.conflicts)));
        for (outcome, share) in LATENCIES.iter().zip([0.5, 0.95, 0.99]) {
            let percentile = all.percentile(share);
            values.extend(percentile.map(|time| (outcome.name.to_owned(), time)));
        }
        measured
    }
}

/// Lets as many workers as there are connections work at once. `hire` makes the worker of a connection,
/// by its zero-based number. The first fault ends them all.
pub(super) fn work<W: Worker>(
    task: &Task<'_>,
    kinds: usize,
    mut hire: impl FnMut(usize) -> Result<W, Fault>,
) -> Result<Work<W>, Fault> {
    let number = task.parameters.count(connections("").name) as usize;
    let duration = seconds(task.parameters.number(DURATION.name))?;
    if duration.is_zero() {
        return Err(Fault::failed(
            "`duration` is nothing; nothing can be measured in it",
        ));
    }
    let room = Room {
        warm_up: seconds(task.parameters.number(WARM_UP.name))?,
        duration,
        kinds,
        deadline: task.deadline,
        done: task.done,
        over: AtomicBool::new(false),
        fault: Mutex::default(),
        start: Mutex::default(),
        begins: Condvar::new(),
    };
    let mut members = Vec::with_capacity(number);
    for at in 0..number {
        task.deadline.check()?;
        let pauses = Random::new(task.seed, "pauses", at as u64);
        members.push((task.instance.connect()?, hire(at)?, pauses));
    }
    let mut work = Work {
        tally: Tally::default(),
        seconds: duration.as_secs_f64(),
        workers: Vec::with_capacity(number),
    };
    work.tally.kinds.resize_with(kinds, Kind::default);
    thread::scope(|scope| {
        let mut threads = Vec::with_capacity(number);
        for (connection, worker, pauses) in members {
            let member = Member {
                room: &room,
                connection,
                worker,
                pauses,
                tally: Tally::default(),
            };
            let begun = thread::Builder::new()
                .name("connection".to_owned())
                .spawn_scoped(scope, || member.work());
            match begun {
                Ok(thread) => threads.push(thread),
                Err(error) => {
                    room.end(Fault::failed(format!(
                        "no thread for a connection: {error}"
                    )));
                    break;
                }
            }
        }
        room.begin();
        if let Err(fault) = room.warm_up(task) {
            room.end(fault);
        }
        for thread in threads {
            match thread.join() {
                Ok((tally, worker)) => {
                    work.tally.merge(&tally);
                    work.workers.push(worker);
                }
                Err(_) => room.end(Fault::failed("a connection's thread broke down")),
            }
        }
    });
    match lock(&room.fault).take() {
        Some(fault) => Err(fault),
        None => Ok(work),
    }
}

fn seconds(number: f64) -> Result<Duration, Fault> {
    Duration::try_from_secs_f64(number)
        .map_err(|_| Fault::failed(format!("{number} s isn't a length of time")))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the members of a crowd share.
struct Room<'a> {
    warm_up: Duration,
    duration: Duration,
    kinds: usize,
    deadline: &'a Deadline,
    done: &'a AtomicU64,
    /// Whether everyone has to go home.
    over: AtomicBool,
    /// Why, as the first said who had a reason.
    fault: Mutex<Option<Fault>>,
    start: Mutex<Option<Instant>>,
    begins: Condvar,
}

impl Room<'_> {
    fn begin(&self) {
        *lock(&self.start) = Some(Instant::now());
        self.begins.notify_all();
    }

    /// Lets the warm-up pass, after which the engine counts anew.
    fn warm_up(&self, task: &Task<'_>) -> Result<(), Fault> {
        const STEP: Duration = Duration::from_millis(5);
        let begin = Instant::now();
        while begin.elapsed() < self.warm_up && !self.over.load(Ordering::Relaxed) {
            thread::sleep(STEP.min(self.warm_up));
        }
        if self.warm_up.is_zero() {
            return Ok(());
        }
        task.instance.mark()
    }

    fn wait(&self) -> Instant {
        let mut start = lock(&self.start);
        loop {
            match *start {
                Some(start) => return start,
                None => {
                    start = (self.begins.wait(start)).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    fn end(&self, fault: Fault) {
        lock(&self.fault).get_or_insert(fault);
        self.over.store(true, Ordering::Relaxed);
    }
}

/// One connection, and who works on it.
struct Member<'a, W> {
    room: &'a Room<'a>,
    connection: Box<dyn Connection>,
    worker: W,
    pauses: Random,
    tally: Tally,
}

/// How a drawn transaction ended.
enum Fate {
    Committed,
    RolledBack,
    /// Time was up while it was still being tried.
    Abandoned,
}

impl<W: Worker> Member<'_, W> {
    fn work(mut self) -> (Tally, W) {
        self.tally.kinds.resize_with(self.room.kinds, Kind::default);
        let begin = self.room.wait() + self.room.warm_up;
        let end = begin + self.room.duration;
        let mut now = Instant::now();
        while now < end && !self.room.over.load(Ordering::Relaxed) {
            let drawn = self.worker.draw();
            let first = Instant::now();
            let fate = self.transact(drawn.beginning, begin, end);
            now = Instant::now();
            let counts = now >= begin && now < end;
            let kind = &mut self.tally.kinds[drawn.kind];
            match fate {
                Ok(Fate::Committed) => {
                    self.room
                        .done
                        .fetch_add(drawn.operations, Ordering::Relaxed);
                    self.worker.keep();
                    if counts {
                        kind.operations += drawn.operations;
                        kind.latencies.add(now - first);
                    }
                }
                Ok(Fate::RolledBack) => kind.rolled_back += u64::from(counts),
                Ok(Fate::Abandoned) => {}
                Err(fault) => self.room.end(fault),
            }
        }
        (self.tally, self.worker)
    }

    /// Tries until it is committed.
    fn transact(
        &mut self,
        beginning: Beginning,
        begin: Instant,
        end: Instant,
    ) -> Result<Fate, Fault> {
        let (mut pause, longest) = PAUSES;
        loop {
            self.room.deadline.check()?;
            let message = match self.attempt(beginning) {
                Ok(Ending::Commit) => return Ok(Fate::Committed),
                Ok(Ending::Rollback) => return Ok(Fate::RolledBack),
                Err(Setback::Sql(fault)) if fault.kind == SqlFaultKind::Conflict => fault.message,
                Err(Setback::Sql(fault)) => return Err(answer::fault(fault, self.room.deadline)),
                Err(Setback::Wrong(fault)) => return Err(fault),
            };
            // A conflict has left the transaction undone, or half done.
            self.connection.rollback()?;
            let now = Instant::now();
            self.tally.conflicts += u64::from(now >= begin && now < end);
            if now >= end || self.room.over.load(Ordering::Relaxed) {
                return Ok(Fate::Abandoned);
            }
            let left = self.room.deadline.left();
            if left.is_zero() {
                let fault = self.room.deadline.check().err();
                return Err(fault.unwrap_or_else(|| Fault::timeout(message)));
            }
            let shortened = pause.mul_f64(1.0 - self.pauses.share() / 2.0);
            thread::sleep(shortened.min(left).min(end - now));
            pause = (pause * 2).min(longest);
        }
    }

    fn attempt(&mut self, beginning: Beginning) -> Result<Ending, Setback> {
        let connection = self.connection.as_mut();
        match beginning {
            Beginning::None => return self.worker.attempt(connection),
            Beginning::Reading => connection.begin_reading()?,
            Beginning::Writing => connection.begin()?,
        }
        let ending = self.worker.attempt(connection)?;
        match ending {
            Ending::Commit => connection.commit()?,
            Ending::Rollback => connection.rollback()?,
        }
        Ok(ending)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use super::super::super::engine::Value;
    use super::super::super::stop::Stop;
    use super::super::trial::{Bench, limit};
    use super::*;
    use crate::model::MissingReason;

    /// Counts up one row, or does something else instead.
    struct Counter<F> {
        counted: i64,
        act: F,
    }

    impl<F> Worker for Counter<F>
    where
        F: FnMut(&mut dyn Connection) -> Result<Ending, Setback> + Send,
    {
        fn draw(&mut self) -> Drawn {
            Drawn {
                kind: 0,
                operations: 3,
                beginning: Beginning::Writing,
            }
        }

        fn attempt(&mut self, connection: &mut dyn Connection) -> Result<Ending, Setback> {
            connection.execute("UPDATE counter SET at = at + 1", &[])?;
            (self.act)(connection)
        }

        fn keep(&mut self) {
            self.counted += 1;
        }
    }

    fn bench(duration: &str, patience: &str, deadline: Deadline) -> Bench {
        let parameters = [
            ("connections", "3"),
            ("duration", duration),
            ("warm_up", "0.1 s"),
        ];
        let settings = [("busy_timeout", patience)];
        let bench = Bench::with("update-only", &parameters, &settings, deadline);
        let mut connection = bench.connect();
        for sql in [
            "CREATE TABLE counter (at INTEGER)",
            "INSERT INTO counter VALUES (0)",
        ] {
            connection.execute(sql, &[]).unwrap();
        }
        bench
    }

    fn counted(bench: &Bench) -> Value {
        let rows = bench.connect().query("SELECT at FROM counter", &[]);
        rows.unwrap().remove(0).remove(0)
    }

    #[test]
    fn whatever_is_kept_was_committed_once() {
        let bench = bench("0.2 s", "0", limit());
        let work = work(&bench.task(), 1, |number| {
            let mut tries = number;
            Ok(Counter {
                counted: 0,
                act: move |_: &mut dyn Connection| {
                    tries += 1;
                    // Long enough for the others to come.
                    thread::sleep(Duration::from_millis(2));
                    Ok(if tries % 3 == 0 {
                        Ending::Rollback
                    } else {
                        Ending::Commit
                    })
                },
            })
        })
        .unwrap();
        assert_eq!(work.workers.len(), 3);
        let kept: i64 = work.workers.iter().map(|worker| worker.counted).sum();
        assert_eq!(counted(&bench), Value::Whole(kept));
        assert_eq!(bench.done.load(Ordering::Relaxed) as i64, 3 * kept);
        let kind = &work.tally.kinds[0];
        assert!(kind.rolled_back > 0 && kind.operations > 0);
        // What was done while warming up is kept, but isn't in the figures.
        assert!((kind.operations as i64) < 3 * kept, "{kept}");
        assert!(work.tally.conflicts > 0);
    }

    #[test]
    fn the_first_fault_ends_all() {
        let bench = bench("300 s", "5000", limit());
        let fault = work(&bench.task(), 1, |number| {
            let mut tries = 0;
            Ok(Counter {
                counted: 0,
                act: move |_: &mut dyn Connection| {
                    tries += 1;
                    if number == 1 && tries == 20 {
                        return Err(Fault::failed("I saw it").into());
                    }
                    Ok(Ending::Commit)
                },
            })
        });
        assert_eq!(fault.err(), Some(Fault::failed("I saw it")));
    }

    #[test]
    fn a_broken_statement_is_told() {
        let bench = bench("300 s", "5000", limit());
        let fault = work(&bench.task(), 1, |_| {
            Ok(Counter {
                counted: 0,
                act: |connection: &mut dyn Connection| {
                    connection.execute("DELETE FROM nothing", &[])?;
                    Ok(Ending::Commit)
                },
            })
        });
        let fault = fault.err().unwrap();
        assert!(fault.message.contains("nothing"), "{fault}");
        assert_eq!(fault.reason, MissingReason::Failed);
    }

    #[test]
    fn conflicts_without_end_last_until_the_window_ends() {
        let bench = bench("0.2 s", "0", limit());
        let mut other = bench.connect();
        other.begin().unwrap();
        let always = |_: &mut dyn Connection| Ok(Ending::Commit);
        let work = work(&bench.task(), 1, |_| {
            Ok(Counter {
                counted: 0,
                act: always,
            })
        })
        .unwrap();
        assert_eq!(work.tally.kinds[0].operations, 0);
        assert!(work.tally.conflicts > 0);
        assert_eq!(work.measured().values.len(), 2, "no latencies of nothing");
    }

    #[test]
    fn the_deadline_is_kept_while_working_and_while_waiting() {
        let length = Duration::from_millis(400);
        for patience in ["0", "100000"] {
            let bench = bench("300 s", patience, Stop::default().limit(length));
            let mut other = bench.connect();
            if patience == "0" {
                other.begin().unwrap();
            }
            let fault = work(&bench.task(), 1, |_| {
                Ok(Counter {
                    counted: 0,
                    act: |connection: &mut dyn Connection| {
                        let endless = "WITH RECURSIVE n (at) AS (SELECT 1 UNION ALL SELECT at + 1 FROM n) \
                                       SELECT MAX(at) FROM n";
                        connection.query(endless, &[])?;
                        Ok(Ending::Commit)
                    },
                })
            });
            assert_eq!(fault.err().unwrap().reason, MissingReason::Timeout);
        }
    }

    #[test]
    fn a_stopped_run_ends_the_trial() {
        let stop = Stop::default();
        let bench = bench("300 s", "5000", stop.limit(Duration::from_secs(300)));
        let fault = work(&bench.task(), 1, |_| {
            let (stop, mut tries) = (stop.clone(), 0);
            Ok(Counter {
                counted: 0,
                act: move |_: &mut dyn Connection| {
                    tries += 1;
                    if tries == 10 {
                        stop.drop_trial();
                    }
                    Ok(Ending::Commit)
                },
            })
        });
        assert!(fault.err().unwrap().stopped);
    }

    #[test]
    fn nothing_can_be_measured_in_no_time() {
        let bench = bench("0 s", "5000", limit());
        let act = |_: &mut dyn Connection| Ok(Ending::Commit);
        let fault = work(&bench.task(), 1, |_| Ok(Counter { counted: 0, act }));
        let fault = fault.err().unwrap();
        assert!(fault.message.contains("`duration`"), "{fault}");
    }
}
