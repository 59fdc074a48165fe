//! The keys of Firebird's configuration file, and what each takes. Firebird itself says nothing about a key that it
//! doesn't know or a value that it can't read: it goes on with a value of its own.

use super::super::amount::size;
use super::setting::switch;
use crate::diag::suggestion;

/// What a key takes.
#[derive(Debug, Clone, Copy)]
enum Shape {
    /// A whole number that may have a letter for its size.
    Number,
    /// On or off.
    Switch,
    /// One of these words.
    Word(&'static [&'static str]),
    /// Whatever it may be.
    Text,
}

use Shape::{Number, Switch, Text, Word};

/// Keys with the first and the last version that has them.
const KEYS: &[(&str, u32, u32, Shape)] = &[
    ("AllowEncryptedSecurityDatabase", 3, ANY, Switch),
    ("BugcheckAbort", 3, ANY, Switch),
    ("ClearGTTAtRetaining", 3, ANY, Switch),
    ("ClientBatchBuffer", 4, ANY, Number),
    ("ConnectionIdleTimeout", 4, ANY, Number),
    ("ConnectionTimeout", 3, ANY, Number),
    ("CpuAffinityMask", 3, ANY, Number),
    ("DataTypeCompatibility", 4, ANY, Text),
    ("DatabaseGrowthIncrement", 3, ANY, Number),
    ("DeadlockTimeout", 3, ANY, Number),
    ("DefaultDbCachePages", 3, ANY, Number),
    ("DefaultTimeZone", 4, ANY, Text),
    ("DummyPacketInterval", 3, ANY, Number),
    ("EventMemSize", 3, ANY, Number),
    ("ExtConnPoolLifeTime", 4, ANY, Number),
    ("ExtConnPoolSize", 4, ANY, Number),
    ("ExternalFileAccess", 3, ANY, Text),
    ("FileSystemCacheSize", 3, ANY, Number),
    ("FileSystemCacheThreshold", 3, ANY, Number),
    (
        "GCPolicy",
        3,
        ANY,
        Word(&["cooperative", "background", "combined"]),
    ),
    ("GuardianOption", 3, ANY, Number),
    ("IPv6V6Only", 3, ANY, Switch),
    ("InlineSortThreshold", 4, ANY, Number),
    ("LegacyDatabaseFileId", 3, ANY, Switch),
    ("LegacyHash", 3, 3, Switch),
    ("LockAcquireSpins", 3, ANY, Number),
    ("LockHashSlots", 3, ANY, Number),
    ("LockMemSize", 3, ANY, Number),
    ("MaxIdentifierByteLength", 4, ANY, Number),
    ("MaxIdentifierCharLength", 4, ANY, Number),
    ("MaxParallelWorkers", 5, ANY, Number),
    ("MaxStatementCacheSize", 5, ANY, Number),
    ("MaxUnflushedWriteTime", 3, ANY, Number),
    ("MaxUnflushedWrites", 3, ANY, Number),
    ("MaxUserTraceLogSize", 3, ANY, Number),
    ("OnDisconnectTriggerTimeout", 4, ANY, Number),
    ("OptimizeForFirstRows", 5, ANY, Switch),
    ("OuterJoinConversion", 5, ANY, Switch),
    ("ParallelWorkers", 5, ANY, Number),
    ("ProcessPriorityLevel", 3, ANY, Number),
    ("Providers", 3, ANY, Text),
    ("ReadConsistency", 4, ANY, Switch),
    ("Redirection", 3, ANY, Switch),
    ("RelaxedAliasChecking", 3, ANY, Switch),
    ("RemoteAccess", 3, ANY, Switch),
    ("RemoteFileOpenAbility", 3, ANY, Switch),
    ("RemoteServiceName", 3, ANY, Text),
    // Its words are known with their other names.
    ("ServerMode", 3, ANY, Text),
    ("SnapshotsMemSize", 4, ANY, Number),
    ("StatementTimeout", 4, ANY, Number),
    ("SubQueryConversion", 5, ANY, Switch),
    ("TcpLoopbackFastPath", 3, ANY, Switch),
    ("TcpNoNagle", 3, ANY, Switch),
    ("TcpRemoteBufferSize", 3, ANY, Number),
    ("TempBlockSize", 3, ANY, Number),
    ("TempCacheLimit", 3, ANY, Number),
    ("TempTableDirectory", 4, ANY, Text),
    ("TipCacheBlockSize", 4, ANY, Number),
    ("TracePlugin", 3, ANY, Text),
    ("UdfAccess", 3, ANY, Text),
    ("UseFileSystemCache", 4, ANY, Switch),
    ("WireCompression", 3, ANY, Switch),
    (
        "WireCrypt",
        3,
        ANY,
        Word(&["Disabled", "Enabled", "Required"]),
    ),
    ("WireCryptPlugin", 3, ANY, Text),
];

/// It is still there.
const ANY: u32 = u32::MAX;

/// The last version whose keys are all known here; later ones may have more, which they tell themselves.
const LAST: u32 = 3;

fn find(name: &str) -> Option<&'static (&'static str, u32, u32, Shape)> {
    KEYS.iter()
        .find(|(known, ..)| known.eq_ignore_ascii_case(name))
}

/// Why a version can't do what a key asks for; `others` are names beside those of the configuration.
pub(super) fn refuse(
    name: &str,
    value: &str,
    major: Option<u32>,
    others: &[&'static str],
) -> Option<String> {
    let Some((_, since, last, shape)) = find(name) else {
        let major = major.filter(|major| *major <= LAST)?;
        let there = KEYS
            .iter()
            .filter(|(_, since, last, _)| (*since..=*last).contains(&major));
        let known = there.map(|(known, ..)| *known);
        let help = suggestion(name, known.chain(others.iter().copied()));
        let help = help.map_or_else(String::new, |help| format!("; {help}"));
        return Some(format!("Firebird {major} has no setting `{name}`{help}"));
    };
    if let Some(major) = major {
        if major < *since {
            return Some(format!(
                "`{name}` came with Firebird {since}, and this is {major}"
            ));
        }
        if major > *last {
            return Some(format!(
                "`{name}` went with Firebird {last}, and this is {major}"
            ));
        }
    }
    match shape {
        Number if !size(value).is_some_and(|it| it >= 0.0 && it.fract() == 0.0) => {
            Some(format!("`{name}` is a whole number, not `{value}`"))
        }
        Switch if switch(value).is_none() => {
            Some(format!("`{name}` is `on` or `off`, not `{value}`"))
        }
        Word(words) if !words.iter().any(|word| word.eq_ignore_ascii_case(value)) => {
            let words = words.join("`, `");
            Some(format!("`{name}` is one of `{words}`, not `{value}`"))
        }
        Number | Switch | Word(_) | Text => None,
    }
}

/// A value as Firebird takes it: it knows `64M` and neither `64 MiB` nor `64MB`, and takes `on` for off.
pub(super) fn spelled(name: &str, value: &str) -> String {
    let value = value.trim();
    let spelled = match find(name).map(|(_, _, _, shape)| shape) {
        Some(Number) => size(value).map(|bytes| format!("{bytes:.0}")),
        Some(Switch) => switch(value).map(|is| is.to_string()),
        _ => None,
    };
    spelled.unwrap_or_else(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_have_to_be_known() {
        for (name, value, major, words) in [
            (
                "LockHashSlot",
                "1",
                Some(3),
                "no setting `LockHashSlot`; did you mean `LockHashSlots`?",
            ),
            ("page_sise", "1", Some(3), "did you mean `page_size`?"),
            ("ParallelWorkers", "2", Some(3), "came with Firebird 5"),
            ("ParallelWorkers", "2", Some(4), "came with Firebird 5"),
            ("StatementTimeout", "2", Some(3), "came with Firebird 4"),
            ("LegacyHash", "on", Some(4), "went with Firebird 3"),
            ("LockHashSlots", "many", None, "a whole number"),
            ("LockHashSlots", "1.5", None, "a whole number"),
            ("LockHashSlots", "-1", None, "a whole number"),
            ("wirecompression", "maybe", Some(5), "`on` or `off`"),
            ("GCPolicy", "never", Some(5), "one of `cooperative`"),
        ] {
            let why = refuse(name, value, major, &["page_size"]).expect(name);
            assert!(why.contains(words), "{why}");
        }
        for (name, value, major) in [
            ("UseFileSystemCache", "true", Some(5)),
            ("LockMemSize", "1.5M", Some(3)),
            ("gcpolicy", "Combined", Some(3)),
            ("NewInSix", "1", Some(6)),
            ("NewInSix", "1", None),
        ] {
            assert_eq!(refuse(name, value, major, &[]), None, "{name}");
        }
    }

    #[test]
    fn values_are_spelled_as_firebird_takes_them() {
        for (name, value, spelling) in [
            ("TempCacheLimit", "64 MiB", "67108864"),
            ("TempCacheLimit", "64M", "67108864"),
            ("LockHashSlots", "101", "101"),
            ("WireCompression", "on", "true"),
            ("GCPolicy", " combined ", "combined"),
            ("NewInSix", "64 MiB", "64 MiB"),
        ] {
            assert_eq!(super::spelled(name, value), spelling);
        }
    }
}
