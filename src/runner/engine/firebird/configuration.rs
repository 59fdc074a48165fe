//! The files that a private server begins with: its settings, its users, their password.

use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use super::super::{Requested, Start, files};
use super::keys::spelled;
use super::place::{DATABASE, LOG, PASSING, ROOT, USER};
use super::programs::Programs;
use super::setting::{self, SERVER_MODE, USUAL, is};
use crate::runner::fault::Fault;
use crate::runner::process::{Surroundings, run_within};

/// Draws a password, and keeps it where only the runner's user may read it.
pub(super) fn secret(path: &Path) -> std::io::Result<String> {
    let mut random = fastrand::Rng::new();
    let letters = std::iter::repeat_with(|| random.alphanumeric());
    // Longer ones were cut off by older versions.
    let secret: String = letters.take(20).collect();
    write_closed(path, &secret)?;
    Ok(secret)
}

/// Writes a new file that only the runner's user may read.
fn write_closed(path: &Path, text: &str) -> std::io::Result<()> {
    let mut options = fs::File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Makes the database of users, with one user, and that of the workloads, by the engine itself, to which no password
/// has to be shown.
///
/// A server doesn't make them: where it has one small cache for all, its writer may look at a page just when the
/// making ends, which Firebird then takes for an inner fault (`page in use during flush`). Classic has no such writer.
pub(super) fn make_databases(
    start: &Start<'_>,
    programs: &Programs,
    folder: &Path,
    password: &str,
    surroundings: &Surroundings,
) -> Result<(), Fault> {
    let users = folder.join(ROOT).join("security.fdb");
    let script = folder.join(PASSING).join("databases.sql");
    let quoted = |path: &Path| format!("'{}'", path.display().to_string().replace('\'', "''"));
    let size = setting::page_size(start.settings);
    let size = size.map_or_else(String::new, |size| format!(" page_size {size}"));
    let text = format!(
        "create database {};\nin {};\ncommit;\n\
         create or alter user {USER} password '{password}' using plugin Srp;\ncommit;\n\
         create database {}{size};\n",
        quoted(&users),
        programs.security.display(),
        quoted(&folder.join(DATABASE)),
    );
    let writing = |error| Fault::failed(format!("the server's databases can't be made: {error}"));
    write_closed(&script, &text).map_err(writing)?;
    let classic = (SERVER_MODE.to_owned(), "Classic".to_owned());
    write_configuration(programs, folder, 0, &[classic])?;
    let words: [OsString; 7] = [
        programs.isql.clone().into(),
        "-q".into(),
        "-b".into(),
        "-user".into(),
        USER.into(),
        "-i".into(),
        script.clone().into(),
    ];
    let mut alone = surroundings.clone();
    alone
        .variables
        .retain(|(name, _)| !name.starts_with("ISC_"));
    let log = folder.join(LOG);
    let done = run_within(
        &files::command(&words),
        folder,
        &log,
        start.deadline,
        &alone,
    );
    let _ = fs::remove_file(&script);
    done.map(drop)
}

/// What a private server is told beside what benchbook decides: the usual values, and those that are asked for.
pub(super) fn told(settings: &[Requested]) -> Vec<(String, String)> {
    let own = || {
        settings
            .iter()
            .filter(|asked| !setting::is_of_database(&asked.name))
    };
    let usual = USUAL
        .iter()
        .filter(|(name, _)| !own().any(|asked| is(&asked.name, name)))
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let asked = own().map(|Requested { name, value }| {
        let name = name.trim();
        (name.to_owned(), spelled(name, value))
    });
    usual.chain(asked).collect()
}

/// Writes the files that the server reads its settings from, and no others.
pub(super) fn write_configuration(
    programs: &Programs,
    folder: &Path,
    port: u16,
    settings: &[(String, String)],
) -> Result<(), Fault> {
    let root = folder.join(ROOT);
    let mut text = format!(
        "RemoteServicePort = {port}\nRemoteBindAddress = 127.0.0.1\nAuthServer = Srp256, Srp\n\
         AuthClient = Srp256, Srp\nUserManager = Srp\nSecurityDatabase = {}\nTempDirectories = {}\n\
         IpcName = benchbook{port}\n",
        root.join("security.fdb").display(),
        folder.join(PASSING).display()
    );
    for (name, value) in settings {
        text.push_str(&format!("{name} = {value}\n"));
    }
    let users = format!(
        "security.db = {} {{\n\tRemoteAccess = false\n\tDefaultDbCachePages = 50\n}}\n",
        root.join("security.fdb").display()
    );
    let plugins = programs.library.join("plugins.conf");
    let plugins = fs::read_to_string(plugins).unwrap_or_default();
    for (name, text) in [
        ("firebird.conf", text),
        ("databases.conf", users),
        ("plugins.conf", plugins),
    ] {
        fs::write(root.join(name), text)
            .map_err(|error| Fault::failed(format!("{name} can't be written: {error}")))?;
    }
    Ok(())
}
