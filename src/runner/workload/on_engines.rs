//! The workloads on every engine that is here: the same data, the same answers, and checks that see.
#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::engine::there::usable;
use super::super::engine::{Connection, Dialect, Instance, SqlFault, SqlFaultKind, Table, Value};
use super::super::fault::Fault;
use super::super::watch::Watch;
use super::examples::{EXAMPLES, RESTORE, UPDATE_ONLY};
use super::trial::{Bench, Place, limit, value};
use super::{Measured, Task, answer, restore};

#[test]
fn sqlite() {
    workloads_hold_on("sqlite");
}

#[test]
fn postgres() {
    workloads_hold_on("postgres");
}

#[test]
fn mariadb() {
    workloads_hold_on("mariadb");
}

#[test]
fn firebird() {
    workloads_hold_on("firebird");
}

/// One instance for all, since some engines take long to start.
fn workloads_hold_on(engine: &str) {
    let Some(engine) = usable(engine) else { return };
    let place = Arc::new(Place::new(engine, &[], &limit()));
    for pinned in PINNED {
        the_same_seed_gives_the_same(&place, &pinned);
    }
    for example in EXAMPLES {
        let parameters = known(example.workload, &[example.parameters, SHORT].concat());
        what_was_done_is_checked(&place, example.workload, &parameters, example.changes);
    }
    // Of several who wait for a row, Firebird refuses all but one.
    if ["postgres", "mariadb"].contains(&engine.name()) {
        rows_in_order_never_end_in_a_deadlock(&place);
    }
    if place.instance.backup().is_some() {
        let parameters = [RESTORE.parameters, &[("tool", "engine")]].concat();
        what_was_done_is_checked(&place, "restore", &parameters, RESTORE.changes);
    }
}

/// Without deadlocks, since engines may take seconds to notice one.
const SHORT: &[(&str, &str)] = &[
    ("connections", "4"),
    ("duration", "0.3 s"),
    ("row_order", "sorted"),
];

/// What is the same on every engine. Runs of different versions are comparable only if they began with the
/// same data, and engines only if they answer the same.
struct Pinned {
    workload: &'static str,
    parameters: &'static [(&'static str, &'static str)],
    /// The digest of the prepared tables.
    data: &'static str,
    /// The digest of the answers to a fixed sequence of statements, and of all tables after it.
    answers: &'static str,
}

const PINNED: [Pinned; 5] = [
    Pinned {
        workload: "insert-update",
        parameters: &[("rows", "300")],
        data: "8ecbbdf58ed0b28c",
        answers: "d097d27847c9a2e2",
    },
    Pinned {
        workload: "update-only",
        parameters: &[("scale", "2"), ("accounts", "100")],
        data: "3c7df720975a5169",
        answers: "d16c8ec59ae7fac3",
    },
    Pinned {
        workload: "tpcc-like",
        parameters: &[("customers", "10"), ("items", "50")],
        data: "46e6c90b41acf24a",
        answers: "16cc1f9f4f3c6162",
    },
    Pinned {
        workload: "restore",
        parameters: &[("rows", "300")],
        data: "8abddd78a18c98e3",
        answers: "c170c7b337189951",
    },
    Pinned {
        workload: "bulk-load",
        parameters: &[
            ("data_size", "1000 B"),
            ("prefilled", "300"),
            ("transaction_rows", "4"),
        ],
        data: "0b9e902f71b5f3fa",
        answers: "64146f35a8dbd6bd",
    },
];

fn the_same_seed_gives_the_same(place: &Arc<Place>, pinned: &Pinned) {
    let workload = pinned.workload;
    let on = format!("{workload} on {}", place.engine.name());
    // One connection; the statements end it long before the time does.
    let alone = [("connections", "1"), ("duration", "200 s")];
    let parameters = known(workload, &[pinned.parameters, &alone].concat());
    let bench = Bench::at(place, workload, &parameters, limit());
    assert_eq!(bench.prepare(), Ok(()), "{on}");
    let found = blake3::hash(bench.digests().concat().as_bytes());
    assert_eq!(found.to_hex()[..16], *pinned.data, "data of {on}");

    let tape = Arc::new(Tape::new());
    let recorded = Recorded {
        instance: &*place.instance,
        tape: Arc::clone(&tape),
    };
    let task = Task {
        instance: &recorded,
        ..bench.task()
    };
    let measured = bench.workload.load(&task).measure();
    if bench.workload.seconds(&bench.parameters).is_some() {
        let fault = measured.expect_err("an end of the tape");
        assert_eq!(fault.message, END, "{on}");
    } else {
        assert!(measured.is_ok(), "{on}: {measured:?}");
    }
    for table in tables(workload) {
        tape.add(&content(&*place.instance, table));
    }
    assert_eq!(tape.digest(), pinned.answers, "answers of {on}");
    clear(place, workload);
}

/// The workload's results are there, its check finds no fault, and it finds each that is made.
fn what_was_done_is_checked(
    place: &Arc<Place>,
    workload: &str,
    parameters: &[(&str, &str)],
    changes: &[super::examples::Change],
) {
    let on = format!("{workload} on {}", place.engine.name());
    let bench = Bench::at(place, workload, parameters, limit());
    assert_eq!(bench.prepare(), Ok(()), "{on}");
    place.instance.flush().expect(&on);
    let task = bench.task();
    let mut load = bench.workload.load(&task);
    place.instance.mark().expect(&on);
    let measured = load
        .measure()
        .unwrap_or_else(|fault| panic!("{on}: {fault}"));
    let observed = place.instance.observed().expect(&on);
    for (name, value) in &observed.values {
        let said = place.engine.results().iter().any(|it| it.name == *name);
        assert!(said && value.is_finite(), "{on}: {name} is {value}");
    }
    match workload {
        "bulk-load" => {}
        "restore" => adds_up(&on, &measured),
        _ => {
            // In so short a time, rare kinds of transactions may not come up.
            let said: BTreeSet<&str> = (bench.workload.results().iter())
                .map(|it| it.name)
                .collect();
            let mut given = measured.values.iter().map(|(name, _)| &**name);
            assert!(given.all(|name| said.contains(name)), "{on}: {measured:?}");
            assert!(value(&measured, "throughput") > 0.0, "{on}");
        }
    }
    assert!(bench.done.load(Ordering::Relaxed) > 0, "{on}");
    bench.check_sees(&mut *load, changes);
    let index = match workload {
        "restore" => Some(("orders_day", "orders")),
        "bulk-load" => Some(("loaded_code", "loaded")),
        _ => None,
    };
    if let Some((index, table)) = index {
        let drop_index = format!("DROP INDEX {index}");
        let dropped = bench.connect().execute(&drop_index, &[]).or_else(|_| {
            let of_table = format!("{drop_index} ON {table}");
            bench.connect().execute(&of_table, &[])
        });
        dropped.unwrap();
        let fault = load.verify().expect_err(index);
        let words = format!("{index} is missing");
        assert!(fault.message.contains(&words), "{on}: {fault}");
    }
    drop(load);
    clear(place, workload);
}

/// Engines that wait for a row until it is free find a conflict only where two wait for each other.
fn rows_in_order_never_end_in_a_deadlock(place: &Arc<Place>) {
    let conflicts = |order| {
        let parameters = [UPDATE_ONLY.parameters, SHORT, &[("row_order", order)]].concat();
        let bench = Bench::at(place, "update-only", &parameters, limit());
        bench.prepare().unwrap();
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().unwrap();
        assert_eq!(load.verify(), Ok(()));
        drop(load);
        clear(place, "update-only");
        value(&measured, "conflicts_per_second")
    };
    assert!(conflicts("random") > 0.0);
    assert_eq!(conflicts("sorted"), 0.0);
}

/// The steps of a restore are its parts.
fn adds_up(on: &str, measured: &Measured) {
    let times: BTreeMap<&str, f64> = (measured.steps.iter())
        .map(|(step, results)| (&**step, results[0].1))
        .collect();
    let steps = [
        "data",
        "orders_customer",
        "orders_customer_day_amount",
        "orders_day",
        "orders_reference",
        "total",
    ];
    assert!(times.keys().eq(&steps), "{on}: {times:?}");
    let sum: f64 = steps[..5].iter().map(|step| times[step]).sum();
    assert!((sum - times["total"]).abs() < 1e-6, "{on}: {times:?}");
}

/// Those of the parameters that a workload knows.
fn known<'a>(workload: &str, parameters: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let known = super::find(workload).unwrap().parameters();
    let is_known = |(name, _): &&(&str, &str)| known.iter().any(|it| it.name == *name);
    parameters.iter().filter(is_known).copied().collect()
}

/// All tables of a workload.
fn tables(workload: &str) -> impl Iterator<Item = &'static Table> {
    let restored = match workload {
        "restore" => restore::TARGETS,
        _ => &[],
    };
    let prepared = super::find(workload).unwrap().tables();
    prepared.iter().chain(restored)
}

/// Removes what a workload left.
fn clear(place: &Place, workload: &str) {
    let mut connection = place.instance.connect().unwrap();
    for table in tables(workload) {
        // Not all are there.
        drop(connection.execute(&format!("DROP TABLE {}", table.name), &[]));
    }
}

/// The rows of a table, sorted.
fn content(instance: &dyn Instance, table: &Table) -> String {
    let names: Vec<&str> = table.columns.iter().map(|(name, _)| *name).collect();
    let sql = format!("SELECT {} FROM {}", names.join(", "), table.name);
    let rows = instance.connect().unwrap().query(&sql, &[]);
    written(
        &sql,
        &rows.unwrap_or_else(|fault| panic!("{sql}: {fault:?}")),
    )
}

/// Rows as they mean the same on every engine. Times of day are left out.
fn written(sql: &str, rows: &[Vec<Value>]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let now = now.as_secs() as i64;
    let cell = |value: &Value| match (answer::cents(value), value) {
        (Ok(cents), _) if (cents / 100).abs_diff(now) < 3600 => "now".to_owned(),
        (Ok(cents), _) => cents.to_string(),
        (_, Value::Text(text)) => format!("{text:?}"),
        (_, other) => format!("{other:?}"),
    };
    let row = |row: &Vec<Value>| row.iter().map(cell).collect::<Vec<_>>().join(";");
    let mut rows: Vec<String> = rows.iter().map(row).collect();
    if !sql.contains("ORDER BY") {
        rows.sort_unstable();
    }
    rows.join("\n")
}

/// How many statements a sequence has.
const STATEMENTS: u64 = 3000;
/// What the statement after the last is told.
const END: &str = "the tape ends here";

/// All answers that were given, as a digest.
struct Tape {
    answers: Mutex<blake3::Hasher>,
    statements: AtomicU64,
}

impl Tape {
    fn new() -> Self {
        Self {
            answers: Mutex::default(),
            statements: AtomicU64::new(0),
        }
    }

    /// Makes room for another answer.
    fn turn(&self) -> Result<(), SqlFault> {
        if self.statements.fetch_add(1, Ordering::Relaxed) < STATEMENTS {
            return Ok(());
        }
        Err(SqlFault {
            kind: SqlFaultKind::Other,
            message: END.to_owned(),
        })
    }

    fn add(&self, answer: &str) {
        let mut answers = self.answers.lock().unwrap();
        answers.update(answer.as_bytes()).update(b"\n\n");
    }

    fn digest(&self) -> String {
        let mut digest = String::new();
        let hash = self.answers.lock().unwrap().finalize();
        for byte in &hash.as_bytes()[..8] {
            write!(digest, "{byte:02x}").unwrap();
        }
        digest
    }
}

/// An instance whose answers are recorded, until the tape ends.
struct Recorded<'a> {
    instance: &'a dyn Instance,
    tape: Arc<Tape>,
}

impl Instance for Recorded<'_> {
    fn version(&self) -> String {
        self.instance.version()
    }

    fn dialect(&self) -> Option<&dyn Dialect> {
        self.instance.dialect()
    }

    fn connect(&self) -> Result<Box<dyn Connection>, Fault> {
        Ok(Box::new(Wire {
            connection: self.instance.connect()?,
            tape: Arc::clone(&self.tape),
        }))
    }

    fn effective(&self, setting: &str) -> Result<Option<String>, Fault> {
        self.instance.effective(setting)
    }

    fn is_same(&self, setting: &str, requested: &str, effective: &str) -> bool {
        self.instance.is_same(setting, requested, effective)
    }

    fn all_settings(&self) -> Result<BTreeMap<String, String>, Fault> {
        self.instance.all_settings()
    }

    fn mark(&self) -> Result<(), Fault> {
        self.instance.mark()
    }

    fn flush(&self) -> Result<(), Fault> {
        self.instance.flush()
    }

    fn watches(&self) -> Result<Vec<Box<dyn Watch>>, Fault> {
        self.instance.watches()
    }

    fn stop(self: Box<Self>) -> Result<(), Fault> {
        Ok(())
    }

    fn log_tail(&self) -> String {
        self.instance.log_tail()
    }
}

struct Wire {
    connection: Box<dyn Connection>,
    tape: Arc<Tape>,
}

impl Connection for Wire {
    fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, SqlFault> {
        self.tape.turn()?;
        let rows = self.connection.execute(sql, values)?;
        if !sql.starts_with("CREATE") {
            self.tape.add(&rows.to_string());
        }
        Ok(rows)
    }

    fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>, SqlFault> {
        self.tape.turn()?;
        let rows = self.connection.query(sql, values)?;
        self.tape.add(&written(sql, &rows));
        Ok(rows)
    }

    fn begin(&mut self) -> Result<(), SqlFault> {
        self.connection.begin()
    }

    fn begin_reading(&mut self) -> Result<(), SqlFault> {
        self.connection.begin_reading()
    }

    fn commit(&mut self) -> Result<(), SqlFault> {
        self.connection.commit()
    }

    fn rollback(&mut self) -> Result<(), SqlFault> {
        self.connection.rollback()
    }

    fn load(&mut self, table: &Table, file: &Path) -> Result<u64, SqlFault> {
        self.connection.load(table, file)
    }

    fn load_counted(
        &mut self,
        table: &Table,
        file: &Path,
        done: &AtomicU64,
    ) -> Result<u64, SqlFault> {
        self.connection.load_counted(table, file, done)
    }
}
