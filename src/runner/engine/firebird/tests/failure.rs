//! What goes wrong with servers.

use super::*;
use std::net::TcpListener;

const MODES: [&str; 3] = ["Super", "SuperClassic", "Classic"];

#[test]
fn statements_do_not_outlive_their_trial() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for (mode, drops) in [("Super", true), ("Classic", false)] {
        let (home, stop) = (Home::new(), Stop::default());
        let deadline = stop.limit(Duration::from_secs(if drops { 300 } else { 8 }));
        let settings = [("ServerMode", mode)];
        let instance = home
            .try_start(engine, None, &settings, &deadline, None)
            .unwrap();
        let mut connection = instance.connect().unwrap();
        create(&mut *connection, &*instance);
        let mut second = instance.connect().unwrap();
        insert(&mut *connection, 1);
        connection.begin().unwrap();
        let raise = "UPDATE things SET price = 2";
        connection.execute(raise, &[]).unwrap();
        let faults = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| second.execute(raise, &[]).unwrap_err());
            let working = scope.spawn(|| connection.query(ENDLESS, &[]).unwrap_err());
            std::thread::sleep(Duration::from_millis(200));
            if drops {
                stop.drop_trial();
            }
            [waiting.join().unwrap(), working.join().unwrap()]
        });
        for fault in faults {
            assert_eq!(fault.kind, SqlFaultKind::Interrupted, "{fault:?}");
        }
        let file = home.file("1,,1,a\n");
        let fault = second.load(&TABLE, &file).unwrap_err();
        assert_eq!(fault.kind, SqlFaultKind::Interrupted, "{fault:?}");
        drop((connection, second));
        drop(instance);
        assert_eq!(home.processes(), Vec::new());
    }
}

#[test]
fn open_connections_do_not_hold_up_the_end() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in MODES {
        let home = Home::new();
        let instance = home.start(engine, &[("ServerMode", mode)]);
        let mut open: Vec<_> = (0..3).map(|_| instance.connect().unwrap()).collect();
        create(&mut *open[0], &*instance);
        insert(&mut *open[0], 1);
        open[0].begin().unwrap();
        insert(&mut *open[0], 2);
        instance.stop().unwrap();
        assert_eq!(home.processes(), Vec::new(), "{mode}");
        let ended = open[0].commit().unwrap_err();
        assert_eq!(ended.kind, SqlFaultKind::Other, "{ended:?}");
        // What was committed is there, and nothing else.
        let copy = Home::new();
        let from = home.folder();
        let instance = copy
            .try_start(engine, Some(&from), &[], &limit(), None)
            .unwrap();
        assert_eq!(count(&mut *instance.connect().unwrap()), 1, "{mode}");
        assert_eq!(instance.check_soundness(), Ok(()));
        instance.stop().unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_killed_server_is_told_and_nothing_of_it_is_left() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in MODES {
        let home = Home::new();
        let instance = home.start(engine, &[("ServerMode", mode)]);
        let mut connection = instance.connect().unwrap();
        let _other = instance.connect().unwrap();
        // The first is the one that was started.
        let processes = home.processes();
        assert_eq!(processes.len() > 1, mode == "Classic", "{processes:?}");
        let pid = processes.iter().map(|(pid, _)| *pid).min().unwrap();
        let kill = |pid| {
            let pid = rustix::process::Pid::from_raw(pid).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        };
        let end = std::thread::scope(|scope| {
            let waiting = scope.spawn(|| connection.query(ENDLESS, &[]));
            std::thread::sleep(Duration::from_millis(200));
            kill(pid);
            if mode == "Classic" {
                // Its children would go on.
                for (child, _) in processes.iter().filter(|(other, _)| *other != pid).take(2) {
                    kill(*child);
                }
            }
            waiting.join().unwrap().unwrap_err()
        });
        assert_eq!(end.kind, SqlFaultKind::Other, "{end:?}");
        assert!(instance.connect().is_err());
        assert!(
            instance.gone().is_some_and(|end| end.contains("signal 9")),
            "{mode}"
        );
        let end = instance.stop().unwrap_err();
        assert!(end.message.contains("signal 9"), "{end}");
        assert_eq!(home.processes(), Vec::new(), "{mode}");
    }
}

#[test]
fn a_full_data_folder_is_told() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let Some(small) = Small::mount(&home.folder(), "40m") else {
        return;
    };
    let instance = home.start(engine, &[]);
    let mut connection = instance.connect().unwrap();
    let table = "CREATE TABLE ballast (text VARCHAR(8000) CHARACTER SET UTF8)";
    connection.execute(table, &[]).unwrap();
    let fill = "INSERT INTO ballast VALUES (?)";
    // Equal letters in a row would be packed together.
    let text: String = "ab".repeat(4000);
    let mut rows = 0;
    let fault = loop {
        match connection.execute(fill, &[text.as_str().into()]) {
            Ok(_) => rows += 1,
            Err(fault) => break fault,
        }
    };
    assert!(rows > 1000, "{rows} {fault:?}");
    assert_eq!(fault.kind, SqlFaultKind::Other, "{fault:?}");
    assert!(fault.message.contains("No space left"), "{fault:?}");
    drop(connection);
    let _ = instance.stop();
    assert_eq!(home.processes(), Vec::new());
    drop(small);
}

#[test]
fn a_taken_port_is_not_taken_for_the_server() {
    let Some(_) = usable("firebird") else {
        return;
    };
    // Somebody else came first: he answers there, and the server doesn't.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let home = Home::new();
    let ports = std::cell::RefCell::new(vec![port]);
    let draw = || match ports.borrow_mut().pop() {
        Some(port) => Ok(port),
        None => crate::runner::process::free_port(),
    };
    let deadline = limit();
    let folder = home.folder();
    let start = Start {
        folder: &folder,
        from: None,
        settings: &[],
        server: None,
        deadline: &deadline,
        commands: None,
    };
    let (place, client) = super::super::place::private(&start, &draw).unwrap();
    assert_ne!(place.door.port, port);
    drop(client);
    place.leave().unwrap();
    drop(taken);
}

#[test]
fn a_server_that_can_not_start_says_why() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let home = Home::new();
    let nothing = Home::new();
    let from = nothing.folder();
    let fault = home.try_start(engine, Some(&from), &[], &limit(), None);
    let fault = fault.err().unwrap();
    assert!(fault.message.contains("can't be copied"), "{fault}");
}
