//! Logs of trials: what their programs printed, or what the engine of a failed one said last.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, make_folder};
use super::fault::Fault;
use super::neutral::Neutral;

/// The folder's name in the run's folder.
const NAME: &str = "logs";

/// Where the log of a trial stands. None is there yet, whatever a killed run has left; its folder is, if
/// programs are going to write it.
pub(super) fn path(run: &Path, order: u32, programs: bool) -> Result<PathBuf, DiskFault> {
    let folder = run.join(NAME);
    let path = folder.join(format!("{order}.log"));
    forget(&path)?;
    if programs {
        make_folder(&folder)?;
    }
    Ok(path)
}

/// Removes the log of a trial that was dropped.
pub(super) fn forget(path: &Path) -> Result<(), DiskFault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(DiskFault::of("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Makes the log of a trial that has ended fit to be kept. Nobody waits for logs to reach the disk: no
/// figure depends on them.
pub(super) fn finish(
    path: &Path,
    fault: Option<&Fault>,
    neutral: &Neutral,
) -> Result<(), DiskFault> {
    let log = match fs::read(path) {
        Ok(bytes) => {
            let kept = neutral.bytes(&bytes);
            if kept == bytes {
                return Ok(());
            }
            kept
        }
        Err(error) if error.kind() == ErrorKind::NotFound => match fault {
            Some(fault) if !fault.log.is_empty() => fault.log.clone().into_bytes(),
            _ => return Ok(()),
        },
        Err(error) => return Err(DiskFault::of("read", path)(error)),
    };
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    fs::write(path, log).map_err(DiskFault::of("write to", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_of_bytes_stay_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("0.log");
        let kept = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("written");
            finish(&path, None, &Neutral::default()).expect("finished");
            fs::read(&path).expect("a log")
        };
        assert_eq!(kept(b"\xff\x00ok\n\xfe"), b"\xff\x00ok\n\xfe");
        assert_eq!(kept(b"\xfftoken=abc\n\xfe"), b"\xfftoken=***\n\xfe");
    }
}
