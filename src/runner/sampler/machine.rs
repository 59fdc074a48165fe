//! What can be watched of the machine itself.

use std::path::Path;

use super::super::watch::Watch;

/// Readers of the machine's series: `cpu`, `cpu_stolen`, `memory`, `disk_read` and `disk_written` of the
/// disk that holds a folder, `frequency`. Those that it doesn't offer are left out.
pub fn machine(root: &Path, folder: &Path) -> Vec<Box<dyn Watch>> {
    let _ = (root, folder);
    Vec::new()
}
