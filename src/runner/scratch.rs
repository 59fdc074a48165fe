//! Folders of trials, and data that several trials begin with a copy of.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, make_folder, mark, remove, replace};
use super::process;

/// The folder's name in the run's folder.
pub const NAME: &str = "scratch";

/// The file in the run's folder that tells where the scratch folder is while it is elsewhere.
const PLACE: &str = "scratch-place";

/// Where the scratch folder of a run is: in the run's folder, or below another under a name of its own.
pub fn place(run: &Path, elsewhere: Option<&Path>) -> PathBuf {
    match elsewhere {
        None => run.join(NAME),
        Some(folder) => folder.join(name_elsewhere(run)),
    }
}

/// The name of a run's scratch folder that is elsewhere. The same run gives the same.
fn name_elsewhere(run: &Path) -> String {
    format!("benchbook-{}", mark(run))
}

/// The folder below which a run has its scratch folder, if it isn't the run's own.
pub fn elsewhere(run: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(run.join(PLACE)).ok()?;
    let path = Path::new(text.trim_end_matches('\n'));
    // Whatever else the file says was not written by this run, and is nobody's scratch folder.
    let is_own = path.is_absolute() && path.file_name()? == name_elsewhere(run).as_str();
    path.parent().filter(|_| is_own).map(Path::to_owned)
}

/// The scratch folders that a run has left.
pub fn places(run: &Path) -> Vec<PathBuf> {
    let elsewhere = elsewhere(run).map(|folder| place(run, Some(&folder)));
    let mut places = vec![place(run, None)];
    places.extend(elsewhere);
    places.retain(|path| path.symlink_metadata().is_ok_and(|it| it.is_dir()));
    places
}

/// Ends what was left running in a scratch folder, and removes the sockets of it; answers how many processes
/// there were.
pub fn end_left(scratch: &Path) -> usize {
    let ended = process::end_orphans(scratch);
    for trial in fs::read_dir(scratch).into_iter().flatten().flatten() {
        process::remove_sockets(&trial.path().join(DATA));
    }
    ended
}

/// Where trials write what nobody needs afterwards.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    /// The file that tells where it is, if there has to be one.
    place: Option<PathBuf>,
    keep: bool,
    ended: usize,
    templates: BTreeMap<String, PathBuf>,
    /// How many templates there ever were.
    named: usize,
}

impl Scratch {
    /// An empty one of a run, in its folder or below another; what a killed runner left of it is ended and removed.
    /// With `keep` the folders of trials stay.
    pub fn open(run: &Path, elsewhere: Option<&Path>, keep: bool) -> Result<Self, DiskFault> {
        let path = place(run, elsewhere);
        let mut ended = 0;
        for left in places(run).iter().chain([&path]) {
            if left.exists() {
                ended += end_left(left);
            }
            remove_all(left).map_err(DiskFault::of("remove", left))?;
        }
        let file = run.join(PLACE);
        if let Some(folder) = elsewhere {
            make_folder(folder)?;
            let text = format!("{}\n", path.display());
            replace(&file, text.as_bytes())?;
        } else {
            remove(&file)?;
        }
        fs::create_dir(&path).map_err(DiskFault::of("make the folder", &path))?;
        Ok(Self {
            path,
            place: elsewhere.map(|_| file),
            keep,
            ended,
            templates: BTreeMap::new(),
            named: 0,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many processes of a killed runner were ended for it.
    pub fn ended(&self) -> usize {
        self.ended
    }

    /// Folders for a trial.
    pub fn trial(&self, order: u32) -> Result<TrialFolder, DiskFault> {
        let folder = TrialFolder {
            path: self.path.join(order.to_string()),
            keep: self.keep,
        };
        for path in [&folder.path, &folder.data(), &folder.files()] {
            fs::create_dir(path).map_err(DiskFault::of("make the folder", path))?;
        }
        Ok(folder)
    }

    /// The template with this key, if there is one.
    pub fn template(&self, key: &str) -> Option<TrialFolder> {
        self.templates.get(key).map(|path| TrialFolder {
            path: path.clone(),
            keep: true,
        })
    }

    /// Makes what a trial prepared the template with this key, and gives the trial empty folders again.
    pub fn keep_template(&mut self, key: &str, trial: &TrialFolder) -> Result<(), DiskFault> {
        let path = self.path.join(format!("template-{}", self.named));
        self.named += 1;
        fs::create_dir(&path).map_err(DiskFault::of("make the folder", &path))?;
        for name in [DATA, FILES] {
            let from = trial.path.join(name);
            fs::rename(&from, path.join(name)).map_err(DiskFault::of("move", &from))?;
            fs::create_dir(&from).map_err(DiskFault::of("make the folder", &from))?;
        }
        self.templates.insert(key.to_owned(), path);
        Ok(())
    }

    /// Removes a template that no trial needs any more.
    pub fn drop_template(&mut self, key: &str) -> Result<(), DiskFault> {
        match self.templates.remove(key) {
            None => Ok(()),
            Some(path) => remove_all(&path).map_err(DiskFault::of("remove", &path)),
        }
    }

    /// Removes all of it, unless something is to be kept. Answers the folder if it is still there.
    pub fn finish(mut self) -> Result<Option<PathBuf>, DiskFault> {
        let keys: Vec<String> = self.templates.keys().cloned().collect();
        for key in keys {
            self.drop_template(&key)?;
        }
        let removed = match self.keep {
            false => remove_all(&self.path),
            true => fs::remove_dir(&self.path),
        };
        match removed {
            Ok(()) => {}
            Err(error) if self.keep && error.kind() == ErrorKind::DirectoryNotEmpty => {
                return Ok(Some(self.path));
            }
            Err(error) => return Err(DiskFault::of("remove", &self.path)(error)),
        }
        if let Some(file) = &self.place {
            remove(file)?;
        }
        Ok(None)
    }
}

const DATA: &str = "data";
const FILES: &str = "files";

/// Folders of a trial.
#[derive(Debug)]
pub struct TrialFolder {
    path: PathBuf,
    keep: bool,
}

impl TrialFolder {
    /// What the instance writes.
    pub fn data(&self) -> PathBuf {
        self.path.join(DATA)
    }

    /// What the workload writes beside it.
    pub fn files(&self) -> PathBuf {
        self.path.join(FILES)
    }

    /// The file that a measured program writes its results to.
    pub fn output(&self) -> PathBuf {
        self.path.join("output")
    }

    /// Whether there is next to no room left on the disk.
    pub fn is_out_of_room(&self) -> bool {
        const NOTHING: u64 = 128 << 10;
        free(&self.path).is_some_and(|free| free < NOTHING)
    }

    /// Whether the disk has room for a few more copies of what it holds, so that one may be kept.
    pub fn has_room_to_spare(&self) -> bool {
        const COPIES: u64 = 4;
        free(&self.path).is_none_or(|free| size(&self.path) < free / COPIES)
    }

    /// Copies the workload's files from a template.
    pub fn copy_files(&self, template: &Self) -> Result<(), DiskFault> {
        let to = self.files();
        copy(&template.files(), &to).map_err(DiskFault::of("copy data into", &to))
    }

    /// Lets everything that was written reach the disk: copies that the system still has in memory would be written
    /// in the midst of what is measured.
    pub fn settle(&self) -> Result<(), DiskFault> {
        #[cfg(target_os = "linux")]
        {
            let synced = fs::File::open(&self.path).and_then(|it| Ok(rustix::fs::syncfs(&it)?));
            synced.map_err(DiskFault::of("bring to the disk", &self.path))
        }
        #[cfg(not(target_os = "linux"))]
        {
            #[cfg(unix)]
            rustix::fs::sync();
            Ok(())
        }
    }

    /// Removes it, unless it is to be kept.
    pub fn finish(self) -> Result<(), DiskFault> {
        if self.keep {
            return Ok(());
        }
        remove_all(&self.path).map_err(DiskFault::of("remove", &self.path))
    }
}

/// How many bytes are free on the disk of a folder, where the system tells.
#[cfg(unix)]
fn free(path: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(path).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

#[cfg(not(unix))]
fn free(_: &Path) -> Option<u64> {
    None
}

/// How many bytes the files below a folder hold. What can't be looked at counts nothing.
fn size(path: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(path) else {
        return 0;
    };
    let sizes = entries.flatten().map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}

/// Copies what a folder holds into another that is there.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            fs::create_dir(&target)?;
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Removes a folder with all it holds. A process that is about to end may still write into it, so a
/// folder that isn't empty the first time is tried again.
fn remove_all(path: &Path) -> io::Result<()> {
    let mut last = Ok(());
    for _ in 0..5 {
        last = fs::remove_dir_all(path);
        match &last {
            Ok(()) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
            Err(_) => break,
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_trial_prepared_is_what_others_begin_with() {
        let temp = tempfile::tempdir().expect("a folder");
        fs::create_dir_all(temp.path().join("scratch/7/data")).expect("left by a killed run");
        let mut scratch = Scratch::open(temp.path(), None, false).expect("opened");
        assert!(!temp.path().join("scratch/7").exists());

        let first = scratch.trial(0).expect("made");
        fs::write(first.data().join("db"), "rows").expect("written");
        fs::create_dir(first.files().join("in")).expect("made");
        fs::write(first.files().join("in/csv"), "1,2").expect("written");
        scratch.keep_template("key", &first).expect("kept");
        assert_eq!(fs::read_dir(first.data()).expect("there").count(), 0);
        let template = scratch.template("key").expect("kept");
        first.copy_files(&template).expect("copied");
        assert_eq!(
            fs::read(first.files().join("in/csv")).expect("read"),
            b"1,2"
        );
        assert_eq!(fs::read(template.data().join("db")).expect("read"), b"rows");

        first.finish().expect("removed");
        assert!(scratch.template("other").is_none());
        scratch.drop_template("key").expect("removed");
        assert!(scratch.template("key").is_none());
        assert_eq!(scratch.finish().expect("removed"), None);
        assert_eq!(fs::read_dir(temp.path()).expect("there").count(), 0);
    }

    #[test]
    fn another_place_is_found_again_by_its_run_only() {
        let temp = tempfile::tempdir().expect("a folder");
        let [run, other, large] = ["run", "other", "large/disk"].map(|name| temp.path().join(name));
        fs::create_dir(&run).expect("made");
        fs::create_dir(&other).expect("made");
        let scratch = Scratch::open(&run, Some(&large), false).expect("opened");
        let path = scratch.path().to_owned();
        assert_eq!(path.parent(), Some(&*large));
        scratch.trial(0).expect("made");
        // Its runner is killed.
        drop(scratch);
        assert_eq!(elsewhere(&run), Some(large.clone()));
        assert_eq!(places(&run), vec![path.clone()]);

        // A file from elsewhere makes nobody remove anything.
        fs::copy(run.join(PLACE), other.join(PLACE)).expect("copied");
        assert_eq!((elsewhere(&other), places(&other)), (None, Vec::new()));
        let scratch = Scratch::open(&other, None, false).expect("opened");
        scratch.finish().expect("removed");
        assert!(path.join("0").is_dir());

        let scratch = Scratch::open(&run, None, false).expect("opened");
        assert!(!path.exists());
        scratch.finish().expect("removed");
        let kept = Scratch::open(&run, Some(&large), true).expect("opened");
        kept.trial(0).expect("made");
        assert_eq!(kept.finish().expect("finished"), Some(path.clone()));
        let scratch = Scratch::open(&run, Some(&large), false).expect("opened");
        assert!(!path.join("0").exists());
        scratch.finish().expect("removed");
        assert_eq!(fs::read_dir(&run).expect("there").count(), 0);
        assert_eq!(fs::read_dir(&large).expect("there").count(), 0);
    }

    #[test]
    fn folders_are_kept_when_asked_to() {
        let temp = tempfile::tempdir().expect("a folder");
        let mut scratch = Scratch::open(temp.path(), None, true).expect("opened");
        let trial = scratch.trial(3).expect("made");
        scratch.keep_template("key", &trial).expect("kept");
        trial.finish().expect("nothing to do");
        let kept = scratch.finish().expect("finished").expect("kept");
        assert!(kept.join("3/data").is_dir());
        assert_eq!(fs::read_dir(kept).expect("there").count(), 1);
    }
}
