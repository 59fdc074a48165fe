//! The journal of a complete run, made again from its result files, so that trials that failed can be
//! tried again.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::disk::DiskFault;
use super::journal::{Journal, JournalFault, Line, SettingLine, StepLine};
use super::plan::Plan;
use crate::data::{observed, record};
use crate::diag::{Report, Source};
use crate::model::Value;

/// Writes the journal of a complete run again, without the trials that failed.
pub(super) fn revive(
    plan: &Plan<'_>,
    folder: &Path,
    fingerprint: &str,
) -> Result<(), JournalFault> {
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    let mut report = Report::new();
    let mut unfit = None;
    if let Some(source) = source(folder, "samples.csv")? {
        for row in record::read(plan.definition, &source, &mut report) {
            if row.status.is_some() {
                continue;
            }
            let trial = row.order.and_then(|order| {
                let index = plan.trials.binary_search_by_key(&order, |it| it.order);
                index.ok().map(|index| plan.trials[index])
            });
            let Some(trial) = trial else {
                unfit = Some("a row belongs to no trial of the plan");
                continue;
            };
            let step = plan.procedure.steps.and_then(|factor| {
                let level = *row.levels.get(factor)? as usize;
                let level = plan.definition.factors[factor].levels.get(level)?;
                Some(level.key.clone())
            });
            let line = lines.entry(trial.order).or_insert_with(|| Line {
                order: trial.order,
                block: trial.block,
                case: trial.case,
                at: row.at.unwrap_or(0.0),
                ..Line::default()
            });
            line.samples.push(StepLine {
                step,
                values: row.values.iter().map(|value| exact(*value)).collect(),
            });
        }
    }
    if let Some(source) = source(folder, "settings.csv")? {
        let mut first: BTreeMap<u32, u32> = BTreeMap::new();
        for line in lines.values() {
            first.entry(line.case).or_insert(line.order);
        }
        let cases: BTreeMap<&[u32], u32> = plan.cases.iter().map(|it| &**it).zip(0..).collect();
        for setting in observed::read_settings(plan.definition, &source, &mut report) {
            let case = cases.get(&*setting.levels);
            let order = case.and_then(|case| first.get(case));
            if let Some(line) = order.and_then(|order| lines.get_mut(order)) {
                line.settings.push(SettingLine {
                    name: setting.name,
                    requested: setting.requested,
                    effective: setting.effective,
                });
            }
        }
    }
    if let Some(source) = source(folder, "timeline.csv")? {
        for series in observed::read_series(&source, &mut report) {
            if let Some(line) = lines.get_mut(&series.order) {
                let readings = series.readings.iter();
                let readings = readings.map(|reading| (reading.at, reading.value));
                line.series.push((series.key, readings.collect()));
            }
        }
    }
    if let Some(fault) = report.sorted().first() {
        return Err(unreadable(folder, &fault.message));
    }
    if let Some(why) = unfit {
        return Err(unreadable(folder, why));
    }
    Ok(Journal::rewrite(folder, fingerprint, lines.into_values())?)
}

fn exact(value: Option<Value>) -> Option<f64> {
    match value {
        Some(Value::Exact(value)) => Some(value),
        // The runner writes no other.
        _ => None,
    }
}

fn source(folder: &Path, name: &str) -> Result<Option<Arc<Source>>, DiskFault> {
    let path = folder.join(name);
    match fs::read_to_string(&path) {
        Ok(text) => Ok(Some(Source::new(name, text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskFault::of("read", &path)(error)),
    }
}

fn unreadable(folder: &Path, why: &str) -> JournalFault {
    JournalFault::Unreadable {
        path: folder.to_owned(),
        why: why.to_owned(),
    }
}
