//! What InnoDB counts of itself while it is measured.

use std::collections::BTreeMap;

use crate::runner::workload::Outcome;

/// What it gives beside the results of workloads.
pub(super) const RESULTS: &[Outcome] = &[
    Outcome {
        name: AT_LIMIT,
        unit: "%",
        meaning: "Share of looks that found the checkpoint age at 95 % of its limit or above, where the server lets \
                  writers wait. Left out if nothing is watched or no limit is told.",
    },
    Outcome {
        name: "log_written",
        unit: "B",
        meaning: "Bytes written to the redo log.",
    },
    Outcome {
        name: "log_waits",
        unit: "",
        meaning: "How often something had to wait until there was room in the log's buffer in memory.",
    },
    Outcome {
        name: "pages_flushed",
        unit: "",
        meaning: "Pages written from the buffer pool to the data files.",
    },
    Outcome {
        name: "buffer_pool_reads",
        unit: "",
        meaning: "Pages that had to be read from the data files because they weren't in the buffer pool.",
    },
    Outcome {
        name: "row_lock_waits",
        unit: "",
        meaning: "How often a statement had to wait for the lock of a row.",
    },
    Outcome {
        name: "row_lock_time",
        unit: "s",
        meaning: "How long all of them waited together.",
    },
];

pub(super) const AT_LIMIT: &str = "age_at_limit";

/// Results that are differences of status variables: the variable, and what one of it is in base units.
const COUNTERS: &[(&str, &str, f64)] = &[
    ("log_written", "innodb_os_log_written", 1.0),
    ("log_waits", "innodb_log_waits", 1.0),
    ("pages_flushed", "innodb_buffer_pool_pages_flushed", 1.0),
    ("buffer_pool_reads", "innodb_buffer_pool_reads", 1.0),
    ("row_lock_waits", "innodb_row_lock_waits", 1.0),
    ("row_lock_time", "innodb_row_lock_time", 1e-3),
];

/// Results between two readings of the status variables.
pub(super) fn between(
    before: &BTreeMap<String, String>,
    after: &BTreeMap<String, String>,
) -> Vec<(&'static str, f64)> {
    let number = |of: &BTreeMap<String, String>, name: &str| of.get(name)?.parse::<f64>().ok();
    let values = COUNTERS.iter().filter_map(|(result, variable, scale)| {
        let change = number(after, variable)? - number(before, variable)?;
        // A counter that was reset in between tells nothing.
        (change >= 0.0).then_some((*result, change * scale))
    });
    values.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_differences() {
        let status = |written: &str, time: &str| {
            BTreeMap::from([
                ("innodb_os_log_written".to_owned(), written.to_owned()),
                ("innodb_row_lock_time".to_owned(), time.to_owned()),
            ])
        };
        let values = between(&status("100", "50"), &status("4196", "1550"));
        assert_eq!(values, [("log_written", 4096.0), ("row_lock_time", 1.5)]);
        assert_eq!(
            between(&status("100", "50"), &status("1", "50")),
            [("row_lock_time", 0.0)]
        );
        for (result, _, _) in COUNTERS {
            assert!(RESULTS.iter().any(|it| it.name == *result));
        }
    }
}
