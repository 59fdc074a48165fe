//! Where an instance lives: in a private server, or in a database of its own on somebody else's.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mysql::consts::CapabilityFlags;
use mysql::prelude::Queryable as _;
use mysql::{Conn, DriverError, Error, OptsBuilder, SslOpts};

use super::super::{Encryption, Password, Requested, Server, Start, files};
use super::connection::words;
use super::setting::{self, LOG_CAPACITY, LOG_FILE_SIZE, LOG_RESIZE, spelled, variable};
use super::{Programs, Version};
use crate::runner::fault::Fault;
use crate::runner::process::{Daemon, Request, Sockets, Surroundings, run_within, unprivileged};

/// The folder of the data within the instance's own.
const DATA: &str = "data";
const LOG: &str = "server.log";
const OPTIONS: &str = "server.cnf";
/// The database of the workloads on a private server.
const DATABASE: &str = "benchbook";
/// What a stopped server leaves and a copy needn't have.
const LEFT: &[&str] = &["ib_buffer_pool", "ibtmp1", "server.pid"];
/// How long a server may take to be ready: it may have to go through its log first.
const PATIENCE: Duration = Duration::from_secs(120);
/// Statements that a connection keeps prepared.
const STATEMENTS: usize = 200;

/// What a private server is told beside what a case asks for; the places of its files are among it. What it keeps
/// in memory isn't written down at its end nor read again at its start, so that all trials begin alike.
const FIXED: &[&str] = &[
    "skip-networking",
    "skip-name-resolve",
    "skip-log-bin",
    "local-infile=1",
    "innodb-buffer-pool-dump-at-shutdown=OFF",
    "innodb-buffer-pool-load-at-startup=OFF",
];

/// How connections are made.
#[derive(Clone)]
pub(super) struct Door {
    options: OptsBuilder,
    encryption: Encryption,
}

impl Door {
    pub(super) fn open(&self) -> Result<Conn, Error> {
        let encrypted = |is_proven: bool| {
            let options = SslOpts::default()
                .with_danger_skip_domain_validation(!is_proven)
                .with_danger_accept_invalid_certs(!is_proven);
            Conn::new(self.options.clone().ssl_opts(options))
        };
        match self.encryption {
            Encryption::Off => Conn::new(self.options.clone()),
            Encryption::Required => encrypted(false),
            Encryption::Verified => encrypted(true),
            Encryption::Preferred => match encrypted(false) {
                Err(Error::DriverError(DriverError::TlsNotSupported)) => {
                    Conn::new(self.options.clone())
                }
                other => other,
            },
        }
    }

    /// What asks the server to end the statement of a connection.
    pub(super) fn canceller(&self, conn: &Conn) -> impl Fn() + Send + 'static {
        let (door, id) = (self.clone(), conn.connection_id());
        move || {
            // It is asked again, if it comes to nothing.
            if let Ok(mut conn) = door.open() {
                let _ = conn.query_drop(format!("KILL QUERY {id}"));
            }
        }
    }
}

/// The end of a server's log, with its errors before that. When it gives up it writes a report that is longer than what
/// is kept, and calls a full disk by its number.
fn tail(daemon: &Daemon) -> String {
    let tail = daemon.log_tail_with(|line| line.contains("[ERROR]"));
    if tail.contains("error 28") || tail.contains("Error number 28") {
        return format!("{tail}# error 28: no space left on device\n");
    }
    tail
}

/// Where an instance lives. Dropping it leaves nothing behind.
pub(super) enum Place {
    /// In a server of its own.
    Private {
        daemon: Daemon,
        _sockets: Sockets,
        door: Door,
    },
    /// In a database of its own.
    Address {
        /// Leads to no database.
        first: Door,
        door: Door,
        name: String,
    },
}

impl Place {
    pub(super) fn door(&self) -> &Door {
        match self {
            Self::Private { door, .. } | Self::Address { door, .. } => door,
        }
    }

    pub(super) fn find(start: &Start<'_>) -> Result<Self, Fault> {
        match start.server {
            None => private(start),
            Some(server) => address(start, server),
        }
    }

    /// Ends the server, or removes the database.
    pub(super) fn leave(&mut self) -> Result<(), Fault> {
        const PATIENCE: Duration = Duration::from_secs(60);
        match self {
            Self::Private { daemon, .. } => {
                if let Some(end) = daemon.ended() {
                    let fault = Fault::failed(format!("the server had ended before: it {end}"));
                    return Err(fault.with_log(&tail(daemon)));
                }
                if daemon.end(Request::Terminate, PATIENCE) {
                    return Ok(());
                }
                let fault = Fault::failed("the server didn't end and was killed");
                Err(fault.with_log(&tail(daemon)))
            }
            Self::Address { first, name, .. } => remove(first, name),
        }
    }

    pub(super) fn gone(&mut self) -> Option<String> {
        match self {
            Self::Private { daemon, .. } => daemon.gone(),
            Self::Address { .. } => None,
        }
    }

    pub(super) fn log_tail(&self) -> String {
        match self {
            Self::Private { daemon, .. } => tail(daemon),
            Self::Address { .. } => String::new(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Self::Address { first, name, .. } = self {
            let _ = remove(first, name);
        }
    }
}

fn private(start: &Start<'_>) -> Result<Place, Fault> {
    let programs = Programs::find().ok_or_else(|| Fault::unsupported("MariaDB isn't here"))?;
    let data = start.folder.join(DATA);
    let sockets = Sockets::make(start.folder, None)?;
    write_options(start, programs, &sockets)?;
    match start.from {
        Some(from) => files::copy(&from.join(DATA), &data, LEFT)?,
        None => initialise(start, programs, &data, sockets.path())?,
    }
    let log = start.folder.join(LOG);
    let defaults = path("--defaults-file=", &start.folder.join(OPTIONS));
    let command = files::command([programs.server.clone(), defaults]);
    let mut daemon = Daemon::start(&command, start.folder, &log, &Surroundings::default())?;
    let options = OptsBuilder::new()
        .socket(Some(sockets.path().join("s").to_string_lossy()))
        .user(Some("root"));
    let first = Door {
        options: usual(options),
        encryption: Encryption::Off,
    };
    let ready = || {
        let made = first.open().and_then(|mut conn| {
            conn.query_drop(format!("CREATE DATABASE IF NOT EXISTS {DATABASE}"))
        });
        made.map_err(|error| words(&error))
    };
    daemon.await_ready(start.deadline, PATIENCE, ready)?;
    let door = Door {
        options: first
            .options
            .db_name(Some(DATABASE))
            .init(of_sessions(start)),
        encryption: Encryption::Off,
    };
    Ok(Place::Private {
        daemon,
        _sockets: sockets,
        door,
    })
}

/// What all connections have in common. Rows that were found count as changed even if they were as they should
/// be already, as on every other engine.
fn usual(options: OptsBuilder) -> OptsBuilder {
    options
        .prefer_socket(false)
        .stmt_cache_size(STATEMENTS)
        .additional_capabilities(CapabilityFlags::CLIENT_FOUND_ROWS)
}

fn path(before: &str, path: &Path) -> PathBuf {
    let mut text = std::ffi::OsString::from(before);
    text.push(path);
    text.into()
}

/// Writes the file that the server reads its settings from, and no other.
fn write_options(start: &Start<'_>, programs: &Programs, sockets: &Sockets) -> Result<(), Fault> {
    let quoted = |path: PathBuf| {
        path.to_string_lossy()
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
    };
    let mut text = String::from("[mysqld]\n");
    let mut line = |name: &str, value: String| text.push_str(&format!("{name} = \"{value}\"\n"));
    line("datadir", quoted(start.folder.join(DATA)));
    line("tmpdir", quoted(start.folder.to_owned()));
    line(
        "pid-file",
        quoted(start.folder.join(DATA).join("server.pid")),
    );
    line("socket", quoted(sockets.path().join("s")));
    // It runs as the administrator only if it is told so in so many words.
    if unprivileged(&["root"]).is_ok_and(|root| root.is_some()) {
        line("user", "root".to_owned());
    }
    for fixed in FIXED {
        text.push_str(fixed);
        text.push('\n');
    }
    if !programs.version.is_mysql {
        text.push_str("skip-log-slave-updates\n");
    }
    for Requested { name, value } in asked(start, programs.version) {
        text.push_str(&format!(
            "{name} = \"{}\"\n",
            spelled(value).replace('"', "\\\"")
        ));
    }
    let path = start.folder.join(OPTIONS);
    let mut options = fs::File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options
        .open(&path)
        .and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| Fault::failed(format!("{OPTIONS} can't be written: {error}")))
}

/// What a case asks for and the server is told when it starts.
fn asked<'a>(start: &'a Start<'_>, version: Version) -> impl Iterator<Item = &'a Requested> {
    let is_online = is_resized_online(start, version);
    start.settings.iter().filter(move |asked| {
        let name = variable(&asked.name);
        let is_log = [LOG_FILE_SIZE, LOG_CAPACITY].contains(&&*name);
        name != LOG_RESIZE && !setting::is_of_session(&name) && !(is_log && is_online)
    })
}

/// Whether the size of the log is to be changed while the server runs.
pub(super) fn is_resized_online(start: &Start<'_>, version: Version) -> bool {
    let mut settings = start.settings.iter();
    let is_wanted =
        settings.any(|asked| variable(&asked.name) == LOG_RESIZE && asked.value.trim() == "online");
    is_wanted && setting::resizes_online(version)
}

/// Makes the folder of an empty server. MariaDB's script for that takes no path with blanks, so it is given another
/// way to the folder.
fn initialise(
    start: &Start<'_>,
    programs: &Programs,
    data: &Path,
    short: &Path,
) -> Result<(), Fault> {
    let way = short.join(DATA);
    #[cfg(unix)]
    if programs.installer.is_some() {
        let made = fs::create_dir(data).and_then(|()| std::os::unix::fs::symlink(data, &way));
        made.map_err(|error| Fault::failed(format!("{} can't be made: {error}", way.display())))?;
    }
    let data = if cfg!(unix) && programs.installer.is_some() {
        &way
    } else {
        data
    };
    let log = start.folder.join(LOG);
    let mut words: Vec<PathBuf> = Vec::new();
    match &programs.installer {
        Some(installer) => {
            words.extend([
                installer.clone(),
                "--no-defaults".into(),
                path("--datadir=", data),
            ]);
            words.push("--auth-root-authentication-method=normal".into());
            words.push("--skip-test-db".into());
            if unprivileged(&["root"]).is_ok_and(|root| root.is_some()) {
                words.push("--user=root".into());
            }
        }
        None => {
            let defaults = path("--defaults-file=", &start.folder.join(OPTIONS));
            words.extend([
                programs.server.clone(),
                defaults,
                "--initialize-insecure".into(),
            ]);
        }
    }
    // Everything else is told when the server starts for good.
    for asked in start
        .settings
        .iter()
        .filter(|asked| setting::is_of_data(&asked.name))
    {
        words.push(format!("--{}={}", variable(&asked.name), spelled(&asked.value)).into());
    }
    let none = Surroundings::default();
    run_within(
        &files::command(words),
        start.folder,
        &log,
        start.deadline,
        &none,
    )
    .map(drop)
}

/// The statements by which each connection gets what belongs to sessions. Some of these settings the server doesn't
/// take when it starts; on somebody else's, whether all others are as asked for is found out by reading them.
fn of_sessions(start: &Start<'_>) -> Vec<String> {
    let own = start.settings.iter();
    own.filter(|asked| setting::is_of_session(&asked.name))
        .map(|asked| {
            let (name, value) = (variable(&asked.name), spelled(&asked.value));
            let is_number = value.parse::<f64>().is_ok();
            let quoted = value.replace('\\', "\\\\").replace('\'', "''");
            let value = if is_number {
                value
            } else {
                format!("'{quoted}'")
            };
            format!("SET SESSION {name} = {value}")
        })
        .collect()
}

fn address(start: &Start<'_>, server: &Server) -> Result<Place, Fault> {
    let mut options = OptsBuilder::new()
        .ip_or_hostname(Some(server.host.clone()))
        .tcp_port(server.port.unwrap_or(3306))
        .user(Some(server.user.as_deref().unwrap_or("root")))
        .tcp_connect_timeout(Some(Duration::from_secs(15)));
    if let Some(password) = &server.password {
        options = options.pass(Some(Password::reveal(password)));
    }
    let first = Door {
        options: usual(options.clone()),
        encryption: server.encryption,
    };
    let name = files::database_of(start.folder);
    remove(&first, &name)?;
    run(&first, &format!("CREATE DATABASE {name}"), "make")?;
    let door = Door {
        options: usual(options)
            .db_name(Some(name.clone()))
            .init(of_sessions(start)),
        encryption: server.encryption,
    };
    Ok(Place::Address { first, door, name })
}

fn remove(first: &Door, name: &str) -> Result<(), Fault> {
    run(first, &format!("DROP DATABASE IF EXISTS {name}"), "remove")
}

fn run(first: &Door, sql: &str, what: &str) -> Result<(), Fault> {
    let mut conn = first.open().map_err(|error| {
        let why = match &error {
            Error::DriverError(DriverError::TlsNotSupported) => {
                "it doesn't offer encryption, which `tls` asks for".to_owned()
            }
            error => words(error),
        };
        Fault::failed(format!("the server can't be reached: {why}"))
    })?;
    conn.query_drop(sql).map_err(|error| {
        let why = words(&error);
        Fault::failed(format!(
            "can't {what} the database of the trial on the server: {why}"
        ))
    })
}
