//! `run.json` of a run that the runner makes: read, and written in one step.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, replace};
use super::plan_record::PlanRecord;
use crate::data::record::{FORMAT, RunRecord, VERSION};
use crate::model::Origin;

/// The file's name in the run's folder.
pub const NAME: &str = "run.json";

/// Why a `run.json` can't be gone on with.
#[derive(Debug, thiserror::Error)]
pub enum RecordFault {
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskFault),
    /// There is none.
    #[error("`{}` is no run: it holds no {NAME}", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// It isn't what the runner writes.
    #[error("{}: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
}

/// The record of a run that begins.
pub fn new(started: String, command: String) -> RunRecord {
    RunRecord {
        format: FORMAT.to_owned(),
        version: VERSION,
        origin: Origin::Measured.key().to_owned(),
        source: None,
        started: Some(started),
        command: Some(command),
        environment: serde_json::Map::new(),
        settings: std::collections::BTreeMap::new(),
        plan: None,
    }
}

/// Reads the record of a run in a folder, with its plan.
pub fn read(folder: &Path) -> Result<(RunRecord, PlanRecord), RecordFault> {
    let path = folder.join(NAME);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(RecordFault::Missing {
                path: folder.to_owned(),
            });
        }
        Err(error) => return Err(DiskFault::of("read", &path)(error).into()),
    };
    let broken = |why: String| RecordFault::Broken {
        path: path.clone(),
        why,
    };
    let record: RunRecord = serde_json::from_str(&text)
        .map_err(|error| broken(format!("this is no run record: {error}")))?;
    if record.format != FORMAT || record.version > VERSION {
        return Err(broken("another version of the program wrote it".to_owned()));
    }
    let Some(plan) = record.plan.clone() else {
        return Err(broken(
            "it has no plan, so the runner didn't make it".to_owned(),
        ));
    };
    let plan = serde_json::from_value(plan)
        .map_err(|error| broken(format!("its plan can't be read: {error}")))?;
    Ok((record, plan))
}

/// Writes the record of a run into its folder.
pub fn write(folder: &Path, record: &mut RunRecord, plan: &PlanRecord) -> Result<(), DiskFault> {
    // Texts, numbers and maps with texts as keys always have a JSON form.
    record.plan = serde_json::to_value(plan).ok();
    let mut text = serde_json::to_string_pretty(record).unwrap_or_default();
    text.push('\n');
    replace(&folder.join(NAME), text.as_bytes())
}
