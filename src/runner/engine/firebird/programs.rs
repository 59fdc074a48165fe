//! The programs of Firebird, and where each is.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use super::super::files;

/// The programs of one installation.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    pub(super) server: PathBuf,
    pub(super) isql: PathBuf,
    pub(super) gbak: PathBuf,
    pub(super) gfix: PathBuf,
    pub(super) lock_print: PathBuf,
    /// The script that makes a database of users.
    pub(super) security: PathBuf,
    /// The folder with what every server needs beside its program.
    pub(super) library: PathBuf,
    /// The version as the server tells it, such as `3.0.11`.
    pub(super) version: String,
}

/// Each program with the places where it is looked for.
const SERVER: &[&str] = &["/usr/sbin/firebird", "/opt/firebird/bin/firebird"];
const ISQL: &[&str] = &["/usr/bin/isql-fb", "/opt/firebird/bin/isql"];
const GBAK: &[&str] = &["/usr/bin/gbak", "/opt/firebird/bin/gbak"];
const GFIX: &[&str] = &["/usr/bin/gfix", "/opt/firebird/bin/gfix"];
const LOCK_PRINT: &[&str] = &["/usr/bin/fb_lock_print", "/opt/firebird/bin/fb_lock_print"];
const SECURITY: &[&str] = &[
    "/usr/share/firebird/*/security.sql",
    "/opt/firebird/security.sql",
];
const MESSAGES: &[&str] = &[
    "/usr/lib/x86_64-linux-gnu/firebird/*/firebird.msg",
    "/usr/lib/aarch64-linux-gnu/firebird/*/firebird.msg",
    "/opt/firebird/firebird.msg",
];

impl Programs {
    /// Those that are here, else the first that isn't.
    pub(super) fn find() -> Result<&'static Self, &'static str> {
        static FOUND: OnceLock<Result<Programs, &'static str>> = OnceLock::new();
        FOUND
            .get_or_init(Self::look)
            .as_ref()
            .map_err(|lacks| *lacks)
    }

    fn look() -> Result<Self, &'static str> {
        let find = |places, lacks| files::find(places).ok_or(lacks);
        let server = find(SERVER, "the program `firebird`")?;
        let messages = find(MESSAGES, "the file `firebird.msg`")?;
        let output = std::process::Command::new(&server)
            .arg("-z")
            .output()
            .map_err(|_| "a program `firebird` that starts")?;
        let told = [output.stdout, output.stderr].concat();
        let version = version(&String::from_utf8_lossy(&told));
        Ok(Self {
            server,
            isql: find(ISQL, "the program `isql-fb`")?,
            gbak: find(GBAK, "the program `gbak`")?,
            gfix: find(GFIX, "the program `gfix`")?,
            lock_print: find(LOCK_PRINT, "the program `fb_lock_print`")?,
            security: find(SECURITY, "the script `security.sql`")?,
            library: messages.parent().unwrap_or(Path::new("/")).to_owned(),
            version: version.ok_or("the version of the program `firebird`")?,
        })
    }

    pub(super) fn major(&self) -> u32 {
        major(&self.version)
    }
}

pub(super) fn major(version: &str) -> u32 {
    let (major, _) = version.split_once('.').unwrap_or((version, ""));
    major.parse().unwrap_or(0)
}

/// The version in `Firebird TCP/IP server version LI-V3.0.11.33637 Firebird 3.0`; without the number of the build.
fn version(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("-V").or_else(|| text.split_once("-T"))?;
    let word = rest.split_whitespace().next()?;
    let numbers: Vec<&str> = word.split('.').take(3).collect();
    let is_number = |part: &&str| part.parse::<u32>().is_ok();
    numbers.iter().all(is_number).then(|| numbers.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        let told = "Firebird TCP/IP server version LI-V3.0.11.33637 Firebird 3.0";
        assert_eq!(version(told).as_deref(), Some("3.0.11"));
        assert_eq!(
            version("LI-T6.0.0.1 Firebird 6.0 Initial").as_deref(),
            Some("6.0.0")
        );
        assert_eq!(version("nothing"), None);
        assert_eq!(major("5.0.1"), 5);
    }
}
