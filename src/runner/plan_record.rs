//! The plan as `run.json` keeps it: what is needed to go on with a run and to join its parts.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Order;

use super::inputs::Inputs;
use super::plan::{Plan, Shard, Wishes};

/// The field `plan` of `run.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRecord {
    /// Key of the experiment.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub experiment: String,
    /// The digest of everything that decides what a trial is; see [`Plan::fingerprint`].
    pub fingerprint: String,
    /// The same in words, by name; see [`Plan::inputs`]. Older runs lack it.
    #[serde(default, skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
    /// Name of the engine.
    pub engine: String,
    /// Name of the workload.
    pub workload: String,
    /// Whether the definition's values for a short trial were used.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quick: bool,
    /// How often each case is measured, in all parts together.
    pub repetitions: u32,
    /// How the cases of a block are ordered: `random`, `grouped` or `fixed`.
    pub order: String,
    /// Seed of the order and of all generated data.
    pub seed: u64,
    /// Levels that were chosen: `factor=level`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Seconds that the run was allowed to take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<f64>,
    /// Which part of the plan this is: `2/8`. Left out for the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// How many cases the plan has.
    pub cases: u32,
    /// How many trials this run has.
    pub trials: u32,
    /// How many of them are finished, whatever became of them.
    pub finished: u32,
    /// How many of those gave no value.
    #[serde(default)]
    pub failed: u32,
    /// Why some weren't tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    /// How many repetitions were asked for, where a budget dropped some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<u32>,
    /// Seconds between two readings of what was watched; left out if nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watched_every: Option<f64>,
    /// When the run was gone on with, and what was different then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resumed: Vec<ResumeRecord>,
    /// The parts that were joined.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartRecord>,
}

/// A run was gone on with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResumeRecord {
    /// Seconds since the run's start.
    pub at: f64,
    /// Facts about the machine that were others then.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub changed: serde_json::Map<String, serde_json::Value>,
}

/// One of the runs that were joined into another.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PartRecord {
    /// Name of the part's run folder.
    pub run: String,
    /// Which part of the plan it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<String>,
    /// When it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// Its blocks, zero-based.
    pub blocks: Vec<u32>,
    /// What is known of its machine, system and engine, where that isn't the same in all parts.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub environment: serde_json::Map<String, serde_json::Value>,
}

impl Plan<'_> {
    /// The plan as `run.json` keeps it, with this many trials finished.
    pub fn record(&self, finished: u32) -> PlanRecord {
        PlanRecord {
            experiment: self.definition.key.clone(),
            fingerprint: self.fingerprint(),
            inputs: self.inputs(),
            engine: self.engine.name().to_owned(),
            workload: self.workload.name().to_owned(),
            quick: self.wishes.quick,
            repetitions: self.repetitions,
            order: self.order.key().to_owned(),
            seed: self.seed,
            only: self
                .wishes
                .only
                .iter()
                .map(|(factor, level)| format!("{factor}={level}"))
                .collect(),
            budget: self.wishes.budget.map(|budget| budget.as_secs_f64()),
            shard: self.wishes.shard.map(|shard| shard.to_string()),
            cases: self.cases.len() as u32,
            trials: self.trials.len() as u32,
            finished,
            failed: 0,
            stopped: None,
            asked: self
                .fitted
                .filter(|fit| fit.kept < fit.asked)
                .map(|fit| fit.asked),
            watched_every: None,
            resumed: Vec::new(),
            parts: Vec::new(),
        }
    }
}

impl PlanRecord {
    /// The wishes that make the same plan, but for the server; `Err` says what can't be read.
    pub fn wishes(&self) -> Result<Wishes, String> {
        let order =
            Order::parse(&self.order).ok_or_else(|| format!("no order `{}`", self.order))?;
        let only = self.only.iter().map(|it| {
            let (factor, level) = it
                .split_once('=')
                .ok_or_else(|| format!("no `factor=level` in `{it}`"))?;
            Ok((factor.to_owned(), level.to_owned()))
        });
        Ok(Wishes {
            engine: Some(self.engine.clone()),
            quick: self.quick,
            repetitions: Some(self.repetitions),
            budget: self
                .budget
                .and_then(|budget| Duration::try_from_secs_f64(budget).ok()),
            order: Some(order),
            seed: Some(self.seed),
            only: only.collect::<Result<_, String>>()?,
            shard: self.shard.as_deref().map(Shard::parse).transpose()?,
            elsewhere: false,
        })
    }
}
