//! Runs of work that goes wrong in ways that nothing real does on purpose.

use std::path::Path;

use super::*;
use crate::diag::Report;
use crate::runner::engine::sqlite::Sqlite;
use crate::runner::event::{Event, Listener};
use crate::runner::fixture::{RUN, Scribble, definition};
use crate::runner::plan::Wishes;
use crate::runner::stop::Stop;

/// Keeps the faults it hears of.
#[derive(Default)]
struct Faults(Vec<String>);

impl Listener for Faults {
    fn hear(&mut self, event: &Event<'_>) {
        if let Event::TrialFails { fault, .. } = event {
            self.0.push(fault.message.clone());
        }
    }
}

fn options() -> Options<'static> {
    Options {
        root: Path::new("/"),
        names: redact::Names::default(),
        seen: Vec::new(),
        budget: None,
        keep_scratch: false,
        stop_on_failure: false,
        unwatched: false,
    }
}

#[test]
fn a_mistake_in_the_program_is_stored_and_the_run_goes_on() {
    let run = RUN
        .replace("\"paper\"", "\"sqlite\"")
        .replace("synchronous = \"{mode}\"", "journal_mode = \"{mode}\"");
    let definition = definition(&run);
    let mut report = Report::new();
    let wishes = Wishes {
        repetitions: Some(2),
        ..Wishes::default()
    };
    // Its load says that it can't be reached, and so panics when it is.
    let workload: &'static dyn crate::runner::workload::Workload = &Scribble("scribble");
    let plan = Plan::among(&[&Sqlite], &[workload], &definition, &wishes, &mut report);
    let plan = plan.expect("a plan");
    let temp = tempfile::tempdir().expect("a folder");
    let folder = Folder::create(&temp.path().join("run")).expect("a folder");
    let mut faults = Faults::default();
    let tally = Session::begin(&plan, folder, "x".to_owned(), plan.record(0), options())
        .and_then(|session| session.run(&Stop::default(), &mut faults))
        .expect("it goes on");
    assert_eq!((tally.measured, tally.failed, tally.left), (0, 12, 0));
    for fault in &faults.0 {
        assert!(
            fault.starts_with("a mistake in benchbook itself: "),
            "{fault}"
        );
    }
    assert_eq!(faults.0.len(), 12);
    // A row for each step there should have been.
    let samples = std::fs::read_to_string(temp.path().join("run/samples.csv")).expect("a file");
    assert_eq!(samples.lines().count(), 1 + 12 * 2);
}
