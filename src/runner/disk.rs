//! Files that outlive a crash: replaced as a whole, or grown by whole pieces.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// A disk that refused.
#[derive(Debug, thiserror::Error)]
#[error("cannot {doing} `{}`: {}", path.display(), self.cause())]
pub struct DiskFault {
    /// What was tried, as it stands after "cannot".
    pub doing: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl DiskFault {
    /// Wraps what the system said.
    pub fn of(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self {
            doing,
            path,
            source,
        }
    }

    /// Whether there was no room, be it of the disk, a quota, or the size that files may have.
    pub fn is_full(&self) -> bool {
        matches!(
            self.source.kind(),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
        )
    }

    fn cause(&self) -> String {
        match self.source.kind() {
            ErrorKind::StorageFull => "the disk is full".to_owned(),
            ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
            ErrorKind::FileTooLarge => "no file may grow larger here".to_owned(),
            _ => self.source.to_string(),
        }
    }
}

/// Sixteen letters that stand for a folder, for names elsewhere that belong to it: the same folder gives the same, so
/// that what a killed runner left is found.
pub fn mark(folder: &Path) -> String {
    let folder = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let hash = blake3::hash(folder.as_os_str().as_encoded_bytes()).to_hex();
    hash[..16].to_owned()
}

/// Brings the names in a folder to the disk. Where folders can't be opened as files (Windows), the file
/// system sees to that itself.
pub fn sync_folder(path: &Path) -> Result<(), DiskFault> {
    if cfg!(unix) {
        let fault = || DiskFault::of("bring to the disk", path);
        File::open(path)
            .map_err(fault())?
            .sync_all()
            .map_err(fault())?;
    }
    Ok(())
}

/// Makes a folder that isn't there yet, and those above it, so that they are still there after a crash.
/// Answers whether it was made.
pub fn make_folder(path: &Path) -> Result<bool, DiskFault> {
    let above = path.parent().filter(|above| !above.as_os_str().is_empty());
    match fs::create_dir(path) {
        Ok(()) => sync_folder(above.unwrap_or(Path::new(".")))?,
        Err(error) if error.kind() == ErrorKind::NotFound && above.is_some() => {
            make_folder(above.unwrap_or(path))?;
            return make_folder(path);
        }
        Err(_) if path.is_dir() => return Ok(false),
        Err(error) => return Err(DiskFault::of("make the folder", path)(error)),
    }
    Ok(true)
}

/// Cuts off what follows a length; whatever is written next stands there.
fn cut(file: &mut File, length: u64) -> io::Result<()> {
    file.set_len(length)?;
    file.seek(SeekFrom::Start(length)).map(drop)
}

/// The name under which a file is written before it takes its place; names that begin with a dot are
/// passed over by the site.
fn new_name(path: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".new");
    path.with_file_name(name)
}

/// Gives a file new content in one step: after a crash it holds either the old or the new.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), DiskFault> {
    let mut file = Growing::beside(path)?;
    file.add(content);
    file.take_place()
}

/// Removes a file, if it is there, for good.
pub fn remove(path: &Path) -> Result<(), DiskFault> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(DiskFault::of("remove", path)(error)),
        Ok(()) => sync_folder(path.parent().unwrap_or(path)),
    }
}

/// A file that only grows, by whole pieces: a piece that doesn't fit is taken back.
#[derive(Debug)]
pub struct Growing {
    file: File,
    /// Where it stands, or will stand.
    path: PathBuf,
    /// Where it is written until it takes its place.
    beside: Option<PathBuf>,
    length: u64,
    waiting: Vec<u8>,
}

/// How many bytes wait in memory while a file is written that isn't in its place yet.
const WAITING: usize = 1 << 18;

impl Growing {
    /// Begins a file that isn't there yet.
    pub fn create(path: &Path) -> Result<Self, DiskFault> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(DiskFault::of("make", path))?;
        Ok(Self::new(file, path, None, 0))
    }

    /// Goes on with a file from a length that is known to be sound; what follows it is cut off.
    pub fn reopen(path: &Path, length: u64) -> Result<Self, DiskFault> {
        let mut file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(DiskFault::of("open", path))?;
        cut(&mut file, length).map_err(DiskFault::of("cut", path))?;
        Ok(Self::new(file, path, None, length))
    }

    /// Begins a file that takes the place of another once it is finished, see [`Self::take_place`].
    pub fn beside(path: &Path) -> Result<Self, DiskFault> {
        let new = new_name(path);
        // A crash may have left something under this name.
        let file = File::create(&new).map_err(DiskFault::of("make", &new))?;
        Ok(Self::new(file, path, Some(new), 0))
    }

    fn new(file: File, path: &Path, beside: Option<PathBuf>, length: u64) -> Self {
        Self {
            file,
            path: path.to_owned(),
            beside,
            length,
            waiting: Vec::new(),
        }
    }

    /// Whether nothing was ever added.
    pub fn is_empty(&self) -> bool {
        self.length == 0 && self.waiting.is_empty()
    }

    /// Adds to the piece that the next [`Self::write`] brings to the file.
    pub fn add(&mut self, bytes: &[u8]) {
        self.waiting.extend_from_slice(bytes);
    }

    /// The same for a file that isn't in its place yet, where pieces don't matter: memory is kept small.
    pub fn pour(&mut self, bytes: &[u8]) -> Result<(), DiskFault> {
        self.add(bytes);
        if self.waiting.len() >= WAITING {
            self.write()?;
        }
        Ok(())
    }

    /// Writes the piece: all of it, or nothing.
    pub fn write(&mut self) -> Result<(), DiskFault> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let written = self.file.write_all(&self.waiting);
        let length = self.waiting.len() as u64;
        self.waiting.clear();
        if let Err(error) = written {
            // Should this fail too, whoever reads the file next cuts off the torn end.
            let _ = cut(&mut self.file, self.length);
            return Err(DiskFault::of("write to", &self.path)(error));
        }
        self.length += length;
        Ok(())
    }

    /// Brings all that was written to the disk.
    pub fn sync(&mut self) -> Result<(), DiskFault> {
        self.write()?;
        let path = self.beside.as_deref().unwrap_or(&self.path);
        self.file
            .sync_data()
            .map_err(DiskFault::of("bring to the disk", path))
    }

    /// Puts a file that was begun beside another into that one's place.
    pub fn take_place(&mut self) -> Result<(), DiskFault> {
        self.sync()?;
        if let Some(new) = self.beside.take() {
            fs::rename(&new, &self.path).map_err(DiskFault::of("replace", &self.path))?;
            sync_folder(self.path.parent().unwrap_or(&self.path))?;
        }
        Ok(())
    }
}

impl Drop for Growing {
    fn drop(&mut self) {
        if let Some(new) = &self.beside {
            // It never took its place; the next one under this name begins anew anyway.
            let _ = fs::remove_file(new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_file_holds_the_new_content_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.json");
        fs::write(folder.path().join(".run.json.new"), "left by a crash").expect("written");
        replace(&path, b"one").expect("replaced");
        replace(&path, b"two").expect("replaced");
        assert_eq!(fs::read_to_string(&path).expect("a text"), "two");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_file_goes_on_after_its_sound_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("journal");
        let mut file = Growing::create(&path).expect("made");
        file.add(b"one\ntw");
        file.write().expect("written");
        assert!(Growing::create(&path).is_err());
        let mut file = Growing::reopen(&path, 4).expect("opened");
        file.add(b"three\n");
        file.sync().expect("written");
        assert_eq!(fs::read_to_string(&path).expect("a text"), "one\nthree\n");
    }

    #[test]
    fn a_file_that_never_takes_its_place_leaves_the_old_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("samples.csv");
        replace(&path, b"old").expect("replaced");
        let mut file = Growing::beside(&path).expect("made");
        file.pour(b"new").expect("poured");
        file.write().expect("written");
        drop(file);
        assert_eq!(fs::read_to_string(&path).expect("a text"), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn folders_are_made_with_those_above() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a/b/c");
        assert!(make_folder(&path).expect("made"));
        assert!(!make_folder(&path).expect("there"));
        fs::write(path.join("file"), "").expect("written");
        assert!(make_folder(&path.join("file")).is_err());
        assert!(make_folder(&path.join("file/below")).is_err());
    }
}
