//! What values of well-known settings look like, so that a slip is told before anything is started.

use super::super::amount::switch;
use super::setting::{amount, spelled};

/// What a value has to look like.
#[derive(Debug, Clone, Copy)]
enum Shape {
    Switch,
    Size,
    Time,
    Whole(u32, u32),
    /// One of these, or of what stands for the first two.
    SwitchOr(&'static [&'static str]),
    Words(&'static [&'static str]),
}

use Shape::{Size, Switch, SwitchOr, Time, Whole, Words};

/// Settings that cases often ask for. Of all others the server says itself what it can't take.
const SHAPES: &[(&str, Shape)] = &[
    ("autovacuum", Switch),
    ("bgwriter_delay", Time),
    ("checkpoint_flush_after", Size),
    ("checkpoint_timeout", Time),
    ("data_checksums", Switch),
    ("deadlock_timeout", Time),
    (
        "default_transaction_isolation",
        Words(&[
            "serializable",
            "repeatable read",
            "read committed",
            "read uncommitted",
        ]),
    ),
    ("effective_cache_size", Size),
    ("fillfactor", Whole(10, 100)),
    ("fsync", Switch),
    ("full_page_writes", Switch),
    ("huge_pages", SwitchOr(&["on", "off", "try"])),
    ("io_method", Words(&["sync", "worker", "io_uring"])),
    ("jit", Switch),
    ("maintenance_work_mem", Size),
    ("max_connections", Whole(1, 262_143)),
    ("max_wal_size", Size),
    ("min_wal_size", Size),
    ("shared_buffers", Size),
    (
        "synchronous_commit",
        SwitchOr(&["on", "off", "local", "remote_write", "remote_apply"]),
    ),
    ("temp_buffers", Size),
    ("wal_buffers", Size),
    (
        "wal_compression",
        SwitchOr(&["on", "off", "pglz", "lz4", "zstd"]),
    ),
    ("wal_level", Words(&["minimal", "replica", "logical"])),
    (
        "wal_sync_method",
        Words(&[
            "fsync",
            "fdatasync",
            "fsync_writethrough",
            "open_sync",
            "open_datasync",
        ]),
    ),
    ("wal_writer_delay", Time),
    ("work_mem", Size),
];

/// The first version in which the log can be compressed in more than one way.
const WAYS_TO_COMPRESS: u32 = 15;

/// Why a setting, by its name in small letters, can't have this value.
pub(super) fn refuse(name: &str, value: &str, major: Option<u32>) -> Option<String> {
    let (_, shape) = SHAPES.iter().find(|(known, _)| *known == name)?;
    let shape = match shape {
        SwitchOr(_)
            if name == "wal_compression" && major.is_some_and(|it| it < WAYS_TO_COMPRESS) =>
        {
            &Switch
        }
        shape => shape,
    };
    let told = value.trim();
    let is_word = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(told));
    let fits = match shape {
        Switch => switch(told).is_some(),
        Size => is_amount(told, &["", "B", "kB", "MB", "GB", "TB"]),
        Time => is_amount(told, &["", "us", "ms", "s", "min", "h", "d"]),
        Whole(low, high) => told
            .parse()
            .is_ok_and(|number: u32| (*low..=*high).contains(&number)),
        SwitchOr(words) => switch(told).is_some() || is_word(words),
        Words(words) => is_word(words),
    };
    (!fits).then(|| format!("`{name}` is {}, not `{value}`", shape.described()))
}

/// Whether it is a number with one of these units.
fn is_amount(value: &str, units: &[&str]) -> bool {
    let spelled = spelled(value);
    let unit =
        spelled.trim_start_matches(|sign: char| sign.is_ascii_digit() || "+-.".contains(sign));
    units.contains(&unit.trim()) && amount(&spelled, "").is_some()
}

impl Shape {
    fn described(self) -> String {
        match self {
            Switch => "`on` or `off`".to_owned(),
            Size => "a size such as `64MB` or `64 MiB`".to_owned(),
            Time => "a time such as `30s` or `5min`".to_owned(),
            Whole(low, high) => format!("a whole number from {low} to {high}"),
            SwitchOr(words) | Words(words) => format!("one of `{}`", words.join("`, `")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_told_with_what_would_do() {
        for (name, value, words) in [
            ("shared_buffers", "64mb", "such as `64MB`"),
            ("shared_buffers", "5min", "such as `64MB`"),
            ("shared_buffers", "", "such as `64MB`"),
            ("shared_buffers", "MB", "such as `64MB`"),
            ("checkpoint_timeout", "5MB", "such as `30s`"),
            ("max_connections", "0", "from 1 to"),
            ("fsync", "sometimes", "`on` or `off`"),
            ("synchronous_commit", "sometimes", "`remote_write`"),
            ("wal_level", "on", "`minimal`"),
            ("fillfactor", "9", "10 to 100"),
        ] {
            let why = refuse(name, value, None).expect(value);
            assert!(why.contains(words) && why.contains(name), "{why}");
        }
        for (name, value) in [
            ("shared_buffers", "64 MiB"),
            ("shared_buffers", " 64MB "),
            ("shared_buffers", "8192"),
            ("shared_buffers", "67108864B"),
            ("max_wal_size", "1.5GB"),
            ("wal_buffers", "-1"),
            ("checkpoint_timeout", "90"),
            ("checkpoint_timeout", "1.5 min"),
            ("fsync", "FALSE"),
            ("synchronous_commit", "Remote_Apply"),
            ("synchronous_commit", "0"),
            ("default_transaction_isolation", "repeatable read"),
            ("search_path", "sometimes"),
        ] {
            assert_eq!(refuse(name, value, None), None, "{name} {value}");
        }
    }

    #[test]
    fn older_versions_compress_in_one_way() {
        let why = refuse("wal_compression", "lz4", Some(14));
        assert!(why.is_some_and(|why| why.contains("`on` or `off`")));
        assert_eq!(refuse("wal_compression", "lz4", Some(15)), None);
        assert_eq!(refuse("wal_compression", "on", Some(13)), None);
    }
}
