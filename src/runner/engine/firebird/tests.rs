//! The engine against real servers.

#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

mod address;
mod backup;
mod failure;
mod setting;
mod watch;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::home::{Home, Small, TABLE, answer, count, create, insert, limit};
use super::super::there::usable;
use super::super::{Engine, Index, Instance, Requested, Server, SqlFaultKind, Start, Table, Value};
use crate::runner::fault::Fault;
use crate::runner::stop::Stop;

/// A query that takes longer than anybody would wait.
const ENDLESS: &str = "SELECT COUNT(*) FROM RDB$TYPES, RDB$TYPES, RDB$TYPES, RDB$TYPES, RDB$TYPES";

/// How these tests begin.
trait Begins {
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance>;
}

impl Begins for Home {
    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance> {
        self.begin(engine, None, settings)
    }
}

#[test]
fn statements_change_and_answer_rows() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let version = instance.version();
    assert!(version.starts_with("Firebird "), "{version}");
    assert!(instance.keeps_data());
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let name = "ß'\"€?\\日 ";
    let row = [1.into(), Value::Null, 2.5.into(), name.into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    let again = connection.execute(insert, &row).unwrap_err();
    assert_eq!(again.kind, SqlFaultKind::Other);
    assert!(again.message.contains("THINGS"), "{again:?}");
    let index = Index {
        name: "things_name",
        table: "things",
        columns: &["name", "parent"],
        unique: true,
    };
    let dialect = instance.dialect().unwrap();
    connection
        .execute(&dialect.create_index(&index), &[])
        .unwrap();
    let mut listed = connection
        .query(dialect.list_indexes(), &["things".into()])
        .unwrap();
    listed.sort_by_key(|row| format!("{row:?}"));
    assert_eq!(
        listed,
        [vec!["RDB$PRIMARY1".into()], vec!["THINGS_NAME".into()]]
    );
    // An index that is there but isn't kept up doesn't count.
    connection
        .execute("ALTER INDEX things_name INACTIVE", &[])
        .unwrap();
    let listed = connection.query(dialect.list_indexes(), &["things".into()]);
    assert_eq!(listed.unwrap().len(), 1);
    connection.begin().unwrap();
    let raise = "UPDATE things SET price = price + ? WHERE id = ? AND name <> '?'";
    assert_eq!(connection.execute(raise, &[1.25.into(), 1.into()]), Ok(1));
    assert_eq!(connection.execute(raise, &[1.25.into(), 2.into()]), Ok(0));
    connection.rollback().unwrap();
    connection.rollback().unwrap();
    connection.begin().unwrap();
    connection.execute(raise, &[0.25.into(), 1.into()]).unwrap();
    assert_eq!(connection.execute(raise, &[0.into(), 1.into()]), Ok(1));
    connection.commit().unwrap();
    let rows = connection.query("SELECT * FROM things WHERE name = ?", &[name.into()]);
    let expected = vec![1.into(), Value::Null, 2.75.into(), name.into()];
    assert_eq!(rows, Ok(vec![expected]));
    let great = [3.into(), 6.into(), "9007199254740993.01".into(), "".into()];
    assert_eq!(connection.execute(insert, &great), Ok(1));
    let small = [4.into(), Value::Null, (-0.05).into(), "a".into()];
    assert_eq!(connection.execute(insert, &small), Ok(1));
    let sums = connection.query(
        "SELECT CAST(SUM(price) AS VARCHAR(30)), COUNT(parent), MAX(name), NULL, MAX(id) + 0 \
         FROM things WHERE id >= ?",
        &[3.into()],
    );
    let expected = vec![
        "9007199254740992.96".into(),
        1.into(),
        "a".into(),
        Value::Null,
        4.into(),
    ];
    assert_eq!(sums, Ok(vec![expected]));
    assert_eq!(
        connection.query("SELECT SUM(price), AVG(id) FROM things WHERE id > 99", &[]),
        Ok(vec![vec![Value::Null, Value::Null]])
    );
    let price = connection.query("SELECT price FROM things WHERE id = 4", &[]);
    assert_eq!(price, Ok(vec![vec![(-0.05).into()]]));
    assert!(connection.query("SELEKT", &[]).is_err());
    let wide = [5.into(), Value::Null, 0.into(), "elf Zeichen".into()];
    assert!(connection.execute(insert, &wide).is_err());
    assert_eq!(count(&mut *connection), 3);
    assert_eq!(
        connection.execute("DELETE FROM things WHERE id > ?", &[1.into()]),
        Ok(2)
    );
    drop(connection);
    assert_eq!(instance.check_soundness(), Ok(()));
    instance.flush().unwrap();
    instance.stop().unwrap();
}

#[test]
fn conflicts_are_told_apart_and_one_state_is_read() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    create(&mut *first, &*instance);
    insert(&mut *first, 1);
    insert(&mut *first, 2);
    let raise = "UPDATE things SET price = price + 1 WHERE id = ?";
    // Whoever waited for a row that was changed has to try again, up to version 3.
    first.begin().unwrap();
    assert_eq!(first.execute(raise, &[1.into()]), Ok(1));
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| second.execute(raise, &[1.into()]));
        std::thread::sleep(Duration::from_millis(100));
        first.commit().unwrap();
        waiting.join().unwrap()
    });
    if let Err(fault) = waited {
        assert_eq!(fault.kind, SqlFaultKind::Conflict, "{fault:?}");
        assert_eq!(second.execute(raise, &[1.into()]), Ok(1));
    }
    let price = answer(&mut *first, "SELECT price FROM things WHERE id = 1");
    assert_eq!(price, 3.0.into());
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
    // One state is read, whatever others do, and nothing can be written.
    first.begin_reading().unwrap();
    assert_eq!(count(&mut *first), 2);
    insert(&mut *second, 3);
    assert_eq!(count(&mut *first), 2);
    assert!(first.execute(raise, &[1.into()]).is_err());
    first.rollback().unwrap();
    assert_eq!(count(&mut *first), 3);
    // What waits for somebody's key that is then there is no conflict: trying again would not help.
    first.begin().unwrap();
    insert(&mut *first, 4);
    let twice = std::thread::scope(|scope| {
        let again = "INSERT INTO things VALUES (4, NULL, 1, 'b')";
        let waiting = scope.spawn(|| second.execute(again, &[]));
        std::thread::sleep(Duration::from_millis(100));
        first.commit().unwrap();
        waiting.join().unwrap().unwrap_err()
    });
    assert_eq!(twice.kind, SqlFaultKind::Other, "{twice:?}");
    // Between statements nobody holds on to a state of the data.
    let open = "SELECT COUNT(*) FROM MON$TRANSACTIONS WHERE MON$ATTACHMENT_ID <> CURRENT_CONNECTION \
                AND MON$ATTACHMENT_ID IN (SELECT MON$ATTACHMENT_ID FROM MON$ATTACHMENTS WHERE MON$SYSTEM_FLAG = 0)";
    assert_eq!(answer(&mut *first, open), 0.into());
    drop((first, second));
    instance.stop().unwrap();
}

#[test]
fn crowds_on_few_rows_come_through() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in ["Super", "SuperClassic", "Classic"] {
        let home = Home::new();
        let settings = [("ServerMode", mode), ("forced_writes", "off")];
        let instance = home.start(engine, &settings);
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        for id in 1..=3 {
            insert(&mut *connection, id);
        }
        std::thread::scope(|scope| {
            for thread in 0..8_i64 {
                let instance = &instance;
                scope.spawn(move || {
                    let mut connection = instance.connect().unwrap();
                    let raise = "UPDATE things SET price = price + 1 WHERE id = ?";
                    let mut done = 0;
                    while done < 10 {
                        connection.begin().unwrap();
                        let id = 1 + (thread + done) % 3;
                        match connection.execute(raise, &[id.into()]) {
                            Ok(_) => {
                                connection.commit().unwrap();
                                done += 1;
                            }
                            Err(fault) => {
                                assert_eq!(fault.kind, SqlFaultKind::Conflict, "{fault:?}");
                                connection.rollback().unwrap();
                            }
                        }
                    }
                });
            }
        });
        let sum = answer(&mut *connection, "SELECT SUM(price) FROM things");
        assert_eq!(sum, 83.0.into(), "{mode}");
        drop(connection);
        assert_eq!(instance.check_soundness(), Ok(()));
        instance.stop().unwrap();
    }
}

#[test]
fn files_are_loaded_as_a_whole_or_not_at_all() {
    let Some(engine) = usable("firebird") else {
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
        vec![1.into(), Value::Null, 2.5.into(), "a b".into()],
        vec![2.into(), 1.into(), (-0.05).into(), "".into()],
    ];
    assert_eq!(rows, Ok(expected));
    // The last one is too long for its column, and those with an `x` are found here.
    for faulty in [
        "3,,1,a\n4,,x,a\n",
        "3,,1,a\n4,,1\n",
        "3,,1,a\n4,,1,a,b\n",
        "3,,1,a\n1,,1,a\n",
        "3,,1,a\n4,,1,elf Zeichen\n",
    ] {
        let file = home.file(faulty);
        let fault = connection.load(&TABLE, &file).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Other);
        assert!(fault.message.contains("things.csv:2: "), "{fault:?}");
        assert_eq!(count(&mut *connection), 2, "{faulty:?}");
    }
    let nothing = home.folder().join("nothing");
    assert!(connection.load(&TABLE, &nothing).is_err());
    // More rows than one statement takes, with a faulty one among them.
    let mut rows: Vec<String> = (3..=452)
        .map(|id| format!("{id},,{}.25,ßß日€ß日€ß'?", id % 7))
        .collect();
    rows[321] = "7,,1,a".to_owned();
    let file = home.file(&rows.join("\n"));
    let fault = connection.load(&TABLE, &file).unwrap_err();
    assert!(fault.message.contains("things.csv:322"), "{fault:?}");
    assert_eq!(count(&mut *connection), 2);
    rows[321] = "324,,1,a".to_owned();
    let file = home.file(&rows.join("\r\n"));
    let done = AtomicU64::new(0);
    assert_eq!(connection.load_counted(&TABLE, &file, &done), Ok(450));
    assert_eq!(done.load(Ordering::Relaxed), 450);
    assert_eq!(count(&mut *connection), 452);
    let same = "SELECT COUNT(*) FROM things WHERE name = 'ßß日€ß日€ß''?'";
    assert_eq!(answer(&mut *connection, same), 449.into());
    // Within a transaction, it is the transaction's.
    let file = home.file("1003,,1,a\n");
    connection.begin().unwrap();
    assert_eq!(connection.load(&TABLE, &file), Ok(1));
    assert_eq!(count(&mut *connection), 453);
    connection.rollback().unwrap();
    assert_eq!(count(&mut *connection), 452);
    drop(connection);
    instance.stop().unwrap();
}
