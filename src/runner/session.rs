//! A run from its first trial to its last, or from where it was left.

#[cfg(test)]
mod tests;
mod trials;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value as Json;

use super::clock::Clock;
use super::disk::{DiskFault, make_folder};
use super::engine::Server;
use super::estimate::Pace;
use super::folder::{Folder, FolderFault};
use super::history;
use super::inputs::{self, listed};
use super::journal::{self, Journal, JournalFault, Line, StepLine};
use super::neutral::Neutral;
use super::plan::Plan;
use super::plan_record::{PlanRecord, ResumeRecord};
use super::results::{self, Results};
use super::revive::revive;
use super::run_record;
use super::{probe, redact, scratch};
use crate::data::record::RunRecord;

/// Facts that are others at any time, and say nothing about the machine.
const PASSING: [&str; 2] = ["load", "cpu_frequency"];
/// The fact of the environment that names the engine with its version.
const ENGINE: &str = "engine";
/// The fact of the environment that tells private servers from those of somebody else.
const INSTANCE: &str = "instance";
/// Its value for servers that the runner starts.
const PRIVATE: &str = "private";
/// Its value for a server that somebody else runs.
const BY_ADDRESS: &str = "by-address";

/// How a run is made, beyond what decides its samples.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The root of the system's files: `/`, unless a test says otherwise.
    pub root: &'a Path,
    /// Names that no result file should hold.
    pub names: redact::Names,
    /// How long trials took in earlier runs: case, seconds.
    pub seen: Vec<(u32, f64)>,
    /// How long it may take.
    pub budget: Option<Duration>,
    /// Where trials write, if not in the run's folder.
    pub scratch: Option<PathBuf>,
    /// Whether the folders of trials stay.
    pub keep_scratch: bool,
    /// Whether the first trial without a value ends it.
    pub stop_on_failure: bool,
    /// Whether nothing is watched, whatever the definition says.
    pub unwatched: bool,
    /// The server to use instead of private ones.
    pub server: Option<Server>,
    /// What is to be told at the beginning, in sentences.
    pub notes: Vec<String>,
}

/// Why a run can't begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum SessionFault {
    /// Its folder can't be had.
    #[error(transparent)]
    Folder(#[from] FolderFault),
    /// The disk refused.
    #[error(transparent)]
    Disk(#[from] DiskFault),
    /// Its journal can't be gone on with.
    #[error(transparent)]
    Journal(#[from] JournalFault),
    /// The definition or the program has changed, so that further trials would be others.
    #[error(
        "the experiment is no longer what it was when the run began{}",
        listed(changes)
    )]
    Changed {
        /// What has changed in the definition, in words, as far as that is known.
        changes: Vec<String>,
        /// Whether all of it is known.
        told: bool,
    },
    /// The engine has changed.
    #[error("the run was begun with {was}, and this is {is}")]
    OtherEngine {
        /// Name and version of the engine until now.
        was: String,
        /// Name and version of the engine now.
        is: String,
    },
    /// A private server was used until now and another is named, or the other way round.
    #[error("{}", match was_private {
        true => "the run was begun on servers that benchbook starts itself, and now one is named by its address",
        false => "the run was begun on a server by its address, and now none is named",
    })]
    OtherInstance {
        /// Whether the servers were private until now.
        was_private: bool,
    },
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tally {
    /// How many trials have values.
    pub measured: usize,
    /// How many failed, were given up or couldn't be done.
    pub failed: usize,
    /// How many are left.
    pub left: usize,
    /// Why some are left.
    pub reason: Option<Reason>,
}

/// Why trials are left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The run was told to stop.
    Interrupted,
    /// There was no time for them.
    Budget,
    /// A trial failed, and the run was to end then.
    Failure,
}

impl Reason {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Interrupted => "interrupted",
            Self::Budget => "the time is over",
            Self::Failure => "a trial failed",
        }
    }
}

/// A run that is ready to go on.
pub struct Session<'a> {
    plan: &'a Plan<'a>,
    options: Options<'a>,
    folder: Folder,
    journal: Journal,
    results: Results<'a>,
    record: RunRecord,
    plan_record: PlanRecord,
    clock: Clock,
    pace: Pace,
    states: Vec<State>,
    measured: usize,
    failed: usize,
    neutral: Neutral,
    /// The run's folder wherever a program works.
    place: PathBuf,
    /// Sentences that were told, each once.
    told: BTreeSet<String>,
    /// Those that are to be told once somebody listens.
    notes: Vec<String>,
    /// Whether the engine was seen in this session.
    saw_engine: bool,
}

/// What is known of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Left,
    Measured,
    Failed,
}

impl<'a> Session<'a> {
    /// A new run in an empty folder.
    pub fn begin(
        plan: &'a Plan<'a>,
        folder: Folder,
        started: String,
        plan_record: PlanRecord,
        mut options: Options<'a>,
    ) -> Result<Self, SessionFault> {
        place_scratch(&mut options, folder.path())?;
        let journal = Journal::create(folder.path(), &plan_record.fingerprint)?;
        let mut results = Results::begin(plan, folder.path())?;
        results.take_places()?;
        let neutral = Neutral::new(folder.path(), options.names.clone());
        let command = neutral.text(&plan.command());
        let mut session = Self {
            plan,
            journal,
            results,
            record: run_record::new(started, command),
            plan_record,
            clock: Clock::start(),
            pace: Pace::new(plan, &options.seen),
            states: vec![State::Left; plan.trials.len()],
            measured: 0,
            failed: 0,
            neutral: neutral_of(&options, folder.path()),
            place: absolute(folder.path()),
            told: BTreeSet::new(),
            notes: std::mem::take(&mut options.notes),
            saw_engine: false,
            folder,
            options,
        };
        session.note_server();
        session.record.environment = session.environment();
        session.plan_record.watched_every = session.watched_every();
        session.write_record()?;
        session.folder.sync()?;
        Ok(session)
    }

    /// A run that was left, see [`run_record::read`]. With `retry` the trials that failed are tried again.
    pub fn resume(
        plan: &'a Plan<'a>,
        folder: Folder,
        (record, plan_record): (RunRecord, PlanRecord),
        retry: bool,
        mut options: Options<'a>,
    ) -> Result<Self, SessionFault> {
        if plan.fingerprint() != plan_record.fingerprint {
            let before = &plan_record.inputs;
            let told = !before.is_empty();
            return Err(SessionFault::Changed {
                changes: if told {
                    inputs::changes(before, &plan.inputs())
                } else {
                    Vec::new()
                },
                told,
            });
        }
        let was_private =
            record.environment.get(INSTANCE).and_then(Json::as_str) != Some(BY_ADDRESS);
        if was_private != options.server.is_none() {
            return Err(SessionFault::OtherInstance { was_private });
        }
        place_scratch(&mut options, folder.path())?;
        if retry {
            let path = folder.path();
            if history::is_unfinished(path) {
                forget_failures(path, &plan_record.fingerprint)?;
            } else {
                revive(plan, path, &plan_record.fingerprint)?;
            }
        }
        let mut results = Results::begin(plan, folder.path())?;
        let mut states = vec![State::Left; plan.trials.len()];
        let mut pace = Pace::new(plan, &[]);
        let mut last = 0.0_f64;
        let values = results::measured_metrics(plan).len();
        let mut disk = Ok(());
        let sound = journal::read(folder.path(), &plan_record.fingerprint, |line| {
            let index = check(plan, &line, values)?;
            if states[index] != State::Left {
                return Err(format!("the trial {} stands in it twice", line.order));
            }
            states[index] = match line.failed {
                None => State::Measured,
                Some(_) => State::Failed,
            };
            last = last.max(line.at + line.took);
            // How long a trial took isn't in the result files.
            if line.took > 0.0 {
                pace.saw(line.case, line.took);
            }
            if disk.is_ok() {
                disk = results.add(&line);
            }
            Ok(())
        })?;
        disk?;
        results.take_places()?;
        let journal = Journal::reopen(folder.path(), sound)?;
        let started = record.started.as_deref();
        let started = started.and_then(|started| started.parse().ok());
        let count = |state| states.iter().filter(|it| **it == state).count();
        let mut session = Self {
            plan,
            journal,
            results,
            record,
            plan_record,
            clock: Clock::resume(started, last),
            pace,
            measured: count(State::Measured),
            failed: count(State::Failed),
            states,
            neutral: neutral_of(&options, folder.path()),
            place: absolute(folder.path()),
            told: BTreeSet::new(),
            notes: std::mem::take(&mut options.notes),
            saw_engine: false,
            folder,
            options,
        };
        session.note_server();
        session.go_on()?;
        Ok(session)
    }

    /// Writes down that the run is gone on with, and what is different now.
    fn go_on(&mut self) -> Result<(), DiskFault> {
        let mut changed = serde_json::Map::new();
        for (key, is) in self.environment() {
            let was = self.record.environment.get(&key).cloned();
            let was = was.unwrap_or(Json::Null);
            if was != is && !PASSING.contains(&&*key) {
                self.notes.push(format!(
                    "the machine has changed since the run began: `{key}` was {was} and is {is}"
                ));
                changed.insert(key, is);
            }
        }
        self.plan_record.resumed.push(ResumeRecord {
            at: self.clock.seconds(),
            changed,
        });
        self.write_record()
    }

    /// The folder of the run.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn left(&self) -> usize {
        self.states.len() - self.measured - self.failed
    }

    fn environment(&self) -> serde_json::Map<String, Json> {
        let data = self.options.scratch.as_deref();
        let data = data.unwrap_or(self.folder.path());
        let facts = probe::environment(self.options.root, data).into_iter();
        let mut facts: serde_json::Map<String, Json> = facts
            .map(|(key, value)| (key, self.neutral.json(value)))
            .collect();
        if !self.plan.engine.schemes().is_empty() {
            let instance = match self.options.server {
                None => PRIVATE,
                Some(_) => BY_ADDRESS,
            };
            facts.insert(INSTANCE.to_owned(), instance.into());
        }
        facts
    }

    /// Says what is different on a server that somebody else runs.
    fn note_server(&mut self) {
        if self.options.server.is_some() {
            self.notes.push(
                "the server is used by its address: what is told of the machine is about this one, where \
                 the load comes from, and of the server's settings only those of sessions are set; the \
                 others have to be in effect already"
                    .to_owned(),
            );
        }
    }

    fn watched_every(&self) -> Option<f64> {
        let watch = &self.plan.procedure.watch;
        (!watch.off && !self.options.unwatched).then_some(watch.every)
    }

    fn write_record(&mut self) -> Result<(), DiskFault> {
        self.plan_record.finished = (self.measured + self.failed) as u32;
        self.plan_record.failed = self.failed as u32;
        run_record::write(self.folder.path(), &mut self.record, &self.plan_record)
    }
}

/// Makes sure of the place where trials write; without another wish, a run goes on where it was.
fn place_scratch(options: &mut Options<'_>, run: &Path) -> Result<(), DiskFault> {
    options.scratch = options
        .scratch
        .as_deref()
        .map(absolute)
        .or_else(|| scratch::elsewhere(run));
    if let Some(folder) = &options.scratch {
        make_folder(folder)?;
    }
    Ok(())
}

/// What makes texts of a run fit to be kept.
fn neutral_of(options: &Options<'_>, run: &Path) -> Neutral {
    let elsewhere = options.scratch.as_deref();
    let scratch = elsewhere.map(|folder| scratch::place(run, Some(folder)));
    Neutral::new(run, options.names.clone())
        .with_scratch(scratch.as_deref())
        .with_server(options.server.clone())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// The index of the trial that a line of the journal tells of; `Err` says why there can't be one.
fn check(plan: &Plan<'_>, line: &Line, values: usize) -> Result<usize, String> {
    let order = line.order;
    let index = plan
        .trials
        .binary_search_by_key(&order, |trial| trial.order)
        .map_err(|_| format!("the plan has no trial {order}"))?;
    let trial = &plan.trials[index];
    if (trial.block, trial.case) != (line.block, line.case) {
        return Err(format!("the trial {order} is another one in the plan"));
    }
    if line.samples.is_empty() == line.failed.is_none() {
        return Err(format!("the trial {order} has neither values nor a fault"));
    }
    let fits = |sample: &StepLine| sample.values.len() == values;
    if !line.samples.iter().all(fits) {
        return Err(format!("the trial {order} has values of other metrics"));
    }
    Ok(index)
}

/// Takes the trials that failed out of a journal.
fn forget_failures(folder: &Path, fingerprint: &str) -> Result<(), JournalFault> {
    let mut kept = Vec::new();
    journal::read(folder, fingerprint, |line| {
        if line.failed.is_none() {
            kept.push(line);
        }
        Ok(())
    })?;
    Ok(Journal::rewrite(folder, fingerprint, kept)?)
}
