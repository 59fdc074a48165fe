//! The engine against real database files.

#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::{
    ColumnType, Connection, Engine, Index, Instance, Requested, SqlFaultKind, Start, Table, Value,
};
use super::Sqlite;
use crate::runner::fault::Fault;
use crate::runner::stop::{Deadline, Stop};

const TABLE: Table = Table {
    name: "things",
    columns: &[
        ("id", ColumnType::Whole),
        ("parent", ColumnType::WholeOrNull),
        ("price", ColumnType::Money),
        ("name", ColumnType::Text(10)),
    ],
    key: &["id"],
};

fn limit() -> Deadline {
    Stop::default().limit(Duration::from_secs(300))
}

fn try_start(
    folder: &Path,
    from: Option<&Path>,
    settings: &[(&str, &str)],
    deadline: &Deadline,
) -> Result<Box<dyn Instance>, Fault> {
    let settings: Vec<Requested> = (settings.iter())
        .map(|(name, value)| Requested {
            name: (*name).into(),
            value: (*value).into(),
        })
        .collect();
    Sqlite.start(&Start {
        folder,
        from,
        settings: &settings,
        server: None,
        deadline,
        commands: None,
    })
}

fn start(folder: &Path, settings: &[(&str, &str)]) -> Box<dyn Instance> {
    try_start(folder, None, settings, &limit()).unwrap()
}

fn scratch() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn create(connection: &mut dyn Connection, instance: &dyn Instance) {
    let dialect = instance.dialect().unwrap();
    let sql = dialect.create_table(&TABLE);
    assert_eq!(connection.execute(&sql, &[]), Ok(0));
}

fn count(connection: &mut dyn Connection) -> i64 {
    let rows = connection.query("SELECT count(*) FROM things", &[]);
    match rows.unwrap()[0][0] {
        Value::Whole(count) => count,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn statements_change_and_answer_rows() {
    let folder = scratch();
    let instance = start(folder.path(), &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let row = [1.into(), Value::Null, 2.5.into(), "it's".into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    let again = connection.execute(insert, &row).unwrap_err();
    assert_eq!(again.kind, SqlFaultKind::Other);
    let name = Index {
        name: "things_name",
        table: "things",
        columns: &["name"],
        unique: false,
    };
    let sql = instance.dialect().unwrap().create_index(&name);
    assert_eq!(connection.execute(&sql, &[]), Ok(0));
    let listed = connection.query(
        instance.dialect().unwrap().list_indexes(),
        &["things".into()],
    );
    assert_eq!(listed, Ok(vec![vec!["things_name".into()]]));
    connection.begin().unwrap();
    let raise = "UPDATE things SET price = price + ? WHERE id = ?";
    assert_eq!(connection.execute(raise, &[1.25.into(), 1.into()]), Ok(1));
    assert_eq!(connection.execute(raise, &[1.25.into(), 2.into()]), Ok(0));
    connection.rollback().unwrap();
    connection.rollback().unwrap();
    connection.begin().unwrap();
    connection.execute(raise, &[0.25.into(), 1.into()]).unwrap();
    connection.commit().unwrap();
    let rows = connection.query("SELECT * FROM things WHERE name = ?", &["it's".into()]);
    let expected = vec![1.into(), Value::Null, 2.75.into(), "it's".into()];
    assert_eq!(rows, Ok(vec![expected]));
    drop(connection);
    instance.stop().unwrap();
}

#[test]
fn files_are_loaded_as_a_whole_or_not_at_all() {
    let folder = scratch();
    let instance = start(folder.path(), &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let file = folder.path().join("things.csv");
    std::fs::write(&file, "1,,2.50,a b\n2,1,-0.05,\n").unwrap();
    let done = AtomicU64::new(5);
    assert_eq!(connection.load_counted(&TABLE, &file, &done), Ok(2));
    assert_eq!(done.load(Ordering::Relaxed), 7);
    let rows = connection.query("SELECT * FROM things ORDER BY id", &[]);
    let expected = vec![
        vec![1.into(), Value::Null, 2.5.into(), "a b".into()],
        vec![2.into(), 1.into(), (-0.05).into(), "".into()],
    ];
    assert_eq!(rows, Ok(expected));
    for faulty in ["3,,1,a\n4,,x,a\n", "3,,1,a\n4,,1\n", "3,,1,a\n4,,1,a,b\n"] {
        std::fs::write(&file, faulty).unwrap();
        let fault = connection.load(&TABLE, &file).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Other);
        assert!(fault.message.contains("things.csv:2: "), "{fault:?}");
        assert_eq!(count(&mut *connection), 2);
    }
    // Within a transaction, it is the transaction's.
    std::fs::write(&file, "3,,1,a\n").unwrap();
    connection.begin().unwrap();
    assert_eq!(connection.load(&TABLE, &file), Ok(1));
    assert_eq!(count(&mut *connection), 3);
    connection.rollback().unwrap();
    assert_eq!(count(&mut *connection), 2);
}

#[test]
fn every_setting_is_read_back_as_asked() {
    let settings = [
        ("page_size", "8192"),
        ("encoding", "UTF-16"),
        ("auto_vacuum", "INCREMENTAL"),
        ("journal_mode", "WAL"),
        ("application_id", "7"),
        ("user_version", "-8"),
        ("analysis_limit", "100"),
        ("automatic_index", "off"),
        ("busy_timeout", "2 s"),
        ("cache_size", "2 MiB"),
        ("cache_spill", "500"),
        ("cell_size_check", "on"),
        ("checkpoint_fullfsync", "on"),
        ("foreign_keys", "off"),
        ("fullfsync", "on"),
        ("ignore_check_constraints", "on"),
        ("journal_size_limit", "32 KiB"),
        ("legacy_alter_table", "on"),
        ("max_page_count", "100000"),
        ("mmap_size", "1e6"),
        ("read_uncommitted", "on"),
        ("recursive_triggers", "on"),
        ("reverse_unordered_selects", "on"),
        ("secure_delete", "fast"),
        ("synchronous", "NORMAL"),
        ("temp_store", "memory"),
        ("threads", "2"),
        ("trusted_schema", "off"),
        ("wal_autocheckpoint", "100"),
    ];
    let folder = scratch();
    let instance = start(folder.path(), &settings);
    let all = instance.all_settings().unwrap();
    for (name, requested) in settings {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(
            instance.is_same(name, requested, &effective),
            "{name}: {requested} {effective}"
        );
        assert_eq!(all[name], effective);
    }
    // What is left is locking, which has a test of its own.
    let left = super::setting::names().filter(|name| !settings.iter().any(|(it, _)| it == name));
    assert_eq!(left.collect::<Vec<_>>(), ["locking_mode"]);
    assert_eq!(all["locking_mode"], "normal");
    assert_eq!(all["compile_options.THREADSAFE"], "1");
}

#[test]
fn what_sqlite_does_not_do_is_seen() {
    let folder = scratch();
    let settings = [
        ("mmap_size", "4 GiB"),
        ("page_size", "5000"),
        ("threads", "99"),
    ];
    let instance = start(folder.path(), &settings);
    for (name, requested) in settings {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(
            !instance.is_same(name, requested, &effective),
            "{effective}"
        );
    }
    // Data that are there keep their pages.
    let first = scratch();
    start(
        first.path(),
        &[("page_size", "8192"), ("journal_mode", "wal")],
    )
    .stop()
    .unwrap();
    let second = scratch();
    let asked = [("page_size", "4096")];
    let instance = try_start(second.path(), Some(first.path()), &asked, &limit()).unwrap();
    let effective = instance.effective("page_size").unwrap().unwrap();
    assert_eq!(effective, "8192");
    assert!(!instance.is_same("page_size", "4096", &effective));
}

#[test]
fn settings_that_can_not_be_are_refused() {
    let folder = scratch();
    let refused = |name: &str, value: &str| {
        let started = try_start(folder.path(), None, &[(name, value)], &limit());
        let message = started.err().unwrap().message;
        let asked = Requested {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        assert_eq!(Sqlite.refuse(&asked, false), Some(message.clone()));
        message
    };
    let fine = Requested {
        name: "synchronous".into(),
        value: "OFF".into(),
    };
    assert_eq!(Sqlite.refuse(&fine, false), None);
    assert!(refused("synchronus", "OFF").contains("did you mean `synchronous`?"));
    assert!(refused("synchronous", "FAST").contains("one of OFF, NORMAL, FULL, EXTRA"));
    assert!(refused("wal_checkpoint", "FULL").contains("does something"));
    assert!(refused("soft_heap_limit", "1").contains("whole process"));
}

#[test]
fn a_copy_begins_with_the_same_rows() {
    let first = scratch();
    for mode in ["WAL", "DELETE", "PERSIST"] {
        let folder = first.path().join(mode);
        std::fs::create_dir(&folder).unwrap();
        let instance = start(&folder, &[("journal_mode", mode)]);
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        connection
            .execute("INSERT INTO things VALUES (1, 2, 3, 'a')", &[])
            .unwrap();
        drop(connection);
        instance.flush().unwrap();
        instance.stop().unwrap();
        let second = scratch();
        let asked = [("journal_mode", "TRUNCATE")];
        let copy = try_start(second.path(), Some(&folder), &asked, &limit()).unwrap();
        assert_eq!(count(&mut *copy.connect().unwrap()), 1);
        assert_eq!(copy.effective("journal_mode").unwrap().unwrap(), "truncate");
    }
    let nothing = scratch();
    let fault = try_start(first.path(), Some(nothing.path()), &[], &limit());
    assert!(fault.err().unwrap().message.contains("can't be copied"));
}

#[test]
fn an_instance_with_open_connections_does_not_stop() {
    let folder = scratch();
    let instance = start(folder.path(), &[("journal_mode", "WAL")]);
    let connection = instance.connect().unwrap();
    assert!(
        instance
            .stop()
            .unwrap_err()
            .message
            .contains("still open (1)")
    );
    drop(connection);
}

#[test]
fn exclusive_locking_lets_one_connection_in() {
    let folder = scratch();
    let settings = [
        ("journal_mode", "WAL"),
        ("locking_mode", "EXCLUSIVE"),
        ("busy_timeout", "10"),
    ];
    let instance = start(folder.path(), &settings);
    assert_eq!(
        instance.effective("locking_mode").unwrap().unwrap(),
        "exclusive"
    );
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    assert!(instance.connect().is_err());
    drop(connection);
    instance.flush().unwrap();
    instance.stop().unwrap();
}

#[test]
fn a_taken_lock_is_waited_for_and_told_as_a_conflict() {
    let folder = scratch();
    let settings = [("journal_mode", "WAL"), ("busy_timeout", "30")];
    let instance = start(folder.path(), &settings);
    let mut first = instance.connect().unwrap();
    create(&mut *first, &*instance);
    let mut second = instance.connect().unwrap();
    first.begin().unwrap();
    assert_eq!(second.begin().unwrap_err().kind, SqlFaultKind::Conflict);
    second.rollback().unwrap();
    first.commit().unwrap();
    second.begin().unwrap();
    second.rollback().unwrap();
    // A snapshot that is outdated can't be waited for.
    second.execute("BEGIN", &[]).unwrap();
    count(&mut *second);
    first
        .execute("INSERT INTO things VALUES (1, 2, 3, 'a')", &[])
        .unwrap();
    let fault = second.execute("DELETE FROM things", &[]).unwrap_err();
    assert_eq!(fault.kind, SqlFaultKind::Conflict);
}

#[test]
fn connections_of_many_threads_share_the_file() {
    let folder = scratch();
    let instance = start(
        folder.path(),
        &[("journal_mode", "WAL"), ("synchronous", "OFF")],
    );
    create(&mut *instance.connect().unwrap(), &*instance);
    std::thread::scope(|scope| {
        for thread in 0..4_i64 {
            let instance = &instance;
            scope.spawn(move || {
                let mut connection = instance.connect().unwrap();
                for row in 0..50 {
                    connection.begin().unwrap();
                    let id = (thread * 50 + row).into();
                    let insert = "INSERT INTO things VALUES (?, 0, 0, '')";
                    assert_eq!(connection.execute(insert, &[id]), Ok(1));
                    connection.commit().unwrap();
                }
            });
        }
    });
    assert_eq!(count(&mut *instance.connect().unwrap()), 200);
    instance.stop().unwrap();
}

const ENDLESS: &str =
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

#[test]
fn the_limit_ends_statements_loads_and_waits() {
    let folder = scratch();
    let stop = Stop::default();
    let deadline = stop.limit(Duration::from_secs(300));
    let patient = [("busy_timeout", "10 h")];
    let instance = try_start(folder.path(), None, &patient, &deadline).unwrap();
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let mut other = instance.connect().unwrap();
    let kind = std::thread::scope(|scope| {
        let statement = scope.spawn(|| connection.query(ENDLESS, &[]).unwrap_err().kind);
        std::thread::sleep(Duration::from_millis(20));
        stop.drop_trial();
        statement.join().unwrap()
    });
    assert_eq!(kind, SqlFaultKind::Interrupted);
    connection.begin().unwrap();
    assert_eq!(other.begin().unwrap_err().kind, SqlFaultKind::Interrupted);
    connection.rollback().unwrap();
    let file = folder.path().join("things.csv");
    std::fs::write(&file, "1,,1,a\n").unwrap();
    let fault = other.load(&TABLE, &file).unwrap_err();
    assert_eq!(fault.kind, SqlFaultKind::Interrupted);
    assert_eq!(count(&mut *connection), 0);
}

fn readings(watches: &mut [Box<dyn crate::runner::watch::Watch>]) -> BTreeMap<&'static str, f64> {
    let mut all = BTreeMap::new();
    for watch in watches {
        watch
            .read(&mut |series, value| {
                assert!(all.insert(series, value).is_none());
            })
            .unwrap();
    }
    all
}

/// The reading is compared with what SQLite's own checkpoint tells: frames in the log.
#[test]
fn the_age_of_the_log_is_read_without_a_checkpoint() {
    let folder = scratch();
    let settings = [
        ("journal_mode", "WAL"),
        ("page_size", "8192"),
        ("wal_autocheckpoint", "50"),
    ];
    let instance = start(folder.path(), &settings);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    instance.flush().unwrap();
    let mut watches = instance.watches().unwrap();
    let before = readings(&mut watches);
    assert_eq!(before["checkpoint_age"], 0.0);
    assert_eq!(before["log_size"], 0.0);
    assert_eq!(before["checkpoint_limit"], 50.0 * 8192.0);
    for id in 0..10 {
        let insert = "INSERT INTO things VALUES (?, 0, 0, '')";
        connection.execute(insert, &[id.into()]).unwrap();
    }
    let after = readings(&mut watches);
    assert_eq!(after["checkpoint_age"], 10.0 * 8192.0);
    assert_eq!(after["log_size"], 32.0 + 10.0 * (24.0 + 8192.0));
    assert_eq!(readings(&mut watches)["checkpoint_age"], 10.0 * 8192.0);
    let frames = connection.query("PRAGMA wal_checkpoint(PASSIVE)", &[]);
    assert_eq!(frames.unwrap()[0][1], Value::Whole(10));
    let placed = readings(&mut watches);
    assert_eq!(placed["checkpoint_age"], 0.0);
    assert_eq!(placed["log_size"], after["log_size"]);
    // The log's index must stay the one that is read when connections come and go.
    drop(connection);
    let mut connection = instance.connect().unwrap();
    connection
        .execute("INSERT INTO things VALUES (99, 0, 0, '')", &[])
        .unwrap();
    assert_eq!(readings(&mut watches)["checkpoint_age"], 8192.0);
}

#[test]
fn what_is_not_there_is_not_read() {
    let folder = scratch();
    let instance = start(folder.path(), &[("journal_mode", "DELETE")]);
    let seen = readings(&mut instance.watches().unwrap());
    assert!(!seen.contains_key("checkpoint_age"), "{seen:?}");
    assert!(!seen.contains_key("log_size") && !seen.contains_key("checkpoint_limit"));
    let folder = scratch();
    let settings = [("journal_mode", "WAL"), ("wal_autocheckpoint", "0")];
    let instance = start(folder.path(), &settings);
    let seen = readings(&mut instance.watches().unwrap());
    assert!(seen.contains_key("checkpoint_age") && !seen.contains_key("checkpoint_limit"));
}

#[test]
fn waits_for_locks_are_counted_and_timed() {
    let folder = scratch();
    let settings = [("journal_mode", "WAL"), ("busy_timeout", "20")];
    let instance = start(folder.path(), &settings);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    let mut watches = instance.watches().unwrap();
    let calm = readings(&mut watches);
    assert_eq!((calm["busy_waits"], calm["busy_share"]), (0.0, 0.0));
    first.begin().unwrap();
    second.begin().unwrap_err();
    let busy = readings(&mut watches);
    assert!(busy["busy_waits"] > 0.0, "{busy:?}");
    // One of two connections waited nearly all the time.
    assert!(
        busy["busy_share"] > 0.0 && busy["busy_share"] <= 0.5,
        "{busy:?}"
    );
    let calm = readings(&mut watches);
    assert_eq!((calm["busy_waits"], calm["busy_share"]), (0.0, 0.0));
}

/// The index is made to belong to another table's rows, which SQLite itself finds only by checking.
#[test]
fn damage_is_found() {
    let folder = scratch();
    let instance = start(folder.path(), &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    for sql in [
        "INSERT INTO things VALUES (1, 2, 3, 'a')",
        "CREATE TABLE others (name TEXT)",
        "CREATE INDEX things_name ON things (name)",
        "CREATE INDEX others_name ON others (name)",
    ] {
        connection.execute(sql, &[]).unwrap();
    }
    assert_eq!(instance.check_soundness(), Ok(()));
    connection
        .query("PRAGMA writable_schema = ON", &[])
        .unwrap();
    let roots = "SELECT name, rootpage FROM sqlite_schema WHERE type = 'index' ORDER BY name";
    let roots = connection.query(roots, &[]).unwrap();
    for (index, root) in [(&roots[0], &roots[1]), (&roots[1], &roots[0])] {
        let swap = "UPDATE sqlite_schema SET rootpage = ? WHERE name = ?";
        let values = [root[1].clone(), index[0].clone()];
        assert_eq!(connection.execute(swap, &values), Ok(1));
    }
    connection
        .query("PRAGMA writable_schema = RESET", &[])
        .unwrap();
    drop(connection);
    instance.stop().unwrap();
    let instance = start(folder.path(), &[]);
    let fault = instance.check_soundness().unwrap_err();
    assert!(fault.message.contains("things_name"), "{fault}");
}

/// A log that begins anew all the time, read all the time: no reading mixes an old log with a new one.
#[test]
fn the_age_is_never_torn() {
    let folder = scratch();
    let settings = [
        ("journal_mode", "WAL"),
        ("wal_autocheckpoint", "20"),
        ("synchronous", "OFF"),
    ];
    let instance = start(folder.path(), &settings);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let mut watches = instance.watches().unwrap();
    let ended = AtomicU64::new(0);
    let ages = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut ages = Vec::new();
            while ended.load(Ordering::Relaxed) == 0 {
                ages.extend(readings(&mut watches).get("checkpoint_age"));
            }
            ages
        });
        for id in 0..3000 {
            let insert = "INSERT INTO things VALUES (?, 0, 0, '')";
            connection.execute(insert, &[id.into()]).unwrap();
        }
        ended.store(1, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert!(ages.iter().any(|age| *age > 0.0));
    // The transaction that reaches the limit goes beyond it by a few pages.
    let highest = ages.iter().copied().fold(0.0, f64::max);
    assert!(highest <= 30.0 * 4096.0, "{highest}");
}
