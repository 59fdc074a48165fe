//! The machine's power plan: read, set for a case, checked, and put back on every way out.

use std::path::{Path, PathBuf};

use super::fault::Fault;

/// Keeps the power plan: changes it, and puts it back when dropped.
#[derive(Debug)]
pub struct Keeper {
    /// What an earlier run that was killed had left, and whether it could be put back.
    pub recovered: Option<Result<String, Fault>>,
    memory: PathBuf,
}

impl Keeper {
    /// Looks at what there is below `root` (`/` unless a test says otherwise). If the file `memory` is
    /// there, a run was killed after it had changed the plan; what it remembers is put back first.
    pub fn open(root: &Path, memory: &Path) -> Self {
        let _ = root;
        Self {
            recovered: None,
            memory: memory.to_owned(),
        }
    }

    /// The plan in effect, in words that [`Self::set`] understands.
    pub fn read(&self) -> Result<String, Fault> {
        Err(Fault::unsupported("this machine offers no power plan"))
    }

    /// Sets a plan and answers what is in effect then, as read back.
    pub fn set(&mut self, wish: &str) -> Result<String, Fault> {
        let _ = wish;
        self.read()
    }

    /// Whether the plan that was set last is still in effect; something else may have changed it.
    pub fn verify(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Puts back what was in effect before the first change.
    pub fn restore(&mut self) -> Result<(), Fault> {
        let _ = &self.memory;
        Ok(())
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Whoever wants to know calls `restore` first.
        let _ = self.restore();
    }
}
