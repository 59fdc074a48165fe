//! What the machine is, as far as it explains how fast it is. Nothing that tells whose it is.

mod facts;
mod noise;
mod processor;
mod storage;
mod system;
#[cfg(test)]
mod tests;

use std::path::Path;

use serde_json::Value;

use super::tree::Tree;
use facts::Facts;

pub use facts::{NONE, OFF, ON, UNAVAILABLE};
pub use noise::{Guard, State, clock_cost, noise};
pub use storage::{Room, room};
pub use system::host_name;

/// Facts about the machine by their keys, in a fixed order; [`UNAVAILABLE`] for those that can't be read.
/// `root` is `/` unless a test says otherwise, `data_folder` the folder whose disk matters.
pub fn environment(root: &Path, data_folder: &Path) -> Vec<(String, Value)> {
    let tree = Tree::new(root);
    let mut facts = Facts::default();
    if cfg!(target_os = "linux") {
        system::machine(&tree, &mut facts);
        processor::facts(&tree, &mut facts);
        system::memory(&tree, &mut facts);
        storage::facts(&tree, data_folder, &mut facts);
        system::software(&tree, &mut facts);
        system::state(&tree, &mut facts);
    } else {
        let cpus = std::thread::available_parallelism().ok();
        facts.text("cpu", None);
        facts.number("cpu_count", cpus.map(|cpus| cpus.get() as f64));
        facts.text("memory", None);
        facts.text("disk", None);
        facts.text("filesystem", None);
        facts.text("os", Some(facts::SYSTEM.to_owned()));
    }
    facts.all
}

pub(super) use processor::is_virtual;
pub(super) use system::meminfo;

/// The disk that holds a folder, for those who watch it: the place of its counters in the tree.
pub(super) fn disk_of(tree: &Tree, folder: &Path) -> Option<String> {
    Some(storage::mount(tree, folder)?.disk(tree)?.place)
}
