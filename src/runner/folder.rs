//! A run's folder: who may write into it, and what its files are called.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, make_folder, remove, sync_folder};

/// Why a run's folder can't be had.
#[derive(Debug, thiserror::Error)]
pub enum FolderFault {
    /// Another runner has it.
    #[error("another runner{} is at work in `{}`", shown(process.as_deref()), path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
        /// The other's process, if it could be read.
        process: Option<String>,
    },
    /// A new run was to be written where something is already.
    #[error("`{}` is there already", path.display())]
    Taken {
        /// The folder.
        path: PathBuf,
    },
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskFault),
}

fn shown(process: Option<&str>) -> String {
    process.map_or_else(String::new, |process| format!(" (process {process})"))
}

/// A run's folder that nobody else writes into as long as this lives.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Locked, and so held.
    _lock: File,
}

impl Folder {
    /// A new folder, or an empty one that is there.
    pub fn create(path: &Path) -> Result<Self, FolderFault> {
        let made = make_folder(path)?;
        let fault = || DiskFault::of("read", path);
        let mut entries = fs::read_dir(path).map_err(fault())?;
        if !made && entries.next().is_some() {
            return Err(FolderFault::Taken {
                path: path.to_owned(),
            });
        }
        Self::open(path)
    }

    /// The first free one of `name`, `name-2`, `name-3` and so on below a folder.
    pub fn create_below(runs: &Path, name: &str) -> Result<Self, FolderFault> {
        make_folder(runs)?;
        let mut number = 1_u32;
        loop {
            let path = match number {
                1 => runs.join(name),
                number => runs.join(format!("{name}-{number}")),
            };
            match fs::create_dir(&path) {
                Ok(()) => {
                    sync_folder(runs)?;
                    return Self::open(&path);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(DiskFault::of("make the folder", &path)(error).into()),
            }
        }
    }

    /// A folder that is there.
    pub fn open(path: &Path) -> Result<Self, FolderFault> {
        let lock = path.join("lock");
        loop {
            let fault = || DiskFault::of("lock", &lock);
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&lock)
                .map_err(fault())?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let mut process = String::new();
                    // It is only told to be helpful, and some systems hide what is locked.
                    let _ = file.read_to_string(&mut process);
                    let process = process.trim();
                    let is_number =
                        !process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit());
                    return Err(FolderFault::Busy {
                        path: path.to_owned(),
                        process: is_number.then(|| process.to_owned()),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(fault()(error).into()),
            }
            // Whoever had it before may have removed the file since it was opened.
            if !is_in_place(&file, &lock) {
                continue;
            }
            let _ = file.set_len(0);
            let _ = write!(file, "{}", std::process::id());
            return Ok(Self {
                path: path.to_owned(),
                _lock: file,
            });
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Brings the names in it to the disk.
    pub fn sync(&self) -> Result<(), DiskFault> {
        sync_folder(&self.path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Removed while it is still locked. A file that can't go does no harm: it is locked anew then.
        let _ = remove(&self.path.join("lock"));
    }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_in_place(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => (open.dev(), open.ino()) == (there.dev(), there.ino()),
        _ => false,
    }
}

/// Files that are open can't be removed here.
#[cfg(not(unix))]
fn is_in_place(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_runner_is_refused_and_told_who_is_there() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("run");
        let folder = Folder::create(&path).expect("a folder");
        let second = Folder::open(&path).expect_err("refused");
        assert!(
            second
                .to_string()
                .contains(&format!("process {}", std::process::id())),
            "{second}"
        );
        drop(folder);
        assert!(!path.join("lock").exists());
        let again = Folder::open(&path).expect("free again");
        assert_eq!(again.path(), path);
    }

    #[test]
    fn a_new_run_takes_no_folder_that_holds_something() {
        let temp = tempfile::tempdir().expect("a folder");
        fs::write(temp.path().join("notes.txt"), "mine").expect("written");
        let taken = Folder::create(temp.path()).expect_err("refused");
        assert!(matches!(taken, FolderFault::Taken { .. }));
        assert_eq!(fs::read_dir(temp.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn names_that_are_taken_get_a_number() {
        let temp = tempfile::tempdir().expect("a folder");
        let runs = temp.path().join("data/a/runs");
        let names: Vec<PathBuf> = (0..3)
            .map(|_| {
                Folder::create_below(&runs, "x")
                    .expect("a folder")
                    .path()
                    .to_owned()
            })
            .collect();
        assert_eq!(names, [runs.join("x"), runs.join("x-2"), runs.join("x-3")]);
    }
}
