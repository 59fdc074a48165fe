//! What the runner costs beside what it measures: `cargo bench --bench runner`.
//!
//! It ends in failure where a limit isn't held: a plan of 100 000 cases is laid out in a second, and so
//! gone on with.

use std::fs::{self, File as Disk};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use benchbook::data;
use benchbook::diag::{Report, Source};
use benchbook::model::Definition;
use benchbook::runner::event::{Event, Listener};
use benchbook::runner::folder::Folder;
use benchbook::runner::journal::{Journal, Line, StepLine};
use benchbook::runner::plan::{Plan, Wishes};
use benchbook::runner::redact::Names;
use benchbook::runner::session::{Options, Session};
use benchbook::runner::stop::Stop;
use benchbook::runner::workload::FilledCommand;
use benchbook::runner::{clock, process, run_record};
use benchbook::source::{File, Files};

/// What a plan of 100 000 cases may take, and going on with one.
const LIMIT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    empty_program(folder.path());
    empty_trials(folder.path());
    watching(folder.path());
    journal_lines(folder.path());
    if large_plan(folder.path()) {
        ExitCode::SUCCESS
    } else {
        println!("the limit of {LIMIT:?} isn't held");
        ExitCode::FAILURE
    }
}

/// A program that does nothing: started by hand, by the runner, and with the runner's clock.
fn empty_program(folder: &Path) {
    const ROUNDS: usize = 400;
    let program = FilledCommand {
        words: vec!["true".into()],
        shell: false,
    };
    let (scratch, log) = (folder.join("program"), folder.join("log"));
    fs::create_dir(&scratch).expect("a folder");
    let limit = Stop::default().limit(Duration::from_secs(3600));
    let (mut by_hand, mut by_runner, mut as_told) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // In turn, so that whatever else the machine does falls on both.
        by_hand.push(time(start_by_hand));
        by_runner.push(time(|| {
            let finished = process::run(&program, &scratch, &log, &limit).expect("an end");
            as_told.push(finished.took.as_secs_f64());
        }));
    }
    let by_hand = median(by_hand);
    heading("a program that does nothing", "µs", "ratio");
    row("started by hand", by_hand * 1e6, 1.0);
    for (name, times) in [
        ("started by the runner", by_runner),
        ("the time that it is told to take", as_told),
    ] {
        let time = median(times);
        row(name, time * 1e6, time / by_hand);
    }
}

fn start_by_hand() {
    let status = Command::new("true").status().expect("an end");
    assert!(status.success());
}

/// Whole runs of trials that do next to nothing, with all that a run writes.
fn empty_trials(folder: &Path) {
    heading("a trial that does nothing", "ms", "ratio");
    let by_hand = median((0..200).map(|_| time(start_by_hand)).collect());
    row("`true`, started by hand", by_hand * 1e3, 1.0);
    let program = files(
        "engine = \"command\"\nworkload = \"command\"\nrepetitions = 200\n\
         [run.command]\nmeasure = \"true\"\n",
        "wall_time",
        &[],
    );
    // As short as it can be, so that what is left is the database's beginning and end.
    let database = files(
        "engine = \"sqlite\"\nworkload = \"insert-update\"\nrepetitions = 50\n\
         parameters = { connections = 1, duration = \"1 ms\", warm_up = \"0 s\", rows = 1 }\n",
        "throughput",
        &[],
    );
    for (name, files, watched) in [
        ("`true`, as a trial", &program, false),
        ("`true`, watched", &program, true),
        ("1 ms of work on SQLite", &database, false),
        ("1 ms of work on SQLite, watched", &database, true),
    ] {
        let definition = definition(files);
        let plan = plan(&definition);
        let seconds = time(|| drop(run(&plan, &folder.join("trials"), watched)));
        let time = seconds / plan.trials.len() as f64;
        row(name, time * 1e3, time / by_hand);
    }
}

/// Runs a plan in a folder, which is empty again afterwards.
fn run(plan: &Plan<'_>, folder: &Path, watched: bool) -> Vec<f64> {
    let options = options(!watched);
    let run = Folder::create(folder).expect("a folder");
    let record = plan.record(0);
    let session = Session::begin(plan, run, clock::wall().0, record, options).expect("a run");
    let mut values = Values::default();
    let tally = session.run(&Stop::default(), &mut values).expect("an end");
    assert_eq!(tally.measured, plan.trials.len(), "{:?}", values.faults);
    fs::remove_dir_all(folder).expect("no folder");
    values.first
}

fn options(unwatched: bool) -> Options<'static> {
    Options {
        root: Path::new("/"),
        names: Names::default(),
        seen: Vec::new(),
        budget: None,
        scratch: None,
        keep_scratch: false,
        stop_on_failure: false,
        unwatched,
        server: None,
        notes: Vec::new(),
    }
}

/// Keeps the first value of every trial.
#[derive(Default)]
struct Values {
    first: Vec<f64>,
    faults: Vec<String>,
}

impl Listener for Values {
    fn hear(&mut self, event: &Event<'_>) {
        match event {
            Event::TrialEnds { values, .. } => self.first.push(values[0].value),
            Event::TrialFails { fault, .. } => self.faults.push(fault.to_string()),
            _ => {}
        }
    }
}

/// What watching takes from a database at work: the same trial, watched and not, in pairs whose order
/// changes from pair to pair.
fn watching(folder: &Path) {
    const PAIRS: usize = 15;
    let text = |every: &str| {
        format!(
            "engine = \"sqlite\"\nworkload = \"insert-update\"\nrepetitions = 1\n\
             parameters = {{ connections = 2, duration = \"1 s\", warm_up = \"0.2 s\" }}\n\
             settings = {{ journal_mode = \"wal\", synchronous = \"OFF\" }}\n\
             [run.watch]\nevery = \"{every}\"\n"
        )
    };
    heading("throughput while watched", "lowest %", "median %");
    for every in ["100 ms", "10 ms", "1 ms"] {
        let files = files(&text(every), "throughput", &[]);
        let definition = definition(&files);
        let plan = plan(&definition);
        let mut shares: Vec<f64> = (0..PAIRS)
            .map(|pair| {
                let folder = folder.join("watching");
                let mut rates = [0.0; 2];
                for watched in [pair % 2 == 0, pair % 2 != 0] {
                    rates[usize::from(watched)] = run(&plan, &folder, watched)[0];
                }
                100.0 * rates[1] / rates[0]
            })
            .collect();
        shares.sort_by(f64::total_cmp);
        row(&format!("every {every}"), shares[0], median(shares.clone()));
    }
}

/// Lines of the journal, each on the disk before the next, beside what the disk alone takes for them.
fn journal_lines(folder: &Path) {
    const LINES: u32 = 300;
    let journals = folder.join("journal");
    fs::create_dir(&journals).expect("a folder");
    let mut journal = Journal::create(&journals, "a").expect("a journal");
    let mut plain = Disk::create(folder.join("plain")).expect("a file");
    let text = serde_json::to_vec(&line(0)).expect("a line");
    let (mut by_journal, mut by_hand) = (Vec::new(), Vec::new());
    for order in 0..LINES {
        by_hand.push(time(|| {
            plain.write_all(&text).expect("written");
            plain.write_all(b"\n").expect("written");
            plain.sync_data().expect("on the disk");
        }));
        let line = line(order);
        by_journal.push(time(|| journal.add(&line).expect("written")));
    }
    let (by_journal, by_hand) = (median(by_journal), median(by_hand));
    heading("lines that are on the disk", "a second", "ratio");
    row("written and synced by hand", 1.0 / by_hand, 1.0);
    row("by the journal", 1.0 / by_journal, by_hand / by_journal);
}

fn line(order: u32) -> Line {
    Line {
        order,
        at: f64::from(order) * 0.25,
        took: 0.25,
        case: order,
        samples: vec![StepLine {
            step: None,
            values: vec![Some(0.001_25 + f64::from(order))],
        }],
        ..Line::default()
    }
}

/// A plan of 100 000 cases: laid out, and gone on with when all but one are done. Answers whether the
/// limit is held.
fn large_plan(folder: &Path) -> bool {
    const CASES: usize = 100_000;
    let files = files(
        "engine = \"command\"\nworkload = \"command\"\nrepetitions = 1\n\
         [run.command]\nmeasure = \"true {one} {two} {three}\"\n",
        "wall_time",
        &[("one", 100), ("two", 100), ("three", 10)],
    );
    let mut planned = Vec::new();
    let mut resumed = Vec::new();
    let folder = folder.join("large");
    for _ in 0..5 {
        let mut start = Instant::now();
        let definition = definition(&files);
        let plan = plan(&definition);
        planned.push(start.elapsed().as_secs_f64());
        assert_eq!((plan.cases.len(), plan.trials.len()), (CASES, CASES));
        interrupt(&plan, &folder);
        start = Instant::now();
        let run = Folder::open(&folder).expect("a folder");
        let records = run_record::read(&folder).expect("a record");
        let session = Session::resume(&plan, run, records, false, options(true)).expect("a run");
        resumed.push(start.elapsed().as_secs_f64());
        let mut values = Values::default();
        let tally = session.run(&Stop::default(), &mut values).expect("an end");
        assert_eq!((tally.measured, values.first.len()), (CASES, 1));
        fs::remove_dir_all(&folder).expect("no folder");
    }
    let (planned, resumed) = (median(planned), median(resumed));
    heading("a plan of 100 000 cases", "ms", "of limit");
    row(
        "read and laid out",
        planned * 1e3,
        planned / LIMIT.as_secs_f64(),
    );
    row("gone on with", resumed * 1e3, resumed / LIMIT.as_secs_f64());
    planned.max(resumed) <= LIMIT.as_secs_f64()
}

/// Leaves a run that was killed before its last trial.
fn interrupt(plan: &Plan<'_>, folder: &Path) {
    let run = Folder::create(folder).expect("a folder");
    let record = plan.record(0);
    let fingerprint = record.fingerprint.clone();
    let session = Session::begin(plan, run, clock::wall().0, record, options(true));
    drop(session.expect("a run"));
    let (last, done) = plan.trials.split_last().expect("trials");
    assert_eq!(last.order as usize, done.len());
    let lines = done.iter().map(|trial| Line {
        case: trial.case,
        block: trial.block,
        ..line(trial.order)
    });
    Journal::rewrite(folder, &fingerprint, lines).expect("a journal");
}

/// A site with one experiment, run in this way, with one metric and factors of so many levels.
fn files(run: &str, metric: &str, factors: &[(&str, usize)]) -> Files {
    let (unit, better) = match metric {
        "wall_time" => ("s", "lower"),
        _ => ("1/s", "higher"),
    };
    let mut text = format!(
        "title = \"Trials\"\nquestion = \"What do they cost?\"\n[run]\n{run}\n[metrics.{metric}]\n\
         label = \"A metric\"\nunit = \"{unit}\"\nbetter = \"{better}\"\n"
    );
    for (factor, levels) in factors {
        let levels: Vec<String> = (1..=*levels).map(|level| format!("\"{level}\"")).collect();
        text += &format!(
            "[factors.{factor}]\nlabel = \"{factor}\"\nkind = \"number\"\nlevels = [{}]\n",
            levels.join(", ")
        );
    }
    let path = "data/a/experiment.toml";
    let mut files = Files::default();
    files.insert(path, File::Text(Source::new(path, text)));
    files
}

fn definition(files: &Files) -> Definition {
    let mut report = Report::new();
    let definition = data::definition("a", files, &mut report);
    assert!(!report.has_errors(), "{:?}", report.sorted().first());
    definition.expect("a definition")
}

fn plan(definition: &Definition) -> Plan<'_> {
    let mut report = Report::new();
    let plan = Plan::new(definition, &Wishes::default(), &mut report);
    assert!(!report.has_errors(), "{:?}", report.sorted().first());
    plan.expect("a plan")
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn heading(name: &str, unit: &str, ratio: &str) {
    println!("\n{name:<34} {unit:>12} {ratio:>10}");
}

fn row(name: &str, value: f64, ratio: f64) {
    // Small figures need their places, large ones have none.
    let places = if value < 100.0 { 2 } else { 0 };
    println!("{name:<34} {value:>12.places$} {ratio:>10.2}");
}
