//! `benchbook merge`: joins the run folders of a plan's parts into one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::amounts::count;
use super::{FAULTS, shown};
use crate::runner::merge::{MergeFault, merge};

#[derive(Debug, Args)]
#[command(after_help = "\
Parts are run folders that `benchbook run EXPERIMENT --shard k/n` made, on one machine or on many. \
They have to be parts of one plan: the same experiment, settings, parameters, seed, order and \
repetitions. A block belongs to one part, so each sample keeps the machine it was measured on, and \
facts about machines that differ stand in the joined run part by part. The parts stay as they are.

  benchbook merge parts/*/ --out data/page-cache/runs/20261130T234512Z

Exit codes: 0 joined, 1 the runs don't belong together, 2 could not run.")]
pub(super) struct Flags {
    /// Run folders of the parts
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// The run folder to make; it must not be there yet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Join what is there, even if parts are missing or unfinished
    #[arg(long)]
    partial: bool,
}

pub(super) fn run(flags: &Flags) -> anyhow::Result<ExitCode> {
    let merged = match merge(&flags.runs, &flags.out, flags.partial) {
        Ok(merged) => merged,
        Err(MergeFault::Refused(faults)) => {
            for fault in faults {
                anstream::eprintln!("benchbook: {fault}");
            }
            anstream::eprintln!("benchbook: nothing was written");
            return Ok(ExitCode::from(FAULTS));
        }
        Err(fault) => return Err(fault.into()),
    };
    for note in &merged.notes {
        anstream::eprintln!("note: {note}");
    }
    let failed = match merged.failed {
        0 => String::new(),
        failed => format!(", {failed} of them without a value"),
    };
    anstream::eprintln!(
        "{} joined into {}: {}{failed}",
        count(merged.runs, "run"),
        shown(&flags.out),
        count(merged.finished as usize, "trial"),
    );
    Ok(ExitCode::SUCCESS)
}
