//! One trial, from its rest to its checked answer.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use super::clock::{Clock, rounded};
use super::disk::DiskFault;
use super::engine::{Instance, Observed, Requested, Server, Start};
use super::fault::Fault;
use super::journal::SettingLine;
use super::plan::{Plan, Trial};
use super::power::Keeper;
use super::sampler::{self, Sampler};
use super::scratch::{Scratch, TrialFolder};
use super::stop::{Deadline, Stop};
use super::workload::{FilledCommands, Measured, Task};

/// The name under which a power plan stands among the settings.
pub const POWER_PLAN: &str = "power_plan";

/// The wish for a power plan that leaves it as it is.
const UNCHANGED: &str = "unchanged";

/// What became of a trial.
#[derive(Debug)]
pub struct Outcome {
    /// What it gave, or why it gave nothing.
    pub result: Result<Measured, Fault>,
    /// Seconds from the run's start to the start of measuring, or of the trial if it never got there.
    pub at: f64,
    /// Seconds that the whole trial took.
    pub took: f64,
    /// Settings as they took effect.
    pub settings: Vec<SettingLine>,
    /// What was watched: seconds since the run's start, key of the series, figure in base units.
    pub readings: Vec<(f64, &'static str, f64)>,
    /// What the engine says of itself.
    pub seen: Option<Seen>,
    /// What is worth knowing beside that, in sentences.
    pub notes: Vec<String>,
}

/// What an engine says of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// Name and version.
    pub version: String,
    /// Every setting that it tells of.
    pub settings: BTreeMap<String, String>,
}

/// Where trials take place.
pub struct Stage<'a> {
    /// What is run.
    pub plan: &'a Plan<'a>,
    /// The wish to end.
    pub stop: &'a Stop,
    /// The run's clock.
    pub clock: Clock,
    /// Folders of trials.
    pub scratch: Scratch,
    /// Keeps the machine's power plan.
    pub power: Keeper,
    /// Seconds between two readings of what is watched; nothing is watched without.
    pub watched_every: Option<f64>,
    /// The root of the system's files.
    pub root: &'a Path,
    /// The server to use instead of private ones.
    pub server: Option<Server>,
}

impl Stage<'_> {
    /// Makes a trial.
    pub fn perform(
        &mut self,
        trial: &Trial,
        data: Option<&DataKey>,
        commands: Option<&FilledCommands>,
        folder: &TrialFolder,
    ) -> Outcome {
        let start = Instant::now();
        let mut outcome = Outcome {
            result: Err(Fault::stopped()),
            at: self.clock.seconds(),
            took: 0.0,
            settings: Vec::new(),
            readings: Vec::new(),
            seen: None,
            notes: Vec::new(),
        };
        let attempt = AssertUnwindSafe(|| {
            self.rest()?;
            self.set_power(trial, &mut outcome)?;
            let attempt = Attempt {
                deadline: self.stop.limit(seconds(self.plan.procedure.timeout)),
                requested: self.plan.requested(trial.case),
                stage: self,
                trial,
                data,
                commands,
                folder,
                instance: None,
            };
            attempt.run(&mut outcome)
        });
        let result = catch_unwind(attempt).unwrap_or_else(|panic| Err(gave_up(&*panic)));
        outcome.result = result.map_err(|fault| {
            // Whatever went wrong after that may have gone wrong because of it.
            if self.stop.drops_trial() {
                Fault::stopped()
            } else {
                fault
            }
        });
        outcome.took = rounded(start.elapsed().as_secs_f64());
        outcome
    }

    /// Lets the machine come to rest.
    fn rest(&self) -> Result<(), Fault> {
        const STEP: Duration = Duration::from_millis(50);
        let start = Instant::now();
        let settle = seconds(self.plan.procedure.settle);
        loop {
            if self.stop.drops_trial() {
                return Err(Fault::stopped());
            }
            let left = settle.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(STEP));
        }
    }

    fn set_power(&mut self, trial: &Trial, outcome: &mut Outcome) -> Result<(), Fault> {
        let Some(wish) = self.plan.power(trial.case) else {
            return Ok(());
        };
        let effective = if wish == UNCHANGED {
            // What another case has set is put back.
            self.power.restore().map(|()| self.power.read().ok())
        } else {
            self.power.set(&wish).map(Some)
        };
        outcome.settings.push(SettingLine {
            name: POWER_PLAN.to_owned(),
            requested: wish,
            effective: effective.as_ref().ok().cloned().flatten(),
        });
        effective.map(drop)
    }
}

/// Which data a trial begins with.
#[derive(Debug)]
pub struct DataKey {
    /// Trials with the same key begin with the same data.
    pub key: String,
    /// Whether another trial with this key is still to come.
    pub is_needed: bool,
}

/// A trial under way.
struct Attempt<'a, 'p> {
    stage: &'a mut Stage<'p>,
    trial: &'a Trial,
    data: Option<&'a DataKey>,
    commands: Option<&'a FilledCommands>,
    folder: &'a TrialFolder,
    requested: Vec<Requested>,
    deadline: Deadline,
    instance: Option<Box<dyn Instance>>,
}

impl Attempt<'_, '_> {
    fn run(mut self, outcome: &mut Outcome) -> Result<Measured, Fault> {
        let result = self.prepare(outcome).and_then(|()| self.measure(outcome));
        match result {
            Ok(measured) => {
                self.stop()?;
                Ok(measured)
            }
            Err(fault) => Err(self.blame(fault)),
        }
    }

    /// Starts an instance with the trial's data, all settings in effect.
    fn prepare(&mut self, outcome: &mut Outcome) -> Result<(), Fault> {
        let template = self
            .data
            .and_then(|data| self.stage.scratch.template(&data.key));
        if let Some(template) = template {
            self.folder.copy_files(&template)?;
            self.start(Some(&template.data()))?;
            return self.read_back(outcome);
        }
        self.start(None)?;
        self.read_back(outcome)?;
        self.with_task(|stage, task| stage.plan.workload.prepare(task))?;
        let Some(data) = self.data.filter(|data| data.is_needed) else {
            // Some settings take effect only with the first data.
            return self.read_back(outcome);
        };
        if !self.instance()?.keeps_data() || !self.folder.has_room_to_spare() {
            return self.read_back(outcome);
        }
        self.stop()?;
        let kept = self.stage.scratch.keep_template(&data.key, self.folder);
        kept?;
        self.prepare(outcome)
    }

    fn start(&mut self, from: Option<&Path>) -> Result<(), Fault> {
        let folder = self.folder.data();
        let start = Start {
            folder: &folder,
            from,
            settings: &self.requested,
            server: self.stage.server.as_ref(),
            deadline: &self.deadline,
            commands: self.commands,
        };
        self.instance = Some(self.stage.plan.engine.start(&start)?);
        Ok(())
    }

    /// Reads every setting that was asked for; one that didn't take effect ends the trial.
    fn read_back(&self, outcome: &mut Outcome) -> Result<(), Fault> {
        let instance = self.instance()?;
        outcome
            .settings
            .retain(|setting| setting.name == POWER_PLAN);
        let mut wrong = Vec::new();
        for Requested { name, value } in &self.requested {
            let effective = instance.effective(name)?;
            if let Some(effective) = &effective
                && !instance.is_same(name, value, effective)
            {
                wrong.push(format!(
                    "`{name}` is `{effective}`, not `{value}` as asked for"
                ));
            }
            outcome.settings.push(SettingLine {
                name: name.clone(),
                requested: value.clone(),
                effective,
            });
        }
        if outcome.seen.is_none() {
            outcome.seen = Some(Seen {
                version: instance.version(),
                settings: instance.all_settings()?,
            });
        }
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(Fault::failed(wrong.join("; ")))
        }
    }

    fn measure(&mut self, outcome: &mut Outcome) -> Result<Measured, Fault> {
        let instance = self.instance()?;
        instance.flush()?;
        if self.stage.plan.workload.builds_data() {
            self.folder.settle()?;
        }
        let done = Arc::new(AtomicU64::new(0));
        let mut sampler = self.sampler(instance, &done)?;
        self.deadline.check()?;
        outcome.at = self.stage.clock.seconds();
        let parameters = self.stage.plan.parameters(self.trial.case);
        let files = self.folder.files();
        let task = Task {
            instance,
            parameters: &parameters,
            seed: self.stage.plan.seed,
            folder: &files,
            deadline: &self.deadline,
            done: &done,
            commands: self.commands,
        };
        let mut load = self.stage.plan.workload.load(&task);
        instance.mark()?;
        let measured = load.measure();
        let observed = measured.is_ok().then(|| instance.observed());
        if let Some(sampler) = &mut sampler {
            outcome.readings = self.readings(sampler);
            outcome.notes.extend_from_slice(sampler.notes());
        }
        let mut measured = measured?;
        if let Some(observed) = observed {
            self.add(&mut measured, observed?);
        }
        load.verify()?;
        drop(load);
        if self.stage.plan.procedure.power.is_some() {
            self.stage.power.verify()?;
        }
        Ok(measured)
    }

    /// Adds what the engine counted to what the workload gave.
    fn add(&self, measured: &mut Measured, observed: Observed) {
        let plan = self.stage.plan;
        let own = observed.values.into_iter();
        (measured.values).extend(own.map(|(name, value)| (name.to_owned(), value)));
        let Some(waits) = observed.waits else { return };
        if let (Some(factor), true) = (plan.procedure.steps, measured.steps.is_empty()) {
            let factor = &plan.definition.factors[factor];
            measured.steps = waits.steps(factor, &measured.values);
        }
        measured.values.extend(waits.totals());
    }

    fn sampler(
        &self,
        instance: &dyn Instance,
        done: &Arc<AtomicU64>,
    ) -> Result<Option<Sampler>, Fault> {
        let Some(every) = self.stage.watched_every else {
            return Ok(None);
        };
        let mut watches = instance.watches()?;
        watches.extend(sampler::machine(self.stage.root, &self.folder.data()));
        watches.push(sampler::throughput(Arc::clone(done)));
        let origin = self.stage.clock.origin();
        Ok(Some(Sampler::start(watches, seconds(every), origin)))
    }

    /// What was watched, as far as it is wanted, on the run's clock.
    fn readings(&self, sampler: &mut Sampler) -> Vec<(f64, &'static str, f64)> {
        let wanted = &self.stage.plan.procedure.watch.series;
        let is_wanted =
            |series: &str| wanted.is_empty() || wanted.iter().any(|wanted| wanted.name == series);
        let readings = sampler.finish().into_iter();
        readings
            .filter(|(_, series, _)| is_wanted(series))
            .map(|(at, series, value)| (self.stage.clock.at(at), series, value))
            .collect()
    }

    /// Does something with the instance at rest.
    fn with_task(
        &self,
        work: impl FnOnce(&Stage<'_>, &Task<'_>) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let parameters = self.stage.plan.parameters(self.trial.case);
        let files = self.folder.files();
        let done = AtomicU64::new(0);
        let task = Task {
            instance: self.instance()?,
            parameters: &parameters,
            seed: self.stage.plan.seed,
            folder: &files,
            deadline: &self.deadline,
            done: &done,
            commands: self.commands,
        };
        work(self.stage, &task)
    }

    fn instance(&self) -> Result<&dyn Instance, Fault> {
        let started = self.instance.as_deref();
        started.ok_or_else(|| Fault::failed("the engine is not running"))
    }

    fn stop(&mut self) -> Result<(), Fault> {
        self.instance.take().map_or(Ok(()), Instance::stop)
    }

    /// Adds the end of the engine's log to a fault, and ends the engine.
    fn blame(&mut self, mut fault: Fault) -> Fault {
        let Some(instance) = self.instance.take() else {
            return fault;
        };
        if fault.log.is_empty() {
            let log = instance.log_tail();
            fault = fault.with_log(&log);
        }
        match instance.gone().filter(|_| !fault.stopped) {
            Some(end) => fault.with_end(&end),
            None => fault,
        }
    }
}

impl From<DiskFault> for Fault {
    fn from(fault: DiskFault) -> Self {
        Self::failed(fault.to_string())
    }
}

fn seconds(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
}

/// What is left of a trial that panicked: a mistake in the program, which should not end a long run.
fn gave_up(panic: &(dyn std::any::Any + Send)) -> Fault {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    let text = text.unwrap_or_else(|| "no reason given".to_owned());
    Fault::failed(format!("a mistake in benchbook itself: {text}"))
}
