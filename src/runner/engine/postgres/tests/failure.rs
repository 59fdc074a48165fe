//! What goes wrong with servers.

use std::process::Command;

use super::*;

#[test]
fn connections_are_limited_and_open_ones_do_not_hold_up_the_end() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("max_connections", "6")]);
    let mut open = Vec::new();
    let fault = loop {
        match instance.connect() {
            Ok(connection) => open.push(connection),
            Err(fault) => break fault,
        }
    };
    assert!(fault.message.contains("too many clients"), "{fault}");
    assert_eq!(open.len(), 5);
    create(&mut *open[0], &*instance);
    open[0].begin().unwrap();
    insert(&mut *open[0], 1);
    instance.stop().unwrap();
    let ended = open[0].commit().unwrap_err();
    assert_eq!(ended.kind, SqlFaultKind::Other, "{ended:?}");
}

#[cfg(unix)]
#[test]
fn a_killed_server_is_told_and_nothing_of_it_is_left() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    let mut other = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let pid = fs::read_to_string(home.folder().join("cluster/postmaster.pid")).unwrap();
    // The last line names a piece of memory, which the system keeps for whoever may come.
    let memory = pid
        .lines()
        .filter_map(|line| line.split_whitespace().nth(1))
        .next_back();
    let memory = memory.unwrap().to_owned();
    let pid: i32 = pid.lines().next().unwrap().parse().unwrap();
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    let end = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| connection.query("SELECT pg_sleep(1000)", &[]));
        // This one computes, and doesn't look after its server.
        let endless = "SELECT count(*) FROM generate_series(1, 1000000000000)";
        let computing = scope.spawn(|| other.query(endless, &[]));
        std::thread::sleep(Duration::from_millis(200));
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        let end = waiting.join().unwrap().unwrap_err();
        assert_eq!(end.kind, SqlFaultKind::Other, "{end:?}");
        assert!(instance.connect().is_err());
        assert!(instance.flush().is_err());
        assert!(instance.check_soundness().is_err());
        let end = instance.stop().unwrap_err();
        assert!(computing.join().unwrap().is_err());
        end
    });
    let freed = Command::new("ipcrm").args(["-m", &memory]).status();
    assert!(freed.is_ok_and(|it| it.success()));
    assert!(end.message.contains("signal 9"), "{end}");
    assert!(
        end.log.contains("ready to accept connections"),
        "{}",
        end.log
    );
    assert_eq!(home.processes(), Vec::new());
}

#[test]
fn a_full_data_folder_is_told() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let home = Home::new();
    let folder = home.folder();
    let Some(small) = Small::mount(&folder, "64m") else {
        return;
    };
    let settings = [
        ("wal_segment_size", "1MB"),
        ("max_wal_size", "2MB"),
        ("min_wal_size", "2MB"),
    ];
    let instance = home.start(engine, &settings);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    // Without entries in the log it is the table that finds no room.
    let unlogged = "ALTER TABLE things SET UNLOGGED";
    assert_eq!(connection.execute(unlogged, &[]), Ok(0));
    let fill = "INSERT INTO things SELECT n, n, n, 'a' FROM generate_series(?::bigint, ?) AS n";
    let mut last = 0_i64;
    let fault = loop {
        let next = last + 50_000;
        match connection.execute(fill, &[(last + 1).into(), next.into()]) {
            Ok(_) => last = next,
            Err(fault) => break fault,
        }
    };
    assert_eq!(fault.kind, SqlFaultKind::Other, "{fault:?}");
    // The system's word, or the server's where a part of a page found room.
    let words = ["No space left on device", "free disk space"];
    let told = words.iter().any(|words| fault.message.contains(words));
    assert!(told, "{fault:?}");
    assert_eq!(count(&mut *connection), last);
    // Without room for its log the server gives up, and may not come back.
    let logged = "CREATE TABLE more AS SELECT * FROM things, generate_series(1, 9)";
    let fault = connection.execute(logged, &[]).unwrap_err();
    assert_eq!(fault.kind, SqlFaultKind::Other, "{fault:?}");
    drop(connection);
    // It may never end by itself, in the middle of a repair that finds no room either.
    drop(instance);
    assert_eq!(home.processes(), Vec::new());
    drop(small);
}

/// The file of one index is put in the place of another's.
#[test]
fn damage_is_found() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let (home, copy) = (Home::new(), Home::new());
    let instance = home.start(engine, &[("data_checksums", "off")]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let fill = "INSERT INTO things SELECT n, -n, n, 'a' FROM generate_series(1, 500) AS n";
    connection.execute(fill, &[]).unwrap();
    connection
        .execute("CREATE INDEX parents ON things (parent)", &[])
        .unwrap();
    if connection.execute("CREATE EXTENSION amcheck", &[]).is_err() {
        eprintln!("not tested: the server came without amcheck");
        return;
    }
    assert_eq!(instance.check_soundness(), Ok(()));
    let sql = "SELECT pg_relation_filepath('things_pkey'), pg_relation_filepath('parents')";
    let row = connection.query(sql, &[]).unwrap().remove(0);
    let [Value::Text(good), Value::Text(bad)] = &*row else {
        panic!("{row:?}");
    };
    drop(connection);
    instance.stop().unwrap();
    let cluster = home.folder().join("cluster");
    fs::copy(cluster.join(good), cluster.join(bad)).unwrap();
    let instance = copy.start_copy(engine, &home, &[]);
    let fault = instance.check_soundness().unwrap_err();
    assert!(fault.message.contains("damaged"), "{fault}");
    assert!(fault.message.contains("parents"), "{fault}");
}
