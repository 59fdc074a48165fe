//! What PostgreSQL counts of itself while it is measured.

use postgres::Client;

use super::super::{WAIT_SHARE, WAITS};
use crate::runner::workload::Outcome;

/// What it gives beside the results of workloads.
pub(super) const RESULTS: &[Outcome] = &[
    Outcome {
        name: "hot_share",
        unit: "%",
        meaning: "Share of updated rows whose new version found room on the page of the old one, so that no index \
                  had to change (heap-only tuples). The warm-up is counted too.",
    },
    Outcome {
        name: "table_size",
        unit: "B",
        meaning: "Size of the workload's tables with their indexes, after measuring.",
    },
    Outcome {
        name: "table_growth",
        unit: "B",
        meaning: "By how much that has grown, the warm-up included.",
    },
    Outcome {
        name: "wal_bytes",
        unit: "B",
        meaning: "Bytes that went into the write-ahead log, the warm-up included.",
    },
    Outcome {
        name: "wal_per_commit",
        unit: "B",
        meaning: "The same divided by the number of commits.",
    },
    Outcome {
        name: "checkpoints",
        unit: "",
        meaning: "Checkpoints that began meanwhile, the warm-up included.",
    },
    WAITS,
    WAIT_SHARE,
];

/// The counters at one time. They are read while nothing is at work, because sessions tell of what they did
/// up to a second late.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Counters {
    updates: f64,
    heap_only: f64,
    commits: f64,
    log: f64,
    size: f64,
    checkpoints: f64,
}

const TABLES: &str = "SELECT coalesce(sum(n_tup_upd), 0)::float8, coalesce(sum(n_tup_hot_upd), 0)::float8, \
                      coalesce(sum(pg_total_relation_size(relid)), 0)::float8 FROM pg_stat_user_tables";
const DATABASE: &str = "SELECT xact_commit::float8, (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::float8 \
                        FROM pg_stat_database WHERE datname = current_database()";

/// Where checkpoints are counted.
fn checkpoints(major: u32) -> &'static str {
    if major >= 17 {
        "SELECT (num_timed + num_requested)::float8 FROM pg_stat_checkpointer"
    } else {
        "SELECT (checkpoints_timed + checkpoints_req)::float8 FROM pg_stat_bgwriter"
    }
}

impl Counters {
    pub(super) fn read(client: &mut Client, major: u32) -> Result<Self, postgres::Error> {
        let tables = client.query_one(TABLES, &[])?;
        let database = client.query_one(DATABASE, &[])?;
        let checkpoints = client.query_one(checkpoints(major), &[])?;
        Ok(Self {
            updates: tables.try_get(0)?,
            heap_only: tables.try_get(1)?,
            size: tables.try_get(2)?,
            commits: database.try_get(0)?,
            log: database.try_get(1)?,
            checkpoints: checkpoints.try_get(0)?,
        })
    }

    /// Results since an earlier time.
    pub(super) fn since(&self, before: &Self) -> Vec<(&'static str, f64)> {
        let log = self.log - before.log;
        let mut values = vec![
            ("table_size", self.size),
            ("table_growth", self.size - before.size),
            ("wal_bytes", log),
            ("checkpoints", self.checkpoints - before.checkpoints),
        ];
        let updates = self.updates - before.updates;
        if updates > 0.0 {
            values.push(("hot_share", (self.heap_only - before.heap_only) / updates));
        }
        let commits = self.commits - before.commits;
        if commits > 0.0 {
            values.push(("wal_per_commit", log / commits));
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_differences() {
        let before = Counters {
            updates: 10.0,
            heap_only: 5.0,
            commits: 1.0,
            log: 100.0,
            size: 8192.0,
            checkpoints: 1.0,
        };
        let after = Counters {
            updates: 30.0,
            heap_only: 20.0,
            commits: 5.0,
            log: 500.0,
            size: 16384.0,
            checkpoints: 1.0,
        };
        let values = after.since(&before);
        let value = |name: &str| values.iter().find(|(it, _)| *it == name).map(|it| it.1);
        assert_eq!(value("hot_share"), Some(0.75));
        assert_eq!(value("wal_per_commit"), Some(100.0));
        assert_eq!(value("table_growth"), Some(8192.0));
        assert!(
            values
                .iter()
                .all(|(name, _)| RESULTS.iter().any(|it| it.name == *name))
        );
        // Nothing was updated or committed.
        assert_eq!(before.since(&before).len(), 4);
    }

    #[test]
    fn checkpoints_moved() {
        assert!(checkpoints(16).contains("bgwriter"));
        assert!(checkpoints(17).contains("checkpointer"));
    }
}
