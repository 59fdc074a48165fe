//! Where an instance lives: in a private server, or in a database of its own on somebody else's.

use std::ffi::OsString;
use std::fs;
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rsfbclient::prelude::TransactionConfiguration;
use rsfbclient::{Execute as _, FbError, PureRustConnectionBuilder, builder_pure_rust};

use super::super::{Encryption, Password, Server, Start, files};
use super::configuration::{make_databases, secret, told, write_configuration};
use super::connection::{FirebirdClient, WRITING, words};
use super::locks::{self, Locks};
use super::programs::Programs;
use super::setting::{self, FORCED_WRITES, PAGE_BUFFERS, is};
use crate::runner::fault::Fault;
use crate::runner::process::{Daemon, Request, Surroundings, free_port, run_within};
use crate::runner::stop::Deadline;

/// The folder of a server's own files, that of its locks, and that of what is passing.
pub(super) const ROOT: &str = "root";
const LOCK: &str = "lock";
pub(super) const PASSING: &str = "tmp";
pub(super) const LOG: &str = "server.log";
pub(super) const DATABASE: &str = "benchbook.fdb";
/// The file in which a copy finds the password that its users' database was made with.
const SECRET: &str = "secret";
pub(super) const USER: &str = "SYSDBA";
/// What every server has beside its program, as far as it is there.
const LIBRARY: [&str; 5] = ["intl", "plugins", "firebird.msg", "tzdata", "lib"];
/// How long a server may take to listen.
const PATIENCE: Duration = Duration::from_secs(20);
/// How often another port is tried.
const PORTS: u32 = 3;
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 200;

/// How connections are made.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) host: String,
    pub(super) port: u16,
    user: String,
    password: Password,
}

impl Door {
    fn builder(
        &self,
        database: &str,
        transaction: TransactionConfiguration,
    ) -> PureRustConnectionBuilder {
        let mut builder = builder_pure_rust();
        builder
            .host(&self.host)
            .port(self.port)
            .user(&self.user)
            .pass(self.password.reveal())
            .db_name(database)
            .stmt_cache_size(STATEMENTS)
            .transaction(transaction);
        builder
    }

    pub(super) fn open(&self, database: &str) -> Result<FirebirdClient, FbError> {
        self.builder(database, WRITING).connect()
    }

    fn create(&self, database: &str, page_size: Option<u32>) -> Result<FirebirdClient, FbError> {
        let mut builder = self.builder(database, WRITING);
        if let Some(size) = page_size {
            // The client writes the number's bytes in the order in which Firebird doesn't read them. Were that mended,
            // the size that is read back would be another and no trial would begin.
            builder.page_size(u32::from_be_bytes(size.to_le_bytes()));
        }
        builder.create_database()
    }
}

/// A server of its own, with what its tools need.
pub(super) struct Private {
    daemon: Mutex<Daemon>,
    programs: &'static Programs,
    folder: PathBuf,
    log: PathBuf,
    surroundings: Surroundings,
}

impl Private {
    fn daemon(&self) -> MutexGuard<'_, Daemon> {
        self.daemon.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs one of Firebird's programs, who finds user and password in its environment.
    pub(super) fn run(
        &self,
        words: &[OsString],
        log: &Path,
        deadline: &Deadline,
    ) -> Result<String, Fault> {
        let command = files::command(words);
        run_within(&command, &self.folder, log, deadline, &self.surroundings)?.output()
    }

    /// The programs, for those who run them.
    pub(super) fn programs(&self) -> &'static Programs {
        self.programs
    }

    /// The log of the server and of its tools.
    pub(super) fn log(&self) -> &Path {
        &self.log
    }

    /// The head of the lock table of a database; nothing while there is none.
    pub(super) fn locks(&self, database: &str) -> Option<Locks> {
        let mut program = std::process::Command::new(&self.programs.lock_print);
        let variables = self.surroundings.variables.iter();
        program
            .args(["-d", database])
            .envs(variables.map(|(name, value)| (name, value)))
            .stdin(std::process::Stdio::null());
        let output = program.output().ok()?;
        locks::parse(&String::from_utf8_lossy(&output.stdout))
    }

    /// Ends the server at once: nobody asks it any more.
    pub(super) fn kill(&self) {
        self.daemon().kill();
    }
}

/// Where an instance lives. Dropping it leaves nothing behind.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) door: Door,
    /// The database of the workloads, as connections name it.
    pub(super) database: String,
    /// A server of its own; none on somebody else's, whose database is removed in the end.
    pub(super) private: Option<Arc<Private>>,
}

impl Place {
    pub(super) fn find(start: &Start<'_>) -> Result<(Self, FirebirdClient), Fault> {
        match start.server {
            None => private(start, &free_port),
            Some(server) => address(start, server),
        }
    }

    /// Ends the server, or removes the database.
    pub(super) fn leave(&self) -> Result<(), Fault> {
        let Some(private) = &self.private else {
            return remove(&self.door, &self.database);
        };
        let mut daemon = private.daemon();
        if let Some(end) = daemon.ended() {
            // Those that it has started for connections may still be there.
            daemon.kill();
            let fault = Fault::failed(format!("the server had ended before: it {end}"));
            return Err(fault.with_log(&daemon.log_tail()));
        }
        // It hears the signal sometimes and sometimes not. Without connections nothing is lost by force.
        daemon.end(Request::Terminate, Duration::from_millis(1500));
        Ok(())
    }

    pub(super) fn gone(&self) -> Option<String> {
        self.private.as_ref()?.daemon().gone()
    }

    pub(super) fn log_tail(&self) -> String {
        self.private
            .as_ref()
            .map_or_else(String::new, |private| private.daemon().log_tail())
    }
}

/// A private server; `draw` gives ports to try.
pub(super) fn private(
    start: &Start<'_>,
    draw: &dyn Fn() -> Result<u16, Fault>,
) -> Result<(Place, FirebirdClient), Fault> {
    let programs = Programs::find().map_err(|lacks| {
        Fault::unsupported(format!("Firebird can't be started: {lacks} isn't here"))
    })?;
    let folder = fs::canonicalize(start.folder).unwrap_or_else(|_| start.folder.to_owned());
    let making = |error: std::io::Error| {
        Fault::failed(format!("the server's folder can't be made: {error}"))
    };
    for name in [ROOT, LOCK, PASSING] {
        fs::create_dir(folder.join(name)).map_err(making)?;
    }
    let password = match start.from {
        Some(from) => {
            for name in [SECRET, DATABASE] {
                let source = from.join(name);
                fs::copy(&source, folder.join(name)).map_err(|error| {
                    Fault::failed(format!("{} can't be copied: {error}", source.display()))
                })?;
            }
            let users = from.join(ROOT).join("security.fdb");
            fs::copy(users, folder.join(ROOT).join("security.fdb")).map_err(making)?;
            fs::read_to_string(folder.join(SECRET)).map_err(making)?
        }
        None => secret(&folder.join(SECRET)).map_err(making)?,
    };
    for name in LIBRARY {
        let there = programs.library.join(name);
        #[cfg(unix)]
        if there.exists() {
            std::os::unix::fs::symlink(there, folder.join(ROOT).join(name)).map_err(making)?;
        }
        #[cfg(not(unix))]
        drop(there);
    }
    let variable = |name, below: &str| (name, folder.join(below).into_os_string());
    let surroundings = Surroundings {
        variables: vec![
            variable("FIREBIRD", ROOT),
            variable("FIREBIRD_LOCK", LOCK),
            variable("FIREBIRD_TMP", PASSING),
            ("ISC_USER", USER.into()),
            ("ISC_PASSWORD", password.clone().into()),
        ],
        account: None,
    };
    if start.from.is_none() {
        make_databases(start, programs, &folder, &password, &surroundings)?;
    }
    let door = Door {
        host: Ipv4Addr::LOCALHOST.to_string(),
        port: 0,
        user: USER.to_owned(),
        password: Password::new(password),
    };
    serve(start, programs, folder, door, surroundings, draw)
}

fn serve(
    start: &Start<'_>,
    programs: &'static Programs,
    folder: PathBuf,
    mut door: Door,
    surroundings: Surroundings,
    draw: &dyn Fn() -> Result<u16, Fault>,
) -> Result<(Place, FirebirdClient), Fault> {
    let log = folder.join(LOG);
    let mut tries = 0;
    let daemon = loop {
        // A port of an earlier server isn't free at once, so each has its own.
        door.port = draw()?;
        write_configuration(programs, &folder, door.port, &told(start.settings))?;
        let command = files::command([&programs.server]);
        let mut daemon = Daemon::start(&command, &folder, &log, &surroundings)?;
        match daemon.await_ready(start.deadline, PATIENCE, || listens(&door, &folder)) {
            Ok(()) => break daemon,
            Err(fault) => {
                tries += 1;
                start.deadline.check()?;
                if tries >= PORTS {
                    return Err(fault);
                }
            }
        }
    };
    let database = folder.join(DATABASE).display().to_string();
    let private = Private {
        daemon: Mutex::new(daemon),
        programs,
        folder,
        log,
        surroundings,
    };
    let place = Place {
        door,
        database,
        private: Some(Arc::new(private)),
    };
    let opened = prepare(start, &place);
    opened
        .map(|client| (place.clone(), client))
        .map_err(|mut fault| {
            if fault.log.is_empty() {
                fault = fault.with_log(&place.log_tail());
            }
            match place.gone() {
                Some(end) => fault.with_end(&end),
                None => fault,
            }
        })
}

/// Whether it is this server that listens there, and not somebody who has taken the port before it: only this one
/// lets in who knows its password, and tells him then that there is no such database.
fn listens(door: &Door, folder: &Path) -> Result<(), String> {
    const PATIENCE: Duration = Duration::from_secs(5);
    TcpStream::connect((Ipv4Addr::LOCALHOST, door.port)).map_err(|error| error.to_string())?;
    let nothing = folder.join(PASSING).join("nothing.fdb");
    let (door, nothing) = (door.clone(), nothing.display().to_string());
    let (tell, told) = std::sync::mpsc::channel();
    // The client would wait for ever for somebody who doesn't answer.
    let asking = std::thread::Builder::new().name("firebird".to_owned());
    let asking = asking.spawn(move || {
        let _ = tell.send(door.open(&nothing).map(drop).map_err(|error| words(&error)));
    });
    asking.map_err(|error| error.to_string())?;
    match told.recv_timeout(PATIENCE) {
        Ok(Err(why)) if !is_absent(&why) => Err(why),
        Ok(_) => Ok(()),
        Err(_) => Err("somebody else listens on its port".to_owned()),
    }
}

/// Sets what stands in the database's head, and opens it.
fn prepare(start: &Start<'_>, place: &Place) -> Result<FirebirdClient, Fault> {
    let told = |error: FbError| Fault::failed(words(&error));
    let asked = |name: &str| {
        let mut settings = start.settings.iter().rev();
        settings
            .find(|asked| is(&asked.name, name))
            .map(|asked| asked.value.trim())
    };
    let Some(private) = &place.private else {
        return place.door.open(&place.database).map_err(told);
    };
    let target = format!("{}/{}:{}", place.door.host, place.door.port, place.database);
    let gfix = |option: &str, value: &str| {
        let words: [OsString; 4] = [
            private.programs.gfix.clone().into(),
            option.into(),
            value.into(),
            target.clone().into(),
        ];
        private.run(&words, &private.log, start.deadline).map(drop)
    };
    // What a copy's head says was asked for by another case.
    let is_copy = start.from.is_some();
    let forced = asked(FORCED_WRITES).and_then(setting::switch);
    if let Some(forced) = forced.or(is_copy.then_some(true)) {
        gfix("-write", if forced { "sync" } else { "async" })?;
    }
    if let Some(pages) = asked(PAGE_BUFFERS).or(is_copy.then_some("0")) {
        gfix("-buffers", pages)?;
    }
    place.door.open(&place.database).map_err(told)
}

fn address(start: &Start<'_>, server: &Server) -> Result<(Place, FirebirdClient), Fault> {
    let folder = server.database.as_deref().ok_or_else(|| {
        Fault::failed(
            "the address doesn't say in which folder on the server a database may be made: write it like \
             `firebird://user@host:3050//var/lib/firebird/data`",
        )
    })?;
    if server.encryption == Encryption::Verified {
        return Err(Fault::unsupported(
            "Firebird's encryption doesn't prove who the server is: `tls=verify-full` can't be had",
        ));
    }
    let door = Door {
        host: server.host.clone(),
        port: server.port.unwrap_or(3050),
        user: server.user.clone().unwrap_or_else(|| USER.to_owned()),
        password: server.password.clone().unwrap_or_default(),
    };
    let name = files::database_of(start.folder);
    let database = format!("{}/{name}.fdb", folder.trim_end_matches('/'));
    remove(&door, &database)?;
    let made = door.create(&database, setting::page_size(start.settings));
    let mut client = made.map_err(|error| {
        let why = words(&error);
        Fault::failed(format!(
            "can't make the database of the trial on the server: {why}"
        ))
    })?;
    let place = Place {
        door,
        database,
        private: None,
    };
    let wrong = match (server.encryption, is_encrypted(&mut client)) {
        (Encryption::Required, false) => "the server doesn't encrypt, which `tls` asks for",
        (Encryption::Off, true) => "the server encrypts, which `tls=disable` forbids",
        _ => return Ok((place, client)),
    };
    drop(client);
    let _ = place.leave();
    Err(Fault::failed(wrong))
}

fn is_encrypted(client: &mut FirebirdClient) -> bool {
    let sql = "SELECT RDB$GET_CONTEXT('SYSTEM', 'WIRE_ENCRYPTED') FROM RDB$DATABASE";
    let rows = super::connection::rows(client, sql, Vec::new());
    rows.is_ok_and(|rows| rows.first().and_then(|row| row.first()) == Some(&"TRUE".into()))
}

/// Removes a database, if it is there.
fn remove(door: &Door, database: &str) -> Result<(), Fault> {
    match door.open(database) {
        Ok(client) => drop_database(door, database, client).map_err(|error| {
            let why = words(&error);
            Fault::failed(format!(
                "can't remove the database of the trial on the server: {why}"
            ))
        }),
        Err(error) => {
            let why = words(&error);
            if is_absent(&why) {
                return Ok(());
            }
            Err(Fault::failed(format!("the server can't be reached: {why}")))
        }
    }
}

/// Removes a database with which somebody may still be connected; he is put out.
fn drop_database(door: &Door, database: &str, mut client: FirebirdClient) -> Result<(), FbError> {
    const TRIES: u32 = 40;
    let others = "DELETE FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID <> CURRENT_CONNECTION AND MON$SYSTEM_FLAG = 0";
    let mut tries = 0;
    loop {
        // Nobody may be there, or nobody who may be put out.
        let _ = client.execute(others, ());
        let Err(error) = client.drop_database() else {
            return Ok(());
        };
        tries += 1;
        if tries >= TRIES {
            return Err(error);
        }
        std::thread::sleep(Duration::from_millis(50));
        client = match door.open(database) {
            Ok(client) => client,
            Err(error) if is_absent(&words(&error)) => return Ok(()),
            Err(error) => return Err(error),
        };
    }
}

/// Puts a connection out, from another one to the same database.
pub(super) fn put_out(door: &Door, database: &str, connection: i64) -> Result<(), FbError> {
    let sql = "DELETE FROM MON$ATTACHMENTS WHERE MON$ATTACHMENT_ID = ?";
    let mut client = door.open(database)?;
    client.execute(sql, (connection,)).map(drop)
}

/// Whether a server says that there is no such database.
fn is_absent(why: &str) -> bool {
    let said = [
        "No such file",
        "CreateFile",
        "cannot find",
        "open\" for file",
    ];
    said.iter().any(|words| why.contains(words))
}
