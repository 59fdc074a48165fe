//! MariaDB and MySQL, which speak the same language to clients: a private server for each trial, or a database of
//! its own on a server by its address.

mod age;
mod connection;
mod dialect;
mod instance;
mod observe;
mod place;
mod setting;
#[cfg(test)]
mod tests;
mod watch;

use std::path::PathBuf;
use std::sync::OnceLock;

use super::{Apply, Availability, Engine, Instance, Requested, Start, files};
use crate::runner::fault::Fault;
use crate::runner::workload::Outcome;

/// The engine.
#[derive(Debug)]
pub(super) struct MariaDb;

/// Where the server is looked for, MariaDB's before MySQL's.
const PLACES: &[&str] = &[
    "/usr/sbin/mariadbd",
    "/usr/libexec/mariadbd",
    "/usr/local/sbin/mariadbd",
    "/usr/local/bin/mariadbd",
    "/opt/homebrew/bin/mariadbd",
    "/usr/sbin/mysqld",
    "/usr/libexec/mysqld",
    "/usr/local/mysql/bin/mysqld",
    "/opt/homebrew/bin/mysqld",
];

/// Where what prepares MariaDB's folder is looked for.
const INSTALLERS: &[&str] = &[
    "/usr/bin/mariadb-install-db",
    "/usr/local/bin/mariadb-install-db",
    "/opt/homebrew/bin/mariadb-install-db",
];

/// Which of the two it is, and in which version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version {
    pub(super) is_mysql: bool,
    /// Major, minor and patch.
    pub(super) numbers: (u32, u32, u32),
}

impl Version {
    /// Reads what `SELECT VERSION()` or `--version` says: `10.11.19-MariaDB-0+deb12u1`, `8.0.36`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let start = text.find(|sign: char| sign.is_ascii_digit())?;
        let mut numbers = text[start..].split(|sign: char| !sign.is_ascii_digit());
        let mut next = || numbers.next()?.parse().ok();
        let numbers = (next()?, next()?, next().unwrap_or(0));
        let is_mysql = !text.to_ascii_lowercase().contains("maria");
        Some(Self { is_mysql, numbers })
    }

    /// Whether it is MariaDB of at least this version.
    pub(super) fn is_mariadb_from(self, major: u32, minor: u32) -> bool {
        !self.is_mysql && (self.numbers.0, self.numbers.1) >= (major, minor)
    }

    /// Whether it is MySQL of at least this version.
    pub(super) fn is_mysql_from(self, major: u32, minor: u32, patch: u32) -> bool {
        self.is_mysql && self.numbers >= (major, minor, patch)
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = if self.is_mysql { "MySQL" } else { "MariaDB" };
        let (major, minor, patch) = self.numbers;
        write!(out, "{name} {major}.{minor}.{patch}")
    }
}

/// The programs that are here.
#[derive(Debug, Clone)]
struct Programs {
    server: PathBuf,
    /// What prepares a folder; MySQL's server does that itself.
    installer: Option<PathBuf>,
    version: Version,
}

impl Programs {
    fn find() -> Option<&'static Self> {
        static FOUND: OnceLock<Option<Programs>> = OnceLock::new();
        FOUND.get_or_init(Self::look).as_ref()
    }

    fn look() -> Option<Self> {
        let server = files::find(PLACES)?;
        let output = std::process::Command::new(&server)
            .args(["--no-defaults", "--version"])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // The path of the program stands before it and may hold digits too.
        let (_, told) = text.split_once(" Ver ")?;
        let version = Version::parse(told)?;
        let installer = files::find(INSTALLERS).filter(|_| !version.is_mysql);
        (version.is_mysql || installer.is_some()).then_some(Self {
            server,
            installer,
            version,
        })
    }
}

impl Engine for MariaDb {
    fn name(&self) -> &'static str {
        "mariadb"
    }

    fn probe(&self) -> Availability {
        match Programs::find() {
            Some(programs) => Availability::Ready(programs.version.to_string()),
            None => Availability::Missing {
                what: "the programs `mariadbd` and `mariadb-install-db` aren't here, nor is `mysqld`".to_owned(),
                help: "install the packages `mariadb-server-core` and `mariadb-client` (`apt-get install \
                       mariadb-server-core mariadb-client` on Debian and Ubuntu) or `mariadb-server` (`dnf install \
                       mariadb-server` on Fedora); no service needs to run"
                    .to_owned(),
            },
        }
    }

    fn apply(&self, setting: &str) -> Apply {
        setting::apply(setting)
    }

    fn refuse(&self, asked: &Requested, elsewhere: bool) -> Option<String> {
        let here = Programs::find().filter(|_| !elsewhere);
        setting::refuse(asked, here.map(|programs| programs.version))
    }

    fn results(&self) -> &'static [Outcome] {
        observe::RESULTS
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["mysql", "mariadb"]
    }

    fn start(&self, start: &Start<'_>) -> Result<Box<dyn Instance>, Fault> {
        Ok(Box::new(instance::start(start)?))
    }
}

#[cfg(test)]
mod version_tests {
    use super::*;

    #[test]
    fn versions_say_which_of_the_two_it_is() {
        let maria =
            Version::parse("10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu").expect("a version");
        assert_eq!(maria.to_string(), "MariaDB 10.11.19");
        assert!(maria.is_mariadb_from(10, 9) && !maria.is_mariadb_from(11, 4));
        let mysql = Version::parse("8.0.36 for Linux on x86_64 (MySQL Community Server - GPL)")
            .expect("a version");
        assert_eq!(mysql.to_string(), "MySQL 8.0.36");
        assert!(mysql.is_mysql_from(8, 0, 30) && !mysql.is_mariadb_from(1, 0));
        assert_eq!(Version::parse("none"), None);
    }
}
