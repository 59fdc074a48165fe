//! A database on somebody else's server: here it is another private one that listens on a port.

use mysql::prelude::Queryable as _;
use mysql::{Conn, OptsBuilder};

use super::*;
use crate::runner::engine::{Encryption, Password};
use crate::runner::process::{Daemon, Request, Surroundings, free_port, unprivileged};

const SECRET: &str = "s3cret of all";

struct Foreign {
    daemon: Daemon,
    port: u16,
    _home: Home,
}

impl Foreign {
    fn new(engine: &dyn Engine) -> Self {
        let home = Home::new();
        let folder = home.folder();
        files::copy(&empty(engine).join("data"), &folder.join("data"), &[]).unwrap();
        let programs = super::super::Programs::find().unwrap();
        let port = free_port().unwrap();
        let socket = home.temp.path().join("s");
        let mut words = vec![
            programs.server.display().to_string(),
            "--no-defaults".to_owned(),
            format!("--datadir={}", folder.join("data").display()),
            format!("--socket={}", socket.display()),
            format!("--port={port}"),
            "--bind-address=127.0.0.1".to_owned(),
            "--skip-name-resolve".to_owned(),
            "--local-infile=1".to_owned(),
            "--innodb-buffer-pool-size=16M".to_owned(),
        ];
        if unprivileged(&["root"]).is_ok_and(|root| root.is_some()) {
            words.push("--user=root".to_owned());
        }
        let log = folder.join("log");
        let none = Surroundings::default();
        let mut daemon = Daemon::start(&files::command(words), &folder, &log, &none).unwrap();
        let options = OptsBuilder::new()
            .socket(Some(socket.display().to_string()))
            .user(Some("root"));
        let ready = || Conn::new(options.clone()).map_err(|error| error.to_string());
        let mut root = daemon
            .await_ready(&limit(), Duration::from_secs(60), ready)
            .unwrap();
        for sql in [
            format!("CREATE USER somebody@'%' IDENTIFIED BY '{SECRET}'"),
            "GRANT ALL ON `benchbook\\_%`.* TO somebody@'%'".to_owned(),
            format!("CREATE USER guest@'%' IDENTIFIED BY '{SECRET}'"),
        ] {
            root.query_drop(sql).unwrap();
        }
        Self {
            daemon,
            port,
            _home: home,
        }
    }

    fn server(&self) -> Server {
        Server {
            scheme: "mysql".into(),
            host: "127.0.0.1".into(),
            port: Some(self.port),
            user: Some("somebody".into()),
            password: Some(Password::new(SECRET)),
            database: None,
            encryption: Encryption::Preferred,
        }
    }

    /// The databases that trials have made.
    fn databases(&self) -> Vec<String> {
        let options = OptsBuilder::new()
            .ip_or_hostname(Some("127.0.0.1"))
            .tcp_port(self.port)
            .user(Some("somebody"))
            .pass(Some(SECRET))
            .prefer_socket(false);
        let mut conn = Conn::new(options).unwrap();
        conn.query("SHOW DATABASES LIKE 'benchbook\\_%'").unwrap()
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.daemon.end(Request::Terminate, Duration::from_secs(30));
    }
}

#[test]
fn a_database_of_its_own_is_made_and_removed() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let foreign = Foreign::new(engine);
    let home = Home::new();
    let start = |settings: &[(&str, &str)]| {
        let server = foreign.server();
        home.try_start(engine, None, settings, &limit(), Some(&server))
    };
    let instance = start(&[("unique_checks", "off"), ("sort_buffer_size", "1 MiB")]).unwrap();
    assert!(!instance.keeps_data());
    let name = files::database_of(&home.folder());
    assert_eq!(foreign.databases(), [name]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let file = home.file("1,,2.50,a b\n");
    assert_eq!(connection.load(&TABLE, &file), Ok(1));
    for (setting, asked) in [("unique_checks", "off"), ("sort_buffer_size", "1 MiB")] {
        let effective = instance.effective(setting).unwrap().unwrap();
        assert!(
            instance.is_same(setting, asked, &effective),
            "{setting}: {effective}"
        );
    }
    instance.flush().unwrap();
    instance.mark().unwrap();
    assert!(instance.observed().is_ok());
    assert_eq!(instance.check_soundness(), Ok(()));
    drop(connection);
    // One that a killed run has left is replaced.
    std::mem::forget(instance);
    let instance = start(&[]).unwrap();
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    drop(connection);
    instance.stop().unwrap();
    assert_eq!(foreign.databases(), Vec::<String>::new());
    drop(start(&[]).unwrap());
    assert_eq!(foreign.databases(), Vec::<String>::new());
}

#[test]
fn who_can_not_come_in_is_told_why() {
    let Some(engine) = usable("mariadb") else {
        return;
    };
    let foreign = Foreign::new(engine);
    let server = foreign.server();
    let refused = |server: &Server| {
        let home = Home::new();
        let started = home.try_start(engine, None, &[], &limit(), Some(server));
        let fault = started.err().unwrap();
        for told in [&fault.message, &fault.log, &format!("{fault:?}")] {
            assert!(
                !told.contains("s3cret") && !told.contains("other secret"),
                "{told}"
            );
        }
        fault.message
    };
    let wrong = Server {
        password: Some(Password::new("other secret")),
        ..server.clone()
    };
    let told = refused(&wrong);
    assert!(
        told.contains("can't be reached") && told.contains("denied"),
        "{told}"
    );
    let nobody = Server {
        port: Some(free_port().unwrap()),
        ..server.clone()
    };
    assert!(refused(&nobody).contains("can't be reached"));
    let guest = Server {
        user: Some("guest".into()),
        ..server.clone()
    };
    let told = refused(&guest);
    assert!(
        told.contains("denied") && told.contains("database"),
        "{told}"
    );
    for encryption in [Encryption::Required, Encryption::Verified] {
        let server = Server {
            encryption,
            ..server.clone()
        };
        let told = refused(&server);
        assert!(told.contains("can't be reached"), "{told}");
    }
    assert_eq!(foreign.databases(), Vec::<String>::new());
}
