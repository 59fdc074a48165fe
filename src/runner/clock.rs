//! The clock of a run: seconds since its start, which never step back.

use std::time::Instant;

use jiff::Timestamp;

/// Counts seconds since a run's start. The start is told by the wall clock; within a session time only
/// passes by the monotonic clock, so that somebody who sets the wall clock doesn't disturb it.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin: Instant,
    offset: f64,
}

impl Clock {
    /// The clock of a run that starts now.
    pub fn start() -> Self {
        Self {
            origin: Instant::now(),
            offset: 0.0,
        }
    }

    /// The clock of a run that goes on now, whose last trial ended `last` seconds after its start.
    pub fn resume(started: Option<Timestamp>, last: f64) -> Self {
        Self {
            origin: Instant::now(),
            offset: offset(started, last, Timestamp::now()),
        }
    }

    /// Seconds since the run's start.
    pub fn seconds(&self) -> f64 {
        self.at(self.origin.elapsed().as_secs_f64())
    }

    /// When this session began.
    pub fn origin(&self) -> Instant {
        self.origin
    }

    /// Seconds since the run's start, from those since [`Self::origin`], to the microsecond.
    pub fn at(&self, seconds: f64) -> f64 {
        rounded(self.offset + seconds)
    }
}

/// Seconds to the microsecond: more digits are noise and make files long.
pub fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// How far a run has come by now: by the wall clock, if it can be believed.
fn offset(started: Option<Timestamp>, last: f64, now: Timestamp) -> f64 {
    let passed = started.map_or(0.0, |started| now.duration_since(started).as_secs_f64());
    passed.max(last).max(0.0)
}

/// The wall clock's time, as it stands in `run.json`, and as the name of a folder.
pub fn wall() -> (String, String) {
    let now = Timestamp::now();
    let whole = jiff::Timestamp::from_second(now.as_second()).unwrap_or(now);
    let text = whole.to_string();
    let name = text.chars().filter(char::is_ascii_alphanumeric);
    (text.clone(), name.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_however_the_wall_clock_was_set() {
        let started: Timestamp = "2026-11-30T20:00:00Z".parse().expect("a time");
        let at = |text: &str, last| offset(Some(started), last, text.parse().expect("a time"));
        assert_eq!(at("2026-11-30T21:00:00Z", 60.0), 3600.0);
        // Set back behind the last trial, and behind the start.
        assert_eq!(at("2026-11-30T20:00:30Z", 60.0), 60.0);
        assert_eq!(at("2020-01-01T00:00:00Z", 60.0), 60.0);
        assert_eq!(at("2020-01-01T00:00:00Z", 0.0), 0.0);
        assert_eq!(offset(None, 2.5, started), 2.5);
    }

    #[test]
    fn names_of_folders_follow_from_the_start() {
        let (started, name) = wall();
        assert_eq!(name.len(), "20261130T234512Z".len(), "{name}");
        assert!(started.ends_with('Z') && name.ends_with('Z'));
        assert!(started.parse::<Timestamp>().is_ok());
    }
}
