//! Reads one of the runs that are to be joined, and says why it can't be one.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Map;

use crate::data::join::{self, Extent};
use crate::data::record::RunRecord;
use crate::model::Origin;
use crate::runner::disk::DiskFault;
use crate::runner::journal::{self, JournalFault};
use crate::runner::plan_record::{PartRecord, PlanRecord};
use crate::runner::run_record::{self, RecordFault};

/// Why runs can't be joined.
#[derive(Debug, thiserror::Error)]
pub enum MergeFault {
    /// They don't belong together; every reason.
    #[error("{}", .0.join("\n"))]
    Refused(Vec<String>),
    /// One of them can't be read.
    #[error(transparent)]
    Record(#[from] RecordFault),
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskFault),
}

const KILLED: &str =
    "was killed before its result files were written: go on with it by `--resume` first";

/// One of the runs.
pub(super) struct Input {
    pub(super) path: PathBuf,
    pub(super) name: String,
    pub(super) record: RunRecord,
    pub(super) plan: PlanRecord,
    /// Its parts: itself, or those it was joined from.
    pub(super) parts: Vec<PartRecord>,
    pub(super) samples: String,
    pub(super) extent: Extent,
    /// Seconds from the first run's start to its own.
    pub(super) later: f64,
}

impl Input {
    /// Reads a run; the inner `Err` says why it can't be joined with any other.
    pub(super) fn read(path: &Path) -> Result<Result<Self, String>, MergeFault> {
        let (record, mut plan) = run_record::read(path)?;
        let name = path.canonicalize().ok();
        let name = name.as_deref().unwrap_or(path).file_name();
        let name = name.unwrap_or_default().to_string_lossy().into_owned();
        let refused = |why: &str| Ok(Err(format!("`{}` {why}", path.display())));
        if record.origin != Origin::Measured.key() {
            return refused("wasn't measured by the runner");
        }
        if is_busy(path)? {
            return refused("is being run right now");
        }
        let samples = read(&path.join("samples.csv"))?.unwrap_or_default();
        let has_journal = path.join(journal::NAME).exists();
        let extent = match join::extent(&samples) {
            _ if samples.is_empty() => Extent::default(),
            Ok(extent) => extent,
            Err(_) if has_journal => return refused(KILLED),
            Err(why) => return refused(&format!("has a samples.csv that can't be read: {why}")),
        };
        // The journal knows better than the record of a run that was killed, and than its samples.
        let mut written = BTreeSet::new();
        let mut failed = 0;
        let sound = journal::read(path, &plan.fingerprint, |line| {
            written.insert(line.order);
            failed += u32::from(line.failed.is_some());
            Ok(())
        });
        match sound {
            Ok(_) if written != extent.orders => return refused(KILLED),
            Ok(_) => {
                plan.finished = written.len() as u32;
                plan.failed = failed;
            }
            Err(JournalFault::Missing { .. }) => {}
            Err(JournalFault::Disk(fault)) => return Err(fault.into()),
            Err(fault) => return Ok(Err(fault.to_string())),
        }
        let parts = if plan.parts.is_empty() {
            vec![PartRecord {
                run: name.clone(),
                shard: plan.shard.clone(),
                started: record.started.clone(),
                blocks: extent.blocks.iter().copied().collect(),
                environment: Map::new(),
            }]
        } else {
            plan.parts.clone()
        };
        Ok(Ok(Self {
            path: path.to_owned(),
            name,
            record,
            plan,
            parts,
            samples,
            extent,
            later: 0.0,
        }))
    }

    /// The parts of the plan that it holds.
    pub(super) fn shards(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| part.shard.as_deref())
    }
}

/// Whether a runner is at work in a folder. Nothing is made for the question.
fn is_busy(path: &Path) -> Result<bool, DiskFault> {
    let lock = path.join("lock");
    match File::open(&lock) {
        Ok(file) => Ok(matches!(
            file.try_lock_shared(),
            Err(fs::TryLockError::WouldBlock)
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(DiskFault::of("open", &lock)(error)),
    }
}

/// The text of a file, if it is there.
pub(super) fn read(path: &Path) -> Result<Option<String>, DiskFault> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskFault::of("read", path)(error)),
    }
}
