//! `restore`: a logical backup goes back into the database, and each index is built by itself.

mod tool;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Instant;

use self::tool::Times;
use super::super::engine::{ColumnType, Connection, Index, Table, Value};
use super::super::fault::Fault;
use super::super::random::Random;
use super::answer::{self, equal, whole, wrong};
use super::compare;
use super::fill::{Cell, Filler, append, dialect};
use super::{Load, Measured, Outcome, Parameter, ParameterKind, Parameters, Task, Workload};

/// The workload.
pub(super) struct Restore;

/// Orders per customer.
const ORDERS: i64 = 10;

const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "rows",
        kind: ParameterKind::Count(1, 1_000_000_000),
        default: "100000",
        shapes_data: true,
        meaning: "Rows of the larger table, `orders`; `customers` has a tenth of that. An order takes \
                  about 120 bytes in the backup.",
    },
    Parameter {
        name: "indexes",
        kind: ParameterKind::Count(0, INDEXES.len() as u64),
        default: "4",
        // A backup of an engine's own tool holds them.
        shapes_data: true,
        meaning: "How many indexes are built on `orders`, in this order: `orders_customer` (whole \
                  numbers, ten rows each), `orders_day` (whole numbers, 365 different), \
                  `orders_reference` (texts of 36 letters, unique), `orders_customer_day_amount` (three \
                  columns).",
    },
    Parameter {
        name: TOOL,
        kind: ParameterKind::Choice(&["sql", ENGINE]),
        default: "sql",
        shapes_data: true,
        meaning: "What restores: `sql` is a client that loads the rows and then creates the indexes; `engine` \
                  is the engine's own tool, such as gbak, where it has one.",
    },
];

const TOOL: &str = "tool";
/// The engine's own.
const ENGINE: &str = "engine";

const TOTAL_TIME: &str = "total_time";
const DATA_TIME: &str = "data_time";
const INDEX_TIME: &str = "index_time";
const FLUSH_TIME: &str = "flush_time";
const STEP_TIME: &str = "step_time";
const ROWS: &str = "rows";

/// Steps beside the indexes, whose steps bear their names.
const DATA: &str = "data";
const TOTAL: &str = "total";

const RESULTS: &[Outcome] = &[
    Outcome {
        name: TOTAL_TIME,
        unit: "s",
        meaning: "Seconds for the whole restore: data and all indexes.",
    },
    Outcome {
        name: DATA_TIME,
        unit: "s",
        meaning: "Seconds for the rows of all tables and their primary keys; with the engine's own tool, for \
                  all but the indexes.",
    },
    Outcome {
        name: INDEX_TIME,
        unit: "s",
        meaning: "Seconds for all indexes.",
    },
    Outcome {
        name: FLUSH_TIME,
        unit: "s",
        meaning: "Seconds that the engine takes afterwards, when the connection ends and it is told to \
                  bring everything from its log and its memory to its place.",
    },
    Outcome {
        name: STEP_TIME,
        unit: "s",
        meaning: "Seconds of one step; for an experiment whose steps are `data`, the names of the \
                  indexes, and `total`.",
    },
    Outcome {
        name: ROWS,
        unit: "",
        meaning: "How many rows the step went through; of a trial without steps, how many were restored.",
    },
];

const CUSTOMER_COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Whole),
    ("name", ColumnType::Text(24)),
    ("city", ColumnType::Text(12)),
    ("credit", ColumnType::Money),
];

const ORDER_COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Whole),
    ("customer", ColumnType::Whole),
    ("order_day", ColumnType::Whole),
    ("amount", ColumnType::Money),
    ("reference", ColumnType::Text(36)),
    ("note", ColumnType::Text(50)),
];

const fn table(name: &'static str, columns: &'static [(&'static str, ColumnType)]) -> Table {
    let key = &["id"];
    Table { name, columns, key }
}

/// What was backed up.
static SOURCES: &[Table] = &[
    table("source_customers", CUSTOMER_COLUMNS),
    table("source_orders", ORDER_COLUMNS),
];

/// What it is restored into, in the same order.
pub(super) static TARGETS: &[Table] = &[
    table("customers", CUSTOMER_COLUMNS),
    table("orders", ORDER_COLUMNS),
];

const fn index(name: &'static str, columns: &'static [&'static str], unique: bool) -> Index {
    Index {
        name,
        table: "orders",
        columns,
        unique,
    }
}

const INDEXES: &[Index] = &[
    index("orders_customer", &["customer"], false),
    index("orders_day", &["order_day"], false),
    index("orders_reference", &["reference"], true),
    index(
        "orders_customer_day_amount",
        &["customer", "order_day", "amount"],
        false,
    ),
];

impl Workload for Restore {
    fn name(&self) -> &'static str {
        "restore"
    }

    fn meaning(&self) -> &'static str {
        "Restores a logical backup, made once, into new tables, and builds each index by itself, timed \
         step by step: work of one processor for the most part, such as a power plan may slow down."
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn results(&self) -> &'static [Outcome] {
        RESULTS
    }

    fn tables(&self) -> &'static [Table] {
        SOURCES
    }

    fn disk(&self, parameters: &Parameters) -> Option<f64> {
        // The source, the backup, what is restored and its indexes, and a log of the same size.
        Some(parameters.number("rows") * 135.0 * (4.0 + parameters.number("indexes") / 2.0))
    }

    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault> {
        if is_engines(task) {
            return prepare_for_tool(task);
        }
        let mut filler = Filler::new(task)?;
        fill(task, &mut filler, SOURCES)?;
        // A connection may keep all others out.
        drop(filler);
        let mut connection = task.instance.connect()?;
        for (source, target) in SOURCES.iter().zip(TARGETS) {
            back_up(task, &mut *connection, source, target)?;
        }
        Ok(())
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Trial { task })
    }
}

/// Whether the engine's own tool restores.
fn is_engines(task: &Task<'_>) -> bool {
    task.parameters.word(TOOL) == ENGINE
}

fn fill(task: &Task<'_>, filler: &mut Filler<'_>, tables: &[Table]) -> Result<(), Fault> {
    let [customers, orders] = sizes(task);
    let rows = (1..=customers).map(|id| customer(task.seed, id));
    filler.table(&tables[0], rows)?;
    let rows = (1..=orders).map(|id| order(task.seed, id, customers));
    filler.table(&tables[1], rows)
}

/// Makes what the engine's own tool backs up, and removes it again: what is found after the restore can only
/// come from the backup.
fn prepare_for_tool(task: &Task<'_>) -> Result<(), Fault> {
    let tool = tool::find(task.instance)?;
    let mut filler = Filler::new(task)?;
    fill(task, &mut filler, TARGETS)?;
    for index in indexes(task) {
        filler.index(index)?;
    }
    drop(filler);
    tool.back_up(task.folder, task.deadline)?;
    let mut connection = task.instance.connect()?;
    for table in TARGETS {
        let dropped = connection.execute(&format!("DROP TABLE {}", table.name), &[]);
        dropped.map_err(|fault| answer::fault(fault, task.deadline))?;
    }
    Ok(())
}

/// How many rows each table has.
fn sizes(task: &Task<'_>) -> [i64; 2] {
    let orders = task.parameters.count("rows") as i64;
    [(orders + ORDERS - 1) / ORDERS, orders]
}

fn customer(seed: u64, id: i64) -> [Cell; 4] {
    let mut random = Random::new(seed, "customers", id as u64);
    [
        Cell::Whole(id),
        Cell::Text(random.letters(24)),
        Cell::Text(random.letters(12)),
        Cell::Cents(random.between(0, 10_000_000)),
    ]
}

fn order(seed: u64, id: i64, customers: i64) -> [Cell; 6] {
    let mut random = Random::new(seed, "orders", id as u64);
    [
        Cell::Whole(id),
        Cell::Whole(random.between(1, customers)),
        Cell::Whole(random.between(1, 365)),
        Cell::Cents(random.between(-10_000, 1_000_000)),
        // In random order, and unique whatever is drawn.
        Cell::Text(format!("{}{id:012}", random.letters(24))),
        Cell::Text(random.letters(50)),
    ]
}

/// The file that holds the rows of a table.
fn path(task: &Task<'_>, target: &Table) -> PathBuf {
    task.folder.join(format!("{}.csv", target.name))
}

/// Writes the rows of a table into a file, as a client would that knows nothing but SQL.
fn back_up(
    task: &Task<'_>,
    connection: &mut dyn Connection,
    source: &Table,
    target: &Table,
) -> Result<(), Fault> {
    const PAGE: u64 = 5000;
    let path = path(task, target);
    let storing = |error: io::Error| Fault::failed(format!("{}: {error}", path.display()));
    let mut file = BufWriter::new(File::create(&path).map_err(storing)?);
    let names: Vec<&str> = source.columns.iter().map(|(name, _)| *name).collect();
    let (names, limit) = (names.join(", "), dialect(task)?.limit(PAGE));
    let sql = format!(
        "SELECT {names} FROM {} WHERE id > ? ORDER BY id{limit}",
        source.name
    );
    let (mut line, mut last) = (String::new(), Value::Whole(0));
    loop {
        task.deadline.check()?;
        let rows = connection.query(&sql, &[last]);
        let rows = rows.map_err(|fault| answer::fault(fault, task.deadline))?;
        for row in &rows {
            line.clear();
            let cells: Vec<Cell> = (source.columns.iter().zip(row))
                .map(|((_, kind), value)| cell(*kind, value))
                .collect::<Result<_, _>>()?;
            append(&mut line, &cells);
            file.write_all(line.as_bytes()).map_err(storing)?;
        }
        match rows.last() {
            Some(row) => last = row[0].clone(),
            None => return file.flush().map_err(storing),
        }
    }
}

fn cell(kind: ColumnType, value: &Value) -> Result<Cell, Fault> {
    Ok(match kind {
        ColumnType::WholeOrNull if *value == Value::Null => Cell::Null,
        ColumnType::Whole | ColumnType::WholeOrNull => Cell::Whole(whole(value)?),
        ColumnType::Money => Cell::Cents(answer::cents(value)?),
        ColumnType::Text(_) => answer::text(value)?.into(),
    })
}

fn indexes(task: &Task<'_>) -> &'static [Index] {
    let count = task.parameters.count("indexes") as usize;
    &INDEXES[..count.min(INDEXES.len())]
}

struct Trial<'a> {
    task: &'a Task<'a>,
}

/// Creates the tables and fills them.
fn load_data(task: &Task<'_>, connection: &mut dyn Connection) -> Result<(), Fault> {
    let told = |fault| answer::fault(fault, task.deadline);
    for table in TARGETS {
        task.deadline.check()?;
        let sql = dialect(task)?.create_table(table);
        connection.execute(&sql, &[]).map_err(told)?;
        let file = path(task, table);
        let loaded = connection.load_counted(table, &file, task.done);
        loaded.map_err(told)?;
    }
    Ok(())
}

fn build(task: &Task<'_>, connection: &mut dyn Connection, index: &Index) -> Result<(), Fault> {
    task.deadline.check()?;
    let sql = dialect(task)?.create_index(index);
    match connection.execute(&sql, &[]) {
        Ok(_) => Ok(()),
        Err(fault) => Err(answer::fault(fault, task.deadline)),
    }
}

fn step(key: &str, seconds: f64, rows: u64) -> (String, Vec<(String, f64)>) {
    let results = [(STEP_TIME, seconds), (ROWS, rows as f64)];
    let results = results.map(|(name, value)| (name.to_owned(), value));
    (key.to_owned(), results.into())
}

/// A client that knows nothing but SQL.
fn restore(task: &Task<'_>, connection: &mut dyn Connection) -> Result<Times, Fault> {
    let start = Instant::now();
    load_data(task, connection)?;
    let data = start.elapsed();
    let mut built = Vec::new();
    let mut done = data;
    for index in indexes(task) {
        build(task, connection, index)?;
        // Each step ends where the next begins, so that they add up.
        let now = start.elapsed();
        built.push((index.name, (now - done).as_secs_f64()));
        done = now;
    }
    Ok(Times {
        data: Some(data.as_secs_f64()),
        indexes: built,
        total: done.as_secs_f64(),
    })
}

impl Load for Trial<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let task = self.task;
        let [customers, orders] = sizes(task).map(i64::unsigned_abs);
        let rows = customers + orders;
        let (times, before);
        if is_engines(task) {
            let steps = tool::find(task.instance)?.restore(task.folder, task.deadline)?;
            times = Times::of_tool(&steps, indexes(task));
            task.done.store(rows, Ordering::Relaxed);
            before = Instant::now();
        } else {
            let mut connection = task.instance.connect()?;
            times = restore(task, &mut *connection)?;
            before = Instant::now();
            drop(connection);
        }
        task.instance.flush()?;
        let flush = before.elapsed().as_secs_f64();
        let data = times.data.map(|took| step(DATA, took, rows));
        let built = times.indexes.iter();
        let steps = (data.into_iter())
            .chain(built.map(|(name, took)| step(name, *took, orders)))
            .chain([step(TOTAL, times.total, rows)]);
        let values = [
            (TOTAL_TIME, Some(times.total)),
            (DATA_TIME, times.data),
            (INDEX_TIME, times.all_indexes()),
            (FLUSH_TIME, Some(flush)),
            (ROWS, Some(rows as f64)),
        ];
        let known = values.iter();
        let known = known.filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?)));
        Ok(Measured {
            values: known.collect(),
            steps: steps.collect(),
        })
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let (task, seed) = (self.task, self.task.seed);
        let [customers, orders] = sizes(task);
        let mut connection = task.instance.connect()?;
        let sql = "SELECT COUNT(*), SUM(credit) FROM customers";
        let found = answer::row(&mut *connection, sql, &[], task.deadline)?;
        let credit = (1..=customers).map(|id| match customer(seed, id)[3] {
            Cell::Cents(credit) => credit,
            _ => 0,
        });
        equal("customers", whole(&found[0])?, customers)?;
        equal("sum of credits", answer::cents(&found[1])?, credit.sum())?;
        let sql = "SELECT COUNT(*), SUM(amount) FROM orders";
        let found = answer::row(&mut *connection, sql, &[], task.deadline)?;
        let amount = (1..=orders).map(|id| match order(seed, id, customers)[3] {
            Cell::Cents(amount) => amount,
            _ => 0,
        });
        equal("orders", whole(&found[0])?, orders)?;
        equal("sum of amounts", answer::cents(&found[1])?, amount.sum())?;
        let expected = (1..=customers).map(|id| customer(seed, id));
        compare::table(task, &mut *connection, &TARGETS[0], expected)?;
        let expected = (1..=orders).map(|id| order(seed, id, customers));
        compare::table(task, &mut *connection, &TARGETS[1], expected)?;
        compare::indexes(task, &mut *connection, &TARGETS[1], indexes(task))?;
        drop(connection);
        task.instance
            .check_soundness()
            .map_err(|fault| wrong(fault.message))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use super::super::examples::RESTORE;
    use super::super::trial::{Bench, limit, value};
    use super::*;
    use crate::model::MissingReason;

    fn keys(measured: &Measured) -> Vec<&str> {
        measured.steps.iter().map(|(key, _)| key.as_str()).collect()
    }

    #[test]
    fn a_backup_is_restored_step_by_step_and_checked() {
        let bench = Bench::new("restore", RESTORE.parameters);
        bench.prepare().expect("data");
        assert_eq!(bench.leftovers(), 2);
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().expect("results");
        assert_eq!(
            keys(&measured),
            [
                "data",
                "orders_customer",
                "orders_day",
                "orders_reference",
                "orders_customer_day_amount",
                "total"
            ]
        );
        let times: Vec<f64> = (measured.steps.iter())
            .map(|(_, results)| results[0].1)
            .collect();
        let (total, parts) = times.split_last().expect("steps");
        assert!((parts.iter().sum::<f64>() - total).abs() < 1e-6);
        assert_eq!(value(&measured, TOTAL_TIME), *total);
        let rows: Vec<f64> = (measured.steps.iter())
            .map(|(_, results)| results[1].1)
            .collect();
        assert_eq!(rows, [6111.0, 5555.0, 5555.0, 5555.0, 5555.0, 6111.0]);
        assert_eq!(bench.done.load(Ordering::Relaxed), 6111);
        // What is said and what is given are the same.
        let mut given: Vec<&str> = (measured.values.iter())
            .chain(&measured.steps[0].1)
            .map(|(name, _)| name.as_str())
            .collect();
        let mut said: Vec<&str> = RESULTS.iter().map(|it| it.name).collect();
        given.sort_unstable();
        given.dedup();
        said.sort_unstable();
        assert_eq!(given, said);
        bench.check_sees(&mut *load, RESTORE.changes);
        bench
            .connect()
            .execute("DROP INDEX orders_day", &[])
            .expect("an index");
        let fault = load.verify().expect_err("an index is missing");
        assert!(fault.message.contains("orders_day is missing"), "{fault}");
    }

    #[test]
    fn the_backup_holds_what_is_in_the_database() {
        let bench = Bench::new("restore", &[("rows", "100")]);
        bench.prepare().expect("data");
        let task = bench.task();
        let text = std::fs::read_to_string(path(&task, &TARGETS[1])).expect("a file");
        let mut expected = String::new();
        for id in 1..=100 {
            append(&mut expected, &order(7, id, 10));
        }
        assert_eq!(text, expected);
    }

    #[test]
    fn only_the_indexes_asked_for_are_built() {
        let bench = Bench::new("restore", &[("rows", "10"), ("indexes", "1")]);
        bench.prepare().expect("data");
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().expect("results");
        assert_eq!(keys(&measured), ["data", "orders_customer", "total"]);
        assert_eq!(load.verify(), Ok(()));
        // Its files are still there, but the tables are no longer new.
        let fault = load.measure().expect_err("tables that are there already");
        assert!(fault.message.contains("already exists"), "{fault}");
    }

    #[test]
    fn an_engine_without_a_tool_of_its_own_says_so() {
        let bench = Bench::new("restore", &[("rows", "50"), ("tool", "engine")]);
        let fault = bench.prepare().expect_err("no tool");
        assert_eq!(fault.reason, MissingReason::Unsupported);
        assert!(fault.message.starts_with("SQLite 3"), "{fault}");
        assert!(fault.message.contains("tool = \"sql\""), "{fault}");
        assert_eq!(bench.leftovers(), 0);
    }

    #[test]
    fn a_changed_backup_is_noticed() {
        let bench = Bench::new("restore", &[("rows", "50")]);
        bench.prepare().expect("data");
        let task = bench.task();
        let file = path(&task, &TARGETS[1]);
        let text = std::fs::read_to_string(&file).expect("a file");
        let (first, _) = text.trim_end().rsplit_once('\n').expect("lines");
        std::fs::write(&file, first).expect("a file");
        let mut load = bench.workload.load(&task);
        load.measure().expect("results");
        let fault = load.verify().expect_err("a row is missing");
        assert!(fault.message.contains("orders: 49 found"), "{fault}");
    }

    #[test]
    fn a_connection_may_keep_all_others_out() {
        let settings = [("journal_mode", "WAL"), ("locking_mode", "EXCLUSIVE")];
        let bench = Bench::with("restore", &[("rows", "50")], &settings, limit());
        bench.prepare().expect("data");
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        load.measure().expect("results");
        assert_eq!(load.verify(), Ok(()));
    }

    #[test]
    fn the_limit_ends_a_restore() {
        let stop = crate::runner::stop::Stop::default();
        let deadline = stop.limit(Duration::from_secs(300));
        let bench = Bench::with("restore", &[("rows", "50")], &[], deadline);
        bench.prepare().expect("data");
        stop.drop_trial();
        let task = bench.task();
        let fault = bench.workload.load(&task).measure().expect_err("a limit");
        assert!(fault.stopped, "{fault}");
        let late = Bench::with("restore", &[("rows", "50")], &[], limit());
        let fault = late.workload.load(&late.task()).measure();
        assert!(
            fault
                .expect_err("no backup")
                .message
                .contains("customers.csv")
        );
    }
}
