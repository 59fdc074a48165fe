//! The faults of one file: the first of each kind in full, the rest counted.

use std::collections::BTreeMap;

use crate::diag::{Code, Diagnostic, Report};

/// So many faults of one kind are shown for one file.
const SHOWN: usize = 20;

/// Collects the faults of one file; a million equal ones help nobody.
pub(super) struct Faults<'r> {
    report: &'r mut Report,
    path: String,
    counts: BTreeMap<Code, usize>,
}

impl<'r> Faults<'r> {
    /// Starts to collect the faults of the file at `path`.
    pub(super) fn new(path: &str, report: &'r mut Report) -> Self {
        Self {
            report,
            path: path.to_owned(),
            counts: BTreeMap::new(),
        }
    }

    /// Records a fault; `make` is called only when it will be shown.
    pub(super) fn push(&mut self, code: Code, make: impl FnOnce() -> Diagnostic) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= SHOWN {
            self.report.push(make());
        }
    }
}

impl Drop for Faults<'_> {
    fn drop(&mut self) {
        for (&code, &count) in &self.counts {
            if count > SHOWN {
                let message = format!("{} more faults of this kind in this file", count - SHOWN);
                self.report
                    .push(Diagnostic::new(code, message).in_file(&*self.path));
            }
        }
    }
}
