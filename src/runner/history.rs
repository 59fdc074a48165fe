//! How long trials took in earlier runs, to say how long the next will take.

use std::fs;
use std::path::{Path, PathBuf};

use super::plan::Plan;
use super::{journal, run_record};
use crate::data::record;
use crate::diag::{Report, Source};

/// How long trials of the plan's cases took in the last run that was like it: case, seconds. Nothing
/// where there is no such run, or where it can't be read.
pub fn seen(plan: &Plan<'_>, runs: &Path) -> Vec<(u32, f64)> {
    for folder in newest_first(runs) {
        let Ok((_, plan_record)) = run_record::read(&folder) else {
            continue;
        };
        let is_like = plan_record.engine == plan.engine.name()
            && plan_record.workload == plan.workload.name()
            && plan_record.quick == plan.wishes.quick;
        let samples = folder.join("samples.csv");
        if is_like && let Ok(text) = fs::read_to_string(&samples) {
            let source = Source::new(samples.to_string_lossy(), text);
            // Its faults are told by `check`; here they only make the guess less sure.
            let mut rows = record::read(plan.definition, &source, &mut Report::new());
            // Those that failed say little about how long it takes not to.
            rows.retain(|row| row.status.is_none());
            let seen = plan.seen(&rows);
            if !seen.is_empty() {
                return seen;
            }
        }
    }
    Vec::new()
}

/// The run folders of an experiment, the last one first: their names begin with their start.
pub fn newest_first(runs: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(runs).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(run_record::NAME).is_file())
        .collect();
    folders.sort_unstable_by(|a, b| b.cmp(a));
    folders
}

/// Whether a run in this folder has trials left, or was left before all its files were finished.
pub fn is_unfinished(folder: &Path) -> bool {
    folder.join(journal::NAME).is_file()
}
