//! How far InnoDB's log is ahead of its data files. Versions tell it in different ways, or only in a text.

use std::collections::BTreeMap;

use mysql::prelude::Queryable as _;
use mysql::{Conn, Error};

/// Where the age of the log is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// MariaDB from 10.5 on, and XtraDB: status variables with the age itself and the most it may be.
    Age,
    /// MySQL from 8.0.30 on: status variables with the two places in the log.
    Places,
    /// Older MySQL: counters that have to be switched on.
    Metrics,
    /// All others: the report of InnoDB.
    Report,
}

/// The age of the log, and the most that the server lets it become, where that is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Age {
    pub(super) age: f64,
    pub(super) limit: Option<f64>,
}

const METRICS: &str = "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS \
                       WHERE NAME IN ('log_lsn_checkpoint_age', 'log_max_modified_age_async')";

impl Source {
    /// Finds out which of them the server offers.
    pub(super) fn find(conn: &mut Conn) -> Result<Self, Error> {
        let status = status(conn)?;
        for source in [Self::Age, Self::Places] {
            if source.of_status(&status).is_some() {
                return Ok(source);
            }
        }
        // Not every user may switch counters on; they may be on already.
        let _ = conn.query_drop("SET GLOBAL innodb_monitor_enable = 'log_%'");
        let metrics = Self::Metrics.read(conn)?;
        Ok(if metrics.is_some_and(|told| told.age > 0.0) {
            Self::Metrics
        } else {
            Self::Report
        })
    }

    /// Reads it; nothing where it isn't told.
    pub(super) fn read(self, conn: &mut Conn) -> Result<Option<Age>, Error> {
        match self {
            Self::Age | Self::Places => Ok(self.of_status(&status(conn)?)),
            Self::Metrics => {
                let Ok(rows) = conn.query::<(String, f64), _>(METRICS) else {
                    return Ok(None);
                };
                let rows: BTreeMap<String, f64> = rows.into_iter().collect();
                let limit = rows.get("log_max_modified_age_async").copied();
                Ok(rows.get("log_lsn_checkpoint_age").map(|age| Age {
                    age: *age,
                    limit: limit.filter(|limit| *limit > 0.0),
                }))
            }
            Self::Report => {
                let row: Option<(String, String, String)> =
                    conn.query_first("SHOW ENGINE INNODB STATUS")?;
                Ok(row.and_then(|(_, _, text)| of_report(&text)))
            }
        }
    }

    /// The same from status variables.
    pub(super) fn of_status(self, status: &BTreeMap<String, String>) -> Option<Age> {
        let number = |name: &str| status.get(name)?.parse::<f64>().ok();
        match self {
            Self::Age => Some(Age {
                age: number("innodb_checkpoint_age")?,
                limit: number("innodb_checkpoint_max_age"),
            }),
            Self::Places => {
                let (now, done) = (
                    number("innodb_redo_log_current_lsn")?,
                    number("innodb_redo_log_checkpoint_lsn")?,
                );
                // Six places of 64 are kept in reserve, and writing begins in earnest an eighth before.
                let capacity = number("innodb_redo_log_capacity_resized");
                Some(Age {
                    age: (now - done).max(0.0),
                    limit: capacity.map(|capacity| capacity * 29.0 / 32.0),
                })
            }
            Self::Metrics | Self::Report => None,
        }
    }
}

/// The status variables of InnoDB, by their names in small letters.
pub(super) fn status(conn: &mut Conn) -> Result<BTreeMap<String, String>, Error> {
    let rows: Vec<(String, String)> = conn.query("SHOW GLOBAL STATUS LIKE 'Innodb\\_%'")?;
    let rows = rows.into_iter();
    Ok(rows
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect())
}

/// The age in the report of InnoDB: the distance between its places in the log.
fn of_report(text: &str) -> Option<Age> {
    let number = |label: &str| {
        let line = text
            .lines()
            .find_map(|line| line.trim().strip_prefix(label))?;
        place(line.trim())
    };
    let (now, done) = (
        number("Log sequence number")?,
        number("Last checkpoint at")?,
    );
    Some(Age {
        age: (now - done).max(0.0),
        limit: number("Max checkpoint age"),
    })
}

/// A place in the log; old versions write it as two numbers, of which the first counts 4 GiB each.
fn place(text: &str) -> Option<f64> {
    let mut words = text.split_ascii_whitespace();
    let first: f64 = words.next()?.parse().ok()?;
    Some(match words.next() {
        Some(low) => first * 4_294_967_296.0 + low.parse::<f64>().ok()?,
        None => first,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        let pairs = pairs.iter();
        pairs
            .map(|(name, value)| ((*name).into(), (*value).into()))
            .collect()
    }

    #[test]
    fn versions_tell_the_age_in_their_own_ways() {
        let maria = status(&[
            ("innodb_checkpoint_age", "5000"),
            ("innodb_checkpoint_max_age", "80819529"),
        ]);
        let age = Source::Age.of_status(&maria);
        assert_eq!(
            age,
            Some(Age {
                age: 5000.0,
                limit: Some(80_819_529.0)
            })
        );
        assert_eq!(Source::Places.of_status(&maria), None);
        let mysql = status(&[
            ("innodb_redo_log_current_lsn", "700"),
            ("innodb_redo_log_checkpoint_lsn", "200"),
            ("innodb_redo_log_capacity_resized", "3200"),
        ]);
        assert_eq!(Source::Age.of_status(&mysql), None);
        let age = Source::Places.of_status(&mysql);
        assert_eq!(
            age,
            Some(Age {
                age: 500.0,
                limit: Some(2900.0)
            })
        );
    }

    #[test]
    fn the_report_tells_it_too() {
        let text = "---\nLOG\n---\nLog sequence number 9000\nLog flushed up to   8900\n\
                    Pages flushed up to 8000\nLast checkpoint at  7500\n0 pending log flushes\n";
        assert_eq!(
            of_report(text),
            Some(Age {
                age: 1500.0,
                limit: None
            })
        );
        let old = "Log sequence number 1 100\nLast checkpoint at  0 4294967290\nMax checkpoint age    500\n";
        assert_eq!(
            of_report(old),
            Some(Age {
                age: 106.0,
                limit: Some(500.0)
            })
        );
        assert_eq!(of_report("Log sequence number x\n"), None);
        assert_eq!(of_report(""), None);
    }
}
