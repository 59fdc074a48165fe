//! Asked to end, a run ends soon, keeps what it has, and says how to go on.

use std::process::{Child, Command};

use super::site::{Done, FAST, Run, Site, commands, signal, wait};

/// Each trial waits until the file `go` is there; levels after the first do.
const WAITING: &str = r#"
shell = true
measure = "touch ../../../at-{n}; while [ {n} != 1 ] && [ ! -e ../../../go ]; do sleep 0.02; done"
"#;

/// A run that waits in its second trial.
fn waiting(site: &Site) -> (Child, Run) {
    let child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(1);
    wait(|| run.0.join("at-2").exists().then_some(()));
    (child, run)
}

/// Holds what a run said and left against what is expected of one that was asked to end.
fn assert_left(site: &Site, child: Child, run: &Run, finished: &[u32]) {
    let done = Done::of(child.wait_with_output().expect("ended"));
    assert_eq!(done.code, 3, "{}", done.errors);
    assert_eq!(run.orders(), finished);
    let left = 8 - finished.len();
    let count = format!("{} measured, {left} left (interrupted)", finished.len());
    assert!(done.errors.contains(&count), "{}", done.errors);
    assert_eq!(run.record()["plan"]["finished"], finished.len());
    assert_eq!(run.record()["plan"]["stopped"], "interrupted");
    for gone in ["lock", "scratch"] {
        assert!(!run.0.join(gone).exists(), "{gone} is removed");
    }
    site.assert_valid();
    // The command it names goes on.
    let again = done
        .errors
        .lines()
        .find_map(|line| line.strip_prefix("go on with: benchbook "));
    let again: Vec<&str> = again.expect("it says how").split(' ').collect();
    std::fs::write(run.0.join("go"), "").expect("written");
    let done = site.run(&again);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert_eq!(run.orders(), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert!(!run.0.join("journal.jsonl").exists());
}

#[test]
fn one_interrupt_lets_the_trial_under_way_end() {
    let site = Site::new(&commands(WAITING));
    let (child, run) = waiting(&site);
    signal(&child, "INT");
    // It is still at work: the trial ends when it may.
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(run.0.join("scratch/1").is_dir());
    std::fs::write(run.0.join("go"), "").expect("written");
    assert_left(&site, child, &run, &[0, 1]);
}

#[test]
fn a_second_interrupt_drops_the_trial_under_way() {
    let site = Site::new(&commands(WAITING));
    let (child, run) = waiting(&site);
    signal(&child, "INT");
    std::thread::sleep(std::time::Duration::from_millis(100));
    signal(&child, "INT");
    assert_left(&site, child, &run, &[0]);
}

/// Whether whoever started these tests wants the end of the terminal to be ignored, as `nohup` does; so do all
/// that they start then.
fn ignores_the_end_of_the_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}

#[test]
fn the_systems_wish_to_end_drops_the_trial_under_way() {
    for name in ["TERM", "HUP"] {
        if name == "HUP" && ignores_the_end_of_the_terminal() {
            continue;
        }
        let site = Site::new(&commands(WAITING));
        let (child, run) = waiting(&site);
        signal(&child, name);
        assert_left(&site, child, &run, &[0]);
    }
}

#[test]
fn a_run_that_was_to_outlive_its_terminal_does() {
    let site = Site::new(&commands(WAITING));
    let mut command = Command::new("sh");
    let script = "trap '' HUP; exec \"$0\" run x";
    command
        .args(["-c", script, env!("CARGO_BIN_EXE_benchbook")])
        .current_dir(site.path(""));
    let mut child = command
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("a shell");
    let run = site.wait_for_trials(1);
    wait(|| run.0.join("at-2").exists().then_some(()));
    signal(&child, "HUP");
    std::fs::write(run.0.join("go"), "").expect("written");
    assert!(child.wait().expect("ended").success());
    assert_eq!(run.orders().len(), 8);
}

#[test]
fn a_database_is_left_in_the_middle_of_its_work() {
    let site = Site::new(&FAST.replace("duration = \"0.01 s\"", "duration = \"50 s\""));
    let child = site.start(&["run", "x"]);
    let run = wait(|| {
        let run = site.runs().into_iter().next()?;
        // Its data are kept, for others to begin with a copy of them.
        let template = run.0.join("scratch/template-0/data");
        let begun = run.0.join("scratch/0/data");
        (template.is_dir() && begun.is_dir()).then_some(run)
    });
    signal(&child, "TERM");
    let done = Done::of(child.wait_with_output().expect("ended"));
    assert_eq!(done.code, 3, "{}", done.errors);
    assert!(run.orders().is_empty() && !run.0.join("scratch").exists());
    site.assert_valid();
}

#[test]
fn a_budget_drops_repetitions_and_ends_in_time() {
    let site = Site::new(&FAST.replace("duration = \"0.01 s\"", "duration = \"0.2 s\""));
    // By the times it is given, a block of four cases takes 4.8 s.
    let done = site.run(&["run", "x", "--budget", "15s"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(
        done.errors
            .contains("3 of 10 repetitions fit into the budget"),
        "{}",
        done.errors
    );
    let run = site.the_run();
    assert_eq!(run.orders().len(), 12);
    let plan = &run.record()["plan"];
    assert_eq!(
        (&plan["repetitions"], &plan["asked"]),
        (&3.into(), &10.into())
    );

    // A run that was left may be given a budget too.
    let site = Site::new(&FAST.replace("duration = \"0.01 s\"", "duration = \"0.2 s\""));
    let mut child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(2);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let done = site.run(&["run", "--resume", run.path(), "--budget", "1ms"]);
    assert_eq!(done.code, 3, "{}", done.errors);
    assert!(
        done.errors.contains("left (the time is over)"),
        "{}",
        done.errors
    );
}
