//! Names of wait events, which changed from version to version, brought together.

/// Older and newer names of the same event, by the name that is used here. Up to version 12 locks of buffers and
/// of the log were written with small letters or run together; 19 tells the ways of locking a buffer apart.
const ALIASES: &[(&str, &str)] = &[
    ("buffer_content", "BufferContent"),
    ("BufferShared", "BufferContent"),
    ("BufferShareExclusive", "BufferContent"),
    ("BufferExclusive", "BufferContent"),
    ("buffer_mapping", "BufferMapping"),
    ("buffer_io", "BufferIO"),
    ("WALWriteLock", "WALWrite"),
    ("WALBufMappingLock", "WALBufMapping"),
    ("wal_insert", "WALInsert"),
    ("lock_manager", "LockManager"),
    ("proc", "LockFastPath"),
    ("ProcArrayLock", "ProcArray"),
    ("XidGenLock", "XidGen"),
    ("CheckpointerCommLock", "CheckpointerComm"),
    ("clog", "XactBuffer"),
    ("CLogControlLock", "XactSLRU"),
    ("ClogGroupUpdate", "XactGroupUpdate"),
    ("CLogTruncationLock", "XactTruncation"),
    ("multixact_offset", "MultiXactOffsetBuffer"),
    ("multixact_member", "MultiXactMemberBuffer"),
    ("subtrans", "SubtransBuffer"),
];

/// The kind under which a connection is counted that is in the middle of a statement and in no wait event: it
/// computes, or waits for a processor.
pub(super) const CPU: &str = "CPU";

/// The name of an event that all versions have in common.
pub(super) fn name(event: &str) -> &str {
    let known = ALIASES.iter().find(|(other, _)| *other == event);
    known.map_or(event, |(_, name)| name)
}

/// The series that a kind of wait belongs to.
pub(super) fn series(kind: &str, event: &str) -> &'static str {
    match kind {
        CPU => "waits_cpu",
        "Lock" => "waits_lock",
        // Before version 19, waits for the content of a buffer are among the light-weight locks.
        "LWLock" if name(event) == "BufferContent" => "waits_buffer",
        "LWLock" => "waits_lwlock",
        "Buffer" | "BufferPin" => "waits_buffer",
        "IO" => "waits_io",
        "IPC" => "waits_ipc",
        "Client" => "waits_client",
        _ => "waits_other",
    }
}

/// All series that a look at the connections gives.
pub(super) const SERIES: [&str; 9] = [
    "active",
    "waits_cpu",
    "waits_lock",
    "waits_lwlock",
    "waits_buffer",
    "waits_io",
    "waits_ipc",
    "waits_client",
    "waits_other",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_agree_on_names_and_series() {
        for (kind, event, expected, of) in [
            ("LWLock", "buffer_content", "BufferContent", "waits_buffer"),
            ("LWLock", "BufferContent", "BufferContent", "waits_buffer"),
            ("Buffer", "BufferExclusive", "BufferContent", "waits_buffer"),
            ("LWLock", "WALWriteLock", "WALWrite", "waits_lwlock"),
            ("LWLock", "WALWrite", "WALWrite", "waits_lwlock"),
            ("Lock", "transactionid", "transactionid", "waits_lock"),
            ("IO", "WALSync", "WALSync", "waits_io"),
            ("IO", "WalSync", "WalSync", "waits_io"),
            ("Client", "ClientRead", "ClientRead", "waits_client"),
            ("Timeout", "PgSleep", "PgSleep", "waits_other"),
            (CPU, CPU, CPU, "waits_cpu"),
        ] {
            assert_eq!(name(event), expected);
            assert_eq!(series(kind, event), of);
            assert!(SERIES.contains(&of));
        }
    }
}
