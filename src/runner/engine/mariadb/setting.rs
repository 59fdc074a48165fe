//! The settings of MariaDB and MySQL: when each takes effect, which there aren't, and when two values are the same.

use super::super::amount::{size, switch};
use super::super::{Apply, Requested};
use super::Version;

/// The made-up setting that says how the size of the log is changed: when the server starts, or while it runs.
pub(super) const LOG_RESIZE: &str = "log_resize";
/// The size of the log on MariaDB, and on MySQL before 8.0.30.
pub(super) const LOG_FILE_SIZE: &str = "innodb_log_file_size";
/// The size of the log on MySQL from 8.0.30 on.
pub(super) const LOG_CAPACITY: &str = "innodb_redo_log_capacity";

/// Settings that only new data take on.
const REBUILD: &[&str] = &[
    "innodb_checksum_algorithm",
    "innodb_data_file_path",
    "innodb_page_size",
    "innodb_undo_tablespaces",
    "lower_case_table_names",
];

/// Settings that sessions have for themselves and cases often ask for.
const SESSION: &[&str] = &[
    "bulk_insert_buffer_size",
    "foreign_key_checks",
    "innodb_lock_wait_timeout",
    "join_buffer_size",
    "max_heap_table_size",
    "optimizer_switch",
    "read_buffer_size",
    "sort_buffer_size",
    "sql_mode",
    "tmp_table_size",
    "transaction_isolation",
    "tx_isolation",
    "unique_checks",
];

/// Settings that can be changed while the server runs.
const DYNAMIC: &[&str] = &[
    "innodb_adaptive_flushing",
    "innodb_adaptive_flushing_lwm",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_fast_shutdown",
    "innodb_flush_log_at_timeout",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_neighbors",
    "innodb_flushing_avg_loops",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_max_purge_lag",
    LOG_CAPACITY,
    "innodb_thread_concurrency",
    "max_connections",
    "sync_binlog",
    "table_open_cache",
    "thread_cache_size",
];

/// What benchbook decides itself, or what would lead out of the trial's folder.
const OURS: &[&str] = &[
    "basedir",
    "bind_address",
    "datadir",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_undo_directory",
    "log_error",
    "pid_file",
    "port",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
];

/// A name as the server's variables are spelled: options may have dashes.
pub(super) fn variable(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace('-', "_")
}

/// When a new value takes effect.
pub(super) fn apply(setting: &str) -> Apply {
    let name = variable(setting);
    let name = name.as_str();
    if REBUILD.contains(&name) {
        Apply::Rebuild
    } else if SESSION.contains(&name) {
        Apply::NewConnection
    } else if DYNAMIC.contains(&name) {
        Apply::Dynamic
    } else {
        Apply::Restart
    }
}

/// Whether each session may set it for itself.
pub(super) fn is_of_session(name: &str) -> bool {
    SESSION.contains(&&*variable(name))
}

/// Whether only new data take it on.
pub(super) fn is_of_data(name: &str) -> bool {
    REBUILD.contains(&&*variable(name))
}

/// Why this can't be asked for, as far as that can be told before anything is started.
pub(super) fn refuse(asked: &Requested, version: Option<Version>) -> Option<String> {
    let name = variable(&asked.name);
    let is_word = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    if name.is_empty() || !name.chars().all(is_word) {
        return Some(format!("there is no setting `{}`", asked.name));
    }
    if asked.value.contains(['\n', '\r', '\0']) {
        return Some(format!("the value of `{name}` has more than one line"));
    }
    if OURS.contains(&&*name) {
        return Some(format!(
            "`{name}` is benchbook's to decide on a private server"
        ));
    }
    if name == LOG_RESIZE {
        let value = asked.value.trim();
        return (!["start", "online"].contains(&value))
            .then(|| format!("`{LOG_RESIZE}` is `start` or `online`, not `{value}`"));
    }
    let version = version?;
    match &*name {
        LOG_CAPACITY if !version.is_mysql => Some(format!(
            "MariaDB has no `{LOG_CAPACITY}`; its log's size is `{LOG_FILE_SIZE}`"
        )),
        LOG_CAPACITY if !version.is_mysql_from(8, 0, 30) => Some(format!(
            "`{LOG_CAPACITY}` came with MySQL 8.0.30, and this is {version}; use `{LOG_FILE_SIZE}`"
        )),
        LOG_FILE_SIZE | "innodb_log_files_in_group" if version.is_mysql_from(8, 0, 30) => Some(
            format!("{version} ignores `{name}`; its log's size is `{LOG_CAPACITY}`"),
        ),
        "innodb_log_files_in_group" if version.is_mariadb_from(10, 6) => Some(format!(
            "{version} has one file of log and no `{name}`; its size is `{LOG_FILE_SIZE}`"
        )),
        "innodb_buffer_pool_instances" if version.is_mariadb_from(10, 6) => Some(format!(
            "`{name}` went with MariaDB 10.5, and this is {version}"
        )),
        _ if name.starts_with("query_cache") && version.is_mysql_from(8, 0, 0) => Some(format!(
            "`{name}` went with MySQL 5.7, and this is {version}"
        )),
        _ => None,
    }
}

/// Whether the size of the log can be changed while the server runs.
pub(super) fn resizes_online(version: Version) -> bool {
    version.is_mariadb_from(10, 9) || version.is_mysql_from(8, 0, 30)
}

/// A value as the server takes it: it knows `64M`, and neither `64 MiB` nor `64MB`.
pub(super) fn spelled(value: &str) -> String {
    let value = value.trim();
    let is_size = value.ends_with(['B', 'b']);
    match size(value) {
        Some(bytes) if is_size => format!("{bytes:.0}"),
        _ => value.to_owned(),
    }
}

/// Whether a value is the one asked for.
pub(super) fn is_same(requested: &str, effective: &str) -> bool {
    let (requested, effective) = (requested.trim(), effective.trim());
    if requested.eq_ignore_ascii_case(effective) {
        return true;
    }
    if let (Some(asked), Some(told)) = (size(requested), size(effective)) {
        return (asked - told).abs() <= told.abs() * 1e-9;
    }
    matches!((switch(requested), switch(effective)), (Some(asked), Some(told)) if asked == told)
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

    #[test]
    fn amounts_are_compared_and_not_their_spellings() {
        for (requested, effective, same) in [
            ("64M", "67108864", true),
            ("64 MiB", "67108864", true),
            ("64M", "67108865", false),
            ("O_DIRECT", "o_direct", true),
            ("on", "1", true),
            ("OFF", "ON", false),
            ("2", "1", false),
            ("1e3", "1000", false),
        ] {
            assert_eq!(
                is_same(requested, effective),
                same,
                "{requested} {effective}"
            );
        }
        assert_eq!(spelled("64 MiB"), "67108864");
        assert_eq!(spelled("64M"), "64M");
        assert_eq!(spelled("O_DIRECT"), "O_DIRECT");
    }

    #[test]
    fn products_and_versions_differ_in_their_settings() {
        let maria = Version::parse("10.11.19-MariaDB");
        let (mysql, old) = (Version::parse("8.0.36"), Version::parse("8.0.28"));
        let (size, capacity) = (
            asked("innodb-log-file-size", "96M"),
            asked(LOG_CAPACITY, "96M"),
        );
        assert_eq!(refuse(&size, maria), None);
        assert_eq!(refuse(&size, old), None);
        assert!(refuse(&size, mysql).is_some_and(|why| why.contains(LOG_CAPACITY)));
        assert_eq!(refuse(&capacity, mysql), None);
        assert!(refuse(&capacity, maria).is_some_and(|why| why.contains(LOG_FILE_SIZE)));
        assert!(refuse(&capacity, old).is_some_and(|why| why.contains("8.0.30")));
        let group = asked("innodb_log_files_in_group", "2");
        assert!(refuse(&group, maria).is_some());
        assert_eq!(refuse(&group, Version::parse("10.4.1-MariaDB")), None);
        assert!(refuse(&asked("query_cache_size", "0"), mysql).is_some());
    }

    #[test]
    fn what_can_not_be_asked_for_is_refused() {
        for (name, value, words) in [
            ("datadir", "/", "benchbook's"),
            ("a b", "1", "no setting"),
            ("log_resize", "now", "`start` or `online`"),
            ("sql_mode", "a\nb", "more than one line"),
        ] {
            let why = refuse(&asked(name, value), None).expect(name);
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(apply("innodb-page-size"), Apply::Rebuild);
        assert_eq!(apply("innodb_log_file_size"), Apply::Restart);
        assert_eq!(apply("innodb_flush_log_at_trx_commit"), Apply::Dynamic);
        assert_eq!(apply("unique_checks"), Apply::NewConnection);
        assert_eq!(apply("innodb_flush_method"), Apply::Restart);
    }
}
