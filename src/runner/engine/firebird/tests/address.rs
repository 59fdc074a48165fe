//! A database on somebody else's server: here it is another private one.

use super::*;
use crate::runner::engine::{Encryption, Password, files};
use crate::runner::process::free_port;

struct Foreign {
    instance: Option<Box<dyn Instance>>,
    home: Home,
    port: u16,
    secret: String,
}

impl Foreign {
    fn new(engine: &dyn Engine, settings: &[(&str, &str)]) -> Self {
        let home = Home::new();
        let instance = home.start(engine, settings);
        let root = home.folder().join("root");
        let text = fs::read_to_string(root.join("firebird.conf")).unwrap();
        let port = text
            .lines()
            .find_map(|line| line.strip_prefix("RemoteServicePort = "));
        let port = port.unwrap().parse().unwrap();
        let secret = fs::read_to_string(home.folder().join("secret")).unwrap();
        fs::create_dir(home.temp.path().join("databases")).unwrap();
        Self {
            instance: Some(instance),
            home,
            port,
            secret,
        }
    }

    fn folder(&self) -> PathBuf {
        self.home.temp.path().join("databases")
    }

    fn server(&self) -> Server {
        Server {
            scheme: "firebird".into(),
            host: "127.0.0.1".into(),
            port: Some(self.port),
            user: None,
            password: Some(Password::new(&self.secret)),
            database: Some(self.folder().display().to_string()),
            encryption: Encryption::Preferred,
        }
    }

    /// The databases that trials have made.
    fn databases(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder()).unwrap().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    fn refused(&self, engine: &dyn Engine, server: &Server, settings: &[(&str, &str)]) -> String {
        let home = Home::new();
        let started = home.try_start(engine, None, settings, &limit(), Some(server));
        let fault = started.err().unwrap();
        for told in [&fault.message, &fault.log, &format!("{fault:?}")] {
            assert!(
                !told.contains(&self.secret) && !told.contains("other secret"),
                "{told}"
            );
        }
        fault.message
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        if let (Some(instance), false) = (self.instance.take(), std::thread::panicking()) {
            instance.stop().unwrap();
        }
    }
}

#[test]
fn a_database_of_its_own_is_made_and_removed() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let foreign = Foreign::new(engine, &[("DefaultDbCachePages", "300")]);
    let home = Home::new();
    let start = |settings: &[(&str, &str)]| {
        let server = foreign.server();
        home.try_start(engine, None, settings, &limit(), Some(&server))
    };
    let asked = [
        ("page_size", "16384"),
        ("DefaultDbCachePages", "300"),
        ("ServerMode", "Super"),
        ("forced_writes", "on"),
    ];
    let instance = start(&asked).unwrap();
    assert!(!instance.keeps_data());
    assert!(instance.backup().is_none());
    let name = format!("{}.fdb", files::database_of(&home.folder()));
    assert_eq!(foreign.databases(), [name]);
    let mut connection = instance.connect().unwrap();
    create(&mut *connection, &*instance);
    let file = home.file("1,,2.50,a b\n");
    assert_eq!(connection.load(&TABLE, &file), Ok(1));
    for (setting, asked) in asked {
        let effective = instance.effective(setting).unwrap().unwrap();
        assert!(
            instance.is_same(setting, asked, &effective),
            "{setting}: {effective}"
        );
    }
    instance.flush().unwrap();
    instance.mark().unwrap();
    let mut watches = instance.watches().unwrap();
    assert_eq!(watches.len(), 1);
    watches[0].read(&mut |_, _| {}).unwrap();
    drop(watches);
    assert!(!instance.observed().unwrap().values.is_empty());
    assert_eq!(instance.check_soundness(), Ok(()));
    for (name, value) in instance.all_settings().unwrap() {
        assert!(!value.contains('/'), "{name} {value}");
    }
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
    // What is still connected is put out.
    let instance = start(&[]).unwrap();
    let _open = instance.connect().unwrap();
    instance.stop().unwrap();
    assert_eq!(foreign.databases(), Vec::<String>::new());
}

#[test]
fn statements_do_not_outlive_their_trial_there() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    for mode in ["Super", "Classic"] {
        let foreign = Foreign::new(engine, &[("ServerMode", mode)]);
        let (home, stop) = (Home::new(), Stop::default());
        let deadline = stop.limit(Duration::from_secs(300));
        let server = foreign.server();
        let instance = home
            .try_start(engine, None, &[], &deadline, Some(&server))
            .unwrap();
        let mut connection = instance.connect().unwrap();
        let fault = std::thread::scope(|scope| {
            let working = scope.spawn(|| connection.query(ENDLESS, &[]).unwrap_err());
            std::thread::sleep(Duration::from_millis(200));
            stop.drop_trial();
            working.join().unwrap()
        });
        assert_eq!(fault.kind, SqlFaultKind::Interrupted, "{fault:?}");
        drop(connection);
        instance.stop().unwrap();
        assert_eq!(foreign.databases(), Vec::<String>::new());
    }
}

#[test]
fn who_can_not_come_in_is_told_why() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let foreign = Foreign::new(engine, &[]);
    let server = foreign.server();
    let refused = |server: &Server| foreign.refused(engine, server, &[]);
    let wrong = Server {
        password: Some(Password::new("other secret")),
        ..server.clone()
    };
    let told = refused(&wrong);
    assert!(
        told.contains("can't be reached") && told.contains("password"),
        "{told}"
    );
    let nobody = Server {
        port: Some(free_port().unwrap()),
        ..server.clone()
    };
    assert!(refused(&nobody).contains("can't be reached"));
    let unsaid = Server {
        database: None,
        ..server.clone()
    };
    assert!(refused(&unsaid).contains("in which folder"));
    let nowhere = Server {
        database: Some("/proc/no/such/folder".into()),
        ..server.clone()
    };
    let told = refused(&nowhere);
    assert!(told.contains("can't make the database"), "{told}");
    let plain = Server {
        encryption: Encryption::Required,
        ..server.clone()
    };
    let told = refused(&plain);
    assert!(told.contains("doesn't encrypt"), "{told}");
    let proven = Server {
        encryption: Encryption::Verified,
        ..server.clone()
    };
    assert!(refused(&proven).contains("verify-full"));
    // What can be neither set nor read there is not passed over.
    let told = foreign.refused(engine, &server, &[("TempCacheLimit", "64M")]);
    assert!(told.contains("`TempCacheLimit`"), "{told}");
    let asked = |name: &str| Requested {
        name: name.to_owned(),
        value: "30011".to_owned(),
    };
    let told = engine.refuse(&asked("LockHashSlots"), true).unwrap();
    assert!(told.contains("only a private server"), "{told}");
    assert_eq!(engine.refuse(&asked("TempCacheLimit"), true), None);
    assert_eq!(engine.refuse(&asked("LockHashSlots"), false), None);
    assert_eq!(foreign.databases(), Vec::<String>::new());
}

#[test]
fn what_is_said_is_encrypted_where_that_is_asked_for() {
    let Some(engine) = usable("firebird") else {
        return;
    };
    let foreign = Foreign::new(engine, &[("WireCrypt", "Enabled")]);
    let home = Home::new();
    let server = Server {
        encryption: Encryption::Required,
        ..foreign.server()
    };
    let instance = home
        .try_start(engine, None, &[], &limit(), Some(&server))
        .unwrap();
    let mut connection = instance.connect().unwrap();
    let sql = "SELECT RDB$GET_CONTEXT('SYSTEM', 'WIRE_ENCRYPTED') FROM RDB$DATABASE";
    assert_eq!(answer(&mut *connection, sql), "TRUE".into());
    drop(connection);
    instance.stop().unwrap();
    let off = Server {
        encryption: Encryption::Off,
        ..foreign.server()
    };
    let told = foreign.refused(engine, &off, &[]);
    assert!(told.contains("encrypts"), "{told}");
}
