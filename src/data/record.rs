//! Run folders as our runner writes them and the site reads them: `run.json` and `samples.csv`.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::faults::Faults;
use super::format::{self, Input};
use super::level::{Axes, Levels};
use super::receipt::Receipt;
use super::rows::{self, Row};
use super::{mapping, value};
use crate::diag::{Report, Source};
use crate::model::{Definition, Factor, Metric, MissingReason, Origin, Value};

/// The text in `format` that tells a run folder from other JSON.
pub const FORMAT: &str = "benchbook-run";
/// The version of the wire format that is written; older ones are read.
pub const VERSION: u32 = 1;

/// `run.json`: what is known of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunRecord {
    /// Always [`FORMAT`].
    pub format: String,
    /// Always at most [`VERSION`].
    pub version: u32,
    /// `measured`, `imported` or `published`.
    pub origin: String,
    /// Key of a source in the definition, for imported and published runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// When it began, as an ISO 8601 text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// The command that makes such a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// Facts about machine, system and engine, by their keys.
    #[serde(default)]
    pub environment: serde_json::Map<String, serde_json::Value>,
    /// Effective settings of the engine, by the engine's names.
    #[serde(default)]
    pub settings: BTreeMap<String, serde_json::Value>,
    /// The runner's plan (seed, order, repetitions). Only the runner reads it, but for
    /// [`Self::watched_every`] and [`Self::inputs`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<serde_json::Value>,
}

impl RunRecord {
    /// Seconds between two readings of what was watched, where anything was.
    pub fn watched_every(&self) -> Option<f64> {
        let every = self.plan.as_ref()?.get("watched_every")?.as_f64();
        every.filter(|every| every.is_finite() && *every > 0.0)
    }

    /// What decided the run's trials, by name. Runs of older versions tell little of it.
    pub fn inputs(&self) -> Vec<(String, String)> {
        let Some(plan) = &self.plan else {
            return Vec::new();
        };
        let mut inputs: BTreeMap<String, String> = BTreeMap::new();
        for key in ["engine", "workload", "order", "seed"] {
            if let Some(value) = plan.get(key) {
                let text = value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned);
                inputs.insert(format!("run.{key}"), text);
            }
        }
        let quick = plan.get("quick").and_then(serde_json::Value::as_bool);
        let quick = if quick == Some(true) { "yes" } else { "no" };
        inputs.insert("--quick".to_owned(), quick.to_owned());
        let told = plan.get("inputs").and_then(serde_json::Value::as_object);
        for (key, value) in told.into_iter().flatten() {
            inputs.extend(value.as_str().map(|text| (key.clone(), text.to_owned())));
        }
        inputs.into_iter().collect()
    }
}

/// One row of `samples.csv`: what was seen of every metric in one case at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleRow {
    /// Index of the level of each factor.
    pub levels: Vec<u32>,
    /// Of each measured metric of the definition, in order, the value in base units; `None` where
    /// `status` says why there is none, or where nothing was meant to be measured.
    pub values: Vec<Option<Value>>,
    /// Zero-based number of the repetition.
    pub replicate: u32,
    /// Zero-based block of the plan.
    pub block: Option<u32>,
    /// Zero-based place in the run's order.
    pub order: Option<u32>,
    /// Seconds since the run's start.
    pub at: Option<f64>,
    /// Why values are lacking.
    pub status: Option<MissingReason>,
    /// What else is known of that; empty for nothing.
    pub note: String,
}

/// The names of the columns that follow the factors and metrics.
const FRAME: [&str; 6] = ["replicate", "block", "order", "at", "status", "note"];

fn measured(definition: &Definition) -> impl Iterator<Item = &Metric> {
    definition
        .metrics
        .iter()
        .filter(|metric| metric.derived.is_none())
}

/// The header line of a definition's `samples.csv`, with its line end.
pub fn header(definition: &Definition) -> String {
    let factors = definition.factors.iter().map(|factor| &*factor.key);
    let metrics = measured(definition).map(|metric| &*metric.key);
    line(factors.chain(metrics).chain(FRAME).map(ToOwned::to_owned))
}

/// A row of `samples.csv`, with its line end. Values stand in base units (seconds, bytes, shares),
/// so that a later change of a unit in the definition doesn't touch them.
pub fn row(definition: &Definition, row: &SampleRow) -> String {
    let level = |(factor, &level): (&Factor, &u32)| {
        factor
            .levels
            .get(level as usize)
            .map_or_else(String::new, |level| level.key.clone())
    };
    let levels = definition.factors.iter().zip(&row.levels).map(level);
    let values = measured(definition).zip(&row.values);
    let values = values.map(|(_, value)| value.map_or_else(String::new, value::write));
    let count = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
    let frame = [
        row.replicate.to_string(),
        count(row.block),
        count(row.order),
        row.at.map_or_else(String::new, |at| at.to_string()),
        row.status
            .map_or_else(String::new, |status| status.key().to_owned()),
        row.note.clone(),
    ];
    line(levels.chain(values).chain(frame))
}

/// Cells as a line of a comma-separated file.
pub(super) fn line(cells: impl Iterator<Item = String>) -> String {
    let mut writer = csv::WriterBuilder::new().from_writer(Vec::new());
    // Writing into memory can't fail, and every cell is UTF-8.
    let _ = writer.write_record(cells);
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8(bytes).unwrap_or_default()
}

/// Reads the rows of a `samples.csv`; a row with a fault is reported and left out.
pub fn read(definition: &Definition, source: &Arc<Source>, report: &mut Report) -> Vec<SampleRow> {
    let mut definition = definition.clone();
    let mut levels: Vec<Levels> = definition.factors.iter().map(Levels::new).collect();
    let mut receipt = Receipt::new(&source.path);
    let entry = Entry::of_run("", Origin::Measured, source, definition.sizes);
    let input = Input {
        source,
        entry: &entry,
        native: true,
    };
    let mut rows = Vec::new();
    let Some(table) = format::read(&input, &mut receipt, report) else {
        return rows;
    };
    let mut faults = Faults::new(&source.path, report);
    let metrics: Vec<usize> = definition
        .metrics
        .iter()
        .enumerate()
        .filter(|(_, metric)| metric.derived.is_none())
        .map(|(index, _)| index)
        .collect();
    let mut axes = Axes {
        definition: &mut definition,
        levels: &mut levels,
    };
    let Some(mapping) = mapping::map(&table, &input, &mut axes, &mut receipt, &mut faults) else {
        return rows;
    };
    rows::read(
        &table,
        &mapping,
        &input,
        &mut axes,
        &mut receipt,
        &mut faults,
        |row, _| {
            rows.push(sample_row(row, &metrics));
        },
    );
    rows
}

fn sample_row(row: &Row, metrics: &[usize]) -> SampleRow {
    let found = |metric: &usize| {
        row.found
            .iter()
            .find(|found| found.metric as usize == *metric)
    };
    let value = |metric| {
        found(metric)
            .and_then(|found| found.result.as_ref().ok())
            .copied()
    };
    SampleRow {
        levels: row.levels.clone(),
        values: metrics.iter().map(value).collect(),
        replicate: row.replicate.unwrap_or(0),
        block: row.block,
        order: row.order,
        at: row.at,
        status: row.reason.as_ref().map(|missing| missing.reason),
        note: row
            .reason
            .as_ref()
            .and_then(|missing| missing.note.as_ref())
            .map_or_else(String::new, |note| note.source().to_owned()),
    }
}
