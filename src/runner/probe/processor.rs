//! Processors: which, how many, and what decides how fast they run.

use std::collections::BTreeSet;

use super::super::tree::Tree;
use super::facts::Facts;

const CPU: &str = "sys/devices/system/cpu";

pub(super) fn facts(tree: &Tree, facts: &mut Facts) {
    let info = tree.text("proc/cpuinfo").unwrap_or_default();
    facts.text("cpu", model(&info));
    facts.number("cpu_count", count(tree, &info));
    facts.number("cpu_cores", cores(&info));
    facts.number("numa_nodes", nodes(tree));
    facts.text("cpu_limit", limit(tree));
    facts.text("cpu_driver", of_policies(tree, "scaling_driver"));
    facts.text("cpu_governor", of_policies(tree, "scaling_governor"));
    let preference = of_policies(tree, "energy_performance_preference");
    facts.text("energy_preference", preference);
    facts.text(
        "platform_profile",
        tree.text("sys/firmware/acpi/platform_profile"),
    );
    facts.text("cpu_frequency", frequency(tree));
    facts.switch("boost", boost(tree));
    facts.switch("smt", switch(tree, &format!("{CPU}/smt/active")));
    facts.text("mitigations", mitigations(tree));
}

/// The values of a line of `/proc/cpuinfo`, one for each processor that has it.
fn lines<'a>(info: &'a str, key: &'a str) -> impl Iterator<Item = &'a str> {
    info.lines().filter_map(move |line| {
        let (name, value) = line.split_once(':')?;
        let value = value.trim();
        (name.trim() == key && !value.is_empty()).then_some(value)
    })
}

/// Whether the processor says that it is one of a virtual machine; nothing where it has no such flag.
pub(in super::super) fn is_virtual(info: &str) -> Option<bool> {
    let flags = lines(info, "flags").next()?;
    Some(flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// The model without marks of trade; on ARM, where kernels don't know it, maker and part by number.
fn model(info: &str) -> Option<String> {
    let named = ["model name", "cpu model", "cpu", "Processor"]
        .iter()
        .find_map(|key| lines(info, key).next());
    if let Some(name) = named {
        return Some(
            name.replace("(R)", "")
                .replace("(TM)", "")
                .replace("(tm)", ""),
        );
    }
    let maker = lines(info, "CPU implementer").next()?;
    let part = lines(info, "CPU part").next()?;
    Some(format!("ARM {maker}/{part}"))
}

/// How many processors are in service.
fn count(tree: &Tree, info: &str) -> Option<f64> {
    if let Some(online) = tree.text(&format!("{CPU}/online"))
        && let Some(count) = listed(&online)
    {
        return Some(count);
    }
    let count = lines(info, "processor").count();
    (count > 0).then_some(count as f64)
}

/// How many numbers a kernel's list such as `0-3,8` holds.
fn listed(list: &str) -> Option<f64> {
    let mut count = 0;
    for part in list.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        count += u64::from(last.checked_sub(first)?) + 1;
    }
    Some(count as f64)
}

/// How many cores they belong to.
fn cores(info: &str) -> Option<f64> {
    let packages = lines(info, "physical id");
    let cores: BTreeSet<(&str, &str)> = packages.zip(lines(info, "core id")).collect();
    (!cores.is_empty()).then_some(cores.len() as f64)
}

fn nodes(tree: &Tree) -> Option<f64> {
    let names = tree.names("sys/devices/system/node", "node");
    let nodes = names.iter().filter(|name| name[4..].parse::<u32>().is_ok());
    Some(nodes.count() as f64).filter(|count| *count > 0.0)
}

/// How many processors a container may use; `none` for as many as there are.
fn limit(tree: &Tree) -> Option<String> {
    let (quota, period) = match tree.text("sys/fs/cgroup/cpu.max") {
        Some(both) => {
            let (quota, period) = both.split_once(' ')?;
            (quota.to_owned(), period.parse::<f64>().ok()?)
        }
        // The first version of control groups; the outermost group of the second has no limit.
        None => match tree.text("sys/fs/cgroup/cpu/cpu.cfs_quota_us") {
            Some(quota) => (quota, tree.number("sys/fs/cgroup/cpu/cpu.cfs_period_us")?),
            None => return tree.has("sys/fs/cgroup").then(|| super::NONE.to_owned()),
        },
    };
    match quota.parse::<f64>() {
        Ok(quota) if quota > 0.0 && period > 0.0 => {
            let cpus = format!("{:.2}", quota / period);
            Some(cpus.trim_end_matches('0').trim_end_matches('.').to_owned())
        }
        Ok(_) => Some(super::NONE.to_owned()),
        Err(_) if quota == "max" => Some(super::NONE.to_owned()),
        Err(_) => None,
    }
}

/// The value of a file in all frequency policies; several where they differ.
fn of_policies(tree: &Tree, file: &str) -> Option<String> {
    let mut values: Vec<String> = Vec::new();
    for folder in tree.policies() {
        if let Some(value) = tree.text(&format!("{folder}/{file}"))
            && !values.contains(&value)
        {
            values.push(value);
        }
    }
    (!values.is_empty()).then(|| values.join(", "))
}

/// The bounds that frequencies are kept in.
fn frequency(tree: &Tree) -> Option<String> {
    let bounds = |file: &str, pick: fn(f64, f64) -> f64| {
        let folders = tree.policies();
        let values = folders
            .iter()
            .filter_map(|folder| tree.number(&format!("{folder}/{file}")));
        values.reduce(pick)
    };
    let low = bounds("scaling_min_freq", f64::min)?;
    let high = bounds("scaling_max_freq", f64::max)?;
    let mega = |kilo: f64| (kilo / 1000.0).round();
    Some(format!("{}–{} MHz", mega(low), mega(high)))
}

/// Whether processors may run faster than their nominal frequency.
fn boost(tree: &Tree) -> Option<bool> {
    if let Some(off) = switch(tree, &format!("{CPU}/intel_pstate/no_turbo")) {
        return Some(!off);
    }
    switch(tree, &format!("{CPU}/cpufreq/boost"))
}

fn switch(tree: &Tree, path: &str) -> Option<bool> {
    match tree.text(path)?.as_str() {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

/// What the kernel was told to do about faults of processors, which costs speed; `auto` unless it was
/// told anything.
fn mitigations(tree: &Tree) -> Option<String> {
    let line = tree.text("proc/cmdline")?;
    let told = line
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("mitigations="))
        .next_back()
        .unwrap_or("auto");
    // The rest of the line is nobody's business, and neither is a word that isn't known.
    ["auto", "off", "auto,nosmt"]
        .contains(&told)
        .then(|| told.to_owned())
}
