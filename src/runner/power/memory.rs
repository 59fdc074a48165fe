//! The file that remembers a power plan, for the case that the program ends before it is put back.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// What stands in the file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Remembered {
    /// For a person who finds it.
    note: String,
    /// Place and value, in the order in which they are put back.
    values: Vec<(String, String)>,
}

const NOTE: &str = "The power plan before a run changed it. The run was ended by force; \
                    it is put back when the run goes on.";

/// Writes the file so that it is there, whole, before anything is changed.
pub(super) fn write(path: &Path, values: &[(String, String)]) -> io::Result<()> {
    let remembered = Remembered {
        note: NOTE.to_owned(),
        values: values.to_vec(),
    };
    let beside = path.with_extension("new");
    // A new file, so that nothing is followed that somebody left there.
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::create_new(&beside)?;
    serde_json::to_writer_pretty(&mut file, &remembered)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(&beside, path)?;
    settle(path);
    Ok(())
}

/// Reads the file; nothing if there is none.
pub(super) fn read(path: &Path) -> io::Result<Option<Vec<(String, String)>>> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let remembered: Remembered = serde_json::from_str(&text)?;
    Ok(Some(remembered.values))
}

/// Removes the file.
pub(super) fn forget(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => {
            settle(path);
            Ok(())
        }
    }
}

/// Brings the folder's entry to the disk, where a system can do that.
fn settle(path: &Path) {
    if let Some(folder) = path.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
