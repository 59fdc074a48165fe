//! Staging a new site beside the old one and changing places.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::{Error, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use walkdir::WalkDir;

use super::manifest::{self, Manifest};
use super::{Kept, WriteError, Written, disk};

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

/// A half-made site beside its folder, begun with the first file that isn't there yet; removed when it
/// goes out of scope, whatever happened.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    old: Manifest,
    path: PathBuf,
    /// Held until all is done: two builds into one folder take turns.
    _turn: Option<fs::File>,
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Nothing more can be done about a folder that refuses to go; the next build tries again.
        let _ = fs::remove_dir_all(&self.path);
    }
}

impl Stage {
    /// A stage beside a folder that holds the files of `old`; the folder above exists. It is made
    /// with the first file that is staged, so that a build without changes writes nothing.
    pub(super) fn new(
        folder: PathBuf,
        old: Manifest,
        turn: Option<fs::File>,
    ) -> Result<Self, WriteError> {
        let mut name = OsString::from(".");
        name.push(folder.file_name().unwrap_or_default());
        name.push(".benchbook-new");
        let path = folder.with_file_name(name);
        // What a killed build left behind.
        if path.exists() {
            fs::remove_dir_all(&path).map_err(disk(&path))?;
        }
        Ok(Self {
            folder,
            old,
            path,
            _turn: turn,
        })
    }

    /// Stages a file, unless the folder holds it as it is.
    pub(super) fn take(&self, path: &str, bytes: &[u8]) -> Kept {
        if self.old.contains(path) && holds(&self.folder.join(path), bytes) {
            return Kept::Unchanged;
        }
        match in_new_folder(&self.path.join(path), |target| fs::write(target, bytes)) {
            Ok(()) => Kept::Staged,
            Err(error) => Kept::Failed(error),
        }
    }

    /// Puts the staged files and the unchanged ones in the folder, in the place of all old ones.
    pub(super) fn publish(self, files: BTreeMap<String, Kept>) -> Result<Written, WriteError> {
        let new = Manifest::of(files.keys());
        let mut unchanged = Vec::new();
        for (path, kept) in files {
            match kept {
                Kept::Failed(error) => return Err(disk(&self.folder.join(path))(error)),
                Kept::Unchanged => unchanged.push(path),
                _ => {}
            }
        }
        let written = Written {
            changed: new.paths().count() - unchanged.len(),
            unchanged: unchanged.len(),
            removed: self.old.paths().filter(|path| !new.contains(path)).count(),
        };
        if written.changed == 0 && written.removed == 0 && !self.old.is_empty() {
            return Ok(written);
        }
        fs::create_dir_all(&self.path).map_err(disk(&self.path))?;
        unchanged
            .par_iter()
            .try_for_each(|path| self.bring(&self.folder.join(path), &self.path.join(path)))?;
        self.keep_foreign(&new)?;
        let path = self.path.join(manifest::NAME);
        in_new_folder(&path, |path| fs::write(path, new.text())).map_err(disk(&path))?;
        self.change_places()?;
        Ok(written)
    }

    /// Brings a file along from the old site: by a link, or as a copy where there are no links.
    fn bring(&self, from: &Path, to: &Path) -> Result<(), WriteError> {
        in_new_folder(to, |to| fs::hard_link(from, to))
            .or_else(|_| fs::copy(from, to).map(drop))
            .map_err(disk(to))
    }

    /// Brings along files that no build made.
    fn keep_foreign(&self, new: &Manifest) -> Result<(), WriteError> {
        for entry in WalkDir::new(&self.folder).min_depth(1) {
            let Ok(entry) = entry else { continue };
            let Ok(relative) = entry.path().strip_prefix(&self.folder) else {
                continue;
            };
            let name = relative.to_string_lossy().replace('\\', "/");
            if name == manifest::NAME || self.old.contains(&name) || new.contains(&name) {
                continue;
            }
            // Only folders that hold something foreign are made, with that something.
            if !entry.file_type().is_dir() {
                self.bring(entry.path(), &self.path.join(relative))?;
            }
        }
        Ok(())
    }

    /// The step that publishes: afterwards `self.path` holds the old site, which is then removed.
    fn change_places(&self) -> Result<(), WriteError> {
        let folder = self.folder.as_path();
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

/// Writes a file; only when its folder turns out to be missing, that is made first.
fn in_new_folder(path: &Path, write: impl Fn(&Path) -> std::io::Result<()>) -> std::io::Result<()> {
    match write(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs::create_dir_all(path.parent().unwrap_or(path))?;
            write(path)
        }
        done => done,
    }
}
