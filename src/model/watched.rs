//! What the runner saw beside the samples: series over time, and settings as they took effect.

/// A reading of one series while a case was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reading {
    /// Seconds since the run's start.
    pub at: f64,
    /// The figure, in base units of the series.
    pub value: f64,
}

/// Everything that was read of one series in one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Place of the trial in the run's order.
    pub order: u32,
    /// Key of what was read, such as `checkpoint_age`; its unit follows from it.
    pub key: String,
    /// In order of time.
    pub readings: Vec<Reading>,
}

/// A setting as it was asked for and as it took effect in a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingInEffect {
    /// Index of the level of each factor.
    pub levels: Vec<u32>,
    /// Name as the engine spells it.
    pub name: String,
    /// The value asked for.
    pub requested: String,
    /// The value read back; `None` where it couldn't be read.
    pub effective: Option<String>,
}

/// Results that come of looking at connections again and again, so that it matters how often was looked.
pub const LOOKED_AT: [&str; 2] = ["waits", "wait_share"];

/// Series that the runner knows: key, symbol of the unit in whose base unit its readings stand (a `%` is a
/// share: 0.57 for 57 %).
pub const SERIES: &[(&str, &str)] = &[
    // Bytes in the log that a crash would have to replay, whatever the engine calls its log.
    ("checkpoint_age", "B"),
    // The most that the engine lets that grow to before it works against it.
    ("checkpoint_limit", "B"),
    ("log_size", "B"),
    ("throughput", "1/s"),
    // Requests that found a lock taken, and the share of time spent waiting for one, since the last reading.
    ("busy_waits", "1/s"),
    ("busy_share", "%"),
    // Changed pages in memory that the disk doesn't have yet.
    ("dirty", "B"),
    // Pages that the engine read, wrote, looked at and changed.
    ("page_reads", "1/s"),
    ("page_writes", "1/s"),
    ("page_fetches", "1/s"),
    ("page_marks", "1/s"),
    // Requests to the table of locks, and the share of them that had to wait for the table itself.
    ("lock_requests", "1/s"),
    ("lock_table_waits", "%"),
    // Connections at work, and how many of them were found computing or waiting, by the kind of wait.
    ("active", ""),
    ("waits_cpu", ""),
    ("waits_lock", ""),
    ("waits_lwlock", ""),
    ("waits_buffer", ""),
    ("waits_io", ""),
    ("waits_ipc", ""),
    ("waits_client", ""),
    ("waits_other", ""),
    ("cpu", "%"),
    ("cpu_stolen", "%"),
    ("disk_read", "B/s"),
    ("disk_written", "B/s"),
    ("memory", "B"),
    ("frequency", "Hz"),
];
