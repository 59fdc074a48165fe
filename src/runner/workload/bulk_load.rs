//! `bulk-load`: a comma-separated file of a given size goes into a table.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::engine::{ColumnType, Connection, Index, Table, Value};
use super::super::fault::Fault;
use super::super::random::Random;
use super::age::Age;
use super::answer::{self, equal, whole, wrong};
use super::compare;
use super::fill::{Cell, Filler, append};
use super::{Load, Measured, Outcome, Parameter, ParameterKind, Parameters, Task, Workload};

/// The workload.
pub(super) struct BulkLoad;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "data_size",
        kind: ParameterKind::Bytes,
        default: "16 MiB",
        shapes_data: true,
        meaning: "Size of the file that is loaded; the last row may reach beyond it. A row takes about \
                  100 bytes in it.",
    },
    Parameter {
        name: "prefilled",
        kind: ParameterKind::Count(0, 1_000_000_000),
        default: "0",
        shapes_data: true,
        meaning: "Rows that are in the table before. Some engines load faster, and write less to their \
                  log, into a table that is empty.",
    },
    Parameter {
        name: "indexes",
        kind: ParameterKind::Count(0, INDEXES.len() as u64),
        default: "0",
        shapes_data: true,
        meaning: "How many secondary indexes are kept up while loading: the first on whole numbers, the \
                  second on texts, both in random order.",
    },
    Parameter {
        name: "transaction_rows",
        kind: ParameterKind::Count(0, 1_000_000_000),
        default: "0",
        shapes_data: false,
        meaning: "How many rows go into a transaction, by one INSERT each. 0: the whole file goes into \
                  one transaction, in the way the engine is best at.",
    },
    Parameter {
        name: "baseline_limit",
        kind: ParameterKind::Duration,
        default: "0 s",
        shapes_data: false,
        meaning: "How long to wait, after loading, until the engine of its own accord has brought its \
                  log's age back to what it was before. 0 for not at all. SQLite, for one, does nothing \
                  while no statement runs, so there it is waited for in vain unless the last transaction \
                  happened to end with a checkpoint.",
    },
    Parameter {
        name: "age_every",
        kind: ParameterKind::Duration,
        default: "20 ms",
        shapes_data: false,
        meaning: "Time between two readings of the log's age, for `max_checkpoint_age` and \
                  `time_to_baseline`.",
    },
];

const LOAD_TIME: &str = "load_time";
const ROWS_PER_SECOND: &str = "rows_per_second";
const MAX_CHECKPOINT_AGE: &str = "max_checkpoint_age";
const TIME_TO_BASELINE: &str = "time_to_baseline";
const FLUSH_TIME: &str = "flush_time";

const RESULTS: &[Outcome] = &[
    Outcome {
        name: LOAD_TIME,
        unit: "s",
        meaning: "Seconds from the first row until the last is committed.",
    },
    Outcome {
        name: ROWS_PER_SECOND,
        unit: "1/s",
        meaning: "Rows loaded, divided by that time.",
    },
    Outcome {
        name: MAX_CHECKPOINT_AGE,
        unit: "B",
        meaning: "The highest age of the log that was read while loading: bytes that a crash would have \
                  to replay. Left out where the engine doesn't tell it.",
    },
    Outcome {
        name: TIME_TO_BASELINE,
        unit: "s",
        meaning: "Seconds from the end of loading until the log's age is back at what it was before. \
                  Left out where the engine doesn't tell it, and if that takes longer than \
                  `baseline_limit`.",
    },
    Outcome {
        name: FLUSH_TIME,
        unit: "s",
        meaning: "Seconds that the engine takes afterwards, when the connection ends and it is told to \
                  bring everything from its log and its memory to its place.",
    },
];

static TABLES: &[Table] = &[Table {
    name: "loaded",
    columns: &[
        ("id", ColumnType::Whole),
        ("account", ColumnType::Whole),
        ("amount", ColumnType::Money),
        ("code", ColumnType::Text(12)),
        ("note", ColumnType::Text(58)),
    ],
    key: &["id"],
}];

const INSERT: &str = "INSERT INTO loaded (id, account, amount, code, note) VALUES (?, ?, ?, ?, ?)";

const INDEXES: &[Index] = &[
    Index {
        name: "loaded_account",
        table: "loaded",
        columns: &["account"],
        unique: false,
    },
    Index {
        name: "loaded_code",
        table: "loaded",
        columns: &["code"],
        unique: false,
    },
];

impl Workload for BulkLoad {
    fn name(&self) -> &'static str {
        "bulk-load"
    }

    fn meaning(&self) -> &'static str {
        "One connection that loads a comma-separated file of a given size into a table, while the log's \
         age is watched: how large the log has to be, so that loading isn't held up by it."
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn results(&self) -> &'static [Outcome] {
        RESULTS
    }

    fn tables(&self) -> &'static [Table] {
        TABLES
    }

    fn disk(&self, parameters: &Parameters) -> Option<f64> {
        let prefilled = parameters.number("prefilled") * 100.0;
        let stored = parameters.number("data_size") + prefilled;
        // Beside the table: the file, and a log that may hold all of the table.
        let indexes = parameters.number("indexes") / 4.0;
        Some(parameters.number("data_size") + stored * (2.2 + indexes))
    }

    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault> {
        write_file(task)?;
        let mut filler = Filler::new(task)?;
        let prefilled = task.parameters.count("prefilled") as i64;
        filler.table(&TABLES[0], (1..=prefilled).map(|id| row(task.seed, id)))?;
        for index in indexes(task) {
            filler.index(index)?;
        }
        Ok(())
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Trial { task })
    }
}

fn indexes(task: &Task<'_>) -> &'static [Index] {
    let count = task.parameters.count("indexes") as usize;
    &INDEXES[..count.min(INDEXES.len())]
}

/// The row with this key: the same for a seed, whatever the parameters.
fn row(seed: u64, id: i64) -> [Cell; 5] {
    let mut random = Random::new(seed, "loaded", id as u64);
    [
        Cell::Whole(id),
        Cell::Whole(random.between(1, 1_000_000)),
        Cell::Cents(random.between(-1_000_000, 1_000_000)),
        Cell::Text(random.letters(12)),
        Cell::Text(random.letters(58)),
    ]
}

/// The rows of the file with the lines that they make: as many as reach its size.
fn file_rows(task: &Task<'_>) -> impl Iterator<Item = ([Cell; 5], String)> {
    let size = task.parameters.number("data_size");
    let (seed, first) = (task.seed, task.parameters.count("prefilled") as i64 + 1);
    let mut written = 0.0;
    (first..).map_while(move |id| {
        if written >= size {
            return None;
        }
        let row = row(seed, id);
        let mut line = String::with_capacity(128);
        append(&mut line, &row);
        written += line.len() as f64;
        Some((row, line))
    })
}

fn path(task: &Task<'_>) -> PathBuf {
    task.folder.join("load.csv")
}

fn storing(task: &Task<'_>) -> impl Fn(io::Error) -> Fault {
    let path = path(task);
    move |error| Fault::failed(format!("{}: {error}", path.display()))
}

fn write_file(task: &Task<'_>) -> Result<(), Fault> {
    let storing = storing(task);
    let mut file = BufWriter::new(File::create(path(task)).map_err(&storing)?);
    for (at, (_, line)) in file_rows(task).enumerate() {
        if at.is_multiple_of(1024) {
            task.deadline.check()?;
        }
        file.write_all(line.as_bytes()).map_err(&storing)?;
    }
    file.flush().map_err(&storing)
}

struct Trial<'a> {
    task: &'a Task<'a>,
}

impl Trial<'_> {
    /// Loads the file; answers how many rows it held.
    fn load(&self, connection: &mut dyn Connection) -> Result<u64, Fault> {
        let task = self.task;
        let rows = match task.parameters.count("transaction_rows") {
            0 => connection.load_counted(&TABLES[0], &path(task), task.done),
            size => return self.insert(connection, size),
        };
        rows.map_err(|fault| answer::fault(fault, task.deadline))
    }

    fn insert(&self, connection: &mut dyn Connection, size: u64) -> Result<u64, Fault> {
        let (task, reading) = (self.task, storing(self.task));
        let told = |fault| answer::fault(fault, task.deadline);
        let mut file = BufReader::new(File::open(path(task)).map_err(&reading)?);
        let mut line = String::new();
        let (mut rows, mut pending) = (0, 0);
        loop {
            line.clear();
            let ended = file.read_line(&mut line).map_err(&reading)? == 0;
            if pending == size || ended && pending > 0 {
                connection.commit().map_err(told)?;
                task.done.fetch_add(pending, Ordering::Relaxed);
                pending = 0;
            }
            if ended {
                return Ok(rows);
            }
            if pending == 0 {
                task.deadline.check()?;
                connection.begin().map_err(told)?;
            }
            let values = values(line.trim_end());
            let values = values.ok_or_else(|| Fault::failed(format!("load.csv: {line:?}")))?;
            let changed = connection.execute(INSERT, &values).map_err(told)?;
            equal("rows changed by one statement", changed as i64, 1)?;
            rows += 1;
            pending += 1;
        }
    }
}

/// The values of a line of the file.
fn values(line: &str) -> Option<[Value; 5]> {
    let mut fields = line.split(',');
    let mut next = || fields.next();
    Some([
        Value::Whole(next()?.parse().ok()?),
        Value::Whole(next()?.parse().ok()?),
        Value::Number(next()?.parse().ok()?),
        next()?.into(),
        next()?.into(),
    ])
}

impl Load for Trial<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let task = self.task;
        let seconds = |name| Duration::from_secs_f64(task.parameters.number(name));
        // Never without a pause: reading costs too.
        let every = seconds("age_every").max(Duration::from_millis(1));
        let mut age = Age::of(task.instance)?;
        let baseline = age.read();
        let mut connection = task.instance.connect()?;
        let ((rows, took), highest) = age.highest_during(every, || {
            let start = Instant::now();
            let rows = self.load(&mut *connection);
            (rows, start.elapsed())
        });
        let rows = rows?;
        let limit = seconds("baseline_limit");
        let back = match baseline {
            Some(baseline) if !limit.is_zero() => {
                age.wait_for(baseline, limit, every, task.deadline)?
            }
            _ => None,
        };
        let start = Instant::now();
        drop(connection);
        task.instance.flush()?;
        let flush = start.elapsed();
        let took = took.as_secs_f64();
        let results = [
            (LOAD_TIME, Some(took)),
            (ROWS_PER_SECOND, Some(rows as f64 / took)),
            (MAX_CHECKPOINT_AGE, highest),
            (TIME_TO_BASELINE, back.map(|time| time.as_secs_f64())),
            (FLUSH_TIME, Some(flush.as_secs_f64())),
        ];
        let values = results
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(Measured {
            values: values.collect(),
            steps: Vec::new(),
        })
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let task = self.task;
        let prefilled = task.parameters.count("prefilled") as i64;
        let before = (1..=prefilled).map(|id| row(task.seed, id));
        let expected = || before.clone().chain(file_rows(task).map(|(row, _)| row));
        let mut connection = task.instance.connect()?;
        let sql =
            "SELECT COUNT(*), COALESCE(SUM(account), 0), COALESCE(SUM(amount), 0) FROM loaded";
        let found = answer::row(&mut *connection, sql, &[], task.deadline)?;
        let (mut rows, mut accounts, mut amounts) = (0, 0, 0);
        for row in expected() {
            rows += 1;
            if let [_, Cell::Whole(account), Cell::Cents(amount), ..] = row {
                accounts += account;
                amounts += amount;
            }
        }
        equal("rows", whole(&found[0])?, rows)?;
        equal("sum of accounts", whole(&found[1])?, accounts)?;
        equal("sum of amounts", answer::cents(&found[2])?, amounts)?;
        compare::table(task, &mut *connection, &TABLES[0], expected())?;
        compare::indexes(task, &mut *connection, &TABLES[0], indexes(task))?;
        // It may keep all others out.
        drop(connection);
        task.instance
            .check_soundness()
            .map_err(|fault| wrong(fault.message))
    }
}

#[cfg(test)]
mod tests {
    use super::super::examples::BULK_LOAD;
    use super::super::trial::{Bench, limit, value};
    use super::*;

    fn names(measured: &Measured) -> Vec<&str> {
        (measured.values.iter())
            .map(|(name, _)| name.as_str())
            .collect()
    }

    #[test]
    fn the_file_has_the_size_asked_for() {
        for size in ["0 B", "1 B", "50000 B"] {
            let bench = Bench::new("bulk-load", &[("data_size", size)]);
            bench.prepare().expect("data");
            let task = bench.task();
            let text = std::fs::read_to_string(path(&task)).expect("a file");
            let asked = task.parameters.number("data_size") as usize;
            let last = text.lines().last().map_or(0, |line| line.len() + 1);
            assert!(text.len() >= asked, "{size}");
            assert!(text.is_empty() || text.len() - last < asked, "{size}");
            bench.prepare().expect_err("the table is there already");
            assert_eq!(std::fs::read_to_string(path(&task)).expect("a file"), text);
        }
    }

    /// Runs of different versions are comparable only if they loaded the same file.
    #[test]
    fn the_file_is_that_of_all_versions() {
        let bench = Bench::new("bulk-load", &[("data_size", "5 kB"), ("prefilled", "3")]);
        bench.prepare().expect("data");
        let file = std::fs::read(path(&bench.task())).expect("a file");
        assert!(file.starts_with(b"4,"));
        assert_eq!(blake3::hash(&file).to_hex()[..16], *"0649b9c1c23675ea");
    }

    #[test]
    fn a_file_is_loaded_and_checked() {
        for transaction_rows in ["0", "1", "100", "1000"] {
            let own = [("transaction_rows", transaction_rows)];
            let given = [BULK_LOAD.parameters, &own].concat();
            let bench = Bench::new("bulk-load", &given);
            bench.prepare().expect("data");
            let task = bench.task();
            let mut load = bench.workload.load(&task);
            let early = load.verify().expect_err("nothing is loaded yet");
            assert!(early.message.contains("rows: 150 found"), "{early}");
            let measured = load.measure().expect("results");
            let rows = file_rows(&task).count() as u64;
            assert_eq!(bench.done.load(Ordering::Relaxed), rows);
            let time = value(&measured, LOAD_TIME);
            assert_eq!(value(&measured, ROWS_PER_SECOND), rows as f64 / time);
            assert!(value(&measured, MAX_CHECKPOINT_AGE) > 0.0);
            assert!(!names(&measured).contains(&TIME_TO_BASELINE));
            bench.check_sees(&mut *load, BULK_LOAD.changes);
            let mut connection = bench.connect();
            connection
                .execute("DROP INDEX loaded_code", &[])
                .expect("an index");
            let fault = load.verify().expect_err("an index is missing");
            assert!(fault.message.contains("loaded_code is missing"), "{fault}");
        }
    }

    /// A log that is brought to its place after each transaction is never much older than one.
    #[test]
    fn the_age_of_the_log_follows_from_the_settings() {
        let given = [
            ("data_size", "100 kB"),
            ("transaction_rows", "50"),
            ("baseline_limit", "60 s"),
        ];
        let mut highest = Vec::new();
        for interval in ["1", "0"] {
            let settings = [("journal_mode", "WAL"), ("wal_autocheckpoint", interval)];
            let bench = Bench::with("bulk-load", &given[..2], &settings, limit());
            bench.prepare().expect("data");
            bench.place.instance.flush().expect("rest");
            let task = bench.task();
            let measured = bench.workload.load(&task).measure().expect("results");
            highest.push(value(&measured, MAX_CHECKPOINT_AGE));
        }
        assert!(highest[1] > 100e3, "{highest:?}");
        assert!(highest[0] < highest[1] / 2.0, "{highest:?}");
        let settings = [("journal_mode", "WAL"), ("wal_autocheckpoint", "1")];
        let bench = Bench::with("bulk-load", &given, &settings, limit());
        bench.prepare().expect("data");
        bench.place.instance.flush().expect("rest");
        let task = bench.task();
        let measured = bench.workload.load(&task).measure().expect("results");
        assert!(names(&measured).contains(&TIME_TO_BASELINE));
    }

    #[test]
    fn an_engine_without_an_age_gives_none() {
        let given = [("data_size", "1 kB"), ("baseline_limit", "60 s")];
        let settings = [("journal_mode", "DELETE")];
        let bench = Bench::with("bulk-load", &given, &settings, limit());
        bench.prepare().expect("data");
        let task = bench.task();
        let measured = bench.workload.load(&task).measure().expect("results");
        assert_eq!(names(&measured), [LOAD_TIME, ROWS_PER_SECOND, FLUSH_TIME]);
    }

    #[test]
    fn a_connection_may_keep_all_others_out() {
        let settings = [("journal_mode", "WAL"), ("locking_mode", "EXCLUSIVE")];
        let bench = Bench::with("bulk-load", &[("data_size", "1 kB")], &settings, limit());
        bench.prepare().expect("data");
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        load.measure().expect("results");
        assert_eq!(load.verify(), Ok(()));
    }

    #[test]
    fn the_limit_ends_loading() {
        for transaction_rows in ["0", "10"] {
            let stop = crate::runner::stop::Stop::default();
            let deadline = stop.limit(Duration::from_secs(300));
            let given = [
                ("data_size", "10 kB"),
                ("transaction_rows", transaction_rows),
            ];
            let bench = Bench::with("bulk-load", &given, &[], deadline);
            bench.prepare().expect("data");
            stop.drop_trial();
            let task = bench.task();
            let fault = bench.workload.load(&task).measure().expect_err("a limit");
            assert!(fault.stopped, "{fault}");
        }
    }
}
