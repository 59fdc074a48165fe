//! The door out: a finished site swapped in whole, or nothing at all.
//!
//! Files are staged beside the old site as they are rendered, so that no more of a large site is in
//! memory than is being worked on; then the two folders change places in one step. A failed or killed
//! build leaves the last good site as it was.

mod manifest;
mod stage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use manifest::Manifest;
use stage::Stage;

/// Where a site's files go, by path relative to the output folder, `/` between names.
///
/// Pages are rendered in parallel and come in any order. The first file at a path stays: pages that
/// share one (the data of a figure, in every language) give equal bytes.
#[derive(Debug, Default)]
pub struct Artifacts {
    files: Mutex<BTreeMap<String, Kept>>,
    door: Door,
}

#[derive(Debug, Default)]
enum Door {
    /// Bytes are kept.
    #[default]
    Memory,
    /// Bytes are dropped: a check writes nothing.
    Nowhere,
    /// Bytes are staged for a folder.
    Folder(Stage),
}

/// What became of a file.
#[derive(Debug)]
enum Kept {
    Bytes(Vec<u8>),
    Dropped,
    /// The folder holds these very bytes already.
    Unchanged,
    Staged,
    Failed(std::io::Error),
}

impl Artifacts {
    /// Files that nobody will ask for.
    pub fn nowhere() -> Self {
        Self {
            files: Mutex::default(),
            door: Door::Nowhere,
        }
    }

    /// Files for a folder, which stays as it is until [`Artifacts::publish`].
    ///
    /// Files in the folder that no build made (a `.git` folder, a `CNAME`) will be kept. `sources` is
    /// the site's root: a folder that holds it is refused.
    ///
    /// # Errors
    /// When the folder isn't one that benchbook made, or the disk refuses.
    pub fn staged(folder: &Path, sources: &Path) -> Result<Self, WriteError> {
        // A link to a folder is followed, so that the folder is replaced and not the link.
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        refuse_sources(&folder, sources)?;
        let old = Manifest::read(&folder);
        if old.is_none() && !is_absent_or_empty(&folder).map_err(disk(&folder))? {
            return Err(WriteError::Foreign(folder));
        }
        Ok(Self {
            files: Mutex::default(),
            door: Door::Folder(Stage::new(folder, old.unwrap_or_default())?),
        })
    }

    /// Adds a file.
    pub fn insert(&self, path: impl Into<String>, bytes: impl AsRef<[u8]> + Into<Vec<u8>>) {
        let path = path.into();
        // Taken before it is written, so that nobody else writes it.
        match self.files().entry(path.clone()) {
            std::collections::btree_map::Entry::Vacant(place) => place.insert(Kept::Dropped),
            std::collections::btree_map::Entry::Occupied(_) => return,
        };
        let kept = match &self.door {
            Door::Memory => Kept::Bytes(bytes.into()),
            Door::Nowhere => return,
            Door::Folder(stage) => stage.take(&path, bytes.as_ref()),
        };
        self.files().insert(path, kept);
    }

    /// Whether there is a file at a path.
    pub fn contains(&self, path: &str) -> bool {
        self.files().contains_key(path)
    }

    /// Every file, where they were kept in memory.
    pub fn into_memory(self) -> BTreeMap<String, Vec<u8>> {
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let bytes = files.into_iter().filter_map(|(path, kept)| match kept {
            Kept::Bytes(bytes) => Some((path, bytes)),
            _ => None,
        });
        bytes.collect()
    }

    /// Puts a staged site in its folder; nothing happens to files that went elsewhere.
    ///
    /// # Errors
    /// When the disk refuses, or refused while files were staged; then nothing has changed.
    pub fn publish(self) -> Result<Written, WriteError> {
        let files = self.files.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Door::Folder(stage) = self.door else {
            return Ok(Written::default());
        };
        stage.publish(files)
    }

    fn files(&self) -> MutexGuard<'_, BTreeMap<String, Kept>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
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
    /// The folder is, or contains, the site's own sources.
    #[error("`{}` contains the site's own files", .0.display())]
    Sources(PathBuf),
    /// The disk refused.
    #[error("cannot write `{}`: {source}", .path.display())]
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

/// The output folder must not be the site's root, a folder above it, or one of its parts.
fn refuse_sources(folder: &Path, sources: &Path) -> Result<(), WriteError> {
    // A folder that doesn't exist yet is placed by its nearest parent that does.
    let real = |path: &Path| {
        let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        full.ancestors()
            .find_map(|parent| {
                let rest = full.strip_prefix(parent).ok()?;
                std::fs::canonicalize(parent)
                    .ok()
                    .map(|parent| parent.join(rest))
            })
            .unwrap_or_else(|| full.clone())
    };
    let (target, sources) = (real(folder), real(sources));
    let inside = ["content", "data", "templates", "static"]
        .iter()
        .any(|part| target.starts_with(sources.join(part)));
    if sources.starts_with(&target) || inside {
        return Err(WriteError::Sources(folder.to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(folder: &Path, sources: &Path, files: &[(&str, &str)]) -> Written {
        let artifacts = Artifacts::staged(folder, sources).unwrap();
        for (path, text) in files {
            artifacts.insert(*path, text.as_bytes());
        }
        artifacts.publish().unwrap()
    }

    #[test]
    fn only_what_changed_is_written_and_what_is_foreign_stays() {
        let room = tempfile::tempdir().unwrap();
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
        std::fs::write(out.join("CNAME"), "example.org").unwrap();
        let second = [("d.html", "2"), ("e/f.html", "3"), ("d.html", "late")];
        assert_eq!(build(&out, &sources, &second), counts(1, 1, 1));
        assert_eq!(read("d.html").as_deref(), Some("2"));
        assert_eq!(read("e/f.html").as_deref(), Some("3"));
        assert_eq!(read("CNAME").as_deref(), Some("example.org"));
        assert!(!out.join("a").exists());
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_unpublished_site_changes_nothing() {
        let room = tempfile::tempdir().unwrap();
        let (out, sources) = (room.path().join("out"), room.path().join("site"));
        build(&out, &sources, &[("a.html", "1")]);
        let artifacts = Artifacts::staged(&out, &sources).unwrap();
        artifacts.insert("a.html", "2");
        drop(artifacts);
        assert_eq!(std::fs::read_to_string(out.join("a.html")).unwrap(), "1");
        assert_eq!(std::fs::read_dir(room.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_of_somebody_else_is_refused() {
        let room = tempfile::tempdir().unwrap();
        std::fs::write(room.path().join("thesis.doc"), "").unwrap();
        let refused = Artifacts::staged(room.path(), Path::new("/nowhere"));
        assert!(matches!(refused, Err(WriteError::Foreign(_))));
        let refused = Artifacts::staged(room.path(), &room.path().join("site"));
        assert!(matches!(refused, Err(WriteError::Sources(_))));
    }
}
