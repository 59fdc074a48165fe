//! Real programs, well-behaved and not.
#![cfg(unix)]

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::thread;

use tempfile::TempDir;

use super::*;
use crate::model::MissingReason;
use crate::runner::stop::Stop;

/// A case with its folder and log.
struct Case {
    folder: TempDir,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("scratch")).expect("a folder");
        Self { folder }
    }

    fn scratch(&self) -> PathBuf {
        self.folder.path().join("scratch")
    }

    fn log_file(&self) -> PathBuf {
        self.folder.path().join("log")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.log_file()).expect("a log")
    }

    fn run_within(&self, command: &FilledCommand, limit: &Deadline) -> Result<Finished, Fault> {
        run(command, &self.scratch(), &self.log_file(), limit)
    }

    fn run(&self, command: &FilledCommand) -> Result<Finished, Fault> {
        self.run_within(command, &long())
    }

    /// Runs a program that makes a file `begun`, and tells the run to stop when it is there.
    fn dropped_once_begun(&self, command: &FilledCommand) -> Fault {
        let stop = Stop::default();
        let deadline = stop.limit(Duration::from_secs(300));
        thread::scope(|scope| {
            scope.spawn(|| {
                until(|| self.scratch().join("begun").exists());
                stop.drop_trial();
            });
            self.run_within(command, &deadline).expect_err("a fault")
        })
    }

    /// How many processes of it haven't ended.
    fn living(&self) -> usize {
        let scratch = fs::canonicalize(self.scratch()).expect("a path");
        orphans::living(&scratch, &BTreeSet::new()).len()
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        end_orphans(&self.scratch());
    }
}

fn long() -> Deadline {
    Stop::default().limit(Duration::from_secs(300))
}

fn short() -> Deadline {
    Stop::default().limit(Duration::from_millis(300))
}

fn words(words: &[&str]) -> FilledCommand {
    FilledCommand {
        words: words.iter().map(|&word| word.to_owned()).collect(),
        shell: false,
    }
}

fn shell(text: &str) -> FilledCommand {
    FilledCommand {
        words: vec![text.to_owned()],
        shell: true,
    }
}

/// Waits for what another process does; the test as a whole hangs if it never does.
fn until(mut is_so: impl FnMut() -> bool) {
    while !is_so() {
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn both_streams_are_told_apart_and_logged() {
    let case = Case::new();
    let finished = case
        .run(&shell("echo out; echo wrong >&2"))
        .expect("an end");
    assert_eq!(finished.output().as_deref(), Ok("out\n"));
    assert_eq!(finished.errors().as_deref(), Ok("wrong\n"));
    assert!(!finished.is_silent());
    case.run(&words(&["printf", "no end of line"]))
        .expect("an end");
    let log = case.log();
    let lines: Vec<&str> = log.lines().collect();
    assert_eq!(lines[0], "$ echo out; echo wrong >&2");
    let mut middle = [lines[1], lines[2]];
    middle.sort_unstable();
    assert_eq!(middle, ["out", "wrong"]);
    assert!(
        lines[3].starts_with("# ended with exit status 0 after "),
        "{log}"
    );
    assert_eq!(lines[4..6], ["$ printf 'no end of line'", "no end of line"]);
}

#[test]
fn words_reach_a_program_as_they_are() {
    let case = Case::new();
    let odd = [
        "a b", "c;d", "$HOME", "`id`", "", "'", "\"", "e\nf", "*", "\\", "ж", "&&", "--", "{}",
    ];
    let mut command = vec!["printf", "<%s>", "first"];
    command.extend(odd);
    let finished = case.run(&words(&command)).expect("an end");
    let wanted: String = odd.iter().map(|word| format!("<{word}>")).collect();
    assert_eq!(finished.output(), Ok(format!("<first>{wanted}")));
}

#[test]
fn a_shell_is_only_there_for_those_who_ask() {
    let case = Case::new();
    let text = "printf a && printf b";
    let asked = case.run(&shell(text)).expect("an end");
    assert_eq!(asked.output().as_deref(), Ok("ab"));
    let fault = case.run(&words(&[text])).expect_err("no such program");
    assert!(
        fault
            .message
            .contains("`printf a && printf b` is in no folder of PATH"),
        "{fault}"
    );
}

#[test]
fn a_program_has_its_folder_its_language_and_nothing_to_read() {
    let case = Case::new();
    let command = "pwd -P; echo $LC_ALL; echo \"$BENCHBOOK_SCRATCH\"; cat";
    let finished = case.run(&shell(command)).expect("an end");
    let folder = fs::canonicalize(case.scratch()).expect("a path");
    let folder = folder.display();
    assert_eq!(finished.output(), Ok(format!("{folder}\nC\n{folder}\n")));
    // All else is inherited; the tests have a PATH, or they would have found no shell.
    let finished = case.run(&words(&["env"])).expect("an end");
    let path = std::env::var("PATH").expect("a PATH");
    let all = finished.output().expect("text");
    assert!(
        all.lines().any(|line| line == format!("PATH={path}")),
        "{all}"
    );
}

#[test]
fn an_end_in_error_says_which_and_shows_the_end_of_the_log() {
    let case = Case::new();
    let fault = case
        .run(&shell("seq 1 5000; echo broken >&2; exit 3"))
        .expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Failed);
    let message = "`seq 1 5000; echo broken >&2; exit 3` ended with exit status 3";
    assert_eq!(fault.message, message);
    assert!(
        fault.log.contains("\n5000\n") && fault.log.contains("broken\n"),
        "{}",
        fault.log
    );
    assert!(fault.log.len() <= LOG_TAIL && !fault.stopped);
    let fault = case.run(&shell("kill -9 $$")).expect_err("a fault");
    assert!(
        fault
            .message
            .starts_with("`kill -9 $$` was ended by signal 9 (SIGKILL"),
        "{fault}"
    );
    assert!(case.log().contains("# was ended by signal 9"));
}

#[test]
fn programs_that_cannot_be_started_say_what_to_do() {
    let case = Case::new();
    let message = |command: &[&str]| case.run(&words(command)).expect_err("a fault").message;
    let told = message(&["benchbook-has-no-such-program", "-x"]);
    assert!(told.contains("`benchbook-has-no-such-program` is in no folder of PATH; install it"));
    assert!(message(&["./nothing"]).contains("`./nothing` isn't there; a path that"));
    let file = case.scratch().join("text");
    fs::write(&file, "text").expect("a file");
    assert!(message(&["./text"]).contains("`./text` may not be run"));
    assert!(message(&[]).contains("without words"));
    assert!(message(&["printf", "a\0b"]).contains("`printf` can't be started"));
    let fault = run(
        &words(&["true"]),
        &case.scratch().join("gone"),
        &file,
        &long(),
    );
    assert!(
        fault
            .expect_err("a fault")
            .message
            .contains("gone to run in isn't there")
    );
    let fault = run(&words(&["true"]), &case.scratch(), &case.scratch(), &long());
    assert!(
        fault
            .expect_err("a fault")
            .message
            .starts_with("the log can't be written")
    );
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let case = Case::new();
    let command = shell("echo begun; sleep 1000 & sleep 1000 & wait");
    let fault = case.run_within(&command, &short()).expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Timeout);
    let message = format!("{} was ended: not done after 0.3 s", shown(&command));
    assert_eq!((fault.message, fault.stopped), (message, false));
    assert_eq!(case.living(), 0);
    assert!(
        case.log()
            .contains("# was ended: not done after 0.3 s after ")
    );
}

#[test]
fn a_program_that_does_not_listen_is_killed() {
    let case = Case::new();
    let command = shell("trap '' TERM; touch begun; while :; do sleep 1000 & wait; done");
    assert!(case.dropped_once_begun(&command).stopped);
    assert_eq!(case.living(), 0);
}

#[test]
fn a_program_that_is_stopped_is_ended_too() {
    let case = Case::new();
    let fault = case
        .run_within(&shell("kill -STOP $$"), &short())
        .expect_err("a fault");
    assert_eq!(fault.reason, MissingReason::Timeout);
    assert_eq!(case.living(), 0);
}

#[test]
fn a_program_may_clean_up_when_its_time_is_over() {
    let case = Case::new();
    let command = "trap 'echo cleaned; exit 0' TERM; touch begun; while :; do sleep 0.01; done";
    let fault = case.dropped_once_begun(&shell(command));
    // The shell tells on its other stream that the signal reached what it waited for, too.
    assert!(fault.log.contains("cleaned\n"), "{fault:?}");
}

#[test]
fn a_run_that_is_told_to_stop_drops_its_program() {
    let case = Case::new();
    let fault = case.dropped_once_begun(&shell("touch begun; sleep 1000"));
    assert!(fault.stopped, "{fault:?}");
    assert_eq!(case.living(), 0);
    let stop = Stop::default();
    stop.drop_trial();
    let fault = case.run_within(&words(&["true"]), &stop.limit(Duration::from_secs(300)));
    let fault = fault.expect_err("a fault");
    assert!(
        fault.stopped && fault.message == "the run was stopped",
        "{fault:?}"
    );
}

#[test]
fn what_is_left_in_the_background_holds_nobody_up() {
    let case = Case::new();
    let finished = case.run(&shell("sleep 1000 & echo done")).expect("an end");
    assert_eq!(finished.output().as_deref(), Ok("done\n"));
    assert_eq!(case.living(), 0);
    // One that holds no pipe is ended as well.
    case.run(&shell("sleep 1000 >/dev/null 2>&1 &"))
        .expect("an end");
    assert_eq!(case.living(), 0);
}

#[test]
fn what_the_setup_leaves_goes_on_until_it_is_dropped() {
    let case = Case::new();
    let command =
        shell("(while ! [ -e go ]; do sleep 0.01; done; echo later; sleep 1000) & echo ready");
    let (finished, background) =
        run_and_leave(&command, &case.scratch(), &case.log_file(), &long()).expect("an end");
    assert_eq!(finished.output().as_deref(), Ok("ready\n"));
    assert!(case.living() > 0);
    fs::write(case.scratch().join("go"), "").expect("a file");
    until(|| !background.printed.lock().log.is_empty());
    assert!(case.living() > 0);
    drop(background);
    assert_eq!(case.living(), 0);
    let log = case.log();
    let later = log
        .split_once("left running printed later\n")
        .expect("a heading")
        .1;
    assert_eq!(later, "later\n");
}

#[test]
fn binary_output_survives() {
    let case = Case::new();
    let command = words(&["printf", r"\377\000\033[0m\nok"]);
    let finished = case.run(&command).expect("an end");
    assert_eq!(finished.output().as_deref(), Ok("\u{fffd}\0\u{1b}[0m\nok"));
    assert_eq!(finished.tail(), "\u{fffd}\u{fffd}\u{fffd}[0m\nok");
    let log = fs::read(case.log_file()).expect("a log");
    let wanted = b"\n\xff\x00\x1b[0m\nok\n# ended";
    assert!(
        log.windows(wanted.len()).any(|part| part == wanted),
        "{log:?}"
    );
}

#[test]
fn a_flood_is_swallowed() {
    let case = Case::new();
    let finished = case
        .run(&shell("yes 0123456789abcde | head -c 50000000"))
        .expect("an end");
    let fault = finished.output().expect_err("too much");
    assert!(
        fault.message.starts_with("more than 16 MiB were printed"),
        "{fault}"
    );
    let log = case.log();
    assert!(log.len() < 1_200_000, "{}", log.len());
    let left_out = 50_000_000 - (64 << 10) - (1 << 20);
    assert!(log.contains(&format!("[… {left_out} bytes are left out here …]")));
    assert!(finished.tail().ends_with("0123456789abcde\n"));
}

#[test]
fn a_silent_program_is_known_to_be_silent() {
    let case = Case::new();
    let finished = case.run(&words(&["true"])).expect("an end");
    assert!(finished.is_silent());
    assert_eq!(
        (finished.output().as_deref(), finished.tail().as_str()),
        (Ok(""), "")
    );
}

#[cfg(target_os = "linux")]
#[test]
fn the_time_of_processors_is_told() {
    let case = Case::new();
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    // The work is done by a child that the shell waits for.
    let finished = case
        .run(&shell(&format!("({busy}); true")))
        .expect("an end");
    let processor = finished.processor.expect("a time");
    let took = finished.took.as_secs_f64();
    assert!(
        processor.user > 0.0 && processor.user <= took + 0.02,
        "{processor:?} {took}"
    );
}

#[test]
fn long_commands_are_cut_where_they_are_shown() {
    let long = "ж".repeat(500);
    assert_eq!(shown(&words(&["echo", "a b"])), "`echo 'a b'`");
    assert_eq!(shown(&words(&[&long])).chars().count(), 163);
    assert!(!shown(&shell("a\nb\u{1b}[0m")).contains(['\n', '\u{1b}']));
}

#[test]
fn secrets_are_neither_shown_nor_logged() {
    let case = Case::new();
    let command = shell("echo --password=geheim; echo 'postgres://me:geheim@host/db' >&2; exit 3");
    let fault = case.run(&command).expect_err("a fault");
    assert!(
        fault.message.contains("--password=***"),
        "{}",
        fault.message
    );
    assert!(fault.log.contains("postgres://me:***@host/db"), "{fault:?}");
    for text in [&fault.message, &fault.log, &case.log()] {
        assert!(!text.contains("geheim"), "{text}");
    }
    // The program itself is given them, and results may be looked for behind them.
    let finished = case.run(&words(&["echo", "--password=geheim"]));
    let finished = finished.expect("an end");
    assert_eq!(finished.output().as_deref(), Ok("--password=geheim\n"));
    assert!(!case.log().contains("geheim"));
}

// ---- programs that outlive their runner ------------------------------------------------------------

/// Not a test of its own: the runner that `programs_of_a_killed_runner_are_found_and_ended` kills.
#[test]
fn runner_to_be_killed() {
    let Ok(folder) = std::env::var("BENCHBOOK_TEST_RUNNER") else {
        return;
    };
    let folder = PathBuf::from(folder);
    let trial = folder.join("7").join("work");
    fs::create_dir_all(&trial).expect("a folder");
    let log = folder.with_extension("log");
    // A server that the setup leaves, then a measurement that goes on for ever.
    let server = shell("sleep 1001 & echo up");
    let _server = run_and_leave(&server, &trial, &log, &long()).expect("an end");
    let _ = run(
        &shell("sleep 1002 & sleep 1003 & wait"),
        &trial,
        &log,
        &long(),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn programs_of_a_killed_runner_are_found_and_ended() {
    let case = Case::new();
    let mut runner = Command::new(std::env::current_exe().expect("the tests"))
        .args(["--exact", "runner::process::tests::runner_to_be_killed"])
        .env("BENCHBOOK_TEST_RUNNER", case.scratch())
        .stdout(Stdio::null())
        .spawn()
        .expect("a runner");
    // The server, the shell that waits, and two more.
    until(|| case.living() >= 4);
    runner.kill().expect("killed");
    runner.wait().expect("an end");
    assert_eq!(case.living(), 4, "they outlive it");
    // Another case's programs aren't touched.
    let other = Case::new();
    let (_, background) = run_and_leave(
        &shell("sleep 1004 &"),
        &other.scratch(),
        &other.log_file(),
        &long(),
    )
    .expect("an end");
    assert_eq!(end_orphans(&case.scratch()), 4);
    assert_eq!((case.living(), other.living()), (0, 1));
    assert_eq!(end_orphans(&case.scratch()), 0);
    drop(background);
}

#[cfg(target_os = "linux")]
#[test]
fn what_was_written_down_is_ended_only_while_it_is_the_same() {
    use std::os::unix::process::CommandExt as _;
    let case = Case::new();
    // It says nothing about itself, so that only the record can tell.
    let sleep = || {
        Command::new("sleep")
            .arg("1000")
            .process_group(0)
            .env_clear()
            .spawn()
            .expect("a program")
    };
    let lives = |pid: u32| table::entry(pid as i32).is_some_and(|entry| entry.lives());
    let (mut recorded, mut later, mut before) = (sleep(), sleep(), sleep());
    let deep = case.scratch().join("3").join("work");
    fs::create_dir_all(&deep).expect("a folder");
    orphans::record(&deep, recorded.id());
    // One whose number was taken by another since, and one of before the machine was started anew.
    let start = |pid: u32| table::entry(pid as i32).expect("an entry").start;
    let boot = table::boot().expect("a mark");
    let lines = format!(
        "{} {} {boot}\n{} {} 0123\nrubbish\n\n{}",
        later.id(),
        start(later.id()) - 1,
        before.id(),
        start(before.id()),
        later.id(),
    );
    fs::write(case.folder.path().join("scratch.children"), lines).expect("a file");
    assert_eq!(end_orphans(&case.scratch()), 1);
    assert!(!lives(recorded.id()) && lives(later.id()) && lives(before.id()));
    recorded.wait().expect("an end");
    for child in [&mut later, &mut before] {
        child.kill().expect("killed");
        child.wait().expect("an end");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn one_that_left_its_group_and_does_not_listen_is_ended() {
    use std::os::unix::process::CommandExt as _;
    let case = Case::new();
    let scratch = fs::canonicalize(case.scratch()).expect("a path");
    let mut deaf = Command::new("sh")
        .args([
            "-c",
            "trap '' TERM; touch deaf; while :; do sleep 1000 & wait; done",
        ])
        .process_group(0)
        .current_dir(&scratch)
        .env(orphans::VARIABLE, scratch.join("5"))
        .spawn()
        .expect("a program");
    until(|| scratch.join("deaf").exists());
    assert!(
        end_orphans(&case.scratch()) >= 2,
        "the shell and what it waits for"
    );
    assert_eq!(case.living(), 0);
    deaf.wait().expect("an end");
}
