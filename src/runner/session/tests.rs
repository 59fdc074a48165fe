//! Runs of work that goes wrong in ways that nothing real does on purpose.

use std::path::Path;

use super::*;
use crate::diag::Report;
use crate::runner::engine::sqlite::Sqlite;
use crate::runner::event::{Event, Listener};
use crate::runner::fixture::{RUN, Scribble, definition};
use crate::runner::plan::Wishes;
use crate::runner::stop::Stop;
use crate::runner::workload::WORKLOADS;

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
        scratch: None,
        keep_scratch: false,
        stop_on_failure: false,
        unwatched: false,
        server: None,
        notes: Vec::new(),
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

/// A factor of power plans, and `[run]` of a short workload whose cases ask for them.
#[cfg(unix)]
const POWER: &str = r#"[factors.plan]
label = "Plan"
levels = ["unchanged", "powersave", "performance"]
[run]
engine = "sqlite"
workload = "insert-update"
order = "fixed"
repetitions = 2
power = "{plan}"
[run.parameters]
connections = 1
rows = 10
warm_up = "0 s"
duration = "0.01 s"
[run.results]
throughput = "throughput"
"#;

#[cfg(unix)]
#[test]
fn power_plans_are_set_for_their_cases_and_put_back() {
    use crate::runner::made::Made;

    /// Ends the run after so many trials.
    struct Ends<'a>(&'a Stop, usize);

    impl Listener for Ends<'_> {
        fn hear(&mut self, event: &Event<'_>) {
            if matches!(event, Event::TrialEnds { .. }) {
                self.1 -= 1;
                if self.1 == 0 {
                    self.0.raise();
                }
            }
        }
    }

    let made = Made::laptop();
    let before = made.state();
    let definition = definition(POWER);
    let mut report = Report::new();
    let only = [("cache", "1 MiB"), ("mode", "wal"), ("step", "first")];
    let wishes = Wishes {
        only: only
            .map(|(factor, level)| (factor.to_owned(), level.to_owned()))
            .to_vec(),
        ..Wishes::default()
    };
    let plan = Plan::among(&[&Sqlite], WORKLOADS, &definition, &wishes, &mut report);
    let plan = plan.expect("a plan");
    let temp = tempfile::tempdir().expect("a folder");
    let options = Options {
        root: made.root(),
        ..options()
    };
    let path = temp.path().join("run");
    let stop = Stop::default();
    let folder = Folder::create(&path).expect("a folder");
    let tally = Session::begin(&plan, folder, "x".to_owned(), plan.record(0), options)
        .and_then(|session| session.run(&stop, &mut Ends(&stop, 5)))
        .expect("it ends");
    assert_eq!((tally.measured, tally.left), (5, 1));
    assert_eq!(
        made.state(),
        before,
        "an interrupted run puts back what was there"
    );
    assert!(!path.join("power-plan.json").exists());
    let settings = std::fs::read_to_string(path.join("settings.csv")).expect("a file");
    for plan in [
        "unchanged,\"governor=powersave,energy=balance_power\"",
        "powersave,\"governor=powersave,energy=power\"",
        "performance,\"governor=powersave,energy=performance\"",
    ] {
        let row = format!("power_plan,{plan}");
        assert!(settings.contains(&row), "{settings}");
    }
}
