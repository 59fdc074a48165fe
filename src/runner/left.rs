//! What killed runs of a site have left running: the next run of any experiment finds and ends it.

use std::fs;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::run_record;
use super::scratch;

/// How deep runs are looked for below a site's data.
const DEPTH: usize = 12;

/// Ends what runs below a folder have left running whose runner is gone, and removes their sockets. Their
/// scratch folders stay, so that it can be seen what they were at, until they are gone on with. Answers what
/// was done, in sentences.
pub fn end_left(data: &Path) -> Vec<String> {
    let mut runs = Vec::new();
    find_runs(data, DEPTH, &mut runs);
    let mut notes = Vec::new();
    for run in runs {
        let places = scratch::places(&run);
        if places.is_empty() {
            continue;
        }
        // Whoever has it is still at work. If it can't be told, nothing is touched.
        let Ok(_held) = Folder::open(&run) else {
            continue;
        };
        let ended: usize = places.iter().map(|place| scratch::end_left(place)).sum();
        if ended > 0 {
            notes.push(ended_words(ended, Some(&run)));
        }
    }
    notes
}

/// How it is told that something was ended.
pub(super) fn ended_words(count: usize, run: Option<&Path>) -> String {
    let what = match count {
        1 => "a process that a killed runner had left running was ended".to_owned(),
        _ => format!("{count} processes that a killed runner had left running were ended"),
    };
    match run {
        None => what,
        Some(run) => format!("{what}; its run is {}", run.display()),
    }
}

/// The run folders below a folder, in a fixed order. Links aren't followed: what they lead to is no part of the
/// site.
fn find_runs(folder: &Path, depth: usize, runs: &mut Vec<PathBuf>) {
    if folder.join(run_record::NAME).is_file() {
        runs.push(folder.to_owned());
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut below: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| entry.file_name() != scratch::NAME)
        .map(|entry| entry.path())
        .collect();
    below.sort_unstable();
    for folder in below {
        if depth > 0 {
            find_runs(&folder, depth - 1, runs);
        }
    }
}
