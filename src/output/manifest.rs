//! The list of files a build made: how a folder is known as ours, and what may be removed from it.

use std::collections::BTreeSet;
use std::path::Path;

/// Its name in the output folder.
pub(super) const NAME: &str = ".benchbook";

const HEAD: &str = "benchbook output, made again by every build; safe to delete with the folder";

/// The paths that a build made.
#[derive(Debug, Default)]
pub(super) struct Manifest {
    paths: BTreeSet<String>,
}

impl Manifest {
    /// The manifest of a folder, if it has one.
    pub(super) fn read(folder: &Path) -> Option<Self> {
        let text = std::fs::read_to_string(folder.join(NAME)).ok()?;
        let mut lines = text.lines();
        (lines.next() == Some(HEAD)).then(|| Self {
            paths: lines.map(str::to_owned).collect(),
        })
    }

    /// The manifest of a site.
    pub(super) fn of<'a>(paths: impl Iterator<Item = &'a String>) -> Self {
        Self {
            paths: paths.cloned().collect(),
        }
    }

    /// The text to write.
    pub(super) fn text(&self) -> String {
        let mut text = format!("{HEAD}\n");
        for path in &self.paths {
            text.push_str(path);
            text.push('\n');
        }
        text
    }

    pub(super) fn contains(&self, path: &str) -> bool {
        self.paths.contains(path)
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.paths.iter().map(String::as_str)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }
}
