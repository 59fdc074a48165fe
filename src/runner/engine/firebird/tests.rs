//! The engine against real servers.

#![allow(clippy::unwrap_used)] // A test ends at the first surprise.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::super::there::usable;
use super::super::{
    ColumnType, Connection, Encryption, Engine, Index, Instance, Password, Requested, Server,
    SqlFaultKind, Start, Table, Value,
};
use crate::runner::fault::Fault;
use crate::runner::process::free_port;
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

/// A place for an instance. At its end nothing of that may run.
struct Home {
    temp: tempfile::TempDir,
}

impl Home {
    fn new() -> Self {
        let home = Self {
            temp: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(home.folder()).unwrap();
        home
    }

    fn folder(&self) -> PathBuf {
        self.temp.path().join("with blanks").join("data")
    }

    /// The processes that work in it, by what was in their environment when they began.
    fn processes(&self) -> usize {
        let folder = fs::canonicalize(self.temp.path()).unwrap();
        let folder = folder.to_string_lossy().into_owned();
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let all = all.filter(|process| {
            let environment = fs::read(process.path().join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&folder)
        });
        all.count()
    }

    fn try_start(
        &self,
        engine: &dyn Engine,
        from: Option<&Home>,
        settings: &[(&str, &str)],
        deadline: &Deadline,
        server: Option<&Server>,
    ) -> Result<Box<dyn Instance>, Fault> {
        let settings: Vec<Requested> = (settings.iter())
            .map(|(name, value)| requested(name, value))
            .collect();
        engine.start(&Start {
            folder: &self.folder(),
            from: from.map(Home::folder).as_deref(),
            settings: &settings,
            server,
            deadline,
            commands: None,
        })
    }

    fn start(&self, engine: &dyn Engine, settings: &[(&str, &str)]) -> Box<dyn Instance> {
        let started = self.try_start(engine, None, settings, &limit(), None);
        started.unwrap_or_else(|fault| panic!("{fault}: {}", fault.log))
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.processes(), 0);
        }
    }
}

fn requested(name: &str, value: &str) -> Requested {
    Requested {
        name: name.into(),
        value: value.into(),
    }
}

fn create(connection: &mut dyn Connection, instance: &dyn Instance) {
    let sql = instance.dialect().unwrap().create_table(&TABLE);
    connection.execute(&sql, &[]).unwrap();
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
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    assert!(
        instance.version().starts_with("Firebird "),
        "{}",
        instance.version()
    );
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let name = "ß'\"€?\\日";
    let row = [1.into(), Value::Null, 2.5.into(), name.into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    let again = connection.execute(insert, &row).unwrap_err();
    assert_eq!(again.kind, SqlFaultKind::Other, "{again:?}");
    connection.begin().unwrap();
    let raise = "UPDATE things SET price = price + ? WHERE id = ?";
    assert_eq!(connection.execute(raise, &[1.25.into(), 1.into()]), Ok(1));
    assert_eq!(connection.execute(raise, &[1.25.into(), 2.into()]), Ok(0));
    connection.rollback().unwrap();
    connection.rollback().unwrap();
    connection.begin().unwrap();
    connection.execute(raise, &[0.29.into(), 1.into()]).unwrap();
    connection.commit().unwrap();
    let rows = connection.query(
        "SELECT id, parent, price, name FROM things WHERE name = ?",
        &[name.into()],
    );
    let expected = vec![1.into(), Value::Null, 2.79.into(), name.into()];
    assert_eq!(rows, Ok(vec![expected]));
    assert!(connection.query("SELEKT", &[]).is_err());
    // One state is read, whatever others do.
    let mut other = instance.connect().unwrap();
    connection.begin_reading().unwrap();
    assert_eq!(count(&mut *connection), 1);
    let more = [2.into(), 7.into(), 1.into(), "".into()];
    assert_eq!(other.execute(insert, &more), Ok(1));
    assert_eq!(count(&mut *connection), 1);
    connection.commit().unwrap();
    assert_eq!(count(&mut *connection), 2);
    drop((connection, other));
    assert_eq!(instance.check_soundness(), Ok(()));
    instance.stop().unwrap();
}

#[test]
fn a_circle_of_locks_is_a_conflict() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let (mut first, mut second) = (instance.connect().unwrap(), instance.connect().unwrap());
    create(&mut *first, &*instance);
    for id in [1_i64, 2] {
        let insert = "INSERT INTO things VALUES (?, NULL, 1, 'a')";
        first.execute(insert, &[id.into()]).unwrap();
    }
    let raise = "UPDATE things SET price = price + 1 WHERE id = ?";
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
    drop((first, second));
    instance.stop().unwrap();
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
    let file = home.temp.path().join("things.csv");
    // More than one block of rows, and some beside.
    let rows: String = (1..=257).map(|id| format!("{id},,-0.05,\n")).collect();
    fs::write(&file, rows).unwrap();
    let done = AtomicU64::new(5);
    assert_eq!(connection.load_counted(&TABLE, &file, &done), Ok(257));
    assert_eq!(done.load(Ordering::Relaxed), 262);
    let sums = connection.query(
        "SELECT sum(price), count(parent), max(name) FROM things",
        &[],
    );
    let expected = vec![(-12.85).into(), 0.into(), "".into()];
    assert_eq!(sums, Ok(vec![expected]));
    for faulty in [
        "301,,1,a\n302,,x,a\n",
        "301,,1,a\n302,,1\n",
        "301,,1,a\n302,,1,a,b\n",
    ] {
        fs::write(&file, faulty).unwrap();
        let fault = connection.load(&TABLE, &file).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Other);
        assert!(fault.message.contains("things.csv:2: "), "{fault:?}");
        assert_eq!(count(&mut *connection), 257);
    }
    fs::write(&file, "301,,1,a\n1,,1,a\n").unwrap();
    assert!(connection.load(&TABLE, &file).is_err());
    assert_eq!(count(&mut *connection), 257);
    drop(connection);
    instance.stop().unwrap();
}

#[test]
fn settings_are_read_back_from_the_server_in_each_mode() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in ["Super", "SuperClassic", "Classic"] {
        let home = Home::new();
        let settings = [
            ("ServerMode", mode),
            ("DefaultDbCachePages", "100"),
            ("LockHashSlots", "30011"),
            ("LockMemSize", "7M"),
            ("page_size", "16 KiB"),
            ("forced_writes", "off"),
            ("GCPolicy", "cooperative"),
        ];
        let instance = home.start(engine, &settings);
        for (name, asked) in settings {
            let Some(effective) = instance.effective(name).unwrap() else {
                assert_eq!(name, "GCPolicy");
                continue;
            };
            assert!(
                instance.is_same(name, asked, &effective),
                "{mode}: {name}: {effective}"
            );
        }
        let all = instance.all_settings().unwrap();
        let folder = home.folder();
        let told = all
            .values()
            .find(|value| value.contains(&*folder.to_string_lossy()));
        assert_eq!(told, None);
        // Lock figures and pages of connections are there while they are watched.
        let mut watches = instance.watches().unwrap();
        instance.mark().unwrap();
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        for watch in &mut watches {
            watch.read(&mut |_, _| {}).unwrap();
        }
        let observed = instance.observed().unwrap();
        for name in [
            "page_fetches",
            "lock_acquires",
            "lock_hash_slots",
            "lock_hash_longest",
        ] {
            let value = observed.values.iter().find(|(it, _)| *it == name);
            assert!(
                value.is_some_and(|(_, value)| *value > 0.0),
                "{mode}: {name}: {observed:?}"
            );
        }
        drop((connection, watches));
        instance.stop().unwrap();
    }
}

#[test]
fn what_firebird_does_not_do_is_seen() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let first = Home::new();
    // The head of the database goes before the configuration, and slots have a limit.
    let settings = [
        ("DefaultDbCachePages", "200"),
        ("page_buffers", "90"),
        ("LockHashSlots", "99999"),
    ];
    let instance = first.start(engine, &settings);
    let effective = |name: &str| instance.effective(name).unwrap().unwrap();
    assert_eq!(effective("DefaultDbCachePages"), "90");
    assert!(!instance.is_same("DefaultDbCachePages", "200", "90"));
    assert_eq!(effective("LockHashSlots"), "65521");
    assert!(!instance.is_same("LockHashSlots", "99999", "65521"));
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    connection
        .execute("INSERT INTO things VALUES (1, NULL, 1, 'a')", &[])
        .unwrap();
    drop(connection);
    instance.flush().unwrap();
    instance.stop().unwrap();
    // A copy begins with the same rows, in another mode, and keeps the size of its pages.
    let second = Home::new();
    let settings = [("ServerMode", "Classic"), ("page_size", "16384")];
    let copy = second
        .try_start(engine, Some(&first), &settings, &limit(), None)
        .unwrap();
    assert_eq!(count(&mut *copy.connect().unwrap()), 1);
    assert_eq!(copy.effective("ServerMode").unwrap().unwrap(), "Classic");
    let size = copy.effective("page_size").unwrap().unwrap();
    assert!(!copy.is_same("page_size", "16384", &size), "{size}");
    copy.stop().unwrap();
}

#[test]
fn gbak_tells_the_time_of_each_index() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    let index = |name, table| Index {
        name,
        table,
        columns: &["name"],
        unique: false,
    };
    // A large one between two small ones: by its own line it would take as long as a small one.
    let tables = [("small", 100_i64), ("large", 150_000), ("tiny", 10)];
    for (name, rows) in tables {
        let table = Table { name, ..TABLE };
        let dialect = instance.dialect().unwrap();
        connection
            .execute(&dialect.create_table(&table), &[])
            .unwrap();
        let file = home.temp.path().join(name);
        let lines: String = (1..=rows)
            .map(|id| format!("{id},,1,{:08}\n", id * 7_919 % 99_999_989))
            .collect();
        fs::write(&file, lines).unwrap();
        assert_eq!(connection.load(&table, &file), Ok(rows.unsigned_abs()));
        let name = match name {
            "small" => "small_name",
            "large" => "large_name",
            _ => "tiny_name",
        };
        let sql = dialect.create_index(&index(name, table.name));
        connection.execute(&sql, &[]).unwrap();
    }
    drop(connection);
    let files = tempfile::tempdir().unwrap();
    let backup = instance.backup().unwrap();
    backup.back_up(files.path(), &limit()).unwrap();
    let steps = backup.restore(files.path(), &limit()).unwrap();
    let seconds = |name: &str| steps.iter().find(|(step, _)| step == name).unwrap().1;
    assert_eq!(steps[0].0, "data");
    assert_eq!(steps.len(), 4, "{steps:?}");
    let small = seconds("small_name").max(seconds("tiny_name"));
    assert!(seconds("large_name") > 2.0 * small, "{steps:?}");
    // Connections now go to what was restored.
    let mut connection = instance.connect().unwrap();
    let rows = connection.query("SELECT count(*) FROM large", &[]);
    assert_eq!(rows, Ok(vec![vec![150_000.into()]]));
    let listed = |connection: &mut dyn Connection| {
        let sql = instance.dialect().unwrap().list_indexes();
        let rows = connection.query(sql, &["large".into()]).unwrap();
        rows.iter().any(|row| row[0] == "LARGE_NAME".into())
    };
    assert!(listed(&mut *connection));
    // An index that is there but isn't kept up doesn't count.
    connection
        .execute("ALTER INDEX large_name INACTIVE", &[])
        .unwrap();
    assert!(!listed(&mut *connection));
    drop(connection);
    // A file that is no backup is a fault with what gbak said.
    fs::write(files.path().join("benchbook.fbk"), "nothing").unwrap();
    let fault = backup.restore(files.path(), &limit()).unwrap_err();
    assert!(fault.message.contains("gbak"), "{fault}");
    instance.stop().unwrap();
}

#[test]
fn statements_do_not_outlive_their_trial() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let (home, stop) = (Home::new(), Stop::default());
    let deadline = stop.limit(Duration::from_secs(300));
    let instance = home.try_start(engine, None, &[], &deadline, None).unwrap();
    let mut connection = instance.connect().unwrap();
    let endless = "EXECUTE BLOCK AS DECLARE n BIGINT = 0; BEGIN WHILE (n >= 0) DO n = n + 1; END";
    let fault = std::thread::scope(|scope| {
        let running = scope.spawn(|| connection.execute(endless, &[]));
        std::thread::sleep(Duration::from_millis(300));
        stop.drop_trial();
        running.join().unwrap().unwrap_err()
    });
    assert_eq!(fault.kind, SqlFaultKind::Interrupted, "{fault:?}");
    drop(connection);
    drop(instance);
}

#[test]
fn somebody_elses_server_is_left_as_it_was() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let foreign = Home::new();
    let theirs = foreign.start(engine, &[]);
    let configuration = fs::read_to_string(foreign.folder().join("root/firebird.conf")).unwrap();
    let port = configuration
        .lines()
        .find_map(|line| line.strip_prefix("RemoteServicePort = "));
    let secret = fs::read_to_string(foreign.folder().join("secret")).unwrap();
    let place = foreign.temp.path().join("databases");
    fs::create_dir(&place).unwrap();
    let server = Server {
        scheme: "firebird".into(),
        host: "127.0.0.1".into(),
        port: port.map(|port| port.parse().unwrap()),
        user: None,
        password: Some(Password::new(&*secret)),
        database: Some(place.to_string_lossy().into_owned()),
        encryption: Encryption::Preferred,
    };
    let files = || fs::read_dir(&place).unwrap().count();
    let home = Home::new();
    let start = |server: &Server| home.try_start(engine, None, &[], &limit(), Some(server));
    let instance = start(&server).unwrap();
    assert!(!instance.keeps_data());
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    assert_eq!(files(), 1);
    drop(connection);
    instance.stop().unwrap();
    assert_eq!(files(), 0);
    drop(start(&server).unwrap());
    assert_eq!(files(), 0);
    let refused = |server: Server| {
        let fault = start(&server).err().unwrap();
        assert!(!format!("{fault:?}").contains(&secret), "{fault:?}");
        assert!(!format!("{fault:?}").contains("other secret"), "{fault:?}");
        fault.message
    };
    let wrong = Server {
        password: Some(Password::new("other secret")),
        ..server.clone()
    };
    assert!(refused(wrong).contains("can't be reached"));
    let nobody = Server {
        port: Some(free_port().unwrap()),
        ..server.clone()
    };
    assert!(refused(nobody).contains("can't be reached"));
    let proven = Server {
        encryption: Encryption::Verified,
        ..server.clone()
    };
    assert!(refused(proven).contains("verify-full"));
    // Theirs doesn't encrypt.
    let encrypted = Server {
        encryption: Encryption::Required,
        ..server.clone()
    };
    assert!(refused(encrypted).contains("doesn't encrypt"));
    let unsaid = Server {
        database: None,
        ..server
    };
    assert!(refused(unsaid).contains("in which folder"));
    assert_eq!(files(), 0);
    theirs.stop().unwrap();
}

#[cfg(unix)]
#[test]
fn a_killed_server_is_told_and_nothing_of_it_is_left() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in ["Super", "Classic"] {
        let home = Home::new();
        let instance = home.start(engine, &[("ServerMode", mode)]);
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        let record = home.folder().with_file_name("data.children");
        let record = fs::read_to_string(record).unwrap();
        // The last that was started is the server.
        let pid = record
            .lines()
            .next_back()
            .unwrap()
            .split(' ')
            .next()
            .unwrap();
        let pid = rustix::process::Pid::from_raw(pid.parse().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        std::thread::sleep(Duration::from_millis(500));
        assert!(instance.connect().is_err());
        let end = instance.stop().unwrap_err();
        assert!(end.message.contains("signal 9"), "{end}");
        // Classic's process for this connection ends with the rest.
        assert!(connection.query("SELECT 1 FROM RDB$DATABASE", &[]).is_err());
        assert_eq!(home.processes(), 0);
    }
}

#[test]
fn a_full_data_folder_is_told() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let folder = home.folder();
    let mut mount = std::process::Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=40m", "benchbook-test"]);
    if !mount
        .arg(&folder)
        .output()
        .is_ok_and(|it| it.status.success())
    {
        eprintln!("not tested: nothing can be mounted here");
        return;
    }
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let fill = "EXECUTE BLOCK AS DECLARE n BIGINT = 0; BEGIN WHILE (n < 2000000) DO BEGIN \
                INSERT INTO things VALUES (:n, NULL, 1, 'abcdefghij'); n = n + 1; END END";
    let fault = connection.execute(fill, &[]).unwrap_err();
    assert_eq!(fault.kind, SqlFaultKind::Other, "{fault:?}");
    assert!(fault.message.contains("No space left"), "{fault:?}");
    drop(connection);
    let _ = instance.stop();
    assert_eq!(home.processes(), 0);
    let mut unmount = std::process::Command::new("umount");
    assert!(unmount.arg(&folder).status().unwrap().success());
}
