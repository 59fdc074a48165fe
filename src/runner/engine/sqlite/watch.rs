//! What can be watched of SQLite: its log, and how long connections wait for locks.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

use super::state::State;
use crate::runner::fault::Fault;
use crate::runner::watch::Watch;

/// Readings of the log's index that are torn by a writer, before one is given up.
const TRIES: usize = 5;

/// Reads the log's index passively: asking SQLite itself (`PRAGMA wal_checkpoint`) is a checkpoint.
pub(super) struct SqliteWatch {
    state: Arc<State>,
    /// Whether there is a log that outlives transactions.
    logs: bool,
    /// Bytes that the log grows to before it is brought to its place.
    limit: Option<f64>,
    last: Glance,
}

/// The counters at one time.
struct Glance {
    at: Instant,
    waits: u64,
    waited: u64,
}

impl SqliteWatch {
    /// `interval` is the number of pages after which the log is brought to its place, 0 for never.
    pub(super) fn new(state: &Arc<State>, logs: bool, interval: i64, page: i64) -> Self {
        Self {
            last: glance(state),
            state: state.clone(),
            logs,
            limit: (logs && interval > 0).then_some(interval as f64 * page as f64),
        }
    }

    /// Bytes in the log that are not yet in their place; `None` where that can't be read this time.
    fn age(&self) -> io::Result<Option<f64>> {
        let index = self.state.log_index.lock();
        let mut index = index.unwrap_or_else(PoisonError::into_inner);
        if index.is_none() {
            match File::open(self.state.beside("-shm")) {
                Ok(file) => *index = Some(file),
                // Connections that keep all others out have it in their own memory.
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        let Some(file) = index.as_mut() else {
            return Ok(None);
        };
        for _ in 0..TRIES {
            let (Some(before), Some(after)) = (read(file)?, read(file)?) else {
                return Ok(None);
            };
            // When the log begins anew, the header changes before the number of frames done does. A
            // header that is the same before and after belongs to the number read between.
            if before[..2 * HEADER] == after[..2 * HEADER]
                && let Some(age) = log_age(&before)
            {
                return Ok(Some(age));
            }
        }
        Ok(None)
    }

    fn log_size(&self) -> io::Result<u64> {
        match fs::metadata(self.state.beside("-wal")) {
            Ok(data) => Ok(data.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn read_log(&self, out: &mut dyn FnMut(&'static str, f64)) -> io::Result<()> {
        if let Some(age) = self.age()? {
            out("checkpoint_age", age);
        }
        out("log_size", self.log_size()? as f64);
        Ok(())
    }
}

impl Watch for SqliteWatch {
    fn read(&mut self, out: &mut dyn FnMut(&'static str, f64)) -> Result<(), Fault> {
        if self.logs {
            let read = self.read_log(out);
            read.map_err(|error| Fault::failed(format!("the log can't be read: {error}")))?;
        }
        if let Some(limit) = self.limit {
            out("checkpoint_limit", limit);
        }
        let now = glance(&self.state);
        let seconds = (now.at - self.last.at).as_secs_f64();
        let open = self.state.open.load(Ordering::Relaxed);
        if seconds > 0.0 {
            let waits = now.waits.saturating_sub(self.last.waits);
            out("busy_waits", waits as f64 / seconds);
            let waited = now.waited.saturating_sub(self.last.waited) as f64 / 1e9;
            // A wait is counted when it ends, so a reading may get more than its part.
            let share = waited / (seconds * open.max(1) as f64);
            out("busy_share", share.min(1.0));
        }
        self.last = now;
        Ok(())
    }
}

fn glance(state: &State) -> Glance {
    Glance {
        at: Instant::now(),
        waits: state.waits.load(Ordering::Relaxed),
        waited: state.waited.load(Ordering::Relaxed),
    }
}

/// Bytes of the log's index that are read: its header, twice, and how far checkpoints got
/// (<https://sqlite.org/walformat.html>, section 2.1; numbers are in the machine's order).
const INDEX: usize = 100;
const HEADER: usize = 48;

/// The beginning of the index; `None` while there is none.
fn read(file: &mut File) -> io::Result<Option<[u8; INDEX]>> {
    let mut bytes = [0; INDEX];
    file.seek(SeekFrom::Start(0))?;
    match file.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

/// Bytes in the log that are not yet in their place; `None` if a writer was at the index just then, or
/// none has been yet.
fn log_age(index: &[u8; INDEX]) -> Option<f64> {
    const IS_BUILT: usize = 12;
    const PAGE: usize = 14;
    const LAST_FRAME: usize = 16;
    const DONE_FRAMES: usize = 96;
    if index[..HEADER] != index[HEADER..2 * HEADER] || index[IS_BUILT] == 0 {
        return None;
    }
    let number = |at: usize| {
        let bytes = index.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_ne_bytes(bytes))
    };
    let page = match u16::from_ne_bytes([index[PAGE], index[PAGE + 1]]) {
        // 65536 doesn't fit.
        1 => 65_536.0,
        page => f64::from(page),
    };
    // Both go back to 0 when the log begins anew, the former first.
    let frames = number(LAST_FRAME)?.saturating_sub(number(DONE_FRAMES)?);
    Some(f64::from(frames) * page)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(page: u16, last: u32, done: u32) -> [u8; INDEX] {
        let mut index = [0; INDEX];
        for header in [0, HEADER] {
            index[header + 12] = 1;
            index[header + 14..][..2].copy_from_slice(&page.to_ne_bytes());
            index[header + 16..][..4].copy_from_slice(&last.to_ne_bytes());
        }
        index[96..].copy_from_slice(&done.to_ne_bytes());
        index
    }

    #[test]
    fn age_is_what_the_index_holds_beyond_checkpoints() {
        assert_eq!(log_age(&index(4096, 10, 3)), Some(7.0 * 4096.0));
        assert_eq!(log_age(&index(1, 2, 0)), Some(2.0 * 65_536.0));
        assert_eq!(log_age(&index(4096, 0, 3)), Some(0.0));
    }

    #[test]
    fn a_torn_or_blank_index_tells_nothing() {
        assert_eq!(log_age(&[0; INDEX]), None);
        let mut torn = index(4096, 10, 3);
        torn[HEADER + 16] += 1;
        assert_eq!(log_age(&torn), None);
    }
}
