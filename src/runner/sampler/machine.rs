//! What can be watched of the machine itself.

use std::path::Path;
use std::time::Instant;

use super::super::fault::Fault;
use super::super::probe::{disk_of, is_virtual, meminfo};
use super::super::tree::Tree;
use super::super::watch::Watch;
use super::Rate;

/// Of so many processors at most the frequency is read, evenly spread over all: on some kernels each has to
/// be woken up for that.
const ASKED: usize = 16;
/// What kernels count in: sectors of this many bytes, whatever those of the disk are.
const SECTOR: f64 = 512.0;

/// Readers of the machine's series: `cpu`, `cpu_stolen`, `memory`, `disk_read` and `disk_written` of the
/// disk that holds a folder, `frequency`. Those that it doesn't offer are left out.
///
/// - `cpu`: the share, from 0 to 1, of all processors' time that was spent working since the last reading,
///   waiting for disks not included; `cpu_stolen`: the share that the host of a virtual machine took.
/// - `memory`: what the whole machine uses, without what could be freed at once. That of the program itself
///   would be the engine's only where this is embedded.
/// - `disk_read`, `disk_written`: bytes per second of the whole disk, whoever causes them.
/// - `frequency`: the mean of the processors. In a virtual machine kernels know only a nominal one, which is
///   left out.
pub fn machine(root: &Path, folder: &Path) -> Vec<Box<dyn Watch>> {
    let tree = Tree::new(root);
    let mut watches: Vec<Box<dyn Watch>> = Vec::new();
    if tree
        .text("proc/stat")
        .is_some_and(|text| times(&text).is_some())
    {
        watches.push(Box::new(Processor {
            tree: tree.clone(),
            before: None,
        }));
    }
    if tree
        .text("proc/meminfo")
        .is_some_and(|text| used(&text).is_some())
    {
        watches.push(Box::new(Memory(tree.clone())));
    }
    if let Some(disk) = disk_of(&tree, folder) {
        let path = format!("{disk}/stat");
        if tree
            .text(&path)
            .is_some_and(|text| sectors(&text).is_some())
        {
            watches.push(Box::new(Disk {
                tree: tree.clone(),
                path,
                read: Rate::default(),
                written: Rate::default(),
            }));
        }
    }
    watches.extend(frequency(&tree));
    watches
}

fn gone(path: &str) -> Fault {
    Fault::failed(format!("/{path} can't be read any more"))
}

struct Processor {
    tree: Tree,
    before: Option<Times>,
}

/// Time of all processors since the start, in the kernel's units.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Times {
    busy: f64,
    stolen: f64,
    all: f64,
}

/// The first line of `/proc/stat`: user, nice, system, idle, waiting for disks, two kinds of interrupts,
/// stolen. Time of guests is contained in the first two.
fn times(text: &str) -> Option<Times> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let mut times = [0.0; 8];
    let mut words = line.split_whitespace();
    for (place, time) in times.iter_mut().enumerate() {
        match words.next() {
            Some(word) => *time = word.parse::<u64>().ok()? as f64,
            // Old kernels have fewer.
            None if place >= 4 => break,
            None => return None,
        }
    }
    let [user, nice, system, idle, waiting, hard, soft, stolen] = times;
    let busy = user + nice + system + hard + soft;
    Some(Times {
        busy,
        stolen,
        all: busy + idle + waiting + stolen,
    })
}

impl Watch for Processor {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        const PATH: &str = "proc/stat";
        let text = self.tree.text(PATH).ok_or_else(|| gone(PATH))?;
        let now = times(&text).ok_or_else(|| gone(PATH))?;
        if let Some(before) = self.before.replace(now) {
            let all = now.all - before.all;
            // Counters of waiting and stealing may go back a little on some kernels.
            if all > 0.0 {
                let share = |now: f64, before: f64| ((now - before) / all).clamp(0.0, 1.0);
                out("cpu", share(now.busy, before.busy));
                out("cpu_stolen", share(now.stolen, before.stolen));
            }
        }
        Ok(())
    }
}

struct Memory(Tree);

/// Bytes that are in use and couldn't be freed at once.
fn used(text: &str) -> Option<f64> {
    let used = meminfo(text, "MemTotal")? - meminfo(text, "MemAvailable")?;
    (used >= 0.0).then_some(used)
}

impl Watch for Memory {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        const PATH: &str = "proc/meminfo";
        let text = self.0.text(PATH).ok_or_else(|| gone(PATH))?;
        if let Some(used) = used(&text) {
            out("memory", used);
        }
        Ok(())
    }
}

struct Disk {
    tree: Tree,
    path: String,
    read: Rate,
    written: Rate,
}

/// Sectors read and written since the start.
fn sectors(text: &str) -> Option<(f64, f64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |place: usize| words.get(place)?.parse::<u64>().ok();
    Some((number(2)? as f64, number(6)? as f64))
}

impl Watch for Disk {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        let text = self.tree.text(&self.path).ok_or_else(|| gone(&self.path))?;
        let now = Instant::now();
        let (read, written) = sectors(&text).ok_or_else(|| gone(&self.path))?;
        if let Some(rate) = self.read.next(now, read * SECTOR) {
            out("disk_read", rate);
        }
        if let Some(rate) = self.written.next(now, written * SECTOR) {
            out("disk_written", rate);
        }
        Ok(())
    }
}

/// How the frequency of processors can be read here, if it can.
fn frequency(tree: &Tree) -> Option<Box<dyn Watch>> {
    let policies = tree.policies();
    let step = policies.len().div_ceil(ASKED).max(1);
    let files: Vec<String> = policies
        .iter()
        .step_by(step)
        .map(|folder| format!("{folder}/scaling_cur_freq"))
        .filter(|file| tree.number(file).is_some())
        .collect();
    if !files.is_empty() {
        return Some(Box::new(Scaled {
            tree: tree.clone(),
            files,
        }));
    }
    let info = tree.text("proc/cpuinfo")?;
    let tells = is_virtual(&info) == Some(false) && told(&info).is_some();
    tells.then(|| Box::new(Told(tree.clone())) as Box<dyn Watch>)
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then(|| sum / count)
}

struct Scaled {
    tree: Tree,
    files: Vec<String>,
}

impl Watch for Scaled {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        // One that is out of service for the moment says nothing.
        let kilohertz = self.files.iter().filter_map(|file| self.tree.number(file));
        if let Some(mean) = mean(kilohertz) {
            out("frequency", mean * 1e3);
        }
        Ok(())
    }
}

struct Told(Tree);

/// The mean frequency that `/proc/cpuinfo` tells, in MHz.
fn told(info: &str) -> Option<f64> {
    let megahertz = info.lines().filter_map(|line| {
        let value = line.strip_prefix("cpu MHz")?.split_once(':')?.1;
        value.trim().parse::<f64>().ok()
    });
    mean(megahertz.filter(|value| value.is_finite()))
}

impl Watch for Told {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        const PATH: &str = "proc/cpuinfo";
        let info = self.0.text(PATH).ok_or_else(|| gone(PATH))?;
        if let Some(mean) = told(&info) {
            out("frequency", mean * 1e6);
        }
        Ok(())
    }
}
