//! Files of servers: copies of what a stopped one left, and programs in the usual folders.

use std::fs;
#[cfg(any(feature = "engine-mariadb", feature = "engine-postgres"))]
use std::io;
use std::path::{Path, PathBuf};

use crate::runner::disk;
#[cfg(any(feature = "engine-mariadb", feature = "engine-postgres"))]
use crate::runner::fault::Fault;
use crate::runner::workload::FilledCommand;

/// Copies a folder with all it holds, permissions too, but for files of these names at its top.
#[cfg(any(feature = "engine-mariadb", feature = "engine-postgres"))]
pub(super) fn copy(from: &Path, to: &Path, without: &[&str]) -> Result<(), Fault> {
    let copied = copy_all(from, to, without);
    copied.map_err(|error| Fault::failed(format!("{} can't be copied: {error}", from.display())))
}

#[cfg(any(feature = "engine-mariadb", feature = "engine-postgres"))]
fn copy_all(from: &Path, to: &Path, without: &[&str]) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (name, kind) = (entry.file_name(), entry.file_type()?);
        if without.iter().any(|other| name.to_str() == Some(*other)) {
            continue;
        }
        let target = to.join(&name);
        if kind.is_dir() {
            copy_all(&entry.path(), &target, &[])?;
        } else if kind.is_file() {
            fs::copy(entry.path(), &target)?;
        }
    }
    fs::set_permissions(to, fs::metadata(from)?.permissions())
}

/// The first of these files that is there. A folder whose name ends in `*` stands for all folders at its place
/// whose names begin so, those of higher versions first.
pub(super) fn find(patterns: &[&str]) -> Option<PathBuf> {
    patterns.iter().find_map(|pattern| {
        let Some((before, after)) = pattern.split_once("*/") else {
            return Some(PathBuf::from(pattern)).filter(|path| path.is_file());
        };
        let (parent, start) = before.rsplit_once('/')?;
        let entries = fs::read_dir(parent).ok()?.flatten();
        let mut folders: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(start))
            .map(|entry| entry.path())
            .collect();
        folders.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
        let mut files = folders.iter().map(|folder| folder.join(after));
        files.find(|path| path.is_file())
    })
}

/// The numbers in the name of a folder.
fn version(folder: &Path) -> Vec<u64> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let numbers = name.split(|sign: char| !sign.is_ascii_digit());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

/// A command of these words.
pub(super) fn command<S: AsRef<std::ffi::OsStr>>(
    words: impl IntoIterator<Item = S>,
) -> FilledCommand {
    let words = words.into_iter();
    FilledCommand {
        words: words
            .map(|word| word.as_ref().to_string_lossy().into_owned())
            .collect(),
        shell: false,
    }
}

/// The name of the database that an instance makes on a server of somebody else's: the same for the same folder, so
/// that what a killed runner left is found.
pub(super) fn database_of(folder: &Path) -> String {
    format!("benchbook_{}", disk::mark(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_version_is_found_first() {
        let temp = tempfile::tempdir().expect("a folder");
        for name in ["9.6", "13", "15", "pg-9", "pg-10"] {
            fs::create_dir_all(temp.path().join(name).join("bin")).expect("made");
        }
        fs::write(temp.path().join("9.6/bin/x"), "").expect("written");
        fs::write(temp.path().join("13/bin/x"), "").expect("written");
        fs::write(temp.path().join("pg-9/bin/y"), "").expect("written");
        fs::write(temp.path().join("pg-10/bin/y"), "").expect("written");
        let pattern = format!("{}/*/bin/x", temp.path().display());
        let found = find(&["/nowhere/x", "/nowhere/*/x", &pattern]);
        assert_eq!(found, Some(temp.path().join("13/bin/x")));
        let pattern = format!("{}/pg-*/bin/y", temp.path().display());
        assert_eq!(find(&[&pattern]), Some(temp.path().join("pg-10/bin/y")));
        assert_eq!(find(&["/nowhere/*/x"]), None);
    }

    #[cfg(any(feature = "engine-mariadb", feature = "engine-postgres"))]
    #[test]
    fn copies_are_whole_but_for_what_is_named() {
        let temp = tempfile::tempdir().expect("a folder");
        let from = temp.path().join("from");
        fs::create_dir_all(from.join("in")).expect("made");
        for name in ["a", "pid", "in/pid"] {
            fs::write(from.join(name), name).expect("written");
        }
        let to = temp.path().join("to");
        copy(&from, &to, &["pid"]).expect("copied");
        assert!(to.join("a").is_file() && to.join("in/pid").is_file());
        assert!(!to.join("pid").exists());
        let again = copy(&from, &to, &[]).expect_err("there");
        assert!(again.message.contains("can't be copied"), "{again}");
    }
}
