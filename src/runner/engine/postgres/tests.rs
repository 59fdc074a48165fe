//! The engine against real servers.

#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

mod address;
mod failure;
mod setting;
mod watch;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::home::{Home, Small, TABLE, count, create, insert, limit, requested};
use super::super::there::usable;
use super::super::{Connection, Engine, Index, Instance, Server, SqlFaultKind, Value, files};
use crate::runner::fault::Fault;
use crate::runner::stop::{Deadline, Stop};

/// Settings of a server that is small and soon started.
const SMALL: [(&str, &str); 3] = [
    ("shared_buffers", "16MB"),
    ("autovacuum", "off"),
    ("fsync", "off"),
];

/// How these tests begin.
trait Begins {
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance>;

    fn start_copy(
        &self,
        engine: &dyn Engine,
        from: &Home,
        settings: &[(&str, &str)],
    ) -> Box<dyn Instance>;
}

impl Begins for Home {
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance> {
        self.begin(engine, None, &[&SMALL, settings].concat())
    }

    fn start_copy(
        &self,
        engine: &dyn Engine,
        from: &Home,
        settings: &[(&str, &str)],
    ) -> Box<dyn Instance> {
        self.begin(engine, Some(&from.folder()), &[&SMALL, settings].concat())
    }
}

/// Waits until something is so.
fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// How many connections wait for another's lock.
fn locked_out(connection: &mut dyn Connection) -> i64 {
    let sql = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    match connection.query(sql, &[]).unwrap()[0][0] {
        Value::Whole(count) => count,
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn statements_change_and_answer_rows() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    assert!(instance.version().starts_with("PostgreSQL 1"));
    assert!(instance.keeps_data());
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let name = "ß'\"€?\\日";
    let row = [1.into(), Value::Null, 2.5.into(), name.into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    let again = connection.execute(insert, &row).unwrap_err();
    assert_eq!(again.kind, SqlFaultKind::Other);
    assert!(again.message.contains("things_pkey"), "{again:?}");
    let index = Index {
        name: "things_name",
        table: "things",
        columns: &["name", "parent"],
        unique: true,
    };
    let dialect = instance.dialect().unwrap();
    assert_eq!(
        connection.execute(&dialect.create_index(&index), &[]),
        Ok(0)
    );
    let mut listed = connection
        .query(dialect.list_indexes(), &["things".into()])
        .unwrap();
    listed.sort_by_key(|row| format!("{row:?}"));
    assert_eq!(
        listed,
        [vec!["things_name".into()], vec!["things_pkey".into()]]
    );
    connection.begin().unwrap();
    let raise = "UPDATE things SET price = price + ? WHERE id = ? AND name <> '?'";
    assert_eq!(connection.execute(raise, &[1.25.into(), 1.into()]), Ok(1));
    assert_eq!(connection.execute(raise, &[1.25.into(), 2.into()]), Ok(0));
    connection.rollback().unwrap();
    connection.rollback().unwrap();
    connection.begin().unwrap();
    connection.execute(raise, &[0.25.into(), 1.into()]).unwrap();
    connection.commit().unwrap();
    let rows = connection.query("SELECT * FROM things WHERE name = ?", &[name.into()]);
    let expected = vec![1.into(), Value::Null, "2.75".into(), name.into()];
    assert_eq!(rows, Ok(vec![expected]));
    // A text has as many letters as it says, however many bytes they take.
    let long = [
        2.into(),
        5.into(),
        (-1).into(),
        "日日日日日日日日日日".into(),
    ];
    assert_eq!(connection.execute(insert, &long), Ok(1));
    let longer = [3.into(), 5.into(), 1.into(), "12345678901".into()];
    assert!(connection.execute(insert, &longer).is_err());
    let sorted = "SELECT name FROM things WHERE id = 1 OR name > ? ORDER BY name DESC";
    let sorted = connection.query(&format!("{sorted}{}", dialect.limit(1)), &["Z".into()]);
    assert_eq!(sorted, Ok(vec![vec!["日日日日日日日日日日".into()]]));
    // Sums are exact, beyond what a number of 64 bits holds.
    let great = "9007199254740993.01";
    let great = [3.into(), 6.into(), great.into(), "".into()];
    assert_eq!(connection.execute(insert, &great), Ok(1));
    let sums = "SELECT sum(price), sum(id), count(parent), avg(id)::float8, 0.5::float4, true, \
                1::smallint, max(name) = ?, NULL FROM things WHERE id > 1";
    let sums = connection.query(sums, &["日日日日日日日日日日".into()]);
    let expected = vec![
        "9007199254740992.01".into(),
        "5".into(),
        2.into(),
        2.5.into(),
        0.5.into(),
        1.into(),
        1.into(),
        1.into(),
        Value::Null,
    ];
    assert_eq!(sums, Ok(vec![expected]));
    // What can't be given or taken is no reason to panic.
    assert!(connection.query("SELECT now()", &[]).is_err());
    assert!(connection.query("SELECT ?", &[]).is_err());
    assert!(connection.query("SELECT 1", &[1.into()]).is_err());
    assert!(connection.query("SELEKT", &[]).is_err());
    assert_eq!(connection.query("SELECT 1", &[]), Ok(vec![vec![1.into()]]));
    // A transaction in which something failed isn't kept, and says so.
    connection.begin().unwrap();
    let delete = "DELETE FROM things WHERE id = ?";
    assert_eq!(connection.execute(delete, &[1.into()]), Ok(1));
    assert!(connection.execute(insert, &great).is_err());
    let told = connection.commit().unwrap_err();
    assert!(told.message.contains("failed"), "{told:?}");
    assert_eq!(count(&mut *connection), 3);
    connection.begin().unwrap();
    assert_eq!(connection.execute(delete, &[1.into()]), Ok(1));
    assert_eq!(connection.commit(), Ok(()));
    assert_eq!(count(&mut *connection), 2);
    // More statements than are kept prepared.
    for number in 0..450_i64 {
        let rows = connection.query(&format!("SELECT {number} + ?"), &[1.into()]);
        assert_eq!(rows, Ok(vec![vec![(number + 1).into()]]));
    }
    drop(connection);
    assert_eq!(instance.check_soundness(), Ok(()));
    instance.stop().unwrap();
}

#[test]
fn conflicts_are_told_apart_and_one_state_is_read() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("deadlock_timeout", "10ms")]);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    create(&mut *first, &*instance);
    insert(&mut *first, 1);
    insert(&mut *first, 2);
    let raise = "UPDATE things SET price = price + 1 WHERE id = ?";
    // Each waits for the other.
    first.begin().unwrap();
    second.begin().unwrap();
    assert_eq!(first.execute(raise, &[1.into()]), Ok(1));
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
    // An outdated snapshot.
    first
        .execute("BEGIN ISOLATION LEVEL REPEATABLE READ", &[])
        .unwrap();
    count(&mut *first);
    assert_eq!(second.execute(raise, &[1.into()]), Ok(1));
    let outdated = first.execute(raise, &[1.into()]).unwrap_err();
    assert_eq!(outdated.kind, SqlFaultKind::Conflict, "{outdated:?}");
    first.execute("ROLLBACK", &[]).unwrap();
    // One who doesn't want to wait.
    first.begin().unwrap();
    first.execute(raise, &[1.into()]).unwrap();
    let impatient = "SELECT id FROM things WHERE id = 1 FOR UPDATE NOWAIT";
    let kept_out = second.query(impatient, &[]).unwrap_err();
    assert_eq!(kept_out.kind, SqlFaultKind::Conflict, "{kept_out:?}");
    first.rollback().unwrap();
    // One state for as long as it is read.
    first.begin_reading().unwrap();
    assert_eq!(count(&mut *first), 2);
    insert(&mut *second, 3);
    assert_eq!(count(&mut *first), 2);
    assert!(first.execute(raise, &[1.into()]).is_err());
    first.rollback().unwrap();
    first.begin().unwrap();
    assert_eq!(count(&mut *first), 3);
    insert(&mut *second, 4);
    // One who writes sees what others keep.
    assert_eq!(count(&mut *first), 4);
    first.commit().unwrap();
    // Dropped with open connections and a transaction, nothing is left either.
    first.begin().unwrap();
    insert(&mut *first, 5);
    drop(instance);
    assert_eq!(home.processes(), Vec::new());
}

#[test]
fn files_are_loaded_as_a_whole_or_not_at_all() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let file = home.file("1,,2.50,a \"b'\n2,1,-0.05,\n3,,0,\\N€");
    let done = AtomicU64::new(5);
    assert_eq!(connection.load_counted(&TABLE, &file, &done), Ok(3));
    assert_eq!(done.load(Ordering::Relaxed), 8);
    let rows = connection.query("SELECT * FROM things ORDER BY id", &[]);
    let expected = vec![
        vec![1.into(), Value::Null, "2.50".into(), "a \"b'".into()],
        vec![2.into(), 1.into(), "-0.05".into(), "".into()],
        vec![3.into(), Value::Null, "0.00".into(), "\\N€".into()],
    ];
    assert_eq!(rows, Ok(expected));
    for faulty in [
        "4,,1,a\n5,,x,a\n",
        "4,,1,a\n5,,1\n",
        "4,,1,a\n5,,1,a,b\n",
        "4,,1,a\n,,1,a\n",
        "4,,1,a\n4,,1,a\n",
        "4,,1,a\n5,,1,12345678901\n",
    ] {
        let fault = connection.load(&TABLE, &home.file(faulty)).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Other);
        assert!(fault.message.contains("line 2"), "{fault:?}");
        assert_eq!(count(&mut *connection), 3);
    }
    // The server has something against it long before its end.
    let rows = (4..200_000).map(|id| format!("{id},,1,a\n"));
    let long = rows.collect::<String>();
    let file = home.file(&format!("4,,x,a\n{long}"));
    let fault = connection.load(&TABLE, &file).unwrap_err();
    assert!(fault.message.contains("line 1"), "{fault:?}");
    assert_eq!(count(&mut *connection), 3);
    let missing = connection.load(&TABLE, Path::new("/nowhere")).unwrap_err();
    assert!(missing.message.contains("/nowhere"), "{missing:?}");
    // Within a transaction, it is the transaction's.
    connection.begin().unwrap();
    let done = AtomicU64::new(0);
    let file = home.file(&long);
    let loaded = connection.load_counted(&TABLE, &file, &done);
    assert_eq!(loaded, Ok(199_996));
    assert_eq!(done.load(Ordering::Relaxed), 199_996);
    assert_eq!(count(&mut *connection), 199_999);
    connection.rollback().unwrap();
    assert_eq!(count(&mut *connection), 3);
    drop(connection);
    instance.stop().unwrap();
}

#[test]
fn a_dropped_trial_ends_statements_waits_and_loads() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let stop = Stop::default();
    let deadline = stop.limit(Duration::from_secs(300));
    let instance = home.try_start(engine, None, &SMALL, &deadline, None);
    let instance = instance.unwrap();
    let connect = || instance.connect().unwrap();
    let (mut first, mut second, mut third) = (connect(), connect(), connect());
    create(&mut *first, &*instance);
    insert(&mut *first, 1);
    let mut holder = connect();
    holder.begin().unwrap();
    holder.execute("DELETE FROM things", &[]).unwrap();
    let file = home.file("1,,1,a\n");
    let kinds = std::thread::scope(|scope| {
        let ends = [
            scope.spawn(|| first.query("SELECT pg_sleep(1000)", &[]).unwrap_err()),
            scope.spawn(|| {
                second.begin().unwrap();
                let sql = "DELETE FROM things";
                second.execute(sql, &[]).unwrap_err()
            }),
            scope.spawn(|| third.load(&TABLE, &file).unwrap_err()),
        ];
        until(|| locked_out(&mut *holder) == 2);
        stop.drop_trial();
        ends.map(|end| end.join().unwrap().kind)
    });
    assert_eq!(kinds, [SqlFaultKind::Interrupted; 3]);
    // What comes after has no time either.
    let endless = "SELECT count(*) FROM generate_series(1, 1000000000000)";
    let kind = first.query(endless, &[]).unwrap_err().kind;
    assert_eq!(kind, SqlFaultKind::Interrupted);
    instance.stop().unwrap();
    let fault = home.try_start(engine, None, &SMALL, &deadline, None);
    assert!(fault.is_err_and(|fault| fault.stopped));
}

#[test]
fn a_copy_begins_with_the_same_rows() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let (home, copy) = (Home::new(), Home::new());
    let instance = home.start(engine, &[("fillfactor", "50")]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    insert(&mut *connection, 1);
    drop(connection);
    instance.stop().unwrap();
    let settings = [("shared_buffers", "24MB"), ("max_wal_size", "64MB")];
    let instance = copy.start_copy(engine, &home, &settings);
    assert_eq!(count(&mut *instance.connect().unwrap()), 1);
    let effective = |name| instance.effective(name).unwrap().unwrap();
    assert_eq!(effective("shared_buffers"), "24MB");
    // The table keeps its own.
    assert_eq!(effective("fillfactor"), "50");
    let (all, name) = (instance.all_settings().unwrap(), "fillfactor".to_owned());
    assert_eq!(all.get(&name).map(String::as_str), Some("50"));
    assert!(!instance.log_tail().contains("not properly shut down"));
    instance.stop().unwrap();
    let (nothing, other) = (Home::new(), Home::new());
    let fault = other.try_start(engine, Some(&nothing.folder()), &[], &limit(), None);
    assert!(fault.err().unwrap().message.contains("can't be copied"));
}
