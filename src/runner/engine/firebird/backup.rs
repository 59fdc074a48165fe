//! gbak: Firebird's own tool for backups, whose log tells the time of each index.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Instant;

use super::place::{Place, Private};
use crate::data::gbak_steps;
use crate::diag::Source;
use crate::runner::fault::Fault;
use crate::runner::stop::Deadline;

const FILE: &str = "benchbook.fbk";
const LOG: &str = "gbak.log";

/// Writes the whole database to a file.
pub(super) fn back_up(
    private: &Private,
    place: &Place,
    database: &str,
    folder: &Path,
    deadline: &Deadline,
) -> Result<(), Fault> {
    let words = [
        private.programs().gbak.clone().into(),
        "-b".into(),
        "-se".into(),
        service(place),
        database.into(),
        folder.join(FILE).into_os_string(),
    ];
    private.run(&words, private.log(), deadline).map(drop)
}

/// The service that does the work inside the server; over the network it would take many times as long.
fn service(place: &Place) -> OsString {
    format!("{}/{}:service_mgr", place.door.host, place.door.port).into()
}

/// Makes a database of the file. Answers the seconds of its steps, which add up to what the whole took.
pub(super) fn restore(
    private: &Private,
    place: &Place,
    database: &str,
    folder: &Path,
    deadline: &Deadline,
) -> Result<Vec<(String, f64)>, Fault> {
    let mut words: Vec<OsString> = vec![private.programs().gbak.clone().into()];
    words.extend(["-c", "-v", "-st", "tdrw"].map(OsString::from));
    if private.programs().major() >= 5 {
        // Else it may build several indexes at once, and none of them has a time of its own.
        words.extend(["-par", "1"].map(OsString::from));
    }
    words.extend([
        "-se".into(),
        service(place),
        folder.join(FILE).into(),
        database.into(),
    ]);
    let log = folder.join(LOG);
    let _ = fs::remove_file(&log);
    let begin = Instant::now();
    let printed = private.run(&words, &log, deadline)?;
    let took = begin.elapsed().as_secs_f64();
    steps(&printed, took).map_err(|why| Fault::failed(why).with_log(&printed))
}

/// The steps in what gbak printed; what isn't an index of its own (rows, keys, the program's own start and end)
/// is the first step.
fn steps(printed: &str, took: f64) -> Result<Vec<(String, f64)>, String> {
    let source = Source::new(LOG, printed);
    let (found, total) =
        gbak_steps(&source).map_err(|why| format!("gbak restored less than it should: {why}"))?;
    // Indexes of keys bear names that Firebird gave them.
    let own = found
        .into_iter()
        .filter(|(name, _)| !name.starts_with("RDB$"));
    let indexes: Vec<(String, f64)> = own
        .map(|(name, seconds)| (name.to_ascii_lowercase(), seconds))
        .collect();
    let built: f64 = indexes.iter().map(|(_, seconds)| seconds).sum();
    let mut steps = vec![("data".to_owned(), (took.max(total) - built).max(0.0))];
    steps.extend(indexes);
    Ok(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "gbak: time     delta  reads  writes \n\
        gbak:    0.000  0.000      0      0 opened file x.fbk\n\
        gbak:    1.000  1.000      0      0 creating indexes\n\
        gbak:    1.100  0.100      0      0     activating and creating deferred index RDB$PRIMARY1\n\
        gbak:    1.300  0.200      0      0     activating and creating deferred index BY_DAY\n\
        gbak:    1.700  0.400      0      0     activating and creating deferred index BY_NAME\n\
        gbak:    2.300  0.600      0      0 finishing, closing, and going home\n\
        gbak:    2.400  0.100      0   3678 total statistics\n";

    #[test]
    fn the_time_of_an_index_stands_on_the_next_line() {
        let steps = steps(LOG, 2.5).expect("steps");
        let names: Vec<&str> = steps.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["data", "by_day", "by_name"]);
        assert!(
            (steps[1].1 - 0.4).abs() < 1e-9 && (steps[2].1 - 0.6).abs() < 1e-9,
            "{steps:?}"
        );
        assert!((steps.iter().map(|(_, seconds)| seconds).sum::<f64>() - 2.5).abs() < 1e-9);
    }

    #[test]
    fn an_index_that_could_not_be_built_is_a_fault() {
        let log = LOG.replace(
            "gbak:    2.300",
            "gbak: ERROR:attempt to store duplicate value in unique index \"BY_NAME\"\n\
             gbak:cannot commit index BY_NAME\ngbak:    2.300",
        );
        assert!(steps(&log, 2.5).is_err());
        assert!(steps("nothing", 1.0).is_err());
    }
}
