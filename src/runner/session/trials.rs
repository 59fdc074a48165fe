//! The trials of a run, one after the other, and what is kept and told of each.

use std::time::{Duration, Instant};

use serde_json::Value as Json;

use super::super::data_keys::DataKeys;
use super::super::disk::{DiskFault, remove};
use super::super::event::{Event, Figure, Listener};
use super::super::execute::{DataKey, Outcome, Seen, Stage};
use super::super::fault::Fault;
use super::super::journal::{self, FaultLine, Line, SettingLine};
use super::super::plan::Trial;
use super::super::power::Keeper;
use super::super::scratch::Scratch;
use super::super::stop::Stop;
use super::super::{left, logs, redact, results};
use super::{ENGINE, Reason, Session, SessionFault, State, Tally};

/// The file in which the power plan that was there before is remembered.
const POWER_MEMORY: &str = "power-plan.json";

impl Session<'_> {
    /// Makes the trials that are left.
    pub fn run(mut self, stop: &Stop, listener: &mut dyn Listener) -> Result<Tally, SessionFault> {
        self.tell_begin(listener);
        let elsewhere = self.options.scratch.as_deref();
        let scratch = Scratch::open(&self.place, elsewhere, self.options.keep_scratch)?;
        if scratch.ended() > 0 {
            listener.hear(&Event::Notes(&left::ended_words(scratch.ended(), None)));
        }
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
            server: self.options.server.clone(),
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
            self.tell(&self.neutral.text(note), listener);
        }
        if outcome.result.as_ref().is_err_and(|fault| fault.stopped) {
            logs::forget(&log)?;
            return Ok(None);
        }
        if out_of_room {
            let full = std::io::ErrorKind::StorageFull.into();
            return Err(DiskFault::of("make a trial in", stage.scratch.path())(full).into());
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
            .filter(|(name, _)| self.options.server.is_none() || !redact::is_telling(name))
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
