//! Nothing that was finished is lost, whatever ends the program.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use benchbook::runner::random::Random;
use serde_json::Value;

use super::site::{Done, FAST, Run, Site, commands, table, wait};

/// How often the program is killed.
const KILLS: u32 = 50;

/// What the journal has of each trial, by its place in the order.
fn finished(run: &Run) -> BTreeMap<u64, Value> {
    let lines = run.journal();
    let count = lines.len();
    let trials: BTreeMap<u64, Value> = lines
        .into_iter()
        .map(|line| (line["order"].as_u64().expect("a number"), line))
        .collect();
    assert_eq!(trials.len(), count, "every trial once");
    trials
}

/// Holds the files of a complete run against what its journal had.
fn assert_complete(site: &Site, run: &Run, trials: &BTreeMap<u64, Value>, count: usize) {
    let rows = run.samples();
    let retried = !run.orders().is_sorted();
    let mut orders = run.orders();
    orders.sort_unstable();
    assert_eq!(orders, (0..count as u32).collect::<Vec<u32>>());
    for row in &rows {
        let order: u64 = row["order"].parse().expect("a number");
        // The trials of the last session were never seen in the journal.
        if let Some(line) = trials.get(&order) {
            let value: f64 = row["throughput"].parse().expect("a number");
            assert_eq!(Some(value), line["samples"][0]["values"][0].as_f64());
            assert_eq!(row["at"].parse().ok(), line["at"].as_f64());
        }
    }
    let mut times: Vec<(u32, f64)> = rows
        .iter()
        .map(|row| {
            let order = row["order"].parse().expect("a number");
            (order, row["at"].parse().expect("a number"))
        })
        .collect();
    times.sort_by_key(|(order, _)| *order);
    assert!(
        retried || times.is_sorted_by(|(_, a), (_, b)| a <= b),
        "{times:?}"
    );
    for row in table(&run.text("timeline.csv")) {
        assert!(row["order"].parse::<u32>().expect("a number") < count as u32);
    }
    assert_eq!(table(&run.text("settings.csv")).len(), 4 * 3);
    // A lock that a killed run has left harms nobody.
    let names = run.names().into_iter().filter(|name| name != "lock");
    assert_eq!(
        names.collect::<Vec<String>>(),
        ["run.json", "samples.csv", "settings.csv", "timeline.csv"]
    );
    let plan = &run.record()["plan"];
    assert_eq!(plan["finished"], count as u64);
    assert_eq!(plan.get("stopped"), None);
    site.assert_valid();
}

/// The trials that the program said are finished.
fn told(site: &Site) -> Vec<u64> {
    let events = fs::read_to_string(site.path("events")).expect("a file");
    let whole = events.rfind('\n').map_or("", |end| &events[..end]);
    whole
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("an object a line"))
        .filter(|event| event["event"] == "trial-ends")
        .map(|event| event["order"].as_u64().expect("a number"))
        .collect()
}

#[test]
fn kills_at_any_moment_lose_at_most_the_trial_under_way() {
    let site = Site::new(FAST);
    let mut random = Random::new(2026, "kills", 0);
    let mut trials = BTreeMap::new();
    let mut complete = 0;
    let mut kills = 0;
    let mut least = usize::MAX;
    while kills < KILLS || complete == 0 {
        let unfinished = site.runs().into_iter().next();
        let mut arguments = vec!["run", "x", "--events", "json"];
        arguments.extend(unfinished.iter().flat_map(|run| ["--resume", run.path()]));
        let events = fs::File::create(site.path("events")).expect("made");
        let mut child = site
            .command(&arguments)
            .stdout(events)
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        if kills < KILLS {
            std::thread::sleep(Duration::from_millis(random.below(300)));
            if child.try_wait().expect("a status").is_none() {
                child.kill().expect("killed");
                kills += 1;
            }
        }
        child.wait().expect("ended");
        let Some(run) = site.runs().into_iter().next() else {
            continue;
        };
        if !run.0.join("run.json").exists() {
            // Killed before there was a run at all, so nothing can have been finished in it.
            assert!(run.journal().is_empty());
            fs::remove_dir_all(&run.0).expect("removed");
        } else if run.0.join("journal.jsonl").exists() {
            let now = finished(&run);
            for (order, line) in &trials {
                assert_eq!(
                    now.get(order),
                    Some(line),
                    "trial {order} after kill {kills}"
                );
            }
            for order in told(&site) {
                assert!(now.contains_key(&order), "trial {order} was told of");
            }
            least = least.min(now.len());
            trials = now;
        } else {
            assert_complete(&site, &run, &trials, 40);
            fs::remove_dir_all(&run.0).expect("removed");
            trials.clear();
            complete += 1;
        }
    }
    assert!(least < 20, "no run was killed early");
}

#[test]
fn a_line_that_a_crash_tore_is_run_again() {
    let site = Site::new(FAST);
    let mut child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(4);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let mut trials = finished(&run);
    let journal = run.text("journal.jsonl");
    let last = journal.trim_end().rfind('\n').expect("lines") + 1;
    fs::write(run.0.join("journal.jsonl"), &journal[..last + 40]).expect("written");
    trials.pop_last();
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert_complete(&site, &run, &trials, 40);
}

/// An experiment whose journal grows fast.
fn watched_closely() -> String {
    FAST.replace("every = \"5 ms\"", "every = \"1 ms\"")
}

/// Whether a run that stopped for lack of room said so, and kept a journal that can be gone on with.
fn assert_stopped(done: &Done, run: &Run, why: &str) -> BTreeMap<u64, Value> {
    assert_eq!(done.code, 2, "{}", done.errors);
    assert!(done.errors.contains(why), "{}", done.errors);
    let again = format!("go on with: benchbook run --resume {}", run.path());
    let again = again.replace(
        &format!("{}/", run.path().split("/data/").next().unwrap_or("")),
        "",
    );
    assert!(done.errors.contains(&again), "{}", done.errors);
    assert!(!run.0.join("lock").exists() && !run.0.join("scratch").exists());
    finished(run)
}

/// Goes on with a run where there is room again.
fn go_on(site: &Site, run: &Run, trials: BTreeMap<u64, Value>) {
    // Databases that found no room failed, and are stored so.
    let done = site.run(&["run", "--resume", run.path(), "--retry-failed"]);
    assert_eq!(done.code, 0, "{}", done.errors);
    let measured = trials
        .into_iter()
        .filter(|(_, line)| line.get("failed").is_none());
    assert_complete(site, run, &measured.collect(), 120);
}

#[test]
fn files_that_may_not_grow_end_the_run_and_lose_nothing() {
    let site = Site::new(&watched_closely());
    let program = env!("CARGO_BIN_EXE_benchbook");
    // In blocks of 512 bytes: enough for the database, and for the journal of some trials.
    let script = format!("ulimit -f 192; exec {program} run x --repetitions 30");
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(site.path(""))
        .output()
        .expect("a shell");
    let run = site.the_run();
    let trials = assert_stopped(&Done::of(output), &run, "no file may grow larger here");
    assert!((1..120).contains(&trials.len()), "{}", trials.len());
    assert!(run.text("journal.jsonl").ends_with('\n'), "nothing is torn");
    go_on(&site, &run, trials);
}

/// A file system of its own, of a few MiB.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new() -> Option<Self> {
        let folder = tempfile::tempdir().expect("a folder");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=6m", "benchbook-test"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        mounted
            .is_ok_and(|status| status.success())
            .then(|| Self(folder))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_ends_the_run_and_loses_nothing() {
    let Some(disk) = SmallDisk::new() else {
        eprintln!("skipped: only root may mount the small disk that this test fills");
        return;
    };
    let site = Site::below(disk.0.path(), &watched_closely());
    let mut child = site.start(&["run", "x", "--repetitions", "30"]);
    let run = site.wait_for_trials(5);
    // Others fill the disk, as fast as it gets room again.
    let path = site.path("ballast");
    let mut ballast = fs::File::create(&path).expect("made");
    while child.try_wait().expect("a status").is_none() {
        let _ = ballast.write_all(&[0; 4096]);
    }
    let done = Done::of(child.wait_with_output().expect("ended"));
    let trials = assert_stopped(&done, &run, "the disk is full");
    assert!(trials.len() < 120, "{}", trials.len());
    drop(ballast);
    fs::remove_file(path).expect("removed");
    go_on(&site, &run, trials);
}

#[test]
fn time_goes_on_when_the_clock_was_set_back() {
    let site = Site::new(FAST);
    let mut child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(5);
    child.kill().expect("killed");
    child.wait().expect("ended");
    let before = finished(&run);
    // For the run that goes on, the clock stands long before the run's start.
    let mut record = run.record();
    record["started"] = "2190-01-01T00:00:00Z".into();
    fs::write(run.0.join("run.json"), record.to_string()).expect("written");
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert_complete(&site, &run, &before, 40);
}

#[test]
fn what_a_killed_run_had_started_is_ended_and_removed() {
    // The first time, the second level starts something that outlives the runner, in a group of its own.
    let site = Site::new(&commands(
        r#"
shell = true
measure = """
if [ {n} = 2 ] && [ ! -e ../../../first ]; then
  touch ../../../first
  setsid sleep 300 &
  echo $! > ../../../left
  sleep 300
fi
"""
"#,
    ));
    let mut child = site.start(&["run", "x"]);
    let run = site.wait_for_trials(1);
    let left = wait(|| {
        let text = run.text("left");
        text.ends_with('\n').then(|| text.trim().to_owned())
    });
    child.kill().expect("killed");
    child.wait().expect("ended");
    // One that has ended stands in the table of processes until somebody asks for it.
    let lives = || {
        let stat = fs::read_to_string(Path::new("/proc").join(&left).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    assert!(lives(), "it outlives the runner");
    assert!(run.0.join("scratch/1").is_dir());
    let done = site.run(&["run", "--resume", run.path()]);
    assert_eq!(done.code, 0, "{}", done.errors);
    assert!(!lives(), "it was ended");
    assert!(!run.0.join("scratch").exists());
    assert_eq!(run.orders(), [0, 1, 2, 3, 4, 5, 6, 7]);
}
