//! What the runner costs beside what it measures: `cargo bench --bench runner`.
//!
//! It ends in failure where a limit isn't held: a plan of 100 000 cases takes a second at most, and so
//! does going on with it.

use std::fs::{self, File as Disk};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use benchbook::data;
use benchbook::diag::{Report, Source};
use benchbook::model::{CommandResults, Definition};
use benchbook::runner::engine::{self, Start};
use benchbook::runner::journal::{self, Journal, Line, StepLine};
use benchbook::runner::plan::{Plan, Wishes};
use benchbook::runner::process;
use benchbook::runner::stop::Stop;
use benchbook::runner::workload::{self, FilledCommand, FilledCommands, Parameters, Task};
use benchbook::source::{File, Files};

/// What a plan of 100 000 cases may take, and going on with one.
const LIMIT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a folder");
    empty_program(folder.path());
    journal_lines(folder.path());
    if large_plan(folder.path()) {
        ExitCode::SUCCESS
    } else {
        println!("the limit of {LIMIT:?} isn't held");
        ExitCode::FAILURE
    }
}

/// A program that does nothing: started by hand, by the runner, and as a trial.
fn empty_program(folder: &Path) {
    const ROUNDS: usize = 400;
    let commands = commands(folder);
    let limit = Stop::default().limit(Duration::from_secs(3600));
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        // In turn, so that whatever else the machine does falls on all of them.
        times[0].push(time(|| {
            Command::new("true").status().expect("an end");
        }));
        times[1].push(time(|| {
            let FilledCommands { scratch, log, .. } = &commands;
            process::run(&commands.measure, scratch, log, &limit).expect("an end");
        }));
        times[2].push(time(|| trial(&commands)));
    }
    let [by_hand, by_runner, as_trial] = times.map(median);
    heading("a program that does nothing", "µs", "ratio");
    for (name, time) in [
        ("started by hand", by_hand),
        ("started by the runner", by_runner),
        ("from setup to teardown", as_trial),
    ] {
        row(name, time * 1e6, time / by_hand);
    }
}

fn commands(folder: &Path) -> FilledCommands {
    let scratch = folder.join("scratch");
    fs::create_dir_all(&scratch).expect("a folder");
    FilledCommands {
        setup: Vec::new(),
        measure: FilledCommand {
            words: vec!["true".into()],
            shell: false,
        },
        teardown: Vec::new(),
        version: None,
        read_back: Vec::new(),
        results: CommandResults::WallTime,
        scratch,
        output: folder.join("output"),
        log: folder.join("log"),
    }
}

/// Everything of a trial but its folder and its journal line.
fn trial(commands: &FilledCommands) {
    let limit = Stop::default().limit(Duration::from_secs(3600));
    let engine = engine::find("command").expect("an engine");
    let start = Start {
        folder: &commands.scratch,
        from: None,
        settings: &[],
        deadline: &limit,
        commands: Some(commands),
    };
    let instance = engine.start(&start).expect("an instance");
    let task = Task {
        instance: &*instance,
        parameters: &Parameters::default(),
        seed: 1,
        folder: &commands.scratch,
        deadline: &limit,
        done: &AtomicU64::new(0),
        commands: Some(commands),
    };
    let workload = workload::find("command").expect("a workload");
    workload.load(&task).measure().expect("values");
    instance.stop().expect("an end");
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
    let files = files(&[("one", 100), ("two", 100), ("three", 10)]);
    let mut planned = Vec::new();
    let mut resumed = Vec::new();
    let folder = folder.join("large");
    fs::create_dir(&folder).expect("a folder");
    for _ in 0..5 {
        let start = Instant::now();
        let definition = definition(&files);
        let plan = plan(&definition);
        planned.push(start.elapsed().as_secs_f64());
        assert_eq!((plan.cases.len(), plan.trials.len()), (CASES, CASES));
        interrupt(&plan, &folder);
        let start = Instant::now();
        let fingerprint = plan.fingerprint();
        let mut done = vec![false; plan.trials.len()];
        let take = |line: Line| {
            done[line.order as usize] = true;
            Ok(())
        };
        journal::read(&folder, &fingerprint, take).expect("a journal");
        resumed.push(start.elapsed().as_secs_f64());
        assert_eq!(done.iter().filter(|it| !**it).count(), 1);
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

/// Leaves the journal of a run that ended before its last trial.
fn interrupt(plan: &Plan<'_>, folder: &Path) -> PathBuf {
    let (last, done) = plan.trials.split_last().expect("trials");
    assert_eq!(last.order as usize, done.len());
    let lines = done.iter().map(|trial| Line {
        case: trial.case,
        block: trial.block,
        ..line(trial.order)
    });
    Journal::rewrite(folder, &plan.fingerprint(), lines).expect("a journal");
    folder.join(journal::NAME)
}

/// A site with one experiment whose factors have so many levels.
fn files(factors: &[(&str, usize)]) -> Files {
    let mut text = String::from(
        "title = \"Times\"\nquestion = \"How long?\"\n[metrics.wall_time]\nlabel = \"Time\"\nunit = \"s\"\n\
         better = \"lower\"\n[run]\nengine = \"command\"\nworkload = \"command\"\nrepetitions = 1\n\
         [run.command]\nmeasure = \"true {one} {two} {three}\"\n",
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
    println!("{name:<34} {value:>12.0} {ratio:>10.2}");
}
