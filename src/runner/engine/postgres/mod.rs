//! PostgreSQL: a private server for each trial, or a database of its own on a server by its address.

mod connection;
mod dialect;
mod events;
mod instance;
mod observe;
mod place;
mod setting;
mod shape;
#[cfg(test)]
mod tests;
mod value;
mod watch;

use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Apply, Availability, Engine, Instance, Requested, Start, files};
use crate::runner::fault::Fault;
use crate::runner::workload::Outcome;

/// The engine.
#[derive(Debug)]
pub(super) struct Postgres;

/// Where its programs are looked for, besides what Debian calls a folder of programs.
const PLACES: &[&str] = &[
    "/usr/lib/postgresql/*/bin/postgres",
    "/usr/pgsql-*/bin/postgres",
    "/usr/local/pgsql/bin/postgres",
    "/usr/local/bin/postgres",
    "/usr/bin/postgres",
    "/opt/homebrew/bin/postgres",
];

/// The programs of one version.
#[derive(Debug, Clone)]
struct Programs {
    /// Their folder.
    folder: PathBuf,
    /// The version as they tell it, such as `15.18`.
    version: String,
}

impl Programs {
    /// The newest that are here.
    fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Programs>> = OnceLock::new();
        FOUND.get_or_init(Self::look).as_ref()
    }

    fn look() -> Option<Self> {
        let server = files::find(PLACES)?;
        let output = std::process::Command::new(&server)
            .arg("--version")
            .output()
            .ok()?;
        let folder = server.parent()?.to_owned();
        let initdb = folder.join("initdb");
        let version = version(&String::from_utf8_lossy(&output.stdout))?;
        initdb.is_file().then_some(Self { folder, version })
    }

    /// The number of the major version.
    fn major(&self) -> u32 {
        major(&self.version)
    }
}

/// The version in `postgres (PostgreSQL) 15.18 (Debian …)`, or in what the server itself says.
fn version(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("PostgreSQL")?;
    let rest = rest.trim_start_matches(')').trim_start();
    let word = rest.split([' ', ',', '\n']).next()?;
    word.starts_with(|sign: char| sign.is_ascii_digit())
        .then(|| word.to_owned())
}

fn major(version: &str) -> u32 {
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

impl Engine for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn probe(&self) -> Availability {
        match Programs::find() {
            Some(programs) => Availability::Ready(format!("PostgreSQL {}", programs.version)),
            None => Availability::Missing {
                what: "the programs `postgres` and `initdb` aren't here".to_owned(),
                help: "install the package `postgresql` (`apt-get install postgresql` on Debian and Ubuntu) or \
                       `postgresql-server` (`dnf install postgresql-server` on Fedora); its service needn't run"
                    .to_owned(),
            },
        }
    }

    fn apply(&self, setting: &str) -> Apply {
        setting::apply(setting)
    }

    fn refuse(&self, asked: &Requested, elsewhere: bool) -> Option<String> {
        let here = Programs::find().filter(|_| !elsewhere);
        setting::refuse(asked, here.map(Programs::major))
    }

    fn results(&self) -> &'static [Outcome] {
        observe::RESULTS
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["postgres", "postgresql"]
    }

    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        Ok(Box::new(instance::start(start)?))
    }
}
