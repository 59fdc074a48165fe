//! The door out: a finished site swapped in whole, or nothing at all.
//!
//! Files are staged beside the old site as they are rendered, so that no more of a large site is in
//! memory than is being worked on; then the two folders change places in one step. A failed or killed
//! build leaves the last good site as it was.

mod folder;
mod manifest;
mod stage;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use folder::new_folder;
use manifest::Manifest;
use stage::Stage;

/// Where a site's files go out, by path relative to the output folder, `/` between names.
///
/// Pages are rendered in parallel and come in any order. The first file at a path stays: pages that
/// share one (the data of a figure, in every language) give equal bytes.
#[derive(Debug, Default)]
pub struct Door {
    files: Mutex<BTreeMap<String, Kept>>,
    way: Way,
    why_unsafe: Option<fn(&str) -> Option<&'static str>>,
}

#[derive(Debug, Default)]
enum Way {
    /// Bytes are kept.
    #[default]
    Memory,
    /// Bytes are dropped.
    Nowhere,
    /// Bytes are staged for a folder.
    Folder(Stage),
}

/// What became of a file.
#[derive(Debug)]
enum Kept {
    Bytes(Vec<u8>),
    Dropped,
    /// The path isn't safe, and why.
    Withheld(&'static str),
    /// The folder holds these very bytes already.
    Unchanged,
    Staged,
    Failed(std::io::Error),
}

impl Door {
    /// Keeps files in memory.
    pub fn memory() -> Self {
        Self::default()
    }

    /// Drops every file: a check writes nothing.
    pub fn nowhere() -> Self {
        Self {
            way: Way::Nowhere,
            ..Self::default()
        }
    }

    /// Stages files for a folder, which stays as it is until [`Artifacts::publish`].
    ///
    /// Files in the folder that no build made (a `.git` folder, a `CNAME`) will be kept. `sources` is
    /// the site's root: a folder that holds it is refused.
    ///
    /// # Errors
    /// When the folder isn't one that benchbook made, or the disk refuses.
    pub fn folder(folder: &Path, sources: &Path) -> Result<Self, WriteError> {
        let given = folder;
        // Links to a folder are followed, so that the folder is replaced and not the link.
        let folder = real(folder);
        refuse_sources(&folder, given, &real(sources))?;
        let parent = folder.parent().unwrap_or(&folder);
        std::fs::create_dir_all(parent).map_err(disk(parent))?;
        let turn = take_turn(parent);
        let old = Manifest::read(&folder);
        if old.is_none() && !is_absent_or_empty(&folder).map_err(disk(&folder))? {
            return Err(WriteError::Foreign(given.to_owned()));
        }
        Ok(Self {
            way: Way::Folder(Stage::new(folder, old.unwrap_or_default(), turn)?),
            ..Self::default()
        })
    }

    /// Withholds every file whose path isn't safe; `why` says why, if so.
    pub fn withhold(&mut self, why: fn(&str) -> Option<&'static str>) {
        self.why_unsafe = Some(why);
    }

    /// The paths that weren't safe, each with the reason.
    pub fn withheld(&self) -> Vec<(String, &'static str)> {
        let files = self.files();
        let withheld = files.iter().filter_map(|(path, kept)| match kept {
            Kept::Withheld(why) => Some((path.clone(), *why)),
            _ => None,
        });
        withheld.collect()
    }

    /// Hands over a file.
    pub fn insert(&self, path: impl Into<String>, bytes: impl AsRef<[u8]> + Into<Vec<u8>>) {
        let path = path.into();
        // Its place is taken before it is written, so that nobody else writes it.
        match self.files().entry(path.clone()) {
            Entry::Vacant(place) => place.insert(Kept::Dropped),
            Entry::Occupied(_) => return,
        };
        if let Some(why) = self.why_unsafe.and_then(|why| why(&path)) {
            self.files().insert(path, Kept::Withheld(why));
            return;
        }
        let kept = match &self.way {
            Way::Memory => Kept::Bytes(bytes.into()),
            Way::Nowhere => return,
            Way::Folder(stage) => stage.take(&path, bytes.as_ref()),
        };
        self.files().insert(path, kept);
    }

    /// Whether there is a file at a path.
    pub fn contains(&self, path: &str) -> bool {
        self.files().contains_key(path)
    }

    /// All is handed over.
    pub fn close(self) -> Artifacts {
        Artifacts {
            files: self
                .files
                .into_inner()
                .unwrap_or_else(PoisonError::into_inner),
            way: self.way,
        }
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A finished site: every file that went out at the door.
#[derive(Debug)]
pub struct Artifacts {
    files: BTreeMap<String, Kept>,
    way: Way,
}

impl Artifacts {
    /// The bytes at a path, if they were kept in memory.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).and_then(Kept::bytes)
    }

    /// All files that were kept in memory, in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .filter_map(|(path, kept)| Some((path.as_str(), kept.bytes()?)))
    }

    /// Puts a staged site in its folder; nothing happens to files that went elsewhere.
    ///
    /// # Errors
    /// When the disk refuses, or refused while files were staged; then nothing has changed.
    pub fn publish(self) -> Result<Written, WriteError> {
        match self.way {
            Way::Folder(stage) => stage.publish(self.files),
            Way::Memory | Way::Nowhere => Ok(Written::default()),
        }
    }
}

impl Kept {
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Written {
    /// Files that are new or changed.
    pub changed: usize,
    /// Files that stayed as they were.
    pub unchanged: usize,
    /// Files of the last build that are gone.
    pub removed: usize,
}

/// Why a site couldn't be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The folder holds files that benchbook didn't make.
    #[error("`{}` holds files that benchbook didn't write", .0.display())]
    Foreign(PathBuf),
    /// The folder is, contains, or lies in the site's own sources.
    #[error("`{}` is a part of the site itself, which a build would overwrite", .0.display())]
    Sources(PathBuf),
    /// The disk refused.
    #[error("cannot write `{}`", .path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

fn disk(path: &Path) -> impl FnOnce(std::io::Error) -> WriteError {
    let path = path.to_owned();
    move |source| WriteError::Disk { path, source }
}

fn is_absent_or_empty(folder: &Path) -> std::io::Result<bool> {
    match std::fs::read_dir(folder) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(error),
    }
}

/// A path without links and `..`, as far as it exists; the rest as it is written.
fn real(path: &Path) -> PathBuf {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut real = PathBuf::new();
    for part in full.components() {
        match part {
            Component::ParentDir => drop(real.pop()),
            part => real.push(part),
        }
        real = std::fs::canonicalize(&real).unwrap_or(real);
    }
    real
}

/// Waits until no other build writes into the same parent; the turn ends with the file's scope.
fn take_turn(parent: &Path) -> Option<std::fs::File> {
    let parent = std::fs::File::open(parent).ok()?;
    // Where folders can't be locked, two builds at once are on their own.
    parent.lock().ok()?;
    Some(parent)
}

/// The output folder must not be the site's root, a folder above it, or one of its parts.
fn refuse_sources(folder: &Path, given: &Path, sources: &Path) -> Result<(), WriteError> {
    let inside = ["content", "data", "templates", "static"]
        .iter()
        .any(|part| folder.starts_with(sources.join(part)));
    if sources.starts_with(folder) || inside {
        return Err(WriteError::Sources(given.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test ends at the first surprise.
mod tests {
    use super::*;

    fn build(folder: &Path, sources: &Path, files: &[(&str, &str)]) -> Written {
        let door = Door::folder(folder, sources).expect("a disk");
        for (path, text) in files {
            door.insert(*path, text.as_bytes());
        }
        door.close().publish().expect("a disk")
    }

    #[test]
    fn only_what_changed_is_written_and_what_is_foreign_stays() {
        let room = tempfile::tempdir().expect("a disk");
        let (out, sources) = (room.path().join("out"), room.path().join("site"));
        let read = |path: &str| std::fs::read_to_string(out.join(path)).ok();
        let counts = |changed, unchanged, removed| Written {
            changed,
            unchanged,
            removed,
        };
        let first = [("a/b/c.html", "1"), ("d.html", "2")];
        assert_eq!(build(&out, &sources, &first), counts(2, 0, 0));
        assert_eq!(build(&out, &sources, &first), counts(0, 2, 0));
        std::fs::write(out.join("CNAME"), "example.org").expect("a disk");
        let second = [("d.html", "2"), ("e/f.html", "3"), ("d.html", "late")];
        assert_eq!(build(&out, &sources, &second), counts(1, 1, 1));
        assert_eq!(read("d.html").as_deref(), Some("2"));
        assert_eq!(read("e/f.html").as_deref(), Some("3"));
        assert_eq!(read("CNAME").as_deref(), Some("example.org"));
        assert!(!out.join("a").exists());
        assert_eq!(std::fs::read_dir(room.path()).expect("a disk").count(), 1);
    }

    #[test]
    fn an_unpublished_site_changes_nothing() {
        let room = tempfile::tempdir().expect("a disk");
        let (out, sources) = (room.path().join("out"), room.path().join("site"));
        build(&out, &sources, &[("a.html", "1")]);
        let door = Door::folder(&out, &sources).expect("a disk");
        door.insert("a.html", "2");
        drop(door);
        assert_eq!(
            std::fs::read_to_string(out.join("a.html")).expect("a disk"),
            "1"
        );
        assert_eq!(std::fs::read_dir(room.path()).expect("a disk").count(), 1);
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        let room = tempfile::tempdir().expect("a disk");
        std::fs::write(room.path().join("thesis.doc"), "").expect("a disk");
        let refused = Door::folder(room.path(), Path::new("/nowhere"));
        assert!(matches!(refused, Err(WriteError::Foreign(_))));
        let refused = Door::folder(room.path(), &room.path().join("site"));
        assert!(matches!(refused, Err(WriteError::Sources(_))));
    }
}
