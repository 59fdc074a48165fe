//! Backups by Firebird's own tool.

use super::*;

const INDEXES: [Index; 3] = [
    Index {
        name: "small_text",
        table: "small",
        columns: &["name"],
        unique: false,
    },
    Index {
        name: "large_text",
        table: "large",
        columns: &["name", "parent"],
        unique: false,
    },
    Index {
        name: "little_text",
        table: "little",
        columns: &["name"],
        unique: true,
    },
];

fn table(name: &'static str) -> Table {
    Table { name, ..TABLE }
}

fn rows(count: i64) -> String {
    (1..=count)
        .map(|id| format!("{id},{},1,n{}\n", id % 100, id * 7919 % 1_000_003))
        .collect()
}

#[test]
fn each_index_has_its_own_time() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let settings = [("forced_writes", "off"), ("page_buffers", "444")];
    let instance = home.start(engine, &settings);
    let mut connection = instance.connect().unwrap();
    let dialect = instance.dialect().unwrap();
    for (name, count) in [("small", 100), ("large", 100_000), ("little", 100)] {
        let table = table(name);
        connection
            .execute(&dialect.create_table(&table), &[])
            .unwrap();
        let file = home.file(&rows(count));
        assert_eq!(connection.load(&table, &file), Ok(count as u64));
    }
    for index in &INDEXES {
        connection
            .execute(&dialect.create_index(index), &[])
            .unwrap();
    }
    let files = home.temp.path().join("files of a workload");
    fs::create_dir(&files).unwrap();
    let backup = instance.backup().unwrap();
    backup.back_up(&files, &limit()).unwrap();
    connection.execute("DELETE FROM small", &[]).unwrap();
    drop(connection);
    // What a second one finds is replaced.
    for _ in 0..2 {
        let steps = backup.restore(&files, &limit()).unwrap();
        assert_eq!(steps[0].0, "data");
        let seconds = |name: &str| {
            let mut found = steps.iter().filter(|(it, _)| it == name);
            let seconds = found.next().unwrap().1;
            assert!(found.next().is_none(), "{steps:?}");
            seconds
        };
        assert_eq!(steps.len(), 4, "{steps:?}");
        let (small, large) = (seconds("small_text"), seconds("large_text"));
        assert!(large > 2.0 * small, "{steps:?}");
        assert!(large > 2.0 * seconds("little_text"), "{steps:?}");
    }
    let mut connection = instance.connect().unwrap();
    let name = answer(
        &mut *connection,
        "SELECT RDB$GET_CONTEXT('SYSTEM', 'DB_NAME') FROM RDB$DATABASE",
    );
    assert!(
        matches!(&name, Value::Text(name) if name.contains("restored")),
        "{name:?}"
    );
    let small = answer(&mut *connection, "SELECT COUNT(*) FROM small");
    assert_eq!(small, 100.into());
    let listed = connection.query(dialect.list_indexes(), &["large".into()]);
    assert_eq!(listed.unwrap().len(), 2);
    drop(connection);
    // The settings of the head have come along, and all else sees the restored database.
    for (name, asked) in settings {
        let effective = instance.effective(name).unwrap().unwrap();
        assert!(instance.is_same(name, asked, &effective), "{effective}");
    }
    let hash = instance.effective("LockHashSlots").unwrap();
    assert_eq!(hash.as_deref(), Some("8191"));
    instance.flush().unwrap();
    assert_eq!(instance.check_soundness(), Ok(()));
    instance.stop().unwrap();
}

/// An index that is unique in the one database and not in the other.
#[test]
fn indexes_that_are_not_there_afterwards_are_a_fault() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for (prepare, words) in [
        (
            "CREATE UNIQUE INDEX broken ON things COMPUTED BY \
             (IIF(RDB$GET_CONTEXT('SYSTEM', 'DB_NAME') LIKE '%restored%', 0, id))",
            "BROKEN",
        ),
        ("ALTER INDEX idle INACTIVE", "IDLE"),
    ] {
        let home = Home::new();
        let instance = home.start(engine, &[]);
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        insert(&mut *connection, 1);
        insert(&mut *connection, 2);
        connection
            .execute("CREATE INDEX idle ON things (price)", &[])
            .unwrap();
        connection.execute(prepare, &[]).unwrap();
        drop(connection);
        let files = home.temp.path().join("files");
        fs::create_dir(&files).unwrap();
        let backup = instance.backup().unwrap();
        backup.back_up(&files, &limit()).unwrap();
        let fault = backup.restore(&files, &limit()).unwrap_err();
        assert!(
            format!("{fault} {}", fault.log).contains(words),
            "{fault}: {}",
            fault.log
        );
        assert!(fault.message.contains("index"), "{fault}");
        // The one that was there is still used.
        assert_eq!(count(&mut *instance.connect().unwrap()), 2);
        instance.stop().unwrap();
    }
}

#[test]
fn backups_that_can_not_be_made_or_read_say_why() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let (home, stop) = (Home::new(), Stop::default());
    let deadline = stop.limit(Duration::from_secs(300));
    let instance = home.start(engine, &[]);
    let backup = instance.backup().unwrap();
    let nowhere = home.temp.path().join("nowhere");
    assert!(backup.back_up(&nowhere, &limit()).is_err());
    let files = home.temp.path().join("files");
    fs::create_dir(&files).unwrap();
    let fault = backup.restore(&files, &limit()).unwrap_err();
    assert!(
        fault.log.contains("benchbook.fbk"),
        "{fault}: {}",
        fault.log
    );
    fs::write(files.join("benchbook.fbk"), "no backup").unwrap();
    assert!(backup.restore(&files, &limit()).is_err());
    stop.drop_trial();
    let fault = backup.back_up(&files, &deadline).unwrap_err();
    assert_eq!(fault, Fault::stopped());
    instance.stop().unwrap();
}
