//! What on a machine may disturb measurements, each as a sentence with advice.

use std::path::Path;
use std::time::Instant;

use super::super::tree::Tree;
use super::facts::Facts;
use super::{UNAVAILABLE, processor, system};

/// How a thing stands that measurements depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As it should be.
    Good,
    /// It can't be told here.
    Unknown,
    /// It may disturb measurements.
    Bad,
}

/// A thing that measurements depend on, and how it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard {
    /// Its key, such as `load`.
    pub key: &'static str,
    /// How it stands.
    pub state: State,
    /// What was found, in a sentence.
    pub says: String,
    /// What to do about it, in a sentence; empty where nothing needs doing.
    pub advice: String,
}

impl Guard {
    fn new(key: &'static str, is_good: bool, says: String, advice: &str) -> Self {
        let (state, advice) = if is_good {
            (State::Good, String::new())
        } else {
            (State::Bad, advice.to_owned())
        };
        Self {
            key,
            state,
            says,
            advice,
        }
    }

    fn unknown(key: &'static str, says: &str) -> Self {
        Self {
            key,
            state: State::Unknown,
            says: says.to_owned(),
            advice: String::new(),
        }
    }
}

/// How far the machine is from being quiet and steady. `root` is `/` unless a test says otherwise.
pub fn noise(root: &Path) -> Vec<Guard> {
    let tree = Tree::new(root);
    let mut facts = Facts::default();
    processor::facts(&tree, &mut facts);
    let fact = |key: &str| {
        let (_, value) = facts.all.iter().find(|(it, _)| it == key)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        (text != UNAVAILABLE).then_some(text)
    };
    let cpus = fact("cpu_count").and_then(|count| count.parse::<f64>().ok());
    vec![
        cores(cpus, fact("cpu_limit")),
        load(system::load(&tree), cpus),
        pressure(&tree, "pressure_cpu", "cpu", "a processor"),
        pressure(&tree, "pressure_io", "io", "a disk"),
        steal(&tree),
        swap(&tree),
        governor(fact("cpu_governor"), fact("energy_preference")),
        power_source(&tree),
        clock(&tree),
    ]
}

/// Fewer processors than this are shared by what measures and what is measured.
const FEW: f64 = 4.0;

fn cores(cpus: Option<f64>, limit: Option<String>) -> Guard {
    let Some(cpus) = cpus else {
        return Guard::unknown("cores", "The number of processors can't be read.");
    };
    let limit = limit.and_then(|limit| limit.parse::<f64>().ok());
    let usable = limit.map_or(cpus, |limit| limit.min(cpus));
    let says = match limit {
        Some(limit) if limit < cpus => {
            format!("The container may use {limit} of {cpus} processors.")
        }
        _ if cpus == 1.0 => "There is one processor.".to_owned(),
        _ => format!("There are {cpus} processors."),
    };
    let advice = "The database, what drives it and the system share them: results hold for this \
                  machine only, and few connections are enough.";
    Guard::new("cores", usable >= FEW, says, advice)
}

fn load(load: Option<f64>, cpus: Option<f64>) -> Guard {
    let Some(load) = load else {
        return Guard::unknown("load", "The load average can't be read.");
    };
    let bearable = (cpus.unwrap_or(1.0) * 0.25).max(0.5);
    let says = format!("The load average of the last minute is {load}.");
    let advice = "End what else is running, or wait until it is done.";
    Guard::new("load", load <= bearable, says, advice)
}

/// Share of the last ten seconds, in percent, from which waiting is no accident.
const PRESSED: f64 = 10.0;

fn pressure(tree: &Tree, key: &'static str, file: &str, what: &str) -> Guard {
    let share = tree
        .text(&format!("proc/pressure/{file}"))
        .and_then(|text| pressed(&text));
    let Some(share) = share else {
        return Guard::unknown(
            key,
            &format!("How long {what} was waited for can't be read."),
        );
    };
    let says = format!("In {share} % of the last ten seconds something waited for {what}.");
    let advice = "Something else is at work: find it (top, iotop), and measure when it is done.";
    Guard::new(key, share < PRESSED, says, advice)
}

/// `avg10` of the line `some`.
fn pressed(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("some "))?;
    let word = line
        .split_whitespace()
        .find_map(|word| word.strip_prefix("avg10="))?;
    word.parse().ok()
}

/// Share of time, in percent, from which it matters what the host takes.
const STOLEN: f64 = 0.5;

fn steal(tree: &Tree) -> Guard {
    let stolen = tree.text("proc/stat").and_then(|text| stolen(&text));
    let Some(share) = stolen else {
        return Guard::unknown(
            "steal",
            "How much time the host of a virtual machine takes can't be read.",
        );
    };
    let says =
        format!("Since the start, {share:.2} % of the processors' time was taken by the host.");
    let advice =
        "Other virtual machines compete: choose dedicated processors, or repeat more often.";
    Guard::new("steal", share < STOLEN, says, advice)
}

/// Percent of all processor time since the start that went to others.
fn stolen(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let times: Option<Vec<f64>> = line.split_whitespace().map(|it| it.parse().ok()).collect();
    // The last two (time of guests) are contained in the first two.
    let times = times?;
    let all: f64 = times.iter().take(8).sum();
    let stolen = times.get(7)?;
    (all > 0.0).then(|| stolen / all * 100.0)
}

/// Bytes in swap that may be there from long ago.
const LITTLE: f64 = 64.0 * 1024.0 * 1024.0;

fn swap(tree: &Tree) -> Guard {
    let info = tree.text("proc/meminfo").unwrap_or_default();
    let total = system::meminfo(&info, "SwapTotal");
    let free = system::meminfo(&info, "SwapFree");
    let (Some(total), Some(free)) = (total, free) else {
        return Guard::unknown("swap", "Whether memory is swapped out can't be read.");
    };
    let used = (total - free).max(0.0);
    let says = if total == 0.0 {
        "There is no swap.".to_owned()
    } else {
        format!("{:.0} MiB are swapped out.", used / 1024.0 / 1024.0)
    };
    let advice =
        "Memory was short: end what needs it, or choose smaller caches, then swapoff and swapon.";
    Guard::new("swap", used <= LITTLE, says, advice)
}

fn governor(governor: Option<String>, preference: Option<String>) -> Guard {
    let Some(governor) = governor else {
        let says = "There is no frequency governor, as in most virtual machines: the host decides.";
        return Guard::unknown("governor", says);
    };
    let preference = preference.unwrap_or_default();
    // Where the processor chooses its frequency itself, `powersave` lets it, and the preference says how.
    let is_steady = governor == "performance" || preference == "performance";
    let also = if preference.is_empty() {
        String::new()
    } else {
        format!(", the energy preference `{preference}`")
    };
    let says = format!("The frequency governor is `{governor}`{also}.");
    let advice = "Frequencies follow the load: set `power = \"performance\"` in [run], or measure the \
                  power plan as a factor.";
    Guard::new("governor", is_steady, says, advice)
}

fn power_source(tree: &Tree) -> Guard {
    match system::power_source(tree).as_deref() {
        Some("battery") => Guard::new(
            "power_source",
            false,
            "The machine runs on its battery.".to_owned(),
            "Plug it in: on a battery processors are kept slower.",
        ),
        Some(_) => Guard::new(
            "power_source",
            true,
            "The machine is plugged in.".to_owned(),
            "",
        ),
        None => Guard::unknown("power_source", "There is no battery to be seen."),
    }
}

fn clock(tree: &Tree) -> Guard {
    let source = tree.text("sys/devices/system/clocksource/clocksource0/current_clocksource");
    let Some(source) = source else {
        return Guard::unknown("clock", "The source of the clock can't be read.");
    };
    let is_slow =
        ["hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"].contains(&source.as_str());
    let says = format!("The clock is read from `{source}`.");
    let advice = "That source takes long to read, which slows down databases that time what they do: \
                  look in the kernel's log for why it isn't `tsc`.";
    Guard::new("clock", !is_slow, says, advice)
}

/// Nanoseconds from which reading the clock is noticed in short operations.
const DEAR: f64 = 200.0;

/// How long it takes to read the clock, as measuring does twice for each operation.
pub fn clock_cost() -> Guard {
    const TIMES: u32 = 10_000;
    let start = Instant::now();
    let mut last = start;
    for _ in 0..TIMES {
        last = std::hint::black_box(Instant::now());
    }
    let nanoseconds = (last - start).as_secs_f64() * 1e9 / f64::from(TIMES);
    let says = format!("Reading the clock takes {nanoseconds:.0} ns.");
    let advice = "Operations of a few microseconds appear slower than they are.";
    Guard::new("clock_cost", nanoseconds < DEAR, says, advice)
}
