//! Programs that outlive the one who started them: how they are found again, and ended.
//!
//! A program is known by three signs. Its number and start are written down beside the folder in which it
//! runs; its environment names that folder, which its own children inherit, even those that leave its
//! group as servers do; and the errors of a server go to a log in that folder, those of its children too,
//! which may have written over their environment, as PostgreSQL's do. Where the table of processes can't be read, nothing is ever found.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::group::{Signal, signal_process};
use super::table;

/// The variable in the environment of every program: the folder in which it was started.
pub(super) const VARIABLE: &str = "BENCHBOOK_SCRATCH";

/// How the names of files end in which programs are written down.
const RECORD: &str = ".children";

/// How deep below a scratch folder they are looked for.
const DEPTH: usize = 3;

/// The file in which programs of a folder are written down. It stands beside the folder, because many a
/// program wants its own to be empty.
fn record_of(folder: &Path) -> PathBuf {
    let mut name = folder
        .file_name()
        .map_or_else(OsString::new, OsString::from);
    name.push(RECORD);
    folder.with_file_name(name)
}

/// Writes down that a program runs.
pub(super) fn record(folder: &Path, pid: u32) {
    let Some((process, boot)) = i32::try_from(pid)
        .ok()
        .and_then(table::entry)
        .zip(table::boot())
    else {
        return;
    };
    let line = format!("{pid} {} {boot}\n", process.start);
    // Without it the program is still known by its environment, so a full disk is no reason to give up.
    let _ = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(record_of(folder))
        .and_then(|mut file| file.write_all(line.as_bytes()));
}

/// Ends every program that was started in this folder or below it and still runs, with all that these
/// started; answers how many processes there were. It is for a run that goes on after its runner was
/// killed, and for whatever a case has left behind.
pub fn end_orphans(scratch: &Path) -> usize {
    let scratch = fs::canonicalize(scratch).unwrap_or_else(|_| scratch.to_owned());
    let recorded = recorded(&scratch);
    let mut seen = BTreeSet::new();
    let begin = Instant::now();
    loop {
        let living = living(&scratch, &recorded);
        let patience = begin.elapsed();
        // A process that can't be ended (it waits for a disk, say) must not hold up a run for ever.
        if living.is_empty() || patience > 2 * super::GRACE {
            return seen.len();
        }
        for (pid, start) in living {
            let is_new = seen.insert((pid, start));
            if patience > super::GRACE {
                signal_process(pid, Signal::Kill);
            } else if is_new {
                signal_process(pid, Signal::End);
            }
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Number and start of what was written down for a folder and for those below it, since the machine was
/// started.
fn recorded(scratch: &Path) -> BTreeSet<(i32, u64)> {
    let Some(boot) = table::boot() else {
        return BTreeSet::new();
    };
    let mut files = vec![record_of(scratch)];
    let mut folders = vec![(scratch.to_owned(), 1)];
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            // Links aren't followed: what they lead to is no part of the folder.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < DEPTH {
                folders.push((entry.path(), depth + 1));
            } else if entry.file_name().to_string_lossy().ends_with(RECORD) {
                files.push(entry.path());
            }
        }
    }
    let texts = files
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok());
    texts
        .flat_map(|text| {
            text.lines()
                .filter_map(|line| parse(line, &boot))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn parse(line: &str, boot: &str) -> Option<(i32, u64)> {
    let mut words = line.split(' ');
    let process = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    (words.next() == Some(boot)).then_some(process)
}

/// Number and start of what still runs: what was written down with the rest of its group, what carries
/// the folder in its environment, and what writes its errors to a file there.
pub(super) fn living(scratch: &Path, recorded: &BTreeSet<(i32, u64)>) -> Vec<(i32, u64)> {
    let own = i32::try_from(std::process::id()).unwrap_or_default();
    let all = table::living().unwrap_or_default();
    let groups: BTreeSet<i32> = all
        .iter()
        .filter(|it| recorded.contains(&(it.pid, it.start)))
        .map(|it| it.group)
        .collect();
    all.iter()
        .filter(|it| it.pid != own)
        .filter(|it| {
            groups.contains(&it.group)
                || table::is_marked(it.pid, VARIABLE, scratch)
                || table::tells_below(it.pid, scratch)
        })
        .map(|it| (it.pid, it.start))
        .collect()
}
