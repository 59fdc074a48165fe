//! `insert-update`: many connections that mostly insert, change some rows, and look up a few.

use super::super::engine::{ColumnType, Connection, Index, Table, Value};
use super::super::fault::Fault;
use super::super::random::Random;
use super::answer::{self, cents, equal, money, text, whole, wrong};
use super::crowd::{self, Beginning, Drawn, Ending, Setback, Work, Worker};
use super::fill::{Cell, Filler, dialect};
use super::{Load, Measured, Outcome, Parameter, ParameterKind, Parameters, Task, Workload};

/// The workload.
pub(super) struct InsertUpdate;

const PARAMETERS: &[Parameter] = &[
    crowd::connections("20"),
    crowd::DURATION,
    crowd::WARM_UP,
    Parameter {
        name: "rows",
        kind: ParameterKind::Count(1, 1_000_000_000),
        default: "20000",
        shapes_data: true,
        meaning: "How many rows the table holds at the beginning, about 120 bytes each, ten to an \
                  account.",
    },
    Parameter {
        name: "updates",
        kind: ParameterKind::Share,
        default: "0.15",
        shapes_data: false,
        meaning: "Share of transactions that change rows: chosen at random among those that were there \
                  at the beginning and those that the connection has inserted.",
    },
    Parameter {
        name: "selects",
        kind: ParameterKind::Share,
        default: "0.25",
        shapes_data: false,
        meaning: "Share of transactions that look up the ten newest rows of an account, by an index. \
                  All others insert: 60 % unless told otherwise.",
    },
    Parameter {
        name: "rows_per_transaction",
        kind: ParameterKind::Count(1, 100_000),
        default: "1",
        shapes_data: false,
        meaning: "How many rows a transaction inserts or changes, or how many accounts it looks up, one \
                  statement each.",
    },
];

const RESULTS: &[Outcome] = &[
    Outcome {
        name: "throughput",
        unit: "1/s",
        meaning: "Operations per second of committed transactions, of all three kinds: rows inserted, \
                  rows changed, accounts looked up.",
    },
    Outcome {
        name: "inserts_per_second",
        unit: "1/s",
        meaning: "Rows inserted per second, and committed.",
    },
    Outcome {
        name: "updates_per_second",
        unit: "1/s",
        meaning: "Rows changed per second, and committed.",
    },
    Outcome {
        name: "selects_per_second",
        unit: "1/s",
        meaning: "Accounts looked up per second.",
    },
    crowd::CONFLICTS,
    crowd::LATENCIES[0],
    crowd::LATENCIES[1],
    crowd::LATENCIES[2],
    Outcome {
        name: "insert_p95",
        unit: "s",
        meaning: "Time within which 95 % of the inserting transactions were committed, read like \
                  `latency_p50`.",
    },
    Outcome {
        name: "update_p95",
        unit: "s",
        meaning: "Time within which 95 % of the changing transactions were committed, read like \
                  `latency_p50`.",
    },
    Outcome {
        name: "select_p95",
        unit: "s",
        meaning: "Time within which 95 % of the transactions that look up were done, read like \
                  `latency_p50`.",
    },
];

/// Rate and percentile of each kind of transaction, by its index.
const KINDS: [(&str, &str); 3] = [
    ("inserts_per_second", "insert_p95"),
    ("updates_per_second", "update_p95"),
    ("selects_per_second", "select_p95"),
];
const INSERT: usize = 0;
const UPDATE: usize = 1;
const SELECT: usize = 2;

const NOTE: u16 = 80;
/// Rows of an account at the beginning, and rows that a look-up wants.
const NEWEST: i64 = 10;

static TABLES: &[Table] = &[Table {
    name: "entries",
    columns: &[
        ("id", ColumnType::Whole),
        ("account", ColumnType::Whole),
        ("amount", ColumnType::Money),
        ("changes", ColumnType::Whole),
        ("note", ColumnType::Text(NOTE)),
    ],
    key: &["id"],
}];

const BY_ACCOUNT: Index = Index {
    name: "entries_by_account",
    table: "entries",
    columns: &["account", "id"],
    unique: true,
};

const INSERT_SQL: &str =
    "INSERT INTO entries (id, account, amount, changes, note) VALUES (?, ?, ?, ?, ?)";
const UPDATE_SQL: &str = "UPDATE entries SET changes = changes + 1 WHERE id = ?";

impl Workload for InsertUpdate {
    fn name(&self) -> &'static str {
        "insert-update"
    }

    fn meaning(&self) -> &'static str {
        "Connections that mostly insert rows into one table with an index, change some of them, and look \
         up a few: the shape of a busy ledger. The rate of all operations is its score."
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
        // Ten thousand rows a second may come to those that are there at the beginning; each takes
        // about 150 bytes with its index, twice while it stands in a log or a file too.
        let seconds = parameters.number("duration") + parameters.number("warm_up");
        Some(2.0 * 150.0 * (parameters.number("rows") + 10_000.0 * seconds))
    }

    fn seconds(&self, parameters: &Parameters) -> Option<f64> {
        Some(crowd::told(parameters))
    }

    fn prepare(&self, task: &Task<'_>) -> Result<(), Fault> {
        let shape = Shape::of(task);
        let mut filler = Filler::new(task)?;
        let rows = (1..=shape.rows).map(|id| {
            let entry = shape.entry(id);
            [
                Cell::Whole(id),
                Cell::Whole(entry.account),
                Cell::Cents(entry.cents),
                Cell::Whole(0),
                Cell::Text(entry.note),
            ]
        });
        filler.table(&TABLES[0], rows)?;
        filler.index(&BY_ACCOUNT)
    }

    fn load<'a>(&self, task: &'a Task<'a>) -> Box<dyn Load + 'a> {
        Box::new(Trial {
            task,
            shape: Shape::of(task),
            books: Vec::new(),
        })
    }
}

/// What the rows look like; each follows from its key.
#[derive(Clone, Copy)]
struct Shape {
    seed: u64,
    rows: i64,
    accounts: i64,
}

struct Entry {
    account: i64,
    cents: i64,
    note: String,
}

impl Shape {
    fn of(task: &Task<'_>) -> Self {
        let rows = task.parameters.count("rows") as i64;
        Self {
            seed: task.seed,
            rows,
            accounts: (rows / NEWEST).max(1),
        }
    }

    fn entry(&self, id: i64) -> Entry {
        let (account, cents, mut random) = self.figures(id);
        Entry {
            account,
            cents,
            note: random.letters(usize::from(NOTE)),
        }
    }

    /// Account and amount. At the beginning every account has as many rows as a look-up wants, so the
    /// answer of each has a known length.
    fn figures(&self, id: i64) -> (i64, i64, Random) {
        let mut random = Random::new(self.seed, "entries", id as u64);
        let account = match random.between(1, self.accounts) {
            _ if id <= self.rows => (id - 1) % self.accounts + 1,
            drawn => drawn,
        };
        (account, random.between(1, 999_999), random)
    }

    /// How many rows a look-up gives.
    fn found(&self) -> usize {
        self.rows.min(NEWEST) as usize
    }
}

/// What a connection has committed.
#[derive(Clone, Default)]
struct Book {
    inserted: i64,
    changed: i64,
    /// Sums over the rows inserted.
    accounts: i64,
    cents: i64,
}

struct Clerk {
    shape: Shape,
    /// Keys are dealt out in turn, so that all connections insert at the end of the table.
    first_key: i64,
    key_step: i64,
    updates: f64,
    selects: f64,
    rows: usize,
    random: Random,
    select: String,
    kind: usize,
    /// Rows to insert.
    entries: Vec<(i64, Entry)>,
    /// Keys of rows to change, or accounts to look up.
    targets: Vec<i64>,
    book: Book,
}

impl Clerk {
    fn key(&self, number: i64) -> i64 {
        self.first_key + number * self.key_step
    }

    fn row_to_change(&mut self) -> i64 {
        let rows = self.shape.rows;
        let at = self.random.below((rows + self.book.inserted) as u64) as i64;
        if at < rows {
            at + 1
        } else {
            self.key(at - rows)
        }
    }
}

impl Worker for Clerk {
    fn draw(&mut self) -> Drawn {
        let share = self.random.share();
        self.entries.clear();
        self.targets.clear();
        let selects = share < self.selects;
        self.kind = match share {
            _ if selects => SELECT,
            share if share < self.selects + self.updates => UPDATE,
            _ => INSERT,
        };
        for at in 0..self.rows {
            match self.kind {
                INSERT => {
                    let key = self.key(self.book.inserted + at as i64);
                    self.entries.push((key, self.shape.entry(key)));
                }
                UPDATE => {
                    let key = self.row_to_change();
                    self.targets.push(key);
                }
                _ => {
                    let account = self.random.between(1, self.shape.accounts);
                    self.targets.push(account);
                }
            }
        }
        Drawn {
            kind: self.kind,
            operations: self.rows as u64,
            beginning: if selects {
                Beginning::None
            } else {
                Beginning::Writing
            },
        }
    }

    fn attempt(&mut self, connection: &mut dyn Connection) -> Result<Ending, Setback> {
        for (key, entry) in &self.entries {
            let values = [
                Value::Whole(*key),
                Value::Whole(entry.account),
                money(entry.cents),
                Value::Whole(0),
                Value::Text(entry.note.clone()),
            ];
            let rows = connection.execute(INSERT_SQL, &values)?;
            equal("rows inserted by one statement", rows as i64, 1)?;
        }
        for &target in &self.targets {
            if self.kind == UPDATE {
                let rows = connection.execute(UPDATE_SQL, &[target.into()])?;
                equal("rows changed by one statement", rows as i64, 1)?;
                continue;
            }
            let rows = connection.query(&self.select, &[target.into()])?;
            if rows.len() != self.shape.found() {
                let found = rows.len();
                return Err(wrong(format_args!("{found} rows of account {target}")).into());
            }
            for row in &rows {
                equal("account of a row looked up", whole(&row[0])?, target)?;
            }
        }
        Ok(Ending::Commit)
    }

    fn keep(&mut self) {
        for (_, entry) in &self.entries {
            self.book.inserted += 1;
            self.book.accounts += entry.account;
            self.book.cents += entry.cents;
        }
        if self.kind == UPDATE {
            self.book.changed += self.targets.len() as i64;
        }
    }
}

struct Trial<'a> {
    task: &'a Task<'a>,
    shape: Shape,
    /// What each connection has committed.
    books: Vec<Book>,
}

impl Trial<'_> {
    fn hire(&self, number: usize, select: &str) -> Result<Clerk, Fault> {
        let parameters = self.task.parameters;
        let (updates, selects) = (parameters.number("updates"), parameters.number("selects"));
        if updates + selects > 1.0 {
            return Err(Fault::failed(format!(
                "the shares `updates` and `selects` sum to {}, which is more than 1",
                updates + selects
            )));
        }
        Ok(Clerk {
            shape: self.shape,
            first_key: self.shape.rows + 1 + number as i64,
            key_step: parameters.count("connections") as i64,
            updates,
            selects,
            rows: parameters.count("rows_per_transaction") as usize,
            random: Random::new(self.task.seed, "clerks", number as u64),
            select: select.to_owned(),
            kind: INSERT,
            entries: Vec::new(),
            targets: Vec::new(),
            book: Book::default(),
        })
    }
}

impl Load for Trial<'_> {
    fn measure(&mut self) -> Result<Measured, Fault> {
        let limit = dialect(self.task)?.limit(NEWEST as u64);
        let select = format!(
            "SELECT account, id, amount, changes, note FROM entries WHERE account = ? \
             ORDER BY id DESC{limit}"
        );
        let work: Work<Clerk> =
            crowd::work(self.task, KINDS.len(), |number| self.hire(number, &select))?;
        let mut measured = work.measured();
        for (kind, (rate, percentile)) in work.tally.kinds.iter().zip(KINDS) {
            let values = &mut measured.values;
            values.push((rate.to_owned(), work.rate(kind.operations)));
            let p95 = kind.latencies.percentile(0.95);
            values.extend(p95.map(|time| (percentile.to_owned(), time)));
        }
        self.books = work.workers.into_iter().map(|clerk| clerk.book).collect();
        Ok(measured)
    }

    fn verify(&mut self) -> Result<(), Fault> {
        let deadline = self.task.deadline;
        let mut connection = self.task.instance.connect()?;
        let connection = connection.as_mut();
        let mut all = Book::default();
        for book in &self.books {
            all.inserted += book.inserted;
            all.changed += book.changed;
            all.accounts += book.accounts;
            all.cents += book.cents;
        }
        let rows = self.shape.rows;
        for id in 1..=rows {
            if id % 10_000 == 0 {
                deadline.check()?;
            }
            let (account, cents, _) = self.shape.figures(id);
            all.accounts += account;
            all.cents += cents;
        }
        let sums = "SELECT COUNT(*), SUM(changes), SUM(account), SUM(amount) FROM entries";
        let sums = answer::row(connection, sums, &[], deadline)?;
        equal("rows", whole(&sums[0])?, rows + all.inserted)?;
        equal("changes of rows", whole(&sums[1])?, all.changed)?;
        equal("sum of accounts", whole(&sums[2])?, all.accounts)?;
        equal("sum of amounts, in hundredths", cents(&sums[3])?, all.cents)?;

        // Every cell of some rows: the first and last of each connection, and a few from anywhere.
        let step = self.books.len() as i64;
        let mut keys = vec![1, rows];
        for (at, book) in self.books.iter().enumerate() {
            if book.inserted > 0 {
                let first = rows + 1 + at as i64;
                keys.extend([first, first + (book.inserted - 1) * step]);
            }
        }
        let mut random = Random::new(self.task.seed, "check", 0);
        keys.extend((0..100).map(|_| random.between(1, rows)));
        for key in keys {
            let entry = self.shape.entry(key);
            let sql = "SELECT account, amount, note FROM entries WHERE id = ?";
            let row = answer::row(connection, sql, &[key.into()], deadline)?;
            let same = whole(&row[0])? == entry.account
                && cents(&row[1])? == entry.cents
                && text(&row[2])? == entry.note;
            if !same {
                return Err(wrong(format_args!("row {key} isn't what was inserted")));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // A test ends at the first surprise.

    use super::super::examples::INSERT_UPDATE;
    use super::super::trial::{Bench, gives_all, limit, value};
    use super::*;

    #[test]
    fn what_was_committed_is_there() {
        for rows in ["1", "5"] {
            let parameters = [INSERT_UPDATE.parameters, &[("rows_per_transaction", rows)]].concat();
            let bench = Bench::new("insert-update", &parameters);
            bench.prepare().unwrap();
            assert_eq!(bench.leftovers(), 0);
            let task = bench.task();
            let mut load = bench.workload.load(&task);
            let measured = load.measure().unwrap();
            gives_all(bench.workload, &measured);
            let sum: f64 = KINDS.iter().map(|(rate, _)| value(&measured, rate)).sum();
            assert!((value(&measured, "throughput") / sum - 1.0).abs() < 1e-9);
            assert!(
                value(&measured, "inserts_per_second") > value(&measured, "updates_per_second")
            );
            bench.check_sees(&mut *load, INSERT_UPDATE.changes);
        }
    }

    #[test]
    fn a_wrong_answer_ends_the_trial() {
        let bench = Bench::new(
            "insert-update",
            &[
                INSERT_UPDATE.parameters,
                &[("selects", "0.8"), ("updates", "0")],
            ]
            .concat(),
        );
        bench.prepare().unwrap();
        let mut connection = bench.connect();
        connection
            .execute("DELETE FROM entries WHERE account = 3", &[])
            .unwrap();
        let task = bench.task();
        let fault = bench.workload.load(&task).measure().unwrap_err();
        assert!(fault.message.contains("rows of account 3"), "{fault}");
    }

    #[test]
    fn the_same_seed_gives_the_same_data() {
        let digests = |seed| {
            let mut bench = Bench::new("insert-update", INSERT_UPDATE.parameters);
            bench.seed = seed;
            bench.prepare().unwrap();
            bench.digests()
        };
        assert_eq!(digests(1), digests(1));
        assert_ne!(digests(1), digests(2));
    }

    #[test]
    fn conflicts_are_counted_and_tried_again() {
        let settings = [("busy_timeout", "0"), ("journal_mode", "DELETE")];
        let parameters = [INSERT_UPDATE.parameters, &[("rows_per_transaction", "20")]].concat();
        let bench = Bench::with("insert-update", &parameters, &settings, limit());
        bench.prepare().unwrap();
        let task = bench.task();
        let mut load = bench.workload.load(&task);
        let measured = load.measure().unwrap();
        assert!(value(&measured, "conflicts_per_second") > 0.0);
        assert_eq!(load.verify(), Ok(()));
    }

    #[test]
    fn shares_above_one_are_refused() {
        let parameters = [
            INSERT_UPDATE.parameters,
            &[("updates", "0.6"), ("selects", "0.5")],
        ]
        .concat();
        let bench = Bench::new("insert-update", &parameters);
        bench.prepare().unwrap();
        let task = bench.task();
        let fault = bench.workload.load(&task).measure().unwrap_err();
        assert!(fault.message.contains("more than 1"), "{fault}");
    }
}
