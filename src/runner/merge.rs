//! Joins the run folders of a plan's parts into one.
//!
//! Nothing is changed in the parts. Facts about machine, system and engine that agree stay as they are;
//! where they differ, the joined run says what each part had, so that a reader sees that its figures
//! come from several machines, and `plan.parts` keeps them one by one. A block belongs to one part, and
//! so every sample to one environment. Times count from the first part's start, by the parts' own clocks.

mod check;
mod folder;
mod input;
mod record;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

pub use input::MergeFault;

use input::Input;

/// What was joined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// How many run folders.
    pub runs: usize,
    /// How many trials are finished.
    pub finished: u32,
    /// How many of those gave no value.
    pub failed: u32,
    /// What a person should know, in sentences.
    pub notes: Vec<String>,
}

/// Joins runs into a new folder. Unless it is `partial`, every part has to be there, and finished.
pub fn merge(runs: &[PathBuf], out: &Path, partial: bool) -> Result<Merged, MergeFault> {
    if out.symlink_metadata().is_ok() {
        return refuse(format!("`{}` is there already", out.display()));
    }
    let mut faults = Vec::new();
    let mut inputs = Vec::new();
    for run in runs {
        match Input::read(run)? {
            Ok(input) => inputs.push(input),
            Err(fault) => faults.push(fault),
        }
    }
    if inputs.is_empty() && faults.is_empty() {
        faults.push("there is nothing to join".to_owned());
    }
    if faults.is_empty() {
        faults = check::mixed(&inputs);
    }
    if faults.is_empty() {
        faults = check::twice(&inputs);
    }
    let missing = if faults.is_empty() {
        check::missing(&inputs)
    } else {
        Vec::new()
    };
    if !partial && !missing.is_empty() {
        faults.extend(missing.iter().cloned());
        faults.push("what is there can be joined all the same with `--partial`".to_owned());
    }
    if !faults.is_empty() {
        return Err(MergeFault::Refused(faults));
    }
    inputs.sort_by_key(|input| input.extent.orders.first().copied());
    let mut notes = missing;
    record::set_clocks(&mut inputs, &mut notes);
    let (record, plan) = record::joined(&inputs, &mut notes);
    folder::write(&inputs, record, &plan, out)?;
    Ok(Merged {
        runs: inputs.len(),
        finished: plan.finished,
        failed: plan.failed,
        notes,
    })
}

fn refuse<T>(fault: String) -> Result<T, MergeFault> {
    Err(MergeFault::Refused(vec![fault]))
}
