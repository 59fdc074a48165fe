//! Whether runs are parts of one plan, each once, and all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::input::Input;
use crate::runner::plan::Shard;
use crate::runner::plan_record::PlanRecord;

/// How the plans differ, beside in the parts that they are.
pub(super) fn mixed(inputs: &[Input]) -> Vec<String> {
    let mut faults = Vec::new();
    let Some((first, others)) = inputs.split_first() else {
        return faults;
    };
    for other in others {
        let facts = |plan: &PlanRecord| {
            [
                ("experiment", plan.experiment.clone()),
                ("engine", plan.engine.clone()),
                ("workload", plan.workload.clone()),
                ("quick", plan.quick.to_string()),
                ("repetitions", plan.repetitions.to_string()),
                ("order", plan.order.clone()),
                ("seed", plan.seed.to_string()),
                ("only", plan.only.join(" ")),
                ("cases", plan.cases.to_string()),
            ]
        };
        let facts = facts(&first.plan).into_iter().zip(facts(&other.plan));
        let differences: Vec<String> = facts
            .filter(|((_, one), (_, two))| one != two)
            .map(|((what, one), (_, two))| format!("{what} `{one}` and `{two}`"))
            .collect();
        let between = format!("`{}` and `{}`", first.path.display(), other.path.display());
        if !differences.is_empty() {
            faults.push(format!(
                "{between} belong to different plans: {}",
                differences.join(", ")
            ));
        } else if first.plan.fingerprint != other.plan.fingerprint {
            faults.push(format!(
                "{between} belong to different plans: settings, parameters, levels or commands of the \
                 experiment changed between them"
            ));
        }
    }
    faults
}

/// Which parts or trials are there twice.
pub(super) fn twice(inputs: &[Input]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut blocks: BTreeMap<u32, &Input> = BTreeMap::new();
    let mut shards: BTreeMap<&str, &Input> = BTreeMap::new();
    for input in inputs {
        let between =
            |other: &Input| format!("`{}` and `{}`", other.path.display(), input.path.display());
        let shard = input
            .shards()
            .find_map(|shard| Some((shard, shards.get(shard)?)));
        let block = input
            .extent
            .blocks
            .iter()
            .find_map(|block| Some((block, blocks.get(block)?)));
        if let Some((shard, other)) = shard {
            faults.push(format!("{} are both part {shard}", between(other)));
        } else if let Some((block, other)) = block {
            faults.push(format!("{} both hold block {block}", between(other)));
        }
        shards.extend(input.shards().map(|shard| (shard, input)));
        blocks.extend(input.extent.blocks.iter().map(|&block| (block, input)));
    }
    faults
}

/// What is lacking for the whole plan, in sentences.
pub(super) fn missing(inputs: &[Input]) -> Vec<String> {
    let mut lacking = Vec::new();
    for input in inputs {
        let (finished, trials) = (input.plan.finished, input.plan.trials);
        if finished < trials {
            lacking.push(format!(
                "`{}` isn't finished: {finished} of {trials} trials are there",
                input.path.display()
            ));
        }
    }
    let Some(repetitions) = inputs.first().map(|input| input.plan.repetitions) else {
        return lacking;
    };
    // Told by blocks, so that parts of different sizes count as well; a part that was read but left
    // early was told above.
    let shards: Vec<Shard> = inputs
        .iter()
        .flat_map(Input::shards)
        .filter_map(|shard| Shard::parse(shard).ok())
        .collect();
    let is_whole = inputs
        .iter()
        .flat_map(|input| &input.parts)
        .any(|part| part.shard.is_none());
    let absent: Vec<String> = (0..repetitions)
        .filter(|&block| !is_whole && !shards.iter().any(|shard| shard.holds(block)))
        .map(|block| block.to_string())
        .collect();
    if !absent.is_empty() {
        let (plural, verb) = match absent.len() {
            1 => ("", "is"),
            _ => ("s", "are"),
        };
        let of: BTreeSet<u32> = shards.iter().map(|shard| shard.of).collect();
        let parts: Vec<String> = match of.first() {
            Some(&of_all) if of.len() == 1 => (1..=of_all.min(repetitions))
                .map(|part| Shard { part, of: of_all })
                .filter(|part| !shards.contains(part))
                .map(|part| part.to_string())
                .collect(),
            _ => Vec::new(),
        };
        let parts = match parts.join(", ") {
            none if none.is_empty() => String::new(),
            parts => format!(" (part {parts})"),
        };
        lacking.push(format!(
            "block{plural} {}{parts} of {repetitions} {verb} missing",
            absent.join(", ")
        ));
    }
    lacking
}
