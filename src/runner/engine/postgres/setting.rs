//! The settings of PostgreSQL: when each takes effect, which there aren't, and when two values are the same.

use super::super::amount::{number, switch};
use super::super::{Apply, Requested};
use super::shape;

/// The made-up name for the fillfactor of the workload's tables.
pub(super) const FILLFACTOR: &str = "fillfactor";
/// Settings that `initdb` takes.
pub(super) const DATA_CHECKSUMS: &str = "data_checksums";
/// The size of a file of the log, which `initdb` takes in MiB.
pub(super) const WAL_SEGMENT_SIZE: &str = "wal_segment_size";

/// Settings that need a restart (context `postmaster`), in any of the versions 13 to 19.
const RESTART: &[&str] = &[
    "archive_mode",
    "autovacuum_freeze_max_age",
    "autovacuum_max_workers",
    "autovacuum_multixact_freeze_max_age",
    "autovacuum_worker_slots",
    "bonjour",
    "bonjour_name",
    "cluster_name",
    "commit_timestamp_buffers",
    "data_sync_retry",
    "debug_io_direct",
    "dynamic_shared_memory_type",
    "event_source",
    "hot_standby",
    "huge_page_size",
    "huge_pages",
    "ignore_invalid_pages",
    "io_max_combine_limit",
    "io_max_concurrency",
    "io_method",
    "jit_provider",
    "logging_collector",
    "max_active_replication_origins",
    "max_connections",
    "max_files_per_process",
    "max_locks_per_transaction",
    "max_logical_replication_workers",
    "max_notify_queue_pages",
    "max_pred_locks_per_transaction",
    "max_prepared_transactions",
    "max_replication_slots",
    "max_wal_senders",
    "max_worker_processes",
    "min_dynamic_shared_memory",
    "multixact_member_buffers",
    "multixact_offset_buffers",
    "notify_buffers",
    "old_snapshot_threshold",
    "recovery_target",
    "recovery_target_action",
    "recovery_target_inclusive",
    "recovery_target_lsn",
    "recovery_target_name",
    "recovery_target_time",
    "recovery_target_timeline",
    "recovery_target_xid",
    "reserved_connections",
    "serializable_buffers",
    "shared_buffers",
    "shared_memory_type",
    "shared_preload_libraries",
    "subtransaction_buffers",
    "superuser_reserved_connections",
    "trace_connection_negotiation",
    "track_activity_query_size",
    "track_commit_timestamp",
    "transaction_buffers",
    "unix_socket_group",
    "unix_socket_permissions",
    "wal_buffers",
    "wal_decode_buffer_size",
    "wal_level",
    "wal_log_hints",
];

/// Settings of sessions that cases often ask for; a few of very many.
const SESSION: &[&str] = &[
    "commit_delay",
    "commit_siblings",
    "default_toast_compression",
    "default_transaction_isolation",
    "effective_cache_size",
    "effective_io_concurrency",
    "enable_hashjoin",
    "enable_indexscan",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_seqscan",
    "hash_mem_multiplier",
    "jit",
    "maintenance_io_concurrency",
    "maintenance_work_mem",
    "max_parallel_maintenance_workers",
    "max_parallel_workers",
    "max_parallel_workers_per_gather",
    "plan_cache_mode",
    "random_page_cost",
    "seq_page_cost",
    "synchronous_commit",
    "temp_buffers",
    "track_io_timing",
    "track_wal_io_timing",
    "vacuum_buffer_usage_limit",
    "wal_compression",
    "wal_skip_threshold",
    "work_mem",
];

/// What benchbook decides itself, or what would lead out of the trial's folder.
const OURS: &[&str] = &[
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "listen_addresses",
    "log_directory",
    "port",
    "ssl",
    "stats_temp_directory",
    "unix_socket_directories",
];

/// Settings that not all versions from 13 to 19 have: since when, and the last version with them.
const VERSIONS: &[(&str, u32, u32)] = &[
    ("archive_library", 15, 99),
    ("autovacuum_worker_slots", 18, 99),
    ("client_connection_check_interval", 14, 99),
    ("commit_timestamp_buffers", 17, 99),
    ("compute_query_id", 14, 99),
    ("db_user_namespace", 0, 16),
    ("debug_io_direct", 16, 99),
    ("debug_parallel_query", 16, 99),
    ("default_toast_compression", 14, 99),
    ("force_parallel_mode", 0, 15),
    ("hash_mem_multiplier", 13, 99),
    ("huge_page_size", 14, 99),
    ("idle_session_timeout", 14, 99),
    ("io_combine_limit", 17, 99),
    ("io_max_combine_limit", 18, 99),
    ("io_max_concurrency", 18, 99),
    ("io_method", 18, 99),
    ("io_workers", 18, 99),
    ("max_notify_queue_pages", 17, 99),
    ("min_dynamic_shared_memory", 14, 99),
    ("multixact_member_buffers", 17, 99),
    ("multixact_offset_buffers", 17, 99),
    ("notify_buffers", 17, 99),
    ("old_snapshot_threshold", 0, 16),
    ("operator_precedence_warning", 0, 13),
    ("promote_trigger_file", 0, 15),
    ("recovery_prefetch", 15, 99),
    ("reserved_connections", 16, 99),
    ("serializable_buffers", 17, 99),
    ("stats_fetch_consistency", 15, 99),
    ("subtransaction_buffers", 17, 99),
    ("summarize_wal", 17, 99),
    ("trace_connection_negotiation", 17, 99),
    ("transaction_buffers", 17, 99),
    ("vacuum_buffer_usage_limit", 16, 99),
    ("vacuum_cleanup_index_scale_factor", 0, 13),
    ("wal_decode_buffer_size", 15, 99),
    ("wal_keep_segments", 0, 12),
];

/// When a new value takes effect.
pub(super) fn apply(setting: &str) -> Apply {
    let name = setting.to_ascii_lowercase();
    let name = name.as_str();
    if [FILLFACTOR, DATA_CHECKSUMS, WAL_SEGMENT_SIZE].contains(&name) {
        Apply::Rebuild
    } else if RESTART.contains(&name) {
        Apply::Restart
    } else if SESSION.contains(&name) {
        Apply::NewConnection
    } else {
        Apply::Dynamic
    }
}

/// Why this can't be asked for, as far as that can be told before anything is started.
pub(super) fn refuse(asked: &Requested, major: Option<u32>) -> Option<String> {
    let name = asked.name.to_ascii_lowercase();
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_' || sign == '.';
    if name.is_empty() || !name.chars().all(is_word) {
        return Some(format!("PostgreSQL has no setting `{}`", asked.name));
    }
    if OURS.contains(&&*name) {
        return Some(format!(
            "`{name}` is benchbook's to decide on a private server"
        ));
    }
    if let Some(why) = shape::refuse(&name, &asked.value, major) {
        return Some(why);
    }
    if name == WAL_SEGMENT_SIZE {
        let size = amount(&spelled(&asked.value), "MB").map(|bytes| bytes / 1_048_576.0);
        let fits = size.is_some_and(|size| {
            size.fract() == 0.0 && (1.0..=1024.0).contains(&size) && (size as u64).is_power_of_two()
        });
        let value = &asked.value;
        return (!fits)
            .then(|| format!("`{name}` is a power of two from 1MB to 1GB, not `{value}`"));
    }
    let (_, since, last) = VERSIONS.iter().find(|(known, _, _)| *known == name)?;
    let major = major?;
    if major < *since {
        return Some(format!(
            "`{name}` came with PostgreSQL {since}, and this is {major}"
        ));
    }
    (major > *last).then(|| format!("`{name}` went with PostgreSQL {last}, and this is {major}"))
}

/// A value as PostgreSQL writes it: it knows `MB`, which it counts in steps of 1024, and no `MiB`.
pub(super) fn spelled(value: &str) -> String {
    let value = value.trim();
    for (long, short) in [("KiB", "kB"), ("MiB", "MB"), ("GiB", "GB"), ("TiB", "TB")] {
        if let Some(number) = value.strip_suffix(long) {
            return format!("{}{short}", number.trim_end());
        }
    }
    value.to_owned()
}

/// What the server tells of a setting.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    /// Its value in its own unit.
    pub(super) raw: String,
    /// The value as people read it.
    pub(super) shown: String,
    /// Its unit, such as `8kB` or `ms`; empty for none.
    pub(super) unit: String,
    /// `bool`, `integer`, `real`, `string` or `enum`.
    pub(super) kind: String,
}

/// Whether a value is the one asked for.
pub(super) fn is_same(known: Option<&Known>, requested: &str, effective: &str) -> bool {
    let alike = requested.trim().eq_ignore_ascii_case(effective.trim());
    let Some(known) = known else { return alike };
    match &*known.kind {
        "bool" => alike || switch(requested).is_some() && switch(requested) == switch(effective),
        "integer" | "real" => {
            let asked = amount(&spelled(requested), &known.unit);
            let told = amount(effective, &known.unit);
            match (asked, told) {
                (Some(asked), Some(told)) => (asked - told).abs() <= told.abs() * 1e-9,
                _ => alike,
            }
        }
        // PostgreSQL has more words for some than it tells.
        "enum" => {
            alike
                || matches!((switch(requested), switch(effective)), (Some(a), Some(b)) if a == b)
                || is_pglz(requested) && is_pglz(effective)
        }
        _ => requested.trim() == effective.trim(),
    }
}

/// Whether it is a word for the first way to compress, which was the only one before version 15.
fn is_pglz(text: &str) -> bool {
    let text = text.trim();
    text.eq_ignore_ascii_case("pglz") || switch(text) == Some(true)
}

/// A size in MiB.
pub(super) fn mebibytes(value: &str) -> Option<u64> {
    amount(&spelled(value), "MB").map(|bytes| (bytes / 1_048_576.0) as u64)
}

/// An amount in bytes or milliseconds, or the number itself; a bare one is in the setting's unit.
pub(super) fn amount(text: &str, unit: &str) -> Option<f64> {
    let (number, own) = number(text)?;
    Some(number * scale(if own.is_empty() { unit } else { own })?)
}

fn scale(unit: &str) -> Option<f64> {
    let end = unit
        .find(|sign: char| !sign.is_ascii_digit())
        .unwrap_or(unit.len());
    let (times, word) = unit.split_at(end);
    let times: f64 = if times.is_empty() {
        1.0
    } else {
        times.parse().ok()?
    };
    Some(
        times
            * match word {
                "" | "B" | "ms" => 1.0,
                "kB" => 1024.0,
                "MB" => 1_048_576.0,
                "GB" => 1_073_741_824.0,
                "TB" => 1_099_511_627_776.0,
                "us" => 1e-3,
                "s" => 1e3,
                "min" => 6e4,
                "h" => 3.6e6,
                "d" => 8.64e7,
                _ => return None,
            },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str, value: &str) -> Requested {
        Requested {
            name: name.to_owned(),
            value: value.to_owned(),
        }
    }

    fn known(kind: &str, unit: &str) -> Known {
        Known {
            raw: String::new(),
            shown: String::new(),
            unit: unit.to_owned(),
            kind: kind.to_owned(),
        }
    }

    #[test]
    fn amounts_are_compared_and_not_their_spellings() {
        for (kind, unit, requested, effective, same) in [
            ("integer", "8kB", "64MB", "64MB", true),
            ("integer", "8kB", "64 MiB", "65536kB", true),
            ("integer", "8kB", "8192", "64MB", true),
            ("integer", "8kB", "16", "64MB", false),
            ("integer", "MB", "1GB", "1024MB", true),
            ("integer", "s", "5min", "300s", true),
            ("integer", "s", "300", "5min", true),
            ("real", "ms", "1.5", "1.5ms", true),
            ("integer", "", "100", "99", false),
            ("bool", "", "true", "on", true),
            ("bool", "", "0", "on", false),
            ("enum", "", "ON", "on", true),
            ("enum", "", "pglz", "on", true),
            ("enum", "", "true", "pglz", true),
            ("enum", "", "off", "pglz", false),
            ("enum", "", "lz4", "pglz", false),
            ("enum", "", "remote_write", "on", false),
            ("string", "", "C", "C", true),
            ("string", "", "c", "C", false),
        ] {
            let known = known(kind, unit);
            assert_eq!(
                is_same(Some(&known), requested, effective),
                same,
                "{requested} {effective}"
            );
        }
    }

    #[test]
    fn versions_differ_in_their_settings() {
        let io = asked("io_method", "worker");
        assert!(refuse(&io, Some(15)).is_some_and(|why| why.contains("came with PostgreSQL 18")));
        assert_eq!(refuse(&io, Some(18)), None);
        assert_eq!(refuse(&io, None), None);
        let old = asked("old_snapshot_threshold", "1min");
        assert!(refuse(&old, Some(17)).is_some_and(|why| why.contains("went with PostgreSQL 16")));
        assert_eq!(refuse(&old, Some(13)), None);
        assert_eq!(refuse(&asked("work_mem", "1MB"), Some(19)), None);
    }

    #[test]
    fn what_can_not_be_asked_for_is_refused() {
        for (name, value, words) in [
            ("port", "1", "benchbook's to decide"),
            ("a b", "1", "no setting"),
            ("fillfactor", "9", "10 to 100"),
            ("fillfactor", "half", "10 to 100"),
            ("data_checksums", "maybe", "`on` or `off`"),
            ("wal_segment_size", "3MB", "power of two"),
        ] {
            let why = refuse(&asked(name, value), Some(15)).expect(name);
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(refuse(&asked("wal_segment_size", "64 MB"), Some(15)), None);
        assert_eq!(apply("Shared_Buffers"), Apply::Restart);
        assert_eq!(apply("fillfactor"), Apply::Rebuild);
        assert_eq!(apply("max_wal_size"), Apply::Dynamic);
        assert_eq!(apply("synchronous_commit"), Apply::NewConnection);
    }
}
