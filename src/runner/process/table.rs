//! The system's table of processes, where it can be read (on Linux); elsewhere it is empty.

use std::fs;
use std::io::{ErrorKind, Read as _};
use std::path::Path;

/// A process, as the table tells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Its number.
    pub(super) pid: i32,
    /// `R` runs, `S` sleeps, `T` is stopped, `Z` has ended, and so on.
    pub(super) state: char,
    /// The group it belongs to.
    pub(super) group: i32,
    /// Clock ticks that it and the children it waited for spent in programs.
    pub(super) user: u64,
    /// Clock ticks that they spent in the system.
    pub(super) system: u64,
    /// When it began, in clock ticks since the machine started: with the number, it tells a process from
    /// a later one of the same number.
    pub(super) start: u64,
}

impl Entry {
    /// Reads the one line of `/proc/<pid>/stat`.
    fn parse(line: &str) -> Option<Self> {
        let pid = line.split(' ').next()?.parse().ok()?;
        // The name of the program stands in parentheses and may hold any sign, parentheses too.
        let (_, rest) = line.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // Fields are counted from 1, and the third is the first after the name.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Self {
            pid,
            state: fields.first()?.chars().next()?,
            group: fields.get(2)?.parse().ok()?,
            user: number(14)? + number(16)?,
            system: number(15)? + number(17)?,
            start: number(22)?,
        })
    }

    /// Whether it hasn't ended.
    pub(super) fn lives(&self) -> bool {
        !matches!(self.state, 'Z' | 'X' | 'x')
    }
}

/// The process with this number.
pub(super) fn entry(pid: i32) -> Option<Entry> {
    let mut line = Vec::new();
    read(format!("/proc/{pid}/stat"), &mut line)?;
    Entry::parse(&String::from_utf8_lossy(&line))
}

/// Every process that hasn't ended; `None` where there is no table.
pub(super) fn living() -> Option<Vec<Entry>> {
    let folder = fs::read_dir("/proc").ok()?;
    let entries = folder
        .filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok())
        .filter_map(entry)
        .filter(Entry::lives);
    Some(entries.collect()).filter(|all: &Vec<Entry>| !all.is_empty())
}

/// Whether the environment that a process began with has a variable whose value is this path or lies
/// below it.
pub(super) fn is_marked(pid: i32, variable: &str, path: &Path) -> bool {
    let mut environment = Vec::new();
    if read(format!("/proc/{pid}/environ"), &mut environment).is_none() {
        return false;
    }
    let path = path.as_os_str().as_encoded_bytes();
    environment.split(|byte| *byte == 0).any(|pair| {
        pair.strip_prefix(variable.as_bytes())
            .and_then(|rest| rest.strip_prefix(b"="))
            .and_then(|value| value.strip_prefix(path))
            .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    })
}

/// Whether the errors of a process go to a file below this path.
pub(super) fn tells_below(pid: i32, path: &Path) -> bool {
    fs::read_link(format!("/proc/{pid}/fd/2")).is_ok_and(|file| file.starts_with(path))
}

/// Reads a file of the table. The system makes it while it is read, and there are two for each process of
/// a machine, so this asks for as much as it can at once, and for nothing else.
fn read(path: String, bytes: &mut Vec<u8>) -> Option<()> {
    let mut file = fs::File::open(path).ok()?;
    let mut piece = [0; 16 << 10];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Some(()),
            Ok(length) => bytes.extend_from_slice(&piece[..length]),
            Err(fault) if fault.kind() == ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

/// What tells this start of the machine from any other.
pub(super) fn boot() -> Option<String> {
    let text = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(text.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_programs_may_hold_anything() {
        let line = "4711 (a) R (b c) S 1 4700 4600 0 -1 4194560 1 2 3 4 10 20 300 400 20 0 1 0 987654 0 0\n";
        assert_eq!(
            Entry::parse(line),
            Some(Entry {
                pid: 4711,
                state: 'S',
                group: 4700,
                user: 310,
                system: 420,
                start: 987_654,
            })
        );
        assert_eq!(Entry::parse("4711 (a b"), None);
        assert_eq!(Entry::parse(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_own_process_is_in_the_table() {
        let pid = i32::try_from(std::process::id()).expect("a number");
        let own = entry(pid).expect("an entry");
        assert!(own.lives() && own.start > 0 && own.pid == pid, "{own:?}");
        assert!(living().expect("a table").iter().any(|it| it.pid == pid));
        assert!(boot().is_some_and(|boot| boot.len() > 30));
    }
}
