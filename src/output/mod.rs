//! The door out: a finished site swapped in whole, or nothing at all.
//!
//! The new site is staged beside the old one (unchanged files are linked, not copied), then the two
//! folders change places in one step. A failed or killed build leaves the last good site as it was.

mod manifest;
mod stage;

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use rayon::prelude::*;

use manifest::Manifest;

/// A finished site in memory: bytes by path relative to the output folder.
#[derive(Debug, Default)]
pub struct Artifacts {
    files: BTreeMap<String, Vec<u8>>,
}

impl Artifacts {
    /// Adds a file. The path is relative, with `/` between names.
    pub fn insert(&mut self, path: impl Into<String>, bytes: impl Into<Vec<u8>>) {
        self.files.insert(path.into(), bytes.into());
    }

    /// Keeps only the files whose paths pass.
    pub fn retain(&mut self, mut keep: impl FnMut(&str) -> bool) {
        self.files.retain(|path, _| keep(path));
    }

    /// The bytes at a path.
    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// All files in the order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files
            .iter()
            .map(|(path, bytes)| (path.as_str(), bytes.as_slice()))
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
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

/// Writes a site into a folder.
///
/// Files in the folder that no build made (a `.git` folder, a `CNAME`) are kept. `sources` is the
/// site's root: a folder that holds it is refused.
///
/// # Errors
/// When the folder isn't one that benchbook made, or the disk refuses; then nothing has changed.
pub fn write(artifacts: &Artifacts, folder: &Path, sources: &Path) -> Result<Written, WriteError> {
    let given = folder;
    // Links to a folder are followed, so that the folder is replaced and not the link.
    let folder = &real(folder);
    refuse_sources(folder, given, &real(sources))?;
    let parent = folder.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(disk(parent))?;
    let _turn = take_turn(parent);
    let old = Manifest::read(folder);
    if old.is_none() && !is_absent_or_empty(folder).map_err(disk(folder))? {
        return Err(WriteError::Foreign(given.to_owned()));
    }
    let old = old.unwrap_or_default();
    let new = Manifest::of(artifacts);
    let removed = old.paths().filter(|path| !new.contains(path)).count();
    let same: Vec<bool> = artifacts
        .files
        .par_iter()
        .map(|(path, bytes)| old.contains(path) && stage::holds(&folder.join(path), bytes))
        .collect();
    let unchanged = same.iter().filter(|&&same| same).count();
    let written = Written {
        changed: artifacts.len() - unchanged,
        unchanged,
        removed,
    };
    if written.changed == 0 && removed == 0 && !old.is_empty() {
        return Ok(written);
    }
    stage::swap_in(artifacts, &same, &old, &new, folder)?;
    Ok(written)
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
