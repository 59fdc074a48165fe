//! Staging a new site beside the old one and changing places.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::{Error, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use super::manifest::{self, Manifest};
use super::{Artifacts, WriteError, disk};

/// Whether a file holds exactly these bytes.
pub(super) fn holds(path: &Path, bytes: &[u8]) -> bool {
    let Ok(mut file) = fs::File::open(path) else {
        return false;
    };
    match file.metadata() {
        Ok(metadata) if metadata.is_file() && metadata.len() == bytes.len() as u64 => {}
        _ => return false,
    }
    let mut held = Vec::with_capacity(bytes.len());
    file.read_to_end(&mut held).is_ok() && held == bytes
}

/// Stages the site in a folder beside `folder` and lets the two change places. `same` says which
/// artifacts, in order, the old folder holds already.
pub(super) fn swap_in(
    artifacts: &Artifacts,
    same: &[bool],
    old: &Manifest,
    new: &Manifest,
    folder: &Path,
) -> Result<(), WriteError> {
    let staged = Staged::new(folder)?;
    staged.fill(artifacts, same, old, new, folder)?;
    staged.change_places(folder)
}

/// A half-made site; removed when it goes out of scope, whatever happened.
struct Staged {
    path: PathBuf,
}

impl Drop for Staged {
    fn drop(&mut self) {
        // Nothing more can be done about a folder that refuses to go; the next build tries again.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Staged {
    fn new(folder: &Path) -> Result<Self, WriteError> {
        let mut name = OsString::from(".");
        name.push(folder.file_name().unwrap_or_default());
        name.push(".benchbook-new");
        let path = folder.with_file_name(name);
        // What a killed build left behind.
        if path.exists() {
            fs::remove_dir_all(&path).map_err(disk(&path))?;
        }
        fs::create_dir(&path).map_err(disk(&path))?;
        Ok(Self { path })
    }

    fn fill(
        &self,
        artifacts: &Artifacts,
        same: &[bool],
        old: &Manifest,
        new: &Manifest,
        folder: &Path,
    ) -> Result<(), WriteError> {
        let parents: BTreeSet<&str> = new
            .paths()
            .filter_map(|path| path.rsplit_once('/').map(|(parent, _)| parent))
            .collect();
        for parent in parents {
            let path = self.path.join(parent);
            fs::create_dir_all(&path).map_err(disk(&path))?;
        }
        let files: Vec<_> = artifacts.files.iter().zip(same).collect();
        files
            .into_par_iter()
            .try_for_each(|((path, bytes), same)| {
                let target = self.path.join(path);
                if *same && fs::hard_link(folder.join(path), &target).is_ok() {
                    return Ok(());
                }
                fs::write(&target, bytes).map_err(disk(&target))
            })?;
        self.keep_foreign(old, new, folder)?;
        let path = self.path.join(manifest::NAME);
        fs::write(&path, new.text()).map_err(disk(&path))
    }

    /// Brings along files that no build made.
    fn keep_foreign(
        &self,
        old: &Manifest,
        new: &Manifest,
        folder: &Path,
    ) -> Result<(), WriteError> {
        for entry in WalkDir::new(folder).min_depth(1).sort_by_file_name() {
            let Ok(entry) = entry else { continue };
            let Ok(relative) = entry.path().strip_prefix(folder) else {
                continue;
            };
            let name = relative.to_string_lossy().replace('\\', "/");
            if name == manifest::NAME || old.contains(&name) || new.contains(&name) {
                continue;
            }
            let target = self.path.join(relative);
            if entry.file_type().is_dir() {
                // Only folders that hold something foreign are made, with that something.
                continue;
            }
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent).map_err(disk(parent))?;
            }
            if fs::hard_link(entry.path(), &target).is_err() {
                fs::copy(entry.path(), &target).map_err(disk(&target))?;
            }
        }
        Ok(())
    }

    /// The step that publishes: afterwards `self.path` holds the old site, which is then removed.
    fn change_places(self, folder: &Path) -> Result<(), WriteError> {
        if !folder.exists() {
            return fs::rename(&self.path, folder).map_err(disk(folder));
        }
        #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
        {
            use rustix::fs::{CWD, RenameFlags, renameat_with};
            if renameat_with(CWD, &self.path, CWD, folder, RenameFlags::EXCHANGE).is_ok() {
                return Ok(());
            }
        }
        // Where folders can't change places in one step, the old one steps aside first and comes
        // back if the new one can't take its place.
        let mut name = OsString::from(".");
        name.push(folder.file_name().unwrap_or_default());
        name.push(".benchbook-old");
        let aside = folder.with_file_name(name);
        if aside.exists() {
            fs::remove_dir_all(&aside).map_err(disk(&aside))?;
        }
        fs::rename(folder, &aside).map_err(|error| {
            if error.kind() == ErrorKind::ResourceBusy {
                return WriteError::Disk {
                    path: folder.to_owned(),
                    source: Error::new(error.kind(), "it is mounted, so it can't be swapped as a whole; choose a folder inside it"),
                };
            }
            disk(folder)(error)
        })?;
        if let Err(error) = fs::rename(&self.path, folder) {
            fs::rename(&aside, folder).map_err(disk(folder))?;
            return Err(disk(folder)(error));
        }
        fs::remove_dir_all(&aside).map_err(disk(&aside))
    }
}
