//! The engine against real servers.

#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

mod address;
mod failure;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::home::{Home, Small, TABLE, count, create, insert, limit};
use super::super::there::usable;
use super::super::{Engine, Index, Instance, Server, SqlFaultKind, Value, files};
use crate::runner::stop::Stop;

/// Settings of a server that is small and soon started.
const SMALL: [(&str, &str); 1] = [("innodb_buffer_pool_size", "16M")];

/// How these tests begin.
trait Begins {
    /// A server that begins with a copy of an empty one, which is much sooner made.
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance>;
}

impl Begins for Home {
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance> {
        self.begin(engine, Some(empty(engine)), &[&SMALL, settings].concat())
    }
}

/// What an empty server has left, made once for all tests of a process.
fn empty(engine: &dyn Engine) -> &'static Path {
    static EMPTY: OnceLock<Home> = OnceLock::new();
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let home = EMPTY.get_or_init(|| {
        let home = Home::new();
        let instance = home.try_start(engine, None, &SMALL, &limit(), None);
        let instance = instance.unwrap_or_else(|fault| panic!("{fault}: {}", fault.log));
        instance.stop().unwrap();
        home
    });
    FOLDER.get_or_init(|| home.folder())
}

#[test]
fn statements_change_and_answer_rows() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let version = instance.version();
    assert!(
        version.starts_with("MariaDB ") || version.starts_with("MySQL "),
        "{version}"
    );
    assert!(instance.keeps_data());
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let name = "ß'\"€?\\日";
    let row = [1.into(), Value::Null, 2.5.into(), name.into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    let again = connection.execute(insert, &row).unwrap_err();
    assert_eq!(again.kind, SqlFaultKind::Other);
    let index = Index {
        name: "things_name",
        table: "things",
        columns: &["name", "parent"],
        unique: true,
    };
    let dialect = instance.dialect().unwrap();
    let sql = dialect.create_index(&index);
    connection.execute(&sql, &[]).unwrap();
    let mut listed = connection
        .query(dialect.list_indexes(), &["things".into()])
        .unwrap();
    listed.sort_by_key(|row| format!("{row:?}"));
    assert_eq!(listed, [vec!["PRIMARY".into()], vec!["things_name".into()]]);
    connection.begin().unwrap();
    let raise = "UPDATE things SET price = price + ? WHERE id = ? AND name <> '?'";
    assert_eq!(connection.execute(raise, &[1.25.into(), 1.into()]), Ok(1));
    assert_eq!(connection.execute(raise, &[1.25.into(), 2.into()]), Ok(0));
    connection.rollback().unwrap();
    connection.rollback().unwrap();
    connection.begin().unwrap();
    connection.execute(raise, &[0.25.into(), 1.into()]).unwrap();
    // A row that is as it should be counts as changed, as on other engines.
    assert_eq!(connection.execute(raise, &[0.into(), 1.into()]), Ok(1));
    connection.commit().unwrap();
    let rows = connection.query("SELECT * FROM things WHERE name = ?", &[name.into()]);
    let expected = vec![1.into(), Value::Null, "2.75".into(), name.into()];
    assert_eq!(rows, Ok(vec![expected]));
    let great = [3.into(), 6.into(), "9007199254740993.01".into(), "".into()];
    assert_eq!(connection.execute(insert, &great), Ok(1));
    let sums = "SELECT sum(price), count(parent), max(name) = ?, NULL, id + 0 FROM things WHERE id = 3 GROUP BY id";
    let sums = connection.query(sums, &["".into()]);
    let expected = vec![
        "9007199254740993.01".into(),
        1.into(),
        1.into(),
        Value::Null,
        3.into(),
    ];
    assert_eq!(sums, Ok(vec![expected]));
    // Without values the answers have the same types.
    let plain = connection.query("SELECT id, parent, price FROM things WHERE id = 3", &[]);
    let expected = vec![3.into(), 6.into(), "9007199254740993.01".into()];
    assert_eq!(plain, Ok(vec![expected]));
    assert!(connection.query("SELEKT", &[]).is_err());
    assert_eq!(connection.query("SELECT 1", &[]), Ok(vec![vec![1.into()]]));
    drop(connection);
    assert_eq!(instance.check_soundness(), Ok(()));
    instance.stop().unwrap();
}

#[test]
fn conflicts_are_told_apart_and_one_state_is_read() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("innodb_lock_wait_timeout", "1")]);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    create(&mut *first, &*instance);
    insert(&mut *first, 1);
    insert(&mut *first, 2);
    let raise = "UPDATE things SET price = price + 1 WHERE id = ?";
    // Somebody holds the row for too long.
    first.begin().unwrap();
    assert_eq!(first.execute(raise, &[1.into()]), Ok(1));
    let waited = second.execute(raise, &[1.into()]).unwrap_err();
    assert_eq!(waited.kind, SqlFaultKind::Conflict, "{waited:?}");
    // Each waits for the other.
    second.begin().unwrap();
    assert_eq!(second.execute(raise, &[2.into()]), Ok(1));
    let ends = std::thread::scope(|scope| {
        let both = [(&mut first, 2_i64), (&mut second, 1)].map(|(connection, id)| {
            scope.spawn(move || {
                let done = connection.execute(raise, &[id.into()]);
                match done {
                    Ok(_) => connection.commit().unwrap(),
                    Err(_) => connection.rollback().unwrap(),
                }
                done
            })
        });
        both.map(|one| one.join().unwrap())
    });
    let conflicts = ends.iter().filter_map(|end| end.as_ref().err());
    let kinds: Vec<SqlFaultKind> = conflicts.map(|fault| fault.kind).collect();
    assert_eq!(kinds, [SqlFaultKind::Conflict], "{ends:?}");
    // One state is read, whatever others do, and nothing can be written.
    first.begin_reading().unwrap();
    assert_eq!(count(&mut *first), 2);
    insert(&mut *second, 3);
    assert_eq!(count(&mut *first), 2);
    assert!(first.execute(raise, &[1.into()]).is_err());
    first.rollback().unwrap();
    assert_eq!(count(&mut *first), 3);
    // Waits were counted and timed.
    drop((first, second));
    instance.stop().unwrap();
}

#[test]
fn files_are_loaded_as_a_whole_or_not_at_all() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let file = home.file("1,,2.50,a b\n2,1,-0.05,\n");
    let done = AtomicU64::new(5);
    assert_eq!(connection.load_counted(&TABLE, &file, &done), Ok(2));
    assert_eq!(done.load(Ordering::Relaxed), 7);
    let rows = connection.query("SELECT * FROM things ORDER BY id", &[]);
    let expected = vec![
        vec![1.into(), Value::Null, "2.50".into(), "a b".into()],
        vec![2.into(), 1.into(), "-0.05".into(), "".into()],
    ];
    assert_eq!(rows, Ok(expected));
    for faulty in [
        "3,,1,a\n4,,x,a\n",
        "3,,1,a\n4,,1\n",
        "3,,1,a\n4,,1,a,b\n",
        "3,,1,a\n1,,1,a\n",
    ] {
        let file = home.file(faulty);
        let fault = connection.load(&TABLE, &file).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Other);
        assert!(fault.message.contains("things.csv"), "{fault:?}");
        assert_eq!(count(&mut *connection), 2, "{faulty:?}");
    }
    assert!(
        connection
            .load(&TABLE, &home.folder().join("nothing"))
            .is_err()
    );
    // The connection goes on after that, and within a transaction a load is the transaction's.
    let mut connection = instance.connect().unwrap();
    let file = home.file("3,,1,a\n");
    connection.begin().unwrap();
    assert_eq!(connection.load(&TABLE, &file), Ok(1));
    assert_eq!(count(&mut *connection), 3);
    connection.rollback().unwrap();
    assert_eq!(count(&mut *connection), 2);
    drop(connection);
    instance.stop().unwrap();
}

#[test]
fn statements_do_not_outlive_their_trial() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let (home, stop) = (Home::new(), Stop::default());
    let deadline = stop.limit(Duration::from_secs(300));
    let instance = home
        .try_start(engine, Some(empty(engine)), &SMALL, &deadline, None)
        .unwrap();
    let mut connection = instance.connect().unwrap();
    let fault = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| connection.query("SELECT SLEEP(1000)", &[]));
        std::thread::sleep(Duration::from_millis(200));
        stop.drop_trial();
        waiting.join().unwrap()
    });
    // A sleep that is ended answers as if it had ended well; what follows is told.
    let fault = match fault {
        Err(fault) => fault,
        Ok(_) => connection.query("SELECT SLEEP(1000)", &[]).unwrap_err(),
    };
    assert_eq!(fault.kind, SqlFaultKind::Interrupted, "{fault:?}");
    drop(connection);
    drop(instance);
}

#[test]
fn settings_are_read_back_as_asked_or_seen_not_to_be() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let settings = [
        ("innodb_log_file_size", "8 MiB"),
        ("innodb-flush-log-at-trx-commit", "2"),
        ("innodb_flush_method", "fsync"),
        ("innodb_io_capacity", "500"),
        ("innodb_doublewrite", "off"),
        ("max_connections", "20"),
        ("unique_checks", "off"),
        ("sort_buffer_size", "1 MiB"),
    ];
    let instance = home.start(engine, &settings);
    for (name, requested) in settings {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(
            instance.is_same(name, requested, &effective),
            "{name}: {effective}"
        );
    }
    let all = instance.all_settings().unwrap();
    assert_eq!(all["innodb_log_file_size"], "8388608");
    for untold in [
        "datadir", "socket", "hostname", "tmpdir", "pid_file", "port",
    ] {
        assert!(!all.contains_key(untold), "{untold}");
    }
    let folder = home.folder();
    let told = all
        .iter()
        .find(|(_, value)| value.contains(&*folder.to_string_lossy()));
    assert_eq!(told, None);
    assert_eq!(instance.effective("no_such_variable"), Ok(None));
    instance.stop().unwrap();
    // One that the server rounds, and one that it doesn't know.
    let home = Home::new();
    let instance = home.start(engine, &[("innodb_io_capacity", "1")]);
    let effective = instance.effective("innodb_io_capacity").unwrap().unwrap();
    assert!(
        !instance.is_same("innodb_io_capacity", "1", &effective),
        "{effective}"
    );
    instance.stop().unwrap();
    let home = Home::new();
    let asked = [("no_such_variable", "1")];
    let fault = home.try_start(engine, Some(empty(engine)), &asked, &limit(), None);
    let fault = fault.err().unwrap();
    assert!(
        format!("{fault} {}", fault.log).contains("no_such_variable"),
        "{fault:?}"
    );
}

#[test]
fn the_log_is_resized_at_start_and_while_running() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let first = Home::new();
    let instance = first.start(engine, &[("innodb_log_file_size", "12M")]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    insert(&mut *connection, 1);
    drop(connection);
    instance.flush().unwrap();
    instance.stop().unwrap();
    let size = |home: &Home| {
        fs::metadata(home.folder().join("data/ib_logfile0"))
            .unwrap()
            .len()
    };
    assert_eq!(size(&first), 12 << 20);
    let from = first.folder();
    for settings in [
        [("innodb_log_file_size", "24M"), ("log_resize", "start")],
        [("innodb_log_file_size", "20M"), ("log_resize", "online")],
    ] {
        let home = Home::new();
        let settings = [&SMALL[..], &settings[..]].concat();
        let started = home.try_start(engine, Some(&from), &settings, &limit(), None);
        let instance = match started {
            Err(fault) if fault.message.contains("can't change the size") => {
                eprintln!("not tested: {fault}");
                continue;
            }
            started => started.unwrap_or_else(|fault| panic!("{fault}: {}", fault.log)),
        };
        for (name, requested) in &settings {
            let effective = instance.effective(name).unwrap().unwrap();
            assert!(
                instance.is_same(name, requested, &effective),
                "{name}: {effective}"
            );
        }
        assert_eq!(count(&mut *instance.connect().unwrap()), 1);
        instance.stop().unwrap();
    }
}

#[test]
fn the_age_of_the_log_grows_with_writes_and_falls_with_a_flush() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let settings = [
        ("innodb_log_file_size", "4M"),
        ("innodb_io_capacity", "100"),
    ];
    let instance = home.start(engine, &settings);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    instance.flush().unwrap();
    let mut watches = instance.watches().unwrap();
    assert!(watches.iter().any(|watch| watch.tells("checkpoint_age")));
    let mut read = |wanted: &str| {
        let mut found = None;
        for watch in &mut watches {
            watch
                .read(&mut |series, value| {
                    if series == wanted {
                        found = Some(value);
                    }
                })
                .unwrap();
        }
        found.unwrap()
    };
    instance.mark().unwrap();
    let (rest, limit) = (read("checkpoint_age"), read("checkpoint_limit"));
    assert!(limit > 2e6 && limit < 4.2e6, "{limit}");
    let rows: String = (1..=40_000)
        .map(|id| format!("{id},,1,abcdefghij\n"))
        .collect();
    let file = home.file(&rows);
    assert_eq!(connection.load(&TABLE, &file), Ok(40_000));
    let grown = read("checkpoint_age");
    assert!(grown > rest + 100_000.0, "{rest} {grown}");
    assert!(read("dirty") > 0.0);
    let observed = instance.observed().unwrap();
    let value = |name: &str| {
        observed
            .values
            .iter()
            .find(|(it, _)| *it == name)
            .unwrap()
            .1
    };
    assert!(value("log_written") > 1e6);
    assert!((0.0..=1.0).contains(&value("age_at_limit")));
    let known = engine.results();
    assert!(
        observed
            .values
            .iter()
            .all(|(name, _)| known.iter().any(|it| it.name == *name))
    );
    instance.flush().unwrap();
    let flushed = read("checkpoint_age");
    assert!(flushed < grown / 2.0, "{grown} {flushed}");
    assert_eq!(read("dirty"), 0.0);
    drop((connection, watches));
    instance.stop().unwrap();
}
