//! The settings of Firebird: those of its configuration file and those of a database's header.

use super::super::amount::{self, size};
use super::super::{Apply, Requested};
use super::keys;

/// Settings of a database, which no configuration file has.
pub(super) const PAGE_SIZE: &str = "page_size";
/// Whether a page that is written waits for the disk.
pub(super) const FORCED_WRITES: &str = "forced_writes";
/// Pages in a cache as the database's header says it, which goes before the configuration.
pub(super) const PAGE_BUFFERS: &str = "page_buffers";

const OF_DATABASE: [&str; 3] = [PAGE_SIZE, FORCED_WRITES, PAGE_BUFFERS];

/// A cache has at least so many pages.
const FEWEST_PAGES: u32 = 50;

/// The settings of the configuration that are read back: they have names of their own here.
pub(super) const SERVER_MODE: &str = "ServerMode";
pub(super) const CACHE_PAGES: &str = "DefaultDbCachePages";
pub(super) const HASH_SLOTS: &str = "LockHashSlots";
pub(super) const LOCK_MEMORY: &str = "LockMemSize";

/// The ways in which a server shares its work, with their other names.
const MODES: [(&str, &str); 3] = [
    ("Super", "ThreadedDedicated"),
    ("SuperClassic", "ThreadedShared"),
    ("Classic", "MultiProcess"),
];

/// What a private server is told unless a case asks for something else. The first five are other values than
/// Firebird's own, which differ from one way of sharing work to another; with these, nothing differs but
/// that way itself.
pub(super) const USUAL: &[(&str, &str)] = &[
    ("TempCacheLimit", "67108864"),
    ("GCPolicy", "cooperative"),
    ("FileSystemCacheThreshold", "65536"),
    // A circle of locks is found after a second, as PostgreSQL does it, and not after ten.
    ("DeadlockTimeout", "1"),
    // Over the loopback interface encryption would only be measured along.
    ("WireCrypt", "Disabled"),
    ("ServerMode", "Super"),
];

/// What benchbook decides itself, or what would lead out of the trial's folder.
const OURS: &[&str] = &[
    "auditTraceConfigFile",
    "authclient",
    "authserver",
    "databaseaccess",
    "ipcname",
    "remoteauxport",
    "remotebindaddress",
    "remotepipename",
    "remoteserviceport",
    "rootdirectory",
    "securitydatabase",
    "tempdirectories",
    "usermanager",
];

/// Whether two settings have the same name; Firebird doesn't mind how letters are written.
pub(super) fn is(name: &str, other: &str) -> bool {
    name.trim().eq_ignore_ascii_case(other)
}

/// Whether it belongs to the database and not to the configuration.
pub(super) fn is_of_database(name: &str) -> bool {
    OF_DATABASE.iter().any(|own| is(name, own))
}

/// The bytes of a page that were asked for.
pub(super) fn page_size(settings: &[Requested]) -> Option<u32> {
    let asked = settings.iter().rfind(|asked| is(&asked.name, PAGE_SIZE))?;
    size(&asked.value).map(|size| size as u32)
}

/// When a new value takes effect.
pub(super) fn apply(setting: &str) -> Apply {
    if is(setting, PAGE_SIZE) {
        Apply::Rebuild
    } else if is(setting, FORCED_WRITES) || is(setting, PAGE_BUFFERS) || is(setting, HASH_SLOTS) {
        Apply::LastDisconnect
    } else {
        // The configuration is read once.
        Apply::Restart
    }
}

/// Why this can't be asked for, as far as that can be told before anything is started.
pub(super) fn refuse(asked: &Requested, major: Option<u32>) -> Option<String> {
    let (name, value) = (asked.name.trim(), asked.value.trim());
    if name.is_empty()
        || !name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    {
        return Some(format!("Firebird has no setting `{}`", asked.name));
    }
    if value.is_empty() || value.contains(['\n', '\r', '#', '{', '}']) {
        return Some(format!("`{value}` can't be the value of `{name}`"));
    }
    if OURS.iter().any(|own| is(name, own)) {
        return Some(format!(
            "`{name}` is benchbook's to decide on a private server"
        ));
    }
    if is(name, SERVER_MODE) && mode(value).is_none() {
        let words = MODES.map(|(word, _)| word).join("`, `");
        return Some(format!(
            "`{SERVER_MODE}` is one of `{words}`, not `{value}`"
        ));
    }
    if is(name, FORCED_WRITES) && switch(value).is_none() {
        return Some(format!("`{FORCED_WRITES}` is `on` or `off`, not `{value}`"));
    }
    if is(name, PAGE_SIZE) {
        let sizes: &[f64] = match major {
            Some(..=3) => &[4096.0, 8192.0, 16384.0],
            _ => &[4096.0, 8192.0, 16384.0, 32768.0],
        };
        let is_one = size(value).is_some_and(|size| sizes.contains(&size));
        return (!is_one).then(|| {
            let sizes: Vec<String> = sizes.iter().map(f64::to_string).collect();
            format!(
                "`{PAGE_SIZE}` is one of {}, not `{value}`",
                sizes.join(", ")
            )
        });
    }
    if is(name, PAGE_BUFFERS) {
        let is_one = value.parse().is_ok_and(|pages: u32| pages >= FEWEST_PAGES);
        return (!is_one).then(|| {
            format!("`{PAGE_BUFFERS}` is a number of pages, at least {FEWEST_PAGES}, not `{value}`")
        });
    }
    if is_of_database(name) {
        return None;
    }
    keys::refuse(name, value, major, &OF_DATABASE)
}

/// Why nobody could know whether a server that somebody else runs does what is asked for. Without its version that
/// is said of what no version tells.
pub(super) fn refuse_untold(asked: &Requested, major: Option<u32>) -> Option<String> {
    // The lock table is told by a program that has to run where the server does.
    let is_told = (major.is_none_or(|major| major >= 4)
        && ![HASH_SLOTS, LOCK_MEMORY]
            .iter()
            .any(|own| is(&asked.name, own)))
        || is_of_database(&asked.name)
        || [CACHE_PAGES, SERVER_MODE]
            .iter()
            .any(|own| is(&asked.name, own));
    (!is_told).then(|| {
        format!(
            "`{}` can be neither set nor read on a server that somebody else runs; only a private server can have it",
            asked.name.trim()
        )
    })
}

/// The way of sharing work that a word means.
pub(super) fn mode(word: &str) -> Option<&'static str> {
    let found = MODES
        .iter()
        .find(|(name, other)| is(word, name) || is(word, other));
    found.map(|(name, _)| *name)
}

/// Whether a value is the one asked for.
pub(super) fn is_same(setting: &str, requested: &str, effective: &str) -> bool {
    if is(setting, SERVER_MODE) {
        return mode(requested).is_some() && mode(requested) == mode(effective);
    }
    let (asked, told) = (size(requested), size(effective));
    if is(setting, LOCK_MEMORY)
        && let (Some(asked), Some(told)) = (asked, told)
    {
        // It is where the table begins, and the table grows.
        return told >= asked;
    }
    if let (Some(asked), Some(told)) = (asked, told) {
        return asked == told;
    }
    match (switch(requested), switch(effective)) {
        (Some(asked), Some(told)) => asked == told,
        _ => requested.trim().eq_ignore_ascii_case(effective.trim()),
    }
}

/// Whether a word means on or off; gfix has words of its own for the two ways of writing.
pub(super) fn switch(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "y" | "sync" => Some(true),
        "n" | "async" => Some(false),
        other => amount::switch(other),
    }
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
    fn values_are_compared_and_not_their_spellings() {
        for (setting, requested, effective, same) in [
            ("ServerMode", "super", "Super", true),
            ("ServerMode", "MultiProcess", "Classic", true),
            ("ServerMode", "Super", "SuperClassic", false),
            ("LockHashSlots", "99999", "65521", false),
            ("LockHashSlots", "30011", "30011", true),
            ("LockMemSize", "7M", "7340032", true),
            ("LockMemSize", "7M", "9437184", true),
            ("LockMemSize", "9M", "7340032", false),
            ("page_size", "8 KiB", "8192", true),
            ("forced_writes", "on", "1", true),
            ("forced_writes", "async", "1", false),
            ("GCPolicy", "Cooperative", "cooperative", true),
        ] {
            assert_eq!(
                is_same(setting, requested, effective),
                same,
                "{setting} {requested}"
            );
        }
    }

    #[test]
    fn what_can_not_be_asked_for_is_refused() {
        for (name, value, major, words) in [
            ("SecurityDatabase", "x", Some(3), "benchbook's"),
            ("ServerMode", "Fast", Some(3), "one of `Super`"),
            ("forced_writes", "maybe", None, "`on` or `off`"),
            ("page_size", "32768", Some(3), "one of 4096"),
            ("page_buffers", "49", Some(3), "at least 50"),
            ("ParallelWorkers", "2", Some(3), "came with Firebird 5"),
            ("a b", "1", None, "no setting"),
            ("GCPolicy", "a\nb", None, "can't be the value"),
        ] {
            let why = refuse(&asked(name, value), major).expect(name);
            assert!(why.contains(words), "{why}");
        }
        assert_eq!(refuse(&asked("page_size", "32768"), Some(4)), None);
        assert_eq!(refuse(&asked("UseFileSystemCache", "true"), Some(5)), None);
        assert_eq!(refuse(&asked("DefaultDbCachePages", "2048"), Some(3)), None);
        assert_eq!(apply("Page_Size"), Apply::Rebuild);
        assert_eq!(apply("ServerMode"), Apply::Restart);
        assert_eq!(apply("forced_writes"), Apply::LastDisconnect);
    }
}
