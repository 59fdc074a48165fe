//! Texts as result files keep them: without secrets, names of people and machines, and places on the disk.

use std::path::Path;

use serde_json::Value as Json;

use super::redact::{self, Names};

/// Makes texts fit to be kept.
#[derive(Debug, Clone, Default)]
pub(super) struct Neutral {
    names: Names,
    /// The run's folder, in every way it may be written.
    folders: Vec<String>,
}

/// What stands for the run's folder.
const RUN: &str = "{run}";

impl Neutral {
    /// For texts of a run in a folder.
    pub(super) fn new(folder: &Path, mut names: Names) -> Self {
        if names.host.is_empty() {
            names.host = node_name();
        }
        let whole = std::path::absolute(folder).ok();
        let real = std::fs::canonicalize(folder).ok();
        let mut folders: Vec<String> = whole
            .iter()
            .chain(&real)
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        folders.dedup();
        Self { names, folders }
    }

    /// A text that can be kept.
    pub(super) fn text(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for folder in &self.folders {
            if text.contains(folder) {
                text = text.replace(folder, RUN);
            }
        }
        redact::names(&redact::text(&text), &self.names)
    }

    /// A text of one line that can be kept.
    pub(super) fn line(&self, text: &str) -> String {
        let text = self.text(text);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<&str>>().join("; ")
    }

    /// A fact that can be kept.
    pub(super) fn json(&self, value: Json) -> Json {
        match value {
            Json::String(text) => Json::String(self.text(&text)),
            Json::Array(items) => items.into_iter().map(|item| self.json(item)).collect(),
            Json::Object(pairs) => pairs
                .into_iter()
                .map(|(key, value)| (key, self.json(value)))
                .collect(),
            other => other,
        }
    }
}

/// The machine's name in its network, where the system tells; nothing else does so everywhere.
#[cfg(unix)]
fn node_name() -> String {
    let system = rustix::system::uname();
    system.nodename().to_string_lossy().into_owned()
}

#[cfg(not(unix))]
fn node_name() -> String {
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_on_the_disk_are_not_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let neutral = Neutral::new(folder.path(), Names::default());
        let path = folder.path().join("scratch/3/data/db");
        let text = format!("cannot open {}:\n  it is locked\n", path.display());
        assert_eq!(
            neutral.line(&text),
            "cannot open {run}/scratch/3/data/db:; it is locked"
        );
        let fact = serde_json::json!({ "a": [path.to_string_lossy(), 1] });
        assert_eq!(
            neutral.json(fact),
            serde_json::json!({ "a": ["{run}/scratch/3/data/db", 1] })
        );
    }
}
