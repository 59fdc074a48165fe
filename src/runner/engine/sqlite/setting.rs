//! The settings of SQLite: its PRAGMAs that set something, and when each takes effect.

use rusqlite::Connection;

use super::super::{Apply, Requested};
use super::value::Shape;
use crate::diag::suggestion;
use crate::runner::fault::Fault;

/// A PRAGMA that sets something.
#[derive(Debug)]
pub(super) struct Setting {
    pub(super) name: &'static str,
    pub(super) apply: Apply,
    pub(super) shape: Shape,
}

const fn of_data(name: &'static str, shape: Shape) -> Setting {
    let apply = Apply::Rebuild;
    Setting { name, apply, shape }
}

const fn of_connection(name: &'static str, shape: Shape) -> Setting {
    let apply = Apply::NewConnection;
    Setting { name, apply, shape }
}

/// In the order in which they have to be set: what shapes the file before anything is in it, and the
/// way of locking before the log is first opened (which then needs no shared memory).
const SETTINGS: &[Setting] = &[
    of_data("page_size", Shape::Number),
    of_data("encoding", Shape::Encoding),
    of_data(
        "auto_vacuum",
        Shape::Ranks(&["NONE", "FULL", "INCREMENTAL"]),
    ),
    of_connection("locking_mode", Shape::Words(&["NORMAL", "EXCLUSIVE"])),
    Setting {
        name: "journal_mode",
        apply: Apply::LastDisconnect,
        shape: Shape::Words(&["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL", "OFF"]),
    },
    Setting {
        name: "application_id",
        apply: Apply::Dynamic,
        shape: Shape::Number,
    },
    Setting {
        name: "user_version",
        apply: Apply::Dynamic,
        shape: Shape::Number,
    },
    of_connection("analysis_limit", Shape::Number),
    of_connection("automatic_index", Shape::Switch),
    of_connection("busy_timeout", Shape::Milliseconds),
    of_connection("cache_size", Shape::Cache),
    of_connection("cache_spill", Shape::Spill),
    of_connection("cell_size_check", Shape::Switch),
    of_connection("checkpoint_fullfsync", Shape::Switch),
    of_connection("foreign_keys", Shape::Switch),
    of_connection("fullfsync", Shape::Switch),
    of_connection("ignore_check_constraints", Shape::Switch),
    of_connection("journal_size_limit", Shape::Limit),
    of_connection("legacy_alter_table", Shape::Switch),
    of_connection("max_page_count", Shape::Number),
    of_connection("mmap_size", Shape::Bytes),
    of_connection("read_uncommitted", Shape::Switch),
    of_connection("recursive_triggers", Shape::Switch),
    of_connection("reverse_unordered_selects", Shape::Switch),
    of_connection("secure_delete", Shape::Ranks(&["OFF", "ON", "FAST"])),
    of_connection(
        "synchronous",
        Shape::Ranks(&["OFF", "NORMAL", "FULL", "EXTRA"]),
    ),
    of_connection("temp_store", Shape::Ranks(&["DEFAULT", "FILE", "MEMORY"])),
    of_connection("threads", Shape::Number),
    of_connection("trusted_schema", Shape::Switch),
    of_connection("wal_autocheckpoint", Shape::Interval),
];

/// PRAGMAs that set nothing, or nothing that a case could ask for, and why.
const OTHERS: &[(&str, &[&str])] = &[
    (
        "does something instead of setting something",
        &[
            "foreign_key_check",
            "incremental_vacuum",
            "integrity_check",
            "optimize",
            "quick_check",
            "shrink_memory",
            "wal_checkpoint",
        ],
    ),
    (
        "tells something instead of setting something",
        &[
            "collation_list",
            "compile_options",
            "data_version",
            "database_list",
            "foreign_key_list",
            "freelist_count",
            "function_list",
            "index_info",
            "index_list",
            "index_xinfo",
            "module_list",
            "page_count",
            "pragma_list",
            "schema_version",
            "table_info",
            "table_list",
            "table_xinfo",
        ],
    ),
    (
        "holds for the whole process, and for all that follows in it",
        &[
            "data_store_directory",
            "hard_heap_limit",
            "soft_heap_limit",
            "temp_store_directory",
        ],
    ),
    (
        "can't be read back",
        &["case_sensitive_like", "defer_foreign_keys"],
    ),
    (
        "changes what statements may do or answer, so that no workload would run",
        &[
            "count_changes",
            "empty_result_callbacks",
            "full_column_names",
            "query_only",
            "short_column_names",
            "writable_schema",
        ],
    ),
    ("is obsolete: set `cache_size`", &["default_cache_size"]),
];

/// The setting with this name, in whatever case it is written.
pub(super) fn find(name: &str) -> Option<&'static Setting> {
    SETTINGS
        .iter()
        .find(|it| it.name.eq_ignore_ascii_case(name))
}

/// The names of all settings that are known to be harmless to ask for.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SETTINGS.iter().map(|setting| setting.name)
}

/// Why this can't be a setting of a case, with help: SQLite itself passes over names that it doesn't know.
fn refuse(name: &str, known: &[String]) -> Option<String> {
    if find(name).is_some() {
        return None;
    }
    let folded = name.to_ascii_lowercase();
    for (why, names) in OTHERS {
        if names.contains(&folded.as_str()) {
            return Some(format!("PRAGMA `{folded}` {why}"));
        }
    }
    if known.contains(&folded) {
        return None;
    }
    let mut message = format!("SQLite {} has no PRAGMA `{name}`", rusqlite::version());
    if let Some(help) = suggestion(name, names()) {
        message.push_str(": ");
        message.push_str(&help);
    }
    Some(message)
}

/// Every PRAGMA that this build of SQLite knows.
fn pragmas(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_pragma_list ORDER BY name")?;
    let names = statement.query_map([], |row| row.get(0))?;
    names.collect()
}

/// Settings as a case asks for them, in the order in which they have to be set.
#[derive(Debug, Clone, Default)]
pub(super) struct Settings {
    /// Set once, when the instance starts.
    pub(super) once: Vec<(String, String)>,
    /// Set on every connection.
    pub(super) each: Vec<(String, String)>,
}

impl Settings {
    /// Checks names and values against this build of SQLite.
    pub(super) fn new(requested: &[Requested]) -> Result<Self, Fault> {
        let known = Connection::open_in_memory().and_then(|blank| pragmas(&blank));
        let known = known.map_err(|error| {
            Fault::failed(format!("the PRAGMAs of SQLite can't be listed: {error}"))
        })?;
        let mut settings = Self::default();
        for it in requested {
            if let Some(message) = refuse(&it.name, &known) {
                return Err(Fault::failed(message));
            }
        }
        for setting in SETTINGS {
            let asked = requested
                .iter()
                .filter(|it| it.name.eq_ignore_ascii_case(setting.name));
            for it in asked {
                let value = setting.shape.written(&it.value).ok_or_else(|| {
                    let (name, value, expected) =
                        (setting.name, &it.value, setting.shape.expected());
                    Fault::failed(format!("`{name}` can't be `{value}`: it is {expected}"))
                })?;
                let list = match setting.apply {
                    Apply::Rebuild | Apply::Dynamic => &mut settings.once,
                    _ => &mut settings.each,
                };
                list.push((setting.name.to_owned(), value));
            }
        }
        // Those that only this build knows: what they mean is not known, so every connection gets them.
        let unknown = requested.iter().filter(|it| find(&it.name).is_none());
        settings
            .each
            .extend(unknown.map(|it| (it.name.to_ascii_lowercase(), it.value.clone())));
        Ok(settings)
    }

    /// The value of a setting of connections, as it is written in the PRAGMA.
    pub(super) fn of_connections(&self, name: &str) -> Option<&str> {
        let found = self.each.iter().find(|(it, _)| it == name);
        found.map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test ends at the first surprise.
mod tests {
    use super::*;

    fn known() -> Vec<String> {
        pragmas(&Connection::open_in_memory().unwrap()).unwrap()
    }

    fn ask(name: &str, value: &str) -> Requested {
        Requested {
            name: name.into(),
            value: value.into(),
        }
    }

    /// A new SQLite may bring new PRAGMAs: each belongs into one of the tables.
    #[test]
    fn every_pragma_of_this_build_is_sorted() {
        let sorted = |name: &&String| {
            find(name).is_none()
                && !OTHERS
                    .iter()
                    .any(|(_, names)| names.contains(&name.as_str()))
        };
        let known = known();
        let unsorted: Vec<&String> = known.iter().filter(sorted).collect();
        assert!(unsorted.is_empty(), "{unsorted:?}");
        assert!(known.len() > 50, "{known:?}");
        let gone: Vec<&str> = names()
            .filter(|name| !known.contains(&(*name).to_owned()))
            .collect();
        assert!(gone.is_empty(), "{gone:?}");
    }

    #[test]
    fn names_that_sqlite_would_pass_over_are_refused() {
        let known = known();
        let refused = |name| refuse(name, &known);
        assert_eq!(refused("cache_size"), None);
        assert_eq!(refused("Cache_Size"), None);
        assert_eq!(
            refused("chache_size").unwrap(),
            format!(
                "SQLite {} has no PRAGMA `chache_size`: did you mean `cache_size`?",
                rusqlite::version()
            )
        );
        assert!(
            refused("wal_checkpoint")
                .unwrap()
                .contains("does something")
        );
        assert!(refused("cache_size = 1; DROP TABLE x; --").is_some());
    }

    #[test]
    fn settings_are_put_into_order_and_checked() {
        let requested = [
            ask("SYNCHRONOUS", "normal"),
            ask("journal_mode", "wal"),
            ask("page_size", "8192"),
            ask("cache_size", "64 MiB"),
        ];
        let settings = Settings::new(&requested).unwrap();
        assert_eq!(settings.once, [("page_size".into(), "8192".into())]);
        let each: Vec<String> = (settings.each.iter())
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            each,
            [
                "journal_mode=WAL",
                "cache_size=-65536",
                "synchronous=NORMAL"
            ]
        );
        let faulty = [ask("synchronous", "BANANA'; DROP TABLE x; --")];
        let fault = Settings::new(&faulty).unwrap_err();
        assert_eq!(
            fault.message,
            "`synchronous` can't be `BANANA'; DROP TABLE x; --`: it is one of OFF, NORMAL, FULL, EXTRA"
        );
    }
}
