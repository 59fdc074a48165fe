//! The result files of a run: samples, settings as they took effect, and what was watched.
//!
//! They only follow from the journal, so none of them is waited for while the run goes on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::disk::{DiskFault, Growing, remove};
use super::journal::{FaultLine, Line, SettingLine, StepLine};
use super::plan::Plan;
use crate::data::observed;
use crate::data::record::{self, SampleRow};
use crate::model::{MissingReason, SettingInEffect, Value};

/// Names of the files in the run's folder.
const SAMPLES: &str = "samples.csv";
const SETTINGS: &str = "settings.csv";
const TIMELINE: &str = "timeline.csv";

/// The result files while they are written.
#[derive(Debug)]
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
            let file = self.settings.as_mut();
            let file = match file {
                Some(file) => file,
                None => {
                    let header = observed::settings_header(self.plan.definition);
                    self.settings
                        .insert(begin(&self.folder.join(SETTINGS), &header)?)
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
                None => self.timeline.insert(begin(
                    &self.folder.join(TIMELINE),
                    &observed::timeline_header(),
                )?),
            };
            for (at, value) in readings {
                let row = observed::timeline_row(line.order, *at, series, *value);
                file.pour(row.as_bytes())?;
            }
        }
        Ok(())
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
