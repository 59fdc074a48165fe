//! A folder that is there whole or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::{Error, ErrorKind, Result, Write as _};
use std::path::{Path, PathBuf};

/// Makes a new folder with these files (name, content), durable once this returns. An interrupted
/// call leaves nothing under the folder's own name.
///
/// # Errors
/// When there is something of that name already, or the disk refuses.
pub fn new_folder(folder: &Path, files: &[(&str, &str)]) -> Result<()> {
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent)?;
    refuse_existing(folder)?;
    let mut name = OsString::from(".");
    name.push(folder.file_name().unwrap_or_default());
    name.push(".benchbook-new");
    let stage = Stage(folder.with_file_name(name));
    // What a killed call left behind.
    let _ = fs::remove_dir_all(&stage.0);
    fs::create_dir(&stage.0)?;
    for (name, content) in files {
        let mut file = fs::File::create_new(stage.0.join(name))?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
    }
    sync(&stage.0)?;
    refuse_existing(folder)?;
    fs::rename(&stage.0, folder)?;
    sync(parent)
}

fn refuse_existing(folder: &Path) -> Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(_) => Err(Error::new(ErrorKind::AlreadyExists, "it is there already")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes the names in a folder durable.
fn sync(folder: &Path) -> Result<()> {
    if cfg!(unix) {
        fs::File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// The folder under a name that nobody reads; removed unless it was renamed.
struct Stage(PathBuf);

impl Drop for Stage {
    fn drop(&mut self) {
        // After the renaming there is nothing to remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                let name = entry.expect("an entry").file_name();
                name.to_string_lossy().into_owned()
            })
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_folder_is_whole_or_not_there() {
        let room = tempfile::tempdir().expect("a disk");
        let folder = room.path().join("runs/first");
        fs::create_dir_all(room.path().join("runs/.first.benchbook-new/old")).expect("a disk");
        new_folder(&folder, &[("run.json", "{}"), ("samples.csv", "a\n")]).expect("a disk");
        assert_eq!(names(&folder), ["run.json", "samples.csv"]);
        assert_eq!(names(&room.path().join("runs")), ["first"]);
        let again = new_folder(&folder, &[("run.json", "other")]);
        assert_eq!(
            again.expect_err("it is there").kind(),
            ErrorKind::AlreadyExists
        );
        let text = fs::read_to_string(folder.join("run.json")).expect("a file");
        assert_eq!(text, "{}");
        // A name that can't be written ends it half-way.
        let half = room.path().join("runs/second");
        assert!(new_folder(&half, &[("run.json", "{}"), ("no/folder", "")]).is_err());
        assert_eq!(names(&room.path().join("runs")), ["first"]);
    }
}
