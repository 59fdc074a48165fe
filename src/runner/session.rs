//! A run from its first trial to its last, or from where it was left.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::clock::Clock;
use super::data_keys::DataKeys;
use super::disk::{DiskFault, remove};
use super::estimate::Pace;
use super::event::{Event, Figure, Listener};
use super::execute::{DataKey, Outcome, Seen, Stage};
use super::fault::Fault;
use super::folder::{Folder, FolderFault};
use super::history;
use super::journal::{self, FaultLine, Journal, JournalFault, Line, SettingLine, StepLine};
use super::logs;
use super::neutral::Neutral;
use super::plan::{Plan, Trial};
use super::plan_record::{PlanRecord, ResumeRecord};
use super::power::Keeper;
use super::results::{self, Results};
use super::revive::revive;
use super::run_record;
use super::scratch::Scratch;
use super::stop::Stop;
use super::{probe, redact};
use crate::data::record::RunRecord;

/// The file in which the power plan that was there before is remembered.
const POWER_MEMORY: &str = "power-plan.json";
/// Facts that are others at any time, and say nothing about the machine.
const PASSING: [&str; 2] = ["load", "cpu_frequency"];
/// The fact of the environment that names the engine with its version.
const ENGINE: &str = "engine";

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
    /// Whether the folders of trials stay.
    pub keep_scratch: bool,
    /// Whether the first trial without a value ends it.
    pub stop_on_failure: bool,
    /// Whether nothing is watched, whatever the definition says.
    pub unwatched: bool,
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
    #[error("the experiment is no longer what it was when the run began")]
    Changed,
    /// The engine has changed.
    #[error("the run was begun with {was}, and this is {is}")]
    OtherEngine {
        /// Name and version of the engine until now.
        was: String,
        /// Name and version of the engine now.
        is: String,
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
        options: Options<'a>,
    ) -> Result<Self, SessionFault> {
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
            neutral,
            place: absolute(folder.path()),
            told: BTreeSet::new(),
            notes: Vec::new(),
            saw_engine: false,
            folder,
            options,
        };
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
        options: Options<'a>,
    ) -> Result<Self, SessionFault> {
        if plan.fingerprint() != plan_record.fingerprint {
            return Err(SessionFault::Changed);
        }
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
            neutral: Neutral::new(folder.path(), options.names.clone()),
            place: absolute(folder.path()),
            told: BTreeSet::new(),
            notes: Vec::new(),
            saw_engine: false,
            folder,
            options,
        };
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
        let facts = probe::environment(self.options.root, self.folder.path()).into_iter();
        facts
            .map(|(key, value)| (key, self.neutral.json(value)))
            .collect()
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

    /// Makes the trials that are left.
    pub fn run(mut self, stop: &Stop, listener: &mut dyn Listener) -> Result<Tally, SessionFault> {
        self.tell_begin(listener);
        let scratch = Scratch::open(&self.place, self.options.keep_scratch)?;
        let power = Keeper::open(self.options.root, &self.folder.file(POWER_MEMORY));
        match &power.recovered {
            None => {}
            Some(Ok(plan)) => listener.hear(&Event::Notes(&format!(
                "the power plan `{plan}` was put back, which a killed run had changed"
            ))),
            Some(Err(fault)) => listener.hear(&Event::Notes(&format!(
                "a killed run had changed the power plan, and it can't be put back: {fault}"
            ))),
        }
        let mut stage = Stage {
            plan: self.plan,
            stop,
            clock: self.clock,
            scratch,
            power,
            watched_every: self.watched_every(),
            root: self.options.root,
        };
        let done = self.trials(&mut stage, stop, listener);
        // Whatever happened: the machine and the folder are left as they were found.
        let Stage {
            scratch, mut power, ..
        } = stage;
        if let Err(fault) = power.restore() {
            listener.hear(&Event::Notes(&format!(
                "the power plan can't be put back: {fault}"
            )));
        }
        match scratch.finish() {
            Ok(None) => {}
            Ok(Some(kept)) => listener.hear(&Event::Notes(&format!(
                "the folders of the trials are kept in {}",
                kept.display()
            ))),
            Err(fault) => listener.hear(&Event::Notes(&fault.to_string())),
        }
        self.finish(done, listener)
    }

    fn tell_begin(&mut self, listener: &mut dyn Listener) {
        let done = self.measured + self.failed;
        let mut blocks: Vec<u32> = self.plan.trials.iter().map(|trial| trial.block).collect();
        blocks.dedup();
        listener.hear(&Event::Begins {
            experiment: &self.plan.definition.key,
            engine: self.plan.engine.name(),
            workload: self.plan.workload.name(),
            folder: self.folder.path(),
            cases: self.plan.cases.len(),
            blocks: blocks.len(),
            trials: self.plan.trials.len(),
            done,
            expected: self.pace.rest(),
        });
        for note in std::mem::take(&mut self.notes) {
            listener.hear(&Event::Notes(&note));
        }
    }

    /// Makes one trial after the other; answers why it ended before the last.
    fn trials(
        &mut self,
        stage: &mut Stage<'_>,
        stop: &Stop,
        listener: &mut dyn Listener,
    ) -> Result<Option<Reason>, SessionFault> {
        let begin = Instant::now();
        let mut keys = DataKeys::new(self.plan, |index| self.states[index] == State::Left);
        let mut block = None;
        for (index, trial) in self.plan.trials.iter().enumerate() {
            if self.states[index] != State::Left {
                continue;
            }
            if stop.is_raised() {
                return Ok(Some(Reason::Interrupted));
            }
            if let Some(budget) = self.options.budget {
                let left = budget.saturating_sub(begin.elapsed());
                let is_new = block.is_some_and(|block| block != trial.block);
                if left.is_zero() || (is_new && !self.pace.fits(left)) {
                    return Ok(Some(Reason::Budget));
                }
            }
            block = Some(trial.block);
            let case = self.plan.named(trial.case);
            listener.hear(&Event::TrialBegins {
                order: trial.order,
                block: trial.block,
                case: &case,
                done: self.measured + self.failed,
                expected: self.pace.rest(),
            });
            let data = keys.take(trial.case);
            let Some((line, fault)) = self.trial(stage, trial, data.as_ref(), listener)? else {
                return Ok(Some(Reason::Interrupted));
            };
            if let Some(data) = data.filter(|data| !data.is_needed)
                && let Err(fault) = stage.scratch.drop_template(&data.key)
            {
                self.tell(&fault.to_string(), listener);
            }
            self.keep(index, &line)?;
            self.tell_end(&line, fault.as_ref(), listener);
            if self.options.stop_on_failure && fault.is_some() {
                return Ok(Some(Reason::Failure));
            }
        }
        Ok(None)
    }

    /// Makes a trial; `None` if it was dropped.
    fn trial(
        &mut self,
        stage: &mut Stage<'_>,
        trial: &Trial,
        data: Option<&DataKey>,
        listener: &mut dyn Listener,
    ) -> Result<Option<(Line, Option<Fault>)>, SessionFault> {
        let folder = stage.scratch.trial(trial.order)?;
        let programs = self.plan.procedure.commands.is_some();
        let log = logs::path(&self.place, trial.order, programs)?;
        let (files, output) = (folder.files(), folder.output());
        let commands = self.plan.commands(trial.case, trial, &files, &output, &log);
        let outcome = stage.perform(trial, data, commands.as_ref(), &folder);
        // All that follow would fail for the same reason, and it is none of the case's own.
        let out_of_room = outcome.result.is_err() && folder.is_out_of_room();
        // Before anything is written, so that there is room for it.
        if let Err(fault) = folder.finish() {
            self.tell(&fault.to_string(), listener);
        }
        for note in &outcome.notes {
            self.tell(note, listener);
        }
        if outcome.result.as_ref().is_err_and(|fault| fault.stopped) {
            logs::forget(&log)?;
            return Ok(None);
        }
        if out_of_room {
            let full = std::io::ErrorKind::StorageFull.into();
            return Err(DiskFault::of("make a trial in", &self.place)(full).into());
        }
        if let Some(seen) = &outcome.seen {
            self.meet_engine(seen)?;
        }
        let (line, fault) = self.line(trial, outcome);
        logs::finish(&log, fault.as_ref(), &self.neutral)?;
        Ok(Some((line, fault)))
    }

    /// Writes down what the engine says of itself, the first time, and whether it is still the same.
    fn meet_engine(&mut self, seen: &Seen) -> Result<(), SessionFault> {
        if std::mem::replace(&mut self.saw_engine, true) {
            return Ok(());
        }
        let is = self.neutral.text(&seen.version);
        let was = self.record.environment.get(ENGINE).and_then(Json::as_str);
        if let Some(was) = was {
            if was != is {
                return Err(SessionFault::OtherEngine {
                    was: was.to_owned(),
                    is,
                });
            }
            return Ok(());
        }
        self.record
            .environment
            .insert(ENGINE.to_owned(), Json::String(is));
        // Settings that differ from case to case stand in a file of their own.
        let varies = |name: &str| {
            let mut settings = self.plan.settings.iter();
            settings.any(|setting| setting.name == name && setting.value.factors().next().is_some())
        };
        self.record.settings = seen
            .settings
            .iter()
            .filter(|(name, _)| !varies(name))
            .map(|(name, value)| (name.clone(), Json::String(self.neutral.text(value))))
            .collect();
        self.write_record()?;
        Ok(())
    }

    /// What became of a trial, as the journal keeps it.
    fn line(&self, trial: &Trial, outcome: Outcome) -> (Line, Option<Fault>) {
        let samples = outcome
            .result
            .and_then(|measured| results::samples(self.plan, &measured))
            .map_err(|fault| Fault {
                message: self.neutral.line(&fault.message),
                log: self.neutral.text(&fault.log),
                ..fault
            });
        let (samples, fault) = match samples {
            Ok(samples) => (samples, None),
            Err(fault) => (Vec::new(), Some(fault)),
        };
        let mut series: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
        if fault.is_none() {
            for (at, key, value) in outcome.readings {
                match series.iter_mut().find(|(known, _)| known == key) {
                    Some((_, readings)) => readings.push((at, value)),
                    None => series.push((key.to_owned(), vec![(at, value)])),
                }
            }
        }
        let settings = outcome.settings.into_iter().map(|setting| SettingLine {
            name: setting.name,
            requested: self.neutral.text(&setting.requested),
            effective: setting.effective.map(|value| self.neutral.text(&value)),
        });
        let line = Line {
            order: trial.order,
            block: trial.block,
            case: trial.case,
            at: outcome.at,
            took: outcome.took,
            samples,
            failed: fault.as_ref().map(|fault| FaultLine {
                reason: fault.reason.key().to_owned(),
                message: fault.message.clone(),
            }),
            settings: settings
                .filter(|setting| !self.results.knows(trial.case, setting))
                .collect(),
            series,
        };
        (line, fault)
    }

    /// Keeps what became of a trial; it is on the disk afterwards.
    fn keep(&mut self, index: usize, line: &Line) -> Result<(), SessionFault> {
        self.journal.add(line)?;
        let (state, count) = match line.failed {
            None => (State::Measured, &mut self.measured),
            Some(_) => (State::Failed, &mut self.failed),
        };
        self.states[index] = state;
        *count += 1;
        self.pace.saw(line.case, line.took);
        self.results.add(line)?;
        self.results.write()?;
        Ok(())
    }

    fn tell(&mut self, note: &str, listener: &mut dyn Listener) {
        if self.told.insert(note.to_owned()) {
            listener.hear(&Event::Notes(note));
        }
    }

    fn tell_end(&self, line: &Line, fault: Option<&Fault>, listener: &mut dyn Listener) {
        let took = Duration::try_from_secs_f64(line.took).unwrap_or_default();
        let order = line.order;
        if let Some(fault) = fault {
            return listener.hear(&Event::TrialFails { order, took, fault });
        }
        let metrics = results::measured_metrics(self.plan);
        let mut values = Vec::new();
        for sample in &line.samples {
            for (metric, value) in metrics.iter().zip(&sample.values) {
                values.extend(value.map(|value| Figure {
                    metric: &self.plan.definition.metrics[*metric],
                    step: sample.step.as_deref(),
                    value,
                }));
            }
        }
        listener.hear(&Event::TrialEnds {
            order,
            took,
            values: &values,
        });
    }

    /// Brings everything to the disk, whatever ended the run.
    fn finish(
        mut self,
        done: Result<Option<Reason>, SessionFault>,
        listener: &mut dyn Listener,
    ) -> Result<Tally, SessionFault> {
        let reason = match done {
            Ok(reason) => reason,
            Err(fault) => {
                // The journal has all there is; the counts may be written where there is still room.
                let _ = self.write_record();
                return Err(fault);
            }
        };
        self.plan_record.stopped = reason.map(|reason| reason.words().to_owned());
        self.results.finish()?;
        self.write_record()?;
        let tally = Tally {
            measured: self.measured,
            failed: self.failed,
            left: self.left(),
            reason,
        };
        if tally.left == 0 {
            remove(&self.folder.file(journal::NAME))?;
        }
        listener.hear(&Event::Ends {
            measured: tally.measured,
            failed: tally.failed,
            left: tally.left,
            reason: reason.map(Reason::words),
            folder: self.folder.path(),
        });
        Ok(tally)
    }
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
