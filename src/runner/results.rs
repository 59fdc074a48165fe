//! The result files of a run: samples, settings as they took effect, and what was watched.
//!
//! They only follow from the journal, so none of them is waited for while the run goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, Growing, remove};
use super::fault::Fault;
use super::journal::{FaultLine, Line, SettingLine, StepLine};
use super::plan::Plan;
use super::workload::Measured;
use crate::data::observed::{self, TimelineRow};
use crate::data::record::{self, SampleRow};
use crate::model::{MissingReason, Reading, SettingInEffect, Value};

/// Names of the files in the run's folder.
const SAMPLES: &str = "samples.csv";
const SETTINGS: &str = "settings.csv";
const TIMELINE: &str = "timeline.csv";

/// The result files while they are written.
pub struct Results<'a> {
    plan: &'a Plan<'a>,
    folder: PathBuf,
    samples: Growing,
    settings: Option<Growing>,
    timeline: Option<Growing>,
    /// Settings as they took effect, by case and name.
    known: BTreeMap<(u32, String), SettingLine>,
    /// Whether a setting took effect in another way than the file says.
    is_stale: bool,
    /// Whether the files are in their places.
    in_place: bool,
}

impl<'a> Results<'a> {
    /// Writes the files anew from the lines of a journal; none for a run that begins. They take the
    /// places of older ones with [`Self::take_places`].
    pub fn begin(plan: &'a Plan<'a>, folder: &Path) -> Result<Self, DiskFault> {
        let mut samples = Growing::beside(&folder.join(SAMPLES))?;
        samples.add(record::header(plan.definition).as_bytes());
        Ok(Self {
            plan,
            folder: folder.to_owned(),
            samples,
            settings: None,
            timeline: None,
            known: BTreeMap::new(),
            is_stale: false,
            in_place: false,
        })
    }

    /// Puts files that were written anew into their places, and removes those that hold nothing.
    pub fn take_places(&mut self) -> Result<(), DiskFault> {
        self.samples.take_place()?;
        for (file, name) in [
            (&mut self.settings, SETTINGS),
            (&mut self.timeline, TIMELINE),
        ] {
            match file {
                Some(file) => file.take_place()?,
                None => remove(&self.folder.join(name))?,
            }
        }
        self.in_place = true;
        Ok(())
    }

    /// Adds what became of a trial. Nothing reaches the files before [`Self::write`], except where they
    /// aren't in their places yet.
    pub fn add(&mut self, line: &Line) -> Result<(), DiskFault> {
        for row in rows(self.plan, line) {
            let row = record::row(self.plan.definition, &row);
            self.samples.pour(row.as_bytes())?;
        }
        self.add_settings(line)?;
        self.add_series(line)
    }

    fn add_settings(&mut self, line: &Line) -> Result<(), DiskFault> {
        for setting in &line.settings {
            let key = (line.case, setting.name.clone());
            match self.known.insert(key, setting.clone()) {
                None => {}
                Some(before) => {
                    self.is_stale |= before != *setting;
                    continue;
                }
            }
            let file = match self.settings.as_mut() {
                Some(file) => file,
                None => {
                    let header = observed::settings_header(self.plan.definition);
                    let file = self.file(SETTINGS, &header)?;
                    self.settings.insert(file)
                }
            };
            file.pour(settings_row(self.plan, line.case, setting).as_bytes())?;
        }
        Ok(())
    }

    fn add_series(&mut self, line: &Line) -> Result<(), DiskFault> {
        for (series, readings) in &line.series {
            let file = match self.timeline.as_mut() {
                Some(file) => file,
                None => {
                    let file = self.file(TIMELINE, &observed::timeline_header())?;
                    self.timeline.insert(file)
                }
            };
            for (at, value) in readings {
                let row = TimelineRow {
                    order: line.order,
                    series: series.as_str().into(),
                    reading: Reading {
                        at: *at,
                        value: *value,
                    },
                };
                file.pour(observed::timeline_row(&row).as_bytes())?;
            }
        }
        Ok(())
    }

    /// Begins a file that isn't there yet.
    fn file(&self, name: &str, header: &str) -> Result<Growing, DiskFault> {
        let path = self.folder.join(name);
        let mut file = if self.in_place {
            Growing::create(&path)?
        } else {
            Growing::beside(&path)?
        };
        file.add(header.as_bytes());
        Ok(file)
    }

    /// Whether a setting took effect as an earlier trial of the case has it.
    pub fn knows(&self, case: u32, setting: &SettingLine) -> bool {
        self.known.get(&(case, setting.name.clone())) == Some(setting)
    }

    /// Writes what was added.
    pub fn write(&mut self) -> Result<(), DiskFault> {
        self.samples.write()?;
        for file in [&mut self.settings, &mut self.timeline]
            .into_iter()
            .flatten()
        {
            file.write()?;
        }
        Ok(())
    }

    /// Brings everything to the disk.
    pub fn finish(&mut self) -> Result<(), DiskFault> {
        if self.is_stale {
            let mut file = Growing::beside(&self.folder.join(SETTINGS))?;
            file.add(observed::settings_header(self.plan.definition).as_bytes());
            for ((case, _), setting) in &self.known {
                file.pour(settings_row(self.plan, *case, setting).as_bytes())?;
            }
            file.take_place()?;
            self.settings = Some(file);
            self.is_stale = false;
        }
        self.samples.sync()?;
        for file in [&mut self.settings, &mut self.timeline]
            .into_iter()
            .flatten()
        {
            file.sync()?;
        }
        Ok(())
    }
}

fn settings_row(plan: &Plan<'_>, case: u32, setting: &SettingLine) -> String {
    let levels = plan.cases.get(case as usize);
    let setting = SettingInEffect {
        levels: levels.map_or_else(Vec::new, |levels| levels.to_vec()),
        name: setting.name.clone(),
        requested: setting.requested.clone(),
        effective: setting.effective.clone(),
    };
    observed::settings_row(plan.definition, &setting)
}

/// The metrics that are measured, not derived, as `samples.csv` has them: their indices.
pub fn measured_metrics(plan: &Plan<'_>) -> Vec<usize> {
    let metrics = plan.definition.metrics.iter().enumerate();
    metrics
        .filter(|(_, metric)| metric.derived.is_none())
        .map(|(index, _)| index)
        .collect()
}

/// The rows of a trial: one, or one for each step. A trial that failed gives a row for every step there
/// should have been.
fn rows(plan: &Plan<'_>, line: &Line) -> Vec<SampleRow> {
    let row = |step: Option<u32>, sample: Option<&StepLine>| {
        let levels = plan.cases.get(line.case as usize);
        let mut levels = levels.map_or_else(Vec::new, |levels| levels.to_vec());
        if let (Some(factor), Some(step)) = (plan.procedure.steps, step)
            && let Some(level) = levels.get_mut(factor)
        {
            *level = step;
        }
        let failed = line.failed.as_ref();
        SampleRow {
            levels,
            values: match sample {
                Some(sample) => {
                    let values = sample.values.iter();
                    values.map(|value| value.map(Value::Exact)).collect()
                }
                None => vec![None; measured_metrics(plan).len()],
            },
            replicate: line.block,
            block: Some(line.block),
            order: Some(line.order),
            at: Some(line.at),
            status: failed.map(FaultLine::reason),
            note: failed.map_or_else(String::new, |failed| failed.message.clone()),
        }
    };
    let steps = plan
        .procedure
        .steps
        .map(|factor| &plan.definition.factors[factor]);
    match (steps, &line.failed) {
        (None, Some(_)) => vec![row(None, None)],
        (Some(factor), Some(_)) => {
            let steps = 0..factor.levels.len() as u32;
            steps.map(|step| row(Some(step), None)).collect()
        }
        (None, None) => line.samples.iter().map(|it| row(None, Some(it))).collect(),
        (Some(factor), None) => {
            let step = |sample: &StepLine| {
                let key = sample.step.as_deref()?;
                let level = factor.levels.iter().position(|level| level.key == key)?;
                Some(level as u32)
            };
            let samples = line.samples.iter();
            samples.map(|it| row(step(it), Some(it))).collect()
        }
    }
}

impl FaultLine {
    /// The kind of reason.
    pub fn reason(&self) -> MissingReason {
        MissingReason::parse(&self.reason).unwrap_or(MissingReason::Failed)
    }
}

/// What a trial gave, as metrics: of each step, where there is a factor of steps.
pub fn samples(plan: &Plan<'_>, measured: &Measured) -> Result<Vec<StepLine>, Fault> {
    let Some(factor) = plan.procedure.steps else {
        return Ok(vec![sample(plan, None, &measured.values)?]);
    };
    let factor = &plan.definition.factors[factor];
    if measured.steps.is_empty() {
        return Err(Fault::failed(format!(
            "the work has no steps, and `{}` is a factor of steps",
            factor.key
        )));
    }
    let unknown: Vec<&str> = measured
        .steps
        .iter()
        .map(|(step, _)| &**step)
        .filter(|step| factor.level(step).is_none())
        .collect();
    if !unknown.is_empty() {
        return Err(Fault::failed(format!(
            "`{}` lacks levels for steps of the work: `{}`",
            factor.key,
            unknown.join("`, `")
        )));
    }
    let mut samples = Vec::new();
    for (step, values) in &measured.steps {
        let level = factor.level(step).map(|level| &*factor.levels[level].key);
        samples.push(sample(plan, level, values)?);
    }
    Ok(samples)
}

fn sample(plan: &Plan<'_>, step: Option<&str>, given: &[(String, f64)]) -> Result<StepLine, Fault> {
    let results = plan.results();
    let mut values = Vec::new();
    for metric in measured_metrics(plan) {
        let result = results.iter().find(|(_, becomes)| *becomes == metric);
        let value = result.and_then(|(name, _)| given.iter().find(|(given, _)| given == name));
        if let Some((name, value)) = value
            && !value.is_finite()
        {
            return Err(Fault::failed(format!("the result `{name}` is {value}")));
        }
        values.push(value.map(|(_, value)| *value));
    }
    if values.iter().all(Option::is_none) {
        let names: Vec<&str> = results.iter().map(|(name, _)| &**name).collect();
        let names = names.join("`, `");
        return Err(Fault::failed(format!("there is no result `{names}`")));
    }
    Ok(StepLine {
        step: step.map(ToOwned::to_owned),
        values,
    })
}
