//! What goes wrong with servers.

use super::*;

#[test]
fn connections_are_limited_and_open_ones_do_not_hold_up_the_end() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[("max_connections", "10")]);
    let mut open = Vec::new();
    let fault = loop {
        match instance.connect() {
            Ok(connection) => open.push(connection),
            Err(fault) => break fault,
        }
    };
    assert!(fault.message.contains("Too many connections"), "{fault}");
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
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    let pid = fs::read_to_string(home.folder().join("data/server.pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    let end = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| connection.query("SELECT SLEEP(1000)", &[]));
        std::thread::sleep(Duration::from_millis(200));
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        waiting.join().unwrap().unwrap_err()
    });
    assert_eq!(end.kind, SqlFaultKind::Other, "{end:?}");
    assert!(instance.connect().is_err());
    assert!(instance.flush().is_err());
    // Its end is told a moment after its connections are closed.
    std::thread::sleep(Duration::from_millis(500));
    let end = instance.stop().unwrap_err();
    assert!(end.message.contains("signal 9"), "{end}");
    assert!(end.log.contains("ready for connections"), "{}", end.log);
    assert_eq!(home.processes(), Vec::new());
}

#[test]
fn a_full_data_folder_is_told() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let home = Home::new();
    let Some(small) = Small::mount(&home.folder(), "200m") else {
        return;
    };
    let instance = home.start(engine, &[("innodb_log_file_size", "4M")]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    connection
        .execute("CREATE TABLE ballast (text LONGTEXT)", &[])
        .unwrap();
    let fill = "INSERT INTO ballast VALUES (REPEAT('x', 8000000))";
    let fault = loop {
        if let Err(fault) = connection.execute(fill, &[]) {
            break fault;
        }
    };
    assert_eq!(fault.kind, SqlFaultKind::Other, "{fault:?}");
    // InnoDB may refuse the row, or give up altogether.
    let told = format!("{} {}", fault.message, instance.log_tail());
    assert!(
        told.contains("full") || told.contains("no space left"),
        "{told}"
    );
    drop(connection);
    // Whether it can still end well depends on where the room ended.
    let _ = instance.stop();
    assert_eq!(home.processes(), Vec::new());
    drop(small);
}
