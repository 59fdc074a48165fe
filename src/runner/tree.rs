//! The files in which a Linux kernel tells of itself, below a root that tests can point elsewhere.

use std::fs;
use std::path::{Path, PathBuf};

/// A file system tree: `/`, or one made for a test.
#[derive(Debug, Clone)]
pub(super) struct Tree(PathBuf);

/// How much of a file is read. The longest that is asked for tells of each processor of a large server.
const LARGEST: u64 = 8 << 20;

impl Tree {
    /// The tree below a folder.
    pub(super) fn new(root: &Path) -> Self {
        Self(root.to_owned())
    }

    /// The place of a file in it; the path is written without a leading slash.
    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// The text of a file, if it can be read and is one, without white space at its ends; none that is
    /// empty.
    pub(super) fn text(&self, path: &str) -> Option<String> {
        use std::io::Read as _;
        let mut bytes = Vec::new();
        let file = fs::File::open(self.path(path)).ok()?;
        file.take(LARGEST).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        // Firmware ends its texts with a zero.
        let text = text.trim_matches('\0').trim();
        (!text.is_empty() && !text.contains('\0')).then(|| text.to_owned())
    }

    /// A file that holds one number.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        let number: f64 = self.text(path)?.parse().ok()?;
        number.is_finite().then_some(number)
    }

    /// Whether there is a file or folder.
    pub(super) fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// The names in a folder that begin with a word, numbers in them in the order of their value; none
    /// for a folder that can't be read.
    pub(super) fn names(&self, folder: &str, prefix: &str) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.path(folder)) else {
            return Vec::new();
        };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names
    }

    /// The folder that a path leads to once links are followed, if it lies in this tree.
    pub(super) fn followed(&self, path: &str) -> Option<String> {
        let root = self.0.canonicalize().ok()?;
        let full = self.path(path).canonicalize().ok()?;
        let inner = full.strip_prefix(root).ok()?;
        Some(inner.to_str()?.to_owned())
    }

    /// The folders that hold a frequency policy each: those of the policies, or on older kernels those of
    /// the processors.
    pub(super) fn policies(&self) -> Vec<String> {
        const CPU: &str = "sys/devices/system/cpu";
        let policies: Vec<String> = self
            .names(&format!("{CPU}/cpufreq"), "policy")
            .iter()
            .map(|name| format!("{CPU}/cpufreq/{name}"))
            .collect();
        if !policies.is_empty() {
            return policies;
        }
        self.names(CPU, "cpu")
            .iter()
            .filter(|name| name[3..].parse::<u32>().is_ok())
            .map(|name| format!("{CPU}/{name}/cpufreq"))
            .filter(|folder| self.has(folder))
            .collect()
    }
}
