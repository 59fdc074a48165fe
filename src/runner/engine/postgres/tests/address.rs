//! A database on somebody else's server.

use postgres::{Client, Config, NoTls};

use super::*;
use crate::runner::engine::{Encryption, Password};
use crate::runner::process::{
    Account, Daemon, Request, Surroundings, free_port, give, run_within, unprivileged,
};

const SECRET: &str = "s3cret of all";

/// A server of somebody else's: passwords on a port of the loopback interface.
struct Foreign {
    daemon: Daemon,
    port: u16,
    cluster: PathBuf,
    account: Option<Account>,
    _home: Home,
}

impl Foreign {
    fn new() -> Self {
        let home = Home::new();
        let folder = home.folder();
        let account = unprivileged(&["postgres", "nobody"]).unwrap();
        let secret = folder.join("secret");
        fs::write(&secret, format!("{SECRET}\n")).unwrap();
        if let Some(account) = &account {
            give(&folder, account).unwrap();
        }
        let surroundings = Surroundings {
            variables: Vec::new(),
            account: account.clone(),
        };
        let (cluster, log) = (folder.join("cluster"), folder.join("log"));
        let programs = super::super::Programs::find().unwrap();
        let path = |path: &Path| path.to_str().unwrap().to_owned();
        let words = [
            path(&programs.folder.join("initdb")),
            format!("--pgdata={}", path(&cluster)),
            format!("--pwfile={}", path(&secret)),
            "--auth=scram-sha-256".to_owned(),
            "--username=somebody".to_owned(),
            "--no-sync".to_owned(),
            // Not what private ones have.
            "--encoding=SQL_ASCII".to_owned(),
            "--no-locale".to_owned(),
        ];
        run_within(
            &files::command(words),
            &folder,
            &log,
            &limit(),
            &surroundings,
        )
        .unwrap();
        let port = free_port().unwrap();
        let words = [
            path(&programs.folder.join("postgres")),
            format!("-D{}", path(&cluster)),
            format!("-p{port}"),
            "-clisten_addresses=127.0.0.1".to_owned(),
            "-cunix_socket_directories=".to_owned(),
            "-cshared_buffers=16MB".to_owned(),
        ];
        let mut daemon =
            Daemon::start(&files::command(words), &folder, &log, &surroundings).unwrap();
        let mut config = Config::new();
        config
            .host("127.0.0.1")
            .port(port)
            .user("somebody")
            .password(SECRET)
            .dbname("postgres");
        let ready = || config.connect(NoTls).map_err(|error| error.to_string());
        daemon
            .await_ready(&limit(), Duration::from_secs(60), ready)
            .unwrap();
        Self {
            daemon,
            port,
            cluster,
            account,
            _home: home,
        }
    }

    fn server(&self) -> Server {
        Server {
            scheme: "postgres".into(),
            host: "127.0.0.1".into(),
            port: Some(self.port),
            user: Some("somebody".into()),
            password: Some(Password::new(SECRET)),
            database: None,
            encryption: Encryption::Preferred,
        }
    }

    fn enter(&self, database: &str) -> Client {
        let mut config = Config::new();
        config
            .host("127.0.0.1")
            .port(self.port)
            .user("somebody")
            .password(SECRET)
            .dbname(database);
        config.connect(NoTls).unwrap()
    }

    /// The databases that trials have made.
    fn databases(&self) -> Vec<String> {
        let sql = "SELECT datname::text FROM pg_database WHERE datname LIKE 'benchbook%'";
        let rows = self.enter("postgres").query(sql, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.daemon.end(Request::Interrupt, Duration::from_secs(30));
    }
}

/// The fault of a start; it tells no secret.
fn refused(engine: &dyn Engine, server: &Server, settings: &[(&str, &str)]) -> Fault {
    let home = Home::new();
    let started = home.try_start(engine, None, settings, &limit(), Some(server));
    let fault = started.err().unwrap();
    for told in [&fault.message, &fault.log, &format!("{fault:?}")] {
        assert!(
            !told.contains("s3cret") && !told.contains("other secret"),
            "{told}"
        );
    }
    fault
}

#[test]
fn a_database_of_its_own_is_made_and_removed() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let foreign = Foreign::new();
    let home = Home::new();
    let start = |settings: &[(&str, &str)], deadline: &Deadline| {
        let server = foreign.server();
        home.try_start(engine, None, settings, deadline, Some(&server))
    };
    let settings = [
        ("work_mem", "12 MiB"),
        ("Synchronous_Commit", "off"),
        ("log_min_duration_statement", "60 s"),
        ("search_path", "\"$user\", public"),
        ("shared_buffers", "16MB"),
        ("fillfactor", "60"),
    ];
    let instance = start(&settings, &limit()).unwrap();
    assert!(!instance.keeps_data());
    assert_eq!(instance.log_tail(), "");
    let name = files::database_of(&home.folder());
    assert_eq!(foreign.databases(), std::slice::from_ref(&name));
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let row = [1.into(), Value::Null, 1.into(), "日".into()];
    let insert = "INSERT INTO things VALUES (?, ?, ?, ?)";
    assert_eq!(connection.execute(insert, &row), Ok(1));
    for (setting, asked) in settings {
        let effective = instance.effective(setting).unwrap().unwrap();
        assert!(
            instance.is_same(setting, asked, &effective),
            "{setting}: {effective}"
        );
    }
    let shown = connection.query("SELECT current_setting('work_mem')", &[]);
    assert_eq!(shown, Ok(vec![vec!["12MB".into()]]));
    let mut watches = instance.watches().unwrap();
    instance.mark().unwrap();
    let mut told = Vec::new();
    for watch in &mut watches {
        watch.read(&mut |series, _| told.push(series)).unwrap();
    }
    assert!(told.contains(&"checkpoint_age") && told.contains(&"waits_lock"));
    instance.flush().unwrap();
    assert_eq!(instance.check_soundness(), Ok(()));
    // It goes although connections are open.
    instance.stop().unwrap();
    assert_eq!(foreign.databases(), Vec::<String>::new());
    assert!(connection.query("SELECT 1", &[]).is_err());
    // Dropped, it goes too.
    drop(start(&[], &limit()).unwrap());
    assert_eq!(foreign.databases(), Vec::<String>::new());
    // What a killed run has left is replaced, even where somebody is still in it.
    let make = format!("CREATE DATABASE {name}");
    foreign.enter("postgres").batch_execute(&make).unwrap();
    let mut left = foreign.enter(&name);
    left.batch_execute("CREATE TABLE things ()").unwrap();
    // The limit of a trial holds here too.
    let instance = start(&[], &Stop::default().limit(Duration::from_secs(6))).unwrap();
    assert!(left.batch_execute("SELECT 1").is_err());
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let fault = connection.query("SELECT pg_sleep(1000)", &[]).unwrap_err();
    assert_eq!(fault.kind, SqlFaultKind::Interrupted);
    assert!(fault.message.contains("not done after 6 s"), "{fault:?}");
    instance.stop().unwrap();
    assert_eq!(foreign.databases(), Vec::<String>::new());
}

#[test]
fn who_can_not_come_in_is_told_why() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let foreign = Foreign::new();
    let server = foreign.server();
    let wrong = Server {
        password: Some(Password::new("other secret")),
        ..server.clone()
    };
    let told = refused(engine, &wrong, &[]).message;
    assert!(
        told.contains("can't be reached") && told.contains("password"),
        "{told}"
    );
    let none = Server {
        password: None,
        ..server.clone()
    };
    let told = refused(engine, &none, &[]).message;
    assert!(told.contains("password"), "{told}");
    let nobody = Server {
        port: Some(free_port().unwrap()),
        ..server.clone()
    };
    let told = refused(engine, &nobody, &[]).message;
    assert!(told.contains("refused"), "{told}");
    let nowhere = Server {
        host: "nowhere.invalid".into(),
        ..server.clone()
    };
    let told = refused(engine, &nowhere, &[]).message;
    assert!(told.contains("can't be reached"), "{told}");
    let other = Server {
        database: Some("elsewhere".into()),
        ..server.clone()
    };
    let told = refused(engine, &other, &[]).message;
    assert!(told.contains("elsewhere"), "{told}");
    // Without the right to make databases, and then with no other right.
    let mut client = foreign.enter("postgres");
    let guest = format!("CREATE ROLE guest LOGIN PASSWORD '{SECRET}'");
    client.batch_execute(&guest).unwrap();
    let guest = Server {
        user: Some("guest".into()),
        ..server.clone()
    };
    let told = refused(engine, &guest, &[]).message;
    assert!(
        told.contains("permission denied to create database"),
        "{told}"
    );
    client.batch_execute("ALTER ROLE guest CREATEDB").unwrap();
    let home = Home::new();
    let instance = home.try_start(engine, None, &[("work_mem", "9MB")], &limit(), Some(&guest));
    let instance = instance.unwrap();
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    insert(&mut *connection, 1);
    let mut told = Vec::new();
    for watch in &mut instance.watches().unwrap() {
        watch.read(&mut |series, _| told.push(series)).unwrap();
    }
    assert!(told.contains(&"checkpoint_age"), "{told:?}");
    instance.mark().unwrap();
    drop(connection);
    assert!(!instance.observed().unwrap().values.is_empty());
    assert_eq!(instance.check_soundness(), Ok(()));
    // It may not ask for a checkpoint, and needs none to measure.
    assert_eq!(instance.flush(), Ok(()));
    instance.stop().unwrap();
    // Settings that sessions can't take, with nothing left behind.
    let told = refused(engine, &server, &[("no_such_setting", "1")]).message;
    assert!(told.contains("no setting `no_such_setting`"), "{told}");
    let told = refused(engine, &server, &[("bytea_output", "sometimes")]).message;
    assert!(told.contains("bytea_output"), "{told}");
    let told = refused(engine, &server, &[("wal_keep_segments", "9")]).message;
    assert!(told.contains("went with PostgreSQL 12"), "{told}");
    assert_eq!(foreign.databases(), Vec::<String>::new());
    // What belongs to the server is only read.
    let asked = [("max_connections", "7")];
    let instance = home
        .try_start(engine, None, &asked, &limit(), Some(&server))
        .unwrap();
    let effective = instance.effective("max_connections").unwrap().unwrap();
    assert!(!instance.is_same("max_connections", "7", &effective));
    drop(instance);
    assert_eq!(foreign.databases(), Vec::<String>::new());
}

/// Makes a certificate that nobody has signed.
fn certify(foreign: &Foreign) -> bool {
    let (key, certificate) = (
        foreign.cluster.join("server.key"),
        foreign.cluster.join("server.crt"),
    );
    let mut openssl = std::process::Command::new("openssl");
    openssl.args([
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
    ]);
    openssl.args([
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
    ]);
    let made = openssl.arg(&key).arg("-out").arg(&certificate).output();
    if !made.is_ok_and(|it| it.status.success()) {
        return false;
    }
    for file in [&key, &certificate] {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
        }
        if let Some(account) = &foreign.account {
            give(file, account).unwrap();
        }
    }
    true
}

#[test]
fn what_is_said_is_encrypted_as_asked_or_not_at_all() {
    let Some(engine) = usable("postgres") else {
        return;
    };
    let foreign = Foreign::new();
    let server = |encryption| Server {
        encryption,
        ..foreign.server()
    };
    for encryption in [Encryption::Required, Encryption::Verified] {
        let told = refused(engine, &server(encryption), &[]).message;
        assert!(told.contains("TLS"), "{told}");
    }
    if !certify(&foreign) {
        eprintln!("not tested: there is no openssl");
        return;
    }
    let mut client = foreign.enter("postgres");
    if client.batch_execute("ALTER SYSTEM SET ssl = on").is_err() {
        eprintln!("not tested: the server was built without TLS");
        return;
    }
    client.batch_execute("SELECT pg_reload_conf()").unwrap();
    // Sessions that begin later have it, sooner or later.
    let shown = || {
        foreign
            .enter("postgres")
            .query_one("SHOW ssl", &[])
            .unwrap()
            .get::<_, String>(0)
    };
    until(|| shown() == "on");
    for (encryption, expected) in [
        (Encryption::Off, 0),
        (Encryption::Preferred, 1),
        (Encryption::Required, 1),
    ] {
        let home = Home::new();
        let server = server(encryption);
        let instance = home
            .try_start(engine, None, &[], &limit(), Some(&server))
            .unwrap();
        let mut connection = instance.connect().unwrap();
        let own = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let is_encrypted = connection.query(own, &[]);
        assert_eq!(is_encrypted, Ok(vec![vec![expected.into()]]));
        instance.stop().unwrap();
    }
    // Statements are ended there too.
    let stop = Stop::default();
    let (home, deadline) = (Home::new(), stop.limit(Duration::from_secs(300)));
    let required = server(Encryption::Required);
    let instance = home
        .try_start(engine, None, &[], &deadline, Some(&required))
        .unwrap();
    let mut connection = instance.connect().unwrap();
    let kind = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| connection.query("SELECT pg_sleep(1000)", &[]).unwrap_err());
        std::thread::sleep(Duration::from_millis(50));
        stop.drop_trial();
        waiting.join().unwrap().kind
    });
    assert_eq!(kind, SqlFaultKind::Interrupted);
    instance.stop().unwrap();
    let told = refused(engine, &server(Encryption::Verified), &[]).message;
    assert!(told.contains("certificate"), "{told}");
    assert_eq!(foreign.databases(), Vec::<String>::new());
}
