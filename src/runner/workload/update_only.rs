//! `update-only`: transactions that do nothing but change balances in the three tables of pgbench.

use super::super::engine::{ColumnType, Connection, Table, Value};
use super::super::fault::Fault;
use super::super::random::Random;
use super::answer::{self, equal, whole, wrong};
use super::crowd::{self, Beginning, Drawn, Ending, Setback, Work, Worker};
use super::fill::{Cell, Filler, dialect};
use super::{Load, Measured, Outcome, Parameter, ParameterKind, Parameters, Task, Workload};

/// The workload.
pub(super) struct UpdateOnly;

const LONGEST_PADDING: u16 = 2000;

const ROW_ORDER: &str = "row_order";
const SORTED: &str = "sorted";

const PARAMETERS: &[Parameter] = &[
    crowd::connections("5"),
    crowd::DURATION,
    crowd::WARM_UP,
    Parameter {
        name: "scale",
        kind: ParameterKind::Count(1, 10_000),
        default: "1",
        shapes_data: true,
        meaning: "How many branches there are. Each has ten tellers and as many accounts as `accounts` \
                  says.",
    },
    Parameter {
        name: "accounts",
        kind: ParameterKind::Count(1, 100_000),
        default: "100000",
        shapes_data: true,
        meaning: "How many accounts a branch has: 100000 in pgbench, fewer for a miniature.",
    },
    Parameter {
        name: "updates",
        kind: ParameterKind::Count(1, 1000),
        default: "10",
        shapes_data: false,
        meaning: "How many rows of each table a transaction changes, each chosen at random: first \
                  accounts, then tellers, then branches. Branches are few, so transactions wait for each \
                  other.",
    },
    Parameter {
        name: ROW_ORDER,
        kind: ParameterKind::Choice(&["random", SORTED]),
        default: "random",
        shapes_data: false,
        meaning: "The order in which a transaction changes its rows of a table: `random`, so that two \
                  can wait for each other for ever, until the engine notices and undoes one; or \
                  `sorted` by key, so that they wait but never so. Where few rows are shared by many \
                  connections, PostgreSQL with `random` does little but wait for its `deadlock_timeout`.",
    },
    Parameter {
        name: "padding",
        kind: ParameterKind::Bytes,
        default: "84 B",
        shapes_data: true,
        meaning: "Bytes of filler in each row, at most 2000: with more of it fewer rows share a page.",
    },
    Parameter {
        name: "key_order",
        kind: ParameterKind::Choice(&["sequential", "random"]),
        default: "sequential",
        shapes_data: true,
        meaning: "The order in which the rows are stored at the beginning. Where rows lie in the order of \
                  their keys, as in SQLite or InnoDB, `sequential` fills pages to the brim and `random` \
                  leaves a part of each free, like a low fillfactor; where they lie as they come, \
                  as in PostgreSQL, `random` only scatters neighbouring keys.",
    },
];

const RESULTS: &[Outcome] = &[
    Outcome {
        name: "throughput",
        unit: "1/s",
        meaning: "Transactions committed per second.",
    },
    crowd::CONFLICTS,
    crowd::LATENCIES[0],
    crowd::LATENCIES[1],
    crowd::LATENCIES[2],
];

const COLUMNS: &[(&str, ColumnType)] = &[
    ("id", ColumnType::Whole),
    ("branch", ColumnType::Whole),
    ("balance", ColumnType::Whole),
    ("filler", ColumnType::Text(LONGEST_PADDING)),
];

const fn table(name: &'static str) -> Table {
    Table {
        name,
        columns: COLUMNS,
        key: &["id"],
    }
}

/// In the order in which a transaction changes them.
static TABLES: &[Table] = &[table("accounts"), table("tellers"), table("branches")];

const UPDATES: [&str; 3] = [
    "UPDATE accounts SET balance = balance + ? WHERE id = ?",
    "UPDATE tellers SET balance = balance + ? WHERE id = ?",
    "UPDATE branches SET balance = balance + ? WHERE id = ?",
];

impl Workload for UpdateOnly {
    fn name(&self) -> &'static str {
        "update-only"
    }

    fn meaning(&self) -> &'static str {
        "Connections that change balances of accounts, tellers and branches, the tables of pgbench, and \
         do nothing else: the load under which free space in pages pays, if ever."
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
        let rows = parameters.number("scale") * (parameters.number("accounts") + 11.0);
        // Twice: a file is written and loaded, and later a log holds what changed.
        Some(2.0 * rows * (parameters.number("padding") + 50.0))
    }

    fn seconds(&self, parameters: &Parameters) -> Option<f64> {
        Some(crowd::told(parameters))
    }

    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault> {
        let sizes = sizes(task);
        let padding = task.parameters.count("padding") as usize;
        if padding > usize::from(LONGEST_PADDING) {
            return Err(Fault::failed(format!(
                "`padding` is {padding} bytes; {LONGEST_PADDING} at most"
            )));
        }
        let shuffled = task.parameters.word("key_order") == "random";
        let branches = sizes[2];
        let mut filler = Filler::new(task)?;
        for (table, size) in TABLES.iter().zip(sizes) {
            let mut keys: Vec<i64> = (1..=size).collect();
            if shuffled {
                Random::new(task.seed, table.name, 0).shuffle(&mut keys);
            }
            let rows = keys.iter().map(|&id| {
                let branch = (id - 1) / (size / branches) + 1;
                let letters = Random::new(task.seed, table.name, id as u64).letters(padding);
                [id.into(), branch.into(), Cell::Whole(0), letters.into()]
            });
            filler.table(table, rows)?;
        }
        Ok(())
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Trial {
            task,
            sums: Sums::new(&sizes(task)),
        })
    }
}

/// How many rows each table has.
fn sizes(task: &Task<'_>) -> [i64; 3] {
    let branches = task.parameters.count("scale") as i64;
    let accounts = task.parameters.count("accounts") as i64;
    [branches * accounts, branches * 10, branches]
}

/// What committed transactions added: to each row where there are few, to each table as a whole.
struct Sums {
    tables: [i64; 3],
    tellers: Vec<i64>,
    branches: Vec<i64>,
}

impl Sums {
    fn new(sizes: &[i64; 3]) -> Self {
        Self {
            tables: [0; 3],
            tellers: vec![0; sizes[1] as usize],
            branches: vec![0; sizes[2] as usize],
        }
    }

    fn add(&mut self, table: usize, id: i64, delta: i64) {
        self.tables[table] += delta;
        let row = id as usize - 1;
        match table {
            1 => self.tellers[row] += delta,
            2 => self.branches[row] += delta,
            _ => {}
        }
    }

    fn merge(&mut self, other: &Self) {
        let pairs = [
            (&mut self.tables[..], &other.tables[..]),
            (&mut self.tellers, &other.tellers),
            (&mut self.branches, &other.branches),
        ];
        for (own, more) in pairs {
            for (own, more) in own.iter_mut().zip(more) {
                *own += more;
            }
        }
    }
}

struct Clerk {
    sizes: [i64; 3],
    updates: u64,
    sorted: bool,
    random: Random,
    /// Table, row and what is added to its balance.
    changes: Vec<(usize, i64, i64)>,
    sums: Sums,
}

impl Worker for Clerk {
    fn draw(&mut self) -> Drawn {
        self.changes.clear();
        for (table, &size) in self.sizes.iter().enumerate() {
            let first = self.changes.len();
            for _ in 0..self.updates {
                let id = self.random.between(1, size);
                // Never 0: some engines don't count a row as changed that is what it was.
                let amount = self.random.between(1, 5000);
                let sign = self.random.between(0, 1) * 2 - 1;
                self.changes.push((table, id, amount * sign));
            }
            if self.sorted {
                self.changes[first..].sort_unstable();
            }
        }
        Drawn {
            kind: 0,
            operations: 1,
            beginning: Beginning::Writing,
        }
    }

    fn attempt(&mut self, connection: &mut dyn Connection) -> Result<Ending, Setback> {
        for &(table, id, delta) in &self.changes {
            let values = [Value::Whole(delta), Value::Whole(id)];
            let rows = connection.execute(UPDATES[table], &values)?;
            equal("rows changed by one statement", rows as i64, 1)?;
        }
        Ok(Ending::Commit)
    }

    fn keep(&mut self) {
        for &(table, id, delta) in &self.changes {
            self.sums.add(table, id, delta);
        }
    }
}

struct Trial<'a> {
    task: &'a Task<'a>,
    /// What all connections have committed.
    sums: Sums,
}

impl Load for Trial<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let sizes = sizes(self.task);
        let work: Work<Clerk> = crowd::work(self.task, 1, |number| {
            Ok(Clerk {
                sizes,
                updates: self.task.parameters.count("updates"),
                sorted: self.task.parameters.word(ROW_ORDER) == SORTED,
                random: Random::new(self.task.seed, "clerks", number as u64),
                changes: Vec::new(),
                sums: Sums::new(&sizes),
            })
        })?;
        for clerk in &work.workers {
            self.sums.merge(&clerk.sums);
        }
        Ok(work.measured())
    }

    fn verify(&mut self) -> Result<(), Fault> {
        const PAGE: usize = 5000;
        let deadline = self.task.deadline;
        let limit = dialect(self.task)?.limit(PAGE as u64);
        let mut connection = self.task.instance.connect()?;
        let connection = connection.as_mut();
        for (at, (table, size)) in TABLES.iter().zip(sizes(self.task)).enumerate() {
            let name = table.name;
            let sums = format!("SELECT COUNT(*), SUM(balance), SUM(id) FROM {name}");
            let sums = answer::row(connection, &sums, &[], deadline)?;
            equal(&format!("rows of {name}"), whole(&sums[0])?, size)?;
            let what = format!("sum of balances of {name}");
            equal(&what, whole(&sums[1])?, self.sums.tables[at])?;
            let what = format!("sum of keys of {name}");
            equal(&what, whole(&sums[2])?, size * (size + 1) / 2)?;
        }
        for (name, rows) in [
            ("tellers", &self.sums.tellers),
            ("branches", &self.sums.branches),
        ] {
            let select = format!("SELECT id, balance FROM {name} WHERE id > ? ORDER BY id{limit}");
            for (page, expected) in rows.chunks(PAGE).enumerate() {
                let before = (page * PAGE) as i64;
                deadline.check()?;
                let found = connection.query(&select, &[before.into()]);
                let found = found.map_err(|fault| answer::fault(fault, deadline))?;
                equal(name, found.len() as i64, expected.len() as i64)?;
                for ((id, row), &balance) in (before + 1..).zip(&found).zip(expected) {
                    if whole(&row[0])? != id || whole(&row[1])? != balance {
                        return Err(wrong(format_args!(
                            "{name}: row {row:?} where {id} with balance {balance} was expected"
                        )));
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use super::super::examples::UPDATE_ONLY;
    use super::super::trial::{Bench, gives_all, limit, value};
    use super::*;

    #[test]
    fn what_was_committed_is_there() {
        let bench = Bench::new("update-only", UPDATE_ONLY.parameters);
        bench.prepare().unwrap();
        assert_eq!(bench.leftovers(), 0);
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().unwrap();
        gives_all(bench.workload, &measured);
        assert!(value(&measured, "throughput") > 0.0);
        let [p50, p95, p99] = crowd::LATENCIES.map(|it| value(&measured, it.name));
        assert!(p50 > 0.0 && p50 <= p95 && p95 <= p99);
        bench.check_sees(&mut *load, UPDATE_ONLY.changes);
    }

    #[test]
    fn the_order_of_keys_changes_pages_but_not_rows() {
        let built = |order: &str| {
            let parameters = [
                UPDATE_ONLY.parameters,
                &[("accounts", "20000"), ("key_order", order)],
            ]
            .concat();
            let bench = Bench::new("update-only", &parameters);
            bench.prepare().unwrap();
            let mut connection = bench.connect();
            let pages = connection.query("PRAGMA page_count", &[]).unwrap();
            (bench.digests(), whole(&pages[0][0]).unwrap())
        };
        let ((rows, full), (same_rows, loose)) = (built("sequential"), built("random"));
        assert_eq!(rows, same_rows);
        assert!(loose * 100 > full * 105, "{full} pages, {loose} pages");
    }

    #[test]
    fn padding_shapes_rows() {
        let notes = |padding: &str| {
            let bench = Bench::new(
                "update-only",
                &[UPDATE_ONLY.parameters, &[("padding", padding)]].concat(),
            );
            bench.prepare()?;
            let mut connection = bench.connect();
            let longest = "SELECT MIN(length(filler)), MAX(length(filler)) FROM branches";
            Ok::<_, Fault>(connection.query(longest, &[])?)
        };
        assert_eq!(notes("0 B").unwrap(), [[Value::Whole(0), Value::Whole(0)]]);
        assert_eq!(
            notes("2 kB").unwrap(),
            [[Value::Whole(2000), Value::Whole(2000)]]
        );
        let fault = notes("1 MiB").unwrap_err();
        assert!(fault.message.contains("2000 at most"), "{fault}");
    }

    #[test]
    fn conflicts_are_counted_and_tried_again() {
        let settings = [("busy_timeout", "0"), ("journal_mode", "DELETE")];
        let bench = Bench::with("update-only", UPDATE_ONLY.parameters, &settings, limit());
        bench.prepare().unwrap();
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().unwrap();
        assert!(value(&measured, "conflicts_per_second") > 0.0);
        assert_eq!(load.verify(), Ok(()));
    }
}
