//! What Firebird counts of itself while it is measured.

use std::collections::BTreeMap;

use super::super::Value;
use super::locks::Locks;
use crate::runner::workload::Outcome;

/// What it gives beside the results of workloads.
pub(super) const RESULTS: &[Outcome] = &[
    Outcome {
        name: "page_reads",
        unit: "",
        meaning: "Pages that had to be read into a cache, by all connections. Connections are asked while watching, so \
                  what one does between the last look and its end is missing; left out if nothing is watched. The same \
                  holds for the next three.",
    },
    Outcome {
        name: "page_writes",
        unit: "",
        meaning: "Pages written from a cache.",
    },
    Outcome {
        name: "page_fetches",
        unit: "",
        meaning: "Pages looked up in a cache, found or not.",
    },
    Outcome {
        name: "page_marks",
        unit: "",
        meaning: "Pages changed in a cache.",
    },
    Outcome {
        name: "lock_acquires",
        unit: "",
        meaning: "How often somebody took hold of the lock table (Acquires in its print).",
    },
    Outcome {
        name: "lock_mutex_wait",
        unit: "%",
        meaning: "Share of these that found the table held by somebody else (Mutex wait, of this measurement).",
    },
    Outcome {
        name: "lock_hash_slots",
        unit: "",
        meaning: "Chains of the lock table.",
    },
    Outcome {
        name: "lock_hash_longest",
        unit: "",
        meaning: "Length of the longest chain that was seen while watching. Left out if nothing is watched.",
    },
    Outcome {
        name: "lock_table_size",
        unit: "B",
        meaning: "Size of the lock table in the end; it grows as it has to.",
    },
];

/// Series of pages, in the order of their counters.
pub(super) const WATCHED: [&str; 4] = ["page_reads", "page_writes", "page_fetches", "page_marks"];

/// Counters of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Pages([f64; 4]);

impl Pages {
    pub(super) fn since(&self, before: &Self) -> [f64; 4] {
        let mut differences = self.0;
        for (number, before) in differences.iter_mut().zip(before.0) {
            *number -= before;
        }
        differences
    }
}

/// Counters of pages by connection. Where each has a cache of its own, nobody counts for all together, and what a
/// connection has counted goes with it; so what was seen last of each is kept.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Ledger(BTreeMap<i64, Pages>);

impl Ledger {
    /// The counters of all connections but the one that asks.
    pub(super) const SQL: &str = "SELECT A.MON$ATTACHMENT_ID, S.MON$PAGE_READS, S.MON$PAGE_WRITES, \
                                  S.MON$PAGE_FETCHES, S.MON$PAGE_MARKS FROM MON$ATTACHMENTS A \
                                  JOIN MON$IO_STATS S ON S.MON$STAT_ID = A.MON$STAT_ID \
                                  WHERE A.MON$ATTACHMENT_ID <> CURRENT_CONNECTION";

    /// Takes in the answer to [`Self::SQL`].
    pub(super) fn add(&mut self, rows: &[Vec<Value>]) {
        for row in rows {
            let [Value::Whole(connection), counters @ ..] = &row[..] else {
                continue;
            };
            let mut pages = Pages::default();
            for (number, value) in pages.0.iter_mut().zip(counters) {
                if let Value::Whole(count) = value {
                    *number = *count as f64;
                }
            }
            self.0.insert(*connection, pages);
        }
    }

    /// What all connections that were ever seen have counted.
    pub(super) fn sum(&self) -> Pages {
        let mut sum = Pages::default();
        for pages in self.0.values() {
            for (number, more) in sum.0.iter_mut().zip(pages.0) {
                *number += more;
            }
        }
        sum
    }
}

/// Results between two readings.
pub(super) fn between(
    pages: Option<(Pages, Pages)>,
    locks: (Option<Locks>, Option<Locks>),
    longest: Option<f64>,
) -> Vec<(&'static str, f64)> {
    let counts = pages.map(|(before, after)| after.since(&before));
    let counts = counts.map(|counts| WATCHED.into_iter().zip(counts));
    let mut values: Vec<(&'static str, f64)> = counts.into_iter().flatten().collect();
    if let (before, Some(locks)) = locks {
        let before = before.unwrap_or_default();
        let acquires = locks.acquires - before.acquires;
        if acquires >= 0.0 {
            values.push(("lock_acquires", acquires));
        }
        if acquires > 0.0 {
            values.push((
                "lock_mutex_wait",
                (locks.blocks - before.blocks).max(0.0) / acquires,
            ));
        }
        values.push(("lock_hash_slots", locks.slots));
        values.push(("lock_table_size", locks.length));
    }
    values.extend(longest.map(|longest| ("lock_hash_longest", longest)));
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_differences() {
        let rows = |connection: i64, numbers: [i64; 4]| {
            let numbers = [connection].into_iter().chain(numbers);
            vec![numbers.map(Value::Whole).collect::<Vec<_>>()]
        };
        let mut ledger = Ledger::default();
        ledger.add(&rows(7, [1, 2, 3, 4]));
        let before = ledger.sum();
        // One has gone, another has come.
        ledger.add(&rows(7, [6, 2, 53, 4]));
        ledger.add(&rows(8, [5, 10, 50, 20]));
        let after = ledger.sum();
        let locks = |acquires, blocks| Locks {
            acquires,
            blocks,
            slots: 8191.0,
            length: 1_048_576.0,
            ..Locks::default()
        };
        let values = between(
            Some((before, after)),
            (Some(locks(100.0, 10.0)), Some(locks(300.0, 60.0))),
            Some(3.0),
        );
        let value = |name: &str| values.iter().find(|(it, _)| *it == name).map(|it| it.1);
        assert_eq!(value("page_fetches"), Some(100.0));
        assert_eq!(value("lock_acquires"), Some(200.0));
        assert_eq!(value("lock_mutex_wait"), Some(0.25));
        assert_eq!(value("lock_hash_longest"), Some(3.0));
        for (name, _) in &values {
            assert!(RESULTS.iter().any(|it| it.name == *name), "{name}");
        }
        assert_eq!(values.len(), RESULTS.len());
    }
}
