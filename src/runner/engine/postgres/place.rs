//! Where an instance lives: in a private server, or in a database of its own on somebody else's.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use postgres::config::SslMode;
use postgres::{Client, Config, NoTls};
use rustls::ClientConfig;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::super::tls;
use super::super::{Encryption, Password, Requested, Server, Start, files};
use super::connection::words;
use super::setting::{DATA_CHECKSUMS, FILLFACTOR, WAL_SEGMENT_SIZE, spelled};
use super::{Programs, setting};
use crate::runner::fault::Fault;
use crate::runner::process::{
    Account, Daemon, Request, Sockets, Surroundings, can_reach, give, run_within, unprivileged,
};

/// The user of a private server; only who owns its socket's folder can be that.
const USER: &str = "benchbook";
/// The database to connect to first.
const FIRST: &str = "postgres";
/// The database of a private server to watch from, so that looks aren't counted among the commits of the other.
const ASIDE: &str = "template1";
/// The name under which connections are known to the server that aren't a workload's.
pub(super) const CONTROL: &str = "benchbook control";
/// The first version that is known.
const OLDEST: u32 = 13;
/// The folder of the data within the instance's own.
const CLUSTER: &str = "cluster";
const LOG: &str = "server.log";
/// Names the socket; no port is opened.
const PORT: u16 = 5432;
/// What a stopped server leaves and a copy must not have.
const LEFT: &[&str] = &["postmaster.pid", "postmaster.opts"];
/// How long a server may take to be ready: it may have to go through its log first.
const PATIENCE: Duration = Duration::from_secs(60);

/// How connections are made.
#[derive(Clone)]
pub(super) struct Door {
    pub(super) config: Config,
    tls: Option<Arc<ClientConfig>>,
}

impl Door {
    /// Opens a connection under a name by which the server knows it.
    pub(super) fn open(&self, name: &str) -> Result<Client, postgres::Error> {
        let mut config = self.config.clone();
        config.application_name(name);
        match &self.tls {
            Some(tls) => config.connect(MakeRustlsConnect::new((**tls).clone())),
            None => config.connect(NoTls),
        }
    }

    /// What asks the server to end the statement of a connection.
    pub(super) fn canceller(&self, client: &Client) -> impl Fn() + Send + 'static {
        let (token, tls) = (client.cancel_token(), self.tls.clone());
        move || {
            // It is asked again, if it comes to nothing.
            let _ = match &tls {
                Some(tls) => token.cancel_query(MakeRustlsConnect::new((**tls).clone())),
                None => token.cancel_query(NoTls),
            };
        }
    }
}

/// Where an instance lives. Dropping it leaves nothing behind.
pub(super) enum Place {
    /// In a server of its own.
    Private {
        daemon: Daemon,
        _sockets: Sockets,
        aside: Door,
        door: Door,
    },
    /// In a database of its own.
    Address {
        /// Leads to the database that was there before.
        first: Door,
        door: Door,
        name: String,
        is_left: bool,
    },
}

impl Place {
    pub(super) fn door(&self) -> &Door {
        match self {
            Self::Private { door, .. } | Self::Address { door, .. } => door,
        }
    }

    /// Leads to another database of the same server.
    pub(super) fn aside(&self) -> &Door {
        match self {
            Self::Private { aside: door, .. } | Self::Address { first: door, .. } => door,
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
        // It writes what it has in memory first.
        const PATIENCE: Duration = Duration::from_secs(120);
        match self {
            Self::Private { daemon, .. } => {
                // It may end while it is asked to.
                let had_ended = daemon.ended().is_some();
                if !daemon.end(Request::Interrupt, PATIENCE) {
                    let fault = Fault::failed("the server didn't end and was killed");
                    return Err(fault.with_log(&daemon.log_tail()));
                }
                if !had_ended && daemon.ended_well() {
                    return Ok(());
                }
                let end = daemon.ended().unwrap_or_default();
                let fault = Fault::failed(format!("the server ended before its time: it {end}"));
                Err(fault.with_log(&daemon.log_tail()))
            }
            Self::Address {
                first,
                name,
                is_left,
                ..
            } => {
                if std::mem::replace(is_left, true) {
                    return Ok(());
                }
                remove(&mut enter(first)?, name)
            }
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
            Self::Private { daemon, .. } => daemon.log_tail(),
            Self::Address { .. } => String::new(),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        match self {
            // Nobody wants its data any more, so they needn't reach the disk; and one in trouble may not come to
            // an end otherwise.
            Self::Private { daemon, .. } => {
                const PATIENCE: Duration = Duration::from_secs(15);
                daemon.end(Request::Quit, PATIENCE);
            }
            // There is nobody to tell.
            Self::Address { .. } => drop(self.leave()),
        }
    }
}

fn private(start: &Start<'_>) -> Result<Place, Fault> {
    let programs = Programs::find().ok_or_else(|| Fault::unsupported("PostgreSQL isn't here"))?;
    check_age(programs.major(), &programs.version)?;
    let account = unprivileged(&["postgres", "nobody"])?;
    if let Some(account) = &account {
        can_reach(start.folder, account)?;
        give(start.folder, account)?;
    }
    let surroundings = Surroundings {
        variables: Vec::new(),
        account: account.clone(),
    };
    let cluster = start.folder.join(CLUSTER);
    match start.from {
        Some(from) => {
            files::copy(&from.join(CLUSTER), &cluster, LEFT)?;
            if let Some(account) = &account {
                give(&cluster, account)?;
            }
        }
        None => initialise(start, programs, &cluster, &surroundings)?,
    }
    serve(start, programs, &cluster, account.as_ref(), &surroundings)
}

/// Makes the folder of an empty server.
fn initialise(
    start: &Start<'_>,
    programs: &Programs,
    cluster: &Path,
    surroundings: &Surroundings,
) -> Result<(), Fault> {
    let initdb = programs.folder.join("initdb");
    let mut words: Vec<PathBuf> = vec![initdb, "--pgdata".into(), cluster.into()];
    // What it writes reaches the disk before anything is measured.
    let fixed = [
        "--no-sync",
        "--auth=trust",
        "--no-locale",
        "--encoding=UTF8",
        "--username",
        USER,
    ];
    words.extend(fixed.map(PathBuf::from));
    for asked in start.settings {
        match &*asked.name.to_ascii_lowercase() {
            // From version 18 on it is the server's own default.
            DATA_CHECKSUMS if is_on(&asked.value) => words.push("--data-checksums".into()),
            DATA_CHECKSUMS if programs.major() >= 18 => words.push("--no-data-checksums".into()),
            WAL_SEGMENT_SIZE => {
                let size = setting::mebibytes(&asked.value).unwrap_or(16);
                words.push(format!("--wal-segsize={size}").into());
            }
            _ => {}
        }
    }
    let log = start.folder.join(LOG);
    run_within(
        &files::command(words),
        start.folder,
        &log,
        start.deadline,
        surroundings,
    )
    .map(drop)
}

fn is_on(value: &str) -> bool {
    ["on", "true", "yes", "1"].contains(&&*value.trim().to_ascii_lowercase())
}

fn serve(
    start: &Start<'_>,
    programs: &Programs,
    cluster: &Path,
    account: Option<&Account>,
    surroundings: &Surroundings,
) -> Result<Place, Fault> {
    let sockets = Sockets::make(start.folder, account)?;
    let mut arguments: Vec<PathBuf> = vec![
        programs.folder.join("postgres"),
        "-D".into(),
        cluster.into(),
    ];
    arguments.extend([
        "-k".into(),
        sockets.path().into(),
        "-p".into(),
        PORT.to_string().into(),
    ]);
    for assigned in ["listen_addresses=", "ssl=off"]
        .map(ToOwned::to_owned)
        .into_iter()
        .chain(start.settings.iter().filter_map(given))
    {
        arguments.extend(["-c".into(), assigned.into()]);
    }
    let log = start.folder.join(LOG);
    let mut daemon = Daemon::start(&files::command(arguments), start.folder, &log, surroundings)?;
    let mut config = Config::new();
    config
        .host_path(sockets.path())
        .port(PORT)
        .user(USER)
        .dbname(FIRST);
    let mut config_aside = config.clone();
    config_aside.dbname(ASIDE);
    let door = Door { config, tls: None };
    let aside = Door {
        config: config_aside,
        tls: None,
    };
    let ready = || door.open(CONTROL).map_err(|error| words(&error));
    daemon.await_ready(start.deadline, PATIENCE, ready)?;
    Ok(Place::Private {
        daemon,
        _sockets: sockets,
        aside,
        door,
    })
}

/// Versions before the first that is known are refused.
fn check_age(major: u32, version: &str) -> Result<(), Fault> {
    if major >= OLDEST {
        return Ok(());
    }
    let message = format!("PostgreSQL {version} is too old; benchbook knows {OLDEST} and later");
    Err(Fault::unsupported(message))
}

/// A setting as the server takes it when it starts; none for those that belong to the data.
fn given(asked: &Requested) -> Option<String> {
    let name = asked.name.to_ascii_lowercase();
    let of_data = [FILLFACTOR, DATA_CHECKSUMS, WAL_SEGMENT_SIZE].contains(&&*name);
    (!of_data).then(|| format!("{name}={}", spelled(&asked.value)))
}

fn address(start: &Start<'_>, server: &Server) -> Result<Place, Fault> {
    let mut config = Config::new();
    config
        .host(&server.host)
        .port(server.port.unwrap_or(5432))
        .user(server.user.as_deref().unwrap_or("postgres"))
        .dbname(server.database.as_deref().unwrap_or(FIRST))
        .connect_timeout(Duration::from_secs(15));
    if let Some(password) = &server.password {
        config.password(Password::reveal(password));
    }
    let (mode, tls) = match server.encryption {
        Encryption::Off => (SslMode::Disable, None),
        Encryption::Preferred => (SslMode::Prefer, Some(tls::unproven()?)),
        Encryption::Required => (SslMode::Require, Some(tls::unproven()?)),
        Encryption::Verified => (SslMode::Require, Some(tls::proven()?)),
    };
    config.ssl_mode(mode);
    let first = Door {
        config: config.clone(),
        tls: tls.clone(),
    };
    let name = files::database_of(start.folder);
    let mut client = enter(&first)?;
    let asking = |error: postgres::Error| Fault::failed(words(&error));
    let version: String = client
        .query_one("SELECT current_setting('server_version')", &[])
        .map_err(asking)?
        .get(0);
    check_age(super::major(&version), &version)?;
    let sessions = "SELECT name FROM pg_settings WHERE context IN ('user', 'superuser', 'backend', 'superuser-backend')";
    let sessions = client.query(sessions, &[]).map_err(asking)?;
    let sessions: BTreeSet<String> = sessions.iter().map(|row| row.get(0)).collect();
    remove(&mut client, &name)?;
    // Sorted as in a private server, whatever the server's own way is.
    let make = format!(
        "CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
    );
    run(&mut client, &make, "make")?;
    config.dbname(&name);
    // Sessions get what is theirs; whether all else is as asked for is found out by reading it.
    let options: Vec<String> = start
        .settings
        .iter()
        .filter(|asked| {
            let is_one = |name: &String| name.eq_ignore_ascii_case(&asked.name);
            sessions.iter().any(is_one)
        })
        .filter_map(given)
        .map(|assigned| format!("-c {}", assigned.replace('\\', "\\\\").replace(' ', "\\ ")))
        .collect();
    config.options(&options.join(" "));
    let door = Door { config, tls };
    Ok(Place::Address {
        first,
        door,
        name,
        is_left: false,
    })
}

/// A connection to the database that was there before.
fn enter(first: &Door) -> Result<Client, Fault> {
    let entered = first.open(CONTROL);
    entered
        .map_err(|error| Fault::failed(format!("the server can't be reached: {}", words(&error))))
}

/// Removes the database, even where a killed runner's statements still run in it.
fn remove(client: &mut Client, name: &str) -> Result<(), Fault> {
    run(
        client,
        &format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
        "remove",
    )
}

fn run(client: &mut Client, sql: &str, what: &str) -> Result<(), Fault> {
    client.batch_execute(sql).map_err(|error| {
        let why = words(&error);
        Fault::failed(format!(
            "can't {what} the database of the trial on the server: {why}"
        ))
    })
}
