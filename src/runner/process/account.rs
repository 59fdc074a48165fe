//! Whom a program runs as: servers refuse to run as the system's administrator.

use std::fs;
use std::path::Path;

use super::super::fault::Fault;

/// A user of the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name.
    pub name: String,
    /// Its number.
    pub user: u32,
    /// The number of its group.
    pub group: u32,
}

/// Whom a server is to run as: the first of these users that exists, if the runner is the administrator; else
/// the runner's own user, which is `None`.
///
/// # Errors
/// When the runner is the administrator and none of them exists.
pub fn unprivileged(names: &[&str]) -> Result<Option<Account>, Fault> {
    if !is_administrator() {
        return Ok(None);
    }
    let table = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = names.iter().find_map(|name| find(&table, name));
    found.map(Some).ok_or_else(|| {
        Fault::unsupported(format!(
            "the server refuses to run as the administrator, and there is none of the users `{}`; run \
             as another user",
            names.join("`, `")
        ))
    })
}

/// The user of this name in the text of `/etc/passwd`.
fn find(table: &str, name: &str) -> Option<Account> {
    table.lines().find_map(|line| {
        let mut fields = line.split(':');
        let found = fields.next()? == name;
        let mut numbers = fields.skip(1).map(str::parse);
        let (user, group) = (numbers.next()?.ok()?, numbers.next()?.ok()?);
        found.then(|| Account {
            name: name.to_owned(),
            user,
            group,
        })
    })
}

#[cfg(unix)]
fn is_administrator() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(not(unix))]
fn is_administrator() -> bool {
    false
}

/// Gives a folder with all it holds to a user. Links are given, not followed.
///
/// # Errors
/// When the system refuses.
#[cfg(unix)]
pub fn give(path: &Path, account: &Account) -> Result<(), Fault> {
    let refused = |error: std::io::Error| {
        let (path, name) = (path.display(), &account.name);
        Fault::failed(format!(
            "{path} can't be given to the user `{name}`: {error}"
        ))
    };
    std::os::unix::fs::lchown(path, Some(account.user), Some(account.group)).map_err(refused)?;
    let is_folder = path.symlink_metadata().is_ok_and(|it| it.is_dir());
    if is_folder {
        for entry in fs::read_dir(path).map_err(refused)? {
            give(&entry.map_err(refused)?.path(), account)?;
        }
    }
    Ok(())
}

/// Gives a folder with all it holds to a user, where there are such.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn give(_: &Path, _: &Account) -> Result<(), Fault> {
    Ok(())
}

/// Whether a user can enter every folder above this one.
///
/// # Errors
/// When one keeps it out, with what can be done.
#[cfg(unix)]
pub fn can_reach(path: &Path, account: &Account) -> Result<(), Fault> {
    use std::os::unix::fs::MetadataExt as _;
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    for folder in path.ancestors().skip(1) {
        let Ok(it) = folder.metadata() else { continue };
        let enters = match (it.uid() == account.user, it.gid() == account.group) {
            (true, _) => it.mode() & 0o100,
            (_, true) => it.mode() & 0o010,
            _ => it.mode() & 0o001,
        };
        if enters == 0 {
            return Err(Fault::unsupported(format!(
                "the server runs as the user `{}`, who may not enter {}; say with `--scratch` where \
                 trials may write instead, such as `--scratch /var/tmp`",
                account.name,
                folder.display()
            )));
        }
    }
    Ok(())
}

/// Whether a user can enter every folder above this one.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn can_reach(_: &Path, _: &Account) -> Result<(), Fault> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_are_found_by_name() {
        let table =
            "root:x:0:0:root:/root:/bin/sh\nbroken\npost:x:1:2::/:\npostgres:x:101:104:,:/v:/b\n";
        let found = find(table, "postgres").expect("a user");
        assert_eq!((found.user, found.group), (101, 104));
        assert_eq!(find(table, "broken"), None);
        assert_eq!(find(table, "nobody"), None);
    }

    #[cfg(unix)]
    #[test]
    fn closed_folders_keep_others_out() {
        use std::os::unix::fs::PermissionsExt as _;
        let closed = tempfile::tempdir().expect("a folder");
        let inner = closed.path().join("inner");
        fs::create_dir(&inner).expect("made");
        let other = Account {
            name: "other".to_owned(),
            user: 54_321,
            group: 54_321,
        };
        let shut = fs::Permissions::from_mode(0o700);
        fs::set_permissions(closed.path(), shut).expect("closed");
        let fault = can_reach(&inner, &other).expect_err("closed");
        assert!(fault.message.contains("--scratch"), "{fault}");
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(closed.path(), open).expect("opened");
        assert_eq!(can_reach(&inner, &other), Ok(()));
    }
}
