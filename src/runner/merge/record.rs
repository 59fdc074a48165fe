//! What is known of a joined run: its plan, its clock, and where it was made.

use serde_json::{Map, Value as Json};

use super::input::Input;
use crate::data::record::RunRecord;
use crate::runner::fingerprint;
use crate::runner::plan_record::{PartRecord, PlanRecord, ResumeRecord};

/// Puts all runs on the clock of the first.
pub(super) fn set_clocks(inputs: &mut [Input], notes: &mut Vec<String>) {
    let start = |input: &Input| -> Option<jiff::Timestamp> {
        input.record.started.as_deref()?.parse().ok()
    };
    let starts: Vec<Option<jiff::Timestamp>> = inputs.iter().map(start).collect();
    let Some(first) = starts.iter().flatten().min().copied() else {
        return;
    };
    for (input, start) in inputs.iter_mut().zip(starts) {
        match start {
            Some(start) => input.later = start.duration_since(first).as_secs_f64(),
            None => notes.push(format!(
                "nothing says when `{}` began: its times count as if it had been first",
                input.path.display()
            )),
        }
    }
}

/// The record of the joined run.
pub(super) fn joined(inputs: &[Input], notes: &mut Vec<String>) -> (RunRecord, PlanRecord) {
    let first = &inputs[0];
    let earliest = inputs
        .iter()
        .filter(|input| input.record.started.is_some())
        .min_by(|a, b| a.later.total_cmp(&b.later))
        .unwrap_or(first);
    let mut parts: Vec<PartRecord> = Vec::new();
    let names: Vec<String> = inputs.iter().map(label).collect();
    let of_runs = |pick: fn(&RunRecord) -> Map<String, Json>| -> Vec<Map<String, Json>> {
        let known = |input: &Input| match input.plan.finished {
            0 => Map::new(),
            _ => pick(&input.record),
        };
        inputs.iter().map(known).collect()
    };
    let environments = of_runs(|record| record.environment.clone());
    let settings = of_runs(|record| record.settings.clone().into_iter().collect());
    let environment = facts(&environments, &names);
    let effective = facts(&settings, &names);
    let differing = environment.differing.iter().chain(&effective.differing);
    let keys: Vec<String> = differing.map(|(key, _)| format!("`{key}`")).collect();
    if !keys.is_empty() {
        notes.push(format!("not the same in all parts: {}", keys.join(", ")));
    }
    for (input, own) in inputs.iter().zip(&environments) {
        for part in &input.parts {
            let mut part = part.clone();
            for (key, _) in &environment.differing {
                if let (Some(value), false) = (own.get(key), part.environment.contains_key(key)) {
                    part.environment.insert(key.clone(), value.clone());
                }
            }
            parts.push(part);
        }
    }
    let sum = |pick: fn(&PlanRecord) -> u32| inputs.iter().map(|input| pick(&input.plan)).sum();
    let resumed = inputs.iter().flat_map(|input| {
        input.plan.resumed.iter().map(|it| ResumeRecord {
            at: it.at + input.later,
            changed: it.changed.clone(),
        })
    });
    let every = first.plan.watched_every;
    let plan = PlanRecord {
        shard: None,
        trials: sum(|plan| plan.trials),
        finished: sum(|plan| plan.finished),
        failed: sum(|plan| plan.failed),
        stopped: inputs.iter().find_map(|input| input.plan.stopped.clone()),
        watched_every: every.filter(|_| {
            let mut plans = inputs.iter().map(|input| &input.plan);
            plans.all(|plan| plan.watched_every == every)
        }),
        resumed: resumed.collect(),
        parts,
        ..first.plan.clone()
    };
    let record = RunRecord {
        started: earliest.record.started.clone(),
        command: first.record.command.as_deref().map(of_whole),
        environment: environment.all,
        settings: effective.all.into_iter().collect(),
        plan: None,
        ..first.record.clone()
    };
    (record, plan)
}

/// What a run is called in the joined one: by its part, else by its folder.
fn label(input: &Input) -> String {
    let shards: Vec<&str> = input.shards().collect();
    match shards[..] {
        [] => input.name.clone(),
        [shard] => format!("part {shard}"),
        _ => format!("parts {}", shards.join(", ")),
    }
}

/// The command that makes the whole plan, from that of a part.
fn of_whole(command: &str) -> String {
    let Some(mut words) = shlex::split(command) else {
        return command.to_owned();
    };
    match words.iter().position(|word| word == "--shard") {
        Some(at) if at + 1 < words.len() => drop(words.drain(at..at + 2)),
        _ => return command.to_owned(),
    }
    fingerprint::line(&words)
}

struct Facts {
    all: Map<String, Json>,
    /// Those that aren't the same in all runs.
    differing: Map<String, Json>,
}

/// Facts of all runs. One in which they differ becomes a text that says what each had.
fn facts(runs: &[Map<String, Json>], names: &[String]) -> Facts {
    let mut all = Map::new();
    let mut differing = Map::new();
    for key in runs.iter().flat_map(Map::keys) {
        if all.contains_key(key) {
            continue;
        }
        // A part without a trial says nothing about where samples come from.
        let telling = runs.iter().zip(names).filter(|(run, _)| !run.is_empty());
        let values: Vec<(Option<&Json>, &String)> =
            telling.map(|(run, name)| (run.get(key), name)).collect();
        let first = values.first().and_then(|(value, _)| *value);
        if let (Some(value), true) = (first, values.iter().all(|(value, _)| *value == first)) {
            all.insert(key.clone(), value.clone());
            continue;
        }
        let mut said: Vec<(String, Vec<&str>)> = Vec::new();
        for (value, name) in values {
            let value = match value {
                Some(Json::String(text)) => text.clone(),
                Some(other) => other.to_string(),
                None => continue,
            };
            match said.iter_mut().find(|(known, _)| *known == value) {
                Some((_, there)) => there.push(name),
                None => said.push((value, vec![name])),
            }
        }
        let said: Vec<String> = said
            .into_iter()
            .map(|(value, names)| format!("{value} ({})", names.join(", ")))
            .collect();
        let value = Json::String(said.join("; "));
        differing.insert(key.clone(), value.clone());
        all.insert(key.clone(), value);
    }
    Facts { all, differing }
}
